"""A row of bristles that moves through the contact patch, in the letters of yamamoto2006.

    p  K, B (of one bristle), a, xi_c, share, scale, kc, bc, mc, law, pressure
    s  force, Fy, stuck, delta, V, q, r, q0 (q before), phase, yc, wc, e (n)
    w  V, r, Va, turning, phase, shift; the rows f_0, f_v, load, Ti, e0 (n)

Bristles are kept in order of their place, xi_j = -a + (j + phase) L/n: as the tyre rolls, phase falls, and whenever
it passes 0 everybody moves down by one. Those that enter at the far end start unstretched and have been in the patch
only for Ti < T. Rolling backwards they enter at -a.

The tread slips sideways with V alpha = share V delta + q - wc; q [m/s] is what the vehicle adds, r [rad/s] its yaw
rate. An elastic carcass lets the tread give way by yc, wc = yc', against a spring kc and a damper bc, with mass mc.
Resistances f and tau_r are positive against positive motion, as the paper writes them; the block returns -tau_r.

What a bristle would resist with if it stuck is linear in the trial, f* = f_0 + f_v v + (B + Ti K) wc. `fill` works out
those rows, and how the tyre rolls, for a motion of its axle over a tick; whatever is asked afterwards holds for that.
"""

import math
from functools import cache

import numpy as np

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_sums, kernel_sums_inside
from tegotae.kernels.roots import EPSILON, nearer
from tegotae.kernels.stick_slip import sliding_kernel, stick_slip

FAR = 1e9  # places: nobody is left who was there before, and whole numbers hold it
TINY = 1e-300  # instead of 0 below a fraction


@kernel
def rolled(phase, places, n):
    """The phase after the tyre rolled by so many places, and by how many all move down; more than all is all."""
    phase -= min(max(places, -FAR), FAR)
    down = -math.floor(phase)
    phase += down
    if phase >= 1.0:  # -1e-17 rounds up to 1
        phase, down = 0.0, down - 1
    return max(phase, 0.0), int(min(max(down, -n), n))  # sums in another order may leave -1e-17


@kernel
def stayed(shift, n):
    """First and last place, as a range, of those that were in the patch before."""
    return max(0, -shift), min(n, n - shift)


@kernel
def time_inside(a, xi, V, T):
    """How long a bristle that entered during the tick has been in the patch."""
    return min(T, (a - xi if V > 0.0 else a + xi) / abs(V))


@kernel
def rearmost(p, w, n):
    """From the steering axis to the bristle at the rear, after the tick; and from each to the next."""
    h = 2.0 * p.a / n
    return w.phase[0] * h - p.a - p.xi_c, h


@kernel
def coulomb_bristle(trial, b, ic, law):
    """f, df/df* for f* = trial and constant mu, which b contains; no branches: several are worked on at a time."""
    return stick_slip(trial, b, 1.0)


@cache
def bristle_kernel(*law):
    """One bristle; with friction that depends on the slip speed where kernels of a law are given."""
    if not law:
        return coulomb_bristle
    sliding = sliding_kernel(*law)

    @kernel
    def bristle(trial, b, ic, law):
        """f, df/df* for f* = trial, what it would resist with if it stuck; ic = B + Ti K."""
        f, opening = sliding(law, b, abs(trial), ic)
        return math.copysign(f, trial), opening

    return bristle


@cache
def fill_kernel(load, *law):
    """The rows of a tick, for a profile of pressure and a friction law; none is constant friction.

    What a row is multiplied with is read once: inside of its loop the compiler would read it again for each bristle.
    """
    constant = not law

    @kernel_sums
    def fill(p, s, w, V, q, q_dot, r, T):
        """Work them out for an axle that moves so: q at the end of the tick, the others over all of it."""
        K, B, a, n = p.K, p.B, p.a, s.e.shape[0]
        scale = p.scale * p.law[0] if constant else p.scale
        phase, shift = rolled(s.phase[0], V * T * n / (2.0 * a), n)
        low, high = stayed(shift, n)
        Va = p.share * V * s.delta[0] + q
        turning, lost, bent = V * r + q_dot, p.share * V * T, 0.5 * V * (1.0 + p.share)
        w.V[0], w.r[0], w.Va[0], w.turning[0], w.phase[0], w.shift[0] = V, r, Va, turning, phase, shift
        rear, h = rearmost(p, w, n)
        f_0, f_v, loads, inside, e0 = w.f_0, w.f_v, w.load, w.Ti, w.e0
        e, kept = s.e[max(shift, 0) : n], e0[low:high]
        for i in range(high - low):
            kept[i] = e[i]
        ic = B + T * K
        still, steered = 0.5 * K * T * T * turning - ic * Va, K * T * T * bent - ic * lost
        # Two loops of few rows each: with more the compiler would not see that they lie apart, and work one by one.
        for j in range(n):  # as if all were in the patch before, so that nothing branches; the others follow below
            A = j * h + rear
            f_0[j] = K * e0[j] + ic * r * A + still
            f_v[j] = ic * A + steered
            inside[j] = T
        for j in range(n):
            loads[j] = scale * load(p.pressure, 0, j * h + rear + p.xi_c, a)
        if shift != 0:
            first, last = (high, n) if shift > 0 else (0, low)
            for j in range(first, last):  # entered during the tick, unstretched
                A = j * h + rear
                Ti = time_inside(a, A + p.xi_c, V, T)
                ue = A * r - Va
                f_0[j] = K * Ti * (ue + 0.5 * Ti * turning) + B * ue
                f_v[j] = K * Ti * (A - lost + Ti * bent) + B * (A - lost)
                inside[j] = Ti

    return fill


