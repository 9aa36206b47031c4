"""The paper's replacement: first every dio, then every sgn, and one added state an element.  [xiong2011]

    dio(x)         ->  psi = K max(0, S),  S = e - beta (x + e)/alpha;   e' = max(-e/beta, -(x + e)/alpha)
    limit sgn(y)   ->  theta = K sat(limit/K, w),  w = a + beta y;       a' = (theta/K - a)/beta

Friction in a plane or in space has one added state a component: theta = K w min(1, (limit/K)/|w|).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy import Expr, Function, ImmutableMatrix, Max, Min, Symbol

from tegotae import checks
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.language.arguments import record_of_mode
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.latex import NEXT, column, derivative, latex_of_inclusion, tex
from tegotae.inclusion.language.parsing import ContactElement, FrictionElement


@dataclass(frozen=True)
class ContactPart:
    """A contact and the letters that its replacement brings in."""

    element: ContactElement
    e: Symbol
    K: Symbol
    beta: Symbol
    alpha: Symbol

    @property
    def switch(self) -> Expr:
        """S [m]: closed where it is positive; both maxima of the paper switch here."""
        return self.e - self.beta * (self.element.gap + self.e) / self.alpha


@dataclass(frozen=True)
class FrictionPart:
    """A friction and the letters that its replacement brings in."""

    element: FrictionElement
    a: tuple[Symbol, ...]
    K: Symbol
    beta: Symbol

    @property
    def stretch(self) -> tuple[Expr, ...]:
        """w [m], one entry a component: the stretch that would be if it stuck."""
        return tuple(a + self.beta * slip for a, slip in zip(self.a, self.element.slips, strict=True))


class Rewritten:
    """An inclusion after the replacement; every letter is a symbol, so other numbers leave it as it is."""

    def __init__(self, inclusion: Equations):
        self.inclusion = inclusion
        self.contacts = tuple(
            ContactPart(c, *(Symbol(f"{letter}_{c.name}") for letter in ("e", "K", "beta", "alpha")))
            for c in inclusion.contacts
        )
        self.frictions = tuple(
            FrictionPart(f, _added(f), Symbol(f"K_{f.name}"), Symbol(f"beta_{f.name}")) for f in inclusion.frictions
        )
        inclusion.refuse_static("to_ode", "a limit that jumps at rest has no ordinary differential equation")
        self._check_names()

    @property
    def added(self) -> tuple[Symbol, ...]:
        """The added states: e of every contact, then a of every friction component."""
        return (*(c.e for c in self.contacts), *(a for f in self.frictions for a in f.a))

    @property
    def states(self) -> tuple[Symbol, ...]:
        """The original states, then the added ones."""
        return (*self.inclusion.states, *self.added)

    def letters(self, chosen: Mapping[str, Contact | Friction]) -> dict[Symbol, float]:
        """Every parameter with its value: the user's, then K, beta (and alpha) of each element."""
        values = dict(self.inclusion.parameters)
        for part in self.contacts:
            parameters = chosen[part.element.name]
            assert isinstance(parameters, Contact)
            values |= {part.K: parameters.stiffness, part.beta: parameters.beta, part.alpha: parameters.alpha}
        for rub in self.frictions:
            held = chosen[rub.element.name]
            values |= {rub.K: held.stiffness, rub.beta: held.beta}
        return values

    @cached_property
    def contact_forces(self) -> dict[Symbol, Expr]:
        """psi in place of every contact force."""
        return {c.element.force: c.K * Max(0, c.switch) for c in self.contacts}

    @cached_property
    def friction_forces(self) -> dict[Symbol, Expr]:
        """theta in place of every friction force, contact forces in its limit already replaced."""
        forces: dict[Symbol, Expr] = {}
        for f in self.frictions:
            limit = f.element.limit.xreplace(self.contact_forces)
            if len(f.a) == 1:
                held = limit / f.K
                forces[f.element.forces[0]] = f.K * Max(-held, Min(held, f.stretch[0]))
                continue
            size = sympy.sqrt(sum(w**2 for w in f.stretch))
            for force, w in zip(f.element.forces, f.stretch, strict=True):
                forces[force] = sympy.Piecewise((f.K * w, f.K * size <= limit), (limit * w / size, True))
        return forces

    @cached_property
    def right(self) -> ImmutableMatrix:
        """The right-hand side, of the original states and then of the added ones."""
        forces = self.contact_forces | self.friction_forces
        rows = [row.xreplace(forces) for row in self.inclusion.right]
        for c in self.contacts:
            rows.append(Max(-c.e / c.beta, -(c.element.gap + c.e) / c.alpha))
        for f in self.frictions:
            for a, force in zip(f.a, f.element.forces, strict=True):
                rows.append((forces[force] / f.K - a) / f.beta)
        return ImmutableMatrix(rows)

    @property
    def mass_matrix(self) -> ImmutableMatrix | None:
        """M, with ones for the added states; None if the rows were given solved."""
        if self.inclusion.mass_matrix is None:
            return None
        return ImmutableMatrix(sympy.diag(self.inclusion.mass_matrix, sympy.eye(len(self.added))))

    def _check_names(self) -> None:
        system = self.inclusion
        taken = [s.name for s in (*self.states, *system.parameters, *system.callables)]
        taken += [s.name for c in self.contacts for s in (c.K, c.beta, c.alpha)]
        taken += [s.name for f in self.frictions for s in (f.K, f.beta)]
        taken += [name for e in system.elements for name in (e.name, record_of_mode(e))] + ["time"]
        if twice := sorted({name for name in taken if taken.count(name) > 1}):
            checks.refuse(
                "to_ode",
                f"the name {twice[0]!r} would stand for two things.",
                "Rename the state, parameter or element: each element NAME adds e_NAME or a_NAME, K_NAME and so on.",
            )


