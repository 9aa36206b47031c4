"""Impacts of nodes on walls and pegs with a restitution, inside a step of a rod that no port pushes.

A step is first solved as if what has a restitution and does not touch lastingly were not there: that tells which nodes
meet something, when, and how fast (`tegotae.kernels.impact`). Then all of these are solved together, each to leave with
its speed,

    f >= 0,  v_n >= target,  f (v_n - target) = 0,

and what such walls and pegs already carry has the target 0: in an impact it does not give way. Each is a push that is
steep beside what resists at its node, f = max(0, F + Z (target - v_n)); solved anew with F the push that was found,
until the targets are met, it is as exact as rounding, while no step has a Z that would spoil the elimination. Then the
rod is moved to where it would be, had the speeds changed in the moment of the impact, by the mean of all.

What an impact drives into a wall is struck in the next step, from inside: to give both the speeds of one impact would
gain energy. What comes to rest touches lastingly from then on, by spring and damper, unless it is so deep that they
would throw it.

Blow of a node and a thing: what it does in this step, F, Z, target, rate without the impact, time before it [s], which
share of that rate the step gave. While it is not known to strike, the target is the rate at the start of the step.
"""

from tegotae.compile import kernel_rare, kernel_sums
from tegotae.kernels.impact import meeting, parting
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.newton import solve
from tegotae.rod.kernels.simd_rows import trace, velocities_of, where

STEEP = 100.0  # Z T over what resists beside the node
ROUNDS = 20
TOUCH = 1e-8  # of the length of a segment: nearer than this is on the face
PRESSED, LEFT_OUT, BOUNCES, RESTS, FIRM = 0.0, 1.0, 2.0, 3.0, 4.0  # what a blow does
SHORT = 8.0  # steps: a flight that would take less is rest
GENTLE = 2.0  # steps of falling: the speed of what is put down
LATE = 1.5  # steps after which an impact may be noticed
MET, NEARLY = 1e-9, 1e-6  # of the change of speed: so near is a target met; and where rounding does not allow it


@kernel_rare
def leave_out(w, n, around, y, v, v1, T):
    """What has a restitution is left out unless it touches lastingly; rates of the gaps at the start of the step."""
    things, near, blows = around.things, around.near, around.blows
    velocities_of(w, n, v)
    for i in range(n):
        o = where(i)
        for j in range(things.shape[0]):
            blow = blows[i, j]
            rate = near[i, j, 0] * w[o + at.VX] + near[i, j, 1] * w[o + at.VY]
            blow[0] = LEFT_OUT if things[j, 7] >= 0.0 and around.face[i, j, 2] == 0.0 else PRESSED
            blow[1], blow[2], blow[3], blow[4] = 0.0, 0.0, rate, rate
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
def meet(w, n, T, g, tip, around):
    """Nodes that are inside by the rates found without walls that they do not touch lastingly strike.

    What comes down too gently to bounce is met by spring and damper. -> how many strike, how many are met so, and the
    largest change of speed.
    """
    things, near, blows = around.things, around.near, around.blows
    count, gentle, most = 0, 0, 0.0
    for i in range(n):
        o = where(i)
        for j in range(things.shape[0]):
            one, blow = near[i, j], blows[i, j]
            rate = one[0] * w[o + at.VX] + one[1] * w[o + at.VY]
            blow[4] = rate
            if blow[0] != LEFT_OUT or one[2] + T * rate >= 0.0 or rate >= 0.0:
                continue
            blow[6] = min(max((blow[3] - rate) / -rate, 0.0), 1.0)  # the rest of it it had before
            a = g[0] * one[0] + g[1] * one[1]  # gravity is steady through the step; what bends do is not
            share, speed = meeting(one[2], rate, a, LATE, T)
            e = things[j, 7] if 2.0 * things[j, 7] * speed > SHORT * abs(a) * T else 0.0
            if e == 0.0 and speed <= GENTLE * abs(a) * T and one[2] >= 0.0:
                blow[0] = PRESSED
                gentle += 1
                continue
            blow[0] = BOUNCES if e * speed > 0.0 else RESTS
            target, share = parting(e, one[2], rate, share, speed, a, LATE, T)
            blow[1], blow[2], blow[3], blow[5] = 0.0, steepness(w, n, T, tip, i), target, share * T
            count += 1
            most = max(most, target - rate)
    return count, gentle, most


