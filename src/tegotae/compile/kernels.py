"""Kernels: Python functions in the subset, run as C, by numba, or as they stand."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from tegotae.compile import backend, recording


class Kernel:
    """A function in the subset, run as it stands.

    Args:
        function: what it is.
        sums: "free" if the order of its sums is free, "exact" if they are taken as written wherever it is called from;
            None: as whoever calls it.
        inside: it is put in place of its call.
        long: its loops are long, so the widest registers pay.
        rare: it is hardly ever called, so it stays apart from its callers and is compiled to be small.
        shares: other threads of Python go on while it runs.
        entry: Python calls it.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        sums: str | None = None,
        inside: bool = False,
        long: bool = False,
        rare: bool = False,
        shares: bool = False,
        entry: bool = False,
    ):
        self.py_func = function
        self.sums, self.inside, self.long, self.rare = sums, inside, long, rare
        self.shares, self.entry = shares, entry
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(self, name, getattr(function, name))
        self.__wrapped__ = function

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"  # type: ignore[attr-defined]

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return str(self.__qualname__)  # type: ignore[attr-defined]


class NativeKernel(Kernel):
    """A function in the subset, run as C: compiled for the types that it is called with, and kept on disk."""

    _native: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        if recording.wanted:
            return recording.take(self, arguments)
        if self._native is None:
            from tegotae.compile.native import Caller

            self._native = Caller(self)
        return self._native(*arguments)


def _made(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    name = backend.name()
    if name == "numba":
        from tegotae.compile import with_numba

        return with_numba.compiled(function, **options)
    return (NativeKernel if name == "c" else Kernel)(function, **options)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel: sums as whoever calls it takes them.

    Example:
        >>> from tegotae.compile import kernel
        >>> @kernel
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function)


def kernel_inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is put in place of its call: for one that takes dozens of arrays, whose handing over costs more.

    Example:
        >>> from tegotae.compile import kernel_inside
        >>> @kernel_inside
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, inside=True)


def kernel_rare(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is hardly ever called: it stays apart from its callers and is compiled to be small, in less time.

    Example:
        >>> from tegotae.compile import kernel_rare
        >>> @kernel_rare
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, rare=True)


def kernel_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that adds up many numbers: the order of its sums is free, so they are taken several at a time.

    Example:
        >>> from tegotae.compile import kernel_sums
        >>> @kernel_sums
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, sums="free")


def kernel_sums_inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel_sums`, put in place of its call: a solver works out only once what its trials have in common.

    Example:
        >>> from tegotae.compile import kernel_sums_inside
        >>> @kernel_sums_inside
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, sums="free", inside=True)


def kernel_sums_long(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel_sums`, for loops over hundreds of numbers and more that divide: the widest registers there are pay.

    Example:
        >>> from tegotae.compile import kernel_sums_long
        >>> @kernel_sums_long
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, sums="free", long=True)


def kernel_exact(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose sums are taken as written, wherever it is called from.

    Example:
        >>> from tegotae.compile import kernel_exact
        >>> @kernel_exact
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, sums="exact")


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Python calls; see `kernel`.

    Example:
        >>> from tegotae.compile import entry
        >>> @entry
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, entry=True)


def entry_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Python calls, with sums in any order; see `kernel_sums`.

    Example:
        >>> from tegotae.compile import entry_sums
        >>> @entry_sums
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, entry=True, sums="free")


def entry_free(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Python calls while other threads go on: for work that is spread over the cores.

    Example:
        >>> from tegotae.compile import entry_free
        >>> @entry_free
        ... def twice(x):
        ...     return 2.0 * x
        >>> twice(1.5)
        3.0
    """
    return _made(function, entry=True, shares=True)


def as_kernel(function: Callable[..., Any]) -> Any:
    """The kernel of a user's function, which may be a kernel already, or one that numba made.

    Example:
        >>> from tegotae.compile import as_kernel
        >>> as_kernel(lambda s: 3.0 + 2.0 * s)(0.5)
        4.0
    """
    if not isinstance(getattr(function, "py_func", function), FunctionType):
        from tegotae.compile.translate.refusal import SubsetError

        raise SubsetError(f"{function!r} is not a Python function.\n  Write one that calls it, with def or lambda.")
    if backend.name() == "numba":
        return function if hasattr(function, "py_func") else kernel(function)
    return function if isinstance(function, Kernel) else kernel(getattr(function, "py_func", function))


def frees_sums(*kernels: Any) -> bool:
    """Whether a kernel with free sums is named by these, or by those that they name; exact ones keep theirs apart.

    Example:
        >>> from tegotae.compile import frees_sums, kernel
        >>> @kernel
        ... def twice(x):
        ...     return 2.0 * x
        >>> frees_sums(twice)
        False
    """
    waiting, seen = list(kernels), set()
    while waiting:
        one = waiting.pop()
        function = getattr(one, "py_func", None)
        if function is None or id(one) in seen or getattr(one, "sums", None) == "exact":
            continue
        if getattr(one, "sums", None) == "free":
            return True
        seen.add(id(one))
        waiting += [cell.cell_contents for cell in function.__closure__ or ()]
        waiting += [function.__globals__.get(name) for name in function.__code__.co_names]
    return False
