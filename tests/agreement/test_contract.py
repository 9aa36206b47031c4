"""The contract of every block: `answer` is pure, its slope is a derivative, `advance` commits what it answered."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction import classics

T = 1e-3
STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)

IMPEDANCES = {
    "coulomb": tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0)),
    "coulomb with mass": tg.FrictionImpedance(stiffness=6000.0, damping=10.0, mass=0.5, law=tg.Coulomb(4.0)),
    "stribeck": tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK),
    "lagged": tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK, lag=0.02, mass=0.1),
    "planar": tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK, mass=0.1, dimension=2),
    "spatial": tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0), dimension=3),
    "spring": tg.SpringDamper(stiffness=100.0, damping=2.0),
    "planar spring": tg.SpringDamper(stiffness=100.0, damping=2.0, dimension=2),
    "stack": tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0]),
    "even": tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0, 5.0]),
    "plain": tg.ParallelFriction(stiffness=[1e4, 2e4, 1e3], damping=5.0, limits=[1.0, 2.0, 5.0]),
    "general": tg.ParallelFriction(stiffness=1e4, damping=5.0, mass=0.1, laws=[STRIBECK, tg.Coulomb(1.0)]),
    "planar general": tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0], dimension=2),
    "wall": tg.VirtualWall(stiffness=3e4, damping=20.0, point=1e-6, normal=-1.0),
    "planar wall": tg.VirtualWall(stiffness=3e4, damping=20.0, point=[1e-6, 0], normal=[-1.0, 0.5], dimension=2),
    "tanh": classics.Tanh(limit=4.0, velocity=0.05),
    "dahl": classics.Dahl(stiffness=6000.0, limit=4.0),
    "lugre": classics.LuGre(stiffness=6000.0, damping=10.0, law=STRIBECK),
}
IMPEDANCES |= {
    "sum": tg.ImpedanceSum({name: IMPEDANCES[name] for name in ("stribeck", "wall", "spring", "stack")}),
    "planar sum": tg.ImpedanceSum({"brake": IMPEDANCES["planar"], "wall": IMPEDANCES["planar wall"]}),
}
ADMITTANCES = {
    "mass": tg.Mass(mass=2.0),
    "planar mass": tg.Mass(mass=2.0, dimension=2),
    "slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK),
    "lagged slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK, lag=0.01),
    "planar slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK, dimension=2),
    "circuit": tg.Circuit(tg.Mass(mass=1.0), {"brake": IMPEDANCES["stribeck"], "stack": IMPEDANCES["stack"]}),
}


def trial(block, parameters, state, value):
    """`answer` in one form for all dimensions: value (n,) -> output (n,), slope (n, n)."""
    answer, _ = block.kernels.halves()
    if block.dimension == 1:
        output, slope = answer(parameters, state, float(value[0]), T)
        return np.array([output]), np.array([[slope]])
    output, slope = np.empty(block.dimension), np.empty((block.dimension, block.dimension))
    answer(parameters, state, value, T, output, slope)
    return output, slope


def scratch_free(block, state):
    """The meaningful part of a state: vector composites keep scratch numbers behind their two fields."""
    if isinstance(block, tg.ParallelFriction) and block.dimension > 1:
        n = block.dimension
        return np.concatenate([state[: 2 * n], state[3 * n + n * n :]])
    return state.copy()


@pytest.mark.parametrize("name", [*IMPEDANCES, *ADMITTANCES])
def test_answer_is_pure_and_its_slope_a_derivative(name):
    block = {**IMPEDANCES, **ADMITTANCES}[name]
    rng = np.random.default_rng(7)
    scale = 0.2 if name in IMPEDANCES else 50.0
    parameters, state = block.parameters, block.initial_state(T)
    _, advance = block.kernels.halves()
    checked = 0
    for _ in range(300):
        value = rng.normal(size=block.dimension) * scale * rng.choice([0.01, 0.1, 1.0])
        before = scratch_free(block, state)
        output, slope = trial(block, parameters, state, value)
        np.testing.assert_array_equal(scratch_free(block, state), before)
        h = 1e-6 * scale
        numeric = np.empty_like(slope)
        kink = False
        for k in range(block.dimension):
            step = np.zeros(block.dimension)
            step[k] = h
            up, up_slope = trial(block, parameters, state, value + step)
            down, down_slope = trial(block, parameters, state, value - step)
            numeric[:, k] = (up - down) / (2 * h)
            # Across a kink (stick to slip) a central difference is no derivative: skip those trials.
            kink |= not np.allclose(up_slope, down_slope, rtol=1e-2, atol=1e-6 * np.abs(slope).max())
        if not kink:
            rounding = 4 * np.finfo(float).eps * np.abs(output).max() / h
            tolerance = 1e-4 * max(np.abs(slope).max(), np.abs(numeric).max()) + rounding
            np.testing.assert_allclose(slope, numeric, atol=tolerance)
            checked += 1
        scalar = block.dimension == 1
        given = float(value[0]) if scalar else value
        if name in IMPEDANCES:
            advance(parameters, state, given, T)
        else:
            advance(parameters, state, given, float(output[0]) if scalar else output, T)
        committed = state[block.slices()["force" if name in IMPEDANCES else "velocity"]]
        np.testing.assert_allclose(committed, output, rtol=1e-12, atol=1e-12)
    assert checked > 100


@pytest.mark.parametrize("name", [*IMPEDANCES, *ADMITTANCES])
def test_step_by_step_equals_run(name):
    block = {**IMPEDANCES, **ADMITTANCES}[name]
    n = block.dimension
    scale = 0.1 if name in IMPEDANCES else 30.0
    signal = scale * np.sin(0.05 * np.arange(400)[:, None] + np.arange(n))
    signal = signal[:, 0].copy() if n == 1 else signal
    live = block.start(period=T)
    stepped = np.array([live.step(value) for value in signal])
    run = block.run(signal, period=T)
    wanted = run.force if name in IMPEDANCES else run.velocity
    np.testing.assert_array_equal(stepped, wanted)


def test_checkpoint_and_replay():
    live = IMPEDANCES["lagged"].start(period=T)
    for k in range(50):
        live.step(0.1 * np.sin(0.1 * k))
    kept = live.state
    once = [live.step(0.1) for _ in range(20)]
    live.state = kept
    assert [live.step(0.1) for _ in range(20)] == once


def test_positions_give_the_same_as_velocities():
    block = IMPEDANCES["planar"]
    velocity = 0.1 * np.sin(0.05 * np.arange(300)[:, None] + np.arange(2))
    position = 0.3 + np.cumsum(velocity, axis=0) * T
    by_velocity = block.run(np.diff(position, axis=0, prepend=position[:1]) / T, period=T).force
    np.testing.assert_array_equal(block.run(position=position, period=T).force, by_velocity)
    live = block.start(period=T)
    stepped = np.array([live.step(position=p) for p in position])
    np.testing.assert_allclose(stepped, by_velocity, atol=1e-10)


def test_batch_equals_one_by_one():
    brake = IMPEDANCES["coulomb"]
    velocity = 0.1 * np.sin(0.05 * np.arange(300))
    sweep = brake.batch(stiffness=[1e3, 5e3, 1e4], law=[tg.Coulomb(f) for f in (1.0, 2.0, 3.0)])
    together = sweep.run(velocity, period=T)
    assert together.force.shape == (3, 300)
    for i, block in enumerate(sweep.blocks):
        np.testing.assert_array_equal(together.force[i], block.run(velocity, period=T).force)
    each = np.stack([velocity, 2 * velocity, -velocity])
    own = sweep.run(each, period=T, every=3)
    np.testing.assert_array_equal(own.force[2], sweep.blocks[2].run(-velocity, period=T, every=3).force)


@pytest.mark.parametrize("name", ["coulomb", "planar", "slider"])
def test_live_batch_equals_its_run(name):
    block = {**IMPEDANCES, **ADMITTANCES}[name]
    sweep = block.batch(mass=[0.2, 0.5, 0.0 if name == "coulomb" else 1.0])  # without mass it has other kernels
    n = block.dimension
    signal = 3.0 * np.sin(0.05 * np.arange(3 * 200 * n)).reshape((3, 200) if n == 1 else (3, 200, n))
    live = sweep.start(period=T)
    stepped = np.stack([live.step(np.ascontiguousarray(signal[:, k])) for k in range(200)], axis=1)
    run = sweep.run(signal, period=T)
    np.testing.assert_array_equal(stepped, run.velocity if name == "slider" else run.force)
    before = live.states
    with pytest.raises(tg.InputError, match="shape"):
        live.step([1.0])
    for row, kept in zip(live.states, before, strict=True):
        np.testing.assert_array_equal(row, kept)


def test_every_thins_the_record_and_nothing_else():
    brake = IMPEDANCES["stribeck"]
    velocity = 0.1 * np.sin(0.05 * np.arange(305))
    full, thin = brake.run(velocity, period=T), brake.run(velocity, period=T, every=10)
    assert thin.force.shape == (30,)
    np.testing.assert_array_equal(thin.force, full.force[9::10])
    np.testing.assert_array_equal(thin.time, full.time[9::10])
    np.testing.assert_array_equal(thin.velocity, velocity[9::10])
