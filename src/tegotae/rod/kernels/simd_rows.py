"""Nodes and segments of a rod side by side, so that the processor works on several at once.

All numbers lie in one flat array w, in blocks of SIMD nodes; a block is FIELDS rows of SIMD numbers. In the block
that starts with node b, w[b FIELDS :], node b + j has its number of the row f, one of the names below, at f + j;
a segment lies with its first node. What fills up the last block stays 0. Rows are a fixed distance apart: so the
compiler knows that they do not overlap, and takes a whole row at once.
"""

import math

from tegotae.compile import kernel_sums
from tegotae.rod.kernels.motion import cross, weigh
from tegotae.rod.kernels.segment import STRIP, WIDE, bend_wide, row, series

SIMD, FIELDS = STRIP, 89  # from CD to I5 rows are those of a strip of `segment`

# Segment, given: length, density, stiffness and viscosity of bending over the length.
# Node, given: squares of the limits forward, backward and across, k and b of `ground`.
LENGTH, RHO, KH, CH, A_FORWARD, A_BACKWARD, A_ACROSS, K, B = range(0, 9 * SIMD, SIMD)
# Segment: natural curvature that acts in the step and in the step before. Node: anchor of the bristles, sigma.
KAPPA, OLD, QX, QY, SIGMA = range(9 * SIMD, 14 * SIMD, SIMD)
# Segment: its frequency.
OMEGA = 14 * SIMD
# Segment: torque of its bend, what it adds to the angles, exp(i delta), moments m_0 to m_4 and im m_5.
BEND, EXTRA, CD, SD, R0, R1, R2, R3, R4, I0, I1, I2, I3, I4, I5 = range(15 * SIMD, 30 * SIMD, SIMD)
# Node: direction exp(i th). Segment: G and E of `segment`'s S, inertia and forces of `weigh`, row for the way back.
C, S, G1X, G1Y, G2X, G2Y, EX, EY = range(30 * SIMD, 38 * SIMD, SIMD)
M02, M12, M03, M13, M22, M23, M33, F0, F1, F2, F3, RX, RY, RT, RC = range(38 * SIMD, 53 * SIMD, SIMD)
# 1/pivot of that row; what a unit of force adds to it.
RE, RU = range(87 * SIMD, 89 * SIMD, SIMD)
# Node: place, velocity at the end of the step if its rates did not change, loads x, y, torque.
PX, PY, ZX, ZY, OX, OY, OT = range(53 * SIMD, 60 * SIMD, SIMD)
# Node: stretch of the bristles along and across, their torque, velocity of the anchor, push of things.
ET, EN, TWIST, WX, WY, PUSHX, PUSHY = range(60 * SIMD, 67 * SIMD, SIMD)
# Node: velocity, force and slope of the latest trial, and of the one before; its force for the recursion; from one to
# the other; how wrong a trial was, how large its force.
VX, VY, GX, GY, GXX, GXY, GYY = range(67 * SIMD, 74 * SIMD, SIMD)
UX, UY, HX, HY, HXX, HXY, HYY, LX, LY, DX, DY, MISS, LARGE = range(74 * SIMD, 87 * SIMD, SIMD)


# Torque of a segment in a step by the midpoint: `bend` there, `turn` its rate at the start of the step, `more` than it
# at its end, `last` more at its start than a step before,
#
#     -K/h (bend + T K_MORE more + T K_LAST last) - C/h (turn + C_MORE more - C_LAST last) - D/h (turn + more).
#
# Without D this is of second order for any K_MORE and K_LAST, and C_MORE = 1/2 + C_LAST. With the means of both ends,
# 1/4 and 0, 1/2 and 0, bends that are quick beside a step would ring: for ever where stiffness makes them quick, and
# where viscosity does by a rate that turns round in every step. With these they fall to 1/2 in a step as they get
# stiffer, to 1/3 as they get more viscous: all roots are equal there, so none could be smaller. None grows at any K, C.
# That is so while the inertia does not change. As it turns, a rod without viscosity could gain energy in its quick
# bends, so D makes up for what C lacks of  K T min(1, CALM w T),  w the frequency sqrt(K/(rho h^4)) of a segment: of
# second order too, and never more than the viscosity K T.
K_MORE, K_LAST, C_MORE, C_LAST, CALM = 8.0 / 27.0, 1.0 / 27.0, 9.0 / 16.0, 1.0 / 16.0, 2.0


@kernel_sums
def where(i):
    """Node i has its number of the row f at w[where(i) + f]."""
    return i // SIMD * SIMD * (FIELDS - 1) + i


