"""The two sides of a comparison: a commit laid out in a folder of its own, and a process for each tree."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import tegotae
from tegotae.bench import player
from tegotae.errors import InputError, TegotaeError

SOURCE = Path(tegotae.__file__).parents[1]
_LAST_WORDS = 300  # characters of what a side said last


# ---------------------------------------------------------------- the commit


def _git(source: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(source), *arguments], capture_output=True)
    except FileNotFoundError:
        raise TegotaeError("bench: --against needs git, which is not installed.\n  Install git.") from None
    if done.returncode != 0:
        raise TegotaeError(f"bench: git {arguments[0]} failed.\n  {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def resolved(commit: str, source: Path) -> str:
    """The full name of a commit of the checkout that `source` is in."""
    try:
        _git(source, "ls-files", "--error-unmatch", "tegotae/__init__.py")
    except TegotaeError as error:
        raise TegotaeError(
            f"bench: --against needs a git checkout, which {source} is not ({str(error).splitlines()[-1].strip()}).\n"
            "  Clone the repository, install it in place (`make setup`) and ask there."
        ) from error
    try:
        return _git(source, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
    except TegotaeError as error:
        raise InputError(
            f"bench: --against {commit} is not a commit of {source}.\n  Give a hash, a branch, a tag, or HEAD~1."
        ) from error


@contextmanager
def laid_out(commit: str, source: Path) -> Iterator[tuple[Path, Path]]:
    """What stands for `source` in that commit, while the block runs, and a place for its kernels alone.

    The checkout itself is left as it is.
    """
    inside = _git(source, "rev-parse", "--show-prefix").decode().strip()
    top = Path(_git(source, "rev-parse", "--show-toplevel").decode().strip())
    with tempfile.TemporaryDirectory(prefix="tegotae-against-", ignore_cleanup_errors=True) as folder:
        tree, cache = Path(folder) / "tree", Path(folder) / "kernels"
        cache.mkdir()
        with tarfile.open(fileobj=io.BytesIO(_git(top, "archive", "--format=tar", commit))) as archive:
            archive.extractall(tree, filter="data")
        old = tree / inside
        if not (old / "tegotae" / "bench" / "contest.py").is_file():
            raise InputError(
                f"bench: the commit {commit[:12]} has no {inside}tegotae/bench.\n  Give one that has contests."
            )
        yield old, cache


# ---------------------------------------------------------------- the two processes


class SideEndedError(TegotaeError):
    """Of a side whose process is gone."""


class Side:
    """A process that plays the contests of the package in `source`; its kernels may go to a `cache` of their own."""

    def __init__(self, name: str, source: Path, cache: Path | None = None):
        self.name, self.source = name, source
        path = os.pathsep.join(part for part in (str(source), os.environ.get("PYTHONPATH", "")) if part)
        self._environment = os.environ | {"PYTHONPATH": path}
        if cache is not None:
            self._environment |= {"TEGOTAE_CACHE": str(cache)}
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the side
        self.contests: dict[str, dict[str, Any]] = {}
        self.broken: dict[str, str] = {}

    def start(self) -> None:
        """Begin, and learn its contests."""
        self._errors.seek(0)
        self._errors.truncate()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(player.__file__))],  # -P: that folder is no place to import from
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self._environment,
            text=True,
            encoding="utf-8",
        )
        hello = self._answer()
        if not Path(hello["place"]).resolve().is_relative_to(self.source.resolve()):
            raise TegotaeError(
                f"bench: the {self.name} side imported {hello['place']}, not what is in {self.source}.\n"
                "  Look for another tegotae on PYTHONPATH."
            )
        self.contests, self.broken = hello["contests"], hello["broken"]

    def play(self, contest: str) -> dict[str, Any]:
        """Its answer; a process that dies of a contest has failed at it, and another takes its place."""
        if self._process is None:
            self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            print(json.dumps(contest), file=self._process.stdin, flush=True)
            return self._answer()
        except (SideEndedError, BrokenPipeError) as error:
            self.end()
            return {"failed": str(error)}

    def close(self) -> None:
        """End it for good."""
        self.end()
        self._errors.close()

    def end(self) -> None:
        """Stop it, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _answer(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            how = f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"
            self._errors.seek(0)
            last = self._errors.read().decode(errors="replace").strip()[-_LAST_WORDS:]
            raise SideEndedError(
                f"bench: the process of the {self.name} side ended with {how}.\n  {last or 'It said nothing.'}"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer
