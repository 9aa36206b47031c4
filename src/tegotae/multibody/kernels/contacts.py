"""Contacts of a tick: where they are, how the tree answers their forces, and the forces that solve them together.

Contacts and the friction of all joints make one problem in their forces f (stiction.md's dual, [xiong2011] elements):
h = (T J M^-1 J' + C) f + J v_free - w*. It is set up only when something touches; a tree in the air costs its passes.
"""

from functools import cache

from tegotae.compile import kernel, kernel_rare
from tegotae.coupling.kernels.complementarity import UNSOLVED, solve_symmetric
from tegotae.coupling.kernels.natural_residual import Problem, set_scales
from tegotae.kernels.contact import (
    compliance,
    normal_offset,
    normal_stretch,
    tangent_offset,
    tangent_stretch,
    tangent_stretches,
)
from tegotae.multibody.kernels import records as at
from tegotae.multibody.kernels.bonds import apply_bonds, bind, bond_rows, solve_bonds
from tegotae.multibody.kernels.joints import limit_kernel, rubs, solve_modes
from tegotae.multibody.kernels.kinematics import COM, S_, G, X
from tegotae.multibody.kernels.passes import clear_impulse, clear_impulse_in, respond, respond_in
from tegotae.multibody.kernels.places import add_to_memory, along, axis_of, parting, turns_apart
from tegotae.multibody.kernels.quantities import spread

# ------------------------------------------------------------ how forces push the bodies, and how the tree answers


@kernel
def set_lever(p, w, c, a, row):
    """The wrenches of a unit of force along axis a of pair c, at the centres of mass of its two bodies."""
    x, axis, to = w.places[c, at.POINT : at.POINT + 3], axis_of(w, c, a), w.levers[row]
    s, o = w.S[p.which[c, at.BODY]], w.S[p.which[c, at.ON]]
    n0, n1, n2 = axis[0], axis[1], axis[2]
    if turns_apart(p, c):
        to[0] = to[1] = to[2] = to[6] = to[7] = to[8] = 0.0
        to[3], to[4], to[5], to[9], to[10], to[11] = n0, n1, n2, -n0, -n1, -n2
        return
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
def push(p, w, c, row, size):
    """A force along a row of pair c into the columns X of its bodies, negated as they are."""
    lever = w.levers[row]
    s = w.S[p.which[c, at.BODY]]
    for j in range(6):
        s[X + j] -= size * lever[j]
    if p.which[c, at.ON] >= 0:
        s = w.S[p.which[c, at.ON]]
        for j in range(6):
            s[X + j] -= size * lever[6 + j]


@kernel
def rows_in(w, block):
    """How many rows a block has."""
    return 3 if w.blocks[at.KINDS, block] == 0 else 1


@kernel
def ends_of(p, w, block):
    """The two bodies that a block's force acts on, -1 for the world; of a joint's friction the one that it turns."""
    c = w.blocks[at.OWNER, block]
    if c >= 0:
        return p.which[c, at.BODY], p.which[c, at.ON]
    for k in range(len(p.parent)):
        if p.vi[k] == -1 - c:
            return k, -1
    return -1, -1


@kernel
def assemble(p, w, blocks, T):
    """W = T J M^-1 J': how every row moves by a unit of force of each. It is symmetric, so one half is worked out."""
    root = p.root
    for block in range(blocks):
        start, c = w.blocks[at.FIRST, block], w.blocks[at.OWNER, block]
        first, second = ends_of(p, w, block)
        one, two = root[first] if first >= 0 else -1, root[second] if second >= 0 else -1
        for row in range(start, start + rows_in(w, block)):
            clear_impulse_in(root, one, two, w.S)
            if c >= 0:
                push(p, w, c, row, 1.0)
            else:
                w.S[first, G] = -1.0
            respond_in(p.parent, p.kind, p.vi, root, one, two, w.S, w.a)
            for other in range(block, blocks):
                fill(p, w, one, two, other, row, T)


