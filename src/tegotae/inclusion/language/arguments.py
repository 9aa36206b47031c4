"""What users give besides rows: inputs, a span of time and times in it, values by name; and what their runs tell.

An input is a number (which a stepper may feed), an expression of the time, a function of it, or a record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Expr, Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.language.grammar import refuse
from tegotae.inclusion.language.kernels.records import record_kernel
from tegotae.inclusion.language.parsing import ContactElement, FrictionElement, expression
from tegotae.inclusion.language.symbols import CoulombForce, Dio, Sgn
from tegotae.result import Variable

if TYPE_CHECKING:
    from tegotae.inclusion.language.equations import Equations

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
        refuse(f"input {symbol}={value} holds a contact or friction.", "Put it into a row.")
    strangers = sorted(s.name for s in formula.free_symbols - {TIME} - set(parameters))
    if strangers:
        refuse(f"input {symbol}={value} holds {strangers[0]!r}.", "Use the time t and parameters.")
    return formula


def _record(symbol: Symbol, given: Any) -> tuple[Array, Array]:
    """Times and values of a record, checked."""
    remedy = "Give (times, values): two records of one length, times [s] increasing."
    name = f"inputs[{symbol.name!r}]"
    if isinstance(given, np.ndarray) or len(given) != 2:
        got = f"an array of shape {given.shape}" if isinstance(given, np.ndarray) else f"{len(given)} things"
        refuse(f"{name} is {got}, which gives no times.", remedy)
    times, values = (
        np.ascontiguousarray(checks.values("Inclusion", f"{what} of {name}", part, unit, remedy, -math.inf))
        for what, part, unit in zip(("times", "values"), given, ("s", ""), strict=True)
    )
    if times.shape != values.shape or times.ndim != 1:
        refuse(f"{name} has {times.size} times and {values.size} values.", remedy)
    if (np.diff(times) <= 0.0).any():
        i = int(np.argmax(np.diff(times) <= 0.0))
        refuse(
            f"{name} goes back in time: {times[i + 1]:g} s follows {times[i]:g} s.",
            "Give increasing times; a jump is two times close together.",
        )
    return times.copy(), values.copy()


def span_of(owner: str, span: Any) -> tuple[float, float]:
    """Start and end [s] as two finite numbers, the end behind the start."""
    pair = isinstance(span, Sequence) or (isinstance(span, np.ndarray) and span.ndim == 1)
    if not pair or isinstance(span, str | bytes) or len(span) != 2:
        checks.refuse(owner, f"span={checks.shown(span)} is not a pair.", "Give (start, end) in seconds.")
    start, end = checks.number(owner, "span", span[0], "s"), checks.number(owner, "span", span[1], "s")
    if end <= start:
        problem = "has no length" if end == start else "does not go forward"
        checks.refuse(owner, f"span=({start:g}, {end:g}) s {problem}.", "Give (start, end) with end > start.")
    return start, end


def times_in(owner: str, times: ArrayLike | None, start: float, end: float) -> Array | None:
    """Times to record at: finite, increasing, inside the span; None for those of the route itself."""
    if times is None:
        return None
    remedy = "Give increasing times inside the span, such as [0.0, 0.1, 0.2]."
    record = checks.values(owner, "times", times, "s", remedy, -math.inf)
    if (np.diff(record) <= 0.0).any() or record[0] < start or record[-1] > end:
        problem = f"times from {record[0]:g} to {record[-1]:g} do not fit ({start:g}, {end:g}) s"
        checks.refuse(owner, f"{problem}: they are not increasing, or leave the span.", remedy)
    return record


def named(owner: str, argument: str, value: Any, example: str) -> Mapping[Any, Any]:
    """A mapping, such as state -> value; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        checks.refuse(owner, f"{argument}={checks.shown(value)} gives no names.", f"Write it as {argument}={example}.")
    return value


def start_of(owner: str, initial: Any, states: Sequence[Symbol]) -> tuple[Array, dict[str, float]]:
    """Where states start, 0 if not given; and what is given, state (symbol or name) -> value, by the states' names."""
    names, found = [state.name for state in states], {}
    for key, value in named(owner, "initial", initial, "{'p': 0.1}").items():
        name = str(key)
        if name not in names:
            checks.refuse(owner, f"initial names {name!r}: {name!r} is not a state.", f"States are {', '.join(names)}.")
        found[name] = checks.number(owner, f"initial[{name!r}]", value, "", "Give a finite number, in SI units.")
    return np.array([found.get(name, 0.0) for name in names]), found


def record_of_mode(element: ContactElement | FrictionElement) -> str:
    """The name under which results keep whether a contact is closed or a friction sticks."""
    return f"{element.name}_closed" if isinstance(element, ContactElement) else f"{element.name}_sticks"


def variables_of(
    system: Equations, times: Array, states: Sequence[Symbol], x: Array, forces: Array, modes: NDArray[np.int8]
) -> dict[str, Variable]:
    """Time [s], states by name (those behind the machine's own were added), forces [N] and modes of elements."""
    variables = {"time": Variable(("time",), times, "s", "time")}
    for i, state in enumerate(states):
        unit, meaning = ("", "state") if i < len(system.states) else ("m", "added state")
        variables[state.name] = Variable(("time",), x[:, i].copy(), unit, meaning)
    for i, (element, span) in enumerate(zip(system.elements, system.spans, strict=True)):
        contact, count = isinstance(element, ContactElement), span.stop - span.start
        force, dims = (forces[:, span.start], ("time",)) if count == 1 else (forces[:, span], ("time", f"axis_{count}"))
        kind = "contact force" if contact else "friction force, along the slip"
        variables[element.name] = Variable(dims, force.copy(), "N", kind)
        meaning = "1 closed, 0 open" if contact else "1 sticks, 0 slips"
        variables[record_of_mode(element)] = Variable(("time",), modes[:, i].copy(), "-", meaning)
    return variables
