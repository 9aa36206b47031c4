"""One tick of a differential-algebraic inclusion, all contacts and frictions at once.  [xiong2011]

    M(xm) (x1 - x0)/T = f(xm) + G(xm) F,   xm = x0 + theta (x1 - x0)
    contact    e1 = max(beta e/(T + beta), -gap1),   F = K (e1 + beta (e1 - e)/T)
    friction   F = K sat(limit/K, a + (beta + T) slip1),   a1 = (beta a + T F/K)/(beta + T)

Backward Euler, theta = 1, is of first order. The midpoint rule, theta = 1/2, is of second in smooth motion, and its
elements are staggered: gaps, and what springs give way, are those half a tick ahead, gap1 = gap(x1 + T/2 x1') at
t + T/2. Positions there move by T times the velocity at the end of a tick, as they do by backward Euler: what sticks
stands still there, and a stiff contact ends an impact in a tick. With gaps of x1 itself it would throw back what hits
it, as fast as it came.

Smooth rows, gaps, slips and limits are linearised where the last iterate stands; elements are never smoothed. With
d = x1 - x0 this leaves d = free + W F, and for the forces the problem h = Q F + b of `complementarity`.
"""

import math
from collections import namedtuple

from tegotae.compile import kernel, kernel_inside
from tegotae.coupling.kernels.complementarity import UNSOLVED
from tegotae.coupling.kernels.natural_residual import RHO, H, Problem, pull, radius, set_scales
from tegotae.inclusion.implicit.kernels import striking as at
from tegotae.kernels.contact import compliance, normal_offset, normal_stretch, tangent_offset, tangent_stretch
from tegotae.kernels.linear import eliminate

# What a tick reads of the elements: how many contacts there are, blocks as in `natural_residual`, stops and then discs,
# and for each row stiffness and beta; and the restitution of each contact that has one.
Elements = namedtuple("Elements", "nc kind first K beta R")
# Memory for a tick, so that none is taken in the loop; all of it floats, as a block's workspace has it.
Workspace = namedtuple(
    "Workspace",
    "d free shift xh xm f S M A inverse G W g gv Dg y Dy limit LA LB Q C b L F_before noise ready theta stage work "
    "strike full",
)
OUTER = 60  # linearisations of one tick; a contraction by 0.7 still ends in them
DAMPED = 15  # after so many the steps are halved, which ends a swing between two sides of a bend
LATE = 3  # most ticks settle in fewer, so only later ones ask what rounding leaves open
# Of the magnitudes that a gap or a slip is the sum of: two evaluations that differ, a few operations each.
ROUNDING = 16.0 * 2.0**-52
# What a start may leave open of a gap, as a share of what it moves by and its spring gives way; more is no rounding.
AJAR = 1e-6


@kernel
def copy(a, b):
    """a = b, without the checks that make slices slow to compile."""
    for i in range(a.shape[0]):
        a[i] = b[i]


@kernel
def problem_of(E, w):
    """The forces of a step as `complementarity` solves them."""
    return Problem(w.b.shape[0], E.first.shape[0] - 1, False, w.Q, w.C, w.b, E.kind, E.first, w.limit, w.L)


@kernel
def dot(A, i, v):
    """Row i of A times v."""
    total = 0.0
    for j in range(v.shape[0]):
        total += A[i, j] * v[j]
    return total


