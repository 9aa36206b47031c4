"""One contact in a record: when it began and ended, how hard it pushed, located inside the ticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tegotae.checks import Array


@dataclass(frozen=True, kw_only=True)
class Bump:
    """A contact from touch to release.

    Args:
        touched: when the gap closed [s].
        released: when it opened again [s].
        peak: largest force between [N].
        peaked: when [s].
        before: last tick without overlap before it, an index of the record.
        after: first tick without overlap after it.

    Example:
        >>> import numpy as np
        >>> time = np.linspace(0.0, 1.0, 101)
        >>> found = bump_of(time, np.cos(4.0 * time), np.maximum(-np.cos(4.0 * time), 0.0))
        >>> found is None  # it is not yet released
        True
    """

    touched: float
    released: float
    peak: float
    peaked: float
    before: int
    after: int

    @property
    def duration(self) -> float:
        """From touch to release [s]."""
        return self.released - self.touched


def bump_of(time: Array, gap: Array, force: Array) -> Bump | None:
    """The first contact of a record, if it begins and ends in it.

    Args:
        time: of the ticks, evenly spaced [s].
        gap: negative where the two overlap [m].
        force: between them [N].

    Example:
        >>> import numpy as np
        >>> time = np.linspace(0.0, 2.0, 201)
        >>> found = bump_of(time, np.cos(4.0 * time), np.maximum(-np.cos(4.0 * time), 0.0))
        >>> round(found.duration, 6), round(found.peak, 6)  # pi/4, 1
        (0.785398, 1.0)
    """
    overlap = gap < 0.0
    closes = np.flatnonzero(~overlap[:-1] & overlap[1:])
    if not closes.size:
        return None
    before = int(closes[0])
    opens = np.flatnonzero(~overlap[before + 1 :])
    if not opens.size:
        return None
    after = before + 1 + int(opens[0])
    top = before + int(np.argmax(force[before : after + 1]))
    peaked, peak = _summit(time, force, top)
    return Bump(
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


def _summit(time: Array, force: Array, top: int) -> tuple[float, float]:
    """Time and height of the parabola through the highest tick and its neighbours."""
    if not 0 < top < force.size - 1:
        return float(time[top]), float(force[top])
    left, middle, right = (float(force[top + k]) for k in (-1, 0, 1))
    bend = left - 2.0 * middle + right
    if bend >= 0.0:
        return float(time[top]), middle
    part = 0.5 * (left - right) / bend
    return float(time[top] + part * (time[top + 1] - time[top])), middle - 0.25 * (left - right) * part
