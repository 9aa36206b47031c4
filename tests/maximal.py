"""Closed loops by the plain way: six coordinates a body, every joint a few equations, dense algebra, DOP853.

Equations are of index 1: M a + J' λ = f with J a = -(dJ/dt) u, every Jacobian written out; after each step of the
integrator places and speeds are brought back to the constraints, along M⁻¹ J'. It shares no line with tegotae.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.integrate import DOP853

from constraints import Constraints, dots
from linkages import SIZES, directions, matrix_of, moved, product, quaternion_of, read, stepped, unit


class State(NamedTuple):
    """Of all bodies, the world last: centres of mass, quaternions; velocities and angular velocities in world axes."""

    r: np.ndarray
    Q: np.ndarray
    V: np.ndarray
    W: np.ndarray

    @property
    def R(self):
        return np.array([matrix_of(q) for q in self.Q])


class Maximal:
    """A mechanism of `linkages.py` in six coordinates a body."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.links, self.closures = mechanism.links, mechanism.closures
        self.n = len(self.links)
        self.index = {None: self.n, **{link.name: k for k, link in enumerate(self.links)}}
        self.center = np.array([*(link.center for link in self.links), (0, 0, 0)], dtype=float)
        self.m = np.array([link.mass for link in self.links])
        inertias = [np.asarray(link.inertia, dtype=float) for link in self.links]
        self.I = np.array([np.diag(one) if one.ndim == 1 else one for one in inertias])
        self.g = np.array(mechanism.gravity, dtype=float)
        self.joints = [*self.links, *self.closures]
        self.kinds = [one.joint for one in self.joints]
        self.ends = [self._ends(one) for one in self.joints]
        self.constraints = Constraints(self.n, self.kinds, self.ends)
        self.count = self.constraints.count
        self.rows = slice(None)

    def _ends(self, one):
        """(body, place from its centre of mass, rotation) of the joint's frame in the parent, then in the body."""
        a, b = self.index[one.parent], self.index[getattr(one, "body", one.name)]
        position, rotation = np.array(one.position, dtype=float), np.array(one.rotation, dtype=float)
        if one.joint.kind == "free":  # its coordinates are in the parent's frame
            position, rotation = np.zeros(3), np.eye(3)
        place, turn = (
            np.array(getattr(one, "place", (0, 0, 0)), float),
            np.array(getattr(one, "turn", np.eye(3)), float),
        )
        return (a, position - self.center[a], rotation), (b, place - self.center[b], turn)

    # ------------------------------------------------------------ motion

    def _masses(self, R):
        """M and its inverse, 6 n x 6 n."""
        M, back = np.zeros((6 * self.n,) * 2), np.zeros((6 * self.n,) * 2)
        for k in range(self.n):
            i, whole = 6 * k, R[k] @ self.I[k] @ R[k].T
            M[i : i + 3, i : i + 3], M[i + 3 : i + 6, i + 3 : i + 6] = self.m[k] * np.eye(3), whole
            back[i : i + 3, i : i + 3] = np.eye(3) / self.m[k]
            back[i + 3 : i + 6, i + 3 : i + 6] = np.linalg.inv(whole)
        return M, back

    def _loads(self, t, s, R, M):
        """Gravity, gyroscopic moments, and what dampers and drives do in joints of one degree."""
        f = np.zeros((self.n + 1, 6))
        f[:-1, :3] = self.m[:, None] * self.g
        for k in range(self.n):
            f[k, 3:] = -np.cross(s.W[k], M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] @ s.W[k])
        for j, (one, ((a, _, Ra), (b, sb, _))) in enumerate(zip(self.joints, self.ends, strict=True)):
            joint, drive = one.joint, self.mechanism.drives.get(one.name)
            if drive is None and not joint.damping:
                continue
            q, v = self._joint_coordinates(j, s, R)
            effort = (drive(t, q[0], v[0]) if drive else 0.0) - joint.damping * v[0]
            axis = R[a] @ Ra @ unit(joint.axes[0]) * effort
            if joint.kind == "revolute":
                f[b, 3:] += axis
                f[a, 3:] -= axis
            else:  # both feel the force at the moved frame's origin
                x = R[b] @ sb
                f[b, :3] += axis
                f[b, 3:] += np.cross(x, axis)
                f[a, :3] -= axis
                f[a, 3:] -= np.cross(s.r[b] + x - s.r[a], axis)
        return f[:-1].ravel()

    def accelerations(self, t, s):
        """6 n accelerations of the centres and of the turns, and the constraints' multipliers."""
        R = s.R
        _, J, bias = self.constraints(s)
        M, back = self._masses(R)
        free = back @ self._loads(t, s, R, M)
        if not self.count:
            return free, np.zeros(0)
        J, bias = J[self.rows], bias[self.rows]
        push = back @ J.T
        force = scipy.linalg.solve(J @ push, J @ free + bias, assume_a="pos")
        return free - push @ force, force

    def _select(self, s):
        """Rows that say something new: loops in a plane say some things twice."""
        if not self.count:
            return
        _, J, _ = self.constraints(s)
        _, triangle, order = scipy.linalg.qr(J.T, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(triangle))
        self.rows = np.sort(order[: int((sizes > 1e-9 * sizes[0]).sum())])

    @property
    def freedom(self):
        """How many ways it can move."""
        return 6 * self.n - (len(self.rows) if self.count else 0)

    def projected(self, s, *, rounds=20):
        """On the constraints, the nearest in terms of the masses; and speeds that keep them."""
        if not self.count:
            return s
        for _ in range(rounds):
            g, J, _ = self.constraints(s)
            _, back = self._masses(s.R)
            push = back @ J[self.rows].T
            step = push @ scipy.linalg.solve(J[self.rows] @ push, g[self.rows], assume_a="pos")
            if np.abs(g).max() < 1e-15:
                break
            s = self._shifted(s, -step)
            if np.abs(step).max() < 1e-15:
                break
        _, J, _ = self.constraints(s)
        _, back = self._masses(s.R)
        push, u = back @ J[self.rows].T, self._speeds(s)
        u = u - push @ scipy.linalg.solve(J[self.rows] @ push, J[self.rows] @ u, assume_a="pos")
        return self._with_speeds(s, u)

    def _speeds(self, s):
        return np.concatenate([s.V[:-1], s.W[:-1]], axis=1).ravel()

    def _with_speeds(self, s, u):
        u = np.vstack([np.asarray(u).reshape(self.n, 6), np.zeros(6)])
        return State(s.r, s.Q, u[:, :3].copy(), u[:, 3:].copy())

    def _shifted(self, s, step):
        step = step.reshape(self.n, 6)
        Q, r = s.Q.copy(), s.r.copy()
        r[:-1] += step[:, :3]
        for k in range(self.n):
            Q[k] = stepped(_BALL, Q[k], step[k, 3:])
        return State(r, Q / np.linalg.norm(Q, axis=1, keepdims=True), s.V, s.W)

    def _pack(self, s):
        return np.concatenate([part[:-1].ravel() for part in s])

    def _unpack(self, y):
        n, ends = self.n, ((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))
        parts = np.split(y, [3 * n, 7 * n, 10 * n])
        return State(*(np.vstack([p.reshape(n, -1), e]).astype(float) for p, e in zip(parts, ends, strict=True)))

    def _rate(self, t, y):
        s = self._unpack(y)
        a = self.accelerations(t, s)[0].reshape(self.n, 6)
        dQ = [0.5 * product(np.array([0.0, *w]), q) for w, q in zip(s.W[:-1], s.Q[:-1], strict=True)]
        return np.concatenate([s.V[:-1].ravel(), np.ravel(dQ), a[:, :3].ravel(), a[:, 3:].ravel()])

    def run(self, until, q, v, *, rtol=1e-12, atol=1e-13, seen=None):
        """The state at `until` [s] from tree coordinates q and v, which close; `seen` is called after each step."""
        s = self.state(q, v)
        self._select(s)
        s = self.projected(s)
        solver = DOP853(self._rate, 0.0, self._pack(s), until, rtol=rtol, atol=atol)
        while solver.status == "running":
            message = solver.step()
            assert solver.status != "failed", message
            s = self._unpack(solver.y)
            s = self.projected(s._replace(Q=s.Q / np.linalg.norm(s.Q, axis=1, keepdims=True)), rounds=2)
            solver.y = self._pack(s)
            solver.f = self._rate(solver.t, solver.y)
            if seen:
                seen(solver.t, s)
        return s

    def energy(self, s):
        """Kinetic and that of gravity [J]; 0 at the world's origin."""
        whole = [R @ J @ R.T for R, J in zip(s.R[:-1], self.I, strict=True)]
        turning = sum(w @ J @ w for w, J in zip(s.W[:-1], whole, strict=True))
        return 0.5 * (self.m @ dots(s.V[:-1], s.V[:-1]) + turning), -float(self.m @ (s.r[:-1] @ self.g))

    # ------------------------------------------------------------ coordinates of the tree

    def _joint_coordinates(self, j, s, R):
        (a, sa, Ra), (b, sb, Rb) = self.ends[j]
        frame = R[a] @ Ra
        xa, xb = R[a] @ sa, R[b] @ sb
        d = s.r[b] + xb - s.r[a] - xa
        q = read(self.kinds[j], frame.T @ d, frame.T @ R[b] @ Rb)
        turn = s.W[b] - s.W[a]
        slide = s.V[b] + np.cross(s.W[b], xb) - s.V[a] - np.cross(s.W[a], xa + d)
        seen = np.concatenate([frame.T @ slide, frame.T @ turn])
        return q, np.linalg.lstsq(directions(self.kinds[j], q), seen, rcond=None)[0]

    def coordinates(self, s):
        """q and v as the tree has them: links in their order, then loops; angles within half a turn."""
        R = s.R
        found = [self._joint_coordinates(j, s, R) for j in range(len(self.joints))]
        return np.concatenate([q for q, _ in found]), np.concatenate([v for _, v in found])

    def _split(self, q, which):
        sizes = [SIZES[link.joint.kind][which] for link in self.links]
        return np.split(np.asarray(q, dtype=float)[: sum(sizes)], np.cumsum(sizes)[:-1])

    def state(self, q, v=None):
        """Poses and speeds from the coordinates of the links (those of loops, if given, are not looked at)."""
        qs, n = self._split(q, 0), self.n
        sizes = [SIZES[link.joint.kind][1] for link in self.links]
        vs = self._split(np.zeros(sum(sizes)) if v is None else v, 1)
        r, V, W, R = np.zeros((n + 1, 3)), np.zeros((n + 1, 3)), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
        R[n] = np.eye(3)
        for k in range(n):
            (a, sa, Ra), (b, sb, _) = self.ends[k]
            place, turn = moved(self.kinds[k], qs[k])
            slide, spin = np.split(R[a] @ Ra @ _pairs(directions(self.kinds[k], qs[k]) @ vs[k]), 2, axis=1)
            R[b] = R[a] @ Ra @ turn
            joint = r[a] + R[a] @ (sa + Ra @ place)
            W[b] = W[a] + spin[:, 0]
            r[b] = joint - R[b] @ sb
            V[b] = V[a] + np.cross(W[a], joint - r[a]) + slide[:, 0] - np.cross(W[b], R[b] @ sb)
        return State(r, np.array([quaternion_of(one) for one in R]), V, W)

    def closed(self, q, v=None, *, hold=(), rounds=60):
        """Coordinates of the links nearest to q that close every loop, and speeds; those of `hold` stay."""
        kinds, sizes = self.kinds[: self.n], [SIZES[link.joint.kind][1] for link in self.links]
        moving = np.repeat([link.name not in hold for link in self.links], sizes)
        for _ in range(rounds):
            columns, g = self._by_speeds(q, moving)
            step = np.zeros(len(moving))
            step[moving] = -np.linalg.lstsq(columns[:, moving], g, rcond=1e-12)[0]
            parts = np.split(step, np.cumsum(sizes)[:-1])
            q = np.concatenate([stepped(k, a, d) for k, a, d in zip(kinds, self._split(q, 0), parts, strict=True)])
            if np.abs(step).max() < 1e-15:
                break
        columns, g = self._by_speeds(q, moving)
        assert np.abs(g).max() < 1e-12, f"does not close: {np.abs(g).max():g}"
        if v is None:
            return q
        v = np.array(v, dtype=float)[: len(moving)]
        v[moving] -= np.linalg.lstsq(columns[:, moving], columns @ v, rcond=1e-12)[0]
        return q, v

    def _by_speeds(self, q, moving):
        s = self.state(q)
        g, J, _ = self.constraints(s)
        return np.array([J @ self._speeds(self.state(q, e)) for e in np.eye(len(moving))]).T, g


class _Ball(NamedTuple):
    kind: str = "spherical"


_BALL = _Ball()


def _pairs(twist):
    """Velocity and turn as two columns."""
    return np.asarray(twist).reshape(2, 3).T
