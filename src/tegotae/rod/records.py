"""What a run of a rod records, and where it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.result import Result, Variable
from tegotae.rod.phases import Phase

if TYPE_CHECKING:
    from tegotae.rod.kernels.motion import Rod
    from tegotae.rod.planar import PlanarRod


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """Where a rod is and how it moves.

    Args:
        angle: of every node [rad].
        angle_rate: of every node [rad/s]; 0 unless given.
        base: place of the base, (x, y) [m].
        base_velocity: (x, y) [m/s].

    Example:
        >>> from tegotae.rod import Shape
        >>> Shape(angle=[0.0, 0.1, 0.2]).base
        (0.0, 0.0)
    """

    angle: ArrayLike
    angle_rate: ArrayLike = 0.0
    base: tuple[float, float] = (0.0, 0.0)
    base_velocity: tuple[float, float] = (0.0, 0.0)


class Record:
    """The numbers of one run, row by row."""

    def __init__(self, rod: PlanarRod, times: Array, phases: list[Phase]):
        self.rod, self.times, self.phases = rod, times, phases
        n, count = rod.nodes, times.size
        self.count = 0
        self.z = np.zeros((count, 2 * (n + 2) + 2))
        self.X, self.U = np.zeros((count, n, 2)), np.zeros((count, n, 2))
        self.kinetic, self.kappa = np.zeros(count), np.zeros((count, n - 1))

    def start(self, initial: Any) -> Array:
        """The state at time 0."""
        n = self.rod.nodes
        z = np.zeros(2 * (n + 2) + 2)
        if initial is None:
            return z
        if not isinstance(initial, Shape):
            checks.refuse("PlanarRod", f"initial={initial!r}.", "Give Shape(angle=..., ...).")
        parts = (
            ("base", initial.base, slice(0, 2), 2),
            ("angle", initial.angle, slice(2, n + 2), n),
            ("base_velocity", initial.base_velocity, slice(n + 2, n + 4), 2),
            ("angle_rate", initial.angle_rate, slice(n + 4, 2 * n + 4), n),
        )
        for name, given, where, size in parts:
            values = checks.array("PlanarRod", f"initial.{name}", given, "")
            if values.shape not in ((), (size,)):
                checks.refuse("PlanarRod", f"initial.{name} has shape {values.shape}.", f"Give {size} numbers.")
            checks.finite("PlanarRod", f"initial.{name}", np.atleast_1d(values), "")
            z[where] = values
        return z

    def hold(self, z: Array, phase: Phase, t: float) -> None:
        """The base takes the velocity of what holds it from now on; a sudden hold costs the energy of an impact."""
        n = self.rod.nodes
        if phase.motion is not None:
            spline = phase.spline()
            place, speed = spline(t), spline(t, 1)
            z[: place.size], z[n + 2 : n + 2 + speed.size] = place, speed
            return
        held = {"free": 0, "pinned": 2, "fixed": 3}[phase.base]
        moving = z[n + 2 : n + 2 + held]
        if np.abs(moving).max(initial=0.0) > 1e-9:
            checks.refuse(
                "PlanarRod",
                f"at t={t:g} s the base moves ({moving}) and is to be held.",
                "Hold it while it is at rest, or move it along `motion`.",
            )
        moving[:] = 0.0

    def stops(self, t: float, until: float, knots: Array) -> Iterator[float]:
        """Times to stop at: those to be recorded, where the drive has a kink, and the end of the phase."""
        if self.count == 0 and self.times[0] == 0.0 and t == 0.0:
            yield 0.0
        wanted = np.union1d(self.times, knots)
        for stop in wanted[(wanted > t) & (wanted < until)]:
            yield float(stop)
        yield until

    def keep(self, rod: Rod, t: float, z: Array, module: ModuleType) -> None:
        """Record the state, if its time is one of those wanted."""
        if self.count >= self.times.size or self.times[self.count] != t:
            return
        i = self.count
        self.z[i] = z
        self.kinetic[i] = module.observe(rod, t, z, self.X[i], self.U[i])
        self.kappa[i] = rod.kappa
        self.count += 1

    def result(self, about: dict[str, Any]) -> Result:
        """All that was recorded."""
        rod, n, c = self.rod, self.rod.nodes, self.count
        own, z, X, U = rod._segments, self.z[:c], self.X[:c], self.U[:c]
        angle, rate = z[:, 2 : n + 2], z[:, n + 4 : 2 * n + 4]
        mass, inertia = (rod.payload.mass, rod.payload.inertia) if rod.payload else (0.0, 0.0)
        bent = np.diff(angle, axis=1) - own["hs"] * self.kappa[:c]
        moment = (own["K"] * bent + own["C"] * np.diff(rate, axis=1)) / own["hs"]
        along = Along(rod, angle, rate, X, U)
        gravity = np.asarray(rod.gravity)
        kinetic = self.kinetic[:c] + 0.5 * mass * (U[:, -1] ** 2).sum(axis=1) + 0.5 * inertia * rate[:, -1] ** 2
        payload_spin = mass * (X[:, -1, 0] * U[:, -1, 1] - X[:, -1, 1] * U[:, -1, 0]) + inertia * rate[:, -1]
        node, plane = ("time", "node"), ("time", "node", "axis")
        variables = {
            "time": Variable(("time",), self.times[:c].copy(), "s", "time"),
            "angle": Variable(node, angle.copy(), "rad", "of the tangent, never wrapped"),
            "angle_rate": Variable(node, rate.copy(), "rad/s", "of the tangent"),
            "position": Variable(plane, X.copy(), "m", "of the nodes"),
            "velocity": Variable(plane, U.copy(), "m/s", "of the nodes"),
            "bending_moment": Variable(("time", "segment"), moment, "N·m", "elastic and viscous"),
            "kinetic": Variable(("time",), kinetic, "J", "kinetic energy"),
            "elastic": Variable(("time",), 0.5 * (own["K"] * bent**2 / own["hs"]).sum(axis=1), "J", "of bending"),
            "potential": Variable(
                ("time",), -(along.first_moment + mass * X[:, -1]) @ gravity, "J", "in the field of gravity"
            ),
            "dissipated": Variable(("time",), z[:, 2 * n + 4].copy(), "J", "by viscosity, since the start"),
            "work": Variable(("time",), z[:, 2 * n + 5].copy(), "J", "of loads, actuation and base, since the start"),
            "momentum": Variable(("time", "axis"), along.momentum + mass * U[:, -1], "N·s", "linear momentum"),
            "angular_momentum": Variable(("time",), along.spin + payload_spin, "N·m·s", "about the origin"),
            "closure": Variable(("time",), along.closure, "m", "largest error of a segment's end, by quadrature"),
        }
        ends, bases = [phase.until for phase in self.phases], [phase.base for phase in self.phases]
        told = {"phase_ends": ends, "phase_bases": " ".join(bases)}
        return Result(variables, title="PlanarRod", about=about | told)


class Along:
    """Integrals along the rod by quadrature: another way than the closed forms that moved it."""

    def __init__(self, rod: PlanarRod, angle: Array, rate: Array, X: Array, U: Array):
        count = angle.shape[0]
        self.momentum, self.first_moment = np.zeros((count, 2)), np.zeros((count, 2))
        self.spin, self.closure = np.zeros(count), np.zeros(count)
        bend = float(np.abs(np.diff(angle, axis=1)).max(initial=0.0))
        rule = _rule(10 if bend <= 0.5 else 24 if bend <= 8.0 else 40)  # each exact to rounding up to there
        rows = max(1, 20_000 // (rule.places.size * (rod.nodes - 1)))  # at a time: they stay in the cache
        for i in range(0, count, rows):
            part = slice(i, i + rows)
            self._take(part, rod, angle[part], rate[part], X[part], U[part], rule)

    def _take(self, part: slice, rod: PlanarRod, angle: Array, rate: Array, X: Array, U: Array, rule: Rule) -> None:
        hs, rho = rod._segments["hs"], rod._segments["rho"]
        w, up_to = rule.places, rule.up_to
        theta = angle[:, :-1, None] + np.diff(angle, axis=1)[..., None] * w
        omega = rate[:, :-1, None] + np.diff(rate, axis=1)[..., None] * w
        cos, sin = np.cos(theta), np.sin(theta)
        length = hs[:, None]
        x, y = X[:, :-1, 0, None] + length * (cos @ up_to), X[:, :-1, 1, None] + length * (sin @ up_to)
        u = U[:, :-1, 0, None] - length * ((omega * sin) @ up_to)
        v = U[:, :-1, 1, None] + length * ((omega * cos) @ up_to)
        mass = rho[:, None] * length * rule.weights
        for of_all, one, other in ((self.momentum, u, v), (self.first_moment, x, y)):
            of_all[part, 0], of_all[part, 1] = (np.einsum("tkq,kq->t", values, mass) for values in (one, other))
        self.spin[part] = np.einsum("tkq,kq->t", x * v - y * u, mass)
        ends = np.diff(X, axis=1)
        off = np.hypot(ends[..., 0] - hs * (cos @ rule.weights), ends[..., 1] - hs * (sin @ rule.weights))
        self.closure[part] = off.max(axis=1, initial=0.0)


@dataclass(frozen=True)
class Rule:
    """Gauss points on (0, 1), their weights, and the matrix whose columns integrate from 0 up to each point."""

    places: Array
    weights: Array
    up_to: Array


@cache
def _rule(points: int) -> Rule:
    """The matrix is exact for all polynomials through the points, by int P_k = (P_(k+1) - P_(k-1))/(2k + 1)."""
    places, weights = np.polynomial.legendre.leggauss(points)
    values = np.polynomial.legendre.legvander(places, points)
    order = np.arange(points)
    integrals = values[:, 1:] - np.column_stack([np.full(points, -1.0), values[:, : points - 1]])
    integrals[:, 0] = places + 1.0
    integrals[:, 1:] /= 2.0 * order[1:] + 1.0
    share = values[:, :points] * weights[:, None] * (order + 0.5)  # coefficients of a function from its values
    return Rule(0.5 * (places + 1.0), 0.5 * weights, 0.5 * (share @ integrals.T))
