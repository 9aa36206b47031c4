"""What cannot be compiled is refused in words: where it stands, what it is, and the way out. Nothing is left behind."""

import functools
import math
import subprocess
import sys

import numpy as np
import pytest
from compiled_together import TRANSLATES
from processes import environment_with, run

import tegotae as tg
from tegotae.block import Impedance, Kernels
from tegotae.compile import SubsetError, as_kernel, kernel
from tegotae.errors import InputError
from tegotae.layout import Part, layouts

compiled_only = pytest.mark.skipif(not TRANSLATES, reason="plain Python takes anything")


def line_of(function):
    return function.__code__.co_firstlineno


# ------------------------------------------------------------ laws


def with_a_list(s):
    steps = [3.0, 2.0]
    return steps[0] if s < 1.0 else steps[1]


def with_a_string(s):
    return 3.0 + len("stick")


def with_a_helper(s):
    return not_a_kernel(s)


def not_a_kernel(s):
    return 3.0 + s


def with_an_array(s):
    return np.interp(s, [0.0, 1.0], [3.0, 2.0])


def with_a_default(s, k=2.0):
    return k + s


def of_two(s, k):
    return k + s


def that_tries(s):
    try:
        return 3.0 / s
    except ZeroDivisionError:
        return 4.0


def with_an_unknown_name(s):
    return 3.0 + friction_of_rubber  # noqa: F821 - the name is missing on purpose


LAWS = [
    (with_a_list, 1, "a list is outside the subset", "Use a tuple"),
    (with_a_string, 1, "a string is outside the subset", "numbers and arrays"),
    (with_a_helper, 1, "not_a_kernel cannot be called so inside a kernel", "Write it as a kernel (@kernel)"),
    (with_an_array, 1, "a list is outside the subset", "Use a tuple"),
    (with_a_default, 0, "arguments with default values", "Take all arguments by place"),
    (of_two, 0, "it takes 2 arguments and is given 1", "Give as many as it takes"),
    (that_tries, 1, "try is outside the subset", "CONTRIBUTING.md"),
    (with_an_unknown_name, 1, "the name 'friction_of_rubber' does not exist", "Define or import it"),
]


@compiled_only
@pytest.mark.parametrize(("law", "below", "what", "way"), LAWS, ids=lambda part: getattr(part, "__name__", ""))
def test_a_law_outside_the_subset(law, below, what, way):
    with pytest.raises(InputError) as told:
        tg.CustomLaw(law)
    message = str(told.value)
    assert message.startswith(f"CustomLaw: {law.__name__!r} cannot be compiled: ")
    assert f"{__file__}:{line_of(law) + below}: kernel {law.__name__!r}: {what}" in message
    assert way in message
    assert "or give the law as Tabulated" in message
    assert isinstance(told.value.__cause__, SubsetError)


@compiled_only
def test_a_law_as_a_lambda():
    with pytest.raises(InputError, match=r"test_refusals.py:\d+: kernel '<lambda>': a list is outside the subset"):
        tg.CustomLaw(lambda s: [3.0, s][0])


@compiled_only
def test_the_kernel_that_is_to_blame_is_named_and_not_the_one_that_calls_it():
    inner = kernel(with_a_list)

    def outer(s):
        return 1.0 + inner(s)

    with pytest.raises(SubsetError) as told:
        kernel(outer)(1.0)
    assert str(told.value).startswith(f"{__file__}:{line_of(with_a_list) + 1}: kernel 'with_a_list': a list")


@compiled_only
def test_a_law_without_source():
    names = {}
    exec("def law(s):\n    return 3.0 + s\n", names)
    with pytest.raises(InputError, match=r"'law': its text cannot be read[^$]*Write it in a file or a notebook cell"):
        tg.CustomLaw(names["law"])


@pytest.mark.parametrize(
    "law",
    [math.sqrt, np.sqrt, functools.partial(of_two, k=2.0), "".join, Part("x", "m", "").__eq__],
    ids=["built-in", "ufunc", "partial", "method of a built-in", "method"],
)
def test_what_is_no_python_function(law):
    with pytest.raises(SubsetError, match=r"is not a Python function[^$]*Write one that calls it"):
        as_kernel(law)
    with pytest.raises(InputError, match="is not a Python function"):
        tg.CustomLaw(law)


def test_a_law_given_to_python_on_its_command_line():
    """It has no file, and yet a text: that of the command line."""
    program = "import tegotae as tg\nlaw = tg.CustomLaw(lambda s: 3.0 + s)\nprint(law(0.5))"
    assert float(run("-c", program).stdout) == 3.5


def test_a_law_given_to_python_by_its_input():
    program = "import tegotae as tg\nlaw = tg.CustomLaw(lambda s: 3.0 + s)\n"
    done = subprocess.run(
        [sys.executable, "-"], input=program, capture_output=True, text=True, check=False, env=environment_with()
    )
    assert "its text cannot be read" in done.stderr
    assert "Write it in a file or a notebook cell" in done.stderr


