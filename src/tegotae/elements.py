"""The plainest blocks: a mass (force in, motion out), and a spring with a damper (motion in, force out)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tegotae import checks
from tegotae.block import Admittance, Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.kernels import elements as k


@dataclass(frozen=True, kw_only=True)
class Mass(Admittance):
    """A free mass: force in, motion out.

    Args:
        mass: M [kg], > 0 (or a moment of inertia [kg·m²], with torques and angles throughout).
        dimension: number of directions.

    Runs record `velocity` [m/s] and `position` [m].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.Mass(mass=2.0).run(np.full(1000, 4.0), period=1e-3).velocity[-1]), 9)
        2.0
    """

    mass: float
    dimension: int = 1

    def __post_init__(self) -> None:
        own = type(self).__name__
        mass = checks.positive(own, "mass", self.mass, "kg", "Give the moving mass.")
        object.__setattr__(self, "mass", mass)
        checks.whole(own, "dimension", self.dimension, 1, "Use 1, 2 or 3.")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The state: velocity and position."""
        return (
            Field("velocity", "m/s", "velocity at the end of the tick"),
            Field("position", "m", "position at the end of the tick"),
        )

    @property
    def parameters(self) -> Array:
        """[M]."""
        return np.array([self.mass])

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        return Kernels(k.mass_kernels if self.dimension == 1 else k.mass_kernels_vector)

    def least_reluctance(self, period: float) -> float:
        """M/T [N·s/m]."""
        return self.mass / period


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Impedance):
    """A spring and a damper side by side: motion in, force out. A hand, a servo, a bumper that may pull.

    Args:
        stiffness: K [N/m], >= 0.
        damping: B [N·s/m], >= 0.
        dimension: number of directions.

    Runs record `stretch` [m] and `force` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.SpringDamper(stiffness=100.0).run(np.full(10, 1.0), period=1e-3).force[-1]), 9)
        -1.0
    """

    stiffness: float = 0.0
    damping: float = 0.0
    dimension: int = 1

    def __post_init__(self) -> None:
        own, none = type(self).__name__, "Give a magnitude, or 0 for none."
        stiffness = checks.at_least_zero(own, "stiffness", self.stiffness, "N/m", none)
        damping = checks.at_least_zero(own, "damping", self.damping, "N·s/m", none)
        object.__setattr__(self, "stiffness", stiffness)
        object.__setattr__(self, "damping", damping)
        checks.whole(own, "dimension", self.dimension, 1, "Use 1, 2 or 3.")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The state: stretch and force."""
        return (
            Field("stretch", "m", "how far it has been moved from rest"),
            Field("force", "N", "force on the mover"),
        )

    @property
    def parameters(self) -> Array:
        """[K, B]."""
        return np.array([self.stiffness, self.damping])

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        if self.dimension == 1:
            return Kernels(k.spring_kernels, by_value=True)
        return Kernels(k.spring_kernels_vector)
