"""What nodes say to each other on the fast link: packets whose payloads have a fixed binary layout, little-endian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Annotated, Any, ClassVar, Self

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter

_REASON = 64  # bytes
_REAL = {float}
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


def _turns(pose: tuple[float, ...]) -> bool:
    _, _, _, w, x, y, z = pose
    return _SHORTEST < w * w + x * x + y * y + z * z < _LONGEST


def reals(owner: str, name: str, value: Numbers, count: int, unit: str) -> tuple[float, ...]:
    """So many finite numbers; as quick as can be for those that are."""
    if type(value) in (tuple, list) and len(value) == count and set(map(type, value)) == _REAL:
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
        problem = f"{name} has a quaternion {pose[3:]} that is not of length 1."
        checks.refuse(owner, problem, "Normalise it (w, x, y, z).")
    return pose


def _label(owner: str, name: str, value: float) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    return checks.number(owner, name, value, "s", "Give the simulated time that this speaks of.")


def _six(text: str) -> Parameter:
    made = Parameter(text)
    made.accept = lambda owner, name, value: reals(owner, name, value, 6, made.unit)
    return made


ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
Label = Annotated[float, Parameter("[s], simulated time that this is for", accept=_label)]
Echo = Annotated[float, Parameter("[s], of the command that it obeyed, echoed", accept=_label)]
Pose = Annotated[Numbers, Parameter("[m, -], position and unit quaternion (w, x, y, z)", accept=sound_pose)]
Twist = Annotated[Numbers, _six("[m/s, rad/s], velocity, then angular velocity")]
Doing = Annotated[NodeState, Parameter("what the node is doing", "Give a NodeState, such as NodeState.RUNNING.")]


class _Packet(Declared):
    """What all packets have: a kind, a binary form, and their numbers in order, vectors first, then the state."""

    kind: ClassVar[int]
    form: ClassVar[str] = ""
    cuts: ClassVar[tuple[tuple[str, slice], ...]] = ()  # where each vector lies among the numbers
    stated: ClassVar[bool] = False

    label: float
    state: NodeState

    @classmethod
    def lay_out(cls) -> None:
        """Find its binary form: a field whose default is a vector is one."""
        place, cuts = 0, []
        for name, field in cls.__dataclass_fields__.items():  # type: ignore[attr-defined]
            if isinstance(field.default, tuple):
                cuts.append((name, slice(place, place := place + len(field.default))))
        cls.cuts, cls.stated = tuple(cuts), "state" in cls.__dataclass_fields__  # type: ignore[attr-defined]
        cls.form = cls.form or f"{place}d" * bool(place) + "Q" * cls.stated

    def numbers(self) -> tuple[float, ...]:
        """All real ones, in order; written out where there are some, since nodes ask for them at every tick."""
        return ()

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (*self.numbers(), self.state) if self.stated else self.numbers()

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received: finite, quaternions of length 1."""
        if not math.isfinite(label + sum(it)) and not all(map(math.isfinite, (label, *it))):
            checks.refuse("packet", "a number is not finite.", "It was not made by this package.")
        made = cls.__new__(cls)
        values = vars(made)
        values["label"] = label
        for name, place in cls.cuts:
            values[name] = vector = it[place]
            if len(vector) == 7 and not _turns(vector):
                checks.refuse("packet", "a quaternion is not of length 1.", "It was not made by this package.")
        if cls.stated:
            values["state"] = NodeState(it[-1])
        return made


@dataclass(frozen=True, kw_only=True)
class Command(_Packet):
    """Where a table is to be, and how it moves there.

    Example:
        >>> from tegotae.hybrid import Command
        >>> command = Command(label=0.25, pose=(0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0))
        >>> command.pose[2], command.twist
        (0.1, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    """

    kind: ClassVar[int] = 1

    label: Label
    pose: Pose = ORIGIN
    twist: Twist = _REST
    acceleration: Annotated[Numbers, _six("[m/s², rad/s²], linear, then angular")] = _REST

    def numbers(self) -> tuple[float, ...]:
        """All real ones, in order."""
        return (*self.pose, *self.twist, *self.acceleration)


