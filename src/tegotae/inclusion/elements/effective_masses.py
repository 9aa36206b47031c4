"""How heavy the machine feels at each of its elements: what decides how stiff an element a given step allows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.inclusion.language.equations import Equations


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
        >>> from tegotae.inclusion.elements.effective_masses import effective_masses
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
    values: Sequence[float] = np.linalg.eigvalsh(0.5 * (W + W.T)).tolist()
    if min(values) < -1e-12 * max(1e-300, max(abs(v) for v in values)):
        checks.refuse(
            "Inclusion",
            f"the force of {name!r} drives its own motion on (mobility {min(values):g} 1/kg).",
            "A contact pushes its gap open: +dio(gap); friction opposes its slip: -coulomb(limit, slip).",
        )
    return 1.0 / max(values) if max(values) > 0.0 else math.inf
