"""Where there is no compiler of C: what ships runs as ever, the rest by numba, and without numba as plain Python."""

import gc
import json
import math
import weakref
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from compiled_together import TRANSLATES
from processes import run, run_without_compiler
from test_subset import EACH, assert_same_as_plain

from tegotae.compile import kernel
from tegotae.compile.kernels import Kernel
from tegotae.compile.lifting import PLAIN, Lifting

MACHINES = """
import json, math, sys
import numpy as np
import tegotae as tg
from tegotae.compile import backend

T, v = 1e-3, 0.1 * np.sin(0.05 * np.arange(200))


def shipped():
    return tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0)).run(v, period=T).force


def law():
    own = tg.CustomLaw(lambda s: 3.0 + 2.0 * math.tanh(s / 0.05))
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=own)
    live = brake.start(period=T)
    return [brake.run(v, period=T).force, [live.step(x) for x in v]]


def circuit():
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    machine = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake, "spring": tg.SpringDamper(stiffness=10.0)})
    return machine.run(400 * v, period=T).velocity


def own_circuit():
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.CustomLaw(lambda s: 4.0 + s))
    return tg.Circuit(tg.Mass(mass=1.0), {"brake": brake}).run(400 * v, period=T).velocity


def stepper():
    from tegotae.inclusion import Friction, Inclusion

    slider = Inclusion({"p": "v", "v": "(load - coulomb(1.5, v))/m"}, {"m": 1.0}, inputs={"load": 0.0})
    stepped = slider.to_stepper(period=T, friction=Friction(stiffness=1e6, damping=2e3))
    return stepped.run(inputs={"load": 40 * v}).v


answers = {name: np.ravel(globals()[name]()).tolist() for name in sys.argv[1:]}
loaded = "numba" in sys.modules
print(json.dumps([answers, backend.described(), loaded]))
"""
NO_COMPILER = "UserWarning: There is no compiler of C, so loops that do not ship with tegotae "


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "machines.py"
    path.write_text(MACHINES)
    return path


@pytest.fixture(scope="module")
def by_c(program):
    done = run(program, "shipped", "law", "circuit", "own_circuit", "stepper", TEGOTAE_CACHE=program.parent / "c")
    return json.loads(done.stdout)[0]


def assert_same(names, answers, by_c):
    for name in names:
        given, expected = np.array(answers[name]), np.array(by_c[name])
        assert np.abs(expected).max() > 0.01
        if name.endswith("circuit"):  # its sums may be taken in any order
            np.testing.assert_allclose(given, expected, rtol=1e-11, atol=1e-12)
        else:
            assert given.tobytes() == expected.tobytes(), name


@pytest.mark.parametrize("names", [("law", "circuit"), pytest.param(("stepper",), marks=pytest.mark.slow)])
def test_numba_compiles_what_does_not_ship(program, by_c, names):
    done = run_without_compiler(program, *names, numba=True, TEGOTAE_CACHE=program.parent / "numba")
    answers, told, _ = json.loads(done.stdout)
    assert_same(names, answers, by_c)
    assert told.startswith("C, ")
    assert told.endswith(" loops shipped, others by numba: there is no compiler")
    assert done.stderr.count("Warning") == done.stderr.count(NO_COMPILER + "are compiled by numba") == 1
    assert "pip install 'tegotae[compiler]'" in done.stderr


def test_without_numba_it_runs_as_plain_python(program, by_c, tmp_path):
    names = ("law", "own_circuit", "stepper")
    done = run_without_compiler(program, *names, numba=False, TEGOTAE_CACHE=tmp_path / "kernels")
    answers, told, _ = json.loads(done.stdout)
    assert_same(names, answers, by_c)
    assert told.startswith("C, ")
    assert told.endswith(" loops shipped, others as plain Python: there is no compiler")
    assert done.stderr.count("Warning") == done.stderr.count(NO_COMPILER + "run as plain Python") == 1
    assert "numba is not installed" in done.stderr
    assert not (tmp_path / "kernels").exists(), "there is nothing to keep"


