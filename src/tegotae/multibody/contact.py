"""Pairs that may touch: the shapes, the bodies that carry them, and the elements between."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae import checks
from tegotae.multibody.shapes import Toucher
from tegotae.multibody.surfaces import Surface

OWN = "Touch"


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A part of one body that may touch a surface of another, or of the world.

    Boxes touch with their corners: give two boxes a `Touch` each way, and know that two edges do not feel each other.

    Along the normal acts f = K (e + beta e'), e the depth while they touch: a spring that pushes only, and a damper.
    Across it acts dry friction, mu f at most, through a spring and damper of its own, so what sticks does not creep.
    These are the elements of `tegotae.inclusion` (its `Contact` and `Friction`), taken implicitly: stable at any
    stiffness and period. How hard an impact bounces depends on zeta = (beta/2) sqrt(stiffness/mass): 0.1 gives back
    .74 of the speed, 0.3 .45, 1 .14, if period sqrt(stiffness/mass) is small; the larger that is, the less.

    Args:
        on: name of the body that touches.
        toucher: what of it touches: Point, Ball or Corners.
        surface: what is touched: HalfSpace, Plate, Box or Sphere.
        of: name of the body that carries the surface; the world if not given.
        stiffness: K [N/m], > 0.
        beta: damping over stiffness along the normal [s], >= 0.
        friction: coefficient mu [no unit], >= 0; 0 for a smooth surface.
        tangential_stiffness: across the normal [N/m], > 0; as along it if not given.
        tangential_beta: damping over stiffness across the normal [s], >= 0; as along it if not given.

    Example:
        >>> from tegotae.multibody import Corners, HalfSpace, Touch
        >>> corners = Corners(half_sizes=(0.1, 0.1, 0.1))
        >>> floor = Touch(on="crate", toucher=corners, surface=HalfSpace(), stiffness=1e6, friction=0.5)
        >>> floor.tangential_stiffness
        1000000.0
    """

    on: str
    toucher: Toucher
    surface: Surface
    of: str | None = None
    stiffness: float = 1e5
    beta: float = 2e-3
    friction: float = 0.0
    tangential_stiffness: float | None = None
    tangential_beta: float | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        _check_name("on", self.on)
        if self.of is not None:
            _check_name("of", self.of)
            if self.of == self.on:
                checks.refuse(
                    OWN,
                    f"of={checks.shown(self.of)} is the body that touches.",
                    "Give another body, or leave `of` out.",
                )
        _check_shapes(self.toucher, self.surface)
        if self.tangential_stiffness is None:
            set_(self, "tangential_stiffness", self.stiffness)
        if self.tangential_beta is None:
            set_(self, "tangential_beta", self.beta)
        for name in ("stiffness", "tangential_stiffness"):
            set_(self, name, checks.positive(OWN, name, getattr(self, name), "N/m", "Such as 1e5."))
        for name in ("beta", "tangential_beta"):
            way = "Such as 2e-3, or 0 for no damping."
            set_(self, name, checks.at_least_zero(OWN, name, getattr(self, name), "s", way))
        way = "Such as 0.5, or 0 for a smooth surface."
        set_(self, "friction", checks.at_least_zero(OWN, "friction", self.friction, "", way))


def _check_name(argument: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        checks.refuse(OWN, f"{argument}={checks.shown(name)} is not a name.", "Give the name of a body.")


def _check_shapes(toucher: object, surface: object) -> None:
    if not isinstance(toucher, Toucher):
        checks.refuse(OWN, f"toucher={checks.shown(toucher)} cannot touch.", "Give a Point, a Ball or Corners.")
    if not isinstance(surface, Surface):
        way = "Give a HalfSpace, a Plate, a Box or a Sphere."
        checks.refuse(OWN, f"surface={checks.shown(surface)} cannot be touched.", way)
