"""Two bodies of a tree that may touch, as a block: a wrench between them in, their relative motion out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance, Impedance, Kernels
from tegotae.checks import Array
from tegotae.hybrid.kernels.relative import relative_kernels
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.multibody import AtPoint, Lock, Servo, Tree
from tegotae.multibody.attachments import least_reluctance, wired
from tegotae.multibody.frames import UPRIGHT, place_of
from tegotae.multibody.joints import check_friction, checked_controllers, has_a_law, joints_of
from tegotae.multibody.kernels.kinematics import FREE
from tegotae.multibody.kernels.records import Joints
from tegotae.multibody.scene_layout import (
    FRICTION,
    JOINTS,
    KEPT,
    SEEN,
    SOLVED,
    TARGET,
    TREE,
    WORK,
    labelled,
    tree_values,
)
from tegotae.parameters import Parameter
from tegotae.ports import SPATIAL, Port, port_of
from tegotae.running.source import module_of
from tegotae.state import State

_OWNER = "RelativeAdmittance"
_GIVEN = ("q", "v", "deflection")  # what a user may start from, beside targets; all else follows


def _rotation(owner: str, name: str, value: ArrayLike) -> tuple[tuple[float, ...], ...]:
    given = checks.array(owner, name, value, "")
    if given.shape != (3, 3) or not abs(given.T @ given - np.eye(3)).max() < 1e-9 or np.linalg.det(given) < 0.0:
        checks.refuse(owner, f"{name} is not a rotation.", "Give three unit vectors at right angles, as columns.")
    return tuple(tuple(row) for row in given.tolist())


@dataclass(frozen=True, kw_only=True, eq=False)
class RelativeAdmittance(Admittance):
    """Bodies of which two may touch: a wrench between tip and surface in, their relative motion out.

    The wrench [N, N·m] acts on the body with the tip, about the tip, in the surface's axes; the other body feels the
    opposite. It is held over a tick. Nothing touches by itself: whoever feels the contact gives the wrench.

    Runs record `velocity` of the tip in the surface's axes, mean over the tick [m/s, rad/s]; where it ends: `place` [m]
    and `quaternion` (w, x, y, z), `twist` [m/s, rad/s]; `kinetic_energy` of all bodies [J], `normal_mobility` along z
    at the start of the tick [1/kg]; `q`, `v` and the `friction` of the joints [N·m, N] of the tree. "target.<joint>"
    [rad, m] of a servo may be fed.

    Example:
        >>> from tegotae.hybrid import RelativeAdmittance
        >>> from tegotae.multibody import Body, Free, Tree
        >>> ball = Tree([Body(name="ball", mass=2.0, inertia=(1, 1, 1), joint=Free())], gravity=(0, 0, 0))
        >>> live = RelativeAdmittance(tree=ball, at="ball").start(period=0.1)
        >>> motion = live.step((0.0, 0.0, 4.0, 0.0, 0.0, 0.0))
        >>> round(float(motion[2]), 9), round(float(live["twist"][2]), 9)  # in the mean, and at the end
        (0.1, 0.2)
    """

    tree: Annotated[
        Tree, Parameter("the bodies; `join` makes one of several", "Give a Tree; `join` makes one of several.")
    ]
    at: Annotated[str, Parameter("body with the tip", "Name a body.")]
    point: Annotated[ArrayLike, Parameter("[m], the tip, in its frame", accept=place_of)] = (0.0, 0.0, 0.0)
    of: Annotated[str | None, Parameter("body with the surface; None for the world", "Name a body.")] = None
    origin: Annotated[ArrayLike, Parameter("[m], of the surface, in its frame", accept=place_of)] = (0.0, 0.0, 0.0)
    axes: Annotated[
        ArrayLike,
        Parameter("[-], of the surface in its frame, 3 x 3, its columns x, y and z; z points in", accept=_rotation),
    ] = UPRIGHT
    tip_axes: Annotated[
        ArrayLike, Parameter("[-], of the tip in its body's frame; see `aligned`", accept=_rotation)
    ] = UPRIGHT
    controllers: Annotated[
        Mapping[str, Servo | Lock], Parameter("joint -> `Servo` or `Lock`", accept=lambda owner, name, value: value)
    ] = field(default_factory=dict)
    substeps: Annotated[int, Parameter(">= 1, of the motion in a tick", "Use 1, or more for stiff servos.")] = 1

    dimension = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        ends = [self._frame_of(name)[0] for name in (self.at, self.of)]
        if ends[0] == ends[1]:
            checks.refuse(_OWNER, f"at={self.at!r} and of={self.of!r} are one rigid body.", "Give two that can meet.")
        object.__setattr__(self, "controllers", checked_controllers(_OWNER, self.tree, self.controllers))
        if self.tree.has_conditions:
            remedy = "Use a TreeAdmittance, which solves them in its ticks."
            checks.refuse(_OWNER, "tree has loops, or joints that follow others.", remedy)
        for name, friction in self._rubbing.items():
            if not has_a_law(friction):
                remedy = "Use a FrictionImpedance without mass and lag, lock the joint, or use a TreeAdmittance."
                checks.refuse(_OWNER, f"joint {name!r} has friction={checks.shown(friction)}.", remedy)

    def _frame_of(self, name: str | None) -> tuple[int, Array, Array]:
        """Moving body (-1 for the world), place and rotation of the frame in its internal one."""
        if name is None:
            return -1, np.zeros(3), np.eye(3)
        if name not in self.tree.arrays.frames:
            where = "at" if name == self.at else "of"
            known = ", ".join(list(self.tree.arrays.frames)[:12])
            checks.refuse(_OWNER, f"{where}={name!r}: there is no body {name!r}.", f"It has {known}.")
        k, place, turn = self.tree._frame(name)
        return int(k), np.asarray(place), np.asarray(turn)

    def aligned(self, q: ArrayLike) -> RelativeAdmittance:
        """The same with the tip's axes along the surface's in a configuration: `quaternion` is (1, 0, 0, 0) there.

        Args:
            q: configuration of the tree [m, rad].
        """
        turned = np.eye(3) if self.of is None else self.tree.pose(q, self.of)[1]
        tip_axes = self.tree.pose(q, self.at)[1].T @ (turned @ np.asarray(self.axes))
        return cast(RelativeAdmittance, self.varied({"tip_axes": tip_axes}))

    # ------------------------------------------------------------ layout

    @property
    def ports(self) -> tuple[Port, ...]:
        """The contact."""
        return (port_of("contact", SPATIAL),)

    @cached_property
    def _servos(self) -> tuple[str, ...]:
        return tuple(n for n in self.tree.joint_names if isinstance(self.controllers.get(n), Servo))

    @property
    def _rubbing(self) -> dict[str, Impedance]:
        """Joint that can move -> its friction."""
        rubbing = {name: joint.friction for name, joint in self.tree.joints.items() if joint.friction is not None}
        return {name: block for name, block in rubbing.items() if not isinstance(self.controllers.get(name), Lock)}

    @cached_property
    def _acting(self) -> tuple[Joints, list[Any]]:
        """What acts in the joints, and the friction laws of the user's own."""
        return joints_of(self.tree, self.controllers)

    @property
    def _locked(self) -> Array:
        """Which speeds are locked."""
        return np.asarray(self._acting[0].damping == math.inf)

    @property
    def layout(self) -> Layouts:
        """The contact, the tree and what holds its joints; the relative motion, and the whole tree."""
        at = self.tree.arrays
        return _layout(
            len(at.parent), at.nq, at.nv, len(self.tree.joint_names), self._acting[0].numbers.size, self._servos
        )

    @property
    def values(self) -> dict[str, Any]:
        """Where tip and surface are on their bodies, the tree, and what holds its joints."""
        (k1, place1, turn1), (k2, place2, turn2) = map(self._frame_of, (self.at, self.of))
        joints = self._acting[0]
        return {
            **tree_values(self.tree, joints, self._servos),
            "stiffness": 2.0 * joints.stiffness,  # see `take_friction` in `hybrid/kernels/relative.py`
            "own_speeds": [],
            "ends": [k1, k2],
            "tip": place1 + turn1 @ np.asarray(self.point),
            "tip_axes": turn1 @ np.asarray(self.tip_axes),
            "origin": place2 + turn2 @ np.asarray(self.origin),
            "axes": turn2 @ np.asarray(self.axes),
            "substeps": self.substeps,
        }

    @property
    def kernels(self) -> Kernels:
        """By the midpoint rule; laws of the user's own are compiled in."""
        return Kernels(relative_kernels, tuple(half for law in self._acting[1] for half in law.kernels))

    def check(self, period: float) -> None:
        """Friction in each joint by itself, and with the inertia that it moves: a step has one solution."""
        check_friction(
            _OWNER, self._rubbing, period, lambda T: -math.inf if self.least_reluctance(T) > 0.0 else math.inf
        )

    # ------------------------------------------------------------ where it starts

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest in `tree.neutral()`, or as `q` and `v` say; servos hold where they start."""
        given = dict(checks.mapping(_OWNER, "initial", initial, INITIAL))
        for name in given:
            if name in self.parts and name not in _GIVEN and not self.parts[name].fed:
                checks.refuse(_OWNER, f"initial[{name!r}] cannot be set.", "It follows from q and v.")
        state = super().initial_state(period, {"q": self.tree.neutral(), **given})
        q, v, at = state.part("q"), state.part("v"), self.tree.arrays
        if v[self._locked].any():
            checks.refuse(_OWNER, "initial['v']: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        if turnless := at.no_turn(q):
            checks.refuse(_OWNER, f"initial['q']: the quaternion of {turnless!r} is 0.", "Give (1, 0, 0, 0).")
        state["center_q"], state["center_v"] = at.inner(q, v)
        places = dict(zip(self.tree.joint_names, at.qi[at.kind != FREE].tolist(), strict=True))
        for name in self._servos:
            if f"target.{name}" not in given:
                state[f"target.{name}"] = state.part("center_q")[places[name]]
        workspace, zero = self.spaces.workspace.empty(), np.zeros(6)
        memories = self.parameters, state.memory, workspace
        module_of(self).answer_once(*memories, zero, period, np.empty(6), np.empty((6, 6)))
        seen = {name: self.spaces.workspace.part(workspace, name) for name in ("pose", "twist", "energy", "normal")}
        state["place"], state["quaternion"] = seen["pose"][:3], seen["pose"][3:]
        state["velocity"] = state["twist"] = seen["twist"]
        state["kinetic_energy"], state["normal_mobility"] = seen["energy"], seen["normal"]
        q[:], v[:] = at.outer(state.part("center_q"), state.part("center_v"))
        return state

    def least_reluctance(self, period: float) -> float:
        """Of both bodies cut free of all others, near the surface's origin [N·s/m]: they can only add to it."""
        locked = np.flatnonzero(self._locked).tolist()
        ends = [(name, point) for name, point in ((self.at, self.point), (self.of, self.origin)) if name is not None]
        moving = [AtPoint(name, point) for name, point in ends if self._frame_of(name)[0] >= 0]
        ports = [wired(_OWNER, self.tree, {"end": place}, ()) for place in moving]
        values = [least_reluctance(self.tree, port, locked, period) for port in ports]
        return 2.0 / sum(1.0 / each if each > 0.0 else math.inf for each in values)  # half a tick moves half as far


