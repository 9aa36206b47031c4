"""Figures of a hybrid run: the contact and its energy, the whole run, and how punctual the loop was.

The figures take a log and what its report told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.figures.colours import AMBER, BLUE, FORCE, GREEN, INK, MOTION, PLUM, QUIET, SKY, VERMILION
from tegotae.figures.style import Axes, Figure, Shown, Values, beside, say, sheet, style, thinned, time_axis

if TYPE_CHECKING:
    from tegotae.hybrid.records.log_reader import LogReader

_LEVELS = {"info": QUIET, "warning": AMBER, "trip": VERMILION}
_MOST_EVENTS = 40  # lines in one panel: more hide the curve


def contact(log: LogReader, report: Mapping[str, Any]) -> Figure:
    """The hardest contact: force on the bodies and at the sensor, gap, and where the energy goes."""
    with style():
        figure, (above, below), energy = beside(2, width=9.6, height=4.6, ratios=(3, 2), heights=(3, 2))
        above.tick_params(labelbottom=False)
        rows, _, since, window = _around(log, report)
        _forces(above, log, report)
        gap = Shown.of(-rows["pose"][:, 2], "m")
        below.axhline(0.0, color=QUIET, lw=0.6)
        below.plot(1e3 * since, gap.values, color=MOTION)
        below.set_ylabel(f"gap [{gap.unit}]")
        _energies(energy, rows, since)
        clock = "time since touch [ms]" if report.get("touched") is not None else "simulated time [ms]"
        for axes in (above, below, energy):
            axes.set_xlim(*(1e3 * edge for edge in window))
        for axes in (below, energy):
            axes.set_xlabel(clock)
    return figure


def _around(log: LogReader, report: Mapping[str, Any]) -> tuple[Values, Values, Values, tuple[float, float]]:
    """Rows near the contact, their times on the common clock and since touch, and the window shown [s]."""
    simulated = log.dynamics["simulated"]
    zero, length = report.get("touched"), report.get("duration")
    if zero is None or length is None:
        window = (float(simulated[0]), float(simulated[-1])) if simulated.size else (0.0, 1.0)
        zero = 0.0
    else:
        window = -0.35 * length, 1.5 * length
    since = simulated - zero
    part = np.flatnonzero((since >= window[0]) & (since <= window[1]))
    return log.dynamics[part], np.asarray(log.aligned["dynamics"])[part], since[part], window


def _forces(axes: Axes, log: LogReader, report: Mapping[str, Any]) -> None:
    rows, times, since, window = _around(log, report)
    push, wanted = -rows["wrench"][:, 2], -rows["compensated"][:, 2]
    points = thinned(push)
    at = np.asarray(log.aligned["table"])
    if times.size > 1 and at.size:
        near = (at >= times[0]) & (at <= times[-1])
        felt = -log.table["wrench"][near, 2]
        axes.plot(1e3 * np.interp(at[near], times, since), felt, color=SKY, lw=1.0, label="at the sensor")
    if push.size and np.abs(wanted - push).max() > 1e-3 * np.abs(push).max():
        axes.plot(1e3 * since[points], wanted[points], color=PLUM, lw=1.0, ls=(0, (4, 2)), label="before the guard")
    axes.plot(1e3 * since[points], push[points], color=FORCE, lw=1.8, label="on the bodies")
    axes.set_ylabel("force [N]")
    _theory(axes, report)
    axes.legend(loc="upper right")
    if (peak := report.get("peak_force")) is not None:
        top = max(peak, report.get("sensor_peak") or 0.0)
        axes.set_ylim(top=1.3 * top)
        word = f"{peak:.4g} N, {1e3 * report['duration']:.4g} ms, e = {report['restitution']:.4g}"
        say(axes, word, (1e3 * window[0] + 2.0, 1.2 * top), FORCE)


def _theory(axes: Axes, report: Mapping[str, Any]) -> None:
    """The half sine of the mass in the contact on the stiffness that was identified."""
    mass, stiffness, speed = (report.get(name) for name in ("mass", "stiffness", "approach_speed"))
    if not mass or not stiffness or not speed or mass < 0.0 or stiffness <= 0.0:
        return
    pulse = float(np.sqrt(stiffness / mass))
    swing = np.linspace(0.0, np.pi / pulse, 181)
    half = speed * float(np.sqrt(stiffness * mass)) * np.sin(pulse * swing)
    axes.plot(1e3 * swing, half, color=INK, lw=1.0, ls=(0, (2, 3)), label="spring alone")


def _energies(axes: Axes, rows: Values, since: Values) -> None:
    if not rows.size:
        axes.set_ylabel("energy [J]")
        return
    kinetic, left, removed = (np.asarray(rows[name], dtype=np.float64) for name in ("energy", "budget", "removed"))
    shown = Shown.of(np.stack([kinetic - kinetic[0], left, removed - removed[0]]), "J")
    names = (("kinetic, since before", BLUE), ("left to the guard", AMBER), ("taken by the guard", VERMILION))
    axes.axhline(0.0, color=QUIET, lw=0.6)
    for values, (name, color) in zip(shown.values, names, strict=True):
        if name.startswith("kinetic") or np.ptp(values) > 0.0:
            axes.plot(1e3 * since, values, color=color, label=name)
    axes.set_ylabel(f"energy [{shown.unit}]")
    axes.legend(loc="lower right")


def overview(log: LogReader, report: Mapping[str, Any]) -> Figure:
    """The whole run on the clock of the dynamics node: force, gap, and what happened."""
    figure, grid = sheet(2, 1, width=9.6, height=3.4)
    rows, times = log.dynamics, np.asarray(log.aligned["dynamics"])
    force, gap = -rows["wrench"][:, 2], -rows["pose"][:, 2]
    with style():
        top, bottom = grid[:, 0]
        if times.size:
            clock, shown = Shown.of(times, "s"), Shown.of(gap, "m")
            points = thinned(force, gap)
            top.plot(clock.values[points], force[points], color=FORCE)
            bottom.axhline(0.0, color=QUIET, lw=0.6)
            bottom.plot(clock.values[points], shown.values[points], color=MOTION)
            bottom.set_ylabel(f"gap [{shown.unit}]")
            time_axis((top, bottom), clock)
            _events(top, log, float(clock.values[-1] / times[-1]) if times[-1] > 0.0 else 1.0)
        top.set_ylabel("force [N]")
    return figure


def _events(axes: Axes, log: LogReader, scale: float) -> None:
    """A line for each warning and trip, with the word of the first of each; infos where they do not crowd."""
    labelled: set[str] = set()
    heavy = [each for each in log.events if each["level"] != "info"][:_MOST_EVENTS]
    for event in heavy:
        color = _LEVELS[event["level"]]
        at = scale * event["at"]
        axes.axvline(at, color=color, lw=0.8, zorder=1)
        if event["level"] not in labelled:
            labelled.add(event["level"])
            left, right = axes.get_xlim()
            beyond = at > 0.5 * (left + right)  # the word goes where there is room
            note = axes.annotate(
                f" {event['node']}: {event['text']} "[:60],
                (at, 0.97 if event["level"] == "trip" else 0.8),
                xycoords=("data", "axes fraction"),
                color=color,
                fontsize=8.0,
                va="top",
                ha="right" if beyond else "left",
                bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.0},
            )
            note.set_in_layout(False)


def timing(log: LogReader, report: Mapping[str, Any]) -> Figure:
    """How late: the delay of the loop, the beginnings of ticks at both nodes, and the age of what was felt."""
    with style():
        figure, (delay, late), share = beside(2, width=9.6, height=3.6, ratios=(3, 2))
        delay.tick_params(labelbottom=False)
        _delays(delay, log, report)
        for node, color in (("table", SKY), ("dynamics", BLUE)):
            _lateness(late, share, log, node, color)
        delay.set_ylabel("delay [ms]")
        late.set(xlabel="time [s]", ylabel="lateness [ms]")
        share.set(xlabel="late by more than [ms]", ylabel="share of ticks [%]", xscale="log", yscale="log")
        if share.lines:
            share.legend(loc="upper right")
        else:
            share.annotate("every tick began when it was due", (0.5, 0.5), xycoords="axes fraction", ha="center")
    return figure


def _delays(axes: Axes, log: LogReader, report: Mapping[str, Any]) -> None:
    rows, times = log.dynamics, np.asarray(log.aligned["dynamics"])
    fresh = np.flatnonzero((rows["fresh"] == 1) & (rows["steps"] > 0))
    if fresh.size:
        heard = rows["simulated"] - rows["steps"] * (report.get("period") or 0.0)  # before the steps of its tick
        age = 1e3 * (heard - rows["label"])[fresh]
        points, word = thinned(age), "of each measurement, by its label"
        axes.plot(times[fresh[points]], age[points], color=QUIET, lw=0.4, alpha=0.5, label=word)
    if times.size:
        points = thinned(rows["delay"])
        axes.plot(times[points], 1e3 * rows["delay"][points], color=GREEN, label="as identified")
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(loc="lower right")


def _lateness(axes: Axes, share: Axes, log: LogReader, node: str, color: str) -> None:
    late = np.asarray(getattr(log, node)["lateness"], dtype=np.float64)
    known = np.isfinite(late)
    late, times = 1e3 * late[known], np.asarray(log.aligned[node])[known]
    if not late.size:
        return
    points = thinned(late)
    axes.plot(times[points], late[points], color=color, lw=0.8, label=node)
    if late.max() <= 0.0:
        return  # virtual time
    # From 0.1 us on: nobody measures less.
    ordered = np.maximum(np.sort(late), 1e-4)
    part = 100.0 * (1.0 - np.arange(ordered.size) / ordered.size)
    ranks = np.unique(np.round(np.geomspace(1, ordered.size, min(400, ordered.size))).astype(np.int64))
    share.plot(ordered[ordered.size - ranks], part[ordered.size - ranks], color=color, label=node)
