"""The whole library that ships compiles without a warning, by the system's compiler and by zig; machines run on it."""

import importlib.util
import shutil
import sys

import pytest
from processes import run, run_without_compiler
from test_shipped import MACHINES

from tegotae.compile import shipped

pytestmark = pytest.mark.slow
WARNINGS = "-Wall -Wextra -Werror"
# Machines that meet no other library than that of the folder given.
ON_IT = """
import sys
from pathlib import Path
from tegotae.compile import shipped
shipped.folders = lambda: (Path(sys.argv[1]),)
"""


def words_of(compiler):
    """What starts it."""
    if compiler == "zig" and importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: pip install 'tegotae[compiler]'")
    if compiler == "cc" and shutil.which("cc") is None:
        pytest.skip("there is no compiler called cc")
    return f"{sys.executable} -m ziglang cc" if compiler == "zig" else compiler


@pytest.mark.parametrize("compiler", ["cc", "zig"])
def test_the_shipped_library(tmp_path, compiler):
    library, kept = tmp_path / "library", tmp_path / "kernels"
    command = f"{words_of(compiler)} {WARNINGS}"
    run("-m", "tegotae.shipped_machines", library, TEGOTAE_CC=command, TEGOTAE_CACHE=kept)
    assert {path.name for path in library.glob("*.so")} == {
        shipped.LIBRARY,
        *(variant.library for variant in shipped.variants()),
    }
    program = tmp_path / "machines.py"
    program.write_text(ON_IT + MACHINES)
    done = run_without_compiler(program, library, numba=False, TEGOTAE_CACHE=kept)
    assert (done.stdout, done.stderr) == ("all ran\n", "")
