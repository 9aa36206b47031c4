"""Dynamics and servo of the six-arm table in the coordinates of its plate.  [tarao1999 (10) to (15), Fig. 11]

    M(p, R) a + h = 0,   M = M_plate + J^-T I J^-1 + sum m_mid J_mid^T J_mid,   a = [dv/dt; dw/dt]

h gathers what turning does, gravity, motors and the wrench on the plate. A slender uniform rod of mass m moves exactly
as m/6 at both ends and 2m/3 in its middle: the ends belong to arm and plate, the middle to itself.

y: 0:3 p, 3:7 quaternion (w, x, y, z), 7:10 v, 10:13 w.
B: 0 mass of the plate, 1:4 its first moment, 4:10 its inertia about the joints' centre (xx, yy, zz, xy, xz, yz), both
   in the plate's axes, 10 I of an arm, 11 first moment of an arm, 12 middle mass of a rod, 13 gravity.
"""

import math
from typing import NamedTuple

import numpy as np

from tegotae.compiling import kernel
from tegotae.kernels.linear import solve_one
from tegotae.table.kernels.hexa import ROW, forward, inverse, inverse_jacobian
from tegotae.table.kernels.sensor import sense

# Where things lie in the state z of the plant, behind y.
THETA, BEFORE, REFERENCE, LAST, WEIGHT, TORQUE = 13, 19, 25, 31, 37, 43
SEEN, SENSED, FLAGS, STATE = 49, 61, 67, 70


class Room(NamedTuple):
    """Arrays to work in: made once, so that a tick allocates nothing."""

    th: np.ndarray
    thd: np.ndarray
    N: np.ndarray
    W: np.ndarray
    M: np.ndarray
    h: np.ndarray
    R: np.ndarray
    Q: np.ndarray
    P: np.ndarray
    A: np.ndarray
    f: np.ndarray
    c: np.ndarray
    k: np.ndarray
    y: np.ndarray
    J: np.ndarray
    tau: np.ndarray
    p: np.ndarray


def room() -> Room:
    """Fresh arrays to work in."""
    six, square, turn = (lambda: np.zeros(6)), (lambda: np.zeros((6, 6))), (lambda: np.zeros((3, 3)))
    return Room(
        six(), six(), np.zeros((6, ROW)), square(), square(), six(), turn(), turn(), turn(), square(), six(), six(),
        np.zeros((4, 13)), np.zeros(13), np.zeros((3, 6)), six(), np.zeros(3),
    )  # fmt: skip


