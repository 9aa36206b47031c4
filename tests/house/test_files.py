"""What we write is whole or not there, goes where a link points, and never takes the place of something else."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import tegotae as tg
from tegotae.checks import written_whole


def write(path, text="new"):
    with written_whole(path) as beside:
        beside.write_text(text)


def fail(path, error):
    with written_whole(path) as beside:
        beside.write_text("half")
        raise error


def test_a_file_is_written_and_nothing_is_left_beside(tmp_path):
    write(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failure_leaves_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(KeyError):
        fail(tmp_path / "a.txt", KeyError())
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real = tmp_path / "elsewhere" / "real.txt"
    real.write_text("old")
    (tmp_path / "link.txt").symlink_to(real)
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "elsewhere" / "fresh.txt")
    write(tmp_path / "link.txt")
    write(tmp_path / "dangling.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert real.read_text() == "new"
    assert (tmp_path / "elsewhere" / "fresh.txt").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "elsewhere")) == ["fresh.txt", "real.txt"]


def test_the_mode_of_a_file_is_kept(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.txt").chmod(0o640)
    write(tmp_path / "a.txt")
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_a_pipe_is_refused_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(tg.FileError, match="a pipe or a socket"):
            write(tmp_path / name)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("x" * 300, "Cannot write .*: .*long"),
        ("a\0b", "null|NUL"),
        ("nowhere/a.txt", "does not exist"),
        ("file/a.txt", "does not exist"),
        ("loop", "Cannot write"),
        (".", "is a folder"),
    ],
    ids=["long", "nul", "no folder", "file as folder", "loop", "folder"],
)
def test_what_cannot_be_a_file_is_refused_with_a_way_out(tmp_path, name, says):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(tg.FileError, match=says) as caught:
        write(f"{tmp_path}/{name}")
    assert "\n  " in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


def test_the_longest_name_there_is_can_be_written(tmp_path):
    write(tmp_path / ("x" * 255))
    assert os.listdir(tmp_path) == ["x" * 255]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_folder_that_is_read_only_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(tg.FileError, match="read-only"):
            write(tmp_path / "a.txt")
    finally:
        tmp_path.chmod(0o700)


def test_an_error_of_the_disk_is_ours_and_leaves_nothing(tmp_path):
    with pytest.raises(tg.FileError, match="No space left"):
        fail(tmp_path / "a.txt", OSError(28, "No space left on device"))
    assert os.listdir(tmp_path) == []


PROGRAM = """
import os, stat, warnings
from tegotae.compile import cache
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    folders = {str(cache.folder()) for _ in range(3)}
(folder,) = folders
mode = os.stat(folder)
print(len(told), oct(stat.S_IMODE(mode.st_mode)), mode.st_uid == os.getuid(), folder)
"""


def test_without_a_cache_kernels_go_to_a_folder_of_the_process_alone(tmp_path):
    """Code is loaded from there: no folder that another user could have prepared is taken."""
    (tmp_path / "file").write_text("")
    environment = os.environ | {"TEGOTAE_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    planted = tmp_path / f"tegotae-{os.getuid()}"
    planted.mkdir(mode=0o777)
    answers = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    ]
    folders = set()
    for answer in answers:
        warned, mode, own, folder = answer.stdout.split()
        assert (warned, mode, own) == ("1", "0o700", "True")
        assert Path(folder) != planted
        assert not Path(folder).exists(), "it goes with its process"
        folders.add(folder)
    assert len(folders) == 2
