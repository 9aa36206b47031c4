"""Which of the three ways kernels run in this process: as C, by numba, or as plain Python."""

from __future__ import annotations

import os
import time
import warnings
from functools import cache
from importlib.util import find_spec

from tegotae.errors import InputError

# Before any kernel was made.
BEGAN = time.time()
VARIABLE = "TEGOTAE_BACKEND"
NAMES = ("c", "numba", "python")


@cache
def name() -> str:
    """The backend of this process: one for all kernels, never mixed."""
    chosen = os.environ.get(VARIABLE, "c")
    if chosen not in NAMES:
        raise InputError(f"{VARIABLE}={chosen!r} is not a backend.\n  Use one of {', '.join(NAMES)}, or unset it.")
    return chosen


def described() -> str:
    """How kernels run in this process, in words."""
    if name() != "c":
        return {"numba": "numba", "python": "plain Python, for debugging"}[name()]
    from tegotae.compile import shipped, toolchain

    ready = f"C, {shipped.count()} loops shipped, others"
    try:
        return f"{ready} by {' '.join(toolchain.find().command)}"
    except toolchain.NoCompilerError:
        instead = "as plain Python" if trouble_with_numba() else "by numba"
        return f"{ready} {instead}: there is no compiler"


@cache
def trouble_with_numba() -> str:
    """Why numba cannot step in where there is no compiler; empty if it can."""
    if find_spec("numba") is None:
        return "numba is not installed"
    try:
        import numba  # noqa: F401
    except ImportError as error:
        return f"numba cannot be loaded ({error})"
    return ""


@cache
def warn_of_no_compiler() -> None:
    """Say once what runs the loops that did not ship, and what would make them quick."""
    trouble = trouble_with_numba()
    instead = (
        f"run as plain Python, much slower ({trouble})" if trouble else "are compiled by numba, which takes longer"
    )
    warnings.warn(
        f"There is no compiler of C, so loops that do not ship with tegotae {instead}. "
        "Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=5,
    )
