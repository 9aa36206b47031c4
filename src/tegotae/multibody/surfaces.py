"""What is touched: surfaces fixed to a body or to the world, each of which knows its signed distance."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.bodies import triple
from tegotae.multibody.kernels import shapes as kernels
from tegotae.multibody.shapes import ORIGIN, ROUNDING, UPRIGHT, sizes_of
from tegotae.rotations import rotation_of

UP = (0.0, 0.0, 1.0)


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


class Surface(ABC):
    """What all surfaces have: a kind, some sizes, and a frame of their own in the frame of their body."""

    shape: ClassVar[int]

    @property
    @abstractmethod
    def numbers(self) -> Array:
        """The sizes as the kernels read them [m]."""

    @property
    @abstractmethod
    def where(self) -> Array:
        """Origin of the surface's own frame [m]."""

    @property
    @abstractmethod
    def turned(self) -> Array:
        """Axes of the surface's own frame, 3 x 3."""

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
        own = type(self).__name__
        r = checks.at_least_zero(own, "radius", radius, "m", "Give 0 for a point.")
        x, y, z = self.turned.T @ (np.asarray(triple(own, "position", position, "m")) - self.where)
        out = np.zeros(7)
        kernels.touch(self.shape, self.numbers, x, y, z, r, out)
        return Nearest(float(out[0]), self.turned @ out[1:4], self.where + self.turned @ out[4:])


@dataclass(frozen=True, kw_only=True)
class HalfSpace(Surface):
    """Everything behind a plane: a floor, a wall, a slope.

    Args:
        point: any point of the plane, in the body's frame [m].
        normal: out of the solid, of any length above 0 [unit vector after normalising].

    Example:
        >>> from tegotae.multibody import HalfSpace
        >>> HalfSpace(point=(0, 0, 1)).nearest((5, 5, 3)).gap
        2.0
    """

    point: ArrayLike = ORIGIN
    normal: ArrayLike = UP
    shape: ClassVar[int] = kernels.HALF_SPACE

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", triple("HalfSpace", "point", self.point, "m"))
        object.__setattr__(self, "normal", _direction("HalfSpace", "normal", self.normal))

    @property
    def numbers(self) -> Array:
        """None of them is used."""
        return np.zeros(kernels.SIZES)

    @property
    def where(self) -> Array:
        """The point [m]."""
        return np.asarray(self.point)

    @property
    def turned(self) -> Array:
        """Axes with z along the normal."""
        return _frame(np.asarray(self.normal), None)


@dataclass(frozen=True, kw_only=True)
class Plate(Surface):
    """A rectangle that is felt from its front only.

    In front of it, the gap is the distance to the rectangle, its edges included. Behind it, within the rectangle's
    outline, it is the depth, down to `thickness`. Elsewhere behind it nothing is felt: a ball that slides off an edge
    so far that its centre falls behind the plate loses contact at once.

    Args:
        half_sizes: half the length along `axis` and half the width across it [m], each > 0.
        center: of the rectangle, in the body's frame [m].
        normal: out of the front, of any length above 0 [unit vector after normalising].
        axis: along the first half size [direction]; what of it lies along the normal is taken off. Any if not given.
        thickness: depth below which nothing is felt [m], > 0; the smaller half size if not given.

    Example:
        >>> from tegotae.multibody import Plate
        >>> plate = Plate(half_sizes=(0.2, 0.1), axis=(1, 0, 0), thickness=0.02)
        >>> plate.nearest((0.1, 0, -0.01)).gap, plate.nearest((0.1, 0, -0.03)).gap
        (-0.01, inf)
    """

    half_sizes: ArrayLike
    center: ArrayLike = ORIGIN
    normal: ArrayLike = UP
    axis: ArrayLike | None = None
    thickness: float = 0.0
    shape: ClassVar[int] = kernels.PLATE

    def __post_init__(self) -> None:
        own, set_ = "Plate", object.__setattr__
        sizes = sizes_of(own, self.half_sizes, 2)
        set_(self, "half_sizes", sizes)
        set_(self, "center", triple(own, "center", self.center, "m"))
        set_(self, "normal", _direction(own, "normal", self.normal))
        if self.axis is not None:
            set_(self, "axis", _direction(own, "axis", self.axis))
            if np.linalg.norm(np.cross(np.asarray(self.axis), np.asarray(self.normal))) < ROUNDING:
                checks.refuse(own, f"axis={self.axis} lies along the normal.", "Give a direction in the plate's plane.")
        thickness = checks.number(own, "thickness", self.thickness, "m", "Give a depth, such as 0.01.")
        depth = min(sizes) if thickness == 0.0 else thickness
        set_(self, "thickness", checks.positive(own, "thickness", depth, "m", "Give a depth, such as 0.01."))

    @property
    def numbers(self) -> Array:
        """Both half sizes and the thickness [m]."""
        return np.array([*np.asarray(self.half_sizes), self.thickness])

    @property
    def where(self) -> Array:
        """The centre [m]."""
        return np.asarray(self.center)

    @property
    def turned(self) -> Array:
        """Axes with z along the normal and x along the axis."""
        return _frame(np.asarray(self.normal), None if self.axis is None else np.asarray(self.axis))


