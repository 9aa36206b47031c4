"""Impacts of steppers against closed forms, balances, and the exact route, which shares no code with them."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.errors import InputError
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio, examples

STIFF = {"contact": Contact(stiffness=1e6, damping=1e3)}
RUBBING = {**STIFF, "friction": Friction(stiffness=1e6, damping=1e3)}
SOFT = {"contact": Contact(stiffness=100.0, damping=0.1)}
G = 9.81


def bounces(height, restitution, times):
    """A ball let go above a floor [m]; at rest after its bounces."""
    u = math.sqrt(2.0 * G * height)
    first, places = u / G, []
    for t in np.asarray(times):
        v, since = restitution * u, t - first
        while since > 2.0 * v / G and v > 1e-9:
            since, v = since - 2.0 * v / G, restitution * v
        places.append(height - 0.5 * G * t * t if t < first else (v * since - 0.5 * G * since**2 if v > 1e-9 else 0.0))
    return np.array(places)


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("period", [1e-4, 1e-3, 7e-3])
@pytest.mark.parametrize("stiffness", [1e3, 1e8])
def test_ball_bounces_as_asked(restitution, mass, period, stiffness):
    """Whatever the mass, the period and the stiffness: places are those of the closed form at every tick, while bounces
    last longer than a few ticks.
    """
    ball, start = examples.bouncing_ball(mass=mass, height=0.3)
    contact = Contact(stiffness=stiffness, damping=1e-3 * stiffness)
    stepper = ball.to_stepper(period=period, contact=contact, restitution=restitution)
    u = math.sqrt(2.0 * G * 0.3)
    seconds = u / G
    while 2.0 * restitution * u / G > 20.0 * period and seconds < 0.9:
        u *= restitution
        seconds += 2.0 * u / G
    run = stepper.run(ticks=int(0.99 * seconds / period), initial=start)
    assert np.asarray(run.p) == pytest.approx(bounces(0.3, restitution, run.time), abs=1e-8)


@pytest.mark.parametrize("restitution", [0.2, 0.7])
def test_ball_bounces_as_asked_by_euler(restitution):
    """Its places are of first order, g t T/2 too low as it falls; the speed after is as asked."""
    ball, start = examples.bouncing_ball(height=0.3)
    run = ball.to_stepper(period=1e-3, **STIFF, restitution=restitution, method="euler").run(ticks=300, initial=start)
    assert np.asarray(run.p) == pytest.approx(bounces(0.3, restitution, run.time), abs=0.6e-3 * math.sqrt(0.6 * G))
    struck = int(np.argmax(run.floor > 0.0))
    gravity = G * 1e-3  # of the tick itself
    assert run.v[struck] == pytest.approx(-restitution * run.v[struck - 1], abs=2.0 * gravity)


@pytest.mark.parametrize("contact", [STIFF, SOFT])
def test_what_gives_nothing_back_stays(contact):
    """With restitution 0 even a spring that would throw it back does not; with none, it does."""
    ball, start = examples.bouncing_ball(height=0.1, gravity=0.0)
    down = start | {"v": -1.0}
    dead = ball.to_stepper(period=1e-3, **contact, restitution=0.0).run(ticks=400, initial=down)
    assert abs(dead.v[-1]) < 1e-9
    assert abs(dead.p[-1]) < 1e-9
    if contact is SOFT:
        assert ball.to_stepper(period=1e-3, **contact).run(ticks=400, initial=down).v[-1] > 0.5


def test_ball_comes_to_rest_sunk_in_by_its_weight_and_stays():
    ball, start = examples.bouncing_ball(height=0.1)
    run = ball.to_stepper(period=1e-3, **STIFF, restitution=0.6).run(ticks=20_000, initial=start)
    assert run.p[-1] == pytest.approx(-G / 1e6, rel=1e-9)
    assert np.ptp(run.p[-5000:]) <= 1e-15
    # Zeno's bounces end after (1 + e)/(1 - e) times the fall; what is lost are those shorter than a tick
    over = math.sqrt(0.2 / G) * 1.6 / 0.4
    assert float(run.time[np.argmax(run.p < -1e-9)]) == pytest.approx(over, abs=5e-3)


@given(
    masses=st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)),
    restitution=st.floats(0.0, 1.0),
    speed=st.floats(0.01, 10.0),
    apart=st.floats(0.0, 0.1),
    method=st.sampled_from(["midpoint", "euler"]),
)
@settings(max_examples=30, deadline=None)
def test_two_bodies_keep_momentum_and_part_as_asked(masses, restitution, speed, apart, method):
    rows = {"p": "v", "v": "-dio(q - p, 'hit')/m1", "q": "w", "w": "dio(q - p, 'hit')/m2"}
    pair = Inclusion(rows, {"m1": masses[0], "m2": masses[1]})
    stepper = pair.to_stepper(period=1e-3, **STIFF, restitution=restitution, method=method)
    ticks = int(1e3 * apart / speed) + 10
    run = stepper.run(ticks=ticks, initial={"v": speed, "q": apart})
    v, w = float(run.v[-1]), float(run.w[-1])
    assert w - v == pytest.approx(restitution * speed, abs=1e-8 * speed)
    assert masses[0] * v + masses[1] * w == pytest.approx(masses[0] * speed, rel=1e-12)


@pytest.mark.parametrize("along", [3.0, 0.2, -3.0])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_friction_of_an_impact_is_coulombs(along, mu):
    """It takes mu (1 + e) of the speed of approach from the slip, or all of it."""
    machine, start = examples.floor(friction=mu, gravity=0.0, height=0.05)
    stepper = machine.to_stepper(period=1e-3, **RUBBING, restitution=0.5)
    run = stepper.run(ticks=200, initial=start | {"vx": along, "vy": -1.0})
    lost = min(abs(along), mu * 1.5)
    assert run.vx[-1] == pytest.approx(along - math.copysign(lost, along), abs=1e-9)
    assert run.vy[-1] == pytest.approx(0.5, abs=1e-9)
    assert not run.rub_deflection.any()  # an impulse stretches nothing


# ------------------------------------------------------------ several contacts, against the exact route


def row_of_balls(count):
    rows = {}
    for i in range(count):
        push = f"dio(x{i} - x{i - 1}, 'c{i}')" if i else "0"
        pull = f"dio(x{i + 1} - x{i}, 'c{i + 1}')" if i < count - 1 else "0"
        rows |= {f"x{i}": f"v{i}", f"v{i}": f"{push} - {pull}"}
    return Inclusion(rows)


@pytest.mark.parametrize("apart", [0.0, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_a_row_of_balls_as_by_the_exact_route(apart, restitution):
    """Balls that touch are struck together, others one after the other, also where that takes less than a tick."""
    cradle = row_of_balls(4)
    initial = {"x0": -0.1234, "v0": 1.0, "x1": 0.0, "x2": apart, "x3": 2.0 * apart}
    run = cradle.to_stepper(period=1e-3, **STIFF, restitution=restitution).run(ticks=160, initial=initial)
    exact = cradle.to_events(restitution=restitution).solve((0.0, 0.16), initial, times=[0.16])
    for name in ("v0", "v1", "v2", "v3"):
        assert run[name][-1] == pytest.approx(exact[name][-1], abs=1e-7)
    for name in ("x0", "x1", "x2", "x3"):
        assert run[name][-1] == pytest.approx(exact[name][-1], abs=1e-9)


def test_two_balls_that_land_in_one_tick_are_each_met_in_their_own_moment():
    rows = {"p": "v", "v": "dio(p, 'one') - 9.81", "q": "w", "w": "dio(q, 'other') - 9.81"}
    both = Inclusion(rows)
    run = both.to_stepper(period=1e-2, **STIFF, restitution={"one": 0.5, "other": 0.9}).run(
        ticks=40, initial={"p": 0.3, "q": 0.2975}
    )
    assert np.asarray(run.one > 0.0).nonzero()[0][0] == np.asarray(run.other > 0.0).nonzero()[0][0]
    assert np.asarray(run.p)[:35] == pytest.approx(bounces(0.3, 0.5, run.time[:35]), abs=1e-8)
    assert np.asarray(run.q) == pytest.approx(bounces(0.2975, 0.9, run.time), abs=1e-8)


def test_contacts_without_restitution_are_met_by_their_springs():
    """One with, one without: each as if the other were like it."""
    rows = {"p": "v", "v": "dio(p, 'one') - 9.81", "q": "w", "w": "dio(q, 'other') - 9.81"}
    both, ball = Inclusion(rows), Inclusion({"p": "v", "v": "dio(p, 'one') - 9.81"})
    run = both.to_stepper(period=1e-3, **SOFT, restitution={"one": 0.5}).run(ticks=500, initial={"p": 0.3, "q": 0.3})
    alone = ball.to_stepper(period=1e-3, **SOFT).run(ticks=500, initial={"p": 0.3})
    assert np.asarray(run.q) == pytest.approx(np.asarray(alone.p), abs=1e-15)
    assert np.asarray(run.p) == pytest.approx(bounces(0.3, 0.5, run.time), abs=1e-8)


def falling_rod(friction):
    """A rod of 1 kg and 2 m that strikes the floor with one end: its friction turns it, too."""
    x, y, q, u, v, w, mu = sympy.symbols("x y q u v w mu")
    press = dio(y - sympy.sin(q), "tip")
    rub = coulomb(mu * press, u + sympy.sin(q) * w, "rub")
    turn = 3.0 * (-sympy.cos(q) * press - sympy.sin(q) * rub)
    return Inclusion({x: u, y: v, q: w, u: -rub, v: press, w: turn}, {mu: friction})


def energy(run):
    return 0.5 * (np.asarray(run.u) ** 2 + np.asarray(run.v) ** 2 + np.asarray(run.w) ** 2 / 3.0)


@given(
    angle=st.floats(0.2, 2.9),
    restitution=st.floats(0.0, 1.0),
    mu=st.floats(0.0, 2.0),
    along=st.floats(-2.0, 2.0),
    down=st.floats(0.3, 3.0),
    turn=st.floats(-1.0, 1.0),
)
@settings(max_examples=60, deadline=None)
def test_no_impact_gains_energy(angle, restitution, mu, along, down, turn):
    """Newton's law by itself would, by up to a fifth here, where friction stops the slip or turns it around."""
    stepper = ROD.varied({"mu": mu, "tip.restitution": restitution})
    start = {"q": angle, "y": math.sin(angle) + 0.05, "u": along, "v": -down, "w": turn}
    run = stepper.run(ticks=1500, initial=start)
    assert np.diff(energy(run)).max() <= 1e-3 * energy(run)[0]  # the slope of the gap turns within a tick


