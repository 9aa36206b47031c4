"""`tegotae run rod`: what it computes, prints, draws, writes and refuses."""

import json
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tegotae as tg
from tegotae.cli import main
from tegotae.errors import FileError, InputError
from tegotae.figures import animate_rod, of_result
from tegotae.figures.rod import panels_of
from tegotae.figures.rod_strip import lengths_of, outline
from tegotae.result import Result
from tegotae.rod import Phase, PlanarRod
from tegotae.scenarios import load_scenario

SNAKE = ("rod.kind=snake", "rod.nodes=17")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@cache
def run(*settings: str) -> tuple[Result, dict[str, float]]:
    scenario = load_scenario("rod")
    parameters = scenario.read(settings=[*settings])
    result = scenario.run(parameters)
    return result, {number.name: number.value for number in scenario.summary(parameters, result)}


# ------------------------------------------------------------ numbers


def test_the_papers_run_keeps_its_balances() -> None:
    result, numbers = run("rod.torque=20", "rod.length=6", "rod.density=0.3", "rod.nodes=7", "rod.moments=61")
    turned, released = (int(np.searchsorted(result.time, t)) for t in (1.0, 2.0))
    # The pin has no arm: angular momentum is the impulse of the torque, then stays.
    assert result.angular_momentum[turned] == pytest.approx(20.0, rel=1e-6)
    assert result.angular_momentum[released] == pytest.approx(20.0, rel=1e-6)
    np.testing.assert_allclose(result.momentum[released:], result.momentum[[released] * 21], rtol=0, atol=1e-6)
    assert numbers["largest residual of the work balance"] < 1e-7
    assert numbers["rejected steps"] <= numbers["steps"]


def test_phases_end_when_told() -> None:
    result, _ = run("rod.turned=0.5", "rod.released=0.75", "rod.until=1", "rod.torque=4", "rod.moments=41")
    assert result.about["phase_ends"] == [0.5, 0.75, 1.0]
    assert result.angular_momentum[-1] == pytest.approx(2.0, rel=1e-6)
    assert not result.position[result.time <= 0.75, 0].any()
    assert result.position[-1, 0].any()


def test_the_snake_needs_scales_and_follows_its_wave() -> None:
    result, numbers = run(*SNAKE, "rod.until=3")
    assert numbers["displacement, x"] > 0.5
    assert numbers["unsolved steps"] == 0
    assert numbers["taken by the ground"] > 0.0
    assert numbers["largest residual of the work balance"] < 0.01  # of first order in the period
    _, back = run(*SNAKE, "rod.until=3", "rod.frequency=-1")
    assert back["displacement, x"] < -0.5
    _, smooth = run(*SNAKE, "rod.until=3", "rod.tangential=0.5")
    assert abs(smooth["displacement, x"]) < 0.3 * numbers["displacement, x"]
    assert result.time.size == 301


def test_the_dragged_mass_sticks_and_slips_below_its_limit() -> None:
    result, numbers = run("rod.kind=drag", "rod.until=5")
    early = (result.time > 0.0) & (result.time < 1.0)
    assert not result.slip_speed[early, -1].any()
    assert result.slip_speed[result.time > 2.0, -1].any()
    # 0.3 times the weight of 1 kg, half as much again at rest.
    assert np.linalg.norm(result.friction[:, -1], axis=1).max() <= 1.5 * 0.3 * 9.81 * 1.01
    assert numbers["displacement, y"] > 0.1
    assert numbers["unsolved steps"] == 0


def test_the_whip_is_faster_at_its_tip() -> None:
    result, numbers = run("rod.kind=whip", "rod.nodes=16", "rod.period=2e-4")
    assert numbers["fastest tip"] > 3.0 * np.linalg.norm(result.velocity[:, 0], axis=1).max()
    assert "taken by the ground" not in numbers
    assert "displacement, x" not in numbers


# ------------------------------------------------------------ files


