"""A machine that no module of the package knows, against dense references that share none of its code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, lsq_linear

import tegotae as tg
from tegotae.block import Impedance, Kernels
from tegotae.compile import kernel, source_of
from tegotae.inclusion import Inclusion
from tegotae.layout import Part, layouts

T = 1e-3


def dense_coulomb(mass, K, B, F, ratios, force):
    """The coupled step as one box-constrained quadratic problem in the friction forces, solved densely.

    Stuck: c f = c K e - r v with c = 1/(K T + B); v = v0 + (T/m)(h + sum r f); and |f| <= F.
    """
    e, v, history = np.zeros(len(K)), 0.0, []
    c = 1.0 / (K * T + B)
    root = np.linalg.cholesky(np.diag(c) + T / mass * np.outer(ratios, ratios))
    for h in force:
        q = ratios * (v + T * h / mass) - c * K * e
        solution = lsq_linear(root.T, -np.linalg.solve(root, q), bounds=(-F, F), method="bvls", tol=1e-15)
        f = solution.x
        v = v + T / mass * (h + ratios @ f)
        stuck = np.abs(f) < F * (1 - 1e-12)
        e = np.where(stuck, e - T * ratios * v, (B * e + T * f) / (K * T + B))
        history.append(v)
    return np.array(history)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 6))
def test_coulomb_machine_equals_a_dense_quadratic_problem(seed, count):
    rng = np.random.default_rng(seed)
    K, B, F = rng.uniform(1e2, 1e5, count), rng.uniform(0.0, 50.0, count), rng.uniform(0.5, 5.0, count)
    ratios, mass = rng.choice([-2.0, 0.5, 1.0, 3.0], count), float(rng.uniform(0.05, 5.0))
    names = [f"element_{i}" for i in range(count)]
    machine = tg.Circuit(
        tg.Mass(mass=mass),
        {
            name: tg.FrictionImpedance(stiffness=K[i], damping=B[i], law=tg.Coulomb(F[i]))
            for i, name in enumerate(names)
        },
        ratios=dict(zip(names, ratios.tolist(), strict=True)),
    )
    force = 15.0 * np.sin(0.05 * np.arange(200)) * rng.choice([0.2, 1.0, 3.0])
    run = machine.run(force, period=T)
    dense = dense_coulomb(mass, K, B, F, ratios, force)
    np.testing.assert_allclose(run.velocity, dense, atol=1e-8 * np.abs(dense).max() + 1e-12)
    assert run.about["unsolved_steps"] == 0


FORCE = Part("force", "N", "force on the mover", letter="f")


@kernel
def hardening_answer(p, s, w, v, T):
    """A block of the user's own: f = -k x^3, a spring that hardens."""
    x = s.x[0] + T * v
    return -p.k * x**3, -3.0 * p.k * x * x * T


@kernel
def hardening_advance(p, s, w, v, T):
    s.x[0] += T * v
    s.f[0] = -p.k * s.x[0] ** 3


def hardening_kernels():
    return hardening_answer, hardening_advance


class HardeningSpring(Impedance):
    dimension = 1
    layout = layouts(parameters=(Part("cubic", "N/m³", letter="k"),), state=(Part("stretch", "m", letter="x"), FORCE))
    kernels = Kernels(hardening_kernels)
    values = None

    def __init__(self, cubic):
        self.values = {"cubic": cubic}


