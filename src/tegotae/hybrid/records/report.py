"""What a log says in numbers: the contact, its energy, the loop's delay, deadlines, packets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.checks import Array
from tegotae.errors import FileError, InputError
from tegotae.hybrid.bus.messages import FINISHED
from tegotae.hybrid.bus.rows import KINDS
from tegotae.hybrid.links.packets import NodeState
from tegotae.hybrid.records.audit import ContactAudit, contacts_of, median, sound
from tegotae.hybrid.records.log import plain
from tegotae.hybrid.records.log_reader import LogReader

if TYPE_CHECKING:
    from rich.table import Table

NODES = ("dynamics", "table")
_OF_A_CONTACT = tuple(ContactAudit.__dataclass_fields__)

# name -> what it is called, its unit, the factor to it
SHOWN: dict[str, tuple[str, str, float]] = {
    "peak_force": ("peak force", "N", 1.0),
    "sensor_peak": ("peak at the sensor", "N", 1.0),
    "duration": ("duration of the contact", "ms", 1e3),
    "approach_speed": ("approach speed", "mm/s", 1e3),
    "parting_speed": ("parting speed", "mm/s", 1e3),
    "restitution": ("restitution", "", 1.0),
    "energy_gained": ("energy gained", "mJ", 1e3),
    "energy_gained_relative": ("  of the approach's energy", "%", 1e2),
    "work_applied": ("work on the bodies", "mJ", 1e3),
    "work_device": ("work of the true contact", "mJ", 1e3),
    "work_created": ("created by the loop", "mJ", 1e3),
    "guard_removed": ("taken by the guard", "mJ", 1e3),
    "unexplained": ("gained without the contact's work", "mJ", 1e3),
    "gained_by_steps": ("energy gained by the integrator alone", "%", 1e2),
    "mass": ("mass in the contact", "kg", 1.0),
    "stiffness": ("stiffness, identified", "N/m", 1.0),
    "damping": ("damping, identified", "N·s/m", 1.0),
    "delay": ("delay of the loop, identified", "ms", 1e3),
    "delay_by_labels": ("delay of the loop, by labels", "ms", 1e3),
    "deadlines_missed": ("deadlines missed", "", 1.0),
    "packets_lost": ("packets lost", "", 1.0),
    "stopping_time": ("promised: at rest without commands within", "ms", 1e3),
    "stopping_distance": ("promised: stops without commands within", "mm", 1e3),
    "log_rows_lost": ("rows lost on the way to the log", "", 1.0),
    "ticks": ("ticks", "", 1.0),
    "period": ("period", "ms", 1e3),
    "logged": ("length of the log", "s", 1.0),
}


def report(log: LogReader | str | os.PathLike[str]) -> dict[str, Any]:
    """Numbers of a run. What the log cannot tell is None; `words` say why.

    `peak_force` [N], `duration` [s], `restitution`, `energy_gained` [J] and the other numbers of a contact are those of
    the hardest contact that begins and ends in the log; `contacts` lists all. `delay` is the loop's, as identified [s].
    `deadlines_missed` and `packets_lost` count both nodes. `stopping_time` [s] and `stopping_distance` [m] are what the
    table promised of its rest. `gained_by_steps` is what the run's bodies gain of their kinetic energy in a bounce by
    the steps of the integrator alone, in any loop.

    Args:
        log: a log, or its path.

    Example:
        >>> import os, tempfile
        >>> from tegotae.hybrid.records.log import LogWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "empty.mcap")
        >>> LogWriter(path, {}).close()
        >>> summary = report(path)
        >>> summary["peak_force"] is None, summary["words"][0]
        (True, 'the log has no rows of the dynamics node')
    """
    log = log if isinstance(log, LogReader) else LogReader(log)
    refuse_incomplete("report", log)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what is not finite then is told as None
        return _reported(log)


def refuse_incomplete(owner: str, log: LogReader) -> None:
    """Refuse a log whose rows lack fields, as one of another version may."""
    for kind in NODES:
        present = getattr(log, kind).dtype.names or ()
        if missing := [name for name in KINDS[kind].names or () if name not in present]:
            raise FileError(
                f"{owner}: the {kind} rows of {log.path} have no {', '.join(missing[:5])}.\n"
                "  Give a log that this version of tegotae wrote."
            )


def _reported(log: LogReader) -> dict[str, Any]:
    contacts = contacts_of(log)
    hardest = max(contacts, key=lambda each: each.peak_force, default=None)
    summary: dict[str, Any] = dict.fromkeys(_OF_A_CONTACT) if hardest is None else asdict(hardest)
    if hardest is None:
        summary["delay"] = median(log.dynamics["delay"][log.dynamics["delay"] > 0.0])  # 0: not identified yet
    summary |= _loop(log) | _counts(log) | _settings(log)
    summary["contacts"] = [asdict(each) for each in contacts]
    # While something was simulated: that all stop when it is done is as it should be.
    ends = [each["at"] for each in log.events if each["node"] == "dynamics" and each["text"].startswith(FINISHED)]
    during = [each for each in log.events if not ends or each["at"] <= max(ends)]
    for level in ("trip", "warning"):
        kept = [each for each in during if each["level"] == level]
        summary[f"{level}s"] = [{name: each[name] for name in ("at", "node", "text")} for each in kept]
    summary["words"] = _words(log, summary)
    return dict(plain(summary))


def _loop(log: LogReader) -> dict[str, Any]:
    rows = log.dynamics
    time, steps = rows["simulated"], rows["steps"]
    both = np.concatenate([log.aligned[node] for node in NODES])
    stepped = np.diff(time, prepend=np.inf) / np.maximum(steps, 1)
    period = median(stepped[(stepped > 0.0) & (steps > 0)])
    # A measurement was heard before the steps of its tick.
    fresh = (rows["fresh"] == 1) & (steps > 0)
    age = (time - steps * np.nan_to_num(period) - rows["label"])[fresh]
    return {
        "ticks": int(rows.size),
        "ticks_without_measurement": int(np.count_nonzero(rows["fresh"] != 1)),
        "simulated": float(time[-1]) if time.size else 0.0,
        "logged": float(np.ptp(both)) if both.size else 0.0,
        "period": period,
        "delay_by_labels": median(age[age >= 0.0]),  # a table that goes on by itself is ahead: that is no delay
        "guard_removed_in_all": float(rows["removed"][-1]) if rows.size else 0.0,
        "lateness": {node: _spread(getattr(log, node)["lateness"]) for node in NODES},
    }


def _counts(log: LogReader) -> dict[str, Any]:
    missed = {node: _total(log.status.get(node, []), "deadlines", "missed") for node in NODES}
    lost = {node: _total(log.status.get(node, []), "link", "lost") for node in NODES}
    # A node tells its counts twice a second; what its rows show may be newer.
    seen = {node: max(_skipped(getattr(log, node)) - log.lost[node], 0) for node in NODES}
    best = {node: max(missed[node] or 0, seen[node]) for node in NODES}
    newest = log.status.get("dynamics", [{}])[-1].get("link") or {}
    promised = log.status.get("table", [{}])[-1].get("stopping") or {}
    return {
        "stopping_time": promised.get("time"),
        "stopping_distance": promised.get("distance"),
        "deadlines_missed": sum(best.values()),
        "deadlines_missed_by": best,
        "packets_lost": None if all(each is None for each in lost.values()) else sum(n or 0 for n in lost.values()),
        "packets_lost_by": lost,
        "round_trip": {name: newest.get(f"round_trip_{name}") for name in ("p50", "p99", "max")},
        "log_rows_lost": sum(log.lost.values()),
        "log_whole": log.whole,
        "_deadlines_told": all(missed[node] is not None for node in NODES if getattr(log, node).size),
    }


def _settings(log: LogReader) -> dict[str, Any]:
    settings = log.about.get("settings") or {}
    return {
        "guard": settings.get("guard"),
        "compensation": settings.get("compensation"),
        "clock": settings.get("clock"),
        # Two virtual runs are the same, whenever they were made.
        "started": None if settings.get("clock") == "virtual" else log.about.get("started"),
        "versions": log.about.get("versions"),
        "gained_by_steps": _gained_by_steps(settings),
    }


def _gained_by_steps(tables: Mapping[str, Any]) -> float | None:
    """What the run's bodies gain of their kinetic energy in a bounce, by the steps of its period alone [-]."""
    from tegotae.hybrid.nodes.assembly import expected_stiffness
    from tegotae.hybrid.settings import settings_of

    if "period" not in tables:  # the log of something else
        return None
    try:
        settings = settings_of(dict(tables))
        return settings.model.gained_by_steps(period=settings.period, stiffness=expected_stiffness(settings))
    except InputError:
        return None  # and the words say so


