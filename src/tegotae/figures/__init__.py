"""Figures people want to look at: their style, and the figure that fits a result."""

from tegotae.figures.animation import animate_patch
from tegotae.figures.result_figures import of_result
from tegotae.figures.rod_film import animate_rod
from tegotae.figures.steering import tyre_maps
from tegotae.figures.style import (
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
    Shown,
    save,
    say,
    shade,
    sheet,
    style,
    thinned,
)

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
    "save",
    "say",
    "shade",
    "sheet",
    "style",
    "thinned",
    "tyre_maps",
]