def test_a_stranger_of_many_kinds_equals_step_by_step_root_finding():
    """Falling friction, a composite, a geared spring to a moving base and a foreign block around a rubbing mass."""
    slider = tg.FrictionAdmittance(mass=0.7, law=tg.Viscous(limit=0.8, viscosity=0.4))
    parts = {
        "pad": tg.FrictionImpedance(
            stiffness=3e4, damping=30.0, law=tg.Stribeck(kinetic=1.0, static=1.6, velocity=0.05), mass=0.02
        ),
        "felt": tg.ParallelFriction(stiffness=[1e4, 2e4, 5e3], damping=2.0, limits=[0.3, 0.6, 0.9]),
        "dust": tg.ParallelFriction(stiffness=1e4, limits=[0.1, 0.2, 0.4]),
        "hand": tg.SpringDamper(stiffness=300.0, damping=3.0),
        "stop": HardeningSpring(2e5),
    }
    ratios = {"felt": 1.5, "dust": -1.0, "hand": 2.0}
    base = 0.3 * np.cos(2 * np.pi * 1.5 * T * np.arange(1500))
    push = 2.0 * np.sin(2 * np.pi * 4.0 * T * np.arange(1500))
    machine = tg.Circuit(slider, parts, ratios=ratios, bases=["hand"])
    run = machine.run(push, period=T, bases={"hand": base}, initial={"velocity": 0.1})

    # The reference asks each block alone, through its public step, for the force at a trial motion.
    lives = {name: part.start(period=T) for name, part in parts.items()}
    r = {name: ratios.get(name, 1.0) for name in parts}
    v, velocity, friction = 0.1, [], []
    for h, b in zip(push, base, strict=True):

        def forces(trial, b=b):
            total = 0.0
            for name, live in lives.items():
                kept = live.state
                total += r[name] * live.step(r[name] * trial - (b if name == "hand" else 0.0))
                live.state = kept
            return total

        def gap(trial, h=h, v=v):
            # M (v1 - v)/T = h + forces - (F + b |v1|) sgn(v1): monotone, so its set-valued jump at 0 is easily found
            rub = np.sign(trial) * (0.8 + 0.4 * abs(trial))
            return 0.7 * (trial - v) / T - h - forces(trial) + rub

        low, high = gap(-1e-300), gap(1e-300)
        if low <= 0.0 <= high:
            new = 0.0
        else:
            new = brentq(gap, 1e-300, 5.0, xtol=1e-15) if high < 0.0 else brentq(gap, -5.0, -1e-300, xtol=1e-15)
        friction.append(0.7 * (new - v) / T - h - forces(new))
        for name, live in lives.items():
            live.step(r[name] * new - (b if name == "hand" else 0.0))
        v = new
        velocity.append(v)
    np.testing.assert_allclose(run.velocity, velocity, atol=2e-11)
    np.testing.assert_allclose(run.friction, friction, atol=1e-6)
    stuck = np.array(velocity) == 0.0
    assert 20 < stuck.sum() < 1400  # the machine both sticks and slides, or the comparison would be weak
    assert (run.velocity[stuck] == 0.0).all()


def test_momentum_and_energy_balance():
    """The external work is the change of kinetic and elastic energy plus what friction took, never less."""
    brake = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(3.0))
    spring = tg.SpringDamper(stiffness=400.0)
    machine = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake, "spring": spring})
    force = 20.0 * np.sin(0.02 * np.arange(5000))
    run = machine.run(force, period=T)
    work = np.cumsum(force * run.velocity) * T
    held = 0.5 * run.velocity**2 + 0.5 * 400.0 * run.position**2 + 0.5 * 1e5 * run["brake.deflection"] ** 2
    assert (work >= held - 1e-12 * work.max()).all()
    before = np.concatenate([[0.0], run.velocity[:-1]])
    balance = (run.velocity - before) / T - force - run["brake.force"] - run["spring.force"]
    np.testing.assert_allclose(balance, 0.0, atol=1e-10)


def test_first_order_convergence_of_a_coupled_oscillator():
    """Mass, spring and damper against the closed form: the error falls with the period, order 1."""
    m, k, b, x0 = 1.0, 100.0, 1.0, 0.1
    machine = tg.Circuit(tg.Mass(mass=m), {"spring": tg.SpringDamper(stiffness=k, damping=b)})
    decay, w = b / (2 * m), np.sqrt(k / m - (b / (2 * m)) ** 2)
    exact = x0 * np.exp(-decay) * (np.cos(w) + decay / w * np.sin(w))
    errors, periods = [], [1e-3, 5e-4, 2.5e-4, 1.25e-4]
    for period in periods:
        run = machine.run(ticks=round(1.0 / period), period=period, initial={"position": x0, "spring.stretch": x0})
        errors.append(abs(run.position[-1] - exact))
    order = np.polyfit(np.log(periods), np.log(errors), 1)[0]
    assert abs(order - 1.0) < 0.1