def _words(log: LogReader, summary: dict[str, Any]) -> list[str]:
    words = []
    if not log.dynamics.size:
        words.append("the log has no rows of the dynamics node")
    elif not summary["contacts"]:
        words.append("no contact begins and ends in the log: it was too short, or the two never met")
    if spoilt := log.dynamics.size - np.count_nonzero(sound(log.dynamics)):
        words.append(
            f"{spoilt} rows of the dynamics node hold numbers that are not finite, or too large; they are left out"
        )
    if len(summary["contacts"]) > 1:
        words.append(f"{len(summary['contacts'])} contacts: the numbers are those of the hardest")
    if summary["trips"]:
        many = f"{len(summary['trips'])} trips, the first" if len(summary["trips"]) > 1 else "a trip"
        words.append(f"{many}: {summary['trips'][0]['text']}")
    if summary["guard"] is False and (summary["energy_gained"] or 0.0) > 0.0:
        words.append("the guard was off, and the contact gained energy")
    if (share := summary["gained_by_steps"] or 0.0) >= 1e-4:
        words.append(
            f"the integrator alone gives the bodies {1e2 * share:.2g} % of their energy in a bounce, which no guard "
            "takes: a shorter period gives less"
        )
    if summary["gained_by_steps"] is None and (log.about.get("settings") or {}).get("period") is not None:
        words.append("what the integrator alone gives the bodies is not known")
    if not summary.pop("_deadlines_told"):
        words.append("a node told no count of deadlines: only ticks that never began are counted for it")
    if summary["packets_lost"] is None:
        words.append("no node told how many packets were lost")
    return [*words, *log.words]


