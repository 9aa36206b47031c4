"""The flags below `tegotae run`: each is declared once, here, and taken by the scenarios that name it."""

from __future__ import annotations

from pathlib import Path

from tegotae.commands.flags import JSON, PLOT, Flag

# Of every scenario.
CONFIG = Flag("--config", "FILE", "Parameters as TOML (see --show).", Path)
SET = Flag("--set", "NAME=VALUE", "One parameter; may be repeated.", list[str])
OUT = Flag("--out", "FILE", "Write the result as .nc, .mat, .csv or .parquet.", Path)
SHOW = Flag("--show", None, "Print the parameters as TOML and run nothing.", bool)
COMMON = (CONFIG, SET, OUT, JSON, PLOT, SHOW)

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
    "How a tick is taken: rk4, symplectic or implicit.",
    words=("rk4", "symplectic", "implicit"),
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
