"""Ticks that come at once and in order: the same nodes, deterministic, faster than real time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.hybrid.clocks.clock import NodeClock
from tegotae.parameters import Declared, Parameter


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


class VirtualClock(NodeClock):
    """Ticks that come as soon as they are waited for: the same loop, deterministic, as fast as it computes.

    Args:
        period: from tick to tick [s].
        offset: time of tick 0 [s], >= 0.
        timeline: shared by the clocks of one run; its own unless given.

    Example:
        >>> from tegotae.hybrid import VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> [(clock.wait(), clock.now) for _ in range(3)]
        [(0, 0.0), (1, 0.002), (2, 0.004)]
    """

    def __init__(self, period: float, *, offset: float = 0.0, timeline: Timeline | None = None) -> None:
        super().__init__(period)
        owner = "VirtualClock"
        self._offset = checks.at_least_zero(owner, "offset", offset, "s", "Give the time of the first tick.")
        if 1e9 * self.period < 1.0:
            checks.refuse(owner, f"period={period} s is below a nanosecond.", "Time is counted in whole nanoseconds.")
        if timeline is not None:
            checks.instance(owner, "timeline", timeline, Timeline, "Give a Timeline(), or None for its own.")
        self._timeline = Timeline() if timeline is None else timeline

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
        return round(1e9 * (self._offset + self.period * (self.tick + 1)))

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
        >>> told, line = [], Lockstep()
        >>> dynamics = line.add(lambda tick: told.append(("dynamics", tick)), period=2e-3)
        >>> table = line.add(lambda tick: told.append(("table", tick)), period=1e-3)
        >>> line.run(2e-3)
        >>> told
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