ROD = falling_rod(0.5).to_stepper(period=1e-4, **RUBBING, restitution=0.5)


def test_newtons_law_would_gain_energy_where_ours_does_not():
    """The impact of restitution e with |P_t| = mu P_n against the slip after it, by hand: one that gains."""
    angle, mu, e = 0.75, 0.95, 0.99
    start = {"q": angle, "y": math.sin(angle) + 1e-6, "u": 0.0, "v": -0.45, "w": 1.1}
    J = np.array([[0.0, 1.0, -math.cos(angle)], [1.0, 0.0, math.sin(angle)]])
    M = np.diag([1.0, 1.0, 1.0 / 3.0])
    W = J @ np.linalg.solve(M, J.T)
    before = np.array([start["u"], start["v"], start["w"]])
    u = J @ before
    stuck = np.linalg.solve(W, [-(1.0 + e) * u[0], -u[1]])
    assert abs(stuck[1]) <= mu * stuck[0]
    after = before + np.linalg.solve(M, J.T @ stuck)
    assert after @ M @ after > 1.3 * before @ M @ before
    run = ROD.varied({"mu": mu, "tip.restitution": e}).run(ticks=3, initial=start)
    assert 0.98 < energy(run)[-1] / (0.5 * before @ M @ before) <= 1.0 + 1e-3