@kernel
def fill(p, w, one, two, block, column, T):
    """Rows of a block, by the answer to the force of a column in the trees one and two."""
    c, start, root, W = w.blocks[at.OWNER, block], w.blocks[at.FIRST, block], p.root, w.W
    first, second = ends_of(p, w, block)
    near = first >= 0 and (root[first] == one or root[first] == two)
    far = second >= 0 and (root[second] == one or root[second] == two)
    if c < 0:
        W[start, column] = W[column, start] = T * w.a[-1 - c] if near else 0.0
        return
    levers, s, o = w.levers, w.S[first], w.S[second]
    for row in range(start, start + rows_in(w, block)):
        moved = 0.0
        if near:
            moved += at_first(levers[row], s)
        if far:
            moved += at_second(levers[row], o)
        W[row, column] = W[column, row] = T * moved


# ------------------------------------------------------------ the problem of a tick


@kernel
def free_velocity(p, s, w, c, T):
    """w* of the normal of pair c: the speed at which its element would carry nothing."""
    return normal_offset(w.places[c, at.GAP], s.touching[c, at.E], p.contacts[c, at.BETA], T)


@kernel
def add_contact(p, s, w, c, m, blocks, T):
    """Rows of pair c; how many rows there are then."""
    n, rubbing = p.contacts[c], p.contacts[c, at.MU] > 0.0
    w.blocks[at.FIRST, blocks], w.limit[blocks] = m, n[at.MU]
    w.blocks[at.KINDS, blocks] = 0 if rubbing else 2
    w.blocks[at.OWNER, blocks] = c
    first, second = w.S[p.which[c, at.BODY]], w.S[p.which[c, at.ON]]
    for a in range(3 if rubbing else 1):
        set_lever(p, w, c, a, m + a)
        lever = w.levers[m + a]
        speed = at_first(lever, first) + at_second(lever, second)
        force = along(p, w, c, s.touching[c, at.FORCE : at.FORCE + 3], a)
        if a == 0:
            w.columns[at.C, m] = compliance(n[at.K], n[at.BETA], T)
            w.columns[at.B, m] = speed - free_velocity(p, s, w, c, T)
            w.columns[at.F, m] = max(force, 0.0)
        else:
            stretch = along(p, w, c, s.touching[c, at.STRETCH : at.STRETCH + 3], a)
            w.columns[at.C, m + a] = compliance(n[at.K_T], n[at.BETA_T], T)
            w.columns[at.B, m + a] = speed - tangent_offset(stretch, n[at.BETA_T], T)
            w.columns[at.F, m + a] = force
    return m + (3 if rubbing else 1)


@kernel
def add_joint(p, w, friction, o, m, blocks, T):
    """The row of a joint that rubs."""
    stiffness = p.stiffness[o]
    c = 1.0 / (p.viscosity[o] + T * stiffness)
    w.blocks[at.FIRST, blocks], w.limit[blocks], w.blocks[at.KINDS, blocks] = m, friction.r[o], 1
    w.blocks[at.OWNER, blocks] = -1 - o
    w.columns[at.C, m], w.columns[at.B, m] = c, w.v1[o] - c * stiffness * friction.e[o]
    w.columns[at.F, m] = friction.force[o]
    return m + 1


@kernel
def activate(p, s, w, T):
    """Pairs outside the problem that the speeds found would drive into each other join it; how many did."""
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    joined = 0
    for c in range(len(p.which)):
        if w.active[c] == 0:
            h = parting(p, w, c, 0, S_, S_ + 3) - free_velocity(p, s, w, c, T)
            if h < 0.0:
                w.active[c] = 1
                joined += 1
    return joined


