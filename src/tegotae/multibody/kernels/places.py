"""How far a ball is from a surface; where the pairs of a scene are in this tick, and vectors along them.

A point is a ball of radius 0. The gap is a signed distance, exact on both sides, less the radius.

The limit of a joint is a pair, too: its gap is how far the coordinate is inside, its normal the joint's axis, times the
sign of the way out. Along a slide acts a force, at the same point of both bodies; about the axis of a hinge a moment.
Either does work on the joint's own speed alone.
"""

import math

import numpy as np

from tegotae.compile import entry, kernel
from tegotae.kernels.rotations import cross, turn_back, turn_into
from tegotae.multibody.kernels import records as at
from tegotae.multibody.kernels.kinematics import COM, OMEGA, VELOCITY

HALF_SPACE, PLATE, BOX, SPHERE = 0, 1, 2, 3
SLIDE_LIMIT, HINGE_LIMIT = 4, 5  # kinds from the first of them on are limits
SIZES = 3  # numbers that tell a surface of a kind from another


@kernel
def _put(out, gap, nx, ny, nz, x, y, z):
    out[0], out[1], out[2], out[3], out[4], out[5], out[6] = gap, nx, ny, nz, x, y, z


@kernel
def _from(x, y, z, cx, cy, cz, nx, ny, nz, radius, out):
    """The ball at x over its nearest point c; (nx, ny, nz) where the two are one. The distance is >= 0."""
    dx, dy, dz = x - cx, y - cy, z - cz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0.0:
        nx, ny, nz = dx / distance, dy / distance, dz / distance
    _put(out, distance - radius, nx, ny, nz, cx, cy, cz)


@entry
def touch(kind, g, x, y, z, radius, out):
    """out = gap, normal out of the surface (3), nearest point of the surface (3).

    The surface's own frame: half-space z <= 0; plate |x| <= g0, |y| <= g1 in z = 0, felt from z > 0 and no deeper than
    g2; box |x| <= g0, |y| <= g1, |z| <= g2; sphere of radius g0. What a plate does not feel has an infinite gap.
    """
    if kind == HALF_SPACE:
        _put(out, z - radius, 0.0, 0.0, 1.0, x, y, 0.0)
    elif kind == SPHERE:
        size = math.sqrt(x * x + y * y + z * z)
        nx, ny, nz = (x / size, y / size, z / size) if size > 0.0 else (0.0, 0.0, 1.0)
        _put(out, size - g[0] - radius, nx, ny, nz, g[0] * nx, g[0] * ny, g[0] * nz)
    elif kind == PLATE:
        cx, cy = min(max(x, -g[0]), g[0]), min(max(y, -g[1]), g[1])
        over = cx == x and cy == y
        if z >= 0.0 and not over:
            _from(x, y, z, cx, cy, 0.0, 0.0, 0.0, 1.0, radius, out)
        elif over:
            _put(out, z - radius, 0.0, 0.0, 1.0, cx, cy, 0.0)
        else:
            _put(out, math.inf, 0.0, 0.0, 1.0, cx, cy, 0.0)
        if out[0] < -g[2]:
            out[0] = math.inf
    else:
        _touch_box(g, x, y, z, radius, out)


@kernel
def _touch_box(g, x, y, z, radius, out):
    px, py, pz = abs(x) - g[0], abs(y) - g[1], abs(z) - g[2]
    depth = max(px, py, pz)
    # The face that is nearest from inside; outside it stands in where the distance is too small to be divided by.
    nx, ny, nz = 0.0, 0.0, 0.0
    cx, cy, cz = min(max(x, -g[0]), g[0]), min(max(y, -g[1]), g[1]), min(max(z, -g[2]), g[2])
    if depth == px:
        nx = math.copysign(1.0, x)
    elif depth == py:
        ny = math.copysign(1.0, y)
    else:
        nz = math.copysign(1.0, z)
    if depth > 0.0:
        _from(x, y, z, cx, cy, cz, nx, ny, nz, radius, out)
        return
    if nx != 0.0:
        cx = math.copysign(g[0], x)
    elif ny != 0.0:
        cy = math.copysign(g[1], y)
    else:
        cz = math.copysign(g[2], z)
    _put(out, depth - radius, nx, ny, nz, cx, cy, cz)


# ------------------------------------------------------------ pairs


@kernel
def to_world(s, x, out):
    """A point of a body's frame in the world."""
    for a in range(3):
        out[a] = s[COM + a] + s[3 * a] * x[0] + s[3 * a + 1] * x[1] + s[3 * a + 2] * x[2]


@kernel
def add_wrench(to, lever, h, sign):
    """The wrench h at the point, moved to the centre of mass, times sign, onto what stands there."""
    for i in range(6):
        to[i] += sign * h[i]
    to[3] += sign * (lever[1] * h[2] - lever[2] * h[1])
    to[4] += sign * (lever[2] * h[0] - lever[0] * h[2])
    to[5] += sign * (lever[0] * h[1] - lever[1] * h[0])


