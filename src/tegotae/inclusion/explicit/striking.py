"""Impacts with a law of their own inside an explicit ODE: instants at which the state jumps, and what flies between.

A contact with a restitution flies, and feels nothing beyond its surface, until its gap closes; what is integrated up
to that instant is smooth. It bounces, and flies on, or it rests, and its spring and damper take the load until
they let go and its gap opens.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.contact import SLIGHT
from tegotae.inclusion.explicit.integration import (
    FIXED,
    LEFT,
    STIFF,
    Compiled,
    CvodeSteps,
    Wanted,
    cubic,
    failure,
    grid_of,
    watched,
)
from tegotae.inclusion.explicit.pieces import Between, Piece, join, resample
from tegotae.inclusion.explicit.source import DONE, LOOK, LOST, OPEN
from tegotae.inclusion.impacts.contact_problem import ContactProblem, ContactProblems
from tegotae.inclusion.impacts.falls import ROUNDING, first_fall
from tegotae.inclusion.impacts.impact import impact
from tegotae.inclusion.impacts.modes import NoMotionError
from tegotae.result import Event
from tegotae.unsolved import to_the_user

Flags = NDArray[np.bool_]

NEAR = 1e-12  # m and m/s: gaps and rates below are 0 where something strikes
HARDLY = 1e-9  # m/s: so slow a start inside of a contact is rest
AGAIN = 1e-3  # of what the ODE can tell: a contact that is struck again sooner does not bounce


class Strikes:
    """The law of impacts of one ODE, and which of its contacts fly; made anew for every run.

    Args:
        compiled: the ODE with a law of its own for impacts; what flies is written into its numbers.
        problems: of its machine.
        restitution: by contact [-]; none of those whose impacts their springs alone decide.
        shortest: the shortest flight of each contact that is told from rest [s].
    """

    def __init__(
        self, compiled: Compiled, problems: ContactProblems, restitution: Mapping[str, float], shortest: Array
    ):
        names = [contact.name for contact in problems.inclusion.contacts]
        self.names, self.problems, self.shortest = names, problems, shortest
        self.law: Flags = np.array([name in restitution for name in names], dtype=np.bool_)
        self.restitution: Array = np.array([restitution.get(name, 0.0) for name in names], dtype=np.float64)
        self.compiled = copy.copy(compiled)
        self.compiled.p = compiled.p.copy()
        self.compiled.A, self.compiled.B = compiled.A.copy(), compiled.B.copy()
        self.events: list[Event] = []
        self.count = 0  # contacts struck, each time
        self._n = problems.n
        self._struck = np.full(len(names), -np.inf)
        self._g, self._v = np.zeros(len(names)), np.zeros(len(names))

    @property
    def flying(self) -> Flags:
        """Which contacts with a law are open; the numbers of the ODE know it."""
        flags: Flags = self.compiled.p[len(self.compiled.p) - len(self.names) :] == 0.0
        return flags

    def fly(self, flying: Flags) -> None:
        """Let these contacts fly, and no others."""
        self.compiled.p[len(self.compiled.p) - len(self.names) :] = np.where(flying, 0.0, 1.0)

    def gaps(self, t: float, y: Array) -> tuple[Array, Array]:
        """Gaps [m] and their rates [m/s]; the next call writes over them."""
        self.compiled.module.gaps(t, y, self.compiled.p, self._g, self._v)
        return self._g, self._v

    def observed(self, times: Array, states: Array) -> tuple[Array, NDArray[np.int8]]:
        """Forces [N] and modes as long as those fly that fly now."""
        return self.compiled.observed(times, states, self.problems.m, len(self.problems.inclusion.elements))

    # ------------------------------------------------------------ when

    def first(self, path: Between, start: float, end: float) -> tuple[float, int] | None:
        """When the first gap of what flies closes in (start, end], and which."""
        flying = self.flying
        if not flying.any():
            return None

        def watch(t: float) -> tuple[Array, Array]:
            y = path(t)
            floor = ROUNDING * max(1.0, float(np.abs(y[: self._n]).max()))
            return np.where(flying, self.gaps(t, y)[0], 1.0), np.full(len(flying), floor)

        return first_fall(watch, start, end)

    def freed(self, t: float, y: Array) -> bool:
        """Whether contacts that were closed have opened; they fly from now on."""
        flying = self.flying
        gaps, v = self.gaps(t, y)
        opened = self.law & ~flying & (((gaps > 0.0) & (v > 0.0)) | (gaps > OPEN))
        if opened.any():
            self.events += [Event(t, self.names[i], "release") for i in np.flatnonzero(opened).tolist()]
            self.fly(flying | opened)
        return bool(opened.any())

    # ------------------------------------------------------------ what

    def begin(self, t: float, y: Array, given: Collection[str]) -> Array:
        """The state after what is struck where the run starts; of contacts in `given` the added state was given."""
        self.fly(np.zeros(len(self.names), dtype=np.bool_))
        now = self.problems.at(t, y[: self._n])
        gaps, v = now.gaps, now.v[: len(self.names)]
        near = self._near(now)
        met = self.law & (gaps >= -SLIGHT) & (gaps <= near) & (v < 0.0)
        known = np.array([name in given for name in self.names], dtype=np.bool_)
        # What rests a little inside, on its spring, is left there; what comes faster than it would fall is not.
        inside = met & (gaps < -near)
        a = self._accelerations(t, y, now)
        met &= ~inside | (~known & (2.0 * -v > self.shortest * np.maximum(-a, 0.0) + HARDLY))
        self.fly(self.law & ((gaps > near) | met | ((gaps > -near) & (v > NEAR))))
        return self.strike(t, y, met) if met.any() else y

    def strike(self, t: float, y: Array, met: Flags) -> Array:
        """The state after contacts that fly have met; which contacts fly from now on, what happened and how often."""
        flying = self.flying
        after, struck, stays = self.law_at(t, y, met, flying)
        self.fly(stays)
        self._struck[struck] = t
        self.count += int(struck.sum())
        for i in np.flatnonzero(struck | (met & ~stays)).tolist():
            self.events.append(Event(t, self.names[i], "touch"))
            if stays[i]:
                self.events.append(Event(t, self.names[i], "release"))
        return after

    def law_at(self, t: float, y: Array, met: Flags, flying: Flags) -> tuple[Array, Flags, Flags]:
        """The state after an impact; who was struck; who flies then."""
        c = len(self.names)
        now = self.problems.at(t, y[: self._n])
        v, here = now.v[:c], np.abs(now.gaps) <= self._near(now)
        _, modes = self.observed(np.array([t]), y[None, :])
        carrying = self.law & ~flying & ((modes[0, :c] == 1) | (here & (v <= NEAR)))
        touching = met | carrying | (flying & (now.gaps <= self._near(now)) & (v <= NEAR))
        struck = touching & (flying | met) & (v < 0.0)
        late = t - self._struck > AGAIN * self.shortest
        e = np.where(struck & late, self.restitution, 0.0)
        after = y.copy()
        for _ in range(c + 1):
            after[: self._n] = self._impact(now, touching, met, e) if struck.any() else now.x
            then = self.problems.at(t, after[: self._n])
            a = self._accelerations(t, after, then)
            brief = struck & (e > 0.0) & (2.0 * then.v[:c] < self.shortest * -a)
            if not brief.any():
                break
            e = np.where(brief, 0.0, e)
        # What is no longer met where it was seen to close was closed all the time, too briefly open to be told.
        rests = (met & ~struck) | touching & ((then.v[:c] <= NEAR) | (2.0 * then.v[:c] < self.shortest * -a))
        return after, struck, (flying | met) & ~rests

    def _impact(self, now: ContactProblem, touching: Flags, met: Flags, e: Array) -> Array:
        """The machine's state after it; where what moves by itself leaves rigid bodies no room, springs give way."""
        try:
            return impact(self.problems, now, touching, e)
        except NoMotionError:
            if (touching == met).all():
                raise
            return impact(self.problems, now, met, e)

    def flight(self, t: float, y: Array) -> float | None:
        """Half of the shortest bounce that begins here [s]: no first step may leap over it."""
        now = self.problems.at(t, y[: self._n])
        v, a = now.v[: len(self.names)], self._accelerations(t, y, now)
        leaves = self.flying & (now.gaps <= self._near(now)) & (v > 0.0) & (a < 0.0)
        return float((v[leaves] / -a[leaves]).min()) if leaves.any() else None

    def _near(self, now: ContactProblem) -> Array:
        near: Array = NEAR + ROUNDING * (np.abs(now.gap_slope) @ np.abs(now.x))
        return near

    def _accelerations(self, t: float, y: Array, now: ContactProblem) -> Array:
        """Of the gaps [m/s²], under all that does not fly."""
        forces, _ = self.observed(np.array([t]), y[None, :])
        a: Array = (now.D @ forces[0] + now.b)[: len(self.names)]
        return a


