"""`tegotae run two-robots`: what it computes, prints, draws, writes and refuses."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tegotae as tg
from tegotae.cli import main
from tegotae.errors import InputError
from tegotae.figures import of_result
from tegotae.figures.two_robots import force_histories, is_two_robots
from tegotae.papers.two_robots import TwoRobots


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def numbers(*settings: str) -> dict[str, Any]:
    given = [word for one in settings for word in ("--set", one)]
    assert main(["run", "two-robots", "--until", "1.4", *given, "--json", "numbers.json"]) == 0
    content = json.loads(Path("numbers.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert isinstance(content, dict)
    return content


# Kp, masses -> v sqrt(k m) and pi sqrt(m/k), with Kz of (15) from the geometry of `Hexa.default`.
@pytest.mark.parametrize(
    ("settings", "peak", "duration"),
    [
        (["table.kp=200"], 6.18185, 0.171516),
        (["table.kp=400", "pose=A"], 8.7425, 0.12128),
        (["table.kp=800"], 12.3637, 0.085758),
        (["table.kp=800", "masses=[50, 20, 100, 1]"], 16.1768, 0.112207),
        (["table.kind=spring", "table.stiffness=33750"], 0.01 * 33.75 * 1000**0.5, np.pi / 1000**0.5),
    ],
)
def test_the_contacts_of_the_paper(settings: list[str], peak: float, duration: float) -> None:
    content = numbers(*settings)
    assert content["peak_force"] == pytest.approx(peak, rel=1e-5)
    assert content["duration"] == pytest.approx(duration, rel=1e-5)
    assert content["restitution"] == pytest.approx(1.0, abs=1e-4)
    assert content["momentum_lost"] < 1e-12
    assert content["angular_momentum_lost"] < 1e-12
    assert content["contacts"] == 1
    assert {one["name"]: one["value"] for one in content["summary"]}["peak force"] == content["peak_force"]


def test_the_joints_of_robot_1_can_be_held_in_three_ways() -> None:
    free, soft, locked = (numbers("pose=B", f"joints={one}")["peak_force"] for one in ("free", "servo", "locked"))
    stiff = numbers("pose=B", "joints=servo", "gain=1e5", "rate_gain=1000")["peak_force"]
    assert free < soft < stiff < locked


def test_everything_is_printed_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "two-robots", "--set", "pose=B", "--set", "period=1e-3", "--out", "run.nc"]
    assert main([*arguments, "--method", "symplectic", "--json", "run.json", "--plot", "run.png"]) == 0
    said = capsys.readouterr().out
    for word in ("peak force", "duration of the contact", "restitution", "in theory", "reduced mass", "run.nc"):
        assert word in said
    assert sorted(os.listdir(".")) == ["run.json", "run.nc", "run.png"]
    with Image.open("run.png") as picture:
        assert min(picture.size) > 600
    again = tg.load("run.nc")
    assert is_two_robots(again)
    assert again.variables["force"].unit == "N"
    assert again.about["method"] == "symplectic"
    # The same figure of a file: the force, the energies, and six pictures up to 17.8 s after the touch.
    titles = [axes.get_title(loc="left") for axes in of_result(again).axes]
    assert titles[2:] == ["-1 s", "0 s", "0.1 s", "0.2 s", "8.8 s", "17.8 s"]


def test_show_prints_toml_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-robots", "--set", "table.kp=800", "--until", "1.3", "--show"]) == 0
    shown = capsys.readouterr().out
    assert "kp = 800" in shown
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "two-robots", "--config", "shown.toml"]) == 0
    assert main(["run", "two-robots", "--config", "shown.toml", "--show"]) == 0
    assert capsys.readouterr().out.endswith(shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "pose=C"], "pose"),
        (["--set", "table.kp=0"], "kp"),
        (["--set", "table.kp=nan"], "kp"),
        (["--set", "table.kind=spring", "--set", "table.stiffness=-1"], "stiffness"),
        (["--set", "table.stiffness=1e4"], "stiffness"),  # of the table it follows from kp
        (["--set", "joints=glued"], "joints"),
        (["--set", "gain=-1", "--set", "joints=servo"], "gain"),
        (["--set", "masses=[50, -10, 50, 1]"], "masses"),
        (["--set", "tail=1"], "tail"),
        (["--set", "gap=0"], "gap"),
        (["--speed", "-0.01"], "speed"),
        (["--set", "period=0.02"], "Use period <="),
        (["--set", "period=0"], "period"),
        (["--set", "period=1e-9"], "ticks"),
        (["--method", "implicit"], "method"),
        (["--until", "0.5"], "duration="),
        (["--until", "-1"], "duration"),
        (["--animation", "film.gif"], "--animation"),
    ],
)
def test_what_means_nothing_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-robots", *arguments, "--json", "numbers.json"]) == 2
    assert said in capsys.readouterr().err
    assert os.listdir(".") == []


# ------------------------------------------------------------ figures


def test_theory_is_drawn_over_the_force() -> None:
    figure = force_histories({"Kp = 200": TwoRobots().run(), "Kp = 800": TwoRobots(kp=800.0).run()})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Kp = 200", "Kp = 800"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    for axes in figure.axes:
        drawn, theory = (np.asarray(line.get_xydata()) for line in axes.lines)
        # Straight lines between the ticks cut the corner of the release.
        np.testing.assert_allclose(np.interp(theory[:, 0], *drawn.T), theory[:, 1], atol=0.02)
    with pytest.raises(InputError, match="no runs"):
        force_histories({})


def test_a_run_that_ends_before_the_contact_is_drawn_too() -> None:
    figure = of_result(TwoRobots(pose="B").run(duration=0.4))
    assert len(figure.axes) == 2 + 4
    assert figure.axes[0].get_xlabel() == "time [ms]"


def test_a_servo_is_told_from_a_lock() -> None:
    from tegotae.multibody import Servo

    figure = of_result(TwoRobots(pose="B", joints=Servo(gain=1000.0, rate_gain=100.0)).run())
    assert "theory, if locked" in [text.get_text() for text in figure.axes[0].texts]
