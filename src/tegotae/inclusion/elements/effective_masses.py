"""How heavy the machine feels at each of its elements: what decides how stiff an element a given step allows."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.inclusion.language.compiled_terms import CompiledTerms
from tegotae.inclusion.language.equations import Equations
from tegotae.inside import check_depths, weight_of

SWEEPS = 200  # over the contacts that touch: a stack of ten shares its weight to a percent


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
    contacts = len(inclusion.contacts)
    masses = {c.name: _mass_of(c.name, W[i : i + 1, i : i + 1]) for i, c in enumerate(inclusion.contacts)}
    place = contacts
    for friction in inclusion.frictions:
        end = place + len(friction.slips)
        masses[friction.name] = _mass_of(friction.name, -W[place:end, place:end])
        place = end
    return masses


def mobility(inclusion: Equations, x: ArrayLike, t: float = 0.0) -> Array:
    """How fast each force changes each gap rate and slip: J M^-1 G [1/kg], contacts first, then friction components.

    Args:
        inclusion: the machine.
        x: its states in their order [SI units].
        t: the time [s].

    Example:
        >>> from tegotae.inclusion import Inclusion
        >>> from tegotae.inclusion.elements.effective_masses import mobility
        >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/4 - 9.81"})
        >>> mobility(ball, [0.0, 0.0])
        array([[0.25]])
    """
    terms = inclusion.terms
    n, m, contacts = len(inclusion.states), len(inclusion.forces), len(inclusion.contacts)
    state = checks.values("effective_masses", "x", x, "SI", f"Give {n} numbers, one a state.", -math.inf)
    if state.size != n:
        checks.refuse("effective_masses", f"x has {state.size} numbers.", f"Give {n}, one a state.")
    place = (float(t), state, terms.values, _inputs(terms, float(t)))
    J, G, M = np.zeros((m, n)), np.zeros((n, m)), np.zeros((n, n))
    # Asked once, so plain Python: compiling would cost more than it saves.
    _plain(terms, "rate_slope")(*place, J[:contacts])
    _plain(terms, "slip_slope")(*place, J[contacts:])
    _plain(terms, "directions")(*place, G)
    _plain(terms, "mass")(*place, M)
    try:
        accelerations = np.linalg.solve(M, G)
    except np.linalg.LinAlgError as error:
        states = ", ".join(f"{s}={v:g}" for s, v in zip(inclusion.states, state, strict=True))
        raise InputError(
            f"effective_masses: the mass matrix is singular at {states}.\n  Give every moving part a mass."
        ) from error
    return np.asarray(J @ accelerations, dtype=np.float64)


def carried_at_rest(inclusion: Equations, x: Array, t: float, gaps: Array) -> Array:
    """What each contact that touches may carry where the machine stands [N]: what presses it, or its mass's weight.

    Rigid and without friction; a contact whose force moves nothing carries anything.

    Args:
        inclusion: the machine.
        x: its states in their order [SI units].
        t: the time [s].
        gaps: of its contacts there [m].

    Example:
        >>> import numpy as np
        >>> from tegotae.inclusion import Inclusion
        >>> from tegotae.inclusion.elements.effective_masses import carried_at_rest
        >>> pressed = Inclusion({"p": "v", "v": "dio(p, 'floor')/4 - 9.81 - 25"})
        >>> carried_at_rest(pressed, np.zeros(2), 0.0, np.zeros(1)).round(9)
        array([139.24])
    """
    terms, n, c = inclusion.terms, len(inclusion.states), len(inclusion.contacts)
    D = mobility(inclusion, x, t)[:c, :c]
    place = (float(t), x, terms.values, _inputs(terms, float(t)))
    J, M, push = np.zeros((c, n)), np.zeros((n, n)), np.zeros(n)
    _plain(terms, "rate_slope")(*place, J)
    _plain(terms, "mass")(*place, M)
    _plain(terms, "smooth")(*place, push)
    free = J @ np.linalg.solve(M, push)  # how the gaps would accelerate
    moved, touching = np.diag(D) > 0.0, gaps <= 0.0
    forces = np.zeros(c)
    for _ in range(SWEEPS):
        for i in np.flatnonzero(moved & touching):
            forces[i] = max(0.0, forces[i] - (free[i] + D[i] @ forces) / D[i, i])
    with np.errstate(divide="ignore"):
        return np.where(moved, np.maximum(forces, weight_of(1.0, 0.0) / np.abs(np.diag(D))), np.inf)


def check_starts(
    owner: str,
    inclusion: Equations,
    parameters: Mapping[str, Any],
    x: Array,
    t: float,
    gaps: Array,
    given: Container[str],
    name: str,
) -> None:
    """Refuse contacts that start deeper inside than they carry at rest, but for those whose deflection was given.

    Args:
        owner: who asks, for the message.
        inclusion: the machine.
        parameters: element name -> its stiffness [N/m].
        x: states at the start [SI units].
        t: the time [s].
        gaps: of its contacts there [m].
        given: names that the user gave values for.
        name: what a contact's deflection is called, "{}" for the contact's own name.
    """
    open_ = [i for i, c in enumerate(inclusion.contacts) if gaps[i] < 0.0 and name.format(c.name) not in given]
    if not open_:
        return
    stiffness = np.array([parameters[inclusion.contacts[i].name].stiffness for i in open_])
    names = [inclusion.contacts[i].name for i in open_]
    deepest = name.format(names[int(np.argmin(gaps[open_]))])
    remedy = f"Start with gaps >= 0, or give its deflection if it is meant: initial={{{deepest!r}: ...}} [m]."
    check_depths(owner, names, gaps[open_], carried_at_rest(inclusion, x, t, gaps)[open_] / stiffness, remedy)


def gaps_at_start(inclusion: Equations, x: Array) -> Array:
    """The gaps of all contacts [m] at some states [SI units] and the time 0, without a compile if there need be none.

    Example:
        >>> import numpy as np
        >>> from tegotae.inclusion import Inclusion
        >>> from tegotae.inclusion.elements.effective_masses import gaps_at_start
        >>> gaps_at_start(Inclusion({"p": "v", "v": "dio(p - 0.2, 'floor') - 9.81"}), np.array([0.5, 0.0]))
        array([0.3])
    """
    terms, count = inclusion.terms, len(inclusion.contacts)
    gaps, rates = np.zeros(count), np.zeros(count)
    given = 0.0, x, terms.values, _inputs(terms, 0.0), gaps, rates
    try:
        with np.errstate(all="ignore"):
            _plain(terms, "gaps")(*given)
    except (ArithmeticError, ValueError):  # a corner of the geometry: a rate is no number there, the gap may be one
        terms.module.gaps(*given)
    return gaps


def _plain(terms: CompiledTerms, name: str) -> Any:
    return getattr(terms.module, name).py_func


def _inputs(terms: CompiledTerms, t: float) -> Array:
    u = np.zeros(len(terms.inclusion.callables))
    _plain(terms, "inputs")(t, u)
    return u


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
