"""Friction in the joints of a tree: every tick is held against the inclusion that it should solve, densely.

A tick from (q0, v0) to v1 with friction forces f has to satisfy, M and h being Pinocchio's,

    M (v1 - v0) = T (tau - h + f),   f = clip(K e - (B + T K) v1, -F, F),   e1 = (T f + B e)/(T K + B),

which is "sticks, or slips at its limit against the slip" in one line. The stretch e is followed here from the recorded
forces alone, starting from 0.
"""

import itertools
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import brentq

import tegotae as tg
from tegotae.multibody import Body, Free, Prismatic, Revolute, Scene, Tree, join
from trees import depth_first, in_pinocchio, pinocchio_state, random_bodies, random_state

TICKS = 10


def with_friction(rng, bodies, laws=None):
    """The same bodies with dry friction in every joint; and F, K, B in the order of the bodies."""
    rubbing, numbers = [], []
    dampers = rng.random() < 0.5
    for k, body in enumerate(depth_first(bodies)):
        if isinstance(body.joint, Free):
            # A tick is taken with the speed of the centre of mass; the frame's origin is put there, so that v tells it.
            rubbing.append(replace(body, center=(0.0, 0.0, 0.0)))
            continue
        F, K = 10.0 ** rng.uniform(-2.0, 1.5), 10.0 ** rng.uniform(3.0, 9.0)
        B = 10.0 ** rng.uniform(-1.0, 2.0) if dampers else 0.0
        law = tg.Coulomb(F) if laws is None else laws[k]
        element = tg.FrictionImpedance(stiffness=K, damping=B, law=law)
        rubbing.append(replace(body, joint=replace(body.joint, friction=element)))
        numbers.append((F, K, B))
    return rubbing, np.array(numbers).T


def dense_tick(model, q, v, *, free):
    """M in world axes of the base, and the acceleration without any joint force, from Pinocchio."""
    data = model.createData()
    pq, pv, _ = pinocchio_state(q, v, np.zeros_like(v), free=free)
    M = pin.crba(model, data, pq)
    M = np.triu(M) + np.triu(M, 1).T
    h = pin.nonLinearEffects(model, data, pq, pv)
    if free:
        R = pin.Quaternion(*q[3:7]).matrix()
        turn = np.eye(len(v))
        turn[:3, :3] = turn[3:6, 3:6] = R.T
        # v_pin = turn v with a turn that turns itself: the base's acceleration gains w x v, in body axes.
        extra = np.zeros(len(v))
        extra[:3] = np.cross(pv[3:6], pv[:3])
        h = turn.T @ (h - M @ extra)
        M = turn.T @ M @ turn
    return M, h


def spun_evenly(body, q, v, T):
    """What the base's gyroscopic torque differs from that at the start: Euler's equation by the midpoint rule."""
    R, inertia = pin.Quaternion(*q[3:7]).matrix(), np.array(body.inertia)
    w = R.T @ v[3:6]

    w1 = w
    for _ in range(200):  # contracts by about T |w|
        m = (w + w1) / 2
        w1 = w - T * np.linalg.solve(inertia, np.cross(m, inertia @ m))
    return R @ (-inertia @ (w1 - w) / T - np.cross(w, inertia @ w))


def worst_of(rng, count, *, free, ticks=TICKS):
    """Residuals of all ticks of one random run, as shares of what rounding may do; and how many were unsolved."""
    bodies, (F, K, B) = with_friction(rng, random_bodies(rng, count, free=free))
    tree = Tree(bodies)
    model = in_pinocchio(tree)
    T = 10.0 ** rng.uniform(-4.0, -2.0)
    q, v, _ = random_state(rng, tree, free=free, size=10.0 ** rng.uniform(-4.0, 0.5))
    first = 6 if free else 0
    tau = rng.normal(size=(ticks, tree.nv)) * 10.0 ** rng.uniform(-2.0, 2.0)
    tau[:, :first] = 0.0
    run = Scene(tree=tree, method="euler").run(ticks * T, period=T, q=q, v=v, torque=tau)
    e, ic, worst = np.zeros(len(F)), B + T * K, 0.0
    for tick in range(ticks):
        M, h = dense_tick(model, q, v, free=free)
        if free:
            h[3:6] += spun_evenly(tree.bodies[0], q, v, T)
        v1, f = np.asarray(run.v[tick]), np.asarray(run.friction[tick])
        pull = T * (tau[tick] - h + f)
        size = np.abs(M) @ (np.abs(v1) + np.abs(v)) + T * (np.abs(tau[tick]) + np.abs(h) + np.abs(f))
        moved = np.abs(M @ (v1 - v) - pull).max() / size.max()
        told = np.clip(K * e - ic * v1[first:], -F, F)
        # v1 is known to rounding of the speeds, and a stiff element magnifies that by ic
        blur = 1e-9 * F + 1e-13 * ic * (np.abs(v1).max() + np.abs(v).max() + np.abs(T * np.linalg.solve(M, h)).max())
        worst = max(worst, moved / 1e-9, (np.abs(told - f[first:]) / blur).max(), np.abs(f[first:] / F).max() - 1e-12)
        e = (T * f[first:] + B * e) / ic
        q, v = np.asarray(run.q[tick]), v1
    return worst, run.about["unsolved_steps"]