@kernel
def matrix(y, R):
    """The rotation of the quaternion in y, whatever its length."""
    w, x, q, z = y[3], y[4], y[5], y[6]
    s = 2.0 / (w * w + x * x + q * q + z * z)
    R[0, 0], R[0, 1], R[0, 2] = 1.0 - s * (q * q + z * z), s * (x * q - w * z), s * (x * z + w * q)
    R[1, 0], R[1, 1], R[1, 2] = s * (x * q + w * z), 1.0 - s * (x * x + z * z), s * (q * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = s * (x * z - w * q), s * (q * z + w * x), 1.0 - s * (x * x + q * q)


@kernel
def plate_terms(B, y, R, P, M, h):
    """M and h of the plate alone, gravity included; P takes its inertia in the world's axes."""
    m, g = B[0], B[13]
    wx, wy, wz = y[10], y[11], y[12]
    c0 = R[0, 0] * B[1] + R[0, 1] * B[2] + R[0, 2] * B[3]
    c1 = R[1, 0] * B[1] + R[1, 1] * B[2] + R[1, 2] * B[3]
    c2 = R[2, 0] * B[1] + R[2, 1] * B[2] + R[2, 2] * B[3]
    for i in range(3):
        for j in range(3):
            a0 = R[j, 0] * B[4] + R[j, 1] * B[7] + R[j, 2] * B[8]
            a1 = R[j, 0] * B[7] + R[j, 1] * B[5] + R[j, 2] * B[9]
            a2 = R[j, 0] * B[8] + R[j, 1] * B[9] + R[j, 2] * B[6]
            P[i, j] = R[i, 0] * a0 + R[i, 1] * a1 + R[i, 2] * a2
            M[3 + i, 3 + j] = P[i, j]
            M[i, j] = m if i == j else 0.0
    M[0, 3], M[0, 4], M[0, 5] = 0.0, c2, -c1
    M[1, 3], M[1, 4], M[1, 5] = -c2, 0.0, c0
    M[2, 3], M[2, 4], M[2, 5] = c1, -c0, 0.0
    for i in range(3):
        for j in range(3):
            M[3 + i, j] = M[j, 3 + i]
    u = wx * c0 + wy * c1 + wz * c2
    w2 = wx * wx + wy * wy + wz * wz
    h[0], h[1], h[2] = wx * u - c0 * w2, wy * u - c1 * w2, wz * u - c2 * w2 + m * g
    l0 = P[0, 0] * wx + P[0, 1] * wy + P[0, 2] * wz
    l1 = P[1, 0] * wx + P[1, 1] * wy + P[1, 2] * wz
    l2 = P[2, 0] * wx + P[2, 1] * wy + P[2, 2] * wz
    h[3] = wy * l2 - wz * l1 + c1 * g
    h[4] = wz * l0 - wx * l2 - c0 * g
    h[5] = wx * l1 - wy * l0


@kernel
def arm_terms(B, y, i, th, thd, N, W, J, M, h):
    """Arm i and the middle of its rod added to M and h."""
    inertia, m, g = B[10], B[12], B[13]
    wx, wy, wz = y[10], y[11], y[12]
    bx, by, bz = N[i, 0], N[i, 1], N[i, 2]
    wb = wx * bx + wy * by + wz * bz
    w2 = wx * wx + wy * wy + wz * wz
    ax, ay, az = wx * wb - bx * w2, wy * wb - by * w2, wz * wb - bz * w2  # w x (w x b)
    ux = y[7] + wy * bz - wz * by - N[i, 6] * thd
    uy = y[8] + wz * bx - wx * bz - N[i, 7] * thd
    uz = y[9] + wx * by - wy * bx - N[i, 8] * thd
    t2 = thd * thd
    # the rod keeps its length: n . (xdd - Cdd) + |xd - Cd|^2 = 0
    e = N[i, 3] * (ax + N[i, 9] * t2) + N[i, 4] * (ay + N[i, 10] * t2) + N[i, 5] * (az + N[i, 11] * t2)
    e = (e + ux * ux + uy * uy + uz * uz) / N[i, 12]
    push = inertia * e - B[11] * g * math.cos(th)
    for k in range(3):
        for j in range(6):
            J[k, j] = 0.5 * N[i, 6 + k] * W[i, j]
        J[k, k] += 0.5
    J[0, 4] += 0.5 * bz
    J[0, 5] -= 0.5 * by
    J[1, 3] -= 0.5 * bz
    J[1, 5] += 0.5 * bx
    J[2, 3] += 0.5 * by
    J[2, 4] -= 0.5 * bx
    mx = 0.5 * m * (N[i, 6] * e - N[i, 9] * t2 + ax)
    my = 0.5 * m * (N[i, 7] * e - N[i, 10] * t2 + ay)
    mz = 0.5 * m * (N[i, 8] * e - N[i, 11] * t2 + az) + m * g
    for a in range(6):
        h[a] += W[i, a] * push + J[0, a] * mx + J[1, a] * my + J[2, a] * mz
        for b in range(6):
            M[a, b] += inertia * W[i, a] * W[i, b] + m * (J[0, a] * J[0, b] + J[1, a] * J[1, b] + J[2, a] * J[2, b])


@kernel
def terms(G, B, y, o):
    """M, h (motors and wrench left out), angles and rates at y; False where the arms do not reach."""
    matrix(y, o.R)
    if inverse(G, y, o.R, o.th, o.N) >= 0:
        return False
    for i in range(6):
        if not o.N[i, 12] > 1e-9 * G[i, 8] * G[i, 9]:
            return False
    inverse_jacobian(o.N, o.W)
    plate_terms(B, y, o.R, o.P, o.M, o.h)
    for i in range(6):
        s = 0.0
        for k in range(6):
            s += o.W[i, k] * y[7 + k]
        o.thd[i] = s
        arm_terms(B, y, i, o.th[i], s, o.N, o.W, o.J, o.M, o.h)
    return True


@kernel
def slope(G, B, y, tau, F, o, out):
    """dy/dt under the motors' torques tau and the wrench F on the plate."""
    if not terms(G, B, y, o):
        return False
    for k in range(6):
        s = F[k] - o.h[k]
        for i in range(6):
            s += o.W[i, k] * tau[i]
        o.f[k] = s
    if solve_one(6, o.M, o.f, True) == 0.0:
        return False
    wx, wy, wz = y[10], y[11], y[12]
    out[0], out[1], out[2] = y[7], y[8], y[9]
    out[3] = -0.5 * (wx * y[4] + wy * y[5] + wz * y[6])
    out[4] = 0.5 * (wx * y[3] + wy * y[6] - wz * y[5])
    out[5] = 0.5 * (wy * y[3] + wz * y[4] - wx * y[6])
    out[6] = 0.5 * (wz * y[3] + wx * y[5] - wy * y[4])
    for k in range(6):
        out[7 + k] = o.f[k]
    return True


@kernel
def move(G, B, z, tau, F, T, n, o):
    """y of z over a time T in n Runge-Kutta steps of fourth order, torques and wrench held."""
    d = T / n
    for _ in range(n):
        for s in range(4):
            share = 0.0 if s == 0 else (d if s == 3 else 0.5 * d)
            for j in range(13):
                o.y[j] = z[j] + (share * o.k[s - 1, j] if s > 0 else 0.0)
            if not slope(G, B, o.y, tau, F, o, o.k[s]):
                return False
        for j in range(13):
            z[j] += d / 6.0 * (o.k[0, j] + 2.0 * (o.k[1, j] + o.k[2, j]) + o.k[3, j])
        q = math.sqrt(z[3] ** 2 + z[4] ** 2 + z[5] ** 2 + z[6] ** 2)
        for j in range(3, 7):
            z[j] /= q
    return True


@kernel
def refer(G, B, command, z, o):
    """Angles of a commanded pose (p, R by rows) and the torques that carry its weight, into z."""
    for j in range(3):
        o.p[j] = command[j]
        for k in range(3):
            o.Q[j, k] = command[3 + 3 * j + k]
    if inverse(G, o.p, o.Q, o.th, o.N) >= 0:
        return False
    for i in range(6):
        z[REFERENCE + i] = o.th[i]
    for j in range(13):
        o.y[j] = 0.0
    quaternion(o.Q, o.y)
    o.y[0], o.y[1], o.y[2] = o.p[0], o.p[1], o.p[2]
    terms(G, B, o.y, o)
    for i in range(6):
        o.c[i] = o.h[i]
        for k in range(6):
            o.A[k, i] = o.W[i, k]
    if solve_one(6, o.A, o.c, True) == 0.0:
        return False
    for i in range(6):
        z[WEIGHT + i] = o.c[i]
    return True


@kernel
def quaternion(R, y):
    """The quaternion of a rotation into y[3:7], by its largest part."""
    t = R[0, 0] + R[1, 1] + R[2, 2]
    if t > max(R[0, 0], R[1, 1], R[2, 2]):
        a = 2.0 * math.sqrt(1.0 + t)
        y[3], y[4], y[5], y[6] = a / 4, (R[2, 1] - R[1, 2]) / a, (R[0, 2] - R[2, 0]) / a, (R[1, 0] - R[0, 1]) / a
        return
    i = 0
    if R[1, 1] > R[i, i]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    a = 2.0 * math.sqrt(1.0 + R[i, i] - R[j, j] - R[k, k])
    y[3] = (R[k, j] - R[j, k]) / a
    y[4 + i], y[4 + j], y[4 + k] = a / 4, (R[j, i] + R[i, j]) / a, (R[k, i] + R[i, k]) / a


@kernel
def servo(V, z, T):
    """Fig. 11: torques from references and encoders, limited; how many motors are at their limit.

    V: 0:6 Kp, 6:12 Kd, 12:18 torque limit, 18 resolution, 19 share of the weight, 20 share of the reference's rate.
    """
    full = 0
    for i in range(6):
        rate = (z[THETA + i] - z[BEFORE + i]) / T
        wanted = V[20] * (z[REFERENCE + i] - z[LAST + i]) / T
        t = V[i] * (z[REFERENCE + i] - z[THETA + i]) + V[6 + i] * (wanted - rate) + V[19] * z[WEIGHT + i]
        if abs(t) > V[12 + i]:
            t = math.copysign(V[12 + i], t)
            full += 1
        z[TORQUE + i] = t
        z[LAST + i] = z[REFERENCE + i]
    return full


@kernel
def count(th, resolution):
    """What the encoder says of an angle."""
    return th if resolution == 0.0 else resolution * math.floor(th / resolution + 0.5)


@kernel
def tick(G, B, V, S, z, s, r, command, F, T, n, lower, upper, o):
    """One period of the table: command -> references, encoders -> torques, motion, encoders and sensor again.

    0 if all went well, 1 the plate was pushed out of reach, 2 an arm past its range, 3 no pose fits the encoders.
    """
    if not refer(G, B, command, z, o):
        return 1
    z[FLAGS] = servo(V, z, T)
    for i in range(6):
        o.tau[i] = z[TORQUE + i]
    if not move(G, B, z, o.tau, F, T, n, o):
        return 1
    matrix(z, o.R)
    if inverse(G, z, o.R, o.th, o.N) >= 0:
        return 1
    for i in range(6):
        z[BEFORE + i] = z[THETA + i]
        z[THETA + i] = count(o.th[i], V[18])
        o.tau[i] = z[THETA + i]
        if not lower <= o.th[i] <= upper:
            return 2
    for j in range(3):
        o.p[j] = z[SEEN + j]
        for k in range(3):
            o.Q[j, k] = z[SEEN + 3 + 3 * j + k]
    if forward(G, o.tau, o.p, o.Q, o.N, o.A, o.c, o.R) < 0:
        return 3
    for j in range(3):
        z[SEEN + j] = o.p[j]
        for k in range(3):
            z[SEEN + 3 + 3 * j + k] = o.Q[j, k]
    z[FLAGS + 1] = sense(S, s, r, F, z[SENSED : SENSED + 6])
    return 0


@kernel
def march(G, B, V, S, z, s, r, commands, F, T, n, lower, upper, o, out):
    """A whole record: row k of out is z after tick k; (ticks done, why it ended)."""
    for k in range(out.shape[0]):
        why = tick(G, B, V, S, z, s, r, commands[k % commands.shape[0]], F[k % F.shape[0]], T, n, lower, upper, o)
        if why != 0:
            return k, why
        for j in range(z.size):
            out[k, j] = z[j]
    return out.shape[0], 0
