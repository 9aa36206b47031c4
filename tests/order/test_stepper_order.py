"""The stepper of second order: within each smooth phase, against closed forms; what sticks and hits is as before."""

import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from tegotae.inclusion import Contact, Friction, Inclusion

G = 9.81
PERIODS = (4e-3, 2e-3, 1e-3)
# So stiff that what gives way, F/K of 1e-9 m, is far below the error of a period: what is left is the method's.
RIGID = {"contact": Contact(stiffness=1e10, damping=2e7), "friction": Friction(stiffness=1e10, damping=2e7)}


def order(machine, start, span, exact, *, state="p", method="midpoint", periods=PERIODS, phase=None):
    """Fitted slope of the largest error of a state over a span; `phase` tells of a run that it is what it should be."""
    errors = []
    for T in periods:
        run = machine.to_stepper(period=T, method=method, **RIGID).run(ticks=round(span / T), initial=start)
        assert run.about["unsolved_steps"] == 0
        assert phase is None or phase(run)
        errors.append(np.abs(run[state] - exact(run.time)).max())
    return np.polyfit(np.log(periods), np.log(errors), 1)[0]


def integrated(rate, start, span):
    """The first of what SciPy integrates, as a function of the time."""
    found = solve_ivp(rate, (0.0, span), start, method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    return lambda t: found.sol(t)[0]


# What each phase is: machine, start, span, how its first state moves, and how a run is known to be in it.


def free():
    machine = Inclusion({"p": "v", "v": "-100*p - 0.5*v"})
    w, d = math.sqrt(100.0 - 0.0625), 0.25
    return machine, {"p": 0.1}, 1.0, lambda t: 0.1 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)), None


def rod(friction=0.0, force="mu"):
    """A rod whose inertia depends on its angle."""
    p, w, mu = sympy.symbols("p w mu")
    from tegotae.inclusion import coulomb

    limit = {"mu": mu, "mu(w)": mu * (1 + sympy.exp(w))}[force]
    rows = {p: w, w: -G * sympy.sin(p) + w**2 * sympy.sin(p) * sympy.cos(p) / 2 - coulomb(limit, w, "hinge")}
    mass = [[1, 0], [0, 1 + sympy.cos(p) ** 2 / 2]]
    machine = Inclusion(rows, {mu: friction}, mass_matrix=mass)

    def rate(t, z):
        limit = friction * (1.0 + math.exp(z[1])) if force == "mu(w)" else friction  # it swings back: w < 0
        torque = -G * math.sin(z[0]) + z[1] ** 2 * math.sin(z[0]) * math.cos(z[0]) / 2.0 + limit
        return [z[1], torque / (1.0 + math.cos(z[0]) ** 2 / 2.0)]

    return machine, {"p": 1.2}, 0.6, integrated(rate, [1.2, 0.0], 0.6), lambda run: not run.hinge_sticks.any()


def sliding():
    """One swing of a mass on a spring, its friction against it all the way."""
    machine = Inclusion({"p": "v", "v": "-100*p - coulomb(1, v, 'rub')"})
    return machine, {"p": 0.1}, 0.3, lambda t: 0.01 + 0.09 * np.cos(10.0 * t), lambda run: not run.rub_sticks.any()


def pressed_sliding():
    """On a floor that it is pressed on by a load that swings."""
    rows = {"p": "v", "y": "u", "v": "-coulomb(0.3*dio(y), v, 'rub')", "u": "dio(y, 'floor') - 9.81 + load"}
    machine = Inclusion(rows, inputs={"load": "4*sin(8*t)"})

    def place(t):  # v' = -0.3 (g - 4 sin 8t)
        return 2.0 * t - 0.15 * G * t**2 + 1.2 * (t / 8.0 - np.sin(8.0 * t) / 64.0)

    # It starts carried.
    start = {"v": 2.0, "y": -G / 1e10, "floor": G / 1e10}
    return machine, start, 0.6, place, lambda run: run.floor_touches.all() and not run.rub_sticks.any()


