"""Rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.frames import ORIGIN, UPRIGHT, name_of, place_of, turn_of
from tegotae.multibody.joint_kinds import Fixed, Free, Joint, OneDegree, degrees_of
from tegotae.parameters import Declared, Parameter, declared

ROUNDING = 1e-9  # relative: what files and arithmetic may leave of an identity between inertias or rotations
SPECK = 1e-6  # [m] a body with a smaller radius of gyration is a point, whatever its file computed


def _inertia(owner: str, name: str, value: ArrayLike) -> tuple[tuple[float, ...], ...]:
    remedy = "Give three moments, or a symmetric 3 x 3 matrix, in kg·m²."
    given = checks.array(owner, name, value, "kg·m²", remedy)
    if given.shape not in ((3,), (3, 3)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", remedy)
    checks.finite(owner, name, given, "kg·m²")
    return tuple(map(tuple, (np.diag(given) if given.ndim == 1 else given).tolist()))


@dataclass(frozen=True, kw_only=True)
class Body(Declared):
    """A rigid body and the joint that carries it.

    The body's frame is the joint's frame after the motion: at q = 0 it lies where `position` and `rotation` put it
    in the parent's frame. For a `Free` body they say where it is in the neutral configuration.

    Example:
        >>> from tegotae.multibody import Body, Revolute
        >>> arm = Body(name="arm", mass=2.0, inertia=(0.1, 0.1, 0.01), center=(0, 0, -0.3), joint=Revolute())
        >>> arm.inertia[2]
        (0.0, 0.0, 0.01)
    """

    name: Annotated[str, Parameter("unlike that of any other body of the tree", accept=name_of)]
    mass: Annotated[
        float,
        Parameter(
            "[kg], of 0 or more; a body may be massless if what hangs on it gives its joint some inertia",
            "Give the mass in kg, 0 or more.",
        ),
    ]
    inertia: Annotated[
        ArrayLike,
        Parameter(
            "[kg·m²], moments (Ixx, Iyy, Izz) or a symmetric 3 x 3 matrix, about the centre of mass, along the axes of "
            "the body's frame; 0 unless given (a point)",
            accept=_inertia,
        ),
    ] = ORIGIN
    center: Annotated[ArrayLike, Parameter("[m], centre of mass in the body's frame", accept=place_of)] = ORIGIN
    parent: Annotated[
        str | None, Parameter("name of the body that carries this one; the world unless given", accept=name_of)
    ] = None
    joint: Annotated[
        Joint,
        Parameter("what carries it", "Give a joint, such as Revolute(...), Spherical(), Fixed() or Free()."),
    ]
    position: Annotated[ArrayLike, Parameter("[m], place of the joint in the parent's frame", accept=place_of)] = ORIGIN
    rotation: Annotated[
        ArrayLike,
        Parameter(
            "[-], of the joint's frame in the parent's, 3 x 3, columns are its axes (vector in the parent = rotation "
            "@ vector in the joint), a matrix of cosines",
            accept=turn_of,
        ),
    ] = UPRIGHT

    def __post_init__(self) -> None:
        kind = type(self)
        owner = f"{kind.__name__} {name_of(kind.__name__, 'name', self.name)!r}"
        for name, field in declared(kind).items():
            self.__dict__[name] = field.check(owner, name, self.__dict__[name])
        self._check_matter(owner)

    def _check_matter(self, owner: str) -> None:
        for problem, remedy in flaws_of(self.mass, np.asarray(self.inertia)):
            checks.refuse(owner, problem, remedy)

    @property
    def joint_name(self) -> str:
        """Name of the joint that carries it: the joint's own, or the body's."""
        name = None if isinstance(self.joint, (Fixed, Free)) else self.joint.name
        return self.name if name is None else name

    @property
    def flies(self) -> bool:
        """Whether it moves in the world without a joint."""
        return isinstance(self.joint, Free) and self.parent is None

    @cached_property
    def degrees(self) -> tuple[OneDegree, ...]:
        """Its joint as joints of one degree, from the parent on; none if it flies, or is fixed."""
        return () if self.flies else degrees_of(self.joint, self.joint_name)


@dataclass(frozen=True, kw_only=True)
class LooseBody(Body):
    """A body as a file describes it: mass and inertia may be such as no body has.

    Everything else is checked as in `Body`. What is wrong with it is in `flaws`; a `Tree` takes it all the same.

    Example:
        >>> from tegotae.multibody import LooseBody, Revolute
        >>> LooseBody(name="hand", mass=1.0, inertia=(1.0, 0.1, 0.1), joint=Revolute()).flaws[0]
        'inertia has principal moments 0.1, 0.1, 1 kg·m²: the largest exceeds the sum of the others.'
    """

    def _check_matter(self, owner: str) -> None:
        """Nothing is refused here: `flaws` tells."""

    @property
    def flaws(self) -> tuple[str, ...]:
        """What no body can have, in words."""
        return tuple(problem for problem, _ in flaws_of(self.mass, np.asarray(self.inertia)))


def flaws_of(mass: float, inertia: Array) -> list[tuple[str, str]]:
    """What is impossible about a mass and an inertia, each with its remedy."""
    found = []
    if mass < 0.0:
        found.append((f"mass={mass:g} kg must be >= 0.", "Give the mass in kg, 0 or more."))
    scale = float(np.abs(inertia).max())
    small = ROUNDING * scale + SPECK**2 * max(mass, 0.0)
    skew = float(np.abs(inertia - inertia.T).max())
    if skew > small:
        found.append((f"inertia differs from its transpose by {skew:g} kg·m².", "Give a symmetric matrix."))
    moments = np.linalg.eigvalsh((inertia + inertia.T) / 2.0)
    listed = ", ".join(f"{moment:g}" for moment in moments)
    if moments[0] < -small:
        found.append((f"inertia has principal moments {listed} kg·m²: one is below 0.", "Check signs and entries."))
    elif moments[2] > moments[0] + moments[1] + small:
        problem = f"inertia has principal moments {listed} kg·m²: the largest exceeds the sum of the others."
        found.append((problem, "No body has that. Check entries and units; give it about the centre of mass."))
    return found
