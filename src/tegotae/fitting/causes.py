"""What sensors and records do to a fit: signs in a record that something other than the block is in it."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.fitting.record import Record

LOUD = 0.5  # correlation of what is left from tick to tick, above which it is hardly the noise of a sensor


def possible_causes(record: Record) -> list[str]:
    """Sentences on an offset, a saturated sensor and a start in mid-motion, each where the record looks like it.

    They are about the force a block exerts on its mover.
    """
    force = record.force.reshape(record.ticks, -1)
    speed = np.linalg.norm(record.velocity.reshape(record.ticks, -1), axis=1)
    found = []
    offsets = [_offset(column, way) for column, way in zip(force.T, _ways(record).T, strict=True)]
    worst = max(offsets, key=abs)
    if worst:
        found.append(
            f"The force is about {worst:.2g} N off centre, as a sensor's offset would be: subtract it from the force"
            + (', or fit it with free=["offset"].' if record.dimension == 1 else ".")
        )
    clipped = [end for column in force.T for end in _clipped(column)]
    if clipped:
        found.append(
            f"Many ticks show exactly {clipped[0]:.4g} N, as a saturated sensor does (or a record without noise): "
            "widen its range."
        )
    begun = float(np.linalg.norm(np.mean(force[:3], axis=0)))
    if begun > 0.3 * float(np.max(np.abs(force))) or speed[0] > 0.3 * float(np.max(speed)):
        found.append(
            "The record starts in mid-motion or under load: begin it at rest"
            + (', or fit the force it starts with by free=["preload"].' if record.dimension == 1 else ".")
        )
    return found


def _ways(record: Record) -> Array:
    return record.velocity.reshape(record.ticks, -1)


def _offset(force: Array, velocity: Array) -> float:
    """Half the sum of the forces against fast motion either way, where that is no small part of their difference.

    Only the faster half of the ticks: those slide, whatever the springs do.
    """
    fast = np.abs(velocity) >= np.median(np.abs(velocity))
    forth, back = force[fast & (velocity > 0.0)], force[fast & (velocity < 0.0)]
    if min(forth.size, back.size) < 0.05 * force.size:
        return 0.0
    middle = 0.5 * float(np.median(forth) + np.median(back))
    half = 0.5 * abs(float(np.median(back) - np.median(forth)))
    spread = max(float(np.subtract(*np.quantile(way, [0.75, 0.25]))) for way in (forth, back))
    # Only a record that slides has two levels to be in the middle of; a spring's force goes with the place.
    return middle if abs(middle) > 0.1 * half and half > spread else 0.0


def _clipped(force: Array) -> list[float]:
    """Ends of the range that come back exactly."""
    ends = [float(force.max()), float(force.min())]
    return [end for end in ends if end != 0.0 and np.mean(force == end) > 0.02]