def test_everything_is_printed_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "rod", "--set", "rod.moments=31", "--out", "run.nc", "--json", "run.json"]
    assert main([*arguments, "--plot", "rod.png", "--animation", "rod.gif"]) == 0
    said = capsys.readouterr().out
    for word in ("work put in", "kinetic", "elastic", "dissipated", "residual", "tip at the end", "steps"):
        assert word in said
    assert sorted(os.listdir(".")) == ["rod.gif", "rod.png", "run.json", "run.nc"]
    content = json.loads(Path("run.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert content["parameters"]["rod"]["kind"] == "paper"
    again = tg.load("run.nc")
    np.testing.assert_array_equal(panels_of(again), [1.0, 2.0, 3.0])
    assert [axes.get_title(loc="left") for axes in of_result(again).axes[:3]] == [
        "0 to 1 s: pinned",
        "1 to 2 s: pinned",
        "2 to 3 s: free",
    ]


def test_the_snake_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "rod", "snake", "--until", "0.1", "--set", "rod.nodes=9", "--animation", "snake.html"]
    assert main(arguments) == 0
    assert "displacement" in capsys.readouterr().out
    page = Path("snake.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|src=\"(?!data:)|@import", page)
    assert page.count("iVBORw0KGgo") == 11  # every recorded moment


@pytest.mark.parametrize("kind", ["paper", "snake", "drag", "whip"])
def test_show_prints_toml_that_is_read(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "rod", kind, "--show"]) == 0
    shown = capsys.readouterr().out
    assert f'kind = "{kind}"' in shown
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "rod", "--config", "shown.toml", "--show"]) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["worm"], "worm"),
        (["--set", "rod.nodes=1"], "nodes"),
        (["--set", "rod.density=0"], "density"),
        (["--set", "rod.torque=nan"], "torque"),
        (["--set", "rod.elasticity=-1"], "elasticity"),
        (["--set", "rod.turned=2.5"], "phase"),
        (["--until", "1.5"], "phase"),
        (["--until", "-1"], "until"),
        (["--set", "rod.moments=1"], "moments"),
        (["--set", "rod.moments=100000000"], "too many"),
        (["--set", "rod.tolerance=0"], "rod.tolerance=0.0 must be > 0"),
        (["--speed", "1"], "speed"),
        (["snake", "--until", "1e9"], "too many"),
        (["snake", "--set", "rod.normal=-1"], "normal"),
        (["snake", "--set", "rod.period=0"], "period"),
        (["drag", "--set", "rod.static=0.5"], "static"),
        (["drag", "--speed", "nan"], "rod.speed=nan m/s is not finite"),
        (["whip", "--until", "1"], "until"),
        (["--route", "events"], "--route"),
        (["--maps", "maps.png"], "--maps"),
        (["--animation", "film.mp4"], ".gif"),
        (["--plot", "a.gif"], ".png"),
    ],
)
def test_what_means_nothing_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "rod", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert os.listdir(".") == []


# ------------------------------------------------------------ figures


def test_the_line_passes_through_every_node_however_bent() -> None:
    result, _ = run("rod.moments=61")
    lengths = lengths_of(result)
    np.testing.assert_allclose(lengths, 2.5, rtol=1e-12)
    assert np.abs(np.diff(result.angle, axis=1)).max() > 6.5  # more than a full circle
    for row in (20, 40, 60):
        x, y = outline(result.angle[row], result.position[row, 0], lengths)
        each = x.size // 4
        ends = [*range(0, x.size, each), x.size - 1]
        np.testing.assert_allclose(np.stack([x[ends], y[ends]], axis=1), result.position[row], atol=1e-6)


def test_the_stack_of_energies_is_the_work() -> None:
    result, _ = run(*SNAKE, "rod.until=3")
    axes = next(axes for axes in of_result(result).axes if "energy" in axes.get_ylabel())
    top = np.asarray(axes.collections[-1].get_paths()[0].vertices)[:, 1].max()
    line = np.asarray(axes.lines[0].get_ydata())
    assert top == pytest.approx(line.max(), rel=0.01)
    assert line[-1] == pytest.approx(result.work[-1])


@pytest.mark.parametrize("phases", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("nodes", [2, 65])
def test_every_figure_has_space_for_its_words(phases: int, nodes: int) -> None:
    # Where the layout fails, matplotlib warns, and warnings are errors here.
    rod = PlanarRod(length=1e-3, nodes=nodes, density=0.1, elasticity=1e-9, viscosity=1e-10, gravity=(0.0, -9.81))
    times = np.linspace(0.0, 0.02, 41)
    parts = [Phase(until=0.02 * (i + 1) / phases, base="pinned" if i < 2 else "free") for i in range(phases)]
    rod.run(parts, times=times, rtol=1e-4, atol=1e-4).plot("rod.png")
    with Image.open("rod.png") as drawn:
        assert drawn.width == 1536


def test_one_phase_is_shown_in_thirds_unless_the_rod_travels() -> None:
    rod = PlanarRod(length=1.0, nodes=4, density=1.0, elasticity=1.0, viscosity=0.1)
    swung = rod.run([Phase(until=3.0, torque=0.1, base="pinned")])
    np.testing.assert_allclose(panels_of(swung), [1.0, 2.0, 3.0])
    travelled, _ = run(*SNAKE, "rod.until=3")
    np.testing.assert_allclose(panels_of(travelled), [3.0])


def test_films_refuse_what_is_no_film_or_no_rod() -> None:
    result, _ = run("rod.moments=61")
    assert animate_rod(result, "rod.gif", frames=4) == Path("rod.gif")
    with Image.open("rod.gif") as film:
        assert getattr(film, "n_frames", 1) == 4
    with pytest.raises(FileError, match="films"):
        animate_rod(result, "rod.png")
    with pytest.raises(InputError, match="frames"):
        animate_rod(result, "rod.gif", frames=1)
    with pytest.raises(InputError, match="rate"):
        animate_rod(result, "rod.gif", rate=0.0)
    brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).run([0.1, 0.1], period=1e-3)
    with pytest.raises(InputError, match="no rod"):
        animate_rod(brake, "brake.gif")


def test_a_run_that_cannot_go_on_is_told_in_the_words_of_the_library(capsys):
    assert main(["run", "rod", "whip", "--set", "rod.period=0.05"]) == 2
    words = capsys.readouterr().err
    assert "a node turns by" in words
    assert "defect" not in words
