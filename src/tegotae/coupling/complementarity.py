"""Contacts, stops and frictions that meet in one step, solved together: for machines of any kind.

A step leaves h = (W + diag C) f + b between the forces f [N] and the velocities h [m/s] of their points: the machine
yields by W, the elements by C [m/(N s)]. `kernels.natural_residual` tells the laws that both obey,
`kernels.complementarity` how they are solved. Kernels call that; Python calls the entry below, which ships.
"""

from __future__ import annotations

from types import ModuleType

from tegotae.compile import build
from tegotae.coupling.kernels import complementarity

_SOLVE = """
@entry
def solve(P, f, work):
    return solve_any(P, f, work)


@entry
def solve_cones(P, f, work):
    return solve_symmetric(P, f, work)
"""


def solver() -> ModuleType:
    """`solve` and, for symmetric W, `solve_cones`: (problem, forces, workspace) -> iterations, how they were found.

    `set_scales` comes first, whenever W or C is another.
    """
    kernels = ("solve_any", complementarity.solve_any), ("solve_symmetric", complementarity.solve_symmetric)
    return build(_SOLVE, kernels)
