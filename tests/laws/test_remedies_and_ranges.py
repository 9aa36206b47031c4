"""What errors advise works as printed, and numbers at the edge of their range are not lost in silence."""

import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from machines import between

T = 1e-3
NUMBER = r"([0-9.e+-]+[0-9])"


@settings(max_examples=80, deadline=None)
@given(
    K=between(1.0, 1e7),
    B=st.floats(0.0, 50.0),
    drop=between(0.1, 100.0),
    speed=between(1e-3, 1.0),
    period=between(1e-5, 1e-2),
)
def test_following_the_impedance_error_to_its_printed_digits_helps(K, B, drop, speed, period):
    law = tg.Stribeck(kinetic=3.0, static=3.0 + drop, velocity=speed)
    element = tg.FrictionImpedance(stiffness=K, damping=B, law=law)
    try:
        element.check(period)
    except tg.UniquenessError as error:
        damping, mass = map(float, re.search(rf"damping >= {NUMBER}, or mass >= {NUMBER} kg", str(error)).groups())
        tg.FrictionImpedance(stiffness=K, damping=damping, law=law).check(period)
        tg.FrictionImpedance(stiffness=K, damping=B, mass=mass, law=law).check(period)


@settings(max_examples=80, deadline=None)
@given(mass=between(1e-4, 1.0), drop=between(0.1, 100.0), speed=between(1e-3, 1.0), period=between(1e-5, 1e-2))
def test_following_the_admittance_error_helps(mass, drop, speed, period):
    law = tg.Stribeck(kinetic=3.0, static=3.0 + drop, velocity=speed)
    try:
        tg.FrictionAdmittance(mass=mass, law=law).check(period)
    except tg.UniquenessError as error:
        shorter, heavier = map(float, re.search(rf"period <= {NUMBER} s, or mass >= {NUMBER} kg", str(error)).groups())
        tg.FrictionAdmittance(mass=mass, law=law).check(shorter)
        tg.FrictionAdmittance(mass=heavier, law=law).check(period)


@settings(max_examples=80, deadline=None)
@given(mass=between(1e-4, 0.1), K=between(1e3, 1e7), drop=between(1.0, 30.0), speed=between(0.05, 1.0))
def test_following_the_circuit_error_helps(mass, K, drop, speed):
    pad = tg.FrictionImpedance(stiffness=K, damping=400.0, law=tg.Stribeck(3.0, 3.0 + drop, speed))
    try:
        pad.check(T)
        tg.Circuit(tg.Mass(mass=mass), {"pad": pad}).check(T)
    except tg.UniquenessError as error:
        if advice := re.search(rf"Add {NUMBER} kg", str(error)):
            tg.Circuit(tg.Mass(mass=mass + float(advice[1])), {"pad": pad}).check(T)


@settings(max_examples=80, deadline=None)
@given(near=between(1e-4, 0.1), far=between(1e-4, 10.0), K=between(1e3, 1e7), drop=between(1.0, 30.0))
def test_following_the_error_of_several_machines_helps(near, far, K, drop):
    """It names those that need it: followed, it is accepted; what is done to another machine is of no use."""
    pad = tg.FrictionImpedance(stiffness=K, damping=1000.0, law=tg.Stribeck(3.0, 3.0 + drop, 0.05))
    links = {"pad": tg.Link(pad, "near", "far"), "rope": tg.Link(tg.SpringDamper(stiffness=1.0), "far", "third")}
    masses = {"near": near, "far": far, "third": 1e-3}

    def check(masses):
        tg.Circuit({name: tg.Mass(mass=mass) for name, mass in masses.items()}, links).check(T)

    try:
        check(masses)
    except tg.UniquenessError as error:
        more, named = re.search(rf"Add {NUMBER} kg to each of (.*), or", str(error)).groups()
        assert named == "'near' and 'far'"
        check(masses | {name: masses[name] + float(more) for name in ("near", "far")})
        with pytest.raises(tg.UniquenessError):
            check(masses | {"third": 1.0 + float(more)})
    law = tg.Coulomb(3.0)  # "or give 'pad' a law that falls less"
    tg.Circuit({n: tg.Mass(mass=m) for n, m in masses.items()}, links).varied({"pad.law": law}).check(T)


