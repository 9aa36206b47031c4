"""The command line: what it prints, writes and refuses."""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegotae as tg
from tegotae.cli import app, main


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written() -> list[str]:
    return sorted(os.listdir("."))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    told = capsys.readouterr().out
    assert re.fullmatch(rf"tegotae {tg.__version__} \((C, \d+ loops shipped|numba|plain Python)[^\n]*\)\n", told)


@pytest.mark.parametrize("command", [[], ["papers"], ["run"], ["bench"], ["fit"]])
def test_help_shows_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    said = capsys.readouterr().out
    assert "Usage: tegotae" in said
    assert "Example:" in said


def test_help_keeps_its_units(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Rich takes [s] for markup and eats it, unless it is escaped."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["fit", "--help"]) == 0
    said = capsys.readouterr().out
    assert "time [s], velocity [m/s] or position [m], and force [N]; [ms], [mm], [kN]" in said


def test_no_help_holds_markup_by_accident() -> None:
    import typer.main
    from rich.text import Text

    def texts(command: Any) -> Iterator[str]:
        yield from (text for text in (command.help, command.epilog) if text)
        yield from (option.help for option in command.params if getattr(option, "help", None))
        for inner in getattr(command, "commands", {}).values():
            yield from texts(inner)

    seen = list(texts(typer.main.get_command(app)))
    assert len(seen) > 50
    for text in seen:
        assert Text.from_markup(text).plain == text.replace("\\[", "["), text


@pytest.fixture
def small_paper(monkeypatch: pytest.MonkeyPatch):
    """A paper of two claims and a figure in the place of kikuuwe2005, whose own claims its own tests check."""
    from tegotae import figures
    from tegotae.commands import papers as command
    from tegotae.papers import Finding, Paper

    paper = Paper(key="kikuuwe2005", title="t", authors="a", subject=1.0)
    paper.claim("one", statement="1 is 1.", source="(1)")(lambda subject: Finding("one", subject, "=", 1.0))
    paper.claim("less", statement="1 is less than 2.", source="(2)")(lambda subject: Finding("one", subject, "<", 2.0))
    paper.figure("line", caption="A line.")(lambda subject: figures.sheet(width=2.0, height=1.0)[0])
    monkeypatch.setattr(command, "load_paper", lambda key: paper)
    return paper


def test_papers_writes_what_it_says(small_paper, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "kikuuwe2005", "--json", "ledger.json", "--figures", "drawn"]) == 0
    said = capsys.readouterr().out
    assert written() == ["drawn", "ledger.json", "report.html"]
    assert all(name in said for name in ("ledger.json", "report.html"))
    claims = json.loads(Path("ledger.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)["claims"]
    assert len(claims) == len(small_paper.claims)
    assert all(claim["paper"] == "kikuuwe2005" and claim["passed"] is True for claim in claims)
    assert "2 of 2 claims of kikuuwe2005 passed" in said
    assert os.listdir("drawn") == ["kikuuwe2005-line.png"]
    assert "drawn/kikuuwe2005-line.png" in said
    assert Path("report.html").read_text(encoding="utf-8").count('aria-label="passed"') == len(claims)


@pytest.mark.slow  # every claim of a paper once more
def test_papers_can_leave_the_report_out(capsys: pytest.CaptureFixture[str]) -> None:
    from tegotae.papers import load_paper

    assert main(["papers", "kikuuwe2005", "--no-report"]) == 0
    assert written() == []
    said = capsys.readouterr().out
    assert all(claim.id in said for claim in load_paper("kikuuwe2005").claims)


def test_a_failed_claim_is_exit_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from tegotae.commands import papers as command
    from tegotae.papers import Finding, Paper

    paper = Paper(key="kikuuwe2005", title="t", authors="a", subject=1.0)
    paper.claim("wrong", statement="1 is 2.", source="(1)")(lambda subject: Finding("one", subject, "=", 2.0))
    monkeypatch.setattr(command, "load_paper", lambda key: paper)
    assert main(["papers", "kikuuwe2005", "--json", "ledger.json"]) == 1
    assert "FAILED" in capsys.readouterr().out
    assert written() == ["ledger.json", "report.html"], "the report of a failure is written too"


def test_run_writes_result_numbers_and_figure(capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--out", "run.nc", "--json", "run.json", "--plot", "run.png"]
    assert main(["run", "friction", "--set", "law.kind=stribeck", "--set", "law.static=5", *files]) == 0
    said = capsys.readouterr().out
    assert written() == ["run.json", "run.nc", "run.png"]
    assert all(name in said for name in written())
    result = tg.load("run.nc")
    # A Stribeck element at rest holds its static level, and no more.
    assert np.abs(result.force).max() == pytest.approx(5.0, rel=0.02)
    content = json.loads(Path("run.json").read_text(encoding="utf-8"))
    assert content["parameters"]["law"]["kind"] == "stribeck"
    assert content["summary"][0] == {"name": "largest force", "value": np.abs(result.force).max(), "unit": "N"}
    assert Path("run.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("suffix", "begins"), [(".nc", b"\x89HDF"), (".csv", b"time [s]"), (".parquet", b"PAR1"), (".mat", b"MATLAB 5.0")]
)
def test_the_suffix_of_out_says_the_format(suffix: str, begins: bytes) -> None:
    assert main(["run", "friction", "--set", "duration=0.1", "--out", f"run{suffix}"]) == 0
    assert Path(f"run{suffix}").read_bytes().startswith(begins)


def test_run_reads_toml_and_settings_win(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my.toml").write_text("stiffness = 1000\nduration = 0.5\n[law]\nlimit = 2.5\n")
    assert main(["run", "friction", "--config", "my.toml", "--set", "duration=0.25", "--out", "run.nc"]) == 0
    result = tg.load("run.nc")
    assert result.time[-1] == pytest.approx(0.25)
    assert np.abs(result.force).max() == 2.5


def test_show_prints_toml_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "friction", "--show", "--set", "motion.kind=points"]) == 0
    shown = capsys.readouterr().out
    assert "[N/m]" in shown
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "friction", "--config", "shown.toml"]) == 0
    assert main(["run", "friction", "--config", "shown.toml", "--show"]) == 0
    assert capsys.readouterr().out.endswith(shown), "what it shows, it reads back"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["papers", "newton1687"], "no paper 'newton1687'"),
        (["papers", "--report", "nowhere/report.html"], "does not exist"),
        (["run", "fiction"], "no scenario 'fiction'"),
        (["run", "friction", "--config", "missing.toml"], "no such file"),
        (["run", "friction", "--config", "."], "TOML"),
        (["run", "friction", "--set", "stiffness"], "not name=value"),
        (["run", "friction", "--set", "stiffness=soft"], "stiffness='soft' is text, not a number"),
        (["run", "friction", "--set", "stiffness=-1"], "must be > 0"),
        (["run", "friction", "--set", "stiffness=nan"], "not finite"),
        (["run", "friction", "--set", "stiffness.inner=1"], "stiffness"),
        (["run", "friction", "--set", "stiffnes=1"], "no parameter 'stiffnes'; near is stiffness"),
        (["run", "friction", "--set", "nonsense=1"], "no parameter 'nonsense'; known are stiffness, damping"),
        (
            ["run", "friction", "--set", "law.static=5"],
            "law of kind 'coulomb' has no 'static'; it belongs to --set law",
        ),
        (["run", "friction", "--set", "law.limti=5"], "no parameter 'law.limti' of kind 'coulomb'; near is limit"),
        (["run", "friction", "--set", "law.limit=abc"], "law.limit='abc' is text, not a number"),
        (["run", "friction", "--out", "run.txt"], "it is written as .nc, .csv, .parquet, .mat"),
        (["run", "steering", "--preset", "foo"], "known are paper, physical"),
        (["run", "friction", "--set", "law.kind=glue"], "glue"),
        (["run", "friction", "--set", "law=4"], "law=4 is a whole number, not a group"),
        (["run", "friction", "--set", "motion.amplitude=inf"], "not finite"),
        (["run", "friction", "--set", "motion.frequency=0"], "must be > 0"),
        (["run", "friction", "--set", "motion.kind=circle"], "dimension=2"),
        (["run", "friction", "--set", "motion.kind=points", "--set", "motion.points=[1.0]"], "do not move"),
        (["run", "friction", "--set", "motion.kind=points", "--set", "dimension=2"], "do not fit dimension=2"),
        (["run", "friction", "--set", "dimension=0"], "dimension"),
        (["run", "friction", "--set", "duration=0"], "must be > 0"),
        (["run", "friction", "--set", "duration=1e300"], "duration=1e+300 s is larger"),
        (["run", "friction", "--set", "duration=1e12"], "ticks"),
        (["run", "friction", "--set", "period=10"], "ticks"),
        (["run", "friction", "--set", "period=0"], "must be > 0"),
        (["run", "friction", "--plot", "run.bmp"], ".png"),
        (["fit", "missing.csv"], "missing.csv"),
        (["fit", "record.csv", "--law", "glue"], "--law glue is unknown"),
        (["fit", "record.csv", "--block", "brick"], "--block brick is unknown"),
        (["bench", "--json", "nowhere/bench.json"], "does not exist"),
        (["run", "friction", "--out", "nowhere/run.nc"], "does not exist"),
        (["run", "friction", "--set", "law.kind=stribeck", "--set", "law.velocity=0.001"], "Use damping >"),
    ],
    ids=lambda value: value.replace("/", "|") if isinstance(value, str) else " ".join(value[-2:]),
)
def test_bad_input_is_exit_2_with_a_way_out(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) >= 2, "the problem, then the way out"
    assert "Traceback" not in error
    assert written() == []


