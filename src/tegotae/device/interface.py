"""What a haptic device must offer, in its two causalities, and the clock that keeps a loop on a grid of real time.

    impedance device    encoder in, force out            (a light arm without a force sensor)
    admittance device   force sensor in, position out    (a stiff arm with one)

An impedance device renders impedance blocks (motion in, force out), an admittance device admittance blocks (force
in, motion out). A driver is any class with these members; it need not import anything from here. Both causalities
read and command numbers, and newtons taken for metres would hurt: so each device says which it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import TegotaeError


class DeviceError(TegotaeError, RuntimeError):
    """A device that gave nonsense or went out of its bounds; it was stopped before this was raised."""


class HapticDevice(Protocol):
    """What both have."""

    @property
    def dimension(self) -> int:
        """Number of axes."""

    @property
    def period(self) -> float | None:
        """Its own fixed tick [s], or None if it follows the caller."""

    def read(self) -> Array:
        """What it measures now, shape (dimension,)."""

    def command(self, value: Array, /) -> None:
        """Do this, shape (dimension,), until the next command."""

    def stop(self) -> None:
        """Let go, or hold still, at once. Callable at any time and more than once; the next command wakes it again."""


@runtime_checkable
class ImpedanceDevice(HapticDevice, Protocol):
    """Encoder in, force out: it reads the position of its handle [m], and exerts a force [N]; stopped, none.

    Example:
        >>> from tegotae.device import ImpedanceDevice, ImpedanceTwin
        >>> twin = ImpedanceTwin(mass=0.2, damping=15.0).start(period=1e-3)
        >>> isinstance(twin, ImpedanceDevice), twin.causality
        (True, 'impedance')
    """

    @property
    def causality(self) -> Literal["impedance"]:
        """Which of the two it is."""


@runtime_checkable
class AdmittanceDevice(HapticDevice, Protocol):
    """Force sensor in, position out: it reads the force of the hand [N], and goes to a position [m] and stays there.

    Stopped, it holds still where it is.

    Example:
        >>> from tegotae.device import AdmittanceDevice, AdmittanceTwin
        >>> twin = AdmittanceTwin(bandwidth=50.0).start(period=1e-3)
        >>> isinstance(twin, AdmittanceDevice), twin.causality
        (True, 'admittance')
    """

    @property
    def causality(self) -> Literal["admittance"]:
        """Which of the two it is."""


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
        self._now, self._sleep = now, sleep
        self._period = self._due = 0.0

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
        while (now := self._now()) < self._due:
            pass
        late = now - self._due
        self._due += self._period * (1 + int(late / self._period))
        return slack, late
