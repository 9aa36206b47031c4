"""From Python kernels to what runs: the only place that knows a compiler.

Physics sees `kernel` (and its variants), `build` and `bind`. A kernel is a Python function in a written subset; it is
translated to C99 (`translate/`), compiled (`toolchain`), kept (`cache`, by `fingerprint`) and called (`native`).
Kernels run as they stand for debugging: see `backend`. Where there is no compiler, and where numba is asked for as the
second opinion, `lifting` makes kernels of it (`with_numba`), or plain functions.
"""

from typing import TYPE_CHECKING

from tegotae.compile.binding import bind, is_ready
from tegotae.compile.kernels import (
    as_kernel,
    entry,
    entry_free,
    entry_long,
    entry_sums,
    frees_sums,
    kernel,
    kernel_exact,
    kernel_inside,
    kernel_rare,
    kernel_sums,
    kernel_sums_inside,
    kernel_sums_long,
    kernel_sums_long_inside,
)
from tegotae.compile.modules import build, source_of
from tegotae.on_demand import loaded_on_first_use

if TYPE_CHECKING:
    from tegotae.compile.addresses import Signature
    from tegotae.compile.native import c_source
    from tegotae.compile.toolchain import CompilerError
    from tegotae.compile.translate.types import SubsetError

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
    "entry_long",
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
    "kernel_sums_long_inside",
    "source_of",
]

# What only compiling needs is loaded when it is asked for.
__getattr__, __dir__ = loaded_on_first_use(__name__)
