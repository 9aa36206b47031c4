"""The stick-slip step: a spring and a damper behind dry friction, over one tick.  [kikuuwe2005 (18), M = 0]

    stuck = K (e + T v) + B v           what it would resist with if it stuck, e its stretch before, v its velocity
    f     = stuck where |stuck| <= F, else F sgn(stuck)
    slip  = (stuck - f)/ic              with ic = B + T K = dstuck/dv; what is not borne goes into slip
    e1    = e + T (v - slip) = (B e + T f)/ic

Resistances are positive against positive motion: of a force *on* the mover, take -v. In several directions |stuck| is
a norm and f has its direction. Everything here is put in place of its call and has no branch where the limit is a
number, so that loops over many elements work on several at a time.
"""

from functools import cache

from tegotae.compile import kernel, kernel_inside


@kernel_inside
def as_if_stuck(K, B, e, v, T):
    """stuck, ic. (With B/T for B and 1 for T, v is a way instead of a velocity, and ic is per way.)"""
    ic = B + T * K
    return K * e + ic * v, ic


@kernel_inside
def limited(stuck, F):
    """f."""
    return min(max(stuck, -F), F)


@kernel_inside
def stick_slip(stuck, F, ic):
    """f and its slope: by v for ic, by stuck for 1."""
    return min(max(stuck, -F), F), (ic if abs(stuck) <= F else 0.0)


@kernel_inside
def stretch_after(K, B, e, f, T):
    """e1 from f alone, however that was found."""
    return (B * e + T * f) / (B + T * K)


@kernel_inside
def grip(size, F):
    """|f|/|stuck| in several directions, for |stuck| = size: 1 if it sticks."""
    return F / size if size > F else 1.0


@cache
def sliding_kernel(magnitude, resolve):
    """The step where the limit b r(s) falls or rises with the slip speed s, for a friction law r and a load b."""

    @kernel
    def sliding(law, b, size, ic):
        """|f| and d|f|/dsize for |stuck| = size: ic s + b r(s) = size if it slips."""
        if size <= b * magnitude(law, 0, 0.0)[0]:
            return size, 1.0
        c = b / ic
        _, r, dr = resolve(law, 0, c, size / ic)
        return b * r, c * dr / (1.0 + c * dr)

    return sliding
