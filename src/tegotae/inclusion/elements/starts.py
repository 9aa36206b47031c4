"""Where machines with compliant contacts start: pressed in as if they rested there, and no deeper than that."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from tegotae.checks import Array
from tegotae.contact import check_depths, weight_of
from tegotae.inclusion.elements.effective_masses import mobility
from tegotae.inclusion.elements.jamming import warn_of_jams
from tegotae.inclusion.language.equations import Equations

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
