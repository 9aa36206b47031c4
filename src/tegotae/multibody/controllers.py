"""What drives a joint inside the loop: a servo, or a lock."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae import checks


@dataclass(frozen=True, kw_only=True)
class Servo:
    """A joint that is driven to a target: torque = gain (target - q) - rate_gain v.

    Without a target it holds where it started. In an implicit run it answers the motion of the tick itself, so no gain
    is too stiff for the period.

    Args:
        gain: Kp [N·m/rad, N/m], >= 0.
        rate_gain: Kd [N·m·s/rad, N·s/m], >= 0.

    Example:
        >>> from tegotae.multibody import Servo
        >>> Servo(gain=200.0, rate_gain=5.0).gain
        200.0
    """

    gain: float
    rate_gain: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (("gain", "N·m/rad"), ("rate_gain", "N·m·s/rad")):
            value = checks.at_least_zero("Servo", name, getattr(self, name), unit, "Give a magnitude, or 0 for none.")
            object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True)
class Lock:
    """A joint that does not move at all: exact, with no stiffness to choose.

    Example:
        >>> from tegotae.multibody import Lock
        >>> Lock()
        Lock()
    """
