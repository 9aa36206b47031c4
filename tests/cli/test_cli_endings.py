"""How commands end: every way has its exit code and its words, and none is a traceback."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tegotae as tg
from tegotae import scenarios
from tegotae.cli import main
from tegotae.commands import fit as fit_command
from tegotae.commands import papers as papers_command

COMMAND = [sys.executable, "-m", "tegotae"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEGOTAE_DEBUG", raising=False)


BEYOND = ["run", "friction", "--set", "motion.amplitude=1e300"]


@pytest.mark.parametrize("amplitude", ["1e300", "1e160", "-1e250"])
def test_numbers_beyond_their_range_are_refused_before_anything_is_written(
    amplitude: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--out", "x.nc", "--json", "x.json", "--plot", "x.png"]
    assert main(["run", "friction", "--set", f"motion.amplitude={amplitude}", *files]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("tegotae: ")
    assert said.out == ""
    assert os.listdir() == []


def test_no_warning_of_numpy_reaches_the_terminal() -> None:
    done = subprocess.run([*COMMAND, *BEYOND], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Warning" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_defect_is_exit_3_and_says_how_to_see_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str) -> None:
        raise ZeroDivisionError("somewhere inside")

    monkeypatch.setattr(scenarios, "load_scenario", broken)
    assert main(["run", "friction"]) == 3
    said = capsys.readouterr().err
    assert "ZeroDivisionError: somewhere inside" in said
    assert "TEGOTAE_DEBUG=1" in said
    monkeypatch.setenv("TEGOTAE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["run", "friction"])


def test_an_interrupt_does_not_look_like_a_failed_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(papers_command, "load_paper", interrupted)
    assert main(["papers", "kikuuwe2005"]) == 130


@pytest.mark.parametrize("arguments", [["run", "friction"], ["run", "friction", "--show"], ["--help"]])
def test_a_reader_that_leaves_does_not_look_like_a_failed_claim(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", ["run friction --show", "run nothing", "--help"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_caller_that_closed_the_outputs_is_told_nothing(arguments: str, closed: str) -> None:
    done = subprocess.run(f"{' '.join(COMMAND)} {arguments} {closed}", shell=True, capture_output=True, text=True)
    assert done.returncode == (2 if "nothing" in arguments else 0)
    assert "Traceback" not in done.stderr


def without_room() -> None:
    """Files of this process end after 5000 bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))


@pytest.mark.parametrize("file", ["x.nc", "x.csv", "x.mat", "x.parquet"])
def test_a_full_disk_is_told_and_leaves_nothing_half_written(file: str) -> None:
    done = subprocess.run(
        [*COMMAND, "run", "friction", "--out", file], capture_output=True, text=True, preexec_fn=without_room
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"tegotae: Cannot write {file}: ")
    assert os.listdir() == []


def test_a_key_that_finds_no_room_is_not_half_written() -> None:
    def full() -> None:
        without_room()
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    done = subprocess.run([*COMMAND, "hybrid", "key", "table.key"], capture_output=True, text=True, preexec_fn=full)
    assert done.returncode == 2
    assert done.stderr.startswith("tegotae: Cannot write table.key: File too large.")
    assert os.listdir() == []


@pytest.mark.parametrize(
    "files",
    [
        ["--out", "a.nc", "--json", "a.nc"],
        ["--out", "a.nc", "--json", "./a.nc"],
        ["--json", "l.png", "--plot", "a.png"],
    ],
)
def test_one_name_for_two_files_is_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("l.png").symlink_to("a.png")
    assert main(["run", "friction", *files]) == 2
    assert "name the same file" in capsys.readouterr().err
    assert os.listdir() == ["l.png"]


def test_a_pipe_is_no_place_for_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.nc")
    assert main(["run", "friction", "--out", "pipe.nc"]) == 2
    assert "a pipe or a socket" in capsys.readouterr().err


def test_a_file_for_figures_is_refused_before_the_claims_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(papers_command, "load_paper", lambda key: pytest.fail("the work began"))
    Path("file").write_text("mine")
    for folder in ("file", "file/inside"):
        assert main(["papers", "kikuuwe2005", "--figures", folder]) == 2
        assert "is a file" in capsys.readouterr().err
    assert Path("file").read_text() == "mine"


