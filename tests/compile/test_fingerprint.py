"""An edited kernel never meets an old library: whatever its loop leads to changes the fingerprint, and nothing else."""

import functools
import importlib
import itertools
import math
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from compiled_together import TRANSLATES
from processes import run, run_without_compiler

import tegotae
from tegotae.compile import SubsetError, kernel
from tegotae.compile.fingerprint import fingerprint

# A package of the user's own, with no folder called kernels: a loop that leads to two other files.
FILES = {
    "mine/__init__.py": "",
    "mine/loop.py": """
import math
import mine.numbers
from typing import NamedTuple
import numpy as np
from tegotae.compile import entry, kernel
from mine.second import gain, Pair
from mine.numbers import OFFSET

SCALE = 1.0
TABLE = np.array([1.0, 2.0])

@kernel
def inner(x):
    return SCALE * x

@entry
def loop(x):
    pair = Pair(x, 1.0)
    return gain(inner(x)) + OFFSET + TABLE[1] * pair.first + mine.numbers.deep.BIAS + mine.numbers.Chosen.far
""",
    "mine/second.py": """
from typing import NamedTuple
from tegotae.compile import kernel
from mine.third import third

class Pair(NamedTuple):
    first: float
    last: float

@kernel
def gain(x):
    return 10.0 * third(x)
""",
    "mine/third.py": "from tegotae.compile import kernel\n\n@kernel\ndef third(x):\n    return x + 0.25\n",
    "mine/numbers.py": """
from mine import deep

OFFSET = 100.0
UNUSED = 1.0

class Chosen:
    far = 0.0
    unused = 0.0
""",
    "mine/deep.py": "BIAS = 1000.0\nUNUSED = 1.0\n",
    "mine/unreached.py": "from tegotae.compile import kernel\n\n@kernel\ndef other(x):\n    return x\n",
    "run.py": "from mine.loop import loop\nimport mine.unreached\nprint(loop(1.0))\n",
}
BEFORE = 10.0 * 1.25 + 100.0 + 2.0 * 1.0 + 1000.0
# File, what is written there, what is written instead, and what the loop then gives.
EDITS = {
    "its own file": ("mine/loop.py", "gain(inner(x)) +", "gain(inner(x)) + x +", BEFORE + 1.0),
    "a kernel beside it": ("mine/loop.py", "SCALE * x", "SCALE * x + 2.0", BEFORE + 20.0),
    "a constant of its file": ("mine/loop.py", "SCALE = 1.0", "SCALE = 3.0", BEFORE + 20.0),
    "a table": ("mine/loop.py", "[1.0, 2.0]", "[1.0, 5.0]", BEFORE + 3.0),
    "a kernel of a second file": ("mine/second.py", "10.0 *", "20.0 *", BEFORE + 12.5),
    "a kernel of a third file": ("mine/third.py", "0.25", "0.5", BEFORE + 2.5),
    "a constant imported from a file without kernels": ("mine/numbers.py", "100.0", "200.0", BEFORE + 100.0),
    "a constant of a module of a module": ("mine/deep.py", "1000.0", "3000.0", BEFORE + 2000.0),
    "a constant of a class": ("mine/numbers.py", "    far = 0.0", "    far = 7.0", BEFORE + 7.0),
    "the order of a record's fields": (
        "mine/second.py",
        "    first: float\n    last: float",
        "    last: float\n    first: float",
        BEFORE,  # pair.first is now the 1.0 that was given second
    ),
}
NO_MATTER = {
    "a kernel that is not called": ("mine/unreached.py", "return x", "return -x"),
    "a constant that is not read": ("mine/numbers.py", "UNUSED = 1.0", "UNUSED = 2.0"),
    "one of a module of a module": ("mine/deep.py", "UNUSED = 1.0", "UNUSED = 2.0"),
    "one of a class": ("mine/numbers.py", "unused = 0.0", "unused = 2.0"),
}


