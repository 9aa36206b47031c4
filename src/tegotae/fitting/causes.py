"""What sensors and records do to a fit: signs in a record that something other than the block is in it."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.fitting.recipe import Recipe
from tegotae.fitting.record import Record

LOUD = 0.5  # correlation of what is left from tick to tick, above which it is hardly the noise of a sensor


def possible_causes(recipe: Recipe, record: Record, bias: float) -> list[str]:
    """Sentences on an offset, a saturated sensor and a start in mid-motion, each where the record looks like it.

    A remedy is named only if the recipe has it and it was not asked for already. By `bias` of the force [N] the model
    explains the record better; 0 if it does not.
    """
    if recipe.response not in ("force", "velocity"):
        return []
    force = record.force.reshape(record.ticks, -1)
    speed = np.linalg.norm(record.velocity.reshape(record.ticks, -1), axis=1)
    felt = recipe.response == "force"
    found = [offset_message(recipe, record, bias or (_offset_of(record) if felt else 0.0))]
    if felt and (clipped := [end for column in force.T for end in _clipped(column)]):
        found.append(
            f"Many ticks show exactly {clipped[0]:.4g} N, as a saturated sensor does (or a record without noise): "
            "widen its range."
        )
    begun = float(np.linalg.norm(np.mean(force[:3], axis=0))) if felt else 0.0
    if begun > 0.3 * float(np.max(np.abs(force))) or speed[0] > 0.3 * float(np.max(speed)):
        found.append(_told_of_start(recipe, record))
    return [told for told in found if told]


def offset_message(recipe: Recipe, record: Record, bias: float) -> str:
    """The bias, and what to do about it; nothing where it was given, or sought."""
    if not bias or "offset" in {q.name for q in recipe.parameters} - recipe.assumed:
        return ""
    told = f"The force is about {bias:.2g} N off centre, as a sensor's offset would be: subtract it from the force"
    return told + (', or fit it with free=["offset"].' if _can_free(recipe, record, "offset") else ".")


def _told_of_start(recipe: Recipe, record: Record) -> str:
    if "preload" in {q.name for q in recipe.parameters} - recipe.assumed:
        return ""
    told = "The record starts in mid-motion or under load: begin it at rest"
    way = ', or fit the force it starts with by free=["preload"].'
    return told + (way if _can_free(recipe, record, "preload") else ".")


def _can_free(recipe: Recipe, record: Record, name: str) -> bool:
    return name in recipe.assumed and record.dimension == 1


def _offset_of(record: Record) -> float:
    """The largest of all directions [N], as bare eyes see it."""
    force = record.force.reshape(record.ticks, -1)
    ways = record.velocity.reshape(record.ticks, -1)
    return max((_offset(f, way) for f, way in zip(force.T, ways.T, strict=True)), key=abs)


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
