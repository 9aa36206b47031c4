"""Which contacts press and which frictions hold: every mode tried, the admissible ones kept; one motion, or an error.

The problem is the same for accelerations (forces F, w = rates of gap rates and slips) and for impacts (impulses F,
w = velocities after, with restitution):

    w = D F + b
    contact    F >= 0, w >= 0, F w = 0
    friction   |F| <= s + S F(contacts), and F = (r + R F(contacts)) w/|w| where w is not 0

D maps forces to rates: a friction force enters the rows against its slip, so its diagonal is negative.

Two frictions that hold one body, or three feet in a line, leave their forces undetermined by rigid motion: the motion
is the same for all shares, but a mode is admissible if any share lies in all cones. The shortest share is taken
where it does; where it does not, the one nearest to it that does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import nnls

from tegotae.checks import Array
from tegotae.errors import UniquenessError
from tegotae.inclusion.impacts.contact_problem import ContactProblem
from tegotae.inclusion.language.equations import Equations

TOLERANCE = 1e-11  # of the size of what is compared: rounding of small linear solves, well below any rtol
LARGEST = 20_000  # modes tried at one instant
INSIDE = 1e-12  # of the largest force: so far inside its cone a force is put, for rounding not to take it out
EPSILON = float(np.finfo(float).eps)
MARGIN = 1e-4  # of the largest force: what can be shared so far inside all limits is held firmly


@dataclass(frozen=True, eq=False)
class Mode:
    """Contacts that press, frictions that hold, and where each friction component slides; of contacts 0."""

    closed: tuple[bool, ...]
    held: tuple[bool, ...]
    direction: Array

    def changes(self, other: Mode | None) -> int:
        """In how many elements two modes differ."""
        if other is None:
            return 0
        return sum(a != b for a, b in zip((*self.closed, *self.held), (*other.closed, *other.held), strict=True))


@dataclass(frozen=True, eq=False)
class ModeProblem:
    """Linear rates and limits of an instant, and for each element what it may do; one direction a row, as in `Mode`."""

    now: ContactProblem
    touching: tuple[bool, ...]  # for each contact: whether its gap is 0 and stays so if w = 0
    may_close: tuple[tuple[bool, ...], ...]  # for each contact: which of open (False) and closed (True)
    may_hold: tuple[bool, ...]  # for each friction: whether it may stick
    direction: Array  # slip direction of each component; zeros where the slip is 0 and the direction is sought
    barred: tuple[Array | None, ...]  # for each friction: a direction it may not slide in, for it has just ended
    urged: Array  # for each component: the force that has just exceeded the limit; the direction to begin with


@dataclass(frozen=True, eq=False)
class Answer:
    """One admissible mode with its forces and rates."""

    mode: Mode
    force: Array
    w: Array


def system_of(now: ContactProblem, mode: Mode) -> tuple[Array, Array]:
    """The linear equations that a mode's forces obey: w = 0 where closed or held, F = direction (r + R F) elsewhere."""
    (k, c), m, owner = now.R.shape, len(now.b), now.owner
    active = np.zeros(m, dtype=np.bool_)
    active[:c] = mode.closed
    if not k:
        return np.where(active[:, None], now.D, np.eye(m)), -now.b * active
    active[c:] = np.array(mode.held, dtype=np.bool_)[owner]
    slides = mode.direction[c:]
    A = np.where(active[:, None], now.D, np.eye(m))
    A[c:, :c] -= np.where(active[c:, None], 0.0, slides[:, None] * now.R[owner])
    right = np.concatenate((-now.b[:c] * active[:c], np.where(active[c:], -now.b[c:], slides * now.r[owner])))
    return A, right


def solved(A: Array, right: Array) -> Array | None:
    """A F = right; the shortest F where constraints are redundant, None where they contradict each other."""
    if not len(right):  # a machine without elements
        return np.zeros(0)
    scale = np.abs(A).max(axis=1)
    scale[scale == 0.0] = 1.0
    A, right = A / scale[:, None], right / scale
    try:
        F: Array = np.asarray(np.linalg.solve(A, right), dtype=np.float64)
        if np.isfinite(F).all() and np.linalg.cond(A) < 1e12:
            return F
    except np.linalg.LinAlgError:
        pass
    F = np.asarray(np.linalg.lstsq(A, right, rcond=1e-12)[0], dtype=np.float64)
    return F if np.abs(A @ F - right).max() <= 1e-9 * max(np.abs(right).max(), 1e-300) else None


def admissible(problem: ModeProblem) -> list[Answer]:
    """Every mode whose forces lie in their cones and whose rates have the right signs."""
    answers = (_tried(problem, closed, held, direction) for closed, held, direction in _candidates(problem))
    return [answer for answer in answers if answer is not None]


def count(problem: ModeProblem) -> int:
    """How many modes `admissible` would try, at most."""
    frictions = (_friction_options(problem, j, part) for j, part in enumerate(problem.now.parts))
    return math.prod(len(options) for options in (*problem.may_close, *frictions))


