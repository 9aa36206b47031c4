"""Andrews' squeezing mechanism, of the Test Set for IVP Solvers: seven bodies, three loops, one degree of freedom.

    F is where the bodies 2, 3, 4 and 6 meet; B, A and the origin O stand in the plane; the spring pulls at D of body 3.

        O -1- . -2- F        B -3- F        A -5- . -4- F        A -7- . -6- F

Coordinates are beta, Theta, gamma, Phi, delta, Omega, epsilon: the angles of bodies 1, 2 (on 1), 3, 4 (on 5), 5,
6 (on 7) and 7. What is below follows the report of the test set (F. Mazzia and C. Magherini, "Test Set for Initial
Value Problem Solvers"; the mechanism is from E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II").
"""

import numpy as np
from numpy import cos, sin
from scipy.integrate import DOP853

from linkages import Closure, Link, Mechanism, revolute

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array([(-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)])
C0, L0, TORQUE = 4530.0, 0.07785, 0.033  # N/m, m, N·m
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421

NAMES = ("k1", "k2", "k3", "k4", "k5", "k6", "k7")
START = np.array([
    -0.0617138900142764496, 0.0, 0.45527981916307038, 0.222668390165885885, 0.48736497954384255,
    -0.222668390165885885, 1.23054744454982120,
])  # fmt: skip
UNTIL = 0.03  # s
PUBLISHED = np.array([
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
])  # fmt: skip
PUBLISHED_SPEEDS = np.array([
    1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
    -19.29337464421385, 0.3231791658026955,
])  # fmt: skip
PUBLISHED_ACCELERATIONS = np.array([
    -24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213, 16743.62929479361,
    -566749.3645176222, 9826.520791458422,
])  # fmt: skip
# What body 2 pushes bodies 3, 4 and 6 with, at F [N], two numbers each: at the start and at the end.
START_MULTIPLIERS = np.array([98.5668703962410896, -6.12268834425566265, 0.0, 0.0, 0.0, 0.0])
PUBLISHED_MULTIPLIERS = np.array([
    199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739, 11.61740700019673
])  # fmt: skip
START_ACCELERATIONS = np.array([14222.4439199541138, -10666.8329399655854, 0.0, 0.0, 0.0, 0.0, 0.0])


# ------------------------------------------------------------ the published equations


