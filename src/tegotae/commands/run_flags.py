"""The flags below `tegotae run`: each is declared once, here, and taken by the scenarios that name it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tegotae.commands.completion import completing


@dataclass(frozen=True, kw_only=True)
class Flag:
    """A flag of the command line, not given unless it is.

    Args:
        name: with its dashes.
        help: what it is, in words.
        metavar: what stands behind it, in the help; none for one that takes no value.
        kind: of its value.
        words: that its value may be, for the shell to complete; none if it is free.
    """

    name: str
    help: str
    metavar: str | None = None
    kind: Any = str
    words: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Under which typer hands its value over."""
        return self.name.removeprefix("--").replace("-", "_")

    def is_given(self, value: Any) -> bool:
        """Whether a value was typed; 0 is one."""
        return value is not None and value is not False and value != []

    def parameter(self) -> inspect.Parameter:
        """As typer reads it from the signature of a function."""
        asked = typer.Option(
            self.name,
            metavar=self.metavar,
            help=self.help,
            autocompletion=completing(*self.words) if self.words else None,
        )
        kind, default = (bool, False) if self.kind is bool else (self.kind | None, None)
        annotation = Annotated[kind, asked]  # type: ignore[valid-type]
        return inspect.Parameter(self.key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


# Of every scenario.
CONFIG = Flag(name="--config", metavar="FILE", kind=Path, help="Parameters as TOML (see --show).")
SET = Flag(name="--set", metavar="NAME=VALUE", kind=list[str], help="One parameter; may be repeated.")
OUT = Flag(name="--out", metavar="FILE", kind=Path, help="Write the result as .nc, .mat, .csv or .parquet.")
JSON = Flag(name="--json", metavar="FILE", kind=Path, help="Also write it as JSON.")
PLOT = Flag(name="--plot", metavar="FILE", kind=Path, help="Draw it as .png, .svg or .pdf.")
SHOW = Flag(name="--show", kind=bool, help="Print the parameters as TOML and run nothing.")
COMMON = (CONFIG, SET, OUT, JSON, PLOT, SHOW)

# Of several.
UNTIL = Flag(name="--until", metavar="SECONDS", kind=float, help="How long it runs.")

# Of one scenario each: some share a name, and mean that name's thing there.
ROUTE = Flag(
    name="--route",
    metavar="ROUTE",
    help="How it is followed: events (exact), ode or stepper.",
    words=("events", "ode", "stepper"),
)
INTEGRATOR = Flag(
    name="--method",
    metavar="METHOD",
    help="Integrator of the ode route: LSODA, Radau, BDF, RK45, RK23, DOP853, CVODE, RK4 or Heun.",
    words=("LSODA", "Radau", "BDF", "RK45", "RK23", "DOP853", "CVODE", "RK4", "Heun"),
)
TICK = Flag(
    name="--method",
    metavar="METHOD",
    help="How a tick is taken: rk4, symplectic or implicit.",
    words=("rk4", "symplectic", "implicit"),
)
VEHICLE_SPEED = Flag(name="--speed", metavar="M/S", kind=float, help="Of the vehicle: 0 is parked, negative backwards.")
BASE_SPEED = Flag(name="--speed", metavar="M/S", kind=float, help="Of the clamped base.")
ROBOT_SPEED = Flag(name="--speed", metavar="M/S", kind=float, help="Of robot 2 as it comes.")
PRESET = Flag(
    name="--preset",
    metavar="PRESET",
    help="Whose numbers: paper, or physical (a stiff brush on a vehicle that slides and yaws).",
    words=("paper", "physical"),
)
DRIVE = Flag(
    name="--drive",
    metavar="DRIVE",
    help="How it drives: constant, reverse (through standstill) or points.",
    words=("constant", "reverse", "points"),
)
HAND = Flag(name="--hand", metavar="HAND", help="Who steers: sine, ramp or release.", words=("sine", "ramp", "release"))

# What some draw beside their figure.
MAPS = Flag(name="--maps", metavar="FILE", kind=Path, help="Draw the tyre's force and torque over slip angle.")
BRISTLE_FILM = Flag(name="--animation", metavar="FILE", kind=Path, help="The bristles in motion, as .gif or .html.")
ROD_FILM = Flag(name="--animation", metavar="FILE", kind=Path, help="The rod in motion, as .gif or .html.")
