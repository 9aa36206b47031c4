"""Figures people want to look at: the house style, and the portrait that fits a result."""

from tegotae.figures.animation import animate_patch
from tegotae.figures.house import (
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
from tegotae.figures.portraits import of_result
from tegotae.figures.rod_film import animate_rod
from tegotae.figures.steering import tyre_maps

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
