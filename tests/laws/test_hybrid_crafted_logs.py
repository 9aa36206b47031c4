"""Files that only look like logs: each is read as far as it makes sense, or refused in words with its name."""

import json
import os
import tracemalloc

import pytest

from crafted_logs import CONTENTS, GOOD, ROWS, craft, crafted, files, mutations
from hybrid_logs import same
from tegotae.cli import main
from tegotae.errors import FileError, InputError
from tegotae.hybrid.records.log import LogReader
from tegotae.hybrid.records.replay import replay
from tegotae.hybrid.records.report import report
from tegotae.hybrid.records.report_page import page


def judged(name, path):
    """How it ends: words, or numbers that JSON can hold; anything else is raised."""
    ends = []
    for what in (LogReader, report, lambda it: replay(LogReader(it))):
        words = ""
        try:
            told = what(path)
            if isinstance(told, dict):
                json.dumps(told, allow_nan=False)
        except (FileError, InputError) as error:
            words = str(error)
        ends.append("refused" if words else "read")
        assert not words or "\n  " in words, name
        assert not words or str(path) in words or "of the rows" in words or "never reached" in words, name
    return ends


def test_a_sound_one_is_read(tmp_path):
    path = craft(tmp_path / "run.mcap", [GOOD], crcs=True)
    assert judged("sound", path) == ["read", "read", "read"]
    assert same(LogReader(path).dynamics, ROWS)
    assert LogReader(path).words == []


def test_every_crafted_file_is_read_or_refused_in_words(tmp_path):
    ends = {name: judged(name, path) for name, path in crafted(tmp_path)}
    assert len(ends) > 100
    for name in ("schema deep", "schema type object", "no time", "time of floats", "wrench a number", "topic twice",
                 "about deep", "about a list", "another profile"):  # fmt: skip
        assert ends[name] == ["refused"] * 3, name
    for name in ("no wrench", "no offset", "rows of the table"):
        assert ends[name][1:] == ["refused"] * 2, name
    for name in ("event time 10**30", "event deep", "status a list", "times going back", "bomb", "bombs"):
        assert ends[name][:2] == ["read"] * 2, name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("rows cut", "of its 1 messages were refused; the last: rows/dynamics: block"),
        ("times at the ends", "50 rows of the dynamics node have times, ticks or clocks that cannot be; left out"),
        ("times going back", "the clock of the dynamics node went back 49 times"),
        ("offset huge", "50 rows of the dynamics node have times, ticks or clocks that cannot be; left out"),
        ("event time 10**30", "messages were refused; the last: events: event: it holds a whole number of 100 bits"),
        ("status counts text", "status: deadlines is not a table of numbers"),
        ("simulated infinite", "6 rows of the dynamics node hold numbers that are not finite, or too large"),
    ],
)
def test_what_was_left_out_is_told(tmp_path, name, says):
    path = craft(tmp_path / "crafted.mcap", CONTENTS[name])
    assert says in "\n".join(report(path)["words"])
    if name == "simulated infinite":  # one page will do: figures take their time
        assert page(report(path), LogReader(path)).startswith("<!doctype html>")


@pytest.mark.parametrize(("many", "seed"), [(150, 1), pytest.param(20_000, 2, marks=pytest.mark.slow)])
def test_sound_logs_with_bytes_turned_over_are_read_or_refused_in_words(tmp_path, many, seed):
    for name, path in mutations(tmp_path, many, seed):
        judged(name, path)


def test_a_few_kilobytes_that_claim_gigabytes_take_no_memory(tmp_path):
    """Chunks of a quarter of a gigabyte each, two hundred of them: told as damaged, not unpacked."""
    path = tmp_path / "bombs.mcap"
    path.write_bytes(dict(files())["bombs"])
    tracemalloc.start()
    try:
        assert "200 chunks of the log are damaged" in " ".join(LogReader(path).words)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()


def test_a_folder_a_pipe_and_a_missing_file_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.mcap")
    for name, says in (("", "a directory"), ("pipe.mcap", "a pipe"), ("none.mcap", "No such file")):
        with pytest.raises(FileError, match=says):
            LogReader(tmp_path / name)


ON_THE_LINE = ("schema deep", "rows cut", "no time", "time of floats", "wrench a number", "times at the ends",
               "all huge", "event a list", "event deep", "status counts text", "steps endless")  # fmt: skip


@pytest.mark.parametrize("command", ["report", "replay"])
def test_on_the_command_line_they_are_input_that_means_nothing(tmp_path, command, capsys, monkeypatch):
    monkeypatch.delenv("TEGOTAE_DEBUG", raising=False)
    ends = {}
    for name in ON_THE_LINE:
        path = craft(tmp_path / "crafted.mcap", CONTENTS[name])
        ends[name] = main(["hybrid", command, str(path)])
        said = capsys.readouterr().err
        assert "a defect of this program" not in said, f"{name}: {said}"
        assert ends[name] != 2 or said.startswith("tegotae: "), name
    assert set(ends.values()) <= {0, 1, 2}
    assert ends["schema deep"] == ends["time of floats"] == 2
