"""The words a user writes: `sgn` and `dio`, the two discontinuous functions of xiong2011, and `coulomb`.

    sgn(x)   -1, [-1, 1] or 1 as x is negative, zero or positive
    dio(x)   0 for x > 0, [0, oo) for x = 0: the force of a rigid one-sided contact over its gap x

`coulomb(limit, slip)` is `limit * sgn(slip)` as one element: a force, whatever row it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy
from sympy import Expr, Function, Integer, Tuple
from sympy.core.symbol import Str

from tegotae import checks
from tegotae.inclusion.language.grammar import ELEMENTS, value_of

_AXES = 100  # directions of one friction; space has three


class _Word(Function):  # type: ignore[misc]
    """A word as SymPy carries it, printed with its first argument alone."""

    is_real = True

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _power(rf"\mathrm{{{self.func.__name__.lower()}}}\left({printer._print(self.args[0])}\right)", exp)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.func.__name__.lower()}({printer._print(self.args[0])})"


class Dio(_Word):
    """dio(gap) as SymPy carries it: its gap and its name."""

    nargs = 2
    is_nonnegative = True

    @property
    def gap(self) -> Expr:
        """The gap [m]."""
        return self.args[0]


class Sgn(_Word):
    """sgn(slip) as SymPy carries it."""

    nargs = 1


class CoulombForce(Function):  # type: ignore[misc]
    """One component of limit * slip/|slip| as SymPy carries it: limit, slips, component, name, static limit."""

    nargs = 5
    is_real = True

    @property
    def limit(self) -> Expr:
        """The largest friction force [N]."""
        return self.args[0]

    @property
    def slips(self) -> tuple[Expr, ...]:
        """The slip velocity [m/s], one entry a direction."""
        return tuple(self.args[1])

    @property
    def static(self) -> Expr | None:
        """The largest friction force at rest [N]; None: as when it slides."""
        return None if isinstance(self.args[4], Str) else self.args[4]

    def _latex(self, printer: Any, exp: Any = None) -> str:
        slips = self.slips
        limit = printer._print(self.limit)
        if self.limit.is_Add:
            limit = rf"\left({limit}\right)"
        which = "" if len(slips) == 1 else rf"_{{{int(self.args[2]) + 1}}}"
        vector = ", ".join(printer._print(slip) for slip in slips)
        static = "" if self.static is None else rf";\ \mathrm{{static}}={printer._print(self.static)}"
        return _power(rf"{limit}\,\mathrm{{sgn}}{which}\left({vector}{static}\right)", exp)

    def _sympystr(self, printer: Any) -> str:
        slips = ", ".join(printer._print(slip) for slip in self.slips)
        static = "" if self.static is None else f", static={printer._print(self.static)}"
        return f"coulomb({printer._print(self.limit)}, {slips}{static})"


def _power(base: str, exp: Any) -> str:
    return base if exp is None else rf"\left({base}\right)^{{{exp}}}"


def dio(gap: Any, name: str | None = None) -> Expr:
    """The force of a rigid one-sided contact: 0 where the gap is open, any push >= 0 where it is closed.

    Args:
        gap: distance [m], a function of positions; >= 0 when the bodies do not overlap.
        name: names the contact in results and for overrides.

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import dio
        >>> p, m, g = sympy.symbols("p m g")
        >>> dio(p, "floor")/m - g
        -g + dio(p)/m
    """
    return Dio(value_of(gap, "dio", "gap"), _name("dio", name))


def sgn(slip: Any) -> Expr:
    """The direction of a slip, set-valued at 0; write `limit*sgn(slip)`, or better `coulomb(limit, slip, name)`.

    Args:
        slip: slip velocity [m/s].

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import sgn
        >>> sgn(sympy.Symbol("v"))
        sgn(v)
    """
    return Sgn(value_of(slip, "sgn", "slip"))


def coulomb(limit: Any, slip: Any, name: str | None = None, static: Any = None) -> Any:
    """Coulomb friction as one element, `limit * sgn(slip)`: subtract it where the slip is positive.

    Args:
        limit: the largest friction force [N], >= 0; may hold contact forces (mu*dio(gap)) and the slip speed.
        slip: slip velocity [m/s]; several for friction in a plane or in space, opposed as a vector.
        name: names the element in results and for overrides.
        static: a larger limit at rest [N]; exact in `to_events`, refused elsewhere (use a Stribeck limit there).

    Returns:
        The force along the slip, or a tuple of its components.

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import coulomb, dio
        >>> p, v, mu, m = sympy.symbols("p v mu m")
        >>> -coulomb(mu*dio(p), v, "rub")/m
        -coulomb(mu*dio(p), v)/m
    """
    several = isinstance(slip, (Sequence, Tuple, sympy.MatrixBase)) and not isinstance(slip, str)
    if several and not isinstance(slip, sympy.MatrixBase) and checks.len_of(slip) > _AXES:
        checks.refuse("coulomb", f"slip={checks.shown(slip)} has too many directions.", "Give one, two or three.")
    slips = [value_of(part, "coulomb", "slip") for part in (slip if several else [slip])]
    if not slips:
        checks.refuse("coulomb", "slip is empty.", "Give one slip velocity, or one a direction.")
    held = Str("") if static is None else value_of(static, "coulomb", "static")
    known = value_of(limit, "coulomb", "limit")
    parts = tuple(
        CoulombForce(known, Tuple(*slips), Integer(i), _name("coulomb", name), held) for i in range(len(slips))
    )
    return parts if several else parts[0]


def _name(owner: str, given: Any) -> Str:
    if not isinstance(given, (str, type(None))):
        checks.refuse(owner, f"name={checks.shown(given)} is not a text.", "Name the element, as 'floor'.")
    return Str(given or "")


def equation_of(mass: Any, states: Iterable[str], relation: str, rows: Iterable[str]) -> str:
    """d/dt of states, a mass matrix before it, and what that is or lies in: LaTeX in the form of the paper."""
    front = "" if mass is None else tex(mass) + " "
    return rf"{front}\frac{{d}}{{dt}} {_column(states)} {relation} {_column(rows)}"


def _column(rows: Iterable[str]) -> str:
    lines = r" \\ ".join(rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def tex(value: Any) -> str:
    """One expression, matrices in square brackets."""
    return str(sympy.latex(value, mat_delim="[", mat_str="matrix"))


ELEMENTS |= {"dio": dio, "sgn": sgn, "coulomb": coulomb}
