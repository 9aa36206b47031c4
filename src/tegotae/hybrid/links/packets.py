"""What nodes say to each other on the fast link: packets whose payloads have a fixed binary layout, little-endian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, ClassVar, Self

from tegotae import checks
from tegotae.checks import Array

_REASON = 64  # bytes
_SHORTEST, _LONGEST = 0.998, 1.002  # squares of a quaternion's norm

Numbers = Sequence[float] | Array  # given as either; kept as a tuple


class State(IntFlag):
    """What a node is doing, as it tells the others.

    Example:
        >>> from tegotae.hybrid import State
        >>> State.CONTACT in (State.RUNNING | State.CONTACT)
        True
    """

    RUNNING = 1
    CONTACT = 2
    COASTING = 4
    RAMPING = 8
    HELD = 16
    LATCHED = 32
    LIMITED = 64
    OVERLOAD = 128
    EMERGENCY = 256
    FAULT = 512
    STALE = 1024  # of a measurement: the device said nothing new since the last one


_put = object.__setattr__


def _sound(label: float, it: tuple[float, ...], *poses: int) -> None:
    """Numbers as a sender must have checked them: finite, quaternions of length 1 in the poses that begin there."""
    if not math.isfinite(label + sum(it)) and not all(map(math.isfinite, (label, *it))):
        checks.refuse("packet", "a number is not finite.", "It was not made by this package.")
    for first in poses:
        if not _turns(it[first : first + 7]):
            checks.refuse("packet", "a quaternion is not of length 1.", "It was not made by this package.")


def _turns(pose: tuple[float, ...]) -> bool:
    _, _, _, w, x, y, z = pose
    return _SHORTEST < w * w + x * x + y * y + z * z < _LONGEST


def reals(own: str, name: str, value: Numbers, count: int, unit: str) -> tuple[float, ...]:
    """So many finite numbers; as quick as can be for those that are."""
    if type(value) in (tuple, list) and len(value) == count and set(map(type, value)) == {float}:
        result = tuple(value)  # as it mostly is; nodes make hundreds a second
    else:
        result = tuple(checks.numbers(own, name, value).ravel().tolist())
    if len(result) != count:
        checks.refuse(own, f"{name} has {len(result)} numbers.", f"Give {count} [{unit}].")
    if not math.isfinite(sum(result)) and not all(map(math.isfinite, result)):
        checks.refuse(own, f"{name}={result} is not finite.", "Send nothing, or a Stop, instead.")
    return result


def _pose(own: str, name: str, value: Numbers) -> tuple[float, ...]:
    pose = reals(own, name, value, 7, "m, -")
    if not _turns(pose):
        checks.refuse(own, f"{name} has a quaternion {pose[3:]} that is not of length 1.", "Normalise it (w, x, y, z).")
    return pose


def _label(own: str, label: float) -> float:
    if type(label) is float and math.isfinite(label):
        return label
    return checks.number(own, "label", label, "s", "Give the simulated time that this speaks of.")


ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Where a table is to be, and how it moves there.

    Args:
        label: simulated time that this is for [s].
        pose: position [m] and unit quaternion (w, x, y, z).
        twist: velocity [m/s], then angular velocity [rad/s].
        acceleration: linear [m/s²], then angular [rad/s²].

    Example:
        >>> from tegotae.hybrid import Command
        >>> command = Command(label=0.25, pose=(0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0))
        >>> command.pose[2], command.twist
        (0.1, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    """

    kind: ClassVar[int] = 1
    form: ClassVar[str] = "19d"

    label: float
    pose: Numbers = ORIGIN
    twist: Numbers = _REST
    acceleration: Numbers = _REST

    def __post_init__(self) -> None:
        own, put = "Command", _put
        put(self, "label", _label(own, self.label))
        put(self, "pose", _pose(own, "pose", self.pose))
        put(self, "twist", reals(own, "twist", self.twist, 6, "m/s, rad/s"))
        put(self, "acceleration", reals(own, "acceleration", self.acceleration, 6, "m/s², rad/s²"))

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (*self.pose, *self.twist, *self.acceleration)

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received."""
        _sound(label, it, 0)
        made = cls.__new__(cls)
        _put(made, "label", label)
        _put(made, "pose", it[:7])
        _put(made, "twist", it[7:13])
        _put(made, "acceleration", it[13:])
        return made


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """What a table felt, and where it was when it felt it.

    Args:
        label: of the command that it obeyed, echoed [s].
        pose: measured at the sample of the force: position [m] and unit quaternion (w, x, y, z).
        twist: then: velocity [m/s], angular velocity [rad/s].
        wrench: force [N], then torque [N·m].
        onset: pose at which the contact began, as `pose`.
        state: what the table is doing.

    Example:
        >>> from tegotae.hybrid import Measurement, State
        >>> felt = Measurement(label=0.25, wrench=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0), state=State.CONTACT)
        >>> felt.wrench[2], State.CONTACT in felt.state
        (4.0, True)
    """

    kind: ClassVar[int] = 2
    form: ClassVar[str] = "26dQ"

    label: float
    pose: Numbers = ORIGIN
    twist: Numbers = _REST
    wrench: Numbers = _REST
    onset: Numbers = ORIGIN
    state: State = State.RUNNING

    def __post_init__(self) -> None:
        own, put = "Measurement", _put
        put(self, "label", _label(own, self.label))
        put(self, "pose", _pose(own, "pose", self.pose))
        put(self, "twist", reals(own, "twist", self.twist, 6, "m/s, rad/s"))
        put(self, "wrench", reals(own, "wrench", self.wrench, 6, "N, N·m"))
        put(self, "onset", _pose(own, "onset", self.onset))
        checks.instance(own, "state", self.state, State, "Give a State, such as State.RUNNING.")

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (*self.pose, *self.twist, *self.wrench, *self.onset, self.state)

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received."""
        _sound(label, it, 0, 19)
        made = cls.__new__(cls)
        _put(made, "label", label)
        _put(made, "pose", it[:7])
        _put(made, "twist", it[7:13])
        _put(made, "wrench", it[13:19])
        _put(made, "onset", it[19:26])
        _put(made, "state", State(it[26]))
        return made


