"""Motion, servo and sensor of the six-arm table, a period at a time.  [tarao1999 (10) to (15), Fig. 11]

A tick: command -> references, encoders -> torques (`prepare`); motion under these and a wrench on the plate, all held,
and under the surface (`move`, which trials share); encoders and sensor again (`arrive`, `commit`). The plate's mean
motion over a tick is its way and its turn, the rotation vector, divided by T; that of the sensor's tip, at which a
wrench may act too, is its own way and the same turn. Their slope is taken by differences, one more trial for each
direction: they err by rounding and by bending, both below 1e-7 of it.

h has six numbers for each port, those of the plate from p.plate on, those of the sensor from p.sensor; -1 for none.

y and B are those of `dynamics`, C that of the surface, S that of `sensor`; V is the servo, see `plant_layout`. What a
tick cannot do is told by a number, see `WHY` of `limits`; then nothing else changes, and no later tick does anything.
"""

import math

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.kernels.linear import solve_one
from tegotae.kernels.rotations import cross, product, quaternion, rotation_vector, strays, turn_rate, unit
from tegotae.table.kernels.dynamics import drag, matrix, terms, tip_of, touch
from tegotae.table.kernels.hexa import forward, inverse
from tegotae.table.kernels.sensor import sense

OUT_OF_REACH, PAST_RANGE, NO_POSE, BAD_COMMAND, NO_ROTATION = 1, 2, 3, 4, 5
CLOSE = 1e-6  # how far R^T R of a command may be from 1
STEP = 1e-5  # m/s, and ten times as many rad/s: by how much at most trials for the slope differ


# ---------------------------------------------------------------- before the motion


@kernel
def refer(p, s, w):
    """Angles of the commanded pose and the torques that carry its weight, into w.thd and w.f; 0, or what is wrong."""
    o = w.o
    off, determinant = strays(s.Xd)
    if not (off <= CLOSE and determinant > 0.0):
        return NO_ROTATION
    if inverse(p.B.G, s.xd, s.Xd, o.th, o.N) >= 0:
        return BAD_COMMAND
    for i in range(6):
        w.thd[i] = o.th[i]
    for j in range(13):
        w.at[j] = 0.0
    quaternion(s.Xd, w.at)
    w.at[0], w.at[1], w.at[2] = s.xd[0], s.xd[1], s.xd[2]
    if not terms(p.B, w.at, o):
        return BAD_COMMAND
    for i in range(6):
        w.f[i] = o.h[i]
        for k in range(6):
            w.A[k, i] = o.W[i, k]
    return BAD_COMMAND if solve_one(6, w.A, w.f, True) == 0.0 else 0


@kernel
def servo(V, s, w, T):
    """Fig. 11: torques from references and encoders, limited; w.f has the torques that carry the weight."""
    w.saturated[0] = 0
    force = math.sqrt(s.F[0] ** 2 + s.F[1] ** 2 + s.F[2] ** 2)
    share = V.feedforward_in_contact if force > V.contact_threshold else V.feedforward
    for i in range(6):
        rate = (s.th[i] - s.th0[i]) / T
        wanted = share * (w.thd[i] - s.thd0[i]) / T
        t = V.Kp[i] * (w.thd[i] - s.th[i]) + V.Kd[i] * (wanted - rate) + V.compensation * w.f[i]
        if abs(t) > V.limit[i]:
            t = math.copysign(V.limit[i], t)
            w.saturated[0] += 1
        w.tau[i] = t


@kernel
def prepare(p, s, w, T):
    """Torques of the tick."""
    w.trouble[0] = s.trouble[0]
    if w.trouble[0] == 0:
        w.trouble[0] = refer(p, s, w)
    if w.trouble[0] == 0:
        servo(p.V, s, w, T)


# ---------------------------------------------------------------- the motion


@kernel
def gather(p, h, R, F):
    """The wrench of all ports about the joints' centre into F; that of the sensor acts at its tip, wherever that is."""
    for k in range(6):
        F[k] = h[p.plate + k] if p.plate >= 0 else 0.0
    if p.sensor >= 0:
        f = h[p.sensor : p.sensor + 6]
        x, y, z = tip_of(p.C, R)
        x, y, z = cross(x, y, z, f[0], f[1], f[2])
        F[0], F[1], F[2] = F[0] + f[0], F[1] + f[1], F[2] + f[2]
        F[3], F[4], F[5] = F[3] + f[3] + x, F[4] + f[4] + y, F[5] + f[5] + z


