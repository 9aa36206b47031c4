"""Every kernel of the subset gives what plain Python gives, bit for bit; what is outside the subset is refused."""

import math
from contextlib import contextmanager
from functools import cache
from typing import Any

import cases_allocation
import cases_arithmetic
import cases_arrays
import cases_closures
import cases_comparisons
import cases_constants
import cases_control
import cases_copies
import cases_departures
import cases_effects
import cases_indices
import cases_integers
import cases_math
import cases_names
import cases_records
import cases_refused
import cases_slices
import cases_tuples
import cases_types
import numpy as np
import pytest
from compiled_together import TRANSLATES, compile_together, refusal_of

from tegotae.compile.kernels import NativeKernel

MODULES = [
    cases_allocation,
    cases_arithmetic,
    cases_arrays,
    cases_closures,
    cases_comparisons,
    cases_constants,
    cases_control,
    cases_copies,
    cases_departures,
    cases_effects,
    cases_indices,
    cases_integers,
    cases_math,
    cases_names,
    cases_records,
    cases_slices,
    cases_tuples,
    cases_types,
]
EACH = [
    pytest.param(module, number, id=f"{module.__name__.removeprefix('cases_')}-{case.function.__name__}")
    for module in MODULES
    for number, case in enumerate(module.CASES)
]


@cache
def library(module) -> list[list[Any]]:
    """The compiled functions of a module: for each case, one for each of its tuples of arguments."""
    made = iter(compile_together([(case.function, given) for case in module.CASES for given in case.arguments]))
    return [[next(made) for _ in case.arguments] for case in module.CASES]


@pytest.mark.parametrize(("module", "number"), EACH)
def test_compiled_equals_plain_python(module, number):
    case = module.CASES[number]
    if case.expected is not None and not TRANSLATES:
        pytest.skip("plain Python departs from this")
    for turn, (given, compiled) in enumerate(zip(case.arguments, library(module)[number], strict=True)):
        expected = None if case.expected is None else (case.expected[turn],)
        assert_same_as_plain(case.function, compiled, given, expected)


@pytest.mark.parametrize("refused", cases_refused.REFUSED, ids=lambda refused: refused.function.__name__)
def test_outside_the_subset_is_refused(refused):
    message = refusal_of(refused.function, refused.arguments)
    assert message is not None, "it was translated"
    assert refused.words.lower() in message.lower()


@pytest.mark.parametrize(
    "either",
    cases_effects.RIGHT_OR_REFUSED + cases_refused.RIGHT_OR_REFUSED,
    ids=lambda either: either.function.__name__,
)
def test_what_is_hard_to_translate_is_right_or_refused(either):
    message = refusal_of(either.function, either.arguments)
    if message is not None:
        assert either.words.lower() in message.lower()
        return
    [compiled] = compile_together([(either.function, either.arguments)])
    assert_same_as_plain(either.function, compiled, either.arguments, None)


def assert_same_as_plain(function, compiled, given, expected: tuple[Any] | None) -> None:
    """Same result (or the expected one), and the same arrays afterwards, also in the memory between their elements."""
    by_plain, by_compiled = copied(given, {}), copied(given, {})
    with np.errstate(all="ignore"):
        result = normal(compiled(*by_compiled))
    if expected is not None:
        assert same(result, expected[0]), f"{shown(given)} gives {result}, not {expected[0]}"
        return
    with np.errstate(all="ignore"), kernels_as_they_stand():
        plain = normal(function(*by_plain))
    assert same(result, plain), f"{shown(given)} gives {result}, in plain Python {plain}"
    for place, (after, plain_after) in enumerate(zip(arrays_in(by_compiled), arrays_in(by_plain), strict=True)):
        assert same_array(after, plain_after), (
            f"{shown(given)} leaves array {place} as {after.tolist()}, in plain Python {plain_after.tolist()}"
        )
        assert same_array(owner(after), owner(plain_after)), f"{shown(given)} writes outside array {place}"


@contextmanager
def kernels_as_they_stand():
    """Kernels that a plain function calls are plain as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NativeKernel, "__call__", lambda self, *arguments: self.py_func(*arguments))
        yield


def owner(array: np.ndarray) -> np.ndarray:
    """The array that holds the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def copied(value: Any, owners: dict[int, np.ndarray]) -> Any:
    """A deep copy in which arrays keep their strides, and share memory where the originals do."""
    if isinstance(value, np.ndarray):
        held = owner(value)
        fresh = owners.setdefault(id(held), held.copy(order="K"))
        offset = value.__array_interface__["data"][0] - held.__array_interface__["data"][0]
        memory = fresh.reshape(-1, order="A") if held.size else fresh
        return np.ndarray(value.shape, value.dtype, memory.data, offset if value.size else 0, value.strides)
    if isinstance(value, tuple):
        parts = [copied(part, owners) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def arrays_in(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    return [array for part in value for array in arrays_in(part)] if isinstance(value, tuple) else []


def normal(result: Any) -> Any:
    """The result with Python's numbers in place of NumPy's."""
    if isinstance(result, tuple):
        return tuple(normal(part) for part in result)
    return result.item() if isinstance(result, np.generic) else result


def same(one: Any, other: Any) -> bool:
    """Of one type and equal; NaN equals NaN, 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other and math.copysign(1.0, one) == math.copysign(1.0, other)
    return bool(one == other)


def same_array(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype.kind != "f":
        return one.tobytes() == other.tobytes()
    nan = np.isnan(one)
    return bool(
        np.array_equal(nan, np.isnan(other))
        and np.array_equal(one[~nan], other[~nan])
        and np.array_equal(np.signbit(one[~nan]), np.signbit(other[~nan]))
    )


def shown(given: tuple[Any, ...]) -> str:
    return "(" + ", ".join(str(part.tolist()) if isinstance(part, np.ndarray) else repr(part) for part in given) + ")"
