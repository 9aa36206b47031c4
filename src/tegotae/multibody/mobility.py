"""How light a tree can feel where it is pushed: a bound for the circuits it is wired into.

Cutting a tree can only make it lighter. With forces h at its ports, w_j(h) the wrench that they put on body j and t_j
its twist, a step gives the mobility

    h'G h = max over v of 2 sum_j w_j't_j(v) - v'(M + T slopes) v,   v'M v = sum over bodies of t_j'M_j t_j.

Leave out the slopes, none of which is negative unless friction falls with speed, and what is subtracted shrinks; let
each t_j take any value, not only those that joints allow, and the maximum grows (a body that hangs on the world by a
joint keeps it). What is left are the bodies by themselves, sum_j w_j'M_j^-1 w_j. With l_j the largest of that on body
j for ports of size 1 on it, h'G h <= sum over ports of |h_p|^2 (sum of l_j over the bodies that p acts on).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tegotae.checks import Array
from tegotae.multibody.tree_arrays import FREE, PRISMATIC, _inertia
from tegotae.rotations import cross_matrix

if TYPE_CHECKING:
    from tegotae.multibody.attachments import Wired
    from tegotae.multibody.tree import Tree

SAMPLES = 64  # configurations looked at where there is no bound
NONE = 1e-9  # relative: an inertia smaller than this opposes nothing
_AXIS = np.array([0.0, 0.0, 1.0])  # of every joint, in the internal frame of its body


def least_reluctance(tree: Tree, ports: Sequence[Wired], locked: Sequence[int], T: float) -> float:
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
        mobility = _of_bodies(tree, ports)
        if mobility < np.inf:
            return 1.0 / (T * mobility)
    return 0.5 * _sampled(tree, ports, locked, T * falls) / T


def _of_bodies(tree: Tree, ports: Sequence[Wired]) -> float:
    """Largest 1/inertia of all ports together, each body by itself."""
    acting = [_wrenches(tree, port) for port in ports]
    light = {k: _light(tree, k, np.hstack([own[k] for own in acting if k in own])) for own in acting for k in own}
    return max(sum(light[k] for k in own) for own in acting)


def _wrenches(tree: Tree, port: Wired) -> dict[int, Array]:
    """Moving body -> 6 x rows: the wrench at its centre of mass by each unit of force at a port, in its own axes.

    World axes are turned against those of a body, which changes no size. A single direction in the world may be any in
    the body: it counts as all three, of force, of moment or of both.
    """
    if port.joint >= 0:
        return _in_joint(tree, port.joint)
    way = slice(0, 6)
    if len(port.rows) == 1 and not (port.rows[0, :3].any() and port.rows[0, 3:].any()):
        way = slice(0, 3) if port.rows[0, :3].any() else slice(3, 6)
    size = 1.0 if len(port.rows) == 6 else float(np.linalg.norm(port.rows[0]))
    found = {}
    for tap in port.taps:
        lever = np.eye(6)
        lever[3:, :3] = cross_matrix(tap.inside)
        found[tap.k] = size * lever[:, way]
    return found


def _in_joint(tree: Tree, k: int) -> dict[int, Array]:
    """The same of the joint of body k, which pushes what carries it the other way."""
    layout = tree.arrays
    i, c, none = int(layout.parent[k]), layout.C[k], np.zeros(3)
    A, d1, r1 = c[:9].reshape(3, 3), c[9:12], c[12:15]
    slides, axis = layout.kind[k] == PRISMATIC, A @ _AXIS
    own = (_AXIS, none) if slides else (none, _AXIS)
    # A slide moves by v_k - v_i - w_i x (c_k - c_i) along the axis; the way already slid is along it too.
    under = (axis, np.cross(d1 + A @ r1, axis)) if slides else (none, axis)
    found = {k: np.concatenate(own)[:, None]}
    return found if i < 0 else found | {i: np.concatenate(under)[:, None]}


def _light(tree: Tree, k: int, wrenches: Array) -> float:
    """Largest 1/inertia of a body by itself that meets these wrenches (columns), each of any size up to 1 in all."""
    layout = tree.arrays
    mass, inertia = float(layout.C[k, 15]), _inertia(layout.C[k])
    if int(layout.parent[k]) < 0 and layout.kind[k] != FREE:  # it moves about or along its axis only
        slides, arm = layout.kind[k] == PRISMATIC, np.cross(_AXIS, layout.C[k, 12:15])
        about = mass if slides else float(inertia[2, 2] + mass * (arm @ arm))
        felt = wrenches.T @ np.concatenate([_AXIS, np.zeros(3)] if slides else [arm, _AXIS])
        return float(felt @ felt) / about if about > 0.0 else np.inf
    mobility = np.zeros((len(wrenches.T), len(wrenches.T)))
    if wrenches[:3].any():
        if not mass > 0.0:
            return np.inf
        mobility += wrenches[:3].T @ wrenches[:3] / mass
    if wrenches[3:].any():
        if not float(np.linalg.eigvalsh(inertia)[0]) > NONE * float(np.trace(inertia)):
            return np.inf
        mobility += wrenches[3:].T @ np.linalg.solve(inertia, wrenches[3:])
    return float(np.linalg.eigvalsh(mobility)[-1])


def _sampled(tree: Tree, ports: Sequence[Wired], locked: Sequence[int], lost: Array) -> float:
    """The smallest inertia at the ports among random configurations, less what falling friction takes."""
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
        J = np.vstack([port.jacobian(tree, q) for port in ports])[:, free]
        highest = float(np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T))[-1])
        least = min(least, 1.0 / highest if highest > 0.0 else np.inf)
    return least