def test_what_cannot_fall_is_not_searched_for_a_direction(monkeypatch):
    """Only falling friction makes a matrix of all motions, and only an error asks it in which of them it falls."""
    pad = tg.FrictionImpedance(stiffness=1e4, damping=1000.0, law=tg.Stribeck(3.0, 9.0, 0.05))
    masses = {f"m{i}": tg.Mass(mass=1.0 + i) for i in range(4)}

    def refused(matrix):
        raise AssertionError("nothing falls, or all is well")

    monkeypatch.setattr(np.linalg, "eigh", refused)
    falls = tg.Circuit(masses, {"pad": tg.Link(pad, "m0", "m3")})
    falls.check(T)
    assert 0.0 < falls.least_reluctance(T) < 1.0 / T
    monkeypatch.setattr(np.linalg, "eigvalsh", refused)
    monkeypatch.setattr(np, "diag", refused)
    rests = tg.Circuit(masses, {"rope": tg.Link(tg.SpringDamper(stiffness=1.0), "m0", "m3")})
    rests.check(T)
    assert rests.least_reluctance(T) == 1.0 / T


def test_a_ratio_is_advised_where_ports_do_not_fit():
    """Who names no port is told those that would do; a matrix is for those whose dimension no port has."""
    from tegotae.steering import Column

    for spring, told in (
        (tg.SpringDamper(stiffness=1.0), r"Use dimension=2, or Link\(\.\.\.\) to one of its ports: wheel, tyre\.$"),
        (
            tg.SpringDamper(stiffness=1.0, dimension=3),
            r"or Link\(\.\.\., ratio=matrix\), a matrix of shape \(3, 2\)\.$",
        ),
    ):
        for joined in (spring, tg.Link(spring)):
            with pytest.raises(tg.InputError, match=told):
                tg.Circuit(Column(), {"a": joined})
    tg.Circuit(Column(), {"a": tg.Link(tg.SpringDamper(stiffness=1.0), "wheel")}).run(ticks=2, period=T)
    deep = tg.Link(tg.SpringDamper(stiffness=1.0, dimension=3), ratio=[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    tg.Circuit(Column(), {"a": deep}).run(ticks=2, period=T)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e-5, 1e150, 1e200])
def test_vectors_neither_overflow_nor_vanish(size):
    """In the plane as on the line: a motion along one axis gives the force of one dimension."""
    flat = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    deep = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
    speed = np.full(3, size)
    line, plane = flat.run(speed, period=T).force, deep.run(np.stack([speed, 0 * speed], axis=1), period=T).force
    np.testing.assert_allclose(plane[:, 0], line, rtol=1e-12)
    slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(1e-200), dimension=2)
    assert np.isfinite(slider.run(np.full((3, 2), size), period=T).velocity).all()


def test_a_run_that_leaves_the_range_of_numbers_says_so():
    stiff = tg.FrictionImpedance(stiffness=1e12, damping=10.0, law=tg.Coulomb(4.0))
    with pytest.warns(tg.DivergenceWarning, match=r"not finite from 3 s on"):
        stiff.run([1e307, -1e307, 1.0, 0.0], period=1.0, record=["force"])
    light = tg.Circuit(tg.Mass(mass=1e-9), {"a": tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(1.0))})
    with (
        pytest.warns(tg.DivergenceWarning, match=r"not finite from 1 s on"),  # 1e309 m/s
        pytest.warns(tg.UnsolvedWarning, match="did not converge"),
    ):
        light.run([1e300] * 2, period=1.0, record=["velocity"])
    with pytest.raises(tg.InputError, match="velocity \\(from position\\)"):
        stiff.run(position=[0.0, 1e308, -1e308], period=1e-6)
    with pytest.raises(tg.InputError, match="leaves the range of numbers"):
        tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(1.0)).run(np.ones(3), period=1e-200)


def test_a_steep_stribeck_law_far_beyond_its_fall():
    """exponent 100: the fall is over, 3 N are left: v = (h - 3) t/m."""
    pad = tg.FrictionImpedance(stiffness=1e6, damping=2e4, law=tg.Stribeck(3.0, 5.0, 0.01, exponent=100.0))
    run = tg.Circuit(tg.Mass(mass=50.0), {"pad": pad}).run(np.full(3000, 2e3), period=T)
    assert run.about["unsolved_steps"] == 0
    assert run.velocity[-1] == pytest.approx((2e3 - 3.0) * 3.0 / 50.0, rel=1e-3)