SOLVER = """
from tegotae.compile.native import Native
from tegotae.inclusion import Friction, Inclusion
from tegotae.coupling import complementarity
from tegotae.inclusion.implicit.kernels import mobility
from tegotae.running.probe import Probe

slider = Inclusion({"p": "v", "v": "(load - coulomb(1.5, v))/m"}, {"m": 1.0}, inputs={"load": 0.0})
stepped = slider.to_stepper(period=1e-3, friction=Friction(stiffness=1e6, damping=2e3))
stepped.run(inputs={"load": [2.0] * 5})
block = stepped.as_admittance(force="load", velocity="v")
block.run([2.0] * 5, period=1e-3)
Probe(block, 1e-3).answer(2.0)  # as a circuit asks it: with its slope
entries = [complementarity.solver().solve, mobility.linearise, mobility.mobility]
print([type(made) is Native for one in entries for made in one._native._known.values()])
"""


def test_what_all_inclusions_share_ships(tmp_path):
    """Their loops, plain Python, call the solver as C."""
    program = tmp_path / "solver.py"
    program.write_text(SOLVER)
    done = run_without_compiler(program, numba=False, TEGOTAE_CACHE=tmp_path / "kernels")
    assert done.stdout == "[True, True, True]\n"


def test_a_numba_that_cannot_be_loaded_is_none(program, by_c, tmp_path):
    """As one that does not suit the NumPy beside it."""
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 1.0 or less')\n")
    broken = program.with_name("broken.py")
    broken.write_text(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{MACHINES}")
    done = run_without_compiler(broken, "law", numba=True, TEGOTAE_CACHE=tmp_path / "kernels")
    assert_same(["law"], json.loads(done.stdout)[0], by_c)
    assert "numba cannot be loaded (Numba needs NumPy 1.0 or less)" in done.stderr


def test_what_ships_needs_neither(program, by_c, tmp_path):
    done = run_without_compiler(program, "shipped", numba=True, TEGOTAE_CACHE=tmp_path / "kernels")
    answers, _, loaded = json.loads(done.stdout)
    assert_same(["shipped"], answers, by_c)
    assert not loaded, "numba is not even loaded"
    assert not done.stderr
    assert not (tmp_path / "kernels").exists()


# ------------------------------------------------------------ what numba keeps on disk

KEPT = """
from mine import gains
from tegotae.compile import entry, lifting

@entry
def loop(x):
    return gains.gain(x) + gains.OFFSET

print(loop(1.0))
stats = lifting._by_numba()[0](loop).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
GAINS = "from tegotae.compile import kernel\n\nOFFSET = 100.0\n\n@kernel\ndef gain(x):\n    return 10.0 * x\n"


def test_what_numba_compiled_is_found_by_the_next_process_unless_something_was_edited(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "loop.py").write_text(KEPT)

    def answer(gains):
        (folder / "gains.py").write_text(gains)
        # Python's own cache of bytecode goes by seconds and sizes: an edit within a second would not be seen.
        kept = {"TEGOTAE_CACHE": tmp_path / "kernels", "PYTHONDONTWRITEBYTECODE": 1}
        return run_without_compiler(tmp_path / "loop.py", numba=True, **kept).stdout.split()

    assert answer(GAINS) == ["110.0", "0", "1"]
    assert answer(GAINS) == ["110.0", "1", "0"]
    assert answer(GAINS.replace("10.0 *", "20.0 *")) == ["120.0", "0", "1"], "a kernel of another file"
    assert answer(GAINS.replace("100.0", "200.0")) == ["210.0", "0", "1"], "a constant of another file"


# ------------------------------------------------------------ what numba takes, and does not

KERNELS = """
import sys
import numpy as np
from types import SimpleNamespace
from tegotae.compile import entry, kernel

far = SimpleNamespace(gain=2.0)

@entry
def namespace(x):
    return far.gain * x

@entry
def texts(x):
    return x + len(f"{x}")

@kernel
def twice(x):
    return 2.0 * x

@entry
def taken(law, x):
    return law(x)

@entry
def thirds(numbers):
    return numbers[0] / 3.0 + numbers[1]

print(globals()[sys.argv[1]](*eval(sys.argv[2])))
"""


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


def test_what_numba_alone_does_not_take_runs_as_plain_python_and_says_so(kernels):
    done = run_without_compiler(kernels, "namespace", "[1.5]", numba=True, TEGOTAE_CACHE=kernels.parent / "kernels")
    assert done.stdout == "3.0\n"
    assert done.stderr.count("numba does not take the kernel 'namespace', which runs as plain Python") == 1


def test_what_is_outside_the_subset_is_refused_as_everywhere(kernels):
    kept = {"TEGOTAE_CACHE": kernels.parent / "kernels", "fails": True}
    by_numba = run_without_compiler(kernels, "texts", "[1.5]", numba=True, **kept).stderr.splitlines()
    by_c = run(kernels, "texts", "[1.5]", **kept).stderr.splitlines()
    assert by_numba[-2:] == by_c[-2:]
    assert "outside the subset" in by_c[-2]


def test_kernels_can_be_handed_over(kernels):
    done = run_without_compiler(kernels, "taken", "[twice, 1.5]", numba=True, TEGOTAE_CACHE=kernels.parent / "kernels")
    assert done.stdout == "3.0\n"
    assert not list(kernels.parent.glob("kernels/**/*.nbi")), "no other process could find it"


def test_numbers_are_of_64_bits(kernels):
    kept = {"TEGOTAE_CACHE": kernels.parent / "kernels"}
    done = run_without_compiler(kernels, "thirds", "[(np.float32(0.1), np.int8(2))]", numba=True, **kept)
    assert float(done.stdout) == float(np.float32(0.1)) / 3.0 + 2
    done = run_without_compiler(kernels, "thirds", "[(0.1, 2**63)]", numba=True, fails=True, **kept)
    assert "9223372036854775808 handed to a kernel does not fit into 64 bits" in done.stderr


# ------------------------------------------------------------ in one process


@pytest.mark.skipif(not TRANSLATES, reason="kernels are what they are")
def test_plain_functions_give_what_kernels_give():
    for parameter in EACH:
        module, number = parameter.values
        case = module.CASES[number]
        if case.expected is None:
            for given in case.arguments:
                lifted = PLAIN(Kernel(case.function))
                assert_same_as_plain(case.function, lambda *a, lifted=lifted: lifted(*map(PLAIN.value, a)), given, None)


class Pair(NamedTuple):
    first: object
    second: float


def seen_in(function):
    """Everything that a function sees, also inside modules and tuples."""
    found = [*function.__globals__.values(), *(cell.cell_contents for cell in function.__closure__ or ())]
    for value in found:
        if isinstance(value, ModuleType) and value is not math:
            found += [inner for name, inner in vars(value).items() if not name.startswith("__")]
        elif isinstance(value, tuple):
            found += value
    return found


def test_no_kernel_is_left_where_kernels_are_seen():
    @kernel
    def inner(x):
        return math.sin(x)

    home = ModuleType("home")
    home.inner, home.home = inner, home
    pair, both = Pair(inner, 2.0), (inner, 3.0)

    @kernel
    def outer(x):
        return inner(x) + home.inner(x) + pair.first(x) * pair.second + both[0](x) * both[1]

    lifted = Lifting(lambda function, _: function)
    made = lifted(outer)
    assert made(0.5) == math.sin(0.5) + math.sin(0.5) + math.sin(0.5) * 2.0 + math.sin(0.5) * 3.0
    kernels = [value for value in seen_in(made) if hasattr(value, "py_func")]
    assert not kernels
    assert lifted(outer) is made, "made once"
    assert made.__code__ is outer.py_func.__code__


def test_a_kernel_that_is_let_go_is_not_kept():
    @kernel
    def gone(x):
        return x

    PLAIN(gone)
    left = weakref.ref(gone)
    del gone
    gc.collect()
    assert left() is None
