"""What the exact route must obey whatever the machine: no penetration, no pull, cones, energy, and honest refusals."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.errors import UniquenessError
from tegotae.inclusion import Inclusion, coulomb, dio
from tegotae.inclusion.elements.mobility import JammingWarning


def double_pendulum(wall):
    """Two equal rods of point masses (1 kg, 1 m), the lower mass beside a wall; a full mass matrix."""
    a, b, va, vb = sympy.symbols("a b va vb")
    g = 9.81
    push = dio(wall - sympy.sin(a) - sympy.sin(b), "wall")
    M = sympy.eye(4).as_mutable()
    M[2:, 2:] = sympy.Matrix([[2, sympy.cos(a - b)], [sympy.cos(a - b), 1]])
    rows = {a: va, b: vb}
    rows[va] = -sympy.sin(a - b) * vb**2 - 2 * g * sympy.sin(a) - push * sympy.cos(a)
    rows[vb] = sympy.sin(a - b) * va**2 - g * sympy.sin(b) - push * sympy.cos(b)
    return Inclusion(rows, mass_matrix=M)


def pendulum_energy(run):
    kinetic = run.va**2 + 0.5 * run.vb**2 + run.va * run.vb * np.cos(run.a - run.b)
    return kinetic - 9.81 * (2.0 * np.cos(run.a) + np.cos(run.b))


def test_double_pendulum_with_an_elastic_wall_keeps_its_energy():
    run = double_pendulum(0.5).to_events(restitution=1.0).solve((0.0, 6.0), {"a": -0.8, "b": -1.2})
    assert sum(event.kind == "touch" for event in run.events) >= 3
    energy = pendulum_energy(run)
    assert np.abs(energy - energy[0]).max() < 1e-9  # rtol 1e-12 over a few hundred steps of about 30 J
    assert (0.5 - np.sin(run.a) - np.sin(run.b)).min() > -1e-9


def test_double_pendulum_with_a_soft_wall_only_loses():
    run = double_pendulum(0.5).to_events(restitution=0.3).solve((0.0, 4.0), {"a": -0.8, "b": -1.2})
    energy = pendulum_energy(run)
    assert np.diff(energy).max() < 1e-9
    assert energy[-1] < energy[0] - 1.0
    assert run.wall.min() >= -1e-9


def rubbing_box(eps, mu, stiffness):
    """A mass between a floor and a ceiling, on a spring, rubbing at both."""
    x, y, vx, vy, rough, k = sympy.symbols("x y vx vy mu k")
    floor, top = dio(y, "floor"), dio(1 - y, "top")
    rub, scrape = coulomb(rough * floor, vx, "rub"), coulomb(rough * top, vx - y / 10, "scrape")
    rows = {x: vx, y: vy, vx: (-k * x - rub - scrape) / 2, vy: (floor - top) / 2 - 3 - 4 * x}
    return Inclusion(rows, {rough: mu, k: stiffness}).to_events(restitution=eps)


@settings(max_examples=12, deadline=None)
@given(
    eps=st.floats(0.0, 0.9),
    mu=st.floats(0.05, 0.8),
    vx=st.floats(-3.0, 3.0),
    vy=st.floats(-3.0, 3.0),
    y=st.floats(0.0, 1.0),
)
def test_cones_and_gaps_hold_at_every_step(eps, mu, vx, vy, y):
    run = rubbing_box(eps, mu, 10.0).solve((0.0, 2.0), {"y": y, "vx": vx, "vy": vy})
    assert run.y.min() > -1e-9
    assert run.y.max() < 1.0 + 1e-9
    size = 1e-9 * (1.0 + np.abs(run.floor) + np.abs(run.top))
    for contact, friction, slip in (("floor", "rub", run.vx), ("top", "scrape", run.vx - run.y / 10)):
        assert (run[contact] >= -size).all()
        assert (run[contact][run[f"{contact}_closed"] == 0] == 0.0).all()
        assert (np.abs(run[friction]) <= mu * run[contact] + size).all()
        assert (np.abs(slip[run[f"{friction}_sticks"] == 1]) < 1e-12).all()
        assert (run[friction] * slip >= -1e-9).all()  # friction never pushes along
    assert [e.time for e in run.events] == sorted(e.time for e in run.events)


@settings(max_examples=10, deadline=None)
@given(eps=st.floats(0.0, 1.0), mu=st.floats(0.0, 1.0), vx=st.floats(-3.0, 3.0), h=st.floats(0.0, 0.5))
def test_energy_never_grows(eps, mu, vx, h):
    """A rolling-free puck on a spring above a rough floor."""
    x, y, vx_, vy = sympy.symbols("x y vx vy")
    floor = dio(y, "floor")
    m, g, k = sympy.symbols("m g k")
    rough = sympy.Symbol("mu")
    rows = {x: vx_, y: vy, vx_: (-k * x - coulomb(rough * floor, vx_, "rub")) / m, vy: floor / m - g}
    model = Inclusion(rows, {m: 2.0, g: 9.81, k: 50.0, rough: mu})
    run = model.to_events(restitution=eps).solve((0.0, 1.0), {x: 0.1, vx_: vx, y: h})
    energy = run.vx**2 + run.vy**2 + 25.0 * run.x**2 + 2.0 * 9.81 * run.y
    assert np.diff(energy).max(initial=0.0) < 1e-9


@pytest.mark.parametrize("eps", [0.0, 0.5, 1.0])
def test_simultaneous_impacts_keep_momentum(eps):
    """A ball hits two others that touch: momentum, no energy made, and the hit contact obeys Newton's law."""
    p, v = sympy.symbols("p0:3"), sympy.symbols("v0:3")
    d = [dio(p[1] - p[0], "first"), dio(p[2] - p[1], "second")]
    rows = dict(zip(p, v, strict=True)) | {v[0]: -d[0], v[1]: d[0] - d[1], v[2]: d[1]}
    run = Inclusion(rows).to_events(restitution=eps).solve((0.0, 2.0), {p[0]: -1.0, v[0]: 1.0}, times=[2.0])
    after = np.array([run[s.name][0] for s in v])
    assert after.sum() == pytest.approx(1.0, abs=1e-14)
    assert (after**2).sum() <= 1.0 + 1e-12
    assert after[1] - after[0] == pytest.approx(eps, abs=1e-12)
    assert after[2] - after[1] >= -1e-14