def sweep(seed, problems):
    """(problems, failed, worst) over trees of 2 to 30 bodies, on a fixed or a free base."""
    rng, failed, worst, played = np.random.default_rng(seed), 0, 0.0, 0
    while played < problems:
        count, free = int(rng.choice([2, 3, 4, 7, 12, 30])), bool(rng.random() < 0.5)
        residual, unsolved = worst_of(rng, count, free=free)
        failed += unsolved
        worst, played = max(worst, residual), played + TICKS
    return played, failed, worst


def test_300_random_mode_problems_are_solved():
    _, failed, worst = sweep(1, 300)
    assert failed == 0
    assert worst <= 1.0


@pytest.mark.slow
def test_10000_random_mode_problems_are_solved():
    played, failed, worst = sweep(2, 10_000)
    assert played >= 10_000
    assert failed == 0
    assert worst <= 1.0


@pytest.mark.parametrize("free", [False, True])
def test_friction_obeys_its_law_at_the_end_of_each_tick_by_the_midpoint_too(free):
    """Stick and slip of random trees, for the speeds at the end and a stretch that goes from middle to middle."""
    rng, failed = np.random.default_rng(7), 0
    for count in (2, 3, 4, 7, 12, 30):
        bodies, (F, K, B) = with_friction(rng, random_bodies(rng, count, free=free))
        tree, T, first = Tree(bodies), 10.0 ** rng.uniform(-4.0, -2.0), 6 if free else 0
        q, v, _ = random_state(rng, tree, free=free, size=10.0 ** rng.uniform(-4.0, 0.5))
        tau = rng.normal(size=(TICKS, tree.nv)) * 10.0 ** rng.uniform(-2.0, 2.0)
        tau[:, :first] = 0.0
        run = Scene(tree=tree).run(TICKS * T, period=T, q=q, v=v, torque=tau)
        e, ic = np.zeros(len(F)), B + T * K
        for tick in range(TICKS):
            v1, f = np.asarray(run.v[tick]), np.asarray(run.friction[tick])[first:]
            told = np.clip(K * e - ic * v1[first:], -F, F)
            pushed = np.abs(T * np.linalg.solve(tree.mass_matrix(q), tau[tick])).max()
            blur = 1e-9 * F + 1e-12 * ic * (np.abs(v1).max() + np.abs(v).max() + pushed + 10.0 * T)
            assert (np.abs(told - f) <= blur).all()
            assert (np.abs(f) <= F * (1.0 + 1e-12)).all()
            e, q, v = (T * f + B * e) / ic, np.asarray(run.q[tick]), v1
        failed += run.about["unsolved_steps"]
    assert failed == 0


def by_trying_all_modes(M, h, tau, v, e, F, K, B, T):
    """The only assignment of stick, slip forward and slip backward to all joints that contradicts nothing."""
    ic, best, found = B + T * K, np.inf, None
    for modes in itertools.product((-1, 0, 1), repeat=len(F)):
        s = np.array(modes)
        stick = s == 0
        left = M + T * np.diag(np.where(stick, ic, 0.0))
        right = M @ v + T * (tau - h + np.where(stick, K * e, -s * F))
        v1 = np.linalg.solve(left, right)
        u = K * e - ic * v1  # the force if it stuck
        wrong = np.where(stick, np.abs(u) - F, F + s * u).max()
        if wrong < best:
            best, found = wrong, v1
    return found, best