def test_fit_recovers_what_made_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    time = 1e-3 * np.arange(1, 4001)
    velocity = 0.05 * np.sin(5.0 * time)
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    noise = 0.02 * np.random.default_rng(7).standard_normal(time.size)
    table = np.stack([time, velocity, brake.run(velocity, period=1e-3).force + noise], axis=1)
    np.savetxt("record.csv", table, delimiter=",", header="time [s],velocity [m/s],force [N]", comments="")
    assert main(["fit", "record.csv", "--json", "fit.json", "--plot", "fit.png"]) == 0
    assert written() == ["fit.json", "fit.png", "record.csv"]
    found = json.loads(Path("fit.json").read_text(encoding="utf-8"))["parameters"]
    # 1 % is some ten standard errors of each at this noise; a wrong unit or a swapped column is far outside.
    assert found["stiffness"] == pytest.approx(6000.0, rel=0.01)
    assert found["limit"] == pytest.approx(4.0, rel=0.01)
    assert "95 % interval" in capsys.readouterr().out


def test_bench_prints_each_ratio_as_soon_as_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tegotae import bench
    from tegotae.bench import Contest, Outcome

    def second() -> list[Outcome]:
        told = capsys.readouterr().out
        assert "met     circuit: 90 ns against 80 ns; 1.12, asked <= 1.2" in told
        return [Outcome.skipped("peer", "not installed")]

    first = Contest("circuit", lambda: [Outcome("circuit", "90 ns against 80 ns", 1.125, "<= 1.2", True)])
    parts = ["friction", "hybrid", "inclusion", "multibody", "peers", "rod", "steering"]
    for name in parts:
        part = importlib.import_module(f"{bench.__name__}.{name}")
        monkeypatch.setattr(part, "CONTESTS", [first, Contest("peer", second)] if name == "friction" else [])
    assert main(["bench"]) == 0
    said = capsys.readouterr().out
    assert "skipped peer: not installed" in said
    assert "1 of 1 bounds met" in said


@pytest.mark.parametrize("content", [b"stiffness = = 3", b"\xff\xfe\x00", b"[law", b'stiffness = "a"'])
def test_a_corrupt_config_is_refused(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_bytes(content)
    assert main(["run", "friction", "--config", "bad.toml", "--out", "run.nc"]) == 2
    assert "tegotae: " in capsys.readouterr().err
    assert written() == ["bad.toml"]


def test_in_a_pipe_there_are_no_colours_and_no_traceback() -> None:
    command = [sys.executable, "-m", "tegotae", "run", "friction"]
    plain = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert plain.returncode == 0
    assert "\x1b" not in plain.stdout
    assert plain.stderr == ""
    bad = subprocess.run([*command, "--set", "damping=-1"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("tegotae: run friction: damping=-1.0 N·s/m must be >= 0.")
