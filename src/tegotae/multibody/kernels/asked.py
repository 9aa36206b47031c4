"""What Python asks of a tree, over rows of q and v."""

import numpy as np

from tegotae.compile import entry, kernel
from tegotae.multibody.kernels.kinematics import FREE, forward_one, prepare_world
from tegotae.multibody.kernels.passes import accelerate
from tegotae.multibody.kernels.quantities import energies, inverse, mass_matrix, momenta


@kernel
def push_free(kind, vi, tau, wrench, W):
    """Wrenches of one row: those given, and what tau says of free bodies."""
    W[:] = wrench
    for k in range(len(kind)):
        if kind[k] == FREE:
            for j in range(6):
                W[k, j] += tau[vi[k] + j]


@entry
def accelerations(parent, kind, qi, vi, C, g, Q, V, tau, slope, wrench, W, S, out):
    """Of every row, under torques and wrenches."""
    prepare_world(S, g)
    for i in range(len(Q)):
        push_free(kind, vi, tau[i], wrench[i if len(wrench) > 1 else 0], W)
        accelerate(parent, kind, qi, vi, C, g, Q[i], V[i], tau[i], slope, W, S, out[i])


@entry
def torques(parent, kind, qi, vi, C, g, Q, V, A, wrench, S, out):
    """Of every row, for accelerations A."""
    prepare_world(S, g)
    for i in range(len(Q)):
        forward_one(parent, kind, qi, vi, C, Q[i], V[i], S)
        inverse(parent, kind, vi, C, g, A[i], wrench[i if len(wrench) > 1 else 0], S, out[i])


@entry
def energies_and_momenta(parent, kind, qi, vi, C, g, Q, V, S, energy, motion):
    """Kinetic, potential energy; mass centre, momentum, angular momentum."""
    prepare_world(S, g)
    for i in range(len(Q)):
        forward_one(parent, kind, qi, vi, C, Q[i], V[i], S)
        energy[i, 0], energy[i, 1] = energies(C, g, S)
        momenta(C, S, motion[i])


@entry
def masses(parent, kind, qi, vi, C, q, v, S, M, unit):
    """Rows of S at q and v, and the mass matrix."""
    zero = np.zeros(3)
    prepare_world(S, zero)
    forward_one(parent, kind, qi, vi, C, q, v, S)
    mass_matrix(parent, kind, vi, C, zero, unit, S, M)


@entry
def track(parent, kind, qi, vi, C, Q, v, S, rows):
    """Rotation and centre of mass of every body, tick by tick; v = 0, for they do not depend on it."""
    prepare_world(S, np.zeros(3))
    for i in range(len(Q)):
        forward_one(parent, kind, qi, vi, C, Q[i], v, S)
        for k in range(len(parent)):
            for j in range(12):
                rows[i, k, j] = S[k, j]
