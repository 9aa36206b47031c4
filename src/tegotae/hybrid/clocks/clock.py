"""What a node's loop waits for: the ticks of this machine, and a record of how punctual it was.

How late things were is a histogram of fixed size, so that recording allocates nothing and never ends.
"""

from __future__ import annotations

import ctypes
import os
import time
from abc import ABC, abstractmethod
from array import array
from dataclasses import dataclass, field
from typing import Annotated, Self

from tegotae import checks
from tegotae.errors import InputError
from tegotae.parameters import Declared, Parameter

_FINE = 7  # bits kept of a number: parts of 1/128 to 1/64
_PARTS = 1 << (_FINE - 1)
_BUCKETS = _PARTS * (64 - _FINE) + 2 * _PARTS
_MOST = (1 << 63) - 1


def _top(bucket: int) -> int:
    """The largest number that falls into a bucket."""
    coarse = bucket // _PARTS - 1
    if coarse <= 0:
        return bucket
    return ((bucket - coarse * _PARTS + 1) << coarse) - 1


class Latencies:
    """Counts of times in buckets 1/64 wide at most; the largest is kept exactly.

    Example:
        >>> from tegotae.hybrid import Latencies
        >>> seen = Latencies()
        >>> for microseconds in range(1, 101):
        ...     seen.add(1000 * microseconds)
        >>> seen.count, seen.largest
        (100, 0.0001)
        >>> 50e-6 <= seen.percentile(50.0) <= 50e-6 * (1 + 1 / 64)
        True
    """

    __slots__ = ("_counts", "_largest", "_total", "count")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * _BUCKETS))
        self._largest = 0
        self._total = 0
        self.count = 0

    def add(self, nanoseconds: int) -> None:
        """Count one more. What is below zero counts as zero, what a 63-bit number cannot hold as its largest."""
        if type(nanoseconds) is not int:
            nanoseconds = checks.whole("Latencies", "nanoseconds", nanoseconds, -checks.MOST, "Give whole nanoseconds.")
        value = nanoseconds if 0 <= nanoseconds <= _MOST else 0 if nanoseconds < 0 else _MOST
        coarse = value.bit_length() - _FINE
        self._counts[value if coarse <= 0 else coarse * _PARTS + (value >> coarse)] += 1
        self.count += 1
        self._total += value
        if value > self._largest:
            self._largest = value

    @property
    def largest(self) -> float:
        """The largest of all [s], 0 if there is none."""
        return 1e-9 * self._largest

    @property
    def mean(self) -> float:
        """The mean of all [s], 0 if there is none."""
        return 1e-9 * self._total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """A time [s] that so many percent did not exceed, at most 1/64 above the truth; 0 if there is none."""
        percent = checks.number("Latencies", "percent", percent, "%", "Give 0 to 100.")
        wanted, seen = self.count * min(max(percent, 0.0), 100.0) / 100.0, 0
        for bucket, count in enumerate(self._counts):
            seen += count
            if count and seen >= wanted:
                return 1e-9 * min(_top(bucket), self._largest)
        return 0.0

    def spread(self, name: str) -> dict[str, float]:
        """Half, nearly all and the largest [s], as name_p50, _p99 and _max."""
        return {
            f"{name}_p50": self.percentile(50.0), f"{name}_p99": self.percentile(99.0), f"{name}_max": self.largest,
        }  # fmt: skip

    def summary(self) -> dict[str, float]:
        """count, and p50, p99, max, mean [s]."""
        spread = {name.removeprefix("_"): value for name, value in self.spread("").items()}
        return {"count": self.count, **spread, "mean": self.mean}


_STEP = 1_000_000  # ns: a wall clock that is off by more after one tick was set, not slewed
_CURRENT_AND_FUTURE = 3  # MCL_CURRENT | MCL_FUTURE


@dataclass
class Deadlines(Declared):
    """How punctual a loop was; kept by its clock, always.

    The work of a tick must end before the next one is due. Where it does not, that is an overrun, and the ticks that
    could not even begin are skipped.

    Example:
        >>> from tegotae.hybrid import VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> ticks = [clock.wait() for _ in range(5)]
        >>> clock.deadlines.count, clock.deadlines.missed
        (5, 0)
    """

    count: Annotated[int, Parameter("ticks that began")] = 0
    overruns: Annotated[int, Parameter("ticks whose work ended after the next was due")] = 0
    skipped: Annotated[int, Parameter("ticks that never began")] = 0
    lateness: Annotated[Latencies, Parameter("of the beginnings, against when the loop should have gone on")] = field(
        default_factory=Latencies
    )
    latest: Annotated[float, Parameter("[s], lateness of the newest beginning")] = 0.0
    wall_steps: Annotated[int, Parameter("how often the wall clock was set meanwhile; nothing depends on it")] = 0
    wall_step: Annotated[float, Parameter("[s], by how much in all")] = 0.0
    went_back: Annotated[int, Parameter("readings of the monotonic clock below the one before: a broken machine")] = 0

    @property
    def missed(self) -> int:
        """Deadlines missed: overruns, and ticks that never began."""
        return self.overruns + self.skipped

    def summary(self) -> dict[str, float]:
        """count, missed, overruns, skipped, wall_steps, and the lateness' p50, p99 and max [s]."""
        counts = ("count", "missed", "overruns", "skipped", "wall_steps")
        return {name: getattr(self, name) for name in counts} | self.lateness.spread("lateness")

    def troubles(self) -> list[str]:
        """What went wrong, in words."""
        told = []
        if self.missed:
            told.append(
                f"{self.missed} of {self.count + self.skipped} deadlines missed: {self.overruns} ticks took longer "
                f"than a period, {self.skipped} never began; the latest beginning came "
                f"{1e3 * self.lateness.largest:.3g} ms late"
            )
        if self.wall_steps:
            told.append(
                f"the wall clock was set {self.wall_steps} times, by {self.wall_step:.3g} s in all; "
                "ticks and time stamps do not depend on it"
            )
        if self.went_back:
            told.append(f"the monotonic clock went back {self.went_back} times: this machine cannot keep time")
        return told


