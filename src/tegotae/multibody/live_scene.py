"""A scene in a control loop: torques, targets and wrenches in, q and v out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.scene_inputs import driven
from tegotae.multibody.tree_arrays import FREE
from tegotae.ports import forces_now
from tegotae.running.live import Live

if TYPE_CHECKING:
    from tegotae.multibody.scene import Scene


class LiveScene(Live):
    """A scene in a loop, one tick at a time. Made by `Scene.start`.

    Args:
        block: the scene.
        period: T [s].
        initial: fields of the state to start from.

    Example:
        >>> from tegotae.multibody import Body, Prismatic, Scene, Tree
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
        >>> live = Scene(tree=lift).start(period=1e-3)
        >>> q, v = live.step([20.62])  # N; 1 more than its weight
        >>> round(float(v[0]), 12)
        0.0005
    """

    block: Scene

    def __init__(self, block: Scene, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        state, joints = self._state, block.tree.joint_names
        self._began = state.part("center_q").copy()
        self._q, self._v = state.part("q"), state.part("v")
        torque = state.space.places
        spots = [torque[f"torque.{name}"].start for name in joints]
        self._torque = state.real[min(spots, default=0) : max(spots, default=-1) + 1]
        self._all_joints = not (block.tree.arrays.kind == FREE).any()

    @property
    def q(self) -> Array:
        """Where everything is, as `Tree` counts it."""
        return np.array(self._q)

    @property
    def v(self) -> Array:
        """How everything moves, as `Tree` counts it."""
        return np.array(self._v)

    @property
    def contact_force(self) -> Array:
        """Of every pair in the last tick, on what touches, in world axes [N]."""
        return np.array(self._state.part("contact_force"))

    @property
    def unsolved(self) -> int:
        """Steps so far that found no solution."""
        return int(self._state["unsolved"])

    def step(
        self,
        torque: ArrayLike = 0.0,
        *,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        targets: Mapping[str, ArrayLike] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[Array, Array]:
        """One tick; q and v at its end. Torques, wrenches and forces at ports act in this tick alone, targets hold."""
        quick = targets is None and wrenches is None and self._feed(torque)
        if not quick:
            self._feed_all(torque, targets, wrenches)
        if self._n:
            self._push(force)
        elif force is not None:
            checks.refuse(self.block.name, f"force={checks.shown(force)}: it has no ports.", "Use wrenches=.")
        elif not self._step():
            self._say_why(torque)
        if wrenches:
            for name in wrenches:
                self._state.part(f"wrench.{name}").fill(0.0)
        return self._q.copy(), self._v.copy()

    def _push(self, force: ArrayLike | Mapping[str, ArrayLike] | None) -> None:
        """One tick with forces at the ports."""
        given: Any = np.zeros(self._n) if force is None else force
        if isinstance(given, Mapping):
            named, given = given, np.empty(self._n)
            forces_now(self.block.name, self.block.ports, named, given)
        self._take(self._step, "force", given, "N")

    def _feed(self, torque: Any) -> bool:
        """Put the torque where the tick reads it, if it needs no further look: a float, or an array that fits."""
        if isinstance(torque, float):
            self._torque.fill(torque)  # one number for all is meant for joints
            return True
        fits = type(torque) is np.ndarray and torque.shape == self._torque.shape and torque.dtype == np.float64
        if fits and self._all_joints:
            self._torque[:] = torque
            return True
        return False

    def _say_why(self, torque: ArrayLike) -> NoReturn:
        """The torque is no number, and the tick was not taken; or the scene has left the range of numbers."""
        if not np.isfinite(self._torque).all():
            self._torque.fill(0.0)
            checks.finite(self.block.name, "torque", np.atleast_1d(np.asarray(torque, dtype=np.float64)), "N·m")
        self.block.diverged(self.period, self._began)

    def _feed_all(
        self, torque: ArrayLike, targets: Mapping[str, ArrayLike] | None, wrenches: Mapping[str, ArrayLike] | None
    ) -> None:
        fed = driven(self.block, 1, torque, targets, wrenches)
        self._torque.fill(0.0)
        for name, value in fed.items():
            self._state.part(name)[:] = np.ravel(value)
