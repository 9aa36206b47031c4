"""One TOML file for all nodes of a hybrid simulation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import msgspec

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import checked_word
from tegotae.hybrid.machines.model_settings import KINDS, ModelSettings, kind_of
from tegotae.hybrid.settings_group import SettingsGroup, of
from tegotae.toml_settings import explain, put, read_toml, toml_lines, with_kinds

if TYPE_CHECKING:
    AnyModel = ModelSettings
else:
    AnyModel = Union[tuple(kind_of(name) for name in KINDS)]  # noqa: UP007 - kinds are known by name alone


class HexaSettings(SettingsGroup, frozen=True, tag_field="kind", tag="hexa"):
    """The twin of the six-arm table; its probe meets a fixed surface."""

    kp: Annotated[float, of("stiffness of each servo [N·m/rad], > 0", above=0.0)] = 200.0
    damping_ratio: Annotated[float, of("of the servo on the plate [-], > 0", above=0.0)] = 0.7
    feedforward: Annotated[float, of("share of the reference's rate that the servo knows in free flight [-]")] = 1.0
    feedforward_in_contact: Annotated[float, of("the same while a contact is felt [-]; 1 damps it")] = 0.0
    probe: Annotated[tuple[float, float, float], of("tip of the probe from the plate's centre [m]")] = (0.0, 0.0, 0.05)
    height: Annotated[float, of("of the surface in the table's world [m]")] = -0.42
    stiffness: Annotated[float, of("of surface and probe [N/m], > 0", above=0.0)] = 1e5
    damping: Annotated[float, of("of surface and probe [N·s/m], >= 0", least=0.0)] = 300.0
    friction: Annotated[float, of("coefficient between tip and surface [-], >= 0", least=0.0)] = 0.0
    substeps: Annotated[int, of("of the mechanism's motion in a period, 1 to 1000", least=1, most=1000)] = 8
    load: Annotated[float, of("mass of the part on the sensor, whose weight is tared [kg], >= 0", least=0.0)] = 0.288
    noise: Annotated[float, of("of the sensor's force [N], standard deviation of a sample, >= 0", least=0.0)] = 0.0


class SpringSettings(SettingsGroup, frozen=True, tag_field="kind", tag="spring"):
    """An ideal table: it is where it was told to be, and a spring pushes it back."""

    stiffness: Annotated[float, of("of the contact [N/m], > 0", above=0.0)] = 45292.0
    damping: Annotated[float, of("of the contact [N·s/m], >= 0", least=0.0)] = 0.0
    height: Annotated[float, of("of the surface in the table's world [m]")] = 0.0
    lag: Annotated[float, of("time constant with which it follows [s], >= 0", least=0.0)] = 0.0


class OwnDevice(SettingsGroup, frozen=True, tag_field="kind", tag="own"):
    """A device of the user's own, for a real table: `docs/attaching_a_table.md`."""

    factory: Annotated[str, of("module:function that returns the device; it is given `options`")] = ""
    height: Annotated[float, of("of the fixed part's surface in the table's world [m]")] = 0.0
    stiffness: Annotated[float, of("of the table and its probe as expected [N/m], > 0", above=0.0)] = 1e4
    settling: Annotated[
        float, of("how long it takes to rest when its command does [s], >= 0; measure it", least=0.0, most=60.0)
    ] = 0.05
    options: Annotated[dict[str, Any], of("for the function, as they are")] = msgspec.field(default_factory=dict)


class SensorSettings(SettingsGroup, frozen=True):
    """The force sensor as the table node reads it."""

    calibration: Annotated[
        str, of("file with the 6 x 6 matrix from signals to N and N·m (TOML or CSV); '' for the twin's own")
    ] = ""
    tare: Annotated[int, of("readings at rest whose mean is taken for zero; 0 for none", least=0, most=100_000)] = 50
    steady: Annotated[float, of("largest spread of the force while it tares [N], > 0", above=0.0)] = 0.5
    slow: Annotated[float, of("largest velocity while it tares [m/s and rad/s], > 0", above=0.0)] = 3e-3
    threshold: Annotated[float, of("force from which a contact is felt [N], > 0", above=0.0)] = 0.1
    release: Annotated[float, of("force below which it is over [N], > 0", above=0.0)] = 0.05
    overload: Annotated[float, of("force at which the table trips [N], > 0", above=0.0)] = 60.0
    overload_torque: Annotated[float, of("torque at which the table trips [N·m], > 0", above=0.0)] = 10.0


