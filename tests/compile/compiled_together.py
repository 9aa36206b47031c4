"""How the tests get at compiled kernels: many of them in one library, because a compiler is started for each."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tegotae.compile import SubsetError, backend, toolchain
from tegotae.compile.kernels import NativeKernel
from tegotae.compile.native import Native, signature
from tegotae.compile.translate.program import EntryPoint, Program

TRANSLATES = backend.name() == "c"  # departures from Python and refusals can only be tested then


def entries_of(
    kernels: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]],
) -> tuple[Program, list[EntryPoint | SubsetError]]:
    """A program with an entry for each function and types of arguments, or the refusal of it."""
    program, made, found = Program(), {}, []
    for function, arguments in kernels:
        kernel = NativeKernel(function)
        try:
            kinds = signature(kernel, arguments)
        except SubsetError as error:
            found.append(error)
            continue
        if (function, kinds) not in made:
            entry = EntryPoint(f"entry_{len(made)}", kernel, kinds)
            try:
                program.units([entry])
                made[function, kinds] = entry
            except SubsetError as error:
                made[function, kinds] = error
        found.append(made[function, kinds])
    return program, found


def compile_together(kernels: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Callable[..., Any]]:
    """One library of all these functions, each for the types of the arguments given with it; callables in their order.

    A function comes many times with arguments of the same types: it is compiled once for them. One that is refused
    gives a callable that raises the refusal, so that the others can still be tested.
    """
    if not TRANSLATES:
        return [function for function, _ in kernels]
    program, found = entries_of(kernels)
    entries = list(dict.fromkeys(entry for entry in found if isinstance(entry, EntryPoint)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.so"
        units = [toolchain.Unit(mode, mode, text) for mode, text in program.units(entries).items()]
        toolchain.find().build(units, path, ("-Wall", "-Wextra", "-Werror", "-Wno-array-bounds"))
        loaded = {entry: Native.load(path, entry) for entry in entries}
    return [_callable(loaded.get(entry, entry)) for entry in found]


def _callable(made: Native | SubsetError) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        if isinstance(made, SubsetError):
            raise made
        return made(made.words(arguments))

    return call


def refusal_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
    """The words with which the translator refuses the function for arguments of these types; None if it takes it."""
    [entry] = entries_of([(function, arguments)])[1]
    return str(entry) if isinstance(entry, SubsetError) else None