def test_a_custom_law_that_turns_negative_far_out_is_not_used():
    law = tg.CustomLaw(lambda s: 3.0 - s / 40.0)  # negative from 120 m/s on, beyond the sampled speeds
    with pytest.warns(tg.DivergenceWarning):
        tg.FrictionImpedance(stiffness=6000.0, damping=100.0, law=law).run(np.full(5, 200.0), period=T)


def test_unsolved_steps_are_counted_live_and_nested():
    from tegotae.friction.classics import Karnopp

    # 14.05 N take the momentum to the edge of the band within one tick, where the velocity jumps to 0.01 m/s; the
    # spring it then feels (0.11 N) would have kept it inside: no velocity satisfies the tick, on any processor.
    slider = Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)
    spring = {"spring": tg.SpringDamper(stiffness=1e4, damping=1.0)}
    force = np.array([14.05, 0.0, 0.0])
    machine = tg.Circuit(slider, spring)
    with pytest.warns(tg.UnsolvedWarning, match="did not converge"):
        counted = machine.run(force, period=T).about["unsolved_steps"]
    assert counted == 1
    live = machine.start(period=T)

    def drive():
        for h in force:
            live.step(h)

    with pytest.warns(tg.UnsolvedWarning, match="did not converge"):
        drive()
    assert live["unsolved"] == counted


def test_no_compile_inside_the_loop(monkeypatch):
    """Read-only, strided and integer inputs go through the kernel that `start` compiled."""
    live = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0), dimension=2).start(period=T)
    monkeypatch.setattr("tegotae.compile.native.Native.of", None)  # nothing is compiled or loaded from here on
    fixed = np.array([0.1, 0.2])
    fixed.flags.writeable = False
    for value in (fixed, np.ones((2, 2))[:, 0], [0, 1], (0.1, 0.2), np.array([1, 2]), np.float32([0.1, 0.2])):
        live.step(value)


def test_checkpoints_copies_and_pickles_keep_the_position():
    brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(40.0))
    live = brake.start(period=T)
    for p in (0.0, 1e-4, 2e-4):
        live.step(position=p)
    other = brake.start(period=T)
    other.state = live.state
    twins = [other, copy.copy(live), copy.deepcopy(live), pickle.loads(pickle.dumps(live))]
    forces = [one.step(position=3e-4) for one in (live, *twins)]
    assert forces == [pytest.approx(-1.8)] * 5
    live.step(0.1)  # moves on by 0.1 mm; a position afterwards counts from there
    assert live.step(position=4e-4) == pytest.approx(-2.4)
    with pytest.raises(tg.InputError, match="both velocity and position"):
        live.step(1.0, position=1.0)


def test_circuits_are_pickled_after_a_run():
    machine = tg.Circuit(tg.Mass(mass=1.0), {"a": tg.FrictionImpedance(stiffness=1e4, law=tg.Coulomb(1.0))})
    force = np.full(50, 2.0)
    before = machine.run(force, period=T).velocity
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).run(force, period=T).velocity, before)


def test_every_block_can_be_varied_in_a_batch():
    velocity = 0.1 * np.sin(0.05 * np.arange(200))
    composite = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0])
    sweep = composite.batch(stiffness=[1e3, 1e4], damping=[0.0, 5.0])
    run = sweep.run(velocity, period=T)
    for i, (K, B) in enumerate([(1e3, 0.0), (1e4, 5.0)]):
        alone = tg.ParallelFriction(stiffness=K, damping=B, limits=[1.0, 2.0]).run(velocity, period=T)
        np.testing.assert_array_equal(run.force[i], alone.force)
    mixed = tg.FrictionImpedance(stiffness=1e4, law=tg.Coulomb(1.0)).batch(law=[tg.Coulomb(1.0), tg.Viscous(1.0, 2.0)])
    assert mixed.run(velocity, period=T).force.shape == (2, 200)
    machine = tg.Circuit(tg.Mass(mass=1.0), {"a": composite})
    assert [one.admittances[""].mass for one in machine.batch(mass=[1.0, 3.0]).blocks] == [1.0, 3.0]
    with pytest.raises(
        tg.InputError, match=r"batch has 'weight'(.|\n)*a, (.|\n)*mass; and what is in them, such as a\."
    ):
        machine.batch(weight=[1.0])
