"""`tegotae run inclusion`: what it computes, prints, draws, writes and refuses."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import tegotae as tg
from tegotae.cli import main
from tegotae.figures import of_result
from tegotae.scenarios import load_scenario

GRAVITY = 9.81
MACHINES = ("bouncing_ball", "floor", "slope", "belt", "two_bodies", "pendulum_on_table", "woodpecker")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*settings: str, **shortcuts: str) -> tg.result.Result:
    scenario = load_scenario("inclusion")
    words = {"machine": "machine.kind", "route": "route.kind", "method": "route.method", "until": "duration"}
    given = [f"{words[name]}={value}" for name, value in shortcuts.items()]
    return scenario.run(scenario.read(settings=[*given, *settings]))


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_runs_and_says_what_happened(machine: str, capsys: pytest.CaptureFixture[str]) -> None:
    said_as = machine.replace("_", "-")
    assert main(["run", "inclusion", said_as, "--until", "1", "--json", "run.json", "--plot", "run.png"]) == 0
    said = capsys.readouterr().out
    assert sorted(os.listdir(".")) == ["run.json", "run.png"]
    assert "what happened" in said
    content = json.loads(Path("run.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert content["parameters"]["machine"]["kind"] == machine
    assert any("at the end" in number["name"] for number in content["summary"])


@pytest.mark.parametrize(
    ("route", "closeness"),
    # Located to rounding; on the dense output of an integrator; by the tick that sees it.
    [("events", 1e-9), ("ode", 1e-7), ("stepper", 1.01e-3)],
)
def test_a_ball_falls_as_long_as_gravity_says(route: str, closeness: float) -> None:
    touch = next(event for event in run(machine="bouncing_ball", route=route, until="0.3").events)
    assert (touch.element, touch.kind) == ("floor", "touch")
    assert touch.time == pytest.approx(math.sqrt(2 * 0.1 / GRAVITY), abs=closeness)


@pytest.mark.parametrize(("route", "closeness"), [("events", 1e-9), ("ode", 1e-5)])
def test_a_block_pushed_uphill_stops_where_energy_says(route: str, closeness: float) -> None:
    result = run("machine.speed=-2", machine="slope", route=route, until="1")
    way = 2.0**2 / (2 * GRAVITY * (math.sin(0.3) + 0.5 * math.cos(0.3)))
    # The compiled friction gives way elastically, by F/K: micrometres.
    assert result.p[-1] == pytest.approx(-way, abs=closeness)
    assert abs(result.v[-1]) < 1e-9
    assert [event.kind for event in result.events] == ["stick"]


def test_the_belt_sticks_and_slips_with_the_period_of_the_closed_form() -> None:
    slips = [event.time for event in run(machine="belt", until="2").events if event.kind == "slip"]
    w, D, vb = 10.0, 0.02, 0.1
    period = 2 * (math.pi - math.atan(D * w / vb)) / w + 2 * D / vb
    assert slips[1] - slips[0] == pytest.approx(period, abs=1e-9)


@pytest.mark.parametrize("elements", ["tuned", "given"])
@pytest.mark.parametrize("method", ["LSODA", "RK4"])
def test_a_ball_bounces_by_the_restitution_on_the_ode_route_too(method: str, elements: str) -> None:
    settings = ("restitution=0.8", f"elements.kind={elements}", "route.step=1e-4")
    result = run(*settings, machine="bouncing_ball", route="ode", method=method, until="1")
    touches = [event.time for event in result.events if event.kind == "touch"]
    first = math.sqrt(2.0 * 0.1 / GRAVITY)
    gaps = 2.0 * first * 0.8 ** np.arange(1, len(touches))
    np.testing.assert_allclose(np.diff(touches), gaps, rtol=1e-5)
    assert len(touches) == result.about["impacts"] == 7
    assert first + gaps.sum() < 1.0 < first + gaps.sum() + 0.8 * gaps[-1]


def test_elements_may_be_given_instead_of_tuned() -> None:
    settings = (
        "elements.kind=given",
        "elements.stiffness=1e5",
        "elements.damping=200.0",
        "machine.height=0.0",
        "restitution=0.5",
    )
    result = run(*settings, machine="bouncing_ball", route="ode", until="1")
    # At rest a spring of K carries the weight at a depth of m g / K.
    assert result.p[-1] == pytest.approx(-GRAVITY / 1e5, rel=1e-6)
    assert result.floor[-1] == pytest.approx(GRAVITY, rel=1e-6)


def test_the_result_is_saved_with_units_and_events(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "inclusion", "floor", "--route", "ode", "--method", "RK4", "--until", "1", "--out", "run.nc"]
    assert main(arguments) == 0
    loaded, direct = tg.load("run.nc"), run(machine="floor", route="ode", method="RK4", until="1")
    assert loaded.events == direct.events
    assert {"touch", "release", "stick"} <= {event.kind for event in loaded.events}
    assert [loaded.variables[name].unit for name in ("px", "vy", "floor")] == ["m", "m/s", "N"]
    np.testing.assert_array_equal(loaded.px, direct.px)
    labels = [axes.get_ylabel() for axes in of_result(loaded).axes]
    assert labels == ["position [m]", "velocity [m/s]", "force [N]", ""]


def test_the_figure_has_a_band_for_each_element_and_a_mark_for_each_event() -> None:
    result = run(machine="belt", until="2")
    bands = of_result(result).axes[-1]
    assert [label.get_text() for label in bands.get_yticklabels()] == ["belt sticks"]
    marked = {line.get_label(): np.asarray(line.get_xdata()).tolist() for line in bands.lines}
    for kind in ("stick", "slip"):
        assert marked[kind] == [event.time for event in result.events if event.kind == kind]


def test_the_stepper_tells_how_its_steps_were_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "inclusion", "bouncing-ball", "--route", "stepper", "--until", "0.2"]) == 0
    said = capsys.readouterr().out
    assert "unsolved steps" in said
    assert "steps by newton" in said


def test_show_prints_toml_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "inclusion", "belt", "--until", "0.6", "--show"]) == 0
    shown = capsys.readouterr().out
    assert 'kind = "belt"' in shown
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "inclusion", "--config", "shown.toml"]) == 0
    assert main(["run", "inclusion", "--config", "shown.toml", "--show"]) == 0
    assert capsys.readouterr().out.endswith(shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["floot"], "no machine 'floot'; near is floor"),
        (["glue"], "Choose one of belt, bouncing-ball, floor, pendulum-on-table, slope, two-bodies, woodpecker."),
        (
            ["--set", "machine.kind=glue"],
            "known are bouncing_ball, floor, slope, belt, two_bodies, pendulum_on_table, woodpecker",
        ),
        (["belt", "--route", "glue"], "glue"),
        (["belt", "--method", "RK4"], "route of kind 'events' has no 'method'; it belongs to --route ode"),
        (["floor", "--route", "ode", "--method", "RK9"], "RK9"),
        (["belt", "--route", "ode"], "--route events, or --set machine.static=3"),
        (["belt", "--route", "stepper"], "--route events, or --set machine.static=3"),
        (["belt", "--until", "0"], "duration"),
        (["belt", "--until", "nan"], "duration"),
        (["belt", "--until", "1e9"], "moments"),
        (["belt", "--set", "route.record=0"], "must be > 0"),
        (["bouncing_ball", "--set", "restitution=2"], "restitution=2.0 must be <= 1"),
        (["bouncing_ball", "--set", "machine.height=-0.1"], "machine.height"),
        (["bouncing_ball", "--set", "machine.mass=0"], "machine.mass"),
        (["bouncing_ball", "--set", "machine.speed=1"], "machine of kind 'bouncing_ball' has no 'speed'"),
        (["two_bodies", "--set", "machine.masses=[1.0]"], "masses"),
        (
            ["floor", "--method", "RK4", "--route=ode", "--set=elements.kind=given", "--set=elements.stiffness=1e12"],
            "too long for RK4",
        ),
        (["floor", "--route", "ode", "--set", "elements.kind=given", "--set", "elements.alpha=1"], "alpha"),
        (["floor", "--out", "nowhere/run.nc"], "does not exist"),
    ],
    ids=lambda value: value.replace("/", "|") if isinstance(value, str) else " ".join(value),
)
def test_bad_input_is_exit_2_with_a_way_out(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "inclusion", *arguments, "--plot", "run.png"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) >= 2, "the problem, then the way out"
    assert "Traceback" not in error
    assert os.listdir(".") == []


def test_a_scenario_without_machines_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "friction", "belt"]) == 2
    error = capsys.readouterr().err
    assert "run friction: it takes no 'belt'" in error
    assert "`tegotae run inclusion belt`" in error
    assert main(["run", "friction", "--until", "0.1", "--out", "run.nc"]) == 0
    assert tg.load("run.nc").time[-1] == pytest.approx(0.1)
