"""On a terminal, progress says when it waits for a compiler; the library alone says nothing."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import tegotae
from tegotae.compile import backend, toolchain
from tegotae.compile.telling import compiling, told_of_compiling

pytestmark = pytest.mark.skipif(backend.name() != "c", reason="other backends compile otherwise")

RUN = """
from tegotae.compile import shipped
shipped.find = lambda key: None  # as if nothing shipped
from tegotae.cli import main
raise SystemExit(main({arguments}))
"""
FIT = """
from tegotae.compile import entry
from tegotae.fitting import progress

@entry
def twice(x):
    return 2.0 * x

progress.PATIENCE = 0.1
with progress.reporter({asked}) as tell:
    tell("looking", 0.0)
    twice(1.0)
    tell("choosing", 0.5)
"""
ALONE = """
from tegotae.compile import shipped
shipped.find = lambda key: None
import numpy as np, tegotae as tg
tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).run(np.full(9, 0.1), period=1e-3)
"""


def seen(program: str, folder: Path, until: str = "") -> str:
    """What a program says on a terminal, with a compiler that waits until these words are there."""
    folder.mkdir(exist_ok=True)
    compiler, go = folder / "waiting-cc", folder / "go"
    compiler.write_text(
        f'#!/bin/sh\nfor i in $(seq 600); do [ -f "{go}" ] && break; sleep 0.1; done\n'
        f'exec {toolchain.find().command[0]} "$@"\n'
    )
    compiler.chmod(0o755)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TEGOTAE_CACHE": str(folder / "kernels"), "TEGOTAE_CC": str(compiler)}
    environment |= {"PYTHONPATH": str(Path(tegotae.__file__).parents[1]), "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=theirs, env=environment, cwd=folder
    )
    os.close(theirs)
    said = ""
    while True:
        if until in said:
            go.touch()
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break  # so a terminal ends
        if not piece:
            break
        said += piece.decode(errors="replace")
    os.close(ours)
    assert process.wait() == 0, said
    assert list((folder / "kernels").glob("*.so")), "it compiled"
    return said


def test_a_run_says_that_it_compiles(tmp_path):
    said = seen(RUN.format(arguments=["run", "friction"]), tmp_path, until="running, compiling")
    assert "running, compiling" in said
    assert said.rindex("running") > said.rindex("running, compiling"), "and says so no more when it is done"


def test_a_fit_says_that_it_compiles_when_that_takes_long(tmp_path):
    said = seen(FIT.format(asked=None), tmp_path / "shown", until="compiling")
    assert "compiling" in said
    assert said.rindex("choosing") > said.rindex("compiling")
    assert "compiling" not in seen(FIT.format(asked=False), tmp_path / "silent")


def test_the_library_alone_says_nothing(tmp_path):
    assert seen(ALONE, tmp_path) == ""


def test_of_several_at_work_the_first_and_the_last_are_told_of():
    heard = []
    with told_of_compiling(heard.append):
        with compiling(), compiling():
            pass
        with pytest.raises(ValueError, match="failed"), compiling():
            raise ValueError("failed")
    with compiling():
        pass
    assert heard == [True, False, True, False]
