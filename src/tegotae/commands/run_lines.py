"""What stands below `tegotae run`: scenarios and their machines, each with its words, its flags and an example.

The scenarios themselves are heavy and wait until they run; a test holds what is said here against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tegotae.commands.flags import JSON, PLOT, Flag

# Of every scenario.
CONFIG = Flag("--config", "FILE", "Parameters as TOML (see --show).", Path)
SET = Flag("--set", "NAME=VALUE", "One parameter; may be repeated.", list[str])
OUT = Flag("--out", "FILE", "Write the result as .nc, .mat, .csv or .parquet.", Path)
SHOW = Flag("--show", None, "Print the parameters as TOML and run nothing.", bool)

# Of several.
UNTIL = Flag("--until", "SECONDS", "How long it runs.", float)

# Of one scenario each: some share a name, and mean that name's thing there.
ROUTE = Flag(
    "--route", "ROUTE", "How it is followed: events (exact), ode or stepper.", words=("events", "ode", "stepper")
)
INTEGRATOR = Flag(
    "--method",
    "METHOD",
    "Integrator of the ode route: LSODA, Radau, BDF, RK45, RK23, DOP853, CVODE, RK4 or Heun.",
    words=("LSODA", "Radau", "BDF", "RK45", "RK23", "DOP853", "CVODE", "RK4", "Heun"),
)
TICK = Flag(
    "--method",
    "METHOD",
    "How a tick is taken: rk4, symplectic, midpoint or euler.",
    words=("rk4", "symplectic", "midpoint", "euler"),
)
VEHICLE_SPEED = Flag("--speed", "M/S", "Of the vehicle: 0 is parked, negative backwards.", float)
BASE_SPEED = Flag("--speed", "M/S", "Of the clamped base.", float)
ROBOT_SPEED = Flag("--speed", "M/S", "Of robot 2 as it comes.", float)
PRESET = Flag(
    "--preset",
    "PRESET",
    "Whose numbers: paper, or physical (a stiff brush on a vehicle that slides and yaws).",
    words=("paper", "physical"),
)
DRIVE = Flag(
    "--drive",
    "DRIVE",
    "How it drives: constant, reverse (through standstill) or points.",
    words=("constant", "reverse", "points"),
)
HAND = Flag("--hand", "HAND", "Who steers: sine, ramp or release.", words=("sine", "ramp", "release"))

# What some draw beside their figure.
MAPS = Flag("--maps", "FILE", "Draw the tyre's force and torque over slip angle.", Path)
BRISTLE_FILM = Flag("--animation", "FILE", "The bristles in motion, as .gif or .html.", Path)
ROD_FILM = Flag("--animation", "FILE", "The rod in motion, as .gif or .html.", Path)

# The group of parameters whose kind the name of a machine says.
KINDS = {"inclusion": "machine", "rod": "rod"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line that can be typed behind `tegotae`."""

    scenario: str
    machine: str | None = None  # as the command line spells it; none for the scenario itself
    help: str
    examples: tuple[str, ...]
    shortcuts: Mapping[Flag, str] = field(default_factory=dict)  # and the parameter that each sets
    pictures: tuple[Flag, ...] = ()  # that draw something beside the figure
    machines: tuple[Line, ...] = ()  # of the scenario; without one it runs what its parameters name

    @property
    def name(self) -> str:
        """As it is typed behind `tegotae`."""
        return " ".join(["run", self.scenario, *([self.machine] if self.machine else [])])

    @property
    def named(self) -> tuple[str, str] | None:
        """The group and the kind that its machine is among the parameters; none of the scenario itself."""
        return (KINDS[self.scenario], self.machine.replace("-", "_")) if self.machine else None

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Its own, then those of every line; what it draws stands beside the figure."""
        return (*self.shortcuts, CONFIG, SET, OUT, JSON, PLOT, *self.pictures, SHOW)

    def settings(self, given: Mapping[Flag, Any]) -> list[str]:
        """What the values of its flags say of the parameters, as `--set` would be given it."""
        return [f"{name}={given[flag]}" for flag, name in self.shortcuts.items() if given[flag] is not None]

    def in_flags(self, message: str) -> str:
        """A message about parameters in the shorter words of its flags."""
        for flag, name in self.shortcuts.items():
            message = message.replace(f"--set {name}=", f"{flag.name} ")
        return message


def _machine(
    scenario: str, shortcuts: Mapping[Flag, str], machine: str, words: str, example: str, *pictures: Flag
) -> Line:
    example = f"tegotae run {scenario} {machine} {example}"
    return Line(
        scenario=scenario, machine=machine, help=words, examples=(example,), shortcuts=shortcuts, pictures=pictures
    )


_FOLLOWED = {ROUTE: "route.kind", INTEGRATOR: "route.method", UNTIL: "duration"}
_ENDING = {UNTIL: "rod.until"}
_DRAGGED = {BASE_SPEED: "rod.speed", **_ENDING}
_inclusion = partial(_machine, "inclusion", _FOLLOWED)

FRICTION = Line(
    scenario="friction",
    help="One friction element, moved by hand.",
    examples=("tegotae run friction --set law.kind=stribeck --set motion.amplitude=0.05 --out run.nc --plot run.png",),
    shortcuts={UNTIL: "duration"},
)
INCLUSION = Line(
    scenario="inclusion",
    help="A machine with contacts and frictions, by exact events, as an ODE, or step by step.\n\n"
    "Without MACHINE: the one that --config or --set machine.kind=... names, or else two-bodies.",
    examples=("tegotae run inclusion belt --route events --until 3 --set machine.speed=0.2 --plot belt.png",),
    shortcuts=_FOLLOWED,
    machines=(
        _inclusion("bouncing-ball", "A ball over a floor, let go.", "--until 1 --set restitution=0.8 --plot ball.png"),
        _inclusion("floor", "A point mass, thrown along a frictional floor.", "--route ode --plot floor.png"),
        _inclusion("slope", "A block on a slope, pushed off.", "--set machine.angle=0.2 --plot slope.png"),
        _inclusion(
            "belt", "A mass on a spring and a running belt: stick-slip.",
            "--route events --until 3 --set machine.speed=0.2 --plot belt.png",
        ),
        _inclusion(
            "two-bodies", "A belt presses body 2 against body 1, which swings on a spring along a wall.",
            "--route stepper --plot two-bodies.png",
        ),
        _inclusion(
            "pendulum-on-table", "A double pendulum whose tip strikes a table and rubs along it.",
            "--until 1 --plot pendulum.png",
        ),
        _inclusion(
            "woodpecker", "A toy woodpecker that nods, pecks and jams its way down a pole.",
            "--until 0.5 --plot woodpecker.png",
        ),
    ),
)  # fmt: skip
ROD = Line(
    scenario="rod",
    help="A soft rod: that of hirai2020, a crawling snake, a mass dragged on a leaf spring, a whip.\n\n"
    "Without MACHINE: the one that --config or --set rod.kind=... names, or else paper.",
    examples=("tegotae run rod snake --until 8 --plot snake.png --animation snake.gif",),
    shortcuts=_ENDING,
    pictures=(ROD_FILM,),
    machines=(
        _machine(
            "rod", _ENDING, "paper", "The rod of hirai2020: turned at a pin, left alone there, released.",
            "--set rod.torque=20 --plot rod.png", ROD_FILM,
        ),
        _machine(
            "rod", _ENDING, "snake", "A snake that crawls by a travelling wave of curvature on anisotropic ground.",
            "--until 8 --plot snake.png --animation snake.gif", ROD_FILM,
        ),
        _machine(
            "rod", _DRAGGED, "drag", "A mass dragged over a table on a leaf spring: stick-slip.",
            "--speed 0.1 --plot drag.png", ROD_FILM,
        ),
        _machine(
            "rod", {}, "whip", "A tapering whip, its handle turned and back in half a second.",
            "--plot whip.png --animation whip.gif", ROD_FILM,
        ),
    ),
)  # fmt: skip
STEERING = Line(
    scenario="steering",
    help="A wheel, a hand and a tyre, from parked to top speed, forwards and backwards.",
    examples=(
        "tegotae run steering --speed 20 --preset physical --plot loop.png --animation bristles.gif",
        "tegotae run steering --drive reverse --maps tyre.png",
    ),
    shortcuts={
        VEHICLE_SPEED: "drive.speed",
        PRESET: "preset",
        DRIVE: "drive.kind",
        HAND: "hand.kind",
        UNTIL: "duration",
    },
    pictures=(MAPS, BRISTLE_FILM),
)
TWO_ROBOTS = Line(
    scenario="two-robots",
    help="Two free-flying robots meet at a contact as stiff as the motion table.",
    examples=("tegotae run two-robots --set table.kp=400 --set pose=A --json numbers.json --plot force.png",),
    shortcuts={ROBOT_SPEED: "speed", TICK: "method", UNTIL: "duration"},
)
LINES = (FRICTION, INCLUSION, ROD, STEERING, TWO_ROBOTS)
FLAGS = sorted({flag.name for line in LINES for one in (line, *line.machines) for flag in one.flags})


def takers(word: str) -> list[str]:
    """The lines that take a flag, or that a machine's name ends: scenarios, or those machines that alone take it."""
    found = []
    for line in LINES:
        if any(flag.name == word for flag in line.flags) or line.scenario == word:
            found.append(line.name)
        else:
            found += [m.name for m in line.machines if m.machine == word or any(f.name == word for f in m.flags)]
    return found
