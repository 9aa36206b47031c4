"""The ledger as one HTML page: figures inside, no links outward, opens offline, prints well, light or dark."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegotae import checks
from tegotae.figures.page import captioned, html_page, tiles
from tegotae.papers.ledger import Entry, Finding, Paper, PaperFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawn:
    """A figure of the report: drawn, or the reason why not."""

    paper: str  # its key
    name: str
    caption: str
    figure: Figure | None  # None if drawing it raised
    error: str = ""  # what it raised


def draw(paper: Paper[Any], *, on_figure: Callable[[PaperFigure[Any]], None] = lambda plate: None) -> list[Drawn]:
    """Every figure of a paper; `on_figure` hears of each before. One that raises keeps its place, with the error."""
    drawn = []
    for plate in paper.figures:
        on_figure(plate)
        try:
            drawn.append(Drawn(paper.key, plate.name, plate.caption, plate.draw(paper.subject)))
        except Exception as error:
            drawn.append(Drawn(paper.key, plate.name, plate.caption, None, f"{type(error).__name__}: {error}"))
    return drawn


def write(
    path: str | os.PathLike[str], papers: Sequence[Paper[Any]], entries: Sequence[Entry], drawn: Sequence[Drawn]
) -> Path:
    """Write the report, all or nothing, and return its path."""
    text = page(papers, entries, drawn)
    with checks.written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return Path(path)


def page(papers: Sequence[Paper[Any]], entries: Sequence[Entry], drawn: Sequence[Drawn]) -> str:
    """The report of papers in this order, with their claims, measured, and their figures, as text."""
    sections = [
        _section(
            paper, [entry for entry in entries if entry.paper == paper.key], [d for d in drawn if d.paper == paper.key]
        )
        for paper in papers
    ]
    footer = """. Everything on this page was measured when it was written;
the same table in a terminal: <code>tegotae papers</code>."""
    return html_page("papers, checked", [f"{_header(papers, entries)}\n", *sections], footer)


def _header(papers: Sequence[Paper[Any]], entries: Sequence[Entry]) -> str:
    passed = sum(entry.status == "passed" for entry in entries)
    failed = sum(entry.status == "failed" for entry in entries)
    unchecked = len(entries) - passed - failed
    corrected = sum(not entry.as_printed for entry in entries)
    declined = sum(len(paper.declined) for paper in papers)
    counts = [
        (passed, "claim holds" if passed == 1 else "claims hold", "good"),
        (failed, "failed", "bad" if failed else ""),
        *([(unchecked, "not checked here", "warn")] if unchecked else []),
        (corrected, "not as printed", "warn" if corrected else ""),
        (declined, "declined", ""),
    ]
    return f"""<header>
<h1>tegotae</h1>
<p class="lead">What the papers say, measured anew for this page. A claim holds if every number keeps its bound.</p>
<div class="counts">{tiles(counts)}</div>
</header>"""


def _section(paper: Paper[Any], entries: Sequence[Entry], drawn: Sequence[Drawn]) -> str:
    parts = [
        f'<section id="{escape(paper.key)}">',
        f"<h2>{escape(paper.title)}</h2>",
        f'<p class="by">{escape(paper.authors)} · <code>{escape(paper.key)}</code></p>',
        f'<div class="claims">{"".join(_claim(entry) for entry in entries)}</div>',
    ]
    if drawn:
        parts.append(f'<h3>Figures</h3><div class="plates">{"".join(_plate(d) for d in drawn)}</div>')
    if paper.declined:
        rows = "".join(
            f"<li>{escape(d.what)} ({escape(d.source)}). <span>Declined: {escape(d.reason)}.</span></li>"
            for d in paper.declined
        )
        parts.append(f'<h3>Declined</h3><ul class="declined">{rows}</ul>')
    return "\n".join([*parts, "</section>\n"])


def _claim(entry: Entry) -> str:
    kind, sign = {"passed": ("good", "✓"), "failed": ("bad", "✗"), "not checked": ("warn", "–")}[entry.status]
    word = entry.status
    tag = "" if entry.as_printed else ' <span class="tag">not as printed</span>'
    note = f'<p class="note">{escape(entry.note)}</p>' if entry.note else ""
    rows = "".join(_row(finding) for finding in entry.findings)
    return f"""
<div class="claim"><span class="mark {kind}" role="img" aria-label="{word}" title="{word}">{sign}</span>
<div><p>{escape(entry.statement)}{tag}</p>
<p class="meta">{escape(entry.source)} · <code>{escape(entry.id)}</code></p>{note}</div>
<table>{rows or f"<tr><td>{escape(entry.measured)}</td></tr>"}</table></div>"""


def _row(finding: Finding) -> str:
    sign = {"<=": "≤", ">=": "≥"}.get(finding.comparison, escape(finding.comparison))
    bad = "" if finding.passed else " bad"
    return (
        f"<tr><td>{escape(finding.name)}</td>"
        f'<td class="value{bad}">{_number(finding.value)}&#8239;{escape(finding.unit)}</td>'
        f'<td class="bound">{sign} {_number(finding.bound)}&#8239;{escape(finding.unit)}</td></tr>'
    )


def _number(value: float) -> str:
    """Six digits, powers of ten written as such."""
    mantissa, _, power = f"{value:.6g}".replace("-", "−").partition("e")
    return f"{mantissa}×10<sup>{power.replace('+', '').replace('−0', '−').lstrip('0')}</sup>" if power else mantissa


def _plate(drawn: Drawn) -> str:
    if drawn.figure is None:
        return (
            f'<figure><figcaption>{escape(drawn.caption)} <span class="bad">Not drawn: {escape(drawn.error)}</span>'
            "</figcaption></figure>"
        )
    return captioned(drawn.figure, drawn.caption)
