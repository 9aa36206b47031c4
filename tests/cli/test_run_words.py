"""The words of `tegotae run`: every scenario and machine shows its own flags, takes them, and refuses all others."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from tegotae.cli import app, main
from tegotae.commands import fit
from tegotae.commands.run_lines import INTEGRATOR, KINDS, LINES, ROUTE, Line
from tegotae.errors import InputError
from tegotae.scenarios import SCENARIOS, load_scenario

EVERY = {"--config", "--set", "--out", "--json", "--plot", "--show", "--help"}
INCLUSION = {"--route", "--method", "--until"}
# What `--help` of each shows beside that.
OWN = {
    "friction": {"--until"},
    "inclusion": INCLUSION,
    "inclusion bouncing-ball": INCLUSION,
    "inclusion floor": INCLUSION,
    "inclusion slope": INCLUSION,
    "inclusion belt": INCLUSION,
    "inclusion two-bodies": INCLUSION,
    "inclusion pendulum-on-table": INCLUSION,
    "inclusion woodpecker": INCLUSION,
    "rod": {"--until", "--animation"},
    "rod paper": {"--until", "--animation"},
    "rod snake": {"--until", "--animation"},
    "rod drag": {"--speed", "--until", "--animation"},
    "rod whip": {"--animation"},
    "steering": {"--speed", "--preset", "--drive", "--hand", "--until", "--maps", "--animation"},
    "two-robots": {"--speed", "--method", "--until"},
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def every_line() -> list[Line]:
    return [one for line in LINES for one in (line, *line.machines)]


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Everything that can be typed, with what answers."""
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {word}")


# ------------------------------------------------------------ help


def test_every_line_is_told_here() -> None:
    found = {name.removeprefix("tegotae run ") for name, _ in commands(typer.main.get_command(app), "tegotae")}
    assert {name for name in found if not name.startswith("tegotae")} == set(OWN)