class LimitSettings(SettingsGroup, frozen=True):
    """What the table node allows, whatever it is told; the box is about the surface's place."""

    box: Annotated[
        tuple[float, float, float], of("half sizes of what the contact point may reach [m], > 0", above=0.0)
    ] = (0.05, 0.05, 0.05)
    tilt: Annotated[float, of("largest turn from level [rad], > 0", above=0.0)] = 0.3
    velocity: Annotated[float, of("[m/s], > 0", above=0.0)] = 0.1
    rate: Annotated[float, of("[rad/s], > 0", above=0.0)] = 0.5
    acceleration: Annotated[float, of("[m/s²], > 0", above=0.0)] = 20.0
    angular_acceleration: Annotated[float, of("[rad/s²], > 0", above=0.0)] = 50.0
    joint_margin: Annotated[float, of("least left to a joint's end [rad], >= 0", least=0.0)] = 0.05
    singularity: Annotated[float, of("least distance to a singularity [-], >= 0", least=0.0)] = 0.1
    watchdog: Annotated[
        int, of("periods without a command after which it counts as missing", least=1, most=100_000)
    ] = 5
    coast: Annotated[float, of("how long it then moves on [s], >= 0", least=0.0, most=60.0)] = 0.012
    ramp: Annotated[float, of("how long it then takes to come to rest [s], > 0", above=0.0, most=60.0)] = 0.024
    jump: Annotated[float, of("farthest command that a standing table begins with [m], > 0", above=0.0)] = 5e-3
    stopping_time: Annotated[
        float, of("longest that the table itself may move on without commands [s], > 0", above=0.0, most=60.0)
    ] = 0.25
    stopping_distance: Annotated[float, of("farthest that it may then go [m], > 0", above=0.0, most=10.0)] = 0.02


class LinkSettings(SettingsGroup, frozen=True):
    """The fast links, and what is done to them on purpose."""

    dynamics: Annotated[str, of("where the dynamics node listens; port 0: any free one (hybrid run)")] = "127.0.0.1:0"
    table: Annotated[str, of("where the table node listens to the dynamics")] = "127.0.0.1:0"
    table_device: Annotated[str, of("where the table node listens to the device's process")] = "127.0.0.1:0"
    device: Annotated[str, of("where the device's process listens")] = "127.0.0.1:0"
    key: Annotated[str, of("file with the shared key; '' makes one for this run (hybrid run)")] = ""
    max_age: Annotated[float, of("largest round trip of a packet [s], > 0", above=0.0, most=60.0)] = 0.2
    delay: Annotated[
        float, of("added to the loop, half on either way [s], >= 0; virtual: whole ticks", least=0.0, most=60.0)
    ] = 0.0
    jitter: Annotated[float, of("added on either way, 0 to this by chance [s], >= 0", least=0.0, most=60.0)] = 0.0
    loss: Annotated[float, of("part of the packets that is lost, on either way [-], 0 to 1", least=0.0, most=1.0)] = 0.0
    duplication: Annotated[float, of("part that comes twice [-], 0 to 1", least=0.0, most=1.0)] = 0.0
    reordering: Annotated[float, of("part that is overtaken [-], 0 to 1", least=0.0, most=1.0)] = 0.0
    corruption: Annotated[float, of("part with a bit turned over [-], 0 to 1", least=0.0, most=1.0)] = 0.0
    drift: Annotated[float, of("how much faster the table's clock runs [-], -0.1 to 0.1", least=-0.1, most=0.1)] = 0.0
    seed: Annotated[int, of("of the chances, >= 0", least=0)] = 0


class ClockSettings(SettingsGroup, frozen=True):
    """How the nodes of a real run wait."""

    spin: Annotated[
        float, of("last part of a wait that is spun, not slept [s]; 0 never spins", least=0.0, most=1.0)
    ] = 0.0
    nice: Annotated[
        int, of("how far the loops go before other programs, -20 to 0; an event tells if refused", least=-20, most=0)
    ] = -10
    priority: Annotated[int, of("of SCHED_FIFO, 1 to 99; 0 for none", least=0, most=99)] = 0
    lock_memory: Annotated[bool, of("keep memory from being paged out")] = False


