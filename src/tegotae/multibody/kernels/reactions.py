"""What joints transmit: the wrench of each onto the body that it carries.

A body and all that hangs on it is moved by its joint, by gravity, and by what else pushes it. So, from the tips to the
base, at centres of mass and in world axes,

    X_k = M_k s_k + bias_k - what pushes k + the X of all that k carries,

and the moment is then told about the joint's origin. It is the wrench of the tick as it was solved: s_k by the
accelerations (v1 - v)/T, v the speeds that the tick began with, inertias, velocity terms and forces those that the last
solve took, rows of S where it took them. So each body's balance holds to rounding. What an energy balance does to
speeds before or after a tick is no force, and an impact is its impulse over T.

A wrench holds all that a joint does, along its free direction too: its projection p.X is the torque of motor, damper,
servo and friction. A rotor that turns with a joint beside its body takes its share of that torque before the body
feels it: its inertia belongs to no body, and has no place here.
"""

import numpy as np

from tegotae.compile import entry, kernel, kernel_inside, kernel_rare
from tegotae.kernels.rotations import turn_into
from tegotae.multibody.kernels.bonds import bond_rows, is_gear, pull
from tegotae.multibody.kernels.contacts import push, rows_in
from tegotae.multibody.kernels.kinematics import R1, X, forward_one, prepare_world
from tegotae.multibody.kernels.places import add_wrench
from tegotae.multibody.kernels.quantities import gather, inverse, needed
from tegotae.multibody.kernels.records import FIRST, OWNER, F


@kernel
def transmitted(c, s, lever, out):
    """The wrench in columns X, moved from the centre of mass to the joint: the origin of the frame of the body there.

    A slide carries that along.
    """
    turn_into(s, c[R1 : R1 + 3], lever)
    out[:] = 0.0
    add_wrench(out, lever, s[X : X + 6], 1.0)


@kernel
def push_by_contacts(p, w):
    """Contact forces of the tick, or the rates of their impulses, onto bodies in columns X; negated, as all there."""
    for block in range(w.met[0]):
        c, start = w.blocks[OWNER, block], w.blocks[FIRST, block]
        if c >= 0:  # friction of joints is inside of them
            for row in range(start, start + rows_in(w, block)):
                push(p, w, c, row, w.columns[F, row])


@kernel
def push_by_bonds(p, w):
    """Forces of loops and springs of the tick, in the same way; those of gears are inside of joints."""
    for row in range(bond_rows(p)):
        if not is_gear(p, row):
            pull(p, w, w.S, row, w.bond_force[row])


@kernel
def hand_on(p, s, w, a):
    """From the tips to the base, and told; w.tau gets what each joint carries along its free direction."""
    lever = np.empty(3)
    gather(p.parent, p.kind, p.vi, p.C, a, w.S, w.tau)
    for j in range(len(p.carried)):
        k = p.carried[j]
        transmitted(p.C[k], w.S[k], lever, s.reaction[j])


@kernel_rare
def react(p, s, w, begun, T):
    """What joints transmitted in the tick that is solved: from the speeds it began with to w.v1."""
    for o in range(len(w.v1)):
        w.a[o] = (w.v1[o] - begun[o]) / T
    # All that pushes bodies, and is not inside of joints, is collected here: what is fed and the forces of ports stand
    # in w.wrench.
    needed(p.parent, p.kind, p.vi, p.C, p.g, w.a, w.wrench, w.S)
    push_by_contacts(p, w)
    push_by_bonds(p, w)
    hand_on(p, s, w, w.a)


@kernel_inside
def tell_reactions(p, s, w, begun, T):
    """`react`, where it is asked for; before rows of S move on. Columns s and X are overwritten."""
    if len(p.carried) > 0:
        react(p, s, w, begun, T)


@kernel
def tell_reactions_at(p, s, w, a):
    """The same for accelerations of the moment that rows of S are of, with all forces of that in w.wrench."""
    if len(p.carried) > 0:
        needed(p.parent, p.kind, p.vi, p.C, p.g, a, w.wrench, w.S)
        hand_on(p, s, w, a)


# ------------------------------------------------------------ what Python asks, over rows of q and v


@entry
def reactions(p, Q, V, A, wrench, S, tau, out):
    """Of every row and body, for accelerations A."""
    lever = np.empty(3)
    prepare_world(S, p.g)
    for i in range(len(Q)):
        forward_one(p.parent, p.kind, p.qi, p.vi, p.C, Q[i], V[i], S)
        inverse(p.parent, p.kind, p.vi, p.C, p.g, A[i], wrench[i if len(wrench) > 1 else 0], S, tau)
        for k in range(len(p.parent)):
            transmitted(p.C[k], S[k], lever, out[i, k])