@cache
def _layout(bodies: int, coordinates: int, speeds: int, joints: int, numbers: int, servos: tuple[str, ...]) -> Layouts:
    """Trees of any size share one compiled loop."""
    sizes = {"bodies": bodies, "bodies1": bodies + 1, "coordinates": coordinates, "speeds": speeds, "joints": joints}
    return layouts(
        dimension=6,
        sizes=sizes | {"numbers": numbers, "owned": 0, "servos": len(servos)},
        parameters=(*_CONTACT, *TREE, *JOINTS, Part("substeps", "", "of the motion in a tick", whole=True)),
        state=(
            Part("velocity", "m/s or rad/s", "of the tip, mean over the tick", AXIS),
            *labelled((TARGET,), servos),
            *_SEEN,
            *SEEN,
            *SOLVED,
            *KEPT,
        ),
        workspace=(*_WORK, *WORK, *FRICTION),
    )


_CONTACT = (
    Part("ends", "", "bodies with tip and surface; -1 for the world", (2,), whole=True),
    Part("tip", "m", "from its body's centre of mass", (3,)),
    Part("tip_axes", "-", "in the body's internal frame", (3, 3)),
    Part("origin", "m", "of the surface, from its body's centre of mass", (3,)),
    Part("axes", "-", "of the surface in its body's internal frame", (3, 3)),
)
_SEEN = (
    Part("place", "m", "of the tip in the surface's axes", (3,)),
    Part("quaternion", "-", "w, x, y, z of the tip's axes in the surface's", (4,)),
    Part("twist", "m/s or rad/s", "of the tip at the end of the tick", (6,)),
    Part("kinetic_energy", "J", "of all bodies", letter="energy"),
    Part("normal_mobility", "1/kg", "of the contact along z, at the start of the tick", letter="mobility"),
)
_WORK = (
    Part("q", shape=("coordinates",)),
    Part("e", "rad or m", "half the stretch of each joint's friction", ("speeds",)),
    Part("normal", "1/kg", "mobility along z"),
    Part("J1", "", "motion of the tip on its body by each speed", (6, "speeds"), "one"),
    Part("J2", "", "motion of the surface under the tip by each speed", (6, "speeds"), "two"),
    Part("J", "", "relative motion by each speed, in the surface's axes", (6, "speeds")),
    Part("contact", "m", "where the tip is", (3,), "tip"),
    Part("axes", "", "of the surface in the world", (3, 3)),
    Part("turn", "", "of the tip's axes in the surface's", (3, 3), "R"),
    Part("pose", "m", "of the tip in the surface's axes, and its quaternion", (7,)),
    Part("twist", "m/s", "of the tip now", (6,), "V"),
    Part("energy", "J", "kinetic"),
    Part("drift", "m/s²", "how the twist changes by itself", (6,), "b"),
    Part("mobility", "1/kg", "relative acceleration by a unit wrench", (6, 6), "G"),
    Part("push", "N", "wrench on a body", (6,)),
    Part("unit", "N", "a wrench", (6,)),
)
