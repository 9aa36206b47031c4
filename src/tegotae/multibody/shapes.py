"""What touches: parts of a body, given in its frame, as sets of balls. A point is a ball of radius 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.bodies import triple
from tegotae.rotations import rotation_of

ORIGIN = (0.0, 0.0, 0.0)
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point that touches.

    Args:
        position: in the body's frame [m].

    Example:
        >>> from tegotae.multibody import Point
        >>> Point(position=(0, 0, -0.1)).balls
        array([[ 0. ,  0. , -0.1,  0. ]])
    """

    position: ArrayLike = ORIGIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", triple("Point", "position", self.position, "m"))

    @property
    def balls(self) -> Array:
        """Centres and radii (always 0), a row of four numbers each [m]."""
        return np.array([[*np.asarray(self.position), 0.0]])


@dataclass(frozen=True, kw_only=True)
class Ball:
    """A ball that touches.

    Args:
        position: of its centre, in the body's frame [m].
        radius: [m], > 0.

    Example:
        >>> from tegotae.multibody import Ball
        >>> Ball(radius=0.05).balls
        array([[0.  , 0.  , 0.  , 0.05]])
    """

    position: ArrayLike = ORIGIN
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", triple("Ball", "position", self.position, "m"))
        way = "Give a radius, or touch with a Point."
        object.__setattr__(self, "radius", checks.positive("Ball", "radius", self.radius, "m", way))

    @property
    def balls(self) -> Array:
        """Centre and radius [m]."""
        return np.array([[*np.asarray(self.position), self.radius]])


@dataclass(frozen=True, kw_only=True)
class Corners:
    """The eight corners of a box, each a point that touches.

    Args:
        half_sizes: of the box along its axes [m], each > 0.
        center: of the box, in the body's frame [m].
        rotation: of the box's axes in the body's frame, 3 x 3 [no unit].

    Example:
        >>> from tegotae.multibody import Corners
        >>> Corners(half_sizes=(0.1, 0.2, 0.3)).balls[0]
        array([-0.1, -0.2, -0.3,  0. ])
    """

    half_sizes: ArrayLike
    center: ArrayLike = ORIGIN
    rotation: ArrayLike = UPRIGHT

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "half_sizes", sizes_of("Corners", self.half_sizes, 3))
        set_(self, "center", triple("Corners", "center", self.center, "m"))
        set_(self, "rotation", tuple(map(tuple, rotation_of("Corners", self.rotation).tolist())))

    @property
    def balls(self) -> Array:
        """The corners, with radius 0 [m]."""
        signs = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
        places = np.asarray(self.center) + (signs * np.asarray(self.half_sizes)) @ np.asarray(self.rotation).T
        return np.column_stack([places, np.zeros(8)])


Toucher = Point | Ball | Corners


def sizes_of(own: str, value: ArrayLike, count: int) -> tuple[float, ...]:
    """So many lengths > 0."""
    way = f"Give {count} lengths > 0, in m."
    sizes = checks.array(own, "half_sizes", value, "m", way)
    if sizes.shape != (count,):
        checks.refuse(own, f"half_sizes has shape {sizes.shape}.", way)
    return tuple(checks.positive(own, f"half_sizes[{k}]", one, "m", way) for k, one in enumerate(sizes))