def mass_matrix(p):
    _, th, _, ph, _, om, _ = p
    m1, m2, m3, m4, m5, m6, m7 = MASSES
    I1, I2, I3, I4, I5, I6, I7 = INERTIAS
    M, e, f = np.zeros((7, 7)), E - EA, ZF - FA
    M[0, 0] = m1 * RA**2 + m2 * (RR**2 - 2 * DA * RR * cos(th) + DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = m2 * (DA**2 - DA * RR * cos(th)) + I2
    M[1, 1] = m2 * DA**2 + I2
    M[2, 2] = m3 * (SA**2 + SB**2) + I3
    M[3, 3] = m4 * e**2 + I4
    M[3, 4] = M[4, 3] = m4 * (e**2 + ZT * e * sin(ph)) + I4
    M[4, 4] = m4 * (ZT**2 + 2 * ZT * e * sin(ph) + e**2) + m5 * (TA**2 + TB**2) + I4 + I5
    M[5, 5] = m6 * f**2 + I6
    M[5, 6] = M[6, 5] = m6 * (f**2 - U * f * sin(om)) + I6
    M[6, 6] = m6 * (f**2 - 2 * U * f * sin(om) + U**2) + m7 * (UA**2 + UB**2) + I6 + I7
    return M


def spring(gamma):
    """From C to D [m], and how hard it pulls [N]."""
    way = np.array([SD * cos(gamma) + SC * sin(gamma), SD * sin(gamma) - SC * cos(gamma)]) + B - C
    return way, C0 * (np.hypot(*way) - L0)


def spring_torque(gamma):
    """On body 3, about B [N·m]."""
    way, tension = spring(gamma)
    x, y = -tension / np.hypot(*way) * way
    return x * (SC * cos(gamma) - SD * sin(gamma)) + y * (SD * cos(gamma) + SC * sin(gamma))


def spring_energy(gamma):
    """[J]"""
    return 0.5 * spring(gamma)[1] ** 2 / C0


def forces(p, v, torque=TORQUE):
    _, th, ga, ph, _, om, _ = p
    dbe, dth, _, dph, dde, dom, dep = v
    m2, m4, m6 = MASSES[1], MASSES[3], MASSES[5]
    e, f = E - EA, ZF - FA
    return np.array([
        torque - m2 * DA * RR * dth * (dth + 2 * dbe) * sin(th),
        m2 * DA * RR * dbe**2 * sin(th),
        spring_torque(ga),
        m4 * ZT * e * dde**2 * cos(ph),
        -m4 * ZT * e * dph * (dph + 2 * dde) * cos(ph),
        -m6 * U * f * dep**2 * cos(om),
        m6 * U * f * dom * (dom + 2 * dep) * cos(om),
    ])  # fmt: skip


def constraints(p):
    """F as body 2 has it, less F as 3, 4 and 6 have it: 6 numbers [m]."""
    be, th, ga, ph, de, om, ep = p
    F = np.array([RR * cos(be) - D * cos(be + th), RR * sin(be) - D * sin(be + th)])
    third = [SS * sin(ga) + B[0], -SS * cos(ga) + B[1]]
    fourth = [E * sin(ph + de) + ZT * cos(de) + A[0], -E * cos(ph + de) + ZT * sin(de) + A[1]]
    sixth = [ZF * cos(om + ep) + U * sin(ep) + A[0], ZF * sin(om + ep) - U * cos(ep) + A[1]]
    return np.concatenate([F - third, F - fourth, F - sixth])


def jacobian(p):
    be, th, ga, ph, de, om, ep = p
    G, F = np.zeros((6, 7)), np.array([-RR * sin(be) + D * sin(be + th), RR * cos(be) - D * cos(be + th)])
    for k in (0, 2, 4):
        G[k : k + 2, 0] = F
        G[k : k + 2, 1] = D * sin(be + th), -D * cos(be + th)
    G[0:2, 2] = -SS * cos(ga), -SS * sin(ga)
    G[2:4, 3] = -E * cos(ph + de), -E * sin(ph + de)
    G[2:4, 4] = G[2:4, 3] + [ZT * sin(de), -ZT * cos(de)]
    G[4:6, 5] = ZF * sin(om + ep), -ZF * cos(om + ep)
    G[4:6, 6] = G[4:6, 5] - [U * cos(ep), U * sin(ep)]
    return G


def centripetal(p, v):
    """The part of the constraints' second derivative that comes from speeds alone."""
    be, th, ga, ph, de, om, ep = p
    dbe, dth, dga, dph, dde, dom, dep = v
    w = (dbe + dth) ** 2
    F = np.array([-RR * cos(be) * dbe**2 + D * cos(be + th) * w, -RR * sin(be) * dbe**2 + D * sin(be + th) * w])
    third = np.array([-SS * sin(ga), SS * cos(ga)]) * dga**2
    fourth = np.array([-E * sin(ph + de), E * cos(ph + de)]) * (dph + dde) ** 2
    fourth -= ZT * np.array([cos(de), sin(de)]) * dde**2
    sixth = -ZF * np.array([cos(om + ep), sin(om + ep)]) * (dom + dep) ** 2
    sixth += U * np.array([-sin(ep), cos(ep)]) * dep**2
    return np.concatenate([F - third, F - fourth, F - sixth])


def solved_once(p, v, torque=TORQUE):
    """Accelerations and multipliers: M a + G' multipliers = forces."""
    G, M = jacobian(p), mass_matrix(p)
    whole = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    found = np.linalg.solve(whole, np.concatenate([forces(p, v, torque), -centripetal(p, v)]))
    return found[:7], found[7:]


def accelerations(p, v, torque=TORQUE):
    return solved_once(p, v, torque)[0]


def projected(p, v):
    """Angles that close the loops, nearest in terms of the masses, and speeds that keep them closed."""
    for _ in range(5):
        M, G = mass_matrix(p), jacobian(p)
        back = np.linalg.solve(M, G.T)
        p = p - back @ np.linalg.solve(G @ back, constraints(p))
    M, G = mass_matrix(p), jacobian(p)
    back = np.linalg.solve(M, G.T)
    return p, v - back @ np.linalg.solve(G @ back, G @ v)


def kinetic_energy(p, v):
    return 0.5 * v @ mass_matrix(p) @ v


def solved(until=UNTIL, p=START, v=None, *, torque=TORQUE, rtol=1e-12, seen=None):
    """Angles and speeds at `until` [s] by DOP853 on the equations of index 1, projected after each step."""

    def rate(t, y):
        return np.concatenate([y[7:], accelerations(y[:7], y[7:], torque)])

    start = projected(np.array(p), np.zeros(7) if v is None else np.array(v))
    solver = DOP853(rate, 0.0, np.concatenate(start), until, rtol=rtol, atol=1e-12, max_step=1e-3)
    while solver.status == "running":
        solver.step()
        assert solver.status != "failed"
        solver.y = np.concatenate(projected(solver.y[:7], solver.y[7:]))
        solver.f = rate(solver.t, solver.y)
        if seen:
            seen(solver.t, solver.y[:7], solver.y[7:])
    return solver.y[:7], solver.y[7:]


# ------------------------------------------------------------ the same as bodies


def mechanism():
    """Bodies whose coordinates are the seven angles; the axes across the plane are z, and nothing weighs anything.

    They lie in the order of the angles but for what carries them: `ORDER` tells which angle each coordinate of the
    links is. What the spring does is a torque of joint "k3" (see `spring_torque`), the drive one of "k1".
    """

    def body(k, position, center, parent=None):
        turn = (0.6 * INERTIAS[k - 1], 0.6 * INERTIAS[k - 1], INERTIAS[k - 1])  # only the last matters in a plane
        return Link(
            name=f"k{k}", mass=MASSES[k - 1], inertia=turn, center=(*center, 0.0), parent=parent,
            position=(*position, 0.0), joint=revolute(),
        )  # fmt: skip

    links = (
        body(1, (0.0, 0.0), (RA, 0.0)),
        body(2, (RR, 0.0), (-DA, 0.0), "k1"),
        body(3, B, (SB, -SA)),
        body(5, A, (TA, TB)),
        body(4, (ZT, 0.0), (0.0, EA - E), "k5"),
        body(7, A, (-UB, -UA)),
        body(6, (0.0, -U), (ZF - FA, 0.0), "k7"),
    )
    F = (-D, 0.0, 0.0)
    closures = (
        Closure(name="f3", body="k3", parent="k2", joint=revolute(), position=F, place=(0.0, -SS, 0.0)),
        Closure(name="f4", body="k4", parent="k2", joint=revolute(), position=F, place=(0.0, -E, 0.0)),
        Closure(name="f6", body="k6", parent="k2", joint=revolute(), position=F, place=(ZF, 0.0, 0.0)),
    )
    drives = {"k1": lambda t, q, v: TORQUE, "k3": lambda t, q, v: spring_torque(q)}
    return Mechanism(links=links, closures=closures, gravity=(0.0, 0.0, 0.0), drives=drives)


ORDER = [0, 1, 2, 4, 3, 6, 5]


def spring_in_tegotae():
    from tegotae.multibody import AtPoint, Spring

    return Spring(first=AtPoint("k3", (SD, -SC, 0.0)), second=(*C, 0.0), stiffness=C0, length=L0)
