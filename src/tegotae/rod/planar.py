"""A bendable, inextensible rod in the plane, in mixed coordinates: exact integrals, O(n), any number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.errors import TegotaeError
from tegotae.result import Result
from tegotae.rod.kernels import extrapolation as ex
from tegotae.rod.kernels import motion, segment
from tegotae.rod.phases import BASES, Base, Load, Phase, checked_phases, checked_times
from tegotae.rod.ports import Along, Place
from tegotae.rod.records import RodRecorder

if TYPE_CHECKING:
    from tegotae.rod.admittance import RodAdmittance

_SOURCE = """
@entry
def accelerate(rod, t, y, v, a):
    locate(rod, t)
    drive(rod, t)
    accelerations(rod, y, v, 0.0, a)


@entry
def march(rod, t, z, end, H, k, rtol, atol, method, room, least, tally):
    return advance(rod, t, z, end, H, k, rtol, atol, method, room, least, tally)


@entry
def observe(rod, t, z, X, U):
    n = X.shape[0] + 2
    locate(rod, t)
    drive(rod, t)
    all_integrals(z[:n], z[n : 2 * n], rod.hs, rod.re, rod.im, rod.S)
    places(z, rod.S, X)
    velocities(z[n : 2 * n], rod.S, U)
    return kinetic_energy(z[n : 2 * n], rod.S, U, rod.hs, rod.rho)
"""

Counts = NDArray[np.int64]

_LEAST_STEP = 1e-13  # of the time: below, rounding decides
_FINEST = 1e-13  # tolerance: below, no step is short enough for the rounding of its own numbers
_EXPLICIT_UP_TO = 8  # nodes: with more, bending is stiff enough for linearly implicit steps to pay
_EXPLICIT_DECAY = 300.0  # 1/s: quicker, and explicit steps are bound by stability even with few nodes


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A rigid body centred on the tip.

    Args:
        mass: [kg], >= 0.
        inertia: about the tip [kg·m²], >= 0.

    Example:
        >>> from tegotae.rod import Payload
        >>> Payload(mass=0.2).inertia
        0.0
    """

    mass: float
    inertia: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "mass", checks.at_least_zero("Payload", "mass", self.mass, "kg", "Give 0 for none."))
        set_(self, "inertia", checks.at_least_zero("Payload", "inertia", self.inertia, "kg·m²", "Give 0 for none."))


