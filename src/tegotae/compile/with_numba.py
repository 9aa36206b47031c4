"""Kernels compiled by numba: the second opinion, and a way on where there is no compiler of C.

Numba keeps compiled code beside the file of what it compiled, so loops are written to real files. Their names carry a
fingerprint of everything they depend on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import secrets
import sys
import threading
from collections.abc import Callable
from functools import cache as once
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from tegotae.compile import cache, lifting
from tegotae.compile.fingerprint import fingerprint
from tegotae.compile.modules import HEADER, NAMES, in_memory
from tegotae.compile.telling import at_work
from tegotae.compile.translate import sources
from tegotae.extras import require

# Free sums as `compile.toolchain` has them.
FREE_SUMS = {"reassoc", "nsz", "contract"}
# The package that generated loops are modules of; their files are in the cache.
PACKAGE = "tegotae_generated"


def compiled(
    function: Callable[..., Any],
    *,
    entry: bool = False,
    sums: str | None = None,
    inside: bool = False,
    long: bool = False,  # what is wide enough it decides itself
    rare: bool = False,  # so it does here
    shares: bool = False,
) -> Callable[..., Any]:
    """numba's njit; every kernel is compiled alike: division by zero gives inf, as in the papers, and costs no branch.

    A kernel made inside a function gets a name of its own. Numba tells such kernels apart by a count that starts anew
    in each process, and a compiled loop read from disk carries the counts of the process that wrote it: two laws under
    one factory could then bear one name, and the linker would take the first of them for both.
    """
    require("TEGOTAE_BACKEND=numba", "numba", instead="unset it: kernels then become C")
    plain = cast(FunctionType, function)
    local = "<locals>" in plain.__qualname__
    if local:
        own = FunctionType(plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
        own.__module__, own.__doc__ = plain.__module__, plain.__doc__
        own.__qualname__ = _name_of_its_own(plain)
        plain = own
    # Only a generated file's name tells all that its entries lead to; numba itself looks at their own file alone.
    kept = entry and not local and plain.__module__.startswith(PACKAGE + ".")
    return _compiled(plain, kept, sums, inside, shares)


def _name_of_its_own(function: FunctionType) -> str:
    return f"{function.__qualname__}_{secrets.token_hex(8)}"


def _compiled(function: FunctionType, kept: bool, sums: str | None, inside: bool, shares: bool) -> Callable[..., Any]:
    import numba

    from tegotae.compile import numba_files

    _tell_of_compiling()
    options: dict[str, Any] = {"error_model": "numpy", "forceinline": inside, "nogil": shares, "no_cfunc_wrapper": True}
    if sums is not None:
        options["fastmath"] = FREE_SUMS if sums == "free" else False
    made: Any = numba.njit(cache=kept, **options)(function)
    if kept:
        numba_files.seal(made)
    made.sums, made.inside, made.shares = sums, inside, shares  # as a `Kernel` has them, for whoever reads its C
    return cast(Callable[..., Any], made)


def lifted(function: FunctionType, kernel: Any) -> Callable[..., Any]:
    """A kernel that others call where there is no compiler: `function` is what `lifting` made of it."""
    function.__qualname__ = _name_of_its_own(function)
    return _compiled(function, False, *_options(kernel))


def lifted_entry(function: FunctionType, kernel: Any) -> Callable[..., Any]:
    """What Python calls where there is no compiler, found on disk if it was compiled before.

    It stands in a file of the cache folder, with the text that it has at home, whose name tells all that it leads to.
    One that a maker made is compiled in each process: numba tells such apart by what they close over, and kernels
    among that are others each time.
    """
    if function.__closure__:
        return lifted(function, kernel)
    text = sources.text_of(kernel.py_func)
    told = [fingerprint([kernel]), *(Path(home).read_text(encoding="utf-8") for home in (__file__, lifting.__file__))]
    key = hashlib.sha256("\n".join(told).encode()).hexdigest()[:20]
    path = _put(f"{function.__name__.strip('<>')}-{key}.py", text)
    function.__code__ = function.__code__.replace(co_filename=str(path))
    function.__qualname__ += f"_{key}"
    return _compiled(function, True, *_options(kernel))


def _options(kernel: Any) -> tuple[str | None, bool, bool]:
    """Of a kernel, which may be one that numba made."""
    return getattr(kernel, "sums", None), getattr(kernel, "inside", False), getattr(kernel, "shares", False)


def build(source: str, functions: tuple[tuple[str, Callable[..., Any]], ...]) -> ModuleType:
    """As `modules.build`: a file of the cache folder if every kernel can be imported again, else in memory."""
    head = [HEADER, "import numpy as np", f"from tegotae.compile import {', '.join(NAMES)}"]
    if not all(_importable(function) for _, function in functions):
        return in_memory("\n".join([*head, "", source]), dict(functions))
    imports = []
    for alias, function in functions:
        plain = getattr(function, "py_func", function)
        imports.append(f"from {plain.__module__} import {plain.__qualname__} as {alias}")
    text = "\n".join([*head, *imports, "", source])
    key = text + Path(__file__).read_text(encoding="utf-8") + fingerprint(function for _, function in functions)
    name = "loop_" + hashlib.sha256(key.encode()).hexdigest()[:20]
    path = _put(f"{name}.py", text)
    with _turn:
        if name not in _modules:
            # Not imported: what runs is the text itself, whatever lies in the folder.
            module = ModuleType(f"{PACKAGE}.{name}")
            module.__dict__.update(__file__=str(path), __source__=text)
            sys.modules[module.__name__] = module
            exec(compile(text, str(path), "exec", dont_inherit=True), module.__dict__)
            _modules[name] = module
        return _modules[name]


_modules: dict[str, ModuleType] = {}
_turn = threading.Lock()


@once
def _tell_of_compiling() -> None:
    """Numba compiles when a function is called; it says when."""
    from numba.core import event

    class CompileListener(event.Listener):  # type: ignore[misc]
        def on_start(self, _: Any) -> None:
            at_work(+1)

        def on_end(self, _: Any) -> None:
            at_work(-1)

    event.register("numba:compile", CompileListener())  # type: ignore[no-untyped-call]


def _put(name: str, text: str) -> Path:
    """A file of the folder, written unless it is there: a new time stamp would make numba throw away what it kept."""

    def put(folder: Path) -> Path:
        path = folder / name
        if not (cache.is_ours(path) and path.read_bytes() == text.encode()):
            cache.write(path, text)
        return path

    return cache.written(put)


def _importable(function: Callable[..., Any]) -> bool:
    """Whether `from module import name` in another process finds this very function."""
    plain = getattr(function, "py_func", function)
    module = sys.modules.get(plain.__module__)
    return (
        plain.__module__ != "__main__"
        and module is not None
        and getattr(module, plain.__qualname__, None) is function
        # What was built here is built again there, under the same name, before anything names it.
        and (plain.__module__.startswith(f"{PACKAGE}.") or importlib.util.find_spec(plain.__module__) is not None)
    )
