"""Where the numbers of a tree as a block lie in its parameters p and its state s.

p = [sizes and port (HEAD), then the arrays that `Model` and `Joints` name].
s = [velocity (d), position (d), fed torques, fed targets, place (3), quaternion (4), q, v, friction, deflection,
     unsolved, path (6), q and v about centres of mass, scratch].
Scratch: PORT numbers, ROWS_OF_V rows of one number a speed, the rows of S, and wrenches.
"""

from collections import namedtuple

from tegotae.compile import kernel_inside
from tegotae.multibody.kernels.kinematics import WIDTH
from tegotae.multibody.kernels.records import Friction, Joints, Model, Work

# Places in the head of p. JOINT: its speed, or -1 for a body's point. FALLS: whether the body hangs from a free one, so
# that its accelerations are counted from free fall. POINT and FRAME in the internal frame of BODY.
BODIES, COORDINATES, SPEEDS, NUMBERS, FED, SERVOS, BODY, JOINT, FALLS = 0, 1, 2, 3, 4, 5, 6, 7, 8
POINT, FRAME, ALONG, GRAVITY, HEAD = 9, 12, 21, 27, 30
# What the port itself works in: whether the rows of S are those of this tick; whether a step is settled, for which
# period and wrench, and whether it found a solution; the motion that it gives; the way from the centre of mass to the
# point; a wrench and what it moves.
ROWS, DONE, PERIOD, FOUND, HELD, MOTION, WAY, PUSH, MOVED, PORT = 0, 1, 2, 3, 4, 10, 16, 19, 25, 31
ROWS_OF_V = 18
MODES = 14  # of these rows: whether each joint sticks, or which way it slips

# The parts of p and s that are the port's own.
Port = namedtuple("Port", "own tau q v speeds centers fed seen path")


def scratch_size(n, nv):
    """How many numbers of the state the step works in."""
    return PORT + ROWS_OF_V * nv + (n + 1) * WIDTH + 6 * n


@kernel_inside
def sizes(p):
    """How many bodies, coordinates and speeds."""
    return int(p[BODIES]), int(p[COORDINATES]), int(p[SPEEDS])


@kernel_inside
def seen_at(p, d):
    """Where in s begins what is seen of the tree."""
    return 2 * d + int(p[FED]) + int(p[SERVOS])


@kernel_inside
def stretch_at(p, d):
    """Where in s begin deflections, then unsolved, path, and q and v about centres of mass."""
    _, nq, nv = sizes(p)
    return seen_at(p, d) + 7 + nq + 2 * nv


@kernel_inside
def scratch_at(p, d):
    """Where in s the scratch begins."""
    _, nq, nv = sizes(p)
    return stretch_at(p, d) + nv + 7 + nq + nv


@kernel_inside
def speed_rows(p, s, d):
    """The scratch of one number a speed. Rows of one matrix: a row costs the compiler less than a slice."""
    nv = int(p[SPEEDS])
    at = scratch_at(p, d) + PORT
    return s[at : at + ROWS_OF_V * nv].reshape((ROWS_OF_V, nv))


@kernel_inside
def model_of(p):
    """The tree."""
    n = int(p[BODIES])
    whole = p[HEAD : HEAD + 4 * n].reshape((4, n))
    C = p[HEAD + 4 * n : HEAD + 26 * n].reshape((n, 22))
    return Model(whole[0], whole[1], whole[2], whole[3], C, p[GRAVITY : GRAVITY + 3])


@kernel_inside
def joints_of(p, s, d):
    """What acts in the joints; targets stand in the state."""
    n, _, nv = sizes(p)
    at = HEAD + 26 * n
    P = p[at : at + 7 * nv].reshape((7, nv))
    at += 7 * nv
    numbers, target = p[at : at + int(p[NUMBERS])], speed_rows(p, s, d)[13]
    return Joints(P[0], P[1], P[2], target, P[5], P[6], numbers, P[3], P[4])


@kernel_inside
def friction_of(p, s, d):
    """What friction in the joints remembers."""
    at, V = stretch_at(p, d), speed_rows(p, s, d)
    return Friction(s[at : at + int(p[SPEEDS])], V[MODES], V[8], V[9], V[10], V[11])


@kernel_inside
def work_of(p, s, d):
    """Where a step works."""
    n, _, nv = sizes(p)
    V = speed_rows(p, s, d)
    at = scratch_at(p, d) + PORT
    trial = s[at + 15 * nv : at + ROWS_OF_V * nv]
    at += ROWS_OF_V * nv
    S = s[at : at + (n + 1) * WIDTH].reshape((n + 1, WIDTH))
    at += (n + 1) * WIDTH
    wrench = s[at : at + 6 * n].reshape((n, 6))
    return Work(S, V[0], V[1], V[2], V[3], V[4], V[5], wrench, V[6], V[7], trial)


@kernel_inside
def port_of(p, s, d):
    """The rest."""
    n, nq, nv = sizes(p)
    seen, e, scratch = seen_at(p, d), stretch_at(p, d), scratch_at(p, d)
    path = e + nv
    q = path + 7
    speeds = HEAD + 26 * n + 7 * nv + int(p[NUMBERS])
    centers = speeds + seen - 2 * d
    return Port(
        s[scratch : scratch + PORT],
        speed_rows(p, s, d)[12],
        s[q : q + nq],
        s[q + nq : scratch],
        p[speeds:centers],
        p[centers : centers + 3 * n].reshape((n, 3)),
        s[2 * d : seen],
        s[seen:e],
        s[path:q],
    )
