"""How far a pose is from all that a table cannot do, and the map of where it can go."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.on_demand import service
from tegotae.rotations import quaternion_of, rotation_about, vector_of
from tegotae.table.kernels import hexa as kernels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tegotae.table.hexa import Hexa


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
        told = f"{math.degrees(tilt):.4g} deg, past rod_tilt = {math.degrees(table.rod_tilt):.4g} deg"
        return f"a rod would tilt by {told}"
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


def _last_good(table: Hexa, position: Array, rotation: Array) -> float:
    """The share of the straight way from home to a bad pose that is good, a little less so that it may be rounded."""
    start, _ = table.home
    good, bad = 0.0, 1.0
    for _ in range(30):
        middle = 0.5 * (good + bad)
        at = start + middle * (position - start), rotation_about(middle * np.array(vector_of(quaternion_of(rotation))))
        good, bad = (good, middle) if problem(table, *at) else (middle, bad)
    return max(0.0, good - 0.002)


def refuse(table: Hexa, position: Array, rotation: Array, found: str) -> NoReturn:
    """Say what is wrong with a pose, and how far the table can go towards it."""
    share = _last_good(table, position, rotation)
    place = table.home[0] + share * (position - table.home[0])
    told = ", ".join(f"{float(x):.4g}" for x in position)
    near = ", ".join(f"{float(x):.4g}" for x in place)
    checks.refuse(
        "Hexa",
        f"position=({told}) m with this rotation cannot be taken: {found}.",
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