@dataclass(frozen=True, kw_only=True)
class Box(Surface):
    """A solid box. Inside it the nearest face counts.

    Args:
        half_sizes: along its axes [m], each > 0.
        center: in the body's frame [m].
        rotation: of the box's axes in the body's frame, 3 x 3 [no unit].

    Example:
        >>> from tegotae.multibody import Box
        >>> Box(half_sizes=(1, 1, 1)).nearest((4, 5, 0)).gap
        5.0
    """

    half_sizes: ArrayLike
    center: ArrayLike = ORIGIN
    rotation: ArrayLike = UPRIGHT
    shape: ClassVar[int] = kernels.BOX

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "half_sizes", sizes_of("Box", self.half_sizes, 3))
        set_(self, "center", triple("Box", "center", self.center, "m"))
        set_(self, "rotation", tuple(map(tuple, rotation_of("Box", self.rotation).tolist())))

    @property
    def numbers(self) -> Array:
        """The half sizes [m]."""
        return np.array(self.half_sizes, dtype=np.float64)

    @property
    def where(self) -> Array:
        """The centre [m]."""
        return np.asarray(self.center)

    @property
    def turned(self) -> Array:
        """The rotation."""
        return np.asarray(self.rotation, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Sphere(Surface):
    """A solid sphere.

    Args:
        radius: [m], > 0.
        center: in the body's frame [m].

    Example:
        >>> from tegotae.multibody import Sphere
        >>> Sphere(radius=1.0).nearest((3, 0, 0)).point
        array([1., 0., 0.])
    """

    radius: float
    center: ArrayLike = ORIGIN
    shape: ClassVar[int] = kernels.SPHERE

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "radius", checks.positive("Sphere", "radius", self.radius, "m", "Such as 0.1."))
        set_(self, "center", triple("Sphere", "center", self.center, "m"))

    @property
    def numbers(self) -> Array:
        """The radius [m], and zeros."""
        return np.array([self.radius, 0.0, 0.0])

    @property
    def where(self) -> Array:
        """The centre [m]."""
        return np.asarray(self.center)

    @property
    def turned(self) -> Array:
        """Not at all."""
        return np.eye(3)


def _direction(own: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    given = triple(own, name, value, "")
    length = math.hypot(*given)
    if not 0.0 < length < math.inf:
        checks.refuse(own, f"{name}={given} has length {length:g}.", f"Give a direction, such as {name}=(0, 0, 1).")
    return tuple(one / length for one in given)


def _frame(normal: Array, axis: Array | None) -> Array:
    """A rotation whose z is the normal, and whose x leans to the axis."""
    along = np.eye(3)[int(np.argmin(np.abs(normal)))] if axis is None else axis
    x = along - normal * (along @ normal)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
