"""Impacts: impulses that end approach, Newton's restitution for each contact, Coulomb's law for the impulses."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.inclusion.instant import Instant, Instants
from tegotae.inclusion.modes import Flags, Problem, admissible
from tegotae.inclusion.unique import the_one


def impact(instants: Instants, now: Instant, touching: Flags, restitution: Array) -> tuple[Array, Array]:
    """The state after an impact and the impulses [N s].

    Each touching contact leaves with at least restitution times its speed of approach, and no impulse where it leaves
    faster; friction impulses obey Coulomb's law with the slip after the impact and the coefficients before it.
    A limit that does not grow with a contact force gives no impulse.
    """
    c, k = instants.c, instants.k
    b = now.v.copy()
    b[:c] += restitution * np.minimum(now.v[:c], 0.0)
    none = np.zeros(k)
    problem = Problem(
        D=now.D,
        b=b,
        r=none,
        R=now.R,
        s=none,
        S=now.R,
        parts=instants.parts,
        owner=instants.owner,
        touching=tuple(bool(i) for i in touching),
        may_close=tuple((False, True) if i else (False,) for i in touching),
        may_hold=(True,) * k,
        way=np.zeros(instants.m - c),
        barred=(None,) * k,
        urged=now.v[c:].copy(),
    )
    impulse = the_one(admissible(problem), now, "impact", instants.inclusion).force
    return now.x + now.W @ impulse, impulse


def still(now: Instant, active: Flags) -> Array:
    """The state with the gap rates and slips of `active` rows at 0, by the impulses that do it."""
    if not active.any():
        return now.x
    D, v = now.D[np.ix_(active, active)], now.v[active]
    if not np.any(v):
        return now.x
    state: Array = now.x - now.W[:, active] @ np.linalg.lstsq(D, v, rcond=1e-12)[0]
    return state


def on_surface(now: Instant, closed: Flags) -> Array:
    """The state with the closed gaps at 0, by the shortest move of the positions they hold."""
    if not closed.any() or not np.any(now.gaps[closed]):
        return now.x
    A = now.gap_slope[closed]
    state: Array = now.x - np.linalg.lstsq(A, now.gaps[closed], rcond=1e-12)[0]
    return state
