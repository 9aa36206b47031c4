"""The steering column: from the wheel through a gear to the tyre, with its inertia, its friction and its give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from tegotae.block import Impedance
from tegotae.coupling.assembly import Assembly, Gear
from tegotae.coupling.circuit import Circuit
from tegotae.coupling.links import Link
from tegotae.elements import Mass, SpringDamper
from tegotae.friction import Coulomb, FrictionImpedance
from tegotae.layout import Part
from tegotae.parameters import Declared, Parameter
from tegotae.ports import ANGULAR, Port

WHEEL, TYRE = Port("wheel", 1, *ANGULAR), Port("tyre", 1, *ANGULAR)


@dataclass(frozen=True, kw_only=True)
class TorsionBar(Declared):
    """The give of a column between the wheel, which then has an inertia of its own, and the gear."""

    stiffness: Annotated[float, Parameter("[N·m/rad], > 0, at the wheel")] = 150.0
    damping: Annotated[float, Parameter("[N·m·s/rad], >= 0")] = 0.3
    wheel_inertia: Annotated[float, Parameter("[kg·m²], > 0, of the wheel")] = 0.05


@dataclass(frozen=True, kw_only=True)
class Column(Assembly):
    """From the wheel to the tyre: gear, inertia about the steering axis, and the friction of the drive train.

    A block with two ports: torques [N·m] at "wheel" and "tyre" in, how fast each turns [rad/s] out, positive to the
    left. In a circuit a tyre's patch is joined to the one and hands to the other; `SteeringSystem` is all of that.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.steering import Column, ContactPatch
        >>> tyre, arms = ContactPatch(), tg.SpringDamper(stiffness=10.0, damping=1.0)
        >>> links = {"tyre": tg.Link(tyre, "column.tyre"), "hand": tg.Link(arms, "column.wheel", base=True)}
        >>> parked = tg.Circuit({"column": Column()}, links)
        >>> run = parked.run(bases={"hand": np.full(500, 4.0)}, period=1e-3)
        >>> wheel, tyre = run["column.position.wheel"][-1], run["column.position.tyre"][-1]
        >>> bool(wheel > 0.5), round(float(wheel / tyre), 6)
        (True, 16.0)
    """

    inertia: Annotated[float, Parameter("I [kg·m²], > 0, of all that turns, seen at the tyre")] = 2.4
    gear: Annotated[float, Parameter("N [-], > 0, wheel angle for each steer angle")] = 16.0
    friction: Annotated[float, Parameter("T_f [N·m], > 0, seen at the tyre")] = 0.3
    stiffness: Annotated[float, Parameter("K_f [N·m/rad], > 0, of that friction while it sticks")] = 1e4
    damping: Annotated[float, Parameter("B_f [N·m·s/rad], >= 0")] = 100.0
    compliance: Annotated[
        TorsionBar | None, Parameter("between wheel and gear; None for a rigid column, as in the paper")
    ] = None
    dimension: int = field(default=2, init=False)

    @property
    def machines(self) -> tuple[str, str]:
        """What its circuit calls that which turns with the wheel and with the tyre; one without a torsion bar."""
        return ("", "") if self.compliance is None else ("wheel", "column")

    @property
    def gears(self) -> tuple[Gear, ...]:
        """The wheel, the tyre."""
        wheel, tyre = self.machines
        return Gear(WHEEL, wheel, self.gear if self.compliance is None else 1.0), Gear(TYRE, tyre, 1.0)

    def circuit(self) -> Circuit:
        """Its inertia with the friction of the drive train; two inertias with the bar between them."""
        return self.joined({}, {})

    def joined(self, at_tyre: Mapping[str, Impedance], held: Mapping[str, Impedance]) -> Circuit:
        """It and others in one circuit; it moves in the steer angle, the wheel behind a torsion bar in its own.

        Args:
            at_tyre: name -> what turns with the tyre.
            held: name -> what turns with the wheel and has another end that moves too.
        """
        train = FrictionImpedance(stiffness=self.stiffness, damping=self.damping, law=Coulomb(self.friction))
        bar, own = self.compliance, {**at_tyre, "train": train}
        if bar is None:
            ratios = dict.fromkeys(held, self.gear)
            return Circuit(Mass(mass=self.inertia), {**own, **held}, ratios=ratios, bases=list(held))
        twist = SpringDamper(stiffness=bar.stiffness, damping=bar.damping)
        links = {name: Link(block, "column") for name, block in own.items()}
        links["bar"] = Link(twist, "column", "wheel", ratio=self.gear)
        links |= {name: Link(block, "wheel", base=True) for name, block in held.items()}
        return Circuit({"wheel": Mass(mass=bar.wheel_inertia), "column": Mass(mass=self.inertia)}, links)

    def begun(self, given: dict[str, Any]) -> None:
        """A bar starts unwound."""
        if self.compliance is not None:
            unwind(given, "wheel.position", "column.position", self.gear)

    @property
    def seen(self) -> Mapping[str, Part]:
        """Friction and twist, in units of torque."""
        train = {"train.force": Part("train.force", "N·m", "friction of the drive train, at the tyre")}
        bar = {"bar.force": Part("bar.force", "N·m", "of the wheel on the column")}
        return train if self.compliance is None else train | bar


def unwind(given: dict[str, Any], wheel: str, column: str, gear: float) -> None:
    """Where one end of the torsion bar starts follows from the other, unless both are given."""
    if wheel in given:
        given.setdefault(column, np.ravel(given[wheel])[0] / gear)
    elif column in given:
        given[wheel] = gear * np.ravel(given[column])[0]
