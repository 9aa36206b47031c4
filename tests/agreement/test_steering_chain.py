"""The whole chain with the true steering system: both causalities of a wheel, and a column that gives."""

from dataclasses import replace

import numpy as np
import pytest

from tegotae.control import PSMC
from tegotae.steering import (
    Column,
    Driver,
    ForceFeedbackWheel,
    Sine,
    SteeringSystem,
    TorqueSensorWheel,
    TorsionBar,
    VirtualCoupling,
    feel,
    steer,
)

T = 1e-3
DRIVER = Driver(angle=Sine(amplitude=1.0, frequency=0.5))
TICKS = 3000


def ideal(system):
    return system.run(hand=DRIVER, duration=TICKS * T, period=T)


@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_with_a_torque_sensor_the_hand_feels_the_model(speed):
    """Position-controlled: the wheel follows the model, and the driver turns both as if the model were the wheel."""
    system = SteeringSystem.physical(speed=speed, bristles=51)
    servo = PSMC(proportional=2000.0, integral=2e4, derivative=25.0, recovery=0.02, limit=40.0)
    wheel = TorqueSensorWheel(inertia=0.02, servo=servo, torque_limit=40.0).start(period=T, hand=DRIVER.hand())
    run = steer(wheel, system.start(period=T), TICKS)
    wanted = ideal(system)
    late = slice(500, None)
    assert run.wheel_angle[late] == pytest.approx(wanted.wheel_angle[late], abs=0.02)
    assert np.abs(run.hand_torque - wanted.hand_torque)[late].max() < 0.1 * np.abs(wanted.hand_torque).max()


def test_without_a_torque_sensor_the_torque_comes_through_a_virtual_coupling():
    """Angle in, torque out: once the coupling is wound up, the wheel is turned against the model's own torque."""
    system = SteeringSystem.physical(speed=20.0, bristles=51)
    coupling = VirtualCoupling(system.start(period=T), stiffness=60.0, damping=0.3)
    wheel = ForceFeedbackWheel(inertia=0.01, torque_limit=20.0).start(period=T, hand=DRIVER.hand())
    run = feel(wheel, coupling, TICKS)
    wanted = ideal(system)
    late = slice(500, None)
    assert run.wheel_angle[late] == pytest.approx(wanted.wheel_angle[late], abs=0.05)
    # The coupling winds up by about 10 mrad, so near the centre, where torque rises steeply, it comes a little later.
    assert np.abs(run.wheel_torque + wanted.hand_torque)[late].max() < 0.4 * np.abs(wanted.hand_torque).max()
    assert np.ptp(run.wheel_torque[late]) == pytest.approx(np.ptp(wanted.hand_torque[late]), rel=0.05)


def test_a_torsion_bar_twists_by_the_torque_it_carries():
    """Parked and pushed below the tyre's limit until all is at rest: wheel angle - N steer = torque/stiffness."""
    bar = TorsionBar(stiffness=150.0, damping=2.0)
    system = replace(SteeringSystem.paper(), column=Column(compliance=bar))
    run = system.run(np.full(20_000, 0.3), period=T)
    assert run.about["unsolved_steps"] == 0
    assert run.wheel_angle[-1] - 16.0 * run.steer[-1] == pytest.approx(0.3 / 150.0, rel=1e-6)
    assert run.bar_torque[-1] == pytest.approx(0.3, rel=1e-6)


def test_a_stiff_bar_is_a_rigid_column():
    """With the wheel's inertia seen at the tyre, N^2 times, added to the rest."""
    rigid = replace(SteeringSystem.paper(speed=20.0), column=Column(inertia=2.4 + 256.0 * 1e-3))
    wanted = ideal(rigid)
    apart = []
    for stiffness in (1e3, 1e4):
        bar = TorsionBar(stiffness=stiffness, damping=1.0, wheel_inertia=1e-3)
        run = ideal(replace(rigid, column=Column(compliance=bar)))
        apart.append(np.abs(run.wheel_angle - wanted.wheel_angle)[500:].max())
        twist = run.wheel_angle - 16.0 * run.steer
        assert np.abs(twist)[500:].max() < 2.0 / stiffness
    assert apart[1] < 0.2 * apart[0]
    assert apart[1] < 2e-4
