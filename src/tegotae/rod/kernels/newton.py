"""The equation of one step of a rod that is gripped.

    A (v1 - v0) = T (rest + J^T f(J v1)),

A the inertia where the step takes it (see `stepping`) plus what bending adds, by Euler's rule T C + T^2 K; J from
rates to node velocities, f what grips the nodes. f is the slope of a convex function, so v1 is the one minimum of a
convex function. Newton: each trial puts force and slope of f into the node's block of the O(n) recursion; a trial that
overshoots is shortened to where the slope of the function along it vanishes, which it does once. A trial is the
solution when f is what its slope predicted.
"""

from tegotae.compile import kernel_sums
from tegotae.kernels.roots import falling_part
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.ground import answer, grips
from tegotae.rod.kernels.motion import at_base
from tegotae.rod.kernels.simd_rows import FIELDS, SIMD, inward, outward, where

TRIALS = 60
EXACT = 1e-8  # of the largest force: so near must f be to what its slope predicted


@kernel_sums
def accept(w):
    """The latest trial becomes the one to go on from: LX, LY is its force if no rate changed from the start on."""
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            vx, vy, fx, fy = o[at.VX + j], o[at.VY + j], o[at.GX + j], o[at.GY + j]
            xx, xy, yy = o[at.GXX + j], o[at.GXY + j], o[at.GYY + j]
            dx, dy = o[at.ZX + j] - vx, o[at.ZY + j] - vy
            o[at.UX + j], o[at.UY + j], o[at.HX + j], o[at.HY + j] = vx, vy, fx, fy
            o[at.HXX + j], o[at.HXY + j], o[at.HYY + j] = xx, xy, yy
            o[at.LX + j] = o[at.OX + j] + fx + xx * dx + xy * dy
            o[at.LY + j] = o[at.OY + j] + fy + xy * dx + yy * dy


@kernel_sums
def accept_loads(w):
    """The same where nothing grips: there are only the loads."""
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(SIMD):
            o[at.LX + j], o[at.LY + j] = o[at.OX + j], o[at.OY + j]


@kernel_sums
def predicted(w):
    """Largest difference between f of the latest trial and what the one before predicted, and the largest f."""
    worst, largest = 0.0, 0.0
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            dx, dy = o[at.VX + j] - o[at.UX + j], o[at.VY + j] - o[at.UY + j]
            fx, fy = o[at.GX + j], o[at.GY + j]
            off_x = abs(fx - o[at.HX + j] - o[at.HXX + j] * dx - o[at.HXY + j] * dy)
            off_y = abs(fy - o[at.HY + j] - o[at.HXY + j] * dx - o[at.HYY + j] * dy)
            o[at.MISS + j], o[at.LARGE + j] = max(off_x, off_y), max(abs(fx), abs(fy))
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            worst, largest = max(worst, o[at.MISS + j]), max(largest, o[at.LARGE + j])
    return worst, largest


@kernel_sums
def inertia_along(w, n, d, row):
    """d^T A d for the rates d, whose node velocities lie in `row` and the next; a payload left out."""
    total = 0.0
    for i in range(n - 1):
        o = where(i)
        ux, uy, w1, w2 = w[o + row], w[o + row + SIMD], d[2 + i], d[3 + i]
        total += w[o + at.RHO] * w[o + at.LENGTH] * (ux * ux + uy * uy)
        total += 2.0 * ux * (w[o + at.M02] * w1 + w[o + at.M03] * w2)
        total += 2.0 * uy * (w[o + at.M12] * w1 + w[o + at.M13] * w2)
        total += w[o + at.M22] * w1 * w1 + 2.0 * w[o + at.M23] * w1 * w2 + w[o + at.M33] * w2 * w2
    return total


@kernel_sums
def go(w, n, part):
    """The latest trial goes to a part of the step D."""
    for i in range(n):
        o = where(i)
        w[o + at.VX], w[o + at.VY] = w[o + at.UX] + part * w[o + at.DX], w[o + at.UY] + part * w[o + at.DY]


@kernel_sums
def pull(w, n):
    """f of the latest trial along the step D."""
    total = 0.0
    for i in range(n):
        o = where(i)
        total += w[o + at.GX] * w[o + at.DX] + w[o + at.GY] * w[o + at.DY]
    return total


@kernel_sums
def slope_at(c, part):
    """Of the convex function along the step; the latest trial is left there.

    It is  start + part d^T A d - T (f(U + part D) - f(U)) . D.
    """
    w, n, T, around, A, start, before = c
    go(w, n, part)
    answer(w, n, T, around)
    return start + part * A - T * (pull(w, n) - before)


