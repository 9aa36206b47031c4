"""Where a table starts, and which states it cannot be in."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.rotations import matrix_of, quaternion_of, rotation_of, strays
from tegotae.state import Fault, State
from tegotae.table.kernels.plant import CLOSE

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant

_EXACT = 1e-9  # of what its own ticks keep to rounding
_TURNS = ("measured_rotation", "previous_measured_rotation", "command_rotation")


def complete(plant: HexaPlant, state: State, given: Collection[str]) -> None:
    """Fill in all that is not given: the plate at rest where it is commanded, its encoders and its sensor settled.

    Args:
        plant: the table.
        state: with the parts that are given.
        given: their names.
    """

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
