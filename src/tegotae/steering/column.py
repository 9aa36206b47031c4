"""The steering column: from the wheel through a gear to the tyre, with its inertia, its friction and its give."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae import checks


@dataclass(frozen=True, kw_only=True)
class TorsionBar:
    """The give of a column between the wheel, which then has an inertia of its own, and the gear.

    Args:
        stiffness: [N·m/rad], > 0, at the wheel.
        damping: [N·m·s/rad], >= 0.
        wheel_inertia: [kg·m²], > 0, of the wheel.

    Example:
        >>> from tegotae.steering.column import TorsionBar
        >>> TorsionBar().stiffness
        150.0
    """

    stiffness: float = 150.0
    damping: float = 0.3
    wheel_inertia: float = 0.05

    def __post_init__(self) -> None:
        own, set_ = "TorsionBar", object.__setattr__
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N·m/rad", "Such as 150."))
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·m·s/rad", "Give 0 for none."))
        set_(self, "wheel_inertia", checks.positive(own, "wheel_inertia", self.wheel_inertia, "kg·m²", "Such as 0.05."))


@dataclass(frozen=True, kw_only=True)
class Column:
    """From the wheel to the tyre: gear, inertia about the steering axis, and the friction of the drive train.

    Args:
        inertia: I [kg·m²], > 0, of all that turns, seen at the tyre.
        gear: N [-], > 0, wheel angle for each steer angle.
        friction: T_f [N·m], > 0, seen at the tyre.
        stiffness: K_f [N·m/rad], > 0, of that friction while it sticks.
        damping: B_f [N·m·s/rad], >= 0.
        compliance: a `TorsionBar` between the wheel and the rest; None for a rigid column, as in the paper.

    Example:
        >>> from tegotae.steering.column import Column
        >>> Column().gear
        16.0
    """

    inertia: float = 2.4
    gear: float = 16.0
    friction: float = 0.3
    stiffness: float = 1e4
    damping: float = 100.0
    compliance: TorsionBar | None = None

    def __post_init__(self) -> None:
        for name, unit in (("inertia", "kg·m²"), ("gear", ""), ("friction", "N·m"), ("stiffness", "N·m/rad")):
            such = f"The paper's is {getattr(type(self), name):g}."
            object.__setattr__(self, name, checks.positive("Column", name, getattr(self, name), unit, such))
        damping = checks.at_least_zero("Column", "damping", self.damping, "N·m·s/rad", "Give 0 for none.")
        object.__setattr__(self, "damping", damping)
        if not isinstance(self.compliance, TorsionBar | None):
            checks.refuse(
                "Column",
                f"compliance={checks.shown(self.compliance)} is no torsion bar.",
                "Give TorsionBar(…), or None for a rigid column.",
            )
