"""Kernels as C, called from Python: found in the cache or compiled, loaded, and handed their arguments."""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tegotae.compile import backend, cache, packing, shipped, toolchain
from tegotae.compile.fingerprint import fingerprint
from tegotae.compile.lifting import Instead
from tegotae.compile.telling import compiling
from tegotae.compile.translate.program import EntryPoint, Program
from tegotae.compile.translate.types import Known, SubsetError, Type, type_of
from tegotae.errors import FileError, InputError

if TYPE_CHECKING:
    from tegotae.compile.kernels import Kernel

SYMBOL = "tegotae_entry"
T = TypeVar("T")


class Caller:
    """What Python calls: it compiles on the first call with new types.

    The words of arguments that come again, as the same objects, are kept from the call before: a loop that calls with
    the same arrays again and again hands over only its numbers. So an array must keep its shape between two calls
    (``a.shape = ...`` is not seen). Kernels that share their work with other threads, and calls that meet another
    thread inside, take the plain way.
    """

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        self._known: dict[tuple[Type, ...], Native | Instead] = {}
        self._busy = threading.Lock()
        self._held: list[Any] = []
        self._native: Native | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        if self._kernel.shares or not self._busy.acquire(blocking=False):
            native = self._for(signature(self._kernel, arguments))
            return native(*arguments) if isinstance(native, Instead) else native(native.words(arguments))
        try:
            return self._again(arguments)
        finally:
            self._busy.release()

    def _for(self, kinds: tuple[Type, ...]) -> Native | Instead:
        if kinds not in self._known:
            try:
                self._known[kinds] = Native.of(self._kernel, kinds)
            except toolchain.NoCompilerError:
                self._known[kinds] = Instead(self._kernel, kinds)
        return self._known[kinds]

    def _again(self, arguments: tuple[Any, ...]) -> Any:
        held = self._held
        if self._native is None or len(arguments) != len(held):
            return self._anew(arguments)
        for place, argument in enumerate(arguments):
            if argument is not held[place]:
                if not self._native.put(self._words, place, argument):
                    return self._anew(arguments)
                held[place] = argument if _small(argument) else _LET_GO
        return self._native(self._words)

    def _anew(self, arguments: tuple[Any, ...]) -> Any:
        self._native = None  # should anything fail on the way
        native = self._for(signature(self._kernel, arguments))
        if isinstance(native, Instead):
            return native(*arguments)
        self._words = ctypes.create_string_buffer(native.words(arguments), native.layout.size + 1)
        self._held = [argument if _small(argument) else _LET_GO for argument in arguments]
        self._native = native
        return native(self._words)


# What is larger is let go after a call: a caller must not keep somebody's hour of records alive.
_HELD_AT_MOST = 1 << 17
_LET_GO = object()  # in its place: no argument is it


def _small(argument: Any) -> bool:
    if isinstance(argument, np.ndarray):
        return bool(argument.nbytes <= _HELD_AT_MOST)
    if isinstance(argument, tuple):
        return all(map(_small, argument))
    return True


def signature(kernel: Kernel, arguments: Sequence[Any]) -> tuple[Type, ...]:
    """The types of arguments; what kernels cannot take is refused in words."""
    kinds = []
    for place, argument in enumerate(arguments):
        try:
            kinds.append(type_of(argument))
        except TypeError as error:
            raise SubsetError(
                f"kernel {kernel.__name__!r}: argument {place} is {error}.\n"  # type: ignore[attr-defined]
                "  Give numbers, arrays of float64, int64 or bool, tuples and NamedTuples of them."
            ) from None
    return tuple(kinds)


class Native:
    """One kernel for one list of types, loaded: an entry of a library, and what it gives in letters (`result_code`)."""

    def __init__(self, function: Any, result: str, kinds: tuple[Type, ...]):
        self.function, self.kinds, self.result = function, kinds, result
        formats = [packing.letters(kind) for kind in kinds]
        self.layout = struct.Struct("=" + "".join(formats))
        self.starts = [0, *itertools.accumulate(map(len, formats))]
        self._structs = [struct.Struct("=" + one) for one in formats]
        self._packers = [packing.packer(kind) for kind in kinds]
        self.several = result.startswith("(")
        letters = result.replace("(", "").replace(")", "")
        self._numbers = struct.Struct("=" + letters.translate(_WORDS))

    @classmethod
    def of(cls, kernel: Kernel, kinds: tuple[Type, ...]) -> Native:
        """Found in the cache, or compiled."""
        return loaded(EntryPoint(SYMBOL, kernel, kinds), cls.load)

    @classmethod
    def load(cls, path: Path, entry: EntryPoint) -> Native:
        """An entry of a library."""
        loaded = (ctypes.CDLL if entry.kernel.shares else ctypes.PyDLL)(str(path))
        result = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(loaded, entry.symbol + "_result"))).decode()
        function = getattr(loaded, entry.symbol)
        function.argtypes = [ctypes.c_void_p] * (2 if result.startswith("(") else 1)
        function.restype = {"f": ctypes.c_double, "i": ctypes.c_int64, "b": ctypes.c_bool}.get(result)
        return cls(function, result, entry.arguments)

    def words(self, arguments: Sequence[Any]) -> bytes:
        """The arguments as the library takes them."""
        words: list[Any] = []
        for pack, argument in zip(self._packers, arguments, strict=True):
            pack(argument, words)
        try:
            return self.layout.pack(*words)
        except struct.error as error:
            raise InputError(f"A whole number handed to a kernel does not fit into 64 bits ({error}).") from error

    def put(self, words: Any, place: int, argument: Any) -> bool:
        """Change one argument among the words; False if its type is another than before, or no type of a kernel's."""
        changed: list[Any] = []
        try:
            if not self._packers[place](argument, changed):
                return False
            self._structs[place].pack_into(words, 8 * self.starts[place], *changed)
        except (TypeError, struct.error):
            return False  # on the way for new types, it is told in words
        return True

    def __call__(self, words: Any) -> Any:
        """Hand the words over, and read the result."""
        if not self.several:
            return self.function(words)
        buffer = ctypes.create_string_buffer(max(self._numbers.size, 8))
        self.function(words, buffer)
        return _shaped(iter(self.result), iter(self._numbers.unpack_from(buffer)))


