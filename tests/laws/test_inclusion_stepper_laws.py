"""What must hold whatever the machine: energy, the discrete equations themselves, the set of forces, honesty."""

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import tegotae as tg
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio
from tegotae.inclusion.elements.mobility import JammingWarning

G, BETA = 9.81, 2e-3


def parameters(K):
    return {"contact": Contact(stiffness=K, damping=K * BETA), "friction": Friction(stiffness=K, damping=K * BETA)}


def chain(seed, bodies=3):
    """Masses in a row between two walls, springs between them, each rubbing on its floor: no structure known."""
    random = np.random.default_rng(seed)
    p, v = sympy.symbols(f"p:{bodies}"), sympy.symbols(f"v:{bodies}")
    m, values = sympy.symbols(f"m:{bodies}"), random.uniform(0.5, 3.0, bodies)
    gaps = [p[0], *(b - a for a, b in itertools.pairwise(p)), 0.3 - p[-1]]
    push = [dio(gap, f"gap{i}") for i, gap in enumerate(gaps)]
    slips = [v[0], v[1] - v[0], v[2]]
    limits = [2.0, 0.3 * push[1] + 0.5, 0.4 * push[3]]
    rub = [coulomb(limit, slip, f"rub{i}") for i, (limit, slip) in enumerate(zip(limits, slips, strict=True))]
    forces = [
        push[0] - push[1] - rub[0] + rub[1] - 50 * p[0],
        push[1] - push[2] - rub[1],
        push[2] - push[3] - rub[2] - 80 * p[2],
    ]
    rows = dict(zip(p, v, strict=True)) | {v[i]: forces[i] / m[i] for i in range(bodies)}
    return Inclusion(rows, dict(zip(m, values, strict=True))), values


@pytest.mark.parametrize("seed", [0, 1])
def test_energy_never_grows(seed):
    machine, m = chain(seed)
    random = np.random.default_rng(seed)
    for K in (1e5, 1e7, 1e9):
        for T in (1e-4, 1e-3):
            start = {"p0": 0.05, "p1": 0.12, "p2": 0.25} | {f"v{i}": random.normal() for i in range(3)}
            run = machine.to_stepper(period=T, **parameters(K)).run(ticks=round(0.5 / T), initial=start)
            assert run.about["unsolved_steps"] == 0
            energy = sum(0.5 * m[i] * run[f"v{i}"] ** 2 for i in range(3))
            energy += 25.0 * run.p0**2 + 40.0 * run.p2**2
            for name in (*(f"gap{i}" for i in range(4)), *(f"rub{i}" for i in range(3))):
                energy += 0.5 * K * run[f"{name}_deflection"] ** 2
            assert np.diff(energy).max() <= 1e-9 * energy[0]
            assert energy[-1] < energy[0]
            assert run.gap1_touches.any()


def pendulum():
    """A rod with a mass matrix that is not solved, friction in the hinge and a stop: smooth rows and gap bend."""
    q, w, m, length, mu, g = sympy.symbols("q w m l mu g")
    rub, stop = coulomb(mu, w, "hinge"), dio(length * sympy.sin(q) + 0.5, "stop")
    rows = {q: w, w: -m * g * length * sympy.sin(q) - rub + length * sympy.cos(q) * stop}
    mass = [[1, 0], [0, m * length**2 * (1 + sympy.cos(q) ** 2 / 2)]]
    return Inclusion(rows, {m: 1.0, length: 1.0, mu: 0.3, g: G}, mass_matrix=mass)


@pytest.mark.parametrize("method", ["euler", "midpoint"])
def test_the_discrete_equations_hold_where_everything_bends(method):
    T, K = 1e-3, 1e6
    theta, ahead = (0.5, 0.5 * T) if method == "midpoint" else (1.0, 0.0)
    start = {"q": 1.2, "w": 0.0}
    stepper = pendulum().to_stepper(period=T, **parameters(K), method=method)
    run = stepper.run(ticks=3000, initial=start, inputs={"mu": 1.5})
    assert run.about["unsolved_steps"] == 0
    q, w = np.append(1.2, run.q), np.append(0.0, run.w)
    e, a = np.append(0.0, run.stop_deflection), np.append(0.0, run.hinge_deflection)
    q1, w1 = q[1:], w[1:]
    qm, wm = (theta * end + (1.0 - theta) * begin for end, begin in ((q1, q[:-1]), (w1, w[:-1])))
    inertia = 1.0 + np.cos(qm) ** 2 / 2.0
    assert q1 - q[:-1] == pytest.approx(T * wm, abs=1e-14)
    torque = -G * np.sin(qm) - run.hinge + np.cos(qm) * run.stop
    assert inertia * (w1 - w[:-1]) == pytest.approx(T * torque, abs=1e-8)
    gap = np.sin(q1 + ahead * w1) + 0.5
    assert e[1:] == pytest.approx(np.maximum(BETA * e[:-1] / (T + BETA), -gap), abs=1e-14)
    assert run.stop == pytest.approx(np.maximum(0.0, -K / T * ((T + BETA) * gap + BETA * e[:-1])), abs=1e-4)
    assert run.hinge == pytest.approx(np.clip(K * (a[:-1] + (BETA + T) * w1), -1.5, 1.5), abs=1e-6)
    assert run.stop_touches.any()
    assert run.hinge_sticks.any()


