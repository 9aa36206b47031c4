"""A point of a body, from the body's row of S: where it is, how it moves, and what a wrench on it does to the body."""

from tegotae.compile import kernel
from tegotae.kernels.rotations import quaternion_of, unit
from tegotae.multibody.kernels.kinematics import ACCELERATION, ALPHA, COM, OMEGA, S_, VELOCITY


@kernel
def seen_at(s, way):
    """(velocity of the point, angular velocity) from columns s."""
    w0, w1, w2 = s[S_ + 3], s[S_ + 4], s[S_ + 5]
    v0 = s[S_] + w1 * way[2] - w2 * way[1]
    v1 = s[S_ + 1] + w2 * way[0] - w0 * way[2]
    v2 = s[S_ + 2] + w0 * way[1] - w1 * way[0]
    return v0, v1, v2, w0, w1, w2


@kernel
def add_wrench(to, way, h, sign):
    """The wrench h at the point, moved to the centre of mass, times sign, onto what stands there."""
    for i in range(6):
        to[i] += sign * h[i]
    to[3] += sign * (way[1] * h[2] - way[2] * h[1])
    to[4] += sign * (way[2] * h[0] - way[0] * h[2])
    to[5] += sign * (way[0] * h[1] - way[1] * h[0])


@kernel
def mean_motion(row, g, falls, spread, way, path, T, out):
    """The motion over the tick of a point of the body in this row.

    Columns s hold its velocity at the end of the tick where that was spread, else its acceleration.
    """
    out[0], out[1], out[2], out[3], out[4], out[5] = seen_at(row, way)
    w0, w1, w2 = row[OMEGA], row[OMEGA + 1], row[OMEGA + 2]
    u0, u1, u2 = w1 * way[2] - w2 * way[1], w2 * way[0] - w0 * way[2], w0 * way[1] - w1 * way[0]
    b0, b1, b2 = row[ALPHA], row[ALPHA + 1], row[ALPHA + 2]
    speed = (u0, u1, u2)
    bend = (
        w1 * u2 - w2 * u1 + b1 * way[2] - b2 * way[1],
        w2 * u0 - w0 * u2 + b2 * way[0] - b0 * way[2],
        w0 * u1 - w1 * u0 + b0 * way[1] - b1 * way[0],
    )
    for i in range(3):
        # Rows below a free body count accelerations from free fall; the others hold gravity in their remainders,
        # where it does not bend the path.
        pull, level = (g[i], 0.0) if falls else (0.0, g[i])
        if not spread:
            out[i] = row[VELOCITY + i] + speed[i] + T * (out[i] + pull)
            out[3 + i] = row[OMEGA + i] + T * out[3 + i]
        out[i] += 0.5 * T * (bend[i] + row[ACCELERATION + i] + level) + (row[COM + i] + way[i] - path[i]) / T
        out[3 + i] += 0.5 * T * row[ALPHA + i]


@kernel
def see_turn(s, F, out):
    """The quaternion of the frame F (3 x 3, in the internal frame) of the body whose row is s, into out.

    Of its two signs it is given that which is nearer to out.
    """
    a, d, g = F[0], F[3], F[6]
    b, e, h = F[1], F[4], F[7]
    c, f, i = F[2], F[5], F[8]
    w, x, y, z = quaternion_of(
        s[0] * a + s[1] * d + s[2] * g, s[0] * b + s[1] * e + s[2] * h, s[0] * c + s[1] * f + s[2] * i,
        s[3] * a + s[4] * d + s[5] * g, s[3] * b + s[4] * e + s[5] * h, s[3] * c + s[4] * f + s[5] * i,
        s[6] * a + s[7] * d + s[8] * g, s[6] * b + s[7] * e + s[8] * h, s[6] * c + s[7] * f + s[8] * i,
    )  # fmt: skip
    sign = -1.0 if w * out[0] + x * out[1] + y * out[2] + z * out[3] < 0.0 else 1.0
    out[0], out[1], out[2], out[3] = unit(sign * w, sign * x, sign * y, sign * z)
