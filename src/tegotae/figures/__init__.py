"""Figures people want to look at: their style, and the figure that fits a result."""

from tegotae.figures import machines as machines  # whose figures are registered so, as those of the next three are
from tegotae.figures import rod as rod
from tegotae.figures import scene_figure as scene_figure
from tegotae.figures import two_robots as two_robots
from tegotae.figures.animation import animate_patch
from tegotae.figures.colours import (
    AMBER,
    BLUE,
    FORCE,
    FRICTION,
    GREEN,
    INK,
    MOTION,
    PALETTE,
    PLUM,
    QUIET,
    SKY,
    VERMILION,
)
from tegotae.figures.result_figures import of_result, register
from tegotae.figures.rod import animate_rod
from tegotae.figures.steering import tyre_maps
from tegotae.figures.style import Shown, save, say, shade, sheet, style, thinned

__all__ = [
    "AMBER",
    "BLUE",
    "FORCE",
    "FRICTION",
    "GREEN",
    "INK",
    "MOTION",
    "PALETTE",
    "PLUM",
    "QUIET",
    "SKY",
    "VERMILION",
    "Shown",
    "animate_patch",
    "animate_rod",
    "of_result",
    "register",
    "save",
    "say",
    "shade",
    "sheet",
    "style",
    "thinned",
    "tyre_maps",
]
