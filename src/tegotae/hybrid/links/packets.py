"""What nodes say to each other on the fast link: packets whose payloads have a fixed binary layout, little-endian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar, Self

from tegotae import checks
from tegotae.checks import Array

_REASON = 64  # bytes
_SHORTEST, _LONGEST = 0.998, 1.002  # squares of a quaternion's norm

Numbers = Sequence[float] | Array  # given as either; kept as a tuple


class NodeState(IntFlag):
    """What a node is doing, as it tells the others.

    Example:
        >>> from tegotae.hybrid import NodeState
        >>> NodeState.CONTACT in (NodeState.RUNNING | NodeState.CONTACT)
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


def _turns(pose: tuple[float, ...]) -> bool:
    _, _, _, w, x, y, z = pose
    return _SHORTEST < w * w + x * x + y * y + z * z < _LONGEST


def reals(owner: str, name: str, value: Numbers, count: int, unit: str) -> tuple[float, ...]:
    """So many finite numbers; as quick as can be for those that are."""
    if type(value) in (tuple, list) and len(value) == count and set(map(type, value)) == {float}:
        result = tuple(value)  # as it mostly is; nodes make hundreds a second
    else:
        result = tuple(checks.numbers(owner, name, value).ravel().tolist())
    if len(result) != count:
        checks.refuse(owner, f"{name} has {len(result)} numbers.", f"Give {count} [{unit}].")
    if not math.isfinite(sum(result)) and not all(map(math.isfinite, result)):
        checks.refuse(owner, f"{name}={result} is not finite.", "Send nothing, or a Stop, instead.")
    return result


def sound_pose(owner: str, name: str, value: Numbers) -> tuple[float, ...]:
    """Position [m] and a quaternion of length 1."""
    pose = reals(owner, name, value, 7, "m, -")
    if not _turns(pose):
        checks.refuse(
            owner, f"{name} has a quaternion {pose[3:]} that is not of length 1.", "Normalise it (w, x, y, z)."
        )
    return pose


def _label(owner: str, label: float) -> float:
    if type(label) is float and math.isfinite(label):
        return label
    return checks.number(owner, "label", label, "s", "Give the simulated time that this speaks of.")


ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_POSE, _TWIST = "m, -", "m/s, rad/s"


