"""A point of a body, from the body's row of S: where it is, how it moves, and what a wrench on it does to the body."""

import math

from tegotae.compile import kernel
from tegotae.multibody.kernels.kinematics import ACCELERATION, ALPHA, COM, OMEGA, S_, VELOCITY


@kernel
def turned(s, x, out):
    """out = R x of the body whose row is s."""
    for i in range(3):
        out[i] = s[3 * i] * x[0] + s[3 * i + 1] * x[1] + s[3 * i + 2] * x[2]


@kernel
def at_point(s, lin, ang, way, out):
    """(velocity of the point, angular velocity) from columns lin and ang of the row s."""
    w0, w1, w2 = s[ang], s[ang + 1], s[ang + 2]
    out[0] = s[lin] + w1 * way[2] - w2 * way[1]
    out[1] = s[lin + 1] + w2 * way[0] - w0 * way[2]
    out[2] = s[lin + 2] + w0 * way[1] - w1 * way[0]
    out[3], out[4], out[5] = w0, w1, w2


@kernel
def put_wrench(rows, k, column, way, h, sign):
    """The wrench h at the point, moved to the centre of mass, times sign."""
    for i in range(6):
        rows[k, column + i] = sign * h[i]
    rows[k, column + 3] += sign * (way[1] * h[2] - way[2] * h[1])
    rows[k, column + 4] += sign * (way[2] * h[0] - way[0] * h[2])
    rows[k, column + 5] += sign * (way[0] * h[1] - way[1] * h[0])


@kernel
def mean_motion(row, g, falls, way, path, T, out):
    """The motion over the tick of a point of the body in this row, for the accelerations in it, into out."""
    at_point(row, S_, S_ + 3, way, out)
    w0, w1, w2 = row[OMEGA], row[OMEGA + 1], row[OMEGA + 2]
    u0, u1, u2 = w1 * way[2] - w2 * way[1], w2 * way[0] - w0 * way[2], w0 * way[1] - w1 * way[0]
    b0, b1, b2 = row[ALPHA], row[ALPHA + 1], row[ALPHA + 2]
    bend = (
        w1 * u2 - w2 * u1 + b1 * way[2] - b2 * way[1],
        w2 * u0 - w0 * u2 + b2 * way[0] - b0 * way[2],
        w0 * u1 - w1 * u0 + b0 * way[1] - b1 * way[0],
    )
    speed = (u0, u1, u2)
    for i in range(3):
        # Rows below a free body count accelerations from free fall; the others hold gravity in their remainders,
        # where it does not bend the path.
        pull, level = (g[i], 0.0) if falls else (0.0, g[i])
        bends = bend[i] + row[ACCELERATION + i] + level
        out[i] = row[VELOCITY + i] + speed[i] + T * (out[i] + pull + 0.5 * bends)
        out[i] += (row[COM + i] + way[i] - path[i]) / T
        out[3 + i] = row[OMEGA + i] + T * (out[3 + i] + 0.5 * row[ALPHA + i])


@kernel
def quaternion_of(s, F, out):
    """Of the frame F (3 x 3, in the internal frame) of the body whose row is s; of the two signs that nearer to out."""
    xx, xy, xz = (
        s[0] * F[0] + s[1] * F[3] + s[2] * F[6],
        s[0] * F[1] + s[1] * F[4] + s[2] * F[7],
        s[0] * F[2] + s[1] * F[5] + s[2] * F[8],
    )
    yx, yy, yz = (
        s[3] * F[0] + s[4] * F[3] + s[5] * F[6],
        s[3] * F[1] + s[4] * F[4] + s[5] * F[7],
        s[3] * F[2] + s[4] * F[5] + s[5] * F[8],
    )
    zx, zy, zz = (
        s[6] * F[0] + s[7] * F[3] + s[8] * F[6],
        s[6] * F[1] + s[7] * F[4] + s[8] * F[7],
        s[6] * F[2] + s[7] * F[5] + s[8] * F[8],
    )
    # The largest of the four is found first: the others are divided by it.
    w2, x2, y2, z2 = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    top = max(max(w2, x2), max(y2, z2))
    if top == w2:
        w, x, y, z = w2, zy - yz, xz - zx, yx - xy
    elif top == x2:
        w, x, y, z = zy - yz, x2, xy + yx, xz + zx
    elif top == y2:
        w, x, y, z = xz - zx, xy + yx, y2, yz + zy
    else:
        w, x, y, z = yx - xy, xz + zx, yz + zy, z2
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w * out[0] + x * out[1] + y * out[2] + z * out[3] < 0.0:
        size = -size
    out[0], out[1], out[2], out[3] = w / size, x / size, y / size, z / size