@pytest.mark.parametrize(("method", "order"), [("euler", 1.0), ("midpoint", 2.0)])
def test_order_in_the_period(method, order):
    def rate(t, z):
        inertia = 1.0 + np.cos(z[0]) ** 2 / 2.0
        return [z[1], (-G * np.sin(z[0]) + 0.3) / inertia]  # it swings back: w < 0, above the stop

    span = 0.4
    exact = solve_ivp(rate, (0.0, span), [1.2, 0.0], rtol=1e-11, atol=1e-12).y[0, -1]
    errors = []
    for T in (2e-3, 1e-3, 5e-4):
        stepper = pendulum().to_stepper(period=T, **parameters(1e10), method=method)
        run = stepper.run(ticks=round(span / T), initial={"q": 1.2})
        errors.append(abs(run.q[-1] - exact))
    assert np.polyfit(np.log([2e-3, 1e-3, 5e-4]), np.log(errors), 1)[0] == pytest.approx(order, abs=0.1)


BALL = {"p": "v", "v": "dio(p, 'floor')/m - g + push"}
BALL_VALUES = {"m": 1.0, "g": G, "push": 0.0}


def ball(**options):
    return Inclusion(BALL, BALL_VALUES).to_stepper(
        **{"period": 1e-3, "contact": Contact(stiffness=1e5, damping=1e5 * BETA)} | options
    )


def test_live_steps_are_the_run():
    pushes = np.sin(np.arange(400) * 0.05) * 5.0
    run = ball().run(inputs={"push": pushes}, initial={"p": 0.01})
    live = ball().start(initial={"p": 0.01})
    for k, push in enumerate(pushes):
        states = live.step({"push": push})
        assert (states["p"], states["v"], live["floor"]) == (run.p[k], run.v[k], run.floor[k])
        if k == 200:
            kept = live.state
    live.state = kept
    assert live.time == pytest.approx(0.201)
    assert live.step({"push": pushes[201]})["p"] == run.p[201]
    assert (run.floor >= 0.0).all()


def test_inside_a_wall_is_refused():
    with pytest.raises(tg.InputError, match=r"'floor' starts 0.1 m inside"):
        ball().run(ticks=1, initial={"p": -0.1})


def test_a_static_limit_is_refused_with_the_way_out():
    v = sympy.Symbol("v")
    machine = Inclusion({v: -coulomb(1.0, v, "rub", static=2.0)})
    with pytest.raises(tg.InputError, match="Stribeck limit"):
        machine.to_stepper(period=1e-3, friction=Friction(stiffness=1e5, damping=1e5 * BETA))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "ticks"),
        ({"ticks": 0}, "ticks"),
        ({"ticks": 3, "inputs": {"push": [1.0, 2.0]}}, "shapes"),
        ({"inputs": {"push": [1.0, np.nan]}}, "not finite"),
        ({"ticks": 3, "inputs": {"wind": 1.0}}, "wind"),
        ({"ticks": 3, "initial": {"z": 1.0}}, "'z'"),
        ({"ticks": 3, "initial": {"p": np.inf}}, "not finite"),
        ({"ticks": 3, "every": 0}, "every"),
    ],
)
def test_bad_input_is_named(options, told):
    with pytest.raises(tg.InputError, match=told):
        ball().run(**options)


def test_a_bad_period_is_named():
    with pytest.raises(tg.InputError, match="period"):
        ball(period=0.0)


# Machines whose gaps are small differences of large numbers and bend, so that each tick is linearised anew: against a
# stop, on a drum, on a parabola 100 m away, and a bar on three feet that share its weight.
BENT = {
    "stop": ({"p": "v", "v": "5 - 10*sin(p) - dio(0.3 - p, 'stop')"}, {"p": 0.3}, "stop"),
    "drum": (
        {
            "x": "u",
            "y": "v",
            "u": "dio(sqrt(x**2 + y**2) - 1, 'drum')*x/sqrt(x**2 + y**2)",
            "v": "dio(sqrt(x**2 + y**2) - 1, 'drum')*y/sqrt(x**2 + y**2) - 10",
        },
        {"x": 0.1, "y": 1.0},
        "drum",
    ),
    "far": ({"p": "v", "v": "dio((p**2 - 10000)/200, 'far')*p/100 - 10"}, {"p": 100.0}, "far"),
    "feet": (
        {
            "y": "v",
            "a": "w",
            "v": "dio(y - sin(a), 'left') + dio(y + sin(a), 'right') + dio(y, 'middle') - 10",
            "w": "3*(dio(y + sin(a), 'right') - dio(y - sin(a), 'left'))*cos(a)",
        },
        {"y": 0.001, "a": 1e-3},
        "right",
    ),
}