# ------------------------------------------------------------ a block of one's own


@kernel
def wall_answer(p, s, w, v, T):
    depth = s.x[0] + T * v
    return (-p.K * depth, -p.K * T) if depth > 0.0 else (0.0, 0.0)


@kernel
def wall_advance(p, s, w, v, T):
    depths = [s.x[0] + T * v, 0.0]
    s.x[0] = depths[0]
    s.f[0] = -p.K * max(depths)


def wall_kernels():
    return wall_answer, wall_advance


class Wall(Impedance):
    dimension = 1
    layout = layouts(
        parameters=(Part("stiffness", "N/m", letter="K"),),
        state=(Part("depth", "m", "of the mover inside", letter="x"), Part("force", "N", "on the mover", letter="f")),
    )
    kernels = Kernels(wall_kernels)
    values = {"stiffness": 1e4}  # noqa: RUF012 - nobody writes to it


@compiled_only
@pytest.mark.parametrize("way", [lambda wall: wall.run([0.1], period=1e-3), lambda wall: wall.start(period=1e-3)])
def test_a_block_with_a_kernel_outside_the_subset(way):
    line = line_of(wall_advance.py_func) + 2
    with pytest.raises(SubsetError) as told:
        way(Wall())
    assert str(told.value) == (
        f"{__file__}:{line}: kernel 'wall_advance': a list is outside the subset.\n"
        "  Use a tuple, or an array handed in by the caller."
    )


# ------------------------------------------------------------ compilers and backends

PROGRAM = """
import tegotae as tg
print(tg.CustomLaw(lambda s: 3.0 + s)(0.5))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def without(program, package):
    """Make it run as if a package were not installed."""
    program.write_text(f"import sys\nsys.modules[{package!r}] = None\n{program.read_text()}")


def failing(program, **environment):
    """The last error that it ended with, and what is in the cache folder then."""
    kept = program.parent / "kernels"
    said = run(program, fails=True, TEGOTAE_CACHE=kept, **environment).stderr
    left = sorted(path.name for path in kept.iterdir()) if kept.exists() else []
    assert not [name for name in left if not name.endswith(".c")], "at most the text, to read"
    return said.strip().rpartition("\ntegotae.")[2]


@pytest.mark.parametrize(
    ("compiler", "words"),
    [
        ("false", "bin/false' failed:\nit said nothing and ended with 1"),
        ("true", "made no library, and did not say why"),
        ("no-such-compiler", "TEGOTAE_CC='no-such-compiler' is not a program.\n  Name a compiler of C, such as gcc."),
        ("cc -no-such-flag", "-no-such-flag"),
        ("/etc/passwd", "TEGOTAE_CC='/etc/passwd' is not a program"),
    ],
)
def test_a_compiler_that_does_not_work(program, compiler, words):
    said = failing(program, TEGOTAE_CC=compiler)
    assert said.startswith("compile.toolchain.CompilerError: ")
    assert words in said
    assert "a compiler of C" in said or "Set TEGOTAE_CC to another compiler, or TEGOTAE_BACKEND=numba or python" in said


def test_a_compiler_that_cannot_be_started(program):
    script = program.parent / "script"
    script.write_text("no program\n")
    script.chmod(0o755)
    said = failing(program, TEGOTAE_CC=script)
    assert "cannot be run" in said
    assert "Set TEGOTAE_CC to one that can" in said


def test_a_blank_compiler_is_none_named(program):
    assert run(program, TEGOTAE_CC="  ", TEGOTAE_CACHE=program.parent / "kernels").stdout == "3.5\n"


def test_a_compiler_in_a_folder_with_spaces(program):
    script = program.parent / "with spaces" / "cc"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\nexec cc "$@"\n')
    script.chmod(0o755)
    assert run(program, TEGOTAE_CC=script, TEGOTAE_CACHE=program.parent / "kernels").stdout == "3.5\n"


def test_a_backend_that_does_not_exist(program):
    said = failing(program, TEGOTAE_BACKEND="nonsense")
    assert said == (
        "errors.InputError: TEGOTAE_BACKEND='nonsense' is not a backend.\n  Use one of c, numba, python, or unset it."
    )


def test_numba_that_is_not_installed(program):
    without(program, "numba")
    said = failing(program, TEGOTAE_BACKEND="numba")
    assert "TEGOTAE_BACKEND=numba" in said
    assert "pip install 'tegotae[numba]'" in said


@pytest.mark.parametrize("backend", ["c", "python"])
def test_without_numba_the_others_run(program, backend):
    without(program, "numba")
    done = run(program, TEGOTAE_BACKEND=backend, TEGOTAE_CACHE=program.parent / "kernels")
    assert (done.stdout, done.stderr) == ("3.5\n", "")
