"""One motion, or a clear word that there is none or more than one."""

from __future__ import annotations

from itertools import chain, combinations, product

import numpy as np

from tegotae.errors import UniquenessError
from tegotae.inclusion.instant import Instant, Instants
from tegotae.inclusion.modes import Answer, Flags, Mode
from tegotae.inclusion.system import Inclusion

ALIKE = 1e-6  # motions that differ by less (of their size) are one: the modes meet there


class JammingWarning(UserWarning):
    """Friction couples contacts so strongly that some sliding has no rigid motion, or more than one.

    Example:
        >>> issubclass(JammingWarning, UserWarning)
        True
    """


def jam(instants: Instants, now: Instant, touching: Flags) -> str | None:
    """The touching contacts that sliding friction can wedge, in words; None where every sliding has one motion.

    While frictions slide in given directions, contact forces cause gap accelerations by the matrix
    D + D(friction) way R. If all its principal minors are positive there is exactly one set of contact forces.
    """
    c = instants.c
    places = [int(i) for i in np.flatnonzero(touching)]
    groups = list(chain.from_iterable(combinations(places, size) for size in range(1, len(places) + 1)))
    rubbing = [j for j in range(instants.k) if np.any(now.R[j][places])]
    if len(places) > 6 or len(rubbing) > 6:
        return None
    axes = [range(instants.parts[j].start, instants.parts[j].stop) for j in rubbing]
    for rows in product(*axes):
        for signs in product((1.0, -1.0), repeat=len(rubbing)):
            coupled = now.D[:c, :c].copy()
            for j, row, sign in zip(rubbing, rows, signs, strict=True):
                coupled += sign * np.outer(now.D[:c, row], now.R[j])
            for group in groups:
                own = np.ix_(group, group)
                plain = np.linalg.det(now.D[:c, :c][own])
                small = 1e-9 * float(np.prod(np.abs(np.diag(now.D)[list(group)])))
                if plain > small and np.linalg.det(coupled[own]) <= small:
                    return ", ".join(instants.inclusion.contacts[i].name for i in group)
    return None


def the_one(answers: list[Answer], now: Instant, what: str, inclusion: Inclusion, before: Mode | None = None) -> Answer:
    """The answer whose mode changes least, if all move alike; otherwise an error that shows the modes."""
    if not answers:
        raise UniquenessError(
            f"to_events: at t={now.t:.9g} s no mode of contact and friction is admissible ({what}): the rigid law "
            "has no motion there (Painlevé), " + _place(now, inclusion) + ".\n  Lower the friction coefficients "
            "that couple contacts, or use to_ode or to_stepper, whose contacts are compliant."
        )
    # A larger limit at rest makes both holding and sliding possible; what can hold, holds.
    resting = [j for j, friction in enumerate(inclusion.frictions) if friction.static is not None]
    most = max(sum(a.mode.held[j] for j in resting) for a in answers)
    answers = [a for a in answers if sum(a.mode.held[j] for j in resting) == most]
    moves = [now.W @ answer.force for answer in answers]
    size = max([float(np.abs(now.a).max(initial=0.0)), *(float(np.abs(move).max(initial=0.0)) for move in moves)])
    for answer, move in zip(answers[1:], moves[1:], strict=True):
        if np.abs(move - moves[0]).max(initial=0.0) > ALIKE * size:
            raise UniquenessError(
                f"to_events: at t={now.t:.9g} s more than one motion is possible ({what}): "
                f"{told(answers[0].mode, inclusion)}, or {told(answer.mode, inclusion)}; "
                + _place(now, inclusion)
                + ".\n  Lower the friction coefficients that couple contacts, or use to_ode or to_stepper."
            )
    # A contact that touches without a load may be called open or closed: closed, or rounding would strike it for ever.
    # So with a friction that does not move: what rests well below its limit sticks, though others would hold it too.
    return min(answers, key=lambda a: (-sum(a.mode.closed), -_held_firmly(a, now, inclusion), a.mode.changes(before)))


def _held_firmly(answer: Answer, now: Instant, inclusion: Inclusion) -> int:
    """How many frictions stick and are not about to slip."""
    c = now.R.shape[1]
    limits = now.r + now.R @ answer.force[:c]
    start, firm = c, 0
    for friction, held, limit in zip(inclusion.frictions, answer.mode.held, limits, strict=True):
        end = start + len(friction.slips)
        firm += held and bool(np.linalg.norm(answer.force[start:end]) < (1.0 - ALIKE) * limit)
        start = end
    return firm


def told(mode: Mode, inclusion: Inclusion) -> str:
    """A mode in words."""
    contacts = [f"{c.name} {'closed' if on else 'open'}" for c, on in zip(inclusion.contacts, mode.closed, strict=True)]
    frictions = [
        f"{f.name} {'sticks' if on else 'slips'}" for f, on in zip(inclusion.frictions, mode.held, strict=True)
    ]
    return ", ".join([*contacts, *frictions])


def _place(now: Instant, inclusion: Inclusion) -> str:
    return "at " + ", ".join(f"{s.name}={value:.6g}" for s, value in zip(inclusion.states, now.x, strict=True))
