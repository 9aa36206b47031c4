"""What a stepper does that knows no model: modules of their own, which ship with the package.

A loop that is compiled takes them into itself; one that runs as plain Python, for want of a compiler, calls them.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tegotae.compile import build
from tegotae.inclusion.kernels import complementarity, mobility
from tegotae.inclusion.kernels import stepper as k

_SOLVE = """
@entry
def solve(P, F, S):
    return solve_elements(P, F, S)
"""

_SLOPES = """
@entry
def linearise(P, F, E, T, S, w, bent):
    return linearise_step(P, F, E, T, S, w, bent)


@entry
def mobility(P, F, T, S, w, push, column, dx):
    mobility_of(P, F, T, S, w, push, column, dx)
"""


def solver() -> ModuleType:
    """`solve`: the forces of all elements of a tick."""
    return build(_SOLVE, (("solve_elements", complementarity.solve_elements),))


def slopes() -> ModuleType:
    """`linearise` and `mobility`: how the end of a tick answers a force."""
    return build(_SLOPES, (("linearise_step", mobility.linearise), ("mobility_of", mobility.mobility)))


def room_shapes(n: int, m: int, nc: int, nf: int) -> dict[str, tuple[int, ...]]:
    """The arrays a tick works in, in their order: for n states, m forces, nc contacts and nf frictions."""
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("d", "free", "shift", "xh", "f"), (n,))
    shapes |= dict.fromkeys(("S", "M", "A"), (n, n)) | {"inverse": (n, n + m), "G": (n, m), "W": (n, m)}
    shapes |= {"g": (nc,), "gv": (nc,), "Dg": (nc, n), "y": (m - nc,), "Dy": (m - nc, n)}
    shapes |= {"r": (nf,), "LA": (nf, n), "LB": (nf, nc), "L": (nf, m), "Q": (m, m), "s_J": (m, m), "s_N": (m, 1)}
    shapes |= dict.fromkeys(("b", "q", "F_before", "noise"), (m,)) | {"ready": (1,)}
    shapes |= dict.fromkeys(("s_h", "s_trial", "s_least", "s_old", "s_q0", "s_modes"), (m,))
    return {name: shapes[name] for name in k.Room._fields}


def room(n: int, m: int, nc: int, nf: int) -> Any:
    """Those arrays, empty."""
    return k.Room(*(np.zeros(shape) for shape in room_shapes(n, m, nc, nf).values()))


def elements(first: Any, stiffness: Any, beta: Any) -> Any:
    """The elements as the kernels read them; `first`: where each friction's components begin, and the last ends."""
    places = np.array(first, dtype=np.int64)
    places.flags.writeable = False  # as a constant of a generated module is: one type, one compiled solve
    return k.Elements(places, np.array(stiffness, dtype=np.float64), np.array(beta, dtype=np.float64))
