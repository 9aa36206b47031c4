"""Inclusions and their ODEs as LaTeX, in the form of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy import Expr, Function, Symbol
from sympy.core.symbol import Str

from tegotae.inclusion.language import CoulombForce, Dio
from tegotae.inclusion.rewrite import ContactPart, FrictionPart, Rewritten
from tegotae.inclusion.system import Inclusion

_NEXT = r" \\ "


class _Sat(Function):  # type: ignore[misc]
    """sat(limit, value), for print only."""

    nargs = 2

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{sat}}\left({printer._print(self.args[0])}, {printer._print(self.args[1])}\right)"


def latex_of_inclusion(inclusion: Inclusion) -> str:
    """The inclusion as the user wrote it, one row a state."""
    dios = {c.force: Dio(c.gap, Str(c.name)) for c in inclusion.contacts}
    forces: dict[Symbol, Expr] = dict(dios)
    for f in inclusion.frictions:
        limit, slips = f.limit.xreplace(dios), sympy.Tuple(*f.slips)
        static = Str("") if f.static is None else f.static.xreplace(dios)
        for i, force in enumerate(f.forces):
            forces[force] = CoulombForce(limit, slips, sympy.Integer(i), Str(f.name), static)
    rows = [_tex(row.xreplace(forces)) for row in inclusion.right]
    left = _derivative(inclusion.mass_matrix, (_tex(s) for s in inclusion.states))
    relation = r"\in" if inclusion.elements else "="
    return f"{left} {relation} {_column(rows)}"


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

    def tex(value: Expr) -> str:
        return _tex(value.xreplace(letters | shown))

    rows = [tex(row) for row in system.right]
    where: list[str] = []
    for c in rewritten.contacts:
        open_, closed = -c.e / c.beta, -(c.element.gap + c.e) / c.alpha
        rows.append(rf"\max\left({tex(open_)}, {tex(closed)}\right)")
        where.append(rf"{tex(c.element.force)} = {tex(c.K)} \max\left(0, {tex(c.switch)}\right)")
    for f in rewritten.frictions:
        rows += [tex((force / f.K - a) / f.beta) for a, force in zip(f.a, f.element.forces, strict=True)]
        size = sympy.sqrt(sum(w**2 for w in f.stretch))
        for force, w in zip(f.element.forces, f.stretch, strict=True):
            if len(f.a) == 1:
                held = tex(_Sat(f.element.limit / f.K, w))
            else:
                ratio = tex(f.element.limit / f.K / size)
                held = rf"\left({tex(w)}\right) \min\left(1, {ratio}\right)"
            where.append(rf"{tex(force)} = {tex(f.K)}\, {held}")
    left = _derivative(rewritten.mass_matrix, (_tex(shown.get(s, s)) for s in rewritten.states))
    text = rf"{latex_of_inclusion(system)} \quad\longrightarrow\quad {left} = {_column(rows)}"
    told = _NEXT.join(where)
    return rf"{text}, \quad \begin{{aligned}} {told} \end{{aligned}}" if where else text


def _letter(letter: str, name: str, component: int | None = None) -> Symbol:
    greek = letter if len(letter) == 1 else rf"\{letter}"
    escaped = name.replace("_", r"\_")
    index = "" if component is None else f",{component + 1}"
    return Symbol(rf"{greek}_{{\mathrm{{{escaped}}}{index}}}", real=True)


def _derivative(mass: Any, states: Iterable[str]) -> str:
    front = "" if mass is None else _tex(mass) + " "
    return rf"{front}\frac{{d}}{{dt}} {_column(list(states))}"


def _column(rows: list[str]) -> str:
    told = _NEXT.join(rows)
    return rf"\begin{{bmatrix}} {told} \end{{bmatrix}}"


def _tex(value: Any) -> str:
    return str(sympy.latex(value, mat_delim="[", mat_str="matrix"))