@pytest.fixture
def package(tmp_path):
    write(tmp_path / "source", FILES)
    return tmp_path / "source"


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def edit(folder, name, old, new):
    text = (folder / name).read_text()
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new))


def answer(package, kept, **environment):
    # Python's own cache of bytecode goes by seconds and sizes: an edit within a second would not be seen.
    return float(run("-B", package / "run.py", folder=package, TEGOTAE_CACHE=kept, **environment).stdout)


def test_an_edit_is_seen_by_the_next_process(package, tmp_path):
    kept = tmp_path / "kernels"
    assert answer(package, kept) == BEFORE
    for number, (what, (name, old, new, after)) in enumerate(EDITS.items(), 2):
        edit(package, name, old, new)
        assert answer(package, kept) == after, what
        assert len(list(kept.glob("*.so"))) == number, what
        edit(package, name, new, old)
    assert answer(package, kept) == BEFORE
    for what, (name, old, new) in NO_MATTER.items():
        edit(package, name, old, new)
        assert answer(package, kept) == BEFORE, what
    assert len(list(kept.glob("*.so"))) == number, "what is not reached does not matter"


BLOCK = {
    "mine/block.py": """
from tegotae.block import Impedance, Kernels
from tegotae.compile import kernel
from tegotae.layout import Part, layouts
from mine.second import gain

@kernel
def wall_answer(p, s, w, v, T):
    return -p.K * gain(v), 0.0

@kernel
def wall_advance(p, s, w, v, T):
    s.f[0] = -p.K * gain(v)

def wall_kernels():
    return wall_answer, wall_advance

class Wall(Impedance):
    dimension = 1
    layout = layouts(parameters=(Part("stiffness", letter="K"),), state=(Part("force", "N", letter="f"),))
    kernels = Kernels(wall_kernels)
    values = {"stiffness": 1.0}
""",
    "run.py": "from mine.block import Wall\nprint(Wall().run([0.5], period=1e-3).force[-1])\n",
}


@pytest.mark.parametrize("backend", ["c", pytest.param("numba", marks=pytest.mark.slow)])
def test_the_block_of_a_user_whose_kernel_imports_another(tmp_path, backend):
    """This went wrong once: the loop kept the value of the imported kernel."""
    folder, kept = tmp_path / "source", tmp_path / "kernels"
    write(folder, FILES | BLOCK)
    assert answer(folder, kept, TEGOTAE_BACKEND=backend) == -7.5
    edit(folder, "mine/second.py", "10.0 *", "20.0 *")
    assert answer(folder, kept, TEGOTAE_BACKEND=backend) == -15.0
    edit(folder, "mine/third.py", "0.25", "0.5")
    assert answer(folder, kept, TEGOTAE_BACKEND=backend) == -20.0
    edit(folder, "mine/block.py", "s.f[0] = -p.K *", "s.f[0] = -2.0 * p.K *")
    edit(folder, "mine/block.py", "return -p.K *", "return -2.0 * p.K *")
    assert answer(folder, kept, TEGOTAE_BACKEND=backend) == -40.0


@pytest.mark.slow
def test_an_entry_of_a_user_whose_kernel_is_in_another_file_with_numba(tmp_path):
    """Numba itself keeps an entry by the time stamp of its own file alone."""
    folder, kept = tmp_path / "source", tmp_path / "kernels"
    entry = (
        "from tegotae.compile import entry\nfrom mine.second import gain\n\n@entry\ndef loop(x):\n    return gain(x)\n"
    )
    write(folder, FILES | {"mine/loop.py": entry})
    assert answer(folder, kept, TEGOTAE_BACKEND="numba") == 12.5
    edit(folder, "mine/second.py", "10.0 *", "20.0 *")
    assert answer(folder, kept, TEGOTAE_BACKEND="numba") == 25.0