@kernel_sums
def torques_at_end(w, n, y, v, T):
    """Torques of the bends at the end of a step of T, and what they add to the inertia.

    y = (x, y, th_1 .. th_n), v its rate, both at the start of the step.
    """
    angles, rates = y[2:], v[2:]
    for b in range(0, n - 1, SIMD):
        o, th, rate = w[b * FIELDS : (b + SIMD) * FIELDS], angles[b:], rates[b:]
        for j in range(min(SIMD, n - 1 - b)):
            d, turn = th[j + 1] - th[j], rate[j + 1] - rate[j]
            o[BEND + j] = -o[KH + j] * (d + T * turn - o[LENGTH + j] * o[KAPPA + j]) - o[CH + j] * turn
            o[EXTRA + j] = T * (o[CH + j] + T * o[KH + j])


@kernel_sums
def torques_at_middle(w, n, y, v, last, T):
    """Torques of the bends at the middle of a step of T, and what they add to the inertia.

    y at the middle of the step, v at its start, last how much v had changed in the step before.
    """
    angles, rates, changes = y[2:], v[2:], last[2:]
    for b in range(0, n - 1, SIMD):
        o, th, rate, change = w[b * FIELDS : (b + SIMD) * FIELDS], angles[b:], rates[b:], changes[b:]
        for j in range(min(SIMD, n - 1 - b)):
            d, turn, more = th[j + 1] - th[j], rate[j + 1] - rate[j], change[j + 1] - change[j]
            bent = d + K_LAST * T * more - o[LENGTH + j] * o[KAPPA + j]
            lacks = max(T * o[KH + j] * min(1.0, CALM * T * o[OMEGA + j]) - o[CH + j], 0.0)
            o[BEND + j] = -o[KH + j] * bent - o[CH + j] * (turn - C_LAST * more) - lacks * turn
            o[EXTRA + j] = T * (C_MORE * o[CH + j] + K_MORE * T * o[KH + j] + lacks)


@kernel_sums
def bend_all(w, n, y):
    """Of the bends exp(i delta) and moments -> how many bend beyond WIDE."""
    wide, angles = 0.0, y[2:]
    for b in range(0, n - 1, SIMD):
        o, th = w[b * FIELDS : (b + SIMD) * FIELDS], angles[b:]
        for j in range(min(SIMD, n - 1 - b)):
            d = th[j + 1] - th[j]
            wide += 1.0 if abs(d) > WIDE else 0.0
            (
                o[CD + j], o[SD + j], o[R0 + j], o[R1 + j], o[R2 + j], o[R3 + j], o[R4 + j], _,
                o[I0 + j], o[I1 + j], o[I2 + j], o[I3 + j], o[I4 + j], o[I5 + j],
            ) = series(d)  # fmt: skip
    return wide


@kernel_sums
def fill(w, n, v, gx, gy):
    """G, E, inertia and forces of all segments."""
    rates = v[2:]
    for b in range(0, n - 1, SIMD):
        o, rate = w[b * FIELDS : (b + SIMD) * FIELDS], rates[b:]
        for j in range(min(SIMD, n - 1 - b)):
            (
                o[G1X + j], o[G1Y + j], o[G2X + j], o[G2Y + j], B1x, B1y, B2x, B2y,
                o[EX + j], o[EY + j], Fx, Fy, Q11, Q12, Q22, b1, b2,
            ) = row(
                o[C + j], o[S + j], o[LENGTH + j], rate[j], rate[j + 1], o[R0 + j], o[R1 + j], o[R2 + j], o[R3 + j],
                o[R4 + j], o[I0 + j], o[I1 + j], o[I2 + j], o[I3 + j], o[I4 + j], o[I5 + j],
            )  # fmt: skip
            (
                o[M02 + j], o[M12 + j], o[M03 + j], o[M13 + j], o[M22 + j], o[M23 + j], o[M33 + j],
                o[F0 + j], o[F1 + j], o[F2 + j], o[F3 + j],
            ) = weigh(
                B1x, B1y, B2x, B2y, Fx, Fy, Q11, Q12, Q22, b1, b2,
                o[RHO + j], o[LENGTH + j], gx, gy, o[BEND + j], o[EXTRA + j],
            )  # fmt: skip


@kernel_sums
def shape(w, n, y, v, g, re, im):
    """All that the segments are at y, v: directions, G, E, inertia with what bending adds to it, forces."""
    if bend_all(w, n, y) > 0.0:
        for b in range(0, n - 1, SIMD):
            bend_wide(y[2 + b :], min(SIMD, n - 1 - b), w[b * FIELDS + CD :], re, im)
    c, s = math.cos(y[2]), math.sin(y[2])
    for b in range(0, n, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, n - b)):
            o[C + j], o[S + j] = c, s
            c, s = c * o[CD + j] - s * o[SD + j], s * o[CD + j] + c * o[SD + j]
    fill(w, n, v, g[0], g[1])