def test_a_block_rocks_to_rest_on_two_feet():
    p, a, v, w = sympy.symbols("p a v w")
    left, right = dio(p - a, "left"), dio(p + a, "right")
    rows = {p: v, a: w, v: left + right - 10, w: (right - left) / 0.1}
    run = Inclusion(rows).to_events(restitution=0.2).solve((0.0, 5.0), {p: 1.0, a: 0.3})
    assert [run.p[-1], run.a[-1], run.v[-1], run.w[-1]] == pytest.approx([0.0] * 4, abs=1e-12)
    assert [run.left[-1], run.right[-1]] == pytest.approx([5.0, 5.0], rel=1e-9)


def test_static_load_stays_for_an_hour():
    block = Inclusion({"s": "v", "v": "4.9 - coulomb(5, v, 'rub')"})
    run = block.to_events().solve((0.0, 3600.0))
    assert run.s[-1] == 0.0
    assert run.events == []


def test_a_pushed_vector_slips_along_the_push():
    """Slowly loaded at (.6, .8): slips when the load meets the limit, speed (t - 1)^2 from there."""
    x, y, vx, vy, t = sympy.symbols("x y vx vy t")
    fx, fy = coulomb(2, (vx, vy), "rub")
    rows = {x: vx, y: vy, vx: sympy.Rational(6, 5) * t - fx, vy: sympy.Rational(8, 5) * t - fy}
    run = Inclusion(rows).to_events().solve((0.0, 3.0), times=[0.5, 3.0])
    assert [(e.kind, pytest.approx(1.0, abs=1e-12)) for e in run.events] == [("slip", run.events[0].time)]
    assert [run.vx[1], run.vy[1]] == pytest.approx([2.4, 3.2], abs=1e-9)
    assert run.rub[0] == pytest.approx([0.6, 0.8], abs=1e-12)


def wedge(mu2, mu3):
    """The slides' two bodies without the wall's friction."""
    names = "p1x p1y p2x p2y v1x v1y v2x v2y"
    p1x, p1y, p2x, p2y, v1x, v1y, v2x, v2y = sympy.symbols(names)
    wall, mutual, floor = dio(p1x, "wall"), dio(p2x - p1x, "mutual"), dio(p2y, "floor")
    rub, drag = coulomb(mu2 * mutual, v1y - v2y, "rub"), coulomb(mu3 * floor, v2x + 1, "drag")
    rows = {p1x: v1x, p1y: v1y, p2x: v2x, p2y: v2y, v1x: wall - mutual, v1y: -rub - 200 * p1y}
    return Inclusion(rows | {v2x: (mutual - drag) / 2, v2y: (rub + floor) / 2 - 9.81}).to_events()


def test_painleve_is_flagged_and_refused():
    """mu2 mu3 >= 1 has no rigid sliding solution downwards."""
    with pytest.warns(JammingWarning, match="jam"), pytest.raises(UniquenessError, match="no mode"):
        wedge(1.5, 0.8).solve((0.0, 1.0), {"p1y": 0.2, "v1y": -0.5})
    with pytest.warns(JammingWarning, match="mutual"):
        wedge(1.25, 0.8).solve((0.0, 0.1), {"p1y": 0.2})
    wedge(1.2, 0.8).solve((0.0, 0.1), {"p1y": 0.2, "v1y": -0.5})  # .96 < 1: no warning, which would be an error


def test_bad_input_is_refused_with_a_remedy():
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})
    with pytest.raises(ValueError, match=r"'floor' starts .* inside"):
        ball.to_events().solve((0.0, 1.0), {"p": -0.1})
    with pytest.raises(ValueError, match="makes energy"):
        ball.to_events(restitution=1.1)
    with pytest.raises(ValueError, match="'wall'"):
        ball.to_events(restitution={"wall": 0.5})
    with pytest.raises(ValueError, match="'q'"):
        ball.to_events().solve((0.0, 1.0), {"q": 1.0})
    with pytest.raises(ValueError, match="not finite"):
        ball.to_events().solve((0.0, 1.0), {"p": math.nan})
    with pytest.raises(ValueError, match="no length"):
        ball.to_events().solve((1.0, 1.0))
    with pytest.raises(ValueError, match="increasing"):
        ball.to_events().solve((0.0, 1.0), times=[0.5, 0.2])
    with pytest.raises(ValueError, match="leave the span"):
        ball.to_events().solve((0.0, 1.0), times=[2.0])
    with pytest.raises(ValueError, match="rtol"):
        ball.to_events().solve((0.0, 1.0), rtol=0.0)
    belt = Inclusion({"v": "-coulomb(2, v - u, 'rub')"}, inputs={"u": lambda t: 0.1 * t})
    with pytest.raises(ValueError, match="expression of the time"):
        belt.to_events()


def test_the_record_is_saved_with_its_events(tmp_path):
    from tegotae.result import load

    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})
    run = ball.to_events(restitution=0.5).solve((0.0, 4.0), {"p": 5.0})
    again = load(run.save(tmp_path / "ball.nc"))
    assert np.array_equal(again.p, run.p)
    assert list(again["event_kind"]) == [e.kind for e in run.events]
