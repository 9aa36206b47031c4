"""Ports of a tree: forces at all of them onto its bodies and joints, and what the bodies and joints do, back to them.

A port pushes a joint, a tap (a point of a body), or one tap and the opposite way another. Its force has one row, along
a direction in the world, or six. See `PORTS` in `scene_layout.py`.
"""

from tegotae.compile import kernel, kernel_inside
from tegotae.kernels.rotations import quaternion_of, turn_into, unit
from tegotae.multibody.kernels.bonds import bond_rows, hold_answer
from tegotae.multibody.kernels.kinematics import ACCELERATION, ALPHA, COM, FREE, OMEGA, S_, VELOCITY, G, X
from tegotae.multibody.kernels.passes import clear_impulse, respond
from tegotae.multibody.kernels.places import add_wrench

# ------------------------------------------------------------ a point of a body, from the row s of its body


@kernel
def seen_at(s, lever):
    """(velocity of the point, angular velocity) from columns s."""
    w0, w1, w2 = s[S_ + 3], s[S_ + 4], s[S_ + 5]
    v0 = s[S_] + w1 * lever[2] - w2 * lever[1]
    v1 = s[S_ + 1] + w2 * lever[0] - w0 * lever[2]
    v2 = s[S_ + 2] + w0 * lever[1] - w1 * lever[0]
    return v0, v1, v2, w0, w1, w2


@kernel
def mean_motion(row, g, falls, spread, lever, path, T, out):
    """The motion over the tick of a point of the body in this row.

    Columns s hold its velocity at the end of the tick where that was spread, else its acceleration.
    """
    out[0], out[1], out[2], out[3], out[4], out[5] = seen_at(row, lever)
    w0, w1, w2 = row[OMEGA], row[OMEGA + 1], row[OMEGA + 2]
    u0, u1, u2 = w1 * lever[2] - w2 * lever[1], w2 * lever[0] - w0 * lever[2], w0 * lever[1] - w1 * lever[0]
    b0, b1, b2 = row[ALPHA], row[ALPHA + 1], row[ALPHA + 2]
    speed = (u0, u1, u2)
    bend = (
        w1 * u2 - w2 * u1 + b1 * lever[2] - b2 * lever[1],
        w2 * u0 - w0 * u2 + b2 * lever[0] - b0 * lever[2],
        w0 * u1 - w1 * u0 + b0 * lever[1] - b1 * lever[0],
    )
    for i in range(3):
        # Rows below a free body count accelerations from free fall; the others hold gravity in their remainders,
        # where it does not bend the path.
        pull, level = (g[i], 0.0) if falls else (0.0, g[i])
        if not spread:
            out[i] = row[VELOCITY + i] + speed[i] + T * (out[i] + pull)
            out[3 + i] = row[OMEGA + i] + T * out[3 + i]
        out[i] += 0.5 * T * (bend[i] + row[ACCELERATION + i] + level) + (row[COM + i] + lever[i] - path[i]) / T
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


# ------------------------------------------------------------ all of them


@kernel_inside
def locate_taps(p, w):
    """The way from the centre of mass of each tap's body to the tap."""
    for i in range(len(p.tapped)):
        turn_into(w.S[p.tapped[i]], p.point[i], w.way[i])


@kernel_inside
def keep_unpushed(p, w):
    """What acts in the pushed joints and on the pushed bodies beside the forces of ports."""
    for j in range(len(p.joint)):
        if p.joint[j] >= 0:
            w.unpushed[j] = w.free_tau[p.vi[p.joint[j]]]
    for i in range(len(p.tapped)):
        for a in range(6):
            w.beside[i, a] = w.wrench[p.tapped[i], a]


@kernel_inside
def push_taps(p, w, j, rows, column):
    """The wrench w.unit at the tap of port j, and its opposite at the second, onto the rows of their bodies."""
    one, two = p.first[j], p.second[j]
    add_wrench(rows[p.tapped[one], column : column + 6], w.way[one], w.unit, 1.0)
    if two >= 0:
        add_wrench(rows[p.tapped[two], column : column + 6], w.way[two], w.unit, -1.0)


@kernel_inside
def put_forces(p, w, h):
    """The forces h at all ports, as wrenches on bodies and torques in joints."""
    for i in range(len(p.tapped)):
        w.pushed[0] = 1
        for a in range(6):
            w.wrench[p.tapped[i], a] = w.beside[i, a]
    for j in range(len(p.joint)):
        if p.joint[j] >= 0:
            w.free_tau[p.vi[p.joint[j]]] = w.unpushed[j]
    for j in range(len(p.joint)):
        r = p.row[j]
        if p.joint[j] >= 0:
            w.free_tau[p.vi[p.joint[j]]] += h[r]
            continue
        for a in range(6):
            w.unit[a] = h[r + a] if p.rows[j] == 6 else h[r] * p.along[j, a]
        push_taps(p, w, j, w.wrench, 0)


@kernel_inside
def into_rows(p, taps, speeds, out):
    """What taps and joints do, as the ports see it."""
    for j in range(len(p.joint)):
        r, one, two = p.row[j], p.first[j], p.second[j]
        if p.joint[j] >= 0:
            out[r] = speeds[p.vi[p.joint[j]]]
        elif p.rows[j] == 6:
            for a in range(6):
                out[r + a] = taps[one, a]
            if two >= 0:
                for a in range(6):
                    out[r + a] -= taps[two, a]
        else:
            along = 0.0
            for a in range(6):
                along += p.along[j, a] * (taps[one, a] - taps[two, a] if two >= 0 else taps[one, a])
            out[r] = along