@kernel
def rate(p, w, h, out):
    """dy/dt at w.at under the motors' torques, the wrenches h and that of the surface."""
    o, y = w.o, w.at
    if not terms(p.B, y, o):
        return False
    if p.C.k > 0.0:
        touch(p.C, y, o.R, w.a, w.push, w.stuck)
    gather(p, h, o.R, w.wrench)
    for k in range(6):
        s = w.wrench[k] + w.push[k] - o.h[k]
        for i in range(6):
            s += o.W[i, k] * w.tau[i]
        w.f[k] = s
    if solve_one(6, o.M, w.f, True) == 0.0:
        return False
    out[0], out[1], out[2] = y[7], y[8], y[9]
    out[3], out[4], out[5], out[6] = turn_rate(y[3], y[4], y[5], y[6], y[10], y[11], y[12])
    for k in range(6):
        out[7 + k] = w.f[k]
    return True


@kernel
def add_turn(q, d, turn):
    """turn <- (q + d) q^-1 turn: the small turn by which d changes the quaternion q, to all digits of d."""
    s = q[0] * (q[0] + d[0]) + q[1] * (q[1] + d[1]) + q[2] * (q[2] + d[2]) + q[3] * (q[3] + d[3])
    x = q[0] * d[1] - d[0] * q[1] - d[2] * q[3] + d[3] * q[2]
    y = q[0] * d[2] - d[0] * q[2] - d[3] * q[1] + d[1] * q[3]
    z = q[0] * d[3] - d[0] * q[3] - d[1] * q[2] + d[2] * q[1]
    turn[0], turn[1], turn[2], turn[3] = product(s, x, y, z, turn[0], turn[1], turn[2], turn[3])


@kernel
def begin(p, s, w):
    """Where the motion of a tick starts."""
    w.tip[0], w.tip[1], w.tip[2] = tip_of(p.C, s.R)
    for j in range(3):
        w.y[j], w.way[j] = s.p[j], 0.0
    for j in range(4):
        w.y[3 + j], w.turn[j] = s.q[j], 1.0 if j == 0 else 0.0
    for j in range(6):
        w.y[7 + j], w.push[j] = s.u[j], 0.0
    for j in range(2):
        w.a[j], w.e[j] = s.a[j], s.e[j]


@kernel
def move(p, s, w, h, T):
    """From s over a tick in p.n Runge-Kutta steps of fourth order, torques and wrenches held, the surface's not.

    The end goes into w.y, w.a and w.e, the way and the turn into w.way and w.turn. False where it is out of reach.
    """
    begin(p, s, w)
    y, d, step = w.y, T / p.n, w.at
    for _ in range(p.n):
        for i in range(4):
            share = 0.0 if i == 0 else (d if i == 3 else 0.5 * d)
            for j in range(13):
                w.at[j] = y[j] + (share * w.k[i - 1, j] if i > 0 else 0.0)
            if not rate(p, w, h, w.k[i]):
                return False
        for j in range(13):
            step[j] = d / 6.0 * (w.k[0, j] + 2.0 * (w.k[1, j] + w.k[2, j]) + w.k[3, j])
        for j in range(3):
            w.way[j] += step[j]
        add_turn(y[3:7], step[3:7], w.turn)
        for j in range(13):
            y[j] += step[j]
        y[3], y[4], y[5], y[6] = unit(y[3], y[4], y[5], y[6])
        if p.C.k > 0.0:
            matrix(y, w.o.R)
            drag(p.C, y, w.o.R, w.a, w.e, d, w.push, w.stuck)
    return True


@kernel
def mean_motion(p, w, T, out):
    """Way and turn of every port by the time; a tip r from the centre also goes (q r q^-1 - r), q being the turn."""
    a, b, c, d = w.turn[0], w.turn[1], w.turn[2], w.turn[3]
    x, y, z = rotation_vector(a, b, c, d)
    for port in range(2):
        row = p.plate if port == 0 else p.sensor
        if row < 0:
            continue
        u, v, m = 0.0, 0.0, 0.0
        if port == 1:
            e, f, g = cross(b, c, d, w.tip[0], w.tip[1], w.tip[2])
            i, j, k = cross(b, c, d, e, f, g)
            twice = 2.0 / (a * a + b * b + c * c + d * d)
            u, v, m = twice * (a * e + i), twice * (a * f + j), twice * (a * g + k)
        out[row], out[row + 1], out[row + 2] = (w.way[0] + u) / T, (w.way[1] + v) / T, (w.way[2] + m) / T
        out[row + 3], out[row + 4], out[row + 5] = x / T, y / T, z / T


