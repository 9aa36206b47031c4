"""What the page says of the nodes and of what happened, as small tables; every foreign word is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from tegotae.hybrid.links.packets import NodeState
from tegotae.hybrid.view.feed import Seen

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


def _node_row(name: str, here: bool, told: Mapping[str, Any]) -> str:
    flags: int = told.get("state", 0)
    ended = told.get("ended") is True and not here
    colour = BAD if not here or flags & _TROUBLE else POOR if flags & _CARE else GOOD
    if ended or told.get("done") is True:  # as it should be
        colour = QUIET
    words = "ended" if ended else "gone" if not here else state_words(flags) if "state" in told else "here"
    link = told.get("link", {})
    trip = link.get("round_trip_p50") or 0.0
    cells = (
        f'<span style="white-space:nowrap"><span style="color:{colour}">●</span> {escape(name)}</span>',
        f'<span style="color:{colour}">{escape(words)}</span>',
        _count(told.get("deadlines", {}).get("missed")),
        _count(link.get("lost")),
        f"{1e3 * trip:.2f} ms" if trip > 0.0 else "–",
    )
    more = "".join(
        f'<tr><td></td><td colspan="4" style="{_CELL};color:{QUIET}">{escape(line)}</td></tr>'
        for line in told.get("words", [])[:3]
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