@kernel_sums
def trace(w, n, y, v, v1, T):
    """Places, velocities at the end of a step in which no rate changes, and trial velocities of the rates v1."""
    px, py, zx, zy, vx, vy = y[0], y[1], v[0], v[1], v1[0], v1[1]
    for b in range(0, n, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, n - b)):
            o[PX + j], o[PY + j], o[ZX + j], o[ZY + j], o[VX + j], o[VY + j] = px, py, zx, zy, vx, vy
            k = b + j
            if k == n - 1:
                return
            G1x, G1y, G2x, G2y = o[G1X + j], o[G1Y + j], o[G2X + j], o[G2Y + j]
            px, py = px + G1x + G2x, py + G1y + G2y
            # i G w; and what turning takes from the velocity in the step.
            zx -= G1y * v[2 + k] + G2y * v[3 + k] - T * o[EX + j]
            zy += G1x * v[2 + k] + G2x * v[3 + k] + T * o[EY + j]
            vx -= G1y * v1[2 + k] + G2y * v1[3 + k]
            vy += G1x * v1[2 + k] + G2x * v1[3 + k]


@kernel_sums
def velocities_of(w, n, v):
    """Velocities of the rates v into those of the latest trial."""
    vx, vy = v[0], v[1]
    for b in range(0, n, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, n - b)):
            o[VX + j], o[VY + j] = vx, vy
            k = b + j
            if k == n - 1:
                return
            vx -= o[G1Y + j] * v[2 + k] + o[G2Y + j] * v[3 + k]
            vy += o[G1X + j] * v[2 + k] + o[G2X + j] * v[3 + k]


@kernel_sums
def inward(w, n, T, g, tip, P, p):
    """From tip to base: P and p of `motion` at the base, each node's force LX, LY and slope H included."""
    m, gx, gy = tip[0], g[0], g[1]
    P00, P01, P02, P11, P12, P22 = m, 0.0, 0.0, m, 0.0, tip[1]
    p0, p1, p2 = -m * gx, -m * gy, 0.0
    last = (n - 1) // SIMD * SIMD
    for i in range(0, n, SIMD):
        b = last - i
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        count = min(SIMD, n - b)
        for r in range(count):
            j = count - 1 - r
            m = o[RHO + j] * o[LENGTH + j]
            M00, M01, M11 = m - T * o[HXX + j], -T * o[HXY + j], m - T * o[HYY + j]
            r0, r1, r2 = o[F0 + j] - o[LX + j], o[F1 + j] - o[LY + j], o[F2 + j] - o[OT + j] - o[TWIST + j]
            if b + j == n - 1:  # nothing lies beyond the last node
                P00, P01, P11, p0, p1, p2 = P00 + M00, P01 + M01, P11 + M11, p0 + r0, p1 + r1, p2 + r2
                continue
            P00, P01, P02, P11, P12, P22, p0, p1, p2, o[RX + j], o[RY + j], o[RT + j], o[RC + j], o[RE + j] = cross(
                P00, P01, P02, P11, P12, P22, p0, p1, p2, o[G1X + j], o[G1Y + j], o[G2X + j], o[G2Y + j],
                o[EX + j], o[EY + j], M00, M01, M11, o[M02 + j], o[M12 + j], o[M03 + j], o[M13 + j],
                o[M22 + j], o[M23 + j], o[M33 + j], r0, r1, r2, o[F3 + j],
            )  # fmt: skip
    P[0, 0], P[0, 1], P[0, 2], P[1, 0], P[1, 1], P[1, 2] = P00, P01, P02, P01, P11, P12
    P[2, 0], P[2, 1], P[2, 2] = P02, P12, P22
    p[0], p[1], p[2] = p0, p1, p2


@kernel_sums
def outward(w, n, T, a):
    """From base to tip: accelerations a, its first three given, and trial velocities V."""
    x, y, th = a[0], a[1], a[2]
    for b in range(0, n, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, n - b)):
            o[VX + j], o[VY + j] = o[ZX + j] + T * x, o[ZY + j] + T * y
            if b + j == n - 1:
                return
            nxt = -(o[RC + j] + o[RX + j] * x + o[RY + j] * y + o[RT + j] * th)
            a[3 + b + j] = nxt
            x -= o[G1Y + j] * th + o[G2Y + j] * nxt + o[EX + j]
            y += o[G1X + j] * th + o[G2X + j] * nxt - o[EY + j]
            th = nxt
