"""One contact in a record: when it began and ended, how hard it pushed, located inside the ticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array


@dataclass(frozen=True, kw_only=True)
class ContactInterval:
    """A contact from touch to release."""

    touched: float  # when the gap closed [s]
    released: float  # when it opened again [s]
    peak: float  # largest force between [N]
    peaked: float  # when [s]
    before: int  # last tick without overlap before it, an index of the record
    after: int  # first tick without overlap after it

    @property
    def duration(self) -> float:
        """From touch to release [s]."""
        return self.released - self.touched


def first_contact(time: Array, gap: Array, force: Array) -> ContactInterval | None:
    """The first contact of a record, if it begins and ends in it: even ticks [s], a gap that is negative in it [m]."""
    overlap = gap < 0.0
    closes = np.flatnonzero(~overlap[:-1] & overlap[1:])
    if not closes.size:
        return None
    before = int(closes[0])
    opens = np.flatnonzero(~overlap[before + 1 :])
    if not opens.size:
        return None
    after = before + 1 + int(opens[0])
    peaked, peak = _top(time, force, before, after, 1)
    return ContactInterval(
        touched=_crossing(time, gap, before),
        released=_crossing(time, gap, after - 1),
        peak=peak,
        peaked=peaked,
        before=before,
        after=after,
    )


def _crossing(time: Array, gap: Array, i: int) -> float:
    """Where the gap is 0 between ticks i and i + 1: the cubic through two ticks on either side, solved by bisection."""
    first = min(max(i - 1, 0), time.size - 4)
    t, g = time[first : first + 4], gap[first : first + 4]
    if time.size < 4 or not np.isfinite(g).all():
        return float(time[i] - gap[i] * (time[i + 1] - time[i]) / (gap[i + 1] - gap[i]))
    step = float(t[1] - t[0])
    curve = np.polynomial.Polynomial.fit(t, g, 3, domain=[t[0], t[0] + 3.0 * step], window=[0.0, 3.0])
    low, high = float(time[i]), float(time[i + 1])
    falling = gap[i] > gap[i + 1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (curve(middle) > 0.0) == falling:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


_FEWEST = 3  # ticks above the floor: fewer are no contact that could be measured
_STEEP = 0.8  # of the top: where a neighbour is lower, the force jumps, and no parabola knows better than the ticks


def contact_intervals(
    time: Array,
    force: Array,
    *,
    noise: float = 0.0,
    jitter: float = 0.0,
    damping: Array | None = None,
    speed: Array | None = None,
    bridging: float = 10e-3,
) -> list[ContactInterval]:
    """Every contact that begins and ends in a record, by its force alone: the surface need not be known.

    A contact is a stretch in which the force is above a floor, 1/1000 of the record's peak or 4.5 times the noise, for
    at least 3 ticks. Touch and release are where straight lines through its first and last ticks meet zero. `before`
    and `after` are the ticks next to the stretch.

    Args:
        time: of the ticks, increasing [s].
        force: that pushes apart [N].
        noise: standard deviation of the force where there is no contact [N].
        jitter: of the force in contact, about its smooth course [N]; lines and parabola then go through more ticks.
        damping: of the contact as known at each tick, if it is [N·s/m]: with `speed` it tells the jump at touch, which
            could not be told from an earlier touch otherwise.
        speed: of approach [m/s].
        bridging: shorter pauses belong to the contact: a packet was lost [s].
    """
    if time.size < _FEWEST + 2:
        return []
    quiet = 1e-3 * float(force.max())
    rough = 4.5 * max(noise, jitter) > quiet
    hidden = 4.5 * noise if 4.5 * noise > quiet else 0.0
    floor = max(quiet, hidden, 0.0)
    found = []
    for first, last in _stretches(time, force > floor, bridging):
        if first == 0 or last == time.size - 1 or np.count_nonzero(force[first : last + 1] > floor) < _FEWEST:
            continue
        part = (last + 1 - first) // 8
        ends = min(max(part, 2), 6) if rough else 2
        peaked, peak = _top(time, force, first, last, max(part, 1) if rough else 1)
        since, until = slice(first - 1, first + ends), slice(last + 1, last - ends, -1)
        jump = 0.0 if damping is None or speed is None else max(float(damping[last] * speed[first - 1]), 0.0)
        found.append(
            ContactInterval(
                touched=_foot(time[since], force[since], hidden, min(jump, float(force[first]))),
                released=-_foot(-time[until], force[until], hidden, 0.0),
                peak=peak,
                peaked=peaked,
                before=first - 1,
                after=last + 1,
            )
        )
    return found


def _stretches(time: Array, pushing: NDArray[np.bool_], bridging: float) -> list[tuple[int, int]]:
    """First and last ticks of the stretches, those that only a short pause parts taken together."""
    edges = np.diff(np.concatenate(([False], pushing, [False])).astype(np.int8))
    told: list[tuple[int, int]] = []
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True):
        if told and time[first] - time[told[-1][1]] <= bridging:
            told[-1] = told[-1][0], int(last)
        else:
            told.append((int(first), int(last)))
    return told


def _foot(time: Array, force: Array, hidden: float, jump: float) -> float:
    """Where the force began, between the tick before and the first of the contact: the line through the ticks after.

    Noise hides what is below its floor, so that it may have begun a little earlier. A damper sets in with a jump.
    """
    t, f = time[1:], force[1:]
    slope = float(np.polyfit(t - t[0], f, 1)[0])
    if slope <= 0.0:
        return float(0.5 * (time[0] + t[0]))
    foot = float(t.mean()) - (float(f.mean()) - jump) / slope
    earliest = float(time[0]) - min(hidden / slope, float(t[-1] - t[0]))
    return min(max(foot, earliest), float(t[0]))


def _top(time: Array, force: Array, first: int, last: int, wide: int) -> tuple[float, float]:
    """Time and height of the peak: a parabola through so many ticks on either side of the highest, if it is smooth."""
    top = first + int(np.argmax(force[first : last + 1]))
    low, high = max(top - wide, first), min(top + wide, last)
    t, f = time[low : high + 1] - time[top], force[low : high + 1]
    if t.size < 3 or f.min() < _STEEP * force[top]:
        return float(time[top]), float(force[top])
    bend, slope, level = (float(each) for each in np.polyfit(t, f, 2))
    at = -0.5 * slope / bend if bend < 0.0 else np.inf
    if not t[0] <= at <= t[-1]:
        return float(time[top]), float(force[top])
    return float(time[top] + at), level - 0.25 * slope * slope / bend
