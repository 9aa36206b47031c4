"""A planar rod in pure differential-geometry coordinates, for comparison.  [hirai2020, its references 1 and 2]

Only the base and the angles are coordinates; where a point is, is an integral from the base up to it. So each angle
moves everything beyond it, and the inertia matrix is full:

    M_ij = int rho Re(conj(g_i) g_j),    g_i = dz/dth_i / i,

with g_i = A_i = G2_(i-1) + G1_i for all that lies beyond segment i. Sums from the tip (W_j = int rho g_j) fill M in
O(n^2); solving costs O(n^3). Plane vectors are complex, x + iy; row k of S as in `segment`.
"""

import math

from tegotae.compiling import kernel, kernel_inside, kernel_sums
from tegotae.rod.kernels.motion import spread_points
from tegotae.rod.kernels.segment import all_integrals


@kernel
def inertia(S, hs, rho, tip, A, W, M):
    """The lower triangle of M over (x, y, th_1 .. th_n); tip: mass and inertia of a payload on the last node."""
    n = hs.shape[0] + 1
    beyond = tip[0]  # mass of what lies beyond segment j
    for j in range(n - 1, -1, -1):
        G2 = complex(S[j - 1, 2], S[j - 1, 3]) if j > 0 else 0j
        B2 = rho[j - 1] * complex(S[j - 1, 6], S[j - 1, 7]) if j > 0 else 0j
        Q22 = rho[j - 1] * S[j - 1, 14] if j > 0 else 0.0
        if j == n - 1:
            A[j], W[j] = G2, B2 + beyond * G2
            M[2 + j, 2 + j] = Q22 + beyond * (G2.real**2 + G2.imag**2) + tip[1]
            continue
        G1, B1 = complex(S[j, 0], S[j, 1]), rho[j] * complex(S[j, 4], S[j, 5])
        mass = rho[j] * hs[j]
        A[j] = G2 + G1
        W[j] = B2 + mass * G2 + B1 + beyond * A[j]
        own = Q22 + rho[j] * S[j, 12] + mass * (G2.real**2 + G2.imag**2)
        own += 2.0 * (G2.real * B1.real + G2.imag * B1.imag)
        M[2 + j, 2 + j] = own + beyond * (A[j].real ** 2 + A[j].imag ** 2)
        beyond += mass
    M[0, 0], M[1, 1], M[1, 0] = beyond, beyond, 0.0
    for j in range(n):
        row, wx, wy = M[2 + j], W[j].real, W[j].imag
        row[0], row[1] = -wy, wx
        for i in range(j - 1):
            row[2 + i] = A[i].real * wx + A[i].imag * wy
        if j > 0:
            # The neighbours share a segment: there only its start follows th_(j-1) as a whole.
            d, before = rho[j - 1], j - 1
            B2 = d * complex(S[before, 6], S[before, 7])
            G2 = complex(S[j - 2, 2], S[j - 2, 3]) if j > 1 else 0j
            rest = W[j] - B2
            row[1 + j] = A[before].real * rest.real + A[before].imag * rest.imag
            row[1 + j] += G2.real * B2.real + G2.imag * B2.imag + d * S[before, 13]


@kernel_inside
def pushes(rod, v, dt, A, b):
    """What acts on the coordinates: turning, gravity, loads, and bending at the end of a step of dt."""
    n, S = rod.hs.shape[0] + 1, rod.S
    points = rod.points.shape[0] > 0
    for i in range(n + 2):
        b[i] = 0.0
    # What every place falls behind by turning, from the base on; gravity acts alike.
    e = complex(rod.g[0], rod.g[1])
    for k in range(n):
        push = complex(rod.load[k, 0], rod.load[k, 1])
        b[2 + k] += rod.load[k, 2]
        if k == n - 1:
            push += rod.tip[0] * e
        else:
            d = rod.rho[k]
            push += d * rod.hs[k] * e + d * complex(S[k, 10], S[k, 11])
            # Im(conj(B) e): what turning does inside the segment, by the fall of its start.
            b[2 + k] += d * (S[k, 4] * e.imag - S[k, 5] * e.real) + d * S[k, 15] - rod.bend[k]
            b[3 + k] += d * (S[k, 6] * e.imag - S[k, 7] * e.real) + d * S[k, 16] + rod.bend[k]
            if points:
                push += complex(rod.side[k, 0], rod.side[k, 1])
                b[2 + k] += rod.side[k, 2]
                b[3 + k] += rod.side[k, 3]
            e += complex(S[k, 8], S[k, 9])
        rod.U[k, 0], rod.U[k, 1] = push.real, push.imag
    beyond = 0j
    for k in range(n - 1, -1, -1):
        push = complex(rod.U[k, 0], rod.U[k, 1])
        G2 = complex(S[k - 1, 2], S[k - 1, 3]) if k > 0 else 0j
        b[2 + k] += G2.real * push.imag - G2.imag * push.real + A[k].real * beyond.imag - A[k].imag * beyond.real
        beyond += push
    b[0], b[1] = beyond.real, beyond.imag


@kernel
def hold(M, b, held, given):
    """A held coordinate of the base takes the acceleration given."""
    size = b.shape[0]
    for c in range(3):
        if held[c]:
            for i in range(size):
                b[i] -= (M[i, c] if i >= c else M[c, i]) * given[c]
    for c in range(3):
        if held[c]:
            for i in range(size):
                M[max(i, c), min(i, c)] = 1.0 if i == c else 0.0
            b[c] = given[c]


@kernel_sums
def factorise(M):
    """M = L L^T in the lower triangle, row by row, on one thread; the order of the sums is free, so they are quick."""
    for i in range(M.shape[0]):
        for j in range(i + 1):
            total = M[i, j]
            for k in range(j):
                total -= M[i, k] * M[j, k]
            M[i, j] = math.sqrt(total) if i == j else total / M[j, j]


@kernel_sums
def substitute(L, b, a):
    """a from L L^T a = b."""
    size = b.shape[0]
    for i in range(size):
        total = b[i]
        for k in range(i):
            total -= L[i, k] * a[k]
        a[i] = total / L[i, i]
    for i in range(size - 1, -1, -1):
        a[i] /= L[i, i]
        for k in range(i):
            a[k] -= L[i, k] * a[i]


@kernel_inside
def pure_accelerations(rod, y, v, dt, A, W, M, b, a):
    """a = y'', as `motion.accelerations` gives it, by the full matrix."""
    if rod.points.shape[0] > 0:
        spread_points(rod, y)
    all_integrals(y, v, rod.hs, rod.re, rod.im, rod.S)
    inertia(rod.S, rod.hs, rod.rho, rod.tip, A, W, M)
    for k in range(rod.hs.shape[0]):
        h = rod.hs[k]
        turn = v[3 + k] - v[2 + k]
        bent = y[3 + k] - y[2 + k] + dt * turn - h * rod.kappa[k]
        rod.bend[k] = -(rod.K[k] * bent + rod.C[k] * turn) / h
        extra = dt * (rod.C[k] + dt * rod.K[k]) / h
        M[2 + k, 2 + k] += extra
        M[3 + k, 3 + k] += extra
        M[3 + k, 2 + k] -= extra
    pushes(rod, v, dt, A, b)
    hold(M, b, rod.held, rod.swing)
    factorise(M)
    substitute(M, b, a)