@cache
def prepare_kernel(load, *law):
    """What all trials of a tick have in common."""
    fill = fill_kernel(load, *law)

    @kernel_sums_inside
    def prepare(p, s, w, T):
        """The rows, for what is fed now."""
        fill(p, s, w, s.V[0], s.q[0], (s.q[0] - s.q0[0]) / T, s.r[0], T)

    return prepare


@cache
def turn_kernel(bristle):
    """The torque alone: a tread that does not give way asks for no more while it is solved for."""

    @kernel_sums_inside
    def turn(p, w, v):
        """tau_r and its slope by v."""
        K, B, n = p.K, p.B, w.f_0.shape[0]
        rear, h = rearmost(p, w, n)
        f_0, f_v, loads, inside = w.f_0, w.f_v, w.load, w.Ti
        tau = tau_v = 0.0
        for j in range(n):
            A = j * h + rear
            f, opening = bristle(f_0[j] + f_v[j] * v, loads[j], B + inside[j] * K, p.law)
            tau += A * f
            tau_v += A * opening * f_v[j]
        return tau, tau_v

    return turn


@cache
def gather_kernel(bristle, turns):
    """All sums over the row; `turns` tells whether its axle yaws by more than the rows were worked out for."""

    @kernel_sums
    def gather(p, s, w, v, wc, dr, T):
        """tau_r and its slopes by v, wc and dr, then the sum of f and its slopes by the same."""
        K, B, n = p.K, p.B, w.f_0.shape[0]
        rear, h = rearmost(p, w, n)
        f_0, f_v, loads, inside = w.f_0, w.f_v, w.load, w.Ti
        tau = tau_v = tau_w = tau_r = total = total_v = total_w = total_r = 0.0
        for j in range(n):
            A, ic = j * h + rear, B + inside[j] * K
            trial = f_0[j] + f_v[j] * v + ic * wc
            if turns:
                f_r = ic * A + 0.5 * K * w.V[0] * inside[j] * inside[j]
                trial += f_r * dr
            f, opening = bristle(trial, loads[j], ic, p.law)
            tau += A * f
            tau_v += A * opening * f_v[j]
            tau_w += A * opening * ic
            total += f
            total_v += opening * f_v[j]
            total_w += opening * ic
            if turns:
                tau_r += A * opening * f_r
                total_r += opening * f_r
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return gather


