"""The style of figures.

Figures are made with matplotlib's objects and drawn by Agg: no global state, no window, safe in any thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.errors import FileError
from tegotae.extras import FIGURES, require
from tegotae.figures.colours import HAIR, INK, PALETTE, QUIET, STUCK

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any  # every module names its arguments so; matplotlib itself is loaded when something is drawn

Values = NDArray[Any]

FORMATS = (".png", ".svg", ".pdf")
_SUBJECT = "Drawing a figure"
_MOST_POINTS = 4000  # beyond what a page can show; a longer record keeps the extremes of each bin

_TICKS = {"color": QUIET, "labelcolor": INK, "labelsize": 8.0, "major.width": 0.6, "major.size": 3.0}
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib, so figures look alike on every machine
    "font.size": 9.0,
    "figure.dpi": 160,
    "savefig.dpi": 160,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.6,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.titlepad": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.xmargin": 0.01,
    "axes.ymargin": 0.09,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-4, 5),
    "grid.color": HAIR,
    "grid.linewidth": 0.5,
    **{f"{axis}tick.{name}": value for axis in "xy" for name, value in _TICKS.items()},
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "svg.hashsalt": "tegotae",  # the same figure gives the same bytes
    "path.simplify_threshold": 0.2,
}


@contextmanager
def style() -> Iterator[None]:
    """Everything drawn inside follows the style.

    Example:
        >>> from tegotae import figures
        >>> with figures.style():
        ...     figure, axes = figures.sheet(1, 2)
        >>> len(figure.axes)
        2
    """
    require(_SUBJECT, *FIGURES)
    import matplotlib
    from cycler import cycler

    settings: Any = {**_STYLE, "axes.prop_cycle": cycler(color=PALETTE)}
    with matplotlib.rc_context(settings):
        yield


def sheet(rows: int = 1, columns: int = 1, *, width: float = 7.2, height: float = 3.4) -> tuple[Figure, NDArray[Any]]:
    """An empty figure and its axes, an array of shape (rows, columns). Draw on it inside `style()`.

    Args:
        rows: of axes.
        columns: of axes.
        width: [inch].
        height: [inch].

    Example:
        >>> from tegotae import figures
        >>> with figures.style():
        ...     figure, axes = figures.sheet(2, 1)
        ...     line = axes[0, 0].plot([0, 1], [0, 1])
        >>> axes.shape
        (2, 1)
    """
    require(_SUBJECT, *FIGURES)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False)
    return figure, axes


def beside(
    rows: int, *, width: float, height: float, ratios: tuple[float, float], heights: tuple[float, ...] | None = None
) -> tuple[Figure, tuple[Axes, ...], Axes]:
    """A figure of panels above each other, and one as high as all of them at their right; `ratios` are of widths."""
    figure, grid = sheet(rows, 2, width=width, height=height)
    for axes in grid[:, 1]:
        axes.remove()
    spec = grid[0, 0].get_gridspec()
    spec.set_width_ratios(ratios)
    spec.set_height_ratios(heights)
    return figure, tuple(grid[:, 0]), figure.add_subplot(spec[:, 1])


@dataclass(frozen=True)
class Shown:
    """A quantity in the SI prefix that reads best.

    Args:
        values: the numbers, scaled [unit].
        unit: with its prefix.

    Example:
        >>> shown = Shown.of([0.0, 0.002], "m")
        >>> shown.unit, shown.values.tolist()
        ('mm', [0.0, 2.0])
    """

    values: NDArray[Any]
    unit: str

    @classmethod
    def of(cls, values: ArrayLike, unit: str) -> Shown:
        """Scaled so that its largest magnitude lies between 0.1 and 1000, if its unit takes prefixes."""
        array = np.asarray(values, dtype=np.float64)
        factor, prefix = _prefix(float(np.max(np.abs(array), initial=0.0)), unit)
        return cls(array * factor, prefix + unit)


def _prefix(largest: float, unit: str) -> tuple[float, str]:
    if "," in unit or " or " in unit:  # a prefix would stand before the first of several, and scale them all
        return 1.0, ""
    if unit.split("/")[0].split("·")[0] not in ("m", "N", "s", "W", "J", "rad"):
        return 1.0, ""
    for threshold, factor, prefix in ((1e3, 1e-3, "k"), (0.1, 1.0, ""), (1e-4, 1e3, "m"), (1e-7, 1e6, "µ")):
        if largest >= threshold and not (prefix == "k" and unit in ("s", "rad")):
            return factor, prefix
    return (1.0, "") if largest == 0.0 else (1e9, "n")


def thinned(*records: NDArray[Any]) -> NDArray[np.int64]:
    """The ticks worth drawing: all of a short record; of a long one the extremes of every bin, so no peak is lost.

    Args:
        records: of equal length over time [any unit]; the extremes of each are kept.

    Example:
        >>> import numpy as np
        >>> spike = np.zeros(100_000)
        >>> spike[54321] = 1.0
        >>> 54321 in thinned(spike)
        True
    """
    ticks = records[0].shape[0]
    if ticks <= _MOST_POINTS:
        return np.arange(ticks)
    size = -(-ticks // (_MOST_POINTS // (2 * len(records))))
    whole = ticks // size * size
    starts = np.arange(0, whole, size)
    kept: list[NDArray[np.int64]] = [np.array([0, ticks - 1])]
    for record in records:
        bins = record[:whole].reshape(-1, size)
        kept += [starts + bins.argmin(axis=1), starts + bins.argmax(axis=1)]
        if whole < ticks:
            kept.append(whole + np.array([record[whole:].argmin(), record[whole:].argmax()]))
    return np.unique(np.concatenate(kept))


def say(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    color: str = INK,
    *,
    ha: Literal["left", "center", "right"] = "left",
    va: Literal["top", "center", "bottom", "baseline"] = "center",
    boxed: bool = False,
) -> None:
    """Write a word beside what it speaks of, in its colour, instead of in a legend's box.

    Args:
        axes: where it goes.
        text: the word.
        at: where, in the units of the axes [data].
        color: of the curve it speaks of.
        ha: which side of the word lies there.
        va: which height of the word lies there.
        boxed: on white, where curves run behind it.

    Example:
        >>> from tegotae.figures import FORCE
        >>> with style():
        ...     figure, axes = sheet()
        ...     say(axes[0, 0], "force", (1.0, 1.0), FORCE)
        >>> [text.get_text() for text in axes[0, 0].texts]
        ['force']
    """
    box = {"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.0} if boxed else None
    axes.annotate(text, at, color=color, fontsize=8.0, ha=ha, va=va, bbox=box)


def shade(axes: Axes, time: NDArray[Any], stuck: NDArray[np.bool_]) -> None:
    """Grey where it sticks: `stuck` tells for each tick whether the velocity is exactly zero.

    Args:
        axes: with time along x.
        time: in the axis's own unit [s or its prefix].
        stuck: one truth a tick.

    Example:
        >>> with style():
        ...     figure, axes = sheet()
        ...     shade(axes[0, 0], np.arange(3.0), np.array([True, True, False]))
        >>> len(axes[0, 0].collections)
        1
    """
    axes.fill_between(
        time, 0.0, 1.0, where=stuck.tolist(), transform=axes.get_xaxis_transform(), color=STUCK, lw=0, zorder=0
    )


def shade_stuck(rows: tuple[Axes, ...], time: Shown, stuck: NDArray[np.bool_]) -> bool:
    """Grey where it sticks, in every panel; whether there is any of it."""
    edges = np.unique(np.concatenate([[0, stuck.size - 1], *[np.flatnonzero(np.diff(stuck)) + i for i in (0, 1)]]))
    if not stuck.any() or edges.size > 2000:  # a chatter of bands would be one grey smear
        return False
    for axes in rows:
        shade(axes, time.values[edges], stuck[edges])
    return True


def time_axis(rows: tuple[Axes, ...], time: Shown) -> None:
    """One time axis for panels above each other, labelled below the last."""
    for axes in rows:
        first, last = float(time.values[0]), float(time.values[-1])
        if first < last:
            axes.set_xlim(0.0 if 0.0 < first < 0.05 * last else first, last)
        if axes is not rows[-1]:
            axes.tick_params(labelbottom=False)
    rows[-1].set_xlabel(f"time [{time.unit}]")


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure as PNG, SVG or PDF, by the suffix, all or nothing; return the path.

    Example:
        >>> import tempfile, os
        >>> figure, axes = sheet()
        >>> save(figure, os.path.join(tempfile.mkdtemp(), "empty.png")).name
        'empty.png'
    """
    target = checks.path_of("save", path)
    kind = target.suffix.lower()
    if kind not in FORMATS:
        raise FileError(
            f"Cannot write {target}: figures are not written as {kind or 'a file without suffix'}.\n"
            f"  Use {', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    with style(), checks.written_whole(target) as beside:
        # Without a date the same figure is the same file.
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[kind]
        figure.savefig(beside, format=kind[1:], metadata=metadata)
    return target
