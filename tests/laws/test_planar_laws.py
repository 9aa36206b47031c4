"""What no tyre may do, however it is driven: exceed its friction, give energy when parked, prefer one side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.running.probe import Probe
from tegotae.steering.patch import ContactPatch, PlanarPatch
from tegotae.steering.pressure import Parabolic, TabulatedPressure, Uniform

LOAD, TICKS, PERIOD = 1400.0, 120, 1e-3
seeds = st.integers(0, 2**31)


def rough(seed, *sizes):
    """Records that wander through 0, one for each size."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(len(sizes), TICKS)) * np.array(sizes)[:, None] / np.sqrt(TICKS) * 4.0
    return np.cumsum(steps, axis=1) * (rng.random((len(sizes), 1)) > 0.2)


def some_patch(seed, **changes):
    rng = np.random.default_rng(seed)
    own = {"stiffness": float(rng.choice([500.0, 1e4])), "damping": float(rng.choice([0.0, 10.0, 150.0]))}
    return PlanarPatch(**{**own, "bristles": 21, "rows": 4, **changes})


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_friction_is_never_exceeded(seed):
    patch = some_patch(seed, pressure=Uniform.carrying(LOAD), half_width=0.05)
    steer, alpha, speed, slip = rough(seed, 0.5, 0.3, 20.0, 3.0)
    run = patch.run(steer=steer, slip_angle=alpha, speed=speed, slip=slip, period=PERIOD)
    assert np.hypot(run.longitudinal_force, run.lateral_force).max() <= 0.4 * LOAD * (1 + 1e-12)
    farthest = np.hypot(0.12, 0.05)
    assert np.abs(run.torque).max() <= 0.4 * LOAD * farthest
    assert run.stuck.min() >= 0.0
    assert run.stuck.max() <= 1.0


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_a_parked_tyre_gives_no_energy(seed):
    """The work of the steering torque, from unstretched bristles on, never becomes negative."""
    run = some_patch(seed).run(steer=rough(seed, 0.5)[0], speed=0.0, period=PERIOD)
    work = np.cumsum(run.torque * np.diff(run.steer, prepend=run.steer[0]))
    assert work.min() >= -1e-13 * (1.0 + np.abs(work).max())


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_left_and_right_are_alike(seed):
    patch = some_patch(seed)
    steer, alpha, speed, slip = rough(seed, 0.5, 0.3, 20.0, 3.0)
    left = patch.run(steer=steer, slip_angle=alpha, speed=speed, slip=slip, period=PERIOD)
    right = patch.run(steer=-steer, slip_angle=-alpha, speed=speed, slip=slip, period=PERIOD)
    np.testing.assert_allclose(right.lateral_force, -left.lateral_force, atol=1e-9)
    np.testing.assert_allclose(right.torque, -left.torque, atol=1e-10)
    np.testing.assert_allclose(right.longitudinal_force, left.longitudinal_force, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_one_row_without_longitudinal_slip_is_the_contact_patch(seed):
    """Two programs, one physics: any steering, slip angle and speed, forwards and backwards, damped or not."""
    rng = np.random.default_rng(seed)
    own = {"stiffness": 1e4, "damping": float(rng.choice([0.0, 20.0])), "bristles": int(rng.integers(1, 40))}
    profiles = [
        Parabolic(),
        Uniform(load=66.0),
        TabulatedPressure(positions=[-0.1, 0.03, 0.1], loads=[10.0, 90.0, 20.0]),
    ]
    own["pressure"] = profiles[rng.integers(3)]
    steer, alpha, speed = rough(seed, 0.5, 0.3, 40.0)
    wide = PlanarPatch(**own).run(steer=steer, slip_angle=alpha, speed=speed, period=PERIOD)
    row = ContactPatch(**own).run(steer=steer, slip_angle=alpha, speed=speed, period=PERIOD)
    np.testing.assert_allclose(wide.lateral_force, row.lateral_force, atol=1e-8)
    np.testing.assert_allclose(wide.torque, row.torque, atol=1e-9)
    assert np.abs(wide.longitudinal_force).max() == 0.0


def test_every_so_many_ticks_is_a_thinned_record():
    steer = rough(3, 0.5)[0]
    patch = some_patch(3)
    whole = patch.run(steer=steer, speed=3.0, period=PERIOD)
    thin = patch.run(steer=steer, speed=3.0, period=PERIOD, every=7)
    np.testing.assert_array_equal(thin.torque, whole.torque[6::7])
    np.testing.assert_array_equal(thin.steer, whole.steer[6::7])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"stiffness": 0.0}, "stiffness=0.0 N/m must be > 0"),
        ({"damping": -1.0}, "damping=-1.0"),
        ({"friction": float("nan")}, "friction=nan is not finite"),
        ({"bristles": 0}, "bristles=0 must be a whole number >= 1"),
        ({"rows": 2.5}, "rows=2.5"),
        ({"half_width": -0.1}, "half_width=-0.1"),
        ({"half_length": float("inf")}, "half_length=inf"),
        ({"centre": "front"}, "centre='front'"),
        ({"pressure": 3.0}, "pressure=3.0 is not a Pressure"),
    ],
)
def test_bad_parameters_are_refused(changes, says):
    with pytest.raises(tg.InputError, match=says) as caught:
        PlanarPatch(**changes)
    assert "\n  " in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"speed": float("nan")}, r"speed.*nan m/s is not finite"),
        ({"speed": [1.0, 2.0]}, "speed has shape"),
        ({"steer": []}, "steer is empty"),
        ({"slip": [0.0, np.inf, 0.0]}, r"slip\[1\]=inf"),
        ({"period": 0.0}, "period=0.0 s must be > 0"),
        ({"every": 0}, "every=0"),
    ],
)
def test_bad_records_are_refused(changes, says):
    with pytest.raises(tg.InputError, match=says):
        PlanarPatch().run(**{"steer": np.zeros(3), "speed": 1.0, "period": 1e-3, **changes})