# ------------------------------------------------------------ a run


def follow(strikes: Strikes, y: Array, wanted: Wanted, given: Collection[str]) -> list[Piece]:
    """A run in pieces."""
    y = strikes.begin(wanted.start, y, given)
    if wanted.method in FIXED:
        return FixedSteps(strikes, y, wanted).run()
    with warnings.catch_warnings(record=True) as caught, np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("always")
        pieces = _by_free_steps(strikes, y, wanted, caught)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        warnings.warn(f"Ode.solve: {wanted.method}: {text}", stacklevel=to_the_user())
    return pieces


def _solver(strikes: Strikes, wanted: Wanted, t: float, y: Array, first: float | None) -> Any:
    """What makes steps from here on."""
    from scipy import integrate

    longest = np.inf if wanted.step is None else wanted.step
    begin = None if first is None else min(first, wanted.end - t, longest)
    if wanted.method == "CVODE":
        return CvodeSteps(strikes.compiled, wanted, t, y, begin)
    rhs = watched(strikes.compiled, wanted)
    options: dict[str, Any] = {"jac": strikes.compiled.jacobian} if wanted.method in STIFF else {}
    return getattr(integrate, wanted.method)(
        rhs, t, y, wanted.end, rtol=wanted.rtol, atol=wanted.atol, max_step=longest, first_step=begin, **options
    )


