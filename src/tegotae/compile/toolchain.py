"""The compiler of C: which one there is, and how it is called."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from tegotae.compile import cache
from tegotae.errors import TegotaeError

VARIABLE = "TEGOTAE_CC"
BUILDING = "building-"
COMMON = (
    "-std=c99", "-fPIC", "-fvisibility=hidden", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno",
    "-fno-trapping-math",
)  # fmt: skip
# Wide registers pay where sums are taken several at a time; 512 bits only in long loops (`kernel_sums_long`).
# Tuned for no processor in particular: a compiler that is older than the processor takes it for another one.
_WIDE = {"x86_64": ("-march=native", "-mtune=generic", "-mprefer-vector-width=256"), "aarch64": ("-mcpu=native",)}
# Left to the library of the system: the compiler's own value of a constant, such as exp(0.1), may differ in a bit.
_FUNCTIONS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 pow hypot"
)
_FROM_LIBRARY = tuple(f"-fno-builtin-{name}" for name in [*_FUNCTIONS.split(), "fmod", "erf", "erfc"])
# As written, bit for bit and for any processor; and with sums in any order, for this one. Never -ffast-math: linked in,
# it would turn denormal numbers off in the whole process. As written means one by one, too: numbers packed in twos that
# are then read singly, or the other way round, wait in the store buffer, and a Scene's tick takes 3 % longer.
STRICT = ("-O2", "-ffp-contract=off", "-fno-tree-slp-vectorize", *_FROM_LIBRARY)
FREE = ("-O3", "-funroll-loops", "-fassociative-math", "-fno-signed-zeros", "-ffp-contract=fast")
# Threading jumps takes gcc a sixth of its time, and loops are no quicker for it. Other compilers do not know the word.
_SPARED_BY_GCC = ("-fno-thread-jumps",)


# What a compiler says whose files do not fit.
_NO_ROOM = (
    "No space left on device",
    "Disk quota exceeded",
    "File too large",
    "File size limit exceeded",
    "Read-only file system",
)


class CompilerError(TegotaeError):
    """No compiler of C, or one that failed; the message says what it said."""


class NoCompilerError(CompilerError):
    """There is none on this machine."""


@dataclass(frozen=True)
class Unit:
    """A text of C, compiled by itself: its name, "strict" or with "free" sums, and what."""

    name: str
    mode: str
    text: str


@dataclass(frozen=True)
class Toolchain:
    """A compiler: the words that call it, and what tells it from others."""

    command: tuple[str, ...]
    identity: str

    def build(
        self,
        units: Sequence[Unit],
        library: Path,
        more: tuple[str, ...] = (),
        *,
        jobs: int = 1,
        wide: tuple[str, ...] | None = None,
    ) -> None:
        """Compile units of C into a shared library. It appears whole or not at all; OSError if there is no room.

        `more` are further words for the compiler; `wide` says for which processor free sums are taken, else this one.
        """
        wide = _WIDE.get(platform.machine(), ()) if wide is None else wide
        modes = {"strict": (*STRICT, *_spared(self.command)), "free": (*FREE, *wide)}
        _clear(library.parent)
        with tempfile.TemporaryDirectory(prefix=BUILDING, dir=library.parent, ignore_cleanup_errors=True) as place:
            folder = Path(place)

            def compile_one(unit: Unit) -> str:
                source = folder / f"{unit.name}.c"
                cache.write(source, unit.text)
                target = str(source.with_suffix(".o"))
                self._run([*COMMON, *modes[unit.mode], *more, "-c", str(source), "-o", target], library)
                return target

            with ThreadPoolExecutor(jobs) as pool:
                objects = list(pool.map(compile_one, units))
            made = folder / library.name
            self._run(["-shared", "-s", *more, *objects, "-lm", "-o", str(made)], library)
            if not made.exists():
                raise CompilerError(
                    f"{library.name}: the compiler {' '.join(self.command)!r} made no library, and did not say why.\n"
                    f"  Set {VARIABLE} to another compiler, or TEGOTAE_BACKEND=numba or python."
                )
            cache.seal(made)
            made.chmod(made.stat().st_mode & ~0o022)
            os.replace(made, library)

    def _run(self, arguments: list[str], library: Path) -> None:
        name, place = library.name, str(Path(arguments[-1]).parent)
        if "ziglang" in self.command:  # it spells processors otherwise
            arguments = [word.replace("-march=x86-64-", "-march=x86_64_") for word in arguments]
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                env={**os.environ, "LC_ALL": "C", "TMPDIR": place},  # its own words, and its own files where ours are
            )
        except OSError as error:
            raise CompilerError(
                f"{name}: the compiler {' '.join(self.command)!r} cannot be run ({error}).\n"
                f"  Set {VARIABLE} to one that can, or install one: pip install 'tegotae[compiler]'."
            ) from error
        if done.returncode:
            output = (done.stderr or done.stdout).strip() or f"it said nothing and ended with {done.returncode}"
            if trouble := next((words for words in _NO_ROOM if words in output), None):
                raise OSError(errno.ENOSPC, trouble, str(library))
            raise CompilerError(
                f"{name}: the compiler {' '.join(self.command)!r} failed:\n{output[:4000]}\n"
                f"  Set {VARIABLE} to another compiler, or TEGOTAE_BACKEND=numba or python."
            )


@once
def find() -> Toolchain:
    """The compiler to use: $TEGOTAE_CC, the system's, or that of the package `ziglang`."""
    if named := os.environ.get(VARIABLE, "").strip():
        words = (named,) if shutil.which(named) else tuple(named.split())
        path = shutil.which(words[0])
        if path is None:
            raise CompilerError(f"{VARIABLE}={named!r} is not a program.\n  Name a compiler of C, such as gcc.")
        return Toolchain((path, *words[1:]), _identity((path, *words[1:])))
    for word in ("cc", "gcc", "clang"):
        if path := shutil.which(word):
            return Toolchain((path,), _identity((path,)))
    zig = importlib.util.find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        command = (sys.executable, "-m", "ziglang", "cc")
        return Toolchain(command, _identity((str(Path(zig.origin).parent / "zig"),)))
    raise NoCompilerError(
        "There is no compiler of C (cc, gcc or clang) on this machine.\n"
        "  Install one (Debian: apt install gcc), or take one from PyPI: pip install 'tegotae[compiler]'."
    )


def _clear(folder: Path) -> None:
    """Take away what a process left that was killed while it compiled."""
    for left in [*folder.glob(BUILDING + "*"), *folder.glob("*" + cache.PART)]:
        try:
            age = time.time() - left.stat().st_mtime
        except FileNotFoundError:
            continue  # another process compiled, and took it away itself
        if age > 3600.0:
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _identity(command: tuple[str, ...]) -> str:
    """What changes when the compiler does: asking it for its version would take longer than compiling."""
    real = Path(command[0]).resolve()
    status = real.stat() if real.exists() else None
    size = (status.st_size, status.st_mtime_ns) if status else ()
    flags = (COMMON, STRICT, FREE, _spared(command), sorted(_WIDE.items()), command[1:], str(real), size, processor())
    return hashlib.sha256(repr(flags).encode()).hexdigest()


def _spared(command: tuple[str, ...]) -> tuple[str, ...]:
    """What gcc is told to leave out; where `gcc` may be the name of another compiler, nothing is."""
    name = Path(command[0]).resolve().name
    return _SPARED_BY_GCC if sys.platform == "linux" and "gcc" in name else ()


def processor() -> str:
    """What this processor can do: a library for another one must not be met, as on a home that machines share."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())
