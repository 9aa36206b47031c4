"""A steering system turned round: the motion of the wheel in, the torque of the hand out, in yamamoto2006's letters.

    p = [I, N, K_f, B_f, T_f, tyre p...]     s = [-tau_h, tau_h, delta' before, e of the drive train, tyre s...]

x = [wheel rate, V] over the tick. The tick is the one of the circuit: N tau_h = I (v - v0)/T + tau_r + tau_f.
"""

from functools import cache

from tegotae.compile import kernel
from tegotae.steering.kernels.patch import FORCE, SPEED

COLUMN, HEAD = 5, 4


@cache
def felt_kernels(make_tyre, *functions):
    """Around any tyre, its vehicle included."""
    _, tyre_advance = make_tyre(*functions)

    @kernel
    def answer(p, s, x, T, out, slope):
        """Nobody couples to it."""

    @kernel
    def advance(p, s, x, T):
        """Commit a motion."""
        I, N, K_f, B_f, T_f = p[0], p[1], p[2], p[3], p[4]  # noqa: E741
        v, tyre = x[0] / N, s[HEAD:]
        tyre[SPEED] = x[1]
        tyre_advance(p[COLUMN:], tyre, v, T)
        ic = B_f + T * K_f
        trial = K_f * s[3] + ic * v
        tau_f = min(max(trial, -T_f), T_f)
        s[3] += T * (v - (trial - tau_f) / ic)
        s[1] = (I * (v - s[2]) / T - tyre[FORCE] + tau_f) / N
        s[0], s[2] = -s[1], v

    return answer, advance