def table(summary: Mapping[str, Any]) -> Table:
    """The numbers for a terminal."""
    from rich.table import Table

    made = Table(box=None, show_header=False, pad_edge=False)
    made.add_column(style="bold")
    made.add_column(justify="right")
    made.add_column(style="dim")
    for name, value, unit in shown(summary):
        made.add_row(name, value, unit)
    return made


def shown(summary: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Names, numbers and units to be read by people, in order."""
    rows = [(name, _on(summary[name]), "") for name in ("guard", "compensation") if name in summary]
    for key, (name, unit, factor) in SHOWN.items():
        if key in summary:
            rows.append((name, number_shown(summary[key], factor), unit))
    for node, spread in (summary.get("lateness") or {}).items():
        rows.append((f"lateness of {node}, p50 / p99 / max", _spread_shown(spread), "ms"))
    if trip := summary.get("round_trip"):
        rows.append(("round trip, p50 / p99 / max", _spread_shown(trip), "ms"))
    if "trips" in summary:
        rows.append(("trips", str(len(summary["trips"])), ""))
    return rows


def _on(value: object) -> str:
    return {True: "on", False: "off"}.get(value, "–") if isinstance(value, bool) else "–"


def number_shown(value: float | None, factor: float) -> str:
    """A count, or four digits of a number in the unit that a factor leads to."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) and factor == 1.0 else f"{factor * value:.4g}"


def _spread_shown(spread: Mapping[str, Any]) -> str:
    """In milliseconds, with two digits."""
    values = [spread.get(name) for name in ("p50", "p99", "max")]
    return " / ".join("–" if value is None else f"{1e3 * value:.2g}" for value in values)


def _total(statuses: Sequence[Mapping[str, Any]], part: str, name: str) -> int | None:
    """A count that a node kept telling; a node that was started again began at 0."""
    tables = [each[part] for each in statuses if isinstance(each.get(part), Mapping)]
    counts = [each[name] for each in tables if each.get(name) is not None]
    if not counts:
        return None
    return int(sum(a for a, b in pairwise(counts) if b < a) + counts[-1])


def _skipped(rows: Any) -> int:
    """Ticks that never began, as far as the rows on either side are in the log; a node that stands may doze."""
    jumps = (np.diff(rows["tick"]) - 1) * ((rows["state"][1:] & int(NodeState.HELD)) == 0)
    return int(jumps[jumps > 0].sum())


def _spread(values: Array) -> dict[str, float | None]:
    known = values[np.isfinite(values)]
    found = np.percentile(known, [50.0, 99.0, 100.0]).tolist() if known.size else (None, None, None)
    return dict(zip(("p50", "p99", "max"), found, strict=True))
