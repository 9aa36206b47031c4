"""The exact route: no stiffness and no time constant, but the set-valued laws themselves, from event to event."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import SLIGHT, restitutions
from tegotae.errors import TegotaeError
from tegotae.inclusion.exact.flow import Flow, Interpolant
from tegotae.inclusion.exact.transitions import REST, Ended, Transitions
from tegotae.inclusion.impacts.contact_problem import ContactProblems
from tegotae.inclusion.language.arguments import span_of, start_of, times_in, variables_of
from tegotae.inclusion.language.equations import Equations
from tegotae.result import Result
from tegotae.unsolved import to_the_user

MOST_EVENTS = 100_000
MOST_AT_ONCE = 50
LEAST_ROWS = 200  # of a record without times, over its span
TOLD = 1e-12  # m: a start that is less deep inside is not worth a word
ROWS_A_STEP = 5  # at least: an integrator of high order makes steps that straight lines do not draw


class OverlapWarning(UserWarning):
    """A start slightly inside of contacts, which was put on their surface: the message names them, and how deep."""


class Exact:
    """A machine with rigid contacts and true friction, integrated from event to event; made by `to_events`.

    Between events closed contacts and sticking frictions are constraints with multipliers, sliding frictions act
    with their limit against the slip. Events are located to rounding.

    Infinite series of impacts in a finite time are completed by their limit. Bounces that would last less than 1e-12
    of the run (or rise less than rounding can tell) are rest. Where bodies rattle between others, impacts that
    follow each other faster than that are computed one by one in a time of their own; if they do not part the
    bodies, their limit is one impact of all these contacts together, without restitution: momentum is kept, energy
    falls by what the rest of the series would take. `about["completed_series_of_impacts"]` counts both.
    Newton's law with friction would gain kinetic energy in some eccentric impacts: those are lessened to the largest
    part that gains none, on the way from the same impact without restitution.
    Loads that several elements could share in more than one way are shared so that all can bear them.

    Args:
        inclusion: the equations.
        restitution: speed after an impact over the speed before it, in 0 to 1 [-], for all contacts or by name; 0 for
            those that are not named, or for all if None.

    Example:
        >>> from tegotae.inclusion import Inclusion
        >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})
        >>> run = ball.to_events(restitution=0.5).solve((0.0, 2.0), {"p": 5.0}, times=[1.5])
        >>> round(float(run.p[0]), 9), run.events[0].element, run.events[0].kind
        (1.25, 'floor', 'touch')
    """

    def __init__(self, inclusion: Equations, restitution: float | Mapping[str, float] | None = 0.0):
        self.inclusion = inclusion
        names = [contact.name for contact in inclusion.contacts]
        given = restitutions("to_events", names, restitution)
        self.restitution: Array = np.array([given.get(name, 0.0) for name in names], dtype=np.float64)
        self._problems = ContactProblems(inclusion)

    def __repr__(self) -> str:
        return f"Exact({self.inclusion!r}, restitution={self._by_name})"

    def __reduce__(self) -> Any:
        """Copied and pickled as what it was made of; the copy compiles for itself."""
        return Exact, (self.inclusion, self._by_name)

    @property
    def _by_name(self) -> dict[str, float]:
        names = (contact.name for contact in self.inclusion.contacts)
        return dict(zip(names, self.restitution.tolist(), strict=True))

    def solve(
        self,
        span: tuple[float, float],
        initial: Mapping[Any, float] | None = None,
        *,
        times: ArrayLike | None = None,
        rtol: float = 1e-12,
        atol: float = 1e-12,
    ) -> Result:
        """Follow the motion over a span of time.

        Args:
            span: start and end [s].
            initial: state -> value, in SI units; states not given are 0.
            times: when to record [s], increasing, inside the span; exactly these. If not given, a true picture of the
                motion: at least 200 rows over the span and 5 in every step of the integrator, and at every event two
                rows of one time, before and after it. Tools that want every time once (xarray's `interp`) need times.
            rtol: relative tolerance of the smooth motion [-].
            atol: absolute tolerance of the smooth motion, in the units of the states; gaps and rates below 100 times
                that are taken for 0 where something happens at the same time.

        A start that lies up to a micrometre inside of contacts is put on their surface, by the shortest move, with a
        word of warning; `about["put_on_surface"]` tells which, and how deep they were: "floor by 1e-07 m".

        Returns:
            States and element forces by name, `<contact>_closed` and `<friction>_sticks`, and `.events`: a list of
            (time, element, kind) with kinds touch, release, stick and slip. The last row of a time that is an event's
            holds the values after it; so does the first row of all, if something happens at once.
        """
        t0, t1 = span_of("to_events.solve", span)
        for name, value in (("rtol", rtol), ("atol", atol)):
            checks.positive("to_events.solve", name, value, "", "Such as 1e-12.")
        x, _ = start_of("to_events.solve", initial, self.inclusion.states)
        wanted = times_in("to_events.solve", times, t0, t1)
        record = _EventRecord(self._problems, wanted, (t1 - t0) / LEAST_ROWS)
        x, put = self._outside(t0, x, 100.0 * atol)
        short = max(REST * (t1 - t0), 1e4 * float(np.spacing(max(abs(t0), abs(t1)))))
        transitions = Transitions(self._problems, self.restitution, near=100.0 * atol, short=short)
        self._follow(t0, t1, x, transitions, record, max(rtol, 1e-13), atol)
        F = np.array(record.F).reshape(len(record.t), self._problems.m)
        on = np.array(record.on, dtype=np.int8).reshape(len(record.t), self._problems.c + self._problems.k)
        system = self.inclusion
        variables = variables_of(system, np.array(record.t), system.states, np.array(record.x), F, on)
        about: dict[str, Any] = {"figure": "inclusion", "completed_series_of_impacts": transitions.completions}
        if put:  # as text, which every kind of file holds
            about["put_on_surface"] = put
        return Result(variables, title="Exact", about=about).with_events(transitions.events)

    def _outside(self, t: float, x: Array, near: float) -> tuple[Array, str]:
        """The start without overlaps, and which contacts were inside, how deep, in words; deeper ones are refused.

        All that overlaps is moved at once, the shortest way.
        """
        now = self._problems.at(t, x)
        depths = np.maximum(-now.gaps, 0.0)
        inside = now.gaps < -near
        for _ in range(3 + len(depths)):  # a curved surface takes a second move, and what is moved may meet others
            if (now.gaps < -max(near, SLIGHT)).any() or not (now.gaps < -near).any():
                break
            inside |= now.gaps < -near
            now = self._problems.at(t, now.on_surface(inside))
        for contact, gap in zip(self.inclusion.contacts, now.gaps, strict=True):
            if gap < -near:
                checks.refuse(
                    "to_events.solve",
                    f"{contact.name!r} starts {-gap:.3g} m inside: the gap {contact.gap} is {gap:g} m, and what is "
                    "rigid does not overlap.",
                    "Start with gaps >= 0.",
                )
        found = [(self.inclusion.contacts[i].name, depths[i]) for i in np.flatnonzero(inside & (depths > TOLD))]
        said = ", ".join(f"{name} by {depth:.3g} m" for name, depth in found)
        if said:
            warnings.warn(
                f"to_events.solve: a start inside of contacts is put on their surface: {said}. What is rigid does not "
                "overlap; start with gaps >= 0.",
                OverlapWarning,
                stacklevel=to_the_user(),
            )
        return now.x, said

    def _follow(
        self, t: float, t1: float, x: Array, transitions: Transitions, record: _EventRecord, rtol: float, atol: float
    ) -> None:
        ended, at_once = Ended(), 0
        longest = min((t1 - t) / 20.0, self.inclusion.finest)  # or it could step over what a record does
        x, mode = transitions.after(t, x, None, None, ended)
        while t < t1:
            flow = Flow(self._problems, mode)
            first = transitions.flight(self._problems.at(t, x), mode)
            after, x, which = flow.walk(
                t, x, t1, rtol=rtol, atol=atol, first=first, longest=longest, record=record.stretch
            )
            if which is None:
                break
            at_once = at_once + 1 if after - t <= 4.0 * np.spacing(abs(t)) else 0
            if at_once == 0:
                ended = Ended()
            t = after
            if at_once > MOST_AT_ONCE or len(transitions.events) > MOST_EVENTS:
                names = sorted({event.element for event in transitions.events[-20:]})
                raise TegotaeError(
                    f"to_events: events crowd at t={t:.9g} s ({', '.join(names)}) and time does not move on.\n"
                    "  Use to_ode or to_stepper there, or raise atol."
                )
            record.before(t, x, flow)
            x, mode = transitions.after(t, x, mode, self._end(t, x, flow, which, ended), ended)
        record.last(t1, x, Flow(self._problems, mode))

    def _end(self, t: float, x: Array, flow: Flow, which: int, ended: Ended) -> int | None:
        """Note what the event ends; the contact that was hit, if it is a touch."""
        c = self._problems.c
        if which < c:
            if not flow.mode.closed[which]:
                ended.closed.discard(which)
                return which
            ended.closed.add(which)
            return None
        j = which - c
        part = self._problems.parts[j]
        if flow.mode.held[j]:
            ended.held.add(j)
            ended.urged[j] = flow.forces(self._problems.at(t, x))[part]
            if part.stop - part.start == 1:
                ended.direction[j] = -np.sign(ended.urged[j])
        else:
            ended.direction[j] = flow.direction[part].copy()
        return None


class _EventRecord:
    """What is kept of a run: at the asked times, right of an event; or densely, on both sides of it."""

    def __init__(self, problems: ContactProblems, times: Array | None, longest: float):
        self.problems, self.times, self.next, self.longest = problems, times, 0, longest
        self.t: list[float] = []
        self.x: list[Array] = []
        self.F: list[Array] = []
        self.on: list[tuple[bool, ...]] = []

    def stretch(self, start: float, end: float, path: Interpolant, flow: Flow) -> None:
        """Keep what was asked of [start, end)."""
        if self.times is None:
            if end > start:
                rows = max(ROWS_A_STEP, math.ceil((end - start) / self.longest))
                # A stretch of a few roundings holds fewer moments than that.
                for t in np.unique(np.linspace(start, end, rows, endpoint=False)).tolist():
                    if t < end:
                        self._keep(t, path(t), flow)
            return
        while self.next < len(self.times) and self.times[self.next] < end:
            t = float(self.times[self.next])
            self._keep(t, path(t), flow)
            self.next += 1

    def before(self, t: float, x: Array, flow: Flow) -> None:
        """Keep what an event ends; of several events at one time, what the first of them ends."""
        if self.times is None and self.t and self.t[-1] < t:
            self._keep(t, x, flow)

    def last(self, t: float, x: Array, flow: Flow) -> None:
        """Keep the end of the run."""
        if self.times is None or self.next < len(self.times):
            self._keep(t, x, flow)

    def _keep(self, t: float, x: Array, flow: Flow) -> None:
        self.t.append(t)
        self.x.append(np.asarray(x))
        self.F.append(flow.forces(self.problems.at(t, np.asarray(x))))
        self.on.append((*flow.mode.closed, *flow.mode.held))
