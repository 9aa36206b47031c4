"""What a haptic device must offer, in its two causalities.

    impedance device    encoder in, force out            (a light arm without a force sensor)
    admittance device   force sensor in, position out    (a stiff arm with one)

An impedance device renders impedance blocks (motion in, force out), an admittance device admittance blocks (force
in, motion out). A driver is any class with these members; it need not import anything from here. Both causalities
read and command numbers, and newtons taken for metres would hurt: so each device says which it is.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

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
