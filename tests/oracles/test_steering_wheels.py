"""Twins of wheels against closed forms and dense linear references."""

import numpy as np
import pytest
from scipy.linalg import expm

import tegotae as tg
from tegotae.control import PID, PSMC
from tegotae.device import AdmittanceDevice, Hand, ImpedanceDevice, ImpedanceTwin, Watch, hold
from tegotae.steering.hands import Driver, Hold, Ramp, Sine, TorqueProfile
from tegotae.steering.wheels import ForceFeedbackWheel, TorqueSensorWheel, steer

T = 1e-3
SERVO = PSMC(proportional=300.0, integral=1000.0, derivative=6.0, recovery=0.1, limit=8.0)
WITH_SENSOR = TorqueSensorWheel(servo=SERVO, torque_limit=8.0)


def test_a_held_wheel_swings_as_its_linear_equation_says():
    """J q'' = tau + K (qd - q) - (B + b) q'; backward Euler in steps h = T/10 damps it by w² h/2 too much."""
    J, b, K, B = 0.05, 0.02, 10.0, 0.1
    wheel = ForceFeedbackWheel(inertia=J, damping=b, torque_limit=9.0).start(
        period=T, hand=Driver(stiffness=K, damping=B, angle=0.3), angle=-0.2
    )
    angles = []
    for _ in range(600):
        wheel.command(np.array([1.0]))
        angles.append(wheel.angle)
    rates = np.array([[0.0, 1.0], [-K / J, -(B + b) / J]])
    rest = 0.3 + 1.0 / K
    exact = [rest + (expm(rates * T * (k + 1)) @ [-0.2 - rest, 0.0])[0] for k in range(600)]
    # the swing of .6 rad decays with (B + b)/2J = 1.2 /s; w² h/2 = .01 /s more moves it by .6 max(t exp(-1.2 t)) .01
    np.testing.assert_allclose(angles, exact, atol=0.6 * 0.31 * 0.01 * 1.5)


def test_a_hand_that_moves_on_drags_the_wheel_behind_it_by_its_damping():
    """Steady turning at w: K (qd - q) = b w, the hand's own damper at rest; and the transient as expm says."""
    J, b, K, B, w = 0.05, 0.5, 10.0, 1.0, 2.0
    wheel = ForceFeedbackWheel(inertia=J, damping=b, torque_limit=9.0).start(
        period=T, hand=Driver(stiffness=K, damping=B, angle=Ramp(rate=w))
    )
    rates = np.zeros((3, 3))  # of [q, q', qd]
    rates[0, 1], rates[1] = 1.0, [-K / J, -(B + b) / J, K / J]
    full = np.zeros((4, 4))
    full[:3, :3], full[:3, 3] = rates, [0.0, B * w / J, w]
    angles = []
    for _ in range(2000):
        wheel.command(0.0)
        angles.append(wheel.angle)
    exact = [(expm(full * T * (k + 1)) @ [0.0, 0.0, 0.0, 1.0])[0] for k in range(0, 2000, 50)]
    np.testing.assert_allclose(angles[::50], exact, atol=1e-4)  # |q''| h/2 / (decay) = 40 x 5e-5 / 30
    assert w * wheel.time - wheel.angle == pytest.approx(b * w / K, rel=1e-3)
    assert wheel.hand_torque == pytest.approx(b * w, rel=1e-3)


def test_dry_friction_stops_a_wheel_where_its_energy_is_spent_and_holds_below_its_limit():
    J, F = 0.05, 0.2
    wheel = ForceFeedbackWheel(inertia=J, friction=F, torque_limit=9.0).start(period=T)
    for _ in range(100):
        wheel.command(1.0)
    assert wheel.velocity == pytest.approx((1.0 - F) / J * 0.1, rel=1e-9)
    speed, start = wheel.velocity, wheel.angle
    for _ in range(1000):
        wheel.command(0.0)
    assert wheel.velocity == 0.0
    assert wheel.angle - start == pytest.approx(0.5 * J * speed**2 / F, rel=1e-3)
    here = wheel.angle
    for _ in range(100):
        wheel.command(0.99 * F)
    assert wheel.angle == here


def test_latency_resolution_and_limit_are_what_they_say():
    wheel = ForceFeedbackWheel(inertia=1.0, torque_limit=2.0, latency=5, resolution=1e-6).start(period=T)
    torques = []
    for _ in range(10):
        wheel.command(3.0)
        torques.append(wheel.motor_torque)
    assert torques == [0.0] * 5 + [2.0] * 5
    assert wheel.read()[0] == pytest.approx(round(wheel.angle * 1e6) * 1e-6, abs=1e-15)
    assert wheel.read()[0] != wheel.angle
    wheel.stop()
    wheel.command(0.0)
    assert wheel.motor_torque == 0.0  # what was on its way was dropped


def test_twins_have_the_members_that_a_driver_has():
    assert isinstance(WITH_SENSOR.start(period=T), AdmittanceDevice)
    assert isinstance(ForceFeedbackWheel(torque_limit=1.0).start(period=T), ImpedanceDevice)


