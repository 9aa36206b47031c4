"""Compiled kernels stay inside their arrays, and do nothing that C leaves undefined: a compiler's own checks watch."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from processes import run
from test_subset import MODULES

HERE = Path(__file__).parent
# Not -O2: what the optimizer takes out is not watched.
CHECKS = "-fsanitize=address,undefined -fno-sanitize-recover=all -g -O1 -w"

CASES = """
import sys
sys.path.insert(0, sys.argv[1])
import test_subset
for module in test_subset.MODULES:
    if module.__name__ in sys.argv[2:]:
        for number, case in enumerate(module.CASES):
            print(module.__name__, case.function.__name__, flush=True)  # the last one is to blame
            test_subset.test_compiled_equals_plain_python(module, number)
print("all well")
"""
QUICK = {"cases_allocation", "cases_copies", "cases_indices", "cases_integers", "cases_slices", "cases_tuples"}


@cache
def watcher() -> str:
    """The library that must be in the process before any other."""
    command = shutil.which("cc")
    if command is None:
        pytest.skip("there is no compiler called cc")
    probe = [command, *CHECKS.split(), "-shared", "-x", "c", "-", "-o", "/dev/null"]
    if subprocess.run(probe, input="int x;\n", capture_output=True, text=True, check=False).returncode:
        pytest.skip("this compiler has no -fsanitize=address,undefined")
    named = subprocess.run([command, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    if not Path(named.stdout.strip()).is_absolute():
        pytest.skip("this compiler keeps its checks elsewhere than in libasan.so")
    return named.stdout.strip()


def watched(folder, *words, fails=False):
    """Python with the checks, whose libraries are compiled with them."""
    library = watcher()
    script = folder / "checking-cc"
    script.write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec cc "$@" {CHECKS}\n')
    script.chmod(0o755)
    return run(
        *words,
        fails=fails,
        TEGOTAE_CACHE=folder / "kernels",
        TEGOTAE_CC=script,
        LD_PRELOAD=library,
        ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=1",
    )


@pytest.mark.parametrize("place", [8, -9])
def test_the_checks_see_a_place_outside_an_array(tmp_path, place):
    program = tmp_path / "outside.py"
    program.write_text(
        "import numpy as np\nfrom tegotae.compile import entry\n\n"
        f"@entry\ndef outside(a, i):\n    return a[i]\n\noutside(np.zeros(8), {place})\n"
    )
    assert "heap-buffer-overflow" in watched(tmp_path, program, fails=True).stderr


def assert_well(tmp_path, modules):
    program = tmp_path / "cases.py"
    program.write_text(CASES)
    done = watched(tmp_path, program, HERE, *modules)
    assert done.stdout.splitlines()[-1] == "all well"
    assert not done.stderr


def test_the_subset(tmp_path):
    assert_well(tmp_path, sorted(QUICK))


@pytest.mark.slow
def test_the_rest_of_the_subset(tmp_path):
    assert_well(tmp_path, sorted({module.__name__ for module in MODULES} - QUICK))


@pytest.mark.parametrize(
    "machine",
    ["elements", "circuits", *(pytest.param(name, marks=pytest.mark.slow) for name in ("arm", "crate", "rods"))],
)
def test_whole_machines(tmp_path, machine):
    done = watched(tmp_path, HERE / "machine_runs.py", machine)
    assert done.stdout
    assert not done.stderr
