"""A differential inclusion as it was read: rows, parameters, inputs, and what its elements mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix, Symbol

from tegotae import checks
from tegotae.inclusion.language.arguments import TIME, named, sorted_out
from tegotae.inclusion.language.compiled_terms import CompiledTerms
from tegotae.inclusion.language.grammar import refuse
from tegotae.inclusion.language.parsing import (
    ContactElement,
    FrictionElement,
    check_limit,
    check_static,
    collected,
    expression,
    is_affine,
    matrix_of,
    refuse_jumps,
)
from tegotae.inclusion.language.symbols import CoulombForce, Dio, Sgn, coulomb, dio, equation_of, tex
from tegotae.naming import made_of


class Equations:
    """Rows with `dio` and `coulomb`, read and checked: states, parameters, inputs, elements and what each means.

    What every route reads of a machine; `tegotae.inclusion.Inclusion` says how to write one.
    """

    def __init__(
        self,
        rows: Mapping[Any, Any],
        parameters: Mapping[Any, float] | None = None,
        *,
        inputs: Mapping[Any, Any] | None = None,
        mass_matrix: Any = None,
    ):
        rows = named("Inclusion", "rows", rows, "{p: v, v: ...}, one row a state")
        parameters = named("Inclusion", "parameters", parameters, "{m: 1.0}")
        inputs = named("Inclusion", "inputs", inputs, "{u: 0.0}")
        if not rows:
            refuse("rows is empty.", "Give one row a state: {p: v, v: ...}.")
        keys = [key for group in (rows, parameters, inputs) for key in group]
        exact = [expression(key, row, {}) for key, row in rows.items() if not isinstance(row, str)]
        matrix = matrix_of(mass_matrix)
        exact += [] if matrix is None else [matrix]
        known = _by_name([*exact, *(key for key in keys if isinstance(key, Symbol))])
        if any(isinstance(row, str) for row in rows.values()):
            known |= {name: known.get(name, Symbol(name)) for name in map(str, keys)}
        self.states = tuple(_symbol(key, known) for key in rows)
        self.parameters = {
            _symbol(k, known): checks.number(
                "Inclusion", f"parameters[{str(k)!r}]", v, "", "Give one finite number, in SI units."
            )
            for k, v in parameters.items()
        }
        read = [expression(key, row, known) for key, row in rows.items()]
        self._inputs = {_symbol(k, known): v for k, v in inputs.items()}
        self._check_names()
        signals = sorted_out(self._inputs, self.parameters)
        # A number is a parameter from here on: it holds its value unless a stepper is fed another.
        self.parameters |= signals.numbers
        self.callables: dict[Symbol, Callable[[float], float]] = signals.functions
        self.finest = signals.finest
        replaced: dict[Any, Any] = {Symbol("t"): TIME, known.get("t", TIME): TIME} | signals.expressions
        right, self.contacts, self.frictions = collected(read, replaced)
        self.right = ImmutableMatrix(right)
        self.mass_matrix = self._mass_matrix(matrix, replaced)
        self._check_symbols()
        self._check_elements()
        unknown = (*self.states, *self.callables, *self.forces)
        refuse_jumps(self.states, self.right, self.parameters, unknown)

    # ------------------------------------------------------------ reading

    def _mass_matrix(self, given: ImmutableMatrix | None, replaced: dict[Any, Any]) -> ImmutableMatrix | None:
        if given is None:
            return None
        matrix = ImmutableMatrix(given.xreplace(replaced))
        n = len(self.states)
        if matrix.shape != (n, n):
            refuse(f"mass_matrix has shape {matrix.shape}.", f"Give {n} x {n}, one row a state.")
        if matrix.has(Dio, CoulombForce, Sgn):
            refuse("mass_matrix holds a contact or friction.", "Forces belong into the rows.")
        numbers = matrix.subs(self.parameters)
        if not numbers.free_symbols and numbers.rank() < n:
            refuse(f"the mass matrix {matrix} is singular.", "Give every moving part a mass.")
        return None if matrix == sympy.eye(n) else matrix

    def _check_names(self) -> None:
        """Every name means one thing."""
        kinds = {"a state": self.states, "a parameter": tuple(self.parameters), "an input": tuple(self._inputs)}
        for state in self.states:
            if any(sure is not None for sure in (state.is_negative, state.is_zero, state.is_integer)):
                refuse(
                    f"the state {state} has assumptions about its value, which SymPy uses to simplify rows.",
                    f"A state may take any value: Symbol({state.name!r}, real=True).",
                )
        owner: dict[str, str] = {"t": "the time"}
        for kind, symbols in kinds.items():
            for name in (s.name for s in symbols):
                if owner.get(name) == kind:
                    refuse(f"{name!r} has two rows or values.", "Give it one.")
                if name in owner:
                    refuse(f"{name!r} is {owner[name]} and {kind}.", "Rename one of them.")
                owner[name] = kind

    def _check_symbols(self) -> None:
        fine = {*self.states, *self.parameters, *self.callables, TIME, *self.forces}
        for place, value in [
            *((f"the row of {s}", row) for s, row in zip(self.states, self.right, strict=True)),
            *self.places,
            *((f"the static limit of {f.name!r}", f.static) for f in self.frictions if f.static is not None),
            *((("the mass matrix", self.mass_matrix),) if self.mass_matrix is not None else ()),
        ]:
            strangers = sorted(s.name for s in value.free_symbols - fine)
            if strangers:
                refuse(
                    f"{strangers[0]!r} in {place}, {value}, is neither a state nor a parameter nor an input.",
                    "Give it a row if it is a state, or a value in parameters or inputs.",
                )
        for name in {s.name for s in self.states} & {e.name for e in self.elements}:
            refuse(f"{name!r} names both a state and an element.", "Rename the element.")

    def _check_elements(self) -> None:
        forces = set(self.forces)
        taken = {s.name for s in (*self.states, *self.parameters, *self._inputs)} & {s.name for s in forces}
        if taken:
            refuse(f"{min(taken)!r} is the name of an element's force.", "Rename the symbol.")
        for row in self.right:
            if not is_affine(row, forces):
                refuse(f"{row} is not linear in the forces.", "Add forces, times factors.")
        for contact in self.contacts:
            if not contact.gap.free_symbols & set(self.states):
                refuse(f"dio({contact.gap}) holds no state.", "A gap is a function of positions.")
            if self.rate(contact.gap).free_symbols & set(self.forces):
                refuse(
                    f"dio({contact.gap}) is taken of a velocity: its rate holds forces.",
                    "A gap is a distance, a function of positions.",
                )
        for friction in self.frictions:
            if not any(self.rate(slip).free_symbols & set(self.forces) for slip in friction.slips):
                slips = ", ".join(str(slip) for slip in friction.slips)
                refuse(f"sgn({slips}) is not taken of a velocity that forces change.", "A slip is a velocity.")
            pushes = {c.force: sympy.Dummy(f"dio({c.gap})", nonnegative=True) for c in self.contacts}
            magnitude = friction.limit.xreplace(pushes)
            check_limit(magnitude, self.parameters)
            if friction.static is not None:
                static = friction.static.xreplace(pushes)
                check_limit(static, self.parameters)
                check_static(friction.name, static, magnitude, self.parameters)

    # ------------------------------------------------------------ meaning

    @property
    def elements(self) -> tuple[ContactElement | FrictionElement, ...]:
        """Contacts, then frictions."""
        return (*self.contacts, *self.frictions)

    @property
    def forces(self) -> tuple[Symbol, ...]:
        """The symbols of all element forces: contacts, then frictions component by component."""
        return tuple(symbol for element in self.elements for symbol in element.forces)

    @property
    def places(self) -> list[tuple[str, Expr]]:
        """What gaps, slips and limits are made of, and the words for each."""
        return [
            *((f"the gap of {c.name!r}", c.gap) for c in self.contacts),
            *((f"the slip of {f.name!r}", slip) for f in self.frictions for slip in f.slips),
            *((f"the limit of {f.name!r}", f.limit) for f in self.frictions),
        ]

    @property
    def spans(self) -> tuple[slice, ...]:
        """Where the forces of each element lie among all."""
        counts = [len(element.forces) for element in self.elements]
        return tuple(slice(end - count, end) for count, end in zip(counts, accumulate(counts), strict=True))

    def refuse_static(self, owner: str, why: str) -> None:
        """Refuse frictions with a limit of their own at rest, for a route that has none."""
        for friction in self.frictions:
            if friction.static is not None:
                checks.refuse(
                    owner,
                    f"friction {friction.name!r} has static={friction.static}: {why}.",
                    "Use a Stribeck limit, such as Fk + (Fs - Fk)*exp(-(v/vs)**2), or to_events.",
                )

    @property
    def smooth(self) -> ImmutableMatrix:
        """The rows without element forces."""
        return ImmutableMatrix(self.right.xreplace(dict.fromkeys(self.forces, sympy.S.Zero)))

    @property
    def directions(self) -> ImmutableMatrix:
        """How each element force enters each row: one column a force."""
        if not self.forces:
            return ImmutableMatrix.zeros(len(self.states), 0)
        return ImmutableMatrix(self.right.jacobian(list(self.forces)))

    @cached_property
    def terms(self) -> CompiledTerms:
        """Its compiled terms, shared by every route."""
        return CompiledTerms(self)

    def latex(self) -> str:
        """The inclusion as the user wrote it, one row a state, as LaTeX, as notebooks show it."""
        dios = {c.force: dio(c.gap, c.name) for c in self.contacts}
        words = dict(dios)
        for f in self.frictions:
            static = None if f.static is None else f.static.xreplace(dios)
            words |= zip(f.forces, coulomb(f.limit.xreplace(dios), f.slips, f.name, static), strict=True)
        rows = [tex(row.xreplace(words)) for row in self.right]
        states = (tex(state) for state in self.states)
        return equation_of(self.mass_matrix, states, r"\in" if self.elements else "=", rows)

    def __repr__(self) -> str:
        states = ", ".join(state.name for state in self.states)
        elements = f"; {', '.join(element.name for element in self.elements)}" if self.elements else ""
        return f"Inclusion({states}{elements})"

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of: what is compiled, every process finds for itself, and what a record became, too."""
        return {name: value for name, value in made_of(self).items() if name != "callables"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.callables = sorted_out(self._inputs, self.parameters).functions

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def rate(self, value: Expr) -> Expr:
        """d value/dt along the rows; needs only rows that are solved, as those of positions are."""
        total, M = sympy.diff(value, TIME), self.mass_matrix
        for i, state in enumerate(self.states):
            slope = sympy.diff(value, state)
            if slope == 0:
                continue
            if M is None or all(M[i, j] == 0 for j in range(len(self.states)) if j != i):
                total += slope * (self.right[i] if M is None else self.right[i] / M[i, i])
            else:  # a combination of all forces, by shares that cancel nothing; what matters is that it holds forces
                total += slope * (self.right[i] + sympy.Dummy("share") * sum(self.forces, sympy.S.Zero))
        return total


def _by_name(values: Sequence[Any]) -> dict[str, Symbol]:
    known: dict[str, Symbol] = {}
    for symbol in {s for value in values for s in value.free_symbols}:
        if known.setdefault(symbol.name, symbol) != symbol:
            refuse(
                f"two symbols are called {symbol.name!r}, with different assumptions.",
                "Make the symbol once and use it everywhere.",
            )
    return known


def _symbol(key: Any, known: Mapping[str, Symbol]) -> Symbol:
    if isinstance(key, Symbol):
        return key
    if isinstance(key, str) and key:
        return known.get(key, Symbol(key))
    return refuse(f"{key!r} is not a symbol.", "Use SymPy symbols or strings as keys.")
