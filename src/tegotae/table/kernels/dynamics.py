"""The mechanism of the six-arm table in the coordinates of its plate, and the surface that its probe meets.

    M(p, R) a + h = 0,   M = M_plate + J^-T I J^-1 + sum m_mid J_mid^T J_mid,   a = [dv/dt; dw/dt]    [tarao1999 (10)]

h gathers what turning does, gravity, motors and the wrench on the plate. A slender uniform rod of mass m moves exactly
as m/6 at both ends and 2m/3 in its middle: the ends belong to arm and plate, the middle to itself.

A probe on the plate meets a fixed plane that faces down: a normal spring and damper, and dry friction.

    d = z_tip - height,   N = max(0, k d + c d') where d > 0, else 0
    f = -(k e + c e'),    |f| <= mu N,   e = tip - anchor in the plane      [kikuuwe2005 (18), two directions, M = 0]

While the tip sticks its anchor does not move by a single bit, so that there is no creep. Sliding drags the anchor.

y: 0:3 p, 3:7 quaternion (w, x, y, z), 7:10 v, 10:13 w. B is the mechanism and o workspace, see `MECHANISM` and
`MECHANISM_WORKSPACE` of `plant_layout`. C is the surface (`SURFACE` there), a the anchor, e the deflection at the end
of the last step. The surface's force on the plate and its torque about the centre of the joints, in the world's axes,
go into push, e as if the tip stuck into stuck.
"""

import math

from tegotae.compile import entry, kernel
from tegotae.kernels.rotations import matrix as rotation
from tegotae.kernels.rotations import times
from tegotae.kernels.stick_slip import grip, stretch_after
from tegotae.table.kernels.hexa import inverse, inverse_jacobian


@kernel
def matrix(y, R):
    """The rotation of the quaternion in y, whatever its length."""
    w, i, j, k = y[3], y[4], y[5], y[6]
    a, b, c, d, e, f, g, h, o = rotation(2.0 / (w * w + i * i + j * j + k * k), w, i, j, k)
    R[0, 0], R[0, 1], R[0, 2] = a, b, c
    R[1, 0], R[1, 1], R[1, 2] = d, e, f
    R[2, 0], R[2, 1], R[2, 2] = g, h, o


@kernel
def plate_terms(B, y, R, P, M, h):
    """M and h of the plate alone, gravity included; P takes its inertia in the world's axes."""
    m, g = B.m, B.g
    wx, wy, wz = y[10], y[11], y[12]
    c0, c1, c2 = times(R, B.mc[0], B.mc[1], B.mc[2])
    for i in range(3):
        for j in range(3):
            a0 = R[j, 0] * B.I[0, 0] + R[j, 1] * B.I[0, 1] + R[j, 2] * B.I[0, 2]
            a1 = R[j, 0] * B.I[0, 1] + R[j, 1] * B.I[1, 1] + R[j, 2] * B.I[1, 2]
            a2 = R[j, 0] * B.I[0, 2] + R[j, 1] * B.I[1, 2] + R[j, 2] * B.I[2, 2]
            P[i, j] = R[i, 0] * a0 + R[i, 1] * a1 + R[i, 2] * a2
            M[3 + i, 3 + j] = P[i, j]
            M[i, j] = m if i == j else 0.0
    M[0, 3], M[0, 4], M[0, 5] = 0.0, c2, -c1
    M[1, 3], M[1, 4], M[1, 5] = -c2, 0.0, c0
    M[2, 3], M[2, 4], M[2, 5] = c1, -c0, 0.0
    for i in range(3):
        for j in range(3):
            M[3 + i, j] = M[j, 3 + i]
    u = wx * c0 + wy * c1 + wz * c2
    w2 = wx * wx + wy * wy + wz * wz
    h[0], h[1], h[2] = wx * u - c0 * w2, wy * u - c1 * w2, wz * u - c2 * w2 + m * g
    l0, l1, l2 = times(P, wx, wy, wz)
    h[3] = wy * l2 - wz * l1 + c1 * g
    h[4] = wz * l0 - wx * l2 - c0 * g
    h[5] = wx * l1 - wy * l0


@kernel
def arm_terms(B, y, i, th, thd, N, W, J, M, h):
    """Arm i and the middle of its rod added to M and h."""
    inertia, m, g = B.I_arm, B.m_rod, B.g
    wx, wy, wz = y[10], y[11], y[12]
    bx, by, bz = N[i, 0], N[i, 1], N[i, 2]
    wb = wx * bx + wy * by + wz * bz
    w2 = wx * wx + wy * wy + wz * wz
    ax, ay, az = wx * wb - bx * w2, wy * wb - by * w2, wz * wb - bz * w2  # w x (w x b)
    ux = y[7] + wy * bz - wz * by - N[i, 6] * thd
    uy = y[8] + wz * bx - wx * bz - N[i, 7] * thd
    uz = y[9] + wx * by - wy * bx - N[i, 8] * thd
    t2 = thd * thd
    # the rod keeps its length: n . (xdd - Cdd) + |xd - Cd|^2 = 0
    e = N[i, 3] * (ax + N[i, 9] * t2) + N[i, 4] * (ay + N[i, 10] * t2) + N[i, 5] * (az + N[i, 11] * t2)
    e = (e + ux * ux + uy * uy + uz * uz) / N[i, 12]
    push = inertia * e - B.mc_arm * g * math.cos(th)
    for k in range(3):
        for j in range(6):
            J[k, j] = 0.5 * N[i, 6 + k] * W[i, j]
        J[k, k] += 0.5
    J[0, 4] += 0.5 * bz
    J[0, 5] -= 0.5 * by
    J[1, 3] -= 0.5 * bz
    J[1, 5] += 0.5 * bx
    J[2, 3] += 0.5 * by
    J[2, 4] -= 0.5 * bx
    mx = 0.5 * m * (N[i, 6] * e - N[i, 9] * t2 + ax)
    my = 0.5 * m * (N[i, 7] * e - N[i, 10] * t2 + ay)
    mz = 0.5 * m * (N[i, 8] * e - N[i, 11] * t2 + az) + m * g
    for a in range(6):
        h[a] += W[i, a] * push + J[0, a] * mx + J[1, a] * my + J[2, a] * mz
        for b in range(6):
            M[a, b] += inertia * W[i, a] * W[i, b] + m * (J[0, a] * J[0, b] + J[1, a] * J[1, b] + J[2, a] * J[2, b])


@entry
def terms(B, y, o):
    """M, h (motors and wrench left out), angles and rates at y; False where the arms do not reach."""
    matrix(y, o.R)
    if inverse(B.G, y, o.R, o.th, o.N) >= 0:
        return False
    for i in range(6):
        if not o.N[i, 12] > 1e-9 * B.G[i, 8] * B.G[i, 9]:
            return False
    inverse_jacobian(o.N, o.W)
    plate_terms(B, y, o.R, o.P, o.M, o.h)
    for i in range(6):
        s = 0.0
        for k in range(6):
            s += o.W[i, k] * y[7 + k]
        o.thd[i] = s
        arm_terms(B, y, i, o.th[i], s, o.N, o.W, o.J, o.M, o.h)
    return True


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