part_of = falling_part(slope_at)


@kernel_sums
def shorten(w, n, T, tip, d, around):
    """Part of the step d at which the convex function stops falling along it; the latest trial is left there.

    At its start the slope along d is -d^T (A - T slope) d.
    """
    before, slope = 0.0, 0.0
    for i in range(n):
        o = where(i)
        w[o + at.DX], w[o + at.DY] = w[o + at.VX] - w[o + at.UX], w[o + at.VY] - w[o + at.UY]
        dx, dy = w[o + at.DX], w[o + at.DY]
        before += w[o + at.HX] * dx + w[o + at.HY] * dy
        slope += w[o + at.HXX] * dx * dx + 2.0 * w[o + at.HXY] * dx * dy + w[o + at.HYY] * dy * dy
    o = where(n - 1)
    A = inertia_along(w, n, d, at.DX) + tip[0] * (w[o + at.DX] ** 2 + w[o + at.DY] ** 2) + tip[1] * d[n + 1] ** 2
    start = T * slope - A
    return part_of((w, n, T, around, A, start, before), start, start + A - T * (pull(w, n) - before))


@kernel_sums
def solve(w, n, T, g, tip, held, swing, law, around, P, p, v, v1, a, counts):
    """Newton from the trial rates v1, whose velocities are V, to v1 at the end of the step.

    After it V and G are those of v1, P and p those of the last trial; a is for accelerations; counts: steps,
    trials, shortened trials, unsolved steps.
    """
    counts[0] += 1
    if not grips(law):
        counts[1] += 1
        accept_loads(w)
        inward(w, n, T, g, tip, P, p)
        at_base(P, p, held, swing, a)
        outward(w, n, T, a)
        for i in range(n + 2):
            v1[i] = v[i] + T * a[i]
        return
    for trial in range(TRIALS + 1):
        answer(w, n, T, around)
        if trial > 0:
            for i in range(n + 2):
                a[i] = T * a[i] + v[i] - v1[i]  # from here on the change of the trial rates
            worst, largest = predicted(w)
            done = worst <= EXACT * (largest + law[2])
            part = 1.0
            if not done and trial > 1:
                part = shorten(w, n, T, tip, a, around)
                counts[2] += 1 if part < 1.0 else 0
            for i in range(n + 2):
                v1[i] += part * a[i]
            if done:
                return
        if trial < TRIALS:
            counts[1] += 1
            accept(w)
            inward(w, n, T, g, tip, P, p)
            at_base(P, p, held, swing, a)
            outward(w, n, T, a)
    counts[3] += 1


@kernel_sums
def mobility(w, n, T, g, tip, held, law, nodes, P, unit, a, J):
    """How much each unit of force on the ports moves them, J (3 ports, ports, 3), as they grip and slide in the trial.

    One sweep for how the trial grips; then only what a unit adds is swept through the rod. P (3, 3) that of the solve,
    unit (6) and a (n + 2) are workspaces.
    """
    p, rest = unit[:3], unit[3:6]
    if grips(law):
        accept(w)
        inward(w, n, T, g, tip, P, p)
    rest[0] = rest[1] = rest[2] = 0.0
    for c in range(J.shape[0]):
        node = nodes[c // 3]
        p[0] = -1.0 if c % 3 == 0 else 0.0
        p[1] = -1.0 if c % 3 == 1 else 0.0
        p[2] = -1.0 if c % 3 == 2 else 0.0
        for i in range(n - 1):
            w[where(i) + at.RU] = 0.0
        for r in range(node):
            o = where(node - 1 - r)
            r3 = w[o + at.G2X] * p[1] - w[o + at.G2Y] * p[0] + p[2]
            r2 = w[o + at.G1X] * p[1] - w[o + at.G1Y] * p[0]
            w[o + at.RU] = r3 * w[o + at.RE]
            p[0] -= w[o + at.RX] * r3
            p[1] -= w[o + at.RY] * r3
            p[2] = r2 - w[o + at.RT] * r3
        at_base(P, p, held, rest, a)
        x, y, th = a[0], a[1], a[2]
        for i in range(n):
            o = where(i)
            for k in range(nodes.shape[0]):
                if nodes[k] == i:
                    J[c, k, 0], J[c, k, 1], J[c, k, 2] = T * x, T * y, T * th
            if i < n - 1:
                nxt = -(w[o + at.RU] + w[o + at.RX] * x + w[o + at.RY] * y + w[o + at.RT] * th)
                x -= w[o + at.G1Y] * th + w[o + at.G2Y] * nxt
                y += w[o + at.G1X] * th + w[o + at.G2X] * nxt
                th = nxt
