"""Compiled kernels are kept between processes: found again, never half written, never taken from strangers."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from processes import Compiler, environment_with, run

from tegotae.compile import cache, toolchain
from tegotae.errors import FileError

PROGRAM = """
import numpy as np
from tegotae.compile import entry

@entry
def total(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s

print(total(np.array([1.0, 2.0, 4.0])))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def kept(tmp_path):
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    return folder


def files(folder):
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir()}


def assert_one_library(folder):
    assert [path.suffix for path in sorted(folder.iterdir())] == [".so", ".c"], "nothing else is left"
    assert cache.is_whole(next(folder.glob("*.so")))


def test_a_second_process_loads_what_the_first_compiled(tmp_path, program, kept):
    compiler = Compiler(tmp_path)
    assert run(program, TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path).stdout == "7.0\n"
    before, asked = files(kept), compiler.asked
    assert len(asked) == 2, "one unit, and a library of it"
    assert_one_library(kept)
    assert run(program, TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path).stdout == "7.0\n"
    assert (files(kept), compiler.asked) == (before, asked)


def test_another_compiler_or_other_flags_make_another_library(tmp_path, program, kept):
    compiler = Compiler(tmp_path)
    for number, command in enumerate((toolchain.find().command[0], compiler.path, f"{compiler.path} -DMORE"), 1):
        assert run(program, TEGOTAE_CACHE=kept, TEGOTAE_CC=command).stdout == "7.0\n"
        assert len(list(kept.glob("*.so"))) == number


def test_plain_python_compiles_nothing(program, kept):
    assert run(program, TEGOTAE_CACHE=kept, TEGOTAE_BACKEND="python", TEGOTAE_CC="false").stdout == "7.0\n"
    assert not list(kept.iterdir())


@pytest.mark.parametrize("name", ["kernels", "with spaces", "Größe", "."])
def test_any_folder_will_do_also_by_a_relative_name(tmp_path, program, name):
    done = run(program, folder=tmp_path, TEGOTAE_CACHE=name)
    assert (done.stdout, done.stderr) == ("7.0\n", "")
    assert list((tmp_path / name).glob("*.so"))


def a_file(folder, monkeypatch):
    folder.rmdir()
    folder.write_text("")


def inside_a_file(folder, monkeypatch):
    a_file(folder, monkeypatch)
    monkeypatch.setenv(cache.VARIABLE, str(folder / "inside"))


