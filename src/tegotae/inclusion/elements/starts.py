"""Where machines with compliant contacts start: pressed in as if they rested there, and no deeper than that.

And a word of warning where rigid bodies would jam (Painlevé): the compliant routes stay finite and hide it.
"""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping
from itertools import chain, combinations, product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.contact import check_depths, weight_of
from tegotae.inclusion.elements.effective_masses import mobility
from tegotae.inclusion.language.equations import Equations
from tegotae.unsolved import to_the_user

_VERDICTS: WeakKeyDictionary[Equations, dict[tuple[bytes, bytes, bytes], str | None]] = WeakKeyDictionary()


class JammingWarning(UserWarning):
    """Friction couples contacts so strongly that some sliding has no rigid motion, or more than one."""


def jam(inclusion: Equations, D: Array, R: Array, touching: NDArray[np.bool_]) -> str | None:
    """The touching contacts that sliding friction can wedge, in words; None where every sliding has one motion.

    While frictions slide in given directions, contact forces cause gap accelerations by the matrix
    D + D(friction) way R. If all its principal minors are positive there is exactly one set of contact forces.

    D [1/kg] is how forces change gap rates and slips, R [-] how friction limits grow with contact forces.
    """
    c = len(inclusion.contacts)
    places = [int(i) for i in np.flatnonzero(touching)]
    groups = list(chain.from_iterable(combinations(places, size) for size in range(1, len(places) + 1)))
    rubbing = [j for j in range(len(inclusion.frictions)) if np.any(R[j][places])]
    if len(places) > 6 or len(rubbing) > 6:
        return None
    spans = inclusion.spans[c:]
    axes = [range(spans[j].start, spans[j].stop) for j in rubbing]
    for rows in product(*axes):
        for signs in product((1.0, -1.0), repeat=len(rubbing)):
            coupled = D[:c, :c].copy()
            for j, row, sign in zip(rubbing, rows, signs, strict=True):
                coupled += sign * np.outer(D[:c, row], R[j])
            for group in groups:
                rows_and_columns = np.ix_(group, group)
                plain = np.linalg.det(D[:c, :c][rows_and_columns])
                small = 1e-9 * float(np.prod(np.abs(np.diag(D)[list(group)])))
                if plain > small and np.linalg.det(coupled[rows_and_columns]) <= small:
                    return ", ".join(inclusion.contacts[i].name for i in group)
    return None


def warn_of_jams(owner: str, inclusion: Equations, x: Array, gaps: Array, t: float) -> None:
    """Warn if friction of the contacts that touch at x is strong enough to wedge them."""
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
        known[key] = jam(inclusion, D, R, touching)
    names = known[key]
    if names is not None:
        warn(owner, t, names, "What follows is then set by stiffness and damping; lower", "to_events")


def warn(owner: str, t: float, names: str, word: str, other: str) -> None:
    """Say that friction can wedge these contacts."""
    warnings.warn(
        f"{owner}: at t={t:.9g} s friction is strong enough to jam {names}: for some directions of slip the rigid law "
        f"has no motion or more than one (Painlevé). {word} the friction coefficients, or compare with {other}.",
        JammingWarning,
        stacklevel=to_the_user(),
    )


def _shares(inclusion: Equations, x: Array, t: float) -> Array:
    """How each limit grows with each contact force [-], by differences: limits are linear in them, or nearly."""
    terms, c, m = inclusion.terms, len(inclusion.contacts), len(inclusion.forces)
    count = (len(inclusion.frictions),)
    table = np.array([terms.plain("limits", t, x, count, force=(force,)) for force in np.eye(1 + c, m, -1)])
    return np.asarray((table[1:] - table[0]).T, dtype=np.float64)


SWEEPS = 200  # over the contacts that touch: a stack of ten shares its weight to a percent


def _carried_at_rest(inclusion: Equations, x: Array, t: float, gaps: Array) -> Array:
    """What each contact that touches may carry where the machine stands [N]: what presses it, or its mass's weight.

    Rigid and without friction; a contact whose force moves nothing carries anything.
    """
    terms, n, c = inclusion.terms, len(inclusion.states), len(inclusion.contacts)
    D = mobility(inclusion, x, t)[:c, :c]
    rest = np.linalg.solve(terms.plain("mass", t, x, (n, n)), terms.plain("smooth", t, x, (n,)))
    free = terms.plain("rate_slope", t, x, (c, n)) @ rest  # how the gaps would accelerate
    moved, touching = np.diag(D) > 0.0, gaps <= 0.0
    forces = np.zeros(c)
    for _ in range(SWEEPS):
        for i in np.flatnonzero(moved & touching):
            forces[i] = max(0.0, forces[i] - (free[i] + D[i] @ forces) / D[i, i])
    with np.errstate(divide="ignore"):
        return np.where(moved, np.maximum(forces, weight_of(1.0, 0.0) / np.abs(np.diag(D))), np.inf)


def rest_of_contacts(
    owner: str,
    inclusion: Equations,
    parameters: Mapping[str, Any],
    x: Array,
    t: float,
    given: Container[str],
    name: str,
) -> dict[str, float]:
    """What the springs of contacts give way where a machine starts, by contact; but for those that are given.

    A contact starts as if pressed in quasi-statically. Refused where one is deeper inside than it carries at rest.

    `given` holds names that the user gave values for; `name` is what a contact's deflection is called, {} its own.
    """
    gaps = _gaps_at(inclusion, x, t)
    warn_of_jams(owner, inclusion, x, gaps, t)
    free = {c.name: i for i, c in enumerate(inclusion.contacts) if name.format(c.name) not in given}
    inside = {own: i for own, i in free.items() if gaps[i] < 0.0}
    if inside:
        places = list(inside.values())
        stiffness = np.array([parameters[own].stiffness for own in inside])
        deepest = name.format(list(inside)[int(np.argmin(gaps[places]))])
        remedy = f"Start with gaps >= 0, or give its deflection if it is meant: initial={{{deepest!r}: ...}} [m]."
        carried = _carried_at_rest(inclusion, x, t, gaps)[places]
        check_depths(owner, list(inside), gaps[places], carried / stiffness, remedy)
    return {own: max(0.0, -float(gaps[i])) for own, i in free.items()}


def _gaps_at(inclusion: Equations, x: Array, t: float) -> Array:
    """The gaps of all contacts [m], without a compile if there need be none."""
    terms, count = inclusion.terms, (len(inclusion.contacts),)
    try:
        with np.errstate(all="ignore"):
            gaps, _ = terms.plain("gaps", t, x, count, count)
    except (ArithmeticError, ValueError):  # a corner of the geometry: a rate is no number there, the gap may be one
        gaps, u = np.zeros(count), np.zeros(len(inclusion.callables))
        terms.module.inputs(t, u)
        terms.module.gaps(t, x, terms.values, u, gaps, np.zeros(count))
    return np.asarray(gaps)
