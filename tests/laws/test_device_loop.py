"""Laws of the device loop: it always stops the device, counts what it missed, and refuses nonsense."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.device import (
    AdmittanceTwin,
    DeviceError,
    Hand,
    ImpedanceTwin,
    RealTime,
    Watch,
    glide,
    hold,
    render,
    render_motion,
    steps,
    waypoints,
)

T = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
SLIDER = tg.FrictionAdmittance(mass=2.0, law=tg.Coulomb(4.0))
TWIN = ImpedanceTwin(mass=0.2, damping=15.0)


class Scripted:
    """A driver written without the package: it replays readings and remembers what it was told."""

    period = None

    def __init__(self, causality, readings):
        self.causality = causality
        self.readings = iter(readings)
        self.dimension = len(np.atleast_1d(readings[0]))
        self.commands = []
        self.stops = 0

    def read(self):
        value = next(self.readings)
        if isinstance(value, Exception):
            raise value
        return np.atleast_1d(value)

    def command(self, value):
        self.commands.append(value.copy())

    def stop(self):
        self.stops += 1


class FakeTime:
    """Time that passes only when told: by sleeping, by spinning, by work."""

    def __init__(self, oversleep=0.0):
        self.t, self.oversleep, self.slept = 100.0, oversleep, 0.0

    def now(self):
        self.t += 1e-6
        return self.t

    def sleep(self, seconds):
        assert seconds > 0.0
        self.slept += seconds
        self.t += seconds + self.oversleep


def test_a_foreign_driver_gets_the_forces_of_a_plain_run():
    position = 0.01 * np.sin(np.linspace(0.0, 6.0, 200))
    device = Scripted("impedance", list(position))
    result = render(device, BRAKE.start(period=T), 200)
    expected = BRAKE.run(position=position, period=T)
    np.testing.assert_array_equal(result.force, expected.force)
    np.testing.assert_array_equal(np.concatenate(device.commands), expected.force)
    np.testing.assert_array_equal(result.deflection, expected.deflection)
    assert device.stops == 1


def test_a_foreign_admittance_driver_gets_the_positions_of_a_plain_run():
    force = 6.0 * np.sin(np.linspace(0.0, 6.0, 200))
    device = Scripted("admittance", list(force))
    result = render_motion(device, SLIDER.start(period=T, initial={"position": 0.2}), 200)
    expected = SLIDER.run(force, period=T, initial={"position": 0.2})
    np.testing.assert_array_equal(np.concatenate(device.commands), expected.position)
    np.testing.assert_array_equal(result.velocity, expected.velocity)
    assert device.stops == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("causality", "loop", "block"), [("impedance", render, BRAKE), ("admittance", render_motion, SLIDER)]
)
def test_nonsense_from_a_device_stops_it_and_raises(causality, loop, block, bad):
    device = Scripted(causality, [0.0, 0.1, bad, 0.0])
    with pytest.raises(DeviceError, match="tick 2"):
        loop(device, block.start(period=T), 4)
    assert device.stops == 1
    assert len(device.commands) == 2


@pytest.mark.parametrize("error", [OSError("cable"), KeyboardInterrupt()])
def test_any_interruption_stops_the_device_and_keeps_its_cause(error):
    class Broken(Scripted):
        def command(self, value):
            raise error

    device = Broken("impedance", [0.0])
    with pytest.raises(type(error)):
        render(device, BRAKE.start(period=T), 1)
    assert device.stops == 1


def test_force_limit_shortens_the_force_without_turning_it_and_counts():
    brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(10.0), dimension=2)
    path = np.outer(np.arange(100), [3e-5, 4e-5])
    free = render(Scripted("impedance", list(path)), brake.start(period=T), 100)
    device = Scripted("impedance", list(path))
    limited = render(device, brake.start(period=T), 100, force_limit=5.0)
    size = np.linalg.norm(free.force, axis=1)
    assert limited.about["limited_ticks"] == (size > 5.0).sum() > 10
    assert np.linalg.norm(device.commands, axis=1).max() <= 5.0 * (1 + 1e-15)
    shortened = free.force * np.minimum(1.0, 5.0 / np.maximum(size, 1e-9))[:, None]
    np.testing.assert_allclose(limited.force, shortened, rtol=1e-14, atol=1e-14)


def test_an_admittance_device_that_is_pushed_too_hard_is_stopped():
    device = Scripted("admittance", [1.0, 30.0, 1.0])
    with pytest.raises(DeviceError, match="above force_limit=20 N"):
        render_motion(device, SLIDER.start(period=T), 3, force_limit=20.0)
    assert device.stops == 1
    assert len(device.commands) == 1


def test_wrong_pairs_are_refused_before_anything_moves():
    live, slider = BRAKE.start(period=T), SLIDER.start(period=T)
    stiff = AdmittanceTwin(bandwidth=50.0).start(period=T)
    light = TWIN.start(period=T)
    with pytest.raises(tg.CausalityError, match="render_motion for admittance devices"):
        render(stiff, live, 1)
    with pytest.raises(tg.CausalityError, match="needs an impedance"):
        render(light, slider, 1)
    with pytest.raises(tg.CausalityError):
        render_motion(light, slider, 1)
    with pytest.raises(tg.CausalityError):
        render(object(), live, 1)
    with pytest.raises(tg.InputError, match="dimension=2"):
        render(ImpedanceTwin(mass=0.2, damping=1.0, dimension=2).start(period=T), live, 1)
    with pytest.raises(tg.InputError, match="same period"):
        render(TWIN.start(period=2e-3), live, 1)
    with pytest.raises(tg.InputError, match="ticks=0"):
        render(light, live, 0)
    with pytest.raises(tg.InputError, match="force_limit"):
        render(light, live, 1, force_limit=-1.0)


def test_the_clock_counts_exactly_the_ticks_that_took_too_long():
    time = FakeTime()
    work = {3: 2.5e-3, 7: 1.2e-3}

    class Slow(Scripted):
        def command(self, value):
            time.t += work.get(len(self.commands), 1e-4)
            super().command(value)

    device = Slow("impedance", [0.0] * 20)
    result = render(device, BRAKE.start(period=T), 20, clock=RealTime(now=time.now, sleep=time.sleep))
    assert result.about["deadline_misses"] == 2
    assert set(np.flatnonzero(result.slack < 0.0)) == {3, 7}
    assert result.slack[3] == pytest.approx(-1.5e-3, abs=2e-5)  # a few readings of the clock, 1 us each
    on_time = np.delete(result.lateness, [3, 7])
    assert on_time.max() < 5e-6
    # 20 ticks of 1 ms; the long one lost two whole ticks, the shorter one none: no burst makes up for them
    assert time.t - 100.0 == pytest.approx(20e-3 + 1e-3, abs=1e-4)


def test_the_clock_sleeps_most_of_the_way_and_reports_oversleeping():
    punctual, lazy = FakeTime(), FakeTime(oversleep=5e-4)
    for time, late in ((punctual, 0.0), (lazy, 3e-4)):
        clock = RealTime(spin=2e-4, now=time.now, sleep=time.sleep)
        clock.start(T)
        slack, lateness = clock.wait()
        assert slack == pytest.approx(T, abs=5e-6)
        assert lateness == pytest.approx(late, abs=5e-6)
        assert time.slept == pytest.approx(T - 2e-4, abs=5e-6)
    with pytest.raises(tg.InputError, match="start"):
        RealTime().wait()


def test_results_carry_units_and_what_was_watched():
    twin = TWIN.start(hand=Hand(target=glide([0.0, 0.1], [0.0, 0.02])), period=T)
    watch = {"hand_force": Watch(lambda: twin.hand_force, "N", "of the hand")}
    result = render(twin, BRAKE.start(period=T), 100, watch=watch)
    units = {name: v.unit for name, v in result.variables.items()}
    assert units["position"] == "m"
    assert units["force"] == units["hand_force"] == units["friction"] == "N"
    assert result.hand_force.shape == result.position.shape == (100,)
    assert result.dataset.sizes["time"] == 100


@pytest.mark.parametrize(
    "make",
    [
        lambda: ImpedanceTwin(mass=0.0, damping=1.0),
        lambda: ImpedanceTwin(mass=1.0, damping=-1.0),
        lambda: ImpedanceTwin(mass=1.0, damping=1.0, resolution=np.nan),
        lambda: ImpedanceTwin(mass=1.0, damping=1.0, force_limit=0.0),
        lambda: ImpedanceTwin(mass=1.0, damping=1.0, delay=0.5),
        lambda: AdmittanceTwin(bandwidth=0.0),
        lambda: AdmittanceTwin(bandwidth=5.0, bias=(1.0, 2.0, 3.0), dimension=2),
        lambda: Hand(target=3.0),
        lambda: Hand(stiffness=-1.0, target=hold(0.0)),
        lambda: glide([0.0, 0.0], [0.0, 1.0]),
        lambda: waypoints([0.0, 1.0], [0.0]),
        lambda: steps([0.0], [np.nan]),
        lambda: TWIN.start(period=0.0),
        lambda: TWIN.start(period=T, position=[0.0, 1.0]),
        lambda: TWIN.start(period=T).command([1.0, 2.0]),
        lambda: RealTime(spin=-1.0),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(tg.InputError):
        make()
