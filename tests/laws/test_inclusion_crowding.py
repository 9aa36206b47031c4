"""Infinite series of impacts in a finite time: the exact route passes them, and by the limit they have."""

import math

import numpy as np
import pytest

from tegotae.inclusion import Inclusion, examples
from tegotae.inclusion.impacts.modes import bearable

COUNT = "completed_series_of_impacts"


@pytest.mark.parametrize("eps", [0.1, 0.5, 0.9])
def test_a_ball_rests_past_its_last_bounce(eps):
    """Rest at t1 + 2 v1 eps/(g (1 - eps)) with v1 the first speed of impact."""
    g, h, v0 = 9.81, 0.3, -0.4
    v1 = math.sqrt(v0**2 + 2.0 * g * h)
    t1 = (v1 + v0) / g
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - g"}, {"g": g})
    run = ball.to_events(restitution=eps).solve((0.0, 8.0), {"p": h, "v": v0}, times=[8.0])
    assert run.events[-1].kind == "touch"
    assert run.events[-1].time == pytest.approx(t1 + 2.0 * v1 * eps / (g * (1.0 - eps)), abs=1e-9)
    assert [run.p[0], run.v[0], run.floor[0]] == pytest.approx([0.0, 0.0, g], abs=1e-12)
    assert run.about[COUNT] == 1


def ball_at_a_wall(M):
    """A ball of 1 kg between a wall and a body of M kg, no forces."""
    rows = {"p": "v", "q": "w", "v": "dio(p, 'wall') - dio(q - p, 'mutual')", "w": "dio(q - p, 'mutual')/M"}
    return Inclusion(rows, {"M": M})


def cycle(M, eps):
    """Velocities (ball, body) after one trip of the ball to the wall and back to the body, by those before."""
    back = np.array([[-eps, 0.0], [0.0, 1.0]])
    push = (1.0 + eps) / (1.0 + 1.0 / M)
    return np.array([[1.0 - push, push], [push / M, 1.0 - push / M]]) @ back


@pytest.mark.parametrize(("M", "eps"), [(10.0, 0.2), (100.0, 0.5), (1000.0, 0.9)])
def test_a_rattling_ball_is_crushed_when_the_geometric_series_ends(M, eps):
    """Started along the cycle's own direction, every trip is the same but smaller: T0/(1 - distance/speed ratio)."""
    ratios, ways = np.linalg.eig(cycle(M, eps))
    speed = float(np.max(ratios.real))
    v, w = -np.abs(ways[:, np.argmax(ratios.real)].real)
    assert np.isreal(ratios).all()
    assert -v > -w > 0.0
    away = 0.3
    meet = away / -v + (away - away * w / v) / (-eps * v - w)  # to the wall, and back to where the body then is
    shrink = (away + w * meet) / away
    end = meet / (1.0 - shrink / speed)
    run = (
        ball_at_a_wall(M)
        .to_events(restitution=eps)
        .solve((0.0, 1.0 + end), {"p": away, "q": away, "v": v, "w": w}, times=[1.0 + end])
    )
    assert run.events[-1].time == pytest.approx(end, rel=1e-9)
    assert [run.p[0], run.q[0], run.v[0], run.w[0]] == pytest.approx([0.0] * 4, abs=1e-12)
    assert run.about[COUNT] == 1
    assert [run.wall_closed[0], run.mutual_closed[0]] == [1, 1]


def parted(M, eps):
    """Velocities after all impacts of a ball at rest at 1/2 and a body that comes from 1 at speed 1, in 200 digits."""
    from sympy import Float

    def number(value):
        return Float(str(value), 200)

    p, q, v, w = number("0.5"), number(1), number(0), number(-1)
    M, eps = number(M), number(eps)
    for _ in range(2000):
        waits = [(-p / v, "wall")] if v < 0 else []
        waits += [((q - p) / (v - w), "body")] if w < v else []
        if not waits:
            return float(v), float(w)
        wait, what = min(waits)
        p, q = p + v * wait, q + w * wait
        if what == "wall":
            p, v = number(0), -eps * v
        else:
            J = (1 + eps) * (v - w) / (1 + 1 / M)
            q, v, w = p, v - J, w + J / M
    raise AssertionError("never parted")


