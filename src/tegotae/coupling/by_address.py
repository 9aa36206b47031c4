"""Circuits without a loop of their own: when they run through the one that ships, and what is said of it."""

from __future__ import annotations

import warnings
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from tegotae.compile import build
from tegotae.coupling import addressed_network, line
from tegotae.layout import Memory


@cache
def module_by_address(dimension: int) -> ModuleType:
    """The module for all circuits on a line, or for all others; see `Circuit.by_address`."""
    return build(line.source_by_address() if dimension == 1 else addressed_network.source_by_address(), ())


def arguments_like_a_run(n: int) -> tuple[Any, ...]:
    """Arguments of the types that a run in n dimensions hands to its loop."""
    none, signal = np.empty(0, dtype=np.int64), np.empty(0) if n == 1 else np.empty((0, n))
    nothing = Memory(np.empty(0), none)
    return nothing, nothing, nothing, signal, np.empty((0, 0)), none, 1.0, 1, none, none, 1, 0, 0, np.empty((0, 0))


@cache
def warn_of_addresses() -> None:
    """Say once that circuits run slower than they could."""
    warnings.warn(
        "There is no compiler of C, so circuits run through a loop that ships with tegotae and reaches their blocks by "
        "address, slower. Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=5,
    )
