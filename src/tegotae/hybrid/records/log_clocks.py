"""Two clocks made one: the table's times on the dynamics node's clock, by the offsets that its rows tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.hybrid.bus.rows import Rows

Times = NDArray[np.int64]

BESIDE_THE_TABLE = ("table", "device")  # nodes on the computer of the table, whose clock they share
_SMOOTH = 255  # rows: what jitters in the offset between two clocks, whose drift is slow


def offsets_of(rows: Rows) -> Array:
    """The table's clock minus the dynamics' own [s] at each row; NaN where it was not known."""
    names = rows.dtype.names or ()
    return rows["offset"].astype(np.float64) if "offset" in names else np.full(rows.size, np.nan)


def translation(dynamics: Rows) -> Callable[[Times], Times]:
    """From the table's clock to the dynamics' own, both [ns]: piecewise linear, the same offset beyond."""
    ours, offsets = dynamics["time"], offsets_of(dynamics)
    known = np.isfinite(offsets)
    if not known.any():
        return lambda theirs: theirs
    ours = ours[known]
    smooth = np.round(1e9 * _median(offsets[known])).astype(np.int64)
    zero, base = int(ours[0]), int(smooth[0])
    shown = np.maximum.accumulate((ours - zero) + (smooth - base)).astype(np.float64)  # what the table's clock showed

    def to_ours(theirs: Times) -> Times:
        local = theirs - (zero + base)  # small numbers: exact as floats
        shift = np.interp(local.astype(np.float64), shown, (smooth - base).astype(np.float64))
        return local - np.round(shift).astype(np.int64) + zero

    return to_ours


def _median(values: Array) -> Array:
    """Of each value and its neighbours: an offset that a late packet spoils for a moment moves no time."""
    if np.ptp(values) == 0.0:
        return values
    from scipy.ndimage import median_filter

    return np.asarray(median_filter(values, size=min(_SMOOTH, values.size), mode="reflect"), dtype=np.float64)
