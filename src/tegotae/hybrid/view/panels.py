"""What the page shows beside the scene: curves over the last seconds, and small tables of nodes and events."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.links.packets import NodeState
from tegotae.hybrid.view.feed import Feed, Seen, thinned

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
        grid = uplot.Axis_Grid(stroke="#e6eaef", width=1)
        ticks = uplot.Axis_Ticks(stroke="#cbd3dc", width=1, size=4)
        self._shown, self._range = SHOWN, (0.0, self._least)
        self.handle: GuiUplotHandle = gui.add_uplot(
            data=(np.array([-SHOWN, 0.0]), *np.zeros((len(self._curves), 2))),
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


GOOD, POOR, BAD, QUIET = "#1a8754", "#b7791f", "#c62839", "#7a8594"
_TROUBLE = NodeState.LATCHED | NodeState.OVERLOAD | NodeState.EMERGENCY | NodeState.FAULT
_CARE = NodeState.COASTING | NodeState.RAMPING | NodeState.HELD | NodeState.LIMITED
_LEVELS = {"info": QUIET, "warning": POOR, "trip": BAD}
_CELL = "padding:2px 6px 2px 0;vertical-align:top"
_BLOCK = "padding:4px 12px;line-height:1.5;font-size"


def state_words(state: int) -> str:
    """The flags of a state in words.

    Example:
        >>> state_words(3), state_words(0)
        ('running, contact', 'idle')
    """
    return ", ".join(str(flag.name).lower() for flag in NodeState if state & flag) or "idle"


def node_table(alive: Mapping[str, Mapping[str, object]], status: Mapping[str, Mapping[str, Any]]) -> str:
    """The nodes as an HTML table: whether they are there, and of what each told, which `status_of` has judged, what it
    does, deadlines, packets, round trip.
    """
    head = "".join(
        f'<th style="{_CELL};text-align:left;font-weight:500;color:{QUIET}">{escape(word)}</th>'
        for word in ("node", "state", "missed", "lost", "round trip")
    )
    body = "".join(_node_row(name, name in alive, status.get(name, {})) for name in sorted({*alive, *status}))
    if not body:
        body = f'<tr><td colspan="5" style="color:{QUIET}">no node has been heard of yet</td></tr>'
    table = f'<table style="width:100%;border-collapse:collapse"><tr>{head}</tr>{body}</table>'
    return f'<div style="{_BLOCK}:12px">{table}</div>'


def _node_row(name: str, here: bool, status: Mapping[str, Any]) -> str:
    flags: int = status.get("state", 0)
    ended = status.get("ended") is True and not here
    colour = BAD if not here or flags & _TROUBLE else POOR if flags & _CARE else GOOD
    if ended or status.get("done") is True:  # as it should be
        colour = QUIET
    if not here:
        words = "ended" if ended else "gone"
    elif "state" in status:
        words = state_words(flags)
    else:
        words = "here"
    link = status.get("link", {})
    trip = link.get("round_trip_p50") or 0.0
    cells = (
        f'<span style="white-space:nowrap"><span style="color:{colour}">●</span> {escape(name)}</span>',
        f'<span style="color:{colour}">{escape(words)}</span>',
        _count(status.get("deadlines", {}).get("missed")),
        _count(link.get("lost")),
        f"{1e3 * trip:.2f} ms" if trip > 0.0 else "–",
    )
    more = "".join(
        f'<tr><td></td><td colspan="4" style="{_CELL};color:{QUIET}">{escape(line)}</td></tr>'
        for line in status.get("words", [])[:3]
    )
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>" + more


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def event_lines(events: Sequence[Mapping[str, Any]], problems: Sequence[str]) -> str:
    """The last events, newest first, and what the page itself has to say, as HTML."""
    lines = [f'<div style="color:{POOR}">{escape(problem)}</div>' for problem in problems]
    for event in events:
        colour = _LEVELS.get(event["level"], QUIET)
        lines.append(
            f'<div><span style="color:{QUIET}">{escape(event["came"])}</span> '
            f'<span style="color:{colour}">{escape(event["node"])}: {escape(event["text"])}</span></div>'
        )
    return f'<div style="{_BLOCK}:12px">{"".join(lines) or "nothing has happened yet"}</div>'


def headline(seen: Seen) -> str:
    """The run in one line, as HTML: simulated time [s], contact, force [N], delay and stiffness as identified."""
    if (row := seen.dynamics) is None:
        return f'<div style="{_BLOCK}:13px">waiting for the dynamics node …</div>'
    force = float(np.linalg.norm(seen.force))
    touch = f'<b style="color:{BAD}">in contact, {force:.2f} N</b>' if seen.contact else "apart"
    rest = f"loop delay {1e3 * float(row['delay']):.1f} ms · stiffness {1e-3 * float(row['stiffness']):.2f} N/mm"
    return (
        f'<div style="{_BLOCK}:13px"><b>{float(row["simulated"]):.2f} s</b> simulated · {touch}<br>'
        f'<span style="color:{QUIET}">{rest}</span></div>'
    )
