"""Force, gap and energy over the last seconds of simulated time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.view.feed import Feed, thinned

if TYPE_CHECKING:
    from viser import GuiApi, GuiUplotHandle, uplot

Curve = tuple[str, int, float, str]
SHOWN = 3.0  # s
POINTS = 400  # in a curve
# Title, the smallest range that is shown, and its curves: words, column of the past, factor, colour.
FORCE = ("push of the contact [N]", 1.0, (("measured", 1, 1.0, "#8fa3b8"), ("applied", 2, 1.0, "#d62839")))
GAP = ("gap [mm]", 1.0, (("gap", 6, 1e3, "#2563a8"),))
ENERGY = (
    "energy [mJ]",
    0.1,
    (("kinetic", 3, 1e3, "#c46e16"), ("guard's budget", 4, 1e3, "#148c82"), ("taken by guard", 5, 1e3, "#7a4fb5")),
)


class Plot:
    """One plot on the page."""

    def __init__(self, gui: GuiApi, about: tuple[str, float, tuple[Curve, ...]], height: int) -> None:
        from viser import uplot

        title, self._least, self._curves = about
        nothing = np.zeros(2)
        grid = uplot.Axis_Grid(stroke="#e6eaef", width=1)
        ticks = uplot.Axis_Ticks(stroke="#cbd3dc", width=1, size=4)
        self._shown, self._range = SHOWN, (0.0, self._least)
        self.handle: GuiUplotHandle = gui.add_uplot(
            data=(np.array([-SHOWN, 0.0]), *(nothing for _ in self._curves)),
            series=(
                uplot.Series(label="s"),
                *(uplot.Series(label=word, stroke=colour, width=2) for word, _, _, colour in self._curves),
            ),
            title=title,
            height=height,
            scales=_scales(SHOWN, (0.0, self._least)),
            axes=(uplot.Axis(grid=grid, ticks=ticks, size=34), uplot.Axis(grid=grid, ticks=ticks, size=44)),
            legend=uplot.Legend(show=len(self._curves) > 1, live=False),
            padding=(10, 12, 0, 0),
        )

    def draw(self, past: Array, shown: float) -> None:
        """Show the past, as `thinned` gives it, over the seconds before its end."""
        curves = [factor * past[:, column] for _, column, factor, _ in self._curves]
        values = np.concatenate(curves)
        values = values[np.isfinite(values)]
        range_ = round_range(values.min(initial=0.0), values.max(initial=0.0), self._least)
        if (shown, range_) != (self._shown, self._range):
            self._shown, self._range = shown, range_
            self.handle.scales = _scales(shown, range_)
        self.handle.data = (past[:, 0] - past[-1, 0], *curves)


def _scales(shown: float, range_: tuple[float, float]) -> dict[str, uplot.Scale]:
    return {"x": {"time": False, "range": (-shown, 0.0)}, "y": {"range": range_}}


def round_range(low: float, high: float, least: float) -> tuple[float, float]:
    """A range with 0 in it, its ends on round steps so that it seldom changes, and never so narrow that noise fills it.

    Example:
        >>> round_range(-0.04, 6.18, 1.0), round_range(-0.03, 0.02, 1.0)
        ((-1.0, 7.0), (-0.1, 1.0))
    """
    low, high = min(low, 0.0), max(high, 0.0)
    wide = max(high - low, least)
    step = 10.0 ** math.floor(math.log10(wide))
    step *= 1.0 if wide >= 2.0 * step else 0.1
    return step * math.floor(low / step), max(step * math.ceil(1.02 * high / step), least)


class Plots:
    """All plots of the page."""

    def __init__(self, gui: GuiApi) -> None:
        self._shown = gui.add_slider("seconds shown", min=0.5, max=Feed.window, step=0.5, initial_value=SHOWN)
        self.plots = [Plot(gui, FORCE, 205), Plot(gui, GAP, 175), Plot(gui, ENERGY, 205)]

    def draw(self, past: Array) -> None:
        """Show the past, as `Feed.past` gives it."""
        shown = float(self._shown.value)
        past = past[past[:, 0] >= past[-1:, 0] - shown]
        if len(past) < 2:
            return
        few = thinned(past, POINTS)
        for plot in self.plots:
            plot.draw(few, shown)
