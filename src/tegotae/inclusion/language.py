"""The words a user writes: `sgn` and `dio`, the two discontinuous functions of xiong2011, and `coulomb`.

    sgn(x)   -1, [-1, 1] or 1 as x is negative, zero or positive
    dio(x)   0 for x > 0, [0, oo) for x = 0: the force of a rigid one-sided contact over its gap x

`coulomb(limit, slip)` is `limit * sgn(slip)` as one element: a force, whatever row it stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy import Expr, Function, Integer, Tuple
from sympy.core.symbol import Str

from tegotae import checks

_UNNAMED = ""


class Dio(Function):  # type: ignore[misc]
    """dio(gap) as SymPy carries it: its gap and its name."""

    nargs = 2
    is_real = True
    is_nonnegative = True

    @property
    def gap(self) -> Expr:
        """The gap [m]."""
        return self.args[0]

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _power(rf"\mathrm{{dio}}\left({printer._print(self.args[0])}\right)", exp)

    def _sympystr(self, printer: Any) -> str:
        return f"dio({printer._print(self.args[0])})"


class Sgn(Function):  # type: ignore[misc]
    """sgn(slip) as SymPy carries it."""

    nargs = 1
    is_real = True

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _power(rf"\mathrm{{sgn}}\left({printer._print(self.args[0])}\right)", exp)

    def _sympystr(self, printer: Any) -> str:
        return f"sgn({printer._print(self.args[0])})"


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

    def _latex(self, printer: Any, exp: Any = None) -> str:
        limit, slips = self.args[0], self.args[1]
        told = printer._print(limit)
        if limit.is_Add:
            told = rf"\left({told}\right)"
        if len(slips) == 1:
            return _power(rf"{told}\,\mathrm{{sgn}}\left({printer._print(slips[0])}\right)", exp)
        vector = ", ".join(printer._print(slip) for slip in slips)
        return _power(rf"{told}\,\mathrm{{sgn}}_{{{int(self.args[2]) + 1}}}\left({vector}\right)", exp)

    def _sympystr(self, printer: Any) -> str:
        slips = ", ".join(printer._print(slip) for slip in self.args[1])
        return f"coulomb({printer._print(self.args[0])}, {slips})"


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
    return Dio(sympy.sympify(gap), Str(name or _UNNAMED))


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
    return Sgn(sympy.sympify(slip))


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
    slips = [sympy.sympify(part) for part in slip] if several else [sympy.sympify(slip)]
    if not slips:
        checks.refuse("coulomb", "slip is empty.", "Give one slip velocity, or one a direction.")
    held = Str(_UNNAMED) if static is None else sympy.sympify(static)
    parts = tuple(
        CoulombForce(sympy.sympify(limit), Tuple(*slips), Integer(i), Str(name or _UNNAMED), held)
        for i in range(len(slips))
    )
    return parts if several else parts[0]
