"""One TOML file for all nodes of a hybrid simulation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

from tegotae import checks
from tegotae.hybrid.bus.bus import checked_word
from tegotae.hybrid.links.datagrams import Faults
from tegotae.hybrid.machines.model_settings import KINDS, OWNER, ModelSettings, OwnCode
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy
from tegotae.parameters import Parameter, Seed, declared, parameter_of
from tegotae.rotations import Vector
from tegotae.toml_settings import Kinds, SettingsGroup, lines, put, read, read_toml, tables

_REMEDY = "`tegotae hybrid show` prints every name with its unit."


@dataclass(frozen=True, kw_only=True)
class HexaSettings(SettingsGroup):
    """The twin of the six-arm table; its probe meets a fixed surface."""

    kp: Annotated[float, Parameter("[N·m/rad], > 0, stiffness of each servo")] = 200.0
    damping_ratio: Annotated[float, Parameter("[-], > 0, of the servo on the plate")] = 0.7
    feedforward: Annotated[
        float, Parameter("[-], share of the reference's rate that the servo knows in free flight")
    ] = 1.0
    feedforward_in_contact: Annotated[float, Parameter("[-], the same while a contact is felt; 1 damps it")] = 0.0
    probe: Annotated[Vector, Parameter("[m], tip of the probe from the plate's centre")] = (0.0, 0.0, 0.05)
    height: Annotated[float, Parameter("[m], of the surface in the table's world")] = -0.42
    stiffness: Annotated[float, Parameter("[N/m], > 0, of surface and probe")] = 1e5
    damping: Annotated[float, Parameter("[N·s/m], >= 0, of surface and probe")] = 300.0
    friction: Annotated[float, Parameter("[-], >= 0, coefficient between tip and surface")] = 0.0
    substeps: Annotated[int, Parameter("1 to 1000, of the mechanism's motion in a period")] = 8
    load: Annotated[float, Parameter("[kg], >= 0, mass of the part on the sensor, whose weight is tared")] = 0.288
    noise: Annotated[float, Parameter("[N], >= 0, of the sensor's force, standard deviation of a sample")] = 0.0


@dataclass(frozen=True, kw_only=True)
class SpringSettings(SettingsGroup):
    """An ideal table: it is where it was told to be, and a spring pushes it back."""

    stiffness: Annotated[float, Parameter("[N/m], > 0, of the contact")] = 45292.0
    damping: Annotated[float, Parameter("[N·s/m], >= 0, of the contact")] = 0.0
    height: Annotated[float, Parameter("[m], of the surface in the table's world")] = 0.0
    lag: Annotated[float, Parameter("[s], >= 0, time constant with which it follows")] = 0.0


@dataclass(frozen=True, kw_only=True)
class OwnDevice(OwnCode):
    """A device of the user's own, for a real table: `docs/attaching_a_table.md`."""

    height: Annotated[float, Parameter("[m], of the fixed part's surface in the table's world")] = 0.0
    stiffness: Annotated[float, Parameter("[N/m], > 0, of the table and its probe as expected")] = 1e4
    settling: Annotated[
        float, Parameter("[s], 0 to 60, how long it takes to rest when its command does; measure it")
    ] = 0.05


@dataclass(frozen=True, kw_only=True)
class SensorSettings(SettingsGroup):
    """The force sensor as the table node reads it."""

    calibration: Annotated[
        str, Parameter("file with the 6 x 6 matrix from signals to N and N·m (TOML or CSV); '' for the twin's own")
    ] = ""
    tare: Annotated[int, Parameter("0 to 100000, readings at rest whose mean is taken for zero; 0 for none")] = 50
    steady: Annotated[float, Parameter("[N], > 0, largest spread of the force while it tares")] = 0.5
    slow: Annotated[float, Parameter("[m/s and rad/s], > 0, largest velocity while it tares")] = 3e-3
    threshold: Annotated[float, Parameter("[N], > 0, force from which a contact is felt")] = 0.1
    release: Annotated[float, Parameter("[N], > 0, force below which it is over")] = 0.05
    overload: Annotated[float, Parameter("[N], > 0, force at which the table trips")] = 60.0
    overload_torque: Annotated[float, Parameter("[N·m], > 0, torque at which the table trips")] = 10.0


