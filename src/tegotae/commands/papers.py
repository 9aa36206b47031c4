"""`tegotae papers`: measure every claim, print the table, write the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tegotae.commands import console as words
from tegotae.errors import FileError
from tegotae.extras import FIGURES, require
from tegotae.papers import PAPERS, load_paper, report
from tegotae.papers.ledger import Entry, Paper, as_json

_MARKS = {
    "passed": Text("passed", style="green"),
    "failed": Text("FAILED", style="bold red"),
    "not checked": Text("not checked", style="yellow"),
}


def run(key: str | None, json: Path | None, figures: Path | None, page: Path, no_report: bool) -> int:
    """0 if every claim that could be checked here held, and every figure could be drawn; else 1."""
    report_path = None if no_report else page
    words.refuse_unwritable(json)
    words.refuse_unwritable(report_path)
    if report_path is not None:
        require(f"Writing {report_path}", *FIGURES, instead="add --no-report")
    words.refuse_no_folder(figures, needs=FIGURES)
    words.refuse_same({"--json": json, "--report": report_path, "--figures": figures})
    papers = [load_paper(k) for k in ([key] if key is not None else PAPERS)]
    drawing = figures is not None or report_path is not None
    total = sum(len(p.claims) + (len(p.figures) if drawing else 0) for p in papers)
    entries: list[Entry] = []
    drawn: list[report.Drawn] = []
    with words.watching(total) as watch:
        for paper in papers:
            entries += paper.check(on_claim=lambda claim: watch.step(claim.id))
            if drawing:
                drawn += report.draw(paper, on_figure=lambda plate: watch.step(f"figure {plate.name}"))
    console = words.out()
    for paper in papers:
        _show(console, paper, [e for e in entries if e.paper == paper.key])
    for one in drawn:
        if one.figure is None:
            console.print(f"figure {one.name} of {one.paper} could not be drawn: {one.error}", markup=False)
    words.keep_json(console, json, as_json(papers, entries), "the ledger")
    if figures is not None:
        _save_figures(console, figures, drawn)
    if report_path is not None:
        report.write(report_path, papers, entries, drawn)
        words.wrote(console, report_path, "the report")
    return int(any(e.status == "failed" for e in entries) or any(one.figure is None for one in drawn))


def _show(console: Console, paper: Paper[Any], entries: Sequence[Entry]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", title_justify="left", padding=(0, 2, 1, 0))
    table.add_column("")
    for name, ratio in (("claim", 4), ("source", 2), ("measured", 4), ("bound", 2)):
        table.add_column(name, ratio=ratio)
    for entry in entries:
        mark = _MARKS[entry.status].copy()
        claim = Text(entry.id, style="bold").append("\n" + entry.statement, style="not bold")
        if not entry.as_printed:
            claim.append("\nnot as printed", style="yellow")
        if entry.note:
            claim.append("\n" + entry.note, style="dim")
        rows = entry.findings
        measured = "\n".join(f.measured_text for f in rows) or entry.measured
        table.add_row(mark, claim, entry.source, Text(measured), Text("\n".join(f.bound_text for f in rows)))
    console.print(Text(f"{paper.title} ({paper.key})", style="bold"), Text(paper.authors, style="dim"), "", sep="\n")
    console.print(table, "", sep="\n")
    for declined in paper.declined:
        console.print(Text(f"declined: {declined.what} ({declined.source}): {declined.reason}", style="dim"))
    missing = sorted({name for e in entries for name in e.missing})
    checked = [e for e in entries if not e.missing]
    passed = sum(e.passed for e in checked)
    style = "bold green" if passed == len(checked) else "bold red"
    verdict = Text(f"{passed} of {len(checked)} claims of {paper.key} passed", style=style)
    if missing:
        unchecked = len(entries) - len(checked)
        verdict.append(f"; {unchecked} not checked here, without {', '.join(missing)}", style="bold yellow")
    console.print(verdict, "", sep="\n")


def _save_figures(console: Console, folder: Path, drawn: Sequence[report.Drawn]) -> None:
    from tegotae.figures import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"Cannot write figures to {folder}: {error.strerror}.\n  Choose another folder.") from error
    for one in drawn:
        if one.figure is not None:
            words.wrote(console, save(one.figure, folder / f"{one.paper}-{one.name}.png"), "a figure")
