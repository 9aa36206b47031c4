"""A scene in a control loop: forces at its ports in, their motion out, or torques in, q and v out; what drives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.layout import MOST
from tegotae.multibody.kernels.kinematics import FREE
from tegotae.ports import forces_over_time
from tegotae.running.live import LiveAdmittance

if TYPE_CHECKING:
    from tegotae.multibody.scene import Scene

OWNER = "Scene"


class LiveScene(LiveAdmittance):
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
        self._began = self._state.part("center_q").copy()
        self._q, self._v = self._state.part("q"), self._state.part("v")
        places, joints = self._state.space.places, block.tree.joint_names
        first = places[f"torque.{joints[0]}"].start if joints else 0
        self._torque, self._nothing = self._state.real[first : first + len(joints)], np.zeros(block.dimension)
        self._all_joints = not (block.tree.arrays.kind == FREE).any()

    @property
    def q(self) -> Array:
        """Where everything is, as `Tree` counts it."""
        return np.array(self._q)

    @property
    def v(self) -> Array:
        """How everything moves, as `Tree` counts it."""
        return np.array(self._v)

    def step(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        torque: ArrayLike | None = None,
        targets: Mapping[str, ArrayLike] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Any:
        """One tick: forces at its ports in, their velocities out; of a scene without ports, torques in, q and v out.

        Forces, torques and wrenches given here act in this tick alone, in place of what was fed; targets hold, and so
        does what is fed by name, such as live["torque.arm"] = 2.0.

        Args:
            force: at its ports [N, N·m], or by their names; of a scene without ports the same as `torque`.
            torque: of every speed [N·m, N]; one number is for all joints.
            targets: joint -> target of its servo [rad, m].
            wrenches: body -> force [N] and moment [N·m] at its frame's origin, in world axes.
        """
        given: Any = torque
        if force is not None and not self._n:
            if torque is not None:
                problem = f"force={checks.shown(force)} and torque={checks.shown(torque)}: it has no ports."
                checks.refuse(self.block.name, problem, "Give torques alone, and push bodies with wrenches=.")
            given = force
        if isinstance(given, float) and targets is None and wrenches is None:
            self._torque.fill(given)  # one number for all is meant for joints
        elif given is not None or targets is not None or wrenches is not None:
            self._feed(force, given, targets, wrenches)
        try:
            if self._n:
                return super().step(self._nothing if force is None else force)
            if not self._step():
                if not np.isfinite(self._torque).all():  # it is no number, and the tick was not taken
                    torques = np.atleast_1d(np.asarray(given, dtype=np.float64))
                    checks.finite(self.block.name, _label(force), torques, "N·m")
                self.block.diverged("in this tick", self._began)
            return self._q.copy(), self._v.copy()
        finally:
            if given is not None:
                self._torque.fill(0.0)
            if wrenches:
                for name in wrenches:
                    self._state.part(f"wrench.{name}").fill(0.0)

    def _feed(
        self, force: Any, torque: Any, targets: Mapping[str, Any] | None, wrenches: Mapping[str, Any] | None
    ) -> None:
        """Put it all where the tick reads it; torques that fit and come alone need no further look."""
        fits = type(torque) is np.ndarray and torque.shape == self._torque.shape and torque.dtype == np.float64
        if fits and self._all_joints and targets is None and wrenches is None:
            self._torque[:] = torque
            return
        fed = driven(self.block, 1, 0.0 if torque is None else torque, targets, wrenches, _label(force))
        if torque is not None:
            self._torque.fill(0.0)
        for name, value in fed.items():
            self._state.part(name)[:] = np.ravel(value)


def _label(force: object) -> str:
    """What a user called the torques of joints."""
    return "torque" if force is None else "force (as torque)"


# ------------------------------------------------------------ what drives a scene, in a loop or over a record


def forces_over_ticks(
    scene: Scene, force: ArrayLike | Mapping[str, ArrayLike] | None, duration: float | None, T: float
) -> Array:
    """Forces at the ports of a scene over all ticks, as many as they are given for, or as the duration has."""
    if force is not None:
        if not scene.dimension:
            checks.refuse(OWNER, f"force={checks.shown(force)}: it has no ports.", "Name places, at=..., or wrenches=.")
        signal = forces_over_time(OWNER, scene.ports, force)
        if duration is not None and len(signal) != _ticks(duration, T):
            problem = f"force has {len(signal)} ticks, duration={duration:g} s has {_ticks(duration, T)}."
            checks.refuse(OWNER, problem, "Leave the duration.")
        return signal
    if duration is None:
        checks.refuse(OWNER, "run does not know how long to run.", "Give a duration [s], or force.")
    ticks = _ticks(duration, T)
    what = f"what acts for duration={duration} s"
    checks.fits_in_memory(OWNER, what, float(ticks) * scene.dimension, "Use a shorter duration.")
    return np.zeros(ticks) if scene.dimension == 1 else np.zeros((ticks, scene.dimension))


def driven(
    scene: Scene,
    ticks: int,
    torque: ArrayLike,
    targets: Mapping[str, ArrayLike] | None,
    wrenches: Mapping[str, ArrayLike] | None,
    label: str = "torque",
) -> dict[str, ArrayLike]:
    """What drives so many ticks of a scene, by the names of what is fed; `label` is what a user calls the torque."""
    tree = scene.tree
    fed: dict[str, ArrayLike] = {}
    given = checks.array(OWNER, label, torque, "N·m")
    free = [slice(int(i), int(i) + 6) for i in tree.arrays.vi[tree.arrays.kind == FREE]]
    speeds = tree.arrays.vi[tree.arrays.kind != FREE].tolist()
    if given.ndim:
        rows = _rows(label, given, ticks, (tree.nv,), "N·m")
        if any(np.any(rows[:, part]) for part in free):
            checks.refuse(OWNER, f"{label} pushes a free body.", "Push it with wrenches={body: ...}.")
        held = len(rows) == 1
        columns = {name: rows[0, o] if held else rows[:, o] for name, o in zip(tree.joint_names, speeds, strict=True)}
        fed |= {f"torque.{name}": column for name, column in columns.items()}
    elif given != 0.0:  # one number for all is meant for joints
        checks.finite(OWNER, label, np.atleast_1d(given), "N·m")
        fed |= {f"torque.{name}": given for name in tree.joint_names}
    for name, value in checks.mapping(OWNER, "targets", targets, "Give a dict of angles or places by joint.").items():
        if name not in scene.servos:
            names = list(scene.servos) or "none"
            checks.refuse(OWNER, f"targets[{name!r}]: no servo drives it.", f"Driven are {names}.")
        target = checks.array(OWNER, "targets", value, "rad")
        fed[f"target.{name}"] = _rows(f"targets[{name!r}]", np.atleast_1d(target), ticks, (), "")
    for name, value in checks.mapping(OWNER, "wrenches", wrenches, "Give a dict of six numbers by body.").items():
        tree._frame(name)  # refuses one that is not there
        rows = _rows(f"wrenches[{name!r}]", checks.array(OWNER, "wrenches", value, "N"), ticks, (6,), "N")
        fed[f"wrench.{name}"] = rows[0] if len(rows) == 1 else rows
    return fed


def _ticks(duration: float, T: float) -> int:
    seconds = checks.positive(OWNER, "duration", duration, "s", "Give how long to run.")
    ticks = round(seconds / T)
    if ticks > MOST:
        checks.refuse(OWNER, f"duration={seconds:g} s has {ticks:g} periods.", "Use a shorter duration.")
    if ticks < 1 or abs(ticks * T - seconds) > 1e-6 * T * max(1.0, ticks * 1e-6):
        nearest = max(ticks, 1) * T
        checks.refuse(OWNER, f"duration={seconds:g} s is not a whole number of periods.", f"Use {nearest:g} s.")
    return ticks


def _rows(name: str, given: Array, ticks: int, shape: tuple[int, ...], unit: str) -> Array:
    """A record with a row for each tick, or one row that holds."""
    record = given[None] if given.shape == shape else given
    if record.shape[1:] != shape or record.ndim != len(shape) + 1 or len(record) not in (1, ticks):
        row = "a number" if not shape else f"{shape[0]} numbers"
        checks.refuse(OWNER, f"{name} has shape {given.shape}.", f"Give {row}, or {ticks} rows of them.")
    checks.finite(OWNER, name, record.reshape(len(record), -1), unit)
    return np.ascontiguousarray(record, dtype=np.float64)
