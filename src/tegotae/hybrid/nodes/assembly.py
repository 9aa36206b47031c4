"""Nodes made from settings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from tegotae import checks
from tegotae.block import Admittance
from tegotae.checks import Array
from tegotae.hybrid.devices.device import Device, SpringTwin, Twin
from tegotae.hybrid.devices.remote_device import FARTHEST
from tegotae.hybrid.machines.guarded import GuardedMachine, Machine
from tegotae.hybrid.machines.model_settings import OWN, code_of
from tegotae.hybrid.nodes.dynamics_core import DynamicsCore
from tegotae.hybrid.safety.calibrations import read_calibration
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy
from tegotae.hybrid.safety.safety import Safety
from tegotae.hybrid.safety.sensing import Sensing
from tegotae.hybrid.settings import HexaSettings, OwnDevice, Settings, SpringSettings


def core_of(settings: Settings, machine: Machine | Admittance | None = None) -> DynamicsCore:
    """What the dynamics node simulates."""
    if machine is None:
        machine = settings.model.machine(settings.period)
    return DynamicsCore(
        machine=GuardedMachine(machine, period=settings.period, guard=settings.guard),
        stiffness=expected_stiffness(settings),
        compensation=settings.compensation,
        longest=settings.link.max_age,
        bridged=loss_of_command_of(settings).goes_on(settings.period) + FARTHEST * settings.period,
    )


def expected_stiffness(settings: Settings) -> float:
    """Of the contact as the table makes it, before anything was felt [N/m]."""
    device = settings.device
    if isinstance(device, HexaSettings):
        from tegotae.table import Hexa

        table = Hexa.default()
        servo = float(table.stiffness(*table.home, device.kp)[2, 2])
        return 1.0 / (1.0 / servo + 1.0 / device.stiffness)
    return device.stiffness


def twin_of(settings: Settings, start: Sequence[float] | None = None) -> Twin:
    """The simulated device; it stands where the model starts.

    Args:
        settings: of the session.
        start: pose of the model at its start, if that is known.
    """
    device = settings.device
    x, y, z, *turn = settings.model.start(settings.period) if start is None else start
    start = (x, y, device.height + z, *turn)
    if isinstance(device, SpringSettings):
        return SpringTwin(
            stiffness=device.stiffness,
            damping=device.damping,
            period=settings.period,
            height=device.height,
            lag=device.lag,
            start=start,
        )
    if isinstance(device, HexaSettings):
        from tegotae.hybrid.devices.hexa_twin import HexaTwin

        return HexaTwin(plant_of(device, settings.period), start=start)
    return checks.refuse(OWN, "device.kind='own' has no twin.", "Use clock='real', or device.kind='hexa' or 'spring'.")


def plant_of(device: HexaSettings, period: float) -> Any:
    """The table of the settings."""
    from tegotae.table import ForceSensor, HexaPlant, ProbedSurface

    plain = HexaPlant.default(kp=device.kp)
    servo = dataclasses.replace(
        plain.servo,
        damping=device.damping_ratio / 0.7 * plain.servo.kd,
        period=period,
        feedforward=device.feedforward,
        feedforward_in_contact=device.feedforward_in_contact,
    )
    surface = ProbedSurface(
        height=device.height,
        stiffness=device.stiffness,
        damping=device.damping,
        probe=device.probe,
        friction=device.friction,
    )
    # Tared for the table's own servo, which must know a contact from the weight of a part; `signal` is not.
    sensor = ForceSensor(load=(0.0, 0.0, -9.81 * device.load, 0.0, 0.0, 0.0), noise=device.noise / 1e5).tared()
    return dataclasses.replace(plain, servo=servo, surface=surface, sensor=sensor, substeps=device.substeps)


def own_device(device: OwnDevice, period: float) -> Device:
    """A device of the user's own, which must keep the period [s] of the settings."""
    made: Device = code_of("device.factory", device.factory)(**device.options)
    if made.period != period:
        made.close()
        checks.refuse(
            OWN, f"period={period:g} s, but the device keeps {made.period:g} s.", f"Use period={made.period:g}."
        )
    return made


def calibration_of(settings: Settings) -> Array | None:
    """From signals to a wrench: as in the file, or the twin's own."""
    if settings.sensor.calibration:
        import numpy as np

        return np.array(read_calibration(settings.sensor.calibration), dtype=np.float64)
    if isinstance(settings.device, HexaSettings):
        from tegotae.table.sensor import ideal_calibration

        return ideal_calibration()
    return None


def sensing_of(settings: Settings) -> Sensing:
    """What makes wrenches of the device's signals."""
    own = settings.sensor
    torque = own.steady / 10.0
    return Sensing(
        calibration=calibration_of(settings),
        readings=max(1, own.tare),
        slow=own.slow,
        quiet=(own.steady,) * 3 + (torque,) * 3,
        overload=(own.overload,) * 3 + (own.overload_torque,) * 3,
        contact=own.threshold,
        release=own.release,
    )


def limits_of(settings: Settings) -> Limits:
    """What the table may do; its box is about the surface's place.

    Example:
        >>> limits_of(Settings(device=SpringSettings(height=0.2))).upper
        (0.05, 0.05, 0.25)
    """
    own = settings.limits
    x, y, z = 0.0, 0.0, settings.device.height
    a, b, c = own.box
    return Limits(
        lower=(x - a, y - b, z - c),
        upper=(x + a, y + b, z + c),
        tilt=own.tilt,
        velocity=own.velocity,
        angular_velocity=own.rate,
        acceleration=own.acceleration,
        angular_acceleration=own.angular_acceleration,
        force=settings.sensor.overload,
        torque=settings.sensor.overload_torque,
        joint_margin=own.joint_margin,
        singularity=own.singularity,
    )


def safety_of(settings: Settings, device: Device) -> Safety:
    """What has the last word on the device's motion."""
    return Safety(
        limits=limits_of(settings),
        period=settings.period,
        start=device.read().pose,
        loss_of_command=loss_of_command_of(settings),
        margins=device.margins,
    )


def loss_of_command_of(settings: Settings) -> LossOfCommandPolicy:
    """What the table does when commands stay away."""
    own = settings.limits
    return LossOfCommandPolicy(watchdog=own.watchdog, coast=own.coast, ramp=own.ramp, jump=own.jump)


def ways_of(settings: Settings) -> tuple[float, float]:
    """The delay that is added on the way to the table and on the way back [s], whole periods where they add up.

    Example:
        >>> from tegotae.hybrid.settings import LinkSettings
        >>> ways_of(Settings(link=LinkSettings(delay=0.01)))
        (0.006, 0.004)
    """
    whole = checks.at_least_zero(OWN, "link.delay", settings.link.delay, "s", "Use 0 for none.")
    back = math.floor(0.5 * whole / settings.period + 1e-9) * settings.period
    return round(whole - back, 12), round(back, 12)