@dataclass(frozen=True, kw_only=True)
class LimitSettings(SettingsGroup):
    """What the table node allows, whatever it is told; the box is about the surface's place."""

    box: Annotated[Vector, Parameter("[m], > 0, half sizes of what the contact point may reach")] = (0.05, 0.05, 0.05)
    tilt: Annotated[float, parameter_of(Limits, "tilt")] = 0.3
    velocity: Annotated[float, parameter_of(Limits, "velocity")] = 0.1
    rate: Annotated[float, parameter_of(Limits, "angular_velocity")] = 0.5
    acceleration: Annotated[float, parameter_of(Limits, "acceleration")] = 20.0
    angular_acceleration: Annotated[float, parameter_of(Limits, "angular_acceleration")] = 50.0
    joint_margin: Annotated[float, parameter_of(Limits, "joint_margin")] = 0.05
    singularity: Annotated[float, parameter_of(Limits, "singularity")] = 0.1
    watchdog: Annotated[int, parameter_of(LossOfCommandPolicy, "watchdog")] = 5
    coast: Annotated[float, parameter_of(LossOfCommandPolicy, "coast")] = 0.012
    ramp: Annotated[float, parameter_of(LossOfCommandPolicy, "ramp")] = 0.024
    jump: Annotated[float, parameter_of(LossOfCommandPolicy, "jump")] = 5e-3
    stopping_time: Annotated[
        float, Parameter("[s], > 0, <= 60, longest that the table itself may move on without commands")
    ] = 0.25
    stopping_distance: Annotated[float, Parameter("[m], > 0, <= 10, farthest that it may then go")] = 0.02


@dataclass(frozen=True, kw_only=True)
class LinkSettings(SettingsGroup):
    """The fast links, and what is done to them on purpose."""

    dynamics: Annotated[str, Parameter("where the dynamics node listens; port 0: any free one (hybrid run)")] = (
        "127.0.0.1:0"
    )
    table: Annotated[str, Parameter("where the table node listens to the dynamics")] = "127.0.0.1:0"
    table_device: Annotated[str, Parameter("where the table node listens to the device's process")] = "127.0.0.1:0"
    device: Annotated[str, Parameter("where the device's process listens")] = "127.0.0.1:0"
    key: Annotated[str, Parameter("file with the shared key; '' makes one for this run (hybrid run)")] = ""
    max_age: Annotated[float, Parameter("[s], > 0, <= 60, largest round trip of a packet")] = 0.2
    delay: Annotated[float, Parameter("[s], 0 to 60, added to the loop, half each way; virtual: whole ticks")] = 0.0
    jitter: Annotated[float, parameter_of(Faults, "jitter")] = 0.0
    loss: Annotated[float, parameter_of(Faults, "loss")] = 0.0
    duplication: Annotated[float, parameter_of(Faults, "duplication")] = 0.0
    reordering: Annotated[float, parameter_of(Faults, "reordering")] = 0.0
    corruption: Annotated[float, parameter_of(Faults, "corruption")] = 0.0
    drift: Annotated[float, parameter_of(Faults, "drift")] = 0.0
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class ClockSettings(SettingsGroup):
    """How the nodes of a real run wait."""

    spin: Annotated[float, Parameter("[s], 0 to 1, last part of a wait that is spun, not slept; 0 never spins")] = 0.0
    nice: Annotated[
        int, Parameter("-20 to 0, how far the loops go before other programs; an event tells if refused")
    ] = -10
    priority: Annotated[int, Parameter("0 to 99, of SCHED_FIFO; 0 for none")] = 0
    lock_memory: Annotated[bool, Parameter("keep memory from being paged out")] = False


@dataclass(frozen=True, kw_only=True)
class BusSettings(SettingsGroup):
    """Discovery, parameters, viewer stream and log: where each node listens."""

    dynamics: Annotated[str, Parameter("the dynamics node; port 0: any free one (hybrid run)")] = "127.0.0.1:0"
    table: Annotated[str, Parameter("the table node")] = "127.0.0.1:0"
    device: Annotated[str, Parameter("the device's process")] = "127.0.0.1:0"
    log: Annotated[str, Parameter("the log node")] = "127.0.0.1:0"
    view: Annotated[str, Parameter("the viewer")] = "127.0.0.1:0"


