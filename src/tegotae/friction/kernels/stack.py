"""Many Coulomb elements without damping and mass, at a cost that does not grow with their number.

Element i yields at the stretch d_i = F_i/K_i; let them be sorted by d. Whatever the motion was, their states then
fall into a few runs of neighbours: those that slide now (indices 0..i0, stretch way d_i), and groups that slid last
at some earlier turning point x_g in the direction sign_g: stretch sign_g d_i + (x - x_g) (sign 0: never slid). Groups
lie on a stack, the most recent and most pliable on top. Moving on lets the top group slide element by element, then
the next; turning back pushes the sliding ones as a new group. Groups are disjoint and not empty, so N places hold any
history.  [Iwan 1966; Masing's rule is the special case of nested loops]

Parameters: sums, N + 1 rows (d, SF, SK)  with SF, SK the sums of F and K over the elements before. What is read
    together lies together: with 1e5 elements the step's time is its cache misses.
State: f, mean, x, way, i0, depth; and for each of `depth` groups x_g, sign_g, end_g, rest_g,
    rest_g: what all groups below g add to the sum of K y at x = 0 (y the stretch).
"""

from tegotae.compile import kernel

D, SF, SK = 0, 1, 2  # columns of p.sums


@kernel
def yielded(sums, start, end, t):
    """How many of the elements start..end have d <= t, counted from 0: gallop from the front, then halve."""
    if start >= end or sums[start, D] > t:
        return start
    low, step = start, 1
    while low + step < end and sums[low + step, D] <= t:
        low += step
        step *= 2
    high = min(low + step, end)
    while high - low > 1:
        mid = (low + high) // 2
        if sums[mid, D] <= t:
            low = mid
        else:
            high = mid
    return high


@kernel
def group_sum(sums, x_g, sign_g, i0, end):
    """The sum of K y at x = 0 over the elements i0..end of a group."""
    return sign_g * (sums[end, SF] - sums[i0, SF]) - x_g * (sums[end, SK] - sums[i0, SK])


@kernel
def groups_rest(p, s, level, i0):
    """The sum of K y at x = 0 over the groups up to `level`, the top one starting at i0."""
    if level == 0:
        return 0.0
    g = level - 1
    return s.rest_g[g] + group_sum(p.sums, s.x_g[g], s.sign_g[g], i0, s.end_g[g])


@kernel
def slid(sums, x1, direction, x_g, sign_g, i0, end):
    """Where the sliding part of a group ends after moving to x1 in the given direction."""
    travel = direction * (x1 - x_g)
    if sign_g == direction:  # last slid this way: all slide again, together, back at their turning point
        return end if travel >= 0.0 else i0
    return yielded(sums, i0, end, travel if sign_g == 0 else 0.5 * travel)


@kernel
def walk(p, s, v, T):
    """Where motion leads, nothing changed: x1, direction, i0, level, if a group was pushed, its rest, sum of K y."""
    sums, N = p.sums, p.sums.shape[0] - 1
    x, direction, i0, level = s.x[0], s.way[0], s.i0[0], s.depth[0]
    x1 = x + T * v
    turned = False
    pushed_rest = 0.0
    if v != 0.0:
        new_direction = 1 if v > 0.0 else -1
        if new_direction != direction and i0 > 0:  # the sliding ones become the top group
            pushed_rest = groups_rest(p, s, level, i0)
            end = i0
            i0 = slid(sums, x1, new_direction, x, direction, 0, end)
            turned = i0 < end
            if not turned:
                i0 = end
        direction = new_direction
        while not turned and level > 0:
            g = level - 1
            end = s.end_g[g]
            i0 = slid(sums, x1, direction, s.x_g[g], s.sign_g[g], i0, end)
            if i0 < end:
                break
            level -= 1
    rest = pushed_rest + group_sum(sums, x, s.way[0], i0, s.i0[0]) if turned else groups_rest(p, s, level, i0)
    total = direction * sums[i0, SF] + rest + x1 * (sums[N, SK] - sums[i0, SK])
    return x1, direction, i0, level, turned, pushed_rest, total


@kernel
def stack_answer(p, s, w, v, T):
    """Force and slope for a trial velocity; changes nothing."""
    _, _, i0, _, _, _, total = walk(p, s, v, T)
    return -total, -T * (p.sums[p.sums.shape[0] - 1, SK] - p.sums[i0, SK])


@kernel
def stack_advance(p, s, w, v, T):
    """Commit the velocity that really happened."""
    x1, direction, i0, level, turned, rest, total = walk(p, s, v, T)
    if turned:
        s.x_g[level], s.sign_g[level], s.end_g[level], s.rest_g[level] = s.x[0], s.way[0], s.i0[0], rest
        level += 1
    if level == 0:
        x1 = 0.0  # all slide: the place is free, and a fresh origin keeps every digit of later differences
    s.f[0] = -total
    s.mean[0] = -total / p.sums[p.sums.shape[0] - 1, SK]
    s.x[0], s.way[0], s.i0[0], s.depth[0] = x1, direction, i0, level
