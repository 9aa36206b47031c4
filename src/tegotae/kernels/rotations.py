"""Rotations: every formula once, for kernels; Python calls the same source through `tegotae.rotations`.

A quaternion is (w, x, y, z), a rotation matrix nine numbers by rows, a rotation vector axis times angle [rad], all in
the axes of the world. What takes and gives numbers alone calls no other kernel, so that it also runs as it stands.
"""

import math

from tegotae.compile import kernel, kernel_exact, kernel_inside


@kernel_inside
def cross(a, b, c, x, y, z):
    """(a, b, c) x (x, y, z)."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@kernel_inside
def times(R, x, y, z):
    """R (x, y, z) for R (3, 3)."""
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


@kernel
def turn_into(R, x, out):
    """out = R x, the rows of R being its first nine numbers; out may be x."""
    x0, x1, x2 = x[0], x[1], x[2]
    for a in range(3):
        out[a] = R[3 * a] * x0 + R[3 * a + 1] * x1 + R[3 * a + 2] * x2


@kernel
def turn_back(R, x, out):
    """out = R' x, the rows of R being its first nine numbers; out may be x."""
    x0, x1, x2 = x[0], x[1], x[2]
    for a in range(3):
        out[a] = R[a] * x0 + R[3 + a] * x1 + R[6 + a] * x2


# ---------------------------------------------------------------- quaternions


@kernel_inside
def product(a, b, c, d, w, x, y, z):
    """The turn (w, x, y, z), followed by the turn (a, b, c, d)."""
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y + c * w + d * x - b * z,
        a * z + d * w + b * y - c * x,
    )


@kernel_inside
def unit(w, x, y, z):
    """The quaternion of length 1 in its direction."""
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return w / size, x / size, y / size, z / size


@kernel_inside
def turned(w, x, y, z, a, b, c):
    """(a, b, c) turned by a quaternion of length 1: v + 2 u x (u x v + w v)."""
    p, q, r = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
    return a + 2.0 * (y * r - z * q), b + 2.0 * (z * p - x * r), c + 2.0 * (x * q - y * p)


@kernel_inside
def turn_rate(w, x, y, z, a, b, c):
    """dq/dt of a quaternion that turns with the angular velocity (a, b, c): (0, a, b, c) q/2."""
    a, b, c = 0.5 * a, 0.5 * b, 0.5 * c
    return -a * x - b * y - c * z, a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x


@kernel_inside
def matrix(s, w, x, y, z):
    """The rotation of a quaternion q with s = 2/|q|²."""
    return (
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    )  # fmt: skip


@kernel
def quaternion_of(a, b, c, d, e, f, g, h, i):
    """The quaternion with w >= 0 of a rotation, by its largest part, so that no digit is lost."""
    if a + e + i > max(a, e, i):
        s = 2.0 * math.sqrt(1.0 + a + e + i)
        return s / 4.0, (h - f) / s, (c - g) / s, (d - b) / s
    if a >= e and a >= i:
        s = math.copysign(2.0, h - f) * math.sqrt(1.0 + a - e - i)
        return (h - f) / s, s / 4.0, (b + d) / s, (c + g) / s
    if e >= i:
        s = math.copysign(2.0, c - g) * math.sqrt(1.0 + e - i - a)
        return (c - g) / s, (b + d) / s, s / 4.0, (f + h) / s
    s = math.copysign(2.0, d - b) * math.sqrt(1.0 + i - a - e)
    return (d - b) / s, (c + g) / s, (f + h) / s, s / 4.0


@kernel
def quaternion(R, y):
    """The quaternion of R (3, 3) into y[3:7]."""
    w, i, j, k = quaternion_of(R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])
    y[3], y[4], y[5], y[6] = w, i, j, k


# ---------------------------------------------------------------- rotation vectors


