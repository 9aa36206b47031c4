"""The shapes of a rod through time, as a strip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tegotae.figures.colours import BLUE, HAIR, INK, QUIET, VERMILION
from tegotae.figures.style import Axes, Values
from tegotae.result import Result

_POINTS = 240  # of an outline, at least
_FEW = 10  # nodes that are marked on the line
MOST_PHASES = 4  # panels side by side
_CLOSE = 0.16  # of a panel: stamps nearer to each other would overlap
RAMP = ("#c9dcec", BLUE, "#0d2f4d")  # early to late


def lengths_of(result: Result) -> Values:
    """Of the segments [m], from chord and bend, where each is straightest."""
    bend = np.diff(result.angle, axis=1)
    row, segment = np.argmin(np.abs(bend), axis=0), np.arange(bend.shape[1])
    chord = np.linalg.norm(np.diff(result.position, axis=1), axis=2)[row, segment]
    return np.asarray(chord / np.abs(np.sinc(bend[row, segment] / (2.0 * np.pi))))


def outline(angle: Values, base: Values, lengths: Values) -> tuple[Values, Values]:
    """A rod as a smooth line through its nodes, x and y [m].

    Args:
        angle: of every node [rad].
        base: (x, y) [m].
        lengths: of the segments [m].
    """
    from tegotae.rod.integrals import up_to

    parts = np.linspace(0.0, 1.0, max(3, _POINTS // lengths.size))
    offsets = up_to(parts, angle, lengths, 16)[0].sum(axis=2)
    ends = np.concatenate([[0.0], np.cumsum(offsets[:-1, -1])])
    line = (offsets + ends[:, None] + complex(base[0], base[1])).ravel()
    return line.real, line.imag


# ------------------------------------------------------------ panels


def strip(
    axes: Iterable[Axes], result: Result, ends: Values, *, words: Sequence[str] | None = None, shapes: int = 7
) -> None:
    """Panels of shapes, from light at the start of each to dark at its end, the tip marked.

    Args:
        axes: one a panel.
        result: of a rod.
        ends: when each panel ends [s].
        words: above each panel; its times unless given.
        shapes: in a panel, at equal times.
    """
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("time", RAMP)
    lengths = lengths_of(result)
    begin = float(result.time[0])
    for i, (place, end) in enumerate(zip(axes, ends, strict=True)):
        rows = np.unique(np.searchsorted(result.time, np.linspace(begin, end, shapes) - 1e-9))
        tips = result.position[rows[0] : rows[-1] + 1, -1]
        place.plot(tips[:, 0], tips[:, 1], color=QUIET, lw=0.6, alpha=0.8, zorder=1)
        for part, row in zip(np.linspace(0.0, 1.0, rows.size), rows, strict=True):
            _shape(place, result, int(row), lengths, shades(float(part)))
        _stamps(place, result, [int(rows[-1]), int(rows[0]), int(rows[rows.size // 2])])
        _hold(place, result, rows, float(end))
        _things(place, result)
        pad(place)
        place.set_title(words[i] if words else _span(result, begin, float(end)), loc="left")
        place.set_xlabel("x [m]")
        place.locator_params(axis="x", nbins=6 if len(ends) > 1 else 9)
        if i == 0:
            place.set_ylabel("y [m]")
        place.set_aspect("equal", adjustable="datalim")
        begin = float(end)


def _shape(axes: Axes, result: Result, row: int, lengths: Values, color: Any) -> None:
    nodes = result.position[row]
    x, y = outline(result.angle[row], nodes[0], lengths)
    axes.plot(x, y, color=color, lw=1.8)
    axes.plot(*nodes[-1], "o", color=color, ms=3.5)
    if len(nodes) < _FEW:
        axes.plot(nodes[1:-1, 0], nodes[1:-1, 1], ".", color=color, ms=5.0)


def _hold(axes: Axes, result: Result, rows: Values, end: float) -> None:
    """A dot where the base is held, full; a ring where it was let go."""
    bases, ends = phases_of(result)
    if set(bases) <= {"free"}:
        return
    if base_at(result, end - 1e-9) != "free":
        places = np.unique(result.position[rows, 0], axis=0)
        axes.plot(*places.T, "o", color=VERMILION, ms=6.0 if len(places) == 1 else 4.0, zorder=5)
    else:
        last = max(i for i, base in enumerate(bases) if base != "free")
        row = min(int(np.searchsorted(result.time, ends[last] - 1e-9)), result.time.size - 1)
        axes.plot(*result.position[row, 0], "o", color="white", mec=VERMILION, ms=6.0, zorder=5)


def things_of(result: Result) -> str:
    """What stands around the rod, in words."""
    pegs, walls = (np.asarray(result.about.get(name, [])).size for name in ("pegs", "walls"))
    words = [
        ("pegs" if pegs > 3 else "the peg") if pegs else "",
        ("walls" if walls > 4 else "the wall") if walls else "",
    ]
    return " and ".join(word for word in words if word)


def _things(axes: Axes, result: Result) -> None:
    """Pegs as discs, walls as lines through their point, hatched on the side that nothing enters."""
    from matplotlib.patches import Circle

    for x, y, radius in np.asarray(result.about.get("pegs", [])).reshape(-1, 3):
        axes.add_patch(Circle((float(x), float(y)), float(radius), fc=HAIR, ec=QUIET, lw=0.8, zorder=1.5))
        axes.update_datalim([(x - radius, y - radius), (x + radius, y + radius)])
    for px, py, nx, ny in np.asarray(result.about.get("walls", [])).reshape(-1, 4):
        wall(axes, np.array([px, py]), np.array([nx, ny]))


def wall(axes: Axes, point: Values, normal: Values) -> None:
    """A line through a point, as long as the picture and where it is nearest to what is drawn; grey behind it.

    Args:
        axes: with all that moves already drawn.
        point: of the wall, in the units of the axes.
        normal: of length 1, away from what nothing enters.
    """
    low, high = axes.dataLim.get_points()
    size, along = float(max(high - low)), np.array([-normal[1], normal[0]])
    middle = point + along * float(along @ (0.5 * (low + high) - point))
    ends = np.stack([middle - 0.5 * size * along, middle + 0.5 * size * along])
    axes.plot(*ends.T, color=QUIET, lw=1.4, zorder=1.5)
    inside = np.concatenate([ends, (ends - 0.03 * size * normal)[::-1]])
    axes.fill(*inside.T, fc=HAIR, ec="none", zorder=1.4)


def pad(axes: Axes) -> None:
    """Room around the data for the stamps, as data: an axis of equal scale may take margins away."""
    low, high = axes.dataLim.get_points()
    wide, up = high - low
    margin = max(0.1 * float(np.sqrt(wide * up)), 0.03 * float(max(wide, up)))
    axes.update_datalim([low - margin, high + margin])
    axes.margins(0.0)
    axes.autoscale_view()


def _stamps(axes: Axes, result: Result, rows: Sequence[int]) -> None:
    """The times, beyond the tips, readable across lines; those that would overlap an earlier one are left out."""
    from matplotlib.patheffects import withStroke

    size = float(max(np.ptp(axes.dataLim.get_points(), axis=0)))
    digits = 1 if np.ptp(result.time) >= 2.0 else 2
    written: list[Values] = []
    for row in rows:
        tip, angle = result.position[row, -1], float(result.angle[row, -1])
        ahead = np.array([np.cos(angle), np.sin(angle)])
        place = tip + 0.08 * size * ahead
        if any(np.linalg.norm(place - other) < _CLOSE * size for other in written):
            continue
        written.append(place)
        axes.annotate(
            f"{result.time[row]:.{digits}f} s",
            (float(tip[0]), float(tip[1])),
            xytext=(18.0 * float(ahead[0]), 13.0 * float(ahead[1])),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7.5,
            color=INK,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=6,
        ).set_in_layout(False)


def phases_of(result: Result) -> tuple[list[str], Values]:
    """How the base is held in each phase, and when each ends [s]."""
    ends = np.atleast_1d(np.asarray(result.about.get("phase_ends", []), dtype=np.float64))
    return str(result.about.get("phase_bases", "")).split(), ends


def base_at(result: Result, time: float) -> str:
    """How the base is held at a time [s]; free where nothing was told."""
    bases, ends = phases_of(result)
    return bases[min(int(np.searchsorted(ends, time)), len(bases) - 1)] if bases else "free"


def _span(result: Result, begin: float, end: float) -> str:
    bases, ends = phases_of(result)
    word = f"{begin:.3g} to {end:.3g} s"
    if 1 < len(bases) == ends.size <= MOST_PHASES:
        word += f": {base_at(result, end - 1e-9)}"
    return word