def locked(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # the tests may run as root


def of_somebody_else(folder, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)


def open_to_all(folder, monkeypatch):
    folder.chmod(0o777)


TROUBLES = [
    (a_file, "cannot be written"),
    (inside_a_file, "cannot be written"),
    (locked, "cannot be written"),
    (of_somebody_else, "belongs to somebody else"),
    (open_to_all, "can be written by everybody"),
]


@pytest.mark.parametrize(("spoil", "words"), TROUBLES, ids=lambda part: getattr(part, "__name__", ""))
def test_code_is_not_loaded_from_a_folder_that_is_not_ours_alone(kept, monkeypatch, spoil, words):
    monkeypatch.setenv(cache.VARIABLE, str(kept))
    assert cache.folder() == kept
    spoil(kept, monkeypatch)
    with pytest.warns(UserWarning, match=f"{words}.*Set TEGOTAE_CACHE to a folder of your own") as told:
        own = cache.folder()
    assert str(kept) in str(told[0].message)
    assert own != kept
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert cache.folder() == own, "told once"


def test_without_any_folder_it_says_so(kept, monkeypatch):
    def full(**_):
        raise OSError("no space left")

    monkeypatch.setenv(cache.VARIABLE, str(kept))
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    open_to_all(kept, monkeypatch)
    with pytest.raises(FileError, match=r"no space left[^$]*Set TEGOTAE_CACHE"):
        cache.folder()


def test_a_folder_of_the_process_alone_goes_with_it(tmp_path, program):
    away = tmp_path / "temporary"
    away.mkdir()
    (tmp_path / "file").write_text("")
    done = run(program, TEGOTAE_CACHE=tmp_path / "file", TMPDIR=away)
    assert done.stdout == "7.0\n"
    assert "compiled anew in this process" in done.stderr
    assert not list(away.iterdir())


def half(content):
    return content[: len(content) // 2]


def without_its_end(content):
    return content[:-1]


def without_its_middle(content):
    return content[:4096] + bytes(len(content) - 8192) + content[-4096:]


def nothing(content):
    return b""


def garbage(content):
    return b"no library at all\n" * 1000


def head_alone(content):
    return content[:64]


@pytest.mark.parametrize("damage", [nothing, head_alone, half, without_its_end, without_its_middle, garbage])
def test_a_damaged_library_is_made_anew(program, kept, damage):
    """A library of which a part is missing would end the process where the system loads it."""
    run(program, TEGOTAE_CACHE=kept)
    [library] = kept.glob("*.so")
    whole = library.read_bytes()
    library.write_bytes(damage(whole))
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"
    assert library.stat().st_size == len(whole)
    assert_one_library(kept)


def test_processes_that_compile_the_same_at_once_all_answer(program, kept):
    command = [sys.executable, str(program)]
    environment = environment_with(TEGOTAE_CACHE=kept)
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    assert [process.communicate()[0] for process in started] == ["7.0\n"] * 4
    assert_one_library(kept)


THREADS = """
import sys, threading
from tegotae.compile import entry, entry_free

def make(more, kind):
    @kind
    def plus(x):
        return x + more
    return plus

one, shared = make(1.0, entry), make(2.0, entry_free)
twins = [make(3.0, entry) for _ in range(4)]  # other objects, the same library
work = [one] * 4 + [shared] * 4 + twins
answers, together = [0.0] * len(work), threading.Barrier(len(work))

def call(place):
    together.wait()
    answers[place] = work[place](10.0)

threads = [threading.Thread(target=call, args=[place]) for place in range(len(work))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(answers == [11.0] * 4 + [12.0] * 4 + [13.0] * 4)
"""


def test_threads_that_compile_the_same_at_once_all_answer(tmp_path, kept):
    (tmp_path / "threads.py").write_text(THREADS)
    compiler = Compiler(tmp_path)
    done = run(tmp_path / "threads.py", TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path)
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert len(list(kept.glob("*.so"))) == 3
    assert not [path for path in kept.iterdir() if path.suffix not in (".so", ".c")]
    assert len(compiler.asked) == 2 * 3, "the others waited for the one that compiled"


@pytest.mark.parametrize("moment", [" -c ", "-shared"])
def test_a_process_killed_while_it_compiles_leaves_nothing_that_is_loaded(tmp_path, program, kept, moment):
    compiler = Compiler(tmp_path)
    compiler.wait_at(moment)
    environment = environment_with(TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path)
    killed = subprocess.Popen([sys.executable, str(program)], env=environment, start_new_session=True)
    while "waiting" not in compiler.asked:
        assert killed.poll() is None
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not list(kept.glob("*.so"))
    assert len(list(kept.glob("building-*"))) == 1
    compiler.wait_at(None)
    assert run(program, TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path).stdout == "7.0\n"
    assert cache.is_whole(next(kept.glob("*.so")))
    assert len(list(kept.glob("building-*"))) == 1, "it may still be somebody's: only old ones are cleared"


def test_what_killed_processes_left_is_cleared_after_a_while(program, kept):
    for name in ("building-old", "building-new"):
        (kept / name).mkdir()
        (kept / name / "unit.c").write_text("")
    for name in ("old.c.1.part", "new.c.2.part"):
        (kept / name).write_text("")
    (kept / "building-gone").symlink_to(kept / "nowhere")  # seen in the folder, and gone when it is looked at
    for old in ("building-old", "old.c.1.part"):
        os.utime(kept / old, (0.0, time.time() - 7200.0))
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"
    left = {path.name for path in kept.iterdir() if path.suffix not in (".so", ".c")}
    assert left == {"building-new", "new.c.2.part", "building-gone"}


def test_a_text_that_cannot_be_written_leaves_no_part(kept, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        cache.write(kept / "text.c", "text")
    assert not list(kept.iterdir())


LIVE = """
import sys
import tegotae as tg
from pathlib import Path

law = tg.CustomLaw(lambda s: 3.0 + s)
live = tg.FrictionImpedance(stiffness=6000.0, law=law, mass=0.01).start(period=1e-3)
asked = Path(sys.argv[1]).read_text()
live.step(0.1)
print(Path(sys.argv[1]).read_text() == asked)
"""


def test_starting_compiles_and_the_first_tick_does_not(tmp_path, kept):
    (tmp_path / "live.py").write_text(LIVE)
    compiler = Compiler(tmp_path)
    done = run(tmp_path / "live.py", tmp_path / "asked", TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler.path)
    assert done.stdout == "True\n"


NUMBA = """
import tegotae as tg
from tegotae.compile import lifting
from tegotae.running.source import module_of
brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
live = brake.start(period=1e-3)
step = lifting._by_numba()[0](module_of(brake).step)
print(sum(step.stats.cache_hits.values()), sum(step.stats.cache_misses.values()), len(step.signatures))
live.step(0.1)
print(len(step.signatures))
"""


@pytest.mark.slow
def test_numba_keeps_what_it_compiled_too(kept):
    def numbers():
        done = run("-c", NUMBA, TEGOTAE_CACHE=kept, TEGOTAE_BACKEND="numba")
        return [int(word) for word in done.stdout.split()]

    assert numbers() == [0, 1, 1, 1], "start compiled it, the first tick did not"
    before = {path: path.stat().st_mtime_ns for path in kept.glob("*.py")}
    assert numbers()[:2] == [1, 0]
    assert {path: path.stat().st_mtime_ns for path in kept.glob("*.py")} == before
    assert not list(Path(kept).glob("*.part"))
