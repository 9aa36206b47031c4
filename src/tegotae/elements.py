"""The plainest blocks: a mass (force in, motion out); a spring with a damper, and a wall (motion in, force out)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Impedance, by_dimension
from tegotae.contact import check_depths
from tegotae.declared_layout import declared_layout
from tegotae.kernels import elements as k
from tegotae.layout import AXIS, Part
from tegotae.parameters import Dimension, Parameter
from tegotae.state import State

FORCE = Part("force", "N", "force on the mover", AXIS, "f")

Stiffness = Annotated[float, Parameter("K [N/m], >= 0")]
Damping = Annotated[float, Parameter("B [N·s/m], >= 0")]
MovingMass = Annotated[
    float,
    Parameter("M [kg], > 0, or a moment of inertia, with torques and angles throughout", "Give the moving mass."),
]


@dataclass(frozen=True, kw_only=True)
class Mass(Admittance):
    """A free mass: force in, motion out.

    Runs record `velocity` [m/s] and `position` [m].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.Mass(mass=2.0).run(np.full(1000, 4.0), period=1e-3).velocity[-1]), 9)
        2.0
    """

    mass: MovingMass
    dimension: Dimension = 1

    layout = declared_layout(
        Part("velocity", "m/s", "velocity at the end of the tick", AXIS, "v"),
        Part("position", "m", "position at the end of the tick", AXIS, "x"),
    )

    kernels = by_dimension(  # backward Euler
        (k.mass_answer, k.mass_advance), (k.mass_answer_vector, k.mass_advance_vector)
    )

    def least_reluctance(self, period: float) -> float:
        """M/T [N·s/m]."""
        return self.mass / period


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Impedance):
    """A spring and a damper side by side: motion in, force out. A hand, a servo, a bumper that may pull.

    Runs record `stretch` [m] and `force` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.SpringDamper(stiffness=100.0).run(np.full(10, 1.0), period=1e-3).force[-1]), 9)
        -1.0
    """

    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    dimension: Dimension = 1

    layout = declared_layout(Part("stretch", "m", "how far it has been moved from rest", AXIS, "x"), FORCE)

    kernels = by_dimension(  # backward Euler
        (k.spring_answer, k.spring_advance), (k.spring_answer_vector, k.spring_advance_vector)
    )


@dataclass(frozen=True, kw_only=True)
class VirtualWall(Impedance):
    """A wall that pushes and never pulls: motion in, force out. What a haptic device shows first.

    f = K e + B e' along the normal, with e how deep the mover is inside, and 0 where that would pull. The step is
    implicit, so a stiff wall holds at any period, and the wall never gives back more energy than it took.
    It is smooth; `ImpedanceSum` adds friction.

    The mover is at 0 unless positions are given, or `initial={"position": ...}`; in a circuit, where its admittance
    starts. Runs record `position` [m] and `force` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> wall = tg.VirtualWall(stiffness=2000.0, damping=5.0, point=0.01, normal=-1.0)
        >>> run = wall.run(position=[0.008, 0.012, 0.012, 0.008], period=1e-3)
        >>> (-run.force).round(9).tolist()  # in, held, and out again: it does not pull
        [0.0, 14.0, 4.0, 0.0]
    """

    stiffness: Stiffness
    damping: Damping = 0.0
    point: Annotated[ArrayLike, Parameter("[m], of its surface, one number for each direction", accept=checks.numbers)]
    normal: Annotated[
        ArrayLike,
        Parameter(
            "[-], out of the wall, to where the mover is free; of any length but 0. On a line -1.0 stops a mover that "
            "goes to +, 1.0 one that goes to -",
            accept=checks.numbers,
        ),
    ]
    dimension: Dimension = 1

    layout = declared_layout(
        Part("position", "m", "of the mover", AXIS, "x", placed=True),
        FORCE,
        derived=(
            Part("surface", "m", "where it is along the normal", letter="c"),
            Part("normal", "-", "out of the wall", AXIS, "n"),
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, n, assign = self.name, self.dimension, object.__setattr__
        for name, unit in (("point", "m"), ("normal", "")):
            given = np.asarray(getattr(self, name))
            if given.shape != (n,):
                checks.refuse(owner, f"{name} has shape {given.shape}.", f"Give {n} number(s), as dimension={n} says.")
            checks.finite(owner, name, given, unit)
            assign(self, name, tuple(given.tolist()))
        direction = np.asarray(self.normal)
        largest = np.abs(direction).max()
        if largest == 0.0:
            checks.refuse(owner, "normal is 0.", "Give the direction out of the wall, such as -1.0 on a line.")
        scaled = direction / largest  # so that no square overflows
        assign(self, "normal", tuple((scaled / np.linalg.norm(scaled)).tolist()))

    @property
    def surface(self) -> float:
        """Where the surface is along the normal [m]."""
        return float(np.dot(self.normal, self.point))

    kernels = by_dimension(  # backward Euler
        (k.wall_answer, k.wall_advance), (k.wall_answer_vector, k.wall_advance_vector)
    )

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Outside: what starts inside would be thrown out with energy from nowhere."""
        state = super().initial_state(period, initial)
        here = state.part("position")
        gap = float(np.dot(self.normal, here)) - self.surface
        remedy = "Move the wall, start outside (initial={'position': ...}), or turn its normal around."
        check_depths(self.name, ["the mover"], [gap], [0.0], remedy)
        return state
