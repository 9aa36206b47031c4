"""An inclusion as LaTeX, in the form of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import sympy
from sympy import Expr, Symbol
from sympy.core.symbol import Str

from tegotae.inclusion.language.symbols import CoulombForce, Dio

if TYPE_CHECKING:
    from tegotae.inclusion.language.equations import Equations

NEXT = r" \\ "


def latex_of_inclusion(inclusion: Equations) -> str:
    """The inclusion as the user wrote it, one row a state."""
    dios = {c.force: Dio(c.gap, Str(c.name)) for c in inclusion.contacts}
    forces: dict[Symbol, Expr] = dict(dios)
    for f in inclusion.frictions:
        limit, slips = f.limit.xreplace(dios), sympy.Tuple(*f.slips)
        static = Str("") if f.static is None else f.static.xreplace(dios)
        for i, force in enumerate(f.forces):
            forces[force] = CoulombForce(limit, slips, sympy.Integer(i), Str(f.name), static)
    rows = [tex(row.xreplace(forces)) for row in inclusion.right]
    left = derivative(inclusion.mass_matrix, (tex(s) for s in inclusion.states))
    relation = r"\in" if inclusion.elements else "="
    return f"{left} {relation} {column(rows)}"


def derivative(mass: Any, states: Iterable[str]) -> str:
    """d/dt of states, a mass matrix before it."""
    front = "" if mass is None else tex(mass) + " "
    return rf"{front}\frac{{d}}{{dt}} {column(list(states))}"


def column(rows: list[str]) -> str:
    """A column vector."""
    lines = NEXT.join(rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def tex(value: Any) -> str:
    """One expression, matrices in square brackets."""
    return str(sympy.latex(value, mat_delim="[", mat_str="matrix"))
