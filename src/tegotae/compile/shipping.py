"""Making the library that ships: entries that were taken down, translated, compiled and listed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegotae.compile import cache, shipped, toolchain
from tegotae.compile.native import SYMBOL, key_of
from tegotae.compile.translate.program import EntryPoint, Program

if TYPE_CHECKING:
    from tegotae.compile.recording import Call


def make(calls: Iterable[Call], folder: Path, tell: Callable[[str], Any]) -> int:
    """Compile these entries into a library with its list in `folder`; how many there are."""
    tools = toolchain.find()
    entries = _entries(calls)
    made_by = {"machine": shipped.machine(), "compiler": tools.identity}
    if _is_made(folder, entries, made_by):
        tell(f"{len(entries)} loops are compiled already")
        return len(entries)
    tell(f"translating {len(entries)} loops to C")
    groups = []  # a program for each home: small enough to be compiled side by side, and to read
    for number, (_, group) in enumerate(groupby(entries, _home)):
        units = Program(prefix=f"k{number}_").units(members := list(group))
        groups.append((members, [toolchain.Unit(f"{number}.{mode}", mode, text) for mode, text in units.items()]))
    folder.mkdir(parents=True, exist_ok=True)
    free = [(members, units) for members, units in groups if any(unit.mode == "free" for unit in units)]
    varied = [(free, variant.library, variant.flags) for variant in shipped.variants()]
    for chosen, library, wide in [(groups, shipped.LIBRARY, ()), *varied]:
        tell(f"compiling {library} with {' '.join(tools.command)}")
        every = [unit for _, units in chosen for unit in units]
        tools.build(every, folder / library, jobs=os.cpu_count() or 1, wide=wide)
    varies = {entry.symbol for members, _ in free for entry in members}
    listed = {key_of(entry): [entry.symbol, entry.symbol in varies] for entry in entries}
    manifest = {**made_by, "entries": listed}
    cache.write(folder / shipped.MANIFEST, json.dumps(manifest, indent=1))
    return len(entries)


def _is_made(folder: Path, entries: list[EntryPoint], made_by: dict[str, str]) -> bool:
    """Whether just these entries were compiled here, by the same compiler, and nothing was damaged since."""
    path = folder / shipped.MANIFEST
    names = [shipped.LIBRARY, *(variant.library for variant in shipped.variants())]
    manifest = shipped.read(path)
    if manifest is None or not all(cache.is_whole(folder / name) for name in names):
        return False
    same = {name: manifest.get(name) for name in made_by} == made_by
    return same and set(manifest["entries"]) == {key_of(entry) for entry in entries}


def _entries(calls: Iterable[Call]) -> list[EntryPoint]:
    """Each entry once, those of one generated module or file side by side.

    Its symbol tells what it is: while a library is made anew, the list that still lies there finds no other loop in it.
    """
    found: dict[str, EntryPoint] = {}
    for kernel, kinds, by_address in calls:
        entry = EntryPoint(SYMBOL, kernel, kinds, by_address)
        key = key_of(entry)
        found.setdefault(key, replace(entry, symbol=f"{SYMBOL}_{key[:24]}"))
    return sorted(found.values(), key=_home)


def _home(entry: EntryPoint) -> str:
    return str(entry.kernel.py_func.__code__.co_filename)
