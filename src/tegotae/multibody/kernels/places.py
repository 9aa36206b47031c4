"""Where the pairs of a scene are in this tick: gaps, points, directions; and vectors along them."""

import math

from tegotae.compile import kernel
from tegotae.kernels.rotations import cross, turn_back
from tegotae.multibody.kernels.kinematics import COM, OMEGA, VELOCITY
from tegotae.multibody.kernels.records import (
    AXES,
    BETA,
    BODY,
    FORCE,
    GAP,
    KIND,
    ON,
    PLACE,
    POINT,
    RADIUS,
    SHAPE,
    TURNED,
    WHERE,
    K,
)
from tegotae.multibody.kernels.shapes import touch


@kernel
def to_world(s, x, out):
    """A point of a body's frame in the world."""
    for a in range(3):
        out[a] = s[COM + a] + s[3 * a] * x[0] + s[3 * a + 1] * x[1] + s[3 * a + 2] * x[2]


@kernel
def axis_of(places, c, a):
    """Normal (a = 0) or a tangent of pair c."""
    return places[c, AXES + 3 * a : AXES + 3 * a + 3]


@kernel
def tangents(axes):
    """Two directions across the normal axes[0], made from the axis of the world that is farthest from it."""
    n0, n1, n2 = axes[0, 0], axes[0, 1], axes[0, 2]
    if abs(n0) <= abs(n1) and abs(n0) <= abs(n2):
        t0, t1, t2 = 0.0, n2, -n1
    elif abs(n1) <= abs(n2):
        t0, t1, t2 = -n2, 0.0, n0
    else:
        t0, t1, t2 = n1, -n0, 0.0
    size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    t0, t1, t2 = t0 / size, t1 / size, t2 / size
    axes[1, 0], axes[1, 1], axes[1, 2] = t0, t1, t2
    axes[2, 0], axes[2, 1], axes[2, 2] = cross(n0, n1, n2, t0, t1, t2)


@kernel
def locate(touches, places, S):
    """Gaps, points and directions of all pairs, from the rows that `forward_one` left."""
    found = places[-1]
    for c in range(len(touches.which)):
        s, o = S[touches.which[c, BODY]], S[touches.which[c, ON]]
        n = touches.numbers[c]
        x = places[c, POINT : POINT + 3]
        to_world(s, n[PLACE : PLACE + 3], x)
        # into the surface's own frame, by its body's frame
        y0, y1, y2 = x[0] - o[COM], x[1] - o[COM + 1], x[2] - o[COM + 2]
        w, R = n[WHERE : WHERE + 3], n[TURNED : TURNED + 9]
        b0 = o[0] * y0 + o[3] * y1 + o[6] * y2 - w[0]
        b1 = o[1] * y0 + o[4] * y1 + o[7] * y2 - w[1]
        b2 = o[2] * y0 + o[5] * y1 + o[8] * y2 - w[2]
        z0 = R[0] * b0 + R[3] * b1 + R[6] * b2
        z1 = R[1] * b0 + R[4] * b1 + R[7] * b2
        z2 = R[2] * b0 + R[5] * b1 + R[8] * b2
        touch(touches.which[c, KIND], n[SHAPE:], z0, z1, z2, touches.numbers[c, RADIUS], found)
        places[c, GAP] = found[0]
        n0, n1, n2 = found[1], found[2], found[3]
        axes = places[c, AXES : AXES + 9].reshape((3, 3))
        m0 = R[0] * n0 + R[1] * n1 + R[2] * n2
        m1 = R[3] * n0 + R[4] * n1 + R[5] * n2
        m2 = R[6] * n0 + R[7] * n1 + R[8] * n2
        for a in range(3):
            axes[0, a] = o[3 * a] * m0 + o[3 * a + 1] * m1 + o[3 * a + 2] * m2
            x[a] -= touches.numbers[c, RADIUS] * axes[0, a]  # the point of the ball that is deepest
        tangents(axes)


@kernel
def speed_of(s, x, axis, lin, ang):
    """How fast the point x of a body goes along an axis; lin and ang are the columns of its velocities."""
    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
    w0, w1, w2 = s[ang], s[ang + 1], s[ang + 2]
    return (
        axis[0] * (s[lin] + w1 * r2 - w2 * r1)
        + axis[1] * (s[lin + 1] + w2 * r0 - w0 * r2)
        + axis[2] * (s[lin + 2] + w0 * r1 - w1 * r0)
    )


@kernel
def parting(touches, places, S, c, a, lin, ang):
    """Relative velocity of pair c along its axis a: that of what touches, seen from the surface."""
    x, axis = places[c, POINT : POINT + 3], axis_of(places, c, a)
    return speed_of(S[touches.which[c, BODY]], x, axis, lin, ang) - speed_of(S[touches.which[c, ON]], x, axis, lin, ang)


@kernel
def along(touching, touches, places, S, c, x, a):
    """A vector kept in the frame of the surface's body, along axis a of pair c."""
    o, axis = S[touches.which[c, ON]], axis_of(places, c, a)
    total = 0.0
    for j in range(3):
        total += axis[j] * (o[3 * j] * x[0] + o[3 * j + 1] * x[1] + o[3 * j + 2] * x[2])
    return total


@kernel
def keep(touches, touching, places, S, c, a, column, size):
    """Add a vector along axis a of pair c to three columns of its memory, in the frame of the surface's body."""
    o, axis = S[touches.which[c, ON]], axis_of(places, c, a)
    for j in range(3):
        touching[c, column + j] += size * (o[j] * axis[0] + o[3 + j] * axis[1] + o[6 + j] * axis[2])


@kernel
def spring_wrenches(touches, places, touching, work):
    """Contacts taken explicitly, frictionless: K times the depth, and K beta times its rate; never pulling."""
    S = work.S
    for c in range(len(touches.which)):
        f = 0.0
        if places[c, GAP] < 0.0:
            rate = parting(touches, places, S, c, 0, VELOCITY, OMEGA)
            f = max(-touches.numbers[c, K] * (places[c, GAP] + touches.numbers[c, BETA] * rate), 0.0)
            x, n = places[c, POINT : POINT + 3], axis_of(places, c, 0)
            for side in range(2):
                k = touches.which[c, BODY] if side == 0 else touches.which[c, ON]
                if k >= 0:
                    s, sign = S[k], f if side == 0 else -f
                    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
                    for j in range(3):
                        work.wrench[k, j] += sign * n[j]
                    work.wrench[k, 3] += sign * (r1 * n[2] - r2 * n[1])
                    work.wrench[k, 4] += sign * (r2 * n[0] - r0 * n[2])
                    work.wrench[k, 5] += sign * (r0 * n[1] - r1 * n[0])
        turn_back(S[touches.which[c, ON]], axis_of(places, c, 0), touching[c, FORCE : FORCE + 3])
        for j in range(3):
            touching[c, FORCE + j] *= f