def test_the_translator_is_part_of_what_a_library_is(package, tmp_path):
    """Libraries of an older way to compile must not be met."""
    kept, copy = tmp_path / "kernels", tmp_path / "copy"
    home = Path(tegotae.__file__).parent
    shutil.copytree(home, copy / "tegotae", ignore=shutil.ignore_patterns("__pycache__", "*.so", "papers", "multibody"))
    edits = {"errors.py": 1, "compile/translate/helpers.py": 2, "compile/translate/webs.py": 3, "compile/cache.py": 3}
    for name, number in edits.items():
        with (copy / "tegotae" / name).open("a") as file:
            file.write("# edited\n")
        assert answer(package, kept, PYTHONPATH=copy) == BEFORE
        assert len(list(kept.glob("*.so"))) == number


# ------------------------------------------------------------ in one process


def scaled(k):
    @kernel
    def scale(x):
        return k * x

    return scale


def chosen(object_):
    @kernel
    def choose(x):
        return x * object_.far

    return choose


class Far(NamedTuple):
    far: float
    near: float


class Near(NamedTuple):
    near: float
    far: float


class Deep:
    def __init__(self, far):
        self.inner = SimpleNamespace(far=far)


def chosen_deep(object_):
    @kernel
    def choose(x):
        return x * object_.inner.far

    return choose


FACTORIES = {
    "real numbers": (scaled, [2.0, 3.0, 0.0, -0.0]),
    "whole, real and truth": (scaled, [1, 1.0, True]),
    "truth values": (scaled, [True, False]),
    "truth values of NumPy": (scaled, [np.True_, np.False_]),
    "tuples": (lambda t: chosen_item(t), [(1.0, 2.0), (2.0, 1.0), ((1.0, 2.0), 2.0)]),
    "arrays": (lambda a: chosen_item(a), [np.array([1.0, 2.0]), np.array([1.0, 3.0]), np.array([1, 2])]),
    "objects": (chosen, [SimpleNamespace(far=2.0), SimpleNamespace(far=3.0)]),
    "objects in objects": (chosen_deep, [Deep(2.0), Deep(3.0)]),
    "records": (chosen, [Far(2.0, 3.0), Near(2.0, 3.0)]),
    "kernels": (lambda k: calling(scaled(k)), [2.0, 3.0]),
}


def chosen_item(items):
    @kernel
    def choose(x):
        return x * items[1]

    return choose


def calling(inner):
    @kernel
    def call(x):
        return inner(x)

    return call


@pytest.mark.parametrize("what", FACTORIES)
def test_kernels_of_one_factory_differ_by_what_they_close_over(what):
    factory, values = FACTORIES[what]
    marks = [fingerprint([factory(value)]) for value in values]
    assert len(set(marks)) == len(values)
    assert marks == [fingerprint([factory(value)]) for value in values]
    if TRANSLATES:
        for value in values:
            made = factory(value)
            if not isinstance(value, tuple) or not isinstance(value[0], tuple):
                assert made(2.5) == made.py_func(2.5)


class Endless:
    """It makes another one whenever it is asked, as transposed arrays do."""

    far = 2.0

    @property
    def inner(self):
        return Endless()

    def method(self):
        return self.far


def asks_much(object_):
    @kernel
    def choose(x):
        return x * object_.inner.inner.far + object_.method()

    return choose


def test_an_object_without_end_has_a_fingerprint():
    assert fingerprint([asks_much(Endless())]) == fingerprint([asks_much(Endless())])


def test_lambdas_on_one_line_are_told_apart():
    laws = [kernel(lambda s: 2.0 * s if s > 1.0 else 0.0), kernel(lambda s: 3.0 * s if s > 1.0 else 0.0)]
    assert fingerprint(laws[:1]) != fingerprint(laws[1:])
    assert [law(2.0) for law in laws] == [4.0, 6.0]


def lambdas(c):
    # fmt: off
    return [lambda s: s if s > 1.0 else c, lambda s: c, lambda s: 3.0, lambda s: s, lambda s: -s, (lambda s: (c +
        s)), lambda s: s > 1.0 and s < c, lambda s: math.sin(s), lambda s: (s, c)[1], lambda s: 1.0 < s < c]
    # fmt: on


