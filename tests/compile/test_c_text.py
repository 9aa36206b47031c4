"""What a kernel becomes: C99 that any compiler takes without a word, the same text every time, under readable names."""

import importlib.util
import keyword
import re
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from compiled_together import TRANSLATES, entries_of
from processes import run
from test_subset import MODULES

from tegotae.compile import (
    c_source,
    entry_long,
    kernel,
    kernel_exact,
    kernel_rare,
    kernel_sums,
    kernel_sums_long,
    kernel_sums_long_inside,
    shipped,
    toolchain,
)
from tegotae.compile.translate.helpers import HELPERS, PRELUDE, RESERVED, plain
from tegotae.compile.translate.program import EntryPoint

pytestmark = pytest.mark.skipif(not TRANSLATES, reason="nothing is translated")

STRICTLY = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def assert_clean(text, *more):
    """A compiler reads it to the end, and has nothing to say."""
    command = [*toolchain.find().command, *STRICTLY, *more, "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


class Spring(NamedTuple):
    stiffness: float
    lengths: np.ndarray


@kernel
def pull(spring, x):
    """Force of a spring, never a push."""
    stretch = x - spring.lengths[0]
    if stretch < 0.0:
        return 0.0
    return -spring.stiffness * stretch


PULL = """/* Force of a spring, never a push. */
static inline double k_pull(const Spring_record *spring, double x)
{
    const double stretch = x - spring->lengths.p[0];
    if (stretch < 0.0) {
        return 0.0;
    }
    return -spring->stiffness * stretch;
}"""


def test_a_kernel_reads_as_it_was_written():
    text = c_source(pull, Spring(1.0, np.zeros(1)), 0.0)
    assert re.sub(r"[()]", "", PULL) in re.sub(r"[()]", "", text), text
    assert_clean(text, "-Wshadow", "-Wconversion")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.removeprefix("cases_"))
def test_all_of_the_subset_is_clean(module):
    program, found = entries_of([(case.function, given) for case in module.CASES for given in case.arguments])
    entries = list(dict.fromkeys(entry for entry in found if isinstance(entry, EntryPoint)))
    for text in program.units(entries).values():
        assert_clean(text)


# ------------------------------------------------------------ helpers


@kernel
def uses_indices(a, i):
    return a[i] + a[i:][0]


@kernel
def uses_spans(a, i, j):
    return len(a[i:j])


@kernel
def uses_whole_numbers(i, j):
    return i // j + i % j + (i << j) + (i >> j)


@kernel
def uses_real_numbers(x, y, i):
    return x // y + x % y + x**i + int(x)


@kernel
def uses_copies(a, b):
    a[:, 0] = b[:, 1]
    a[0, :] = b[:, 0]


USES = [
    (uses_indices, (np.zeros(2), 1)),
    (uses_spans, (np.zeros(2), 1, 2)),
    (uses_whole_numbers, (1, 2)),
    (uses_real_numbers, (1.0, 2.0, 3)),
    (uses_copies, (np.zeros((2, 2)), np.zeros((2, 2)))),
    (uses_copies, (np.zeros((2, 2), np.int64), np.zeros((2, 2)))),
    (uses_copies, (np.zeros((2, 2), np.bool_), np.zeros((2, 2), np.int64))),
]


def test_each_helper_is_printed_where_it_is_called_and_clean():
    printed = set()
    for function, given in USES:
        text = c_source(function, *given)
        assert_clean(text, "-Wshadow")
        here = {name for name in HELPERS if re.search(rf"\b{name}\(", text)}
        printed |= here
        assert {name for name in HELPERS if HELPERS[name] in text} == here, "no more than are called"
    assert printed == set(HELPERS)


def test_all_helpers_are_clean_at_once():
    assert_clean("\n".join([PRELUDE, *HELPERS.values()]), "-Wshadow", "-Wconversion")


@kernel_sums
def added(a):
    s = 0.0
    for x in a:
        s += x
    return s