# ------------------------------------------------------------ ports, names, bad input


def test_behind_a_port_as_alone():
    ball = Inclusion({"p": "v", "v": "(dio(p, 'floor') + push)/m - 9.81"}, {"m": 2.0, "push": 0.0})
    stepper = ball.to_stepper(period=1e-3, **STIFF, restitution=0.8)
    through = stepper.as_admittance(force="push", velocity="v", initial={"p": 0.3})
    run, alone = through.run(np.zeros(900), period=1e-3), stepper.run(ticks=900, initial={"p": 0.3})
    assert np.asarray(run["p"]) == pytest.approx(np.asarray(alone.p), abs=1e-15)


def test_a_circuit_meets_the_impact_of_what_it_carries():
    """A spring pulls the ball onto its floor: between bounces it swings, w = 10 rad/s, and parts as asked."""
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') + push"}, {"push": 0.0})
    mover = ball.to_stepper(period=1e-4, **STIFF, restitution=0.5).as_admittance(
        force="push", velocity="v", initial={"p": 0.1}
    )
    circuit = tg.Circuit(mover, {"pull": tg.SpringDamper(stiffness=100.0, damping=0.0)})
    run = circuit.run(np.zeros(4000), period=1e-4, initial={"pull.stretch": 0.1})
    assert int(run.about["unsolved_steps"]) == 0
    v = np.asarray(run["v"])
    hit = int(np.argmax(np.diff(v) > 0.1))
    assert v[hit] == pytest.approx(-1.0, abs=2e-3)
    assert v[hit + 1] == pytest.approx(0.5, abs=2e-3)


def test_restitution_goes_by_name():
    ball, start = examples.bouncing_ball(height=0.3)
    stepper = ball.to_stepper(period=1e-3, **STIFF, restitution=0.5)
    assert stepper.numbers["floor.restitution"] == 0.5
    lively = stepper.varied({"floor.restitution": 0.8})
    direct = ball.to_stepper(period=1e-3, **STIFF, restitution=0.8)
    one, other = (machine.run(ticks=600, initial=start) for machine in (lively, direct))
    assert np.array_equal(one.p, other.p)
    many = stepper.batch(**{"floor.restitution": [0.5, 0.8]}).run(ticks=600, period=1e-3, initial=start)
    assert np.asarray(many.p)[1] == pytest.approx(np.asarray(other.p), abs=1e-15)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (1.5, r"restitution of 'floor'=1\.5 makes energy"),
        (-0.1, r"restitution of 'floor'=-0\.1"),
        ({"roof": 0.5}, r"restitution names 'roof'\.\n  Contacts: floor\."),
        (math.nan, "restitution of 'floor'"),
        ("much", "restitution of 'floor'"),
    ],
)
def test_restitution_that_none_is_is_refused(given, words):
    ball, _ = examples.bouncing_ball()
    with pytest.raises(InputError, match=words):
        ball.to_stepper(period=1e-3, **STIFF, restitution=given)