@kernel
def axis_of(w, c, a):
    """Normal (a = 0) or a tangent of pair c."""
    return w.places[c, at.AXES + 3 * a : at.AXES + 3 * a + 3]


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
def locate(p, w, q):
    """Gaps, points and directions of all pairs at q, from the rows that `forward_one` left."""
    found, y = w.places[-1], np.empty(3)
    for c in range(len(p.which)):
        if p.which[c, at.KIND] >= SLIDE_LIMIT:
            locate_limit(p, w, c, q)
            continue
        o, n = w.S[p.which[c, at.ON]], p.contacts[c]
        x = w.places[c, at.POINT : at.POINT + 3]
        to_world(w.S[p.which[c, at.BODY]], n[at.PLACE : at.PLACE + 3], x)
        # into the surface's own frame, by its body's frame
        R = n[at.TURNED : at.TURNED + 9]
        for a in range(3):
            y[a] = x[a] - o[COM + a]
        turn_back(o, y, y)
        for a in range(3):
            y[a] -= n[at.WHERE + a]
        turn_back(R, y, y)
        touch(p.which[c, at.KIND], n[at.SHAPE :], y[0], y[1], y[2], p.contacts[c, at.RADIUS], found)
        w.places[c, at.GAP] = found[0]
        axes = w.places[c, at.AXES : at.AXES + 9].reshape((3, 3))
        turn_into(R, found[1:4], y)
        turn_into(o, y, axes[0])
        for a in range(3):
            x[a] -= p.contacts[c, at.RADIUS] * axes[0, a]  # the point of the ball that is deepest
        tangents(axes)


@kernel
def locate_limit(p, w, c, q):
    """The same of a limit: the z axis of the body is that of its joint."""
    k, n, place = p.which[c, at.BODY], p.contacts[c], w.places[c]
    s = w.S[k]
    place[at.GAP] = n[at.SIGN] * (q[p.qi[k]] - n[at.LIMIT])
    for a in range(3):
        place[at.POINT + a] = s[COM + a]
        place[at.AXES + a] = n[at.SIGN] * s[3 * a + 2]
    tangents(place[at.AXES : at.AXES + 9].reshape((3, 3)))


@kernel
def turns_apart(p, c):
    """Whether what acts in a pair is a moment."""
    return p.which[c, at.KIND] == HINGE_LIMIT


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
def parting(p, w, c, a, lin, ang):
    """Relative velocity of pair c along its axis a: that of what touches, seen from the surface."""
    x, axis = w.places[c, at.POINT : at.POINT + 3], axis_of(w, c, a)
    if turns_apart(p, c):
        s, o = w.S[p.which[c, at.BODY]], w.S[p.which[c, at.ON]]
        return axis[0] * (s[ang] - o[ang]) + axis[1] * (s[ang + 1] - o[ang + 1]) + axis[2] * (s[ang + 2] - o[ang + 2])
    return speed_of(w.S[p.which[c, at.BODY]], x, axis, lin, ang) - speed_of(w.S[p.which[c, at.ON]], x, axis, lin, ang)


@kernel
def along(p, w, c, x, a):
    """A vector kept in the frame of the surface's body, along axis a of pair c."""
    o, axis = w.S[p.which[c, at.ON]], axis_of(w, c, a)
    total = 0.0
    for j in range(3):
        total += axis[j] * (o[3 * j] * x[0] + o[3 * j + 1] * x[1] + o[3 * j + 2] * x[2])
    return total


@kernel
def add_to_memory(p, s, w, c, a, column, size):
    """Add a vector along axis a of pair c to three columns of its memory, in the frame of the surface's body."""
    o, axis = w.S[p.which[c, at.ON]], axis_of(w, c, a)
    for j in range(3):
        s.touching[c, column + j] += size * (o[j] * axis[0] + o[3 + j] * axis[1] + o[6 + j] * axis[2])


@kernel
def spring_wrenches(p, s, w):
    """Contacts taken explicitly, frictionless: K times the depth, and K beta times its rate; never pulling."""
    for c in range(len(p.which)):
        f = 0.0
        if w.places[c, at.GAP] < 0.0:
            rate = parting(p, w, c, 0, VELOCITY, OMEGA)
            f = max(-p.contacts[c, at.K] * (w.places[c, at.GAP] + p.contacts[c, at.BETA] * rate), 0.0)
            x, n = w.places[c, at.POINT : at.POINT + 3], axis_of(w, c, 0)
            for side in range(2):
                k = p.which[c, at.BODY] if side == 0 else p.which[c, at.ON]
                if k >= 0:
                    row, sign = w.S[k], f if side == 0 else -f
                    if turns_apart(p, c):
                        for j in range(3):
                            w.wrench[k, 3 + j] += sign * n[j]
                        continue
                    r0, r1, r2 = x[0] - row[COM], x[1] - row[COM + 1], x[2] - row[COM + 2]
                    for j in range(3):
                        w.wrench[k, j] += sign * n[j]
                    w.wrench[k, 3] += sign * (r1 * n[2] - r2 * n[1])
                    w.wrench[k, 4] += sign * (r2 * n[0] - r0 * n[2])
                    w.wrench[k, 5] += sign * (r0 * n[1] - r1 * n[0])
        turn_back(w.S[p.which[c, at.ON]], axis_of(w, c, 0), s.touching[c, at.FORCE : at.FORCE + 3])
        for j in range(3):
            s.touching[c, at.FORCE + j] *= f
