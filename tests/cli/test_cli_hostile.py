"""Whatever is handed to a command, it ends with words: files that are no TOML, settings that are none, any terminal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tegotae.cli import main
from tegotae.hybrid.settings import LinkSettings, Settings, read_settings

SCENARIOS = ("friction", "inclusion", "rod", "steering", "two-robots")
NO_TOML = {
    "deep lists": b"a = " + b"[" * 50_000 + b"]" * 50_000,
    "deep tables": b"a = " + b"{a=" * 3000 + b"1" + b"}" * 3000,
    "a long name": b".".join([b"a"] * 3000) + b" = 1",
    "thousands of digits": b"duration = " + b"9" * 6000,
    "thousands of hexadecimal digits": b"duration = 0x" + b"f" * 6000,
    "binary": bytes(range(256)),
    "UTF-16": "duration = 1.0".encode("utf-16"),
    "NUL": b"duration = \x00",
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEGOTAE_DEBUG", raising=False)


def refused(capsys, *arguments):
    """What it says; it ends with 2."""
    code = main(list(arguments))
    said = capsys.readouterr().err
    assert code == 2, said
    assert said.startswith(("tegotae: ", "Usage: ")), said
    assert "a defect of this program" not in said
    return said


def every_reader(file):
    for scenario in SCENARIOS:
        yield ["run", scenario, "--show", "--config", file]
    for node in ("run", "dynamics", "table", "device", "view", "stop", "rearm", "show", "report", "replay"):
        yield ["hybrid", node, file]
    yield ["hybrid", "log", file, "--out", "x.mcap"]
    yield ["fit", file]


@pytest.mark.parametrize("name", NO_TOML)
def test_what_is_no_toml_is_refused_by_every_command(name, capsys):
    Path("bad.toml").write_bytes(NO_TOML[name])
    every = list(every_reader("bad.toml"))  # all read by one function: for most a few of them will do
    for arguments in every if name == "binary" else every[::5]:
        assert "bad.toml" in refused(capsys, *arguments)
    assert os.listdir() == ["bad.toml"]


def test_folders_missing_files_and_endless_devices_are_refused_by_every_command(capsys):
    os.mkdir("folder")
    for file in ("folder", "missing.toml", "a\udcffb.toml", "x" * 5000):
        every = list(every_reader(file))
        for arguments in every if file == "missing.toml" else every[::4]:
            refused(capsys, *arguments)
    for arguments in (["run", "friction", "--config", "/dev/zero"], ["hybrid", "show", "/dev/zero"]):
        assert "more than 16777216 bytes" in refused(capsys, *arguments)


def test_a_mark_at_the_beginning_of_a_text_is_no_part_of_it(capsys):
    Path("marked.toml").write_bytes(b"\xef\xbb\xbfduration = 7.0\n")
    assert read_settings("marked.toml").duration == 7.0
    assert main(["run", "friction", "--show", "--config", "marked.toml"]) == 0


NO_SETTINGS = [
    "nothing", "=5", "a", "a=", "nope=1", "a.b.c=1", "=", "..=1", "duration=" + "9" * 6000, "duration=0x" + "f" * 6000,
    "duration=" + "[" * 50_000 + "]" * 50_000, ".".join("a" * 3000) + "=1", "a\nb=1", "duration='x'", "duration=true",
    "duration=2020-01-01", "duration=[1]", "duration={a=1}", "duration=\udcff",
]  # fmt: skip


@pytest.mark.parametrize("change", NO_SETTINGS, ids=range(len(NO_SETTINGS)))
def test_changes_that_mean_nothing_are_refused(change, capsys):
    refused(capsys, "run", SCENARIOS[len(change) % 5], "--show", "--set", change)
    refused(capsys, "hybrid", "show", "--set", change)


@pytest.mark.parametrize("place", ["nowhere/x.nc", ".", "", "x" * 5000 + ".nc", "a\0b.nc", "/dev/full"])
def test_places_that_cannot_be_written_are_refused_before_the_work(place, capsys):
    Path("lab.toml").write_text("clock = 'virtual'\n")
    for option in ("--out", "--json", "--plot"):
        refused(capsys, "run", "friction", option, place)
    refused(capsys, "hybrid", "run", "lab.toml", "--out", place)
    refused(capsys, "hybrid", "key", place)
    assert os.listdir() == ["lab.toml"]


ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def in_ascii(*arguments):
    environment = {name: value for name, value in os.environ.items() if name != "TEGOTAE_DEBUG"} | ASCII
    return subprocess.run([sys.executable, "-m", "tegotae", *arguments], capture_output=True, env=environment)


def test_a_terminal_of_ascii_letters_shows_settings_that_are_read_back():
    settings = Settings(link=LinkSettings(key="手応え/µ·😀"))
    Path("lab.toml").write_text(settings.toml(), encoding="utf-8")
    done = in_ascii("hybrid", "show", "lab.toml")
    assert (done.returncode, done.stderr) == (0, b"")
    Path("again.toml").write_text(done.stdout.decode("ascii"))
    assert read_settings("again.toml") == settings


def test_a_terminal_of_ascii_letters_gets_stand_ins():
    done = in_ascii("run", "friction", "--json", "手応え.json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert Path("手応え.json").exists()


def test_letters_have_stand_ins_or_their_number():
    import tegotae.commands.encoding as encoding

    assert "F ≥ 3 µN → 手…".encode("ascii", encoding._PLAIN) == b"F >= 3 uN -> \\u624b..."
    assert "µ😀".encode("ascii", encoding._ESCAPED) == b"\\u00b5\\U0001f600"
