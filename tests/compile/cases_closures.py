"""Makers: functions that give a function which closes over numbers, tuples, arrays and other kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
from case import INF, NAN, Case, floats, pairs, singles

from tegotae.compile import kernel

CASES: list[Case] = []


# Over numbers, tuples and arrays. One source, different values: each is a function of its own.


def line(slope: float, offset: float) -> Callable[..., Any]:
    def on_a_line(x):
        return slope * x + offset

    return on_a_line


def flooring(n: int) -> Callable[..., Any]:
    def divided_by_closed_over(m):
        return m // n, m % n, m / n

    return divided_by_closed_over


def switch(flag: bool) -> Callable[..., Any]:
    def switched(x):
        if flag:
            return x
        return -x

    return switched


def weighing(weights: tuple[float, ...]) -> Callable[..., Any]:
    def weighed_by_tuple(a):
        total = 0.0
        for i in range(len(weights)):
            total += weights[i] * a[i]
        return total, weights[0], len(weights)

    return weighed_by_tuple


def table(values: np.ndarray) -> Callable[..., Any]:
    def looked_up(i):
        return values[i], len(values)

    return looked_up


def sized(n: int) -> Callable[..., Any]:
    def workspace_of_closed_over_size(x):
        a = np.zeros(n)
        a[-1] = x
        return a[0], len(a)

    return workspace_of_closed_over_size


def nested(outer: float) -> Callable[..., Any]:
    def middle(inner: float) -> Callable[..., Any]:
        def over_two_levels(x):
            return outer * x + inner

        return over_two_levels

    return middle(outer + 1.0)


CASES += [
    *[Case(line(*values), singles([1.5, -0.0, INF])) for values in ((2.0, 1.0), (2, 1), (-0.0, 0.0), (NAN, 0.0))],
    *[Case(flooring(n), singles([7, -7, 0])) for n in (2, -2)],
    *[Case(flooring(n), singles([7.5, -7.5])) for n in (2.0, -2.0)],
    *[Case(switch(flag), singles([1.5, -0.0])) for flag in (True, False)],
    *[Case(weighing(w), singles([floats(1, 2, 3)])) for w in ((0.5,), (0.5, -1.5, 2.5), (1, 2))],
    Case(table(floats(1.5, NAN, -0.0)), singles([0, 1, -1])),
    Case(table(floats(*range(6))[::-2]), singles([0, 1, -1])),
    *[Case(sized(n), singles([1.5, -0.0])) for n in (1, 4)],
    Case(nested(2.0), singles([1.5])),
]


# Over kernels.


@kernel
def viscous(v):
    return 2.0 * v


@kernel
def dry(v):
    return (v > 0.0) - (v < 0.0) + 0.0


def power_of(law: Callable[..., Any]) -> Callable[..., Any]:
    def dissipated(v):
        return law(v) * v

    return dissipated


def sum_of(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    @kernel
    def both(v):
        return first(v) + second(v)

    return both


def stepping(law: Callable[..., Any], mass: float) -> Callable[..., Any]:
    @kernel
    def step(v, T):
        return v - T * law(v) / mass

    def stepped(a, v, T):
        for i in range(len(a)):
            v = step(v, T)
            a[i] = v
        return v, step(0.0, T)

    return stepped


def stronger(law: Callable[..., Any], factor: float) -> Callable[..., Any]:
    @kernel
    def strong(v):
        return factor * law(v)

    return strong


def chosen(laws: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    first, last = laws[0], laws[-1]

    def first_and_last(v):
        return first(v), last(v)

    return first_and_last


VELOCITIES = [1.5, -0.5, 0.0, -0.0, INF]
CASES += [
    *[Case(power_of(law), singles(VELOCITIES)) for law in (viscous, dry, sum_of(viscous, dry), sum_of(dry, dry))],
    Case(power_of(stronger(stronger(stronger(viscous, 2.0), 3.0), 0.5)), singles(VELOCITIES)),
    *[Case(stepping(law, mass), [(floats(0, 0, 0), 1.0, 0.25)]) for law in (viscous, dry) for mass in (1.0, 3.0)],
    Case(chosen((viscous, stronger(viscous, 2.0), dry)), singles(VELOCITIES)),
    Case(power_of(sum_of(stronger(dry, 2.0), stronger(dry, 3.0))), singles(VELOCITIES)),
]


# Names of the closure that are hidden, or that the module has as well.
LEVEL = 100.0


def hiding(LEVEL: float) -> Callable[..., Any]:
    def closure_hides_the_module(x):
        return LEVEL + x

    return closure_hides_the_module


def hidden(level: float) -> Callable[..., Any]:
    def parameter_hides_the_closure(level):
        return level + LEVEL

    return parameter_hides_the_closure


def made_in_a_loop() -> list[Callable[..., Any]]:
    made = []
    for number in (1.0, 2.0):

        def over_the_last_number(x, y):
            return number * x - y  # noqa: B023  closes over the name: 2.0 for both

        made.append(over_the_last_number)
    return made


CASES += [
    Case(hiding(1.0), singles([0.5])),
    Case(hidden(1.0), singles([0.5])),
    *[Case(function, pairs([1.5, -0.0])) for function in made_in_a_loop()],
]