@pytest.mark.parametrize(("M", "eps"), [(1000.0, "0.95"), (10.0, "0.57")])
@pytest.mark.parametrize("size", [1.0, 3e-10])
def test_bodies_that_crowd_but_part_again_are_not_crushed(M, eps, size):
    """Velocities after know no lengths: the same where all impacts fit into less time than can be told."""
    v, w = parted(M, eps)
    assert w > 0.0
    start = {"p": 0.5 * size, "q": size, "w": -1.0}
    run = ball_at_a_wall(M).to_events(restitution=float(eps)).solve((0.0, 5.0), start, times=[5.0])
    assert [run.v[0], run.w[0]] == pytest.approx([v, w], rel=1e-6)
    assert run.about[COUNT] == 0


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_three_bodies_that_collapse_keep_momentum_and_make_no_energy(far):
    """Equal masses and eps below 7 - 4 sqrt(3) = .0718: infinitely many impacts, and one velocity after them."""
    rows = {f"p{i}": f"v{i}" for i in range(3)}
    rows |= {"v0": "-dio(p1 - p0, 'a')", "v1": "dio(p1 - p0, 'a') - dio(p2 - p1, 'b')", "v2": "dio(p2 - p1, 'b')"}
    start = {"p0": far, "p1": far + 0.4, "p2": far + 1.0, "v0": 1.3, "v1": 0.4, "v2": -0.6}
    run = Inclusion(rows).to_events(restitution=0.03).solve((0.0, 3.0), start)
    speeds = np.array([run.v0, run.v1, run.v2])
    assert np.abs(speeds.sum(axis=0) - 1.1).max() < 1e-14
    assert np.diff((speeds**2).sum(axis=0)).max() < 1e-14
    assert speeds[:, -1] == pytest.approx([1.1 / 3.0] * 3, abs=1e-12)
    assert run.about[COUNT] == 1


def open_start(seed):
    """Bodies of the slides' machine apart from each other, with random velocities."""
    rng = np.random.default_rng(seed)
    start = {"p1x": rng.uniform(0.01, 0.2), "p2y": rng.uniform(0.01, 0.3), "p1y": rng.uniform(-0.2, 0.2)}
    start |= {name: rng.normal() for name in ("v1x", "v1y", "v2x", "v2y")}
    return start | {"p2x": start["p1x"] + rng.uniform(0.01, 0.2)}


@pytest.mark.parametrize(("eps", "seeds"), [(0.0, range(20)), (0.3, range(2))])
def test_the_two_body_machine_goes_through_from_open_gaps(eps, seeds):
    machine, _ = examples.two_bodies()
    exact = machine.to_events(restitution=eps)
    for seed in seeds:
        run = exact.solve((0.0, 1.0), open_start(seed))
        pressed = {"wall": run.p1x, "mutual": run.p2x - run.p1x, "floor": run.p2y}
        for (contact, gap), mu in zip(pressed.items(), (0.2, 0.3, 0.5), strict=True):
            assert gap.min() > -1e-9, (seed, contact)
            assert run[contact].min() > -1e-9, (seed, contact)
            assert (np.abs(run[f"rub_{contact}"]) <= mu * run[contact] + 1e-8).all(), (seed, contact)
        assert {"wall", "mutual"} <= {e.element for e in run.events if e.kind == "touch"}, seed
        assert run.about[COUNT] == 0 or eps > 0.0


def test_a_load_is_shared_as_the_holders_can_bear_it():
    """Limits of 2 N and 3 N hold up to 5 N together, though half of the load is more than 2 N from 4 N on."""
    block = Inclusion({"s": "v", "v": "t - coulomb(2, v, 'weak') - coulomb(3, v, 'strong')"})
    run = block.to_events().solve((0.0, 6.0), times=np.linspace(0.0, 6.0, 25))
    assert {e.kind for e in run.events} == {"slip"}
    assert [e.time for e in run.events] == pytest.approx([5.0] * len(run.events), abs=1e-9)
    assert run.s[-1] == pytest.approx(1.0 / 6.0, abs=1e-9)
    held = run.time < 5.0
    assert (run.weak + run.strong)[held] == pytest.approx(run.time[held], abs=1e-9)
    assert run.weak.max() <= 2.0 + 1e-9


@pytest.mark.parametrize("short", [sign * 10.0**-k for k in range(1, 17) for sign in (1.0, -1.0)])
def test_a_load_a_hair_from_what_is_borne_is_shared_or_left(short):
    """Limits of 2 N and 3 N under 5 N less `short`: at the border the rows all but contradict each other."""
    rng = np.random.default_rng(8)
    limits = np.array([2.0, 3.0])
    rows, rest = np.vstack((np.eye(2), -np.eye(2))), np.concatenate((limits, limits))
    for _ in range(50):
        load = 5.0 * (1.0 - short)
        weak = rng.uniform(0.0, load)
        given = np.array([weak, load - weak])
        found = bearable(given, np.array([[1.0], [-1.0]]) / math.sqrt(2.0), rows, rest)
        assert found.sum() == pytest.approx(load, rel=1e-14)
        if short > 1e-10:
            assert (found <= limits + 1e-9).all()
        if short < 0.0 and -short > 1e-10:
            assert (found == given).all()  # there is no way into them


def test_all_that_rests_sticks_though_one_friction_would_do():
    """The slides' machine comes to rest at 0.8886 s: body 1 then rests against the wall and against body 2."""
    machine, start = examples.two_bodies()
    run = machine.to_events().solve((0.0, 2.0), start, times=np.linspace(0.9, 2.0, 111))
    assert {(e.element, e.kind) for e in run.events} == {("rub_wall", "stick"), ("rub_mutual", "stick")}
    assert run.rub_wall_sticks.all()
    assert np.ptp(run.rub_wall) < 1e-9  # nothing happens, so no force changes
