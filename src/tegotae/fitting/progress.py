"""Progress on work that takes longer than a second: on standard error, never in what a program prints."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # [s] of silence before anything is shown


@contextmanager
def reporter(progress: bool | Callable[[str, float], None] | None) -> Iterator[Callable[[str, float], None]]:
    """A function (stage, fraction done) that shows, calls or does nothing, as asked."""
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield lambda stage, fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    )
    task = bar.add_task("fit", total=1.0)
    begun, shown = time.monotonic(), False

    def tell(stage: str, fraction: float) -> None:
        nonlocal shown
        if not shown and (progress is True or time.monotonic() - begun > PATIENCE):
            bar.start()
            shown = True
        bar.update(task, description=stage, completed=fraction)

    try:
        yield tell
    finally:
        if shown:
            bar.stop()
