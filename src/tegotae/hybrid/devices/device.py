"""What a table node drives: anything that moves a part against another and feels the force between them.

A real table is attached by writing a class with these methods around its own interface: `docs/attaching_a_table.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Protocol

from tegotae import checks
from tegotae.contact import ContactDamping, ContactStiffness
from tegotae.hybrid.links.packets import ORIGIN, reals
from tegotae.hybrid.safety.poses import STILL, difference, seven
from tegotae.parameters import Declared, Parameter, Period

UNREAD: tuple[float, ...] = (math.nan,) * 7  # of a device that has not said where it is: no place to go to


class DeviceReading(NamedTuple):
    """What a device says of itself at one moment.

    Args:
        pose: of the moved part's contact point: position [m] and quaternion (w, x, y, z), in the table's world; not
            finite until it was measured.
        twist: its velocity [m/s] and angular velocity [rad/s].
        signal: the six raw numbers of the force sensor, such as strains [-]; the table node calibrates them.
        label: simulated time of the command that it obeyed when it was there [s].
        emergency: whether an emergency stop is pressed.
        fault: what is wrong with it, in words; "" if nothing.
        late: whether that is only that somebody was late, so that a re-arm needs no other cure.
        fresh: whether it is new since the last `read`; False where that one is only repeated.

    Example:
        >>> from tegotae.hybrid.devices.device import DeviceReading
        >>> DeviceReading(fault="the controller has not answered yet").pose[2]
        nan
    """

    pose: Sequence[float] = UNREAD
    twist: Sequence[float] = STILL
    signal: Sequence[float] = STILL
    label: float = 0.0
    emergency: bool = False
    fault: str = ""
    late: bool = False
    fresh: bool = True


def measured(reading: DeviceReading) -> bool:
    """Whether a reading tells where its device stands: finite, with a quaternion of length 1."""
    pose = tuple(reading.pose)
    return len(pose) == 7 and math.isfinite(sum(pose)) and 0.99 < math.hypot(*pose[3:]) < 1.01


class Device(Protocol):
    """A motion table with a force sensor. None of its methods may wait.

    Example:
        >>> from tegotae.hybrid.devices.device import Device, SpringTwin
        >>> device: Device = SpringTwin(stiffness=1e4, period=2e-3)
        >>> device.command((0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.0), (0.0,) * 6, label=0.002)
        >>> device.read().pose[2]  # it gets there in the next period
        0.0
    """

    period: float

    def read(self) -> DeviceReading:
        """What it said last."""

    def command(self, pose: Sequence[float], twist: Sequence[float], *, label: float) -> None:
        """Where to be at the end of the next period, and how to move there.

        Args:
            pose: position [m] and quaternion.
            twist: velocity [m/s] and angular velocity [rad/s].
            label: simulated time of it [s].
        """

    def stop(self) -> None:
        """Come to rest and hold until `rearm`. Only a `DeviceNode` calls it: a table node slows its commands down."""

    def rearm(self) -> None:
        """Obey commands again."""

    def margins(self, pose: Sequence[float]) -> tuple[float, float]:
        """What is left at a pose to the nearest joint limit [rad or m], and to the nearest singularity [-]."""

    def close(self) -> None:
        """Close it."""


class Twin(Device, Protocol):
    """A device that is simulated: its caller lets its time pass, by `step`. It obeys until it is stopped.

    Example:
        >>> from tegotae.hybrid.devices.device import SpringTwin, Twin
        >>> twin: Twin = SpringTwin(stiffness=1e4, period=2e-3)
        >>> twin.command((0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.0), (0.0,) * 6, label=0.002)
        >>> twin.step()
        >>> twin.read().signal[2]  # N
        -10.0
    """

    _reading: DeviceReading
    _label: float = 0.0  # of the command that is obeyed
    _obeys: bool = True

    def read(self) -> DeviceReading:
        """What it said last."""
        return self._reading

    def rearm(self) -> None:
        """Obey commands again."""
        self._obeys = True

    def close(self) -> None:
        """There is nothing to close."""
        return

    def step(self) -> None:
        """One period passes."""


def checked_order(
    owner: str, pose: Sequence[float], twist: Sequence[float], label: float
) -> tuple[tuple[float, ...], float]:
    """A pose and its time, of a command that is one."""
    reals(owner, "twist", twist, 6, "m/s, rad/s")
    if type(label) is not float or label != label:
        label = checks.number(owner, "label", label, "s", "Give the simulated time of it.")
    return reals(owner, "pose", pose, 7, "m, -"), label


@dataclass(kw_only=True, eq=False)
class SpringTwin(Declared, Twin):
    """The ideal table: it is where it was told to be, and a spring and a damper push it back.

    The surface faces down at a height; the force is that of one sided contact and never pulls.

    Example:
        >>> from tegotae.hybrid.devices.device import SpringTwin
        >>> twin = SpringTwin(stiffness=1e4, damping=50.0, period=2e-3)
        >>> twin.command((0.0, 0.0, 1e-4, 1.0, 0.0, 0.0, 0.0), (0.0,) * 6, label=0.0)
        >>> twin.step()
        >>> round(twin.read().signal[2], 9)  # -(1 N + 50 N s/m 0.05 m/s)
        -3.5
    """

    stiffness: ContactStiffness
    damping: ContactDamping = 0.0
    period: Period
    height: Annotated[float, Parameter("[m], of the surface in the table's world")] = 0.0
    lag: Annotated[float, Parameter("[s], >= 0, time constant with which it follows; 0 follows at once")] = 0.0
    start: Annotated[Sequence[float], Parameter("[m, -], its first position and quaternion", accept=seven)] = ORIGIN

    def __post_init__(self) -> None:
        super().__post_init__()
        self._share = 1.0 if self.lag == 0.0 else -math.expm1(-self.period / self.lag)
        self._wanted: Sequence[float] = self.start
        self._reading = DeviceReading(pose=self.start)

    def command(self, pose: Sequence[float], twist: Sequence[float], *, label: float) -> None:
        """Where to be at the end of the next period; the twist is of no use here."""
        if self._obeys:
            self._wanted, self._label = checked_order("SpringTwin", pose, twist, label)

    def stop(self) -> None:
        """Hold."""
        self._obeys = False
        self._wanted = self._reading.pose

    def margins(self, pose: Sequence[float]) -> tuple[float, float]:
        """It has no joints."""
        return math.inf, math.inf

    def step(self) -> None:
        """One period passes."""
        before, pose, share = self._reading.pose, tuple(self._wanted), self._share
        if share != 1.0:
            pose = (*(a + share * (b - a) for a, b in zip(before[:3], pose[:3], strict=True)), *pose[3:])
        twist = tuple(x / self.period for x in difference(before, pose))
        depth = pose[2] - self.height
        push = max(0.0, self.stiffness * depth + self.damping * twist[2]) if depth > 0.0 else 0.0
        self._reading = DeviceReading(pose, twist, (0.0, 0.0, -push, 0.0, 0.0, 0.0), self._label)
