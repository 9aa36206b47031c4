"""Words to the terminal: results on stdout, progress and errors on stderr, plain where there is no terminal."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from tegotae import checks
from tegotae.compile.telling import told_of_compiling
from tegotae.errors import FileError, TegotaeError
from tegotae.extras import FIGURES, require

FIGURE_FORMATS = (".png", ".svg", ".pdf")  # as tegotae.figures writes them; named here to keep matplotlib unloaded


class _Out(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end with 1 here, which is the code of a failed claim; `tegotae.cli` knows better."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def out() -> Console:
    """For what was asked for. Not a terminal: no colours, and wide enough to keep a table's rows on one line."""
    console = _Out(highlight=False)
    return console if console.is_terminal else _Out(highlight=False, width=200)


def columns(*names: str, right: tuple[int, ...] = ()) -> Table:
    """A table without lines, with a head if a column has a name; those of numbers are set to the right."""
    table = Table(box=None, show_header=any(names), pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for i, name in enumerate(names):
        table.add_column(Text(name), justify="right" if i in right else "left")
    return table


def wrote(console: Console, path: str | os.PathLike[str], what: str) -> None:
    """Say what was written, and where."""
    console.print(f"wrote {what}: {Path(path)}", markup=False, soft_wrap=True)


def write_json(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Strict JSON, all or nothing."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with checks.written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


def keep_json(console: Console, path: Path | None, content: Mapping[str, Any], what: str) -> None:
    """Write it as JSON where that was asked for, and say so."""
    if path is not None:
        write_json(path, content)
        wrote(console, path, what)


def refuse_no_folder(path: Path | None, *, needs: tuple[str, ...] = ()) -> None:
    """Refuse a folder that cannot be made or written, before the work; `needs` are the modules that write into it."""
    if path is None:
        return
    place = Path(os.path.realpath(path))
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise FileError(f"Cannot write to the folder {path}: {place} is a file.\n  Name a folder.")
    if not os.access(place, os.W_OK):
        raise FileError(f"Cannot write to the folder {path}: {place} is read-only.\n  Choose another folder.")
    require(f"Writing to {path}", *needs)


def refuse_unwritable(
    path: Path | None, *, figure: bool = False, suffixes: tuple[str, ...] = (), needs: tuple[str, ...] = ()
) -> None:
    """Refuse a path that cannot be written before the work, not after; `needs` are the modules that write it."""
    if path is None:
        return
    if not path.name:
        raise FileError(f"Cannot write '{path}': it names no file.\n  Name one, such as {path / 'result'}.")
    allowed, what = (FIGURE_FORMATS, "figures are") if figure else (suffixes, "it is")
    if allowed and path.suffix.lower() not in allowed:
        remedy = "Choose one of these suffixes." if len(allowed) > 1 else f"Name it {path.with_suffix(allowed[0])}."
        raise FileError(f"Cannot write {path}: {what} written as {', '.join(allowed)}.\n  {remedy}")
    checks.target_of(path)
    require(f"Writing {path}", *(FIGURES if figure else needs))


def refuse_same(paths: Mapping[str, Path | None]) -> None:
    """Refuse two options (name -> path) that name one file, before the second overwrites the first."""
    seen: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        place = Path(os.path.realpath(path))
        if place in seen:
            raise FileError(
                f"Cannot write {path}: {seen[place]} and {option} name the same file.\n  Give each its own name."
            )
        seen[place] = option


class ProgressBar:
    """A progress bar on a terminal; silence elsewhere."""

    def __init__(self, progress: Progress, total: int | None):
        self._progress = progress
        self._task = progress.add_task("", total=total)
        self._done = 0

    def step(self, name: str) -> None:
        """`name` begins; what came before it is done."""
        self._progress.update(self._task, description=name, completed=self._done)
        self._done += 1

    def say(self, console: Console, line: RenderableType) -> None:
        """A line that stays, written at once; a bar on the same screen steps aside for it."""
        if not self._progress.disable:
            self._progress.stop()
        console.print(line, soft_wrap=True)
        if not self._progress.disable:
            self._progress.start()


@contextmanager
def watching(total: int | None = None) -> Iterator[ProgressBar]:
    """Progress on stderr while the block runs; nothing is left on the screen afterwards."""
    console = Console(stderr=True)
    columns = [SpinnerColumn(), TextColumn("{task.description}")]
    bar = [] if total is None else [BarColumn(bar_width=24), MofNCompleteColumn()]
    progress = Progress(*columns, *bar, console=console, transient=True, disable=not console.is_terminal)
    with progress, compiling_shown(progress):
        yield ProgressBar(progress, total)


@contextmanager
def reworded(reword: Callable[[str], str]) -> Iterator[None]:
    """What the block refuses is told in other words: those of the command line instead of the library's."""
    try:
        yield
    except TegotaeError as error:
        error.args = (reword(str(error)), *error.args[1:])  # the same error: it may carry more than words
        raise


_COMPILING = ", compiling"


@contextmanager
def compiling_shown(progress: Progress) -> Iterator[None]:
    """While the block runs, the tasks of a progress bar say so when something is compiled."""

    def tell(now: bool) -> None:
        for task in progress.tasks:
            name = task.description.removesuffix(_COMPILING)
            progress.update(task.id, description=f"{name}{_COMPILING}" if now else name)

    with told_of_compiling(tell):
        yield
