"""The exact-step cap: no wrench may put more energy into the bodies than the contact took from them.

A wrench w held over a tick T does the work b + a on bodies with mobility G that move with the relative twist V:

    b = T w.V,   a = T^2/2 w.G w,   and scaled by s:   b s + a s^2

exactly, whatever the delay that made w. With a budget E the largest s <= 1 that keeps within it is a root of a square.

B: 0 budget of the normal part, 1 of the tangential part [J], 2 energy refused so far [J], 3 impulse refused [N s],
   4 work done so far on the bodies [J].
"""

import math

from tegotae.compile import kernel

NORMAL, TANGENTIAL, REFUSED, IMPULSE, WORK, SIZE = 0, 1, 2, 3, 4, 5


@kernel
def largest_share(a, b, E):
    """The largest s in [0, 1] with a s^2 + b s <= E, for a, E >= 0."""
    if a + b <= E:
        return 1.0
    if a <= 0.0:  # then b > E >= 0
        return E / b
    return min(1.0, max(0.0, (-b + math.sqrt(b * b + 4.0 * a * E)) / (2.0 * a)))


@kernel
def work_of(w, V, G, T, first, second, third):
    """a and b of three components of the wrench."""
    a = b = 0.0
    for i in (first, second, third):
        b += w[i] * V[i]
        for j in (first, second, third):
            a += w[i] * G[i, j] * w[j]
    return 0.5 * T * T * a, T * b


@kernel
def cap(w, V, G, T, B, switched_on):
    """Scale w so that it does no more work than B allows; V becomes the twist after the tick's push.

    First the normal force and the two tilting torques, then, scaled alike, the tangential forces and the twisting
    torque with a budget of their own: friction then cannot spend what the normal spring has stored.
    """
    a, b = work_of(w, V, G, T, 2, 3, 4)
    s = largest_share(a, b, max(B[NORMAL], 0.0)) if switched_on else 1.0
    B[REFUSED] += max(0.0, a + b - (a * s * s + b * s))
    B[IMPULSE] += (1.0 - s) * T * abs(w[2])
    B[NORMAL] -= a * s * s + b * s
    B[WORK] += a * s * s + b * s
    for i in range(6):
        w[i] *= s
    for i in range(6):
        V[i] += T * (G[i, 2] * w[2] + G[i, 3] * w[3] + G[i, 4] * w[4])
    a, b = work_of(w, V, G, T, 0, 1, 5)
    s = largest_share(a, b, max(B[TANGENTIAL], 0.0)) if switched_on else 1.0
    B[REFUSED] += max(0.0, a + b - (a * s * s + b * s))
    B[TANGENTIAL] -= a * s * s + b * s
    B[WORK] += a * s * s + b * s
    for i in (0, 1, 5):
        w[i] *= s
    for i in range(6):
        V[i] += T * (G[i, 0] * w[0] + G[i, 1] * w[1] + G[i, 5] * w[5])
