"""The explicit ODE against closed forms: bounce, two-body machine, sliding stop, creep."""

import math

import mpmath
import numpy as np
import pytest
import sympy

from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio

K, BETA, ALPHA, G, HEIGHT = 1e5, 2e-3, 2e-4, 9.81, 0.1
METHODS = ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA", "CVODE"]


@pytest.fixture(scope="module")
def ball():
    machine = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 1.0, "g": G})
    return machine.to_ode(contact=Contact(stiffness=K, damping=K * BETA, alpha=ALPHA))


@pytest.fixture(scope="module")
def bounce():
    """Touch, release, restitution and the state after .2 s: free fall is a parabola, contact a matrix exponential."""
    mpmath.mp.dps = 30
    g, h, k, b, a = (mpmath.mpf(repr(value)) for value in (G, HEIGHT, K, BETA, ALPHA))
    touch, speed = mpmath.sqrt(2 * h / g), mpmath.sqrt(2 * g * h)
    # z = (x, v, e, 1) while closed
    A = mpmath.matrix([[0, 1, 0, 0], [-k * b / a, 0, k * (1 - b / a), -g], [-1 / a, 0, -1 / a, 0], [0, 0, 0, 0]])
    values, vectors = mpmath.eig(A)
    part = mpmath.lu_solve(vectors, mpmath.matrix([0, -speed, 0, 1]))

    def closed(t):
        modes = mpmath.matrix([c * mpmath.exp(value * t) for c, value in zip(part, values, strict=True)])
        return (vectors * modes).apply(mpmath.re)

    def switch(t):
        x, _, e, _ = closed(t)
        return e - b * (x + e) / a

    looks = [mpmath.mpf(i) * 1e-5 for i in range(1, 2000)]
    last = next(i for i, t in enumerate(looks) if switch(t) < 0)
    held = mpmath.findroot(switch, (looks[last - 1], looks[last]), solver="anderson")
    x, v, e, _ = closed(held)
    rest = mpmath.mpf("0.2") - touch - held
    end = (x + v * rest - g * rest**2 / 2, v - g * rest, e * mpmath.exp(-rest / b))
    return float(touch), float(touch + held), float(v / speed), np.array([float(value) for value in end])


def test_the_closed_form_is_the_published_one(bounce):
    touch, release, restitution, _ = bounce
    assert (touch, release, restitution) == pytest.approx((0.1427843, 0.1512869, 0.473961), rel=1e-6)


def test_bounce_is_met(ball, bounce):
    """Times to 1e-9 s: the integrator works to 1e-12 of metres and metres a second."""
    touch, release, restitution, _ = bounce
    run = ball.solve((0.0, 0.2), {"p": HEIGHT}, method="DOP853", rtol=1e-12, atol=1e-14, events=True)
    assert [(event.element, event.kind) for event in run.events] == [("floor", "touch"), ("floor", "release")]
    assert [event.time for event in run.events] == pytest.approx([touch, release], abs=1e-9)
    after = run.time > release
    speed = run.v[after] + G * (run.time[after] - release)  # free flight back to the release
    np.testing.assert_allclose(speed / math.sqrt(2 * G * HEIGHT), restitution, atol=1e-8)
    assert (run.floor >= 0.0).all()  # a contact never pulls
    np.testing.assert_array_equal(run.floor > 0.0, run.floor_closed == 1)


@pytest.mark.parametrize("method", METHODS)
def test_integrators_agree_as_tolerances_tighten(ball, bounce, method):
    """Local errors of some dozens of steps and of two switches, at which step control can be fooled: 100 rtol."""
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        run = ball.solve((0.0, 0.2), {"p": HEIGHT}, method=method, rtol=rtol, atol=1e-3 * rtol, times=[0.1, 0.2])
        np.testing.assert_array_equal(run.time, [0.1, 0.2])
        assert [run.p[-1], run.v[-1]] == pytest.approx(bounce[3][:2], abs=100 * rtol)


