"""The paper's replacement: first every dio, then every sgn, and one added state an element.  [xiong2011]

    dio(x)         ->  psi = K max(0, S),  S = e - beta (x + e)/alpha;   e' = max(-e/beta, -(x + e)/alpha)
    limit sgn(y)   ->  theta = K sat(limit/K, w),  w = a + beta y;       a' = (theta/K - a)/beta

Friction in a plane or in space has one added state a component: theta = K w min(1, (limit/K)/|w|).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import sympy
from sympy import Expr, ImmutableMatrix, Max, Min, Symbol

from tegotae import checks
from tegotae.inclusion.language.arguments import record_of_mode
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.parsing import ContactElement, FrictionElement, numbered
from tegotae.inclusion.language.symbols import equation_of, tex


class ElementPart:
    """An element, the states that its replacement adds, and the letters that it brings in, by the words for them."""

    state: ClassVar[str]
    words: ClassVar[Mapping[str, str]] = {"stiffness": "K", "beta": "beta"}

    def __init__(self, element: ContactElement | FrictionElement):
        self.element: Any = element
        self.added = tuple(Symbol(word) for word in numbered(f"{self.state}_{element.name}", len(element.forces)))
        self.letters = {word: Symbol(f"{letter}_{element.name}") for word, letter in self.words.items()}
        self.K, self.beta = self.letters["stiffness"], self.letters["beta"]


class ContactPart(ElementPart):
    """A contact."""

    state, words = "e", {**ElementPart.words, "alpha": "alpha"}

    @property
    def switch(self) -> Expr:
        """S [m]: closed where it is positive; both maxima of the paper switch here."""
        return self.added[0] - self.beta * (self.element.gap + self.added[0]) / self.letters["alpha"]

    @property
    def rates(self) -> tuple[Expr, Expr]:
        """e' where it is open, and where it is closed: the larger holds."""
        return -self.added[0] / self.beta, -(self.element.gap + self.added[0]) / self.letters["alpha"]


class FrictionPart(ElementPart):
    """A friction."""

    state = "a"

    @property
    def stretch(self) -> tuple[Expr, ...]:
        """w [m], one entry a component: the stretch that would be if it stuck."""
        return tuple(a + self.beta * slip for a, slip in zip(self.added, self.element.slips, strict=True))


