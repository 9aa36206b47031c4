"""What goes into a run of the table and what comes out of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.result import Result
from tegotae.rotations import rotation_of
from tegotae.running.loop import INPUTS
from tegotae.table.limits import first_bad

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant


_COMMANDS = ("command_position", "command_rotation")


class Drive(NamedTuple):
    """What drives a run, as a user gave it; see `HexaPlant.run`."""

    positions: ArrayLike | None
    rotations: ArrayLike | None
    wrenches: ArrayLike | None

    def with_inputs(self, inputs: Mapping[str, ArrayLike] | None) -> Drive:
        """Commands may be given by the names of what is fed, too."""
        found = dict(checks.mapping("HexaPlant", "inputs", inputs, INPUTS))
        for name in found:
            if name not in _COMMANDS:
                checks.refuse("HexaPlant", f"inputs names {name!r}.", f"It takes {', '.join(_COMMANDS)}.")
        for name, own in zip(_COMMANDS, self, strict=False):
            if name in found and own is not None:
                checks.refuse("HexaPlant", f"commands and inputs[{name!r}] both say where to go.", "Give one of them.")
        return self._or(found, "inputs")

    def starting_from(self, begun: Mapping[str, ArrayLike]) -> Drive:
        """The command in a state holds where none is given."""
        return self._or(begun, "initial")

    def _or(self, named: Mapping[str, ArrayLike], label: str) -> Drive:
        """Commands by name where none are given; rotations may be rows of nine numbers."""
        place, turn = (named.get(name) for name in _COMMANDS)
        if turn is not None:
            rows = checks.array("HexaPlant", f"{label}['command_rotation']", turn, "")
            turn = rows.reshape(*rows.shape[:-1], 3, 3) if rows.shape[-1:] == (9,) else rows
        positions, rotations, wrenches = self
        return Drive(place if positions is None else positions, turn if rotations is None else rotations, wrenches)


def commands_of(plant: HexaPlant, drive: Drive) -> tuple[dict[str, ArrayLike], Array]:
    """What is fed, and wrenches (ticks, 6); every command can be taken."""
    positions, rotations, wrenches = drive
    p = _rows("positions", plant.table.home[0] if positions is None else positions, (3,), "m")
    R = _rows("rotations", np.eye(3) if rotations is None else rotations, (3, 3), "")
    F = _rows("wrenches", np.zeros(6) if wrenches is None else wrenches, (6,), "N, N·m")
    counts = {rows.shape[0] for rows in (p, R, F)} - {1}
    if len(counts) > 1:
        checks.refuse(
            "HexaPlant",
            f"positions, rotations and wrenches have {p.shape[0]}, {R.shape[0]} and {F.shape[0]} ticks.",
            "Give records of equal length, or one value that holds.",
        )
    if not counts and not any(
        v is not None and np.ndim(v) == k for v, k in ((positions, 2), (rotations, 3), (wrenches, 2))
    ):
        checks.refuse(
            "HexaPlant", "nothing says how many ticks to run.", "Give one record, such as wrenches (ticks, 6)."
        )
    off = np.abs(np.einsum("kji,kjl->kil", R, R) - np.eye(3)).max(axis=(1, 2))
    if off.max() > 1e-9 or (np.linalg.det(R) < 0.0).any():
        worst = int(np.argmax(np.where(np.linalg.det(R) < 0.0, np.inf, off)))
        try:
            rotation_of("HexaPlant", R[worst])
        except InputError as error:
            raise InputError(f"rotations[{worst}]: {error}") from error
    tick = first_bad(plant.table, np.repeat(p, R.shape[0], axis=0) if p.shape[0] == 1 else p, R)
    if tick >= 0:
        try:
            plant.table.inverse(p[tick % p.shape[0]], R[tick % R.shape[0]])
        except InputError as error:
            raise InputError(f"HexaPlant: the command of tick {tick} cannot be followed. {error}") from error
    ticks = counts.pop() if counts else 1
    pairs = zip(_COMMANDS, (p, R.reshape(-1, 9)), strict=True)
    fed: dict[str, ArrayLike] = {name: rows[0] if len(rows) == 1 else rows for name, rows in pairs}
    return fed, F if len(F) == ticks else np.repeat(F, ticks, axis=0)


def _rows(name: str, value: ArrayLike, shape: tuple[int, ...], unit: str) -> Array:
    """A record (ticks, *shape); one value becomes a record of one."""
    wanted = f"(ticks, {', '.join(map(str, shape))})"
    record = checks.array("HexaPlant", name, value, unit, f"Give shape {wanted}.")
    if record.shape == shape:
        record = record[None]
    if record.shape[1:] != shape or record.shape[0] == 0:
        checks.refuse("HexaPlant", f"{name} has shape {record.shape}.", f"Give shape {wanted}, or one that holds.")
    checks.finite("HexaPlant", name, record, unit)
    return np.ascontiguousarray(record)


def result_of(plain: Result) -> Result:
    """The record of a run; everything at the end of each tick. What counts is whole."""
    variables = dict(plain.variables)
    for name in ("saturated", "overload"):
        if name in variables:
            variables[name] = dataclasses.replace(variables[name], values=variables[name].values.astype(np.int64))
    return Result(variables, title=plain.title, about=plain.about)
