"""What is run from disk is ours: folders and files that others own or may write are not, and damage or want of room
costs a compile, never the run."""

import json
import os
import resource
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from processes import environment_with, run

import tegotae as tg
from tegotae.compile import backend, cache, recording, shipped, shipping, toolchain
from tegotae.errors import FileError

pytestmark = pytest.mark.skipif(backend.name() != "c", reason="other backends keep no libraries")
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
NOBODY = 65534

PROGRAM = """
import numpy as np
from tegotae.compile import entry

@entry
def total(a):
    s = {start}
    for i in range(len(a)):
        s += a[i]
    return s

print(total(np.array([1.0, 2.0, 4.0])))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(start="0.0"))
    return path


@pytest.fixture
def kept(tmp_path, monkeypatch):
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    return folder


# ------------------------------------------------------------ folders


def refused(words):
    with pytest.warns(UserWarning, match=words):
        return cache.folder()


@as_root
def test_a_folder_that_was_given_away(kept):
    os.chown(kept, NOBODY, NOBODY)
    assert refused("kernels belongs to somebody else") != kept


@as_root
@pytest.mark.parametrize("mode", [0o770, 0o2770, 0o1770])
def test_a_folder_that_a_group_may_write(kept, mode):
    os.chown(kept, 0, NOBODY)
    kept.chmod(mode)
    assert refused("kernels can be written by the? ?group") != kept


def test_a_group_that_nobody_knows(kept, monkeypatch):
    kept.chmod(0o770)

    def unknown(_):
        raise KeyError

    monkeypatch.setattr("grp.getgrgid", unknown)
    assert refused(f"can be written by group {kept.stat().st_gid}") != kept


@pytest.mark.parametrize(("members", "fine"), [([], True), (["me"], True), (["me", "guest"], False)])
def test_the_group_of_the_user_alone_may_write(kept, monkeypatch, members, fine):
    from types import SimpleNamespace

    kept.chmod(0o770)
    monkeypatch.setattr("grp.getgrgid", lambda _: SimpleNamespace(gr_name="me", gr_mem=members))
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="me"))
    assert (cache.folder() if fine else refused("by the group me")) == kept or not fine


def test_a_folder_above_it_that_everybody_may_write(kept, monkeypatch):
    """Who may rename what lies above may put another folder in its place."""
    inner = kept / "mine" / "kernels"
    monkeypatch.setenv(cache.VARIABLE, str(inner))
    kept.chmod(0o777)
    assert refused(f"lies in {kept}, which can be written by everybody") != inner
    monkeypatch.setenv(cache.VARIABLE, str(kept / "mine" / "others"))
    kept.chmod(0o1777)  # as /tmp
    assert cache.folder() == kept / "mine" / "others"


@as_root
def test_a_folder_above_it_that_is_somebody_elses(kept, monkeypatch):
    inner = kept / "mine"
    monkeypatch.setenv(cache.VARIABLE, str(inner))
    inner.mkdir(mode=0o700)
    os.chown(kept, NOBODY, NOBODY)
    assert refused(f"lies in {kept}, which belongs to somebody else") != inner


def test_a_link_is_judged_by_where_it_leads(kept, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(kept)
    monkeypatch.setenv(cache.VARIABLE, str(link))
    assert cache.folder() == kept, "it may be turned elsewhere later: what was looked at is used"
    kept.chmod(0o777)
    assert refused("can be written by everybody") != kept


def test_a_link_to_itself(tmp_path, monkeypatch):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "loop" / "kernels"))
    assert refused("cannot be written").is_dir()


def test_without_a_home_no_folder_is_made_where_it_stands(tmp_path, monkeypatch):
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda _: "~/.cache/tegotae")  # so it answers then
    monkeypatch.chdir(tmp_path)
    assert refused("HOME is not set").is_absolute()
    assert not list(tmp_path.iterdir())


def test_folders_are_made_for_the_user_alone_whatever_the_mask_says(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "a" / "b"))
    before = os.umask(0)
    try:
        assert cache.folder() == tmp_path / "a" / "b"
    finally:
        os.umask(before)


def test_threads_that_need_a_folder_of_their_own_share_it(kept):
    kept.chmod(0o777)
    found, together = set(), threading.Barrier(8)

    def ask():
        together.wait()
        found.add(cache.own_folder(kept, "is not ours"))

    def ask_at_once():
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with pytest.warns(UserWarning, match="is not ours") as told:
        ask_at_once()
    assert len(found) == len(told) == 1


def test_a_name_that_a_shell_would_not_take(tmp_path, program):
    name = 'it\'s "a"\nline; $x `y` Größe'
    done = run(program, folder=tmp_path, TEGOTAE_CACHE=name)
    assert (done.stdout, done.stderr) == ("7.0\n", "")
    assert list((tmp_path / name).glob("*.so"))


# ------------------------------------------------------------ files


def planted(kept, program):
    """A library under the name of another, whole and sealed, that answers otherwise."""
    run(program, TEGOTAE_CACHE=kept)
    [library] = kept.glob("*.so")
    own = library.read_bytes()
    program.with_name("other.py").write_text(PROGRAM.format(start="100.0"))
    run(program.with_name("other.py"), TEGOTAE_CACHE=kept)
    [other] = (path for path in kept.glob("*.so") if path != library)
    library.write_bytes(other.read_bytes())
    assert run(program, TEGOTAE_CACHE=kept).stdout == "107.0\n", "it would be run"
    return library, own


def test_a_library_that_others_may_write_is_made_anew(kept, program, tmp_path):
    library, own = planted(kept, program)
    library.chmod(0o666)
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"
    assert library.read_bytes() == own
    elsewhere = library.rename(tmp_path / "elsewhere.so")
    library.symlink_to(elsewhere)
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"
    assert not library.is_symlink()


@as_root
def test_a_library_that_somebody_else_left_is_made_anew(kept, program):
    library, own = planted(kept, program)
    os.chown(library, NOBODY, NOBODY)
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"
    assert library.read_bytes() == own
    assert library.stat().st_uid == 0


def test_libraries_are_written_by_their_owner_alone(kept, program):
    run("-c", f"import os, runpy; os.umask(0); runpy.run_path({str(program)!r})", TEGOTAE_CACHE=kept)
    [library] = kept.glob("*.so")
    assert cache.is_ours(library)
    assert library.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("content", [b"", b"\xff\0 no text", b"raise SystemExit('run from the folder')"])
def test_the_text_beside_a_library_is_only_to_read(kept, program, content):
    run(program, TEGOTAE_CACHE=kept)
    [text] = kept.glob("*.c")
    text.write_bytes(content)
    assert run(program, TEGOTAE_CACHE=kept).stdout == "7.0\n"


NUMBA = """
import tegotae as tg
from tegotae.compile import lifting
from tegotae.compile.telling import told_of_compiling
from tegotae.running.source import module_of
brake, told = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)), []
with told_of_compiling(told.append):
    force = brake.start(period=1e-3).step(0.1)
