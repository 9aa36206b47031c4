"""Coordinates that follow speeds: straight for joints, on the sphere of unit quaternions for free bodies."""

import math

from tegotae.compiling import kernel
from tegotae.multibody.kernels.passes import FREE


@kernel
def turn(q, o, x, y, z):
    """Quaternion q[o:o+4] turned in the world by the vector (x, y, z) [rad], exactly, and kept at length 1."""
    angle = math.sqrt(x * x + y * y + z * z)
    c = math.cos(0.5 * angle)
    s = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    x, y, z = s * x, s * y, s * z
    w0, x0, y0, z0 = q[o], q[o + 1], q[o + 2], q[o + 3]
    w1 = c * w0 - x * x0 - y * y0 - z * z0
    x1 = c * x0 + x * w0 + y * z0 - z * y0
    y1 = c * y0 + y * w0 + z * x0 - x * z0
    z1 = c * z0 + z * w0 + x * y0 - y * x0
    size = math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    q[o], q[o + 1], q[o + 2], q[o + 3] = w1 / size, x1 / size, y1 / size, z1 / size


@kernel
def move(model, q, v, T, out):
    """out = q moved on by T v; out may be q itself."""
    for k in range(len(model.parent)):
        i, o = model.qi[k], model.vi[k]
        if model.kind[k] == FREE:
            for a in range(3):
                out[i + a] = q[i + a] + T * v[o + a]
            for a in range(3, 7):
                out[i + a] = q[i + a]
            if v[o + 3] != 0.0 or v[o + 4] != 0.0 or v[o + 5] != 0.0:  # at rest not even rounding moves it
                turn(out, i + 3, T * v[o + 3], T * v[o + 4], T * v[o + 5])
        else:
            out[i] = q[i] + T * v[o]


@kernel
def rates_of(model, q, v, out):
    """dq/dt; of a quaternion 1/2 (0, w) q."""
    for k in range(len(model.parent)):
        i, o = model.qi[k], model.vi[k]
        if model.kind[k] == FREE:
            for a in range(3):
                out[i + a] = v[o + a]
            w, x, y, z = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            a, b, c = 0.5 * v[o + 3], 0.5 * v[o + 4], 0.5 * v[o + 5]
            out[i + 3] = -a * x - b * y - c * z
            out[i + 4] = a * w + b * z - c * y
            out[i + 5] = b * w + c * x - a * z
            out[i + 6] = c * w + a * y - b * x
        else:
            out[i] = v[o]


@kernel
def straighten(model, q):
    """Quaternions back to length 1."""
    for k in range(len(model.parent)):
        if model.kind[k] == FREE:
            i = model.qi[k] + 3
            size = math.sqrt(q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2)
            for a in range(4):
                q[i + a] /= size
