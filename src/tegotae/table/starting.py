"""Where a table starts, what it is commanded, which states it cannot be in, and why it cannot go on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError, TegotaeError
from tegotae.rotations import matrix_of, quaternion_of, rotation_of, strays
from tegotae.running.loop import INPUTS
from tegotae.state import Fault, State
from tegotae.table.kernels.plant import BAD_COMMAND, CLOSE, NO_POSE, NO_ROTATION, OUT_OF_REACH, PAST_RANGE
from tegotae.table.limits import limit_values, within

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant

_EXACT = 1e-9  # of what its own ticks keep to rounding
# What a tick cannot do, by the kernel's number.
WHY = {
    OUT_OF_REACH: "the plate was pushed out of the workspace",
    PAST_RANGE: "an arm was pushed past its range",
    NO_POSE: "no pose of the plate fits the encoders",
    BAD_COMMAND: "the commanded pose is out of reach",
    NO_ROTATION: "the commanded rotation is no rotation",
}
COMMANDED = (BAD_COMMAND, NO_ROTATION)  # by whoever commands, who may repair it
_TURNS = ("measured_rotation", "previous_measured_rotation", "command_rotation")


def complete(plant: HexaPlant, state: State, given: Collection[str]) -> None:
    """Fill in all that is not given: the plate at rest where it is commanded, its encoders and its sensor settled."""

    def put(name: str, value: object) -> Array:
        if name not in given:
            state[name] = value  # type: ignore[assignment]
        return np.array(state.part(name))

    p, R = _pose(plant, state, given)
    wanted = put("command_position", p), rotation_of(plant.name, put("command_rotation", R))
    follows = ("angle", "previous_angle", "previous_reference", "measured_position", "measured_rotation")
    if not set(follows) <= set(given):
        angles = plant.table.inverse(p, R)
        step = plant.servo.resolution
        seen = put("angle", angles if step == 0.0 else step * np.floor(angles / step + 0.5))
        put("previous_angle", seen)
        put("previous_reference", plant.table.inverse(*wanted))
        put("measured_position", p)
        put("measured_rotation", R)
    for name in ("measured_position", "measured_rotation"):
        put(f"previous_{name}", state.part(name))
    put("signal", plant.sensor.settled)
    for name, value in plant.sensor.rest.items():
        put(f"sensor.{name}", value)
    if plant.surface is not None:
        put("anchor", (p + R @ plant.surface.tip)[:2])


def _pose(plant: HexaPlant, state: State, given: Collection[str]) -> tuple[Array, Array]:
    """Where the plate is: as given, else where it is commanded to be, else at home."""
    place = next((name for name in ("position", "command_position") if name in given), None)
    p = plant.table.home[0] if place is None else np.array(state.part(place))
    state["position"] = p
    if "quaternion" in given:
        q = state.part("quaternion")
        if not abs(float(np.linalg.norm(q)) - 1.0) <= _EXACT:
            told = f"initial['quaternion']={q} has another length than 1."
            checks.refuse(plant.name, told, "Divide it by its length.")
        R = matrix_of(q.tolist())
    else:
        turn = next((name for name in ("rotation", "command_rotation") if name in given), None)
        R = rotation_of(plant.name, None if turn is None else np.array(state.part(turn)))
        state["quaternion"] = quaternion_of(R)
    if "rotation" not in given:
        state["rotation"] = R
    return p, R


def fault_of(plant: HexaPlant, state: State) -> Fault | None:
    """What else cannot be in a state: places beyond the sensor's ring, turns that are none."""
    if state["sensor.place"] >= max(1, int(plant.sensor.delay)):
        return Fault("sensor.place", 0, f"a whole number from 0 to {max(0, int(plant.sensor.delay) - 1)}")
    q = state.part("quaternion")
    with np.errstate(over="ignore", invalid="ignore"):
        if not abs(float(np.linalg.norm(q)) - 1.0) <= _EXACT:
            return Fault("quaternion", int(np.argmax(np.abs(q))), "four numbers of length 1")
        off = np.abs(state.part("rotation") - matrix_of(q.tolist()))
        if not off.max() <= _EXACT:
            return Fault("rotation", int(np.argmax(off)), "the rotation of its quaternion")
        for name in _TURNS:
            R = state.part(name)
            off, determinant = strays(R)
            if not (off <= CLOSE and determinant > 0.0):
                return Fault(name, int(np.argmax(np.abs(R))), "an orthonormal right-handed 3 x 3 matrix")
    return None


def refuse_to_go_on(state: State, period: float) -> NoReturn:
    """Say why a tick could not be taken; after a bad command another one can be followed."""
    why, remedy = int(state["trouble"]), "Push less, hold stiffer, or stay farther from the workspace's edge."
    if why in COMMANDED:
        remedy, state["trouble"] = "Command a pose that `Hexa.inverse` takes.", 0
    raise TegotaeError(f"HexaPlant: {WHY[why]} at {state['ticks'] * period:.6g} s.\n  {remedy}")


def commands_of(plant: HexaPlant, inputs: Mapping[str, ArrayLike] | None) -> tuple[dict[str, ArrayLike], int]:
    """What is fed to a run, every command seen to be one that can be taken; and over how many ticks, 0 if it holds."""
    fed = dict(checks.mapping("HexaPlant", "inputs", inputs, INPUTS))
    rows = {
        name: _rows(f"inputs[{name!r}]", fed.get(name, none), shape, unit)
        for name, none, shape, unit in (
            ("command_position", plant.table.home[0], (3,), "m"),
            ("command_rotation", np.eye(3), (3, 3), ""),
        )
    }
    p, R = rows.values()
    off = np.abs(np.einsum("kji,kjl->kil", R, R) - np.eye(3)).max(axis=(1, 2))
    if off.max() > 1e-9 or (np.linalg.det(R) < 0.0).any():
        worst = int(np.argmax(np.where(np.linalg.det(R) < 0.0, np.inf, off)))
        try:
            rotation_of("HexaPlant", R[worst])
        except InputError as error:
            raise InputError(f"inputs['command_rotation'][{worst}]: {error}") from error
    places = np.repeat(p, len(R), axis=0) if len(p) == 1 else p
    good = within(plant.table, limit_values(plant.table, places, R))
    if not good.all():
        tick = int(np.argmin(good))
        try:
            plant.table.inverse(p[tick % len(p)], R[tick % len(R)])
        except InputError as error:
            raise InputError(f"HexaPlant: the command of tick {tick} cannot be followed. {error}") from error
    given = {name: one.reshape(len(one), -1) for name, one in rows.items() if name in fed}
    fed |= {name: one[0] if len(one) == 1 else one for name, one in given.items()}
    return fed, max((len(one) for name, one in given.items() if np.ndim(fed[name]) == 2), default=0)


def _rows(label: str, value: ArrayLike, shape: tuple[int, ...], unit: str) -> Array:
    """A record (ticks, *shape), of one row for a value that holds; rotations may be rows of nine numbers."""
    wanted = f"(ticks, {', '.join(map(str, shape))})"
    record = checks.array("HexaPlant", label, value, unit, f"Give shape {wanted}.")
    if len(shape) == 2 and record.shape[-1:] == (9,):
        record = record.reshape(*record.shape[:-1], 3, 3)
    if record.shape == shape:
        record = record[None]
    if record.shape[1:] != shape or record.shape[0] == 0:
        checks.refuse("HexaPlant", f"{label} has shape {record.shape}.", f"Give shape {wanted}, or one that holds.")
    checks.finite("HexaPlant", label, record, unit)
    return np.ascontiguousarray(record)