@kernel
def answer(p, s, w, h, T, motion, slope):
    """The mean motion under the wrenches h, and its slope; 0 where the plate cannot go on."""
    for i in range(len(motion)):
        motion[i] = 0.0
        for j in range(len(motion)):
            slope[i, j] = 0.0
    if w.trouble[0] != 0 or not move(p, s, w, h, T):
        return
    mean_motion(p, w, T, motion)
    force = STEP * p.B.m / T
    torque = 10.0 * STEP * (p.B.I[0, 0] + p.B.I[1, 1] + p.B.I[2, 2]) / (3.0 * T)
    for j in range(len(motion)):
        for i in range(len(motion)):
            w.F[i] = h[i]
        w.F[j] += force if j % 6 < 3 else torque
        more = w.F[j] - h[j]
        if more > 0.0 and move(p, s, w, w.F, T):
            mean_motion(p, w, T, w.moved)
            for i in range(len(motion)):
                slope[i, j] = (w.moved[i] - motion[i]) / more


# ---------------------------------------------------------------- after the motion


@kernel
def count(th, resolution):
    """What the encoder says of an angle."""
    return th if resolution == 0.0 else resolution * math.floor(th / resolution + 0.5)


@kernel
def arrive(p, s, w):
    """Look at where the motion led: rotation, angles, what encoders count, the pose that fits that; 0, or why not."""
    o, G = w.o, p.B.G
    matrix(w.y, o.R)
    if inverse(G, w.y, o.R, o.th, o.N) >= 0:
        return OUT_OF_REACH
    for i in range(6):
        if not p.arm_range[0] <= o.th[i] <= p.arm_range[1]:
            return PAST_RANGE
        w.th[i] = count(o.th[i], p.V.resolution)
    for j in range(3):
        w.x[j] = s.x[j]
        for k in range(3):
            w.X[j, k] = s.X[j, k]
    return NO_POSE if forward(G, w.th, w.x, w.X, o.N, w.A, w.f, w.Q) < 0 else 0


@kernel
def feel(p, s, w, h, T):
    """The sensor reads what acts at the end of a tick: the wrench on it, or on the plate where it has no port, and the
    surface's. It reads about its tip; on the plate without a surface, about the joints' centre.

    w.o.R holds the plate's rotation, w.push the surface's wrench as the last step of the motion left it.
    """
    row = p.plate if p.sensor < 0 else p.sensor
    for k in range(6):
        w.f[k] = h[row + k]
    if p.C.k > 0.0:
        if p.sensor < 0:
            x, y, z = tip_of(p.C, w.o.R)
            x, y, z = cross(x, y, z, h[0], h[1], h[2])
            w.f[3], w.f[4], w.f[5] = w.f[3] - x, w.f[4] - y, w.f[5] - z
        for k in range(3):
            s.contact[k] = w.push[k]
            w.f[k] += w.push[k]
    s.overload[0] = sense(p.S, s.sensor, w.f, T, s.signal, s.F)


@kernel
def commit(p, s, w, h, T):
    """The tick is over."""
    feel(p, s, w, h, T)
    for i in range(6):
        s.u[i], s.tau[i] = w.y[7 + i], w.tau[i]
        s.th0[i], s.th[i], s.thd0[i] = s.th[i], w.th[i], w.thd[i]
    for j in range(3):
        s.p[j], s.x0[j], s.x[j] = w.y[j], s.x[j], w.x[j]
        for k in range(3):
            s.R[j, k], s.X0[j, k], s.X[j, k] = w.o.R[j, k], s.X[j, k], w.X[j, k]
    for j in range(4):
        s.q[j] = w.y[3 + j]
    for j in range(2):
        s.a[j], s.e[j] = w.a[j], w.e[j]
    s.saturated[0] = w.saturated[0]
    s.ticks[0] += 1


@kernel
def take(p, s, w, h, T):
    """A tick under the wrench h; whether it was taken."""
    if w.trouble[0] == 0 and not move(p, s, w, h, T):
        w.trouble[0] = OUT_OF_REACH
    if w.trouble[0] == 0:
        w.trouble[0] = arrive(p, s, w)
    if w.trouble[0] != 0:
        s.trouble[0] = w.trouble[0]
        return False
    commit(p, s, w, h, T)
    return True


@kernel
def advance(p, s, w, h, v, T):
    """Commit the wrenches h, which led to the mean motion v."""
    if take(p, s, w, h, T):
        for i in range(len(v)):
            s.v[i] = v[i]


@kernel
def tick(p, s, w, h, T, motion):
    """Both without the slope, which only trials need."""
    for i in range(len(motion)):
        motion[i] = 0.0
    if take(p, s, w, h, T):
        mean_motion(p, w, T, motion)
        for i in range(len(motion)):
            s.v[i] = motion[i]


def plant_kernels():
    """Wrenches on plate and sensor in, their mean velocities and angular velocities over the tick out."""
    return Halves(answer, advance, prepare=prepare, tick=tick)
