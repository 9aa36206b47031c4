"""A word of warning from the compliant routes where rigid bodies would jam (Painlevé): they stay finite and hide it."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from tegotae.checks import Array
from tegotae.inclusion.effective import mobility
from tegotae.inclusion.instant import Instant, Instants
from tegotae.inclusion.system import Inclusion
from tegotae.inclusion.unique import JammingWarning, jam
from tegotae.unsolved import to_the_user

_VERDICTS: WeakKeyDictionary[Inclusion, dict[tuple[bytes, bytes, bytes], str | None]] = WeakKeyDictionary()


def warn_of_jams(owner: str, inclusion: Inclusion, x: Array, gaps: Array, t: float) -> None:
    """Warn if friction of the contacts that touch is strong enough to wedge them.

    Args:
        owner: who asks, for the message.
        inclusion: the machine.
        x: its states [SI units].
        gaps: of its contacts there [m].
        t: the time [s].
    """
    forces = {contact.force for contact in inclusion.contacts}
    touching = gaps <= 0.0
    if not touching.any() or not any(f.limit.free_symbols & forces for f in inclusion.frictions):
        return
    try:
        with np.errstate(all="ignore"):
            D, R = mobility(inclusion, x, t), _shares(inclusion, x, t)
    except ZeroDivisionError:  # a corner of the geometry, where directions are not defined: nothing to judge yet
        return
    if not (np.isfinite(D).all() and np.isfinite(R).all()):
        return
    # Asked at every start, answered once for each set of touching contacts with these numbers.
    known = _VERDICTS.setdefault(inclusion, {})
    key = (D.tobytes(), R.tobytes(), touching.tobytes())
    if key not in known:
        known[key] = jam(_seen(inclusion), _instant(inclusion, x, t, D, R), touching)
    names = known[key]
    if names is not None:
        warnings.warn(
            f"{owner}: at t={t:.9g} s friction is strong enough to jam {names}: for some directions of slip the rigid "
            "law has no motion or more than one (Painlevé). What follows is then set by stiffness and damping; lower "
            "the friction coefficients, or compare with to_events.",
            JammingWarning,
            stacklevel=to_the_user(),
        )


def _seen(inclusion: Inclusion) -> Instants:
    """What the test reads of the exact route's numbers, without compiling that route for one question."""
    c = len(inclusion.contacts)
    parts = [slice(c + first, c + last) for first, last in inclusion.pieces.components]
    return cast(Instants, SimpleNamespace(inclusion=inclusion, c=c, k=len(inclusion.frictions), parts=parts))


def _instant(inclusion: Inclusion, x: Array, t: float, D: Array, R: Array) -> Instant:
    now = Instant(t, x, (len(inclusion.states), len(inclusion.contacts), len(inclusion.frictions), len(D)))
    now.D, now.R = D, R
    return now


def _shares(inclusion: Inclusion, x: Array, t: float) -> Array:
    """How each limit grows with each contact force [-], by differences: limits are linear in them, or nearly."""
    pieces, c, m = inclusion.pieces, len(inclusion.contacts), len(inclusion.forces)
    u, limits = np.zeros(len(inclusion.callables)), pieces.module.limits.py_func
    pieces.module.inputs.py_func(t, u)
    table = np.zeros((1 + c, len(inclusion.frictions)))
    for row, force in zip(table, np.eye(1 + c, m, -1), strict=True):
        limits(t, x, pieces.values, u, force, row)
    return np.asarray((table[1:] - table[0]).T, dtype=np.float64)
