"""External inputs: a number (which a stepper may feed), an expression of the time, a function of it, or a record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.language.kernels.records import record_kernel
from tegotae.inclusion.language.parsing import expression
from tegotae.inclusion.language.symbols import CoulombForce, Dio, Sgn

TIME = Symbol("t", real=True)


class Inputs(NamedTuple):
    """An inclusion's inputs, sorted by kind."""

    numbers: dict[Symbol, float]  # [SI units], parameters from here on, so that they can be fed
    expressions: dict[Symbol, Expr]  # what stands for an input in the rows
    functions: dict[Symbol, Callable[[float], float]]  # of the time [s]
    finest: float  # no step of an integrator should be longer [s], or it could miss what a record does


def sorted_out(given: Mapping[Symbol, Any], parameters: Mapping[Symbol, float]) -> Inputs:
    """Each input as what it is, or an error that says what it may be."""
    inputs = Inputs({}, {}, {}, math.inf)
    for symbol, value in given.items():
        if isinstance(value, (tuple, list, np.ndarray)):
            times, values = _record(symbol, value)
            inputs.functions[symbol] = record_kernel(times, values)
            # Two knots may be close (a jump); where three are, the record goes there and back.
            finest = min([inputs.finest, *(0.5 * (times[2:] - times[:-2])).tolist()])
            inputs = inputs._replace(finest=finest)
        elif callable(value) and not isinstance(value, Expr | type):
            inputs.functions[symbol] = value
        else:
            formula = _expression(symbol, value, parameters)
            if formula.is_number:
                inputs.numbers[symbol] = checks.number("Inclusion", f"inputs[{symbol.name!r}]", float(formula), "")
            else:
                inputs.expressions[symbol] = formula
    return inputs


def check_values(owner: str, functions: Iterable[Symbol], u: Array, t: float) -> None:
    """Refuse what a user's function returned at the time t [s], if it is not finite."""
    if not np.isfinite(u).all():
        name, value = next((s.name, v) for s, v in zip(functions, u.tolist(), strict=True) if not math.isfinite(v))
        checks.refuse(
            owner,
            f"the function of input {name!r} returns {value} at t={t:.9g} s.",
            "Give a function that is finite at every time of the run.",
        )


def _expression(symbol: Symbol, value: Any, parameters: Mapping[Symbol, float]) -> Expr:
    formula = expression(symbol, value, {s.name: s for s in parameters})
    formula = formula.xreplace({s: TIME for s in formula.free_symbols if s.name == "t"})
    if formula.has(Dio, CoulombForce, Sgn):
        checks.refuse("Inclusion", f"input {symbol}={value} holds a contact or friction.", "Put it into a row.")
    strangers = sorted(s.name for s in formula.free_symbols - {TIME} - set(parameters))
    if strangers:
        checks.refuse("Inclusion", f"input {symbol}={value} holds {strangers[0]!r}.", "Use the time t and parameters.")
    return formula


def _record(symbol: Symbol, given: Any) -> tuple[Array, Array]:
    """Times and values of a record, checked."""
    remedy = "Give (times, values): two records of one length, times [s] increasing."
    name = f"inputs[{symbol.name!r}]"
    if isinstance(given, np.ndarray) or len(given) != 2:
        got = f"an array of shape {given.shape}" if isinstance(given, np.ndarray) else f"{len(given)} things"
        checks.refuse("Inclusion", f"{name} is {got}, which gives no times.", remedy)
    times, values = (
        np.ascontiguousarray(checks.values("Inclusion", f"{what} of {name}", part, unit, remedy, -math.inf))
        for what, part, unit in zip(("times", "values"), given, ("s", ""), strict=True)
    )
    if times.shape != values.shape or times.ndim != 1:
        checks.refuse("Inclusion", f"{name} has {times.size} times and {values.size} values.", remedy)
    if (np.diff(times) <= 0.0).any():
        i = int(np.argmax(np.diff(times) <= 0.0))
        checks.refuse(
            "Inclusion",
            f"{name} goes back in time: {times[i + 1]:g} s follows {times[i]:g} s.",
            "Give increasing times; a jump is two times close together.",
        )
    return times.copy(), values.copy()