@kernel
def commit_contacts(p, s, w, blocks, T):
    """Stretches after the tick, from forces and from the velocities in columns s; forces are kept."""
    for c in range(len(p.which)):
        n = p.contacts[c]
        s.touching[c, at.E] = normal_stretch(0.0, s.touching[c, at.E], n[at.K], n[at.BETA], T)
        for j in range(3):
            s.touching[c, at.FORCE + j] = 0.0
    for block in range(blocks):
        c, m = w.blocks[at.OWNER, block], w.blocks[at.FIRST, block]
        if c >= 0 and w.columns[at.F, m] > 0.0:
            n = p.contacts[c]
            s.touching[c, at.E] += normal_stretch(w.columns[at.F, m], 0.0, n[at.K], n[at.BETA], T)
            for a in range(3 if w.blocks[at.KINDS, block] == 0 else 1):
                add_to_memory(p, s, w, c, a, at.FORCE, w.columns[at.F, m + a])
            if w.blocks[at.KINDS, block] == 0:
                hold(p, s, w, c, m, T)
    for c in range(len(p.which)):
        # What does not touch forgets where it held; its spring relaxes, and nothing is to be seen of that.
        n, f = p.contacts[c], s.touching[c]
        if f[at.FORCE] == 0.0 and f[at.FORCE + 1] == 0.0 and f[at.FORCE + 2] == 0.0:
            for j in range(3):
                f[at.STRETCH + j] = tangent_stretch(0.0, f[at.STRETCH + j], n[at.K_T], n[at.BETA_T], T)


@kernel
def hold(p, s, w, c, m, T):
    """The tangential stretch of a pair that touches."""
    n = p.contacts[c]
    f = w.columns[at.F]
    a1 = along(p, w, c, s.touching[c, at.STRETCH : at.STRETCH + 3], 1)
    a2 = along(p, w, c, s.touching[c, at.STRETCH : at.STRETCH + 3], 2)
    v1, v2 = parting(p, w, c, 1, S_, S_ + 3), parting(p, w, c, 2, S_, S_ + 3)
    a1, a2 = tangent_stretches(f[m], f[m + 1], f[m + 2], v1, v2, a1, a2, n[at.MU], n[at.K_T], n[at.BETA_T], T)
    for j in range(3):
        s.touching[c, at.STRETCH + j] = 0.0
    add_to_memory(p, s, w, c, 1, at.STRETCH, a1)
    add_to_memory(p, s, w, c, 2, at.STRETCH, a2)


@kernel_rare
def reduce(p, w, m, blocks):
    """W of the tree as its bonds hold it; w.bond_H has how each bond moves by a unit of force of every row."""
    bonds = bond_rows(p)
    for i in range(bonds):
        spread(p.parent, p.kind, p.vi, w.zero, w.answer[i], w.S)
        for block in range(blocks):
            start, c = w.blocks[at.FIRST, block], w.blocks[at.OWNER, block]
            first, second = ends_of(p, w, block)
            for row in range(start, start + rows_in(w, block)):
                if c < 0:
                    w.bond_H[i, row] = w.answer[i, -1 - c]
                else:
                    w.bond_H[i, row] = at_first(w.levers[row], w.S[first]) + at_second(w.levers[row], w.S[second])
    for row in range(m):
        for i in range(bonds):
            w.bond_x[i] = w.bond_H[i, row]
        solve_bonds(w, w.bond_x[:bonds])
        for other in range(row, m):
            less = 0.0
            for i in range(bonds):
                less += w.bond_H[i, other] * w.bond_x[i]
            w.W[other, row] -= less
            if other != row:
                w.W[row, other] -= less


@kernel_rare
def hold_bound(p, w, m):
    """Bonds answer the forces of the dual: speeds in w.v1."""
    bonds = bond_rows(p)
    for i in range(bonds):
        w.bond_force[i], w.bond_x[i] = w.bond_first[i], 0.0
        for row in range(m):
            w.bond_x[i] -= w.bond_H[i, row] * w.columns[at.F, row]
    apply_bonds(w, bonds, w.v1)