def sticking():
    """One mass is held by friction, another swings on it; what holds it swings along."""
    rows = {"p": "v", "q": "u", "v": "-100*(p - q)", "u": "100*(p - q) - coulomb(20, u, 'rub')"}
    return Inclusion(rows), {"p": 0.1}, 1.0, lambda t: 0.1 * np.cos(10.0 * t), lambda run: run.rub_sticks.all()


def sticking_rod():
    """The rod swings freely on a cart that friction holds: the mass matrix is full, and bends."""
    p, w, x, u = sympy.symbols("p w x u")
    from tegotae.inclusion import coulomb

    rows = {p: w, w: -G * sympy.sin(p), x: u, u: w**2 * sympy.sin(p) - coulomb(50, u, "rub")}
    mass = [[1, 0, 0, 0], [0, 1, 0, sympy.cos(p)], [0, 0, 1, 0], [0, sympy.cos(p), 0, 3]]
    exact = integrated(lambda t, z: [z[1], -G * math.sin(z[0])], [1.2, 0.0], 1.0)
    return Inclusion(rows, mass_matrix=mass), {"p": 1.2}, 1.0, exact, lambda run: run.rub_sticks.all()


def pushing():
    """One mass on a spring pushes another along, up to where the spring is at rest."""
    rows = {"p": "v", "q": "u", "v": "-100*p - dio(q - p, 'touch')", "u": "dio(q - p)/3"}
    start = {"p": -0.1, "q": -0.1}
    return Inclusion(rows), start, 0.3, lambda t: -0.1 * np.cos(5.0 * t), lambda run: run.touch_touches.all()


def bowl():
    """A bead in a bowl: a pendulum of length 1 whose string is a contact. Its angle from where the bead lies."""
    gap = "1 - sqrt(x**2 + y**2)"
    push = f"dio({gap}, 'bowl')/sqrt(x**2 + y**2)"
    machine = Inclusion({"x": "u", "y": "v", "u": f"-x*{push}", "v": f"-y*{push} - 9.81"})
    swing = integrated(lambda t, z: [z[1], -G * math.sin(z[0])], [1.0, 0.0], 1.0)
    start = {"x": math.sin(1.0), "y": -math.cos(1.0)}
    return machine, start, 1.0, lambda t: np.sin(swing(t)), lambda run: run.bowl_touches.all()


def lifted(floor):
    """Carried by a floor that heaves: its gap depends on the time, or on an input."""
    machine = Inclusion({"p": "v", "v": "dio(p - z, 'floor') - 9.81"}, inputs={"z": floor})
    start = {"p": -G / 1e10, "v": 0.15, "floor": G / 1e10}
    return machine, start, 1.0, lambda t: 0.03 * np.sin(5.0 * t), lambda run: run.floor_touches.all()


PHASES = {
    "free": (free, "p"),
    "free, inertia bends": (rod, "p"),
    "sliding": (sliding, "p"),
    "sliding, pressed": (pressed_sliding, "p"),
    "sliding, inertia bends": (lambda: rod(0.4), "p"),
    "sliding, limit by speed": (lambda: rod(0.4, "mu(w)"), "p"),
    "sticking": (sticking, "p"),
    "sticking, inertia bends": (sticking_rod, "p"),
    "in contact": (pushing, "p"),
    "in contact, curved": (bowl, "x"),
    "in contact, moved by time": (lambda: lifted("0.03*sin(5*t)"), "p"),
    "in contact, moved by an input": (lambda: lifted(lambda t: 0.03 * math.sin(5.0 * t)), "p"),
}


@pytest.mark.parametrize("name", PHASES)
def test_order_two_in_each_smooth_phase(name):
    make, state = PHASES[name]
    machine, start, span, exact, phase = make()
    assert order(machine, start, span, exact, state=state, phase=phase) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("name", ["free", "sliding", "sticking", "in contact"])
