"""Joints of a tree that move without inertia."""

from __future__ import annotations

import numpy as np

from tegotae.checks import SMALLEST, Array
from tegotae.multibody.kernels.kinematics import ARMATURE, BALL, FREE, PRISMATIC, REVOLUTE
from tegotae.multibody.tree_arrays import TreeArrays
from tegotae.rotations import cross_matrix, matrix_of, normalised, rotation_about

NONE = 1e-12  # relative: a joint that feels less than this of all the inertia behind it feels none


def without_inertia(layout: TreeArrays, q: Array | None = None) -> list[int]:
    """Moving bodies whose joint moves without inertia: the articulated inertia there is singular.

    Looked at where q says, or in one configuration without any symmetry, since special ones (an arm stretched along its
    axis) may be singular where the machine is not.
    """
    masses, inertias = layout.C[:, 15], np.array([inertia_of(c) for c in layout.C]).reshape(-1, 3, 3)
    if (masses > 0.0).all() and (np.linalg.eigvalsh(inertias)[:, 0] > 0.0).all():
        return []  # every body has inertia of its own
    angles = 1.0 + np.modf(np.arange(masses.size) * 0.6180339887498949)[0] if q is None else q[layout.qi]
    felt = np.zeros((masses.size, 6, 6))  # with the joints behind loose
    felt[:, :3, :3], felt[:, 3:, 3:] = masses[:, None, None] * np.eye(3), inertias
    rigid = felt.copy()  # with the joints behind locked: the measure of what is small
    found = []
    for k in range(masses.size - 1, -1, -1):
        if layout.kind[k] == FREE:
            if _is_singular(felt[k], rigid[k]):
                found.append(k)
            continue
        S, X = _motion(layout, k, angles, q)
        D, parent = float(S @ felt[k] @ S + layout.C[k, ARMATURE]), int(layout.parent[k])
        to_joint = np.eye(6)
        to_joint[:3, 3:] = -cross_matrix(layout.C[k, 12:15])
        at_joint = to_joint.T @ rigid[k] @ to_joint
        bound = at_joint[0, 0] if layout.kind[k] == PRISMATIC else np.trace(at_joint[3:, 3:])
        bound += layout.C[k, ARMATURE]
        if parent >= 0:
            rigid[parent] += X.T @ rigid[k] @ X
        if max(NONE * bound, 0.0) >= D:
            found.append(k)
        elif parent >= 0:
            felt[parent] += X.T @ (felt[k] - np.outer(felt[k] @ S, felt[k] @ S) / D) @ X
    return found[::-1]


def _is_singular(felt: Array, rigid: Array) -> bool:
    """Whether a free body can be moved in some way without effort; lengths are measured in radii of gyration."""
    mass, spread = rigid[0, 0], np.trace(rigid[3:, 3:])
    if mass <= 0.0 or spread <= SMALLEST * mass:  # a point, of no size that numbers can tell
        return True
    units = np.repeat([1.0, np.sqrt(mass / spread)], 3)
    moments = np.linalg.eigvalsh(felt * np.outer(units, units))
    return bool(moments[0] <= NONE * mass)


def _motion(layout: TreeArrays, k: int, angles: Array, q: Array | None) -> tuple[Array, Array]:
    """How the own centre moves (velocity, turn; own axes) with the joint, and with the parent's centre."""
    c, kind = layout.C[k], int(layout.kind[k])
    A, d1, r1 = c[:9].reshape(3, 3), c[9:12], c[12:15]
    z, zero, turn, slide = np.array([0.0, 0.0, 1.0]), np.zeros(3), np.eye(3), 0.0
    if kind == REVOLUTE:
        turn = rotation_about(angles[k] * z)
    elif kind == PRISMATIC:
        slide = float(angles[k])
    elif kind == BALL and q is not None:
        turn = matrix_of(normalised(q[layout.qi[k] : layout.qi[k] + 4].tolist()))
    R, axis = A @ turn, turn.T @ z
    S = np.concatenate([axis, zero] if kind == PRISMATIC else [np.cross(axis, r1), axis])
    arm = d1 + R @ (r1 + slide * z)
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R.T
    X[:3, 3:] = -R.T @ cross_matrix(arm)
    return S, X


def inertia_of(c: Array) -> Array:
    """The inertia of a body about its centre of mass, from its constants, 3 x 3."""
    xx, yy, zz, xy, xz, yz = c[16:22]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
