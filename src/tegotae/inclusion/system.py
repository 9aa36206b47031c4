"""The differential inclusion itself: rows, parameters, inputs, and what its elements mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy
from sympy import Expr, ImmutableMatrix, Symbol

from tegotae import checks
from tegotae.inclusion.given import made_of, named
from tegotae.inclusion.inputs import TIME, sorted_out
from tegotae.inclusion.jumps import refuse_jumps
from tegotae.inclusion.language import CoulombForce, Dio, Sgn
from tegotae.inclusion.parameters import Contact, Friction
from tegotae.inclusion.reading import (
    Collected,
    ContactElement,
    FrictionElement,
    check_limit,
    check_static,
    expression,
    is_affine,
    matrix_of,
)

if TYPE_CHECKING:
    from tegotae.inclusion.exact import Exact
    from tegotae.inclusion.ode import Ode
    from tegotae.inclusion.pieces import Pieces
    from tegotae.inclusion.stepper import Stepper

__all__ = ["TIME", "Inclusion"]


class Inclusion:
    """A machine with friction and contact, written as it truly is: M(x) x' in f(x, t), with `dio` and `coulomb`.

    Args:
        rows: state -> its time derivative (or, with `mass_matrix`, its row of f); symbols or strings as keys.
        parameters: parameter -> value (SI units).
        inputs: input -> a number (which `to_stepper(...).run` may feed), an expression of the time `t`, a function
            of the time [s], or a record (times [s], values): lines between its points, held before and after.
        mass_matrix: M, one row a state, if the rows are not solved for the derivatives.

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import Inclusion, dio
        >>> p, v, m, g = sympy.symbols("p v m g")
        >>> ball = Inclusion({p: v, v: dio(p, "floor")/m - g}, parameters={m: 1.0, g: 9.81})
        >>> [contact.name for contact in ball.contacts]
        ['floor']
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
            checks.refuse("Inclusion", "rows is empty.", "Give one row a state: {p: v, v: ...}.")
        texts = [row for row in rows.values() if isinstance(row, str)]
        exact = [expression(key, row, {}) for key, row in rows.items() if not isinstance(row, str)]
        matrix = matrix_of(mass_matrix)
        exact += [] if matrix is None else [matrix]
        known = _by_name([*exact, *_symbols(rows, parameters, inputs)])
        if texts:
            known |= {n: known.get(n, Symbol(n)) for n in _names_of(rows, parameters, inputs)}
        self.states = tuple(_symbol(key, known) for key in rows)
        self.parameters = {_symbol(k, known): _number(k, v) for k, v in parameters.items()}
        collected = Collected([expression(key, row, known) for key, row in rows.items()])
        self._inputs = {_symbol(k, known): v for k, v in inputs.items()}
        self._check_names()
        told = sorted_out(self._inputs, self.parameters)
        # A number is a parameter from here on: it holds its value unless a stepper is fed another.
        self.parameters |= told.numbers
        self.callables: dict[Symbol, Callable[[float], float]] = told.functions
        self.finest = told.finest
        replaced: dict[Any, Any] = {Symbol("t"): TIME, known.get("t", TIME): TIME} | told.expressions
        self.right = ImmutableMatrix([row.xreplace(replaced) for row in collected.rows])
        self.mass_matrix = self._mass_matrix(matrix, replaced)
        self.contacts = tuple(ContactElement(c.name, c.gap.xreplace(replaced), c.force) for c in collected.contacts)
        self.frictions = tuple(
            FrictionElement(
                f.name,
                f.limit.xreplace(replaced),
                tuple(slip.xreplace(replaced) for slip in f.slips),
                None if f.static is None else f.static.xreplace(replaced),
                f.forces,
            )
            for f in collected.frictions
        )
        self._check_symbols()
        self._check_elements()
        refuse_jumps(self)

    @classmethod
    def from_mechanics(
        cls,
        method: Any,
        parameters: Mapping[Any, float] | None = None,
        *,
        inputs: Mapping[Any, Any] | None = None,
    ) -> Inclusion:
        """The equations of a `KanesMethod` or `LagrangesMethod`; see `tegotae.inclusion.from_mechanics`."""
        from tegotae.inclusion.mechanics import from_mechanics

        return from_mechanics(method, parameters, inputs=inputs)

    # ------------------------------------------------------------ reading

    def _mass_matrix(self, given: ImmutableMatrix | None, replaced: dict[Any, Any]) -> ImmutableMatrix | None:
        if given is None:
            return None
        matrix = ImmutableMatrix(given.xreplace(replaced))
        n = len(self.states)
        if matrix.shape != (n, n):
            checks.refuse("Inclusion", f"mass_matrix has shape {matrix.shape}.", f"Give {n} x {n}, one row a state.")
        if matrix.has(Dio, CoulombForce, Sgn):
            checks.refuse("Inclusion", "mass_matrix holds a contact or friction.", "Forces belong into the rows.")
        numbers = matrix.subs(self.parameters)
        if not numbers.free_symbols and numbers.rank() < n:
            checks.refuse("Inclusion", f"the mass matrix {matrix} is singular.", "Give every moving part a mass.")
        return None if matrix == sympy.eye(n) else matrix

    def _check_names(self) -> None:
        """Every name means one thing."""
        kinds = {"a state": self.states, "a parameter": tuple(self.parameters), "an input": tuple(self._inputs)}
        for state in self.states:
            if any(sure is not None for sure in (state.is_negative, state.is_zero, state.is_integer)):
                checks.refuse(
                    "Inclusion",
                    f"the state {state} has assumptions about its value, which SymPy uses to simplify rows.",
                    f"A state may take any value: Symbol({state.name!r}, real=True).",
                )
        owner: dict[str, str] = {"t": "the time"}
        for kind, symbols in kinds.items():
            for name in (s.name for s in symbols):
                if owner.get(name) == kind:
                    checks.refuse("Inclusion", f"{name!r} has two rows or values.", "Give it one.")
                if name in owner:
                    checks.refuse("Inclusion", f"{name!r} is {owner[name]} and {kind}.", "Rename one of them.")
                owner[name] = kind

    def _check_symbols(self) -> None:
        fine = {*self.states, *self.parameters, *self.callables, TIME, *self.forces}
        limits = [f.limit for f in self.frictions]
        for place, value in [
            *((f"the row of {s}", row) for s, row in zip(self.states, self.right, strict=True)),
            *((f"the gap of {c.name!r}", c.gap) for c in self.contacts),
            *((f"the slip of {f.name!r}", slip) for f in self.frictions for slip in f.slips),
            *((f"the limit of {f.name!r}", limit) for f, limit in zip(self.frictions, limits, strict=True)),
            *((f"the static limit of {f.name!r}", f.static) for f in self.frictions if f.static is not None),
            *((("the mass matrix", self.mass_matrix),) if self.mass_matrix is not None else ()),
        ]:
            strangers = sorted(s.name for s in value.free_symbols - fine)
            if strangers:
                checks.refuse(
                    "Inclusion",
                    f"{strangers[0]!r} in {place}, {value}, is no state, parameter or input.",
                    "Give it a row if it is a state, or a value in parameters or inputs.",
                )
        for name in {s.name for s in self.states} & {e.name for e in self.elements}:
            checks.refuse("Inclusion", f"{name!r} names both a state and an element.", "Rename the element.")

    def _check_elements(self) -> None:
        forces = set(self.forces)
        taken = {s.name for s in (*self.states, *self.parameters, *self._inputs)} & {s.name for s in forces}
        if taken:
            checks.refuse("Inclusion", f"{min(taken)!r} is the name of an element's force.", "Rename the symbol.")
        for row in self.right:
            if not is_affine(row, forces):
                checks.refuse("Inclusion", f"{row} is not linear in the forces.", "Add forces, times factors.")
        for contact in self.contacts:
            if not contact.gap.free_symbols & set(self.states):
                checks.refuse("Inclusion", f"dio({contact.gap}) holds no state.", "A gap is a function of positions.")
            if self.rate(contact.gap).free_symbols & set(self.forces):
                checks.refuse(
                    "Inclusion",
                    f"dio({contact.gap}) is taken of a velocity: its rate holds forces.",
                    "A gap is a distance, a function of positions.",
                )
        for friction in self.frictions:
            if not any(self.rate(slip).free_symbols & set(self.forces) for slip in friction.slips):
                told = ", ".join(str(slip) for slip in friction.slips)
                checks.refuse(
                    "Inclusion", f"sgn({told}) is not taken of a velocity that forces change.", "A slip is a velocity."
                )
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
        return (*(c.force for c in self.contacts), *(s for f in self.frictions for s in f.forces))

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
    def pieces(self) -> Pieces:
        """Its compiled pieces, shared by every route."""
        from tegotae.inclusion.pieces import Pieces

        return Pieces(self)

    def latex(self) -> str:
        """The inclusion as LaTeX, as notebooks show it."""
        from tegotae.inclusion.showing import latex_of_inclusion

        return latex_of_inclusion(self)

    def __repr__(self) -> str:
        states = ", ".join(state.name for state in self.states)
        told = f"; {', '.join(element.name for element in self.elements)}" if self.elements else ""
        return f"Inclusion({states}{told})"

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
        total = sympy.diff(value, TIME)
        for i, state in enumerate(self.states):
            slope = sympy.diff(value, state)
            if slope == 0:
                continue
            total += slope * self._derivative(i)
        return total

    def _derivative(self, i: int) -> Expr:
        if self.mass_matrix is None:
            return self.right[i]
        if all(self.mass_matrix[i, j] == 0 for j in range(len(self.states)) if j != i):
            return self.right[i] / self.mass_matrix[i, i]
        # An unsolved row: some combination of all forces; what matters here is only that it holds forces.
        return self.right[i] + sum(self.forces, sympy.S.Zero)

    def to_ode(
        self,
        *,
        contact: Contact | None = None,
        friction: Friction | None = None,
        elements: Mapping[str, Contact | Friction] | None = None,
        auto: bool = False,
        period: float | None = None,
        restitution: float | None = None,
        initial: Mapping[Any, float] | None = None,
    ) -> Ode:
        """The explicit ordinary differential equation of xiong2011: one added state an element.

        Args:
            contact: parameters of all contacts.
            friction: parameters of all frictions.
            elements: name -> parameters, overriding those.
            auto: let tegotae choose what is not given, by the mass that each element feels; see `automatic`.
            period: the step that the choice shall be safe for [s]; only with auto.
            restitution: speed after an impact of a free mass over the speed before it, in (0, 1) [-]; a weight takes
                a little more, see `automatic`; only with auto.
            initial: state -> value [SI units] at which the masses are taken, 0 if not given; only with auto.
        """
        from tegotae.inclusion.ode import Ode

        own = dict(checks.mapping("to_ode", "elements", elements, "Give a dict of Contact or Friction by name."))
        if checks.flag("to_ode", "auto", auto):
            from tegotae.inclusion.tuning import automatic

            if period is None:
                checks.refuse("to_ode", "auto=True needs a period.", "Give the integrator's step: period=1e-3.")
            if contact is not None:
                own = {**{c.name: contact for c in self.contacts}, **own}
            if friction is not None:
                own = {**{f.name: friction for f in self.frictions}, **own}
            own = automatic(self, period=period, restitution=restitution, initial=initial, elements=own)
        elif any(given is not None for given in (period, restitution, initial)):
            checks.refuse(
                "to_ode", "period, restitution and initial are given without auto=True.", "Add auto=True, or omit them."
            )
        return Ode(self, self.chosen(contact, friction, own))

    def to_stepper(
        self,
        *,
        period: float,
        contact: Contact | None = None,
        friction: Friction | None = None,
        elements: Mapping[str, Contact | Friction] | None = None,
    ) -> Stepper:
        """The implicit route: backward Euler at a fixed period, all contacts and frictions solved together.

        Args:
            period: T [s], > 0.
            contact: parameters of all contacts.
            friction: parameters of all frictions.
            elements: name -> parameters, overriding those.
        """
        from tegotae.inclusion.stepper import Stepper

        own = checks.mapping("to_stepper", "elements", elements, "Give a dict of Contact or Friction by name.")
        return Stepper(inclusion=self, period=period, elements=self.chosen(contact, friction, own))

    def to_events(self, *, restitution: float | Mapping[str, float] = 0.0) -> Exact:
        """The exact route: the set-valued laws themselves, integrated from event to event; no stiffness, no damping.

        Args:
            restitution: speed after an impact over the speed before it, 0 to 1 [-], for all contacts or by name.
        """
        from tegotae.inclusion.exact import Exact

        return Exact(self, restitution)

    def chosen(
        self, contact: Contact | None, friction: Friction | None, own: Mapping[str, Contact | Friction]
    ) -> dict[str, Contact | Friction]:
        """Parameters for every element by name, or an error that names the one without."""
        names = {element.name for element in self.elements}
        for name in own:
            if name not in names:
                checks.refuse("Inclusion", f"elements names {name!r}.", f"It has {', '.join(sorted(names)) or 'none'}.")
        chosen: dict[str, Contact | Friction] = {}
        for kind, default, group in (("contact", contact, self.contacts), ("friction", friction, self.frictions)):
            wanted = Contact if kind == "contact" else Friction
            for element in group:  # type: ignore[attr-defined]
                value = own.get(element.name, default)
                if not isinstance(value, wanted):
                    checks.refuse(
                        "Inclusion",
                        f"{kind} {element.name!r} has no parameters (got {checks.shown(value)}).",
                        f"Give {kind}={wanted.__name__}(...), or it in elements={{{element.name!r}: ...}}.",
                    )
                chosen[element.name] = value
        return chosen


def _symbols(*groups: Mapping[Any, Any]) -> list[Symbol]:
    return [key for group in groups for key in group if isinstance(key, Symbol)]


def _names_of(*groups: Mapping[Any, Any] | None) -> set[str]:
    return {str(key) for group in groups for key in (group or {})}


def _by_name(values: Sequence[Any]) -> dict[str, Symbol]:
    known: dict[str, Symbol] = {}
    for symbol in {s for value in values for s in value.free_symbols}:
        if known.setdefault(symbol.name, symbol) != symbol:
            checks.refuse(
                "Inclusion",
                f"two symbols are called {symbol.name!r}, with different assumptions.",
                "Make the symbol once and use it everywhere.",
            )
    return known


def _symbol(key: Any, known: Mapping[str, Symbol]) -> Symbol:
    if isinstance(key, Symbol):
        return key
    if isinstance(key, str) and key:
        return known.get(key, Symbol(key))
    return checks.refuse("Inclusion", f"{key!r} is no symbol.", "Use SymPy symbols or strings as keys.")


def _number(key: Any, value: Any) -> float:
    return checks.number("Inclusion", f"parameters[{str(key)!r}]", value, "", "Give one finite number, in SI units.")
