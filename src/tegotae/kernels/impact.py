"""An impact inside a tick: when it is, how fast, and what is left of the speed. Newton's law, each contact by itself.

A gap p moves from the start of a tick, or from the middle of one to that of the next, by T times its rate in between;
without the impact by T v, of which a T is what smooth forces gave. The gap is a parabola then, and crosses 0 after a
part s of T at a speed u. It leaves with restitution times u; s tells how much of T is left to move with that.
"""

import math

from tegotae.compile import kernel


@kernel
def meeting(p, v, a, T):
    """(s, u): after which part of T a gap p > 0 that ends below 0 crosses it, and how fast it closes there."""
    early = v - 0.5 * a * T
    u = math.sqrt(max(0.0, early * early - 2.0 * a * max(p, 0.0)))
    if not p > 0.0:
        return 0.0, max(0.0, -early)
    if early > 0.0:  # out first, and back within T
        return min(max(-(early + u) / (a * T), 0.0), 1.0), u
    return min(max(2.0 * p / ((u - early) * T), 0.0), 1.0), u


@kernel
def parting_speed(restitution, p, s, u, a, T):
    """(v, s): the rate of the gap that the impact leaves, as v is counted, and the part of T before it counts.

    A bounce that would be over within T is rest: the gap is closed at the end, with nothing to be taken back.
    """
    fast = restitution * u
    if fast > 0.0 and 2.0 * fast > -a * T:
        return fast + a * T * (0.5 - s), s
    return -p / T, 0.0
