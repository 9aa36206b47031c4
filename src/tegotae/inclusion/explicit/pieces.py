"""A run with impacts, as it is put together: stretches in which nothing jumps, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.inclusion.explicit.integration import Compiled, locate
from tegotae.result import Event

if TYPE_CHECKING:
    from tegotae.inclusion.explicit.striking import Strikes

Flags = NDArray[np.bool_]
Between = Callable[[Any], Array]  # the state at a time; at several, one a row


@dataclass(eq=False)
class Piece:
    """A stretch of a run in which nothing jumps, and no contact begins or ends to fly."""

    start: float
    end: float
    flying: Flags
    times: list[float] = field(default_factory=list)  # what is recorded of it
    states: list[Array] = field(default_factory=list)
    nodes: list[float] = field(default_factory=list)  # where its steps begin and end
    paths: list[Between] = field(default_factory=list)  # between those
    whole: Between | None = None  # or one for all of them

    def keep(self, t: float, y: Array) -> None:
        """Record a state."""
        self.times.append(t)
        self.states.append(np.array(y))

    def went(self, start: float, end: float, path: Between) -> None:
        """Note a step."""
        self.nodes = self.nodes or [start]
        self.nodes.append(end)
        self.paths.append(path)
        self.end = end

    def at(self, times: Array) -> Array:
        """States at times inside, one a row."""
        if self.whole is not None:
            return np.ascontiguousarray(self.whole(times))
        which = np.clip(np.searchsorted(self.nodes, times, side="right") - 1, 0, len(self.paths) - 1)
        return np.array([self.paths[i](t) for i, t in zip(which.tolist(), times.tolist(), strict=True)])


def join(compiled: Compiled, piece: Piece, begin: tuple[float, Array], end: tuple[float, Array]) -> None:
    """Between the rows of a piece: the cubics that meet states and slopes at both ends."""
    from scipy.interpolate import CubicHermiteSpline

    rows = [begin, *zip(piece.times, piece.states, strict=True), end]
    rows = [row for i, row in enumerate(rows) if i == 0 or row[0] > rows[i - 1][0]]
    if len(rows) < 2:
        return
    times, states = np.array([t for t, _ in rows]), np.array([y for _, y in rows])
    slopes, p = np.empty_like(states), compiled.p.copy()
    p[len(p) - len(piece.flying) :] = np.where(piece.flying, 0.0, 1.0)
    compiled.module.slopes(times, states, p, compiled.A, compiled.B, slopes)
    spline = CubicHermiteSpline(times, states, slopes, axis=0)
    piece.nodes, piece.whole = times.tolist(), lambda t: np.asarray(spline(t))  # type: ignore[no-untyped-call]


def resample(pieces: list[Piece], times: Array, last: Array) -> None:
    """Keep other times than those of the steps; of an impact's time what is after it."""
    for i, piece in enumerate(pieces):
        final = i == len(pieces) - 1
        inside = times[(times >= piece.start) & ((times <= piece.end) if final else (times < piece.end))]
        piece.times = inside.tolist()
        piece.states = list(piece.at(inside)) if piece.nodes else [last] * len(inside)


def recorded(strikes: Strikes, pieces: list[Piece]) -> tuple[Array, Array, Array, NDArray[np.int8]]:
    """Times, states, forces and modes of a run."""
    system = strikes.problems.inclusion
    times, states = [np.zeros(0)], [np.zeros((0, strikes.compiled.source.size))]
    forces, modes = [np.zeros((0, strikes.problems.m))], [np.zeros((0, len(system.elements)), dtype=np.int8)]
    for piece in pieces:
        if piece.times:
            strikes.fly(piece.flying)
            times.append(np.array(piece.times))
            states.append(np.array(piece.states))
            F, on = strikes.observed(times[-1], states[-1])
            forces.append(F)
            modes.append(on)
    return np.concatenate(times), np.concatenate(states), np.concatenate(forces), np.concatenate(modes)


def happened(strikes: Strikes, pieces: list[Piece]) -> list[Event]:
    """Impacts, and what changes between them; each element's changes take turns."""
    names = [element.name for element in strikes.problems.inclusion.elements]
    c = len(strikes.names)
    found, before, start = list(strikes.events), None, None
    for piece in pieces:
        if not piece.nodes:
            continue
        strikes.fly(piece.flying)
        found += locate(np.array(piece.nodes), piece.at, strikes.observed, names, c)
        ends = np.array([piece.nodes[0], piece.nodes[-1]])
        modes = strikes.observed(ends, piece.at(ends))[1]
        start = modes[0] if start is None else start
        if before is not None:  # an impact may stop a slip, or begin one
            for j in np.flatnonzero(before[c:] != modes[0, c:]).tolist():
                found.append(Event(piece.start, names[c + j], "stick" if modes[0, c + j] else "slip"))
        before = modes[1]
    on = {name: bool(start is not None and start[i]) for i, name in enumerate(names)}
    kept = []
    for event in sorted(found, key=lambda event: event.time):
        now = event.kind in ("touch", "stick")
        if now != on[event.element]:
            kept.append(event)
            on[event.element] = now
    return kept
