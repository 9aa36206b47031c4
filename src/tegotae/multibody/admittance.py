"""A tree as a block: a wrench on a point of one of its bodies, or a torque in one joint, in; the motion there out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance, Kernels
from tegotae.checks import Array
from tegotae.errors import UniquenessError
from tegotae.layout import Layouts
from tegotae.multibody.bodies import triple
from tegotae.multibody.controllers import Lock, Servo
from tegotae.multibody.joints import joints_of
from tegotae.multibody.kernels import port
from tegotae.multibody.mobility import least_reluctance
from tegotae.multibody.port_layout import port_layout
from tegotae.multibody.tree import Tree, _quaternion
from tegotae.multibody.tree_arrays import FREE
from tegotae.multibody.tree_parts import tree_values
from tegotae.state import State

if TYPE_CHECKING:
    from tegotae.multibody.kernels.records import Joints

OWN = "TreeAdmittance"
_GIVEN = ("q", "v", "deflection")  # what a user may start from, beside what is fed; all else follows


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
        return str(self.at) if self.at is not None else self.tree.arrays.names[self._body[0]]

    @cached_property
    def _speeds(self) -> dict[str, int]:
        """Joint -> its place in v."""
        layout = self.tree.arrays
        return dict(zip(self.tree.joint_names, (int(o) for o in layout.vi[layout.kind != FREE]), strict=True))

    @cached_property
    def _servos(self) -> tuple[str, ...]:
        return tuple(n for n in self.tree.joint_names if isinstance(self.controllers.get(n), Servo))

    @cached_property
    def _joints(self) -> tuple[Joints, list[Any]]:
        """What acts in the joints, and the friction laws of the user's own."""
        return joints_of(self.tree, self.controllers)

    @property
    def layout(self) -> Layouts:
        """The port, the tree and its joints; the place that is pushed, what is fed, and the whole tree."""
        at, numbers = self.tree.arrays, self._joints[0].numbers.size
        joints = tuple(self.tree.joint_names)
        return port_layout(self.dimension, len(at.parent), at.nq, at.nv, numbers, joints, self._servos)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """The port, the tree, and what acts in its joints."""
        at, (k, point, turn) = self.tree.arrays, self._body
        return {
            "body": k,
            "joint": -1 if self.joint is None else self._speeds[self.joint],
            "falls": at.kind[at.root[k]] == FREE,
            "point": point,
            "frame": turn.ravel(),
            "along": np.eye(6)[0] if self.along is None else self.along,
            **tree_values(self.tree, self._joints[0], self._servos),
        }

    @property
    def kernels(self) -> Kernels:
        """Implicit in friction, dampers and servos, explicit in inertia; laws of the user's own are compiled in."""
        halves = tuple(half for law in self._joints[1] for half in law.kernels)
        return Kernels(port.space_kernels if self.dimension == 6 else port.line_kernels, halves)

    # ------------------------------------------------------------ where it starts

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest in `tree.neutral()`, or as `q`, `v` and other fields say; servos hold where they start."""
        given = dict(checks.mapping(OWN, "initial", initial, INITIAL))
        for name in given:
            if name in self.parts and name not in _GIVEN and not self.parts[name].fed:
                checks.refuse(OWN, f"initial[{name!r}].", "It follows from q and v.")
        tree, layout = self.tree, self.tree.arrays
        state = super().initial_state(period, {"q": tree.neutral(), **given})
        q, v = state.part("q"), state.part("v")
        if (v[self._joints[0].damping == math.inf] != 0.0).any():
            checks.refuse(OWN, "initial['v']: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        if turnless := layout.no_turn(q):
            checks.refuse(OWN, f"initial['q']: the quaternion of {turnless!r} is 0.", "Give (1, 0, 0, 0).")
        state["center_q"], state["center_v"] = layout.inner(q, v)
        q[:] = layout.outer(state.part("center_q"), state.part("center_v"))[0]
        coordinate = {n: int(i) for n, i in zip(tree.joint_names, layout.qi[layout.kind != FREE], strict=True)}
        for name in self._servos:
            if f"target.{name}" not in given:
                state[f"target.{name}"] = q[coordinate[name]]
        self._see(state)
        if self.joint is not None:
            state["position"] = q[coordinate[self.joint]]
        return state

    def _see(self, state: State) -> None:
        """Where the point is and how it moves, from q and v."""
        name, q, v = self._name, state.part("q"), state.part("v")
        origin, turn = self.tree.pose(q, name)
        place = origin + turn @ np.asarray(self.point)
        state["place"], state["path"] = place, [*place, 0.0, 0.0, 0.0]
        state["quaternion"] = _quaternion(turn)
        if self.joint is not None:
            state["velocity"] = v[self._speeds[self.joint]]
            return
        way = np.eye(6) if self.along is None else np.asarray(self.along)[None]
        state["velocity"] = way @ self.tree.jacobian(q, name, self.point) @ v
        state["position"] = way @ state.part("path")

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
