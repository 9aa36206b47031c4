"""What a stepper does that knows no model: modules of their own, which ship with the package.

A loop that is compiled takes them into itself; one that runs as plain Python, for want of a compiler, calls them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tegotae.compile import build
from tegotae.coupling.kernels.natural_residual import DISC, STOP, work_rows
from tegotae.inclusion.implicit.kernels import mobility
from tegotae.inclusion.implicit.kernels import stepper as k

_SLOPES = """
@entry
def linearise(P, F, E, T, w, bent):
    return linearise_step(P, F, E, T, w, bent)


@entry
def mobility(P, F, E, T, w, push, column, dx):
    mobility_of(P, F, E, T, w, push, column, dx)
"""


def slopes() -> ModuleType:
    """`linearise` and `mobility`: how the end of a tick answers a force."""
    return build(_SLOPES, (("linearise_step", mobility.linearise), ("mobility_of", mobility.mobility)))


def room_shapes(n: int, m: int, nc: int, nf: int) -> dict[str, tuple[int, ...]]:
    """The arrays a tick works in, in their order: for n states, m forces, nc contacts and nf frictions."""
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("d", "free", "shift", "xh", "f"), (n,))
    shapes |= dict.fromkeys(("S", "M", "A"), (n, n)) | {"inverse": (n, n + m), "G": (n, m), "W": (n, m)}
    shapes |= {"g": (nc,), "gv": (nc,), "Dg": (nc, n), "y": (m - nc,), "Dy": (m - nc, n)}
    shapes |= {"limit": (nc + nf,), "LA": (nf, n), "LB": (nf, nc), "L": (nc + nf, m), "Q": (m, m)}
    shapes |= dict.fromkeys(("b", "C", "F_before", "noise"), (m,)) | {"ready": (1,), "work": (int(work_rows(m)), m)}
    return {name: shapes[name] for name in k.Room._fields}


def room(n: int, m: int, nc: int, nf: int) -> Any:
    """Those arrays, empty."""
    return k.Room(*(np.zeros(shape) for shape in room_shapes(n, m, nc, nf).values()))


def blocks_of(nc: int, counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Kind and first row of each element, and where the last ends: contacts, then frictions of so many rows."""
    first = list(range(nc + 1))
    for count in counts:
        first.append(first[-1] + count)
    return [STOP] * nc + [DISC] * len(counts), first


def elements(nc: int, counts: Sequence[int], stiffness: Any, beta: Any) -> Any:
    """The elements as the kernels read them."""
    kind, first = (np.array(numbers, dtype=np.int64) for numbers in blocks_of(nc, counts))
    # As constants of a generated module are: one type, one compiled solve.
    kind.flags.writeable = first.flags.writeable = False
    return k.Elements(nc, kind, first, np.array(stiffness, dtype=np.float64), np.array(beta, dtype=np.float64))
