"""How light a tree can feel where it is pushed: a bound for the circuits it is wired into.

Cutting a tree can only make it lighter. With the wrench w on a body whose twist is t = J v, a step gives the mobility

    w'J (M + T slopes)^-1 J'w = max over v of 2 w't(v) - v'(M + T slopes) v,

and v'M v = sum over bodies of t_j'M_j t_j. Leave out the other bodies and the slopes, none of which is negative unless
friction falls with speed, and what is subtracted shrinks; let t take any value, not only those that joints allow, and
the maximum grows. What is left is the body by itself: w'M_k^-1 w. For the speed of a joint, t_child - t_parent along
its axis, the two bodies that it joins are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.multibody.tree_arrays import FREE, PRISMATIC, _cross, _inertia

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree

SAMPLES = 64  # configurations looked at where there is no bound
NONE = 1e-9  # relative: an inertia smaller than this opposes nothing


def least_reluctance(
    tree: Tree, body: str, point: ArrayLike, along: ArrayLike | None, speed: int | None, locked: Sequence[int], T: float
) -> float:
    """The smallest rise of the needed force with the velocity, in any configuration [N·s/m, N·m·s/rad].

    Bodies without inertia of their own, and friction that falls with speed, leave no bound: then half of the smallest
    among many configurations, with all that friction at its steepest; 0 if somewhere it outweighs the inertia.
    """
    falls = np.zeros(tree.nv)
    places = tree.arrays.vi[tree.arrays.kind != FREE]
    for o, joint in zip(places, tree.joints.values(), strict=True):
        if joint.friction is not None and o not in locked:
            falls[o] = joint.friction.steepest_rise(T)
    if not falls.any():
        mobility = _of_joint(tree, speed) if speed is not None else _of_body(tree, body, point, along)
        if mobility < np.inf:
            return 1.0 / (T * mobility)
    return 0.5 * _sampled(tree, body, point, along, speed, locked, T * falls) / T


def _own(tree: Tree, k: int) -> tuple[float, Array]:
    """Mass and inertia of a moving body."""
    return float(tree.arrays.C[k, 15]), _inertia(tree.arrays.C[k])


def _inverse(inertia: Array) -> Array | None:
    """Of an inertia, unless it is 0 about some axis."""
    least = float(np.linalg.eigvalsh(inertia)[0])
    return np.asarray(np.linalg.inv(inertia)) if least > NONE * float(np.trace(inertia)) else None


def _of_body(tree: Tree, body: str, point: ArrayLike, along: ArrayLike | None) -> float:
    """Largest 1/inertia of a point of a body by itself; turning the axes does not change it."""
    k, place, turn = tree._frame(body)
    r = np.asarray(place) + turn @ np.asarray(point)
    mass, inertia = _own(tree, k)
    inverse = _inverse(inertia)
    if not mass > 0.0 or inverse is None:
        return np.inf
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3) / mass - _cross(r) @ inverse @ _cross(r)
    W[3:, :3] = inverse @ _cross(r)
    W[:3, 3:] = W[3:, :3].T
    W[3:, 3:] = inverse
    if along is None:
        return float(np.linalg.eigvalsh(W)[-1])
    way = np.asarray(along)
    if not way[3:].any():
        W = W[:3, :3]
    elif not way[:3].any():
        W = W[3:, 3:]
    return float(np.linalg.eigvalsh(W)[-1] * (way @ way))


def _of_joint(tree: Tree, speed: int) -> float:
    """Largest 1/inertia of a joint between two bodies by themselves, or of one on the world about its axis."""
    layout = tree.arrays
    k = int(np.flatnonzero(layout.vi == speed)[0])
    slides, i, c = layout.kind[k] == PRISMATIC, int(layout.parent[k]), layout.C[k]
    mass, inertia = _own(tree, k)
    A, d1, r1, z = c[:9].reshape(3, 3), c[9:12], c[12:15], np.array([0.0, 0.0, 1.0])
    if i < 0:  # it moves about or along its axis only
        arm = np.cross(z, r1)
        about = mass if slides else float(inertia[2, 2] + mass * (arm @ arm))
        return 1.0 / about if about > 0.0 else np.inf
    carrier, base = _own(tree, i)
    under = _inverse(base)
    if under is None:
        return np.inf
    if slides:
        # v_k - v_i - w_i x (c_k - c_i) along the axis, in the carrier's axes; the way already slid is along it too.
        u = np.cross(d1 + A @ r1, A @ z)
        if not (mass > 0.0 and carrier > 0.0):
            return np.inf
        return 1.0 / mass + 1.0 / carrier + float(u @ under @ u)
    own = _inverse(inertia)
    return np.inf if own is None else float(own[2, 2] + (A @ z) @ under @ (A @ z))


def _sampled(
    tree: Tree,
    body: str,
    point: ArrayLike,
    along: ArrayLike | None,
    speed: int | None,
    locked: Sequence[int],
    lost: Array,
) -> float:
    """The smallest inertia at the port among random configurations, less what falling friction takes."""
    rng, layout = np.random.default_rng(0), tree.arrays
    free = np.setdiff1d(np.arange(tree.nv), np.asarray(locked, dtype=np.int64))
    least = np.inf
    for _ in range(SAMPLES):
        q = rng.normal(size=tree.nq)
        for i, joint in zip(layout.qi[layout.kind != FREE], tree.joints.values(), strict=True):
            low = max(joint.lower, -np.pi)
            q[i] = rng.uniform(low, max(low, min(joint.upper, np.pi)))
        M = (tree.mass_matrix(q) - np.diag(lost))[np.ix_(free, free)]
        if not np.linalg.eigvalsh(M)[0] > 0.0:
            return 0.0
        if speed is not None:
            J = np.eye(tree.nv)[speed][None, free]
        else:
            J = tree.jacobian(q, body, point)[:, free]
            J = J if along is None else np.asarray(along)[None] @ J
        highest = float(np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T))[-1])
        least = min(least, 1.0 / highest if highest > 0.0 else np.inf)
    return least
