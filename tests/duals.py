"""Random duals of one step, and the inclusion they must satisfy, written anew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tegotae.coupling import complementarity
from tegotae.coupling.kernels.complementarity import UNSOLVED
from tegotae.coupling.kernels.natural_residual import Problem as Rows
from tegotae.coupling.kernels.natural_residual import set_scales, work_rows

Array = NDArray[np.float64]
CONE, BOX, STOP = 0, 1, 2
MOST = 64
SOLVE = complementarity.solver().solve_cones
WORK = np.zeros((work_rows(MOST), MOST))


@dataclass
class Problem:
    """h = (W + diag C) f + b, in blocks."""

    W: Array
    C: Array
    b: Array
    kind: NDArray[np.int64]
    first: NDArray[np.int64]
    limit: Array

    @property
    def A(self) -> Array:
        return self.W + np.diag(self.C)

    def solve(self, start: Array | None = None) -> tuple[Array, int, int]:
        f = np.zeros(self.b.size) if start is None else start.copy()
        given = (self.b.size, self.kind.size, True, self.W, self.C, self.b, self.kind, self.first, self.limit, self.W)
        rows = Rows(*given)
        set_scales(rows, WORK)
        steps, how = SOLVE(rows, f, WORK)
        return f, steps, int(how == UNSOLVED)

    def error(self, f: Array) -> float:
        """The largest violation of the inclusion, relative to the magnitudes that make up h and f. No projection."""
        h = self.A @ f + self.b
        size = np.abs(self.A) @ np.abs(f) + np.abs(self.b)  # of h
        force = size / np.diag(self.A)
        worst = 0.0
        for kind, i, limit in zip(self.kind, self.first, self.limit, strict=True):
            if kind == BOX:
                over = max(0.0, abs(f[i]) - limit) / force[i]
                inside = abs(f[i]) < limit * (1 - 1e-12)
                slips = abs(h[i]) / size[i] if inside else max(0.0, h[i] * np.sign(f[i])) / size[i]
                worst = max(worst, over, slips)
                continue
            worst = max(worst, -f[i] / force[i], -h[i] / size[i], min(f[i] / force[i], h[i] / size[i]))
            if kind == CONE:
                t = slice(i + 1, i + 3)
                norm, radius, scale = np.hypot(*f[t]), limit * f[i], max(size[t])
                worst = max(worst, (norm - radius) / max(force[t]))
                slip = np.hypot(*h[t])
                if norm < radius * (1 - 1e-12):
                    worst = max(worst, slip / scale)
                elif radius > 0.0 < slip:  # what slips is opposed; rounding of h or of f may turn one of them a little
                    by_slip = np.hypot(*(h[t] + slip * f[t] / norm)) / scale
                    by_force = np.hypot(*(f[t] + radius * h[t] / slip)) / max(force[t])
                    worst = max(worst, min(by_slip, by_force))
        return worst


def corner_rows(half: Array, k: int, side: int) -> Array:
    """Normal z and tangents x, y of one corner of a free box: 3 x 6."""
    x, y = (-1, 1)[k % 2], (-1, 1)[k // 2 % 2]
    r = half * np.array([x, y, side])
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    pick = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])
    return np.hstack([pick, -pick @ cross])


def problem(seed: int, *, friction: float, boxes: bool) -> Problem:
    """Contacts, joints and stops at random: stiffness 1e4 to 1e8 N/m, masses over 3 decades, periods .1 to 10 ms.

    With `boxes`, contacts are corners of a stack of free boxes, more than can be told apart (W is singular); else J
    is any matrix, which is worse than a machine.
    """
    rng = np.random.default_rng(seed)
    kinds = np.array([CONE] * rng.integers(1, 9) + [BOX] * rng.integers(0, 7) + [STOP] * rng.integers(0, 4))
    rng.shuffle(kinds)
    rows = np.where(kinds == CONE, 3, 1)
    first = np.concatenate([[0], np.cumsum(rows)[:-1]])
    m, T = int(rows.sum()), 10 ** rng.uniform(-4, -2)
    n = 6 * int(rng.integers(1, 4)) if boxes else int(rng.integers(max(2, m // 4), m + 6))
    J, mass = rng.normal(size=(m, n)), 10 ** rng.uniform(-1.5, 1.5, n)
    if boxes:
        bodies, half = n // 6, rng.uniform(0.05, 0.3, 3)
        weight = 10 ** rng.uniform(-1.5, 1.5, bodies)
        mass = np.concatenate([[w] * 3 + [w * s**2 for s in half] for w in weight])
        for k in np.flatnonzero(kinds == CONE):
            body, i = int(rng.integers(bodies)), first[k]
            J[i : i + 3] = 0.0
            J[i : i + 3, 6 * body : 6 * body + 6] = corner_rows(half, k, -1)
            if body > 0:
                J[i : i + 3, 6 * body - 6 : 6 * body] = -corner_rows(half, k, 1)
    K = 10 ** rng.uniform(4, 8, m if rng.random() < 0.5 else 1) * np.ones(m)
    C = 1 / (K * (T + T * rng.choice([0, 10 ** rng.uniform(-2, 1)])))
    W = T * (J / mass) @ J.T
    v = rng.normal(size=n) * 10 ** rng.uniform(-3, 0) + T * 10 * rng.normal(size=n)
    b = J @ v + rng.normal(size=m) * 10 ** rng.uniform(-5, -1)
    pressed = first[kinds != BOX]
    if rng.random() < 0.5:
        b[pressed] = -np.abs(b[pressed])
    mu = rng.uniform(0, friction, kinds.size) * (rng.random(kinds.size) < 0.9)
    limit = np.where(kinds == CONE, mu, 10 ** rng.uniform(-2, 3, kinds.size))
    return Problem(0.5 * (W + W.T), C, b, kinds, first, limit)
