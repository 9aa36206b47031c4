"""A probe on the plate against a fixed plane that faces down: a normal spring and damper, and dry friction.

    d = z_tip - height,   N = max(0, k d + c d') where d > 0, else 0
    f = -(k e + c e'),    |f| <= mu N,   e = tip - anchor in the plane      [kikuuwe2005 (18), two directions, M = 0]

While the tip sticks its anchor does not move by a single bit, so that there is no creep. Sliding drags the anchor.

C: 0 height, 1 k (0: there is no surface), 2 c, 3:6 tip in the plate's axes, 6 mu.
a: 0:2 anchor, 2:4 deflection e at the end of the last step.
w: 0:3 force on the plate, 3:6 its torque about the centre of the joints, both in the world's axes, 6:8 e as if stuck.
"""

import math

from tegotae.compile import kernel


@kernel
def touch(C, y, R, a, w):
    """The wrench of the surface at y into w; 0 off the surface, 1 sticking, 2 sliding."""
    rx = R[0, 0] * C[3] + R[0, 1] * C[4] + R[0, 2] * C[5]
    ry = R[1, 0] * C[3] + R[1, 1] * C[4] + R[1, 2] * C[5]
    rz = R[2, 0] * C[3] + R[2, 1] * C[4] + R[2, 2] * C[5]
    depth = y[2] + rz - C[0]
    w[6], w[7] = y[0] + rx - a[0], y[1] + ry - a[1]
    if not depth > 0.0:
        for j in range(6):
            w[j] = 0.0
        return 0
    N = max(0.0, C[1] * depth + C[2] * (y[9] + y[10] * ry - y[11] * rx))
    fx, fy, how = 0.0, 0.0, 1
    if C[6] > 0.0:
        fx = C[1] * w[6] + C[2] * (y[7] + y[11] * rz - y[12] * ry)
        fy = C[1] * w[7] + C[2] * (y[8] + y[12] * rx - y[10] * rz)
        size = math.sqrt(fx * fx + fy * fy)
        if size > C[6] * N:
            fx, fy, how = fx * C[6] * N / size, fy * C[6] * N / size, 2
    w[0], w[1], w[2] = -fx, -fy, -N
    w[3], w[4], w[5] = fy * rz - N * ry, N * rx - fx * rz, fx * ry - fy * rx
    return how


@kernel
def drag(C, y, R, a, T, w):
    """The anchor and the deflection after a step of T that ended at y; off the surface the anchor is under the tip."""
    how = touch(C, y, R, a, w)
    x, z = a[0] + w[6], a[1] + w[7]
    if how == 1:
        a[2], a[3] = w[6], w[7]
    elif how == 2:
        a[2] = (C[2] * a[2] - T * w[0]) / (C[2] + T * C[1])
        a[3] = (C[2] * a[3] - T * w[1]) / (C[2] + T * C[1])
        a[0], a[1] = x - a[2], z - a[3]
    else:
        a[0], a[1], a[2], a[3] = x, z, 0.0, 0.0