def _added(friction: FrictionElement) -> tuple[Symbol, ...]:
    count = len(friction.slips)
    return tuple(Symbol(f"a_{friction.name}" if count == 1 else f"a_{friction.name}_{i}") for i in range(count))


class _Sat(Function):  # type: ignore[misc]
    """sat(limit, value), for print only."""

    nargs = 2

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{sat}}\left({printer._print(self.args[0])}, {printer._print(self.args[1])}\right)"


def latex_of_ode(rewritten: Rewritten) -> str:
    """Inclusion, arrow, ODE, and what the letters psi and theta stand for."""
    system = rewritten.inclusion
    letters: dict[Symbol, Symbol] = {c.element.force: _letter("psi", c.element.name) for c in rewritten.contacts}
    for f in rewritten.frictions:
        for i, force in enumerate(f.element.forces):
            letters[force] = _letter("theta", f.element.name, i if len(f.a) > 1 else None)
    shown = {s: _letter(s.name[0], e.name) for e, s in ((c.element, c.e) for c in rewritten.contacts)}
    for f in rewritten.frictions:
        for i, a in enumerate(f.a):
            shown[a] = _letter("a", f.element.name, i if len(f.a) > 1 else None)
    parts: list[ContactPart | FrictionPart] = [*rewritten.contacts, *rewritten.frictions]
    for part in parts:
        shown |= {s: _letter(s.name.split("_")[0], part.element.name) for s in (part.K, part.beta)}
    shown |= {c.alpha: _letter("alpha", c.element.name) for c in rewritten.contacts}

    def render(value: Expr) -> str:
        return tex(value.xreplace(letters | shown))

    rows = [render(row) for row in system.right]
    where: list[str] = []
    for c in rewritten.contacts:
        open_, closed = -c.e / c.beta, -(c.element.gap + c.e) / c.alpha
        rows.append(rf"\max\left({render(open_)}, {render(closed)}\right)")
        where.append(rf"{render(c.element.force)} = {render(c.K)} \max\left(0, {render(c.switch)}\right)")
    for f in rewritten.frictions:
        rows += [render((force / f.K - a) / f.beta) for a, force in zip(f.a, f.element.forces, strict=True)]
        size = sympy.sqrt(sum(w**2 for w in f.stretch))
        for force, w in zip(f.element.forces, f.stretch, strict=True):
            if len(f.a) == 1:
                held = render(_Sat(f.element.limit / f.K, w))
            else:
                ratio = render(f.element.limit / f.K / size)
                held = rf"\left({render(w)}\right) \min\left(1, {ratio}\right)"
            where.append(rf"{render(force)} = {render(f.K)}\, {held}")
    left = derivative(rewritten.mass_matrix, (tex(shown.get(s, s)) for s in rewritten.states))
    text = rf"{latex_of_inclusion(system)} \quad\longrightarrow\quad {left} = {column(rows)}"
    lines = NEXT.join(where)
    return rf"{text}, \quad \begin{{aligned}} {lines} \end{{aligned}}" if where else text


def _letter(letter: str, name: str, component: int | None = None) -> Symbol:
    greek = letter if len(letter) == 1 else rf"\{letter}"
    escaped = name.replace("_", r"\_")
    index = "" if component is None else f",{component + 1}"
    return Symbol(rf"{greek}_{{\mathrm{{{escaped}}}{index}}}", real=True)
