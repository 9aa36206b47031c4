"""Pairs that may touch: the shapes, the bodies that carry them, and the elements between; and limits that stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import RELAXATION, ContactStiffness, FrictionCoefficient, Restitution
from tegotae.multibody.frames import name_of
from tegotae.multibody.kernels.places import SIZES
from tegotae.multibody.kernels.records import RESTITUTION, SHAPE
from tegotae.multibody.shapes import Ball, Corners, Point, Surface
from tegotae.multibody.stops import Limit, limits_of
from tegotae.parameters import Declared, Parameter

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree
    from tegotae.multibody.tree_arrays import Frame


@dataclass(frozen=True, kw_only=True)
class Touch(Declared):
    """A part of one body that may touch a surface of another, or of the world.

    Boxes touch with their corners: give two boxes a `Touch` each way, and know that two edges do not feel each other.

    Along the normal acts f = K e + c e', e the depth while they touch: a spring that pushes only, and a damper.
    Across it acts dry friction, mu f at most, through a spring and damper of its own, so what sticks does not creep.
    These are the elements of `tegotae.inclusion` (its `Contact` and `Friction`), taken implicitly: stable at any
    stiffness and period. How hard an impact bounces depends on zeta = damping/(2 sqrt(stiffness mass)): 0.1 gives back
    .74 of the speed, 0.3 .45, 1 .14, if period sqrt(stiffness/mass) is small; the larger that is, the less.

    With a `restitution` an impact is an instant instead, at its moment within a tick: what meets the surface leaves it
    with that part of its speed, and stiffness and damping only tell how it rests. An impact that rubs obeys Coulomb's
    law, and gains no energy. Bounces that would end within a tick are rest.

    Example:
        >>> from tegotae.multibody import Corners, HalfSpace, Touch
        >>> corners = Corners(half_sizes=(0.1, 0.1, 0.1))
        >>> floor = Touch(on="crate", toucher=corners, surface=HalfSpace(), stiffness=1e6, friction=0.5)
        >>> floor.damping, floor.tangential_stiffness
        (2000.0, 1000000.0)
    """

    on: Annotated[str, Parameter("name of the body that touches", accept=name_of)]
    toucher: Annotated[Point | Ball | Corners, Parameter("what of it touches")]
    surface: Annotated[Surface, Parameter("what is touched", "Give a HalfSpace, a Plate, a Box or a Sphere.")]
    of: Annotated[
        str | None, Parameter("name of the body that carries the surface; the world unless given", accept=name_of)
    ] = None
    stiffness: ContactStiffness = 1e5
    damping: Annotated[
        float | None,
        Parameter("c [N·s/m], >= 0, along the normal, while they touch; 2 ms times the stiffness unless given"),
    ] = None
    friction: FrictionCoefficient = 0.0
    tangential_stiffness: Annotated[
        float | None, Parameter("[N/m], > 0, across the normal; as along it unless given")
    ] = None
    tangential_damping: Annotated[
        float | None,
        Parameter("[N·s/m], >= 0, across the normal; in proportion to the stiffness there, as along it, unless given"),
    ] = None

    restitution: Restitution = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of == self.on:
            problem = f"of={checks.shown(self.of)} is the body that touches."
            checks.refuse("Touch", problem, "Give another body, or leave `of` out.")
        values = self.__dict__
        if self.damping is None:
            values["damping"] = RELAXATION * self.stiffness
        if self.tangential_stiffness is None:
            values["tangential_stiffness"] = self.stiffness
        if self.tangential_damping is None:
            values["tangential_damping"] = values["damping"] * values["tangential_stiffness"] / self.stiffness


class Pairs(NamedTuple):
    """Every ball of every `Touch`, and its surface, as the kernels take it; then limits of joints that stop.

    Names are "body on body" or "body on world", with a number where a toucher has several balls; "joint lower" or
    "joint upper" of limits. `bounces` tells whether any has a restitution, which is then told of all.
    """

    names: tuple[str, ...]
    which: NDArray[np.int64]
    numbers: Array
    bounces: bool
    limits: tuple[Limit, ...]

    @property
    def touching(self) -> int:
        """How many there are before the limits."""
        return len(self.names) - len(self.limits)

    @property
    def units(self) -> tuple[str, ...]:
        """Of their gaps."""
        return ("m",) * self.touching + tuple(limit.unit for limit in self.limits)


def pairs_of(tree: Tree, touches: Sequence[Touch]) -> Pairs:
    """One pair for each ball, in the frames of the moving bodies, and one for each limit that stops."""
    names: list[str] = []
    which: list[tuple[int, int, int]] = []
    numbers: list[Array] = []
    limits = limits_of(tree)
    given = [one.restitution for one in touches] + [one.stop.restitution for one in limits]
    bounces = any(restitution is not None for restitution in given)
    for touch in touches:
        body, place, turn = _frame(tree, touch.on)
        on, where, turned = (-1, np.zeros(3), np.eye(3)) if touch.of is None else _frame(tree, touch.of)
        if body == on:
            checks.refuse("Scene", f"{touch.on!r} and {touch.of or 'the world'!r} are one body.", "They cannot touch.")
        surface = touch.surface
        axes = turned @ surface.turned
        K, K_t = touch.stiffness, float(touch.tangential_stiffness or 0.0)
        c, c_t = float(touch.damping or 0.0), float(touch.tangential_damping or 0.0)
        rest = (K, c / K, touch.friction, K_t, c_t / K_t)  # kernels take damping over stiffness
        balls = touch.toucher.balls
        for i, ball in enumerate(balls):
            at = place + turn @ ball[:3]
            row = [*at, ball[3], *(where + turned @ surface.where), *axes.ravel(), *rest, *surface.numbers]
            numbers.append(_with_restitution(row, touch.restitution, bounces))
            which.append((body, on, surface.shape))
            number = f" {i + 1}" if len(balls) > 1 else ""
            names.append(f"{touch.on}{number} on {touch.of or 'world'}")
    for limit in limits:
        K, beta = limit.stop.stiffness, float(limit.stop.damping or 0.0) / limit.stop.stiffness
        row = [*np.zeros(7), *np.eye(3).ravel(), K, beta, 0.0, K, beta, limit.value, limit.sign, 0.0]
        numbers.append(_with_restitution(row, limit.stop.restitution, bounces))
        which.append((limit.body, limit.carrier, limit.kind))
        names.append(limit.name)
    table = np.array(numbers).reshape(-1, RESTITUTION + 1 if bounces else SHAPE + SIZES)
    return Pairs(tuple(names), np.array(which, dtype=np.int64).reshape(-1, 3), table, bounces, limits)


def _with_restitution(row: list[float], restitution: float | None, bounces: bool) -> Array:
    """The numbers of a pair, with its restitution where any has one."""
    last = [-1.0 if restitution is None else restitution] if bounces else []
    return np.array([*row, *last], dtype=np.float64)


def _frame(tree: Tree, name: str) -> Frame:
    if name not in tree.frames:
        checks.refuse("Scene", f"touches: there is no body {name!r}.", f"It has {', '.join(list(tree.frames)[:12])}.")
    return tree.frames[name]
