"""What a run of a rod records, and where it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.rod.phases import BASES, Phase

# Of the rod's length, and of that a second: what integration may leave of a motion, and of rest.
_NEAR, AT_REST = 1e-4, 1e-6
_LATE = 1e-9  # s
INTEGRALS = ("potential", "momentum", "angular_momentum", "closure")  # variables that are integrals along the rod

if TYPE_CHECKING:
    from tegotae.rod.planar import PlanarRod


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape(Declared):
    """Where a rod is and how it moves."""

    angle: Annotated[ArrayLike, Parameter("[rad], of every node", accept=partial(checks.finite_array, unit="rad"))]
    angle_rate: Annotated[
        ArrayLike,
        Parameter("[rad/s], of every node; 0 unless given", accept=partial(checks.finite_array, unit="rad/s")),
    ] = 0.0
    base: Annotated[tuple[float, float], Parameter("[m], place of the base, (x, y)")] = (0.0, 0.0)
    base_velocity: Annotated[tuple[float, float], Parameter("[m/s], (x, y)")] = (0.0, 0.0)


class Segments(NamedTuple):
    """A rod, one number a segment: length [m], density [kg/m], bending stiffness [N·m²] and viscosity [N·m²·s], natural
    curvature [1/m].
    """

    length: Array
    density: Array
    elasticity: Array
    viscosity: Array
    rest_curvature: Array


class Kept(NamedTuple):
    """Moments of a run, one a row: z = (y, v, dissipated, work), places X and velocities U of the nodes, kinetic energy
    without a payload's, natural curvature.
    """

    z: Array
    X: Array
    U: Array
    kinetic: Array
    kappa: Array


def start_of(rod: PlanarRod, initial: Any) -> Array:
    """z at time 0."""
    n = rod.nodes
    z = np.zeros(2 * (n + 2) + 2)
    if initial is None:
        return z
    if not isinstance(initial, Shape):
        checks.refuse("PlanarRod", f"initial={checks.shown(initial)}.", "Give Shape(angle=..., ...).")
    z[:2], z[n + 2 : n + 4] = initial.base, initial.base_velocity
    for name, where in (("angle", slice(2, n + 2)), ("angle_rate", slice(n + 4, 2 * n + 4))):
        values = np.asarray(getattr(initial, name))
        if values.shape not in ((), (n,)):
            checks.refuse("PlanarRod", f"initial.{name} has shape {values.shape}.", f"Give {n} numbers.")
        z[where] = values
    return z


def hold(rod: PlanarRod, z: Array, phase: Phase, t: float) -> None:
    """The base is held from now on, or moved along. It must be there and move so already: nothing is hit here."""
    n, held = rod.nodes, sum(BASES[phase.base])
    place, speed = z[:held].copy(), np.zeros(held)
    if phase.motion is not None:
        spline = phase.spline()
        if spline.x[0] > t + _LATE or spline.x[-1] < phase.until - _LATE:
            times = f"from {spline.x[0]:g} to {spline.x[-1]:g} s, its phase lasts from {t:g} to {phase.until:g} s"
            checks.refuse("PlanarRod", f"motion is given {times}.", "Give it over the whole phase.")
        place[: spline.c.shape[2]], speed[: spline.c.shape[2]] = spline(t), spline(t, 1)
    moving = z[n + 2 : n + 2 + held]
    if t > 0.0 or phase.motion is None:  # to hold a base that is elsewhere or moves otherwise would be an impact
        near = AT_REST if phase.motion is None else _NEAR
        if (np.abs(z[:held] - place) > near * rod.length).any():
            problem = f"at t={t:g} s the base is at {z[:held]} and `motion` at {place} [m, rad]"
            checks.refuse("PlanarRod", f"{problem}.", "Let `motion` begin where the base is.")
        if (np.abs(moving - speed) > near * (np.abs(speed) + rod.length)).any():
            checks.refuse(
                "PlanarRod",
                f"at t={t:g} s the base moves ({moving}) and is to be held (moving {speed}).",
                "Hold it while it is at rest, or move it along a `motion` that begins as it moves.",
            )
    z[:held], moving[:] = place, speed


def motion_variables(
    segments: Segments, tip: tuple[Any, Any], times: Array, kept: Kept, lead: tuple[str, ...] = ()
) -> dict[str, Variable]:
    """What was recorded of a rod, and its energies; of many along the axes `lead`, as those of `segments` and `tip`."""
    n, moment, (mass, inertia) = kept.X.shape[-2], (*lead, "time"), tip
    node, plane = (*moment, "node"), (*moment, "node", "axis")
    angle, rate = kept.z[..., 2 : n + 2].copy(), kept.z[..., n + 4 : 2 * n + 4].copy()
    bent = np.diff(angle, axis=-1) - segments.length * kept.kappa
    elastic = 0.5 * (segments.elasticity * bent**2 / segments.length).sum(axis=-1)
    carried = 0.5 * mass * (kept.U[..., -1, :] ** 2).sum(axis=-1) + 0.5 * inertia * rate[..., -1] ** 2
    return {
        "time": Variable(("time",), times.copy(), "s", "time"),
        "angle": Variable(node, angle, "rad", "of the tangent, never wrapped"),
        "angle_rate": Variable(node, rate, "rad/s", "of the tangent"),
        "position": Variable(plane, kept.X, "m", "of the nodes"),
        "velocity": Variable(plane, kept.U, "m/s", "of the nodes"),
        "kinetic": Variable(moment, kept.kinetic + carried, "J", "kinetic energy"),
        "elastic": Variable(moment, elastic, "J", "of bending"),
        "dissipated": Variable(moment, kept.z[..., 2 * n + 4].copy(), "J", "by viscosity, since the start"),
        "work": Variable(moment, kept.z[..., 2 * n + 5].copy(), "J", "of loads, actuation and base, since the start"),
    }


def rod_result(
    rod: PlanarRod, phases: Sequence[Phase], times: Array, kept: Kept, about: dict[str, Any], integrals: bool = True
) -> Result:
    """All that a run tells of one rod; `integrals` along it, which take a while, are left out where nobody asks."""
    segments, (mass, inertia), X, U = rod.segments, rod.tip, kept.X, kept.U
    variables = motion_variables(segments, rod.tip, times, kept)
    angle, rate = variables["angle"].values, variables["angle_rate"].values
    bent = np.diff(angle, axis=1) - segments.length * kept.kappa
    moment = (segments.elasticity * bent + segments.viscosity * np.diff(rate, axis=1)) / segments.length
    variables["bending_moment"] = Variable(("time", "segment"), moment, "N·m", "elastic and viscous")
    if integrals:
        along = Along(rod, angle, rate, X, U)
        potential = -(along.first_moment + mass * X[:, -1]) @ np.asarray(rod.gravity)
        spin = mass * (X[:, -1, 0] * U[:, -1, 1] - X[:, -1, 1] * U[:, -1, 0]) + inertia * rate[:, -1]
        found: tuple[tuple[Array, str, str], ...] = (
            (potential, "J", "in the field of gravity"),
            (along.momentum + mass * U[:, -1], "N·s", "linear momentum"),
            (along.spin + spin, "N·m·s", "about the origin"),
            (along.closure, "m", "largest error of a segment's end, by quadrature"),
        )
        for name, (values, unit, meaning) in zip(INTEGRALS, found, strict=True):
            variables[name] = Variable(("time", "axis")[: values.ndim], values, unit, meaning)
    ends, bases = [phase.until for phase in phases], [phase.base for phase in phases]
    summary = {"phase_ends": ends, "phase_bases": " ".join(bases), "figure": "rod"}
    return Result(variables, title="PlanarRod", about=about | summary)


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
        (end_x, x, x1), (end_y, y, y1) = ((values @ rule.once).T.reshape(3, *shape) for values in (cos, sin))
        square = (cos @ rule.twice) * cos + (sin @ rule.twice) * sin
        q, q1 = (square @ rule.powers).T.reshape(2, *shape)
        first, more = rate[:, :-1], np.diff(rate, axis=1)  # rates are linear along a segment
        u, v = -h * (first * y + more * y1), h * (first * x + more * x1)
        X0, Y0, U0, V0 = X[:, :-1, 0], X[:, :-1, 1], U[:, :-1, 0], U[:, :-1, 1]
        self.momentum[part, 0], self.momentum[part, 1] = (U0 + u) @ mass, (V0 + v) @ mass
        self.first_moment[part, 0], self.first_moment[part, 1] = (X0 + h * x) @ mass, (Y0 + h * y) @ mass
        turning = h**2 * (first * q + more * q1)
        self.spin[part] = (X0 * (V0 + v) - Y0 * (U0 + u) + h * (x * V0 - y * U0) + turning) @ mass
        off = (np.diff(X[..., 0], axis=1) - h * end_x) ** 2 + (np.diff(X[..., 1], axis=1) - h * end_y) ** 2
        self.closure[part] = np.sqrt(off.max(axis=1, initial=0.0))


@dataclass(frozen=True)
class Rule:
    """Gauss points on (0, 1), and weights; with f, g at the points and w the place:

    f . once = int f, int int_0^w f, the same times the place;  int (int_0^w f) (int_0^w g) = f . twice g.
    """

    places: Array
    powers: Array  # 1 and the place
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
    places, weights = 0.5 * (places + 1.0), 0.5 * weights
    once = np.column_stack([weights, up_to @ weights, up_to @ weights * places])
    return Rule(places, np.column_stack([np.ones(points), places]), once, (up_to * weights) @ up_to.T)
