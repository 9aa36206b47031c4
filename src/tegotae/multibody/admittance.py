"""A tree as a block: a wrench on a point of one of its bodies, or a torque in one joint, in; the motion there out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.block import Admittance, Fault, Field, Kernels, fault_at
from tegotae.checks import Array
from tegotae.errors import UniquenessError
from tegotae.multibody.bodies import triple
from tegotae.multibody.controllers import Lock, Servo
from tegotae.multibody.kernels import port, port_view
from tegotae.multibody.layout import FREE
from tegotae.multibody.memory import joints_of
from tegotae.multibody.mobility import least_reluctance
from tegotae.multibody.tree import Tree

OWN = "TreeAdmittance"
_FOLLOWS = ("position", "place", "quaternion", "velocity", "friction", "unsolved", "path", "inner", "scratch")


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeAdmittance(Admittance):
    """A machine as a block: force in at one place, the motion of that place out; the rest of it moves along.

    Push a body, and it takes force [N] and moment [N·m] on a point of it in world axes and gives the point's velocity
    [m/s] and the angular velocity [rad/s]: dimension 6. Push it `along` one direction, or one `joint`, and it is of
    dimension 1. A step is that of an implicit `Scene`: friction in the joints sticks exactly, and is solved together
    with whatever the machine is wired to.

    Args:
        tree: the machine.
        at: the body that is pushed.
        point: where, in that body's frame [m].
        along: direction of force and of moment in world axes [six numbers], if it is pushed in one way only.
        joint: the joint that is pushed instead of a body.
        controllers: joint -> `Servo` or `Lock`.

    Runs record `velocity` there, mean over the tick, and `position`: the point's place and what it has turned about
    each axis, added up [m, rad]; `place` [m] of the point and `quaternion` (w, x, y, z) of the body's frame; `q`, `v`
    of the tree; `friction` in the joints [N·m, N], `deflection` of its springs; `unsolved`, steps so far that found no
    solution. "torque.<joint>" [N·m, N] and "target.<joint>" [rad, m] of a servo may be fed.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.multibody import Body, Prismatic, Revolute, Tree, TreeAdmittance
        >>> cart = Body(name="cart", mass=2.0, joint=Prismatic(axis=(1, 0, 0)))
        >>> pole = Body(name="pole", mass=1.0, center=(0, 0, -0.5), parent="cart", joint=Revolute(axis=(0, 1, 0)))
        >>> tip = TreeAdmittance(tree=Tree([cart, pole]), joint="cart")
        >>> held = tg.Circuit(tip, {"rope": tg.SpringDamper(stiffness=100.0, damping=20.0)})
        >>> run = held.run(np.full(20_000, 5.0), period=1e-3)
        >>> round(float(run.position[-1]), 3)  # force/stiffness
        0.05
    """

    tree: Tree
    at: str | None = None
    point: ArrayLike = (0.0, 0.0, 0.0)
    along: ArrayLike | None = None
    joint: str | None = None
    controllers: Mapping[str, Servo | Lock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        checks.instance(OWN, "tree", self.tree, Tree, "Give a Tree; `join` makes one of several.")
        if (self.at is None) == (self.joint is None):
            checks.refuse(
                OWN,
                f"at={checks.shown(self.at)} and joint={checks.shown(self.joint)}.",
                "Name one: a body, or a joint.",
            )
        for name in ("at", "joint"):
            if getattr(self, name) is not None:
                checks.text(OWN, name, getattr(self, name), "Give the name of a body, or of a joint.")
        set_(self, "point", triple(OWN, "point", self.point, "m"))
        told = "Give a dict of Servo(...) or Lock() by joint."
        set_(self, "controllers", dict(checks.mapping(OWN, "controllers", self.controllers, told)))
        self._check_controllers()
        if self.joint is not None:
            self._check_joint(self.joint)
        elif self.tree._frame(str(self.at))[0] < 0:
            checks.refuse(OWN, f"at={checks.shown(self.at)} stands in the world.", "Push a body that can move.")
        if self.along is not None:
            way = checks.numbers(OWN, "along", self.along)
            if way.shape != (6,) or not np.isfinite(way).all() or not way.any():
                told = "Give a direction of force and one of moment, such as (1, 0, 0, 0, 0, 0)."
                checks.refuse(OWN, f"along={checks.shown(self.along)}.", told)
            set_(self, "along", tuple(float(x) for x in way))
        set_(self, "dimension", 6 if self.along is None and self.joint is None else 1)

    def _check_controllers(self) -> None:
        for name, control in self.controllers.items():
            if name not in self.tree.joint_names:
                known = ", ".join(self.tree.joint_names[:12]) or "none"
                checks.refuse(OWN, f"controllers[{name!r}]: there is no such joint.", f"It has {known}.")
            if not isinstance(control, (Servo, Lock)):
                checks.refuse(OWN, f"controllers[{name!r}]={checks.shown(control)}.", "Give Servo(...) or Lock().")

    def _check_joint(self, joint: str) -> None:
        if joint not in self.tree.joint_names:
            checks.refuse(
                OWN, f"joint={checks.shown(joint)}: there is none.", f"It has {', '.join(self.tree.joint_names[:12])}."
            )
        if self.along is not None or any(self.point):  # type: ignore[arg-type]
            checks.refuse(
                OWN,
                f"joint={checks.shown(joint)} with a point or a direction `along`.",
                "A joint has its axis: leave both.",
            )
        if isinstance(self.controllers.get(joint), Lock):
            checks.refuse(
                OWN, f"joint={checks.shown(joint)} is locked.", "It never moves: push another, or leave it free."
            )

    # ------------------------------------------------------------ layout

    @cached_property
    def _body(self) -> tuple[int, Array, Array]:
        """Moving body, place of the point and rotation of the frame in its internal frame."""
        name = self.at
        if self.joint is not None:
            name = next(b.name for b in self.tree.bodies if b.joint_name == self.joint)
        k, place, turn = self.tree._frame(str(name))
        return int(k), np.asarray(place) + turn @ np.asarray(self.point), np.asarray(turn)

    @property
    def _name(self) -> str:
        """The body that is pushed, or that hangs on the joint."""
        return str(self.at) if self.at is not None else self.tree.layout.names[self._body[0]]

    @cached_property
    def _speeds(self) -> dict[str, int]:
        """Joint -> its place in v."""
        layout = self.tree.layout
        return dict(zip(self.tree.joint_names, (int(o) for o in layout.vi[layout.kind != FREE]), strict=True))

    @cached_property
    def _servos(self) -> tuple[str, ...]:
        return tuple(n for n in self.tree.joint_names if isinstance(self.controllers.get(n), Servo))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The state: the place that is pushed, what is fed, and the whole tree."""
        tree, joints = self.tree, self.tree.joint_names
        nq, nv, n = tree.nq, tree.nv, len(tree.layout.parent)
        torques = (_fed(f"torque.{name}", "N·m or N", "in the joint") for name in joints)
        targets = (_fed(f"target.{name}", "rad or m", "of the servo") for name in self._servos)
        room = port_view.scratch_size(n, nv)  # type: ignore[no-untyped-call]
        return (
            Field("velocity", "m/s or rad/s", "where it is pushed, mean over the tick"),
            Field("position", "m or rad", "where it is pushed; turns added up"),
            *torques,
            *targets,
            Field("place", "m", "of the point that is pushed", size=3),
            Field("quaternion", "", "w, x, y, z of the body's frame", size=4),
            Field("q", "rad or m", "configuration of the tree", size=nq),
            Field("v", "rad/s or m/s", "velocity of the tree", size=nv),
            Field("friction", "N·m or N", "of each joint on itself", size=nv),
            Field("deflection", "rad or m", "of the spring of each joint's friction", size=nv),
            Field("unsolved", "-", "steps so far that found no solution", vector=False, whole=True),
            Field("path", "m", "of the point: its motions added up (turns in rad)", size=6, recorded=False),
            Field("inner", "", "q and v with free bodies at their centres of mass", size=nq + nv, recorded=False),
            Field("scratch", "", "where a step works", size=room, recorded=False, scratch=True),
        )

    @cached_property
    def parameters(self) -> Array:
        """Sizes and the port, then the tree and what acts in its joints."""
        layout, (k, point, turn) = self.tree.layout, self._body
        joints, _ = joints_of(self.tree, self.controllers)
        root = k
        while layout.parent[root] >= 0:
            root = int(layout.parent[root])
        fed = [*self._speeds.values(), *(self._speeds[name] for name in self._servos)]
        sizes = [len(layout.parent), layout.nq, layout.nv, joints.numbers.size, len(self._speeds), len(self._servos)]
        which = [k, -1 if self.joint is None else self._speeds[self.joint], layout.kind[root] == FREE]
        along = np.eye(6)[0] if self.along is None else np.asarray(self.along)
        head = [*sizes, *which, *point, *turn.ravel(), *along, *np.asarray(self.tree.gravity)]
        parts: list[NDArray[np.float64] | NDArray[np.int64]] = [np.array(head, dtype=np.float64)]
        parts += [layout.parent, layout.kind, layout.qi, layout.vi]
        parts += [layout.C.ravel(), joints.damping, joints.gain, joints.rate_gain, joints.stiffness, joints.viscosity]
        parts += [joints.law, joints.place, joints.numbers]
        return np.concatenate([*parts, np.array(fed, dtype=np.float64), np.asarray(layout.center).ravel()])

    @property
    def kernels(self) -> Kernels:
        """Implicit in friction, dampers and servos, explicit in inertia; laws of the user's own are compiled in."""
        _, customs = joints_of(self.tree, self.controllers)
        halves = tuple(half for law in customs for half in law.kernels)
        return Kernels(port.space_kernels if self.dimension == 6 else port.line_kernels, halves)

    def fault(self, state: Array) -> Fault | None:
        """In its scratch are flags, and whether each joint sticks or which way it slips."""
        found = super().fault(state)
        start = self.slices()["scratch"].start
        for flag in (port_view.ROWS, port_view.DONE, port_view.FOUND):
            if found is None and state[start + flag] not in (0.0, 1.0):
                found = Fault(start + flag, "1 for done, else 0")
        modes = start + port_view.PORT + port_view.MODES * self.tree.nv
        slips = state[modes : modes + self.tree.nv]
        return found or fault_at(modes, ~np.isin(slips, (-1.0, 0.0, 1.0)), "0 if the joint sticks, else -1 or 1")

    # ------------------------------------------------------------ where it starts

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """At rest in `tree.neutral()`, or as `q`, `v` and other fields say; servos hold where they start."""
        given = dict(initial or {})
        for name in _FOLLOWS:
            if name in given:
                checks.refuse(OWN, f"initial[{name!r}].", "It follows from q and v.")
        tree, layout, at = self.tree, self.tree.layout, self.slices()
        state = super().initial_state(period, {"q": tree.neutral(), **given})
        q, v = state[at["q"]], state[at["v"]]
        locked = joints_of(tree, self.controllers)[0].damping == math.inf
        if (v[locked] != 0.0).any():
            checks.refuse(OWN, "initial['v']: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        for k in np.flatnonzero(layout.kind == FREE):
            turn = q[layout.qi[k] + 3 : layout.qi[k] + 7]
            if not np.linalg.norm(turn) > 0.0:
                checks.refuse(OWN, f"initial['q']: the quaternion of {layout.names[k]!r} is 0.", "Give (1, 0, 0, 0).")
        inner_q, inner_v = layout.inner(q, v)
        state[at["inner"]] = np.concatenate([inner_q, inner_v])
        state[at["q"]] = layout.outer(inner_q, inner_v)[0]
        coordinate = {n: int(i) for n, i in zip(tree.joint_names, layout.qi[layout.kind != FREE], strict=True)}
        for name in self._servos:
            if f"target.{name}" not in given:
                state[at[f"target.{name}"]] = q[coordinate[name]]
        self._see(state)
        if self.joint is not None:
            state[at["position"]] = q[coordinate[self.joint]]
        return state

    def _see(self, state: Array) -> None:
        """Where the point is and how it moves, from q and v."""
        from tegotae.multibody.tree import _quaternion

        at, name = self.slices(), self._name
        q, v = state[at["q"]], state[at["v"]]
        origin, turn = self.tree.pose(q, name)
        place = origin + turn @ np.asarray(self.point)
        state[at["place"]], state[at["path"]] = place, [*place, 0.0, 0.0, 0.0]
        state[at["quaternion"]] = _quaternion(turn)
        if self.joint is not None:
            state[at["velocity"]] = v[self._speeds[self.joint]]
            return
        way = np.eye(6) if self.along is None else np.asarray(self.along)[None]
        state[at["velocity"]] = way @ self.tree.jacobian(q, name, self.point) @ v
        state[at["position"]] = way @ state[at["path"]]

    # ------------------------------------------------------------ what a circuit may ask

    def check(self, period: float) -> None:
        """Friction in each joint by itself, then with the inertia that it moves: a step has one solution."""
        elements = {name: joint.friction for name, joint in self.tree.joints.items() if joint.friction is not None}
        for element in elements.values():
            element.check(period)
        falling = [name for name, element in elements.items() if element.steepest_rise(period) > 0.0]
        if falling and not self.least_reluctance(period) > 0.0:
            raise UniquenessError(
                f"{OWN}: at period={period:g} s friction in {', '.join(falling)} falls faster with speed than "
                "the inertia there outweighs, so a step can have two solutions.\n"
                "  Give that friction more damping, or use a shorter period."
            )

    def least_reluctance(self, period: float) -> float:
        """Of the pushed body cut free of all others [N·s/m]: they can only add to it."""
        speed = None if self.joint is None else self._speeds[self.joint]
        locked = [self._speeds[n] for n, c in self.controllers.items() if isinstance(c, Lock)]
        return least_reluctance(self.tree, self._name, self.point, self.along, speed, locked, period)


def _fed(name: str, unit: str, meaning: str) -> Field:
    return Field(name, unit, meaning, vector=False, recorded=False, fed=True)
