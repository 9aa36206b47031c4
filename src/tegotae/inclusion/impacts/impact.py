"""One impact, of all that touches at once: Newton's restitution, Coulomb's friction, and no energy out of nothing."""

from __future__ import annotations

import math

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.impacts.contact_problem import ContactProblem, ContactProblems, Flags
from tegotae.inclusion.impacts.modes import LARGEST, ModeProblem, admissible, count, the_one

ROUNDING = 1e-12  # of the work that is summed: an impact that gains less gains nothing


def impact(problems: ContactProblems, now: ContactProblem, touching: Flags, restitution: Array) -> Array:
    """The state after an impact.

    Each touching contact leaves with at least restitution times its speed of approach, and no impulse where it leaves
    faster; friction impulses obey Coulomb's law with the slip after the impact and the coefficients before it.
    A limit that does not grow with a contact force gives no impulse. Where that would gain kinetic energy, which
    Newton's law can where friction turns the bodies, the impulses are the largest part of the way to them, from those
    of the same impact without restitution, that gains none: what lies between two admissible impulses presses, and
    rubs within its limit, too.

    Args:
        problems: of the machine.
        now: the instant before.
        touching: the contacts that take part.
        restitution: of each contact [-].
    """
    P = _impulses(problems, now, touching, restitution)
    if np.any(restitution[touching] > 0.0):
        gain, scale = _work(now, P)
        if gain > ROUNDING * scale:
            P = _lessened(now, _impulses(problems, now, touching, np.zeros(problems.c)), P)
    state: Array = now.x + now.W @ P
    return state


def _impulses(problems: ContactProblems, now: ContactProblem, touching: Flags, restitution: Array) -> Array:
    """The impulses [N s] that Newton's and Coulomb's laws ask for."""
    c, k = problems.c, problems.k
    b = now.v.copy()
    b[:c] += restitution * np.minimum(now.v[:c], 0.0)
    struck = now.copied(now.t, now.x)
    struck.b, struck.S = b, now.R
    struck.r = struck.s = np.zeros(k)
    problem = ModeProblem(
        now=struck,
        touching=tuple(bool(i) for i in touching),
        may_close=tuple((False, True) if i else (False,) for i in touching),
        may_hold=(True,) * k,
        direction=np.zeros(problems.m),
        barred=(None,) * k,
        urged=now.v,
    )
    if count(problem) > LARGEST:
        checks.refuse(
            problems.asks,
            f"at t={now.t:.9g} s {int(touching.sum())} contacts and their frictions touch in an impact, which has too "
            "many modes to try.",
            "Use to_stepper for machines with many contacts.",
        )
    return the_one(admissible(problem), now, "impact", problems.inclusion, owner=problems.asks).force


def _signs(now: ContactProblem) -> Array:
    """+1 for contacts, which push their gap open, -1 for friction, which acts against its slip."""
    signs = np.ones(len(now.v))
    signs[now.R.shape[1] :] = -1.0
    return signs


def _work(now: ContactProblem, P: Array) -> tuple[float, float]:
    """What impulses do to the kinetic energy [J], each by the mean of its rates, and the size of what is summed."""
    works = _signs(now) * P * (now.v + 0.5 * (now.D @ P))
    return float(works.sum()), float((np.abs(P) * (np.abs(now.v) + 0.5 * np.abs(now.D @ P))).sum())


def _lessened(now: ContactProblem, least: Array, P: Array) -> Array:
    """The impulses nearest to P, on the way from `least`, that gain no energy.

    Along the way the energy is a parabola that bends upwards, at most 0 where it begins and above 0 where it ends.
    """
    way, signs = P - least, _signs(now)
    start = min(_work(now, least)[0], 0.0)
    bend = 0.5 * float((signs * way) @ (now.D @ way))
    rise = _work(now, P)[0] - start - bend
    root = math.sqrt(max(rise * rise - 4.0 * bend * start, 0.0))
    over, under = (-2.0 * start, rise + root) if rise > 0.0 else (root - rise, 2.0 * bend)
    part = over / under if under > 0.0 else 0.0
    return least + min(max(part, 0.0), 1.0) * way
