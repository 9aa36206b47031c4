"""One side of `tegotae bench --against`: a process that plays the contests of the tegotae on its path.

The tree that asks ships it to both sides, so of a side it uses only what every commit has: contests with a name and a
`play`, outcomes with a bound, and `in_turn`. It reads names of contests, one a line, and answers each with a line of
JSON; whatever a contest prints itself goes to stderr.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNIT = re.compile(r"^<=? \S+ (m?s|us|ns)$|\[(m?s|us|ns)\]$")


def parts() -> tuple[list[ModuleType], dict[str, str]]:
    """The modules of this side's bench, and what kept others from being imported."""
    bench = importlib.import_module("tegotae.bench")
    found, broken = [], {}
    for info in pkgutil.iter_modules(bench.__path__, "tegotae.bench."):
        if info.ispkg or info.name.endswith("_script"):  # kernels, and what another Python runs
            continue
        try:
            found.append(importlib.import_module(info.name))
        except Exception as error:
            broken[info.name] = f"{type(error).__name__}: {error}"
    return found, broken


def watch(modules: Iterable[ModuleType], tell: Callable[[dict[str, float]], None]) -> None:
    """Have `tell` called with what `in_turn` measured, whichever of the modules called it."""
    original = importlib.import_module("tegotae.bench.contest").in_turn

    @functools.wraps(original)
    def in_turn(*given: Any, **named: Any) -> dict[str, float]:
        best: dict[str, float] = original(*given, **named)
        tell(best)
        return best

    for module in modules:
        if getattr(module, "in_turn", None) is original:
            module.in_turn = in_turn  # type: ignore[attr-defined]


def seconds_of(outcome: Any) -> float | None:
    """The value of an outcome [s], if it is a time: the unit stands in the bound, or ends the name.

    Example:
        >>> from tegotae.bench import Outcome
        >>> seconds_of(Outcome("compile", "", 1.5, "<= 2 s", True))
        1.5
        >>> seconds_of(Outcome("fast link [us]", "", 2.0, "<= 100", True))
        2e-06
        >>> seconds_of(Outcome("times faster", "", 12.0, ">= 10", True)) is None
        True
    """
    unit = _UNIT.search(str(outcome.bound)) or _UNIT.search(str(outcome.name))
    return None if unit is None else float(outcome.value) * SECONDS[unit[1] or unit[2]]


def numbered(name: str, taken: Iterable[str]) -> str:
    """A name for the second, third, ... time that goes by the name of the first."""
    return next(one for k in range(1, 10**9) if (one := name if k == 1 else f"{name} {k}") not in taken)


class Player:
    """The contests of this side by name."""

    def __init__(self) -> None:
        modules, self.broken = parts()
        self.contests = {contest.name: contest for part in modules for contest in getattr(part, "CONTESTS", ())}
        self._best: list[dict[str, float]] = []
        watch(modules, lambda best: self._best.append(dict(best)))

    def hello(self) -> dict[str, Any]:
        """Where this side is, its contests, and what of it could not be imported."""
        about = {
            name: {"yardsticks": list(getattr(contest, "yardsticks", ())), "code": _code(contest.play)}
            for name, contest in self.contests.items()
        }
        place = importlib.import_module("tegotae").__file__
        return {"place": place, "contests": about, "broken": self.broken}

    def play(self, name: str) -> dict[str, Any]:
        """Play one: the times it took [s], or those its outcomes are if it took none itself, and what it skipped."""
        self._best.clear()
        try:
            contest = self.contests[name]
            outcomes = list(getattr(contest, "outcomes", contest.play)())
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"}
        times: dict[str, float] = {}
        for best in self._best:
            times |= {numbered(who, times): seconds for who, seconds in best.items()}
        played = [outcome for outcome in outcomes if outcome.played]
        if not times:  # what runs in processes of its own is timed there
            times = {one.name: seconds for one in played if (seconds := seconds_of(one)) is not None}
        times = {who: seconds for who, seconds in times.items() if 0.0 < seconds < float("inf")}
        skipped = [f"{one.name}: {one.measured}" for one in outcomes if not one.played]
        return {"times": times, "skipped": skipped}


def _code(play: Callable[[], object]) -> str:
    """A fingerprint of the function that plays; none of what has no source."""
    try:
        return hashlib.sha256(inspect.getsource(play).encode()).hexdigest()
    except (OSError, TypeError):
        return ""


def main() -> None:
    """Answer until stdin ends."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        player = Player()
        print(json.dumps(player.hello()), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(player.play(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
