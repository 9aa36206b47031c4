"""Kinematics of the six-arm table.  [tarao1999 (11) to (15), Fig. 7]

Arm i turns about a fixed axis through B; its tip is C = B + L1 (cos th e - sin th z), th positive downward, e the
horizontal direction of its plane. The rod of length L2 joins C to the plate at x = p + b, b = R b0. Letters:

    n = x - C,   c = dC/dth,   n . (v + w x b) = n . c thd    so that the rows of J^-1 are [n, b x n]/(n . c)

A row of G holds the geometry of an arm: 0:3 B, 3:5 e (x, y), 5:8 b0, 8 L1, 9 L2.
A row of N holds what a pose makes of it:  0:3 b, 3:6 n, 6:9 c, 9:12 C - B, 12 n . c.
"""

import math

import numpy as np

from tegotae.compile import entry, kernel
from tegotae.kernels.linear import solve_one
from tegotae.kernels.rotations import cross, orthonormal, times, turn

ROW = 13
TOLERANCE = 1e-13  # of the rods' lengths, relative: where Newton stands still
MOST = 30  # Newton steps; 5 are enough near home


@entry
def inverse(G, p, R, th, N):
    """Angles into th and the rods into N; the first arm that cannot reach, or -1."""
    for i in range(6):
        L1, L2 = G[i, 8], G[i, 9]
        ex, ey = G[i, 3], G[i, 4]
        N[i, 0], N[i, 1], N[i, 2] = times(R, G[i, 5], G[i, 6], G[i, 7])
        dx, dy, dz = p[0] + N[i, 0] - G[i, 0], p[1] + N[i, 1] - G[i, 1], p[2] + N[i, 2] - G[i, 2]
        x, z = dx * ex + dy * ey, -dz
        rho = math.sqrt(x * x + z * z)
        c = (dx * dx + dy * dy + dz * dz + L1 * L1 - L2 * L2) / (2.0 * L1)
        if not abs(c) <= rho:
            return i
        # acos by both its legs: no digit is lost where arm and rod are nearly in line
        a = math.atan2(z, x) - math.atan2(math.sqrt((rho - c) * (rho + c)), c)
        if a < -math.pi:
            a += 2.0 * math.pi
        th[i] = a
        rods(G, i, a, dx, dy, dz, N)
    return -1


@kernel
def rods(G, i, a, dx, dy, dz, N):
    """n, c, C - B and n . c of arm i at angle a, for the plate's joint at d from the arm's axis."""
    L1, ex, ey = G[i, 8], G[i, 3], G[i, 4]
    s, c = math.sin(a), math.cos(a)
    N[i, 9], N[i, 10], N[i, 11] = L1 * c * ex, L1 * c * ey, -L1 * s
    N[i, 6], N[i, 7], N[i, 8] = -L1 * s * ex, -L1 * s * ey, -L1 * c
    N[i, 3], N[i, 4], N[i, 5] = dx - N[i, 9], dy - N[i, 10], dz - N[i, 11]
    N[i, 12] = N[i, 3] * N[i, 6] + N[i, 4] * N[i, 7] + N[i, 5] * N[i, 8]


@kernel
def plate_rows(N, i, A):
    """[n, b x n], the row of arm i in what the plate's motion does to the rods."""
    for k in range(3):
        A[i, k] = N[i, 3 + k]
    A[i, 3], A[i, 4], A[i, 5] = cross(N[i, 0], N[i, 1], N[i, 2], N[i, 3], N[i, 4], N[i, 5])


@kernel
def inverse_jacobian(N, W):
    """W = J^-1: thd = W [v; w]."""
    for i in range(6):
        plate_rows(N, i, W)
        for k in range(6):
            W[i, k] /= N[i, 12]


