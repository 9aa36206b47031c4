"""A measured record: velocity, force and the period they were sampled with, from arrays or a CSV file."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError, InputError


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
            given = getattr(self, name)
            dimension = np.shape(given)[1] if np.ndim(given) == 2 else 1
            column = checks.signal("Record", name, given, unit, max(dimension, 1))
            object.__setattr__(self, name, column.ravel() if dimension == 1 else column)
        if self.velocity.shape != self.force.shape:
            checks.refuse(
                "Record",
                f"velocity has shape {self.velocity.shape} but force has shape {self.force.shape}.",
                "Give one velocity and one force for every tick; cut the longer record.",
            )

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

    def thinned(self, most: int) -> Record:
        """At most about so many ticks: velocities averaged over longer ticks, forces taken at their ends."""
        factor = -(-self.ticks // most)
        if factor <= 1:
            return self
        count = self.ticks // factor
        motion = self.velocity[: count * factor].reshape(count, factor, -1).mean(axis=1)
        force = self.force[factor - 1 : count * factor : factor]
        return Record(motion.reshape(force.shape), force, self.period * factor)


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

    Units may follow a name in brackets, as in ``force [N]``; capital letters do not matter. A quantity of several
    directions has one column each: ``force_0, force_1``. Velocity is used where the file has it, otherwise it is
    the change of position over each tick.

    Args:
        path: the file.
        period: T [s]; without it the file must have a time column [s] with even steps.
        time: name of the time column [s].
        velocity: name of the velocity column [m/s].
        position: name of the position column [m].
        force: name of the force column [N].

    Example:
        >>> import tempfile, os
        >>> file = os.path.join(tempfile.mkdtemp(), "record.csv")
        >>> with open(file, "w") as f:
        ...     _ = f.write("time [s],position [m],force [N]\\n0.00,0.0,0.0\\n0.01,0.1,-1.0\\n0.02,0.2,-2.0\\n")
        >>> record = load_record(file)
        >>> round(record.period, 12), record.velocity.round(9).tolist()
        (0.01, [0.0, 10.0, 10.0])
    """
    file = Path(path)
    columns = _read(file)
    if period is not None:
        tick = checks.period_of("load_record", period)
    else:
        tick = _period_of(file, _pick(file, columns, time, "Name it with time=…, or give the period with period=…."))
    if _has(columns, velocity):
        motion = _pick(file, columns, velocity, "")
    else:
        remedy = f"Name the column with velocity=… or position=…; neither {velocity!r} nor {position!r} is there."
        places = _pick(file, columns, position, remedy)
        motion = np.diff(places, axis=0, prepend=places[:1]) / tick
    measured = _pick(file, columns, force, "Name the column with force=….")
    if motion.shape[1] != measured.shape[1]:
        raise InputError(
            f"load_record: {file} has {motion.shape[1]} column(s) of motion but {measured.shape[1]} of force.\n"
            "  Give both for every direction."
        )
    flat = motion.shape[1] == 1
    return Record(motion.ravel() if flat else motion, measured.ravel() if flat else measured, tick)


def _read(file: Path) -> dict[str, Array]:
    """Bare column name -> values."""
    if not file.is_file():
        raise FileError(f"load_record: there is no file {file}.\n  Check the path.")
    try:
        with file.open(newline="", encoding="utf-8-sig") as opened:
            rows = [row for row in csv.reader(opened) if row and not row[0].lstrip().startswith("#")]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"load_record: {file} is not a CSV text file ({error}).\n  Export it as CSV first.") from error
    if len(rows) < 2:
        raise FileError(f"load_record: {file} has no rows of data.\n  Its first line names the columns, ticks follow.")
    header = [re.sub(r"\s*[\[(].*$", "", name).strip().lower() for name in rows[0]]
    if all(_is_number(cell) for cell in rows[0]):
        raise FileError(
            f"load_record: the first line of {file} holds numbers, not names.\n"
            "  Add a line such as time,velocity,force."
        )
    table = np.empty((len(rows) - 1, len(header)))
    for i, row in enumerate(rows[1:]):
        if len(row) != len(header):
            raise FileError(
                f"load_record: row {i + 1} of {file} has {len(row)} cells, its header {len(header)}.\n"
                "  Repair the file: every row needs every column."
            )
        for j, cell in enumerate(row):
            table[i, j] = float(cell) if _is_number(cell) else np.nan
    return {name: table[:, j] for j, name in enumerate(header)}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _matching(columns: dict[str, Array], name: str) -> list[str]:
    bare = name.strip().lower()
    if bare in columns:
        return [bare]
    return sorted(
        (c for c in columns if re.fullmatch(re.escape(bare) + r"_\d+", c)), key=lambda c: int(c.rsplit("_", 1)[1])
    )


def _has(columns: dict[str, Array], name: str) -> bool:
    return bool(_matching(columns, name))


def _pick(file: Path, columns: dict[str, Array], name: str, remedy: str) -> Array:
    """The column(s) of a quantity, shape (ticks, directions); every cell a finite number."""
    found = _matching(columns, name)
    if not found:
        raise InputError(
            f"load_record: {file} has no column {name!r}; its columns are {', '.join(columns)}.\n  {remedy}"
        )
    values = np.stack([columns[c] for c in found], axis=1)
    if not np.isfinite(values).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise InputError(
            f"load_record: column {found[column]!r} of {file} has no finite number in row {row + 1}.\n"
            "  Repair the record first: interpolate the gap, or cut it there."
        )
    return values


def _period_of(file: Path, times: Array) -> float:
    steps = np.diff(times[:, 0])
    if steps.size == 0:
        raise InputError(f"load_record: {file} has a single tick, so no period.\n  Give it with period=….")
    tick = float((times[-1, 0] - times[0, 0]) / steps.size)
    uneven = np.abs(steps - tick) > 0.1 * abs(tick)
    if tick <= 0.0 or uneven.any():
        row = int(np.argmax(uneven)) + 1
        raise InputError(
            f"load_record: the time steps of {file} are not even: {steps[row - 1]:g} s after row {row}, "
            f"{tick:g} s on average.\n  Resample the record to a fixed period first."
        )
    return tick
