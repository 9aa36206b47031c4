"""Where a scene starts: as it is told, seen to be possible; or just out of what it would be inside of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance
from tegotae.checks import Array
from tegotae.contact import SLIGHT, check_depths, weight_of
from tegotae.multibody.attachments import Wired, paths_of, place_ports
from tegotae.multibody.kernels import stepping
from tegotae.multibody.kernels.impacts import NEAR
from tegotae.multibody.kernels.kinematics import FREE
from tegotae.multibody.kernels.records import AXES, BODY, GAP, HELD, RESTITUTION, E, Joints, K
from tegotae.multibody.stops import borne, check_limits
from tegotae.multibody.tree import Tree
from tegotae.running.source import module_of
from tegotae.state import State

if TYPE_CHECKING:
    from tegotae.multibody.contact import Pairs
    from tegotae.multibody.joints import OwnJoints

OWNER = "Scene"
LIFTS = 100  # moves out of a surface, one pair at a time
# What a user may start from, beside what is fed; all else follows.
GIVEN = ("q", "v", "deflection", "debt", "swing", "change")


class StartingScene(Admittance):
    """What `Scene` knows of its start."""

    if TYPE_CHECKING:  # given by Scene
        tree: Tree
        method: str | None
        deepest: float | None

        @property
        def pairs(self) -> Pairs:
            """What may touch."""

        @property
        def wired(self) -> tuple[Wired, ...]:
            """Its ports."""

        @property
        def joints(self) -> tuple[Joints, list[Any]]:
            """What acts in the joints."""

        @property
        def servos(self) -> tuple[str, ...]:
            """Joints that a servo drives."""

        @property
        def _own_joints(self) -> OwnJoints:
            """Joints whose friction is asked for its force."""

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest in `tree.neutral()`, or as `q` and `v` say; servos hold where they start."""
        given = dict(checks.mapping(OWNER, "initial", initial, INITIAL))
        allowed = {*GIVEN, *self._own_joints.names}
        for name in given:
            if name in self.parts and name not in allowed and not self.parts[name].fed:
                checks.refuse(OWNER, f"initial[{name!r}] cannot be set.", "It follows from q and v.")
        state = self._standing(period, given)
        gaps = self.places_of(state)[:, GAP]
        self._check_depths(state, gaps, self.deepest)
        state["gap"] = np.minimum(gaps, stepping.FAR)
        ahead = self._ahead(state, period) if self.method == "midpoint" else state
        if len(gaps):  # what starts pressed rests: its damper has not moved
            touching = state.part("touching")
            touching[:, E] = np.maximum(0.0, -self.places_of(ahead)[:, GAP])
            if self.pairs.bounces:  # and is in lasting touch, what only meets its surface is open
                closing = gaps - self.places_of(self._ahead(state, period))[:, GAP] > NEAR
                held = (gaps < -NEAR) & ~(closing & (gaps >= -SLIGHT))
                touching[:, HELD] = held
                touching[(self.pairs.numbers[:, RESTITUTION] >= 0.0) & ~held, E] = 0.0
        if self.wired:
            place_ports(self.tree, self.wired, state)
            state["path"] = paths_of(self.tree, self.wired, ahead.part("q"))
        return state

    def _ahead(self, state: State, period: float) -> State:
        """Half a tick on, where elements and the paths of ports begin."""
        found, at = state.copy(), self.tree.arrays
        q, v = found.part("center_q"), found.part("center_v")
        found["center_q"] = at.moved(q, v, 0.5 * period)
        found["q"], found["v"] = at.outer(found.part("center_q"), v)
        return found

    def _standing(self, period: float, given: Mapping[str, ArrayLike]) -> State:
        """In q and v as they are given, whatever it may be inside of."""
        tree, layout = self.tree, self.tree.arrays
        start = _vector("q", given["q"] if "q" in given else tree.neutral(), tree.nq)
        speed = _vector("v", given.get("v", np.zeros(tree.nv)), tree.nv)
        if lost := layout.no_turn(start):
            checks.refuse(OWNER, f"q: the quaternion of {lost!r} has length 0.", "Give (1, 0, 0, 0) for no rotation.")
        if tree.has_conditions:
            tree.check_closed(start, speed, OWNER)
        if (speed[self.joints[0].damping == math.inf] != 0.0).any():
            checks.refuse(OWNER, "v: a locked joint moves.", "Start it at rest, or use Servo(gain=...).")
        state = super().initial_state(0.0, {name: value for name, value in given.items() if name not in ("q", "v")})
        state["center_q"], state["center_v"] = layout.inner(start, speed)
        state["q"], state["v"] = layout.outer(state.part("center_q"), state.part("center_v"))
        places = dict(zip(tree.joint_names, layout.qi[layout.kind != FREE].tolist(), strict=True))
        for name in self.servos:
            if f"target.{name}" not in given:
                state[f"target.{name}"] = state.part("center_q")[places[name]]
        q = state.part("center_q")
        if self.method == "midpoint":  # what counts its own way counts from the middle of a tick
            q = layout.moved(q, state.part("center_v"), 0.5 * period)
        self._own_joints.start(state, period, given, q)
        return state

    def places_of(self, state: State) -> Array:
        """Where the pairs are in a state, a row each: see `PLACES`."""
        workspace = self.spaces.workspace.empty()
        if len(self.pairs.names):
            module_of(self).restore_all(self.parameters, state.memory, workspace)
        return np.array(self.spaces.workspace.part(workspace, "places")[:-1])

    def _check_depths(self, state: State, gaps: Array, deepest: float | None) -> None:
        """Refuse what is farther inside than that [m, rad], or than the whole weight would press it."""
        pairs, n = self.pairs, self.pairs.touching
        if not len(pairs.names):
            return
        carried = np.full(len(pairs.names), 0.0 if deepest is None else deepest)
        if deepest is None:
            carried[:n] = weight_of(self.tree.mass, self.tree.gravity) / pairs.numbers[:n, K]
            carried[n:] = borne(self.tree, pairs.limits, state.part("center_q"))
        remedy = "Start it on the surface (q=scene.lifted(q) moves free bodies there), or say deepest= if it is meant."
        check_depths(OWNER, pairs.names[:n], gaps[:n], carried[:n], remedy)
        check_limits(OWNER, pairs.limits, gaps[n:], carried[n:])

    def _begun(
        self, q: ArrayLike | None, v: ArrayLike | None, initial: Mapping[str, ArrayLike] | None
    ) -> Mapping[str, ArrayLike]:
        """Where it starts; q and v may be given by themselves."""
        if isinstance(initial, State) and q is None and v is None:
            return initial
        begun = dict(checks.mapping(OWNER, "initial", initial, INITIAL))
        for name, value in (("q", q), ("v", v)):
            if value is not None:
                if name in begun:
                    checks.refuse(OWNER, f"{name} and initial[{name!r}] both say where it starts.", "Give one of them.")
                begun[name] = value
        return begun

    def lifted(self, q: ArrayLike | None = None) -> Array:
        """q with every free body (and what hangs on it) moved out of what it starts in, just onto its surface.

        It is moved, never turned: a crate that stands across a slope ends on a corner. Joints stay as they are.

        Args:
            q: where it would start [rad, m]; `tree.neutral()` unless given.

        Example:
            >>> from tegotae.multibody import Ball, Body, Free, HalfSpace, Scene, Touch, Tree
            >>> ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free())])
            >>> floor = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace())
            >>> Scene(tree=ball, touches=[floor]).lifted()[:3].round(9).tolist()
            [0.0, 0.0, 0.1]
        """
        state, layout = self._standing(1e-3, {} if q is None else {"q": q}), self.tree.arrays
        for _ in range(LIFTS if self.pairs.touching else 0):
            seen = self.places_of(state)[: self.pairs.touching]
            c = int(np.argmin(seen[:, GAP]))
            root = int(layout.root[self.pairs.which[c, BODY]])
            if seen[c, GAP] >= 0.0 or layout.kind[root] != FREE:
                break
            i = int(layout.qi[root])
            state.part("center_q")[i : i + 3] -= seen[c, GAP] * seen[c, AXES : AXES + 3]
        self._check_depths(state, self.places_of(state)[:, GAP], 0.0)
        return self.tree.arrays.outer(state.part("center_q"), state.part("center_v"))[0]


def _vector(name: str, value: ArrayLike, size: int) -> Array:
    given = checks.array(OWNER, name, value, "")
    if given.shape != (size,):
        checks.refuse(OWNER, f"{name} has shape {given.shape}.", f"Give {size} numbers.")
    checks.finite(OWNER, name, given, "")  # however fast: a scene that diverges says what nothing opposed
    return given