def test_backward_euler_is_of_order_one(name):
    make, state = PHASES[name]
    machine, start, span, exact, _ = make()
    # It converges from afar: shorter periods.
    found = order(machine, start, span, exact, state=state, method="euler", periods=(4e-4, 2e-4, 1e-4))
    assert found == pytest.approx(1.0, abs=0.1)


# ------------------------------------------------------------ friction that turns and holds


def turning(limit, k, start, t):
    """m x'' + k x = -limit sgn x', let go at `start`: half swings about points that friction displaces; m = 1."""
    half, place, turn = math.pi / math.sqrt(k), np.full_like(t, start), start
    for swing in range(1000):
        inside = t >= swing * half
        if abs(turn) <= limit / k:
            place[inside] = turn
            break
        centre = math.copysign(limit / k, turn)
        place[inside] = centre + (turn - centre) * np.cos(math.sqrt(k) * (t[inside] - swing * half))
        turn = 2.0 * centre - turn
    return place


@pytest.mark.parametrize(("away", "better"), [(4.1, 8.0), (5.3, 8.0), (8.6, 10.0), (10.7, 10.0), (20.4, 10.0)])
def test_a_friction_oscillator_at_ten_milliseconds(away, better):
    """Let go several limits away, until it holds; errors in shares of the amplitude.

    What is left comes from ticks in which it turns, whose friction is that of the end; of few swings it is the larger
    share.
    """
    k, limit, T = 100.0, 1.0, 0.01
    machine = Inclusion({"p": "v", "v": "-k*p - coulomb(limit, v, 'rub')"}, {"k": k, "limit": limit})
    off = {}
    for method in ("midpoint", "euler"):
        run = machine.to_stepper(period=T, method=method, **RIGID).run(ticks=500, initial={"p": away * limit / k})
        exact = turning(limit, k, away * limit / k, run.time)
        off[method] = np.abs(run.p - exact).max() / exact[0]
        assert run.rub_sticks[-1]
    assert off["midpoint"] < 0.03
    assert off["euler"] > better * off["midpoint"]


@pytest.mark.parametrize("swings", [False, True])
def test_what_sticks_does_not_creep(swings):
    """Below the limit; under a load that swings it gives way by the spring alone, and its anchor stays."""
    K, T, limit = 1e6, 1e-3, 4.0
    machine = Inclusion({"p": "v", "v": "load - coulomb(limit, v, 'rub')"}, {"limit": limit, "load": 0.0})
    stepper = machine.to_stepper(period=T, friction=Friction(stiffness=K, damping=2e3))
    ticks = 100_000
    load = 0.95 * limit * (np.cos(2 * math.pi * np.arange(ticks) * T) if swings else np.ones(ticks))
    run = stepper.run(inputs={"load": load}, initial={"p": load[0] / K, "rub": load[0] / K})
    assert run.rub_sticks.all()
    assert np.abs(run.p + 0.5 * T * run.v - run.rub_deflection).max() < 1e-16  # a few last bits of load/K
    # It follows its load by a few milliseconds: by the spring's own damping, 2 ms, and about a tick.
    rate = 2 * math.pi * 0.95 * limit / K * swings
    assert run.p == pytest.approx(load / K, abs=4e-3 * rate + 1e-18)
    assert np.abs(np.diff(run.v))[10:].max() <= 2 * math.pi * T * 1.01 * rate + 1e-18  # nor does it ring


# ------------------------------------------------------------ impacts


def rebound(heights, method, K, beta, T=1e-3):
    """The largest speed after an impact at 1 m/s without gravity, wherever in a tick it hits."""
    machine = Inclusion({"p": "v", "v": "dio(p, 'floor')"})
    stepper = machine.to_stepper(period=T, contact=Contact(stiffness=K, damping=K * beta), method=method)
    runs = [stepper.run(ticks=200, initial={"p": height, "v": -1.0}) for height in heights]
    return max(run.v.max() for run in runs)


