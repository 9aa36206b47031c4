"""A six-axis force sensor: strains in, wrench out.

S: 0:36 strain of unit wrenches (by rows), 36:72 calibration (by rows), 72:78 tare [strain], 78:84 noise [strain],
84:90 load that the sensor carries, 90:96 limits, 96 share of the filter, 97 delay [samples].
s: 0:6 filtered strain, 6 place in the ring, 7: ring of delayed strains.
"""

import math

from tegotae.compile import kernel

# splitmix64's odd numbers, as int64 has them: sums and products wrap, to the same bits as without a sign.
_STEP, _MIX1, _MIX2 = 0x9E3779B97F4A7C15 - 2**64, 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64


@kernel
def shifted(x, by):
    """The bits of x moved down, zeros after them: >> alone would repeat the sign."""
    return (x >> by) & ((1 << (64 - by)) - 1)


@kernel
def uniform(r):
    """A number in (0, 1], the state r[0] moved on (splitmix64): the same in a loop and tick by tick."""
    r[0] += _STEP
    x = r[0]
    x = (x ^ shifted(x, 30)) * _MIX1
    x = (x ^ shifted(x, 27)) * _MIX2
    x = x ^ shifted(x, 31)
    return (float(shifted(x, 11)) + 1.0) / 9007199254740992.0


@kernel
def sense(S, s, r, F, signal, out):
    """What is read while F acts, as strains into signal and as a wrench into out; how many axes are overloaded."""
    over = 0
    delay = int(S[97])
    spare = 0.0
    for i in range(6):
        strain = 0.0
        for j in range(6):
            w = F[j] + S[84 + j]
            strain += S[6 * i + j] * max(-S[90 + j], min(S[90 + j], w))
        if abs(F[i] + S[84 + i]) > S[90 + i]:
            over += 1
        if i % 2 == 0:
            a, b = math.sqrt(-2.0 * math.log(uniform(r))), 2.0 * math.pi * uniform(r)
            noise, spare = a * math.cos(b), a * math.sin(b)
        else:
            noise = spare
        s[i] += S[96] * (strain + S[78 + i] * noise - s[i])
    at = int(s[6])
    for i in range(6):
        late = s[i]
        if delay > 0:
            late = s[7 + 6 * at + i]
            s[7 + 6 * at + i] = s[i]
        signal[i] = late
        out[i] = late - S[72 + i]
    if delay > 0:
        s[6] = (at + 1) % delay
    return calibrate(S, out, over)


@kernel
def calibrate(S, out, over):
    """Strains in out become a wrench."""
    a, b, c, d, e, f = out[0], out[1], out[2], out[3], out[4], out[5]
    for i in range(6):
        k = 36 + 6 * i
        out[i] = S[k] * a + S[k + 1] * b + S[k + 2] * c + S[k + 3] * d + S[k + 4] * e + S[k + 5] * f
    return over


@kernel
def read(S, s, r, F, signal, out, over):
    """A whole record."""
    for k in range(F.shape[0]):
        over[k] = sense(S, s, r, F[k], signal[k], out[k])
