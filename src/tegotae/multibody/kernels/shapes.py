"""How far a ball is from a surface, in the surface's own frame: gap, normal, nearest point.

A point is a ball of radius 0. The gap is a signed distance, exact on both sides, less the radius.
"""

import math

from tegotae.compile import entry, kernel

HALF_SPACE, PLATE, BOX, SPHERE = 0, 1, 2, 3
SIZES = 3  # numbers that tell a surface of a kind from another


@kernel
def _put(out, gap, nx, ny, nz, x, y, z):
    out[0], out[1], out[2], out[3], out[4], out[5], out[6] = gap, nx, ny, nz, x, y, z


@kernel
def _from(x, y, z, cx, cy, cz, nx, ny, nz, radius, out):
    """The ball at x over its nearest point c; (nx, ny, nz) where the two are one. The distance is >= 0."""
    dx, dy, dz = x - cx, y - cy, z - cz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0.0:
        nx, ny, nz = dx / distance, dy / distance, dz / distance
    _put(out, distance - radius, nx, ny, nz, cx, cy, cz)


@entry
def touch(kind, g, x, y, z, radius, out):
    """out = gap, normal out of the surface (3), nearest point of the surface (3).

    The surface's own frame: half-space z <= 0; plate |x| <= g0, |y| <= g1 in z = 0, felt from z > 0 and no deeper than
    g2; box |x| <= g0, |y| <= g1, |z| <= g2; sphere of radius g0. What a plate does not feel has an infinite gap.
    """
    if kind == HALF_SPACE:
        _put(out, z - radius, 0.0, 0.0, 1.0, x, y, 0.0)
    elif kind == SPHERE:
        size = math.sqrt(x * x + y * y + z * z)
        nx, ny, nz = (x / size, y / size, z / size) if size > 0.0 else (0.0, 0.0, 1.0)
        _put(out, size - g[0] - radius, nx, ny, nz, g[0] * nx, g[0] * ny, g[0] * nz)
    elif kind == PLATE:
        cx, cy = min(max(x, -g[0]), g[0]), min(max(y, -g[1]), g[1])
        over = cx == x and cy == y
        if z >= 0.0 and not over:
            _from(x, y, z, cx, cy, 0.0, 0.0, 0.0, 1.0, radius, out)
        elif over:
            _put(out, z - radius, 0.0, 0.0, 1.0, cx, cy, 0.0)
        else:
            _put(out, math.inf, 0.0, 0.0, 1.0, cx, cy, 0.0)
        if out[0] < -g[2]:
            out[0] = math.inf
    else:
        _touch_box(g, x, y, z, radius, out)


@kernel
def _touch_box(g, x, y, z, radius, out):
    px, py, pz = abs(x) - g[0], abs(y) - g[1], abs(z) - g[2]
    depth = max(px, py, pz)
    # The face that is nearest from inside; outside it stands in where the distance is too small to be divided by.
    nx, ny, nz = 0.0, 0.0, 0.0
    cx, cy, cz = min(max(x, -g[0]), g[0]), min(max(y, -g[1]), g[1]), min(max(z, -g[2]), g[2])
    if depth == px:
        nx = math.copysign(1.0, x)
    elif depth == py:
        ny = math.copysign(1.0, y)
    else:
        nz = math.copysign(1.0, z)
    if depth > 0.0:
        _from(x, y, z, cx, cy, cz, nx, ny, nz, radius, out)
        return
    if nx != 0.0:
        cx = math.copysign(g[0], x)
    elif ny != 0.0:
        cy = math.copysign(g[1], y)
    else:
        cz = math.copysign(g[2], z)
    _put(out, depth - radius, nx, ny, nz, cx, cy, cz)
