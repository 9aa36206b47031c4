"""What runs of an inclusion tell: its states, and of each element its force and what it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.parsing import ContactElement, FrictionElement
from tegotae.result import Variable


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
