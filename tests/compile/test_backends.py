"""C, numba and plain Python give the same: bit for bit, unless the order of the sums is free."""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from processes import run

from tegotae.compile import cache as kept

RUNS = Path(__file__).with_name("machine_runs.py")
STRICT = ["elements", "arm", "crate"]
FREE = ["circuits", "rods"]
LARGE = {"arm", "rods"}  # their loops take long to compile: as a rule, those that ship are compared


@cache
def answers(machine, backend):
    """What a process with this backend gives, by name."""
    folder = {kept.VARIABLE: os.environ[kept.VARIABLE]} if kept.VARIABLE in os.environ else {}
    words = ["shipped", machine] if backend == "shipped" else [machine]
    done = run(RUNS, *words, TEGOTAE_BACKEND="c" if backend == "shipped" else backend, **folder)
    given = dict(json.loads(line) for line in done.stdout.splitlines())
    assert given
    return given


def compared(machines):
    """Each machine, by each that may run it."""
    slow = pytest.mark.slow
    large = [machine for machine in machines if machine in LARGE]
    return [
        *((machine, "shipped") for machine in large),
        *(pytest.param(machine, "c", marks=[slow] * (machine in LARGE)) for machine in machines),
        *(pytest.param(machine, "numba", marks=slow) for machine in machines),
    ]


@pytest.mark.parametrize(("machine", "backend"), compared(STRICT))
def test_strict_arithmetic_is_the_same_bit_for_bit(machine, backend):
    given = answers(machine, backend)
    for name, plain in answers(machine, "python").items():
        values = np.array(given[name])
        assert values.tobytes() == np.array(plain).tobytes(), f"{name}: {np.max(np.abs(values - plain))} apart"


@pytest.mark.parametrize(("machine", "backend"), compared(FREE))
def test_free_sums_are_the_same_but_for_the_last_digits(machine, backend):
    given = answers(machine, backend)
    for name, plain in answers(machine, "python").items():
        # another order of the sums, and products that are added without rounding in between
        np.testing.assert_allclose(given[name], plain, rtol=1e-11, atol=1e-12, err_msg=name)