@kernel
def forces_found(p, w, friction, m, blocks, T):
    """Speeds after the step from the forces of the dual, and the friction of joints from its rows."""
    clear_impulse(w.S)
    for block in range(blocks):
        start, c = w.blocks[at.FIRST, block], w.blocks[at.OWNER, block]
        if c >= 0:
            for row in range(start, start + rows_in(w, block)):
                push(p, w, c, row, w.columns[at.F, row])
        else:
            w.S[ends_of(p, w, block)[0], G] = -w.columns[at.F, start]
    respond(p.parent, p.kind, p.vi, w.S, w.a)
    for o in range(len(w.v1)):
        w.v1[o] = w.fresh[o] + T * w.a[o]
    if bond_rows(p) > 0:
        hold_bound(p, w, m)
    for block in range(blocks):
        if w.blocks[at.OWNER, block] < 0:
            o, limit = -1 - w.blocks[at.OWNER, block], w.limit[block]
            f = w.columns[at.F, w.blocks[at.FIRST, block]]
            friction.force[o] = f
            friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
            friction.slope[o], friction.at[o] = 0.0, 0.0


@kernel
def leave_compliant(w, blocks):
    """Rows as their elements make them."""
    return


@cache
def contact_kernels(at_rest, resolve, add_pair=add_contact, harden=leave_compliant):
    """`solve_contacts` for joints with these friction laws.

    `add_pair` adds the rows of a pair, `harden` may change compliances once W is known: see `impacts.py`.
    """
    limit_at = limit_kernel(at_rest, resolve)

    @kernel
    def limits_moved(p, w, friction, blocks, T):
        """New limits of joints that slip, at the speeds found; how many moved."""
        moved = 0
        for block in range(blocks):
            if w.blocks[at.OWNER, block] >= 0:
                continue
            o = -1 - w.blocks[at.OWNER, block]
            slips = abs(w.columns[at.F, w.blocks[at.FIRST, block]]) >= w.limit[block]
            rest, r = limit_at(p, friction, o, w.v1[o], slips, T)
            if abs(r - w.limit[block]) > 1e-12 * (r + rest):
                moved += 1
                w.limit[block] = friction.r[o] = r
        return moved

    @kernel
    def solve_contacts(p, s, w, friction, v, T):
        """Contacts and joints together, from the speeds v. (blocks, solved) come back; speeds in w.v1, forces in
        w.columns.
        """
        for o in range(len(v)):
            w.tau[o], w.slope[o] = w.free_tau[o], w.free_slope[o]
            if rubs(p.law[o], p.damping[o]):
                friction.r[o] = at_rest(p.law[o], p.numbers, p.place[o])
        solve_modes(p, w, v, T)
        if bond_rows(p) > 0:
            bind(p, w, T)
            for i in range(bond_rows(p)):
                w.bond_first[i] = w.bond_force[i]
        for o in range(len(v)):
            w.fresh[o] = w.v1[o]
        solved = True
        blocks = 0
        for _ in range(12):
            for o in range(len(v)):
                w.v1[o] = w.fresh[o]
            spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
            m = blocks = 0
            for c in range(len(p.which)):
                if w.active[c] == 1:
                    m = add_pair(p, s, w, c, m, blocks, T)
                    blocks += 1
            for o in range(len(v)):
                if rubs(p.law[o], p.damping[o]):
                    m = add_joint(p, w, friction, o, m, blocks, T)
                    blocks += 1
            if blocks == 0:  # bonds alone
                if activate(p, s, w, T) == 0:
                    break
                continue
            assemble(p, w, blocks, T)
            if bond_rows(p) > 0:
                reduce(p, w, m, blocks)
            harden(w, blocks)
            for _ in range(60):
                c, k = w.columns, w.blocks
                problem = Problem(m, blocks, True, w.W, c[at.C], c[at.B], k[at.KINDS], k[at.FIRST], w.limit, w.W)
                set_scales(problem, w.work)
                how = solve_symmetric(problem, c[at.F], w.work)[1]
                forces_found(p, w, friction, m, blocks, T)
                moved = limits_moved(p, w, friction, blocks, T)
                solved = how != UNSOLVED and moved == 0
                if moved == 0:
                    break
            if activate(p, s, w, T) == 0:
                break
        return blocks, solved

    return solve_contacts