@pytest.mark.parametrize("count", [3, 4])
def test_every_mode_tried_finds_the_same_speeds(count):
    rng = np.random.default_rng(count)
    for _ in range(20):
        bodies, (F, K, B) = with_friction(rng, random_bodies(rng, count))
        tree, T = Tree(bodies), 10.0 ** rng.uniform(-4.0, -2.0)
        model = in_pinocchio(tree)
        q, v, tau = random_state(rng, tree, free=False, size=10.0 ** rng.uniform(-4.0, 0.5))
        tau = np.outer([1.0, -1.0, 0.3], tau) * 10.0 ** rng.uniform(-1.0, 2.0)
        run = Scene(tree=tree, method="euler").run(3 * T, period=T, q=q, v=v, torque=tau)
        e = np.zeros(count)
        for tick in range(3):
            M, h = dense_tick(model, q, v, free=False)
            expected, wrong = by_trying_all_modes(M, h, tau[tick], v, e, F, K, B, T)
            size = np.abs(v).max() + np.abs(expected).max()
            assert wrong <= 1e-9 * F.max() + 1e-12 * (B + T * K).max() * size
            np.testing.assert_allclose(run.v[tick], expected, rtol=0, atol=1e-10 * size)
            e = (T * np.asarray(run.friction[tick]) + B * e) / (B + T * K)
            q, v = np.asarray(run.q[tick]), np.asarray(run.v[tick])


LAWS = {
    "viscous": tg.Viscous(limit=2.0, viscosity=3.0),
    "stribeck": tg.Stribeck(kinetic=1.5, static=2.0, velocity=0.1, viscosity=0.5),
    "tabulated": tg.Tabulated([0.0, 0.1, 0.5, 2.0], [2.0, 1.6, 1.8, 3.0]),
}


def one_joint_ticks(law, K, B, m, forces, T):
    """v1 = v0 + (T/m)(force + f), the slip speed s found by bisection where r(0) does not hold it."""
    v, e, speeds = 0.0, 0.0, []
    ic = B + T * K
    rest = float(law(0.0))
    for force in forces:

        def v_of(f, force=force, v=v):
            return v + T / m * (force + f)

        stuck = (v + T / m * (force + K * e)) / (1.0 + T * ic / m)
        u = K * e - ic * stuck
        if abs(u) <= rest:
            f = u
        else:
            sign = -np.sign(u)  # of the slip

            def off(s, sign=sign, e=e, v_of=v_of):
                # with f = -sign r(s): the rate of the stretch that f asks for, and the slip left
                f = -sign * float(law(s))
                return sign * (v_of(f) - (K * e - f) / ic) - s

            s = brentq(off, 0.0, 100.0, xtol=1e-15, rtol=1e-14)
            f = -sign * float(law(s))
        v = v_of(f)
        e = (T * f + B * e) / ic
        speeds.append(v)
    return np.array(speeds)


def slider(law, *, m=0.7, K=2e4, B=300.0):
    element = tg.FrictionImpedance(stiffness=K, damping=B, law=law)
    body = Body(name="slider", mass=m, joint=Prismatic(axis=(1, 0, 0), friction=element))
    return Tree([body]), element


FORCES = 3.5 * np.sin(0.02 * np.arange(600)) + 1.0 * np.sin(0.31 * np.arange(600))


@pytest.mark.parametrize("name", LAWS)
def test_a_joint_with_any_law_solves_the_stated_step(name):
    tree, _ = slider(LAWS[name])
    run = Scene(tree=tree).run(0.6, period=1e-3, torque=FORCES[:, None])
    expected = one_joint_ticks(LAWS[name], 2e4, 300.0, 0.7, FORCES, 1e-3)
    assert (np.abs(expected) > 0.05).any()
    assert (np.abs(expected) < 1e-4).any()  # it slides and it sticks
    np.testing.assert_allclose(run.v[:, 0], expected, rtol=0, atol=1e-10)
    assert run.about["unsolved_steps"] == 0


def test_a_law_of_the_user_s_own_solves_the_stated_step():
    law = tg.CustomLaw(lambda s: 2.0 + s * s / (1.0 + s))
    tree, _ = slider(law)
    run = Scene(tree=tree).run(0.6, period=1e-3, torque=FORCES[:, None])
    expected = one_joint_ticks(law, 2e4, 300.0, 0.7, FORCES, 1e-3)
    np.testing.assert_allclose(run.v[:, 0], expected, rtol=0, atol=1e-10)


