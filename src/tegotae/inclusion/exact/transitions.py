"""What happens at an instant: impacts first, then the mode that goes on.

Impacts are impulses that end approach, by Newton's restitution for each contact and Coulomb's law for the impulses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.elements.mobility import jam, warn
from tegotae.inclusion.exact.flow import Flow
from tegotae.inclusion.impacts.contact_problem import ContactProblem, ContactProblems, Flags
from tegotae.inclusion.impacts.falls import ROUNDING
from tegotae.inclusion.impacts.impact import impact
from tegotae.inclusion.impacts.modes import LARGEST, Answer, Mode, ModeProblem, admissible, count, the_one
from tegotae.result import Event

REST = 1e-12  # bounces shorter than this part of the run are rest
AT_MOST = 1000  # impacts and flights followed one by one before a series of them is taken for infinite
ALMOST = 1e-13  # of the speed at first: slower is rest


@dataclass(eq=False)
class Ended:
    """What has ended at this instant, and so must not be taken up again before time moves on."""

    closed: set[int] = field(default_factory=set)
    held: set[int] = field(default_factory=set)
    direction: dict[int, Array] = field(default_factory=dict)
    urged: dict[int, Array] = field(default_factory=dict)


class Transitions:
    """Turns an event into the state and the mode after it."""

    def __init__(self, problems: ContactProblems, restitution: Array, *, near: float, short: float):
        self.problems, self.restitution = problems, restitution
        self.near = near  # gaps [m] and rates [m/s] below this are 0 if an event happens at the same time
        self.short = short  # bounces below this time [s] are rest
        self.events: list[Event] = []
        self.completions = 0  # infinite series of impacts replaced by their limit
        self._struck = np.full(problems.c, -np.inf)  # when each contact was struck last
        self._flown = np.zeros(problems.c)  # how far each has opened since: a gap too short for the positions to tell
        self._seen = -np.inf
        self._examined: set[tuple[bool, ...]] = set()  # sets of touching contacts already searched for jams

    def after(self, t: float, x: Array, before: Mode | None, hit: int | None, ended: Ended) -> tuple[Array, Mode]:
        """State and mode after what happens at t; `hit` is a contact whose gap has just closed."""
        c = self.problems.c
        now = self.problems.at(t, x)
        self._flown += (t - self._seen if np.isfinite(self._seen) else 0.0) * now.v[:c]
        self._seen = t
        touching = (now.gaps <= self.near) & (now.v[:c] <= self.near) & ~self._rattling(now)
        if before is not None:
            touching |= np.array(before.closed, dtype=np.bool_)
        if hit is not None:
            touching[hit] = True
        now = self.problems.at(t, now.on_surface(touching))
        approaching = touching & (now.v[:c] < -self.near)
        struck = bool(approaching.any())
        if struck:
            x, touching = self._impact(now, touching, approaching)
            self._struck[approaching], self._flown[approaching] = t, 0.0
            now = self.problems.at(t, x)
        leaving = touching & (now.v[:c] > self.near)
        touching &= ~leaving
        if (key := tuple(touching.tolist())) not in self._examined:
            self._examined.add(key)
            if (names := jam(self.problems.inclusion, now.D, now.R, touching)) is not None:
                warn("to_events", t, names, "Lower", "to_ode")
        answer = self._decide(now, touching, before, ended, struck)
        resting = self._bounces_no_more(now, leaving, answer)
        if resting.any():
            touching |= resting
            rows = np.zeros(self.problems.m, dtype=np.bool_)
            rows[:c] = touching
            now = self.problems.at(t, now.still(rows))
            answer = self._decide(now, touching, before, ended, struck)
        flow = Flow(self.problems, answer.mode)
        x = flow.tidied(t, now.x)
        # What bounces and then stays has bounced without end: once for all contacts that come to rest together.
        was = before.closed if before is not None else (True,) * c
        bouncing = np.isfinite(self._struck) & (self.restitution > 0.0)
        self.completions += any(on and not w and b for on, w, b in zip(answer.mode.closed, was, bouncing, strict=True))
        self._note(t, before, answer.mode, approaching)
        return x, answer.mode

    def _rattling(self, now: ContactProblem) -> Flags:
        """Contacts near enough to touch that were struck a moment ago and come back in their own time, not now."""
        v = now.v[: self.problems.c]
        with np.errstate(divide="ignore", invalid="ignore"):
            later = np.maximum(now.gaps, self._flown) > 4.0 * float(np.spacing(abs(now.t))) * np.abs(v)
            lately = now.t - self._struck < 1e3 * self.near / np.abs(v)
        result: Flags = (v < -self.near) & later & lately & (self.restitution > 0.0)
        return result

    def _impact(self, now: ContactProblem, touching: Flags, approaching: Flags) -> tuple[Array, Flags]:
        """The state after what is struck now, or after all that crowds here, and the contacts that touch."""
        again = approaching & (now.t - self._struck < self.short)
        if not again.any():
            return impact(self.problems, now, touching, self.restitution), touching
        crowd = approaching | ((now.gaps <= self.near) & (now.t - self._struck < 10.0 * self.short))
        gaps = np.where(touching, 0.0, np.where(self._flown > 0.0, self._flown, np.maximum(now.gaps, 0.0)))
        x, ends = completed(self.problems, now, gaps, crowd | touching, self.restitution)
        if ends:
            touching = touching | crowd
            x = self.problems.at(now.t, x).on_surface(touching)
        return x, touching

    def _bounces_no_more(self, now: ContactProblem, leaving: Flags, answer: Answer) -> Flags:
        """Contacts that leave so slowly that they are back at once: Zeno's bounces end here."""
        c = self.problems.c
        v, w = now.v[:c], answer.w[:c]
        noise = ROUNDING * (np.abs(now.gap_slope) @ np.abs(now.x))
        back = leaving & (w < 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            brief = (2.0 * v < self.short * -w) | (v * v < 200.0 * noise * -w)
        result: Flags = back & brief
        return result

    def flight(self, now: ContactProblem, mode: Mode) -> float | None:
        """Half of the shortest bounce that begins here [s]: no first step may leap over it."""
        w = now.D @ Flow(self.problems, mode).forces(now) + now.b
        halves = [
            now.v[i] / -w[i]
            for i in range(self.problems.c)
            if not mode.closed[i] and now.gaps[i] <= self.near and now.v[i] > 0.0 and w[i] < 0.0
        ]
        return min(halves, default=None)

    def _decide(self, now: ContactProblem, touching: Flags, before: Mode | None, ended: Ended, struck: bool) -> Answer:
        problem = self._problem(now, touching, before, ended, struck)
        if count(problem) > LARGEST:
            checks.refuse(
                "to_events",
                f"at t={now.t:.9g} s {int(touching.sum())} contacts and their frictions have too many modes to try.",
                "Use to_stepper for machines with many contacts.",
            )
        answers = admissible(problem)
        if not answers:
            # What ended may go on after all if another element changed at the same time.
            answers = admissible(self._problem(now, touching, before, Ended(urged=ended.urged), struck))
        return the_one(answers, now, "forces", self.problems.inclusion, before)

    def _problem(
        self, now: ContactProblem, touching: Flags, before: Mode | None, ended: Ended, struck: bool
    ) -> ModeProblem:
        c, k, m = self.problems.c, self.problems.k, self.problems.m
        direction, urged = np.zeros(m), np.zeros(m)
        for j, part in enumerate(now.parts):
            speed = float(np.linalg.norm(now.v[part]))
            still_held = before is not None and before.held[j] and not struck
            if speed > self.near and not still_held and j not in ended.direction and j not in ended.held:
                direction[part] = now.v[part] / speed
            if j in ended.urged:
                urged[part] = ended.urged[j]
        return ModeProblem(
            now=now,
            # A contact whose push has just reached zero leaves: that its gap opens shows only in the next order.
            touching=tuple(bool(touching[i]) and i not in ended.closed for i in range(c)),
            may_close=tuple(
                ((False,) if i in ended.closed else (False, True)) if touching[i] else (False,) for i in range(c)
            ),
            may_hold=tuple(j not in ended.held for j in range(k)),
            direction=direction,
            barred=tuple(ended.direction.get(j) for j in range(k)),
            urged=urged,
        )

    def _note(self, t: float, before: Mode | None, after: Mode, struck: Flags) -> None:
        system = self.problems.inclusion
        for i, contact in enumerate(system.contacts):
            was = before is not None and before.closed[i]
            if struck[i] or (before is not None and after.closed[i] and not was):
                if not was:
                    self.events.append(Event(t, contact.name, "touch"))
                was = True
            if was and not after.closed[i]:
                self.events.append(Event(t, contact.name, "release"))
        if before is not None:
            for friction, was, held in zip(system.frictions, before.held, after.held, strict=True):
                if was != held:
                    self.events.append(Event(t, friction.name, "stick" if held else "slip"))


def completed(
    problems: ContactProblems, now: ContactProblem, gaps: Array, crowd: Flags, restitution: Array
) -> tuple[Array, bool]:
    """The state after impacts of `crowd` that follow each other faster than time can tell, and whether all end there.

    In so short a time forces give no velocity and gaps count only by their ratios: the impacts are followed one by
    one in a time of their own, gaps carried apart from the positions and scaled up as they shrink, until
    nothing approaches any more. If the speeds die out, or AT_MOST of them have not parted the bodies, the series is
    infinite and has a limit: no contact of the crowd approaches or leaves. That is the impact of all of them at once
    without restitution.
    """
    c = problems.c
    state, rates = now, now.v[:c]
    least = ALMOST * float(np.abs(rates[crowd]).max())
    for _ in range(AT_MOST):
        here = crowd & (gaps <= 0.0) & (rates <= least)  # what leaves is not struck, though it has not moved yet
        if np.any(rates[here] < -least):
            state = problems.at(now.t, impact(problems, state, here, restitution))
            rates = state.v[:c]
            if np.abs(rates[crowd]).max() < least:
                break
            continue
        towards = crowd & (gaps > 0.0) & (rates < -least)
        if not towards.any():
            return state.x, False
        wait = np.full(c, np.inf)
        wait[towards] = gaps[towards] / -rates[towards]
        first = int(np.argmin(wait))
        gaps = np.where(crowd, np.maximum(gaps + wait[first] * rates, 0.0), gaps)
        gaps[first] = 0.0
        if np.any(gaps[crowd] > 0.0):
            gaps = np.where(crowd, gaps / gaps[crowd].max(), gaps)
    return impact(problems, state, crowd, np.zeros(c)), True