@pytest.mark.parametrize("line", OWN)
def test_help_shows_its_own_flags_and_no_others(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["run", *line.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert set(re.findall(r"^│ (--[a-z]+)", said, re.MULTILINE)) == EVERY | OWN[line]
    assert not re.search(r"\bOf (inclusion|rod|steering|two-robots)\b", said), "a flag of several minds"


def test_every_command_has_an_example_of_itself() -> None:
    seen = list(commands(typer.main.get_command(app), "tegotae"))
    assert len(seen) > 25
    for name, command in seen:
        assert f"Example:  {name} " in (command.epilog or ""), name


@pytest.mark.parametrize("line", every_line(), ids=lambda line: line.name)
def test_every_example_is_understood(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    for example in line.examples:
        program, *arguments = shlex.split(example)
        assert program == "tegotae"
        assert main([*arguments, "--show"]) == 0, example


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("run steering --speed 20", []),
        ("run rod snake", []),
        ("run rod drag --speed 0.1 --until 0.5", []),
        ("run friction --set law.kind=stribeck --out run.nc --plot run.png", ["run.nc", "run.png"]),
        ("run inclusion belt --route events --until 3 --set machine.speed=0.2 --plot belt.png", ["belt.png"]),
        ("run two-robots --set table.kp=400 --set pose=A --json numbers.json", ["numbers.json"]),
    ],
)
def test_lines_that_people_know_run(line: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 0
    assert sorted(os.listdir(".")) == files


# ------------------------------------------------------------ what the words stand for


def test_every_scenario_has_its_line() -> None:
    assert [line.scenario for line in LINES] == list(SCENARIOS)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_pictures_are_those_that_the_scenario_knows(line: Line) -> None:
    scenario = load_scenario(line.scenario)
    lines = (line, *line.machines)
    assert {flag.name for one in lines for flag in one.pictures} == set(scenario.pictures)


@pytest.mark.parametrize("line", every_line(), ids=lambda line: line.name)
def test_flags_and_the_words_that_a_shell_completes_are_those_that_the_scenario_knows(line: Line) -> None:
    scenario = load_scenario(line.scenario)
    nothing = dict.fromkeys(line.flags)
    for flag in line.shortcuts:
        # Integrators belong to the ode route, where the solver knows them.
        route = {ROUTE: "ode"} if flag is INTEGRATOR else {}
        assert all(word in flag.help for word in flag.words)
        for value in flag.words or (0.5,):
            scenario.read(settings=line.settings({**nothing, **route, flag: value}), machine=line.named)
        if flag.words and not route:
            with pytest.raises(InputError, match=f"known are {', '.join(flag.words)}\\."):
                scenario.read(settings=line.settings({**nothing, flag: "glue"}), machine=line.named)


def test_integrators_that_a_shell_completes_are_those_of_the_solver() -> None:
    from tegotae.inclusion.explicit import integration

    assert set(INTEGRATOR.words) == {*integration.FIXED, *integration.METHODS}


@pytest.mark.parametrize("line", [line for line in LINES if line.machines], ids=lambda line: line.name)
def test_machines_are_those_that_the_scenario_knows(line: Line) -> None:
    names = [str(one.machine).replace("-", "_") for one in line.machines]
    scenario = load_scenario(line.scenario)
    with pytest.raises(InputError, match=f"known are {', '.join(names)}\\."):
        scenario.read(settings=[f"{KINDS[line.scenario]}.kind=glue"])


NAMED = [one for line in LINES for one in line.machines]


@pytest.mark.parametrize("line", NAMED, ids=lambda line: line.name)
def test_a_machine_has_one_name(line: Line, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The command names it: parameters may say the same, and nothing else."""
    scenario, machine = load_scenario(line.scenario), line.named
    assert machine
    group, kind = machine
    other = next(one.named[1] for one in NAMED if one.scenario == line.scenario and one.named and one is not line)
    for said in (kind, other):
        (tmp_path / f"{said}.toml").write_text(f'[{group}]\nkind = "{said}"\n', encoding="utf-8")
    for same in ([], ["--set", f"{group}.kind={kind}"], ["--config", str(tmp_path / f"{kind}.toml")]):
        assert main([*line.name.split(), *same, "--show"]) == 0
        assert f'\nkind = "{kind}"' in capsys.readouterr().out
    assert scenario.read(settings=[f"{group}.kind={kind}"]) == scenario.read(machine=machine)
    for another in (["--set", f"{group}.kind={other}"], ["--config", str(tmp_path / f"{other}.toml")]):
        assert main([*line.name.split(), *another]) != 0
        told = " ".join(capsys.readouterr().err.split())
        assert f"{line.name}: {group}.kind='{other}' names another machine." in told
        assert f"Use: tegotae run {line.scenario} {other.replace('_', '-')}." in told
    assert main([*line.name.split(), "--set", f"{group}.kind=glue"]) != 0
    assert "known are" in capsys.readouterr().err


def test_kinds_and_laws_that_a_shell_completes_are_those_of_fit() -> None:
    options = {one.name: one for one in typer.main.get_command(app).commands["fit"].params}  # type: ignore[attr-defined]
    for name, known in (("block", fit.BLOCKS), ("law", fit.LAWS)):
        offered = options[name].shell_complete(typer.Context(typer.main.get_command(app)), "")
        assert [item.value for item in offered] == list(known)


# ------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run friction --speed 3", "run friction: it takes no --speed."),
        ("run friction --speed 3", "`tegotae run rod drag`, `tegotae run steering`, `tegotae run two-robots`"),
        ("run friction --speed=3 --plot a.png", "run friction: it takes no --speed."),
        ("run friction --animation film.gif", "`tegotae run rod`, `tegotae run steering`"),
        ("run rod --speed 3", "run rod: it takes no --speed."),
        ("run rod snake --speed 3", "`tegotae run rod drag`"),
        ("run rod whip --until 3 --plot a.png", "run rod whip: it takes no --until."),
        ("run rod snake --preset paper", "`tegotae run steering`"),
        ("run steering --route ode", "`tegotae run inclusion`"),
        ("run two-robots --maps a.png --json a.json", "`tegotae run steering`"),
        ("run inclusion belt --drive points", "`tegotae run steering`"),
        ("run friction --plto a.png", "Near is --plot; `tegotae run friction --help`"),
        ("run friction --presets paper", "Near is --preset of `tegotae run steering`"),
        ("run friction --nonsense", "run friction: it takes no --nonsense."),
        ("run friction -x", "run friction: it takes no -x."),
        ("run steering --speed 20 30", "run steering: it takes no '30'."),
        ("run steering snake", "It belongs to `tegotae run rod snake`"),
        ("run rod snake drag", "It belongs to `tegotae run rod drag`"),
        ("run fiction", "there is no scenario 'fiction'; near is friction."),
        ("run nothing", "Choose one of friction, inclusion, rod, steering, two-robots."),
        ("run snake", "It belongs to `tegotae run rod snake`"),
        ("run two_bodies", "It belongs to `tegotae run inclusion two-bodies`"),
        ("run rod worm", "Choose one of drag, paper, snake, whip."),
        ("run rod snaek", "there is no machine 'snaek'; near is snake."),
        ("run rod belt", "It belongs to `tegotae run inclusion belt`"),
        ("run rod --until 3 snake", "Write it behind: `tegotae run rod snake --until ...`"),
        ("run rod --until 0 snake", "--until stands before snake."),
        ("run rod --show snake", "--show stands before snake."),
        ("run inclusion --set restitution=0 belt", "--set stands before belt."),
        ("run --until 3 rod", "run: it takes no --until."),
        ("run steering --until soon", "'soon' is not a valid float"),
        ("run steering --speed", "'--speed' requires an argument"),
    ],
)
def test_what_does_not_apply_is_refused_in_words(
    arguments: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) >= 2, "the problem, then the way out"
    assert "Traceback" not in error
    assert os.listdir(".") == []


def test_a_name_may_be_spelt_as_in_a_file_of_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "inclusion", "two_bodies", "--show"]) == 0
    shown = capsys.readouterr().out
    assert main(["run", "inclusion", "two-bodies", "--show"]) == 0
    assert capsys.readouterr().out == shown


def test_without_a_machine_the_file_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "rod", "whip", "--show"]) == 0
    shown = capsys.readouterr().out
    Path("whip.toml").write_text(shown, encoding="utf-8")
    assert main(["run", "rod", "--config", "whip.toml", "--show"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["run", "rod", "--config", "whip.toml", "--until", "3"]) == 2, "and a whip has no end of its own"
    assert "rod of kind 'whip' has no 'until'" in capsys.readouterr().err