class Rewritten:
    """An inclusion after the replacement; every letter is a symbol, so other numbers leave it as it is.

    What the source of compiled functions reads of it; `Ode` has them, and integrates.
    """

    def __init__(self, inclusion: Equations):
        self.inclusion = inclusion
        self.contacts = tuple(ContactPart(contact) for contact in inclusion.contacts)
        self.frictions = tuple(FrictionPart(friction) for friction in inclusion.frictions)
        self.parts: tuple[ElementPart, ...] = (*self.contacts, *self.frictions)
        self.added = tuple(state for part in self.parts for state in part.added)
        self.states: tuple[Symbol, ...] = (*inclusion.states, *self.added)  # those of the rows, then the added ones
        inclusion.refuse_static("to_ode", "a limit that jumps at rest has no ordinary differential equation")
        self._check_names()

    @cached_property
    def forces(self) -> dict[Symbol, Expr]:
        """psi and theta in place of every force, contact forces in the limits of frictions already replaced."""
        pushes = {c.element.force: c.K * Max(0, c.switch) for c in self.contacts}
        forces: dict[Symbol, Expr] = dict(pushes)
        for f in self.frictions:
            limit = f.element.limit.xreplace(pushes)
            if len(f.added) == 1:
                held = limit / f.K
                forces[f.element.forces[0]] = f.K * Max(-held, Min(held, f.stretch[0]))
                continue
            size = sympy.sqrt(sum(w**2 for w in f.stretch))
            for force, w in zip(f.element.forces, f.stretch, strict=True):
                forces[force] = sympy.Piecewise((f.K * w, f.K * size <= limit), (limit * w / size, True))
        return forces

    @cached_property
    def right(self) -> ImmutableMatrix:
        """The right-hand side in SymPy, in the order of `states`; `parameters` gives the letters values."""
        rows = [row.xreplace(self.forces) for row in self.inclusion.right]
        rows += [Max(*c.rates) for c in self.contacts]
        for f in self.frictions:
            rows += [
                (self.forces[force] / f.K - a) / f.beta for a, force in zip(f.added, f.element.forces, strict=True)
            ]
        return ImmutableMatrix(rows)

    @property
    def mass_matrix(self) -> ImmutableMatrix | None:
        """M in SymPy, ones for the added states; None where the rows stand solved."""
        if self.inclusion.mass_matrix is None:
            return None
        return ImmutableMatrix(sympy.diag(self.inclusion.mass_matrix, sympy.eye(len(self.added))))

    def _check_names(self) -> None:
        system = self.inclusion
        letters = [letter for part in self.parts for letter in part.letters.values()]
        taken = [s.name for s in (*self.states, *system.parameters, *system.callables, *letters)]
        taken += [name for e in system.elements for name in (e.name, record_of_mode(e))] + ["time"]
        if twice := sorted({name for name in taken if taken.count(name) > 1}):
            checks.refuse(
                "to_ode",
                f"the name {twice[0]!r} would stand for two things.",
                "Rename the state, parameter or element: each element NAME adds e_NAME or a_NAME, K_NAME and so on.",
            )

    def latex(self) -> str:
        """The inclusion and its ODE side by side, and what psi and theta stand for, as LaTeX."""
        shown: dict[Symbol, Symbol] = {}
        for part in self.parts:
            name, many = part.element.name, len(part.added) > 1
            force = "psi" if isinstance(part, ContactPart) else "theta"
            for i, (a, symbol) in enumerate(zip(part.added, part.element.forces, strict=True)):
                index = i if many else None
                shown |= {a: _shown(a.name[0], name, index), symbol: _shown(force, name, index)}
            shown |= {s: _shown(s.name.split("_")[0], name) for s in part.letters.values()}

        def render(value: Expr) -> str:
            return tex(value.xreplace(shown))

        rows = [render(row) for row in self.inclusion.right]
        where: list[str] = []
        for c in self.contacts:
            open_, closed = c.rates
            rows.append(rf"\max\left({render(open_)}, {render(closed)}\right)")
            where.append(rf"{render(c.element.force)} = {render(c.K)} \max\left(0, {render(c.switch)}\right)")
        for f in self.frictions:
            rows += [render((force / f.K - a) / f.beta) for a, force in zip(f.added, f.element.forces, strict=True)]
            size = sympy.sqrt(sum(w**2 for w in f.stretch))
            for force, w in zip(f.element.forces, f.stretch, strict=True):
                if len(f.added) == 1:
                    held = rf"\mathrm{{sat}}\left({render(f.element.limit / f.K)}, {render(w)}\right)"
                else:
                    ratio = render(f.element.limit / f.K / size)
                    held = rf"\left({render(w)}\right) \min\left(1, {ratio}\right)"
                where.append(rf"{render(force)} = {render(f.K)}\, {held}")
        ode = equation_of(self.mass_matrix, (tex(shown.get(s, s)) for s in self.states), "=", rows)
        text = rf"{self.inclusion.latex()} \quad\longrightarrow\quad {ode}"
        lines = r" \\ ".join(where)
        return rf"{text}, \quad \begin{{aligned}} {lines} \end{{aligned}}" if where else text


def _shown(letter: str, name: str, component: int | None = None) -> Symbol:
    greek = letter if len(letter) == 1 else rf"\{letter}"
    escaped = name.replace("_", r"\_")
    index = "" if component is None else f",{component + 1}"
    return Symbol(rf"{greek}_{{\mathrm{{{escaped}}}{index}}}", real=True)