@pytest.mark.parametrize("own_inertia", [0.02, 0.1])
def test_the_hand_feels_the_model_and_not_the_wheel(own_inertia):
    """A spring hand on a rendered inertia of .5 kg m²: it swings with 2 pi sqrt(.5/10), whatever the wheel weighs."""
    servo = PSMC(proportional=2000.0, integral=5000.0, derivative=25.0, recovery=0.1, limit=80.0)
    twin = TorqueSensorWheel(servo=servo, torque_limit=80.0, inertia=own_inertia, friction=0.05, resolution=1e-5)
    wheel = twin.start(period=T, hand=Driver(stiffness=10.0, damping=0.0, angle=0.3))
    model = tg.Mass(mass=0.5).start(period=T)
    run = steer(wheel, model, 5000, watch={"rim": Watch(wheel.read_angle, "rad", "encoder")})
    crossings = np.flatnonzero((run.rim[:-1] < 0.3) & (run.rim[1:] >= 0.3))
    period = np.diff(crossings).mean() * T
    assert period == pytest.approx(2.0 * np.pi * np.sqrt(0.5 / 10.0), rel=0.01)
    assert np.abs(run.rim - run.wheel_angle).max() < 0.02


@pytest.mark.parametrize("servo", [SERVO, PID(proportional=300.0, integral=1000.0, derivative=6.0, limit=8.0)])
def test_below_the_models_friction_the_wheel_stands_and_above_it_accelerates(servo):
    twin = TorqueSensorWheel(servo=servo, torque_limit=8.0, latency=1)
    column = tg.FrictionAdmittance(mass=0.2, law=tg.Coulomb(1.0))
    wheel = twin.start(period=T, hand=TorqueProfile(torque=0.9))
    held = steer(wheel, column.start(period=T), 2000)
    assert (held.wheel_angle == 0.0).all()
    assert abs(wheel.angle) < 1e-3  # the servo's integral takes the hand's torque
    assert wheel.motor_torque == pytest.approx(0.0)  # and it was released at the end
    wheel = twin.start(period=T, hand=TorqueProfile(torque=1.5))
    moved = steer(wheel, column.start(period=T), 500)
    assert moved.wheel_velocity[-1] == pytest.approx(0.5 / 0.2 * 0.5, rel=1e-9)
    assert wheel.angle == pytest.approx(moved.wheel_angle[-1], abs=0.03)


def test_after_a_release_far_away_the_sliding_mode_servo_brings_the_wheel_back_without_overshoot():
    wheel = WITH_SENSOR.start(period=T, angle=1.0)
    angles = []
    for _ in range(3000):
        wheel.command(0.0)
        angles.append(wheel.angle)
    assert min(angles) > -0.005
    assert abs(angles[-1]) < 1e-6


def test_a_stopped_servo_forgets_what_it_had_wound_up():
    twin = TorqueSensorWheel(servo=SERVO, torque_limit=8.0)
    wheel = twin.start(period=T, hand=TorqueProfile(torque=3.0))
    for _ in range(1000):
        wheel.command(0.0)
    assert wheel.motor_torque == pytest.approx(-3.0, abs=0.05)
    wheel.stop()
    wheel.command(wheel.angle)
    assert wheel.motor_torque == pytest.approx(0.0, abs=1e-9)


def test_noise_is_as_told_and_repeats():
    twin = TorqueSensorWheel(servo=SERVO, torque_limit=8.0, noise=0.1, seed=3)
    readings = [
        [twin_live.read()[0] for _ in range(2000)] for twin_live in (twin.start(period=T), twin.start(period=T))
    ]
    assert readings[0] == readings[1]
    assert np.std(readings[0]) == pytest.approx(0.1, rel=0.1)


def test_another_hand_may_take_the_wheel():
    wheel = ForceFeedbackWheel(torque_limit=1.0).start(period=T, hand=Driver(angle=Sine(amplitude=1.0)))
    for _ in range(500):
        wheel.command(0.0)
    assert wheel.hand_torque != 0.0
    wheel.hold(None)
    assert wheel.hand_torque == 0.0
    wheel.hold(Hand(stiffness=5.0, damping=0.0, target=hold(wheel.angle + 0.1)))
    assert wheel.hand_torque == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ForceFeedbackWheel(torque_limit=0.0), "torque_limit"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0, inertia=0.0), "inertia"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0, friction=-1.0), "friction"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0, latency=0.5), "latency"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0).start(period=0.0), "period"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0).start(period=T, angle=np.nan), "angle"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0).start(period=T, hand=Hold(value=1.0)), "hand"),
        (lambda: ForceFeedbackWheel(torque_limit=1.0).start(period=T).command(np.nan), "torque"),
        (lambda: TorqueSensorWheel(torque_limit=1.0, servo=tg.SpringDamper(stiffness=1.0)), "servo"),
        (lambda: TorqueSensorWheel(torque_limit=1.0, servo=SERVO, noise=-1.0), "noise"),
        (lambda: WITH_SENSOR.start(period=T).command([np.inf]), "angle"),
    ],
)
def test_bad_wheels_are_refused(make, says):
    with pytest.raises(tg.InputError, match=says):
        make()


@pytest.mark.parametrize(
    "twin", [WITH_SENSOR, ForceFeedbackWheel(torque_limit=5.0), ImpedanceTwin(mass=0.1, damping=0.1)]
)
@pytest.mark.parametrize("which", ["target", "push"])
def test_a_hand_that_gives_no_number_is_told_before_the_wheel_moves(twin, which):
    def spoilt(time):
        return np.array([np.nan if time > 3.5 * T else 0.01])

    hand = Hand(**{"target": hold(0.0), "push": hold(0.0), which: spoilt})
    wheel = twin.start(period=T, hand=hand)
    for _ in range(3):
        wheel.command(np.array([0.01]))
    if which == "push":  # which acts from where it is, while a target is where it goes
        wheel.command(np.array([0.01]))
    with pytest.raises(tg.InputError, match=rf"Hand: {which}\(0\.004 s\)\[0\]=nan"):
        wheel.command(np.array([0.01]))
    assert np.isfinite(wheel.position if isinstance(twin, ImpedanceTwin) else wheel.angle).all()
