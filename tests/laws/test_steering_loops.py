"""Laws of the loops through a wheel: late torques come to rest with the local renderer, failures release the wheel."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.control import PSMC
from tegotae.device import DeviceError, Watch
from tegotae.steering.hands import Driver, Sine, TorqueProfile, Waypoints
from tegotae.steering.rendering import GearedImpedance, LocalRenderer, Packet, VirtualCoupling
from tegotae.steering.wheels import ForceFeedbackWheel, TorqueSensorWheel, feel, steer

T = 1e-3
SERVO = PSMC(proportional=300.0, integral=1000.0, derivative=6.0, recovery=0.1, limit=8.0)
TRAIN = tg.FrictionImpedance(stiffness=200.0, law=tg.Coulomb(0.02))  # of the drive train, at the wheel
GEAR = 16.0


def parked_tyre():
    """21 stiff bristles (1e4 N/m) under parabolic pressure, turned about a point .02 m off their middle."""
    x = -0.1 + (np.arange(21) + 0.5) * 0.2 / 21
    arm = np.abs(x - 0.02)
    limits = 0.4 * 1e4 * (0.01 - x**2) * arm
    return tg.ParallelFriction(stiffness=1e4 * arm**2, damping=1e-9, limits=limits)


class WithTrain:
    """The tyre and the drive train's friction together, both on the far side of the link."""

    def __init__(self):
        self.tyre = GearedImpedance(parked_tyre().start(period=T), gear=GEAR)
        self.train = TRAIN.start(period=T)
        self.period = T

    def step(self, angle):
        tyre = self.tyre.step(angle)
        return Packet(torque=tyre.torque + self.train.step(position=angle), angle=angle)


def wound_up_and_released(latency, renderer):
    """1.2 N·m wind the parked wheel up; let go at 1.5 s it swings; the last of eight seconds is looked at."""
    pull = TorqueProfile(torque=Waypoints(times=[0.0, 1.0, 1.5, 1.501], values=[0.0, 1.2, 1.2, 0.0]))
    wheel = ForceFeedbackWheel(inertia=0.05, torque_limit=10.0).start(period=T, hand=pull)
    model = GearedImpedance(parked_tyre().start(period=T), gear=GEAR) if renderer else WithTrain()
    return feel(wheel, model, 8000, latency=latency, renderer=renderer).wheel_angle


def test_with_32_ms_a_released_wheel_cycles_for_ever_without_the_local_renderer():
    bare = wound_up_and_released(32, None)
    assert np.ptp(bare[-1000:]) > 0.5
    assert np.ptp(bare[-1000:]) > 0.9 * np.ptp(bare[-4000:-3000])  # it does not die out


@pytest.mark.parametrize("latency", [0, 32, 96])
def test_with_the_local_renderer_it_comes_to_rest_whatever_the_latency(latency):
    """Stuck bristles creep no further than the encoder of a good wheel can see (1e-4 rad)."""
    corrected = wound_up_and_released(latency, LocalRenderer(friction=TRAIN))
    assert 1.2 < corrected.max() < 1.4  # it was wound up
    assert np.ptp(corrected[-1000:]) < 1e-4


def test_the_local_renderer_leaves_the_feel_as_it_is_without_latency():
    """Slow steering, parked: peak and loop area of the torque with 32 ms and renderer as with neither."""
    loops = []
    for latency, renderer in ((0, None), (32, LocalRenderer(friction=TRAIN))):
        driver = Driver(stiffness=30.0, damping=3.0, angle=Sine(amplitude=1.0))
        wheel = ForceFeedbackWheel(inertia=0.05, torque_limit=10.0).start(period=T, hand=driver)
        model = GearedImpedance(parked_tyre().start(period=T), gear=GEAR) if renderer else WithTrain()
        run = feel(wheel, model, 8000, latency=latency, renderer=renderer)
        angle, torque = run.wheel_angle[4000:], run.wheel_torque[4000:]
        middle = 0.5 * (torque[1:] + torque[:-1])
        loops.append((-(middle * np.diff(angle)).sum(), np.abs(torque).max()))
    (area, peak), (late_area, late_peak) = loops
    assert late_area == pytest.approx(area, rel=0.10)
    assert late_peak == pytest.approx(peak, rel=0.05)


