"""A tree that runs: joints with stiction, contacts, servos, forces from outside, at a fixed period."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import TegotaeError
from tegotae.inside import check_depths, weight_of
from tegotae.multibody.contact import Touch
from tegotae.multibody.controllers import Lock, Servo
from tegotae.multibody.kernels.records import AXES, BODY, GAP, MU, Drive, E, K
from tegotae.multibody.layout import FREE
from tegotae.multibody.memory import DIVERGED, NOT_FINITE, Memory, advance, joints_of, live_tick, look, model_of
from tegotae.multibody.pairs import Pairs, pairs_of
from tegotae.multibody.scene_result import result_of
from tegotae.multibody.tree import Tree
from tegotae.result import Result
from tegotae.unsolved import Watch, tell

OWN = "Scene"
Method = Literal["implicit", "symplectic", "rk4"]
CHUNK = 20_000  # ticks between two signs of life
LIFTS = 100  # moves out of a surface, one pair at a time
REMEDY = "Use a shorter period, softer contacts, or more damping in contacts (beta) and joints."


@dataclass(frozen=True, kw_only=True, eq=False)
class Scene:
    """A machine, what it may touch, and what drives its joints.

    Runs are implicit unless asked otherwise: friction in joints and contacts truly sticks, and any stiffness is stable.
    "symplectic" and "rk4" are explicit: for machines without friction, whose contacts are plain springs. Nothing stops
    a joint at its limits; a result names those that left them (`about["beyond_limits"]`).

    Args:
        tree: the bodies; `join` makes one of several machines.
        touches: pairs that may touch.
        controllers: joint -> `Servo` or `Lock`.

    Example:
        >>> from tegotae.multibody import Body, Free, HalfSpace, Point, Scene, Touch, Tree
        >>> ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free(), position=(0, 0, 0.1))])
        >>> floor = Touch(on="ball", toucher=Point(position=(0, 0, 0)), surface=HalfSpace(), stiffness=1e5, beta=1e-2)
        >>> run = Scene(tree=ball, touches=[floor]).run(1.0, period=1e-3)
        >>> round(float(run.contact_force[-1, 0, 2]), 3)  # its weight
        9.81
    """

    tree: Tree
    touches: Sequence[Touch] = ()
    controllers: Mapping[str, Servo | Lock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks.instance(OWN, "tree", self.tree, Tree, "Give a Tree; `join` makes one of several.")
        touches = checks.several(OWN, "touches", self.touches, Touch, "Give a list of Touch(...).")
        object.__setattr__(self, "touches", touches)
        way = "Give a dict of Servo(...) or Lock() by joint."
        object.__setattr__(self, "controllers", dict(checks.mapping(OWN, "controllers", self.controllers, way)))
        for name, control in self.controllers.items():
            if name not in self.tree.joint_names:
                known = ", ".join(self.tree.joint_names[:12]) or "none"
                checks.refuse(OWN, f"controllers[{name!r}]: there is no such joint.", f"It has {known}.")
            if not isinstance(control, (Servo, Lock)):
                checks.refuse(OWN, f"controllers[{name!r}]={checks.shown(control)}.", "Give Servo(...) or Lock().")
        _ = self.pairs

    @cached_property
    def pairs(self) -> Pairs:
        """What may touch, pair by pair."""
        return pairs_of(self.tree, self.touches)

    def run(
        self,
        duration: float,
        *,
        period: float,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        torque: ArrayLike = 0.0,
        targets: Mapping[str, ArrayLike] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        method: Method = "implicit",
        deepest: float | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run for a while, compiled.

        Args:
            duration: [s], a whole number of periods.
            period: T [s].
            q: where it starts [rad, m]; `tree.neutral()` unless given.
            v: how it starts to move [rad/s, m/s]; at rest unless given.
            torque: of every speed [N·m, N]: numbers, or a row for each tick.
            targets: joint -> target of its servo [rad, m], a number or one a tick; where it starts unless given.
            wrenches: body -> force [N] and moment [N·m] at its frame's origin in world axes; 6 numbers, or 6 a tick.
            every: record every so many ticks.
            method: "implicit", or explicit "symplectic" or "rk4".
            deepest: how far inside each other pairs may start [m]; as deep as the whole weight would press one of them
                at rest unless given.
            progress: called with the share that is done, now and then.
        """
        live = self.start(period=period, q=q, v=v, method=method, deepest=deepest)
        ticks = _ticks(duration, live.period)
        every = checks.whole(OWN, "every", every, 1, "Record every tick or every so many.")
        if every > ticks:
            checks.refuse(OWN, f"every={every} of {ticks} ticks.", "Record at least once.")
        if progress is not None:
            checks.function(OWN, "progress", progress, "Give a function of the share that is done, or None.")
        room = float(ticks // every) * (2 * self.tree.nq + 4 * self.tree.nv + 16 * len(live.memory.touching))
        checks.room(OWN, f"the record of duration={duration} s", room, "Use every=, or a shorter duration.")
        drive = live.drive(ticks, torque, targets, wrenches)
        tape = live.memory.tape(ticks // every)
        for first in range(0, ticks, CHUNK):
            last = min(first + CHUNK, ticks)
            live.take(drive, np.array([first, last, every, 1]), tape)
            if progress is not None:
                progress(last / ticks)
        tell(OWN, live.unsolved, ticks, REMEDY)
        return result_of(self, live, tape, every)

    def start(
        self,
        *,
        period: float,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        method: Method = "implicit",
        deepest: float | None = None,
    ) -> LiveScene:
        """A live scene for a control loop; arguments as in `run`."""
        if deepest is not None:
            deepest = checks.at_least_zero(OWN, "deepest", deepest, "m", "Such as 1e-3.")
        return LiveScene(self, period, q, v, method, deepest)

    def lifted(self, q: ArrayLike | None = None) -> Array:
        """q with every free body (and what hangs on it) moved out of what it starts in, just onto its surface.

        It is moved, never turned: a crate that stands across a slope ends on a corner.

        Args:
            q: where it would start [rad, m]; `tree.neutral()` unless given.

        Example:
            >>> from tegotae.multibody import Ball, Body, Free, HalfSpace, Scene, Touch, Tree
            >>> ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free())])
            >>> floor = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace())
            >>> Scene(tree=ball, touches=[floor]).lifted()[:3].round(9).tolist()
            [0.0, 0.0, 0.1]
        """
        # No tick is taken: any period will do, and any depth.
        live, layout = self.start(period=1e-9, q=q, deepest=1e9), self.tree.layout
        for _ in range(LIFTS if len(self.pairs.names) else 0):
            seen = live.look()
            c = int(np.argmin(seen[:, GAP]))
            root = int(layout.root[self.pairs.touches.which[c, BODY]])
            if seen[c, GAP] >= 0.0 or layout.kind[root] != FREE:
                break
            i = int(layout.qi[root])
            live.memory.q[i : i + 3] -= seen[c, GAP] * seen[c, AXES : AXES + 3]
        live.check_depths(0.0)
        return live.q


class _Bound(NamedTuple):
    """A tick that is ready to be taken: where it reads the torque, which speeds take none, where it shows q and v."""

    tick: Callable[[], int]
    tau: Array
    free: NDArray[np.int64]
    seen: tuple[Array, Array]


class LiveScene:
    """A scene in a loop, one tick at a time; it holds the state. Made by `Scene.start`.

    Args:
        scene: what runs.
        period: T [s].
        q: where it starts [rad, m].
        v: how it starts to move [rad/s, m/s].
        method: "implicit", "symplectic" or "rk4".
        deepest: how far inside each other pairs may start [m].

    Example:
        >>> from tegotae.multibody import Body, Prismatic, Scene, Tree
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
        >>> live = Scene(tree=lift).start(period=1e-3)
        >>> q, v = live.step([20.62])  # N; 1 more than its weight
        >>> round(float(v[0]), 12)
        0.0005
    """

    def __init__(
        self,
        scene: Scene,
        period: float,
        q: ArrayLike | None,
        v: ArrayLike | None,
        method: str,
        deepest: float | None = None,
    ):
        self.scene, self.period, self.method = scene, checks.period_of(OWN, period), method
        tree, layout = scene.tree, scene.tree.layout
        checks.choice(OWN, "method", method, ("implicit", "symplectic", "rk4"))
        self.model = model_of(tree)
        self.joints, self.customs = joints_of(tree, scene.controllers)
        self._check_method()
        start = _vector("q", tree.neutral() if q is None else q, tree.nq)
        speed = _vector("v", np.zeros(tree.nv) if v is None else v, tree.nv)
        if lost := layout.no_turn(start):
            checks.refuse(OWN, f"q: the quaternion of {lost!r} has length 0.", "Give (1, 0, 0, 0) for no rotation.")
        locked = self.joints.damping == math.inf
        if (speed[locked] != 0.0).any():
            checks.refuse(OWN, "v: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        inner_q, inner_v = layout.inner(start, speed)
        rubbing = int((self.joints.law >= 0).sum())
        self._began = inner_q.copy()
        self.memory = Memory(tree, scene.pairs.touches, rubbing, inner_q, inner_v)
        self.held = self._targets_at(inner_q)
        self.unsolved = 0
        self._watch = Watch(OWN, REMEDY)
        self._one = self.memory.tape(1)
        self.check_depths(deepest)
        # What starts pressed rests there: its damper has not moved.
        self.memory.touching[:, E] = np.maximum(0.0, -self.look()[:, GAP]) if len(scene.pairs.names) else 0.0

    def __getstate__(self) -> dict[str, Any]:
        """A copy has a memory of its own; the tick that is bound to this one stays here."""
        own = {name: value for name, value in self.__dict__.items() if name != "_bound"}
        return own | {name: copy.deepcopy(own[name]) for name in ("memory", "held", "_one", "_watch")}

    def look(self) -> Array:
        """Where the pairs are now, a row each: see `PLACES`."""
        return look(self.method, self.customs, self.model, self.scene.pairs.touches, self.memory)

    def check_depths(self, deepest: float | None) -> None:
        """Refuse what is farther inside than that [m], or than the whole weight would press it."""
        pairs = self.scene.pairs
        if deepest is not None:
            deepest = checks.at_least_zero(OWN, "deepest", deepest, "m", "Such as 1e-3.")
        if not len(pairs.names):
            return
        if deepest is not None:
            carried = np.full(len(pairs.names), deepest)
        else:
            carried = weight_of(self.scene.tree.mass, self.scene.tree.gravity) / pairs.touches.numbers[:, K]
        way = "Start it on the surface (q=scene.lifted(q) moves free bodies there), or say deepest= if it is meant."
        check_depths(OWN, pairs.names, self.look()[:, GAP], carried, way)

    def _check_method(self) -> None:
        if self.method == "implicit":
            for _name, joint in self.scene.tree.joints.items():
                if joint.friction is not None:
                    joint.friction.check(self.period)
            return
        remedy = "Use method='implicit', which has them exactly."
        rubbing = [name for name, joint in self.scene.tree.joints.items() if joint.friction is not None]
        if rubbing:
            checks.refuse(OWN, f"method={checks.shown(self.method)} with friction in {', '.join(rubbing[:5])}.", remedy)
        if (self.scene.pairs.touches.numbers[:, MU] > 0.0).any():
            checks.refuse(OWN, f"method={checks.shown(self.method)} with friction at contacts.", remedy)

    def _targets_at(self, inner_q: Array) -> Array:
        layout, targets = self.scene.tree.layout, np.zeros(self.scene.tree.nv)
        for k in np.flatnonzero(layout.kind != 2):
            targets[layout.vi[k]] = inner_q[layout.qi[k]]
        return targets

    @property
    def q(self) -> Array:
        """Where everything is, as `Tree` counts it."""
        return self.scene.tree.layout.outer(self.memory.q, self.memory.v)[0]

    @property
    def v(self) -> Array:
        """How everything moves, as `Tree` counts it."""
        return self.scene.tree.layout.outer(self.memory.q, self.memory.v)[1]

    @property
    def contact_force(self) -> Array:
        """Of every pair in the last tick, on what touches, in world axes [N]."""
        return np.array(self._one.pairs[0, :, :3])

    def step(
        self,
        torque: ArrayLike = 0.0,
        *,
        targets: Mapping[str, ArrayLike] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[Array, Array]:
        """One tick; q and v at its end."""
        if targets is None and wrenches is None and self._feed(torque):
            return self._tick(torque)
        self.take(self.drive(1, torque, targets, wrenches), np.array([0, 1, 1, 1]), self._one)
        self._watch.see(self.unsolved)
        return self.q, self.v

    def _feed(self, torque: Any) -> bool:
        """Put the torque where the bound tick reads it, if it needs no further look: a float, or an array that fits."""
        if self.method != "implicit":
            return False
        own = self._bound.tau
        if isinstance(torque, float):
            own.fill(torque)
            own[self._bound.free] = 0.0  # one number for all is meant for joints
            return True
        fits = type(torque) is np.ndarray and torque.shape == own.shape and torque.dtype == own.dtype
        if fits and not self._bound.free.size:
            own[:] = torque
            return True
        return False

    def _tick(self, torque: ArrayLike) -> tuple[Array, Array]:
        unsolved = self._bound.tick()
        if unsolved == NOT_FINITE:
            checks.finite(OWN, "torque", np.atleast_1d(torque), "N·m")
        if unsolved == DIVERGED:
            self._see_that_it_is_finite(1)
        if unsolved:
            self.unsolved += unsolved
            self._watch.see(self.unsolved)
        q, v = self._bound.seen
        return q.copy(), v.copy()

    @cached_property
    def _bound(self) -> _Bound:
        """The tick of a control loop, with its arrays handed over once."""
        tree = self.scene.tree
        drive = self.drive(1, 0.0, None, None)
        drive = drive._replace(target=self.held[None])
        seen = np.zeros(tree.nq), np.zeros(tree.nv)
        tick = live_tick(
            self.customs, self.model, self.joints, self.scene.pairs.touches, self.memory, drive, self.period,
            self._one, tree.layout.center, seen,
        )  # fmt: skip
        speeds = [np.arange(o, o + 6) for o in tree.layout.vi[tree.layout.kind == 2]]
        free = np.concatenate([*speeds, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        return _Bound(tick, drive.tau[0], free, seen)

    def drive(
        self,
        ticks: int,
        torque: ArrayLike,
        targets: Mapping[str, ArrayLike] | None,
        wrenches: Mapping[str, ArrayLike] | None,
    ) -> Drive:
        """What drives so many ticks, checked."""
        tree = self.scene.tree
        given = checks.array(OWN, "torque", torque, "N·m")
        tau = _rows("torque", np.full(tree.nv, given) if given.ndim == 0 else given, ticks, (tree.nv,), "N·m")
        if given.ndim and any(np.any(tau[:, i : i + 6]) for i in tree.layout.vi[tree.layout.kind == 2]):
            checks.refuse(OWN, "torque pushes a free body.", "Push it with wrenches={body: ...}.")
        for i in tree.layout.vi[tree.layout.kind == 2]:
            tau[:, i : i + 6] = 0.0  # one number for all is meant for joints
        pushes = checks.mapping(OWN, "wrenches", wrenches, "Give a dict of six numbers by body.")
        wanted = checks.mapping(OWN, "targets", targets, "Give a dict of angles or places by joint.")
        body, place, records = self._wrench_records(pushes, ticks)
        return Drive(tau, self._target_rows(wanted, ticks), body, place, records)

    def _target_rows(self, targets: Mapping[str, ArrayLike], ticks: int) -> Array:
        tree = self.scene.tree
        names = {name: i for i, name in enumerate(tree.joint_names)}
        speeds = tree.layout.vi[tree.layout.kind != 2]
        rows = self.held[None].copy()
        for name, value in targets.items():
            if name not in names or not isinstance(self.scene.controllers.get(name), Servo):
                servos = [n for n, c in self.scene.controllers.items() if isinstance(c, Servo)]
                checks.refuse(OWN, f"targets[{name!r}]: no servo drives it.", f"Driven are {servos or 'none'}.")
            one = _rows(f"targets[{name!r}]", np.atleast_1d(checks.array(OWN, "targets", value, "rad")), ticks, (), "")
            if len(one) > len(rows):
                rows = np.repeat(rows, ticks, axis=0)
            rows[:, speeds[names[name]]] = one
        return rows

    def _wrench_records(self, wrenches: Mapping[str, ArrayLike], ticks: int) -> tuple[Any, Array, Array]:
        tree = self.scene.tree
        body, place = np.zeros(len(wrenches), dtype=np.int64), np.zeros((len(wrenches), 3))
        columns = []
        for j, (name, given) in enumerate(wrenches.items()):
            body[j], place[j], _ = tree._frame(name)
            columns.append(_rows(f"wrenches[{name!r}]", checks.array(OWN, "wrenches", given, "N"), ticks, (6,), "N"))
        most = max((len(c) for c in columns), default=1)
        records = np.zeros((most, len(columns), 6))
        for j, column in enumerate(columns):
            records[:, j] = column
        return body, place, records

    def take(self, drive: Drive, span: Array, tape: Any) -> None:
        """Take the ticks of span (first, last, every, first row) and see that they are numbers."""
        m = self.memory
        pairs = self.scene.pairs.touches
        self.unsolved += advance(
            self.method, self.customs, self.model, self.joints, pairs, m, drive, self.period, span, tape
        )
        self._see_that_it_is_finite(int(span[1]))

    def _see_that_it_is_finite(self, last: int) -> None:
        m = self.memory
        if not max(np.abs(m.v).max(initial=0.0), np.abs(m.q).max(initial=0.0)) < checks.LARGEST:  # also where nan
            layout, given = self.scene.tree.layout, self.joints
            opposed = (given.damping > 0.0) | (given.gain > 0.0) | (given.rate_gain > 0.0) | (given.law >= 0)
            held = [name for name, o in zip(layout.names, layout.vi, strict=True) if opposed[o]]
            told = self.scene.tree._unopposed_words(self._began, held)
            way = "Use a shorter period, or softer springs."
            if self.method != "implicit":
                way = "Use method='implicit', a shorter period, or softer springs."
            raise TegotaeError(f"{OWN}: it diverged before t={last * self.period:g} s.\n  {told or way}")


def _ticks(duration: float, T: float) -> int:
    seconds = checks.positive(OWN, "duration", duration, "s", "Give how long to run.")
    ticks = round(seconds / T)
    if ticks < 1 or abs(ticks * T - seconds) > 1e-6 * T * max(1.0, ticks * 1e-6):
        nearest = max(ticks, 1) * T
        checks.refuse(OWN, f"duration={seconds:g} s is no whole number of periods.", f"Use {nearest:g} s.")
    return ticks


def _vector(name: str, value: ArrayLike, size: int) -> Array:
    given = checks.array(OWN, name, value, "")
    if given.shape != (size,):
        checks.refuse(OWN, f"{name} has shape {given.shape}.", f"Give {size} numbers.")
    checks.finite(OWN, name, given, "")
    return given


def _rows(name: str, given: Array, ticks: int, shape: tuple[int, ...], unit: str) -> Array:
    """A record with a row for each tick, or one row that holds."""
    record = given[None] if given.shape == shape else given
    if record.shape[1:] != shape or record.ndim != len(shape) + 1 or len(record) not in (1, ticks):
        told = "a number" if not shape else f"{shape[0]} numbers"
        checks.refuse(OWN, f"{name} has shape {given.shape}.", f"Give {told}, or {ticks} rows of them.")
    checks.finite(OWN, name, record.reshape(len(record), -1), unit)
    return np.ascontiguousarray(record, dtype=np.float64)
