"""Where the paper does not hold as printed, and where it is silent and it matters."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.friction import Coulomb
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.yamamoto2006 import STIFF, T, YamamotoSubject, oracles, paper
from tegotae.papers.yamamoto2006.oracles import A_HALF, LOAD, MU, brush


def printed_load(xi: Array) -> Array:
    """(5) as printed [N], at places [m]."""
    return np.asarray(-10000.0 * (np.asarray(xi) ** 2 - 0.01))


def spent(steer: Array, torque: Array) -> float:
    """Energy [J] that a torque takes over the second of two cycles."""
    half = steer.size // 2
    return float(torque[half:] @ np.diff(steer[half - 1 :]))


@paper.claim(source="(9)", as_printed=False)
def erratum_drive_train(subject: YamamotoSubject) -> Findings:
    """In (9) the new deflection is (B_f e + T tau_f)/(B_f + T K_f), with the sampling time T: a cycle of ±0.1 rad then
    spends 4 T_f 0.1 rad = 0.12 J. As printed, it spends nothing: there is no friction.

    Printed: T_f tau_f, a torque times a torque, where T tau_f is meant, as in (6).
    """
    steer = 0.1 * np.sin(0.5 * np.pi * T * np.arange(8001))[1:]
    system = subject.literal()
    printed = subject.printed(system=system).train_torque(steer=steer, period=T)
    corrected = subject.explicit(system=system).train_torque(steer=steer, period=T)
    ours = subject.train(stiffness=1e4, damping=100.0, law=Coulomb(0.3)).run(np.diff(steer, prepend=0.0) / T, period=T)
    yield Finding("as printed: spent in a cycle", abs(spent(steer, printed)), "<=", 1e-6, "J")
    yield Finding("corrected, explicit scheme: off 0.12 J", abs(spent(steer, corrected) - 0.12), "<=", 1e-4, "J")
    yield Finding("corrected, our element: off 0.12 J", abs(spent(steer, -ours.force) - 0.12), "<=", 1e-4, "J")


@paper.claim(source="(5)", as_printed=False)
def erratum_load_outside(subject: YamamotoSubject) -> Findings:
    """The load is max(0, 1e4 (a² - xi²)): a bristle past the end of the patch carries nothing. As printed its load is
    negative there, and clipping at it turns friction round, so that it drives.

    Printed: -10000 (xi² - 0.01) for every xi; (4) carries bristles up to V T past the end, 0.07 m at 70 m/s.
    """
    # Places up to V T = 0.07 m outside; what (6) makes of a stretched bristle there.
    outside = np.linspace(A_HALF, 0.17, 8)
    load = printed_load(outside)
    pull = 5.0  # N, f* of a stretched bristle
    force = float(load[-1] * np.sign(pull))  # (6), |f*| > F_i
    patch = subject.patch()
    inside = np.linspace(-0.09, 0.09, 7)
    ours = patch.pressure(np.concatenate([outside, -outside, inside]), half_length=patch.half_length)
    yield Finding("as printed: load at 0.17 m", load[-1], "<=", -188.0, "N")
    yield Finding("as printed: force for f* = +5 N", force, "<=", -188.0, "N")
    yield Finding("corrected: largest |load| outside", np.abs(ours[:16]).max(), "=", 0.0, "N")
    yield Finding("corrected: inside, off (5)", np.abs(ours[16:] - printed_load(inside)).max(), "<=", 1e-12, "N")


@paper.claim(source="(6)", as_printed=False)
def erratum_bound(subject: YamamotoSubject) -> Findings:
    """A bristle is bounded by mu F_i, as the text beside says (40 N at most): in full slip the tyre gives mu Fz = 560
    N. Bounded by F_i as printed, it gives the whole load, 1400 N, and keeps sticking to 2.5 times the slip.

    Printed: F_i sgn(f*) if |f*| > F_i. The sentence after (5) has mu F_i as the limit of each bristle.
    """
    right = subject.brush(bristles=401)
    printed = subject.patch(stiffness=STIFF, damping=0.0, friction=1.0, bristles=401)
    full, at = (patch.steady(slip_angle=0.25, speed=20.0).lateral_force for patch in (printed, right)), 0.08
    loads = [abs(force / LOAD - mu) for force, mu in zip(full, (1.0, MU), strict=True)]
    yield Finding("as printed: full slip, off Fz, of Fz", loads[0], "<=", 1e-4)
    yield Finding("corrected: full slip, off mu Fz, of Fz", loads[1], "<=", 1e-4)
    yield Finding(f"as printed: stuck at {at} rad", printed.steady(slip_angle=at, speed=20.0).stuck, ">=", 0.5)
    yield Finding(f"corrected: stuck at {at} rad", right.steady(slip_angle=at, speed=20.0).stuck, "<=", 0.01)


@paper.claim(source="section 3.2 and (4), (5)", as_printed=False)
def erratum_places(subject: YamamotoSubject) -> Findings:
    """21 bristles stand at the centres of 21 cells. On -0.1, -0.09, ... 0.1 m, as the text reads, first and last become
    one place as soon as they wrap, and the patch carries 5 % less than its load.

    Printed: n = 21 places xi_i in a patch of 0.2 m, loads zero at both ends; how they wrap is not said.
    """
    ends = np.linspace(-A_HALF, A_HALF, 21)
    patch = subject.patch()
    n, a = patch.bristles, patch.half_length
    cells = a * ((2.0 * np.arange(n) + 1.0) / n - 1.0)
    load = patch.pressure(cells, half_length=a).sum()
    slipping = patch.steady(slip_angle=0.25, speed=20.0).lateral_force
    yield Finding("as printed: distinct places, rolling", _distinct(ends), "=", 20)
    yield Finding("as printed: load, of 1400 N", printed_load(ends).sum() / LOAD, "<=", 0.951)
    yield Finding("corrected: distinct places, rolling", _distinct(cells), "=", 21)
    yield Finding("corrected: load, off 1400 N, of it", abs(load / LOAD - 1.0), "<=", 0.002)
    yield Finding("corrected: Fy in full slip, off 560 N, of it", abs(slipping / (MU * LOAD) - 1.0), "<=", 0.002)


def _distinct(xi: Array) -> int:
    """How many places are left after rolling a little, wrapped into the patch."""
    rolled = np.mod(xi - 0.003 + A_HALF, 2.0 * A_HALF)
    return int(np.unique(np.round(rolled, 9)).size)


def entry_error(entering: oracles.Entering, *, alpha: float, V: float) -> float:
    """Of the mean lateral force of the paper's row, T = 1 ms, K = 1e4 N/m, of the brush's; alpha [rad], V [m/s]."""
    force = oracles.row_force(entering, alpha=alpha, V=V, T=T, K=STIFF, n=101, ticks=200, warm=60)
    return force / float(brush(alpha, K=STIFF)[0]) - 1.0


@paper.claim(source="(4), (6)", as_printed=False)
def entering_bristles(subject: YamamotoSubject) -> Findings:
    """A bristle that wraps enters unstretched and has been in the patch for only a part of the tick. Kept stretched, Fy
    is 5.5 % too large at 20 m/s (alpha = 0.04 rad, 1 ms); unstretched but given the full period, 10.5 % at 70 m/s. Ours
    is right to 0.0001, tick by tick.

    Printed: nothing about what a bristle brings with it when it comes round; (6) has T for all.
    """
    # The paper's row in plain sums with three ways to enter; our patch at the same ticks.
    whole = entry_error(oracles.full_period, alpha=0.04, V=70.0)
    yield Finding("kept stretched, 20 m/s: too large by", entry_error(oracles.kept, alpha=0.04, V=20.0), ">=", 0.05)
    yield Finding("given the full T, 70 m/s: too large by", whole, ">=", 0.1)
    yield Finding("since entry, 70 m/s: off by", abs(entry_error(oracles.since_entry, alpha=0.04, V=70.0)), "<=", 1e-4)
    for V in (20.0, 70.0):
        off = np.abs(ours_entering(subject, alpha=0.04, V=V, bristles=401)[60:] / float(brush(0.04, K=STIFF)[0]) - 1.0)
        yield Finding(f"ours at {V:g} m/s, any tick: off by", off.max(), "<=", 1e-4)


def ours_entering(subject: YamamotoSubject, *, alpha: float, V: float, bristles: int) -> Array:
    """Lateral force [N] of our patch over 200 ticks of 1 ms, steer angle held; alpha [rad], V [m/s]."""
    patch = subject.brush(bristles=bristles)
    return patch.run(steer=np.zeros(200), slip_angle=alpha, speed=V, period=T).lateral_force
