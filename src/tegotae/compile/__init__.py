"""From Python kernels to what runs: the only place that knows a compiler.

Physics sees `kernel` (and its variants), `build` and `bind`. A kernel is a Python function in a written subset; it is
translated to C99 (`translate/`), compiled (`toolchain`), kept (`cache`, by `fingerprint`) and called (`native`).
`with_numba` is the second opinion, and kernels run as they stand for debugging: see `backend`. Where there is no
compiler, `lifting` makes numba's kernels of them, or plain functions.
"""

from typing import TYPE_CHECKING

from tegotae.compile.binding import bind
from tegotae.compile.kernels import (
    as_kernel,
    entry,
    entry_free,
    entry_sums,
    frees_sums,
    kernel,
    kernel_exact,
    kernel_inside,
    kernel_rare,
    kernel_sums,
    kernel_sums_inside,
    kernel_sums_long,
)
from tegotae.compile.modules import build, source_of
from tegotae.compile.readiness import is_ready

if TYPE_CHECKING:
    from tegotae.compile.addresses import Signature as Signature
    from tegotae.compile.native import c_source as c_source
    from tegotae.compile.toolchain import CompilerError as CompilerError
    from tegotae.compile.translate.refusal import SubsetError as SubsetError

__all__ = [
    "CompilerError",
    "Signature",
    "SubsetError",
    "as_kernel",
    "bind",
    "build",
    "c_source",
    "entry",
    "entry_free",
    "entry_sums",
    "frees_sums",
    "is_ready",
    "kernel",
    "kernel_exact",
    "kernel_inside",
    "kernel_rare",
    "kernel_sums",
    "kernel_sums_inside",
    "kernel_sums_long",
    "source_of",
]

_LATER = {
    "CompilerError": "tegotae.compile.toolchain",
    "Signature": "tegotae.compile.addresses",
    "SubsetError": "tegotae.compile.translate.refusal",
    "c_source": "tegotae.compile.native",
}


def __getattr__(name: str) -> object:
    """What only compiling needs is loaded when it is asked for."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LATER[name]), name)
