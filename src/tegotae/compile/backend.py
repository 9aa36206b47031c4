"""Which of the three ways kernels run in this process: as C, by numba, or as plain Python."""

from __future__ import annotations

import os
import time
import warnings
from functools import cache

from tegotae.errors import InputError

# Before any kernel was made.
BEGAN = time.time()
VARIABLE = "TEGOTAE_BACKEND"
NAMES = ("c", "numba", "python")


@cache
def name() -> str:
    """The backend of this process: one for all kernels, never mixed.

    Example:
        >>> from tegotae.compile import backend
        >>> backend.name() in backend.NAMES
        True
    """
    chosen = os.environ.get(VARIABLE, "c")
    if chosen not in NAMES:
        raise InputError(f"{VARIABLE}={chosen!r} is not a backend.\n  Use one of {', '.join(NAMES)}, or unset it.")
    return chosen


def described() -> str:
    """How kernels run in this process, in words."""
    if name() != "c":
        return {"numba": "numba", "python": "plain Python, for debugging"}[name()]
    from tegotae.compile import shipped, toolchain

    ready = f"{shipped.count()} loops shipped"
    try:
        return f"C, {ready}, others by {' '.join(toolchain.find().command)}"
    except toolchain.NoCompilerError:
        return f"C, {ready}, others as plain Python: there is no compiler"


@cache
def warn_of_plain_python() -> None:
    """Say once that loops run slowly, and what would make them quick."""
    warnings.warn(
        "There is no compiler of C, so loops that do not ship with tegotae run as plain Python, much slower. "
        "Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=4,
    )