@kernel
def scale(A, factor):
    """A times a number."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] *= factor


@kernel
def weight_of_end(E, e, g, gv, T, bounces):
    """theta: 1/2, but 1 for a tick whose start is inside of a contact half a tick ahead, by more than its spring knows.

    So it is only where a machine was put, or is met by what is fed, not where a tick left it: at speed, less than half
    a tick off a contact. The spring of a stiff one would throw it back; backward Euler stops it. A contact that has a
    restitution is struck there instead.
    """
    theta = 0.5
    for i in range(E.nc):
        if not at.among(bounces, i) and -g[i] > max(e[i], 0.0) + AJAR * (abs(e[i]) + T * abs(gv[i])):
            theta = 1.0
    return theta


@kernel
def matrices(M, S, G, T, theta, A, inverse, W):
    """inverse = (M/T - theta df/dx)^-1 and W = inverse G, by one elimination. False if there is no such matrix."""
    n, m = W.shape
    for i in range(n):
        for j in range(n):
            A[i, j] = M[i, j] / T - theta * S[i, j]
            inverse[i, j] = 1.0 if i == j else 0.0
        for j in range(m):
            inverse[i, n + j] = G[i, j]
    if not eliminate(A, inverse):
        return False
    for i in range(n):
        for j in range(m):
            W[i, j] = inverse[i, n + j]
    return True


@kernel
def stiffnesses(E, Dg, Dy, W, T, Q, C):
    """What each force does to each gap or slip: by the machine Q, and by the springs of the elements C."""
    n, m = W.shape
    for i in range(m):
        for j in range(m):
            total = 0.0
            for k in range(n):
                total += (Dg[i, k] / T if i < E.nc else -Dy[i - E.nc, k]) * W[k, j]
            Q[i, j] = total
        C[i] = compliance(E.K[i], E.beta[i], T)


@kernel
def smooth_motion(inverse, S, theta, f, d, free, shift):
    """free: how far the states would go without elements, from f seen at d; shift = free - d."""
    n = d.shape[0]
    for i in range(n):
        f[i] -= theta * dot(S, i, d)
    for i in range(n):
        free[i] = dot(inverse, i, f)
        shift[i] = free[i] - d[i]


@kernel
def offsets(E, s, g, Dg, y, Dy, shift, T, b):
    """b: the contact rows by T, so that all are velocities."""
    nc = E.nc
    for i in range(b.shape[0]):
        if i < nc:
            b[i] = -normal_offset(g[i] + dot(Dg, i, shift), s[i], E.beta[i], T)
        else:
            b[i] = -(y[i - nc] + dot(Dy, i - nc, shift)) + tangent_offset(s[i], E.beta[i], T)


@kernel
def limit_lines(E, F, LA, LB, W, shift, limit, L):
    """Each limit as r + L F. A limit that falls with its own slip enters with slope 0: its true slope misleads."""
    n, m = W.shape
    nc = E.nc
    for i in range(nc, limit.shape[0]):
        for j in range(m):
            L[i, j] = LB[i - nc, j] if j < nc else 0.0
            limit[i] -= L[i, j] * F[j]
        grown, usable = 0.0, True
        for k in range(n):
            usable = usable and math.isfinite(LA[i - nc, k])
            for c in range(E.first[i], E.first[i + 1]):
                grown += LA[i - nc, k] * W[k, c] * F[c]
        if usable and grown < 0.0:
            limit[i] += dot(LA, i - nc, shift)
            for j in range(m):
                for k in range(n):
                    L[i, j] += LA[i - nc, k] * W[k, j]


@kernel
def rounding(E, x, s, d, shift, F, Dg, Dy, Q, C, T, rho, noise):
    """What rounding leaves open of each slack; `noise` holds the magnitudes that were summed in its gap or slip.

    Friction follows what rounding does to the contacts beside it.
    """
    nc = E.nc
    for i in range(noise.shape[0]):
        size = noise[i] + (E.beta[i] if i < nc else 1.0) * abs(s[i]) / (T + E.beta[i])
        for k in range(x.shape[0]):
            slope = Dg[i, k] if i < nc else Dy[i - nc, k]
            size += abs(slope) * (abs(x[k]) + abs(d[k]) + abs(shift[k]))
        if i < nc:
            size /= T
        size += C[i] * abs(F[i])
        for j in range(F.shape[0]):
            size += abs(Q[i, j] * F[j])
        noise[i] = ROUNDING * size
        for j in range(nc if i >= nc else 0):
            noise[i] += abs(Q[i, j]) * noise[j] * rho[j]


@kernel
def settled(x, F, F_before, free, W, Q, C, rho, noise, part, d):
    """Move d and F towards the new solution; whether both moved by no more than rounding may, or hardly.

    Forces of contacts that share a load may differ where no slack does: rounding shares it out anew each time.
    """
    n, m = W.shape
    still, largest = True, 1e-300
    for i in range(n):
        new, size, open_ = free[i], abs(free[i]), 0.0
        for j in range(m):
            new += W[i, j] * F[j]
            size += abs(W[i, j] * F[j])
            open_ += abs(W[i, j]) * noise[j] * rho[j]
        still = still and abs(new - d[i]) <= 1e-10 * size + 1e-14 * abs(x[i]) + open_
        d[i] += part * (new - d[i])
    for j in range(m):
        largest = max(largest, abs(F[j]))
    for i in range(m):
        moved = C[i] * (F[i] - F_before[i])
        for j in range(m):
            moved += Q[i, j] * (F[j] - F_before[j])
        still = still and (abs(F[i] - F_before[i]) <= 1e-9 * largest or abs(moved) <= noise[i])
    for j in range(m):
        F[j] = F_before[j] + part * (F[j] - F_before[j]) if part < 1.0 else F[j]
    return still


@kernel
def commit(E, F, modes, g, y, T, s):
    """The element states move on, from the gaps g and slips y that came out.

    What sticks follows its slip and not F/K: force and motion differ by rounding, which would creep.
    """
    nc = E.nc
    for i in range(nc):
        s[i] = max(normal_stretch(0.0, s[i], E.K[i], E.beta[i], T), -g[i])
    for i in range(nc, E.first.shape[0] - 1):
        for k in range(E.first[i], E.first[i + 1]):
            if modes[i] > 0.5:
                s[k] += T * y[k - nc]
            else:
                s[k] = tangent_stretch(-F[k], s[k], E.K[k], E.beta[k], T)


@kernel
def note(P, F, nc, modes, work):
    """What each element does, by what the solver left: a contact touches, a friction sticks."""
    for i in range(nc):
        modes[i] = 1.0 if F[i] > 0.0 else 0.0
    for i in range(nc, P.blocks):
        r, start = radius(P, i, F), P.first[i]
        size = pull(F, work[H], start, P.first[i + 1], work[RHO, start])
        modes[i] = 1.0 if r > 0.0 and size <= r * r * (1.0 + 2e-12) else 0.0


def tick_kernel(
    solve,
    smooth,
    directions,
    mass,
    gaps,
    slips,
    limits,
    magnitudes,
    smooth_slope,
    gap_slope,
    slip_slope,
    limit_slope,
    midpoint,
    linear,
    constant,
    bounces,
    moves,
):
    """The tick of one inclusion, by the midpoint rule or backward Euler.

    `linear`: one linearisation is exact. `constant`: its matrices never change. `bounces`: contacts that have a
    restitution, `moves`: states that change without forces, as positions do.
    """
    strikes, judge = len(bounces) > 0, at.judge_kernel(gaps, slips, bounces, midpoint)

    @kernel_inside  # it has one caller, and would otherwise be optimised twice
    def solve_tick(tm, t, x, s, F, p, um, u, ua, E, T, w):
        """The forces of a step, and how far the states go, in w.d; how they were found, UNSOLVED if they are not."""
        d, xh, xm, free, shift, f = w.d, w.xh, w.xm, w.free, w.shift, w.f
        S, M, G, W, inverse, Dg, Dy, Q, C = w.S, w.M, w.G, w.W, w.inverse, w.Dg, w.Dy, w.Q, w.C
        limit, b, F_before, noise, ready = w.limit, w.b, w.F_before, w.noise, w.ready
        problem = problem_of(E, w)
        n, done, how = x.shape[0], False, 0
        ahead, theta = 0.5 * T, w.theta[0]
        for i in range(n):
            d[i] = 0.0
        for i in range(noise.shape[0]):
            noise[i] = 0.0
        for k in range(1 if linear else OUTER):
            copy(F_before, F)
            for i in range(n):
                xh[i] = x[i] + d[i]
                xm[i] = x[i] + theta * d[i]
            if not (constant and ready[0] == theta):
                mass(tm, xm, p, um, M)
                smooth_slope(tm, xm, p, um, S)
                directions(tm, xm, p, um, G)
                gap_slope(t, xh, p, ua, ahead, Dg)
                slip_slope(t, xh, p, u, Dy)
                ready[0] = theta if matrices(M, S, G, T, theta, w.A, inverse, W) else 0.0
                stiffnesses(E, Dg, Dy, W, T, Q, C)
                set_scales(problem, w.work)
            smooth(tm, xm, p, um, f)
            smooth_motion(inverse, S, theta, f, d, free, shift)
            gaps(t, xh, p, ua, ahead, w.g, w.gv)
            slips(t, xh, p, u, w.y)
            offsets(E, s, w.g, Dg, w.y, Dy, shift, T, b)
            limits(tm, xm, p, um, F, limit[E.nc :])
            limit_slope(tm, xm, p, um, F, w.LA, w.LB)
            if midpoint:
                scale(w.LA, theta)
            limit_lines(E, F, w.LA, w.LB, W, shift, limit, w.L)
            if strikes and w.stage[0] > at.ALL:
                at.rows_of_impact(E, w, w.g, w.y, Dg, Dy, shift, T, b)
                at.soften(E, w)
                set_scales(problem, w.work)
            how = UNSOLVED
            if ready[0] > 0.0:
                how = solve(problem, F, w.work)[1]
            if k >= LATE:
                magnitudes(t, xh, p, u, noise)
                rounding(E, x, s, d, shift, F, Dg, Dy, Q, C, T, w.work[RHO], noise)
            part = 0.5 if k > DAMPED else 1.0
            done = settled(x, F, F_before, free, W, Q, C, w.work[RHO], noise, part, d) or linear
            if done:
                break
        return how if done else UNSOLVED

    @kernel_inside
    def tick(t0, t, x, s, F, modes, p, um, u, ua, E, T, w):
        """From time t0 to t = t0 + T; how forces were found, UNSOLVED if the step is.

        Inputs in rows and limits are um; those in slips u, of the end; those in gaps ua. By backward Euler all are u.
        """
        tm, theta, ahead, how = t, 1.0, 0.5 * T, 0
        if midpoint:
            tm = 0.5 * (t0 + t)
        if midpoint or strikes:
            gaps(t0, x, p, um, ahead, w.g, w.gv)
        if strikes:
            slips(t0, x, p, u, w.y)
            at.note_begin(E, w, w.g, w.gv, w.y, F)
            if w.stage[0] > at.ALL:  # the tick before had an impact
                at.harden(E, w, T)
                set_scales(problem_of(E, w), w.work)
                w.stage[0] = at.ALL
        if midpoint:
            theta = weight_of_end(E, s, w.g, w.gv, T, bounces)
        w.theta[0] = theta
        if strikes:
            searching = True
            while searching:  # one call for all solves: it is put in place whole
                how = solve_tick(tm, t, x, s, F, p, um, u, ua, E, T, w)
                stage = judge(t, x, s, F, p, u, ua, E, T, w)
                searching = stage != at.DONE
                if searching:
                    w.stage[0] = stage
        else:
            how = solve_tick(tm, t, x, s, F, p, um, u, ua, E, T, w)
        note(problem_of(E, w), F, E.nc, modes, w.work)
        for i in range(x.shape[0]):
            x[i] += w.d[i]
        hit = strikes and w.stage[0] >= at.STRUCK
        if hit:
            at.put_right(E, w, x, F, T, moves)
            at.keep_stretches(E, w, s)
        gaps(t, x, p, ua, ahead, w.g, w.gv)
        slips(t, x, p, u, w.y)
        if strikes:
            at.part_left_out(E, w)
        commit(E, F, modes, w.g, w.y, T, s)
        if hit:
            at.restore_stretches(E, w, s)
        return how

    return tick
