"""Bodies that are carried twice: the joints that close loops, and the configurations in which they are closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.bodies import Body
from tegotae.multibody.frames import ORIGIN, UPRIGHT, name_of, place_of, turn_of
from tegotae.multibody.joint_kinds import Fixed, Free, Joint, Turn
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import rotation_vectors

if TYPE_CHECKING:
    from tegotae.multibody.tree_arrays import TreeArrays

OWNER = "Tree"
STEPS, STRIDE = 100, 0.5  # of Newton's method to close loops, and the longest of them [lengths of the machine, rad]
CLOSED, SHUT = 1e-13, 1e-10  # m, rad: no step is needed any more, and what counts as closed
SAME = 1e-9  # relative: singular values of conditions that follow from others
RESTARTS = 20
TRIES, NUDGE = 4, 0.1  # configurations near a closed one, and how far they are from it [lengths of the machine, rad]
FARAWAY = 100  # configurations from anywhere, where the neutral one does not close


@dataclass(frozen=True, kw_only=True)
class Loop(Declared):
    """A second joint that carries a body of a tree, and so closes a loop.

    Its frame stands in the parent's at `position` and `rotation`, as that of a body's joint; where the joint has moved
    to is the frame at `place` and `turn` of the body. It is a joint as all others: it has coordinates of its own, after
    those of all bodies, and what resists, drives or stops a joint does so in it. (The body is cut there: what it weighs
    is shared with what the joint carries, and both are welded in every tick.)

    Example:
        >>> from tegotae.multibody import Body, Loop, Revolute, Tree
        >>> link = dict(mass=1.0, inertia=(0.01, 0.02, 0.02), center=(0.25, 0, 0), joint=Revolute(axis=(0, 1, 0)))
        >>> crank, rod = Body(name="crank", **link), Body(name="rod", parent="crank", position=(0.5, 0, 0), **link)
        >>> rocker = Body(name="rocker", position=(0.6, 0, 0), **link)
        >>> pin = Loop(name="pin", body="rod", place=(0.5, 0, 0), parent="rocker", position=(0.5, 0, 0),
        ...            joint=Revolute(axis=(0, 1, 0)))
        >>> tree = Tree([crank, rod, rocker], loops=[pin])
        >>> q = tree.closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, hold=["crank"])
        >>> tree.joint_names, [round(float(x), 3) for x in q], tree.mobility
        (('crank', 'rod', 'rocker', 'pin'), [-1.0, 0.899, -1.229, 1.128], 1)
    """

    name: Annotated[str, Parameter("of the joint, unlike that of any body", accept=name_of)]
    body: Annotated[str, Parameter("name of the body that is carried once more", accept=name_of)]
    parent: Annotated[
        str | None, Parameter("name of the body that carries the joint; the world unless given", accept=name_of)
    ] = None
    joint: Annotated[Joint, Parameter("what carries it there, but Free()", "Give a joint, such as Revolute(...).")]
    position: Annotated[ArrayLike, Parameter("[m], place of the joint in the parent's frame", accept=place_of)] = ORIGIN
    rotation: Annotated[
        ArrayLike, Parameter("[-], of the joint's frame in the parent's, a matrix of cosines", accept=turn_of)
    ] = UPRIGHT
    place: Annotated[ArrayLike, Parameter("[m], of the joint in the body's frame", accept=place_of)] = ORIGIN
    turn: Annotated[
        ArrayLike, Parameter("[-], of the joint's frame, when it has moved, in the body's", accept=turn_of)
    ] = UPRIGHT

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.joint, Free):
            checks.refuse(f"Loop {self.name!r}", "joint=Free() closes nothing.", "Give a joint that holds something.")
        if self.parent == self.body:
            problem = f"parent={checks.shown(self.parent)} is the body that it carries."
            checks.refuse(f"Loop {self.name!r}", problem, "Give another body, or leave it out for the world.")

    @cached_property
    def stub(self) -> Body | None:
        """What its joint carries; None if it is fixed."""
        if isinstance(self.joint, Fixed):
            return None
        return Body(
            name=self.name,
            mass=0.0,
            joint=self.joint,
            parent=self.parent,
            position=self.position,
            rotation=self.rotation,
        )


class Closing:
    """What `Tree` knows about its loops, and about joints that follow others."""

    if TYPE_CHECKING:  # given by Tree
        loops: Sequence[Loop]

        @property
        def arrays(self) -> TreeArrays:
            """The arrays."""

        @property
        def joint_names(self) -> tuple[str, ...]:
            """Names of joints."""

        def _at_zero(self) -> Array: ...
        def _inner_tracks(self, inner_q: Array) -> tuple[Array, Array]: ...
        def _bound(self, q: Array, v: Array) -> tuple[Array, Array, Array]: ...
        def _inward(self, q: ArrayLike) -> Array: ...

    @property
    def has_conditions(self) -> bool:
        """Whether loops, or joints that follow others, put conditions on its speeds."""
        return bool(self.arrays.welds or self.arrays.gears)

    def gaps(self, q: ArrayLike) -> Array:
        """How far each condition is from being met at q: of each loop three ways [m] and three turns [rad] in the
        world's axes, of each joint that follows another what it is off [rad, m].

        Example:
            >>> from tegotae.multibody import Body, Mimic, Prismatic, Tree
            >>> left = Body(name="left", mass=0.1, joint=Prismatic(axis=(0, 1, 0)))
            >>> right = Body(name="right", mass=0.1, joint=Prismatic(axis=(0, 1, 0), mimic=Mimic("left", ratio=-1.0)))
            >>> [round(float(x), 12) for x in Tree([left, right]).gaps([0.02, -0.01])]
            [0.01]
        """
        at = self.arrays
        q = self._one("q", q, at.nq)
        R, c = (x[0] for x in self._inner_tracks(at.inner(q[None], np.zeros((1, at.nv)))[0]))
        found = [np.zeros(0)]
        for weld in at.welds:
            (xs, Rs), (xb, Rb) = (
                (place, turn) if k < 0 else (c[k] + R[k] @ place, R[k] @ turn) for k, place, turn in weld.ends
            )
            found.append(np.concatenate([xs - xb, rotation_vectors((Rs @ Rb.T)[None])[0]]))
        for gear in at.gears:
            one, two = (q[at.qi[k]] for k in gear.rows)
            found.append(np.array([one - gear.ratio * two - gear.offset]))
        return np.concatenate(found)

    def _conditions(self, q: Array) -> Array:
        """How gaps move by the speeds, a row each."""
        _, rows, _ = self._bound(*self.arrays.inner(q, np.zeros(self.arrays.nv)))
        return np.asarray(rows @ self._inward(q))

    @cached_property
    def conditions(self) -> int:
        """How many conditions loops and joints that follow others put on the speeds, where nothing is singular.

        Looked at where loops are closed: elsewhere axes that are parallel, say, are not, and more conditions are felt.
        """
        return self.conditions_on(range(self.arrays.nv))

    def conditions_on(self, speeds: Sequence[int]) -> int:
        """The same on some of the speeds, while all others are 0."""
        return max((_rank(J[:, list(speeds)]) for J in self._felt), default=0)

    @cached_property
    def _felt(self) -> list[Array]:
        """How gaps move by the speeds, in some configurations in which loops are closed."""
        if not self.has_conditions:
            return []
        rng, every = np.random.default_rng(1), np.arange(self.arrays.nv)
        q = self._some_closed(rng)
        felt = [self._conditions(q)]
        for _ in range(TRIES - 1):
            near, gap = self._close_from(self._nudged(q, NUDGE, rng), every)
            if np.abs(gap).max() <= SHUT:
                felt.append(self._conditions(near))
                q = near
        return felt

    def _some_closed(self, rng: np.random.Generator) -> Array:
        """A configuration in which all loops are closed: from the neutral one, else from anywhere; as near as it gets
        where none is found.
        """
        q, at = self._at_zero(), self.arrays
        found, gap = self._close_from(q, np.arange(at.nv))
        for _ in range(FARAWAY):
            if np.abs(gap).max(initial=0.0) <= SHUT:
                break
            ahead, other = self._close(self._nudged(q, np.pi, rng), np.arange(at.nv))
            if np.abs(other).max() < np.abs(gap).max():
                found, gap = ahead, other
        return found

    def _nudged(self, q: Array, way: float, rng: np.random.Generator) -> Array:
        """q after a random motion of about that way [lengths of the machine, rad]."""
        return _moved(self.arrays, q, way * self.arrays.units * rng.normal(size=self.arrays.nv))

    @property
    def mobility(self) -> int:
        """How many motions are left: speeds less `conditions`."""
        return self.arrays.nv - self.conditions

    @overload
    def closed(
        self, q: ArrayLike | Mapping[str, float] | None = None, v: None = None, *, hold: Sequence[str] = ()
    ) -> Array: ...
    @overload
    def closed(
        self, q: ArrayLike | Mapping[str, float] | None, v: ArrayLike, *, hold: Sequence[str] = ()
    ) -> tuple[Array, Array]: ...
    def closed(
        self, q: ArrayLike | Mapping[str, float] | None = None, v: ArrayLike | None = None, *, hold: Sequence[str] = ()
    ) -> Array | tuple[Array, Array]:
        """The configuration near q in which all loops are closed, and with v the speeds near v that keep them so.

        Args:
            q: where to look from, numbers or joint -> angle or place [rad, m], all others at 0.
            v: speeds [rad/s, m/s].
            hold: joints that stay as they are in q and v.

        Example: see `Loop`.
        """
        start, at = self._given(q), self.arrays
        free = self._not_held(hold)
        found, gap = self._close_from(start, free)
        if not np.abs(gap).max(initial=0.0) <= SHUT:
            self._refuse_open(gap, hold)
        if v is None:
            return found
        speeds = self._one("v", v, at.nv).copy()
        J = self._conditions(found)
        rates = J @ speeds
        left = np.inf
        for some in (np.setdiff1d(free, at.free_speeds), free):
            changed = speeds.copy()
            changed[some] -= np.linalg.lstsq(J[:, some], rates, rcond=SAME)[0]
            left = float(np.abs(J @ changed).max(initial=0.0))
            if left <= SHUT * (1.0 + float(np.abs(changed).max(initial=0.0))):
                speeds = changed
                break
        else:
            problem = f"with {', '.join(hold)} moving so, the loops part at {left:.3g} m/s or rad/s."
            checks.refuse(OWNER, problem, f"Hold at most {self.mobility} joints, or start near another configuration.")
        return found, speeds

    def _given(self, q: ArrayLike | Mapping[str, float] | None) -> Array:
        at = self.arrays
        if q is None:
            return self._at_zero()
        if not isinstance(q, Mapping):
            return self._one("q", q, at.nq).copy()
        start, places = self._at_zero(), self._places()
        for name, value in q.items():
            if name not in places:
                known = ", ".join(list(places)[:12]) or "none: give q as numbers"
                problem = f"q has {checks.shown(name)}, and no joint with one coordinate is called so."
                checks.refuse(OWNER, problem, f"It has {known}.")
            start[places[name]] = checks.number(OWNER, f"q[{name!r}]", value, "rad", "Give an angle or a place.")
        return start

    def _one(self, name: str, value: ArrayLike, size: int) -> Array:
        """Numbers of one moment."""
        given = checks.finite_array(OWNER, name, value, "", last=size)
        if given.ndim > 1:
            checks.refuse(OWNER, f"{name} has shape {given.shape}.", f"Give {size} numbers: one configuration.")
        return given

    def _places(self) -> dict[str, int]:
        """Joint with one coordinate -> where that is in q."""
        at = self.arrays
        rows = at.joint_rows
        return {n: int(at.qi[k]) for n, k in zip(self.joint_names, rows, strict=True) if at.kind[k] < 2}

    def _not_held(self, hold: Sequence[str]) -> NDArray[np.int64]:
        names = checks.texts(OWNER, "hold", hold, "Give a list of names of joints.")
        for name in names:
            if name not in self.joint_names:
                known = ", ".join(self.joint_names[:12]) or "none"
                checks.refuse(OWNER, f"hold has {name!r}, and no joint is called so.", f"It has {known}.")
        at = self.arrays
        held = [int(at.vi[k]) for n, k in zip(self.joint_names, at.joint_rows, strict=True) if n in names]
        return np.setdiff1d(np.arange(at.nv), held)

    def _close_from(self, q: Array, free: NDArray[np.int64]) -> tuple[Array, Array]:
        """The same, and where it gets stuck (links that lie in one line have no way out), from places farther and
        farther away.
        """
        rng, at = np.random.default_rng(0), self.arrays
        found, gap = self._close(q, np.setdiff1d(free, at.free_speeds))  # what flies stays, if it can
        if np.abs(gap).max(initial=0.0) > SHUT:
            found, gap = self._close(q, free)
        for k in range(RESTARTS):
            if np.abs(gap).max(initial=0.0) <= SHUT:
                break
            nudge = np.zeros(at.nv)
            nudge[free] = NUDGE * (k + 1) * at.units[free] * rng.normal(size=len(free))
            ahead, other = self._close(_moved(at, q, nudge), free)
            if np.abs(other).max() < np.abs(gap).max():
                found, gap = ahead, other
        return found, gap

    def _close(self, q: Array, free: NDArray[np.int64]) -> tuple[Array, Array]:
        """Newton's method by least motions; where it ended, and the gaps that are left."""
        at = self.arrays
        gap = self.gaps(q)
        for _ in range(STEPS):
            if np.abs(gap).max(initial=0.0) <= CLOSED:
                break
            step = np.zeros(at.nv)
            step[free] = np.linalg.lstsq(self._conditions(q)[:, free], -gap, rcond=SAME)[0]
            longest = float(np.abs(step / at.units).max(initial=0.0))
            if longest > STRIDE:
                step *= STRIDE / longest
            ahead = _moved(at, q, step)
            new = self.gaps(ahead)
            if np.abs(gap).max() <= SHUT and np.abs(new).max() >= np.abs(gap).max():
                break
            q, gap = ahead, new
        return q, gap

    def _refuse_open(self, gap: Array, hold: Sequence[str]) -> None:
        worst, words = 0.0, ""
        for i, loop in enumerate(self.loops):
            way, turn = (float(np.linalg.norm(gap[j : j + 3])) for j in (6 * i, 6 * i + 3))
            if max(way, turn) > worst:
                worst, words = max(way, turn), f"loop {loop.name!r} stays open by {way:.3g} m and {turn:.3g} rad"
        if not words:
            words = f"joints that follow others stay {np.abs(gap).max():.3g} rad or m off"
        if len(hold):
            words += f" while {', '.join(hold)} stay{'s' * (len(hold) == 1)} as given"
        remedy = "Check lengths and axes; or start from a q nearer to where they meet, and hold fewer joints."
        checks.refuse(OWNER, f"{words}.", remedy)

    def check_closed(self, q: Array, v: Array, owner: str) -> None:
        """Refuse to start where loops are open, or part."""
        gap = self.gaps(q)
        far = float(np.abs(gap).max(initial=0.0))
        if far > 1e-6:
            i = int(np.argmax(np.abs(gap)))
            name = f"loop {self.loops[i // 6].name!r}" if i < 6 * len(self.loops) else "a joint that follows another"
            checks.refuse(owner, f"q leaves {name} open by {far:.3g} m or rad.", "Start from q=tree.closed(q).")
        rate = float(np.abs(self._conditions(q) @ v).max(initial=0.0))
        if rate > 1e-6 * (1.0 + float(np.abs(v).max(initial=0.0))):
            problem = f"v opens the loops at {rate:.3g} m/s or rad/s."
            checks.refuse(owner, problem, "Start with q, v = tree.closed(q, v, hold=...).")
        if self.mobility <= 0:
            problem = f"the loops leave no motion: {self.arrays.nv} speeds, {self.conditions} conditions."
            checks.refuse(owner, problem, "Free one more degree, or turn an axis: a plane loop needs parallel ones.")


