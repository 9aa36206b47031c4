"""The figure of a scene: where its joints and free bodies are, what touches, and where the energy goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae.figures.machines import WORDS, panel, until_rest
from tegotae.figures.registry import register
from tegotae.figures.scene_view import is_drawn, view
from tegotae.figures.style import PALETTE, QUIET, Shown, sheet, time_axis
from tegotae.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = NDArray[Any]
Curves = list[tuple[str, Values]]

_ROUNDING = 1e-9  # m/s, rad/s, and of an energy: less is what rounding leaves of rest
_MOST_CURVES = 12  # in a panel; more of them cannot be told apart


def is_scene(result: Result) -> bool:
    """Whether a result tells of trees of bodies."""
    return {"q", "v", "kinetic_energy"} <= set(result.variables) and "coordinate_names" in result.about


def scene(result: Result) -> Figure:
    """Coordinates and velocities by joint, energies, contact forces and gaps of the bodies that touch; beside them the
    machine at a few instants.

    What stays 0 throughout, but for rounding, has no panel of its own.
    """
    panels = [*_moving(result), *_energies(result), *_touching(result)]
    drawn = is_drawn(result)
    figure, grid = sheet(len(panels), 2 if drawn else 1, width=9.6 if drawn else 8.2, height=0.8 + 1.35 * len(panels))
    rows: tuple[Axes, ...] = tuple(grid[:, 0])
    time = Shown.of(result["time"], "s")
    for axes, (word, unit, curves) in zip(rows, panels, strict=True):
        panel(axes, time, curves[:_MOST_CURVES], unit, word, PALETTE)
        if len(curves) > _MOST_CURVES:
            axes.set_title(f"the first {_MOST_CURVES} of {len(curves)}", fontsize=8.0, color=QUIET, loc="right", pad=3)
    time_axis(rows, time)
    until_rest(rows, result, [curve for _, _, curves in panels for curve in curves])
    if drawn:
        for axes in grid[:, 1]:
            axes.remove()
        spec = grid[0, 0].get_gridspec()
        spec.set_width_ratios([1.25, 1.0])
        view(figure.add_subplot(spec[:, 1]), result)
    return figure


def _named(result: Result, what: str) -> list[tuple[str, str]]:
    """Name and unit of every number of q or v."""
    told = [re.fullmatch(r"(.*) \[(.*)\]", one) for one in str(result.about[what]).split(", ")]
    return [(found[1], found[2]) for found in told if found]


def _moving(result: Result) -> list[tuple[str, str, Curves]]:
    """Angles and positions, then their rates, then the friction of joints that rub; the turn of a free body as one."""
    groups: dict[tuple[str, str], Curves] = {}
    named = _named(result, "coordinate_names")
    for i, (name, unit) in enumerate(named):
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
    """For every two bodies that may touch: the magnitude of the whole force, and the smallest gap."""
    if "contact_force" not in result.variables:
        return []
    members: dict[str, list[int]] = {}
    for i, name in enumerate(str(result.about["pairs"]).split(", ")):
        members.setdefault(re.sub(r" \d+ on ", " on ", name), []).append(i)
    forces, gaps = result["contact_force"], result["gap"]
    push = [(name, np.linalg.norm(forces[:, own].sum(axis=1), axis=1)) for name, own in members.items()]
    near = [(name, gaps[:, own].min(axis=1)) for name, own in members.items()]
    return [("contact force", "N", push), ("gap", "m", near)]


register("scene", scene, is_scene)