def _by_free_steps(strikes: Strikes, y: Array, wanted: Wanted, caught: list[Any]) -> list[Piece]:
    """Steps as an integrator chooses them, begun anew after every impact."""
    times = Asked(wanted.times)
    pieces = [Piece(wanted.start, wanted.start, strikes.flying)]
    t = wanted.start
    if wanted.times is None:
        pieces[-1].keep(t, y)
    while t < wanted.end:
        solver, found = _solver(strikes, wanted, t, y, strikes.flight(t, y)), None
        while solver.status == "running":
            before, message = float(solver.t), solver.step()
            if solver.status == "failed":
                words = "; ".join([str(message), *dict.fromkeys(str(w.message) for w in caught)])
                raise failure(wanted, before, words)
            if not np.isfinite(solver.y).all():
                raise failure(wanted, float(solver.t), LEFT)
            dense, now = solver.dense_output(), float(solver.t)
            found = strikes.first(dense, before, now)
            until = now if found is None else found[0]
            if until > before:
                pieces[-1].went(before, until, dense)
            for each in times.below(until):
                pieces[-1].keep(each, dense(each))
            if found is not None:
                break
            if wanted.times is None:
                pieces[-1].keep(now, solver.y)
            if strikes.freed(now, np.array(solver.y)):
                pieces.append(Piece(now, now, strikes.flying))
        t, y = (float(solver.t), np.array(solver.y)) if found is None else (found[0], np.array(dense(found[0])))
        if found is not None:
            if wanted.times is None:
                pieces[-1].keep(t, y)
            met = np.arange(len(strikes.names)) == found[1]
            y = strikes.strike(t, y, met)
            pieces.append(Piece(t, t, strikes.flying))
            if wanted.times is None:
                pieces[-1].keep(t, y)
    for each in times.below(np.inf):
        pieces[-1].keep(each, y)
    return pieces


class Asked:
    """The times that are to be recorded, in turn."""

    def __init__(self, times: Array | None):
        self.times, self.next = [] if times is None else times.tolist(), 0

    def below(self, end: float) -> Iterator[float]:
        """Those that come before this time [s] and were not given yet."""
        while self.next < len(self.times) and self.times[self.next] < end:
            self.next += 1
            yield self.times[self.next - 1]


