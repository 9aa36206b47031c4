"""How the forces of the dual push the bodies, and how the tree answers them: W = T J M^-1 J'."""

from tegotae.compile import kernel
from tegotae.multibody.kernels.kinematics import COM, S_, G, X
from tegotae.multibody.kernels.passes import clear_impulse_in, respond_in
from tegotae.multibody.kernels.places import axis_of
from tegotae.multibody.kernels.records import BODY, FIRST, KINDS, ON, OWNER, POINT


@kernel
def set_lever(touches, places, dual, S, c, a, row):
    """The wrenches of a unit of force along axis a of pair c, at the centres of mass of its two bodies."""
    x, axis, to = places[c, POINT : POINT + 3], axis_of(places, c, a), dual.levers[row]
    s, o = S[touches.which[c, BODY]], S[touches.which[c, ON]]
    n0, n1, n2 = axis[0], axis[1], axis[2]
    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
    to[0], to[1], to[2] = n0, n1, n2
    to[3], to[4], to[5] = r1 * n2 - r2 * n1, r2 * n0 - r0 * n2, r0 * n1 - r1 * n0
    r0, r1, r2 = x[0] - o[COM], x[1] - o[COM + 1], x[2] - o[COM + 2]
    to[6], to[7], to[8] = -n0, -n1, -n2
    to[9], to[10], to[11] = r2 * n1 - r1 * n2, r0 * n2 - r2 * n0, r1 * n0 - r0 * n1


@kernel
def at_first(lever, s):
    """How a row's first body moves along its force, from columns s."""
    return (lever[0] * s[S_] + lever[1] * s[S_ + 1] + lever[2] * s[S_ + 2]) + (
        lever[3] * s[S_ + 3] + lever[4] * s[S_ + 4] + lever[5] * s[S_ + 5]
    )


@kernel
def at_second(lever, s):
    """And its second."""
    return (lever[6] * s[S_] + lever[7] * s[S_ + 1] + lever[8] * s[S_ + 2]) + (
        lever[9] * s[S_ + 3] + lever[10] * s[S_ + 4] + lever[11] * s[S_ + 5]
    )


@kernel
def push(touches, dual, S, c, row, size):
    """A force along a row of pair c into the columns X of its bodies, negated as they are."""
    lever = dual.levers[row]
    s = S[touches.which[c, BODY]]
    for j in range(6):
        s[X + j] -= size * lever[j]
    if touches.which[c, ON] >= 0:
        s = S[touches.which[c, ON]]
        for j in range(6):
            s[X + j] -= size * lever[6 + j]


@kernel
def rows_in(dual, block):
    """How many rows a block has."""
    return 3 if dual.blocks[KINDS, block] == 0 else 1


@kernel
def ends_of(model, touches, dual, block):
    """The two bodies that a block's force acts on, -1 for the world; of a joint's friction the one that it turns."""
    c = dual.blocks[OWNER, block]
    if c >= 0:
        return touches.which[c, BODY], touches.which[c, ON]
    for k in range(len(model.parent)):
        if model.vi[k] == -1 - c:
            return k, -1
    return -1, -1


@kernel
def assemble(model, touches, dual, work, blocks, T):
    """W = T J M^-1 J': how every row moves by a unit of force of each. It is symmetric, so one half is worked out."""
    S, a, root = work.S, work.a, dual.root
    for block in range(blocks):
        start, c = dual.blocks[FIRST, block], dual.blocks[OWNER, block]
        first, second = ends_of(model, touches, dual, block)
        one, two = root[first] if first >= 0 else -1, root[second] if second >= 0 else -1
        for row in range(start, start + rows_in(dual, block)):
            clear_impulse_in(root, one, two, S)
            if c >= 0:
                push(touches, dual, S, c, row, 1.0)
            else:
                S[first, G] = -1.0
            respond_in(model.parent, model.kind, model.vi, root, one, two, S, a)
            for other in range(block, blocks):
                fill(model, touches, dual, S, a, one, two, other, row, T)


@kernel
def fill(model, touches, dual, S, a, one, two, block, column, T):
    """Rows of a block, by the answer to the force of a column in the trees one and two."""
    c, start, root, W = dual.blocks[OWNER, block], dual.blocks[FIRST, block], dual.root, dual.W
    first, second = ends_of(model, touches, dual, block)
    near = first >= 0 and (root[first] == one or root[first] == two)
    far = second >= 0 and (root[second] == one or root[second] == two)
    if c < 0:
        W[start, column] = W[column, start] = T * a[-1 - c] if near else 0.0
        return
    levers, s, o = dual.levers, S[first], S[second]
    for row in range(start, start + rows_in(dual, block)):
        moved = 0.0
        if near:
            moved += at_first(levers[row], s)
        if far:
            moved += at_second(levers[row], o)
        W[row, column] = W[column, row] = T * moved
