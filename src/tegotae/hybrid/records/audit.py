"""Every contact of a record or a log: when, to parts of a tick, how hard, how it bounced, where its energy went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.hybrid.bus.rows import Rows
from tegotae.hybrid.records.log_reader import LogReader


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
        low, high = (middle, high) if (curve(middle) > 0.0) == falling else (low, middle)
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
    stretches: list[tuple[int, int]] = []
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True):
        if stretches and time[first] - time[stretches[-1][1]] <= bridging:
            stretches[-1] = stretches[-1][0], int(last)
        else:
            stretches.append((int(first), int(last)))
    return stretches


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


_AROUND = 25e-3  # s before and after a contact in which the sensor may feel it, beside the loop's delay
_NEEDED = ("simulated", "wrench", "pose", "twist", "energy")
_LARGEST = 1e15  # of a number in its unit: squares of it stay finite
_PAUSE = 0.02  # s, in a network without delay


@dataclass(frozen=True, kw_only=True)
class ContactAudit:
    """One contact and its energy audit. A number that the log cannot give is NaN."""

    touched: float  # when the force began [s of simulated time]
    released: float  # when it ended [s]
    duration: float  # between [s]
    peak_force: float  # largest normal force applied to the bodies [N]
    peaked: float  # when [s]
    sensor_peak: float  # largest normal force that the sensor told [N]
    approach_speed: float  # of the two, before [m/s]
    parting_speed: float  # after [m/s]
    restitution: float  # parting over approach speed [-]
    impulse: float  # of the normal force [N·s]
    mass: float  # that the contact felt, impulse over change of speed [kg]
    energy_before: float  # kinetic, of the bodies [J]
    energy_after: float  # kinetic [J]
    energy_gained: float  # after minus before [J]
    energy_gained_relative: float  # over the energy of the approach, m v²/2 [-]
    work_applied: float  # of the applied wrench on the bodies [J]
    work_device: float  # of the true contact on the moving part, as the table measured it [J]
    work_created: float  # applied minus device: what the loop put in, less what the guard took [J]
    unexplained: float  # gained minus applied work: joint torques and the like [J]
    guard_removed: float  # what the guard took [J]
    delay: float  # of the loop, as identified, median over the contact [s]
    stiffness: float  # as identified at its end [N/m]
    damping: float  # as identified at its end [N·s/m]


def contacts_of(log: LogReader) -> list[ContactAudit]:
    """Every contact that begins and ends in a log, in order."""
    found = []
    for part in runs_of(log):
        rows, times = log.dynamics[part], log.aligned["dynamics"][part]
        wrench: Array = rows["wrench"]
        pose: Array = rows["pose"]
        delay: Array = np.nan_to_num(rows["delay"])
        force = -wrench[:, 2]
        noise, jitter = noise_of(force, -pose[:, 2])
        intervals = contact_intervals(
            rows["simulated"],
            force,
            noise=noise,
            jitter=jitter,
            damping=np.nan_to_num(rows["damping"]),
            speed=rows["twist"][:, 2],
            # As long as the simulation itself takes a pause for a part of the contact: late and lost packets.
            bridging=_PAUSE + 2.0 * max(0.0, float(np.median(delay))),
        )
        found += [_contact(rows, times, force, interval, log) for interval in intervals]
    return found


def runs_of(log: LogReader) -> list[NDArray[np.int64]]:
    """Rows in which the dynamics stepped, by runs: simulated time grows in each, and begins anew with the next."""
    rows = log.dynamics
    stepped = np.flatnonzero(sound(rows))
    if not stepped.size:
        return []
    time = rows["simulated"][stepped]
    pieces = np.split(stepped, np.flatnonzero(np.diff(time) < 0.0) + 1)
    # While it waits the time stands still: of equal times the last row counts.
    return [piece[np.append(np.diff(rows["simulated"][piece]) > 0.0, True)] for piece in pieces]


def sound(rows: Rows) -> NDArray[np.bool_]:
    """Which rows of the dynamics node hold numbers of a size that can be, in all that an audit needs."""
    good = np.ones(rows.size, dtype=bool)
    for name in _NEEDED:
        finite = np.abs(rows[name]) <= _LARGEST
        good &= finite if finite.ndim == 1 else finite.all(axis=1)
    return good


def noise_of(force: Array, gap: Array) -> tuple[float, float]:
    """How much the normal force [N] jitters: where the two are apart, and in contact about its smooth course."""
    apart = np.abs(force[gap > 0.0])
    outside = 1.4826 * float(np.median(apart)) if apart.size else 0.0
    # Third differences take out what is smooth over four ticks; of noise they make sqrt(20) times as much.
    rough = np.abs(np.diff(force, 3))[(force[:-3] > 0.0) & (force[3:] > 0.0)]
    inside = 1.4826 * float(np.median(rough)) / float(np.sqrt(20.0)) if rough.size else 0.0
    return outside, inside


def _contact(rows: Rows, times: Array, force: Array, interval: ContactInterval, log: LogReader) -> ContactAudit:
    before, after = interval.before, interval.after
    during = slice(before, after + 1)
    twist: Array = rows["twist"]
    speed = twist[:, 2]
    approach, parting = float(speed[before]), float(-speed[after])
    # A row tells the wrench of the step that ended in it, and the motion after.
    step = np.diff(rows["simulated"][during])
    pushed = slice(before + 1, after + 1)
    impulse = float(np.sum(force[pushed] * step))
    mass = _over(impulse, approach + parting)
    middle = 0.5 * (twist[before:after] + twist[pushed])
    work = float(np.sum(step * np.einsum("ij,ij->i", rows["wrench"][pushed], middle)))
    gained = float(rows["energy"][after] - rows["energy"][before])
    delay = median(rows["delay"][during])
    sensor, device = _device(log, rows[during], float(times[before]), float(times[after]), delay)
    return ContactAudit(
        touched=interval.touched,
        released=interval.released,
        duration=interval.duration,
        peak_force=interval.peak,
        peaked=interval.peaked,
        sensor_peak=sensor,
        approach_speed=approach,
        parting_speed=parting,
        restitution=_over(parting, approach),
        impulse=impulse,
        mass=mass,
        energy_before=float(rows["energy"][before]),
        energy_after=float(rows["energy"][after]),
        energy_gained=gained,
        energy_gained_relative=_over(gained, 0.5 * mass * approach * approach),
        work_applied=work,
        work_device=device,
        work_created=work - device,
        unexplained=gained - work,
        guard_removed=float(rows["removed"][after] - rows["removed"][before]),
        delay=delay,
        stiffness=_last(rows["stiffness"][during]),
        damping=_last(rows["damping"][during]),
    )


def _device(log: LogReader, felt: Rows, start: float, end: float, delay: float) -> tuple[float, float]:
    """Largest force that the sensor told, and the contact's work on the moving part, from the table's own rows."""
    around = _AROUND + (delay if np.isfinite(delay) else 0.0)
    times = log.aligned["table"]
    part = (times >= start - around) & (times <= end + around)
    if np.count_nonzero(part) < 2:
        return float(np.nanmax(-felt["felt_wrench"][:, 2], initial=-np.inf)), float("nan")
    rows, times = log.table[part], times[part]
    known = np.isfinite(rows["wrench"]).all(axis=1) & np.isfinite(rows["pose"]).all(axis=1)
    rows, times = rows[known], times[known]
    if rows.size < 2:
        return float("nan"), float("nan")
    wrench = 0.5 * (rows["wrench"][:-1] + rows["wrench"][1:])
    # Along the path as measured: half a tick between force and velocity would be a tenth of the contact's energy.
    along = float(np.einsum("ij,ij->", wrench[:, :3], np.diff(rows["pose"][:, :3], axis=0)))
    turn = np.nan_to_num(rows["twist"][:, 3:])
    about = np.einsum("ij,ij->i", wrench[:, 3:], 0.5 * (turn[:-1] + turn[1:]))
    work = along + float(np.sum(about * np.diff(times)))
    return float(np.max(-rows["wrench"][:, 2])), work


def _over(above: float, below: float) -> float:
    return above / below if below != 0.0 else float("nan")


def median(values: Any) -> float:
    """Of what is finite; NaN if nothing is."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")


def _last(values: Any) -> float:
    known = values[np.isfinite(values)]
    return float(known[-1]) if known.size else float("nan")