class BusSettings(SettingsGroup, frozen=True):
    """Discovery, parameters, viewer stream and log: where each node listens."""

    dynamics: Annotated[str, of("the dynamics node; port 0: any free one (hybrid run)")] = "127.0.0.1:0"
    table: Annotated[str, of("the table node")] = "127.0.0.1:0"
    device: Annotated[str, of("the device's process")] = "127.0.0.1:0"
    log: Annotated[str, of("the log node")] = "127.0.0.1:0"
    view: Annotated[str, of("the viewer")] = "127.0.0.1:0"


class ViewSettings(SettingsGroup, frozen=True):
    """The viewer."""

    on: Annotated[bool, of("whether `hybrid run` starts it")] = True
    address: Annotated[str, of("of its page; port 0: any free one")] = "127.0.0.1:8080"
    rearm: Annotated[bool, of("whether its page may re-arm the table: it knows no password, only this computer")] = (
        False
    )


class Settings(SettingsGroup, frozen=True):
    """All of a hybrid simulation; `toml()` shows every number with its meaning.

    Args:
        session: name, by which its nodes find each other.
        period: of a tick [s].
        duration: simulated, from when the table is ready [s].
        clock: "real" or "virtual".
        guard: whether a contact may give back no more energy than it took.
        compensation: whether late forces are brought up to date.
        model: what is simulated.
        device: what is real, or stands for it.
        sensor: how the force is read.
        limits: what the table node allows.
        link: the fast links, and their faults.
        waiting: how real clocks wait.
        bus: where nodes meet beside the fast link.
        view: the viewer.

    Example:
        >>> from tegotae.hybrid.settings import Settings
        >>> Settings().period
        0.002
    """

    session: Annotated[str, of("name, by which its nodes find each other")] = "two-robots"
    period: Annotated[float, of("of a tick [s], 1e-5 to 1", least=1e-5, most=1.0)] = 2e-3
    duration: Annotated[float, of("simulated, from when the table is ready [s], > 0", above=0.0, most=1e8)] = 3.0
    clock: Annotated[Literal["real", "virtual"], of("virtual: all nodes in lockstep, as fast as they compute")] = "real"
    guard: Annotated[bool, of("let a contact give back no more energy than it took")] = True
    compensation: Annotated[bool, of("bring late forces up to date and send the table ahead")] = True
    model: AnyModel = kind_of("two-robots")()
    device: HexaSettings | SpringSettings | OwnDevice = HexaSettings()
    sensor: SensorSettings = SensorSettings()
    limits: LimitSettings = LimitSettings()
    link: LinkSettings = LinkSettings()
    waiting: ClockSettings = ClockSettings()
    bus: BusSettings = BusSettings()
    view: ViewSettings = ViewSettings()

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_word("Settings", "session", self.session)

    def toml(self) -> str:
        """As a TOML file, every number with its meaning and unit; read back it is the same."""
        given = msgspec.to_builtins(self, builtin_types=(datetime, date, time))
        return "\n".join(["# tegotae hybrid", "", *toml_lines(Settings, given)]) + "\n"


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
        before = with_kinds(Settings, given)
        put(given, change)
        group = change.partition(".")[0].strip()
        kinds = [it.get("kind") for it in (before.get(group), given.get(group)) if isinstance(it, dict)]
        if change.partition("=")[0].strip() == f"{group}.kind" and len(kinds) == 2 and kinds[0] != kinds[1]:
            given[group] = {"kind": kinds[1]}  # what the file says of another kind means nothing to this one
    return settings_of(with_kinds(Settings, given))


def settings_of(given: dict[str, Any]) -> Settings:
    """From nested tables, such as a log's.

    Example:
        >>> settings_of({"period": 1e-3}).period
        0.001
    """
    try:
        return msgspec.convert(given, Settings)
    except msgspec.ValidationError as error:
        way = "`tegotae hybrid show` prints every name with its unit."
        if isinstance(error.__cause__, InputError):  # of a group, whose place in the settings is told
            told, _, way = str(error.__cause__).partition(": ")[2].partition("\n  ")
            place = str(error).rpartition(" - at `$")[2].strip("`.") if " - at `$" in str(error) else ""
            told = f"{place}.{told}" if place else told
        else:
            told = f"{explain(error, Settings, given)}."
        raise InputError(f"hybrid settings: {told}\n  {way}") from error
