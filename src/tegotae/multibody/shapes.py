"""Shapes, given in the frame of their body or of the world: what touches, as sets of balls, and what is touched.

A point is a ball of radius 0. A surface knows its signed distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.frames import ORIGIN, UPRIGHT, direction_of, place_of, turn_of
from tegotae.multibody.kernels import places as kernels
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import frame_along

UP = (0.0, 0.0, 1.0)
ROUNDING = 1e-9
SIGNS = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])  # of the corners of a box


def sizes_of(owner: str, name: str, value: ArrayLike, count: int = 3) -> tuple[float, ...]:
    """So many lengths > 0."""
    remedy = f"Give {count} lengths > 0, in m."
    given = checks.array(owner, name, value, "m", remedy)
    if given.shape != (count,):
        checks.refuse(owner, f"{name} has shape {given.shape}.", remedy)
    return tuple(checks.positive(owner, f"{name}[{k}]", one, "m", remedy) for k, one in enumerate(given))


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
        places = np.asarray(self.center) + (SIGNS * np.asarray(self.half_sizes)) @ np.asarray(self.rotation).T
        return np.column_stack([places, np.zeros(8)])


@dataclass(frozen=True)
class Nearest:
    """What a surface knows about a ball, in the frame of the surface's body.

    Args:
        gap: between the two [m]; negative where they overlap, infinite where the surface does not feel the ball.
        normal: unit vector out of the surface.
        point: of the surface, nearest to the ball's centre [m].

    Example:
        >>> from tegotae.multibody import Sphere
        >>> Sphere(radius=1.0).nearest((0, 0, 3), radius=0.5).gap
        1.5
    """

    gap: float
    normal: Array
    point: Array


class Surface(Declared, ABC):
    """What all surfaces have: a kind, some sizes, and a frame of their own in the frame of their body."""

    shape: ClassVar[int]
    center: Any = ORIGIN

    @property
    @abstractmethod
    def numbers(self) -> Array:
        """The sizes as the kernels read them [m]."""

    @property
    def where(self) -> Array:
        """Origin of the surface's own frame [m]."""
        return np.asarray(self.center)

    @property
    def turned(self) -> Array:
        """Axes of the surface's own frame, 3 x 3."""
        return np.eye(3)

    def nearest(self, position: ArrayLike, *, radius: float = 0.0) -> Nearest:
        """Gap, normal and nearest point of a ball.

        Args:
            position: of the ball's centre, in the frame of the surface's body [m].
            radius: of the ball [m], >= 0; 0 for a point.

        Example:
            >>> from tegotae.multibody import Box
            >>> found = Box(half_sizes=(1, 1, 1)).nearest((0.0, 0.5, 0.0))
            >>> found.gap, found.normal, found.point
            (-0.5, array([0., 1., 0.]), array([0., 1., 0.]))
        """
        owner = type(self).__name__
        r = checks.at_least_zero(owner, "radius", radius, "m", "Give 0 for a point.")
        x, y, z = self.turned.T @ (np.asarray(place_of(owner, "position", position)) - self.where)
        out = np.zeros(7)
        kernels.touch(self.shape, self.numbers, x, y, z, r, out)
        return Nearest(float(out[0]), self.turned @ out[1:4], self.where + self.turned @ out[4:])


@dataclass(frozen=True, kw_only=True)
class HalfSpace(Surface):
    """Everything behind a plane: a floor, a wall, a slope.

    Example:
        >>> from tegotae.multibody import HalfSpace
        >>> HalfSpace(point=(0, 0, 1)).nearest((5, 5, 3)).gap
        2.0
    """

    point: Annotated[ArrayLike, Parameter("[m], any point of the plane, in the body's frame", accept=place_of)] = ORIGIN
    normal: Annotated[ArrayLike, Parameter("[-], out of the solid, of any length above 0", accept=direction_of)] = UP
    shape: ClassVar[int] = kernels.HALF_SPACE

    @property
    def numbers(self) -> Array:
        """It has no sizes."""
        return np.zeros(kernels.SIZES)

    @property
    def where(self) -> Array:
        """The point [m]."""
        return np.asarray(self.point)

    @property
    def turned(self) -> Array:
        """Axes with z along the normal."""
        return frame_along(self.normal)