@cache
def commit_kernel(bristle, yields):
    """What every bristle is left with; `yields` tells whether the tread gives way at all."""

    @kernel_sums_inside
    def commit(p, s, w, v, wc, T):
        """Keep a steering rate and a tread velocity, and what they cost.

        wc is the tread's mean velocity over the tick, by which yc moves: it has no rate, or bristles and carcass would
        disagree on how far the tread went.
        """
        K, B, n = p.K, p.B, s.e.shape[0]
        V, r, Va, turning = w.V[0], w.r[0], w.Va[0] - wc, w.turning[0]
        lost, bent = p.share * V * T, 0.5 * V * (1.0 + p.share)
        rear, h = rearmost(p, w, n)
        shift = w.shift[0]
        e, e0, f_0, f_v, loads, inside = s.e, w.e0, w.f_0, w.f_v, w.load, w.Ti
        tau = total = stuck = 0.0
        # As if all had been in the patch for the whole tick: nothing is divided, and nothing branches.
        move, turned, give = T * (0.5 * T * turning - Va + (T * bent - lost) * v), T * (r + v), T / max(B + T * K, TINY)
        for j in range(n):
            A, ic = j * h + rear, B + inside[j] * K
            trial = f_0[j] + f_v[j] * v + (ic * wc if yields else 0.0)
            f, opening = bristle(trial, loads[j], ic, p.law)
            e[j] = e0[j] + move + turned * A - give * (trial - f)  # what is not borne goes into slip: 0 while it sticks
            tau += A * f
            total += f
            stuck += 1.0 if opening == 1.0 else 0.0
        if shift != 0:
            low, high = stayed(shift, n)
            first, last = (high, n) if shift > 0 else (0, low)
            for j in range(first, last):  # entered during the tick, unstretched
                A, Ti = j * h + rear, inside[j]
                ic = B + Ti * K
                trial = f_0[j] + f_v[j] * v + ic * wc
                f, _ = bristle(trial, loads[j], ic, p.law)
                um = A * r - Va + 0.5 * Ti * turning + (A - lost + Ti * bent) * v
                e[j] = Ti * (um - (trial - f) / max(ic, TINY))
        s.force[0], s.Fy[0], s.stuck[0] = -tau, -total, stuck / n
        s.delta[0] += T * v
        s.q0[0], s.wc[0] = s.q[0], wc
        s.yc[0] += T * wc
        s.phase[0] = w.phase[0]

    return commit


@cache
def patch_kernels(load, *law):
    """A tread that does not give way, for a profile of pressure and a friction law; none is constant friction."""
    bristle = bristle_kernel(*law)
    turn, commit = turn_kernel(bristle), commit_kernel(bristle, False)

    @kernel_sums_inside
    def answer(p, s, w, v, T):
        """Torque on the mover and its slope for a trial steering rate."""
        tau, tau_v = turn(p, w, v)
        return -tau, -tau_v

    @kernel_sums_inside
    def advance(p, s, w, v, T):
        """Commit the steering rate that really happened."""
        commit(p, s, w, v, 0.0, T)

    return Halves(answer, advance, prepare_kernel(load, *law))


# ---------------------------------------------------------------- a tread that gives way sideways

# A mass on a spring and a damper between rim and bristles. Each trial steering rate v asks for the tread velocity wc
# with
#
#     mc (wc - w0)/T + kc (yc + T wc) + bc wc + sum f(v, wc) = 0
#
# Every bristle resists more, the faster the tread moves against it, so the left side rises with wc: Newton inside a
# bracket that tightens.


@kernel
def own_slope(p, T):
    """By how much the carcass itself resists more for each m/s of the tread."""
    return p.mc / T + p.kc * T + p.bc


@cache
def tread_kernel(bristle, turns):
    """`tread(p, s, w, v, dw, dr, T)`: the tread velocity wc that goes with an axle's motion, and all sums there."""
    gather = gather_kernel(bristle, turns)

    @kernel
    def tread(p, s, w, v, dw, dr, T):
        """wc, and what `gather` says there."""
        kc, bc, mc, yc, w0 = p.kc, p.bc, p.mc, s.yc[0], s.wc[0]
        carcass_slope = own_slope(p, T)
        wc, low, high = w0, -np.inf, np.inf
        for _ in range(100):
            sums = gather(p, s, w, v, wc + dw, dr, T)
            total, total_w = sums[4], sums[6]
            gap = mc * (wc - w0) / T + kc * (yc + T * wc) + bc * wc + total
            scale = carcass_slope * (abs(wc) + abs(w0)) + kc * abs(yc) + abs(total)
            if abs(gap) <= 8.0 * EPSILON * scale:
                break
            trial, low, high, met = nearer(wc, gap, gap / (carcass_slope + total_w), low, high)
            if met:
                break
            wc = trial
        return wc, sums

    return tread


@cache
def carcass_kernels(load, *law):
    """The row on an elastic carcass, for a profile of pressure and a friction law; none is constant friction."""
    bristle = bristle_kernel(*law)
    tread, commit = tread_kernel(bristle, False), commit_kernel(bristle, True)

    @kernel
    def answer(p, s, w, v, T):
        """Torque on the mover and its slope for a trial steering rate."""
        _, (tau, tau_v, tau_w, _, _, total_v, total_w, _) = tread(p, s, w, v, 0.0, 0.0, T)
        w_v = -total_v / (own_slope(p, T) + total_w)
        return -tau, -(tau_v + tau_w * w_v)

    @kernel
    def advance(p, s, w, v, T):
        """Commit the steering rate that really happened."""
        wc, _ = tread(p, s, w, v, 0.0, 0.0, T)
        commit(p, s, w, v, wc, T)

    return Halves(answer, advance, prepare_kernel(load, *law))
