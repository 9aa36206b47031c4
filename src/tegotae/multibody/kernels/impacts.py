"""Impacts of pairs with a restitution, inside the ticks of a scene: Newton's law, and Coulomb's for what rubs.

A tick is first solved with all such pairs kept out that are not in lasting touch. Where that drives none of them
through its surface, it is the tick. What it does drive through is struck: `tegotae.kernels.impact` tells when, how fast
and what is left of the speed, and the tick is solved once more, where the normal row of a struck pair asks for that
rate, and lasting touches of the same trees give way as little. Both do so rigidly, across the normal too.

Bodies fly as they did until the impact, and from there as they do after it: places are shifted by -s T times the change
of speeds, s the part of the tick before the impact. By the midpoint the tick goes from one middle to the next, and the
way of the middles lies a T²/8 off that of the bodies (a what the gap accelerates by), which is minded.

What an impact drives together, or is met after the end of the tick, is struck in the next tick (s < 0 where it was met
before its start). What comes to rest so deep that its spring would throw it is struck again and again, and
moved out, until it is not.

Marks of pairs: OUT of the tick, as its elements make it (LASTING), STRUCK, or a lasting touch that is struck along
(FIRM).
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_inside, kernel_rare
from tegotae.kernels.contact import normal_stretch, tangent_stretch
from tegotae.kernels.impact import meeting
from tegotae.kernels.impact import parting as left_over
from tegotae.multibody.kernels import records as at
from tegotae.multibody.kernels.contacts import (
    add_contact,
    at_first,
    at_second,
    commit_contacts,
    contact_kernels,
    free_velocity,
    rows_in,
)
from tegotae.multibody.kernels.kinematics import FREE, MASS, OMEGA, OWN_BIAS, S_, VELOCITY, bias, move_on
from tegotae.multibody.kernels.midpoint import turn_free, turns
from tegotae.multibody.kernels.places import parting
from tegotae.multibody.kernels.quantities import spread

OUT, LASTING, STRUCK, FIRM = -1, 0, 1, 2
# Rows of w.hits, one a pair: the rate that its gap must have now, without and with its restitution; the part of the
# tick before the impact; 1 if it comes to rest; which part of its impulse holds it there. Its memory before the tick.
AIM, LEAST, WHOLE, PART, RESTS, SHARE, STRETCHES, HITS = 0, 1, 2, 3, 4, 5, 6, 10
# Compliance of rigid rows, as a part of how they answer: corners that share a load can be told; if not, more.
HARD, SOFTER = 1e-9, 1e-6
NEAR = 1e-10  # m, rad: a gap that is none
LATE = 1.5  # ticks after which an impact that another has led to may be noticed
WITHIN = 1.1  # times its stretch a spring may be pressed to be its own: more is what impacts did
THROWN = 10.0  # times what a lasting touch bears that its spring may press with
TOO_LATE, SLIGHT = 4.0, 1e-6  # ticks, and m or rad: what was driven farther in since it was met was not met in time
LYING = 0.1  # of the speed that it is driven in with, what was struck in the last tick had already if it did not lie
GAINS = 1e-10  # relative: energy that rounding makes
# What a tick is being solved for.
FREELY, BENT, HIT, TURNED, LESSENED, DONE = 0, 1, 2, 3, 4, 5


@kernel
def bounces(p, c):
    """Whether a pair has a restitution."""
    return p.contacts[c, at.RESTITUTION] >= 0.0


@kernel
def carried(s, c):
    """Whether a force acts in a pair: that of the last tick, or what is committed of this one."""
    f = s.touching[c]
    return f[at.FORCE] != 0.0 or f[at.FORCE + 1] != 0.0 or f[at.FORCE + 2] != 0.0


@kernel
def keep_out(p, s, w):
    """Marks before a tick: what has a restitution and is open is kept out of it."""
    w.struck[0], w.missed[0], w.hard[0] = 0, 0, HARD
    for c in range(len(p.which)):
        w.mark[c] = OUT if bounces(p, c) and s.touching[c, at.HELD] == 0.0 else LASTING
    for o in range(len(w.late)):
        w.late[o] = 0.0


@kernel
def take_part_marked(p, s, w):
    """Pairs that take part in a tick from its start; how many."""
    touched = 0
    for c in range(len(p.which)):
        mark = w.mark[c]
        w.active[c] = -1 if mark == OUT else (1 if mark != LASTING or carried(s, c) else 0)
        touched += w.active[c] == 1
    return touched


@kernel
def add_marked(p, s, w, c, m, blocks, T):
    """Rows of pair c; how many rows there are then. What is struck has no elements: see `harden`."""
    rows = add_contact(p, s, w, c, m, blocks, T)
    if w.mark[c] > LASTING:
        first, second = w.S[p.which[c, at.BODY]], w.S[p.which[c, at.ON]]
        for row in range(m, rows):
            w.columns[at.C, row] = -1.0
            w.columns[at.B, row] = at_first(w.levers[row], first) + at_second(w.levers[row], second)
        w.columns[at.B, m] -= w.hits[c, AIM]
    return rows


@kernel
def harden(w, blocks):
    """Compliances of rigid rows, by how they answer; alike across the normal, where perhaps only one does."""
    C, W = w.columns[at.C], w.W
    for block in range(blocks):
        n = w.blocks[at.FIRST, block]
        if not C[n] < 0.0:
            continue
        along = W[n, n] if W[n, n] > 0.0 else 1.0
        C[n] = w.hard[0] * along
        if rows_in(w, block) == 3:
            across = 0.5 * (W[n + 1, n + 1] + W[n + 2, n + 2])
            C[n + 1] = C[n + 2] = w.hard[0] * (across if across > 0.0 else along)


@cache
def rigid_contacts(at_rest, resolve):
    """`contact_kernels` that know marks."""
    return contact_kernels(at_rest, resolve, add_marked, harden)


# ------------------------------------------------------------ what is struck, when, and what is left of its speed


@kernel
def strike(n, restitution, p, bent, before, v, T):
    """Numbers of a pair whose gap p closes at the rate v, before this tick at another.

    `bent` is what is added to the gap for the moment of the impact. What comes to rest does so where its element is.
    """
    a = (v - before) / T
    part, u = meeting(p + bent, v, a, LATE, T)
    fast = restitution * u
    n[WHOLE], n[PART] = left_over(restitution, p, v, part, u, a, LATE, T)
    n[RESTS], n[SHARE], n[LEAST] = 0.0, 0.0, n[WHOLE] - fast
    if not (fast > 0.0 and 2.0 * fast > -a * T):  # the impulse also bears what presses from then on
        n[RESTS], n[SHARE], n[LEAST] = 1.0, min(1.0, max(0.0, (before - v) / -v)), 0.0
    n[AIM] = n[WHOLE]


@kernel
def root_of(p, c):
    """The foot of a tree that a pair belongs to, -1 if both are fixed to the world."""
    k = p.which[c, at.BODY] if p.which[c, at.BODY] >= 0 else p.which[c, at.ON]
    return p.root[k] if k >= 0 else -1


@kernel
def join_trees(p, w):
    """w.group: a number for each tree, the same for those that touch each other in this tick."""
    for k in range(len(p.parent)):
        w.group[k] = p.root[k]
    for c in range(len(p.which)):
        one, two = p.which[c, at.BODY], p.which[c, at.ON]
        if one < 0 or two < 0 or not (w.mark[c] == STRUCK or w.active[c] == 1):
            continue
        kept, other = w.group[p.root[one]], w.group[p.root[two]]
        for k in range(len(p.parent)):
            if w.group[k] == other:
                w.group[k] = kept


def strike_kernel(bend, reach):
    """`strikes`; the way of the elements lies `bend` a T² off that of the bodies, and ends after `reach` T."""

    @kernel
    def strikes(p, s, w, T):
        """Mark what the speeds found without open pairs drive through its surface; how many there are."""
        for o in range(len(w.v1)):
            w.free[o] = w.v1[o]
        spread(p.parent, p.kind, p.vi, w.zero, w.begun, w.S)
        for c in range(len(p.which)):
            w.hits[c, AIM] = parting(p, w, c, 0, S_, S_ + 3)
        spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
        for c in range(len(p.which)):
            if w.mark[c] != OUT:
                continue
            v, before = parting(p, w, c, 0, S_, S_ + 3), w.hits[c, AIM]
            gap, bent = -T * free_velocity(p, s, w, c, T), bend * T * (v - before)
            w.hits[c, SHARE] = gap
            if gap + reach * T * v < 0.0 and v < 0.0 and min(gap, T * v) < -NEAR:
                strike(w.hits[c], p.contacts[c, at.RESTITUTION], gap, bent, before, v, T)
                w.mark[c] = STRUCK
                w.struck[0] += 1
                # Bodies rattle faster than ticks can tell; but what lay there already is only moved out, tick by tick.
                lay = carried(s, c) and before > LYING * v
                if gap < TOO_LATE * T * v - SLIGHT and not lay:
                    w.missed[0] += 1
        if w.struck[0] > 0:
            firm_up(p, w)
        return w.struck[0]

    return strikes


@kernel_rare
def firm_up(p, w):
    """Touches of trees that are struck, which give way no more than they do anyway; columns s have the speeds."""
    for c in range(len(p.which)):
        if w.mark[c] == OUT and w.hits[c, SHARE] < NEAR:  # it touches, and nothing drives it
            w.active[c] = 1
    join_trees(p, w)
    for k in range(len(p.parent)):
        w.shares[k, 1] = 0.0
    for c in range(len(p.which)):
        if w.mark[c] == STRUCK:
            w.shares[w.group[root_of(p, c)], 1] = 1.0
    for c in range(len(p.which)):
        r = root_of(p, c)
        if w.mark[c] < STRUCK and w.active[c] == 1 and bounces(p, c) and r >= 0 and w.shares[w.group[r], 1] > 0.0:
            w.hits[c, RESTS], w.hits[c, SHARE] = 1.0 if w.mark[c] == OUT else 0.0, 0.0
            w.mark[c] = FIRM
            aim = min(0.0, parting(p, w, c, 0, S_, S_ + 3))
            w.hits[c, AIM] = w.hits[c, LEAST] = w.hits[c, WHOLE] = aim


# ------------------------------------------------------------ after it is solved


@kernel
def find_parts(p, w):
    """Of all trees: the part of the tick before their impacts, the mean by impulse of those that touch each other."""
    join_trees(p, w)
    for k in range(len(p.parent)):
        w.shares[k, 0] = w.shares[k, 1] = 0.0
    for block in range(w.met[0]):
        c = w.blocks[at.OWNER, block]
        if c >= 0 and w.mark[c] == STRUCK and root_of(p, c) >= 0:
            f, t = w.columns[at.F, w.blocks[at.FIRST, block]], w.shares[w.group[root_of(p, c)]]
            t[0] += f * w.hits[c, PART]
            t[1] += f
    for k in range(len(p.parent)):
        w.parts[k] = 0.0
        t = w.shares[w.group[k]]
        if t[1] > 0.0:
            w.parts[k] = t[0] / t[1]


@kernel
def speeds_of(p, k):
    """How many speeds body k has."""
    return 6 if p.kind[k] == FREE else 1


@kernel
def find_shift(p, w):
    """Where bodies are beside where they would be if the impact were at the start of the tick, over T."""
    for k in range(len(p.parent)):
        for o in range(p.vi[k], p.vi[k] + speeds_of(p, k)):
            w.late[o] = -w.parts[k] * (w.v1[o] - w.free[o])


@kernel
def mean_in_impact(p, w, least, most):
    """w.lean: the mean of the speeds just before and just after the impact."""
    for k in range(len(p.parent)):
        part = min(max(w.parts[k], least), most)
        for o in range(p.vi[k], p.vi[k] + speeds_of(p, k)):
            w.lean[o] = 0.5 * (w.free[o] + w.v1[o]) - (w.free[o] - w.begun[o]) * (0.5 - part)


@kernel
def rigid(w, block):
    """Whether a block is a pair that takes part rigidly."""
    c = w.blocks[at.OWNER, block]
    return c >= 0 and w.mark[c] > LASTING


@kernel
def row_rate(p, w, block, row):
    """How fast a row of a pair moves, by columns s."""
    c = w.blocks[at.OWNER, block]
    return at_first(w.levers[row], w.S[p.which[c, at.BODY]]) + at_second(w.levers[row], w.S[p.which[c, at.ON]])


@kernel
def note_rates(p, w, r):
    """Forces of rigid rows into row r of w.forces, and their rates in the impact into the next."""
    mean_in_impact(p, w, 0.0, 1.0)
    spread(p.parent, p.kind, p.vi, w.zero, w.lean, w.S)
    for block in range(w.met[0]):
        start = w.blocks[at.FIRST, block]
        for row in range(start, start + rows_in(w, block)):
            w.forces[r, row] = w.columns[at.F, row]
            w.forces[r + 1, row] = row_rate(p, w, block, row) if rigid(w, block) else 0.0


@kernel_rare
def gains(p, w, T):
    """Whether the impact gains energy, which Newton's law may with friction, or where several are struck at once.

    Columns s are those of the speeds then.
    """
    rubbing, struck = False, 0
    for c in range(len(p.which)):
        if w.mark[c] > LASTING:
            rubbing = rubbing or p.contacts[c, at.MU] > 0.0
            struck += 1
    if not rubbing and struck < 2:
        return False
    note_rates(p, w, 0)
    gain = size = 0.0
    for block in range(w.met[0]):
        start = w.blocks[at.FIRST, block]
        for row in range(start, start + rows_in(w, block)):
            work = w.forces[0, row] * w.forces[1, row]
            gain += work
            size += abs(work)
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    return gain > GAINS * size


@kernel_rare
def begin_lessening(p, w):
    """Keep the impact that gains energy, and ask for that without restitution."""
    for o in range(len(w.v1)):
        w.kept[o] = w.v1[o]
    w.lessened[0] = w.met[0]
    for c in range(len(p.which)):
        if w.mark[c] == STRUCK:
            w.hits[c, AIM] = w.hits[c, LEAST]


@kernel_rare
def lessen_impact(p, w):
    """The largest part of the impact kept that gains no energy, P0 + x (P - P0) with P0 that without restitution."""
    note_rates(p, w, 2)
    a = b = c = 0.0
    if w.lessened[0] == w.met[0]:  # else something came into touch in one of them alone: none is left
        for block in range(w.met[0]):
            start = w.blocks[at.FIRST, block]
            for row in range(start, start + rows_in(w, block)):
                f, h = w.forces[2, row], w.forces[3, row]
                df, dh = w.forces[0, row] - f, w.forces[1, row] - h
                a += df * dh
                b += 0.5 * (f * dh + df * h)
                c += f * h
    root = b * b - a * min(c, 0.0)
    x = (math.sqrt(root) - b) / a if a > 0.0 and root >= 0.0 else 0.0
    x = min(max(x, 0.0), 1.0)
    if w.lessened[0] == w.met[0]:
        for row in range(w.blocks[at.FIRST, w.met[0] - 1] + rows_in(w, w.met[0] - 1)):
            w.columns[at.F, row] += x * (w.forces[0, row] - w.columns[at.F, row])
    for o in range(len(w.v1)):
        w.v1[o] += x * (w.kept[o] - w.v1[o])
    for k in range(len(p.which)):
        n = w.hits[k]
        n[AIM] = n[LEAST] + x * (n[WHOLE] - n[LEAST])
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)


@kernel_rare
def turn_terms(p, w, T):
    """Velocity terms of the speeds before the impact and of those after it, by their parts of the tick, in whose middle
    parts are counted from. False if they stay as they were.
    """
    moved = 0.0
    for k in range(len(p.parent)):
        s, c, o = w.S[k], p.C[k], p.vi[k]
        b0, b1, b2 = s[OWN_BIAS], s[OWN_BIAS + 1], s[OWN_BIAS + 2]
        b3, b4, b5 = s[OWN_BIAS + 3], s[OWN_BIAS + 4], s[OWN_BIAS + 5]
        if p.kind[k] == FREE:
            for j in range(3):
                s[VELOCITY + j], s[OMEGA + j] = w.v1[o + j], w.v1[o + 3 + j]
                s[OWN_BIAS + 3 + j] = 0.0
            if turns(w.v1, o):
                turn_free(c, s, w.v1, o, 0.0, 0.0, 0.0, T)
        else:
            move_on(p.parent, p.kind, k, w.S, w.v1[o])
            bias(c[MASS], s)
        part = min(max(0.5 + w.parts[k], 0.0), 1.0)
        before = (b0, b1, b2, b3, b4, b5)
        for j in range(6):
            moved += abs(s[OWN_BIAS + j] - before[j])
            s[OWN_BIAS + j] += part * (before[j] - s[OWN_BIAS + j])
    return moved > 0.0


@kernel_inside
def after_impact(p, w, stage, bends, T):
    """What the tick is to be solved for next."""
    if w.found[0] == 0 and w.hard[0] < SOFTER:
        w.hard[0] = SOFTER
        return stage
    if stage == LESSENED:
        lessen_impact(p, w)
        return DONE
    find_parts(p, w)
    if stage == TURNED:
        return DONE
    if gains(p, w, T):
        begin_lessening(p, w)
        return LESSENED
    return TURNED if bends and turn_terms(p, w, T) else DONE


# ------------------------------------------------------------ the end of the tick


@kernel
def keep_stretches(p, s, w):
    """The memory of pairs, before the tick is committed."""
    for c in range(len(p.which)):
        w.hits[c, STRETCHES] = s.touching[c, at.E]
        for j in range(3):
            w.hits[c, STRETCHES + 1 + j] = s.touching[c, at.STRETCH + j]


@kernel
def commit_marked(p, s, w, T):
    """`commit_contacts`; an impact leaves springs as they were, and what it lets go of is open.

    Columns s have the speeds at the end.
    """
    keep_stretches(p, s, w)
    commit_contacts(p, s, w, w.met[0], T)
    for c in range(len(p.which)):
        f, n = s.touching[c], p.contacts[c]
        pressed = carried(s, c)
        f[at.HELD] = 1.0 if pressed and w.mark[c] != STRUCK and (f[at.HELD] > 0.0 or w.mark[c] == LASTING) else 0.0
        if not pressed or w.mark[c] <= LASTING:
            continue
        e, relaxing = w.hits[c, STRETCHES], f[at.HELD] == 0.0
        f[at.E] = normal_stretch(0.0, e, n[at.K], n[at.BETA], T) if relaxing else e
        for j in range(3):
            a = w.hits[c, STRETCHES + 1 + j]
            f[at.STRETCH + j] = tangent_stretch(0.0, a, n[at.K_T], n[at.BETA_T], T) if relaxing else a
    if w.struck[0] > 0:
        settle_down(p, s, w, T)


@kernel_rare
def settle_down(p, s, w, T):
    """What came to rest is in lasting touch, if it is no deeper than what it bears would press it; what others have
    driven far deeper is so no longer. A tick that notices an impact too late is not solved.
    """
    for o in range(len(w.v1)):
        w.lean[o] = w.v1[o] + w.late[o]
    spread(p.parent, p.kind, p.vi, w.zero, w.lean, w.S)
    for block in range(w.met[0]):
        c, row = w.blocks[at.OWNER, block], w.blocks[at.FIRST, block]
        if c < 0 or w.mark[c] <= LASTING:
            continue
        gap = w.places[c, at.GAP] + T * parting(p, w, c, 0, S_, S_ + 3)
        f, e = s.touching[c], w.hits[c, STRETCHES]
        if not w.columns[at.F, row] > 0.0:
            if w.mark[c] == FIRM and w.hits[c, RESTS] == 0.0 and NEAR < -gap <= WITHIN * e:
                f[at.HELD], f[at.E] = 1.0, e  # it is moved apart, but not out of its spring: that goes on pressing
            continue
        if w.hits[c, RESTS] == 0.0:
            if f[at.HELD] > 0.0 and p.contacts[c, at.K] * -(gap + f[at.E]) > THROWN * w.columns[at.F, row]:
                f[at.HELD] = 0.0  # its spring would throw what it holds
        elif p.contacts[c, at.K] * -(gap + f[at.E]) <= w.hits[c, SHARE] * w.columns[at.F, row]:
            f[at.HELD], f[at.E] = 1.0, max(f[at.E], -gap)
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    if w.missed[0] > 0:
        w.found[0] = 0
