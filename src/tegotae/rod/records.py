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

# Of the rod's length, and of that a second: what integration may leave of a motion, and of rest.
_NEAR, AT_REST = 1e-4, 1e-6
_LATE = 1e-9  # s

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

    def __post_init__(self) -> None:
        checks.finite_array("Shape", "angle", self.angle, "rad")
        checks.finite_array("Shape", "angle_rate", self.angle_rate, "rad/s")
        checks.vector("Shape", "base", self.base, "m", 2)
        checks.vector("Shape", "base_velocity", self.base_velocity, "m/s", 2)


class RodRecorder:
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
            checks.refuse("PlanarRod", f"initial={checks.shown(initial)}.", "Give Shape(angle=..., ...).")
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
        """The base is held from now on, or moved along. It must be there and move so already: nothing is hit here."""
        n = self.rod.nodes
        held = {"free": 0, "pinned": 2, "fixed": 3}[phase.base]
        place, speed = z[:held].copy(), np.zeros(held)
        if phase.motion is not None:
            spline = phase.spline()
            if spline.x[0] > t + _LATE or spline.x[-1] < phase.until - _LATE:
                told = f"from {spline.x[0]:g} to {spline.x[-1]:g} s, its phase lasts from {t:g} to {phase.until:g} s"
                checks.refuse("PlanarRod", f"motion is given {told}.", "Give it over the whole phase.")
            place[: spline.c.shape[2]], speed[: spline.c.shape[2]] = spline(t), spline(t, 1)
        if t > 0.0 or phase.motion is None:
            self._meet(z, place, speed, t, AT_REST if phase.motion is None else _NEAR)
        z[:held], z[n + 2 : n + 2 + held] = place, speed

    def _meet(self, z: Array, place: Array, speed: Array, t: float, near: float) -> None:
        """Refuse to hold a base that is elsewhere or moves otherwise: that would be an impact."""
        n, held = self.rod.nodes, place.size
        moving = z[n + 2 : n + 2 + held]
        if (np.abs(z[:held] - place) > near * self.rod.length).any():
            told = f"at t={t:g} s the base is at {z[:held]} and `motion` at {place} [m, rad]"
            checks.refuse("PlanarRod", f"{told}.", "Let `motion` begin where the base is.")
        if (np.abs(moving - speed) > near * (np.abs(speed) + self.rod.length)).any():
            checks.refuse(
                "PlanarRod",
                f"at t={t:g} s the base moves ({moving}) and is to be held (moving {speed}).",
                "Hold it while it is at rest, or move it along a `motion` that begins as it moves.",
            )

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
        own, z, X, U = rod.segments, self.z[:c], self.X[:c], self.U[:c]
        angle, rate = z[:, 2 : n + 2], z[:, n + 4 : 2 * n + 4]
        mass, inertia = (rod.payload.mass, rod.payload.inertia) if rod.payload else (0.0, 0.0)
        bent = np.diff(angle, axis=1) - own.length * self.kappa[:c]
        moment = (own.elasticity * bent + own.viscosity * np.diff(rate, axis=1)) / own.length
        elastic = 0.5 * (own.elasticity * bent**2 / own.length).sum(axis=1)
        along = Along(rod, angle, rate, X, U)
        gravity = np.asarray(rod.gravity)
        kinetic = self.kinetic[:c] + 0.5 * mass * (U[:, -1] ** 2).sum(axis=1) + 0.5 * inertia * rate[:, -1] ** 2
        payload_spin = mass * (X[:, -1, 0] * U[:, -1, 1] - X[:, -1, 1] * U[:, -1, 0]) + inertia * rate[:, -1]
        node, plane = ("time", "node"), ("time", "node", "axis")
        variables = {
            "time": Variable(("time",), self.times[:c].copy(), "s", "time"),
            "angle": Variable(node, angle.copy(), "rad", "of the tangent, never wrapped"),
            "angle_rate": Variable(node, rate.copy(), "rad/s", "of the tangent"),
            "position": Variable(plane, X, "m", "of the nodes"),
            "velocity": Variable(plane, U, "m/s", "of the nodes"),
            "bending_moment": Variable(("time", "segment"), moment, "N·m", "elastic and viscous"),
            "kinetic": Variable(("time",), kinetic, "J", "kinetic energy"),
            "elastic": Variable(("time",), elastic, "J", "of bending"),
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
        told = {"phase_ends": ends, "phase_bases": " ".join(bases), "figure": "rod"}
        return Result(variables, title="PlanarRod", about=about | told)


class Along:
    """Integrals along the rod by quadrature: another way than the closed forms that moved it."""

    def __init__(self, rod: PlanarRod, angle: Array, rate: Array, X: Array, U: Array):
        count = angle.shape[0]
        self.momentum, self.first_moment = np.zeros((count, 2)), np.zeros((count, 2))
        self.spin, self.closure = np.zeros(count), np.zeros(count)
        bend = float(np.abs(np.diff(angle, axis=1)).max(initial=0.0))
        # Each is exact to rounding up to there.
        rule = _rule(5 if bend <= 0.3 else 10 if bend <= 3.0 else 24 if bend <= 8.0 else 40)
        rows = max(1, 20_000 // (rule.places.size * (rod.nodes - 1)))  # at a time: they stay in the cache
        for i in range(0, count, rows):
            part = slice(i, i + rows)
            self._take(part, rod, angle[part], rate[part], X[part], U[part], rule)

    def _take(self, part: slice, rod: PlanarRod, angle: Array, rate: Array, X: Array, U: Array, rule: Rule) -> None:
        h, mass = rod.segments.length, rod.segments.density * rod.segments.length
        shape, many = (angle.shape[0], h.size), angle.shape[0] * h.size
        theta = (angle[:, :-1, None] + np.diff(angle, axis=1)[..., None] * rule.places).reshape(many, -1)
        cos, sin = np.cos(theta), np.sin(theta)
        # Of exp(i theta) from the start: to the end, its integral, and that times the place; of its square likewise.
        sums = np.stack([rule.weights, rule.once, rule.once * rule.places], axis=1)
        (end_x, x, x1), (end_y, y, y1) = ((values @ sums).T.reshape(3, *shape) for values in (cos, sin))
        square = (cos @ rule.twice) * cos + (sin @ rule.twice) * sin
        q, q1 = (square @ np.stack([np.ones(theta.shape[1]), rule.places], axis=1)).T.reshape(2, *shape)
        first, more = rate[:, :-1], np.diff(rate, axis=1)  # rates are linear along a segment
        u, v = -h * (first * y + more * y1), h * (first * x + more * x1)
        X0, Y0, U0, V0 = X[:, :-1, 0], X[:, :-1, 1], U[:, :-1, 0], U[:, :-1, 1]
        self.momentum[part] = np.stack([(U0 + u) @ mass, (V0 + v) @ mass], axis=1)
        self.first_moment[part] = np.stack([(X0 + h * x) @ mass, (Y0 + h * y) @ mass], axis=1)
        own = h**2 * (first * q + more * q1)
        self.spin[part] = (X0 * (V0 + v) - Y0 * (U0 + u) + h * (x * V0 - y * U0) + own) @ mass
        off = (np.diff(X[..., 0], axis=1) - h * end_x) ** 2 + (np.diff(X[..., 1], axis=1) - h * end_y) ** 2
        self.closure[part] = np.sqrt(off.max(axis=1, initial=0.0))


@dataclass(frozen=True)
class Rule:
    """Gauss points on (0, 1), their weights; weights of the integral of an integral from 0, and of the product of two.

    With f, g at the points:  int int_0^w f = f . once,  int (int_0^w f) (int_0^w g) = f . twice g.
    """

    places: Array
    weights: Array
    once: Array
    twice: Array


@cache
def _rule(points: int) -> Rule:
    """Integrals from 0 up to each point are exact for all polynomials through the points, by
    int P_k = (P_(k+1) - P_(k-1))/(2k + 1)."""
    places, weights = np.polynomial.legendre.leggauss(points)
    values = np.polynomial.legendre.legvander(places, points)
    order = np.arange(points)
    integrals = values[:, 1:] - np.column_stack([np.full(points, -1.0), values[:, : points - 1]])
    integrals[:, 0] = places + 1.0
    integrals[:, 1:] /= 2.0 * order[1:] + 1.0
    share = values[:, :points] * weights[:, None] * (order + 0.5)  # coefficients of a function from its values
    up_to = 0.5 * (share @ integrals.T)
    return Rule(0.5 * (places + 1.0), 0.5 * weights, up_to @ (0.5 * weights), (up_to * (0.5 * weights)) @ up_to.T)
