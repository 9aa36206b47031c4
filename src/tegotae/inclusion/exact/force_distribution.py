"""Loads that several elements could share in more than one way: a share that every one of them can bear.

Two frictions that hold one body, or three feet in a line, leave their forces undetermined by rigid motion: the motion
is the same for all shares, but a mode is admissible if any share lies in all cones. The shortest share is taken
where it does; where it does not, the one nearest to it that does.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from tegotae.checks import Array
from tegotae.inclusion.exact.contact_problem import ContactProblem

ROUNDING = 1e-12  # of the largest force: so far inside its cone a force is put, for rounding not to take it out


def shares(A: Array) -> Array:
    """The force changes that leave A F as it is, one a column; no columns where forces are determined."""
    scale = np.abs(A).max(axis=1, initial=0.0)
    scale[scale == 0.0] = 1.0
    _, sizes, rows = np.linalg.svd(A / scale[:, None])
    free: Array = rows[sizes <= 1e-12 * sizes.max(initial=0.0)].T
    return free


def cones(closed: tuple[bool, ...], held: tuple[bool, ...], now: ContactProblem) -> tuple[Array, Array]:
    """Rows C F + h >= 0 of what presses and what holds; for vectors the box inside the cone."""
    (s, S), (m, c) = now.larger_limit(), (len(now.b), len(closed))
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


def bearable(F: Array, free: Array, C: Array, h: Array, *, room: float = ROUNDING) -> Array:
    """F moved along `free` by the shortest way into the cones; as it is where it lies in them or none leads there.

    `room` is how far inside, as a part of the largest force.
    """
    size = max(float(np.abs(F).max(initial=0.0)), float(np.abs(h).max(initial=0.0)))
    if not free.shape[1] or size == 0.0:
        return F
    short = room - (C @ F + h) / size  # by how much each row must grow
    if (short <= 0.0).all():
        return F
    # The shortest z with (C free) z >= short, by its dual, which is exact to rounding.
    n = free.shape[1]
    dual = np.vstack(((C @ free).T, short))
    aim = np.zeros(n + 1)
    aim[n] = 1.0
    rest = dual @ nnls(dual, aim)[0] - aim
    if np.linalg.norm(rest) < 1e-8:  # the rows contradict each other
        return F
    moved: Array = F - size * (free @ (rest[:n] / rest[n]))
    return moved