@kernel_sums
def moment(w, n, around):
    """How long [s] after the places of the step the impacts were, the mean by their impulse; which part of the pushes
    lasts [N], and the power that the others took from each of `count` nodes [W].
    """
    near, blows = around.near, around.blows
    total = size = load = taken = 0.0
    count = 0
    for i in range(n):
        o = where(i)
        for j in range(blows.shape[1]):
            one, blow = near[i, j], blows[i, j]
            if blow[0] == BOUNCES or blow[0] == RESTS:
                lacks = blow[3] - one[0] * w[o + at.VX] - one[1] * w[o + at.VY]
                push = max(blow[1] + blow[2] * lacks, 0.0)
                total += push * blow[5]
                size += push
                load += push * blow[6] if blow[0] == RESTS else 0.0
                taken -= 0.5 * push * (blow[3] + blow[4])
                count += 1
            elif blow[0] == FIRM:
                load += max(blow[1] + blow[2] * (blow[3] - one[0] * w[o + at.VX] - one[1] * w[o + at.VY]), 0.0)
    return (total / size if size > 0.0 else 0.0), load, max(taken, 0.0) / max(count, 1)


@kernel_sums
def stand_firm(w, n, T, tip, around):
    """What has a restitution and touches lastingly does not give way in this step."""
    things, blows = around.things, around.blows
    for i in range(n):
        for j in range(things.shape[0]):
            blow = blows[i, j]
            if things[j, 7] >= 0.0 and blow[0] == PRESSED:
                blow[0], blow[1], blow[2], blow[3] = FIRM, 0.0, steepness(w, n, T, tip, i), 0.0


@kernel_sums
def note_touch(w, n, T, around, before, load, taken):
    """What touches lastingly from now on, by the rates that were found; `before` [s] is to be taken back by `shift`.

    What came to rest does so if its spring pushes no more than all that the step had to carry, or holds less energy
    than the impact took.
    """
    things, near, face, blows = around.things, around.near, around.face, around.blows
    for i in range(n):
        o = where(i)
        for j in range(things.shape[0]):
            if things[j, 7] < 0.0:
                continue
            one, blow, thing = near[i, j], blows[i, j], things[j]
            rate = one[0] * w[o + at.VX] + one[1] * w[o + at.VY]
            push = -thing[4] * one[2] - (thing[4] * T + thing[5]) * rate
            if blow[2] > 0.0:
                push = blow[1] + blow[2] * (blow[3] - rate)
            lasts = push > 0.0 and (blow[0] == PRESSED or blow[0] == FIRM)
            if blow[0] == RESTS:
                depth = before * (rate - blow[4]) - one[2] - T * rate
                push = thing[4] * depth
                lasts = push <= load or 0.5 * push * depth <= T * taken or depth <= TOUCH * w[at.LENGTH]
            face[i, j, 2] = 1.0 if lasts else 0.0


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
    """Impacts of the step whose rates v1 were found without them, into v1; -> the time [s] before them, to take back by
    `shift`; the rates without impact into `free`.
    """
    count, gentle, most = meet(w, n, T, g, tip, around)
    if count == 0:
        if gentle > 0:
            solve(w, n, T, g, tip, held, swing, law, around, P, b, v, v1, a, counts)
            counts[0] -= 1
        note_touch(w, n, T, around, 0.0, 0.0, 0.0)
        return 0.0
    free[:] = v1
    stand_firm(w, n, T, tip, around)
    met = False
    for _ in range(ROUNDS):
        missed(w, n, around, True)
        solve(w, n, T, g, tip, held, swing, law, around, P, b, v, v1, a, counts)
        counts[0] -= 1
        met = missed(w, n, around, False) <= MET * most
        if met:
            break
    if not met and missed(w, n, around, False) > NEARLY * most:
        counts[3] += 1
    before, load, taken = moment(w, n, around)
    note_touch(w, n, T, around, before, load, taken)
    return before


@kernel_rare
def shift(z, n, v1, free, before):
    """Move the rod to where it would be, had its rates changed so long [s] after the places of the step."""
    for k in range(n + 2):
        z[k] -= before * (v1[k] - free[k])