def _moved(at: TreeArrays, q: Array, step: Array) -> Array:
    """q after a motion by these speeds for 1 s."""
    inner, speeds = at.inner(q, step)
    return np.asarray(at.outer(at.moved(inner, speeds, 1.0), speeds)[0])


def _rank(J: Array) -> int:
    """How many rows do not follow from others; each counts alike, however long it is."""
    sizes = np.linalg.norm(J, axis=1)
    found = J[sizes > SAME] / sizes[sizes > SAME, None]
    values = np.linalg.svd(found, compute_uv=False) if found.size else np.zeros(1)
    return int((values > SAME * values[0]).sum())


def check_loops(bodies: Sequence[Body], loops: Sequence[Loop]) -> None:
    """Refuse loops between bodies that are not there, or are one; and joints that follow none, or themselves."""
    known = {body.name: body for body in bodies}
    carrier: dict[str, str | None] = {}
    for body in bodies:  # parents come first
        rigid = isinstance(body.joint, Fixed)
        carrier[body.name] = (carrier[body.parent] if body.parent else None) if rigid else body.name
    degrees = {str(d.name): d for body in bodies for d in body.degrees}
    for loop in loops:
        owner = f"Loop {loop.name!r}"
        if loop.name in known:
            checks.refuse(owner, "a body or another loop is called so.", "Give it a name of its own.")
        for label, name in (("body", loop.body), ("parent", loop.parent)):
            if name is not None and name not in carrier:
                problem = f"{label}={checks.shown(name)}, and no body has that name."
                checks.refuse(owner, problem, f"Give one of {', '.join(map(repr, list(carrier)[:10]))}.")
        ends = carrier[loop.body], None if loop.parent is None else carrier[loop.parent]
        if ends[0] is None:
            checks.refuse(owner, f"body={loop.body!r} stands in the world.", "Exchange body and parent.")
        if ends[0] == ends[1]:
            problem = f"body={loop.body!r} and parent={checks.shown(loop.parent)} are one rigid body."
            checks.refuse(owner, problem, "Give two that can part.")
        if loop.stub is not None:
            known[loop.name] = loop.stub
            for degree in loop.stub.degrees:
                if str(degree.name) in degrees:
                    checks.refuse(owner, f"two joints are named {degree.name!r}.", "Give each a name of its own.")
                degrees[str(degree.name)] = degree
    for name, degree in degrees.items():
        if degree.mimic is None:
            continue
        above, seen = degree, [name]
        while above.mimic is not None:
            other = above.mimic.joint
            if other not in degrees or isinstance(degrees[other], Turn):
                single = [one for one, other in degrees.items() if one != name and not isinstance(other, Turn)]
                known_names = ", ".join(single[:12]) or "none beside itself"
                problem = f"mimic.joint={other!r}, and no joint of one degree is called so."
                checks.refuse(f"joint {seen[-1]!r}", problem, f"It has {known_names}.")
            if other in seen:
                problem = f"joints follow each other in a ring: {' after '.join([*seen, other])}."
                checks.refuse(f"joint {name!r}", problem, "Let one of them move on its own.")
            seen.append(other)
            above = degrees[other]
