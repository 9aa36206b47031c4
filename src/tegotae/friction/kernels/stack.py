"""Many Coulomb elements without damping and mass, at a cost that does not grow with their number.

Element i yields at the stretch d_i = F_i/K_i; let them be sorted by d. Whatever the motion was, their states then
fall into a few runs of neighbours: those that slide now (indices 0..i0, stretch dir d_i), and groups that slid last
at some earlier turning point x_g in the direction sign_g: stretch sign_g d_i + (x - x_g) (sign 0: never slid). Groups
lie on a stack, the most recent and most pliable on top. Moving on lets the top group slide element by element, then
the next; turning back pushes the sliding ones as a new group. Groups are disjoint and not empty, so N places hold any
history.  [Iwan 1966; Masing's rule is the special case of nested loops]

p = [N, then N + 1 times (d, SF, SK)]  with SF, SK the sums of F and K over the elements before;
s = [f, e, x, dir, i0, depth, then N times (x_g, sign_g, end_g, rest_g)],
    rest_g: what all groups below g add to the sum of K y at x = 0 (y the stretch).
What is read together lies together: with 1e5 elements the step's time is its cache misses.
"""

from tegotae.compile import kernel

HEAD = 6  # numbers of s before the stack
SF, SK = 2, 3  # where the first sums of F and K lie in p


@kernel
def yielded(p, start, end, t):
    """How many of the elements start..end have d <= t, counted from 0: gallop from the front, then halve."""
    if start >= end or p[1 + 3 * start] > t:
        return start
    low, step = start, 1
    while low + step < end and p[1 + 3 * (low + step)] <= t:
        low += step
        step *= 2
    high = min(low + step, end)
    while high - low > 1:
        mid = (low + high) // 2
        if p[1 + 3 * mid] <= t:
            low = mid
        else:
            high = mid
    return high


@kernel
def groups_rest(p, s, level, i0):
    """The sum of K y at x = 0 over the groups up to `level`, the top one starting at i0."""
    if level == 0:
        return 0.0
    g = HEAD + 4 * (level - 1)
    x_g, sign_g, end, rest = s[g], s[g + 1], int(s[g + 2]), s[g + 3]
    return rest + sign_g * (p[SF + 3 * end] - p[SF + 3 * i0]) - x_g * (p[SK + 3 * end] - p[SK + 3 * i0])


@kernel
def slid(p, x1, way, x_g, sign_g, i0, end):
    """Where the sliding part of a group ends after moving to x1 in the direction `way`."""
    travel = way * (x1 - x_g)
    if sign_g == way:  # last slid this way: all slide again, together, back at their turning point
        return end if travel >= 0.0 else i0
    return yielded(p, i0, end, travel if sign_g == 0.0 else 0.5 * travel)


@kernel
def walk(p, s, v, T):
    """Where the motion leads, nothing changed: x1, way, i0, level, whether a group was pushed, its rest, sum of K y."""
    N = int(p[0])
    x, way, i0, level = s[2], s[3], int(s[4]), int(s[5])
    x1 = x + T * v
    turned = False
    pushed_rest = 0.0
    if v != 0.0:
        new_way = 1.0 if v > 0.0 else -1.0
        if new_way != way and i0 > 0:  # the sliding ones become the top group
            pushed_rest = groups_rest(p, s, level, i0)
            end = i0
            i0 = slid(p, x1, new_way, x, way, 0, end)
            turned = i0 < end
            if not turned:
                i0 = end
        way = new_way
        while not turned and level > 0:
            g = HEAD + 4 * (level - 1)
            end = int(s[g + 2])
            i0 = slid(p, x1, way, s[g], s[g + 1], i0, end)
            if i0 < end:
                break
            level -= 1
    if turned:
        end = int(s[4])
        rest = pushed_rest + s[3] * (p[SF + 3 * end] - p[SF + 3 * i0]) - x * (p[SK + 3 * end] - p[SK + 3 * i0])
    else:
        rest = groups_rest(p, s, level, i0)
    total = way * p[SF + 3 * i0] + rest + x1 * (p[SK + 3 * N] - p[SK + 3 * i0])
    return x1, way, i0, level, turned, pushed_rest, total


@kernel
def stack_answer(p, s, v, T):
    """Force and slope for a trial velocity; changes nothing."""
    _, _, i0, _, _, _, total = walk(p, s, v, T)
    return -total, -T * (p[SK + 3 * int(p[0])] - p[SK + 3 * i0])


@kernel
def stack_advance(p, s, v, T):
    """Commit the velocity that really happened."""
    x, way = s[2], s[3]
    x1, s[3], i0, level, turned, rest, total = walk(p, s, v, T)
    if turned:
        g = HEAD + 4 * level
        s[g], s[g + 1], s[g + 2], s[g + 3] = x, way, s[4], rest
        level += 1
    if level == 0:
        x1 = 0.0  # all slide: the place is free, and a fresh origin keeps every digit of later differences
    s[0] = -total
    s[1] = -total / p[SK + 3 * int(p[0])]
    s[2] = x1
    s[4] = i0
    s[5] = level


def stack_kernels():
    """The composite by its reversal stack."""
    return stack_answer, stack_advance