def _candidates(problem: ModeProblem) -> Iterator[tuple[tuple[bool, ...], tuple[bool, ...], list[Array]]]:
    """(closed, held, direction of each friction); NaN where it is to be found."""
    for closed in product(*problem.may_close):
        choices = []
        for j, part in enumerate(problem.now.parts):
            if problem.now.loose(j, closed):
                choices.append([(False, np.zeros(part.stop - part.start))])
            else:
                choices.append(_friction_options(problem, j, part))
        for chosen in product(*choices):
            yield closed, tuple(h for h, _ in chosen), [direction for _, direction in chosen]


def _friction_options(problem: ModeProblem, j: int, part: slice) -> list[tuple[bool, Array]]:
    size, direction = part.stop - part.start, problem.direction[part]
    if np.any(direction):
        return [(False, direction)]
    options = [(True, np.zeros(size))] if problem.may_hold[j] else []
    if size > 1:
        return [*options, (False, np.full(size, np.nan))]
    barred = problem.barred[j]
    return options + [(False, np.array([sign])) for sign in (1.0, -1.0) if barred is None or sign != barred[0]]


def _tried(
    problem: ModeProblem, closed: tuple[bool, ...], held: tuple[bool, ...], directions: list[Array]
) -> Answer | None:
    now = problem.now
    mode = Mode(closed, held, np.concatenate([np.zeros(len(closed)), *directions]))
    if np.isnan(mode.direction).any():
        found = _directed(problem, mode)
        if found is None:
            return None
        mode, F = found
    else:
        equations = system_of(now, mode)
        solution = solved(*equations)
        if solution is None:
            return None
        F = solution
        if not _fits(problem, mode, F, now.D @ F + now.b):
            free, allowed = shares(equations[0]), cones(closed, held, now)
            firm = bearable(F, free, *allowed, margin=MARGIN)
            fits = _fits(problem, mode, firm, now.D @ firm + now.b)
            F = firm if fits else bearable(F, free, *allowed)
    w = now.D @ F + now.b
    return Answer(mode, F, w) if _fits(problem, mode, F, w) else None


def _directed(problem: ModeProblem, mode: Mode) -> tuple[Mode, Array] | None:
    """Slip directions that agree with the rates they cause, by F <- r (F + rho w)/|F + rho w|, repeated."""
    now, direction = problem.now, mode.direction.copy()
    sought = [part for part in now.parts if np.isnan(direction[part.start]).item()]
    for part in sought:
        start = problem.urged[part] if np.any(problem.urged[part]) else now.b[part]
        size = np.linalg.norm(start)
        if size == 0.0:
            return None
        direction[part] = start / size
    F, turn = np.zeros(len(now.b)), math.inf
    for _ in range(2000):
        mode = Mode(mode.closed, mode.held, direction)
        solution = solved(*system_of(now, mode))
        if solution is None:
            return None
        F = solution
        w = now.D @ F + now.b
        direction = direction.copy()
        for part in sought:
            moved = F[part] + w[part] / max(np.abs(now.D[part, part]).max(), 1e-300)
            if np.linalg.norm(moved) > 0.0:
                direction[part] = moved / np.linalg.norm(moved)
        turn = float(np.abs(direction - mode.direction).max())
        if turn < 1e-15:
            break
    return (mode, F) if turn < 1e-12 else None


def _fits(problem: ModeProblem, mode: Mode, F: Array, w: Array) -> bool:
    now = problem.now
    size = np.abs(now.b) + np.abs(now.D) @ np.abs(F)
    slack_w = TOLERANCE * size
    slack_F = TOLERANCE * (size / np.maximum(np.abs(np.diag(now.D)), 1e-300)) + TOLERANCE * np.abs(F)
    for i, closed in enumerate(mode.closed):
        if closed:
            if F[i] < -slack_F[i]:
                return False
        elif problem.touching[i] and w[i] < -slack_w[i]:
            return False
    for j, part in enumerate(now.parts):
        limit, slack = now.limit(j, F), float(slack_F[part].max())
        if mode.held[j]:
            if np.linalg.norm(F[part]) > max(limit, now.static_limit(j, F)) + slack:
                return False
        elif limit < -slack:
            return False
        else:
            begins = not np.any(problem.direction[part])
            if begins and mode.direction[part] @ w[part] < -float(slack_w[part].max()):
                return False
    return True


def shares(A: Array) -> Array:
    """The force changes that leave A F as it is, one a column; no columns where forces are determined."""
    scale = np.abs(A).max(axis=1, initial=0.0)
    scale[scale == 0.0] = 1.0
    _, sizes, rows = np.linalg.svd(A / scale[:, None])
    free: Array = rows[sizes <= 1e-12 * sizes.max(initial=0.0)].T
    return free


