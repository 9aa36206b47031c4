"""What a node's loop waits for: the ticks of this machine, or virtual ones that come at once and in order."""

from __future__ import annotations

import ctypes
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Self

from tegotae import checks
from tegotae.hybrid.bus.statistics import Deadlines
from tegotae.hybrid.closable import Closable
from tegotae.parameters import Declared, Parameter, Period

_STEP = 1_000_000  # ns: a wall clock that is off by more after one tick was set, not slewed
_RANGE = "SCHED_FIFO has 1 (lowest) to 99; 80 is usual for a control loop, None for no real-time priority."
_CURRENT_AND_FUTURE = 3  # MCL_CURRENT | MCL_FUTURE


@dataclass(eq=False)
class NodeClock(Declared, ABC):
    """What real and virtual clocks share: `wait()` for the next tick, and the time.

    Example:
        >>> from tegotae.hybrid import NodeClock, RealClock, VirtualClock
        >>> clocks: list[NodeClock] = [VirtualClock(1e-3), RealClock(1e-3)]
        >>> [clock.wait() for clock in clocks]
        [0, 0]
    """

    period: Period

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tick = -1  # the one that runs, from 0; -1 before the first
        self.deadlines = Deadlines()

    @property
    @abstractmethod
    def nanoseconds(self) -> int:
        """The time, since some moment in the past."""

    def wait(self, ticks: int = 1) -> int:
        """Return when the next tick begins, with its number; the first begins at once.

        Args:
            ticks: how many to go on; those between are not missed, nobody wants them [-].
        """
        if type(ticks) is not int:
            ticks = checks.whole(type(self).__name__, "ticks", ticks, 1, "Give how many ticks to go on.")
        return self._go_on(ticks)

    @abstractmethod
    def _go_on(self, ticks: int) -> int: ...


def telling_time(owner: str, name: str, clock: Any) -> Any:
    """A clock that gives ticks and the time."""
    if not hasattr(clock, "period") or not hasattr(clock, "nanoseconds"):
        checks.refuse(owner, f"{name}={checks.shown(clock)} gives no ticks.", "Give a RealClock or a VirtualClock.")
    return clock


@dataclass(eq=False)
class RealClock(NodeClock, Closable):
    """Ticks of this machine: sleeps, then spins, until times that are fixed from the start on, so that none drifts.

    Whoever comes late begins the latest tick that is due; those between are skipped and counted. Time is monotonic:
    setting the wall clock changes nothing, and is noted in the statistics. To spin some 200 us brings the beginning
    from some 60 us after the tick to within 1 us, and costs that part of a core.

    Example:
        >>> from tegotae.hybrid import RealClock
        >>> with RealClock(1e-3) as clock:
        ...     ticks = [clock.wait() for _ in range(3)]
        >>> ticks[0], ticks == sorted(set(ticks)), clock.deadlines.count
        (0, True, 3)
    """

    _: KW_ONLY
    spin: Annotated[
        float,
        Parameter(
            "[s], >= 0, the last part of a wait that is spent asking for the time, up to `period`; 0 never spins",
            "Use spin=0.0 for none.",
        ),
    ] = 0.0
    priority: Annotated[
        int | None, Parameter("1 to 99, of SCHED_FIFO; None leaves the process to the usual scheduler", _RANGE)
    ] = None
    lock_memory: Annotated[bool, Parameter("keep all memory of the process from being paged out")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spin > self.period:
            problem = f"spin={self.spin} s is longer than period={self.period} s."
            checks.refuse("RealClock", problem, "Spin for a part of the period.")
        self._spin = round(1e9 * self.spin)
        self._before: tuple[int, os.sched_param] | None = None
        self._locked = False
        self._start = self._latest = self._wall = 0

    @property
    def nanoseconds(self) -> int:
        """Monotonic time of this machine, the same in all its processes; never less than at the last call."""
        now = time.monotonic_ns()
        if now < self._latest:
            self.deadlines.went_back += 1
            return self._latest
        self._latest = now
        return now

    @property
    def now(self) -> float:
        """Since the first tick [s]; 0 before it."""
        return 1e-9 * (self.nanoseconds - self._start) if self.tick >= 0 else 0.0

    def _go_on(self, ticks: int) -> int:
        now = self.nanoseconds
        if self.tick < 0:
            self.__enter__()
            self._start = now = self.nanoseconds
            self._wall = time.time_ns() - now
            return self._begin(0, now, now)
        wanted = self.tick + ticks
        due = self._due(wanted)
        if now > self._due(self.tick + 1):
            self.deadlines.overruns += 1
        while now < due:
            left = due - now - self._spin
            if left > 0:
                time.sleep(1e-9 * left)
            now = self.nanoseconds
        tick = max(wanted, int((now - self._start) / (1e9 * self.period)))
        while self._due(tick) > now:  # what rounding may have given too much
            tick -= 1
        self.deadlines.skipped += tick - wanted
        return self._begin(tick, now, due)

    def _due(self, tick: int) -> int:
        return self._start + round(1e9 * self.period * tick)

    def _begin(self, tick: int, now: int, due: int) -> int:
        self.tick = tick
        self.deadlines.count += 1
        late = now - due  # of the first that could not begin, where some were skipped
        self.deadlines.lateness.add(late)
        self.deadlines.latest = 1e-9 * late
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before <= _STEP // 4:  # else put aside between the two: what they say is not of one moment
            ahead = wall - before
            if abs(ahead - self._wall) > _STEP:
                self.deadlines.wall_steps += 1
                self.deadlines.wall_step += 1e-9 * (ahead - self._wall)
            self._wall = ahead
        return tick

    def __enter__(self) -> Self:
        if self.priority is not None and self._before is None:
            before = os.sched_getscheduler(0), os.sched_getparam(0)
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(self.priority))
            except OSError as error:
                problem = f"priority={self.priority} of SCHED_FIFO is refused by this machine ({error.strerror})."
                remedy = "Allow it (`ulimit -r 99`, rtprio in /etc/security/limits.conf, or the capability CAP_SYS_NICE"
                checks.refuse("RealClock", problem, f"{remedy}), or use priority=None.")
            self._before = before
        if self.lock_memory and not self._locked:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.mlockall(_CURRENT_AND_FUTURE) != 0:
                problem = f"lock_memory=True is refused by this machine ({os.strerror(ctypes.get_errno())})."
                remedy = "Allow it (`ulimit -l unlimited`, memlock in /etc/security/limits.conf, or the capability "
                checks.refuse("RealClock", problem, f"{remedy}CAP_IPC_LOCK), or use lock_memory=False.")
            self._locked = True
        return self

    def close(self) -> None:
        """Give back the priority and the locked memory."""
        if self._before is not None:
            os.sched_setscheduler(0, *self._before)
            self._before = None
        if self._locked:
            ctypes.CDLL(None, use_errno=True).munlockall()
            self._locked = False