@dataclass(frozen=True, kw_only=True)
class Plate(Surface):
    """A rectangle that is felt from its front only.

    In front of it, the gap is the distance to the rectangle, its edges included. Behind it, within the rectangle's
    outline, it is the depth, down to `thickness`. Elsewhere behind it nothing is felt: a ball that slides off an edge
    so far that its centre falls behind the plate loses contact at once.

    Example:
        >>> from tegotae.multibody import Plate
        >>> plate = Plate(half_sizes=(0.2, 0.1), axis=(1, 0, 0), thickness=0.02)
        >>> plate.nearest((0.1, 0, -0.01)).gap, plate.nearest((0.1, 0, -0.03)).gap
        (-0.01, inf)
    """

    half_sizes: Annotated[
        ArrayLike,
        Parameter(
            "[m], > 0, half the length along `axis` and half the width across it", accept=partial(sizes_of, count=2)
        ),
    ]
    center: Annotated[ArrayLike, Parameter("[m], of the rectangle, in the body's frame", accept=place_of)] = ORIGIN
    normal: Annotated[ArrayLike, Parameter("[-], out of the front, of any length above 0", accept=direction_of)] = UP
    axis: Annotated[
        ArrayLike | None,
        Parameter(
            "[-], along the first half size; what of it lies along the normal is taken off; any unless given",
            accept=direction_of,
        ),
    ] = None
    thickness: Annotated[
        float | None,
        Parameter("[m], > 0, a depth below which nothing is felt; the smaller half size unless given", such_as="0.01"),
    ] = None
    shape: ClassVar[int] = kernels.PLATE

    def __post_init__(self) -> None:
        super().__post_init__()
        axis, normal = np.asarray(self.axis), np.asarray(self.normal)
        if self.axis is not None and np.linalg.norm(np.cross(axis, normal)) < ROUNDING:
            problem = f"axis={self.axis} lies along the normal."
            checks.refuse("Plate", problem, "Give a direction in the plate's plane.")

    @property
    def numbers(self) -> Array:
        """Both half sizes and the thickness [m]."""
        half = np.asarray(self.half_sizes)
        return np.array([*half, half.min() if self.thickness is None else self.thickness])

    @property
    def turned(self) -> Array:
        """Axes with z along the normal and x along the axis."""
        return frame_along(self.normal, self.axis)


@dataclass(frozen=True, kw_only=True)
class Box(Surface):
    """A solid box. Inside it the nearest face counts.

    Example:
        >>> from tegotae.multibody import Box
        >>> Box(half_sizes=(1, 1, 1)).nearest((4, 5, 0)).gap
        5.0
    """

    half_sizes: Annotated[ArrayLike, Parameter("[m], > 0, along its axes", accept=sizes_of)]
    center: Annotated[ArrayLike, Parameter("[m], in the body's frame", accept=place_of)] = ORIGIN
    rotation: Annotated[ArrayLike, Parameter("[-], of the box's axes in the body's frame, 3 x 3", accept=turn_of)] = (
        UPRIGHT
    )
    shape: ClassVar[int] = kernels.BOX

    @property
    def numbers(self) -> Array:
        """The half sizes [m]."""
        return np.array(self.half_sizes, dtype=np.float64)

    @property
    def turned(self) -> Array:
        """The rotation."""
        return np.asarray(self.rotation, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Sphere(Surface):
    """A solid sphere.

    Example:
        >>> from tegotae.multibody import Sphere
        >>> Sphere(radius=1.0).nearest((3, 0, 0)).point
        array([1., 0., 0.])
    """

    radius: Annotated[float, Parameter("[m], > 0", such_as="0.1")]
    center: Annotated[ArrayLike, Parameter("[m], in the body's frame", accept=place_of)] = ORIGIN
    shape: ClassVar[int] = kernels.SPHERE

    @property
    def numbers(self) -> Array:
        """The radius [m], and zeros."""
        return np.array([self.radius, 0.0, 0.0])
