"""Rotations in kernels."""

import math

from tegotae.compile import kernel


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


# pi/2 in three parts, of which whole multiples up to 2^20 of the first two are exact; and 2/pi.
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
TWO_OVER_PI = 6.36619772367581382433e-01
ROUNDS = 1.5 * 2.0**52  # added and taken away again: the nearest whole number
FAR = 5e5  # rad, beyond which the parts do not suffice


@kernel
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
