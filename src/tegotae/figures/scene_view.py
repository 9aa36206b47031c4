"""A scene at a few instants: bodies from joint to joint, boxes, balls, and the planes that they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae.figures.rod_strip import RAMP, pad, wall
from tegotae.figures.style import HAIR, QUIET
from tegotae.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = NDArray[Any]

_SIDES = {0: "from the front", 1: "from the side", 2: "from above"}  # by the axis that is looked along
_EDGE_ON = 0.05  # a plane whose normal points out of the picture by less is seen as a line


def is_drawn(result: Result) -> bool:
    """Whether a result of a scene knows what its machine looks like."""
    return "picture_times" in result.about


def view(axes: Axes, result: Result) -> None:
    """The machine from light at the start to dark where it ends or comes to rest, seen where it moves most."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Circle

    times, lines, balls, planes = _told(result)
    along = _along(lines, balls)
    seen = [axis for axis in range(3) if axis != along]
    shades = LinearSegmentedColormap.from_list("time", RAMP)
    parts = np.linspace(0.0, 1.0, len(times)) if len(times) > 1 else np.ones(1)
    for i, part in enumerate(parts):
        color = shades(float(part))
        for ends in lines[i][:, :, seen]:
            axes.plot(*ends.T, color=color, lw=1.6, marker="o", ms=2.6, zorder=2.0 + part)
        for x, y, radius in balls[i][:, [*seen, 3]]:
            axes.add_patch(Circle((x, y), radius, fc=color, ec=color, alpha=0.35, lw=1.0, zorder=2.0 + part))
            axes.plot(x, y, "o", color=color, ms=2.6, zorder=2.0 + part)
            axes.update_datalim([(x - radius, y - radius), (x + radius, y + radius)])
    for plane in planes:
        if abs(plane[3 + along]) < _EDGE_ON:
            wall(axes, plane[:3][seen], plane[3:][seen] / np.linalg.norm(plane[3:][seen]))
    pad(axes)
    axes.set(xlabel=f"{'xyz'[seen[0]]} [m]", ylabel=f"{'xyz'[seen[1]]} [m]")
    when = f"{times[0]:.3g} s (light) to {times[-1]:.3g} s (dark)" if len(times) > 1 else "all the time"
    axes.set_title(f"seen {_SIDES[along]}, {when}", fontsize=8.0, color=QUIET)
    axes.grid(color=HAIR)
    axes.set_aspect("equal", adjustable="box", anchor="N")


def _told(result: Result) -> tuple[Values, Values, Values, Values]:
    """Times, lines (times, n, 2, 3), balls (times, n, 4) and planes (n, 6), as `picture_of` left them."""
    times = np.atleast_1d(np.asarray(result.about["picture_times"], dtype=np.float64))
    lines, balls, planes = (
        np.asarray(result.about.get(f"picture_{name}", []), dtype=np.float64) for name in ("lines", "balls", "planes")
    )
    n = len(times)
    return times, lines.reshape(n, -1, 2, 3), balls.reshape(n, -1, 4), planes.reshape(-1, 6)


def _along(lines: Values, balls: Values) -> int:
    """The axis along which least is seen: of the motion, and where nothing moves, of the machine. Rather y than x."""
    places = np.concatenate([lines.reshape(len(lines), -1, 3), balls[:, :, :3]], axis=1)
    moved = np.ptp(places, axis=0).max(axis=0)
    if moved.max() < 1e-9:
        moved = np.ptp(places[0], axis=0)
    return min((1, 0, 2), key=lambda axis: (round(float(moved[axis] / max(moved.max(), 1e-300)), 3), axis == 2))
