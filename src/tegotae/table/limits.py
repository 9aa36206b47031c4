"""What a table cannot do: the poses it cannot take, the map of those it can, the commands and states that are refused.

And where it starts, and why it cannot go on.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError, TegotaeError
from tegotae.on_demand import service
from tegotae.rotations import matrix_of, quaternion_of, rotation_about, rotation_of, strays, vector_of
from tegotae.running.loop import INPUTS
from tegotae.state import Fault, State
from tegotae.table.kernels import hexa as kernels
from tegotae.table.kernels.plant import BAD_COMMAND, CLOSE, NO_POSE, NO_ROTATION, OUT_OF_REACH, PAST_RANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tegotae.table.hexa import Hexa
    from tegotae.table.plant import HexaPlant


@dataclass(frozen=True, kw_only=True)
class Margins:
    """How far a pose is from all that the table cannot do.

    Args:
        plate: nearness to the singularity at which the plate gives way although the arms are held [-]: the smallest
            singular value of the rows [n, (b x n)/r], n the rods' unit vectors, b the plate's joints, r their
            distance from its centre; 0 at the singularity, negative beyond it (judged by the determinant's sign
            against home's: what lies beyond two singularities is not told from what lies before them).
        arms: nearness to the singularity at which an arm turns without moving the plate [-]: the smallest share of a
            rod's length that lies across its arm, in the arm's plane; 0 with arm and rod in line.
        lowest: the smallest of the six arm angles [rad].
        highest: the largest [rad].
        tilt: the largest tilt of a rod in its ball joints [rad].

    Example:
        >>> from tegotae.table import Hexa
        >>> round(Hexa.default().margins((0.0, 0.0, -0.47)).measure, 3)
        0.943
    """

    plate: float
    arms: float
    lowest: float
    highest: float
    tilt: float

    @property
    def measure(self) -> float:
        """The smaller nearness of both kinds [-]: 0 is singular, negative is past it."""
        return min(self.plate, self.arms)


def pose_of(owner: str, position: ArrayLike, rotation: ArrayLike | None) -> tuple[Array, Array]:
    """A position (3,) [m] and a rotation (3, 3), or an error that says which of them is not one."""
    return checks.vector(owner, "position", position, "m", 3), rotation_of(owner, rotation)


def limit_values(table: Hexa, position: Array, rotation: Array, sign: float | None = None) -> Array:
    """Arms, plate, least angle, largest angle, tilt of every pose; NaN out of reach."""
    places, turns = np.atleast_2d(position), rotation.reshape(-1, 3, 3)
    out = np.empty((places.shape[0], 5))
    known = table.home_sign if sign is None else sign
    kernels.map_poses(table.geometry, places, turns, table.joint_radius, known, out)
    return out if position.ndim == 2 else out[0]


def problem(table: Hexa, position: Array, rotation: Array) -> str:
    """What is wrong with a pose, with its measure; nothing if it is good."""
    arms, plate, low, high, tilt = limit_values(table, position, rotation)
    if math.isnan(arms):
        arm = int(kernels.inverse(table.geometry, position, rotation, np.zeros(6), np.zeros((6, 13))))
        return f"it is outside the workspace: arm {arm + 1} {_distance(table, arm, position, rotation)}"
    if min(arms, plate) < table.margin:
        where = "past the singularity" if plate < 0.0 else "too near a singularity"
        kind = "plate" if plate <= arms else "arms"
        return f"it is {where} of the {kind}: measure {min(arms, plate):.4g}, margin {table.margin:g}"
    if low < table.arm_range[0] or high > table.arm_range[1]:
        worst = low if low < table.arm_range[0] else high
        a, b = np.degrees(table.arm_range)
        return f"an arm would stand at {math.degrees(worst):.4g} deg, past its range {a:.4g} to {b:.4g} deg"
    if tilt > table.rod_tilt:
        most = math.degrees(table.rod_tilt)
        return f"a rod would tilt by {math.degrees(tilt):.4g} deg, past rod_tilt = {most:.4g} deg"
    return ""


def _distance(table: Hexa, arm: int, position: Array, rotation: Array) -> str:
    row = table.geometry[arm]
    d = position + rotation @ row[5:8] - row[0:3]
    across = row[3] * d[1] - row[4] * d[0]
    in_plane = math.hypot(row[3] * d[0] + row[4] * d[1], d[2])
    # The arm's tip goes round a circle: the rod must span between the nearest and the farthest point of it.
    near, far = (math.hypot(in_plane + s * row[8], across) for s in (-1.0, 1.0))
    if near > row[9]:
        return f"needs a rod of at least {near:.4g} m, it has {row[9]:g} m"
    return f"needs a rod of at most {far:.4g} m, it has {row[9]:g} m"


def refuse(table: Hexa, position: Array, rotation: Array, found: str) -> NoReturn:
    """Say what is wrong with a pose, and how far the table can go towards it."""
    start, turn = table.home[0], np.array(vector_of(quaternion_of(rotation)))
    good, bad = 0.0, 1.0  # shares of the straight way there
    for _ in range(30):
        middle = 0.5 * (good + bad)
        at = start + middle * (position - start), rotation_about(middle * turn)
        good, bad = (good, middle) if problem(table, *at) else (middle, bad)
    share = max(0.0, good - 0.002)  # a little less, so that it may be rounded
    place = start + share * (position - start)
    wanted = ", ".join(f"{float(x):.4g}" for x in position)
    near = ", ".join(f"{float(x):.4g}" for x in place)
    checks.refuse(
        "Hexa",
        f"position=({wanted}) m with this rotation cannot be taken: {found}.",
        f"On the straight way there from home the table can go {math.floor(1000.0 * share) / 10.0:g} %, "
        f"to ({near}) m with that share of the turn.",
    )


def within(table: Hexa, seen: Array) -> NDArray[np.bool_]:
    """Where all limits are kept, of what `limit_values` gave."""
    low, high = table.arm_range
    measure = np.minimum(seen[..., 0], seen[..., 1])
    kept = (measure >= table.margin) & (seen[..., 2] >= low) & (seen[..., 3] <= high)
    return np.asarray(kept & (seen[..., 4] <= table.rod_tilt))


@dataclass(frozen=True, kw_only=True, eq=False)
class Workspace:
    """Numbers over a box of places (x, y, z), the plate turned the same everywhere.

    Args:
        table: whose workspace it is.
        x: places along x [m].
        y: places along y [m].
        z: places along z [m].
        rotation: of the plate [-].
        seen: of every place: nearness to the arms' and to the plate's singularity [-], least and largest arm angle
            [rad], largest tilt of a rod [rad]; NaN out of reach.

    Example:
        >>> import numpy as np
        >>> from tegotae.table import Hexa
        >>> grid = np.linspace(-0.4, 0.4, 41)
        >>> found = Hexa.default().workspace(x=grid, y=grid, z=np.linspace(-0.7, -0.2, 26))
        >>> round(found.volume, 2)  # m3
        0.09
    """

    table: Hexa
    x: Array
    y: Array
    z: Array
    rotation: Array
    seen: Array

    @property
    def measure(self) -> Array:
        """The measure of singularity at every place [-], NaN where no arms reach."""
        return np.asarray(np.minimum(self.seen[..., 0], self.seen[..., 1]))

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """Where the table can go with all limits kept."""
        return within(self.table, self.seen)

    @property
    def volume(self) -> float:
        """Of the places that can be taken [m3], each standing for its share of the box."""
        cells = [float(np.ptp(a)) / (a.size - 1) if a.size > 1 else 0.0 for a in (self.x, self.y, self.z)]
        return float(self.reachable.sum() * np.prod(cells))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """The map as a figure, a cut across and a cut along; saved if a path is given."""
        figure: Figure = service("figure of a workspace")(self)
        if path is not None:
            service("save a figure")(figure, path)
        return figure


_EXACT = 1e-9  # of what its own ticks keep to rounding
# What a tick cannot do, by the kernel's number.
WHY = {
    OUT_OF_REACH: "the plate was pushed out of the workspace",
    PAST_RANGE: "an arm was pushed past its range",
    NO_POSE: "no pose of the plate fits the encoders",
    BAD_COMMAND: "the commanded pose is out of reach",
    NO_ROTATION: "the commanded rotation is not a rotation",
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
            problem = f"initial['quaternion']={q} has another length than 1."
            checks.refuse(plant.name, problem, "Divide it by its length.")
        R = matrix_of(q.tolist())
    else:
        turn = next((name for name in ("rotation", "command_rotation") if name in given), None)
        R = rotation_of(plant.name, None if turn is None else np.array(state.part(turn)))
        state["quaternion"] = quaternion_of(R)
    if "rotation" not in given:
        state["rotation"] = R
    return p, R


def fault_of(plant: HexaPlant, state: State) -> Fault | None:
    """What else cannot be in a state: places beyond the sensor's ring, turns that are not rotations."""
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
