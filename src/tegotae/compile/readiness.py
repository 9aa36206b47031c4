"""Whether an entry can run compiled in this process."""

from __future__ import annotations

from typing import Any

from tegotae.compile import recording
from tegotae.compile.kernels import NativeKernel


def is_ready(entry: Any, *arguments: Any) -> bool:
    """Whether an entry runs compiled for such arguments: it ships, or a compiler or numba is at hand. None is compiled.

    Example:
        >>> from tegotae.compile import is_ready, kernel
        >>> @kernel
        ... def twice(x):
        ...     return 2.0 * x
        >>> is_ready(twice, 1.5)
        True
    """
    if recording.wanted or not isinstance(entry, NativeKernel):
        return True
    from tegotae.compile import backend, native, shipped, toolchain
    from tegotae.compile.translate.program import EntryPoint

    try:
        toolchain.find()
    except toolchain.NoCompilerError:
        if not backend.trouble_with_numba():
            return True
        kinds = native.signature(entry, arguments)
        return shipped.find(native.key_of(EntryPoint(native.SYMBOL, entry, kinds))) is not None
    return True
