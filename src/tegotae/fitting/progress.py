"""Progress on work that takes longer than a second: on standard error, never in what a program prints."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tegotae import checks
from tegotae.compile.telling import told_of_compiling

PATIENCE = 1.0  # [s] of silence before anything is shown


@contextmanager
def reporter(progress: bool | Callable[[str, float], None] | None) -> Iterator[Callable[[str, float], None]]:
    """A function (stage, fraction done) that shows, calls or does nothing, as asked."""
    if not (progress is None or isinstance(progress, bool)):
        checks.function("fit", "progress", progress, "Give True, False, or a function of stage and share.")
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
    begun, shown, latest = time.monotonic(), False, "fit"
    waiting: list[threading.Timer] = []

    def show(stage: str) -> None:
        nonlocal shown
        if not shown:
            bar.start()
            shown = True
        bar.update(task, description=stage)

    def tell(stage: str, fraction: float) -> None:
        nonlocal latest
        latest = stage
        bar.update(task, description=stage, completed=fraction)
        if shown or progress is True or time.monotonic() - begun > PATIENCE:
            show(stage)

    def compiles(now: bool) -> None:
        """Whoever compiles tells no stage: the bar comes by itself when that takes long."""
        while waiting:
            waiting.pop().cancel()
        if now:
            waiting.append(threading.Timer(PATIENCE, show, ["compiling"]))
            waiting[0].start()
        elif shown:
            show(latest)

    try:
        with told_of_compiling(compiles):
            yield tell
    finally:
        compiles(False)
        if shown:
            bar.stop()