@kernel_sums_long
def added_in_wide_registers(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] / b[i]
    return s


def test_a_long_loop_asks_for_wide_registers_of_a_compiler_that_has_them():
    given = np.linspace(1.0, 2.0, 1003), np.linspace(3.0, 4.0, 1003)
    text = c_source(added_in_wide_registers, *given)
    assert "\nLONG double k_added_in_wide_registers(" in text
    for variant in shipped.variants():
        assert_clean(text, *variant.flags)
    # A sum of as many numbers, in whatever order: so many roundings at most.
    assert added_in_wide_registers(*given) == pytest.approx((given[0] / given[1]).sum(), rel=1003 * 2.3e-16)


@kernel_sums_long_inside
def scaled(a, b):
    return 2.0 * added(a) / b


@entry_long
def added_in_a_wide_loop(a, b, times):
    s = 0.0
    for _ in range(times):
        s += scaled(a, b)
    return s


def test_a_loop_over_what_is_long_takes_wide_registers_as_a_whole():
    given = np.linspace(1.0, 2.0, 1003), 3.0, 4
    text = c_source(added_in_a_wide_loop, *given)
    assert "\nLONG double k_added_in_a_wide_loop(" in text
    assert "\nINSIDE double k_scaled(" in text
    for variant in shipped.variants():
        assert_clean(text, *variant.flags)
    assert added_in_a_wide_loop(*given) == pytest.approx(8.0 / 3.0 * given[0].sum(), rel=1003 * 2.3e-16)


@kernel_rare
def hardly_ever(x):
    return 2.0 * x


@kernel
def nearly_always(x):
    return x if x >= 0.0 else hardly_ever(x)


def test_what_is_hardly_ever_called_stays_apart_from_its_caller():
    text = c_source(nearly_always, -1.5)
    assert "\nRARE double k_hardly_ever(" in text
    assert_clean(text)
    assert nearly_always(-1.5) == -3.0


@kernel_exact
def as_written(a):
    return (a[0] + a[1]) + a[2]


@kernel
def both_ways(a):
    return added(a) / as_written(a)


def test_one_free_sum_frees_all_but_exact_ones():
    program, [entry] = entries_of([(mean.py_func, (np.zeros(3),))])
    assert list(program.units([entry])) == ["free"]


@kernel
def mean(a):
    return added(a) / len(a)


def test_each_unit_of_two_is_clean():
    program, [entry] = entries_of([(both_ways.py_func, (np.zeros(3),))])
    units = program.units([entry])
    assert list(units) == ["strict", "free"]
    for text in units.values():
        assert_clean(text)


# ------------------------------------------------------------ names

FREE = sorted(name for name in RESERVED if name.isidentifier() and not keyword.iskeyword(name))
# Names that the translator gives itself.
OURS = """r1_ r2_ a r p f i s0 n0 v f0 arg0 result word reals1 wholes2 truths1_strided tuple2_real k_f k1_f table_1
copy_reals1_to_reals1 tegotae_entry tegotae_entry_result x_in x_in_ int_ int__ f_2 Pair_record uint8_t u3b8"""
OURS = re.findall(r"\w+", OURS)


