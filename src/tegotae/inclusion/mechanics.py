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
from tegotae.inclusion.inclusion import Inclusion
from tegotae.inclusion.language.arguments import named

if TYPE_CHECKING:  # a third of a second, which only those pay who bring a method
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod

_T = Symbol("t")  # the time of sympy.physics.mechanics
# Where the methods keep constraints, and what they call them.
_KANE = {"_f_h": "configuration_constraints", "_f_nh": "velocity_constraints", "_uaux": "u_auxiliary"}
_LAGRANGE = {"coneqs": "hol_coneqs or nonhol_coneqs"}


def from_mechanics(
    method: KanesMethod | LagrangesMethod,
    parameters: Mapping[Any, float] | None = None,
    *,
    inputs: Mapping[Any, Any] | None = None,
) -> Inclusion:
    """The equations that Kane's or Lagrange's method formed, loads with `dio` and `coulomb` included, as an inclusion.

    The states get plain names: q1(t) is "q1", the speed u1(t) is "u1", and Lagrange's q1'(t) is "q1_dot". Any other
    function of time, such as a motor's torque tau(t), is an input of that name.

    Args:
        method: `KanesMethod` after `kanes_equations`, or `LagrangesMethod` after `form_lagranges_equations`.
        parameters: parameter -> value (SI units); symbols or strings as keys.
        inputs: input -> a number, an expression of the time `t`, or a function of the time [s].

    Example:
        >>> import sympy
        >>> from sympy.physics.mechanics import *
        >>> from tegotae.inclusion import dio, from_mechanics
        >>> q, u = dynamicsymbols("q u")
        >>> m, l, g = sympy.symbols("m l g")
        >>> N, O = ReferenceFrame("N"), Point("O")
        >>> O.set_vel(N, 0)
        >>> rod = N.orientnew("rod", "Axis", [q, N.z])
        >>> rod.set_ang_vel(N, u*N.z)
        >>> tip = O.locatenew("tip", l*rod.x)
        >>> speed = tip.v2pt_theory(O, N, rod)
        >>> table = dio(tip.pos_from(O).dot(N.y), "table")
        >>> kane = KanesMethod(N, [q], [u], kd_eqs=[q.diff() - u])
        >>> equations = kane.kanes_equations([Particle("tip", tip, m)], [(tip, (table - m*g)*N.y)])
        >>> pendulum = from_mechanics(kane, {m: 1.0, l: 0.5, g: 9.81})
        >>> pendulum.states, pendulum.contacts[0].gap
        ((q, u), l*sin(q))
    """
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod

    if isinstance(method, KanesMethod):
        refused, call = _KANE, "kanes_equations(bodies, loads)"
    elif isinstance(method, LagrangesMethod):
        refused, call = _LAGRANGE, "form_lagranges_equations()"
    else:
        checks.refuse(
            "from_mechanics", f"method is a {type(method).__name__}.", "Give a KanesMethod or a LagrangesMethod."
        )
    for attribute, name in refused.items():
        if given := list(getattr(method, attribute, ()) or ()):
            checks.refuse(
                "from_mechanics",
                f"{name} is not supported: {', '.join(str(value) for value in given)} = 0.",
                "Choose coordinates and speeds that satisfy the constraint by themselves, or hold it by a stiff "
                "spring.",
            )
    try:
        matrix, forcing = method.mass_matrix, method.forcing
    except ValueError as error:
        raise InputError(
            f"from_mechanics: {type(method).__name__} has not formed its equations ({error}).\n  Call {call} first."
        ) from error
    changes = [q.diff(_T) for q in method.q]
    if isinstance(method, KanesMethod):
        # Slips may be written with q'(t): Kane knows them by the speeds.
        rates, speeds = method.kindiffdict(), list(method.u)
        kinematics, forcing = [rates[change] for change in changes], [value.xreplace(rates) for value in forcing]
    else:
        kinematics = speeds = changes
    states = [*method.q, *speeds]
    parameters = named("from_mechanics", "parameters", parameters, "{m: 1.0}")
    inputs = named("from_mechanics", "inputs", inputs, "{f: 0.0}")
    names = _plain_symbols(states, [*states, *matrix, *forcing, *kinematics, *parameters, *inputs])
    rows = [_plain(value, names) for value in (*kinematics, *forcing)]
    return Inclusion(
        dict(zip((names[state] for state in states), rows, strict=True)),
        {_plain(key, names): value for key, value in parameters.items()},
        inputs={_plain(key, names): _plain(value, names) for key, value in inputs.items()},
        mass_matrix=sympy.diag(sympy.eye(len(kinematics)), matrix).applyfunc(lambda value: _plain(value, names)),
    )


def _plain_symbols(states: list[Expr], values: list[Any]) -> dict[Any, Symbol]:
    """A plain symbol for every function of time and its derivatives; states first, so that inputs cannot hide them."""
    functions: dict[Any, Symbol] = {}
    symbols: set[Symbol] = set()
    for value in [*states, *(v for v in values if isinstance(v, sympy.Basic))]:
        symbols |= value.free_symbols - {_T}
        for part in sorted(value.atoms(AppliedUndef, Derivative), key=sympy.default_sort_key):
            if part.free_symbols == {_T}:
                base, order = (part.expr, part.derivative_count) if isinstance(part, Derivative) else (part, 0)
                dots = f"_{'d' * (order - 1)}dot" if order else ""
                functions.setdefault(part, Symbol(f"{base.func.__name__}{dots}"))
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


def _plain(value: Any, names: Mapping[Any, Symbol]) -> Any:
    """The same expression with plain symbols; text and functions of time pass."""
    return value.xreplace(names) if isinstance(value, sympy.Basic) else value