@pytest.mark.parametrize(("K", "beta"), [(1e4, 1e-3), (1e6, 1e-3), (1e8, 1e-6), (1e9, 1e-3)])
def test_a_stiff_impact_does_not_bounce_more_than_by_backward_euler(K, beta):
    every, at_once = np.linspace(6e-4, 2.6e-3, 41), np.linspace(0.0, 5e-4, 11)
    euler = rebound(every, "euler", K, beta)
    ours = rebound(every, "midpoint", K, beta)
    assert ours <= euler * (1.0 + 1e-9)
    # Half a tick off, or in touch, at the start: that tick is backward Euler's, and its damper sees half a tick more.
    ours = rebound(at_once, "midpoint", K, beta)
    assert ours <= 1.15 * euler


def test_a_contact_entered_from_outside_does_not_throw_back():
    """A state that is set: at speed, less than half a tick off the floor."""
    machine = Inclusion({"p": "v", "v": "dio(p, 'floor')"})
    live = machine.to_stepper(period=1e-3, contact=Contact(stiffness=1e9, damping=1e6)).start(initial={"p": 0.1})
    live.step()
    state = live.state
    state["p"], state["v"] = 1e-4, -1.0
    live.state = state
    speeds = [live.step()["v"] for _ in range(20)]
    # As little as a stiff damped contact gives back, and not the 0.8 m/s of a spring half a tick inside.
    assert max(speeds) < 1e-3


# ------------------------------------------------------------ energy


def test_springs_keep_their_energy():
    """Without friction and contact, over 16,000 swings; backward Euler stands still."""
    machine = Inclusion({"p": "v", "q": "u", "v": "-100*p + 50*(q - p)", "u": "-50*(q - p)/2"})
    kept = {}
    for method in ("midpoint", "euler"):
        run = machine.to_stepper(period=0.01, method=method).run(ticks=1_000_000, initial={"p": 0.1}, every=1000)
        energy = 0.5 * run.v**2 + run.u**2 + 50.0 * run.p**2 + 25.0 * (run.q - run.p) ** 2
        kept[method] = energy / 0.75
    assert kept["midpoint"] == pytest.approx(1.0, abs=1e-9)
    assert kept["euler"][-1] < 1e-12


def test_an_undriven_machine_gains_no_energy():
    """What friction took by the speed at the end of a tick, motion gave by the mean: T |F| |dv|/2 a tick, no more."""
    rows = {
        "p": "v",
        "q": "u",
        "v": "-400*p + dio(q - p, 'touch')*(-1) - coulomb(1.5, v, 'rub')",
        "u": "dio(q - p) - 100*(q - 0.1) - coulomb(0.5 + 0.3*dio(q - p), u - v, 'between')",
    }
    rows["v"] += " + coulomb(0.5 + 0.3*dio(q - p), u - v, 'between')"
    machine = Inclusion(rows)
    for K in (1e4, 1e6, 1e9):
        for T in (1e-3, 1e-2):
            hard = {
                "contact": Contact(stiffness=K, damping=1e-3 * K),
                "friction": Friction(stiffness=K, damping=1e-3 * K),
            }
            start = {"p": -0.05, "q": 0.1, "v": 1.0, "u": -2.0}
            run = machine.to_stepper(period=T, **hard).run(ticks=round(3.0 / T), initial=start)
            energy = 0.5 * (run.v**2 + run.u**2) + 200.0 * run.p**2 + 50.0 * (run.q - 0.1) ** 2
            energy += 0.5 * K * (run.touch_deflection**2 + run.rub_deflection**2 + run.between_deflection**2)
            first = 0.5 * 5.0 + 200.0 * 0.05**2
            dv, du = np.diff(run.v, prepend=1.0), np.diff(run.u, prepend=-2.0)
            between = -run.touch * (du - dv) + run.rub * dv + run.between * (du - dv)
            assert (np.diff(energy, prepend=first) - 0.5 * T * between).max() < 1e-9 * first
            assert energy.max() <= 1.0001 * first, (K, T)
            assert energy[-1] < 0.2 * first
