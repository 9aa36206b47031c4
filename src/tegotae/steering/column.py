"""The steering column: from the wheel through a gear to the tyre, with its inertia, its friction and its give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tegotae.parameters import Declared, Parameter


@dataclass(frozen=True, kw_only=True)
class TorsionBar(Declared):
    """The give of a column between the wheel, which then has an inertia of its own, and the gear."""

    stiffness: Annotated[float, Parameter("[N·m/rad], > 0, at the wheel")] = 150.0
    damping: Annotated[float, Parameter("[N·m·s/rad], >= 0")] = 0.3
    wheel_inertia: Annotated[float, Parameter("[kg·m²], > 0, of the wheel")] = 0.05


@dataclass(frozen=True, kw_only=True)
class Column(Declared):
    """From the wheel to the tyre: gear, inertia about the steering axis, and the friction of the drive train."""

    inertia: Annotated[float, Parameter("I [kg·m²], > 0, of all that turns, seen at the tyre")] = 2.4
    gear: Annotated[float, Parameter("N [-], > 0, wheel angle for each steer angle")] = 16.0
    friction: Annotated[float, Parameter("T_f [N·m], > 0, seen at the tyre")] = 0.3
    stiffness: Annotated[float, Parameter("K_f [N·m/rad], > 0, of that friction while it sticks")] = 1e4
    damping: Annotated[float, Parameter("B_f [N·m·s/rad], >= 0")] = 100.0
    compliance: Annotated[
        TorsionBar | None, Parameter("between wheel and gear; None for a rigid column, as in the paper")
    ] = None