def test_nested_circuit_equals_the_flat_one():
    brake = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(3.0))
    stack = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0])
    inner = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
    nested = tg.Circuit(inner, {"stack": stack})
    flat = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake, "stack": stack})
    force = 20.0 * np.sin(0.02 * np.arange(1000))
    np.testing.assert_allclose(nested.run(force, period=T).velocity, flat.run(force, period=T).velocity, atol=1e-13)


def test_hundreds_of_elements_make_one_short_loop():
    elements = {f"e{i}": tg.FrictionImpedance(stiffness=1e4, law=tg.Coulomb(0.1 * (i + 1))) for i in range(300)}
    machine = tg.Circuit(tg.Mass(mass=1.0), elements)
    assert len(source_of(machine.module).splitlines()) < 200
    stack = tg.ParallelFriction(stiffness=1e4, limits=0.1 * np.arange(1, 301))
    force = 6000.0 * np.sin(0.05 * np.arange(500))
    one = tg.Circuit(tg.Mass(mass=1.0), {"stack": stack}).run(force, period=T).velocity
    np.testing.assert_allclose(machine.run(force, period=T).velocity, one, atol=1e-9 * np.abs(one).max())


def test_causality_is_checked_when_the_circuit_is_built():
    spring, mass = tg.SpringDamper(stiffness=1.0), tg.Mass(mass=1.0)
    with pytest.raises(tg.CausalityError, match="Start a circuit with what moves"):
        tg.Circuit(spring, {"a": spring})
    with pytest.raises(tg.CausalityError, match="'a' is a Mass, which gives motion"):
        tg.Circuit(mass, {"a": tg.Mass(mass=1.0)})
    with pytest.raises(tg.CausalityError, match="is not a block"):
        tg.Circuit(mass, {"a": 3.0})
    slider = Inclusion({"p": "v", "v": "load"}, inputs={"load": 0.0}).to_stepper(period=T)
    for joined in (lambda: tg.Circuit(slider, {}), lambda: tg.Circuit(mass, {"a": slider}), lambda: tg.Link(slider)):
        with pytest.raises(tg.CausalityError, match=r"it has no ports.\n.*as_admittance\(force="):
            joined()
    tg.Circuit(slider.as_admittance(force="load", velocity="v"), {"a": spring})


def test_a_base_that_is_moved_twice_is_told_so():
    machine = tg.Circuit(tg.Mass(mass=1.0), {"y": tg.SpringDamper(stiffness=1.0)}, bases=["y"])
    with pytest.raises(tg.InputError, match=r"motion for \['y'\], and inputs for \['y'\](.|\n)*each of them once"):
        machine.run(bases={"y": np.zeros(3)}, inputs={"y.base_velocity": 0.0}, period=T)


def test_falling_friction_needs_a_mass_that_outweighs_it():
    """(c + T/m) max(-r') < 1, sharp: a mass below it is refused, one above it runs."""
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.1)
    pad = tg.FrictionImpedance(stiffness=1e4, damping=20.0, law=law)
    c, fall = 1.0 / (20.0 + T * 1e4), law.steepest_fall
    least = T / (1.0 / fall - c)
    with pytest.raises(tg.UniquenessError, match="two solutions"):
        tg.Circuit(tg.Mass(mass=0.99 * least), {"pad": pad}).run(ticks=1, period=T)
    tg.Circuit(tg.Mass(mass=1.01 * least), {"pad": pad}).run(ticks=1, period=T)


def test_a_step_that_does_not_converge_is_reported():
    """A block that breaks the contract (its force jumps past the solution) is not passed over in silence."""

    @kernel
    def rising_answer(p, s, w, v, T):
        return (1e3 if v < 1.0 else -1e3), 0.0

    @kernel
    def rising_advance(p, s, w, v, T):
        s.f[0] = 0.0

    def rising_kernels():
        return rising_answer, rising_advance

    class Rising(Impedance):
        dimension, values = 1, {}
        layout = layouts(state=(FORCE,))
        kernels = Kernels(rising_kernels)

    machine = tg.Circuit(tg.Mass(mass=1.0), {"rising": Rising()})
    with pytest.warns(tg.UnsolvedWarning, match="1 of 1 steps did not converge"):
        run = machine.run(np.full(1, -0.5), period=T, initial={"velocity": 1.0})
    assert run.about["unsolved_steps"] == 1
