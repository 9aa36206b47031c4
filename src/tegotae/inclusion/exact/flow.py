"""Motion within one mode: a smooth differential equation, walked until what the mode rests on ends: an event."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.integrate import DOP853, Radau

from tegotae.checks import Array
from tegotae.errors import TegotaeError
from tegotae.inclusion.impacts.contact_problem import ContactProblem, ContactProblems
from tegotae.inclusion.impacts.falls import ROUNDING, first_fall
from tegotae.inclusion.impacts.modes import TOLERANCE, Mode, bearable, cones, shares, solved, system_of
from tegotae.inclusion.language.parsing import refuse_static

Interpolant = Callable[[float], Array]
Recorder = Callable[[float, float, Interpolant, "Flow"], None]


class Flow:
    """The equations of one mode: forces by multipliers, and what must stay positive for the mode to last."""

    def __init__(self, problems: ContactProblems, mode: Mode):
        self.problems, self.mode = problems, mode
        self.direction = mode.direction.copy()
        self._redundant: bool | None = None
        self.vectors = [
            (j, part)
            for j, part in enumerate(problems.parts)
            if part.stop - part.start > 1 and not mode.held[j] and np.any(mode.direction[part])
        ]
        # Rows whose rate is 0.
        self.active = np.array([*mode.closed, *(mode.held[int(j)] for j in problems.owner)], dtype=np.bool_)

    def anchor(self, now: ContactProblem) -> None:
        """Take the slip directions of this instant as those that a step begins with."""
        for _, part in self.vectors:
            size = np.linalg.norm(now.v[part])
            if size > _vague(now):
                self.direction[part] = now.v[part] / size

    def _mode_at(self, now: ContactProblem) -> Mode:
        if not self.vectors:
            return self.mode
        direction = self.direction.copy()
        for _, part in self.vectors:
            slip = now.v[part]
            size = np.linalg.norm(slip)
            if size > _vague(now):
                # Beyond a stop the direction goes on: the equations stay smooth until the stop is located.
                direction[part] = np.copysign(1.0, slip @ self.direction[part]) * slip / size
        return Mode(self.mode.closed, self.mode.held, direction)

    def forces(self, now: ContactProblem) -> Array:
        """Element forces [N] in this mode; where they could be shared in several ways, one that all can bear."""
        A, F = self._pushes(now)
        if not self._redundant or not np.isfinite(F).all():
            return F
        return bearable(F, shares(A), *cones(self.mode.closed, self.mode.held, now))

    def _pushes(self, now: ContactProblem) -> tuple[Array, Array]:
        A, right = system_of(now, self._mode_at(now))
        if not len(right):
            return A, right
        if self._redundant is None:
            scale = np.maximum(np.abs(A).max(axis=1), 1e-300)
            self._redundant = bool(np.linalg.cond(A / scale[:, None]) > 1e12)
        if self._redundant:  # several ways to share a load: the shortest forces; the motion is the same
            shortest = solved(A, right)
            return A, shortest if shortest is not None else np.full(len(right), np.nan)
        return A, np.asarray(np.linalg.solve(A, right))

    def rate(self, t: float, x: Array) -> Array:
        """dx/dt."""
        now = self.problems.at(t, x)
        slope: Array = now.a + now.W @ self._pushes(now)[1]
        return slope

    def watched(self, now: ContactProblem) -> tuple[Array, Array]:
        """What must not fall below zero, one value an element, and by how much it must to count."""
        c, k = self.problems.c, self.problems.k
        values, floors = np.ones(c + k), np.zeros(c + k)
        F = self.forces(now)
        size = np.abs(now.b) + np.abs(now.D) @ np.abs(F)
        slack = 2.0 * TOLERANCE * (size / np.maximum(np.abs(np.diag(now.D)), 1e-300) + np.abs(F))
        for i in range(c):
            if self.mode.closed[i]:
                values[i], floors[i] = F[i], slack[i]
            else:
                values[i], floors[i] = now.gaps[i], ROUNDING * float(np.abs(now.gap_slope[i]) @ np.abs(now.x))
        for j, part in enumerate(self.problems.parts):
            if self.mode.held[j]:
                kinetic, static = now.limit(j, F), now.static_limit(j, F)
                limit = max(kinetic, static)
                if static < kinetic - 1e-6 * abs(kinetic):  # by more than rounding of a slip that is 0
                    name, when = self.problems.inclusion.frictions[j].name, f" at t={now.t:.9g} s, where it holds"
                    refuse_static("to_events.solve", name, f"{static:g} N", f"{kinetic:g} N", when)
                values[c + j], floors[c + j] = limit - np.linalg.norm(F[part]), float(slack[part].max())
            elif not now.loose(j, self.mode.closed):
                values[c + j] = now.v[part] @ self.direction[part]
                # What rounding makes of a slip.
                floors[c + j] = ROUNDING * float((np.abs(now.V[part]) @ np.abs(now.x)).max())
        return values, floors

    def walk(
        self,
        t: float,
        x: Array,
        end: float,
        *,
        rtol: float,
        atol: float,
        first: float | None,
        longest: float,
        record: Recorder,
    ) -> tuple[float, Array, int | None]:
        """Go to `end` or to the first event: its time, the state there, and the element that caused it."""
        at = self.problems.at
        self.anchor(at(t, x))
        options = {"rtol": rtol, "atol": atol, "max_step": longest}
        if first is not None:
            options["first_step"] = min(first, longest, end - t)
        stiff = self._is_stiff(at(t, x), longest)
        # A slip that begins is small: an absolute tolerance must be small against it, not against what it grows to.
        finer = {**options, "rtol": max(0.01 * rtol, 1e-13), "atol": 1e-3 * atol}
        solver = Radau(self.rate, t, x, end, **finer) if stiff else DOP853(self.rate, t, x, end, **options)
        while solver.status == "running":
            before, old = solver.t, solver.y.copy()
            self.anchor(at(before, old))
            message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise TegotaeError(f"to_events: the motion cannot be followed beyond t={before:.9g} s ({message}).")
            dense = solver.dense_output()
            found = first_fall(partial(self._seen, dense), before, solver.t)
            if found is not None:
                when, which = found
                if self._turns_too_fast(at(when, dense(when)), which):
                    options["first_step"] = 0.25 * (solver.t - before)
                    solver = type(solver)(self.rate, before, old, end, **options)
                    continue
                when, state = self._sharpened(before, old, when, which, dense, rtol, atol)
                record(before, when, dense, self)
                return when, state, which
            record(before, solver.t, dense, self)
            solver.y = self.tidied(solver.t, solver.y)
            solver.f = self.rate(solver.t, solver.y)
            wished = 0.1 * (solver.t - t)  # what explicit steps would like: a part of the time since the slip began
            if stiff and solver.status == "running" and not self._is_stiff(at(solver.t, solver.y), wished):
                stiff = False
                options["first_step"] = min(solver.t - before, end - solver.t)
                solver = DOP853(self.rate, solver.t, solver.y, end, **options)
        return end, solver.y, None

    def _is_stiff(self, now: ContactProblem, step: float) -> bool:
        """Whether a slip vector is so short that friction turns it within a fraction of a step."""
        for j, part in self.vectors:
            turning = np.abs(now.D[part, part]).max() * now.limit(j, self.forces(now))
            if turning * step > 3.0 * np.linalg.norm(now.v[part]):
                return True
        return False

    def tidied(self, t: float, x: Array) -> Array:
        """The state without the drift of closed gaps and of rates that are 0."""
        if not self.active.any():
            return x
        now = self.problems.at(t, x)
        closed = self.active[: self.problems.c]
        if closed.any():
            now = self.problems.at(t, now.on_surface(closed))
        return now.still(self.active)

    def _seen(self, path: Interpolant, t: float) -> tuple[Array, Array]:
        return self.watched(self.problems.at(t, path(t)))

    def _turns_too_fast(self, now: ContactProblem, which: int) -> bool:
        """A slip vector that only turned by a right angle in one step has not stopped."""
        j = which - self.problems.c
        for other, part in self.vectors:
            if other == j:
                return bool(np.linalg.norm(now.v[part]) > 1e-8 * max(1.0, float(np.abs(now.x).max())))
        return False

    def _sharpened(
        self, before: float, old: Array, when: float, which: int, dense: Interpolant, rtol: float, atol: float
    ) -> tuple[float, Array]:
        """The event by steps that end at it: an interpolant is less accurate than the steps it joins."""
        if when <= before:
            return before, old
        if when - before < 1e6 * np.spacing(abs(when)):
            return when, dense(when)  # so short a step that its interpolant is exact
        at = self.problems.at
        near = when - 1e-3 * (when - before)
        value = self.watched(at(when, dense(when)))[0][which]
        slope = (value - self.watched(at(near, dense(near)))[0][which]) / (when - near)
        state = self._straight(before, old, when, rtol, atol)
        for _ in range(2):
            error = self.watched(at(when, state))[0][which]
            move = -error / slope if slope < 0.0 else 0.0
            if move == 0.0 or abs(move) > 1e-3 * (when - before):
                break
            when += move
            state = self._straight(before, old, when, rtol, atol)
        return when, state

    def _straight(self, start: float, x: Array, end: float, rtol: float, atol: float) -> Array:
        solver = DOP853(self.rate, start, x, end, rtol=rtol, atol=atol, first_step=end - start)
        while solver.status == "running":
            solver.step()
        return np.asarray(solver.y)


def _vague(now: ContactProblem) -> float:
    """The speed below which a slip vector keeps the direction it began or ended with."""
    return 1e-9 * max(1.0, float(np.abs(now.x).max()))
