"""An impact inside a tick: when it is, how fast, and what is left of the speed. Newton's law, each contact by itself.

A gap p moves from the start of a tick, or from the middle of one to that of the next, by T times its rate in between;
without the impact by T v, of which a T is what smooth forces gave. The gap is a parabola then, and crosses 0 after a
part s of T at a speed u. It leaves with restitution times u; in what is left of T it moves with that, and in the part s
as if there had been no impact: so the end of the tick is put right by -s T times the change of rate.
"""

import math

from tegotae.compile import kernel

PUSHED = 0.25  # of its speed a gap is changed by smooth forces in a tick at most: more is what other contacts do


@kernel
def meeting(p, v, a, late, T):
    """(s, u): after which part of T a gap p that ends below 0 crosses it, and how fast it closes there [p/T].

    One that starts below 0 has crossed it before, by `late` parts of T at most: in the half of T up to a middle, or in
    the ticks before, driven by other impacts. It is never faster than at the start or the end of T: what contacts do in
    a tick, and not smooth forces, is no parabola.
    """
    early = v - 0.5 * a * T
    fastest = max(0.0, -v, a * T - v)
    fastest += min(0.5 * abs(a) * T, PUSHED * fastest)  # rates may be those of the middles of ticks
    u = min(math.sqrt(max(0.0, early * early - 2.0 * a * p)), fastest)
    if early > 0.0:  # out first, and back within T
        return (min(max(-(early + u) / (a * T), 0.0), 1.0) if a < 0.0 else 0.0), u
    closing = u - early
    return (min(max(2.0 * p / (closing * T), -late), 1.0) if closing > 0.0 else 0.0), u


@kernel
def parting(restitution, p, v, s, u, a, late, T):
    """(rate, s): the rate of the gap after the impact, counted as v is, and the part of T for which it is put right.

    A bounce that would be over within a tick is rest: the gap stands still, and at 0.
    """
    fast, a = restitution * u, min(a, PUSHED * u / T)
    if fast > 0.0 and 2.0 * fast > -a * T:
        return fast + a * T * (0.5 - (s if a < 0.0 else max(s, -0.5))), s
    return 0.0, (min(max(-p / (v * T), -late), 1.0) if v < 0.0 else 0.0)