def module_of(path, text):
    """A module of a text, from a file: kernels need theirs."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("names", [FREE, OURS], ids=["of C", "of the translator"])
def test_taken_names_are_names_like_any_other(tmp_path, names):
    lines = ["from typing import NamedTuple", "from tegotae.compile import kernel"]
    lines += ["class Fields(NamedTuple):", *(f"    {name}: float" for name in names)]
    for name in names:
        lines += ["@kernel", f"def {name}(x):", "    return x + 1.0"]
    lines += ["@kernel", "def locals_of(x):", *(f"    {name} = x + {i}.0" for i, name in enumerate(names))]
    lines += ["    return " + " + ".join(names)]
    lines += ["@kernel", f"def arguments_of({', '.join(names)}):", "    return " + " + ".join(names)]
    lines += ["@kernel", "def fields_of(record):", "    return " + " + ".join(f"record.{name}" for name in names)]
    lines += ["@kernel", "def calls_of(x):", "    return " + " + ".join(f"{name}(x)" for name in names)]
    module = module_of(tmp_path / "taken.py", "\n".join(lines) + "\n")
    count = float(len(names))
    inside = count * (count - 1.0) / 2.0
    assert module.locals_of(2.0) == 2.0 * count + inside
    assert module.arguments_of(*map(float, range(len(names)))) == inside
    assert module.fields_of(module.Fields(*map(float, range(len(names))))) == inside
    assert module.calls_of(2.0) == 3.0 * count
    assert_clean(c_source(module.locals_of, 1.0))


def test_no_two_names_become_one():
    names = [name + tail for name in [*FREE, *OURS] for tail in ("", "_", "__", "_v")]
    assert len({plain(name) for name in names}) == len(set(names))
    assert plain("stiffness") == "stiffness"


@kernel
def widened(x, x_in):
    if x_in > 0.0:
        x = 0.5
    return x + x_in


@kernel
def f(x):
    return x + 1


@kernel
def f_2(x):
    return x + 2


@kernel
def calls_three(x):
    return f(x) + f(1) + f_2(x)


@kernel
def first_way(t):
    return t[0] + t[1][0] + t[1][1] + t[1][2]


@kernel
def other_way(t):
    return t[0] + t[1][0] + t[1][1] + t[2]


@kernel
def two_tuples_of_one_spelling(x, i):
    return first_way((x, (i, x, x))) - other_way((x, (i, x), x))


@kernel
def does_not_use_it(p, a):
    """Its argument bears the name of a field."""
    return a[0]


class Empty(NamedTuple):
    pass


@kernel
def makes_an_empty_record(x):
    empty = Empty()
    return takes_it(empty, x)


@kernel
def takes_it(empty, x):
    return x + 1.0


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (widened, (1, 2.0)),
        (widened, (1, -2.0)),
        (calls_three, (1.0,)),
        (two_tuples_of_one_spelling, (0.5, 3)),
        (makes_an_empty_record, (1.0,)),
        (does_not_use_it, (1.0, np.ones(1))),
    ],
)
def test_names_that_the_translator_makes_do_not_meet(function, given):
    assert function(*given) == function.py_func(*given)
    assert_clean(c_source(function, *given))


# ------------------------------------------------------------ the same text every time

MACHINE = """
import sys
import numpy as np, tegotae as tg
from tegotae.compile import shipped
shipped.find = lambda key: None  # the loops of the package are compiled as well

law = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1)
brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, mass=0.1)
own = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.CustomLaw(lambda s: 3.0 + s))
stack = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0])
machine = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake, "own": own, "stack": stack})
machine.run(np.full(3, 40.0), period=1e-3)
"""


def test_the_text_is_the_same_in_every_process(tmp_path):
    """Names and text: else one process would not find what another compiled."""
    (tmp_path / "machine.py").write_text(MACHINE)
    strictly = " ".join([*toolchain.find().command, *STRICTLY])
    texts = []
    for seed in (0, 1, 2):
        kept = tmp_path / f"kernels{seed}"
        run(tmp_path / "machine.py", TEGOTAE_CACHE=kept, TEGOTAE_CC=strictly, PYTHONHASHSEED=seed)
        texts.append({path.name: path.read_text() for path in kept.glob("*.c")})
    assert texts[0]
    assert texts[0] == texts[1] == texts[2]


def test_the_text_tells_where_it_is_from():
    text = c_source(calls_three, 1.0)
    assert "Made by tegotae from Python kernels" in text
    assert "/* calls_three */" in text
    assert sys.executable not in text
    assert __file__ not in text, "what is shipped must not name the folders of whoever made it"
