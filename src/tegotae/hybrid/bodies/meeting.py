"""What the dynamics node simulates: bodies of which two may touch, wrench in, relative motion out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.hybrid.links.packets import reals
from tegotae.multibody import Lock, Servo, Tree
from tegotae.multibody.joints import model_of

OWN = "Meeting"

_SOURCE = """
@entry
def meet(model, ends, shape, hold, w, q, v, T, substeps, B, guarded, o, R, seen):
    return meet_once(model, ends, shape, hold, w, q, v, T, substeps, B, guarded, o, R, seen)
"""


@cache
def _module() -> ModuleType:
    from tegotae.compile import build
    from tegotae.hybrid.kernels import meeting

    return build(_SOURCE, (("meet_once", meeting.meet),))


class Model(Protocol):
    """What a dynamics node can simulate: an admittance in six dimensions. `Meeting` is one.

    Poses are those of the part that the table moves, in the axes of the part that is fixed on it: position [m] and
    quaternion (w, x, y, z); z points into the fixed part, which is met at z = 0.

    Example:
        >>> from tegotae.hybrid import TwoRobots
        >>> model = TwoRobots().meeting(period=2e-3)
        >>> acted = model.advance((0.0,) * 6)
        >>> round(model.motion[0][2], 6), round(model.motion[1][2], 6)  # 10 mm away, coming
        (-0.00998, 0.01)
    """

    period: float

    @property
    def motion(self) -> tuple[list[float], list[float]]:
        """Pose and twist now."""

    @property
    def energy(self) -> float:
        """Kinetic [J]."""

    @property
    def mass(self) -> float:
        """That the contact feels along its normal [kg]."""

    @property
    def configuration(self) -> Array:
        """Where everything is, for viewers and logs."""

    @property
    def budget(self) -> float:
        """What the guard would still let in [J]; 0 for a model without one."""

    @property
    def refused(self) -> tuple[float, float]:
        """Energy [J] and normal impulse [N·s] that the guard has kept out; 0 for a model without one."""

    def advance(self, wrench: Sequence[float]) -> list[float]:
        """One period under a wrench on the moving part; the wrench that really acted."""

    def forget(self) -> None:
        """A contact is over: nothing of it is left for the next one."""


class Contact(NamedTuple):
    """Where two bodies may touch.

    Args:
        on: body with the tip.
        tip: in its frame [m].
        of: body with the surface.
        origin: of the surface, in its frame [m].
        axes: of the surface in its frame, 3 x 3, its columns x, y and z; z points into the body.

    Example:
        >>> from tegotae.hybrid.bodies.meeting import Contact
        >>> upright = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        >>> Contact(on="hand", tip=(0.0, 0.0, 0.1), of="wall", origin=(0.0, 0.0, 0.0), axes=upright).on
        'hand'
    """

    on: str
    tip: ArrayLike
    of: str
    origin: ArrayLike
    axes: ArrayLike


class Meeting:
    """Bodies of which two may touch, live: a wrench between them in, their relative motion out.

    A wrench acts on the body with the tip, about the tip, in the surface's axes; the other body feels the opposite. It
    is held over a period, under the guard: it never does more work on the bodies than it took from them before.

    Args:
        tree: the bodies; `join` makes one of several machines. Joints with friction are refused.
        contact: where they may touch.
        period: of a tick [s].
        q: where everything starts [rad, m].
        v: how it starts to move [rad/s, m/s].
        controllers: joint -> `Servo` or `Lock`.
        substeps: of the motion in a period; more for stiff servos.
        guard: whether the guard is on.

    Example:
        >>> from tegotae.hybrid import TwoRobots
        >>> meeting = TwoRobots().meeting(period=2e-3)
        >>> round(meeting.mass, 6)  # kg, of both along the normal
        33.75
    """

    def __init__(
        self,
        *,
        tree: Tree,
        contact: Contact,
        period: float,
        q: ArrayLike,
        v: ArrayLike,
        controllers: Mapping[str, Servo | Lock] | None = None,
        substeps: int = 1,
        guard: bool = True,
    ) -> None:
        from tegotae.hybrid.kernels import guard as caps
        from tegotae.hybrid.kernels import meeting as layout

        self.period = checks.period_of(OWN, period)
        self._substeps = checks.whole(OWN, "substeps", substeps, 1, "Use 1, or more for stiff servos.")
        self._tree, self._guard = tree, checks.flag(OWN, "guard", guard)
        start, speed = (checks.array(OWN, name, x, "") for name, x in (("q", q), ("v", v)))
        for name, given, size in (("q", start, tree.nq), ("v", speed, tree.nv)):
            if given.shape != (size,):
                checks.refuse(OWN, f"{name} has shape {given.shape}.", f"Give {size} numbers.")
            checks.finite(OWN, name, given, "")
        self._q, self._v = tree.arrays.inner(start, speed)
        way = "Give a dict of Servo(...) or Lock() by joint."
        self._hold = _holds(tree, checks.mapping(OWN, "controllers", controllers, way), self._q)
        if (self._v[np.isinf(self._hold[:, 3])] != 0.0).any():
            checks.refuse(OWN, "v: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        self._ends, self._shape = _placed(tree, contact, start)
        self._model = model_of(tree)
        self._room = layout.room(len(tree.arrays.parent), tree.nq, tree.nv)
        self._turn, self._seen, self._wrench = np.zeros((3, 3)), np.zeros(layout.SEEN), np.zeros(6)
        self._budget = np.zeros(caps.SIZE)
        self._meet = _module().meet
        self._mass = 0.0
        self._look()

    def _look(self) -> None:
        self._step(0.0)

    def _step(self, T: float) -> None:
        self._mass = float(
            self._meet(
                self._model, self._ends, self._shape, self._hold, self._wrench, self._q, self._v, T, self._substeps,
                self._budget, self._guard, self._room, self._turn, self._seen,
            )
        )  # fmt: skip

    def advance(self, wrench: Sequence[float]) -> list[float]:
        """One period under a wrench on the body with the tip; the wrench that really acted.

        Args:
            wrench: force [N] and torque [N·m] about the tip, in the surface's axes.
        """
        self._wrench[:] = reals(OWN, "wrench", wrench, 6, "N, N·m")
        self._step(self.period)
        acted: list[float] = self._wrench.tolist()
        return acted

    def forget(self) -> None:
        """A contact is over: what it took and did not give back is lost, not saved for the next one."""
        self._budget[:2] = 0.0

    @property
    def motion(self) -> tuple[list[float], list[float]]:
        """Pose of the tip (position [m], quaternion) and its twist [m/s, rad/s], in the surface's axes."""
        seen: list[float] = self._seen.tolist()
        return seen[:7], seen[7:13]

    @property
    def energy(self) -> float:
        """Kinetic [J]."""
        return float(self._seen[13])

    @property
    def mass(self) -> float:
        """That the contact felt along its normal at the start of the last tick [kg]."""
        return self._mass

    @property
    def mobility(self) -> Array:
        """G: relative acceleration of the tip by a unit wrench, at the start of the last tick, 6 x 6."""
        return np.array(self._room.G)

    @property
    def budget(self) -> float:
        """What the contact may still give back [J]."""
        return float(self._budget[0] + self._budget[1])

    @property
    def refused(self) -> tuple[float, float]:
        """Energy [J] and normal impulse [N·s] that the guard has refused so far."""
        return float(self._budget[2]), float(self._budget[3])

    @property
    def work(self) -> float:
        """Of all wrenches on the bodies so far [J]."""
        return float(self._budget[4])

    @property
    def configuration(self) -> Array:
        """q as the tree counts it."""
        return self._tree.arrays.outer(self._q, self._v)[0]


