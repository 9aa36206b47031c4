"""Friction that was written as a jump: `sign(v)` and its like have no value that would hold a body at rest.

Where a row jumps against the very velocity that it drives, the motion is pushed back to the jump from both sides. A
solver then takes ever smaller steps and does not end; a set-valued `sgn` holds there.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix, Symbol
from sympy.core.relational import Relational

from tegotae import checks

_SAMPLES = 5  # of what else a row holds: parameters have values, states may have any


def refuse_jumps(
    states: Sequence[Symbol], rows: ImmutableMatrix, parameters: Mapping[Symbol, float], unknown: Iterable[Symbol]
) -> None:
    """Refuse rows that jump against the velocity that they drive, with the word to use.

    `unknown` may have any value: states, inputs and forces.
    """
    real = {s: sympy.Dummy(s.name, real=True) for s in unknown}
    # As fractions: by rounding, an edge would not be 0 where it was solved to be.
    known = {s: sympy.Rational(value) for s, value in parameters.items()} | real
    known |= {number: sympy.Rational(number) for number in rows.atoms(sympy.Float)}
    for state, row in zip(states, rows, strict=True):
        for atom, edge in _edges(row):
            if state in edge.free_symbols and _pushes_back(row.xreplace(known), edge.xreplace(known), real[state]):
                checks.refuse(
                    "Inclusion",
                    f"the row of {state} jumps at {edge} = 0 by {atom}, and nothing holds {state} there.",
                    f"For dry friction use limit*sgn({edge}) or coulomb(limit, {edge}, 'name') of tegotae.inclusion; "
                    f"for a drag, {edge}*abs({edge}).",
                )


def _edges(row: Expr) -> Iterator[tuple[Any, Expr]]:
    """Where it may jump: what must be 0 there, and what says so."""
    for atom in sorted(row.atoms(sympy.sign, sympy.Heaviside, sympy.Abs, Relational), key=sympy.default_sort_key):
        yield atom, atom.lhs - atom.rhs if isinstance(atom, Relational) else atom.args[0]


def _pushes_back(row: Expr, edge: Expr, state: Symbol) -> bool:
    """Whether the rate of the state is lower just above the edge than just below it."""
    slope = sympy.diff(edge, state)
    if slope == 0 or state in slope.free_symbols:
        return False
    there, near = sympy.expand(state - edge / slope), sympy.Dummy(positive=True)
    above, below = (row.subs(state, there + side * near).subs(near, 0) for side in (1, -1))
    jump = sympy.expand(above - below)
    draw = random.Random(1)
    for _ in range(_SAMPLES):
        value = jump.xreplace({s: sympy.Float(draw.uniform(0.1, 2.0)) for s in jump.free_symbols})
        if value.is_real and value < -1e-9:
            return True
    return False