@pytest.mark.parametrize("place", range(10))
@pytest.mark.parametrize("s", [0.5, 2.0])
def test_each_of_many_lambdas_on_a_line_is_itself(place, s):
    law = lambdas(5.0)[place]
    assert kernel(law)(s) == law(s)
    assert len({fingerprint([each]) for each in lambdas(5.0)}) == 10


def test_lambdas_inside_lambdas_are_themselves():
    outer = lambda k: lambda s: lambda t: k * s + t  # noqa: E731 - the case is a line of lambdas
    assert kernel(outer(2.0)(3.0))(4.0) == 10.0


def test_the_order_of_what_is_asked_does_not_confuse():
    two, three = scaled(2.0), scaled(3.0)
    both = [fingerprint(pair) for pair in itertools.product([two, three], repeat=2)]
    assert len(set(both)) == 4


MODULE = "from tegotae.compile import kernel\n\n@kernel\ndef reloaded(x):\n    return x + {number}\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that is edited while this process runs."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited_while_running.py"
    path.write_text(MODULE.format(number="1.0"))
    importlib.invalidate_caches()
    yield importlib.import_module("edited_while_running"), path
    del sys.modules["edited_while_running"]


def test_a_module_that_is_edited_and_loaded_again_is_compiled_again(module):
    """As notebooks do, with a kernel that was compiled already."""
    loaded, path = module
    before = fingerprint([loaded.reloaded])
    assert loaded.reloaded(1.0) == 2.0
    path.write_text(MODULE.format(number="20.0"))
    loaded = importlib.reload(loaded)
    assert fingerprint([loaded.reloaded]) != before
    assert loaded.reloaded(1.0) == 21.0


@pytest.mark.skipif(not TRANSLATES, reason="the bytecode is what runs")
def test_a_text_that_is_not_what_python_loaded_is_refused(module):
    loaded, path = module
    path.write_text(MODULE.format(number="20.0"))
    with pytest.raises(SubsetError, match=r"edited after Python loaded it[^$]*start a new process"):
        loaded.reloaded(1.0)


# What happens by chance in two processes is made sure of here.
TWO_LAWS = """
import sys, tegotae as tg
from numba.core.bytecode import FunctionIdentity

count = FunctionIdentity.from_function
def first_gets_1000(function, seen=[]):
    identity = count(function)
    if function.__name__ == "newton_resolve" and not seen:
        seen.append(function)
        identity.unique_id, identity.unique_name = 1000, function.__qualname__ + "$1000"
    return identity
FunctionIdentity.from_function = first_gets_1000

"""
LAWS = """
import sys, tegotae as tg
from tegotae.compile import shipped
shipped.find = lambda key: None  # both are compiled
laws = {"falling": tg.Stribeck(kinetic=1.0, static=1.6, velocity=0.05), "rising": tg.CustomLaw(lambda s: 1 + 30 * s**2)}
for name in sys.argv[1:]:
    print(tg.FrictionImpedance(stiffness=3e4, damping=30.0, law=laws[name]).start(period=1e-3).step(0.09))
"""


def with_backend(name):
    return functools.partial(run, TEGOTAE_BACKEND=name)


@pytest.mark.parametrize(
    "run_it",
    [
        pytest.param(with_backend("c"), id="c"),
        pytest.param(with_backend("numba"), id="numba", marks=pytest.mark.slow),
        pytest.param(functools.partial(run_without_compiler, numba=True), id="no compiler", marks=pytest.mark.slow),
    ],
)
def test_two_laws_of_one_factory_are_never_taken_for_each_other(tmp_path, run_it):
    """Numba counts kernels of one name in each process; a loop read from disk brings the counts of another process."""
    program = tmp_path / "laws.py"
    program.write_text(TWO_LAWS + LAWS)
    printed = [
        run_it(program, *laws, TEGOTAE_CACHE=tmp_path / "kernels").stdout.split()
        for laws in (["falling"], ["rising", "falling"])
    ]
    assert printed[1][1] == printed[0][0] != printed[1][0]