@pytest.mark.parametrize("kind", [[], ["--set", "motion.kind=circle", "--set", "dimension=2"]])
def test_a_motion_faster_than_the_ticks_can_follow_is_refused(
    kind: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for hertz in ("1e9", "251"):
        assert main(["run", "friction", *kind, "--set", f"motion.frequency={hertz}"]) == 2
        assert "frequency <= 250 Hz" in capsys.readouterr().err
    assert main(["run", "friction", *kind, "--set", "motion.frequency=250"]) == 0


def record(name: str, law: tg.Coulomb | tg.Viscous, *, offset: float = 0.0, sign: float = 1.0) -> None:
    time = 1e-3 * np.arange(1, 4001)
    velocity = 0.05 * np.sin(5.0 * time) + 0.02 * np.sin(13.0 * time)
    force = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law).run(velocity, period=1e-3).force
    force = sign * (force + offset + 0.02 * np.random.default_rng(7).standard_normal(time.size))
    table = np.stack([1e3 * time, 1e3 * velocity, force], axis=1)
    np.savetxt(name, table, delimiter=",", header="time [ms],velocity [mm/s],force [N]", comments="")


def test_fit_tells_the_noise_and_doubts_a_law_that_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    record("sound.csv", tg.Coulomb(4.0))
    assert main(["fit", "sound.csv", "--json", "fit.json"]) == 0
    said = capsys.readouterr().out
    assert "noise 0.0" in said
    assert "from tick to tick" in said
    assert "warning" not in said
    content = json.loads(Path("fit.json").read_text(encoding="utf-8"))
    assert content["noise"] == pytest.approx(0.02, rel=0.05)
    assert content["doubts"] == []
    record("viscous.csv", tg.Viscous(4.0, 30.0))
    assert main(["fit", "viscous.csv"]) == 0
    assert "warning: " in capsys.readouterr().out
    assert main(["fit", "viscous.csv", "--law", "viscous"]) == 0
    assert "warning: " not in capsys.readouterr().out


def test_fit_can_be_told_what_is_known_and_what_is_free(capsys: pytest.CaptureFixture[str]) -> None:
    record("biased.csv", tg.Coulomb(4.0), offset=1.5)
    assert main(["fit", "biased.csv"]) == 2
    assert "--free offset" in capsys.readouterr().err
    arguments = ["--free", "offset", "--known", "damping=10", "--column", "force=force", "--json", "fit.json"]
    assert main(["fit", "biased.csv", *arguments]) == 0
    found = json.loads(Path("fit.json").read_text(encoding="utf-8"))["parameters"]
    # 0.02 N over 4000 ticks leave a standard error of 3e-4 N.
    assert found["offset"] == pytest.approx(1.5, abs=2e-3)
    assert list(found) == ["stiffness", "limit", "offset"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sound.csv", "--law", "stribeck"], "--law viscous"),
        (["sound.csv", "--block", "parallel"], "such as --elements 3"),
        (["sound.csv", "--elements", "2"], "--block parallel"),
        (["sound.csv", "--column", "force=pull"], "--column force=NAME"),
        (["sound.csv", "--column", "time=clock"], "--period SECONDS"),
        (["sound.csv", "--column", "colour=red"], "--column colour"),
        (["sound.csv", "--period", "0"], "--period"),
        (["sound.csv", "--known", "damping"], "name=value"),
        (["sound.csv", "--known", "damping=soft"], "not a number"),
        (["sound.csv", "--known", "glue=1"], "--known has 'glue'"),
        (["sound.csv", "--free", "glue"], "--free has 'glue'"),
        (["turned.csv"], "Change the sign of the force column"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_fit_speaks_of_options_not_of_python(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record("sound.csv", tg.Coulomb(4.0))
    record("turned.csv", tg.Coulomb(4.0), sign=-1.0)
    assert main(["fit", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert not any(
        python in error for python in ("tg.", "law=", "known=", "free=", "period=", "elements=", "load_record")
    )


def test_words_of_the_library_become_options() -> None:
    said = fit_command.in_options('give what you know: known={"damping": …, "stiffness[0]": …}, or law=tg.Viscous.')
    assert said == "give what you know: --known damping=VALUE --known stiffness[0]=VALUE, or --law viscous."
