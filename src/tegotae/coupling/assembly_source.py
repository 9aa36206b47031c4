"""The source of a machine that is a circuit behind ports of its own.

    p  ratios (m), factors (k); whole: n, k, kept, motions (m), sources (k); then the circuit's
    s  outputs (k), the velocities of the m ports first; forces as given (kept: m of them, or 0); then the circuit's
    w  force (n), motion (n), slope (n, n) of the circuit's motions; then the circuit's

Port i moves ratios[i] times as fast as motion motions[i]; output j is factors[j] times number sources[j] of the
circuit's state. Places are read, not written down: where nothing can be compiled, one text serves all such machines.
"""

from __future__ import annotations

from tegotae.block import Halves
from tegotae.compile.templates import put
from tegotae.coupling.line import AROUND, halves_of

_MODULE = """
from tegotae.layout import Memory
made = make_inner()
{names} = {inner}


@kernel
def answer(p, s, w, h, T{filled}):
    {views}
    {gather}
    {ask}
    {give}


@kernel
def advance(p, s, w, h, v, T):
    {views}
    {gather}
    {ask}
    {commit}
    {publish}


@kernel_inside
def tick(p, s, w, h, T{moved}):
    {views}
    {gather}
    {take}
    {publish}
    {told}

"""

_VIEWS = """
n, k, kept = p.whole[0], p.whole[1], p.whole[2]
room = w.real[: 2 * n + n * n]
P = Memory(p.real[{m} + k :], p.whole[3 + {m} + k :])
S = Memory(s.real[k + kept :], s.whole)
W = Memory(w.real[2 * n + n * n :], w.whole)
"""

_PUBLISH = """
for j in range(k):
    s.real[j] = p.real[{m} + j] * S.real[p.whole[3 + {m} + j]]
for i in range(kept):
    s.real[k + i] = {given}
"""

_GATHER = """
for j in range(n):
    room[j] = 0.0
for i in range({m}):
    room[p.whole[3 + i]] += p.real[i] * {given}
"""

_GIVE = """
for i in range({m}):
    v[i] = p.real[i] * room[n + p.whole[3 + i]]
    for j in range({m}):
        slope[i, j] = p.real[i] * p.real[j] * room[2 * n + n * p.whole[3 + i] + p.whole[3 + j]]
"""

_ALONE = {
    "ask": "room[1], room[2] = inner_answer(P, S, W, room[0], T)",
    "commit": "inner_advance(P, S, W, room[0], room[1], T)",
    "take": "inner_tick(P, S, W, room[0], T)",
}
_SEVERAL = {
    "ask": "inner_answer(P, S, W, room[:n], T, room[n : 2 * n], room[2 * n :].reshape((n, n)))",
    "commit": "inner_advance(P, S, W, room[:n], room[n : 2 * n], T)",
    "take": "inner_tick(P, S, W, room[:n], T, room[n : 2 * n])",
}


def source_of_assembly(inner: Halves, motions: int, ports: int) -> str:
    """The module's text: `make` gives the machine as a block's halves, `make_inner` is to give the circuit's."""
    words = {"m": ports, "given": "h" if ports == 1 else "h[i]"}
    having = [name for name, half in zip(Halves._fields, inner, strict=True) if half is not None]
    alone = "return p.real[0] * room[n + p.whole[3]], p.real[0] * p.real[0] * room[2 * n + (n + 1) * p.whole[3]]"
    pieces: dict[str, object] = {
        **(_ALONE if motions == 1 else _SEVERAL),
        "names": ", ".join(f"inner_{name}" for name in having),
        "inner": ", ".join(f"made[{Halves._fields.index(name)}]" for name in having),
        "views": _VIEWS.format(**words),
        "gather": _GATHER.format(**words),
        "publish": _PUBLISH.format(**words),
        "filled": "" if ports == 1 else ", v, slope",
        "moved": "" if ports == 1 else ", v",
        "give": alone if ports == 1 else _GIVE.format(**words),
        "told": "" if ports == 1 else f"for i in range({ports}):\n    v[i] = s.real[i]",
        "prepares": "inner_prepare(P, S, W, T)" if inner.prepare else "",
        "restores": "inner_restore(P, S, W)" if inner.restore else "",
    }
    return put(_MODULE + AROUND, pieces | halves_of([inner], True))
