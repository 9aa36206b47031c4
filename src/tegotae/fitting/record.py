"""A measured record: velocity, force and the period they were sampled with, from arrays or a CSV file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.fitting.columns import read_columns
from tegotae.running.loop import motion_of


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Record:
    """A measured record, as `fit` takes it.

    Args:
        velocity: mean velocity over each tick [m/s], shape (ticks,) or (ticks, dimension).
        force: force at each tick [N], of the same shape. For an impedance it is what the block exerts on its
            mover, so friction is negative at a positive velocity; for an admittance it is what drives it.
        period: T [s].

    Example:
        >>> import numpy as np
        >>> Record(np.zeros(100), np.zeros(100), 1e-3).duration
        0.1
    """

    velocity: Array
    force: Array
    period: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", checks.period_of("Record", self.period))
        for name, unit in (("velocity", "m/s"), ("force", "N")):
            given = checks.array("Record", name, getattr(self, name), unit)
            dimension = given.shape[1] if given.ndim == 2 else 1
            column = checks.signal("Record", name, given, unit, max(dimension, 1))
            object.__setattr__(self, name, column.ravel() if dimension == 1 else column)
        if self.velocity.shape != self.force.shape:
            problem = f"velocity has shape {self.velocity.shape} but force has shape {self.force.shape}."
            checks.refuse("Record", problem, "Give one velocity and one force for every tick; cut the longer record.")

    @property
    def ticks(self) -> int:
        """How many ticks it has."""
        return int(self.velocity.shape[0])

    @property
    def dimension(self) -> int:
        """How many directions it has."""
        return 1 if self.velocity.ndim == 1 else int(self.velocity.shape[1])

    @property
    def duration(self) -> float:
        """How long it lasts [s]."""
        return self.ticks * self.period

    steps = "tick to tick"  # its instants, in words

    @property
    def extent(self) -> str:
        """How much of it there is, in words."""
        return f"{self.ticks} ticks of {self.period:g} s"

    def seen(self, response: str) -> Array:
        """What a model's response of this name is compared with."""
        return np.asarray(getattr(self, response))

    @property
    def off_centre(self) -> float:
        """The middle of the mean forces on the way forth and on the way back [N]: what a bias would be.

        Over a way forth that begins and ends slowly, inertia takes as much as it gives.
        """
        forth, back = self.force[self.velocity > 0.0], self.force[self.velocity < 0.0]
        return 0.5 * float(np.mean(forth) + np.mean(back)) if forth.size and back.size else 0.0

    @property
    def judged(self) -> slice:
        """The ticks at which a model is compared with it: all of them."""
        return slice(None)

    def thinned(self, most: int) -> Record:
        """At most about so many ticks: velocities averaged over longer ticks, forces taken at their ends."""
        factor = -(-self.ticks // most)
        if factor <= 1:
            return self
        count = self.ticks // factor
        motion = self.velocity[: count * factor].reshape(count, factor, -1).mean(axis=1)
        force = self.force[factor - 1 : count * factor : factor]
        return Record(motion.reshape(force.shape), force, self.period * factor)


def record_of(
    velocity: ArrayLike | Record | None,
    position: ArrayLike | None,
    force: ArrayLike | None,
    period: float | None,
) -> Record:
    """A record from whatever way it was given."""
    if isinstance(velocity, Record):
        if force is not None or position is not None or period is not None:
            checks.refuse("fit", "got a Record and also arrays or a period.", "Give the Record alone.")
        return velocity
    if force is None:
        checks.refuse("fit", "force is missing.", "Give velocity and force, or a Record from load_record.")
    if period is None:
        checks.refuse("fit", "period is missing.", "Give the length of a tick in seconds, such as period=1e-3.")
    tick = checks.period_of("fit", period)
    name, given = ("velocity", velocity) if velocity is not None else ("position", position)
    shape = checks.array("fit", name, given, "").shape if given is not None else ()
    dimension = shape[1] if len(shape) == 2 and shape[1] else 1
    motion = motion_of("fit", velocity, position, tick, dimension)
    measured = checks.signal("fit", "force", force, "N", dimension)
    if motion.shape[0] != measured.shape[0]:
        problem = f"{motion.shape[0]} ticks of motion but {measured.shape[0]} of force."
        checks.refuse("fit", problem, "Give one of each for every tick; cut the longer record.")
    return Record(motion, measured.reshape(motion.shape), tick)


def load_record(
    path: str | os.PathLike[str],
    *,
    period: float | None = None,
    time: str = "time",
    velocity: str = "velocity",
    position: str = "position",
    force: str = "force",
) -> Record:
    """Read a measured record from a CSV file whose first line names its columns.

    A unit may follow a name in brackets, as in ``time [ms]`` or ``force [kN]``, and is converted; without one the
    numbers are SI, and a unit that is not known is refused. Capital letters of names do not matter. A quantity of
    several directions has one column each: ``force_0, force_1``. Velocity is used where the file has it, otherwise it
    is the change of position over each tick. Columns are separated by commas, semicolons or tabs; decimal commas are
    read where the separator is no comma.

    Args:
        path: the file.
        period: T [s]; without it the file must have a time column [s] with even steps.
        time: name of the time column, [s] unless its header says otherwise.
        velocity: name of the velocity column, [m/s] unless its header says otherwise.
        position: name of the position column, [m] unless its header says otherwise.
        force: name of the force column, [N] unless its header says otherwise.

    Example:
        >>> import tempfile, os
        >>> file = os.path.join(tempfile.mkdtemp(), "record.csv")
        >>> with open(file, "w") as f:
        ...     _ = f.write("time [ms],position [cm],force [N]\\n0,0,0\\n10,10,-1\\n20,20,-2\\n")
        >>> record = load_record(file)
        >>> round(record.period, 12), record.velocity.round(9).tolist()
        (0.01, [0.0, 10.0, 10.0])
    """
    file = checks.path_of("load_record", path)
    named = (("time", time), ("velocity", velocity), ("position", position), ("force", force))
    for name, column in named:
        if not checks.text("load_record", name, column, "Give the name of a column.").strip():
            checks.refuse("load_record", f"{name}={column!r} names no column.", "Give the name of a column.")
    columns = read_columns(file)
    if period is not None:
        tick = checks.period_of("load_record", period)
    else:
        tick = _period_of(file, columns.pick(time, "s", _named("time", time, "give the period with period=….")))
    if columns.has(velocity):
        motion = columns.pick(velocity, "m/s", "")
    else:
        problem = f"neither {velocity!r} nor {position!r} is there."
        open_ = " or ".join(f"{n}=…" for n, name in (("velocity", velocity), ("position", position)) if name == n)
        places = columns.pick(
            position, "m", f"Name the column with {open_}; {problem}" if open_ else f"Check both: {problem}"
        )
        motion = np.diff(places, axis=0, prepend=places[:1]) / tick
    measured = columns.pick(force, "N", _named("force", force))
    if motion.shape[1] != measured.shape[1]:
        problem = f"{file} has {motion.shape[1]} column(s) of motion but {measured.shape[1]} of force."
        checks.refuse("load_record", problem, "Give both for every direction.")
    flat = motion.shape[1] == 1
    return Record(motion.ravel() if flat else motion, measured.ravel() if flat else measured, tick)


def _named(quantity: str, name: str, otherwise: str = "") -> str:
    """The way out for a column that is not there: name it, or, if it was named, another."""
    remedy = f"Name {'it' if name == quantity else 'one that is there'} with {quantity}=…"
    return f"{remedy}, or {otherwise}" if otherwise else f"{remedy}."


def _period_of(file: Path, times: Array) -> float:
    steps = np.diff(times[:, 0])
    if steps.size == 0:
        checks.refuse("load_record", f"{file} has a single tick, so no period.", "Give it with period=….")
    tick = float((times[-1, 0] - times[0, 0]) / steps.size)
    uneven = np.abs(steps - tick) > 0.1 * abs(tick)
    if tick <= 0.0 or uneven.any():
        row = int(np.argmax(uneven)) + 1
        detail = f"{steps[row - 1]:g} s after row {row}, {tick:g} s on average."
        remedy = "Resample the record to a fixed period first."
        checks.refuse("load_record", f"the time steps of {file} are not even: {detail}", remedy)
    return tick