@pytest.mark.parametrize("method", ["euler", "midpoint"])
@pytest.mark.parametrize("T", [1e-4, 1e-5])
@pytest.mark.parametrize("name", BENT)
def test_what_rounding_leaves_open_is_not_called_unsolved(name, T, method):
    rows, start, contact = BENT[name]
    stepper = Inclusion(rows).to_stepper(period=T, contact=Contact(stiffness=1e8, damping=1e8 * BETA), method=method)
    run = stepper.run(ticks=5000, initial=start)
    assert run.about["unsolved_steps"] == 0
    assert (run[contact] > 0.0).any()


@pytest.mark.parametrize("method", ["euler", "midpoint"])
@pytest.mark.parametrize("T", [1e-4, 1e-5])
def test_a_step_called_solved_meets_its_equations_to_rounding(T, method):
    """Against the stop: Newton's law to the rounding of v/T, the contact's law to that of K (T + beta) p/T."""
    rows, start, _ = BENT["stop"]
    K, eps = 1e8, 2.0**-52
    run = (
        Inclusion(rows)
        .to_stepper(period=T, contact=Contact(stiffness=K, damping=K * BETA), method=method)
        .run(ticks=5000, initial=start)
    )
    p, v, e, f = run.p, run.v, np.append(0.0, run.stop_deflection), run.stop
    before, ahead = (0.5, 0.5 * T) if method == "midpoint" else (0.0, 0.0)
    push = 5.0 - 10.0 * np.sin(p - before * np.diff(p, prepend=0.3)) - f
    law = np.maximum(0.0, K / T * ((T + BETA) * (p + ahead * v - 0.3) - BETA * e[:-1]))
    moves = 2.0 * eps * 0.3 / T**2  # as much of a force as the last bit of the position is worth
    assert np.diff(v, prepend=0.0) / T == pytest.approx(push, abs=16.0 * moves)
    assert f == pytest.approx(law, abs=16.0 * eps * 0.6 * K * (T + BETA) / T)


@pytest.mark.filterwarnings("ignore::tegotae.errors.UnsolvedWarning")
def test_a_swing_that_does_not_end_is_still_called_unsolved():
    """A ratchet whose teeth are far finer than a tick's way: linearised on one tooth, it lands on another.

    Its path is chaotic, so how many ticks fail depends on the last digits; where the law fails, the tick is told.
    """
    machine, K, T = Inclusion({"p": "v", "v": "dio(p - 0.01*cos(1e4*p), 'ratchet') - 10"}), 1e8, 0.1
    stepper = machine.to_stepper(period=T, contact=Contact(stiffness=K, damping=K * BETA))
    start = {"p": 0.1, "v": -1.0}
    with pytest.warns(tg.UnsolvedWarning, match=r"of 1000 steps did not converge"):
        run = stepper.run(ticks=1000, initial=start)
    live = stepper.start(initial=start)
    p, e, unsolved = 0.1, 0.0, 0
    for _ in range(1000):
        live.step()
        f, way = live["ratchet"], live["p"] - p
        p, ahead = live["p"], live["p"] + 0.5 * T * live["v"]
        gap = ahead - 0.01 * math.cos(1e4 * ahead)
        law = max(0.0, K / T * (-(T + BETA) * gap - BETA * e))
        # A step is done where it moves by 1e-10 of its parts; the gap is up to 101 times as steep as the way.
        size = abs(way) + T**2 * (10.0 + f)
        told = live.unsolved_steps > unsolved
        assert told or abs(f - law) <= 101.0 * K * (T + BETA) / T * (1e-10 * size + 1e-14 * abs(p))
        unsolved, e = live.unsolved_steps, live["ratchet_deflection"]
    assert run.about["unsolved_steps"] == unsolved > 0


def test_a_step_without_a_solution_is_reported():
    # The rub presses the floor twice as hard as the floor pushes back, and drives the slip: no force fits.
    rub = "coulomb(dio(p), v - 100, 'rub')"
    machine = Inclusion({"v": rub, "p": "w", "w": f"dio(p, 'floor') + 2*{rub} - 9.81"})
    told = "of 5 steps did not converge, the first at t=0.001 s"
    with pytest.warns(tg.UnsolvedWarning, match=told), pytest.warns(JammingWarning, match="floor"):
        run = machine.to_stepper(period=1e-3, **parameters(1e9)).run(ticks=5)
    assert run.about["unsolved_steps"] >= 1
    assert run.about["first_unsolved_step"] == 0
