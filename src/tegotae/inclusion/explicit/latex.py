"""An inclusion and its ODE as LaTeX, in the form of the paper."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Function, Symbol

from tegotae.inclusion.explicit.rewriting import ContactPart, FrictionPart, Rewritten
from tegotae.inclusion.language.latex import NEXT, column, derivative, latex_of_inclusion, tex


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