def cones(closed: tuple[bool, ...], held: tuple[bool, ...], now: ContactProblem) -> tuple[Array, Array]:
    """Rows C F + h >= 0 of what presses and what holds; for vectors the box inside the cone."""
    m, c = len(now.b), len(closed)
    more = (now.s >= now.r) & (now.S >= now.R).all(axis=1)  # where a limit at rest is given that is surely larger
    s, S = np.where(more, now.s, now.r), np.where(more[:, None], now.S, now.R)
    rows: list[Array] = [np.eye(m)[i] for i in range(c) if closed[i]]
    rest = [0.0] * len(rows)
    for j, part in enumerate(now.parts):
        if not held[j]:
            continue
        narrow = 1.0 / np.sqrt(part.stop - part.start)
        for i in range(part.start, part.stop):
            for sign in (1.0, -1.0):
                row = sign * np.eye(m)[i]
                row[:c] += narrow * S[j]
                rows.append(row)
                rest.append(narrow * float(s[j]))
    return np.array(rows).reshape(len(rows), m), np.array(rest)


def bearable(F: Array, free: Array, C: Array, h: Array, *, margin: float = INSIDE) -> Array:
    """F moved along `free` by the shortest way into the cones; as it is where it lies in them or none leads there.

    `margin` is how far inside, as a part of the largest force.
    """
    size = max(float(np.abs(F).max(initial=0.0)), float(np.abs(h).max(initial=0.0)))
    if not free.shape[1] or size == 0.0:
        return F
    short = margin - (C @ F + h) / size  # by how much each row must grow
    if (short <= 0.0).all():
        return F
    # The shortest z with (C free) z >= short, by its dual, which is exact to rounding.
    n = free.shape[1]
    dual = np.vstack(((C @ free).T, short))
    aim = np.zeros(n + 1)
    aim[n] = 1.0
    weights = nnls(dual, aim)[0]
    rest = dual @ weights - aim
    lost = EPSILON * float((np.abs(dual) @ weights).max())  # by rounding: a hair from contradiction weights are huge
    if np.linalg.norm(rest) < 1e-8 + 4.0 * lost:  # the rows contradict each other
        return F
    moved: Array = F - size * (free @ (rest[:n] / rest[n]))
    return moved


ALIKE = 1e-6  # motions that differ by less (of their size) are one: the modes meet there


class NoMotionError(UniquenessError):
    """The rigid law has no motion at all: friction wedges contacts, or what moves by itself leaves no room."""


_OTHERWISE = {"to_events": "use to_ode or to_stepper", "to_ode": "leave out restitution"}


def the_one(
    answers: list[Answer],
    now: ContactProblem,
    what: str,
    inclusion: Equations,
    before: Mode | None = None,
    *,
    owner: str = "to_events",
) -> Answer:
    """The answer whose mode changes least, if all move alike; otherwise an error that shows the modes."""
    if not answers:
        raise NoMotionError(
            f"{owner}: at t={now.t:.9g} s no mode of contact and friction is admissible ({what}): the rigid law "
            "has no motion there (Painlevé), " + _place(now, inclusion) + ".\n  Lower the friction coefficients "
            f"that couple contacts, or {_OTHERWISE[owner]}: contacts are compliant then."
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
                f"{owner}: at t={now.t:.9g} s more than one motion is possible ({what}): "
                f"{describe(answers[0].mode, inclusion)}, or {describe(answer.mode, inclusion)}; "
                + _place(now, inclusion)
                + f".\n  Lower the friction coefficients that couple contacts, or {_OTHERWISE[owner]}."
            )
    # A contact that touches without a load may be called open or closed: closed, or rounding would strike it for ever.
    # So with a friction that does not move: what rests well below its limit sticks, though others would hold it too.
    return min(answers, key=lambda a: (-sum(a.mode.closed), -_held_firmly(a, now), a.mode.changes(before)))


def _held_firmly(answer: Answer, now: ContactProblem) -> int:
    """How many frictions stick and are not about to slip."""
    c = now.R.shape[1]
    limits = (now.r + now.R @ answer.force[:c]).tolist()
    loads = [float(np.linalg.norm(answer.force[part])) for part in now.parts]
    elements = zip(answer.mode.held, loads, limits, strict=True)
    return sum(held and load < (1.0 - ALIKE) * limit for held, load, limit in elements)


def describe(mode: Mode, inclusion: Equations) -> str:
    """A mode in words."""
    contacts = [f"{c.name} {'closed' if on else 'open'}" for c, on in zip(inclusion.contacts, mode.closed, strict=True)]
    frictions = [
        f"{f.name} {'sticks' if on else 'slips'}" for f, on in zip(inclusion.frictions, mode.held, strict=True)
    ]
    return ", ".join([*contacts, *frictions])


def _place(now: ContactProblem, inclusion: Equations) -> str:
    return "at " + ", ".join(f"{s.name}={value:.6g}" for s, value in zip(inclusion.states, now.x, strict=True))
