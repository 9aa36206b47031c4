"""A planar rod in pure differential-geometry coordinates, for comparison.  [hirai2020, its references 1 and 2]

Only the base and the angles are coordinates; where a point is, is an integral from the base up to it. So each angle
moves everything beyond it, and the inertia matrix is full:

    M_ij = int rho g_i . g_j,    g_i = dz/dth_i turned back by a right angle,

with g_i = A_i = G2_(i-1) + G1_i for all that lies beyond segment i. Sums from the tip (W_j = int rho g_j) fill M in
O(n^2); solving costs O(n^3). A and W hold one plane vector a row; row k of S as in `segment`.
"""

import math

from tegotae.compile import entry, kernel, kernel_inside, kernel_sums
from tegotae.rod.kernels.motion import accelerations, drive, locate, take_bends


@kernel
def inertia(S, hs, rho, tip, A, W, M):
    """The lower triangle of M over (x, y, th_1 .. th_n); tip: mass and inertia of a payload on the last node."""
    n = hs.shape[0] + 1
    beyond = tip[0]  # mass of what lies beyond segment j
    for j in range(n - 1, -1, -1):
        G2x = G2y = B2x = B2y = Q22 = 0.0
        if j > 0:
            d, s = rho[j - 1], S[j - 1]
            G2x, G2y, B2x, B2y, Q22 = s[2], s[3], d * s[6], d * s[7], d * s[14]
        if j == n - 1:
            A[j, 0], A[j, 1] = G2x, G2y
            W[j, 0], W[j, 1] = B2x + beyond * G2x, B2y + beyond * G2y
            M[2 + j, 2 + j] = Q22 + beyond * (G2x**2 + G2y**2) + tip[1]
            continue
        d, s = rho[j], S[j]
        mass, B1x, B1y = d * hs[j], d * s[4], d * s[5]
        A[j, 0], A[j, 1] = G2x + s[0], G2y + s[1]
        W[j, 0] = B2x + mass * G2x + B1x + beyond * A[j, 0]
        W[j, 1] = B2y + mass * G2y + B1y + beyond * A[j, 1]
        diagonal = Q22 + d * s[12] + mass * (G2x**2 + G2y**2)
        diagonal += 2.0 * (G2x * B1x + G2y * B1y)
        M[2 + j, 2 + j] = diagonal + beyond * (A[j, 0] ** 2 + A[j, 1] ** 2)
        beyond += mass
    M[0, 0], M[1, 1], M[1, 0] = beyond, beyond, 0.0
    for j in range(n):
        couple(S, rho, A, W, M, j)


@kernel
def couple(S, rho, A, W, M, j):
    """Row j of M to the left of its diagonal: the base, and the angles before th_j."""
    row, wx, wy = M[2 + j], W[j, 0], W[j, 1]
    row[0], row[1] = -wy, wx
    for i in range(j - 1):
        row[2 + i] = A[i, 0] * wx + A[i, 1] * wy
    if j > 0:
        # The neighbours share a segment: there only its start follows th_(j-1) as a whole.
        d, s, before = rho[j - 1], S[j - 1], A[j - 1]
        B2x, B2y = d * s[6], d * s[7]
        row[1 + j] = before[0] * (wx - B2x) + before[1] * (wy - B2y)
        G2x, G2y = (S[j - 2, 2], S[j - 2, 3]) if j > 1 else (0.0, 0.0)
        row[1 + j] += G2x * B2x + G2y * B2y + d * s[13]


@kernel_inside
def pushes(rod, A, b):
    """What acts on the coordinates: turning, gravity, loads, and the bending that `take_bends` left."""
    n, S = rod.hs.shape[0] + 1, rod.S
    points = rod.points.shape[0] > 0
    for i in range(n + 2):
        b[i] = 0.0
    # What every place falls behind by turning, from the base on; gravity acts alike.
    ex, ey = rod.g[0], rod.g[1]
    for k in range(n):
        px, py = rod.load[k, 0], rod.load[k, 1]
        b[2 + k] += rod.load[k, 2]
        if k == n - 1:
            px += rod.tip[0] * ex
            py += rod.tip[0] * ey
        else:
            d, s = rod.rho[k], S[k]
            px += d * rod.hs[k] * ex + d * s[10]
            py += d * rod.hs[k] * ey + d * s[11]
            # B x e: what turning does inside the segment, by the fall of its start.
            b[2 + k] += d * (s[4] * ey - s[5] * ex) + d * s[15] - rod.bend[k]
            b[3 + k] += d * (s[6] * ey - s[7] * ex) + d * s[16] + rod.bend[k]
            if points:
                px += rod.side[k, 0]
                py += rod.side[k, 1]
                b[2 + k] += rod.side[k, 2]
                b[3 + k] += rod.side[k, 3]
            ex += s[8]
            ey += s[9]
        rod.U[k, 0], rod.U[k, 1] = px, py
    beyond_x = beyond_y = 0.0
    for k in range(n - 1, -1, -1):
        px, py = rod.U[k, 0], rod.U[k, 1]
        G2x, G2y = (S[k - 1, 2], S[k - 1, 3]) if k > 0 else (0.0, 0.0)
        b[2 + k] += G2x * py - G2y * px + A[k, 0] * beyond_y - A[k, 1] * beyond_x
        beyond_x += px
        beyond_y += py
    b[0], b[1] = beyond_x, beyond_y


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
    take_bends(rod, y, v, dt)
    inertia(rod.S, rod.hs, rod.rho, rod.tip, A, W, M)
    for k in range(rod.hs.shape[0]):
        M[2 + k, 2 + k] += rod.extra[k]
        M[3 + k, 3 + k] += rod.extra[k]
        M[3 + k, 2 + k] -= rod.extra[k]
    pushes(rod, A, b)
    hold(M, b, rod.held, rod.swing)
    factorise(M)
    substitute(M, b, a)


# ------------------------------------------------------------ an instant, by either set of coordinates, many times


@entry
def mixed_times(rod, times, y, v, dt, a):
    """a = y'' by mixed coordinates."""
    locate(rod, 0.0)
    drive(rod, 0.0)
    for _ in range(times):
        accelerations(rod, y, v, dt, a)


@entry
def pure_times(rod, times, y, v, dt, A, W, M, b, a):
    """a = y'' by pure coordinates."""
    locate(rod, 0.0)
    drive(rod, 0.0)
    for _ in range(times):
        pure_accelerations(rod, y, v, dt, A, W, M, b, a)