def test_at_speed_only_packet_and_friction_are_left():
    live = LocalRenderer(fade_speed=3.0).start(period=T)
    late = {"torque": -1.0, "angle": 0.5, "velocity": 1.0, "load_stiffness": 2.0, "full_stiffness": 8.0}
    live.render(Packet(**late), 0.4)
    parked = live.render(Packet(**late), 0.4)
    assert parked == pytest.approx(-1.0 + 8.0 * 0.1)
    assert live.render(Packet(**late, speed=1.5), 0.4) == pytest.approx(-1.0 + 0.5 * 8.0 * 0.1)
    assert live.render(Packet(**late, speed=-3.0), 0.4) == -1.0
    # damping is saturated: the faster of two motions is not resisted more
    assert live.render(Packet(torque=0.0, angle=0.0), 0.5) == pytest.approx(-0.02)
    assert live.render(Packet(torque=0.0, angle=0.0), 0.9) == pytest.approx(-0.02)


def test_a_packet_tells_what_its_springs_are():
    """Two springs, one sliding: going on meets the other alone, turning back meets both; over the gear squared."""
    pair = tg.ParallelFriction(stiffness=[100.0, 300.0], damping=0.0, limits=[1.0, 100.0])
    model = GearedImpedance(pair.start(period=T), gear=2.0)
    model.step(0.0)
    for angle in np.linspace(0.0, 0.06, 50)[1:]:
        packet = model.step(float(angle))
    assert packet.torque == pytest.approx(-(1.0 + 300.0 * 0.03) / 2.0)
    assert packet.load_stiffness == pytest.approx(300.0 / 4.0)
    assert packet.full_stiffness == pytest.approx(400.0 / 4.0)
    assert packet.velocity == pytest.approx(0.06 / 49 / T)


def test_a_circuit_is_felt_through_a_virtual_coupling():
    """Turned slowly back and forth, the wheel meets the circuit's dry friction; held, the coupling's spring alone."""
    brake = tg.FrictionImpedance(stiffness=1e3, damping=1.0, law=tg.Coulomb(0.8))
    machine = tg.Circuit(tg.Mass(mass=0.02), {"brake": brake})
    driver = Driver(stiffness=50.0, damping=2.0, angle=Waypoints(times=[0.0, 2.0, 4.0], values=[0.0, 1.0, 0.0]))
    wheel = ForceFeedbackWheel(inertia=0.05, torque_limit=5.0).start(period=T, hand=driver)
    coupling = VirtualCoupling(machine.start(period=T), stiffness=60.0, damping=0.6)
    run = feel(wheel, coupling, 4000, watch={"hand": Watch(lambda: wheel.hand_torque, "N·m", "on the rim")})
    np.testing.assert_allclose(run.wheel_torque[1000:1900], -0.8, atol=0.01)
    np.testing.assert_allclose(run.wheel_torque[3000:], 0.8, atol=0.01)
    np.testing.assert_allclose(run.hand[1000:1900], 0.8, atol=0.01)
    held = VirtualCoupling(machine.start(period=T), stiffness=60.0, damping=0.6)
    assert [held.step(0.01) for _ in range(1000)][-1].torque == pytest.approx(-0.01 / (1 / 60.0 + 1 / 1e3), rel=1e-3)


class Failing:
    """A wheel that fails at given calls of `read`: with a value, or by raising."""

    def __init__(self, device, failures):
        self.device, self.failures, self.reads, self.stops = device, dict(failures), 0, 0

    def __getattr__(self, name):
        return getattr(self.device, name)

    def read(self):
        failure = self.failures.get(self.reads)
        self.reads += 1
        if isinstance(failure, Exception):
            raise failure
        return self.device.read() if failure is None else np.atleast_1d(failure)

    def stop(self):
        self.stops += 1
        self.device.stop()


def steering(failures):
    twin = TorqueSensorWheel(servo=SERVO, torque_limit=8.0, friction=0.02)
    wheel = Failing(twin.start(period=T, hand=Driver(angle=Sine(amplitude=0.5))), failures)
    model = tg.FrictionAdmittance(mass=0.05, law=tg.Coulomb(0.3)).start(period=T)
    return wheel, model, steer