def _holds(tree: Tree, controllers: Mapping[str, Servo | Lock], inner_q: Array) -> Array:
    """Gain, rate gain, target and lock of every speed."""
    hold = np.zeros((tree.nv, 4))
    for name in controllers:
        if name not in tree.joint_names:
            known = ", ".join(tree.joint_names[:12]) or "none"
            checks.refuse(OWN, f"controllers[{name!r}]: there is no such joint.", f"It has {known}.")
    places = {name: k for k, name in enumerate(tree.arrays.names)}
    bodies = {body.joint_name: body.name for body in tree.bodies}
    for name, joint in tree.joints.items():
        if joint.friction is not None:
            checks.refuse(OWN, f"joint {name!r} has friction.", "Leave it out here; a Scene has it, run implicitly.")
        k = places[bodies[name]]
        control, row = controllers.get(name), hold[int(tree.arrays.vi[k])]
        row[1] = joint.damping
        if isinstance(control, Servo):
            row[0], row[1], row[2] = control.gain, control.rate_gain + joint.damping, inner_q[int(tree.arrays.qi[k])]
        elif isinstance(control, Lock):
            row[3] = math.inf
        elif control is not None:
            checks.refuse(OWN, f"controllers[{name!r}]={control!r}.", "Give Servo(...) or Lock().")
    return hold


def _placed(tree: Tree, contact: Contact, q: Array) -> tuple[Array, Array]:
    """Numbers of both bodies, and tip and surface from their mass centres; the tip's axes are the surface's at q."""
    axes = checks.array(OWN, "contact.axes", contact.axes, "")
    if axes.shape != (3, 3) or abs(axes.T @ axes - np.eye(3)).max() > 1e-9:
        checks.refuse(OWN, "contact.axes is not a rotation.", "Give three unit vectors at right angles, as columns.")
    k1, place1, turn1 = tree._frame(contact.on)
    k2, place2, turn2 = tree._frame(contact.of)
    if k1 == k2:
        checks.refuse(OWN, f"{contact.on!r} and {contact.of!r} are one rigid body.", "Give two that can meet.")
    world = tree.pose(q, contact.of)[1] @ axes
    own = tree.pose(q, contact.on)[1].T @ world
    parts = [
        np.asarray(place1) + turn1 @ checks.numbers(OWN, "contact.tip", contact.tip),
        (turn1 @ own).ravel(),
        np.asarray(place2) + turn2 @ checks.numbers(OWN, "contact.origin", contact.origin),
        (turn2 @ axes).ravel(),
    ]
    return np.array([k1, k2], dtype=np.int64), np.concatenate(parts)
