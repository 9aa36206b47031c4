"""The guard of a hybrid loop: no wrench may put more energy into a machine than the contact took from it.

A machine that moves with m + S h in the mean over a tick T under a wrench h feels the work T h.(m + S h); scaled by s

    b s + a s^2,   b = T h.m,   a = T h.S h

exactly, whatever the delay that made h. With a budget E the largest s <= 1 that keeps within it is a root of a square.
A machine that is not linear over a tick (friction in its joints) does a little more or less: that is counted too.

B: 0 budget of the normal part, 1 of the tangential part [J], 2 energy refused so far [J], 3 impulse refused [N s],
   4 work done so far on the machine [J].
"""

import math

from tegotae.compile import kernel

NORMAL, TANGENTIAL, REFUSED, IMPULSE, WORK, SIZE = 0, 1, 2, 3, 4, 5
_ROUNDING = 1e-12  # of what is added up: less is none of the machine's


@kernel
def largest_share(a, b, E):
    """The largest s in [0, 1] with a s^2 + b s <= E, for a, E >= 0."""
    if a + b <= E:
        return 1.0
    if a <= 0.0:  # then b > E >= 0
        return E / b
    return min(1.0, max(0.0, (-b + math.sqrt(b * b + 4.0 * a * E)) / (2.0 * a)))


@kernel
def work_of(h, m, S, T, first, second, third):
    """a and b of three components of the wrench."""
    a = b = 0.0
    for i in (first, second, third):
        b += h[i] * m[i]
        for j in (first, second, third):
            a += h[i] * S[i, j] * h[j]
    return T * a, T * b


@kernel
def spend(B, which, a, b, s):
    """Count the work a s^2 + b s, and what was refused of a + b."""
    done = a * s * s + b * s
    B[REFUSED] += max(0.0, a + b - done)
    B[which] -= done
    B[WORK] += done


@kernel
def cap(h, m, S, T, B, switched_on):
    """Scale h so that it does no more work than B allows; m, the motion without h, is overwritten.

    First the normal force and the two tilting torques, then, scaled alike, the tangential forces and the twisting
    torque with a budget of their own: friction then cannot spend what the normal spring has stored. Gives the work.
    """
    before = B[WORK]
    a, b = work_of(h, m, S, T, 2, 3, 4)
    E = max(min(B[NORMAL], B[NORMAL] + B[TANGENTIAL]), 0.0)
    s = largest_share(a, b, E) if switched_on else 1.0
    spend(B, NORMAL, a, b, s)
    B[IMPULSE] += (1.0 - s) * T * abs(h[2])
    for i in range(6):
        h[i] *= s
    for i in range(6):
        for j in (2, 3, 4):
            m[i] += (S[i, j] + S[j, i]) * h[j]
    a, b = work_of(h, m, S, T, 0, 1, 5)
    E = max(min(B[TANGENTIAL], B[NORMAL] + B[TANGENTIAL]), 0.0)
    s = largest_share(a, b, E) if switched_on else 1.0
    spend(B, TANGENTIAL, a, b, s)
    for i in (0, 1, 5):
        h[i] *= s
    return B[WORK] - before


@kernel
def correct(h, m, T, B, counted):
    """Count what the work of h on the motion m differs from what was foreseen, beyond rounding."""
    done = size = 0.0
    for i in range(6):
        done += T * h[i] * m[i]
        size += T * abs(h[i] * m[i])
    if abs(done - counted) > _ROUNDING * (size + abs(B[WORK])):
        B[TANGENTIAL] -= done - counted
        B[WORK] += done - counted