@dataclass(frozen=True, kw_only=True)
class ViewSettings(SettingsGroup):
    """The viewer."""

    on: Annotated[bool, Parameter("whether `hybrid run` starts it")] = True
    address: Annotated[str, Parameter("of its page; port 0: any free one")] = "127.0.0.1:8080"
    rearm: Annotated[
        bool, Parameter("whether its page may re-arm the table: it knows no password, only this computer")
    ] = False


_MODELS = Kinds("what is simulated", **{name: resolve_name(home)() for name, home in KINDS.items()})
_DEVICES = Kinds("what is real, or stands for it", hexa=HexaSettings(), spring=SpringSettings(), own=OwnDevice())


@dataclass(frozen=True, kw_only=True)
class Settings(SettingsGroup):
    """All of a hybrid simulation; `toml()` shows every number with its meaning.

    Example:
        >>> from tegotae.hybrid.settings import Settings
        >>> Settings().period
        0.002
    """

    session: Annotated[str, Parameter("name, by which its nodes find each other", accept=checked_word)] = "two-robots"
    period: Annotated[float, Parameter("[s], 1e-5 to 1, of a tick")] = 2e-3
    duration: Annotated[float, Parameter("[s], > 0, <= 1e8, simulated, from when the table is ready")] = 3.0
    clock: Annotated[
        Literal["real", "virtual"], Parameter("virtual: all nodes in lockstep, as fast as they compute")
    ] = "real"
    guard: Annotated[bool, Parameter("let a contact give back no more energy than it took")] = True
    compensation: Annotated[bool, Parameter("bring late forces up to date and send the table ahead")] = True
    model: Annotated[ModelSettings, _MODELS] = _MODELS.default
    device: Annotated[HexaSettings | SpringSettings | OwnDevice, _DEVICES] = _DEVICES.default
    sensor: Annotated[SensorSettings, Kinds("how the force is read", sensor=SensorSettings())] = SensorSettings()
    limits: Annotated[LimitSettings, Kinds("what the table node allows", limits=LimitSettings())] = LimitSettings()
    link: Annotated[LinkSettings, Kinds("the fast links, and their faults", link=LinkSettings())] = LinkSettings()
    waiting: Annotated[ClockSettings, Kinds("how real clocks wait", waiting=ClockSettings())] = ClockSettings()
    bus: Annotated[BusSettings, Kinds("where nodes meet beside the fast link", bus=BusSettings())] = BusSettings()
    view: Annotated[ViewSettings, Kinds("the viewer", view=ViewSettings())] = ViewSettings()

    def toml(self) -> str:
        """As a TOML file, every number with its meaning and unit; read back it is the same."""
        return "\n".join(["# tegotae hybrid", "", *lines(self)]) + "\n"

    def tables(self) -> dict[str, Any]:
        """As nested tables of plain values; `settings_of` reads them."""
        return tables(self)


def read_settings(path: str | os.PathLike[str] | None = None, changes: Sequence[str] = ()) -> Settings:
    """From a TOML file, then from changes such as ``link.delay=0.01``; defaults for the rest.

    Args:
        path: of the file; none for the defaults.
        changes: name=value.

    Example:
        >>> read_settings(changes=["link.delay=0.01", "guard=false"]).link.delay
        0.01
    """
    given = {} if path is None else read_toml(checks.path_of("read_settings", path), "tegotae hybrid")
    changes = checks.texts("read_settings", "changes", changes, 'Give a list such as ["link.delay=0.01"].')
    for change in changes:
        group, _, part = change.partition("=")[0].strip().partition(".")
        before = _kind(given, group)
        put(given, change)
        if part == "kind" and before not in (None, kind := _kind(given, group)):
            given[group] = {"kind": kind}  # what the file says of another kind means nothing to this one
    return settings_of(given)


def _kind(given: dict[str, Any], group: str) -> Any:
    """The kind that a group of settings is so far; None if it is not in the file, or without kinds."""
    if not isinstance(given.get(group), dict) or group not in declared(Settings):
        return None
    parameter = declared(Settings)[group].parameter
    return given[group].get("kind", parameter.kind_of(parameter.default)) if isinstance(parameter, Kinds) else None


def settings_of(given: dict[str, Any]) -> Settings:
    """From nested tables, such as a log's."""
    settings: Settings = read(OWNER, Settings(), given, _REMEDY)
    return settings