@kernel
def copy(A, B):
    """B <- A, entry by entry: numba takes seconds longer over slices."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j]


@kernel
def forward(G, th, p, R, N, A, f, Q):
    """p, R (start: their values) <- the pose at these angles, by Newton on the rods' lengths; steps taken, or -1.

    A (6, 6), f (6), Q (3, 3) are workspace. A step turns by at most half a radian and moves by at most half a
    rod, so that a far start does not jump to another way of assembling the table.
    """
    last = math.inf
    for step in range(MOST):
        worst = 0.0
        for i in range(6):
            N[i, 0], N[i, 1], N[i, 2] = times(R, G[i, 5], G[i, 6], G[i, 7])
            rods(G, i, th[i], p[0] + N[i, 0] - G[i, 0], p[1] + N[i, 1] - G[i, 1], p[2] + N[i, 2] - G[i, 2], N)
            f[i] = 0.5 * (G[i, 9] ** 2 - N[i, 3] ** 2 - N[i, 4] ** 2 - N[i, 5] ** 2)
            worst = max(worst, abs(f[i]) / G[i, 9] ** 2)
            plate_rows(N, i, A)
        if worst < TOLERANCE and (worst == 0.0 or worst >= last):
            return step
        last = worst
        if solve_one(6, A, f, True) == 0.0:
            return -1
        far = max(abs(f[0]), abs(f[1]), abs(f[2])) / (0.5 * G[0, 9])
        far = max(1.0, far, 2.0 * math.sqrt(f[3] ** 2 + f[4] ** 2 + f[5] ** 2))
        for k in range(3):
            p[k] += f[k] / far
        turn(R, f[3] / far, f[4] / far, f[5] / far, Q)
        orthonormal(Q)
        copy(Q, R)
        if not math.isfinite(p[0] + R[0, 0]):
            return -1
    return MOST if last < 10.0 * TOLERANCE else -1


@entry
def pose_at(G, th, p, R):
    """`forward` with a workspace of its own."""
    return forward(G, th, p, R, np.zeros((6, ROW)), np.zeros((6, 6)), np.zeros(6), np.zeros((3, 3)))


@kernel
def tilts(G, R, N, out):
    """Angle of each rod out of the plane across its joints' axes, the larger of the arm's and the plate's, into out."""
    for i in range(6):
        tx, ty = -G[i, 4], G[i, 3]
        nx, ny, nz = N[i, 3], N[i, 4], N[i, 5]
        arm = tx * nx + ty * ny
        plate = 0.0
        for k in range(3):
            plate += N[i, 3 + k] * (R[k, 0] * tx + R[k, 1] * ty)
        s = max(abs(arm), abs(plate)) / math.sqrt(nx * nx + ny * ny + nz * nz)
        out[i] = math.asin(min(1.0, s))


@kernel
def nearness(N, G, scale, home, A, B, f):
    """(arms, plate): how far from the two kinds of singularity; 0 at it, negative past the plate's.

    arms: the smallest n . c/(L1 L2): the share of a rod's length that lies across its arm, in the arm's plane.
    plate: the smallest singular value of the rows [n, (b x n)/scale]/L2, with the determinant's sign against home's.
    """
    arms = math.inf
    for i in range(6):
        arms = min(arms, N[i, 12] / (G[i, 8] * G[i, 9]))
        plate_rows(N, i, A)
        for k in range(6):
            A[i, k] /= G[i, 9] * (1.0 if k < 3 else scale)
    least, sign = smallest(A, B, f)
    return arms, least * sign * home


@kernel
def smallest(A, B, f):
    """(smallest singular value, sign of the determinant) of A, by turning its columns until all are square (Jacobi)."""
    n = f.size
    copy(A, B)
    for k in range(n):
        f[k] = 0.0
    sign = -1.0 if solve_one(6, B, f, True) < 0.0 else 1.0
    for _ in range(20):
        worst = 0.0
        for i in range(n - 1):
            for j in range(i + 1, n):
                worst = max(worst, turn_columns(A, i, j))
        if worst < 1e-15:
            break
    least = math.inf
    for j in range(n):
        s = 0.0
        for i in range(n):
            s += A[i, j] * A[i, j]
        least = min(least, s)
    return math.sqrt(least), sign


@kernel
def turn_columns(A, i, j):
    """Columns i and j of A turned in their plane until they are square; how far from it they were."""
    a, b, c = 0.0, 0.0, 0.0
    for k in range(A.shape[0]):
        a += A[k, i] * A[k, i]
        b += A[k, j] * A[k, j]
        c += A[k, i] * A[k, j]
    off = abs(c) / math.sqrt(a * b) if a * b > 0.0 else 0.0
    if off > 1e-15:
        t = (b - a) / (2.0 * c)
        t = math.copysign(1.0, t) / (abs(t) + math.sqrt(1.0 + t * t))
        co = 1.0 / math.sqrt(1.0 + t * t)
        si = co * t
        for k in range(A.shape[0]):
            A[k, i], A[k, j] = co * A[k, i] - si * A[k, j], si * A[k, i] + co * A[k, j]
    return off


@entry
def map_poses(G, P, R, scale, home, out):
    """For every place P (k, 3) and turn R (k or 1, 3, 3): arms, plate, least and largest angle, tilt into out[k].

    NaN where the arms do not reach.
    """
    th, f, N = np.zeros(6), np.zeros(6), np.zeros((6, ROW))
    A, B = np.zeros((6, 6)), np.zeros((6, 6))
    for k in range(P.shape[0]):
        if inverse(G, P[k], R[k % R.shape[0]], th, N) >= 0:
            for j in range(5):
                out[k, j] = np.nan
            continue
        out[k, 0], out[k, 1] = nearness(N, G, scale, home, A, B, f)
        tilts(G, R[k % R.shape[0]], N, f)
        out[k, 2], out[k, 3], out[k, 4] = th[0], th[0], f[0]
        for i in range(1, 6):
            out[k, 2], out[k, 3] = min(out[k, 2], th[i]), max(out[k, 3], th[i])
            out[k, 4] = max(out[k, 4], f[i])