hits = sum(lifting._by_numba()[0](module_of(brake).step).stats.cache_hits.values())
assert told == ([] if hits else [True, False] * (len(told) // 2 or 1)), told  # its workspace has a loop of its own
print(force, hits)
"""


@pytest.mark.slow
def test_what_numba_keeps_is_sealed_and_made_anew(kept):
    def answer():
        return run("-c", NUMBA, TEGOTAE_CACHE=kept, TEGOTAE_BACKEND="numba").stdout.split()

    force, hits = answer()
    assert (hits, answer()) == ("0", [force, "1"])
    files = [*kept.glob("step-*.py"), *kept.glob("__pycache__/step-*")]
    assert {path.suffix for path in files} == {".py", ".nbi", ".nbc"}
    damages = {".py": b"\xff" * 100, ".nbi": b"", ".nbc": next(kept.glob("**/*.nbc")).read_bytes()[:-1]}
    for path in files:
        path.write_bytes(damages[path.suffix])
        assert answer() == [force, "1" if path.suffix == ".py" else "0"]  # the text is put back as it was
    assert answer() == [force, "1"]


# ------------------------------------------------------------ what ships


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    with recording.recorded() as calls:
        brake.run(np.full(2, 0.1), period=1e-3)
    shipping.make(calls, folder, print)
    return folder


SHIPPED = """
import sys
from pathlib import Path
import numpy as np, tegotae as tg
from tegotae.compile import shipped
shipped.folders = lambda: (Path(sys.argv[1]),)
brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
print(brake.run(np.full(100, 0.1), period=1e-3).force[-1], shipped.count())
"""
WRONG = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"machine": 3, "entries": {}}',
    json.dumps({"machine": shipped.machine(), "entries": {"key": "symbol"}}).encode(),
    json.dumps({"machine": shipped.machine(), "entries": ["key"]}).encode(),
]


@pytest.mark.parametrize("content", WRONG)
def test_a_damaged_list_of_what_ships_is_told_and_left_alone(tmp_path, monkeypatch, content):
    (tmp_path / shipped.MANIFEST).write_bytes(content)
    monkeypatch.setattr(shipped, "folders", lambda: (tmp_path,))
    monkeypatch.setattr(shipped, "_left", set())
    shipped._manifests.cache_clear()
    try:
        with pytest.warns(UserWarning, match=r"manifest.json cannot be used .*Install tegotae again"):
            assert shipped.count() == 0
    finally:
        monkeypatch.undo()
        shipped._manifests.cache_clear()


@pytest.mark.parametrize("damage", [lambda whole: b"", lambda whole: whole[:5000], lambda whole: whole[:-1]])
def test_a_damaged_library_that_ships_is_told_and_compiled_anew(tmp_path, kept, small, damage):
    """Loaded, a part of it would end the process."""
    folder = tmp_path / "library"
    shutil.copytree(small, folder)
    for library in folder.glob("*.so"):
        library.write_bytes(damage(library.read_bytes()))
    done = run("-c", SHIPPED, folder, TEGOTAE_CACHE=kept)
    assert done.stdout == "-4.0 1\n"
    assert done.stderr.count("cannot be used (it is not as it was made)") == 1
    assert list(kept.glob("loop-*.so"))


def test_a_library_that_is_being_made_anew_answers_no_old_list(tmp_path, kept, small):
    """Libraries come one by one and their list last: until then, or for ever if that was cut off, they do not match."""
    folder = tmp_path / "library"
    slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
    with recording.recorded() as calls:
        slider.run(np.full(2, 0.1), period=1e-3)
    shipping.make(calls, folder, print)
    shutil.copy(small / shipped.MANIFEST, folder)
    done = run("-c", SHIPPED, folder, TEGOTAE_CACHE=kept)
    assert done.stdout == "-4.0 1\n"
    assert done.stderr.count("cannot be used") == 1


# ------------------------------------------------------------ no room


def test_a_full_disk_costs_a_compile_and_not_the_run(tmp_path, kept, program):
    """The compiler finds no room in the folder; elsewhere there is."""
    compiler = tmp_path / "no-room-cc"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *"{kept}"*) echo "error: $LC_ALL: No space left on device" >&2; exit 1;; esac\n'
        f'exec {toolchain.find().command[0]} "$@"\n'
    )
    compiler.chmod(0o755)
    done = run(program, TEGOTAE_CACHE=kept, TEGOTAE_CC=compiler, LC_ALL="C.UTF-8")
    assert done.stdout == "7.0\n"
    assert f"{kept} cannot be written ([Errno 28] No space left on device: '{kept}/total-" in done.stderr
    assert "Set TEGOTAE_CACHE" in done.stderr
    assert not [path for path in kept.iterdir() if path.suffix != ".c"]


def test_a_text_for_which_there_is_no_room_is_named(kept, monkeypatch):
    def full(path, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/kernels/text.c'"):
        cache.write(kept / "text.c", "text")
    with (
        pytest.warns(UserWarning, match=r"kernels cannot be written .*text.c"),
        pytest.raises(FileError, match=r"Cannot write compiled kernels to .*text.c[^$]*Set TEGOTAE_CACHE"),
    ):
        cache.written(lambda folder: cache.write(folder / "text.c", "text"))
    with pytest.raises(FileError, match="Set TEGOTAE_CACHE"):
        cache.written(lambda folder: cache.write(folder / "text.c", "text"))


def test_without_room_anywhere_it_names_the_file_and_the_way_out(kept, program):
    """No file may be longer than 8 kB: the C fits, the library does not."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
        env=environment_with(TEGOTAE_CACHE=kept, PYTHONDONTWRITEBYTECODE=1),
        preexec_fn=limit,
    )
    assert done.returncode == 1
    assert "FileError: Cannot write compiled kernels to" in done.stderr
    assert "total-" in done.stderr
    assert done.stderr.rstrip().endswith("Set TEGOTAE_CACHE to a folder with room.")
    assert not list(kept.glob("building-*"))


# ------------------------------------------------------------ at once

THREADS = """
import threading
import numpy as np, tegotae as tg

blocks = [tg.FrictionImpedance(stiffness=6e3, damping=10.0, law=tg.CustomLaw(lambda s: 3.0 + s)) for _ in range(4)]
answers, together = [None] * 8, threading.Barrier(8)

def call(place):
    together.wait()
    block = blocks[place % 4]
    answers[place] = block.start(period=1e-3).step(0.1), float(block.run(np.full(9, 0.1), period=1e-3).force[-1])

threads = [threading.Thread(target=call, args=[place]) for place in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(set(answers)), answers[0][0])
"""


def test_eight_threads_of_several_processes_may_use_a_new_block_at_once(kept):
    command = [sys.executable, "-c", THREADS]
    environment = environment_with(TEGOTAE_CACHE=kept)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [subprocess.Popen(command, text=True, env=environment, **pipes) for _ in range(3)]
    assert [process.communicate() for process in started] == [("1 -1.6\n", "")] * 3
    assert {path.suffix for path in kept.iterdir()} == {".c", ".so"}
