"""A bendable, inextensible rod in the plane, in mixed coordinates: exact integrals, O(n); the same in pure ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import TegotaeError
from tegotae.parameters import Declared, Parameter, as_given, parameter_of
from tegotae.result import Result
from tegotae.rod.adaptive import Adaptive
from tegotae.rod.kernels import adaptive as ex
from tegotae.rod.kernels import motion, pure, segment
from tegotae.rod.phases import BASES, Base, Load, Phase, checked_phases, checked_times, each_segment
from tegotae.rod.records import Segments, rod_result

_NOT_NEGATIVE = "It is never negative: give 0 for none."

_WHY = {
    ex.TOO_SMALL: "no step is short enough to meet the tolerance",
    ex.TOO_MANY: f"at this pace it would take more than {ex.MOST:,} steps",
}
_FINEST = 1e-13  # tolerance: below, no step is short enough for the rounding of its own numbers
_EXPLICIT_UP_TO = 8  # nodes: with more, bending is stiff enough for linearly implicit steps to pay
_EXPLICIT_DECAY = 300.0  # 1/s: quicker, and explicit steps are bound by stability even with few nodes


def _along(owner: str, name: str, value: Any) -> Any:
    """Numbers along the rod, as they were given; how many there may be depends on the nodes."""
    given = checks.array(owner, name, value, "", "Give a number, or one a segment.")
    return value if given.ndim else float(given)


@dataclass(frozen=True, kw_only=True)
class Payload(Declared):
    """A rigid body centred on the tip.

    Example:
        >>> from tegotae.rod import Payload
        >>> Payload(mass=0.2).inertia
        0.0
    """

    mass: Annotated[float, Parameter("[kg], >= 0")]
    inertia: Annotated[float, Parameter("[kg·m²], >= 0, about the tip")] = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanarRod(Declared):
    """A bendable, inextensible rod in the plane.  [hirai2020]

    The angle is linear along each segment, and every integral over a segment is taken in closed form. A rod may pass
    through itself: contact with itself is not modelled. `segments` has its numbers segment by segment.

    Example:
        >>> from tegotae.rod import Phase, PlanarRod
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> run = rod.run([Phase(until=1, torque=50, base="pinned")], times=[1.0], rtol=1e-9, atol=1e-9)
        >>> [round(float(angle), 5) for angle in run.angle[-1]]
        [11.96857, 10.47443, 3.37025, 4.62539, 5.5555]
    """

    length: Annotated[float, Parameter("L [m], > 0", such_as="1.0")]
    nodes: Annotated[int, Parameter(">= 2", "A rod has at least 2 nodes.")]
    density: Annotated[
        Any, Parameter("rho [kg/m], > 0, a number or one a segment", "Every part of a rod has mass.", accept=_along)
    ]
    elasticity: Annotated[
        Any, Parameter("R_ela [N·m²], >= 0, bending stiffness, a number or one a segment", _NOT_NEGATIVE, accept=_along)
    ]
    viscosity: Annotated[
        Any,
        Parameter("R_vis [N·m²·s], >= 0, bending viscosity, a number or one a segment", _NOT_NEGATIVE, accept=_along),
    ] = 0.0
    rest_curvature: Annotated[Any, Parameter("[1/m], natural curvature, a number or one a segment", accept=_along)] = (
        0.0
    )
    spacing: Annotated[
        Any, Parameter("[m], lengths of the segments, summing to the length; equal unless given", accept=as_given)
    ] = None
    gravity: Annotated[tuple[float, float], Parameter("[m/s²], (x, y)")] = (0.0, 0.0)
    payload: Annotated[Payload | None, Parameter("a rigid body on the tip")] = None
    segments: Segments = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        count = self.nodes - 1
        even = self.length / count if self.spacing is None else self.spacing
        lengths = each_segment("PlanarRod", "spacing", even, "m", count)
        if (lengths <= 0.0).any() or abs(lengths.sum() - self.length) > 1e-9 * self.length:
            remedy = f"Give positive lengths summing to {self.length:g}."
            checks.refuse("PlanarRod", f"spacing sums to {lengths.sum():g} m.", remedy)
        each = [lengths]
        for name in Segments._fields[1:]:
            parameter = parameter_of(PlanarRod, name)
            each.append(each_segment("PlanarRod", name, getattr(self, name), parameter.unit, count))
            parameter.inside("PlanarRod", name, float(each[-1].min()))
        object.__setattr__(self, "segments", Segments(*each))

    @property
    def tip(self) -> tuple[float, float]:
        """Mass [kg] and inertia [kg·m²] of the payload."""
        return (self.payload.mass, self.payload.inertia) if self.payload else (0.0, 0.0)

    # ------------------------------------------------------------ use

    def run(
        self,
        phases: Sequence[Phase],
        *,
        times: ArrayLike | None = None,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        method: Literal["auto", "implicit", "explicit"] = "auto",
        initial: Any = None,
    ) -> Result:
        """Integrate through the phases, adaptively; each step ends on a time to be recorded.

        Args:
            phases: one after the other, the first from time 0.
            times: when to record [s], increasing; 101 of them unless given.
            rtol: relative tolerance [-].
            atol: absolute tolerance [rad, m, rad/s, m/s].
            method: "implicit" (linearly implicit, for many nodes), "explicit", or by the number of nodes.
            initial: a `Shape` to start from; straight along +x at rest unless given.

        Returns:
            `angle` [rad] and `angle_rate` (time, node), `position` [m] and `velocity` (time, node, axis),
            `bending_moment` [N·m] (time, segment), `kinetic`, `elastic`, `potential`, `dissipated` and `work` [J],
            `momentum` [N·s] (time, axis), `angular_momentum` [N·m·s] about the origin, `closure` [m].
        """
        stretch = checked_phases(phases)
        moments = checked_times(times, stretch[-1].until)
        rtol = checks.positive("PlanarRod", "rtol", rtol, "", "Such as 1e-6.")
        atol = checks.positive("PlanarRod", "atol", atol, "", "Such as 1e-6.")
        if max(rtol, atol) < _FINEST:
            problem = f"rtol={rtol:g} and atol={atol:g} are finer than the rounding of numbers allows"
            checks.refuse("PlanarRod", f"{problem}.", f"Give at least {_FINEST:g} for one of them.")
        run = Adaptive([self], stretch, moments, [initial])
        run.run(rtol, atol, method, threads=1)
        kept, counts = run.of_rod(0), dict(zip(("accelerations", "steps", "rejected_steps"), run.tally[0], strict=True))
        about = {"rtol": rtol, "atol": atol, "method": method, **{name: int(count) for name, count in counts.items()}}
        result = rod_result(self, stretch, moments[: len(kept.z)], kept, about) if len(kept.z) else None
        if result is None or run.status[0] != ex.DONE:
            why = _WHY.get(int(run.status[0]), "the motion left the finite numbers")
            remedy = "Loosen rtol and atol, add viscosity or nodes, or weaken the load."
            problem = f"PlanarRod: it stopped at t={run.t[0]:.6g} s: {why}"
            raise RodError(f"{problem}.\n  {remedy} What was computed is in `.partial`.", result)
        return result

    def accelerations(
        self,
        angle: ArrayLike,
        angle_rate: ArrayLike,
        *,
        torque: float = 0.0,
        base: Base = "free",
        base_velocity: tuple[float, float] = (0.0, 0.0),
        loads: Sequence[Load] = (),
    ) -> Array:
        """Angular accelerations of the nodes [rad/s²] at an instant.

        Args:
            angle: of every node [rad].
            angle_rate: of every node [rad/s].
            torque: on the base [N·m].
            base: "free", "pinned" or "fixed".
            base_velocity: (x, y) [m/s]; it changes nothing, by Galileo.
            loads: forces and torques at points of the rod.
        """
        phase = Phase(until=1.0, torque=torque, base=base, loads=loads)
        now = Evaluation(self, angle, angle_rate, phase, "PlanarRod")
        now.v[:2] = checks.vector("PlanarRod", "base_velocity", base_velocity, "m/s", 2)
        return now.mixed()[2:]

    # ------------------------------------------------------------ compiled

    def method_of(self, method: str) -> int:
        """How the kernels call a method; "auto" is chosen by the nodes and by how fast bending decays."""
        checks.choice("PlanarRod", "method", method, ("auto", "implicit", "explicit"))
        segments = self.segments
        # 4 C/h on the least inertia that an angle has, about 0.06 rho h^3: how fast the quickest bend decays.
        decay = float((4.0 * segments.viscosity / (0.06 * segments.density * segments.length**4)).max())
        calm = self.nodes <= _EXPLICIT_UP_TO and decay <= _EXPLICIT_DECAY
        return ex.EXPLICIT if method == "explicit" or (method == "auto" and calm) else ex.IMPLICIT

    def compiled(self, phase: Phase) -> motion.Rod:
        """The rod in one phase, as the kernels read it, with arrays to work in."""
        return motion.Rod(**self.numbers(phase), **motion.rod_workspace(self.nodes))  # type: ignore[no-untyped-call]

    def numbers(self, phase: Phase) -> dict[str, Any]:
        """What a compiled rod is told of itself and its drive."""
        segments, n = self.segments, self.nodes
        when, bends = phase.bends(segments.rest_curvature)
        turns, swings = np.zeros((when.size, 3)), phase.swings()
        if swings is not None:  # both are linear in between, so a common grid loses nothing
            grid = np.union1d(when, swings[0])
            bends = np.stack([np.interp(grid, when, column) for column in bends.T], axis=1)
            turns = np.stack([np.interp(grid, swings[0], column) for column in swings[1].T], axis=1)
            when = grid
        loads = np.zeros((when.size, n, 3))
        loads[:, 0, 2] = phase.torque
        return {
            **dict(zip(motion.Rod._fields, segments[:4], strict=False)),
            "g": np.array(self.gravity, dtype=np.float64),
            "tip": np.array(self.tip),
            "when": when,
            "bends": bends,
            "loads": loads,
            "swings": turns,
            "held": np.array(BASES[phase.base]),
            "points": self.points(phase.loads),
        }

    def points(self, loads: Sequence[Load]) -> Array:
        """A row for each load: segment, share of its length, force x, y [N], torque [N·m]."""
        return np.array([[*self.spot(load.at), *load.force, load.torque] for load in loads]).reshape(-1, 5)

    def spot(self, at: float) -> tuple[int, float]:
        """Segment, and share of its length, of a point at this distance from the base [m]; see `Load.at`."""
        lengths = self.segments.length
        ends = np.concatenate([[0.0], np.cumsum(lengths)])
        along = at + self.length if at < 0.0 or (at == 0.0 and np.signbit(at)) else at
        if not 0.0 <= along <= self.length * (1.0 + 1e-12):
            checks.refuse("PlanarRod", f"a load at {at:g} m.", f"The rod is {self.length:g} m long.")
        k = min(int(np.searchsorted(ends, along, side="right")) - 1, self.nodes - 2)
        return k, min((along - ends[k]) / lengths[k], 1.0)


class Evaluation:
    """One instant of a rod, its accelerations by either set of coordinates, once or many times in a row."""

    def __init__(self, rod: PlanarRod, angle: ArrayLike, angle_rate: ArrayLike, phase: Phase, owner: str = "PureRod"):
        n = rod.nodes
        self.y, self.v = np.zeros(n + 2), np.zeros(n + 2)
        for name, given, into, unit in (("angle", angle, self.y, "rad"), ("angle_rate", angle_rate, self.v, "rad/s")):
            into[2:] = checks.vector(owner, name, given, unit, n)
        self.rod = rod.compiled(phase)

    @cached_property
    def workspace(self) -> tuple[Array, ...]:
        """Where pure coordinates work: of the square of the nodes, so mixed ones never ask for it."""
        n = self.rod.hs.size + 1
        return np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n + 2, n + 2)), np.zeros(n + 2)

    def mixed(self, times: int = 1, step: float = 0.0) -> Array:
        """(x'', y'', angles'') by mixed coordinates; a step > 0 takes bending at its end."""
        a = np.zeros(self.y.size)
        pure.mixed_times(self.rod, times, self.y, self.v, step, a)
        return a

    def pure(self, times: int = 1, step: float = 0.0) -> Array:
        """The same by pure coordinates."""
        a = np.zeros(self.y.size)
        pure.pure_times(self.rod, times, self.y, self.v, step, *self.workspace, a)
        return a


@dataclass(frozen=True, kw_only=True, eq=False)
class PureRod(Declared):
    """A rod whose only coordinates are its base and its angles: a full inertia matrix, O(n²) to fill, O(n³) to solve.

    It is for comparison: the motion is that of the `PlanarRod`, whose mixed coordinates cost O(n).

    Example:
        >>> import numpy as np
        >>> from tegotae.rod import PlanarRod, PureRod
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> full = PureRod(rod=rod).accelerations(np.zeros(5), np.zeros(5), torque=50.0, base="pinned")
        >>> full.round(5).tolist()
        [536.88242, -393.14815, 184.73196, -101.04772, 119.90105]
    """

    rod: Annotated[PlanarRod, Parameter("the rod to look at this way")]

    def accelerations(
        self,
        angle: ArrayLike,
        angle_rate: ArrayLike,
        *,
        torque: float = 0.0,
        base: Base = "free",
        loads: Sequence[Load] = (),
    ) -> Array:
        """Angular accelerations of the nodes [rad/s²] at an instant; arguments as for `PlanarRod.accelerations`."""
        trial = Evaluation(self.rod, angle, angle_rate, Phase(until=1.0, torque=torque, base=base, loads=loads))
        return trial.pure()[2:].copy()

    def inertia(self, angle: ArrayLike) -> Array:
        """The full inertia matrix over (x, y, angles), shape (nodes + 2, nodes + 2) [kg, kg·m, kg·m²].

        Args:
            angle: of every node [rad].
        """
        trial = Evaluation(self.rod, angle, np.zeros(self.rod.nodes), Phase(until=1.0))
        rod = trial.rod
        segment.all_integrals(trial.y, trial.v, rod.hs, rod.re, rod.im, rod.S)
        A, W, M, _ = trial.workspace
        pure.inertia(rod.S, rod.hs, rod.rho, rod.tip, A, W, M)
        return np.asarray(np.tril(M) + np.tril(M, -1).T)


class RodError(TegotaeError):
    """A run that could not go on; `partial` holds what was computed, or None if that is nothing.

    Args:
        message: when, why, and what to do.
        partial: the result up to there.

    Example:
        >>> from tegotae.rod import RodError
        >>> RodError("stopped", None).partial is None
        True
    """

    def __init__(self, message: str, partial: Result | None):
        super().__init__(checks.text("RodError", "message", message, "Say when, why, and what to do."))
        self.partial = partial
