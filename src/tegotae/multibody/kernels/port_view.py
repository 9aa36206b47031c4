"""Where the numbers of a tree as a block lie in its parameters p and its state s.

p = [sizes and port (HEAD), then the arrays that `Model` and `Joints` name]; whole numbers are kept as their bits.
s = [velocity (d), position (d), fed torques, fed targets, place (3), quaternion (4), q, v, friction, deflection,
     unsolved, path (6), q and v about centres of mass, scratch].
Scratch: what `room_of` lays out.
"""

from collections import namedtuple

import numpy as np

from tegotae.compiling import kernel_inside
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

# All that a step reads and writes: the arrays of the kernels, then the parts of p and s that are the port's own.
View = namedtuple("View", "model joints friction work own tau q v speeds centers fed seen path")


def scratch_size(n, nv):
    """How many numbers of the state the step works in."""
    return PORT + 18 * nv + (n + 1) * WIDTH + 6 * n


@kernel_inside
def model_of(p, n):
    """The tree, and where the joints' numbers begin in p."""
    whole = p[HEAD : HEAD + 4 * n].view(np.int64).reshape((4, n))
    a = HEAD + 26 * n
    C = p[HEAD + 4 * n : a].reshape((n, 22))
    return Model(whole[0], whole[1], whole[2], whole[3], C, p[GRAVITY : GRAVITY + 3]), a


@kernel_inside
def joints_of(p, a, nv, target):
    """What acts in the joints, and where the rest of p begins; targets stand in the state."""
    real = p[a : a + 5 * nv].reshape((5, nv))
    whole = p[a + 5 * nv : a + 7 * nv].view(np.int64).reshape((2, nv))
    a += 7 * nv
    b = a + int(p[NUMBERS])
    return Joints(real[0], real[1], real[2], target, whole[0], whole[1], p[a:b], real[3], real[4]), b


@kernel_inside
def room_of(s, at, e, n, nv):
    """Views of the scratch that starts at s[at]: friction, where it works, the port, torques and targets."""
    own = s[at : at + PORT]
    at += PORT
    # Rows of one matrix: a row costs the compiler less than a slice.
    V = s[at : at + 14 * nv].reshape((14, nv))
    at += 14 * nv
    mode, trial = s[at : at + nv].view(np.int64), s[at + nv : at + 4 * nv]
    at += 4 * nv
    S = s[at : at + (n + 1) * WIDTH].reshape((n + 1, WIDTH))
    at += (n + 1) * WIDTH
    wrench = s[at : at + 6 * n].reshape((n, 6))
    work = Work(S, V[0], V[1], V[2], V[3], V[4], V[5], wrench, V[6], V[7], trial)
    return Friction(e, mode, V[8], V[9], V[10], V[11]), work, own, V[12], V[13]


@kernel_inside
def view(p, s, d):
    """All that a step reads and writes, by name."""
    n, nq, nv = int(p[BODIES]), int(p[COORDINATES]), int(p[SPEEDS])
    count = int(p[FED]) + int(p[SERVOS])
    seen = 2 * d + count  # place, quaternion, q, v, friction; then deflection, unsolved, path
    e = seen + 7 + nq + 2 * nv
    path = e + nv
    inner = path + 7
    at = inner + nq + nv
    model, a = model_of(p, n)
    friction, work, own, tau, target = room_of(s, at, s[e:path], n, nv)
    joints, a = joints_of(p, a, nv, target)
    speeds = p[a : a + count].view(np.int64)
    centers = p[a + count : a + count + 3 * n].reshape((n, 3))
    q, v = s[inner : inner + nq], s[inner + nq : at]
    return View(
        model, joints, friction, work, own, tau, q, v, speeds, centers, s[2 * d : seen], s[seen:e], s[path:inner]
    )
