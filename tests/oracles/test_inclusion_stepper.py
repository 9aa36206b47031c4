"""The implicit route against closed forms, brute force over modes, and the discrete equations written out again."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tegotae as tg
from tegotae.inclusion import Contact, Friction, Inclusion

G = 9.81
TWO_BODY = {
    "p1x": "v1x",
    "p1y": "v1y",
    "p2x": "v2x",
    "p2y": "v2y",
    "v1x": "(dio(p1x, 'wall') - dio(p2x - p1x, 'mutual'))/M1",
    "v1y": "(-coulomb(mu1*dio(p1x), v1y, 'rub_wall')"
    " - coulomb(mu2*dio(p2x - p1x), v1y - v2y, 'rub_mutual') - Ks*p1y)/M1",
    "v2x": "(-coulomb(mu3*dio(p2y), v2x + u, 'rub_floor') + dio(p2x - p1x))/M2",
    "v2y": "(coulomb(mu2*dio(p2x - p1x), v1y - v2y, 'rub_mutual') + dio(p2y, 'floor'))/M2 - g",
}
VALUES = {"M1": 1.0, "M2": 2.0, "mu1": 0.2, "mu2": 0.3, "mu3": 0.5, "Ks": 200.0, "g": G, "u": 1.0}
STATES = list(TWO_BODY)
TOUCHING = {"p1y": 0.2}
OPEN = {"p1y": 0.2, "p1x": 0.05, "p2x": 0.15, "p2y": 0.1}


def two_body(K, T, beta=2e-3, method="midpoint"):
    machine = Inclusion(TWO_BODY, VALUES)
    contact, friction = Contact(stiffness=K, damping=K * beta), Friction(stiffness=K, damping=K * beta)
    return machine.to_stepper(period=T, contact=contact, friction=friction, method=method)


@pytest.mark.parametrize("T", [1e-4, 1e-3])
@pytest.mark.parametrize("K", [1e5, 1e6, 1e7, 1e8, 1e9])
@pytest.mark.parametrize("initial", [TOUCHING, OPEN], ids=["touching", "open"])
def test_two_body_machine_has_no_unsolved_step(initial, K, T):
    run = two_body(K, T).run(ticks=round(2.0 / T), initial=initial)
    assert run.about["unsolved_steps"] == 0
    assert run.dataset.attrs["first_unsolved_step"] == -1


def rigid_descent(t):
    """p1y of the rigid machine: half swings of a Coulomb-damped oscillator whose friction depends on the direction."""
    w, half = math.sqrt(200.0), math.pi / math.sqrt(200.0)
    place, turns = np.empty_like(t), 0.2
    for k in range(3):
        sign = -1.0 if k % 2 == 0 else 1.0  # of the velocity
        pressed = 0.5 * 2.0 * G / (1.0 + sign * 0.15)
        centre = -sign * 0.5 * pressed / 200.0
        during = (t >= k * half) & (t <= (k + 1) * half)
        place[during] = centre + (turns - centre) * np.cos(w * (t[during] - k * half))
        turns = 2.0 * centre - turns
    return place


def error(K, T):
    run = two_body(K, T).run(ticks=round(0.66 / T), initial=TOUCHING)
    return np.abs(run.p1y - rigid_descent(run.time)).max()


def test_two_body_pressure_is_the_rigid_one():
    run = two_body(1e8, 1e-4).run(ticks=3500, initial=TOUCHING)
    down, up = run.mutual[1500], run.mutual[3400]
    assert run.v1y[1500] < 0.0 < run.v1y[3400]
    # Steady pressure holds no K at all: what is left is rounding, over T^2.
    assert (down, up) == pytest.approx((G / 0.85, G / 1.15), rel=1e-8)


def test_two_body_error_falls_with_the_period():
    slope = np.polyfit(np.log([4e-4, 2e-4, 1e-4]), np.log([error(1e9, T) for T in (4e-4, 2e-4, 1e-4)]), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.1)


def test_two_body_error_falls_with_the_stiffness():
    T = 1e-4
    stiff, ticks = {}, round(0.66 / T)
    for K in (1e7, 1e8, 1e10):
        stiff[K] = two_body(K, T).run(ticks=ticks, initial=TOUCHING).p1y
    gap = [np.abs(stiff[K] - stiff[1e10]).max() for K in (1e7, 1e8)]
    assert gap[0] / gap[1] == pytest.approx(10.0, rel=0.1)


# ------------------------------------------------------------ brute force


def brute_force(x0, s0, K, beta, T, theta, ahead):
    """All 216 modes of one step, each a linear system in (x1, forces); the solutions that fit.

    `theta` is the share of x1 in the smooth rows; gaps are those of a time `ahead` of the end.
    """
    M1, M2, mu, Ks, g, u = 1.0, 2.0, (0.2, 0.3, 0.5), 200.0, G, 1.0
    A = np.zeros((8, 8))
    A[0, 4] = A[1, 5] = A[2, 6] = A[3, 7] = 1.0
    A[5, 1] = -Ks / M1
    f = np.array([0, 0, 0, 0, 0, 0, 0, -g])
    # columns: wall, mutual, floor, rub_wall, rub_mutual, rub_floor
    B = np.zeros((8, 6))
    B[4, :2] = 1 / M1, -1 / M1
    B[5, 3:5] = -1 / M1
    B[6, 1], B[6, 5] = 1 / M2, -1 / M2
    B[7, 2], B[7, 4] = 1 / M2, 1 / M2
    gaps = np.zeros((3, 8))
    gaps[0, 0] = gaps[1, 2] = gaps[2, 3] = 1.0
    gaps[1, 0] = -1.0
    slips = np.zeros((3, 8))
    slips[0, 5] = slips[1, 5] = slips[2, 6] = 1.0
    slips[1, 7] = -1.0
    drift = np.array([0.0, 0.0, u])
    gaps = gaps + ahead * gaps @ A
    found = []
    for closed in itertools.product((False, True), repeat=3):
        for way in itertools.product((-1, 0, 1), repeat=3):
            L, right = np.zeros((14, 14)), np.zeros(14)
            L[:8, :8], L[:8, 8:], right[:8] = np.eye(8) - theta * T * A, -T * B, x0 + (1.0 - theta) * T * A @ x0 + T * f
            for i in range(3):
                L[8 + i, 8 + i] = 1.0
                if closed[i]:  # force = -(K/T) ((T + beta) gap + beta e)
                    L[8 + i, :8], right[8 + i] = K / T * (T + beta) * gaps[i], -K / T * beta * s0[i]
                L[11 + i, 11 + i] = 1.0
                if way[i] == 0:  # force = K (a + (beta + T) slip)
                    L[11 + i, :8] = -K * (beta + T) * slips[i]
                    right[11 + i] = K * (s0[3 + i] + (beta + T) * drift[i])
                else:
                    L[11 + i, 8 + i] = -way[i] * mu[i]
            try:
                solution = np.linalg.solve(L, right)
            except np.linalg.LinAlgError:
                continue
            x1, force = solution[:8], solution[8:]
            press = np.maximum(0.0, -K / T * ((T + beta) * gaps @ x1 + beta * s0[:3]))
            most = np.array(mu) * press
            rub = np.clip(K * (s0[3:] + (beta + T) * (slips @ x1 + drift)), -most, most)
            if np.abs(np.concatenate([press, rub]) - force).max() <= 1e-6 * (1.0 + np.abs(force).max()):
                found.append((x1, force))
    return found


@pytest.mark.parametrize("method", ["euler", "midpoint"])
@pytest.mark.parametrize("T", [1e-4, 1e-3])
@pytest.mark.parametrize("K", [1e5, 1e7])
def test_one_step_is_what_brute_force_finds(K, T, method):
    stepper, random = two_body(K, T, method=method), np.random.default_rng(3)
    theta, ahead = (0.5, 0.5 * T) if method == "midpoint" else (1.0, 0.0)
    names = ["wall", "mutual", "floor", "rub_wall", "rub_mutual", "rub_floor"]
    seen = set()
    for _ in range(30):
        s0 = np.concatenate([random.uniform(0.0, 20.0 / K, 3), random.uniform(-5.0 / K, 5.0 / K, 3)])
        near = np.where(random.integers(0, 2, 3) == 1, -s0[:3], random.uniform(0.0, 1e-4, 3))
        x0 = np.array([near[0], random.normal() * 0.1, near[0] + near[1], near[2], *random.normal(0.0, 0.3, 4)])
        x0[:4] -= ahead * x0[4:]  # springs as a tick leaves them: they fit the gaps ahead
        initial = dict(zip([*STATES, *names], [*x0, *s0], strict=True))
        run = stepper.run(ticks=1, initial=initial)
        solutions = brute_force(x0, s0, K, 2e-3, T, theta, ahead)
        ours = np.array([run[name][0] for name in names])
        scale = 1.0 + np.abs(ours).max()
        assert min(np.abs(ours - force).max() / scale for _, force in solutions) < 1e-6
        place = np.array([run[name][0] for name in STATES])
        assert min(np.abs(place - x1).max() for x1, _ in solutions) < 1e-8
        seen.add(tuple(bool(run[f"{n}_touches"][0]) for n in names[:3]))
    assert len(seen) >= 4  # the states met really differ in kind


# ------------------------------------------------------------ one mass


SLIDER = {
    "px": "vx",
    "py": "vy",
    "vx": "(load - ks*px - coulomb(mu*dio(py, 'floor'), vx - belt, 'rub'))/m",
    "vy": "dio(py)/m - g",
}
SLIDING = {"m": 2.0, "mu": 0.4, "g": G, "load": 0.0, "ks": 0.0, "belt": 0.0}


def slider(T=1e-3, K=1e6, method="midpoint"):
    rest = {"contact": Contact(stiffness=K, damping=K * 2e-3), "friction": Friction(stiffness=K, damping=K * 2e-3)}
    return Inclusion(SLIDER, SLIDING).to_stepper(period=T, method=method, **rest)


@pytest.mark.parametrize("K", [1e6, 1e9])
def test_a_loaded_mass_does_not_creep_in_an_hour(K):
    limit = 0.4 * 2.0 * G
    run = slider(K=K).run(ticks=3_600_000, inputs={"load": 0.95 * limit}, every=600_000)
    assert run.px[-1] - run.px[0] == 0.0
    assert run.py[-1] - run.py[0] == 0.0
    assert run.rub[-1] == pytest.approx(0.95 * limit, rel=1e-9)
    assert run.floor[-1] == pytest.approx(2.0 * G, rel=1e-9)
    assert run.rub_sticks.all()


@pytest.mark.parametrize(("method", "early"), [("euler", 0.5), ("midpoint", 0.0)])
def test_a_mass_on_the_floor_slides_stops_and_stays(method, early):
    v0, T = 1.0, 1e-4
    start = {"vx": v0, "py": -2.0 * G / 1e6, "floor": 2.0 * G / 1e6}
    run = slider(T=T, method=method).run(ticks=5000, initial=start)
    stop = v0 / (0.4 * G)  # 0.2548 s
    sliding = run.time < stop - 2e-3
    assert run.vx[sliding] == pytest.approx(v0 - 0.4 * G * run.time[sliding], abs=1e-6)
    # Backward Euler stops T v0/2 early, and the spring F/K that holds it is let go.
    exact = v0**2 / (2.0 * 0.4 * G) - early * T * v0 - 0.4 * 2.0 * G / 1e6
    assert run.px[-1] == pytest.approx(exact, abs=1e-6)
    late = run.time > stop + 0.1
    assert run.rub_sticks[late].all()
    assert np.ptp(run.px[late]) < 1e-9


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_the_limit_is_the_limit(factor):
    run = slider().run(ticks=5000, inputs={"load": factor * 0.4 * 2.0 * G})
    assert run.rub_sticks[-1] == (factor < 1.0)


@pytest.mark.parametrize("T", [1e-4, 1e-3])  # a tick of the longer one is 1.2e-3 of the period
def test_stick_slip_on_a_belt_has_the_period_of_the_law(T):
    # The Stribeck law integrated by scipy from the end of a stick to the next, then the stick in closed form.
    m, k, Fs, Fk, belt, vs = 1.0, 100.0, 5.0, 3.0, 0.1, 1e-2
    slip = solve_ivp(
        lambda t, z: [z[1], (-k * z[0] + Fk + (Fs - Fk) * math.exp(-(((z[1] - belt) / vs) ** 2))) / m],
        (0.0, 2.0),
        [Fs / k, belt],
        events=_caught,
        rtol=1e-11,
        atol=1e-13,
    )
    exact = slip.t_events[0][0] + (Fs / k - slip.y_events[0][0][0]) / belt
    rows = {"p": "v", "v": "(-k*p - coulomb(Fk + (Fs - Fk)*exp(-((v - belt)/vs)**2), v - belt, 'rub'))/m"}
    values = {"m": m, "k": k, "Fs": Fs, "Fk": Fk, "belt": belt, "vs": vs}
    stepper = Inclusion(rows, values).to_stepper(period=T, friction=Friction(stiffness=1e7, damping=2e4))
    run = stepper.run(ticks=round(4.0 / T))
    assert run.about["unsolved_steps"] == 0
    starts = run.time[1:][run.rub_sticks[1:] & ~run.rub_sticks[:-1]]
    assert np.diff(starts[1:]) == pytest.approx(exact, rel=2e-3)


def _caught(t, z):
    """The mass is as fast as the belt again."""
    return z[1] - 0.1 if t > 0.05 else -1.0


_caught.terminal = True
_caught.direction = 1.0


def test_a_friction_is_the_friction_impedance():
    K, beta, T, limit = 1e5, 2e-3, 1e-3, 4.0
    rows = {"p": "v", "v": "(load - coulomb(limit, v, 'rub'))/m"}
    stepper = Inclusion(rows, {"m": 1.0, "limit": limit, "load": 0.0}).to_stepper(
        period=T, friction=Friction(stiffness=K, damping=K * beta)
    )
    random = np.random.default_rng(0)
    run = stepper.run(inputs={"load": np.repeat(random.normal(0.0, 5.0, 60), 20)})
    brake = tg.FrictionImpedance(stiffness=K, damping=K * beta, law=tg.Coulomb(limit))
    same = brake.run(run.v, period=T)
    assert -run.rub == pytest.approx(same.force, abs=1e-9)
    assert -run.rub_deflection == pytest.approx(same.deflection, abs=1e-13)
    assert 0.1 < run.rub_sticks.mean() < 0.9


def test_friction_in_a_plane_is_the_friction_impedance_in_a_plane():
    K, beta, T, limit = 1e5, 2e-3, 1e-3, 4.0
    machine = _plane()
    stepper = machine.to_stepper(period=T, friction=Friction(stiffness=K, damping=K * beta))
    random = np.random.default_rng(1)
    loads = np.repeat(random.normal(0.0, 4.0, (60, 2)), 20, axis=0)
    run = stepper.run(inputs={"lx": loads[:, 0], "ly": loads[:, 1]})
    assert run.about["unsolved_steps"] == 0
    brake = tg.FrictionImpedance(stiffness=K, damping=K * beta, law=tg.Coulomb(limit), dimension=2)
    same = brake.run(np.column_stack([run.vx, run.vy]), period=T)
    assert np.abs(-run.rub - same.force).max() < 1e-8
    assert np.hypot(*run.rub.T).max() <= limit * (1.0 + 1e-12)
    assert 0.1 < run.rub_sticks.mean() < 0.9


def _plane():
    import sympy

    from tegotae.inclusion import coulomb

    px, py, vx, vy, m, lx, ly = sympy.symbols("px py vx vy m lx ly")
    rub = coulomb(4.0, (vx, vy), "rub")
    rows = {px: vx, py: vy, vx: (lx - rub[0]) / m, vy: (ly - rub[1]) / (3 * m)}
    return Inclusion(rows, {m: 1.0, lx: 0.0, ly: 0.0})


# ------------------------------------------------------------ the element solve alone


def test_random_scalar_problems_are_all_solved_from_nothing():
    from tegotae.coupling import complementarity
    from tegotae.coupling.kernels.complementarity import UNSOLVED
    from tegotae.coupling.kernels.natural_residual import set_scales
    from tegotae.inclusion.implicit import layouts
    from tegotae.inclusion.implicit.kernels.stepper import problem_of

    solve = complementarity.solver().solve
    random = np.random.default_rng(0)
    for _ in range(1500):
        nc, nf, n = (int(k) for k in random.integers((1, 0, 1), (5, 5, 7)))
        m = nc + nf
        J, mass, K = random.standard_normal((m, n)), 10 ** random.uniform(-1, 1, n), 10 ** random.uniform(5, 9, m)
        w = layouts.workspace(n, m, nc, nf)
        w.Q[:], w.C[:] = 1e-3 * (J / mass) @ J.T, 1.0 / (K * 3e-3)
        w.b[:] = J @ random.standard_normal(n) * 10 ** random.uniform(-3, 1)
        for i in range(nf):
            w.L[nc + i, i % nc] = random.uniform(0.0, 0.8)
        F, E = np.zeros(m), layouts.elements(nc, [1] * nf, K, np.zeros(m))
        problem = problem_of.py_func(E, w)
        set_scales(problem, w.work)
        assert solve(problem, F, w.work)[1] != UNSOLVED
        h = w.Q @ F + w.C * F + w.b  # the complementarity itself, not the residual that the solver watches
        small, size = 1e-6 * (1e-9 + np.abs(F).max()), np.diag(w.Q) + w.C
        most = w.L[nc:, :nc] @ F[:nc]
        assert (F[:nc] >= 0.0).all()
        assert np.minimum(F[:nc], h[:nc] / size[:nc]) == pytest.approx(np.zeros(nc), abs=small)
        assert (np.abs(F[nc:]) <= most + small).all()
        sliding = np.abs(h[nc:] / size[nc:]) > small
        assert (-np.sign(h[nc:]) * most)[sliding] == pytest.approx(F[nc:][sliding], abs=small)