@dataclass(frozen=True, kw_only=True)
class Measurement(_Packet):
    """What a table felt, calibrated and tared, and the pose and twist measured at the sample of the force.

    Example:
        >>> from tegotae.hybrid import Measurement, NodeState
        >>> felt = Measurement(label=0.25, wrench=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0), state=NodeState.CONTACT)
        >>> felt.wrench[2], NodeState.CONTACT in felt.state
        (4.0, True)
    """

    kind: ClassVar[int] = 2

    label: Echo
    pose: Pose = ORIGIN
    twist: Twist = _REST
    wrench: Annotated[Numbers, _six("[N, N·m], force, then torque")] = _REST
    onset: Annotated[Numbers, Parameter("[m, -], pose at which the contact began", accept=sound_pose)] = ORIGIN
    state: Doing = NodeState.RUNNING

    def numbers(self) -> tuple[float, ...]:
        """All real ones, in order."""
        return (*self.pose, *self.twist, *self.wrench, *self.onset)


@dataclass(frozen=True, kw_only=True)
class SensorSignals(_Packet):
    """What a device's process read: the raw signals of its force sensor, which nobody may take for newtons.

    Pose and twist are those measured at the sample of the signals.

    Example:
        >>> from tegotae.hybrid import SensorSignals
        >>> read = SensorSignals(label=0.25, signals=(0.0, 0.0, 3e-4, 0.0, 0.0, 0.0))
        >>> read.signals[2], hasattr(read, "wrench")
        (0.0003, False)
    """

    kind: ClassVar[int] = 6

    label: Echo
    pose: Pose = ORIGIN
    twist: Twist = _REST
    signals: Annotated[
        Numbers, _six("[the sensor's own units], six, such as strains or volts: neither calibrated nor tared")
    ] = _REST
    state: Doing = NodeState.RUNNING

    def numbers(self) -> tuple[float, ...]:
        """All real ones, in order."""
        return (*self.pose, *self.twist, *self.signals)


@dataclass(frozen=True, kw_only=True)
class Heartbeat(_Packet):
    """A sign of life of a node that has nothing else to say.

    Example:
        >>> from tegotae.hybrid import Heartbeat
        >>> Heartbeat(label=1.0).state
        <NodeState.RUNNING: 1>
    """

    kind: ClassVar[int] = 3

    label: Label = 0.0
    state: Doing = NodeState.RUNNING


@dataclass(frozen=True, kw_only=True)
class Stop(_Packet):
    """Come to rest and stay there.

    Example:
        >>> from tegotae.hybrid import Stop
        >>> Stop(reason="emergency stop pressed").reason
        'emergency stop pressed'
    """

    kind: ClassVar[int] = 4
    form: ClassVar[str] = f"{_REASON}s"

    label: Label = 0.0
    reason: Annotated[str, Parameter(f"in words; {_REASON} bytes of it are sent", "Give a few words.")] = ""

    def parts(self) -> tuple[Any, ...]:
        """All that is sent, in order."""
        return (self.reason.encode("utf-8", "replace"),)

    @classmethod
    def of(cls, label: float, it: tuple[Any, ...]) -> Self:
        """Back from the label [s] and the parts, as received."""
        return cls(label=label, reason=it[0].rstrip(b"\0").decode("utf-8", "ignore"))


@dataclass(frozen=True, kw_only=True)
class Rearm(_Packet):
    """Leave the latched rest: a person has looked.

    Example:
        >>> from tegotae.hybrid import Rearm
        >>> Rearm(label=3.0).label
        3.0
    """

    kind: ClassVar[int] = 5

    label: Label = 0.0


@dataclass(frozen=True, kw_only=True)
class Greeting(_Packet):
    """How links learn each other's session; never handed to a node. Its label [s] is of no meaning."""

    kind: ClassVar[int] = 0

    label: Label = 0.0


_KNOWN = int(~NodeState(0))  # every flag
_LARGEST = 1e15  # of a number in its unit: what is larger was not measured, and squares of it must stay finite


def plausible(packet: Packet | Greeting) -> bool:
    """Whether what a packet says can be: numbers of a size that is measured, flags that are known.

    A sound packet holds any finite number; a link hands on only those.
    """
    it = (packet.label, *packet.numbers())
    if packet.stated and int(packet.state) & ~_KNOWN:
        return False
    # The root of all squares is quick to have, and enough for nearly all.
    return math.hypot(*it) < _LARGEST or max(map(abs, it)) < _LARGEST


Packet = Command | Measurement | SensorSignals | Heartbeat | Stop | Rearm
KINDS: dict[int, type[Packet] | type[Greeting]] = {
    each.kind: each for each in (Greeting, Command, Measurement, Heartbeat, Stop, Rearm, SensorSignals)
}
for _each in KINDS.values():
    _each.lay_out()
