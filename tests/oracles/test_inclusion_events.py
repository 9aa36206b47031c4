"""The exact route against closed forms: impacts, sliding to a stop, stick-slip, the slides' two-body machine."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from tegotae.inclusion import Inclusion, coulomb, dio

BELT = {"m": 1.0, "k": 100.0, "Fs": 5.0, "Fk": 3.0, "vb": 0.1}


def times_of(run, kind, element=None):
    return np.array([e.time for e in run.events if e.kind == kind and element in (None, e.element)])


def test_stick_slip_period_of_the_belt():
    """Static and kinetic limit: 2 (pi - atan(D w/vb))/w + 2 D/vb."""
    belt = Inclusion({"p": "v", "v": "(-k*p - coulomb(Fk, v - vb, 'rub', Fs))/m"}, BELT)
    run = belt.to_events().solve((0.0, 3.0), {"p": 0.0, "v": 0.1})
    D, w = (5.0 - 3.0) / 100.0, 10.0
    period = 2.0 * (math.pi - math.atan(D * w / 0.1)) / w + 2.0 * D / 0.1
    assert period == pytest.approx(0.806888787159141, abs=1e-14)
    slips = times_of(run, "slip")
    assert slips[0] == pytest.approx(5.0 / 100.0 / 0.1, abs=1e-12)  # stretched at vb until k p = Fs
    assert len(slips) == 4
    assert np.abs(np.diff(slips) - period).max() < 1e-9
    assert np.abs(np.diff(times_of(run, "stick")) - period).max() < 1e-9
    assert run.rub.min() >= -5.0 - 1e-9
    stuck = run.rub_sticks == 1
    assert np.abs(run.v[stuck] - 0.1).max() < 1e-14


def stribeck_events(Fs, Fk, vs, k, vb, end):
    """Slip and stick times of a mass on a belt whose limit falls with the slip speed, by scipy."""

    def slide(t, y):
        s = vb - y[1]
        return [y[1], -k * y[0] + Fk + (Fs - Fk) * math.exp(-s / vs)]

    def stops(t, y):
        return vb - y[1]

    stops.terminal, stops.direction = True, -1.0
    slips, sticks, t, p = [], [], 0.0, 0.0
    while True:
        t += (Fs / k - p) / vb
        if t > end:
            return slips, sticks
        slips.append(t)
        # At the onset slip and its acceleration are 0: s = k vb tau^2/2 to leading order carries it off the root.
        tau = 1e-6
        rate = (Fs - Fk) / vs
        s = k * vb * (math.exp(rate * tau) - 1.0 - rate * tau) / rate**2 if rate else k * vb * tau**2 / 2
        y = [Fs / k + vb * tau, vb - s]
        run = solve_ivp(slide, (t + tau, t + 10.0), y, "DOP853", rtol=1e-13, atol=1e-14, events=stops)
        t, p = float(run.t_events[0][0]), float(run.y_events[0][0][0])
        if t > end:
            return slips, sticks
        sticks.append(t)


def test_stick_slip_with_a_stribeck_limit():
    belt = Inclusion(
        {"p": "v", "v": "-k*p - coulomb(Fk + (Fs - Fk)*exp(-abs(v - vb)/vs), v - vb, 'rub')"},
        {"k": 100.0, "Fs": 5.0, "Fk": 3.0, "vb": 0.1, "vs": 0.05},
    )
    run = belt.to_events().solve((0.0, 2.5), {"v": 0.1})
    slips, sticks = stribeck_events(5.0, 3.0, 0.05, 100.0, 0.1, 2.5)
    assert len(slips) >= 3
    assert len(sticks) >= 2
    assert times_of(run, "slip") == pytest.approx(slips, abs=1e-9)
    assert times_of(run, "stick") == pytest.approx(sticks, abs=1e-9)


def test_bouncing_ball_to_its_rest():
    """Touch times, heights between them and the moment of rest, all in closed form."""
    g, h, eps = 9.81, 0.5, 0.8
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 2.0, "g": g})
    fall = math.sqrt(2.0 * h / g)
    touches = fall + np.cumsum([0.0, *(2.0 * fall * eps**i for i in range(1, 20))])
    tops = 0.5 * (touches[:-1] + touches[1:])
    run = ball.to_events(restitution=eps).solve((0.0, 4.0), {"p": h}, times=[*tops, 3.5])
    assert times_of(run, "touch")[:20] == pytest.approx(touches, abs=1e-9)
    assert run.p[:-1] == pytest.approx(h * eps ** (2.0 * np.arange(1, 20)), abs=1e-9)
    rest = fall * (1.0 + eps) / (1.0 - eps)
    assert times_of(run, "touch")[-1] == pytest.approx(rest, abs=1e-9)
    assert times_of(run, "touch").size == times_of(run, "release").size + 1
    assert run.p[-1] == 0.0
    assert run.v[-1] == 0.0
    assert run.floor[-1] == pytest.approx(2.0 * g, rel=1e-14)
    assert run.floor_closed[-1] == 1


def test_a_gap_far_from_the_origin_bounces_to_rest_too():
    """Rounding of a gap of 1000 m hides the last bounces; the run must end in rest all the same."""
    ball = Inclusion({"p": "v", "v": "dio(p - 1000, 'floor') - 10"})
    run = ball.to_events(restitution=0.5).solve((0.0, 4.0), {"p": 1005.0})
    assert times_of(run, "touch")[:5] == pytest.approx([1.0, 2.0, 2.5, 2.75, 2.875], abs=1e-9)
    assert times_of(run, "touch")[-1] == pytest.approx(3.0, abs=1e-4)  # sqrt of the rounding of 1000 m
    assert run.v[-1] == 0.0


def test_block_on_a_slope_slides_to_a_stop():
    g, angle, mu, v0 = 9.81, 0.3, 0.5, 1.2
    block = Inclusion(
        {"s": "v", "v": "g*sin(a) - coulomb(mu*m*g*cos(a), v, 'rub')/m"}, {"g": g, "a": angle, "mu": mu, "m": 3.0}
    )
    run = block.to_events().solve((0.0, 3.0), {"v": v0}, times=[3.0])
    slowing = g * (mu * math.cos(angle) - math.sin(angle))
    assert times_of(run, "stick") == pytest.approx([v0 / slowing], abs=1e-12)
    assert run.s[0] == pytest.approx(v0**2 / (2.0 * slowing), abs=1e-12)
    assert run.v[0] == 0.0
    assert run.rub[0] == pytest.approx(3.0 * g * math.sin(angle), rel=1e-13)


@pytest.mark.parametrize("eps", [0.0, 0.6])
def test_oblique_impact_that_slides(eps):
    """dvx = mu (1 + eps) vn, and a slower one sticks: vx = 0."""
    y, vx, vy = sympy.symbols("y vx vy")
    floor = dio(y, "floor")
    puck = Inclusion({y: vy, vx: -coulomb(0.3 * floor, vx, "rub") / 2, vy: floor / 2 - 10})
    exact = puck.to_events(restitution=eps)
    h, vn = 0.2, 2.0
    fast = exact.solve((0.0, 0.2000001), {y: h, vx: 5.0}, times=[0.19, 0.2000001])
    assert fast.vx[0] == 5.0
    assert fast.vx[1] == pytest.approx(5.0 - 0.3 * (1.0 + eps) * vn, abs=1e-6)
    assert fast.vy[1] == pytest.approx(eps * vn, abs=2e-6)
    slow = exact.solve((0.0, 0.2000001), {y: h, vx: 0.1}, times=[0.2000001])
    assert slow.vx[0] == pytest.approx(0.0, abs=1e-15)


def test_oblique_impact_in_a_plane_keeps_its_direction():
    """A slip vector loses mu (1 + eps) vn along itself."""
    z, vx, vy, vz = sympy.symbols("z vx vy vz")
    floor = dio(z, "floor")
    fx, fy = coulomb(0.3 * floor, (vx, vy), "rub")
    puck = Inclusion({z: vz, vx: -fx, vy: -fy, vz: floor - 10})
    run = puck.to_events(restitution=0.5).solve((0.0, 0.3), {z: 0.2, vx: 3.0, vy: -4.0}, times=[0.3])
    speed = 5.0 - 0.3 * 1.5 * 2.0
    assert [run.vx[0], run.vy[0]] == pytest.approx([0.6 * speed, -0.8 * speed], abs=1e-12)
    assert run.rub.shape == (1, 2)


def test_a_puck_stops_along_a_straight_line():
    vx, vy, x, y = sympy.symbols("vx vy x y")
    fx, fy = coulomb(2, (vx, vy), "rub")
    puck = Inclusion({x: vx, y: vy, vx: -fx, vy: -fy})
    run = puck.to_events().solve((0.0, 3.0), {vx: 3.0, vy: -4.0}, times=[1.0, 3.0])
    assert times_of(run, "stick") == pytest.approx([2.5], abs=1e-9)
    assert [run.x[1], run.y[1]] == pytest.approx([0.6 * 6.25, -0.8 * 6.25], abs=1e-9)
    assert [run.vx[1], run.vy[1]] == [0.0, 0.0]
    assert run.rub[0] == pytest.approx([1.2, -1.6], abs=1e-9)


def two_bodies(mu2=0.3, mu3=0.5):
    p1x, p1y, p2x, p2y, v1x, v1y, v2x, v2y = sympy.symbols("p1x p1y p2x p2y v1x v1y v2x v2y")
    M1, M2, m1, m2, m3, Ks, u, g = sympy.symbols("M1 M2 mu1 mu2 mu3 Ks u g")
    wall, mutual, floor = dio(p1x, "wall"), dio(p2x - p1x, "mutual"), dio(p2y, "floor")
    rub_wall = coulomb(m1 * wall, v1y, "rub_wall")
    rub_mutual = coulomb(m2 * mutual, v1y - v2y, "rub_mutual")
    rub_floor = coulomb(m3 * floor, v2x + u, "rub_floor")
    rows = {p1x: v1x, p1y: v1y, p2x: v2x, p2y: v2y}
    rows |= {v1x: (wall - mutual) / M1, v1y: (-rub_wall - rub_mutual - Ks * p1y) / M1}
    rows |= {v2x: (-rub_floor + mutual) / M2, v2y: (rub_mutual + floor) / M2 - g}
    values = {M1: 1.0, M2: 2.0, m1: 0.2, m2: mu2, m3: mu3, Ks: 200.0, g: 9.81}
    return Inclusion(rows, values, inputs={u: 1.0})


def swings(start, times, mu2=0.3, mu3=0.5):
    """p1y by half swings: psi2 = mu3 M2 g/(1 -+ mu2 mu3), each about its own middle, until friction holds."""
    w = math.sqrt(200.0)
    p, t, way, found = start, 0.0, -1.0, np.full(len(times), np.nan)
    while True:
        push = mu3 * 2.0 * 9.81 / (1.0 + way * mu2 * mu3)
        middle = -way * (0.2 + mu2) * push / 200.0
        if way * (middle - p) <= 0.0:
            found[times >= t] = p
            return found, t
        now = (times >= t) & (times < t + math.pi / w)
        found[now] = middle + (p - middle) * np.cos(w * (times[now] - t))
        p, t, way = 2.0 * middle - p, t + math.pi / w, -way


def test_two_body_machine_is_the_rigid_solution():
    times = np.linspace(0.0, 2.0, 81)
    run = two_bodies().to_events().solve((0.0, 2.0), {"p1y": 0.2}, times=times)
    exact, rest = swings(0.2, times)
    assert np.abs(run.p1y - exact).max() < 1e-9
    assert rest < 2.0
    moving = np.abs(run.v1y) > 1e-6
    psi2 = 0.5 * 2.0 * 9.81 / (1.0 + np.sign(run.v1y[moving]) * 0.3 * 0.5)
    assert run.mutual[moving] == pytest.approx(psi2, rel=1e-12)
    assert np.abs(run.p1y[times > rest] - exact[-1]).max() < 1e-12
    for still in ("p1x", "p2x", "p2y", "v1x", "v2x", "v2y"):
        assert np.abs(run[still]).max() < 1e-12


def test_point_mass_in_polar_coordinates_bounces_as_in_cartesian_ones():
    """A mass matrix that depends on the state, and a gap that is not linear in it."""
    q, a, vq, va = sympy.symbols("q a vq va")
    y = q * sympy.sin(a)
    m, g = 2.0, 9.81
    floor = dio(y - sympy.Rational(1, 2), "floor")
    rows = {q: vq, a: va}
    rows[vq] = m * q * va**2 - m * g * sympy.sin(a) + floor * sympy.sin(a)
    rows[va] = -2 * m * q * vq * va - m * g * q * sympy.cos(a) + floor * q * sympy.cos(a)
    model = Inclusion(rows, mass_matrix=sympy.diag(1, 1, m, m * q**2))
    start = {q: math.hypot(1.0, 1.5), a: math.atan2(1.5, 1.0)}
    speed = 0.7
    start |= {vq: speed * math.cos(start[a]), va: -speed * math.sin(start[a]) / start[q]}
    fall = math.sqrt(2.0 * 1.0 / g)
    touches = fall + np.cumsum([0.0, *(2.0 * fall * 0.6**i for i in range(1, 4))])
    run = model.to_events(restitution=0.6).solve((0.0, 2.5), start, times=[1.0, 2.5])
    assert times_of(run, "touch")[:4] == pytest.approx(touches, abs=1e-9)
    assert times_of(run, "touch")[-1] == pytest.approx(fall * 1.6 / 0.4, abs=1e-6)
    assert run.q * np.cos(run.a) == pytest.approx(1.0 + speed * run.time, abs=1e-9)
    assert run.q[-1] * np.sin(run.a[-1]) == pytest.approx(0.5, abs=1e-12)
    assert run.floor[-1] == pytest.approx(m * g, rel=1e-9)


def test_threads_that_share_a_machine_do_not_disturb_each_other():
    """Its numbers are filled in arrays that it keeps: each thread must leave with its own."""
    rows = {"p": "v", "v": "-coulomb(mu*g, v, 'rub') - k*p"}
    slider = Inclusion(rows, {"mu": 0.3, "g": 9.81, "k": 20.0}).to_events()
    starts = [0.5, 1.0, 2.0, 4.0]

    def last(v):
        return float(slider.solve((0.0, 2.0), {"v": v}, times=[2.0]).p[-1])

    alone = [last(v) for v in starts]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for _ in range(3):
                assert list(pool.map(last, starts)) == alone
    finally:
        sys.setswitchinterval(before)
