"""The numbers behind an inclusion, compiled: M(x) x' = f(x, t) + G(x) force, gaps, slips and limits.

What every route needs and none derives twice. With n states, m forces (contacts, then friction components):

    inputs(t, u)                    the external inputs given as functions
    smooth(t, x, p, u, f)           f, (n)
    directions(t, x, p, u, G)       G, (n, m)
    mass(t, x, p, u, M)             M, (n, n); the unit matrix if none was given
    gaps(t, x, p, u, g, v)          gaps and their rates, one a contact
    slips(t, x, p, u, y)            slips, one a friction component
    limits(t, x, p, u, force, r)    limits, one a friction, for given contact forces
    smooth_slope(t, x, p, u, A)     df/dx, (n, n)
    gap_slope(t, x, p, u, A)        d gap/dx, (contacts, n)
    rate_slope(t, x, p, u, A)       d (gap rate)/dx, (contacts, n)
    slip_slope(t, x, p, u, A)       d slip/dx, (components, n)
    limit_slope(t, x, p, u, force, A, B)   d limit/dx (frictions, n) and d limit/d contact force (frictions, contacts)

All fill the last arguments and allocate nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from tegotae.checks import Array
from tegotae.compile import as_kernel, build
from tegotae.errors import InputError
from tegotae.inclusion.language.code_printing import body_of, indented
from tegotae.inclusion.language.inputs import TIME

if TYPE_CHECKING:
    from tegotae.inclusion.language.equations import Equations


class CompiledTerms:
    """The compiled terms of one inclusion; made when first asked for."""

    def __init__(self, inclusion: Equations):
        self.inclusion = inclusion
        self.states = inclusion.states
        self.values: Array = np.array(list(inclusion.parameters.values()), dtype=np.float64)
        self.made: dict[Any, ModuleType] = {}  # what other routes generated of it, shared by copies with other numbers
        self.names: dict[Symbol, str] = {TIME: "t"}  # where each symbol lies among the arguments
        for letter, symbols in (
            ("x", inclusion.states),
            ("p", inclusion.parameters),
            ("u", inclusion.callables),
            ("force", inclusion.forces),
        ):
            self.names |= {symbol: f"{letter}[{i}]" for i, symbol in enumerate(symbols)}

    @cached_property
    def module(self) -> ModuleType:
        """The generated module with all functions above."""
        return build(self.source(), self.input_functions())

    def plain(self, name: str, t: float, x: Array, *shapes: tuple[int, ...], force: Sequence[Array] = ()) -> Any:
        """What one of the functions fills, by plain Python: asked once, it would cost more to compile than it saves."""
        u, filled = np.zeros(len(self.inclusion.callables)), [np.zeros(shape) for shape in shapes]
        self.module.inputs.py_func(float(t), u)
        getattr(self.module, name).py_func(float(t), x, self.values, u, *force, *filled)
        return filled[0] if len(filled) == 1 else filled

    def input_functions(self) -> tuple[tuple[str, Any], ...]:
        """The user's input functions, compiled, as a generated module imports them."""
        return tuple(
            (f"input_{i}", _compiled(symbol, value))
            for i, (symbol, value) in enumerate(self.inclusion.callables.items())
        )

    def source(self) -> str:
        """The text of the module."""
        system = self.inclusion
        n, states = len(self.states), list(self.states)
        smooth, directions = system.smooth, system.directions
        mass = system.mass_matrix if system.mass_matrix is not None else sympy.eye(n)
        gaps = [c.gap for c in system.contacts]
        rates = [system.rate(gap) for gap in gaps]
        slips = [slip for f in system.frictions for slip in f.slips]
        limits = [f.limit for f in system.frictions]
        contact_forces = [c.force for c in system.contacts]
        plain, forced = "t, x, p, u", "t, x, p, u, force"
        functions = [
            self._vectors("smooth", plain, {"f": list(smooth)}),
            self._matrix("directions", plain, {"G": directions}),
            self._matrix("mass", plain, {"M": mass}),
            self._vectors("gaps", plain, {"g": gaps, "v": rates}),
            self._vectors("slips", plain, {"y": slips}),
            self._vectors("limits", forced, {"r": limits}),
            self._matrix("smooth_slope", plain, {"A": slopes_of(list(smooth), states)}),
            self._matrix("gap_slope", plain, {"A": slopes_of(gaps, states)}),
            self._matrix("rate_slope", plain, {"A": slopes_of(rates, states)}),
            self._matrix("slip_slope", plain, {"A": slopes_of(slips, states)}),
            self._matrix(
                "limit_slope", forced, {"A": slopes_of(limits, states), "B": slopes_of(limits, contact_forces)}
            ),
        ]
        calls = [f"    u[{i}] = input_{i}(t)" for i in range(len(system.callables))] or ["    pass"]
        inputs = "\n".join(["@kernel", "def inputs(t, u):", *calls, ""])
        return "\n".join(["import math", "", inputs, *functions])

    def magnitudes(self) -> str:
        """`magnitudes(t, x, p, u, w)`: what is summed in each gap and slip, sizes alone; rounding is a share of it."""
        system = self.inclusion
        values = [c.gap for c in system.contacts] + [slip for f in system.frictions for slip in f.slips]
        return self._vectors("magnitudes", "t, x, p, u", {"w": [_magnitude(value) for value in values]})

    def _vectors(self, name: str, arguments: str, outputs: dict[str, list[Expr]]) -> str:
        pairs = [(f"{word}[{i}]", value) for word, values in outputs.items() for i, value in enumerate(values)]
        return self._function(name, f"{arguments}, {', '.join(outputs)}", pairs)

    def _matrix(self, name: str, arguments: str, outputs: dict[str, Any]) -> str:
        pairs = [
            (f"{word}[{i}, {j}]", matrix[i, j])
            for word, matrix in outputs.items()
            for i in range(matrix.shape[0])
            for j in range(matrix.shape[1])
        ]
        return self._function(name, f"{arguments}, {', '.join(outputs)}", pairs)

    def _function(self, name: str, arguments: str, pairs: Sequence[tuple[str, Expr]]) -> str:
        body = indented(body_of(pairs, self.names)) if pairs else "    pass"
        return f"\n@kernel\ndef {name}({arguments}):\n{body}\n"


@cache
def _compiled(symbol: Symbol, function: Any) -> Any:
    """A user's function of time, tried once, so that what cannot be compiled is named here and not in a loop."""
    built = as_kernel(function)
    try:
        float(built(0.0))
    except Exception as error:
        raise InputError(
            f"Inclusion: the function of input {symbol} does not compile to a number ({str(error).strip()}).\n"
            "  Give a function of the time [s] of plain arithmetic and the math module."
        ) from error
    return built


def _magnitude(value: Expr) -> Expr:
    """The value with nothing taken away from anything: sums and products of the sizes of their parts."""
    if isinstance(value, (sympy.Add, sympy.Mul)):
        return value.func(*(_magnitude(part) for part in value.args))
    return sympy.Abs(value)


def slopes_of(values: Sequence[Expr], by: Sequence[Symbol]) -> sympy.Matrix:
    """How values change with symbols."""
    # Real stand-ins: the slope of |v| is sign(v) only where SymPy knows that v is real.
    real = {symbol: sympy.Dummy(symbol.name, real=True) for value in values for symbol in value.free_symbols}
    back = {dummy: symbol for symbol, dummy in real.items()}
    known = [value.xreplace(real) for value in values]
    return sympy.Matrix(len(values), len(by), lambda i, j: sympy.diff(known[i], real.get(by[j], by[j])).xreplace(back))
