"""A scene that is driven at its ports alone."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae import checks
from tegotae.block import Admittance
from tegotae.multibody.scene import Scene


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeAdmittance(Scene):
    """A machine as a block: forces in at some places, the motion of those places out; the rest of it moves along.

    It is a `Scene` with ports that runs as all admittances do, over a record of forces.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.multibody import AtJoint, Body, Prismatic, Revolute, Tree, TreeAdmittance
        >>> cart = Body(name="cart", mass=2.0, joint=Prismatic(axis=(1, 0, 0)))
        >>> pole = Body(name="pole", mass=1.0, center=(0, 0, -0.5), parent="cart", joint=Revolute(axis=(0, 1, 0)))
        >>> tip = TreeAdmittance(tree=Tree([cart, pole]), at=AtJoint("cart"))
        >>> held = tg.Circuit(tip, {"rope": tg.SpringDamper(stiffness=100.0, damping=20.0)})
        >>> run = held.run(np.full(20_000, 5.0), period=1e-3)
        >>> round(float(run.position[-1]), 3)  # force/stiffness
        0.05
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.dimension:
            checks.refuse("Scene", f"at={checks.shown(self.at)} names no place.", "Name one, or use a Scene.")

    run = Admittance.run  # type: ignore[assignment]
    start = Admittance.start  # type: ignore[assignment]
