"""What goes into a run of the table and what comes out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.result import Result, Variable
from tegotae.table.limits import first_bad
from tegotae.table.poses import rotation_of

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant


def commands_of(
    plant: HexaPlant, positions: ArrayLike | None, rotations: ArrayLike | None, wrenches: ArrayLike | None
) -> tuple[Array, Array, int]:
    """Commands (ticks or 1, 12), wrenches (ticks or 1, 6) and how many ticks; every command can be taken."""
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
    if p.shape[0] == R.shape[0] == 1:
        commands = np.concatenate([p, R.reshape(1, 9)], axis=1)
    else:
        many = max(p.shape[0], R.shape[0])
        commands = np.concatenate([np.broadcast_to(p, (many, 3)), np.broadcast_to(R.reshape(-1, 9), (many, 9))], axis=1)
    return np.ascontiguousarray(commands), F, ticks


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


def result_of(plant: HexaPlant, out: Array, commands: Array, F: Array) -> Result:
    """The record of a run; everything at the end of each tick."""
    from tegotae.table.kernels import plant as layout

    n = out.shape[0]
    given = np.broadcast_to(commands, (n, 12))
    w, x, y, z = out[:, 3:7].T
    R = np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )
    seen = out[:, layout.SEEN : layout.SEEN + 12]
    axes = {3: ("time", "space"), 6: ("time", "axis"), 9: ("time", "row", "column")}
    parts = [
        ("position", out[:, 0:3], "m", "of the plate, true"),
        ("rotation", R.reshape(n, 9), "", "of the plate, true"),
        ("twist", out[:, 7:13], "m/s, rad/s", "of the plate, true"),
        ("angle", out[:, layout.THETA : layout.THETA + 6], "rad", "of the arms, as counted"),
        ("torque", out[:, layout.TORQUE : layout.TORQUE + 6], "N·m", "of the motors, held over the tick"),
        ("measured_position", seen[:, :3], "m", "of the plate, from the encoders"),
        ("measured_rotation", seen[:, 3:], "", "of the plate, from the encoders"),
        ("measured_wrench", out[:, layout.SENSED : layout.SENSED + 6], "N, N·m", "as the sensor reads it"),
        ("signal", out[:, layout.SIGNAL : layout.SIGNAL + 6], "", "strains of the sensor, before tare and calibration"),
        ("contact_force", out[:, layout.CONTACT : layout.CONTACT + 3], "N", "of the surface on the plate, true"),
        ("wrench", np.broadcast_to(F, (n, 6)), "N, N·m", "given on the plate, held over the tick"),
        ("command_position", given[:, :3], "m", "wanted"),
        ("command_rotation", given[:, 3:], "", "wanted"),
    ]
    variables = {"time": Variable(("time",), plant.servo.period * np.arange(1, n + 1), "s", "end of each tick")}
    for name, values, unit, meaning in parts:
        width = values.shape[1]
        shaped = np.array(values).reshape(n, 3, 3) if width == 9 else np.array(values)
        variables[name] = Variable(axes[width], shaped, unit, meaning)
    full, over = out[:, layout.FLAGS], out[:, layout.FLAGS + 1]
    variables["saturated"] = Variable(("time",), full.astype(np.int64), "", "motors at their limit")
    variables["overload"] = Variable(("time",), over.astype(np.int64), "", "axes of the sensor beyond their limit")
    return Result(variables, title="HexaPlant", about={"period": plant.servo.period})
