"""One tick of a contact's elements: a spring and damper along the normal, another with friction across it.

Normal, gap p (positive when open), relative velocity v_n = p', stretch e of the spring, force f:
    f = K (e + beta e'),  0 <= f, e + p >= 0, f (e + p) = 0.
Across, relative velocity v_t, stretch a, force f_t on the body that touches:
    f_t = -Kt (a + beta_t a'),  f_t opposes the slip v_t - a' and is mu f_n at most.
By backward Euler both become rows ``h = v + c f - w*`` of the dual: h_n = (e1 + p1)/T, h_t = the slip.  [xiong2011]
"""

from tegotae.compile import kernel


@kernel
def compliance(K, beta, T):
    """c, of a normal or a tangential row."""
    return 1.0 / (K * (T + beta))


@kernel
def normal_offset(p, e, beta, T):
    """w* of a normal row."""
    return -(p + beta * e / (T + beta)) / T


@kernel
def normal_stretch(f, e, K, beta, T):
    """e after the tick, from the force; without force the spring relaxes."""
    return (f * T / K + beta * e) / (T + beta)


@kernel
def tangent_offset(a, beta, T):
    """w* of a tangential row."""
    return -a / (beta + T)


@kernel
def tangent_stretch(f, a, K, beta, T):
    """a after the tick, from the force."""
    return (beta * a - f * T / K) / (T + beta)


@kernel
def tangent_stretches(f_n, f1, f2, v1, v2, a1, a2, mu, K, beta, T):
    """Both components of a after the tick.

    Where it sticks the stretch follows the motion itself. Taken from the force, which is known to rounding only, each
    tick would move the anchor by a little, and a box at rest would creep.
    """
    limit = mu * f_n
    if f1 * f1 + f2 * f2 < limit * limit * (1.0 - 1e-12):
        return a1 + T * v1, a2 + T * v2
    return tangent_stretch(f1, a1, K, beta, T), tangent_stretch(f2, a2, K, beta, T)