def feeling(failures):
    twin = ForceFeedbackWheel(torque_limit=8.0, latency=3)
    wheel = Failing(twin.start(period=T, hand=Driver(angle=Sine(amplitude=0.5))), failures)
    tyre = tg.FrictionImpedance(stiffness=800.0, law=tg.Coulomb(20.0))
    model = GearedImpedance(tyre.start(period=T), gear=GEAR)
    return wheel, model, feel


@pytest.mark.parametrize("make", [steering, feeling])
@pytest.mark.parametrize(
    ("failure", "says"),
    [(np.nan, "nan"), (np.inf, "inf"), (np.zeros(2), "finite number"), (OSError("unplugged"), "unplugged")],
    ids=["nan", "inf", "two numbers", "vanished"],
)
def test_a_failing_wheel_is_reported_released_and_can_be_rearmed(make, failure, says):
    wheel, model, loop = make({300: failure})
    with pytest.raises(DeviceError, match=says) as caught:
        loop(wheel, model, 1000)
    assert "tick 300" in str(caught.value)
    if isinstance(failure, Exception):
        assert caught.value.__cause__ is failure
    assert wheel.stops == 1
    assert wheel.stopped
    assert wheel.motor_torque == 0.0
    # The model never saw the bad reading; the same pair goes on from where it was, and nothing jumps.
    before = wheel.angle
    again = loop(wheel, model, 1000)
    assert all(np.isfinite(values).all() for values in again.values())
    assert abs(again.wheel_angle[0] - before) < 0.01
    assert wheel.stops == 2


def test_a_wheel_that_does_not_even_stop_says_so_and_why():
    wheel, model, loop = steering({5: OSError("unplugged")})
    wheel.device.stop = lambda: (_ for _ in ()).throw(OSError("no answer"))
    with pytest.raises(DeviceError, match="Cut its power") as caught:
        loop(wheel, model, 10)
    assert "unplugged" in str(caught.value)
    assert "no answer" in str(caught.value)


def test_a_command_that_is_not_taken_is_reported():
    wheel, model, loop = feeling({})
    taken = []

    def command(torque):
        if len(taken) == 7:
            raise OSError("unplugged")
        taken.append(torque)

    wheel.device.command = command
    with pytest.raises(DeviceError, match="tick 7"):
        loop(wheel, model, 10)
    assert wheel.stops == 1


def test_an_interrupt_releases_the_wheel_and_stays_an_interrupt():
    wheel, model, loop = steering({})
    wheel.device.command = lambda angle: (_ for _ in ()).throw(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        loop(wheel, model, 10)
    assert wheel.stops == 1


def test_a_model_that_gives_no_number_is_not_commanded():
    class Broken:
        period = T

        def step(self, angle):
            return Packet(torque=np.nan, angle=angle)

    wheel, _, loop = feeling({})
    with pytest.raises(tg.TegotaeError, match="tick 0"):
        loop(wheel, Broken(), 10)
    assert wheel.time == 0.0
    assert wheel.stops == 1


def test_limits_are_kept_and_counted():
    wheel, model, loop = feeling({})
    run = loop(wheel, model, 1000, torque_limit=0.5)
    assert np.abs(run.wheel_torque).max() == 0.5
    assert run.about["limited_ticks"] == int((np.abs(run.model_torque) > 0.5).sum()) > 0
    wheel, model, loop = steering({})
    with pytest.raises(DeviceError, match="torque_limit"):
        loop(wheel, model, 1000, torque_limit=0.1)
    assert wheel.stops == 1


def test_pairs_that_do_not_fit_are_refused():
    with_sensor, moving, _ = steering({})
    without, asked, _ = feeling({})
    with pytest.raises(tg.CausalityError, match="use feel"):
        steer(without, moving, 10)
    with pytest.raises(tg.CausalityError, match="use steer"):
        feel(with_sensor, asked, 10)
    with pytest.raises(tg.InputError, match="same period"):
        steer(with_sensor, tg.Mass(mass=1.0).start(period=2e-3), 10)
    with pytest.raises(tg.InputError, match="neither wheel_angle nor position"):
        steer(with_sensor, tg.SpringDamper(stiffness=1.0).start(period=T), 10)