@dataclass(frozen=True, kw_only=True, slots=True)
class Heartbeat:
    """A sign of life of a node that has nothing else to say.

    Args:
        label: simulated time [s].
        state: what the node is doing.

    Example:
        >>> from tegotae.hybrid import Heartbeat
        >>> Heartbeat(label=1.0).state
        <State.RUNNING: 1>
    """

    kind: ClassVar[int] = 3
    form: ClassVar[str] = "Q"

    label: float = 0.0
    state: State = State.RUNNING

    def __post_init__(self) -> None:
        _put(self, "label", _label("Heartbeat", self.label))
        checks.instance("Heartbeat", "state", self.state, State, "Give a State, such as State.RUNNING.")

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (self.state,)

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received."""
        return cls(label=label, state=State(it[0]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Come to rest and stay there.

    Args:
        label: simulated time [s].
        reason: in words; 64 bytes of it are sent.

    Example:
        >>> from tegotae.hybrid import Stop
        >>> Stop(reason="emergency stop pressed").reason
        'emergency stop pressed'
    """

    kind: ClassVar[int] = 4
    form: ClassVar[str] = f"{_REASON}s"

    label: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        _put(self, "label", _label("Stop", self.label))
        if not isinstance(self.reason, str):
            checks.refuse("Stop", f"reason={checks.shown(self.reason)} is not text.", "Give a few words.")

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (self.reason.encode("utf-8", "replace"),)

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received."""
        return cls(label=label, reason=it[0].rstrip(b"\0").decode("utf-8", "ignore"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Rearm:
    """Leave the latched rest: a person has looked.

    Args:
        label: simulated time [s].

    Example:
        >>> from tegotae.hybrid import Rearm
        >>> Rearm(label=3.0).label
        3.0
    """

    kind: ClassVar[int] = 5
    form: ClassVar[str] = ""

    label: float = 0.0

    def __post_init__(self) -> None:
        _put(self, "label", _label("Rearm", self.label))

    def parts(self) -> tuple[Any, ...]:
        """Nothing."""
        return ()

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] alone."""
        return cls(label=label)


@dataclass(frozen=True, kw_only=True, slots=True)
class Greeting:
    """How links learn each other's session; never handed to a node.

    Args:
        label: of no meaning [s].

    Example:
        >>> Greeting().parts()
        ()
    """

    kind: ClassVar[int] = 0
    form: ClassVar[str] = ""

    label: float = 0.0

    def parts(self) -> tuple[Any, ...]:
        """Nothing."""
        return ()

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] alone."""
        return cls(label=label)


_KNOWN = int(~State(0))  # every flag
_LARGEST = 1e15  # of a number in its unit: what is larger was not measured, and squares of it must stay finite


def plausible(packet: Packet | Greeting) -> bool:
    """Whether what a packet says can be: numbers of a size that is measured, flags that are known.

    A sound packet holds any finite number; a link hands on only those.

    Args:
        packet: as decoded.

    Example:
        >>> plausible(Heartbeat(label=2.0)), plausible(Heartbeat(label=1e300))
        (True, False)
    """
    it: Sequence[float] = ()
    if isinstance(packet, Command):
        it = (*packet.pose, *packet.twist, *packet.acceleration)
    elif isinstance(packet, Measurement):
        it = (*packet.pose, *packet.twist, *packet.wrench, *packet.onset)
    flags = packet.state if isinstance(packet, Measurement | Heartbeat) else 0
    low, high = min(packet.label, *it, 0.0), max(packet.label, *it, 0.0)
    return low > -_LARGEST and high < _LARGEST and not flags & ~_KNOWN


Packet = Command | Measurement | Heartbeat | Stop | Rearm
KINDS: dict[int, type[Packet] | type[Greeting]] = {
    each.kind: each for each in (Greeting, Command, Measurement, Heartbeat, Stop, Rearm)
}
