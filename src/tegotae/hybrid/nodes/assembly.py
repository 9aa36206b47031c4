"""Nodes made from settings, and what a table so made promises when a node dies: how long and how far it then moves.

A command that is lost comes to rest as the limits say; a mechanism follows its command through a servo, and swings. So
a simulated table is stopped before it starts: a second one, driven at the speed that its limits allow by the very nodes
that will drive the first, until the commands stay away. What is then seen is the promise. A real table cannot be tried:
it is told in the settings how long it takes to settle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance
from tegotae.hybrid.clocks.clock import VirtualClock
from tegotae.hybrid.devices.device import Device, SpringTwin, Twin
from tegotae.hybrid.devices.remote_device import FARTHEST, DeviceNode, RemoteDevice
from tegotae.hybrid.links.datagrams import Faults
from tegotae.hybrid.links.kinds import MemoryLink
from tegotae.hybrid.links.packets import Command, NodeState
from tegotae.hybrid.machines.guarded import GuardedMachine, Machine
from tegotae.hybrid.machines.model_settings import OWNER
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy, Rest, Stopping
from tegotae.hybrid.safety.poses import Pose, moved
from tegotae.hybrid.safety.safety import Safety
from tegotae.hybrid.safety.sensing import NOTHING_FELT, Sensing, read_calibration
from tegotae.hybrid.settings import HexaSettings, LimitSettings, OwnDevice, Settings, SpringSettings
from tegotae.toml_settings import fields_for


def core_of(settings: Settings, machine: Machine | Admittance | None = None) -> DynamicsCore:
    """What the dynamics node simulates."""
    simulated = settings.model.machine(settings.period) if machine is None else machine
    return DynamicsCore(
        machine=GuardedMachine(simulated, period=settings.period, guard=settings.guard),
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
    remedy = "Use clock='real', or device.kind='hexa' or 'spring'."
    return checks.refuse(OWNER, "device.kind='own' has no twin.", remedy)


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


def sensing_of(settings: Settings) -> Sensing:
    """What makes wrenches of the device's signals, by the calibration in the file, or the twin's own."""
    sensor = settings.sensor
    calibration: ArrayLike | None = None
    if sensor.calibration:
        calibration = read_calibration(sensor.calibration)
    elif isinstance(settings.device, HexaSettings):
        from tegotae.table.parts import ideal_calibration

        calibration = ideal_calibration()
    return Sensing(
        calibration=calibration,
        readings=max(1, sensor.tare),
        slow=sensor.slow,
        quiet=(sensor.steady,) * 3 + (sensor.steady / 10.0,) * 3,
        overload=(sensor.overload,) * 3 + (sensor.overload_torque,) * 3,
        contact=sensor.threshold,
        release=sensor.release,
    )


def limits_of(settings: Settings) -> Limits:
    """What the table may do; its box is about the surface's place."""
    limits, height = settings.limits, settings.device.height
    a, b, c = limits.box
    return Limits(
        **fields_for(Limits, limits),
        lower=(-a, -b, height - c),
        upper=(a, b, height + c),
        angular_velocity=limits.rate,
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


_RUN_UP = 0.06  # s at full speed
_REACH = 10.0  # m: only the speed is to be limited here
_LONGEST = 2.0  # s that is waited for rest
_QUIET = 0.1  # s of rest that is believed
_OTHERWISE = 1.1  # elsewhere in its workspace a table is a little softer than where it starts
# Away from the surface, along it, and turned about both: the four motions of a table that is alike all round.
_DIRECTIONS = ((0, 0, -1, 0, 0, 0), (1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1))


def stopping_of(settings: Settings) -> Stopping:
    """What a table of these settings promises; refused where it is more than the limits allow."""
    limits, device, T = settings.limits, settings.device, settings.period
    if isinstance(device, OwnDevice):  # its rest without commands, and what it is said to take to settle, at full speed
        policy = loss_of_command_of(settings)
        far = limits.velocity * (policy.goes_on(T) + device.settling)
        found = Stopping(policy.rest_after(T) + device.settling, far)
    else:
        found = _tried(device, limits, settings.model.start(T), T)
    for name, unit in (("time", "s"), ("distance", "m")):
        if not getattr(found, name) <= (most := getattr(limits, f"stopping_{name}")):
            checks.refuse(
                OWNER,
                f"when commands stay away the table moves on for {found.time:.3g} s and {found.distance:.3g} m, but "
                f"limits.stopping_{name}={most:g} {unit}.",
                "Lower limits.velocity, watchdog, coast or ramp, take a stiffer or better damped servo, or allow more.",
            )
    return found


@cache
def _tried(device: HexaSettings | SpringSettings, limits: LimitSettings, start: Pose, period: float) -> Stopping:
    """The longest of all ways to move, and of both who may die: the dynamics or the table node."""
    settings = Settings(device=device, limits=limits, period=period)
    seen = [_left_alone(settings, start, direction, who) for direction in _DIRECTIONS for who in ("dynamics", "table")]
    return Stopping(_OTHERWISE * max(time for time, _ in seen), _OTHERWISE * max(far for _, far in seen))


def _left_alone(settings: Settings, begins: Pose, direction: Sequence[int], dying: str) -> tuple[float, float]:
    """Until a table at full speed is at rest when a node dies [s], and how far it went [m]."""
    T, twin = settings.period, twin_of(settings, begins)
    start = tuple(twin.read().pose)
    limits = replace(limits_of(settings).around(start[:3], _REACH), tilt=1.5)
    twist = tuple((limits.velocity if i < 3 else limits.angular_velocity) * part for i, part in enumerate(direction))
    clock = VirtualClock(T)
    here, there = MemoryLink.pair(clock)
    node = DeviceNode(twin=twin, link=there, clock=clock, limits=limits)
    remote = RemoteDevice(link=here, period=T)
    safety = Safety(limits=limits, period=T, start=start, loss_of_command=loss_of_command_of(settings))
    died, command = math.ceil(_RUN_UP / T), Command(label=0.0, pose=start)
    rest = Rest(limits, T)
    for tick in range(died + math.ceil(_LONGEST / T)):
        node.step(clock.wait())
        if tick <= died:
            command = Command(label=tick * T, pose=moved(start, twist, tick * T), twist=twist)
        if tick >= died and rest.step(twin.read().pose) > _QUIET:
            break
        if tick <= died or dying == "dynamics":
            age = max(tick - died, 0) * T
            order = safety.step(age=age, command=command, reading=remote.read(), felt=NOTHING_FELT)
            remote.command(order.pose, order.twist, label=order.label)
            if tick == died and NodeState.RUNNING not in order.state:
                problem = f"at limits.velocity={limits.velocity:g} m/s the table does not follow."
                checks.refuse(OWNER, problem, "Allow it less.")
    return rest.time, rest.distance
