"""What a rod does at an instant: loads, bending, actuation, base; and its accelerations.

z = (y, v, dissipated, work) with y = (x, y, th_1 .. th_n) of the base and the angles, v their rates.
"""

from collections import namedtuple

import numpy as np

from tegotae.compile import kernel_inside
from tegotae.rod.kernels.recursion import BACK, articulate, at_base, spread
from tegotae.rod.kernels.segment import WIDTH, all_integrals, point_torques, velocities

# One rod in numbers, and room to work in.
#
# Segments (n-1): hs length, rho density, K and C bending stiffness and viscosity. g gravity; tip mass and inertia.
# Drive over time, linear between `when`: bends (times, n-1) natural curvature; loads (times, n, 3) on the nodes;
# swings (times, 3) acceleration of the base where it is held. held: which of x, y, theta of the base.
# points (m, 5): loads between nodes, constant: segment, part of its length, force x, y, torque. cell: between which
# two times of the drive a step lies; no step crosses one. The others, from re on: see `rod_room`.
Rod = namedtuple(
    "Rod",
    "hs rho K C g tip when bends loads swings held points cell "
    "re im S P p R bend extra load swing kappa kappa_rate U side",
)


def rod_room(n):
    """The arrays of a `Rod` that are only worked in."""
    shapes = {"re": 6, "im": 6, "S": (n - 1, WIDTH), "P": (3, 3), "p": 3, "R": (n - 1, BACK), "swing": 3}
    shapes |= dict.fromkeys(("bend", "extra", "kappa", "kappa_rate"), n - 1)
    shapes |= {"load": (n, 3), "U": (n, 2), "side": (n - 1, 4)}
    return {name: np.zeros(shape) for name, shape in shapes.items()} | {"cell": np.zeros(1, dtype=np.int64)}


@kernel_inside
def locate(rod, t):
    """Find the cell that begins at t or holds it."""
    low, high = 0, max(rod.when.shape[0] - 1, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if rod.when[middle] <= t:
            low = middle
        else:
            high = middle
    rod.cell[0] = low


@kernel_inside
def drive(rod, t):
    """Curvature, loads and base motion at the time t of the cell into rod.kappa, rod.load, rod.swing."""
    i = rod.cell[0]
    j = min(i + 1, rod.when.shape[0] - 1)
    span = rod.when[j] - rod.when[i]
    q = min(max((t - rod.when[i]) / span, 0.0), 1.0) if span > 0.0 else 0.0
    outside = span == 0.0 or t < rod.when[i] or t > rod.when[j] + 1e-9 * span
    for k in range(rod.kappa.shape[0]):
        rise = rod.bends[j, k] - rod.bends[i, k]
        rod.kappa[k] = rod.bends[i, k] + q * rise
        rod.kappa_rate[k] = 0.0 if outside else rise / span
    for k in range(rod.load.shape[0]):
        for c in range(3):
            rod.load[k, c] = rod.loads[i, k, c] + q * (rod.loads[j, k, c] - rod.loads[i, k, c])
    for c in range(3):
        rod.swing[c] = rod.swings[i, c] + q * (rod.swings[j, c] - rod.swings[i, c])


@kernel_inside
def spread_points(rod, y):
    """Loads between nodes as forces on the coordinates of their segment, into rod.side."""
    for k in range(rod.side.shape[0]):
        for c in range(4):
            rod.side[k, c] = 0.0
    for i in range(rod.points.shape[0]):
        k, q = int(rod.points[i, 0]), rod.points[i, 1]
        fx, fy, tau = rod.points[i, 2], rod.points[i, 3], rod.points[i, 4]
        first, second = point_torques(y[2 + k], y[3 + k] - y[2 + k], rod.hs[k], q, fx, fy, tau, rod.re, rod.im)
        rod.side[k, 0] += fx
        rod.side[k, 1] += fy
        rod.side[k, 2] += first
        rod.side[k, 3] += second


@kernel_inside
def take_bends(rod, y, v, dt):
    """All segments at y and v, and their bending at the end of a step of dt: torque, and what it adds to the angles."""
    if rod.points.shape[0] > 0:
        spread_points(rod, y)
    all_integrals(y, v, rod.hs, rod.re, rod.im, rod.S)
    for k in range(rod.hs.shape[0]):
        h = rod.hs[k]
        turn = v[3 + k] - v[2 + k]
        bent = y[3 + k] - y[2 + k] + dt * turn - h * rod.kappa[k]
        rod.bend[k] = -(rod.K[k] * bent + rod.C[k] * turn) / h
        rod.extra[k] = dt * (rod.C[k] + dt * rod.K[k]) / h


@kernel_inside
def accelerations(rod, y, v, dt, a):
    """a = y'' for what `drive` has set; dt > 0 takes bending at the end of a step of that length."""
    take_bends(rod, y, v, dt)
    articulate(rod.S, rod.hs, rod.rho, rod.g, rod.bend, rod.extra, rod.load, rod.side, rod.tip, rod.P, rod.p, rod.R)
    at_base(rod.P, rod.p, rod.held, rod.swing, a)
    spread(rod.S, rod.R, a)


@kernel_inside
def powers(rod, y, v, a):
    """Dissipated and put in [W]: by viscosity; by loads, by actuation that changes the natural curvature, by the hand
    that moves a held base. rod.S, P and p must be those of y and a.
    """
    lost, given = 0.0, 0.0
    for k in range(rod.hs.shape[0]):
        turn = v[3 + k] - v[2 + k]
        lost += rod.C[k] * turn * turn / rod.hs[k]
        given -= rod.K[k] * (y[3 + k] - y[2 + k] - rod.hs[k] * rod.kappa[k]) * rod.kappa_rate[k]
    velocities(v, rod.S, rod.U)
    for k in range(rod.load.shape[0]):
        given += rod.load[k, 0] * rod.U[k, 0] + rod.load[k, 1] * rod.U[k, 1] + rod.load[k, 2] * v[2 + k]
    for k in range(rod.side.shape[0] if rod.points.shape[0] > 0 else 0):
        given += rod.side[k, 0] * rod.U[k, 0] + rod.side[k, 1] * rod.U[k, 1]
        given += rod.side[k, 2] * v[2 + k] + rod.side[k, 3] * v[3 + k]
    for c in range(3):
        if rod.held[c]:
            given += (rod.P[c, 0] * a[0] + rod.P[c, 1] * a[1] + rod.P[c, 2] * a[2] + rod.p[c]) * v[c]
    return lost, given