_WORDS = str.maketrans({"f": "d", "i": "q", "b": "q"})


def _shaped(letters: Iterator[str], numbers: Iterator[Any]) -> Any:
    """Numbers one after another, as the tuples that the letters tell."""
    letter = next(letters)
    if letter != "(":
        return bool(next(numbers)) if letter == "b" else next(numbers)
    items = []
    for inner in letters:
        if inner == ")":
            break
        items.append(_shaped(itertools.chain([inner], letters), numbers))
    return tuple(items)


def key_of(entry: EntryPoint) -> str:
    """What an entry is, whoever compiles it."""
    kinds = entry.arguments
    known = [kind.value for kind in kinds if isinstance(kind, Known)]
    how = "" if entry.by_address is None else f" by address -> {entry.by_address!r}"
    return hashlib.sha256(f"{fingerprint([entry.kernel, *known])} {kinds!r}{how}".encode()).hexdigest()


def loaded(entry: EntryPoint, load: Callable[[Path, EntryPoint], T]) -> T:
    """What `load` makes of the library that holds an entry: the one that ships, else one of its own, made if need be.

    One that cannot be loaded is made anew.
    """
    if backend.name() == "numba":
        raise toolchain.NoCompilerError("Kernels are compiled by numba.\n  Unset TEGOTAE_BACKEND: they then become C.")
    if (found := shipped.find(key_of(entry))) is not None:
        path, symbol = found
        try:
            return load(path, replace(entry, symbol=symbol))
        except _NOT_LOADED as error:
            shipped.leave(path, str(error))
    path = library(entry)
    try:
        return load(path, entry)
    except _NOT_LOADED:
        path.unlink(missing_ok=True)  # damaged where it lay
    path = library(entry)
    try:
        return load(path, entry)
    except _NOT_LOADED as error:
        raise FileError(
            f"{path}: what was just compiled cannot be loaded ({error}).\n"
            f"  Set {cache.VARIABLE} to a folder from which programs may be run, or TEGOTAE_BACKEND=python."
        ) from error


_NOT_LOADED = (OSError, ValueError, AttributeError)
_turns: dict[str, threading.Lock] = {}


def library(entry: EntryPoint) -> Path:
    """The compiled entry, made if it is not there yet; its C lies beside it."""
    tools = toolchain.find()
    key = hashlib.sha256(f"{tools.identity} {key_of(entry)}".encode()).hexdigest()[:24]
    name = f"{entry.kernel.py_func.__name__.strip('<>')}-{key}"

    def there(folder: Path) -> Path:
        path = folder / f"{name}.so"
        if not (cache.is_ours(path) and cache.is_whole(path)):
            with compiling():
                made = Program().units([entry])
                units = [toolchain.Unit(f"{name}.{mode}", mode, text) for mode, text in made.items()]
                for unit in units:
                    cache.write(path.with_name(f"{unit.name}.c"), unit.text)
                tools.build(units, path)
        return path

    with _turns.setdefault(name, threading.Lock()):  # of threads that come together, one compiles
        return cache.written(there)


def c_source(kernel: Any, *arguments: Any) -> str:
    """The C that a kernel becomes for such arguments, to read.

    Example:
        >>> import numpy as np
        >>> from tegotae.compile import c_source
        >>> from tegotae.friction.kernels.laws import viscous_magnitude
        >>> "k_viscous_magnitude(reals1 p, int64_t j, double s)" in c_source(viscous_magnitude, np.zeros(2), 0, 0.0)
        True
    """
    return "\n".join(Program().units([EntryPoint(SYMBOL, kernel, signature(kernel, arguments))]).values())
