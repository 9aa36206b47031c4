"""Nodes made from settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance
from tegotae.hybrid.devices.device import Device, SpringTwin, Twin
from tegotae.hybrid.devices.remote_device import FARTHEST
from tegotae.hybrid.links.faults import Faults
from tegotae.hybrid.machines.guarded import GuardedMachine, Machine
from tegotae.hybrid.machines.model_settings import OWN
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy
from tegotae.hybrid.safety.safety import Safety
from tegotae.hybrid.safety.sensing import Sensing, read_calibration
from tegotae.hybrid.settings import HexaSettings, OwnDevice, Settings, SpringSettings
from tegotae.toml_settings import fields_for


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
    """The simulated device; it stands where the model starts, at a pose that may be known already."""
    device = settings.device
    x, y, z, *turn = settings.model.start(settings.period) if start is None else start
    start = (x, y, device.height + z, *turn)
    if isinstance(device, SpringSettings):
        return SpringTwin(**fields_for(SpringTwin, device), period=settings.period, start=start)
    if isinstance(device, HexaSettings):
        from tegotae.hybrid.devices.hexa_twin import HexaTwin

        return HexaTwin(plant_of(device, settings.period), start=start)
    return checks.refuse(OWN, "device.kind='own' has no twin.", "Use clock='real', or device.kind='hexa' or 'spring'.")


def plant_of(device: HexaSettings, period: float) -> Any:
    """The table of the settings."""
    from tegotae.table import ForceSensor, HexaPlant, ProbedSurface

    plain = HexaPlant.default(kp=device.kp)
    servo = replace(
        plain.servo,
        damping=device.damping_ratio / 0.7 * plain.servo.kd,
        period=period,
        feedforward=device.feedforward,
        feedforward_in_contact=device.feedforward_in_contact,
    )
    surface = ProbedSurface(**fields_for(ProbedSurface, device))
    # Tared for the table's own servo, which must know a contact from the weight of a part; `signal` is not.
    sensor = ForceSensor(load=(0.0, 0.0, -9.81 * device.load, 0.0, 0.0, 0.0), noise=device.noise / 1e5).tared()
    return replace(plain, servo=servo, surface=surface, sensor=sensor, substeps=device.substeps)


def own_device(device: OwnDevice, period: float) -> Device:
    """A device of the user's own, which must keep the period [s] of the settings."""
    made: Device = device.made("device")
    if made.period != period:
        made.close()
        told = f"period={period:g} s, but the device keeps {made.period:g} s."
        checks.refuse(OWN, told, f"Use period={made.period:g}.")
    return made


def calibration_of(settings: Settings) -> ArrayLike | None:
    """From signals to a wrench: as in the file, or the twin's own."""
    if settings.sensor.calibration:
        return read_calibration(settings.sensor.calibration)
    if isinstance(settings.device, HexaSettings):
        from tegotae.table.parts import ideal_calibration

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
    """What the table may do; its box is about the surface's place."""
    own, height = settings.limits, settings.device.height
    a, b, c = own.box
    return Limits(
        **fields_for(Limits, own),
        lower=(-a, -b, height - c),
        upper=(a, b, height + c),
        angular_velocity=own.rate,
        force=settings.sensor.overload,
        torque=settings.sensor.overload_torque,
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
    return LossOfCommandPolicy(**fields_for(LossOfCommandPolicy, settings.limits))


def faults_of(settings: Settings) -> tuple[Faults, Faults]:
    """What happens on the way to the table, and on the way back; a delay is whole periods where they add up."""
    whole, faults = settings.link.delay, Faults(**fields_for(Faults, settings.link))
    back = math.floor(0.5 * whole / settings.period + 1e-9) * settings.period
    return replace(faults, delay=round(whole - back, 12)), replace(faults, delay=round(back, 12), drift=0.0)
