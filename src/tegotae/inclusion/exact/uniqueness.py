"""One motion, or a clear word that there is none or more than one."""

from __future__ import annotations

import numpy as np

from tegotae.errors import UniquenessError
from tegotae.inclusion.exact.contact_problem import ContactProblem
from tegotae.inclusion.exact.modes import Answer, Mode
from tegotae.inclusion.language.equations import Equations

ALIKE = 1e-6  # motions that differ by less (of their size) are one: the modes meet there


def the_one(
    answers: list[Answer], now: ContactProblem, what: str, inclusion: Equations, before: Mode | None = None
) -> Answer:
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
                f"{describe(answers[0].mode, inclusion)}, or {describe(answer.mode, inclusion)}; "
                + _place(now, inclusion)
                + ".\n  Lower the friction coefficients that couple contacts, or use to_ode or to_stepper."
            )
    # A contact that touches without a load may be called open or closed: closed, or rounding would strike it for ever.
    # So with a friction that does not move: what rests well below its limit sticks, though others would hold it too.
    return min(answers, key=lambda a: (-sum(a.mode.closed), -_held_firmly(a, now, inclusion), a.mode.changes(before)))


def _held_firmly(answer: Answer, now: ContactProblem, inclusion: Equations) -> int:
    """How many frictions stick and are not about to slip."""
    c = now.R.shape[1]
    limits = now.r + now.R @ answer.force[:c]
    loads = [float(np.linalg.norm(answer.force[span])) for span in inclusion.spans[c:]]
    firm = (load < (1.0 - ALIKE) * limit for load, limit in zip(loads, limits, strict=True))
    return sum(held and bool(one) for held, one in zip(answer.mode.held, firm, strict=True))


def describe(mode: Mode, inclusion: Equations) -> str:
    """A mode in words."""
    contacts = [f"{c.name} {'closed' if on else 'open'}" for c, on in zip(inclusion.contacts, mode.closed, strict=True)]
    frictions = [
        f"{f.name} {'sticks' if on else 'slips'}" for f, on in zip(inclusion.frictions, mode.held, strict=True)
    ]
    return ", ".join([*contacts, *frictions])


def _place(now: ContactProblem, inclusion: Equations) -> str:
    return "at " + ", ".join(f"{s.name}={value:.6g}" for s, value in zip(inclusion.states, now.x, strict=True))