@dataclass
class Timeline(Declared):
    """The time that virtual clocks share.

    Example:
        >>> from tegotae.hybrid import Timeline, VirtualClock
        >>> line = Timeline()
        >>> fast, slow = VirtualClock(1e-3, timeline=line), VirtualClock(2e-3, timeline=line)
        >>> fast.wait(), fast.wait(), slow.now
        (0, 1, 0.001)
    """

    nanoseconds: Annotated[int, Parameter("[ns], now", "Time is counted in whole nanoseconds.")] = 0


@dataclass(eq=False)
class VirtualClock(NodeClock):
    """Ticks that come as soon as they are waited for: the same loop, deterministic, as fast as it computes.

    Example:
        >>> from tegotae.hybrid import VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> [(clock.wait(), clock.now) for _ in range(3)]
        [(0, 0.0), (1, 0.002), (2, 0.004)]
    """

    _: KW_ONLY
    offset: Annotated[float, Parameter("[s], >= 0, time of tick 0", "Give the time of the first tick.")] = 0.0
    timeline: Annotated[Timeline | None, Parameter("shared by the clocks of one run; its own unless given")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if 1e9 * self.period < 1.0:
            problem = f"period={self.period} s is below a nanosecond."
            checks.refuse("VirtualClock", problem, "Time is counted in whole nanoseconds.")
        self._timeline = self.timeline or Timeline()

    @property
    def nanoseconds(self) -> int:
        """The time of the timeline."""
        return self._timeline.nanoseconds

    @property
    def now(self) -> float:
        """The time of the timeline [s]."""
        return 1e-9 * self._timeline.nanoseconds

    @property
    def next_due(self) -> int:
        """When the next tick begins [ns]."""
        return round(1e9 * (self.offset + self.period * (self.tick + 1)))

    def _go_on(self, ticks: int) -> int:
        """Move the timeline, never back."""
        self.tick += ticks - 1
        due = self.next_due
        self.tick += 1
        self._timeline.nanoseconds = max(self._timeline.nanoseconds, due)
        self.deadlines.count += 1
        self.deadlines.lateness.add(self._timeline.nanoseconds - due)
        return self.tick


class Lockstep:
    """Several nodes on one timeline: whoever is due first runs first, and of two due at once the one added first.

    Example:
        >>> from tegotae.hybrid import Lockstep
        >>> ticks, line = [], Lockstep()
        >>> dynamics = line.add(lambda tick: ticks.append(("dynamics", tick)), period=2e-3)
        >>> table = line.add(lambda tick: ticks.append(("table", tick)), period=1e-3)
        >>> line.run(2e-3)
        >>> ticks
        [('dynamics', 0), ('table', 0), ('table', 1)]
    """

    def __init__(self) -> None:
        self.timeline = Timeline()
        self._nodes: list[tuple[VirtualClock, Callable[[int], object]]] = []

    def add(self, step: Callable[[int], object], *, period: float, offset: float = 0.0) -> VirtualClock:
        """A node: what it does at each tick, given its number.

        Args:
            step: called once a tick.
            period: from tick to tick [s].
            offset: time of its first tick [s].
        """
        checks.function("Lockstep", "step", step, "Give a function of the number of a tick.")
        clock = VirtualClock(period, offset=offset, timeline=self.timeline)
        self._nodes.append((clock, step))
        return clock

    def run(self, duration: float) -> None:
        """Run all ticks due in a duration [s] from now on; another call goes on from there."""
        duration = checks.at_least_zero("Lockstep", "duration", duration, "s", "Give how long to run.")
        if not self._nodes:
            checks.refuse("Lockstep", "there is no node to run.", "Add one with add(step, period=...).")
        end = self.timeline.nanoseconds + round(1e9 * duration)
        while True:
            clock, step = min(self._nodes, key=lambda node: node[0].next_due)
            if clock.next_due >= end:
                break
            step(clock.wait())
        self.timeline.nanoseconds = end
