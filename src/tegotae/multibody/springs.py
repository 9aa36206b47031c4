"""Springs and dampers between two points of bodies, or a body and the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.multibody.attachments import AtPoint
from tegotae.multibody.frames import name_of
from tegotae.multibody.tree import Tree
from tegotae.parameters import Declared, Parameter


def _end(owner: str, name: str, value: Any) -> AtPoint | tuple[float, ...]:
    """A point of a body, or a place in the world."""
    end = AtPoint(value) if isinstance(value, str) else value
    if not isinstance(end, AtPoint):
        remedy = "Give the name of a body, AtPoint(body, place), or three numbers for a place in the world."
        place = checks.numbers(owner, name, value, remedy)
        if place.shape != (3,) or not np.isfinite(place).all():
            checks.refuse(owner, f"{name}={checks.shown(value)} is no point.", remedy)
        return tuple(place.tolist())
    if end.along is not None:
        checks.refuse(
            owner, f"{name}={checks.shown(end)} has a direction.", "A spring pulls along itself: leave along."
        )
    return end


@dataclass(frozen=True, kw_only=True)
class Spring(Declared):
    """A spring and a damper in a line between two points, which pull and push along it.

    Runs tell its `tension` [N], > 0 where it pulls. It is taken implicitly along its line, of second order by the
    midpoint, so no stiffness is too stiff for the period; what its line's turning adds is taken at the middle.

    Example:
        >>> from tegotae.multibody import AtPoint, Body, Prismatic, Scene, Spring, Tree
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic(axis=(0, 0, 1)))])
        >>> hanging = Spring(first="lift", second=(0.0, 0.0, 1.0), stiffness=500.0, damping=60.0, length=0.5)
        >>> run = Scene(tree=lift, springs=[hanging]).run(3.0, period=1e-3, q=[0.4])
        >>> round(float(run.q[-1, 0]), 4), round(float(run.tension[-1, 0]), 3)  # 0.5 - 2 * 9.81/500; its weight
        (0.4608, 19.62)
    """

    first: Annotated[
        AtPoint | str | ArrayLike,
        Parameter(
            "[m], a place in the world; or a point of a body, or the name of a body for its origin",
            "Give AtPoint(body, place), the name of a body, or three numbers.",
            accept=_end,
        ),
    ]
    second: Annotated[
        AtPoint | str | ArrayLike,
        Parameter(
            "[m], the same of its other end",
            "Give AtPoint(body, place), the name of a body, or three numbers.",
            accept=_end,
        ),
    ]
    stiffness: Annotated[float, Parameter("K [N/m], >= 0")] = 0.0
    damping: Annotated[float, Parameter("c [N·s/m], >= 0")] = 0.0
    length: Annotated[
        float | None, Parameter("[m], >= 0, at which it rests; that in the neutral configuration unless given")
    ] = None
    name: Annotated[str | None, Parameter("of the spring; that of its ends unless given", accept=name_of)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stiffness == 0.0 and self.damping == 0.0:
            checks.refuse("Spring", "stiffness=0 and damping=0: it does nothing.", "Give one of them, or leave it out.")

    @property
    def label(self) -> str:
        """What it is called."""
        ends = [end.body if isinstance(end, AtPoint) else "world" for end in (self.first, self.second)]
        return self.name or " to ".join(ends)


def rows_of(tree: Tree, springs: Sequence[Spring]) -> Array:
    """A row each for the kernels: both bodies, both places in them, stiffness, damping, length."""
    rows, q = [np.zeros((0, 11))], None
    for spring in springs:
        owner, ends = f"Spring {spring.label!r}", []
        for label, end in (("first", spring.first), ("second", spring.second)):
            if isinstance(end, AtPoint) and end.body not in tree.frames:
                problem = f"{label}={checks.shown(end.body)}, and no body has that name."
                checks.refuse(owner, problem, f"Give one of {', '.join(map(repr, list(tree.frames)[:12]))}.")
            k, place, turn = (-1, np.zeros(3), np.eye(3)) if not isinstance(end, AtPoint) else tree._frame(end.body)
            ends.append((int(k), np.asarray(place) + turn @ np.asarray(end.place if isinstance(end, AtPoint) else end)))
        (one, here), (two, there) = ends
        if one == two:
            what = "of one rigid body" if one >= 0 else "in the world"
            checks.refuse(owner, f"both ends are {what}.", "Name bodies that can part.")
        length = spring.length
        if length is None:
            q = _neutral(tree, owner) if q is None else q
            points = [_place(tree, q, end) for end in (spring.first, spring.second)]
            length = float(np.linalg.norm(points[0] - points[1]))
        rows.append(np.array([[one, two, *here, *there, spring.stiffness, spring.damping, length]]))
    return np.concatenate(rows)


def _neutral(tree: Tree, owner: str) -> Array:
    try:
        return tree.neutral()
    except InputError as error:
        problem = "length is that in the neutral configuration, and none was found in which the loops are closed."
        raise InputError(f"{owner}: {problem}\n  Give length=... in m.") from error


def _place(tree: Tree, q: Array, end: Any) -> Array:
    if not isinstance(end, AtPoint):
        return np.asarray(end)
    origin, turn = tree.pose(q, end.body)
    return np.asarray(origin + turn @ np.asarray(end.place))
