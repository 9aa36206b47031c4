"""Impacts: impulses that end approach, Newton's restitution for each contact, Coulomb's law for the impulses."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.inclusion.exact.contact_problem import ContactProblem, ContactProblems
from tegotae.inclusion.exact.modes import Flags, ModeProblem, admissible, the_one

AT_MOST = 1000  # impacts and flights followed one by one before a series of them is taken for infinite
ALMOST = 1e-13  # of the speed at first: slower is rest


def impact(problems: ContactProblems, now: ContactProblem, touching: Flags, restitution: Array) -> tuple[Array, Array]:
    """The state after an impact and the impulses [N s].

    Each touching contact leaves with at least restitution times its speed of approach, and no impulse where it leaves
    faster; friction impulses obey Coulomb's law with the slip after the impact and the coefficients before it.
    A limit that does not grow with a contact force gives no impulse.
    """
    c, k = problems.c, problems.k
    b = now.v.copy()
    b[:c] += restitution * np.minimum(now.v[:c], 0.0)
    none = np.zeros(k)
    problem = ModeProblem(
        D=now.D,
        b=b,
        r=none,
        R=now.R,
        s=none,
        S=now.R,
        parts=problems.parts,
        owner=problems.owner,
        touching=tuple(bool(i) for i in touching),
        may_close=tuple((False, True) if i else (False,) for i in touching),
        may_hold=(True,) * k,
        direction=np.zeros(problems.m - c),
        barred=(None,) * k,
        urged=now.v[c:].copy(),
    )
    impulse = the_one(admissible(problem), now, "impact", problems.inclusion).force
    return now.x + now.W @ impulse, impulse


def completed(
    problems: ContactProblems, now: ContactProblem, gaps: Array, crowd: Flags, restitution: Array
) -> tuple[Array, bool]:
    """The state after impacts of `crowd` that follow each other faster than time can tell, and whether all end there.

    In so short a time forces give no velocity and gaps count only by their ratios: the impacts are followed one by
    one in a time of their own, gaps carried apart from the positions and scaled up as they shrink, until
    nothing approaches any more. If the speeds die out, or AT_MOST of them have not parted the bodies, the series is
    infinite and has a limit: no contact of the crowd approaches or leaves. That is the impact of all of them at once
    without restitution.
    """
    c = problems.c
    state, rates = now, now.v[:c]
    least = ALMOST * float(np.abs(rates[crowd]).max())
    for _ in range(AT_MOST):
        here = crowd & (gaps <= 0.0) & (rates <= least)  # what leaves is not struck, though it has not moved yet
        if np.any(rates[here] < -least):
            x, _ = impact(problems, state, here, restitution)
            state = problems.at(now.t, x)
            rates = state.v[:c]
            if np.abs(rates[crowd]).max() < least:
                break
            continue
        towards = crowd & (gaps > 0.0) & (rates < -least)
        if not towards.any():
            return state.x, False
        wait = np.full(c, np.inf)
        wait[towards] = gaps[towards] / -rates[towards]
        first = int(np.argmin(wait))
        gaps = np.where(crowd, np.maximum(gaps + wait[first] * rates, 0.0), gaps)
        gaps[first] = 0.0
        if np.any(gaps[crowd] > 0.0):
            gaps = np.where(crowd, gaps / gaps[crowd].max(), gaps)
    x, _ = impact(problems, state, crowd, np.zeros(c))
    return x, True


def still(now: ContactProblem, active: Flags) -> Array:
    """The state with the gap rates and slips of `active` rows at 0, by the impulses that do it."""
    if not active.any():
        return now.x
    D, v = now.D[np.ix_(active, active)], now.v[active]
    if not np.any(v):
        return now.x
    state: Array = now.x - now.W[:, active] @ np.linalg.lstsq(D, v, rcond=1e-12)[0]
    return state


def on_surface(now: ContactProblem, closed: Flags) -> Array:
    """The state with the closed gaps at 0, by the shortest move of the positions they hold."""
    if not closed.any() or not np.any(now.gaps[closed]):
        return now.x
    A = now.gap_slope[closed]
    state: Array = now.x - np.linalg.lstsq(A, now.gaps[closed], rcond=1e-12)[0]
    return state
