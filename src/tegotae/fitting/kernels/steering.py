"""A steering system turned round: the motion of the wheel in, the torque of the hand out, in yamamoto2006's letters.

    p  I, N, K_f, B_f, T_f; tyre     s  f = -tau_h, tau_h, v0 (delta' before), e (of the drive train); tyre     w  tyre

The tick is the one of the circuit: N tau_h = I (v - v0)/T + tau_r + tau_f, with v the wheel's rate over N.
"""

from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.kernels.stick_slip import as_if_stuck, limited, stick_slip


@kernel
def of_patch(tyre):
    """-tau_r of a tyre without a vehicle."""
    return tyre.force[0]


@kernel
def of_front(tyre):
    """-tau_r of a vehicle's steered axle."""
    return tyre.front.force[0]


@cache
def felt_kernels(make_tyre, torque, *functions):
    """Around any tyre, its vehicle included; `torque` finds what it gave in its state."""
    tyre = make_tyre(*functions)
    tyre_answer, tyre_advance, tyre_prepare = tyre.answer, tyre.advance, tyre.prepare

    @kernel
    def prepare(p, s, w, T):
        """The tyre's."""
        tyre_prepare(p.tyre, s.tyre, w.tyre, T)

    @kernel
    def answer(p, s, w, x, T):
        """-tau_h for a trial rate of the wheel, and its slope."""
        v = x / p.N
        force, slope = tyre_answer(p.tyre, s.tyre, w.tyre, v, T)
        trial, ic = as_if_stuck(p.K_f, p.B_f, s.e[0], v, T)
        tau_f, rubs = stick_slip(trial, p.T_f, ic)
        return (force - p.I * (v - s.v0[0]) / T - tau_f) / p.N, (slope - p.I / T - rubs) / (p.N * p.N)

    @kernel
    def advance(p, s, w, x, T):
        """Commit a rate of the wheel."""
        v = x / p.N
        tyre_advance(p.tyre, s.tyre, w.tyre, v, T)
        trial, ic = as_if_stuck(p.K_f, p.B_f, s.e[0], v, T)
        tau_f = limited(trial, p.T_f)
        s.e[0] += T * (v - (trial - tau_f) / ic)
        s.tau_h[0] = (p.I * (v - s.v0[0]) / T - torque(s.tyre) + tau_f) / p.N
        s.f[0], s.v0[0] = -s.tau_h[0], v

    return Halves(answer, advance, prepare)
