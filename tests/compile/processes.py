"""Programs of the tests' own, run in processes of their own, and compilers that tell what they are asked."""

import os
import subprocess
import sys
from pathlib import Path

import tegotae
from tegotae.compile import toolchain


def environment_with(**more: object) -> dict[str, str]:
    """That of the tests, with this package, and without what they say about compiling."""
    environment = {key: word for key, word in os.environ.items() if not key.startswith("TEGOTAE_")}
    environment["PYTHONPATH"] = str(Path(tegotae.__file__).parents[1])
    return environment | {key: str(word) for key, word in more.items()}


def run(*words: object, folder: Path | None = None, fails: bool = False, **environment: object):
    """Python with these words on its command line; what it said. It must end well, or fail if `fails`."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment_with(**environment),
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


# It hides packages, then runs a program.
_WITHOUT = """
import os, runpy, sys
hidden, *sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])
sys.modules.update(dict.fromkeys(hidden.split(",")))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_without_compiler(program: Path, *words: object, numba: bool, fails: bool = False, **environment: object):
    """A program where there is no compiler of C; with numba or without."""
    hidden = "ziglang" if numba else "ziglang,numba"
    return run("-c", _WITHOUT, hidden, program, *words, fails=fails, PATH="/nonexistent", **environment)


class Compiler:
    """The compiler of the tests behind a script, which writes down what it is asked, and may be told to wait."""

    def __init__(self, folder: Path):
        self._log, self._waits = folder / "asked", folder / "waits"
        self.path = folder / "counting-cc"
        self.path.write_text(
            "#!/bin/sh\n"
            f'if [ -f "{self._waits}" ]; then case "$*" in *"$(cat "{self._waits}")"*)\n'
            f'  echo waiting >> "{self._log}"; sleep 600;; esac; fi\n'
            f'echo "$*" >> "{self._log}"\n'
            f'exec {" ".join(toolchain.find().command)} "$@"\n'
        )
        self.path.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        """One line for each time that it was started."""
        return self._log.read_text().splitlines() if self._log.exists() else []

    def wait_at(self, word: str | None) -> None:
        """From now on, sleep when this word is among the arguments; None: never."""
        if word is None:
            self._waits.unlink()
        else:
            self._waits.write_text(word)
