"""Names, places and directions, as users give them."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.rotations import nearest, rotation_of

ORIGIN = (0.0, 0.0, 0.0)
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def name_of(owner: str, name: str, value: object) -> str:
    """A text of some length."""
    if not isinstance(value, str) or not value:
        checks.refuse(owner, f"{name}={checks.shown(value)} is not a name.", "Give a text of at least one character.")
    return value


def place_of(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    """Three finite numbers in metres."""
    return tuple(checks.vector(owner, name, value, "m", 3).tolist())


def direction_of(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    """A unit vector along three numbers that are not all 0."""
    given = tuple(checks.vector(owner, name, value, "", 3).tolist())
    length = math.hypot(*given)
    if not 0.0 < length < math.inf:
        checks.refuse(owner, f"{name}={given} has length {length:g}.", f"Give a direction, such as {name}=(0, 0, 1).")
    return tuple(one / length for one in given)


def turn_of(owner: str, name: str, value: ArrayLike) -> tuple[tuple[float, ...], ...]:
    """A matrix of cosines by rows, to all digits."""
    return tuple(map(tuple, nearest(rotation_of(owner, checks.array(owner, name, value, ""), name)).tolist()))
