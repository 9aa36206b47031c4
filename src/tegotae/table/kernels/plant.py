"""Motion, servo and sensor of the six-arm table, a period at a time.  [tarao1999 (10) to (15), Fig. 11]

y and B are those of `dynamics`, C that of `contact`, S and s those of `sensor`, V that of `servo` below.
"""

import math

from tegotae.compile import kernel
from tegotae.kernels.linear import solve_one
from tegotae.kernels.rotations import quaternion
from tegotae.table.kernels.contact import drag, touch
from tegotae.table.kernels.dynamics import matrix, terms
from tegotae.table.kernels.hexa import forward, inverse
from tegotae.table.kernels.sensor import sense

# Where things lie in the state z of the plant, behind y.
THETA, BEFORE, REFERENCE, LAST, WEIGHT, TORQUE = 13, 19, 25, 31, 37, 43
SEEN, SENSED, FLAGS = 49, 61, 67
# Pose seen a tick before, strains, force of the surface on the plate, anchor and deflection of its friction.
SEEN_BEFORE, SIGNAL, CONTACT, ANCHOR, STATE = 70, 82, 88, 91, 95


@kernel
def slope(G, B, C, y, tau, F, a, o, out):
    """dy/dt under the motors' torques tau, the wrench F on the plate and that of the surface."""
    if not terms(G, B, y, o):
        return False
    if C[1] > 0.0:
        touch(C, y, o.R, a, o.w)
    for k in range(6):
        s = F[k] + o.w[k] - o.h[k]
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
def move(G, B, C, z, tau, F, T, n, o):
    """y of z over a time T in n Runge-Kutta steps of fourth order, torques and wrench held, the surface's not."""
    d = T / n
    a = z[ANCHOR : ANCHOR + 4]
    for k in range(6):
        o.w[k] = 0.0
    for _ in range(n):
        for s in range(4):
            share = 0.0 if s == 0 else (d if s == 3 else 0.5 * d)
            for j in range(13):
                o.y[j] = z[j] + (share * o.k[s - 1, j] if s > 0 else 0.0)
            if not slope(G, B, C, o.y, tau, F, a, o, o.k[s]):
                return False
        for j in range(13):
            z[j] += d / 6.0 * (o.k[0, j] + 2.0 * (o.k[1, j] + o.k[2, j]) + o.k[3, j])
        q = math.sqrt(z[3] ** 2 + z[4] ** 2 + z[5] ** 2 + z[6] ** 2)
        for j in range(3, 7):
            z[j] /= q
        if C[1] > 0.0:
            matrix(z, o.R)
            drag(C, z, o.R, a, d, o.w)
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
def servo(V, z, T):
    """Fig. 11: torques from references and encoders, limited; how many motors are at their limit.

    V: 0:6 Kp, 6:12 Kd, 12:18 torque limit, 18 resolution, 19 share of the weight, 20 share of the reference's rate,
    21 the same while the force that the sensor read is beyond 22.
    """
    full = 0
    force = math.sqrt(z[SENSED] ** 2 + z[SENSED + 1] ** 2 + z[SENSED + 2] ** 2)
    share = V[21] if force > V[22] else V[20]
    for i in range(6):
        rate = (z[THETA + i] - z[BEFORE + i]) / T
        wanted = share * (z[REFERENCE + i] - z[LAST + i]) / T
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
def feel(C, S, z, s, r, F, o):
    """The sensor reads the wrench F and that of the surface at the end of a tick, about the tip if there is a surface.

    o.R holds the plate's rotation, o.w the surface's wrench as the last step of the motion left it.
    """
    for k in range(6):
        o.f[k] = F[k]
    if C[1] > 0.0:
        x = o.R[0, 0] * C[3] + o.R[0, 1] * C[4] + o.R[0, 2] * C[5]
        y = o.R[1, 0] * C[3] + o.R[1, 1] * C[4] + o.R[1, 2] * C[5]
        h = o.R[2, 0] * C[3] + o.R[2, 1] * C[4] + o.R[2, 2] * C[5]
        o.f[3] -= y * F[2] - h * F[1]
        o.f[4] -= h * F[0] - x * F[2]
        o.f[5] -= x * F[1] - y * F[0]
        for k in range(3):
            z[CONTACT + k] = o.w[k]
            o.f[k] += o.w[k]
    z[FLAGS + 1] = sense(S, s, r, o.f, z[SIGNAL : SIGNAL + 6], z[SENSED : SENSED + 6])


@kernel
def tick(G, B, C, V, S, z, s, r, command, F, T, n, lower, upper, o):
    """One period of the table: command -> references, encoders -> torques, motion, encoders and sensor again.

    0 if all went well, 1 the plate was pushed out of reach, 2 an arm past its range, 3 no pose fits the encoders,
    4 the command is out of reach.
    """
    if not refer(G, B, command, z, o):
        return 4
    z[FLAGS] = servo(V, z, T)
    for i in range(6):
        o.tau[i] = z[TORQUE + i]
    if not move(G, B, C, z, o.tau, F, T, n, o):
        return 1
    matrix(z, o.R)
    if inverse(G, z, o.R, o.th, o.N) >= 0:
        return 1
    feel(C, S, z, s, r, F, o)
    for i in range(6):
        z[BEFORE + i] = z[THETA + i]
        z[THETA + i] = count(o.th[i], V[18])
        o.tau[i] = z[THETA + i]
        if not lower <= o.th[i] <= upper:
            return 2
    for j in range(12):
        z[SEEN_BEFORE + j] = z[SEEN + j]
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
    return 0


@kernel
def march(G, B, C, V, S, z, s, r, commands, F, T, n, lower, upper, o, out):
    """A whole record: row k of out is z after tick k; (ticks done, why it ended)."""
    for k in range(out.shape[0]):
        why = tick(G, B, C, V, S, z, s, r, commands[k % commands.shape[0]], F[k % F.shape[0]], T, n, lower, upper, o)
        if why != 0:
            return k, why
        for j in range(z.size):
            out[k, j] = z[j]
    return out.shape[0], 0