@kernel_inside
def see_motion(p, s, w, spread, T):
    """The motion of all ports into w.moved, for the speeds in v1 and what stands in columns s (see `mean_motion`)."""
    for i in range(len(p.tapped)):
        k = p.tapped[i]
        mean_motion(w.S[k], p.g, p.kind[p.root[k]] == FREE, spread, w.way[i], s.x[i], T, w.tap_motion[i])
    into_rows(p, w.tap_motion, w.v1, w.moved)


@kernel_inside
def impulse(p, w, j, c, T):
    """How bodies and joints answer T times a unit of force in row c of port j, by the elimination that S holds."""
    clear_impulse(w.S)
    if p.joint[j] >= 0:
        w.S[p.joint[j], G] = -T
    else:
        for a in range(6):
            w.unit[a] = -T * p.along[j, a] if p.rows[j] == 1 else (-T if a == c else 0.0)
        push_taps(p, w, j, w.S, X)
    respond(p.parent, p.kind, p.vi, w.S, w.a)
    if bond_rows(p) > 0:
        hold_answer(p, w)


@kernel_inside
def rows_moved(p, w, slope, column):
    """What ports see of that answer."""
    for j in range(len(p.joint)):
        r, one, two = p.row[j], p.first[j], p.second[j]
        if p.joint[j] >= 0:
            slope[r, column] = w.a[p.vi[p.joint[j]]]
            continue
        m0, m1, m2, m3, m4, m5 = seen_at(w.S[p.tapped[one]], w.way[one])
        if two >= 0:
            n0, n1, n2, n3, n4, n5 = seen_at(w.S[p.tapped[two]], w.way[two])
            m0, m1, m2, m3, m4, m5 = m0 - n0, m1 - n1, m2 - n2, m3 - n3, m4 - n4, m5 - n5
        if p.rows[j] == 6:
            slope[r, column], slope[r + 1, column], slope[r + 2, column] = m0, m1, m2
            slope[r + 3, column], slope[r + 4, column], slope[r + 5, column] = m3, m4, m5
        else:
            d = p.along[j]
            slope[r, column] = (d[0] * m0 + d[1] * m1 + d[2] * m2) + (d[3] * m3 + d[4] * m4 + d[5] * m5)


@kernel
def add_answers(m, felt, shift, slope):
    """slope += felt' shift, m rows: what forces inside that answer those at ports add to the motion there."""
    for row in range(m):
        for i in range(len(slope)):
            if felt[row, i] != 0.0:
                for c in range(len(slope)):
                    slope[i, c] += felt[row, i] * shift[row, c]


@kernel_inside
def follow_paths(s, w, T):
    """The paths of all taps, by their motions."""
    for i in range(len(s.x)):
        for a in range(3):
            s.x[i, a] += T * w.tap_motion[i, a]


@kernel_inside
def look_at_taps(p, s, w):
    """Where all taps are at the end of a tick, and how their bodies are turned."""
    locate_taps(p, w)
    for i in range(len(p.tapped)):
        row = w.S[p.tapped[i]]
        for a in range(3):
            s.z[i, a] = row[COM + a] + w.way[i, a]
        see_turn(row, p.frame[i], s.quaternion[i])


@kernel_inside
def move_ports(p, s, v, T):
    """What users see of the motion v of all ports; a joint is where its coordinate is."""
    for i in range(len(s.velocity)):
        s.velocity[i] = v[i]
        s.position[i] += T * v[i]
    tell_joints(p, s)


@kernel_inside
def tell_joints(p, s):
    """A port that is a joint is where its coordinate is."""
    for j in range(len(p.joint)):
        if p.joint[j] >= 0:
            s.position[p.row[j]] = s.q[p.qi[p.joint[j]]]


@kernel_inside
def leave_places(s, w):
    """Where all taps were at the start of the tick."""
    for i in range(len(s.z)):
        for a in range(3):
            w.tap_motion[i, a] = s.z[i, a]


@kernel_inside
def move_ports_halfway(p, s, w, v, T):
    """The same for a motion from middle to middle, after `leave_places`: points are where they are, turns go by the
    mean of two motions; so does a port of one row that does both.
    """
    for j in range(len(p.joint)):
        one, two = p.first[j], p.second[j]
        for c in range(p.rows[j]):
            r = p.row[j] + c
            way = 0.5 * T * (s.velocity[r] + v[r])
            d = p.along[j]
            if p.joint[j] < 0 and (c < 3 if p.rows[j] == 6 else d[3] == 0.0 and d[4] == 0.0 and d[5] == 0.0):
                way = 0.0
                for a in range(3):
                    size = d[a] if p.rows[j] == 1 else (1.0 if a == c else 0.0)
                    way += size * (s.z[one, a] - w.tap_motion[one, a])
                    if two >= 0:
                        way -= size * (s.z[two, a] - w.tap_motion[two, a])
            s.position[r] += way
            s.velocity[r] = v[r]
    tell_joints(p, s)
