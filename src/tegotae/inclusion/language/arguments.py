"""What the routes are given alike: a span of time, times in it, and values by name; and what their runs tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.language.parsing import ContactElement, FrictionElement
from tegotae.result import Variable

if TYPE_CHECKING:
    from tegotae.inclusion.language.equations import Equations


def span_of(owner: str, span: Any) -> tuple[float, float]:
    """Start and end [s] as two finite numbers, the end behind the start."""
    pair = isinstance(span, Sequence) or (isinstance(span, np.ndarray) and span.ndim == 1)
    if not pair or isinstance(span, str | bytes) or len(span) != 2:
        checks.refuse(owner, f"span={checks.shown(span)} is no pair.", "Give (start, end) in seconds.")
    start, end = checks.number(owner, "span", span[0], "s"), checks.number(owner, "span", span[1], "s")
    if end <= start:
        told = "has no length" if end == start else "does not go forward"
        checks.refuse(owner, f"span=({start:g}, {end:g}) s {told}.", "Give (start, end) with end > start.")
    return start, end


def times_in(owner: str, times: ArrayLike | None, start: float, end: float) -> Array | None:
    """Times to record at: finite, increasing, inside the span; None for those of the route itself."""
    if times is None:
        return None
    remedy = "Give increasing times inside the span, such as [0.0, 0.1, 0.2]."
    record = checks.values(owner, "times", times, "s", remedy, -math.inf)
    if (np.diff(record) <= 0.0).any() or record[0] < start or record[-1] > end:
        told = f"times from {record[0]:g} to {record[-1]:g} do not fit ({start:g}, {end:g}) s"
        checks.refuse(owner, f"{told}: they are not increasing, or leave the span.", remedy)
    return record


def named(owner: str, argument: str, value: Any, example: str) -> Mapping[Any, Any]:
    """A mapping, such as state -> value; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        checks.refuse(owner, f"{argument}={checks.shown(value)} gives no names.", f"Write it as {argument}={example}.")
    return value


def initial_values(owner: str, initial: Any, names: Sequence[str]) -> dict[str, float]:
    """What is given of a start, state (symbol or name) -> value, by the names of states."""
    found = {}
    for key, value in named(owner, "initial", initial, "{'p': 0.1}").items():
        name = str(key)
        if name not in names:
            checks.refuse(owner, f"initial names {name!r}: {name!r} is no state.", f"States are {', '.join(names)}.")
        found[name] = checks.number(owner, f"initial[{name!r}]", value, "", "Give a finite number, in SI units.")
    return found


def made_of(machine: Any) -> dict[str, Any]:
    """What a machine holds without what it worked out when first asked, such as compiled modules."""
    found = vars(machine).items()
    return {name: value for name, value in found if not isinstance(getattr(type(machine), name, None), cached_property)}


def record_of_mode(element: ContactElement | FrictionElement) -> str:
    """The name under which results keep whether a contact is closed or a friction sticks."""
    return f"{element.name}_closed" if isinstance(element, ContactElement) else f"{element.name}_sticks"


def variables_of(
    system: Equations, times: Array, names: Sequence[str], states: Array, forces: Array, modes: NDArray[np.int8]
) -> dict[str, Variable]:
    """Time [s], states by name (those behind the machine's own were added), forces [N] and modes of elements."""
    variables = {"time": Variable(("time",), times, "s", "time")}
    for i, name in enumerate(names):
        unit, meaning = ("", "state") if i < len(system.states) else ("m", "added state")
        variables[name] = Variable(("time",), states[:, i].copy(), unit, meaning)
    for i, (element, span) in enumerate(zip(system.elements, system.spans, strict=True)):
        contact, count = isinstance(element, ContactElement), span.stop - span.start
        force, dims = (forces[:, span.start], ("time",)) if count == 1 else (forces[:, span], ("time", f"axis_{count}"))
        kind = "contact force" if contact else "friction force, along the slip"
        variables[element.name] = Variable(dims, force.copy(), "N", kind)
        meaning = "1 closed, 0 open" if contact else "1 sticks, 0 slips"
        variables[record_of_mode(element)] = Variable(("time",), modes[:, i].copy(), "-", meaning)
    return variables