class _Packet:
    """What all packets have: a kind, a binary form, and their numbers in order, vectors first, then the state."""

    __slots__ = ()

    kind: ClassVar[int]
    form: ClassVar[str] = ""
    vectors: ClassVar[dict[str, str]] = {}  # name -> units; one with "-" among them is a pose
    cuts: ClassVar[tuple[tuple[str, slice, bool, str], ...]] = ()  # name, place, whether it is a pose, units
    _all: ClassVar[Any] = staticmethod(lambda packet: ())  # its vectors
    stated: ClassVar[bool] = False

    label: float
    state: NodeState

    def __init_subclass__(cls) -> None:
        """Where each vector lies among the numbers."""
        place, cuts = 0, []
        for name, units in cls.vectors.items():
            cuts.append((name, slice(place, place := place + (7 if "-" in units else 6)), "-" in units, units))
        cls.cuts = tuple(cuts)
        if cuts:
            cls._all = staticmethod(attrgetter(*cls.vectors))
        cls.form = f"{place}d" * bool(place) + "Q" * cls.stated if cls.form == "" else cls.form

    def __post_init__(self) -> None:
        owner = type(self).__name__
        _put(self, "label", _label(owner, self.label))
        for (name, _, pose, units), value in zip(self.cuts, self._all(self), strict=True):
            _put(self, name, sound_pose(owner, name, value) if pose else reals(owner, name, value, 6, units))
        if self.stated:
            checks.instance(owner, "state", self.state, NodeState, "Give a NodeState, such as NodeState.RUNNING.")

    def numbers(self) -> tuple[float, ...]:
        """All real ones, in order."""
        return tuple(chain.from_iterable(self._all(self)))

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (*self.numbers(), self.state) if self.stated else self.numbers()

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received: finite, quaternions of length 1."""
        if not math.isfinite(label + sum(it)) and not all(map(math.isfinite, (label, *it))):
            checks.refuse("packet", "a number is not finite.", "It was not made by this package.")
        made = cls.__new__(cls)
        _put(made, "label", label)
        for name, place, pose, _ in cls.cuts:
            own = it[place]
            if pose and not _turns(own):
                checks.refuse("packet", "a quaternion is not of length 1.", "It was not made by this package.")
            _put(made, name, own)
        if cls.stated:
            _put(made, "state", NodeState(it[-1]))
        return made


@dataclass(frozen=True, kw_only=True, slots=True)
class Command(_Packet):
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
    vectors: ClassVar[dict[str, str]] = {"pose": _POSE, "twist": _TWIST, "acceleration": "m/s², rad/s²"}

    label: float
    pose: Numbers = ORIGIN
    twist: Numbers = _REST
    acceleration: Numbers = _REST


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement(_Packet):
    """What a table felt, calibrated and tared, and where it was when it felt it.

    Args:
        label: of the command that it obeyed, echoed [s].
        pose: measured at the sample of the force: position [m] and unit quaternion (w, x, y, z).
        twist: then: velocity [m/s], angular velocity [rad/s].
        wrench: force [N], then torque [N·m].
        onset: pose at which the contact began, as `pose`.
        state: what the table is doing.

    Example:
        >>> from tegotae.hybrid import Measurement, NodeState
        >>> felt = Measurement(label=0.25, wrench=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0), state=NodeState.CONTACT)
        >>> felt.wrench[2], NodeState.CONTACT in felt.state
        (4.0, True)
    """

    kind: ClassVar[int] = 2
    vectors: ClassVar[dict[str, str]] = {"pose": _POSE, "twist": _TWIST, "wrench": "N, N·m", "onset": _POSE}
    stated: ClassVar[bool] = True

    label: float
    pose: Numbers = ORIGIN
    twist: Numbers = _REST
    wrench: Numbers = _REST
    onset: Numbers = ORIGIN
    state: NodeState = NodeState.RUNNING


@dataclass(frozen=True, kw_only=True, slots=True)
class SensorSignals(_Packet):
    """What a device's process read: the raw signals of its force sensor, which nobody may take for newtons.

    Args:
        label: of the command that it obeyed, echoed [s].
        pose: measured at the sample of the signals: position [m] and unit quaternion (w, x, y, z).
        twist: then: velocity [m/s], angular velocity [rad/s].
        signals: six numbers in the sensor's own units, such as strains [-] or volts [V]: neither calibrated nor tared.
        state: what the device is doing.

    Example:
        >>> from tegotae.hybrid import SensorSignals
        >>> read = SensorSignals(label=0.25, signals=(0.0, 0.0, 3e-4, 0.0, 0.0, 0.0))
        >>> read.signals[2], hasattr(read, "wrench")
        (0.0003, False)
    """

    kind: ClassVar[int] = 6
    vectors: ClassVar[dict[str, str]] = {"pose": _POSE, "twist": _TWIST, "signals": "the sensor's own units"}
    stated: ClassVar[bool] = True

    label: float
    pose: Numbers = ORIGIN
    twist: Numbers = _REST
    signals: Numbers = _REST
    state: NodeState = NodeState.RUNNING


@dataclass(frozen=True, kw_only=True, slots=True)
class Heartbeat(_Packet):
    """A sign of life of a node that has nothing else to say.

    Args:
        label: simulated time [s].
        state: what the node is doing.

    Example:
        >>> from tegotae.hybrid import Heartbeat
        >>> Heartbeat(label=1.0).state
        <NodeState.RUNNING: 1>
    """

    kind: ClassVar[int] = 3
    stated: ClassVar[bool] = True

    label: float = 0.0
    state: NodeState = NodeState.RUNNING


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop(_Packet):
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
class Rearm(_Packet):
    """Leave the latched rest: a person has looked.

    Args:
        label: simulated time [s].

    Example:
        >>> from tegotae.hybrid import Rearm
        >>> Rearm(label=3.0).label
        3.0
    """

    kind: ClassVar[int] = 5

    label: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Greeting(_Packet):
    """How links learn each other's session; never handed to a node. Its label [s] is of no meaning."""

    kind: ClassVar[int] = 0

    label: float = 0.0


_KNOWN = int(~NodeState(0))  # every flag
_LARGEST = 1e15  # of a number in its unit: what is larger was not measured, and squares of it must stay finite


def plausible(packet: Packet | Greeting) -> bool:
    """Whether what a packet says can be: numbers of a size that is measured, flags that are known.

    A sound packet holds any finite number; a link hands on only those.

    Example:
        >>> plausible(Heartbeat(label=2.0)), plausible(Heartbeat(label=1e300))
        (True, False)
    """
    it = packet.numbers()
    flags = packet.state if packet.stated else 0
    low, high = min(packet.label, *it, 0.0), max(packet.label, *it, 0.0)
    return low > -_LARGEST and high < _LARGEST and not flags & ~_KNOWN


Packet = Command | Measurement | SensorSignals | Heartbeat | Stop | Rearm
KINDS: dict[int, type[Packet] | type[Greeting]] = {
    each.kind: each for each in (Greeting, Command, Measurement, Heartbeat, Stop, Rearm, SensorSignals)
}
