"""A six-axis force sensor: strains in, wrench out.

S is the sensor and s what it remembers, see `SENSOR` and `SENSOR_STATE` of `plant_layout`.
"""

import math

from tegotae.compile import entry, kernel

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
def sense(S, s, F, T, signal, out):
    """What is read while F acts, as strains into signal and as a wrench into out; how many axes are overloaded."""
    over = 0
    delay = s.late.shape[0]
    share = -math.expm1(-2.0 * math.pi * S.cutoff * T)
    spare = 0.0
    for i in range(6):
        strain = 0.0
        for j in range(6):
            w = F[j] + S.load[j]
            strain += S.E[i, j] * max(-S.limit[j], min(S.limit[j], w))
        if abs(F[i] + S.load[i]) > S.limit[i]:
            over += 1
        if i % 2 == 0:
            a, b = math.sqrt(-2.0 * math.log(uniform(s.chance))), 2.0 * math.pi * uniform(s.chance)
            noise, spare = a * math.cos(b), a * math.sin(b)
        else:
            noise = spare
        s.strain[i] += share * (strain + S.noise[i] * noise - s.strain[i])
    at = s.place[0]
    for i in range(6):
        late = s.strain[i]
        if delay > 0:
            late = s.late[at, i]
            s.late[at, i] = s.strain[i]
        signal[i] = late
        out[i] = late - S.tare[i]
    if delay > 0:
        s.place[0] = (at + 1) % delay
    a, b, c, d, e, f = out[0], out[1], out[2], out[3], out[4], out[5]
    for i in range(6):
        k = S.C[i]
        out[i] = k[0] * a + k[1] * b + k[2] * c + k[3] * d + k[4] * e + k[5] * f
    return over


@entry
def read(S, s, F, T, signal, out, over):
    """A whole record."""
    for k in range(F.shape[0]):
        over[k] = sense(S, s, F[k], T, signal[k], out[k])
