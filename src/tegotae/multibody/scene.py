"""A tree that runs: joints with stiction, contacts, servos, forces from outside and at its ports, at a fixed period."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Kernels
from tegotae.checks import Array
from tegotae.errors import SingularWarning, TegotaeError
from tegotae.layout import Layouts
from tegotae.multibody.attachments import (
    Attachment,
    Wired,
    lacks_inertia,
    least_reluctance,
    named,
    wired,
)
from tegotae.multibody.contact import Pairs, Touch, pairs_of
from tegotae.multibody.joints import Lock, OwnJoints, Servo, check_friction, checked_controllers, joints_of
from tegotae.multibody.kernels import bouncing, midpoint, port_stepping, stepping
from tegotae.multibody.kernels.records import MU, Joints
from tegotae.multibody.live_scene import LiveScene, driven, forces_over_ticks
from tegotae.multibody.scene_layout import bond_values, port_values, scene_layout, tree_values
from tegotae.multibody.scene_result import result_of
from tegotae.multibody.scene_start import StartingScene
from tegotae.multibody.springs import Spring, rows_of
from tegotae.multibody.tree import Tree
from tegotae.parameters import Parameter, as_given
from tegotae.ports import Port
from tegotae.result import Result
from tegotae.running import loop
from tegotae.state import Fault, State
from tegotae.unsolved import to_the_user

OWNER = "Scene"
Method = Literal["midpoint", "euler", "symplectic", "rk4"]
IMPLICIT = ("midpoint", "euler")


@dataclass(frozen=True, kw_only=True, eq=False)
class Scene(StartingScene):
    """A machine, what it may touch, and what drives its joints.

    Runs are implicit unless asked otherwise: friction in joints and contacts truly sticks, and any stiffness is stable.
    "midpoint" is of second order where motion is smooth, servos and dampers included; what friction and contacts give
    within their springs, and how their force changes with speed, is taken at the end of a tick and of first order. It
    keeps energy and momentum: trees that are not driven gain no more than 0.2 % of the largest kinetic energy they have
    had, or the tick counts as unsolved.
    "euler" is of first order; machines with ports, or with impedances in joints that are asked for their force, go by
    it unless asked otherwise: these count motion from tick to tick, not from middle to middle.
    "symplectic" and "rk4" are explicit: for trees without loops, friction and `Spring`, whose contacts are plain
    springs.

    Joints with a `stop` stop at their limits: "hinge lower" and "hinge upper" are pairs beside those that touch, behind
    them in `gap` and `contact_force`. Of a hinge these are an angle [rad] and the moment on the body about the axis
    [N·m], in world axes. A result names the other joints that left their limits (`about["beyond_limits"]`).

    With `reactions=True` runs record "reaction.<body>", what its joint exerted on each body in the tick: force [N] and
    moment [N·m] about the origin of the body's frame (which a slide carries along), in world axes, and of all that acts
    in the joint, so along its axis what motor, damper, servo and friction give. They are those of the tick as it was
    solved: by "midpoint" a mean over the tick, with everything where it is at its middle; by the others as it is at the
    start. An impact is its impulse over the period. What carries the body feels the opposite.

    "torque.<joint>" [N·m, N], "target.<joint>" [rad, m] of a servo and "wrench.<body>" (force [N] and moment [N·m] at
    its frame's origin in world axes) may be fed. With ports, runs also record their `velocity`, mean over the tick, and
    `position`: where points are and what they have turned about each axis, added up [m, rad], or where a joint is;
    `place` [m] of each point and `quaternion` (w, x, y, z) of its body's frame. Of several ports these are called
    "velocity.<port>", "place.<port>" and so on; of the other end of a `Between`, "place.<port>.second".

    Example:
        >>> from tegotae.multibody import Body, Free, HalfSpace, Point, Scene, Touch, Tree
        >>> ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free(), position=(0, 0, 0.1))])
        >>> floor = Touch(on="ball", toucher=Point(position=(0, 0, 0)), surface=HalfSpace(), damping=1e3)
        >>> run = Scene(tree=ball, touches=[floor]).run(1.0, period=1e-3)
        >>> round(float(run.contact_force[-1, 0, 2]), 3)  # its weight
        9.81
    """

    tree: Annotated[
        Tree, Parameter("the bodies; `join` makes one of several machines", "Give a Tree; `join` makes one of several.")
    ]
    touches: Annotated[Sequence[Touch], Parameter("pairs that may touch", "Give a list of Touch(...).")] = ()
    at: Annotated[
        str | Attachment | Mapping[str, str | Attachment] | None,
        Parameter(
            "where it meets others in a `Circuit`: name -> `AtPoint`, `AtJoint`, `Between`, or the name of a body for "
            'its origin. One place alone is the port "port". Forces go in there, and the motion there comes out',
            accept=as_given,
        ),
    ] = None
    springs: Annotated[
        Sequence[Spring], Parameter("between points of bodies, or to the world", "Give a list of Spring(...).")
    ] = ()
    controllers: Annotated[Mapping[str, Servo | Lock], Parameter("joint -> `Servo` or `Lock`", accept=as_given)] = (
        field(default_factory=dict)
    )
    method: Annotated[
        Method | None,
        Parameter(
            'how a tick is taken: "midpoint" or "euler", both implicit, or explicit "symplectic" or "rk4"; "midpoint" '
            'unless given, with ports or impedances in joints "euler"'
        ),
    ] = None
    deepest: Annotated[
        float | None,
        Parameter(
            "[m or rad], >= 0, how far inside each other pairs may start, or joints beyond limits that stop; as deep "
            "as the whole weight would press one of them at rest unless given",
            such_as="1e-3",
        ),
    ] = None

    reactions: Annotated[
        bool, Parameter('whether runs record what joints transmit, "reaction.<body>", as told above')
    ] = False

    runs_itself = True
    unsolved_remedy = (
        "Use a shorter period (in which no link turns by more than 0.1 rad, and nothing rattles through a gap), softer "
        "contacts, or more damping in contacts and joints."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        values = self.__dict__
        values["controllers"] = checked_controllers(OWNER, self.tree, self.controllers)
        values["dimension"] = sum(port.dimension for port in self.ports)
        if self.method is None:
            values["method"] = "euler" if self.dimension or self._own_joints.blocks else "midpoint"
        if self.dimension and self.method not in IMPLICIT:
            problem = f"method={checks.shown(self.method)} with ports at={checks.shown(self.at)}."
            checks.refuse(OWNER, problem, "Use method='midpoint': whatever it meets there is solved with it.")
        _ = self.pairs, self._springs

    def __repr__(self) -> str:
        return f"Scene({len(self.tree.bodies)} bodies, {len(self.pairs.names)} pairs, method={self.method!r})"

    # ------------------------------------------------------------ the block

    @cached_property
    def pairs(self) -> Pairs:
        """What may touch, pair by pair."""
        return pairs_of(self.tree, self.touches)

    @cached_property
    def wired(self) -> tuple[Wired, ...]:
        """Its ports, and what they act on."""
        locked = [name for name, control in self.controllers.items() if isinstance(control, Lock)]
        return wired(OWNER, self.tree, {} if self.at is None else named(OWNER, self.at), locked)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The places where it meets others."""
        return tuple(port.port for port in self.wired)

    @cached_property
    def joints(self) -> tuple[Joints, list[Any]]:
        """What acts in the joints, and the friction laws of the user's own."""
        return joints_of(self.tree, self.controllers)

    @cached_property
    def _own_joints(self) -> OwnJoints:
        """Joints whose friction is asked for its force."""
        return OwnJoints(self.tree)

    @property
    def _carried(self) -> dict[str, int]:
        """Rows of the bodies whose reactions are told."""
        return self.tree._carried if self.reactions else {}

    @cached_property
    def _springs(self) -> Array:
        """A row each: both bodies, both places in them, stiffness, damping, length."""
        return rows_of(self.tree, self.springs)

    @cached_property
    def servos(self) -> tuple[str, ...]:
        """Joints that a servo drives."""
        return tuple(n for n in self.tree.joint_names if isinstance(self.controllers.get(n), Servo))

    @cached_property
    def layout(self) -> Layouts:
        """The tree, its joints and what may touch; what is fed, what is seen, and what friction remembers."""
        joints = self.joints[0]
        rubbing = int((joints.law >= 0).sum())
        return scene_layout(
            self.tree,
            self.wired,
            self.servos,
            self.pairs.units,
            self.pairs.touching,
            rubbing,
            joints.numbers.size,
            self._own_joints,
            self.pairs.bounces,
            len(self._springs),
            list(self._carried),
        )

    @property
    def values(self) -> dict[str, ArrayLike]:
        """The tree, what acts in its joints, and what may touch."""
        frames = list(self.tree.frames.values())
        return {
            **(port_values(self.wired) if self.wired else {}),
            **tree_values(self.tree, self.joints[0], self.servos),
            **bond_values(self.tree, self._springs, self._locked),
            **self._own_joints.values,
            "root": self.tree.arrays.root,
            "frame_body": [int(body) for body, _, _ in frames],
            "frame_place": np.array([place for _, place, _ in frames]),
            "carried": list(self._carried.values()),
            "which": self.pairs.which,
            "contacts": self.pairs.numbers,
        }

    @property
    def kernels(self) -> Kernels:
        """By its method; laws of the user's own are compiled in."""
        if self.method not in IMPLICIT:
            advance = stepping.symplectic_advance if self.method == "symplectic" else stepping.rk4_advance
            return Kernels(stepping.explicit_kernels, (advance,))
        makers = (stepping.alone_kernels, port_stepping.euler_line_kernels, port_stepping.euler_space_kernels)
        if self.method == "midpoint":
            makers = (midpoint.middle_kernels, port_stepping.middle_line_kernels, port_stepping.middle_space_kernels)
        if self.pairs.bounces:
            makers = bouncing.MIDPOINT if self.method == "midpoint" else bouncing.EULER
        halves = tuple(half for law in self.joints[1] for half in law.kernels)
        return self._own_joints.kernels(makers[min(self.dimension, 2)], halves)

    def check(self, period: float) -> None:
        """Friction in each joint by itself, and with the inertia that it moves (and dampers and servos, unless it has
        ports): a step has one solution. Explicit methods have no friction."""
        rubbing = {name: joint.friction for name, joint in self.tree.joints.items() if joint.friction is not None}
        if self.method in IMPLICIT:
            check_friction(OWNER, rubbing, period, self._lacking_inertia)
            return
        remedy = "Use method='midpoint', which has them exactly."
        if rubbing:
            problem = f"method={checks.shown(self.method)} with friction in {', '.join(list(rubbing)[:5])}."
            checks.refuse(OWNER, problem, remedy)
        if (self.pairs.numbers[:, MU] > 0.0).any():
            checks.refuse(OWNER, f"method={checks.shown(self.method)} with friction at contacts.", remedy)
        bonds = {"loops": self.tree.arrays.welds, "joints that follow others": self.tree.arrays.gears}
        for name, some in (bonds | {"springs between bodies": self.springs}).items():
            if len(some):
                checks.refuse(OWNER, f"method={checks.shown(self.method)} with {name}.", remedy)
        if self.pairs.bounces:
            problem = f"method={checks.shown(self.method)} with restitution at contacts or stops."
            checks.refuse(OWNER, problem, "Use method='midpoint' or 'euler', which have it, or leave restitution= out.")

    def least_reluctance(self, period: float) -> float:
        """Of the pushed bodies cut free of all others [N·s/m]: they can only add to it.

        So can contacts that do not rub; one that rubs and is about to jam may still leave a step two solutions.
        """
        return least_reluctance(self.tree, self.wired, self._locked, period)

    @property
    def _locked(self) -> list[int]:
        return np.flatnonzero(self.joints[0].damping == math.inf).tolist()

    def _lacking_inertia(self, period: float) -> float:
        """Of joints whose friction falls with speed [kg·m², kg]."""
        given = self.joints[0]
        resists = np.zeros(self.tree.nv) if self.wired else given.damping + given.rate_gain + period * given.gain
        return lacks_inertia(self.tree, self._locked, resists, period)

    def fault(self, state: State) -> Fault | None:
        """What cannot be, also in the impedances of its joints."""
        return super().fault(state) or self._own_joints.fault(state)

    def about_end(self, state: State) -> dict[str, Any]:
        """In how many ticks loops stood where one of their conditions says nothing, such as in a dead point."""
        if not self.tree.has_conditions:
            return {}
        count = int(state["singular"])
        if count:
            problem = (
                f"{OWNER}: in {count} tick{'s' * (count > 1)} loops stood in a singular position, where links lie "
            )
            problem += "in one line, say: which way they go on from there is not determined."
            remedy = "Start elsewhere, or let a spring, a mass or a drive say which way."
            warnings.warn(f"{problem}\n  {remedy}", SingularWarning, stacklevel=to_the_user())
        return {"singular_ticks": count}

    def see_divergence(self, table: Array, every: int, period: float, began: State) -> None:
        """An error, in words that tell what nothing opposed."""
        if table.size and not np.abs(table).max() < checks.LARGEST:  # also where nan
            bad = ~(np.abs(table) < checks.LARGEST).all(axis=0)
            self.diverged(f"before t={(int(np.argmax(bad)) + 1) * every * period:g} s", began.part("center_q"))

    def diverged(self, when: str, began: Array) -> NoReturn:
        """Say when it left the range of numbers, from where it began."""
        layout, given = self.tree.arrays, self.joints[0]
        opposed = (given.damping > 0.0) | (given.gain > 0.0) | (given.rate_gain > 0.0) | (given.law >= 0)
        opposed[self._own_joints.speeds] = True
        held = [name for name, o in zip(layout.names, layout.vi, strict=True) if opposed[o]]
        cause = self.tree._unopposed_words(began, held)
        remedy = "Use a shorter period, or softer springs."
        if self.method not in IMPLICIT:
            remedy = "Use method='midpoint', a shorter period, or softer springs."
        raise TegotaeError(f"{OWNER}: it diverged {when}.\n  {cause or remedy}")

    # ------------------------------------------------------------ running

    def run(  # type: ignore[override]
        self,
        duration: float | ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        period: float,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        torque: ArrayLike = 0.0,
        targets: Mapping[str, ArrayLike] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        method: Method | None = None,
        deepest: float | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run for a while, compiled.

        Args:
            duration: [s], a whole number of periods; as long as `force` unless given. With ports also the force itself.
            force: at its ports over each tick [N, N·m], shape (ticks, dimension); or port -> force over each tick.
            period: T [s].
            q: where it starts [rad, m]; `tree.neutral()` unless given.
            v: how it starts to move [rad/s, m/s]; at rest unless given.
            torque: of every speed [N·m, N]: numbers, or a row for each tick.
            targets: joint -> target of its servo [rad, m], a number or one a tick; where it starts unless given.
            wrenches: body -> force [N] and moment [N·m] at its frame's origin in world axes; 6 numbers, or 6 a tick.
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields to start from, such as {"q": ...}.
            inputs: fields that are fed, such as "torque.arm" -> a number, or its values over the ticks.
            method: instead of the scene's own.
            deepest: instead of the scene's own [m, rad].
            progress: called with the share that is done, now and then.
        """
        scene = self._with(method, deepest)
        period = checks.period_of(OWNER, period)
        lasting: Any = duration
        if self.dimension and force is None and (isinstance(duration, Mapping) or np.ndim(lasting) > 0):
            force, lasting = duration, None
        signal = forces_over_ticks(scene, force, lasting, period)
        ticks = len(signal)
        rows = ticks // checks.whole(OWNER, "every", every, 1, "Record every tick or every so many.")
        numbers = float(rows) * (
            2 * self.tree.nq + 4 * self.tree.nv + 16 * len(self.pairs.names) + 6 * len(self._carried)
        )
        what = f"the record of {ticks} ticks" if duration is None else f"the record of duration={duration} s"
        checks.fits_in_memory(OWNER, what, numbers, "Use every=, or a shorter duration.")
        begun = scene._begun(q, v, initial)
        fed = driven(scene, ticks, torque, targets, wrenches)
        fed |= checks.mapping(OWNER, "inputs", inputs, loop.INPUTS)
        given = loop.Signal("force", signal, "N")
        plain = loop.run(scene, given, period, every=every, record=record, initial=begun, inputs=fed, progress=progress)
        return result_of(scene, plain, period)

    def start(
        self,
        *,
        period: float,
        initial: Mapping[str, ArrayLike] | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        method: Method | None = None,
        deepest: float | None = None,
    ) -> LiveScene:
        """A live scene for a control loop; arguments as in `run`."""
        scene = self._with(method, deepest)
        return LiveScene(scene, period, scene._begun(q, v, initial))

    def _with(self, method: Method | None, deepest: float | None) -> Scene:
        changes: dict[str, Any] = {"method": method, "deepest": deepest}
        changes = {name: value for name, value in changes.items() if value is not None}
        return replace(self, **changes) if changes else self
