"""Figures of the motion table: the map of its workspace with the mechanism drawn in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.figures.colours import BLUE, HAIR, INK, QUIET, STUCK
from tegotae.figures.style import Axes, Figure, Values, sheet, style

if TYPE_CHECKING:
    from tegotae.table import Hexa, Workspace


def workspace(found: Workspace) -> Figure:
    """Two cuts through a map: upright along x, level through home; colour is the distance from a singularity."""
    table = found.table
    home = table.home[0]
    j, k = int(np.abs(found.y - home[1]).argmin()), int(np.abs(found.z - home[2]).argmin())
    measure = np.where(found.reachable, found.measure, np.nan)
    figure, grid = sheet(1, 2, width=9.2, height=4.4)
    with style():
        upright, level = grid[0, 0], grid[0, 1]
        levels = np.linspace(0.0, 1.0, 11)
        shown = _cut(upright, found.x, found.z, measure[:, j, :], found.measure[:, j, :], levels)
        _cut(level, found.x, found.y, measure[:, :, k], found.measure[:, :, k], levels)
        _mechanism(upright, table, (0, 2))
        _mechanism(level, table, (0, 1))
        upright.set(xlabel="x [m]", ylabel="z [m]", title=f"upright cut at y = {found.y[j]:.3g} m")
        level.set(xlabel="x [m]", ylabel="y [m]", title=f"level cut at z = {found.z[k]:.3g} m")
        bar = figure.colorbar(shown, ax=list(grid[0]), shrink=0.86, pad=0.02, aspect=28, format="%.1f")
        bar.set_label("distance from a singularity [-]")
        bar.outline.set_visible(False)
        legend = "blue line: all limits kept   grey: arms reach, a limit does not allow it"
        figure.supxlabel(legend, fontsize=8.0, color=QUIET, x=0.06, ha="left")
    return figure


def _cut(axes: Axes, across: Values, up: Values, good: Values, all_: Values, levels: Values) -> Any:
    """One cut: reachable places in colour, places lost to a limit in grey, the rest white."""
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("reach", ["#f7e3e5", "#e8edf2", "#a9cbe3", BLUE])
    lost = np.where(np.isfinite(all_), 1.0, 0.0).T
    axes.grid(False)
    axes.contourf(across, up, lost, levels=[0.5, 1.5], colors=[STUCK])
    axes.contour(across, up, lost, levels=[0.5], colors=[QUIET], linewidths=0.6, linestyles="dotted")
    shown = axes.contourf(across, up, good.T, levels=levels, cmap=colors)
    axes.contour(across, up, np.isfinite(good).astype(float).T, levels=[0.5], colors=[BLUE], linewidths=1.1)
    axes.set_aspect("equal")
    axes.set_xlim(float(across[0]), float(across[-1]))
    axes.set_ylim(float(up[0]), float(up[-1]) if up[-1] < 0.0 else max(float(up[-1]), 0.03))
    return shown


def _mechanism(axes: Axes, table: Hexa, plane: tuple[int, int]) -> None:
    """Base, arms, rods and plate at home, seen along the axis that is left out."""
    p, R = table.home
    G, angles = table.geometry, table.inverse(p, R)
    base = G[:, 0:3]
    tips = base.copy()
    tips[:, 0:2] += (G[:, 8] * np.cos(angles))[:, None] * G[:, 3:5]
    tips[:, 2] -= G[:, 8] * np.sin(angles)
    joints = p + G[:, 5:8] @ R.T
    u, v = plane
    for i in range(6):
        axes.plot([base[i, u], tips[i, u]], [base[i, v], tips[i, v]], color=INK, lw=2.0, zorder=4)
        axes.plot([tips[i, u], joints[i, u]], [tips[i, v], joints[i, v]], color=INK, lw=0.8, zorder=4)
    for ring, color in ((base, QUIET), (joints, INK)):
        closed = np.vstack([ring, ring[:1]])
        axes.plot(closed[:, u], closed[:, v], color=color, lw=1.4, zorder=5)
    axes.plot(tips[:, u], tips[:, v], "o", ms=3.2, mfc="white", mec=INK, mew=0.9, zorder=5)
    axes.plot(p[u], p[v], "o", ms=4.5, mfc="white", mec=INK, mew=1.2, zorder=6)
    axes.axhline(0.0, color=HAIR, lw=0.6, zorder=1)
