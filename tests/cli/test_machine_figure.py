"""The figure of a machine: forces that are equal must all be seen."""

import numpy as np

from tegotae.figures.machines import machine
from tegotae.result import Result, Variable

TIME = np.linspace(0.0, 1.0, 101)


def figure_of(**forces):
    variables = {"time": Variable(("time",), TIME, "s"), "p": Variable(("time",), TIME, "m", "state")}
    for name, values in forces.items():
        variables[name] = Variable(("time",), values, "N")
        variables[f"{name}_closed"] = Variable(("time",), np.ones(TIME.size), "-")
    return machine(Result(variables, title="drop"))


def drawn(figure):
    """The curves of the force panel: everything but the zero line."""
    return [line for line in figure.axes[1].lines if len(line.get_xdata()) == TIME.size]


def inked(line):
    """Which parts of the common length a curve draws, in steps of a hundredth of the pattern."""
    offset, pattern = line._unscaled_dash_pattern
    on, length = pattern[0], sum(pattern)
    return {step for step in range(100) if (length * (step + 0.5) / 100.0 + offset) % length < on}


def test_forces_that_are_equal_share_their_line_in_turns():
    wave = np.sin(9.0 * TIME)
    figure = figure_of(wall=wave, mutual=wave + 1e-6, other=0.5 * wave, rub=wave)
    wall, mutual, other, rub = drawn(figure)
    parts = [inked(line) for line in (wall, mutual, rub)]
    assert all(len(part) >= 30 for part in parts)
    assert len(set().union(*parts)) == sum(len(part) for part in parts)
    assert other.get_linestyle() == "-"


def test_a_single_force_is_a_solid_line():
    (only,) = drawn(figure_of(wall=np.sin(9.0 * TIME)))
    assert only.get_linestyle() == "-"