class Segments(NamedTuple):
    """A rod, one number a segment: length [m], density [kg/m], bending stiffness [N·m²] and viscosity [N·m²·s], natural
    curvature [1/m].
    """

    length: Array
    density: Array
    elasticity: Array
    viscosity: Array
    rest_curvature: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanarRod:
    """A bendable, inextensible rod in the plane.  [hirai2020]

    The angle is linear along each segment, and every integral over a segment is taken in closed form. A rod may pass
    through itself: contact with itself is not modelled.

    Args:
        length: L [m], > 0.
        nodes: n, at least 2.
        density: rho [kg/m], > 0, a number or one a segment.
        elasticity: bending stiffness R_ela [N·m²], >= 0, a number or one a segment.
        viscosity: bending viscosity R_vis [N·m²·s], >= 0, a number or one a segment.
        rest_curvature: natural curvature [1/m], a number or one a segment.
        spacing: lengths of the segments [m], summing to the length; equal unless given.
        gravity: (x, y) [m/s²].
        payload: a rigid body on the tip.

    `segments` has its numbers segment by segment.

    Example:
        >>> from tegotae.rod import Phase, PlanarRod
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> run = rod.run([Phase(until=1, torque=50, base="pinned")], times=[1.0], rtol=1e-9, atol=1e-9)
        >>> [round(float(angle), 5) for angle in run.angle[-1]]
        [11.96857, 10.47443, 3.37025, 4.62539, 5.5555]
    """

    length: float
    nodes: int
    density: Any
    elasticity: Any
    viscosity: Any = 0.0
    rest_curvature: Any = 0.0
    spacing: Any = None
    gravity: tuple[float, float] = (0.0, 0.0)
    payload: Payload | None = None
    segments: Segments = field(init=False, repr=False)

    def __post_init__(self) -> None:
        own, set_ = "PlanarRod", object.__setattr__
        set_(self, "length", checks.positive(own, "length", self.length, "m", "Such as 1.0."))
        set_(self, "nodes", checks.whole(own, "nodes", self.nodes, 2, "A rod has at least 2 nodes."))
        gravity = checks.array(own, "gravity", self.gravity, "m/s²")
        if gravity.shape != (2,) or not np.isfinite(gravity).all():
            checks.refuse(own, f"gravity={checks.shown(self.gravity)}.", "Give (x, y), such as (0.0, -9.81).")
        if self.payload is not None and not isinstance(self.payload, Payload):
            checks.refuse(own, f"payload={checks.shown(self.payload)}.", "Give Payload(mass=..., inertia=...).")
        lengths = self._each("spacing", self.length / (self.nodes - 1) if self.spacing is None else self.spacing, "m")
        if (lengths <= 0.0).any() or abs(lengths.sum() - self.length) > 1e-9 * self.length:
            checks.refuse(
                own, f"spacing sums to {lengths.sum():g} m.", f"Give positive lengths summing to {self.length:g}."
            )
        density = self._each("density", self.density, "kg/m")
        if (density <= 0.0).any():
            checks.refuse(
                own, f"density={checks.shown(self.density)} is not positive.", "Every part of a rod has mass."
            )
        stiffness, viscosity = (
            self._each("elasticity", self.elasticity, "N·m²"),
            self._each("viscosity", self.viscosity, "N·m²·s"),
        )
        for name, values in (("elasticity", stiffness), ("viscosity", viscosity)):
            if (values < 0.0).any():
                checks.refuse(own, f"{name}={getattr(self, name)!r} is negative.", "Give 0 for none.")
        curvature = self._each("rest_curvature", self.rest_curvature, "1/m")
        set_(self, "segments", Segments(lengths, density, stiffness, viscosity, curvature))

    def _each(self, name: str, value: Any, unit: str) -> Array:
        """One number a segment."""
        given = checks.array("PlanarRod", name, value, unit)
        wanted = self.nodes - 1
        if given.shape not in ((), (wanted,)):
            checks.refuse(
                "PlanarRod", f"{name} has shape {given.shape}.", f"Give a number, or {wanted}, one a segment."
            )
        checks.finite("PlanarRod", name, np.atleast_1d(given), unit)
        return np.broadcast_to(given, (wanted,)).copy()

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
        record = RodRecorder(self, checked_times(times, stretch[-1].until), stretch)
        rtol, atol = (
            checks.positive("PlanarRod", name, value, "", "Such as 1e-6.")
            for name, value in (("rtol", rtol), ("atol", atol))
        )
        if max(rtol, atol) < _FINEST:
            told = f"rtol={rtol:g} and atol={atol:g} are finer than the rounding of numbers allows"
            checks.refuse("PlanarRod", f"{told}.", f"Give at least {_FINEST:g} for one of them.")
        z = record.start(initial)
        room, tally = self._room(), np.zeros(3, dtype=np.int64)
        t, order = 0.0, 4
        for phase in stretch:
            rod = self.compiled(phase)
            record.hold(z, phase, t)
            step = 1e-3 * max(phase.until - t, 1e-9)
            for stop in record.stops(t, phase.until, rod.when):
                status = ex.UNDER_WAY
                while status == ex.UNDER_WAY:
                    before, taken = t, int(tally[1:].sum())
                    status, t, step, order = self._module.march(
                        rod, t, z, stop, step, order, rtol, atol, self._method(method), room, _LEAST_STEP, tally
                    )
                    left = (stretch[-1].until - t) / max(t - before, 1e-300) * (int(tally[1:].sum()) - taken)
                    if status == ex.UNDER_WAY and left > ex.MOST:  # at this pace it would never end
                        status = ex.TOO_MANY
                if status != ex.DONE or not np.isfinite(z).all():
                    self._stop(status, t, record, tally)
                t = stop
                record.keep(rod, t, z, self._module)
        return record.result(_about(tally, rtol, atol, method))

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
        y, v, a = (np.zeros(self.nodes + 2) for _ in range(3))
        for name, given, into, unit in (("angle", angle, y, "rad"), ("angle_rate", angle_rate, v, "rad/s")):
            into[2:] = checks.vector("PlanarRod", name, given, unit, self.nodes)
        v[:2] = checks.vector("PlanarRod", "base_velocity", base_velocity, "m/s", 2)
        rod = self.compiled(Phase(until=1.0, torque=torque, base=base, loads=loads))
        self._module.accelerate(rod, 0.0, y, v, a)
        return a[2:]

    def as_admittance(
        self,
        *,
        at: Place | Sequence[Place],
        base: Base = "free",
        along: Along | None = None,
    ) -> RodAdmittance:
        """The rod as a block of a `Circuit`: force and torque on its ports in, their motion out.

        Args:
            at: where it is pushed and moves: "base", "tip", the number of a node, or several of them.
            base: how the base is held: "free", "pinned" or "fixed".
            along: (x, y, turn) [-], the one direction in which it is pushed; force x, force y and torque unless given.

        Example:
            >>> from tegotae.rod import PlanarRod
            >>> rod = PlanarRod(length=1.0, nodes=5, density=0.1, elasticity=1.0)
            >>> rod.as_admittance(at="tip", base="fixed").dimension
            3
        """
        from tegotae.rod.admittance import RodAdmittance

        return RodAdmittance(rod=self, at=at, base=base, along=along)

    # ------------------------------------------------------------ compiled

    @property
    def _module(self) -> ModuleType:
        parts: tuple[tuple[Any, tuple[str, ...]], ...] = (
            (motion, ("locate", "drive", "accelerations")),
            (ex, ("advance",)),
        )
        parts += ((segment, ("all_integrals", "places", "velocities", "kinetic_energy")),)
        return build(_SOURCE, tuple((name, getattr(home, name)) for home, names in parts for name in names))

    def _method(self, method: str) -> int:
        checks.choice("PlanarRod", "method", method, ("auto", "implicit", "explicit"))
        own = self.segments
        # 4 C/h on the least inertia that an angle has, about 0.06 rho h^3: how fast the quickest bend decays.
        decay = float((4.0 * own.viscosity / (0.06 * own.density * own.length**4)).max())
        calm = self.nodes <= _EXPLICIT_UP_TO and decay <= _EXPLICIT_DECAY
        explicit = method == "explicit" or (method == "auto" and calm)
        return ex.EXPLICIT if explicit else ex.IMPLICIT

    def _room(self) -> tuple[Array, ...]:
        size = 2 * (self.nodes + 2) + 2
        return (np.zeros((2 * ex.COLUMNS, size)), np.zeros(self.nodes + 2), *(np.zeros(size) for _ in range(3)))

    def compiled(self, phase: Phase) -> motion.Rod:
        """The rod in one phase, as the kernels read it."""
        own, n = self.segments, self.nodes
        when, bends = phase.bends(own.rest_curvature)
        swings = phase.swings()
        if swings is not None:  # both are linear in between, so a common grid loses nothing
            grid = np.union1d(when, swings[0])
            bends = np.stack([np.interp(grid, when, column) for column in bends.T], axis=1)
            turns = np.stack([np.interp(grid, swings[0], column) for column in swings[1].T], axis=1)
            when = grid
        else:
            turns = np.zeros((when.size, 3))
        loads = np.zeros((when.size, n, 3))
        loads[:, 0, 2] = phase.torque
        tip = [self.payload.mass, self.payload.inertia] if self.payload else [0.0, 0.0]
        return motion.Rod(
            hs=own.length,
            rho=own.density,
            K=own.elasticity,
            C=own.viscosity,
            g=np.array(self.gravity, dtype=np.float64),
            tip=np.array(tip),
            when=when,
            bends=bends,
            loads=loads,
            swings=turns,
            held=np.array(BASES[phase.base]),
            points=self.points(phase.loads),
            **motion.rod_room(n),  # type: ignore[no-untyped-call]
        )

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

    def _stop(self, status: int, t: float, record: RodRecorder, tally: Counts) -> None:
        why = {
            ex.TOO_SMALL: "no step is short enough to meet the tolerance",
            ex.TOO_MANY: f"at this pace it would take more than {ex.MOST:,} steps",
        }.get(status, "the motion left the finite numbers")
        raise RodError(
            f"PlanarRod: it stopped at t={t:.6g} s: {why}.\n"
            "  Loosen rtol and atol, add viscosity or nodes, or weaken the load. What was computed is in `.partial`.",
            record.result(_about(tally, 0.0, 0.0, "stopped")) if record.count else None,
        )


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


def _about(tally: Counts, rtol: float, atol: float, method: str) -> dict[str, Any]:
    counts = {"accelerations": int(tally[0]), "steps": int(tally[1]), "rejected_steps": int(tally[2])}
    return {"rtol": rtol, "atol": atol, "method": method, **counts}
