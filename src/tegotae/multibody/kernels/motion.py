"""Coordinates that follow speeds: straight for joints, on the sphere of unit quaternions for free bodies."""

from tegotae.compile import kernel
from tegotae.kernels.rotations import cross, product, quaternion_about, turn_rate, turned, unit
from tegotae.multibody.kernels.kinematics import FREE, INERTIA, OMEGA, OWN_BIAS


@kernel
def turn(q, o, x, y, z):
    """Quaternion q[o:o+4] turned in the world by the vector (x, y, z) [rad], exactly, and kept at length 1."""
    a, b, c, d = quaternion_about(x, y, z)
    a, b, c, d = product(a, b, c, d, q[o], q[o + 1], q[o + 2], q[o + 3])
    q[o], q[o + 1], q[o + 2], q[o + 3] = unit(a, b, c, d)


@kernel
def move(model, q, v, T, out):
    """out = q moved on by T v; out may be q itself."""
    for k in range(len(model.parent)):
        i, o = int(model.qi[k]), int(model.vi[k])
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
            w, x, y, z = turn_rate(q[i + 3], q[i + 4], q[i + 5], q[i + 6], v[o + 3], v[o + 4], v[o + 5])
            out[i + 3], out[i + 4], out[i + 5], out[i + 6] = w, x, y, z
        else:
            out[i] = v[o]


@kernel
def straighten(model, q):
    """Quaternions back to length 1."""
    for k in range(len(model.parent)):
        if model.kind[k] == FREE:
            i = model.qi[k] + 3
            q[i], q[i + 1], q[i + 2], q[i + 3] = unit(q[i], q[i + 1], q[i + 2], q[i + 3])


@kernel
def spin_evenly(model, S, T):
    """Free bodies: the gyroscopic torque over a whole tick instead of that at its start, which feeds a fast spin.

    Euler's equation by the implicit midpoint rule in body axes, I (w1 - w) + T wm x I wm = 0 with wm = (w + w1)/2: it
    keeps the energy and the size of the angular momentum. (Turning about w1 itself, `move` leaves its components.)
    """
    for k in range(len(model.parent)):
        if model.kind[k] != FREE:
            continue
        s, c = S[k], model.C[k]
        w0, w1, w2 = s[OMEGA], s[OMEGA + 1], s[OMEGA + 2]
        if w0 == 0.0 and w1 == 0.0 and w2 == 0.0:
            continue
        a, b, d = (
            s[0] * w0 + s[3] * w1 + s[6] * w2,
            s[1] * w0 + s[4] * w1 + s[7] * w2,
            s[2] * w0 + s[5] * w1 + s[8] * w2,
        )
        x, y, z = midpoint_spin(c[INERTIA : INERTIA + 6], a, b, d, T)
        # I (w1 - w)/T, into world axes
        xx, yy, zz, xy, xz, yz = c[16], c[17], c[18], c[19], c[20], c[21]
        x, y, z = (x - a) / T, (y - b) / T, (z - d) / T
        t0, t1, t2 = xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
        for j in range(3):
            s[OWN_BIAS + 3 + j] = -(s[3 * j] * t0 + s[3 * j + 1] * t1 + s[3 * j + 2] * t2)


@kernel
def midpoint_spin(inertia, a, b, d, T):
    """Angular velocity after a tick of free spin, in body axes, by Newton."""
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    x, y, z = a, b, d
    for _ in range(12):
        m0, m1, m2 = 0.5 * (a + x), 0.5 * (b + y), 0.5 * (d + z)
        h0, h1, h2 = xx * m0 + xy * m1 + xz * m2, xy * m0 + yy * m1 + yz * m2, xz * m0 + yz * m1 + zz * m2
        e0, e1, e2 = x - a, y - b, z - d
        g0 = xx * e0 + xy * e1 + xz * e2 + T * (m1 * h2 - m2 * h1)
        g1 = xy * e0 + yy * e1 + yz * e2 + T * (m2 * h0 - m0 * h2)
        g2 = xz * e0 + yz * e1 + zz * e2 + T * (m0 * h1 - m1 * h0)
        # J = I + T/2 ([m] I - [h])
        t = 0.5 * T
        j00, j01, j02 = (
            xx + t * (m1 * xz - m2 * xy),
            xy + t * (m1 * yz - m2 * yy + h2),
            xz + t * (m1 * zz - m2 * yz - h1),
        )
        j10, j11, j12 = (
            xy + t * (m2 * xx - m0 * xz - h2),
            yy + t * (m2 * xy - m0 * yz),
            yz + t * (m2 * xz - m0 * zz + h0),
        )
        j20, j21, j22 = (
            xz + t * (m0 * xy - m1 * xx + h1),
            yz + t * (m0 * yy - m1 * xy - h0),
            zz + t * (m0 * yz - m1 * xz),
        )
        c0, c1, c2 = j11 * j22 - j12 * j21, j12 * j20 - j10 * j22, j10 * j21 - j11 * j20
        det = j00 * c0 + j01 * c1 + j02 * c2
        u = (g0 * c0 + g1 * (j02 * j21 - j01 * j22) + g2 * (j01 * j12 - j02 * j11)) / det
        v = (g0 * c1 + g1 * (j00 * j22 - j02 * j20) + g2 * (j02 * j10 - j00 * j12)) / det
        w = (g0 * c2 + g1 * (j01 * j20 - j00 * j21) + g2 * (j00 * j11 - j01 * j10)) / det
        x, y, z = x - u, y - v, z - w
        if abs(u) + abs(v) + abs(w) <= 1e-15 * (abs(x) + abs(y) + abs(z)):
            break
    return x, y, z


@kernel
def look_outside(model, centers, q, v, Q, V):
    """Q, V: q and v as users count them, of the origins of free bodies instead of their centres of mass."""
    for k in range(len(model.parent)):
        i, o = int(model.qi[k]), int(model.vi[k])
        if model.kind[k] != FREE:
            Q[i], V[o] = q[i], v[o]
            continue
        w, x, y, z = unit(q[i + 3], q[i + 4], q[i + 5], q[i + 6])
        Q[i + 3], Q[i + 4], Q[i + 5], Q[i + 6] = w, x, y, z
        x, y, z = turned(w, x, y, z, centers[k, 0], centers[k, 1], centers[k, 2])
        Q[i], Q[i + 1], Q[i + 2] = q[i] - x, q[i + 1] - y, q[i + 2] - z
        p, r, s = v[o + 3], v[o + 4], v[o + 5]
        x, y, z = cross(p, r, s, x, y, z)
        V[o], V[o + 1], V[o + 2] = v[o] - x, v[o + 1] - y, v[o + 2] - z
        V[o + 3], V[o + 4], V[o + 5] = p, r, s
