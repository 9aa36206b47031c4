"""What touches: parts of a body, given in its frame, as sets of balls. A point is a ball of radius 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.multibody.fields import ORIGIN, UPRIGHT, place_of, sizes_of, turn_of
from tegotae.parameters import Declared, Parameter


@dataclass(frozen=True, kw_only=True)
class Point(Declared):
    """A point that touches.

    Example:
        >>> from tegotae.multibody import Point
        >>> Point(position=(0, 0, -0.1)).balls
        array([[ 0. ,  0. , -0.1,  0. ]])
    """

    position: Annotated[ArrayLike, Parameter("[m], in the body's frame", accept=place_of)] = ORIGIN

    @property
    def balls(self) -> Array:
        """Centres and radii (always 0), a row of four numbers each [m]."""
        return np.array([[*np.asarray(self.position), 0.0]])


@dataclass(frozen=True, kw_only=True)
class Ball(Declared):
    """A ball that touches.

    Example:
        >>> from tegotae.multibody import Ball
        >>> Ball(radius=0.05).balls
        array([[0.  , 0.  , 0.  , 0.05]])
    """

    position: Annotated[ArrayLike, Parameter("[m], of its centre, in the body's frame", accept=place_of)] = ORIGIN
    radius: Annotated[float, Parameter("[m], > 0", "Give a radius, or touch with a Point.")]

    @property
    def balls(self) -> Array:
        """Centre and radius [m]."""
        return np.array([[*np.asarray(self.position), self.radius]])


@dataclass(frozen=True, kw_only=True)
class Corners(Declared):
    """The eight corners of a box, each a point that touches.

    Example:
        >>> from tegotae.multibody import Corners
        >>> Corners(half_sizes=(0.1, 0.2, 0.3)).balls[0]
        array([-0.1, -0.2, -0.3,  0. ])
    """

    half_sizes: Annotated[ArrayLike, Parameter("[m], > 0, of the box along its axes", accept=sizes_of)]
    center: Annotated[ArrayLike, Parameter("[m], of the box, in the body's frame", accept=place_of)] = ORIGIN
    rotation: Annotated[ArrayLike, Parameter("[-], of the box's axes in the body's frame, 3 x 3", accept=turn_of)] = (
        UPRIGHT
    )

    @property
    def balls(self) -> Array:
        """The corners, with radius 0 [m]."""
        signs = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
        places = np.asarray(self.center) + (signs * np.asarray(self.half_sizes)) @ np.asarray(self.rotation).T
        return np.column_stack([places, np.zeros(8)])


Toucher = Point | Ball | Corners
