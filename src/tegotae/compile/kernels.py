"""Kernels: Python functions in the subset, run as C, by numba, or as they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import update_wrapper
from types import FunctionType
from typing import Any

from tegotae.compile import backend, recording


@dataclass(eq=False, repr=False)
class Kernel:
    """A function in the subset, run as it stands.

    Args:
        py_func: what it is.
        sums: "free" if the order of its sums is free, "exact" if they are taken as written wherever it is called from;
            None: as whoever calls it.
        inside: it is put in place of its call.
        long: its loops are long, so the widest registers pay.
        rare: it is hardly ever called, so it stays apart from its callers and is compiled to be small.
        shares: other threads of Python go on while it runs.
        entry: Python calls it.
    """

    py_func: Callable[..., Any]
    _: KW_ONLY
    sums: str | None = None
    inside: bool = False
    long: bool = False
    rare: bool = False
    shares: bool = False
    entry: bool = False

    def __post_init__(self) -> None:
        update_wrapper(self, self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"  # type: ignore[attr-defined]

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return str(self.__qualname__)  # type: ignore[attr-defined]


class NativeKernel(Kernel):
    """A function in the subset, run as C, or by numba: compiled for the types that it is called with, kept on disk."""

    _native: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        if recording.wanted:
            return recording.take(self, arguments)
        if self._native is None:
            from tegotae.compile.native import Caller

            self._native = Caller(self)
        return self._native(*arguments)


class Decorator:
    """What makes a kernel of a Python function, with options that a `Kernel` has.

    Args:
        text: what such kernels are for.
        options: of the kernels.

    Example:
        >>> from tegotae.compile import entry, kernel_sums
        >>> @kernel_sums
        ... def twice(x):
        ...     return 2.0 * x
        >>> @entry
        ... def fourfold(x):
        ...     return twice(twice(x))
        >>> fourfold(1.5)
        6.0
    """

    def __init__(self, text: str, **options: Any):
        self.__doc__, self._options = text, options

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel."""
        return (Kernel if backend.name() == "python" else NativeKernel)(function, **self._options)


kernel = Decorator("A kernel: sums as whoever calls it takes them.")
kernel_inside = Decorator(
    "A kernel that is put in place of its call: for one that takes dozens of arrays, whose handing over costs more.",
    inside=True,
)
kernel_rare = Decorator(
    "A kernel that is hardly ever called: it stays apart from its callers and is compiled to be small, in less time.",
    rare=True,
)
kernel_sums = Decorator(
    "A kernel that adds up many numbers: the order of its sums is free, so they are taken several at a time.",
    sums="free",
)
kernel_sums_inside = Decorator(
    "As `kernel_sums`, put in place of its call: a solver works out only once what its trials have in common.",
    sums="free",
    inside=True,
)
kernel_sums_long = Decorator(
    "As `kernel_sums`, for loops over hundreds of numbers and more that divide: the widest registers there are pay.",
    sums="free",
    long=True,
)
kernel_sums_long_inside = Decorator(
    "As `kernel_sums_long`, put in place of its call: the loop over it, `entry_long`, takes the widest registers.",
    sums="free",
    inside=True,
    long=True,
)
kernel_exact = Decorator("A kernel whose sums are taken as written, wherever it is called from.", sums="exact")
entry = Decorator("What Python calls; see `kernel`.", entry=True)
entry_sums = Decorator("What Python calls, with sums in any order; see `kernel_sums`.", entry=True, sums="free")
entry_long = Decorator("What Python calls, with the widest registers; see `kernel_sums_long`.", entry=True, long=True)
entry_free = Decorator(
    "What Python calls while other threads go on: for work that is spread over the cores.", entry=True, shares=True
)


def as_kernel(function: Callable[..., Any]) -> Any:
    """The kernel of a user's function, which may be a kernel already, or one that numba made.

    Example:
        >>> from tegotae.compile import as_kernel
        >>> as_kernel(lambda s: 3.0 + 2.0 * s)(0.5)
        4.0
    """
    if not isinstance(getattr(function, "py_func", function), FunctionType):
        from tegotae.compile.translate.types import SubsetError

        raise SubsetError(f"{function!r} is not a Python function.\n  Write one that calls it, with def or lambda.")
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
