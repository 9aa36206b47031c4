"""What the routes are given alike: a span of time, and values by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tegotae import checks


def span_of(owner: str, span: Any) -> tuple[float, float]:
    """Start and end [s] as two finite numbers.

    Example:
        >>> span_of("Ode.solve", (0, 2.5))
        (0.0, 2.5)
    """
    pair = isinstance(span, Sequence) or (isinstance(span, np.ndarray) and span.ndim == 1)
    if not pair or isinstance(span, str | bytes) or len(span) != 2:
        checks.refuse(owner, f"span={checks.shown(span)} is no pair.", "Give (start, end) in seconds.")
    return checks.number(owner, "span", span[0], "s"), checks.number(owner, "span", span[1], "s")


def named(owner: str, argument: str, value: Any, example: str) -> Mapping[Any, Any]:
    """A mapping, such as state -> value; nothing is an empty one.

    Example:
        >>> named("Ode.solve", "initial", None, "{'p': 0.1}")
        {}
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        checks.refuse(owner, f"{argument}={checks.shown(value)} gives no names.", f"Write it as {argument}={example}.")
    return value


def made_of(machine: Any) -> dict[str, Any]:
    """What a machine holds without what it worked out when first asked, such as compiled modules.

    Example:
        >>> from functools import cached_property
        >>> class Cube:
        ...     def __init__(self, side):
        ...         self.side = side
        ...     @cached_property
        ...     def volume(self):
        ...         return self.side**3
        >>> cube = Cube(2)
        >>> cube.volume, made_of(cube)
        (8, {'side': 2})
    """
    found = vars(machine).items()
    return {name: value for name, value in found if not isinstance(getattr(type(machine), name, None), cached_property)}
