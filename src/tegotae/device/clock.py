"""Keeping a loop on a grid of real time, and knowing when it was not kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from tegotae import checks


class Clock(Protocol):
    """What a loop waits for at the end of each tick.

    Example:
        >>> from tegotae.device import Clock, RealTime
        >>> clock: Clock = RealTime()
    """

    def start(self, period: float) -> None:
        """The first tick begins now and lasts `period` [s]."""

    def wait(self) -> tuple[float, float]:
        """Return when the next tick begins: slack and lateness [s].

        Slack is the time that was left when the work of the tick was done (negative: its deadline was missed);
        lateness is how long after its due time the next tick really begins.
        """


class RealTime:
    """The wall clock: sleeps most of the way, then spins, because sleep wakes up late.

    A missed deadline is not caught up by a burst of short ticks: the next tick begins at once, and if whole ticks were
    lost the grid moves on past them.

    Args:
        spin: the last part of each wait [s] that is spent spinning, >= 0.
        now: a clock that only goes forward [s].
        sleep: how to give the processor away for some seconds.

    Example:
        >>> from tegotae.device import RealTime
        >>> clock = RealTime()
        >>> clock.start(1e-3)
        >>> slack, lateness = clock.wait()
        >>> lateness >= 0.0
        True
    """

    def __init__(
        self,
        *,
        spin: float = 2e-4,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._spin = checks.at_least_zero("RealTime", "spin", spin, "s", "Give a time, or 0 to only sleep.")
        self._now = now
        self._sleep = sleep
        self._period = 0.0
        self._due = 0.0

    def start(self, period: float) -> None:
        """The first tick begins now."""
        self._period = checks.period_of("RealTime", period)
        self._due = self._now() + self._period

    def wait(self) -> tuple[float, float]:
        """Sleep and spin until the tick is due; at once if it is past."""
        if self._period == 0.0:
            checks.refuse("RealTime", "wait was called before start.", "Call start(period) when the loop begins.")
        slack = self._due - self._now()
        if slack > self._spin:
            self._sleep(slack - self._spin)
        now = self._now()
        while now < self._due:
            now = self._now()
        late = now - self._due
        self._due += self._period * (1 + int(late / self._period))
        return slack, late