class FixedSteps:
    """A compiled loop of RK4 or Heun, left for the steps in which something strikes; its grid stays as it is."""

    def __init__(self, strikes: Strikes, y: Array, wanted: Wanted):
        rule = wanted.method.lower()
        self.strikes, self.compiled, self.wanted = strikes, strikes.compiled, wanted
        self.T, self.steps, self.left, grid = grid_of(wanted)
        self.asked = grid if wanted.dense or wanted.times is None else wanted.times  # what is recorded
        self.out = np.empty((self.asked.size, y.size))
        self.kept = self.taken = 0  # rows of it so far, and those that pieces have
        self.y, self.W = y.copy(), np.empty((6, y.size))
        self.last = 5 if wanted.method == "RK4" else 3  # where in W the slopes at a step's end are
        self._loop, self._once = (getattr(self.compiled.module, f"{rule}_{word}") for word in ("watched", "once"))
        self.pieces: list[Piece] = []
        self._begin = (wanted.start, self.y)

    def run(self) -> list[Piece]:
        """All pieces."""
        wanted, T, step = self.wanted, self.T, 0
        self.kept = int(np.searchsorted(self.asked, wanted.start, side="right"))
        self.out[: self.kept] = self.y
        self._enter(wanted.start, self.y)
        why = LOOK
        while why != DONE:
            step, why = self._go_on(step)
            t = min(wanted.start + step * T, wanted.end)
            if why == LOST:
                for part in (0.0, 0.5, 1.0):
                    self.compiled.check_inputs(t + part * T)
                raise failure(wanted, t, LEFT)
            if why == LOOK:
                last = step + 1 >= self.steps + (self.left > 0.0)
                t, step = self._look(t, wanted.end if last else wanted.start + (step + 1) * T), step + 1
            if why != DONE and self.strikes.freed(t, self.y):
                self._leave(t, self.y)
                self._enter(t, self.y)
        self._leave(wanted.end, self.y)
        if wanted.dense and wanted.times is not None:
            resample(self.pieces, wanted.times, self.y)
        return self.pieces

    def _go_on(self, step: int) -> tuple[int, int]:
        """Steps until something has to be looked at: which one is next, or struck, and why."""
        compiled, strikes = self.compiled, self.strikes
        room, law = np.zeros((4, len(strikes.names))), strikes.law.astype(np.int64)
        numbers = (self.wanted.start, self.T, self.steps, self.left, step)
        arrays = (self.y, compiled.p, compiled.A, compiled.B, self.W, room, law, self.asked)
        step, self.kept, why = self._loop(*numbers, *arrays, self.kept, self.out)
        return step, why

    def _look(self, start: float, end: float) -> float:
        """One step, from W[0] to y, with all that strikes in it; its end."""
        t, y, W, wanted = start, self.W[0].copy(), self.W, self.wanted
        short = 1e-9 * (end - start)
        while end - t > short:
            path = cubic(t, y, W[1].copy(), end, self.y.copy(), W[self.last].copy())
            found = self.strikes.first(path, t, end)
            until = end - short if found is None else found[0]
            while self.kept < self.asked.size and self.asked[self.kept] < until:
                self.out[self.kept] = path(float(self.asked[self.kept]))
                self.kept += 1
            if found is None:
                break
            if until > t:
                self._step(t, until - t, y)
            self._leave(until, y)
            t, y = until, self.strikes.strike(until, y, np.arange(len(self.strikes.names)) == found[1])
            self._enter(t, y)
            self.y[:] = y
            if end - t > short:
                self._step(t, end - t, self.y)
        if not np.isfinite(self.y).all():
            raise failure(wanted, end, LEFT)
        while self.kept < self.asked.size and self.asked[self.kept] <= end + short:
            self.out[self.kept] = self.y
            self.kept += 1
        return end

    def _step(self, t: float, h: float, y: Array) -> None:
        self._once(t, h, y, self.compiled.p, self.compiled.A, self.compiled.B, self.W)

    def _enter(self, t: float, y: Array) -> None:
        """Begin a piece."""
        self.pieces.append(Piece(t, t, self.strikes.flying))
        self._begin = (t, y.copy())

    def _leave(self, t: float, y: Array) -> None:
        """End the piece, with the state before what happens then."""
        piece = self.pieces[-1]
        for i in range(self.taken, self.kept):
            piece.keep(float(self.asked[i]), self.out[i])
        self.taken, piece.end = self.kept, t
        if self.wanted.dense:
            join(self.compiled, piece, self._begin, (t, y.copy()))
