"""Impacts of nodes on walls and pegs with a restitution, inside a step of a rod that no port pushes.

A step is first solved as if what is open and has a restitution were not there: that tells which nodes meet something,
when, and how fast (`tegotae.kernels.impact`). Then all of these are solved together, each to leave with its speed,

    f >= 0,  v_n >= target,  f (v_n - target) = 0,

and what such walls and pegs already carry has the target 0: in an impact it does not give way. Each is a push that is
steep beside what resists at its node, f = max(0, F + Z (target - v_n)); solved anew with F the push that was found,
until the targets are met, it is as exact as rounding, while no step has a Z that would spoil the elimination. Then the
rod is moved to where it would be, had the speeds changed when the first node met its wall.

Blow of a node and a thing: whether it strikes as told here (else `press`), F, Z, target; a Z of 0 leaves it out. While
it is left out, the target is the rate of the gap at the start of the step.
"""

from tegotae.compile import kernel_rare, kernel_sums
from tegotae.kernels.impact import meeting, parting
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.newton import solve
from tegotae.rod.kernels.simd_rows import trace, velocities_of, where

STEEP = 100.0  # Z T over what resists beside the node
ROUNDS = 20
TOUCH = 1e-8  # of the length of a segment: nearer than this is on the face
LATE = 1.5  # steps after which an impact may be noticed
MET, NEARLY = 1e-9, 1e-6  # of the change of speed: so near is a target met; and where rounding does not allow it


@kernel_rare
def leave_out(w, n, around, y, v, v1, T):
    """What is open and has a restitution is left out; the rates of the gaps at the start of the step."""
    things, near, blows = around.things, around.near, around.blows
    velocities_of(w, n, v)
    for i in range(n):
        o = where(i)
        for j in range(things.shape[0]):
            blow = blows[i, j]
            rate = near[i, j, 0] * w[o + at.VX] + near[i, j, 1] * w[o + at.VY]
            # Inside by less than it moves in half a step, it has only just got there; outside by rounding, it rests.
            is_open = near[i, j, 2] > TOUCH * w[at.LENGTH] + min(0.5 * T * rate, 0.0)
            blow[0] = 1.0 if things[j, 7] >= 0.0 and is_open else 0.0
            blow[1], blow[2], blow[3] = 0.0, 0.0, rate
    trace(w, n, y, v, v1, T)


@kernel_sums
def steepness(w, n, T, tip, i):
    """Z of a node, from what resists a push on it in the step: mass and bending of the segments beside it, payload."""
    mass = tip[0] if i == n - 1 else 0.0
    for k in range(max(i - 1, 0), min(i + 1, n - 1)):
        o = where(k)
        h = w[o + at.LENGTH]
        mass += 0.5 * w[o + at.RHO] * h + 4.0 * w[o + at.EXTRA] / (h * h)
    return STEEP * mass / T


@kernel_sums
def meet(w, n, T, tip, around, free):
    """Nodes that by the rates of the latest trial would be inside strike from now on, `free` tells whether it was one
    without them; -> how many do, the least time that passes before one meets its wall, the largest change of speed.
    """
    things, near, blows = around.things, around.near, around.blows
    count, least, most = 0, T, 0.0
    for i in range(n):
        o = where(i)
        for j in range(things.shape[0]):
            one, blow = near[i, j], blows[i, j]
            if blow[0] == 0.0 or blow[2] > 0.0:
                continue
            rate = one[0] * w[o + at.VX] + one[1] * w[o + at.VY]
            if one[2] + T * rate >= 0.0 or rate >= 0.0:
                continue
            # One that is only met because others strike is hurled there: what it gained is no steady acceleration.
            gained = (rate - blow[3]) / T if free else 0.0
            share, speed = meeting(one[2], rate, gained, LATE, T)
            # What gaps gain in a step changes from one to the next as bends relax: a flight of one step is not told.
            e = things[j, 7] if things[j, 7] * speed > -gained * T else 0.0
            target, share = parting(e, one[2], rate, share, speed, gained, LATE, T)
            blow[1], blow[2], blow[3] = 0.0, steepness(w, n, T, tip, i), target
            count += 1
            least, most = min(least, share * T), max(most, target - rate)
    return count, least, most


@kernel_sums
def stand_firm(w, n, T, tip, around):
    """What has a restitution and is closed does not give way in this step."""
    things, blows = around.things, around.blows
    for i in range(n):
        for j in range(things.shape[0]):
            blow = blows[i, j]
            if things[j, 7] >= 0.0 and blow[0] == 0.0:
                blow[0], blow[1], blow[2], blow[3] = 1.0, 0.0, steepness(w, n, T, tip, i), 0.0


@kernel_sums
def missed(w, n, around, take):
    """By how much targets are missed; the pushes that were found are those to go on from, if they are to be taken."""
    near, blows = around.near, around.blows
    worst = 0.0
    for i in range(n):
        o = where(i)
        for j in range(near.shape[1]):
            one, blow = near[i, j], blows[i, j]
            if blow[0] == 0.0 or blow[2] == 0.0:
                continue
            lacks = blow[3] - one[0] * w[o + at.VX] - one[1] * w[o + at.VY]
            push = max(blow[1] + blow[2] * lacks, 0.0)
            worst = max(worst, abs(lacks) if push > 0.0 else max(lacks, 0.0))
            if take:
                blow[1] = push
    return worst


@kernel_rare
def strike_all(w, n, T, g, tip, held, swing, law, around, P, b, v, v1, free, a, counts):
    """Impacts of the step whose rates v1 were found without them, into v1; -> the time [s] before the first, to
    take back by `shift`; the rates without impact into `free`.
    """
    count, before, most = meet(w, n, T, tip, around, True)
    if count == 0:
        return 0.0
    free[:] = v1
    stand_firm(w, n, T, tip, around)
    for _ in range(ROUNDS):
        missed(w, n, around, True)
        solve(w, n, T, g, tip, held, swing, law, around, P, b, v, v1, a, counts)
        counts[0] -= 1
        count, early, more = meet(w, n, T, tip, around, False)
        before, most = min(before, early), max(most, more)
        if count == 0 and missed(w, n, around, False) <= MET * most:
            return before
    counts[3] += 1 if count > 0 or missed(w, n, around, False) > NEARLY * most else 0
    return before


@kernel_rare
def shift(z, n, v1, free, before):
    """Move the rod back to where it would be, had its rates changed so long [s] after the places of the step."""
    for k in range(n + 2):
        z[k] -= before * (v1[k] - free[k])