def test_a_parked_tyre_never_settles():
    with pytest.raises(tg.InputError, match="never settles"):
        PlanarPatch().steady(slip_angle=0.1, speed=0.0)
    with pytest.raises(tg.InputError, match="has shape"):
        PlanarPatch().steady(slip_angle=[0.1, 0.2], speed=1.0, slip=[0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Parabolic(curvature=0.0), "curvature=0.0"),
        (lambda: Uniform(load=-1.0), "load=-1.0"),
        (lambda: TabulatedPressure(positions=[0.0, 0.0], loads=[1.0, 1.0]), "does not rise"),
        (lambda: TabulatedPressure(positions=[0.0], loads=[1.0]), "at least two points"),
        (lambda: TabulatedPressure(positions=[0.0, 1.0], loads=[1.0]), "2 positions but 1 loads"),
        (lambda: TabulatedPressure(positions=[0.0, 1.0], loads=[1.0, -1.0]), r"loads\[1\]=-1.0"),
        (lambda: TabulatedPressure(positions=[0.0, 1.0], loads=[0.0, 0.0]), "every load is 0"),
        (lambda: TabulatedPressure(positions=[0.0, float("nan")], loads=[1.0, 1.0]), "not finite"),
        (lambda: Parabolic().total(0.0), "half_length=0.0"),
    ],
)
def test_bad_profiles_are_refused(make, says):
    with pytest.raises(tg.InputError, match=says):
        make()


@pytest.mark.parametrize("rolling", [0.0, 8.0, -8.0])
@pytest.mark.parametrize("slip_rate", [0.0, 300.0], ids=["held", "growing"])
@pytest.mark.parametrize("friction", [0.4, tg.Viscous(limit=0.4, viscosity=0.1)], ids=["coulomb", "viscous"])
def test_as_a_block_it_answers_what_it_commits_and_its_slope_is_a_derivative(friction, rolling, slip_rate):
    """`answer` is pure and equals what `advance` leaves; the slope against central differences, kinks left out."""
    patch = PlanarPatch(stiffness=1e4, damping=5.0, bristles=9, rows=3, friction=friction)
    given = {"rolling_speed": rolling, "slip_rate": slip_rate, "drift_rate": -0.5 * slip_rate}
    probe, rng, smooth = Probe(patch, PERIOD, given), np.random.default_rng(5), 0
    for _ in range(40):
        v = rng.normal(size=3) * [0.5, 0.5, 5.0]
        before = probe.state.copy()
        force, slope = probe.answer(v)
        steps = np.diag([1e-6, 1e-6, 1e-5])
        sides = [(probe.answer(v + d), probe.answer(v - d)) for d in steps]
        assert probe.state == before
        numeric = np.array([(up[0] - down[0]) / (2 * d.sum()) for (up, down), d in zip(sides, steps, strict=True)]).T
        if max(np.abs(up[1] - down[1]).max() for up, down in sides) < 1e-3 * np.abs(slope).max():
            smooth += 1
            np.testing.assert_allclose(numeric, slope, atol=1e-5 * np.abs(slope).max())
        probe.advance(v)
        np.testing.assert_allclose(probe.state["force"], force, atol=1e-9)
    assert smooth > 20


def test_stepped_live_it_is_the_record_run():
    """A constant slip, one tick at a time through the block, and compiled through `run`."""
    patch = some_patch(1, rows=3)
    live = patch.start(period=PERIOD, initial={"rolling_speed": 5.5})
    stepped = np.array([live.step([-0.5, -5.0 * 0.1, 0.0]) for _ in range(50)])
    run = patch.run(steer=np.zeros(50), slip_angle=0.1, speed=5.0, slip=0.5, period=PERIOD)
    np.testing.assert_allclose(stepped[:, 0], run.longitudinal_force, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(stepped[:, 1], run.lateral_force, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(stepped[:, 2], -run.torque, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("make", [ContactPatch, PlanarPatch])
def test_a_run_is_told_of_and_records_what_is_asked_for(make):
    patch, shares = make(bristles=9), []
    steer = 0.1 * np.sin(0.1 * np.arange(60))
    whole = patch.run(steer=steer, slip_angle=0.02, speed=4.0, period=PERIOD)
    asked = {"record": ["force", "deflection"], "progress": shares.append}
    some = patch.run(steer=steer, slip_angle=0.02, speed=4.0, period=PERIOD, every=5, **asked)
    assert shares == [1.0]
    assert some.deflection.shape == (12, *np.shape(patch.initial_state(PERIOD)["deflection"]))
    np.testing.assert_array_equal(some.torque, whole.torque[4::5])
    np.testing.assert_array_equal(whole.steer, steer)  # as given, not as summed up
    assert "stuck" not in some
