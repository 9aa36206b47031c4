"""What joints ask of bodies that have six coordinates each: equations between two of them, with all derivatives."""

import numpy as np

from linkages import across, skew, unit


def cross(a, b):
    """Of rows: numpy's own takes ten times as long."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def dots(a, b):
    return (a * b).sum(axis=-1)


class Constraints:
    """Of joints between frames of bodies, in three kinds: two points are one; two directions keep their angle; a point
    stays in a plane. Each end of a joint is (body, place from its centre of mass, rotation); the world is body n.
    """

    def __init__(self, n, kinds, ends):
        self.n = n
        points, angles, planes = [], [], []
        for joint, ((a, sa, Ra), (b, sb, Rb)) in zip(kinds, ends, strict=True):
            if joint.kind == "free":
                continue
            if joint.kind in ("revolute", "spherical", "universal", "fixed"):
                points.append((a, b, sa, sb))
            if joint.kind == "universal":
                f, s = map(unit, joint.axes)
                angles.append((a, b, Ra @ f, Rb @ s, f @ s))
            elif joint.kind != "spherical":
                u = unit(joint.axes[0]) if joint.axes else np.array([0.0, 0.0, 1.0])
                e1, e2 = across(u)
                angles += [(a, b, Ra @ e, Rb @ u, 0.0) for e in (e1, e2)]
                if joint.kind in ("prismatic", "fixed"):
                    angles.append((a, b, Ra @ e1, Rb @ e2, 0.0))
                if joint.kind in ("prismatic", "cylindrical"):
                    planes += [(a, b, Ra @ e, sa, sb) for e in (e1, e2)]
                if joint.kind == "planar":
                    planes.append((a, b, Ra @ u, sa, sb))
        self.points, self.angles, self.planes = (
            [np.array(column) for column in zip(*some, strict=True)] if some else None
            for some in (points, angles, planes)
        )
        self.count = 3 * len(points) + len(angles) + len(planes)

    def __call__(self, s):
        """g, J (count x 6 n) and the part of d²g/dt² that accelerations do not give, all rows."""
        R, n = s.R, self.n
        g, J, bias = [], np.zeros((self.count, n + 1, 6)), []
        row = 0

        def at(k, local):
            """A point of a body: from its centre, where it is, its velocity and centripetal acceleration."""
            x = np.einsum("kij,kj->ki", R[k], local)
            turn = cross(s.W[k], x)
            return x, s.r[k] + x, s.V[k] + turn, cross(s.W[k], turn)

        if self.points is not None:
            a, b, sa, sb = self.points
            (xa, pa, _, ca), (xb, pb, _, cb) = at(a, sa), at(b, sb)
            g.append((pb - pa).ravel())
            bias.append((cb - ca).ravel())
            for i in range(len(a)):
                J[row : row + 3, b[i], :3] += np.eye(3)
                J[row : row + 3, b[i], 3:] -= skew(xb[i])
                J[row : row + 3, a[i], :3] -= np.eye(3)
                J[row : row + 3, a[i], 3:] += skew(xa[i])
                row += 3
        if self.angles is not None:
            a, b, ua, ub, kept = self.angles
            ua, ub = np.einsum("kij,kj->ki", R[a], ua), np.einsum("kij,kj->ki", R[b], ub)
            da, db = cross(s.W[a], ua), cross(s.W[b], ub)
            g.append(dots(ua, ub) - kept)
            bias.append(dots(cross(s.W[a], da), ub) + 2.0 * dots(da, db) + dots(ua, cross(s.W[b], db)))
            rows = row + np.arange(len(a))
            J[rows, a, 3:] += cross(ua, ub)
            J[rows, b, 3:] += cross(ub, ua)
            row += len(a)
        if self.planes is not None:
            a, b, ua, sa, sb = self.planes
            ua = np.einsum("kij,kj->ki", R[a], ua)
            (xa, pa, va, ca), (xb, pb, vb, cb) = at(a, sa), at(b, sb)
            d, dv, du = pb - pa, vb - va, cross(s.W[a], ua)
            g.append(dots(ua, d))
            bias.append(dots(cross(s.W[a], du), d) + 2.0 * dots(du, dv) + dots(ua, cb - ca))
            rows = row + np.arange(len(a))
            J[rows, a, :3] -= ua
            J[rows, a, 3:] += cross(ua, d) - cross(xa, ua)
            J[rows, b, :3] += ua
            J[rows, b, 3:] += cross(xb, ua)
        if not g:
            return np.zeros(0), np.zeros((0, 6 * n)), np.zeros(0)
        return np.concatenate(g), J[:, :n].reshape(self.count, 6 * n), np.concatenate(bias)
