"""Equations from sympy.physics.mechanics, with contact and friction among the loads, as an inclusion.

The mass matrix goes along as it is and is solved with numbers at every step, never inverted symbolically.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy
from sympy import Derivative, Expr, Symbol
from sympy.core.function import AppliedUndef

from tegotae import checks
from tegotae.errors import InputError
from tegotae.inclusion.language.arguments import named

if TYPE_CHECKING:  # a third of a second, which only those pay who bring a method
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod

_T = Symbol("t")  # the time of sympy.physics.mechanics


def read_method(
    method: KanesMethod | LagrangesMethod, parameters: Mapping[Any, float] | None, inputs: Mapping[Any, Any] | None
) -> tuple[dict[Symbol, Any], dict[Any, float], dict[Any, Any], Any]:
    """Rows, parameters, inputs and mass matrix of what Kane's or Lagrange's method formed, with plain symbols."""
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod

    if isinstance(method, KanesMethod):
        kinematics, states, matrix, forcing = _kane(method)
    elif isinstance(method, LagrangesMethod):
        kinematics, states, matrix, forcing = _lagrange(method)
    else:
        checks.refuse(
            "from_mechanics", f"method is a {type(method).__name__}.", "Give a KanesMethod or a LagrangesMethod."
        )
    n = len(kinematics)
    parameters = named("from_mechanics", "parameters", parameters, "{m: 1.0}")
    inputs = named("from_mechanics", "inputs", inputs, "{f: 0.0}")
    known = [*states, *matrix, *forcing, *kinematics, *parameters, *inputs]
    names = _plain_symbols(states, known)
    rows = [_plain(value, names) for value in (*kinematics, *forcing)]
    full = sympy.diag(sympy.eye(n), matrix).applyfunc(lambda value: _plain(value, names))
    return (
        dict(zip((names[state] for state in states), rows, strict=True)),
        {_plain(key, names): value for key, value in parameters.items()},
        {_plain(key, names): _plain(value, names) for key, value in inputs.items()},
        full,
    )


def _kane(method: KanesMethod) -> tuple[list[Expr], list[Expr], Any, list[Expr]]:
    for attribute, name in (
        ("_f_h", "configuration_constraints"),
        ("_f_nh", "velocity_constraints"),
        ("_uaux", "u_auxiliary"),
    ):
        if given := list(getattr(method, attribute, ()) or ()):
            _refuse_constraints(name, given)
    matrix, forcing = _formed(method, "kanes_equations(bodies, loads)")
    # Slips may be written with q'(t): Kane knows them by the speeds.
    rates = method.kindiffdict()
    coordinates, speeds = list(method.q), list(method.u)
    loads = [value.xreplace(rates) for value in forcing]
    return [rates[q.diff(_T)] for q in coordinates], [*coordinates, *speeds], matrix, loads


def _lagrange(method: LagrangesMethod) -> tuple[list[Expr], list[Expr], Any, list[Expr]]:
    if given := list(method.coneqs or ()):
        _refuse_constraints("hol_coneqs or nonhol_coneqs", given)
    matrix, forcing = _formed(method, "form_lagranges_equations()")
    coordinates = list(method.q)
    speeds = [q.diff(_T) for q in coordinates]
    return speeds, [*coordinates, *speeds], matrix, list(forcing)


def _formed(method: Any, call: str) -> tuple[Any, Any]:
    try:
        return method.mass_matrix, method.forcing
    except ValueError as error:
        raise InputError(
            f"from_mechanics: {type(method).__name__} has not formed its equations ({error}).\n  Call {call} first."
        ) from error


def _refuse_constraints(name: str, given: list[Any]) -> None:
    checks.refuse(
        "from_mechanics",
        f"{name} is not supported: {', '.join(str(value) for value in given)} = 0.",
        "Choose coordinates and speeds that satisfy the constraint by themselves, or hold it by a stiff spring.",
    )


def _plain_symbols(states: list[Expr], values: list[Any]) -> dict[Any, Symbol]:
    """A plain symbol for every function of time and its derivatives; states first, so that inputs cannot hide them."""
    functions: dict[Any, Symbol] = {}
    symbols: set[Symbol] = set()
    for value in [*states, *(v for v in values if isinstance(v, sympy.Basic))]:
        symbols |= value.free_symbols - {_T}
        for part in sorted(value.atoms(AppliedUndef, Derivative), key=sympy.default_sort_key):
            if part.free_symbols == {_T}:
                functions.setdefault(part, Symbol(_name(part)))
    for part, symbol in functions.items():
        if symbol.name in {s.name for s in symbols}:
            checks.refuse(
                "from_mechanics", f"{part} and a parameter are both called {symbol.name!r}.", "Rename the parameter."
            )
    for state in states:
        # An acceleration that stayed in the loads has no row of its own.
        if (rate := state.diff(_T)) in functions and rate not in states:
            checks.refuse(
                "from_mechanics", f"the loads hold {rate}, the rate of a state.", "Write loads with states only."
            )
    return functions


def _name(part: Any) -> str:
    if isinstance(part, Derivative):
        return f"{part.expr.func.__name__}_{'d' * (part.derivative_count - 1)}dot"
    return f"{part.func.__name__}"


def _plain(value: Any, names: Mapping[Any, Symbol]) -> Any:
    """The same expression with plain symbols; text and functions of time pass."""
    return value.xreplace(names) if isinstance(value, sympy.Basic) else value
