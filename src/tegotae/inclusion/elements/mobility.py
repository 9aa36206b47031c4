"""How the machine feels at its elements: its masses there, whether friction can wedge contacts, and how they start.

Machines with compliant contacts start pressed in as if they rested there, and no deeper than that. Where rigid bodies
would jam (Painlevé) there is a word of warning: the compliant routes stay finite and hide it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Container, Mapping
from itertools import chain, combinations, product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import check_depths, weight_of
from tegotae.errors import InputError
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.grammar import refuse
from tegotae.unsolved import to_the_user

_VERDICTS: WeakKeyDictionary[Equations, dict[tuple[bytes, bytes, bytes], str | None]] = WeakKeyDictionary()


def effective_masses(inclusion: Equations, x: ArrayLike, t: float = 0.0) -> dict[str, float]:
    """The mass that each element feels, its neighbours absent: force over the acceleration of its gap or slip.

    A friction in a plane or in space has the mass of its lightest direction; an element whose force moves nothing
    it can feel is infinitely heavy.

    Args:
        inclusion: the machine.
        x: its states in their order [SI units], the place at which the masses are wanted.
        t: the time [s].

    Returns:
        Element name -> mass [kg].

    Example:
        >>> from tegotae.inclusion import Inclusion
        >>> from tegotae.inclusion.elements.mobility import effective_masses
        >>> pair = Inclusion({"p": "v", "v": "-dio(q - p, 'touch')/2", "q": "w", "w": "dio(q - p, 'touch')/6"})
        >>> round(effective_masses(pair, [0.0, 0.0, 0.0, 0.0])["touch"], 12)
        1.5
    """
    W = mobility(inclusion, x, t)
    signs = [1.0] * len(inclusion.contacts) + [-1.0] * len(inclusion.frictions)
    elements = zip(inclusion.elements, inclusion.spans, signs, strict=True)
    return {element.name: _mass_of(element.name, sign * W[span, span]) for element, span, sign in elements}


def mobility(inclusion: Equations, x: ArrayLike, t: float = 0.0) -> Array:
    """How fast each force changes each gap rate and slip: J M^-1 G [1/kg], contacts first, then friction components."""
    terms = inclusion.terms
    n, m, contacts = len(inclusion.states), len(inclusion.forces), len(inclusion.contacts)
    state = checks.values("effective_masses", "x", x, "SI", f"Give {n} numbers, one a state.", -math.inf)
    if state.size != n:
        checks.refuse("effective_masses", f"x has {state.size} numbers.", f"Give {n}, one a state.")
    rates = terms.plain("rate_slope", t, state, (contacts, n)), terms.plain("slip_slope", t, state, (m - contacts, n))
    pushes, masses = terms.plain("directions", t, state, (n, m)), terms.plain("mass", t, state, (n, n))
    try:
        accelerations = np.linalg.solve(masses, pushes)
    except np.linalg.LinAlgError as error:
        states = ", ".join(f"{s}={v:g}" for s, v in zip(inclusion.states, state, strict=True))
        raise InputError(
            f"effective_masses: the mass matrix is singular at {states}.\n  Give every moving part a mass."
        ) from error
    return np.asarray(np.vstack(rates) @ accelerations, dtype=np.float64)


def _mass_of(name: str, W: Array) -> float:
    """1/mobility of the lightest direction; a force that drives its own motion on is written with the wrong sign."""
    values: list[float] = np.linalg.eigvalsh(0.5 * (W + W.T)).tolist()
    if min(values) < -1e-12 * max(1e-300, max(abs(v) for v in values)):
        refuse(
            f"the force of {name!r} drives its own motion on (mobility {min(values):g} 1/kg).",
            "A contact pushes its gap open: +dio(gap); friction opposes its slip: -coulomb(limit, slip).",
        )
    return 1.0 / max(values) if max(values) > 0.0 else math.inf


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
    inside = {contact: i for contact, i in free.items() if gaps[i] < 0.0}
    if inside:
        places = list(inside.values())
        stiffness = np.array([parameters[contact].stiffness for contact in inside])
        deepest = name.format(list(inside)[int(np.argmin(gaps[places]))])
        remedy = f"Start with gaps >= 0, or give its deflection if it is meant: initial={{{deepest!r}: ...}} [m]."
        carried = _carried_at_rest(inclusion, x, t, gaps)[places]
        check_depths(owner, list(inside), gaps[places], carried / stiffness, remedy)
    return {contact: max(0.0, -float(gaps[i])) for contact, i in free.items()}


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
