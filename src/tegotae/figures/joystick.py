"""The figure of the joystick with friction: where its tip went, and the force on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tegotae.device.joystick import LIMIT, figure4
from tegotae.figures.colours import FORCE, INK, MOTION
from tegotae.figures.style import Axes, Figure, sheet, style
from tegotae.result import Result


def figure4_figure(run: Callable[[float], Result] = figure4) -> Figure:
    """Both masses side by side: the path of the tip, and the force on it every 10 ms.  [kikuuwe2005 Fig. 4]"""
    with style():
        figure, axes = sheet(1, 2, width=8.6, height=4.2)
        for column, mass, meaning in (
            (0, 0.0, "the force is friction alone"),
            (1, 1.0, "friction, inertia, centrifugal force"),
        ):
            _draw(axes[0, column], run(mass), f"({'ab'[column]})  M = {mass:g} kg: {meaning}")
        axes[0, 1].set_ylabel("")
        axes[0, 1].tick_params(labelleft=False)
    return figure


def _draw(axes: Axes, run: Result, title: str) -> None:
    from matplotlib.collections import LineCollection

    scale = 3.0  # mm of drawn line for each newton
    tip, force = 1e3 * run["tip"], run["force"]
    every = slice(9, None, 10)
    lines = np.stack([tip[every], tip[every] + scale * force[every]], axis=1)
    axes.plot(tip[:, 0], tip[:, 1], color=MOTION, lw=2.0, zorder=3)
    axes.add_collection(LineCollection(list(lines), colors=FORCE, linewidths=0.6, alpha=0.8, zorder=2))
    held = tip[np.searchsorted(run["time"], run.about["held_from"])]
    axes.plot(*held, "o", color="white", mec=INK, mew=1.3, ms=6, zorder=5)
    axes.annotate("b", held, (-12, 4), textcoords="offset points", fontsize=11, fontweight="bold", ha="right")
    axes.annotate(
        "held: the hand\npushes less than F", held, (14, -12), textcoords="offset points", fontsize=7.5, va="top"
    )
    for place, word in ((0, "start"), (-1, "end")):
        axes.plot(*tip[place], "o", color=MOTION, ms=5, zorder=4)
        axes.annotate(
            word,
            tip[place],
            (-7, -3),
            textcoords="offset points",
            fontsize=8,
            ha="right",
            va="top",
            color=MOTION,
        )
    corner = np.array([-66.0, -60.0])
    axes.plot([corner[0], corner[0] + scale * LIMIT], [corner[1], corner[1]], color=FORCE, lw=1.2)
    axes.annotate(
        "4 N, every 10 ms",
        (corner[0] + scale * LIMIT, corner[1]),
        (5, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )
    axes.set(title=title, xlabel="x [mm]", ylabel="y [mm]", xlim=(-72, 78), ylim=(-68, 58), aspect="equal")
