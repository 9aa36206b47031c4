"""A probe on the plate against a fixed plane that faces down: a normal spring and damper, and dry friction.

    d = z_tip - height,   N = max(0, k d + c d') where d > 0, else 0
    f = -(k e + c e'),    |f| <= mu N,   e = tip - anchor in the plane      [kikuuwe2005 (18), two directions, M = 0]

While the tip sticks its anchor does not move by a single bit, so that there is no creep. Sliding drags the anchor.

C is the surface (see `plant_layout.SURFACE`), a the anchor, e the deflection at the end of the last step. The surface's
force on the plate and its torque about the centre of the joints, in the world's axes, go into push, e as if the tip
stuck into stuck.
"""

import math

from tegotae.compile import kernel
from tegotae.kernels.rotations import times
from tegotae.kernels.stick_slip import grip, stretch_after


@kernel
def tip_of(C, R):
    """The tip from the joints' centre, in the world's axes."""
    return times(R, C.tip[0], C.tip[1], C.tip[2])


@kernel
def touch(C, y, R, a, push, stuck):
    """The wrench of the surface at y into push; 0 off the surface, 1 sticking, 2 sliding."""
    rx, ry, rz = tip_of(C, R)
    depth = y[2] + rz - C.z
    stuck[0], stuck[1] = y[0] + rx - a[0], y[1] + ry - a[1]
    if not depth > 0.0:
        for j in range(6):
            push[j] = 0.0
        return 0
    N = max(0.0, C.k * depth + C.c * (y[9] + y[10] * ry - y[11] * rx))
    fx, fy, how = 0.0, 0.0, 1
    if C.mu > 0.0:
        fx = C.k * stuck[0] + C.c * (y[7] + y[11] * rz - y[12] * ry)
        fy = C.k * stuck[1] + C.c * (y[8] + y[12] * rx - y[10] * rz)
        g = grip(math.sqrt(fx * fx + fy * fy), C.mu * N)
        if g < 1.0:
            fx, fy, how = g * fx, g * fy, 2
    push[0], push[1], push[2] = -fx, -fy, -N
    push[3], push[4], push[5] = fy * rz - N * ry, N * rx - fx * rz, fx * ry - fy * rx
    return how


@kernel
def drag(C, y, R, a, e, T, push, stuck):
    """The anchor and the deflection after a step of T that ended at y; off the surface the anchor is under the tip."""
    how = touch(C, y, R, a, push, stuck)
    x, z = a[0] + stuck[0], a[1] + stuck[1]
    if how == 1:
        e[0], e[1] = stuck[0], stuck[1]
    elif how == 2:
        e[0] = stretch_after(C.k, C.c, e[0], -push[0], T)
        e[1] = stretch_after(C.k, C.c, e[1], -push[1], T)
        a[0], a[1] = x - e[0], z - e[1]
    else:
        a[0], a[1], e[0], e[1] = x, z, 0.0, 0.0