@kernel_inside
def quaternion_about(x, y, z):
    """The quaternion of a rotation vector [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    return math.cos(0.5 * angle), s * x, s * y, s * z


@kernel_inside
def rotation_vector(w, x, y, z):
    """The rotation vector [rad] of a quaternion of any length, the short way round: of length pi at most."""
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-5 * abs(w):
        share = 2.0 / w * (1.0 - (size / w) ** 2 / 3.0)
    else:
        share = math.copysign(2.0, w) * math.atan2(size, abs(w)) / size
    return share * x, share * y, share * z


@kernel
def turn(R, wx, wy, wz, out):
    """out = exp([w]x) R for a rotation vector w, by Rodrigues; R and out (3, 3) are two."""
    a2 = wx * wx + wy * wy + wz * wz
    a = math.sqrt(a2)
    if a < 1e-4:
        s, c = 1.0 - a2 / 6.0, 0.5 - a2 / 24.0
    else:
        s, c = math.sin(a) / a, (1.0 - math.cos(a)) / a2
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        out[0, j] = x + s * ux + c * (wy * uz - wz * uy)
        out[1, j] = y + s * uy + c * (wz * ux - wx * uz)
        out[2, j] = z + s * uz + c * (wx * uy - wy * ux)


# ---------------------------------------------------------------- matrices that are rotations


@kernel
def orthonormal(R):
    """One step of Newton towards the nearest rotation, R <- R (3 E - R'R)/2: many small turns stay turns."""
    a = R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0] + R[2, 0] * R[2, 0]
    b = R[0, 1] * R[0, 1] + R[1, 1] * R[1, 1] + R[2, 1] * R[2, 1]
    c = R[0, 2] * R[0, 2] + R[1, 2] * R[1, 2] + R[2, 2] * R[2, 2]
    d = R[0, 0] * R[0, 1] + R[1, 0] * R[1, 1] + R[2, 0] * R[2, 1]
    e = R[0, 0] * R[0, 2] + R[1, 0] * R[1, 2] + R[2, 0] * R[2, 2]
    f = R[0, 1] * R[0, 2] + R[1, 1] * R[1, 2] + R[2, 1] * R[2, 2]
    for k in range(3):
        x, y, z = R[k, 0], R[k, 1], R[k, 2]
        R[k, 0] = 0.5 * (x * (3.0 - a) - y * d - z * e)
        R[k, 1] = 0.5 * (y * (3.0 - b) - x * d - z * f)
        R[k, 2] = 0.5 * (z * (3.0 - c) - x * e - y * f)


@kernel
def strays(R):
    """(the largest entry of |R'R - E|, det R): 0 and 1 if R (3, 3) is a rotation."""
    worst = 0.0
    for i in range(3):
        for j in range(i, 3):
            off = abs(R[0, i] * R[0, j] + R[1, i] * R[1, j] + R[2, i] * R[2, j] - (1.0 if i == j else 0.0))
            if off > worst or off != off:
                worst = off
    det = R[0, 0] * (R[1, 1] * R[2, 2] - R[1, 2] * R[2, 1]) - R[0, 1] * (R[1, 0] * R[2, 2] - R[1, 2] * R[2, 0])
    return worst, det + R[0, 2] * (R[1, 0] * R[2, 1] - R[1, 1] * R[2, 0])


# ---------------------------------------------------------------- angles


# pi/2 in three parts, of which whole multiples up to 2^20 of the first two are exact; and 2/pi.
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
TWO_OVER_PI = 6.36619772367581382433e-01
ROUNDS = 1.5 * 2.0**52  # added and taken away again: the nearest whole number
FAR = 5e5  # rad, beyond which the parts do not suffice


@kernel_exact  # free sums would take ROUNDS away again before it rounds
def cos_sin(x):
    """Cosine and sine, each to 1 unit in its last place, the same on every system; two calls of a library take longer.

    Reduced to |y| <= pi/4 by the nearest multiple of pi/2, with y + t its exact remainder; then the polynomials of
    fdlibm.
    """
    if not abs(x) < FAR:
        return math.cos(x), math.sin(x)
    n = (x * TWO_OVER_PI + ROUNDS) - ROUNDS
    far = x - n * HALF_PI_1
    near = far - n * HALF_PI_2
    left = n * HALF_PI_3 - ((far - near) - n * HALF_PI_2)
    y = near - left
    t = (near - y) - left
    z = y * y
    w = z * z
    p = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
    p += z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    sin = y - ((z * (0.5 * t - z * y * p) - t) - z * y * -1.66666666666666324348e-01)
    p = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
    p += w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
    half = 0.5 * z
    most = 1.0 - half
    cos = most + (((1.0 - most) - half) + (z * p - y * t))
    quarter = int(n) & 3
    if quarter == 0:
        return cos, sin
    if quarter == 1:
        return -sin, cos
    if quarter == 2:
        return -cos, -sin
    return sin, -cos
