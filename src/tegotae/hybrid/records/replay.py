"""A log replayed: the recorded measurements into the same simulation, the same numbers out, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.block import Admittance
from tegotae.errors import FileError, InputError
from tegotae.hybrid.bus.rows import Rows
from tegotae.hybrid.links.packets import Measurement, NodeState
from tegotae.hybrid.machines.guarded import Machine
from tegotae.hybrid.machines.model_settings import OwnModel
from tegotae.hybrid.nodes.assembly import core_of
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.records.report import refuse_incomplete
from tegotae.hybrid.settings import Settings, settings_of

_SHARE = 500  # rows between two signs of life


def replay(
    log: LogReader, *, machine: Machine | Admittance | None = None, progress: Callable[[float], None] | None = None
) -> str | None:
    """Simulate again what a log has recorded: where it first differs, in words; None if it is the same bit by bit.

    Args:
        log: of a run.
        machine: that was simulated, if it was not the model of its settings.
        progress: called with the share that is done, now and then.

    Example:
        >>> import os, tempfile
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> from tegotae.hybrid.records.log_node import LogNode
        >>> from tegotae.hybrid.processes.processes import about_of
        >>> from tegotae.hybrid.settings import read_settings
        >>> from tegotae.hybrid.nodes.virtual_run import run_virtual
        >>> settings = read_settings(changes=["device.kind=spring", "duration=0.02"])
        >>> bus, path = MemoryBus(settings.session), os.path.join(tempfile.mkdtemp(), "run.mcap")
        >>> with LogNode(bus, settings.session, path, about=about_of(settings)):
        ...     run = run_virtual(settings, bus=bus)
        >>> replay(LogReader(path)) is None
        True
    """
    settings = settings_in(log)
    refuse_incomplete("replay", log)
    if machine is None and isinstance(settings.model, OwnModel):
        problem = f"{log.path} names code for its model: model.factory={settings.model.factory!r}."
        checks.refuse("replay", problem, "Give the machine, machine=...: no code is run because a log names it.")
    if log.lost["dynamics"]:
        what = f"{log.lost['dynamics']} rows of the dynamics node never reached the log."
        checks.refuse("replay", what, "What they heard is unknown; replay a log that is complete.")
    rows = log.dynamics.copy()
    core, before = core_of(settings, machine), -1
    for number, row in enumerate(rows):
        if row["tick"] <= before:  # the node was started again
            core = core_of(settings, machine)
        before = int(row["tick"])
        try:
            _again(core, row)
        except InputError as error:
            why = str(error).splitlines()[0]
            raise FileError(f"replay: row {number} of {log.path} is damaged ({why})\n  Give another copy.") from error
        if progress is not None and number % _SHARE == 0:
            progress(number / rows.size)
    return difference(log.dynamics, rows)


def settings_in(log: LogReader) -> Settings:
    """The settings that a log was made with."""
    tables = log.about.get("settings")
    if not tables or not log.dynamics.size:
        what = "no settings" if not tables else "no rows of the dynamics node"
        checks.refuse("replay", f"{log.path} holds {what}.", "Replay a log of `tegotae hybrid run`.")
    try:
        return settings_of(tables)
    except InputError as error:
        raise FileError(f"replay: the settings in {log.path} cannot be read.\n  {error}") from error


def _again(core: DynamicsCore, row: np.void) -> None:
    """One tick: its inputs are read from the row, what comes out is written over what was there."""
    measurement = None
    if row["fresh"]:
        parts = [row[name].tolist() for name in ("felt_pose", "felt_twist", "felt_wrench", "felt_onset")]
        measurement = Measurement.of(
            float(row["label"]), (*(x for part in parts for x in part), int(row["felt_state"]))
        )
    core.tick(steps=int(row["steps"]), measurement=measurement)
    for name, value in core.computed.items():
        row[name] = value
    state = int(row["state"]) & ~int(NodeState.CONTACT)
    row["state"] = state | int(NodeState.CONTACT) if core.touching else state


def difference(first: Rows, second: Rows) -> str | None:
    """Where two records of the same fields and length first differ, in words; None if they are the same bit by bit."""
    unlike = {name: (_bits(first[name]) != _bits(second[name])).any(axis=1) for name in first.dtype.names or ()}
    rows = {name: int(np.argmax(each)) for name, each in unlike.items() if each.any()}
    if not rows:
        return None
    name = min(rows, key=rows.__getitem__)
    row, count = rows[name], np.count_nonzero(unlike[name])
    one, other = first[name][row].tolist(), second[name][row].tolist()
    where = f"row {row} (tick {first['tick'][row]}): {name} is {one} in the first, {other} in the second"
    return f"{where}; {count} of {first.size} rows differ there"


def _bits(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
