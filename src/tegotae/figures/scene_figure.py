"""The figure of a scene: where its joints and free bodies are, what touches, where the energy goes, and the machine at
a few instants.
"""

from __future__ import annotations

import re

import numpy as np

from tegotae.figures.colours import HAIR, PALETTE, QUIET
from tegotae.figures.machines import WORDS, panel, until_rest
from tegotae.figures.result_figures import register
from tegotae.figures.rod_strip import RAMP, pad, wall
from tegotae.figures.style import Axes, Figure, Shown, Values, beside, sheet, time_axis
from tegotae.result import Result

_SIDES = {0: "from the front", 1: "from the side", 2: "from above"}  # by the axis that is looked along
_EDGE_ON = 0.05  # a plane whose normal points out of the picture by less is seen as a line


def view(axes: Axes, result: Result) -> None:
    """The machine from light at the start to dark where it ends or comes to rest, seen where it moves most."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Circle

    times, lines, balls, planes = _read_picture(result)
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


def _read_picture(result: Result) -> tuple[Values, Values, Values, Values]:
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


Curves = list[tuple[str, Values]]

_ROUNDING = 1e-9  # m/s, rad/s, and of an energy: less is what rounding leaves of rest
_MOST_CURVES = 12  # in a panel; more of them cannot be told apart


def scene(result: Result) -> Figure:
    """Coordinates and velocities by joint, energies, contact forces and gaps of the bodies that touch; beside them the
    machine at a few instants.

    What stays 0 throughout, but for rounding, has no panel of its own.
    """
    panels = [*_moving(result), *_energies(result), *_touching(result)]
    height = 0.8 + 1.35 * len(panels)
    if "picture_times" in result.about:  # it knows what its machine looks like
        figure, rows, picture = beside(len(panels), width=9.6, height=height, ratios=(1.25, 1.0))
        view(picture, result)
    else:
        figure, grid = sheet(len(panels), 1, width=8.2, height=height)
        rows = tuple(grid[:, 0])
    time = Shown.of(result["time"], "s")
    for axes, (word, unit, curves) in zip(rows, panels, strict=True):
        panel(axes, time, curves[:_MOST_CURVES], unit, word, PALETTE)
        if len(curves) > _MOST_CURVES:
            axes.set_title(f"the first {_MOST_CURVES} of {len(curves)}", fontsize=8.0, color=QUIET, loc="right", pad=3)
    time_axis(rows, time)
    until_rest(rows, result, [curve for _, _, curves in panels for curve in curves])
    return figure


def _named(result: Result, what: str) -> list[tuple[str, str]]:
    """Name and unit of every number of q or v."""
    matches = [re.fullmatch(r"(.*) \[(.*)\]", one) for one in str(result.about[what]).split(", ")]
    return [(found[1], found[2]) for found in matches if found]


def _moving(result: Result) -> list[tuple[str, str, Curves]]:
    """Angles and positions, then their rates, then the friction of joints that rub; the turn of a free body as one."""
    groups: dict[tuple[str, str], Curves] = {}
    for i, (name, unit) in enumerate(_named(result, "coordinate_names")):
        if unit != "-":
            groups.setdefault((WORDS[unit], unit), []).append((name, result["q"][:, i]))
        elif name.endswith(" qw"):
            turn = result["q"][:, i : i + 4]
            angle = 2.0 * np.arccos(np.clip(np.abs(turn @ turn[0]), 0.0, 1.0))
            if angle.max() > 1e-6:
                groups.setdefault(("angle", "rad"), []).append((f"{name.removesuffix(' qw')} turned", angle))
    speeds = _named(result, "speed_names")
    for i, (name, unit) in enumerate(speeds):
        speed = result["v"][:, i]
        rests = np.abs(speed).max() < _ROUNDING
        groups.setdefault((WORDS[unit], unit), []).append((name, np.zeros_like(speed) if rests else speed))
    for i, (name, unit) in enumerate(speeds):
        if result["friction"][:, i].any():
            force = "N·m" if unit == "rad/s" else "N"
            groups.setdefault(("friction", force), []).append((name, result["friction"][:, i]))
    shown = [(word, unit, curves) for (word, unit), curves in groups.items() if any(c.any() for _, c in curves)]
    return shown or [(word, unit, curves) for (word, unit), curves in [*groups.items()][:1]]


def _energies(result: Result) -> list[tuple[str, str, Curves]]:
    kinetic, potential = result["kinetic_energy"], result["potential_energy"]
    above = potential - potential.min()
    if max(kinetic.max(), above.max()) <= _ROUNDING * np.abs(potential).max():
        return []
    return [("energy", "J", [("kinetic", kinetic), ("potential", above), ("together", kinetic + above)])]


def _touching(result: Result) -> list[tuple[str, str, Curves]]:
    """For every two bodies that may touch, and every limit that stops: the magnitude of the whole force, and the
    smallest gap; of hinges apart, for theirs are moments and angles."""
    if "contact_force" not in result.variables:
        return []
    names = str(result.about["pairs"]).split(", ")
    units = str(result.about.get("pair_units", ", ".join(["m"] * len(names)))).split(", ")
    forces, gaps, panels = result["contact_force"], result["gap"], []
    for unit, push in (("m", ("contact force", "N")), ("rad", ("moment of stops", "N·m"))):
        members: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            if units[i] == unit:
                members.setdefault(re.sub(r" \d+ on ", " on ", name), []).append(i)
        pushed = [(name, np.linalg.norm(forces[:, columns].sum(axis=1), axis=1)) for name, columns in members.items()]
        near = [(name, gaps[:, columns].min(axis=1)) for name, columns in members.items()]
        panels += [(*push, pushed), ("gap" if unit == "m" else "to the limit", unit, near)] if members else []
    return panels


_SHOWN = {"q", "v", "kinetic_energy"}
register("scene", scene, lambda result: set(result.variables) >= _SHOWN and "coordinate_names" in result.about)
