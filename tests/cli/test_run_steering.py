"""`tegotae run steering`: what it computes, prints, draws, writes and refuses."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tegotae as tg
from tegotae.cli import main
from tegotae.errors import FileError, InputError
from tegotae.figures import animate_patch, of_result, tyre_maps
from tegotae.figures.steering import THICK, THIN
from tegotae.scenarios import load_scenario
from tegotae.steering import ContactPatch
from tegotae.steering.bristles import bristle_fields


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*settings: str) -> tuple[tg.result.Result, dict[str, float]]:
    scenario = load_scenario("steering")
    parameters = scenario.read(settings=[*settings])
    result = scenario.run(parameters)
    return result, {number.name: number.value for number in scenario.summary(parameters, result)}


def moved(name: str) -> int:
    with Image.open(name) as film:
        return int(getattr(film, "n_frames", 1))


# ------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("speed", "amplitude", "area", "peak", "slip", "slope"),
    # As a prototype of the paper's model found them, with its literal parameters.
    [
        (20.0, 1.2, 0.137, 0.723, 0.419, 2.47),
        (70.0, 1.2, 0.098, 0.765, 0.122, 7.52),
        (0.0, 8.0, 13.09, None, None, None),
    ],
)
def test_the_papers_loops(
    speed: float, amplitude: float, area: float, peak: float | None, slip: float | None, slope: float | None
) -> None:
    _, numbers = run(f"drive.speed={speed}", f"hand.amplitude={amplitude}", "bristles=21")
    assert numbers["loop area, last cycle"] == pytest.approx(area, rel=0.02)
    assert numbers["unsolved steps"] == 0
    if peak is None:
        assert numbers["full slip, last cycle"] == 0.0
        assert "first full slip, at wheel angle" not in numbers
    else:
        assert numbers["peak hand torque, last cycle"] == pytest.approx(peak, rel=0.02)
        # Begun gently, not with the jump of the prototype's sine.
        assert numbers["first full slip, at wheel angle"] == pytest.approx(slip, rel=0.03)
        assert numbers["slope through the centre, last cycle"] == pytest.approx(slope, rel=0.02)


def test_it_brakes_through_standstill() -> None:
    result, numbers = run("preset=physical", "drive.kind=reverse", "duration=6", "hand.amplitude=1.5", "bristles=41")
    assert result.speed[0] == 10.0
    assert result.speed[-1] == -3.0
    assert (np.abs(result.speed) < 0.01).any()
    assert numbers["unsolved steps"] == 0
    assert np.abs(np.diff(result.hand_torque)).max() < 0.05


def test_a_released_wheel_stays_where_friction_holds_it() -> None:
    result, numbers = run("drive.speed=0", "hand.kind=release", "hand.torque=0.5", "duration=6", "bristles=21")
    assert numbers["work of the hand"] > 0.0
    assert not result.hand_torque[result.time > 3.0].any()
    assert np.ptp(result.wheel_angle[result.time > 5.0]) < 1e-3
    assert result.wheel_angle.max() > result.wheel_angle[-1] > 0.01


def test_a_held_wheel_on_an_elastic_tread_feels_its_force_later() -> None:
    # Where the slip follows the steer angle, force lags by the relaxation length over the speed.
    settings = ("hand.kind=ramp", "hand.rise=0.2", "duration=1.0", "drive.speed=2.0", "bristles=41")
    rigid, _ = run(*settings)
    elastic, _ = run(*settings, "tread.kind=elastic", "tread.stiffness=2e4")
    when = [float(r.time[np.argmax(r.lateral_force > 0.5 * r.lateral_force[-1])]) for r in (rigid, elastic)]
    assert when[1] > when[0] + 1e-3


# ------------------------------------------------------------ files


def test_everything_is_printed_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "steering", "--speed", "20", "--until", "2", "--set", "bristles=21", "--out", "run.nc"]
    arguments += ["--set", "hand.frequency=1"]
    arguments += ["--json", "run.json", "--plot", "loop.png", "--maps", "maps.svg", "--animation", "film.gif"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    for word in ("loop area", "peak hand torque", "first full slip", "slope", "stick", "unsolved steps"):
        assert word in said
    for file in ("run.nc", "run.json", "loop.png", "maps.svg", "film.gif"):
        assert file in said
    assert sorted(os.listdir(".")) == ["film.gif", "loop.png", "maps.svg", "run.json", "run.nc"]
    content = json.loads(Path("run.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert content["parameters"]["drive"] == {"kind": "constant", "speed": 20.0}
    # The last cycle of 1 s, 25 frames a second; equal frames may be one.
    assert 15 <= moved("film.gif") <= 25
    again = tg.load("run.nc")
    assert again.variables["hand_torque"].unit == "N·m"
    assert [a.get_ylabel() for a in of_result(again).axes] == [
        "wheel [rad]",
        "hand [N·m]",
        "stick [%]",
        "hand torque [N·m]",
    ]


def test_a_film_as_a_page_needs_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "steering", "--drive", "reverse", "--until", "0.4", "--set", "bristles=21"]
    assert main([*arguments, "--animation", "film.html"]) == 0
    page = Path("film.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|src=\"(?!data:)|@import", page)
    assert page.count("iVBORw0KGgo") == 10
    assert "standstill" in page


def test_show_prints_toml_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "steering", "--hand", "release", "--drive", "points", "--until", "0.5", "--show"]) == 0
    shown = capsys.readouterr().out
    assert 'kind = "release"' in shown
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "steering", "--config", "shown.toml"]) == 0
    assert main(["run", "steering", "--config", "shown.toml", "--show"]) == 0
    assert capsys.readouterr().out.endswith(shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--speed", "nan"], "speed"),
        (["--preset", "perfect"], "preset"),
        (["--hand", "foot"], "hand"),
        (["--drive", "sideways"], "drive"),
        (["--set", "bristles=0"], "bristles"),
        (["--set", "hand.frequency=0"], "frequency"),
        (["--set", "period=0"], "period"),
        (["--until", "-1"], "duration"),
        (["--until", "1e9"], "ticks"),
        (["--set", "drive.kind=points", "--set", "drive.times=[0.0]"], "times"),
        (["--set", "hand.kind=ramp", "--set", "hand.amplitude=1"], "amplitude"),
        (["--set", "tread.kind=elastic", "--set", "tread.stiffness=0"], "stiffness"),
        (["--route", "events"], "--route"),
        (["--animation", "film.mp4"], ".gif"),
        (["--maps", "maps.gif"], ".png"),
        (["--plot", "a.png", "--maps", "a.png"], "same file"),
        (["--set", "bristles=100000", "--animation", "film.gif"], "too many to film"),
    ],
)
def test_what_means_nothing_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "100000" in " ".join(arguments):
        arguments = [*arguments, "--until", "0.7"]
    assert main(["run", "steering", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert os.listdir(".") == []


def test_other_scenarios_take_no_pictures_of_bristles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "friction", "--animation", "film.gif"]) == 2
    assert "it takes no --animation" in capsys.readouterr().err
    assert main(["run", "friction", "--speed", "3"]) == 2
    assert "it takes no --speed" in capsys.readouterr().err


# ------------------------------------------------------------ figures


def test_the_loop_is_thick_exactly_where_some_bristles_stick() -> None:
    result, _ = run("bristles=21")
    axes = of_result(result).axes[-1]
    lines = axes.collections[0]
    widths = np.asarray(lines.get_linewidths())
    assert set(widths) == {THICK, THIN}
    last = result.time >= result.about["repeats_from"]
    ends = np.array([segment[-1] for segment in lines.get_segments()])
    at = np.argmin(
        np.abs(result.wheel_angle[last][None] - ends[:, :1]) + np.abs(result.hand_torque[last] - ends[:, 1:]), axis=1
    )
    np.testing.assert_array_equal(widths == THICK, result.stuck[last][at] > 0.0)


def test_maps_show_the_drop_of_the_torque() -> None:
    figure = tyre_maps(ContactPatch(stiffness=1e4, damping=0.0, bristles=101), speeds=[20.0])
    force, torque, stuck = (np.asarray(axes.lines[2].get_ydata()) for axes in figure.axes)
    assert force[-1] == pytest.approx(560.0, rel=1e-3)
    assert torque.max() > 1.2 * torque[-1]  # before full slip the trail adds to it
    assert stuck[0] == 0.0
    assert stuck.max() > 99.0
    with pytest.raises(InputError, match="speeds"):
        tyre_maps(ContactPatch(), speeds=[0.0])


def test_a_patch_alone_can_be_filmed() -> None:
    patch = ContactPatch(stiffness=1e4, damping=0.0)
    steer = 0.1 * np.sin(0.01 * np.arange(500))
    result = patch.run(steer=steer, speed=1.0, period=1e-3, record=[*bristle_fields(patch), "force"])
    assert animate_patch(result, "patch.gif", machine=patch, frames=5) == Path("patch.gif")
    assert moved("patch.gif") == 5
    with Image.open("patch.gif") as film:
        colours = {film.convert("RGB").getpixel((3, 3))}
    assert colours == {(255, 255, 255)}
    for wrong, said in (
        ({"frames": 1}, "frames"),
        ({"between": (3.0, 4.0)}, "between"),
        ({"rate": 0.0}, "rate"),
    ):
        with pytest.raises(InputError, match=said):
            animate_patch(result, "patch.gif", machine=patch, **wrong)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="films"):
        animate_patch(result, "patch.png", machine=patch)
    with pytest.raises(InputError, match="did not record"):
        animate_patch(patch.run(steer=steer, speed=1.0, period=1e-3), "patch.gif", machine=patch)
    assert os.listdir(".") == ["patch.gif"]


def test_numbers_of_the_last_cycle_say_so_and_the_figure_says_what_was_driven() -> None:
    """Driving through standstill, the first cycle asks for more than the last, and the figure shows both."""
    settings = ("preset=physical", "drive.kind=reverse", "bristles=21")
    result, numbers = run(*settings)
    assert numbers["peak hand torque, last cycle"] < 0.95 * np.abs(result.hand_torque).max()
    assert "peak hand torque" not in numbers
    said = [text.get_text() for text in of_result(result).texts]
    assert any("physical numbers" in text and "21 bristles" in text for text in said), said
    short, whole = run(*settings, "duration=3")
    assert whole["peak hand torque"] == pytest.approx(np.abs(short.hand_torque).max())