class NodeClock(ABC):
    """What real and virtual clocks share: `wait()` for the next tick, and the time.

    Args:
        period: from tick to tick [s].

    Example:
        >>> from tegotae.hybrid import NodeClock, RealClock, VirtualClock
        >>> clocks: list[NodeClock] = [VirtualClock(1e-3), RealClock(1e-3)]
        >>> [clock.wait() for clock in clocks]
        [0, 0]
    """

    def __init__(self, period: float) -> None:
        self.period = checks.period_of(type(self).__name__, period)  # s
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


class RealClock(NodeClock):
    """Ticks of this machine: sleeps, then spins, until times that are fixed from the start on, so that none drifts.

    Whoever comes late begins the latest tick that is due; those between are skipped and counted. Time is monotonic:
    setting the wall clock changes nothing, and is noted in the statistics.

    Args:
        period: from tick to tick [s].
        spin: the last part of a wait [s] that is spent asking for the time, 0 to `period`; 0 never spins. Some 200 us
            bring the beginning from some 60 us after the tick to within 1 us, and cost that part of a core.
        priority: of SCHED_FIFO, 1 to 99; None leaves the process to the usual scheduler.
        lock_memory: keep all memory of the process from being paged out.

    Example:
        >>> from tegotae.hybrid import RealClock
        >>> with RealClock(1e-3) as clock:
        ...     ticks = [clock.wait() for _ in range(3)]
        >>> ticks[0], ticks == sorted(set(ticks)), clock.deadlines.count
        (0, True, 3)
    """

    def __init__(
        self, period: float, *, spin: float = 0.0, priority: int | None = None, lock_memory: bool = False
    ) -> None:
        super().__init__(period)
        owner = "RealClock"
        self._spin = round(1e9 * checks.at_least_zero(owner, "spin", spin, "s", "Use spin=0.0 for none."))
        if spin > self.period:
            checks.refuse(owner, f"spin={spin} s is longer than period={period} s.", "Spin for a part of the period.")
        if priority is not None and not 1 <= checks.whole(owner, "priority", priority, 1, _RANGE) <= 99:
            checks.refuse(owner, f"priority={priority} is above 99.", _RANGE)
        self._priority, self._lock = priority, checks.flag(owner, "lock_memory", lock_memory)
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
        self._watch_the_wall_clock()
        return tick

    def _watch_the_wall_clock(self) -> None:
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before > _STEP // 4:  # put aside between the two: what they say is not of one moment
            return
        wall -= before
        if abs(wall - self._wall) > _STEP:
            self.deadlines.wall_steps += 1
            self.deadlines.wall_step += 1e-9 * (wall - self._wall)
        self._wall = wall

    def __enter__(self) -> Self:
        if self._priority is not None and self._before is None:
            self._before = _first_in_first_out(self._priority)
        if self._lock and not self._locked:
            _lock_memory()
            self._locked = True
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the priority and the locked memory."""
        if self._before is not None:
            os.sched_setscheduler(0, *self._before)
            self._before = None
        if self._locked:
            ctypes.CDLL(None, use_errno=True).munlockall()
            self._locked = False


_RANGE = "SCHED_FIFO has 1 (lowest) to 99; 80 is usual for a control loop, None for no real-time priority."


def _first_in_first_out(priority: int) -> tuple[int, os.sched_param]:
    """Take the priority; what was before is returned."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        raise InputError(
            f"RealClock: priority={priority} of SCHED_FIFO is refused by this machine ({error.strerror}).\n"
            "  Allow it (`ulimit -r 99`, rtprio in /etc/security/limits.conf, or the capability CAP_SYS_NICE), "
            "or use priority=None."
        ) from error
    return before


def _lock_memory() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(_CURRENT_AND_FUTURE) != 0:
        reason = os.strerror(ctypes.get_errno())
        checks.refuse(
            "RealClock",
            f"lock_memory=True is refused by this machine ({reason}).",
            "Allow it (`ulimit -l unlimited`, memlock in /etc/security/limits.conf, or the capability CAP_IPC_LOCK), "
            "or use lock_memory=False.",
        )
