"""Taking down which entries machines call, and with which types: how the shipped library knows what to hold."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tegotae.compile.kernels import Kernel
    from tegotae.compile.translate.types import Type

# A kernel, the types of its arguments, and what it gives if it is called by its address; else Python calls it.
Call = tuple["Kernel", tuple["Type", ...], "Type | None"]
# Whether calls are taken down, and run as plain Python meanwhile.
wanted = False
_calls: list[Call] = []
_here = threading.local()  # .inside: whether this thread is inside a call that was taken down


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """The entries that are called meanwhile, with the types of their arguments. Nothing is compiled."""
    global wanted
    _calls.clear()
    wanted = True
    try:
        yield _calls
    finally:
        wanted = False


def note(kernel: Kernel, kinds: tuple[Type, ...], by_address: Type | None = None) -> None:
    """Take down a kernel that is called with such types."""
    call = kernel, kinds, by_address
    if call not in _calls:
        _calls.append(call)


def take(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Take down a call, unless another one makes it, and answer it."""
    if getattr(_here, "inside", False):
        return kernel.py_func(*arguments)
    from tegotae.compile.native import signature

    note(kernel, signature(kernel, arguments))
    _here.inside = True
    try:
        return kernel.py_func(*arguments)
    finally:
        _here.inside = False
