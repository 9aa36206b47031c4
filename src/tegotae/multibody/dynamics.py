"""What a tree can be asked about its motion: accelerations, torques, energies, momenta, Jacobians, poses."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import TegotaeError
from tegotae.multibody.bodies import Body
from tegotae.multibody.joint_kinds import Fixed, Free
from tegotae.multibody.kernels import kinematics, quantities
from tegotae.multibody.kernels import reactions as transmitted
from tegotae.multibody.kernels.records import Model
from tegotae.multibody.tree_arrays import TreeArrays
from tegotae.multibody.tree_inertia import without_inertia

OWNER = "Tree"


class Dynamics:
    """What `Tree` knows about its motion. Every q, v and a may carry leading axes, one entry a moment."""

    if TYPE_CHECKING:  # given by Tree
        gravity: ArrayLike

        bodies: Sequence[Body]

        @property
        def all_bodies(self) -> tuple[Body, ...]:
            """Bodies."""

        @property
        def arrays(self) -> TreeArrays:
            """The arrays."""

    @cached_property
    def _model(self) -> Model:
        at = self.arrays
        return Model(at.parent, at.kind, at.qi, at.vi, at.C, np.array(self.gravity, dtype=np.float64))

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, torque: ArrayLike = 0.0, *, wrenches: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Accelerations [rad/s², m/s²] under joint torques and forces, by the three passes. [tarao1999 3.3]

        Args:
            q: configuration [rad, m], see `Tree`.
            v: velocity [rad/s, m/s].
            torque: of every joint [N·m, N] (and force [N] and moment [N·m] about the origin of every free body).
            wrenches: body -> force [N] and moment [N·m] at its frame's origin, in world axes.

        The friction and damping of the joints do not act here: a `Scene` has them. Loops and joints that follow others
        hold, if they do at q and v; `inverse_dynamics` and `mass_matrix` are those of the tree that is cut open there.

        Example:
            >>> from tegotae.multibody import Body, Revolute, Tree
            >>> rod = Body(name="rod", mass=1.0, inertia=(0.02, 0.02, 0.01), center=(0, 0, -0.5),
            ...            joint=Revolute(axis=(0, 1, 0)))
            >>> round(float(Tree([rod]).forward_dynamics([1.5707963], [0.0])[0]), 3)  # -m g l/(I + m l^2)
            -18.167
        """
        Q, V, shape = self._states(q, v)
        tau = self._like(torque, "torque", "N·m", Q, V.shape[1])
        tau = self.arrays.inner_force(Q, tau)
        inner_q, inner_v = self.arrays.inner(Q, V)
        W = self._wrenches(inner_q, wrenches)
        n, nv = len(self.arrays.parent), V.shape[1]
        S, out = kinematics.workspace(n), np.empty_like(V)
        quantities.accelerations(self._model, inner_q, inner_v, tau, np.zeros(nv), W, np.empty((n, 6)), S, out)
        self._see_numbers(out, inner_q, inner_v, tau)
        if self.arrays.welds or self.arrays.gears:
            out = np.array([self._held_together(*row) for row in zip(inner_q, inner_v, out, strict=True)])
        return np.asarray(self.arrays.outer_acceleration(Q, V, out).reshape(*shape, nv))

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrenches: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Torques and forces [N·m, N] that give these accelerations: the way back of `forward_dynamics`.

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic(axis=(0, 0, 1)))])
            >>> float(lift.inverse_dynamics([0.0], [0.0], [1.0])[0])  # m (g + a)
            21.62
        """
        Q, V, shape = self._states(q, v)
        A = self.arrays.inner_acceleration(Q, V, self._like(a, "a", "rad/s²", Q, V.shape[1]))
        inner_q, inner_v = self.arrays.inner(Q, V)
        W = self._wrenches(inner_q, wrenches)
        out = np.empty_like(V)
        S = kinematics.workspace(len(self.arrays.parent))
        quantities.torques(self._model, inner_q, inner_v, A, W, S, out)
        return np.asarray(self.arrays.outer_force(Q, out).reshape(*shape, V.shape[1]))

    def reactions(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrenches: Mapping[str, ArrayLike] | None = None
    ) -> dict[str, Array]:
        """What each joint exerts on the body it carries, for these accelerations: body -> force [N] and moment [N·m].

        Each is (..., 6), in world axes and about the origin of the body's frame, which a slide carries along. It is all
        that joint does, also along its free direction: there it is its torque of `inverse_dynamics`. What carries the
        body feels the opposite. Bodies that are `Fixed` or `Free` have none.

        Example:
            >>> from tegotae.multibody import Body, Revolute, Tree
            >>> arm = Tree([Body(name="arm", mass=2.0, center=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0)))])
            >>> arm.reactions([0.0], [0.0], [0.0])["arm"].round(3).tolist()  # held level: its weight, and the torque
            [0.0, 0.0, 19.62, 0.0, -9.81, 0.0]
        """
        if self.arrays.welds:
            remedy = "Ask a scene: Scene(tree=..., reactions=True) knows what its loops do."
            checks.refuse(OWNER, "reactions of a tree with loops do not follow from its motion alone.", remedy)
        Q, V, shape = self._states(q, v)
        A = self.arrays.inner_acceleration(Q, V, self._like(a, "a", "rad/s²", Q, V.shape[1]))
        inner_q, inner_v = self.arrays.inner(Q, V)
        W, n = self._wrenches(inner_q, wrenches), len(self.arrays.parent)
        out = np.empty((len(Q), n, 6))
        transmitted.reactions(self._model, inner_q, inner_v, A, W, kinematics.workspace(n), np.empty(V.shape[1]), out)
        return {name: out[:, k].reshape(*shape, 6) for name, k in self._carried.items()}

    @cached_property
    def _carried(self) -> dict[str, int]:
        """The rows of bodies that a joint carries: where that is made of several rows, the last."""
        frames = self.arrays.frames
        return {b.name: frames[b.name][0] for b in self.all_bodies if not isinstance(b.joint, (Fixed, Free))}

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), nv x nv, in the coordinates of v.

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> Tree([Body(name="lift", mass=2.0, joint=Prismatic())]).mass_matrix([0.0])
            array([[2.]])
        """
        M, _ = self._placed(q)
        X = self._inward(q)  # v_inner = X v_outer: the kinetic energy is the same
        return np.asarray(X.T @ M @ X)

    def jacobian(self, q: ArrayLike, body: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """6 x nv: velocity [m/s] of a point of a body and its angular velocity [rad/s] by each speed, in world axes.

        Args:
            q: configuration.
            body: name.
            point: in the body's frame [m].

        Example:
            >>> from tegotae.multibody import Body, Revolute, Tree
            >>> arm = Tree([Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Revolute(axis=(0, 0, 1)))])
            >>> arm.jacobian([0.0], "arm", (1.0, 0.0, 0.0))[1]
            array([1.])
        """
        k, place, turn = self._frame(body)
        _, S = self._placed(q)
        at = np.asarray(place) + turn @ checks.vector(OWNER, "point", point, "m", 3)
        x = at if k < 0 else S[k, 9:12] + S[k, :9].reshape(3, 3) @ at
        J = np.zeros((6, self.arrays.nv))
        quantities.jacobian(*self._model[:2], self.arrays.vi, S, k, x, J)
        return np.asarray(J @ self._inward(q))

    def pose(self, q: ArrayLike, body: str) -> tuple[Array, Array]:
        """Position [m] (..., 3) and rotation (..., 3, 3) of a body's frame in the world.

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
            >>> lift.pose([0.3], "lift")[0].tolist()
            [0.0, 0.0, 0.3]
        """
        k, place, turn = self._frame(body)
        R, c, shape = self._tracks(q)
        if k < 0:
            return np.broadcast_to(place, (*shape, 3)).copy(), np.broadcast_to(turn, (*shape, 3, 3)).copy()
        position = c[:, k] + R[:, k] @ np.asarray(place)
        return position.reshape(*shape, 3), (R[:, k] @ turn).reshape(*shape, 3, 3)

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Kinetic and potential energy [J]; the latter is 0 at the world's origin.

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> [float(e) for e in Tree([Body(name="lift", mass=2.0, joint=Prismatic())]).energy([1.0], [2.0])]
            [4.0, 19.62]
        """
        energy, _, shape = self._looked(q, v)
        return energy[:, 0].reshape(shape), energy[:, 1].reshape(shape)

    def momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Linear [kg·m/s] and angular momentum about the world's origin [kg·m²/s], each (..., 3).

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> Tree([Body(name="lift", mass=2.0, joint=Prismatic())]).momentum([1.0], [2.0])[0].tolist()
            [0.0, 0.0, 4.0]
        """
        _, motion, shape = self._looked(q, v)
        return motion[:, 3:6].reshape(*shape, 3), motion[:, 6:9].reshape(*shape, 3)

    def center_of_mass(self, q: ArrayLike) -> Array:
        """Of everything that moves [m], (..., 3).

        Example:
            >>> from tegotae.multibody import Body, Prismatic, Tree
            >>> Tree([Body(name="lift", mass=2.0, joint=Prismatic())]).center_of_mass([1.0]).tolist()
            [0.0, 0.0, 1.0]
        """
        _, motion, shape = self._looked(q)
        return motion[:, :3].reshape(*shape, 3)

    # ------------------------------------------------------------ how they are asked

    def _held_together(self, q: Array, v: Array, a: Array) -> Array:
        """Accelerations of the tree whose loops hold, from those of the tree that is cut open there; at one moment, as
        the kernels count them. Gauss: as near to those as can be, measured by the inertia.
        """
        M, J, bend = self._bound(q, v)
        L = np.linalg.cholesky(M)
        half = np.linalg.solve(L, J.T)
        force = np.linalg.lstsq(half.T @ half, J @ a + bend, rcond=1e-12)[0]
        return np.asarray(a - np.linalg.solve(L.T, half @ force))

    def _bound(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """M, how the gaps of loops and of joints that follow others move by the speeds (a row each), and how those
        rates change while no speed does; as the kernels count speeds.
        """
        at, S = self.arrays, kinematics.workspace(len(self.arrays.parent))
        M, unit = np.zeros((at.nv, at.nv)), np.zeros(at.nv)
        quantities.masses(self._model, q, v, S, M, unit)  # S as without gravity
        rows, bends = [np.zeros((0, at.nv))], [np.zeros(0)]
        for weld in at.welds:
            (J1, b1), (J2, b2) = (_bent(self._model, at, S, k, place) for k, place, _ in weld.ends)
            rows.append(J1 - J2)
            bends.append(b1 - b2)
        for gear in at.gears:
            row = np.zeros((1, at.nv))
            row[0, at.vi[gear.rows[0]]], row[0, at.vi[gear.rows[1]]] = 1.0, -gear.ratio
            rows.append(row)
            bends.append(np.zeros(1))
        return M, np.concatenate(rows), np.concatenate(bends)

    def _see_numbers(self, a: Array, q: Array, v: Array, tau: Array) -> None:
        """Files bring joints that nothing opposes: how those accelerate, and what carries them, is not defined."""
        good = np.isfinite(a).all(axis=1)
        if good.all():
            return
        bad = int(np.argmin(good))
        cause = self._unopposed_words(q[bad])
        if not cause:
            fast, hard = (float(np.abs(x[bad]).max(initial=0.0)) for x in (v, tau))
            cause = f"The state is out of range: its largest speed is {fast:g}, its largest torque {hard:g}."
        raise TegotaeError(f"{OWNER}: the accelerations are not finite.\n  {cause}")

    def _unopposed_words(self, q: Array, held: Collection[str] = ()) -> str:
        """Which joints nothing opposes, at most three of them by name, and the way out; empty where there are none.

        `held`: bodies whose joints something else than inertia opposes.
        """
        found = [one for one in self._inertialess or self._unopposed(q) if not set(one[2]) & set(held)]
        more = [f"And {len(found) - 3} more: see tree.flaws."] if len(found) > 3 else []
        return "\n  ".join([*(f"{problem} {remedy}" for problem, remedy, _ in found[:3]), *more])

    @cached_property
    def _inertialess(self) -> list[tuple[str, str, list[str]]]:
        return self._unopposed()

    def _unopposed(self, q: Array | None = None) -> list[tuple[str, str, list[str]]]:
        """Joints that nothing opposes, at q or anywhere: (problem, remedy, names of the bodies that make up the lump).

        Each is found by itself, from the tips inwards: what is lost behind it is not its parents' fault.
        """
        found = []
        placed = {body.name: body for body in self.all_bodies}
        for k in without_inertia(self.arrays, q):
            body = placed[self.arrays.names[k]]
            last = max(i for i, name in enumerate(self.arrays.names) if name == body.name)
            lump = [name for name, frame in self.arrays.frames.items() if frame[0] == last]
            mass = f"mass={self.arrays.C[last, 15]:g} kg"
            if body.flies:
                problem = f"body {body.name!r}: {mass} and its inertia do not oppose every motion of joint=Free()."
                remedy = "Give it mass and an inertia about all three axes."
            else:
                problem = f"joint {body.joint_name!r}: nothing opposes it; body {body.name!r} has {mass}, "
                problem += "and no inertia of it or of what it carries is felt there."
                remedy = "Give a mass or an inertia, or fix the joint."
            found.append((problem, remedy, lump))
        return found

    def _frame(self, body: str) -> Any:
        frames = self.arrays.frames
        if not isinstance(body, str) or body not in frames:
            checks.refuse(OWNER, f"there is no body {checks.shown(body)}.", f"It has {', '.join(list(frames)[:12])}.")
        return frames[body]

    def _states(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, tuple[int, ...]]:
        layout = self.arrays
        Q = checks.finite_array(OWNER, "q", q, "", last=layout.nq)
        V = checks.array(OWNER, "v", v, "")
        if V.ndim == 0 or V.shape[-1] != layout.nv:
            checks.refuse(OWNER, f"v has shape {V.shape}.", f"Give {layout.nv} numbers, or rows of {layout.nv}.")
        checks.finite(OWNER, "v", V, "")
        if lost := layout.no_turn(Q):
            checks.refuse(OWNER, f"q: the quaternion of {lost!r} has length 0.", "Give (1, 0, 0, 0) for no rotation.")
        if Q.shape[:-1] != V.shape[:-1]:
            checks.refuse(OWNER, f"q has shape {Q.shape}, v {V.shape}.", "Give as many rows of each.")
        return _rows(Q, layout.nq), _rows(V, layout.nv), Q.shape[:-1]

    def _still(self, q: ArrayLike) -> tuple[Array, Array, tuple[int, ...]]:
        """The same for a tree at rest."""
        Q = checks.finite_array(OWNER, "q", q, "", last=self.arrays.nq)
        return self._states(Q, np.zeros((*Q.shape[:-1], self.arrays.nv)))

    def _like(self, given: ArrayLike, name: str, unit: str, Q: Array, size: int) -> Array:
        values = checks.array(OWNER, name, given, unit)
        checks.finite(OWNER, name, np.atleast_1d(values), unit)
        try:
            return np.array(np.broadcast_to(_rows(values, size) if values.ndim > 1 else values, (len(Q), size)))
        except ValueError:
            checks.refuse(OWNER, f"{name} has shape {values.shape}.", f"Give {size} numbers, or {len(Q)} rows of them.")

    def _wrenches(self, inner_q: Array, wrenches: Mapping[str, ArrayLike] | None) -> Array:
        n = len(self.arrays.parent)
        wrenches = checks.mapping(OWNER, "wrenches", wrenches, "Give a dict of six numbers by body.")
        if not wrenches:
            return np.zeros((1, n, 6))
        W = np.zeros((len(inner_q), n, 6))
        R, _ = self._inner_tracks(inner_q)
        for body, given in wrenches.items():
            k, place, _ = self._frame(body)
            w = self._like(given, f"wrenches[{body!r}]", "N", inner_q, 6)
            if k >= 0:
                W[:, k] += w
                W[:, k, 3:] += np.cross(R[:, k] @ np.asarray(place), w[:, :3])
        return W

    def _inner_tracks(self, inner_q: Array) -> tuple[Array, Array]:
        n = len(self.arrays.parent)
        rows = np.empty((len(inner_q), n, 12))
        quantities.track(self._model, inner_q, np.zeros(self.arrays.nv), kinematics.workspace(n), rows)
        return rows[:, :, :9].reshape(-1, n, 3, 3), rows[:, :, 9:12]

    def _tracks(self, q: ArrayLike) -> tuple[Array, Array, tuple[int, ...]]:
        Q, V, shape = self._still(q)
        return *self._inner_tracks(self.arrays.inner(Q, V)[0]), shape

    def _looked(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array, tuple[int, ...]]:
        if v is not None:
            v = checks.finite_array(OWNER, "v", v, "", last=self.arrays.nv)  # its square is asked for
        Q, V, shape = self._still(q) if v is None else self._states(q, v)
        energy, motion = np.empty((len(Q), 2)), np.empty((len(Q), 9))
        inner_q, inner_v = self.arrays.inner(Q, V)
        S = kinematics.workspace(len(self.arrays.parent))
        quantities.energies_and_momenta(self._model, inner_q, inner_v, S, energy, motion)
        return energy, motion, shape

    def _inward(self, q: ArrayLike) -> Array:
        """How the kernels' speeds follow from the user's, nv x nv."""
        rows = np.repeat(np.atleast_2d(np.asarray(q, dtype=np.float64)), self.arrays.nv, axis=0)
        return np.asarray(self.arrays.inner(rows, np.eye(self.arrays.nv))[1].T)

    def _placed(self, q: ArrayLike) -> tuple[Array, Array]:
        nv, (Q, V, shape) = self.arrays.nv, self._still(q)
        if shape:
            checks.refuse(OWNER, f"q has shape {(*shape, self.arrays.nq)}.", "Give one configuration.")
        inner_q, inner_v = self.arrays.inner(Q[0], V[0])
        S, M = kinematics.workspace(len(self.arrays.parent)), np.zeros((nv, nv))
        quantities.masses(self._model, inner_q, inner_v, S, M, np.zeros(nv))
        return M, S


def _bent(model: Model, at: TreeArrays, S: Array, k: int, place: Array) -> tuple[Array, Array]:
    """Of a point of the internal frame of body k: its Jacobian, and how it accelerates while no speed changes."""
    J = np.zeros((6, at.nv))
    if k < 0:
        return J, np.zeros(6)
    r = S[k, :9].reshape(3, 3) @ place
    quantities.jacobian(*model[:2], at.vi, S, k, S[k, 9:12] + r, J)
    spin, turned = S[k, kinematics.OMEGA : kinematics.OMEGA + 3], S[k, kinematics.ALPHA : kinematics.ALPHA + 3]
    way = S[k, kinematics.ACCELERATION : kinematics.ACCELERATION + 3]
    return J, np.concatenate([way + np.cross(turned, r) + np.cross(spin, np.cross(spin, r)), turned])


def _rows(values: Array, size: int) -> Array:
    """All leading axes in one; also of rows of nothing, as those of a tree without joints."""
    return values.reshape(math.prod(values.shape[:-1]), size)
