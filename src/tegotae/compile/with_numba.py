"""Kernels compiled by numba: the second opinion, and a way on where there is no compiler of C.

Numba keeps compiled code beside the file of what it compiled, so what Python calls is written to a real file. Its name
carries a fingerprint of everything it depends on. What numba keeps is sealed as libraries are: it would read pickles
and machine code, whatever they are.
"""

from __future__ import annotations

import hashlib
import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, BinaryIO, cast

import numba
from numba.core import event
from numba.core.caching import IndexDataCacheFile

from tegotae.compile import cache, lifting
from tegotae.compile.fingerprint import fingerprint
from tegotae.compile.telling import at_work
from tegotae.compile.translate import sources
from tegotae.compile.translate.types import SubsetError

# Free sums as `compile.toolchain` has them.
FREE_SUMS = {"reassoc", "nsz", "contract"}


def lifted(function: FunctionType, kernel: Any) -> Callable[..., Any]:
    """A kernel that others call: `function` is what `lifting` made of it.

    It gets a name of its own. Numba tells kernels that a function makes apart by a count that starts anew in each
    process, and a compiled loop read from disk carries the counts of the process that wrote it: two laws under one
    factory could then bear one name, and the linker would take the first of them for both.
    """
    function.__qualname__ += f"_{secrets.token_hex(8)}"
    return _compiled(function, kernel, kept=False)


def lifted_entry(function: FunctionType, kernel: Any) -> Callable[..., Any]:
    """What Python calls, found on disk if it was compiled before.

    It stands in a file of the cache folder, with the text that it has at home, whose name tells all that it leads to.
    One that a maker made is compiled in each process: numba tells such apart by what they close over, and kernels
    among that are others each time. So is one without a text.
    """
    if function.__closure__:
        return lifted(function, kernel)
    try:
        text, digest = sources.text_of(kernel.py_func), fingerprint([kernel])
    except SubsetError:
        return lifted(function, kernel)
    texts = [digest, *(Path(home).read_text(encoding="utf-8") for home in (__file__, lifting.__file__))]
    key = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:20]
    path = _put(f"{function.__name__.strip('<>')}-{key}.py", text)
    function.__code__ = function.__code__.replace(co_filename=str(path))
    function.__qualname__ += f"_{key}"
    return _compiled(function, kernel, kept=True)


def _compiled(function: FunctionType, kernel: Any, *, kept: bool) -> Callable[..., Any]:
    """numba's njit; every kernel is compiled alike: division by zero gives inf, as in the papers, and costs no branch.

    The kernel may be one that numba made. What is long or rare, numba decides itself.
    """
    inside, shares = getattr(kernel, "inside", False), getattr(kernel, "shares", False)
    options: dict[str, Any] = {"error_model": "numpy", "forceinline": inside, "nogil": shares, "no_cfunc_wrapper": True}
    if sums := getattr(kernel, "sums", None):
        options["fastmath"] = FREE_SUMS if sums == "free" else False
    made: Any = numba.njit(cache=kept, **options)(function)
    if kept:
        files = made._cache._cache_file
        base = files._index_name.removesuffix(".nbi")
        made._cache._cache_file = SealedFiles(files._cache_path, base, files._source_stamp)  # type: ignore[no-untyped-call]
    return cast(Callable[..., Any], made)


def _put(name: str, text: str) -> Path:
    """A file of the folder, written unless it is there: a new time stamp would make numba throw away what it kept."""

    def put(folder: Path) -> Path:
        path = folder / name
        if not (cache.is_ours(path) and path.read_bytes() == text.encode()):
            cache.write(path, text)
        return path

    return cache.written(put)


class SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data of one function. What is damaged or somebody else's is not read, and made anew."""

    def _load_index(self) -> dict[Any, str]:
        return dict(super()._load_index()) if _whole(self._index_path) else {}  # type: ignore[no-untyped-call]

    def _load_data(self, name: str) -> Any:
        if not _whole(path := self._data_path(name)):  # type: ignore[no-untyped-call]
            raise FileNotFoundError(path)  # as numba takes it: it compiles
        return super()._load_data(name)  # type: ignore[no-untyped-call]

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BinaryIO]:
        with super()._open_for_write(filepath) as file:
            yield file
            file.flush()
            cache.seal(Path(file.name))  # behind a pickle, where reading it does not look

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled; without room it runs all the same."""
        try:
            super().save(key, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            warnings.warn(
                f"{self._index_path} cannot be written ({error}), so the next process compiles it again. "
                f"Set {cache.VARIABLE} to a folder with room.",
                stacklevel=2,
            )


def _whole(path: str) -> bool:
    return cache.is_ours(Path(path)) and cache.is_whole(Path(path))


class CompileListener(event.Listener):  # type: ignore[misc]
    """Numba compiles when a function is called; it says when."""

    def on_start(self, _: Any) -> None:
        """One more is compiled."""
        at_work(+1)

    def on_end(self, _: Any) -> None:
        """One less."""
        at_work(-1)


event.register("numba:compile", CompileListener())  # type: ignore[no-untyped-call]