@pytest.mark.parametrize(("method", "order"), [("RK4", 4), ("Heun", 2)])
def test_fixed_steps_have_their_order_where_nothing_switches(method, order):
    """A pendulum held by friction that never slips: linear, so the exact motion is a matrix exponential."""
    from scipy.linalg import expm

    machine = Inclusion({"x": "v", "v": "-40*x - coulomb(100, v, 'rub')/2"})
    ode = machine.to_ode(friction=Friction(stiffness=300.0, damping=6.0))
    A = np.array([[0, 1, 0], [-40, -3, -150], [0, 1, 0]])
    exact = expm(A) @ [0.1, 0.0, 0.0]
    counts = np.array([800, 1600, 3200])  # coarser steps are not yet asymptotic: local slopes 4.6 and 3.8 below 400
    errors = []
    for count in counts:
        run = ode.solve((0.0, 1.0), {"x": 0.1}, method=method, step=1.0 / count)
        assert run.rub_sticks.all()
        end = np.array([run.x[-1], run.v[-1], run.a_rub[-1]])
        # On a linear equation each method is a polynomial of hA, to rounding.
        growth = sum(np.linalg.matrix_power(A / count, k) / math.factorial(k) for k in range(order + 1))
        np.testing.assert_allclose(end, np.linalg.matrix_power(growth, count) @ [0.1, 0.0, 0.0], atol=1e-12)
        errors.append(np.linalg.norm(end - exact))
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.1)


def test_loaded_below_the_limit_nothing_moves_in_an_hour():
    """A mass on a floor, pushed with 80 % of the limit: after it has settled it stands still to the last bit."""
    machine = Inclusion({"x": "v", "v": "4 - coulomb(5, v, 'rub')"})
    ode = machine.to_ode(friction=Friction(stiffness=1e5, damping=500.0))
    run = ode.solve((0.0, 3600.0), method="RK4", step=1e-3, times=[10.0, 3600.0])
    assert run.x[1] == run.x[0] == pytest.approx(4 / 1e5, rel=1e-9)
    assert run.rub[1] == pytest.approx(4.0, rel=1e-12)
    assert run.rub_sticks.all()


def test_friction_in_a_plane_stops_where_it_must_on_a_straight_line():
    mu, mass, stiffness = 0.3, 2.0, 1e6
    x, y, p, vx, vy, v = sympy.symbols("x y p vx vy v")
    floor = dio(p, "floor")
    rub = coulomb(mu * floor, (vx, vy), "rub")
    rows = {x: vx, y: vy, p: v, vx: -rub[0] / mass, vy: -rub[1] / mass, v: floor / mass - G}
    ode = Inclusion(rows).to_ode(
        contact=Contact(stiffness=stiffness, damping=stiffness * 2e-3, alpha=2e-4),
        friction=Friction(stiffness=stiffness, damping=stiffness * 2e-3),
    )
    sunk = mass * G / stiffness
    start = {vx: 0.3, vy: 0.4, p: -sunk, "e_floor": sunk}
    run = ode.solve((0.0, 0.5), start, rtol=1e-9, events=True)
    assert run["rub"].shape == (run.time.size, 2)
    path = np.hypot(run.x[-1], run.y[-1])
    recoil = 2 * mu * mass * G / stiffness  # the stretched element swings back by at most twice its stretch
    assert path == pytest.approx(0.5**2 / (2 * mu * G), abs=recoil)
    np.testing.assert_allclose(run.y, run.x * 4 / 3, atol=1e-9)
    (stop,) = run.events
    assert stop[1:] == ("rub", "stick")
    assert stop.time == pytest.approx(0.5 / (mu * G), abs=1e-7)
    assert np.hypot(run.vx[-1], run.vy[-1]) < 1e-9


def test_a_limit_that_falls_with_speed_gives_the_stick_slip_of_its_own_equation():
    """Against scipy on the published equations, written by hand."""
    from scipy.integrate import solve_ivp

    machine = Inclusion({"x": "v", "v": "-100*(x - 0.1*t) - coulomb(3 + 2*exp(-Abs(v)/0.05), v, 'rub')"})
    ode = machine.to_ode(friction=Friction(stiffness=1e5, damping=200.0))

    def by_hand(t, z):
        x, v, a = z
        limit = 3 + 2 * math.exp(-abs(v) / 0.05)
        theta = min(max(1e5 * (a + 2e-3 * v), -limit), limit)
        return [v, -100 * (x - 0.1 * t) - theta, (theta / 1e5 - a) / 2e-3]

    times = np.linspace(0.0, 2.0, 41)
    ours = ode.solve((0.0, 2.0), method="Radau", rtol=1e-8, times=times)
    hand = solve_ivp(by_hand, (0, 2), [0, 0, 0], method="DOP853", rtol=1e-9, atol=1e-13, t_eval=times, max_step=1e-2)
    np.testing.assert_allclose(ours.x, hand.y[0], atol=1e-6)
    assert ours.rub.max() > 4.5  # it sticks again and again, above the sliding friction of 3 N
    assert 0 < ours.rub_sticks.sum() < times.size