def test_different_laws_in_one_machine_do_not_mix():
    """Sliders that do not feel each other, each with its own law: as if each were alone."""
    alone = {
        name: Scene(tree=slider(law)[0]).run(0.6, period=1e-3, torque=FORCES[:, None]) for name, law in LAWS.items()
    }
    together = join({name: slider(law)[0] for name, law in LAWS.items()})
    run = Scene(tree=together).run(0.6, period=1e-3, torque=np.column_stack([FORCES] * 3))
    for k, name in enumerate(LAWS):
        np.testing.assert_allclose(run.v[:, k], alone[name].v[:, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_a_sliding_joint_is_a_mass_in_a_circuit(name):
    tree, element = slider(LAWS[name])
    ours = Scene(tree=tree).run(0.6, period=1e-3, torque=FORCES[:, None])
    other = tg.Circuit(tg.Mass(mass=0.7), {"brake": element}).run(FORCES, period=1e-3)
    np.testing.assert_allclose(ours.v[:, 0], other.velocity, rtol=0, atol=1e-11)


def test_a_falling_law_in_an_arm_solves_the_stated_inclusion():
    """Stribeck in four coupled joints: the force of what slips is r of its own slip, no other."""
    rng = np.random.default_rng(4)
    law = LAWS["stribeck"]
    bodies = random_bodies(rng, 4, chain=True)
    K, B = 2e4, 300.0
    element = tg.FrictionImpedance(stiffness=K, damping=B, law=law)
    bodies = [replace(b, joint=Revolute(axis=b.joint.axis, friction=element)) for b in bodies]
    tree, T, ticks = Tree(bodies), 1e-3, 400
    model = in_pinocchio(tree)
    tau = 4.0 * np.sin(0.05 * np.arange(ticks)[:, None] + np.arange(4))
    run = Scene(tree=tree, method="euler").run(ticks * T, period=T, torque=tau)
    q, v, e, ic, slipped = np.zeros(4), np.zeros(4), np.zeros(4), B + T * K, 0
    for tick in range(ticks):
        M, h = dense_tick(model, q, v, free=False)
        v1, f = np.asarray(run.v[tick]), np.asarray(run.friction[tick])
        np.testing.assert_allclose(M @ (v1 - v), T * (tau[tick] - h + f), rtol=0, atol=1e-11)
        slip = v1 - (K * e - f) / ic
        for j in range(4):
            if abs(slip[j]) < 1e-9:
                assert abs(f[j]) <= float(law(0.0)) + 1e-9
            else:
                slipped += 1
                assert f[j] == pytest.approx(-np.sign(slip[j]) * float(law(abs(slip[j]))), abs=1e-8)
        e = (T * f + B * e) / ic
        q, v = np.asarray(run.q[tick]), v1
    assert 100 < slipped < 4 * ticks
    assert run.about["unsolved_steps"] == 0


def test_mujoco_s_frictionloss_is_the_same_element_without_a_spring():
    """b = 1/T and R = 1/(B T) make MuJoCo's dry friction our element with K -> 0: accelerations must agree."""
    mujoco = pytest.importorskip("mujoco")
    rng, T, share = np.random.default_rng(5), 1e-3, 0.9
    for _ in range(10):
        limits, axes = 10.0 ** rng.uniform(-1.0, 1.0, 5), rng.normal(size=(5, 3))
        inner = ""
        for k in range(4, -1, -1):
            axis = " ".join(map(repr, axes[k].tolist()))
            inner = (
                f'<body pos="0 0 {0.4 if k else 0.0}"><inertial pos="0 0 .2" mass="2" diaginertia=".05 .06 .02"/>'
                f'<joint axis="{axis}" frictionloss="{limits[k]}" solreffriction="{2 * T / share!r} 1" '
                f'solimpfriction="{share} {share} 1 .5 1"/>{inner}</body>'
            )
        option = f'<option timestep="{T}" tolerance="1e-16" iterations="200"><flag contact="disable"/></option>'
        model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{inner}</worldbody></mujoco>")
        data = mujoco.MjData(model)
        B = share / (1.0 - share) / model.dof_invweight0 / T
        bodies = [
            Body(
                name=f"b{k}", mass=2.0, inertia=(0.05, 0.06, 0.02), center=(0, 0, 0.2),
                parent=f"b{k - 1}" if k else None, position=(0, 0, 0.4 if k else 0.0),
                joint=Revolute(
                    axis=axes[k],
                    friction=tg.FrictionImpedance(stiffness=1e-6, damping=B[k], law=tg.Coulomb(limits[k])),
                ),
            )
            for k in range(5)
        ]  # fmt: skip
        q, v, tau = rng.normal(size=5), 0.01 * rng.normal(size=5), 5.0 * rng.normal(size=5)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        run = Scene(tree=Tree(bodies), method="euler").run(T, period=T, q=q, v=v, torque=tau[None])
        theirs = v + T * data.qacc
        np.testing.assert_allclose(run.v[0], theirs, rtol=0, atol=1e-9 * np.abs(T * data.qacc).max() + 1e-12)
