"""The library that comes with the package: what a machine of the package needs is compiled before anybody asks.

A wheel carries it; installing a checkout puts it into the environment, never into the source tree. An entry is found by
its key, which holds everything that it depends on: an edited kernel never meets it.
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tegotae.compile.cache import is_whole
from tegotae.compile.toolchain import processor

MANIFEST, LIBRARY = "manifest.json", "kernels.so"


@dataclass(frozen=True)
class Variant:
    """The loops whose sums are taken several at a time, once more for a better processor.

    Args:
        library: the name of its file.
        flags: what tells the compiler.
        needs: what the processor must have, as the system names it.
    """

    library: str
    flags: tuple[str, ...]
    needs: frozenset[str]


_V3 = frozenset(["avx2", "fma", "bmi1", "bmi2", "movbe", "f16c"])
# It can also turn whole numbers into real ones, several at a time.
_V4 = _V3 | frozenset(["avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"])
# The best first.
VARIANTS = {
    "x86_64": (
        Variant("kernels-v4.so", ("-march=x86-64-v4", "-mprefer-vector-width=256"), _V4),
        Variant("kernels-v3.so", ("-march=x86-64-v3", "-mprefer-vector-width=256"), _V3),
    )
}


def variants() -> tuple[Variant, ...]:
    """Those for the kind of machine that this is."""
    return VARIANTS.get(platform.machine(), ())


def folders() -> tuple[Path, ...]:
    """Where the library may be: in the package (a wheel), or in the environment (an installed checkout)."""
    return Path(__file__).parent / "library", environment()


def environment() -> Path:
    """Where installing a checkout puts the library."""
    return Path(sys.prefix) / "share" / "tegotae"


def find(key: str) -> tuple[Path, str] | None:
    """The library with the entry of this key, and its symbol there, if it was shipped."""
    for folder, entries in _manifests():
        if key in entries:
            symbol, varies = entries[key]
            library = folder / (_best() if varies else LIBRARY)
            if _usable(library):
                return library, symbol
    return None


@cache
def _usable(library: Path) -> bool:
    """Whether it is as it was made: a part of one, loaded, would end the process."""
    whole = is_whole(library)
    if not whole:
        leave(library, "it is not as it was made")
    return whole


_left: set[Path] = set()


def leave(library: Path, trouble: str) -> None:
    """Say once that a library cannot be used: what it holds is compiled anew."""
    if library not in _left:
        _left.add(library)
        warnings.warn(
            f"{library} cannot be used ({trouble}): its kernels are compiled anew. Install tegotae again to mend it.",
            stacklevel=2,
        )


def count() -> int:
    """How many entries were shipped for this machine."""
    return sum(len(entries) for _, entries in _manifests())


@cache
def _manifests() -> tuple[tuple[Path, dict[str, tuple[str, bool]]], ...]:
    found = []
    for folder in folders():
        path = folder / MANIFEST
        if not path.exists():
            continue
        manifest = read(path)
        if manifest is None:
            leave(path, "it is damaged")
        elif manifest["machine"] == machine():
            found.append((folder, manifest["entries"]))
        else:
            warnings.warn(
                f"{folder} holds kernels for {manifest['machine']}, and this is {machine()}: they are compiled anew. "
                "Install tegotae for this machine to have them ready.",
                stacklevel=2,
            )
    return tuple(found)


def read(path: Path) -> dict[str, Any] | None:
    """A manifest: for which machine, and key -> (symbol, whether it varies); None if it is not whole."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        entries = manifest["entries"].values()
        whole = all(isinstance(symbol, str) and isinstance(varies, bool) for symbol, varies in entries)
        return manifest if whole and isinstance(manifest["machine"], str) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def machine() -> str:
    """The system and processor that a library is made for."""
    return f"{sys.platform}-{platform.machine()}"


@cache
def _best() -> str:
    has = set(processor().split())
    return next((variant.library for variant in variants() if variant.needs <= has), LIBRARY)
