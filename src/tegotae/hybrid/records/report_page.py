"""The report of a run as one HTML page: numbers, figures, contacts, events; no links outward, opens offline."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tegotae import checks
from tegotae.figures.page import captioned, html_page, tiles
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.records.report import SHOWN, number_shown, shown

_MOST_EVENTS = 200
_STYLE = """
table.numbers td:first-child { width: 55%; }
table.numbers td:nth-child(2) { text-align: right; white-space: nowrap; }
table.numbers td:last-child { color: var(--quiet); width: 14%; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(380px, 1fr)); gap: 0 56px; }
table.wide th { text-align: right; font-weight: 600; color: var(--quiet); padding: 2px 0 6px 12px; }
table.wide td, table.wide td:first-child { text-align: right; width: auto; padding: 2px 0 2px 12px; color: var(--ink); }
table.events td { padding: 3px 12px 3px 0; width: auto !important; }
table.events td:last-child { width: 70% !important; }
tr.trip td { color: var(--bad); } tr.warning td { color: var(--warn); }
ul.words { padding-left: 18px; margin: 0 0 12px; }
.scroll { overflow-x: auto; }
"""
_CONTACT = (
    "The contact: the force on the bodies, at the sensor and of a spring alone; the gap; "
    "the bodies' kinetic energy and what the guard allows and takes."
)
_COLUMNS = {
    "touched": ("touched", "s", 1.0),
    "energy_before": ("energy before", "mJ", 1e3),
    **{name: SHOWN[name] for name in ("duration", "peak_force", "sensor_peak", "restitution", "energy_gained",
       "work_applied", "work_device", "work_created", "guard_removed", "unexplained")},
}  # fmt: skip


def write_page(path: str | os.PathLike[str], summary: Mapping[str, Any], log: LogReader) -> Path:
    """Write the page, all or nothing, and return its path."""
    text = page(summary, log)
    with checks.written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return Path(path)


def page(summary: Mapping[str, Any], log: LogReader) -> str:
    """The page as text."""
    name = Path(log.path).name
    parts = [_header(summary, name), _numbers(summary), *_figures(summary, log), _contacts(summary)]
    footer = f""" from {escape(name)}; the same numbers in a
terminal: <code>tegotae hybrid report</code>."""
    return html_page(name, [*parts, _events(log), _about(log)], footer, rules=_STYLE)


def _header(summary: Mapping[str, Any], title: str) -> str:
    def number(name: str, factor: float = 1.0) -> str:
        return number_shown(summary.get(name), factor)

    gained = (summary.get("restitution") or 0.0) > 1.001
    counts = [
        (number("peak_force"), "N peak force", ""),
        (number("duration", 1e3), "ms of contact", ""),
        (number("restitution"), "restitution", "bad" if gained else "good" if summary.get("restitution") else ""),
        (number("delay", 1e3), "ms delay", ""),
        (number("deadlines_missed"), "deadlines missed", "warn" if summary.get("deadlines_missed") else "good"),
        (number("packets_lost"), "packets lost", "warn" if summary.get("packets_lost") else ""),
        (str(len(summary.get("trips") or ())), "trips", "bad" if summary.get("trips") else ""),
    ]
    words = "".join(f"<li>{escape(each)}</li>" for each in summary.get("words") or ())
    states = {name: summary.get(name) for name in ("guard", "compensation")}
    switches = ", ".join(f"{name} {'on' if on else 'off'}" for name, on in states.items() if on is not None)
    lead = " · ".join(filter(None, [summary.get("started") or "", switches]))
    return f"""<header>
<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
<ul class="words">{words}</ul>
<div class="counts">{tiles(counts)}</div>
</header>"""


def _numbers(summary: Mapping[str, Any]) -> str:
    rows = [
        f"<tr><td>{escape(name.strip())}</td><td>{escape(value)}</td><td>{escape(unit)}</td></tr>"
        for name, value, unit in shown(summary)
    ]
    half = -(-len(rows) // 2)
    tables = "".join(f'<table class="numbers">{"".join(part)}</table>' for part in (rows[:half], rows[half:]))
    return f'<h3>Numbers</h3><div class="columns">{tables}</div>'


def _figures(summary: Mapping[str, Any], log: LogReader) -> list[str]:
    if not log.dynamics.size:
        return []
    from tegotae.figures import hybrid

    plates = [
        (hybrid.contact(log, summary), _CONTACT),
        (hybrid.overview(log, summary), "The whole run on the clock of the dynamics node; lines: warnings and trips."),
        (hybrid.timing(log, summary), "The delay of the loop, and how late the ticks of both nodes began."),
    ]
    drawn = "".join(captioned(figure, caption) for figure, caption in plates)
    return [f'<h3>Figures</h3><div class="plates" style="max-width:none">{drawn}</div>']


def _contacts(summary: Mapping[str, Any]) -> str:
    contacts: Sequence[Mapping[str, Any]] = summary.get("contacts") or ()
    if not contacts:
        return ""
    names = (f"{name} [{unit}]" if unit else name for name, unit, _ in _COLUMNS.values())
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{number_shown(each.get(key), factor)}</td>" for key, (_, _, factor) in _COLUMNS.items())
        + "</tr>"
        for each in contacts
    ).replace("-", "−")
    return (
        "<h3>Contacts, and where their energy went</h3>"
        f'<div class="scroll"><table class="wide"><tr>{head}</tr>{rows}</table></div>'
    )


def _events(log: LogReader) -> str:
    if not log.events:
        return ""
    kept = log.events[:_MOST_EVENTS]
    rows = "".join(
        f'<tr class="{escape(each["level"])}"><td>{each["at"]:.4f} s</td><td>{escape(each["node"])}</td>'
        f"<td>{escape(each['level'])}</td><td>{escape(each['text'])}</td></tr>"
        for each in kept
    )
    more = f"<p>{len(log.events) - len(kept)} more are in the log.</p>" if len(log.events) > len(kept) else ""
    return f'<h3>Events</h3><table class="events">{rows}</table>{more}'


def _about(log: LogReader) -> str:
    text = log.about.get("settings_text")
    versions = ", ".join(f"{name} {each}" for name, each in (log.about.get("versions") or {}).items())
    settings = f"<pre><code>{escape(text)}</code></pre>" if isinstance(text, str) else ""
    return f"<h3>Settings</h3>{settings}<p>{escape(versions)}</p>"
