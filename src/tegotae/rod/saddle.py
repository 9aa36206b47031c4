"""The paper's own equations of motion, dense, as the reference: places, angles and multipliers in one system.

    [  J    -A  -A_e ] [ q''  ]   [ b + f ]
    [ -A^T   0    0  ] [ lam  ] = [   c   ]        q = (x_1, y_1, th_1, ..., x_n, y_n, th_n)  [hirai2020 (28)]
    [ -A_e^T 0    0  ] [ lam_e]   [  c_e  ]

c and c_e stabilise the constraints, X'' + 2 al X' + al^2 X = 0. J alone is singular, for the last place carries no
mass: the whole system is solved. O(n^3) and slow on purpose; to move a rod take `PlanarRod`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.rod.integrals import Complex, Integrals, by_quadrature, closed_form, up_to
from tegotae.rod.phases import BASES, Base, Load, Phase
from tegotae.rod.planar import PlanarRod, RodError


@dataclass(frozen=True, kw_only=True, eq=False)
class SaddleRod(Declared):
    """A rod by the paper's saddle-point equations, constraints stabilised.  [hirai2020 (28)]

    Example:
        >>> from tegotae.rod import PlanarRod
        >>> from tegotae.rod.saddle import SaddleRod
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> turn = SaddleRod(rod=rod, points=24).accelerations([0.0] * 5, [0.0] * 5, torque=50.0, base="pinned")
        >>> [round(float(a), 5) for a in turn]
        [536.88242, -393.14815, 184.73196, -101.04772, 119.90105]
    """

    rod: Annotated[PlanarRod, Parameter("whose numbers to take")]
    stabilisation: Annotated[
        float, Parameter("al [1/s], >= 0, how fast an error of the constraints decays", "The paper's kind is 10.")
    ] = 10.0
    points: Annotated[
        int | None, Parameter(">= 1, of the Gauss rule for every integral; the closed forms unless given", such_as="40")
    ] = None

    # ------------------------------------------------------------ the system

    def integrals(self, angle: Array, rate: Array) -> Integrals:
        """Of every segment, by quadrature if `points` is given."""
        lengths = self.rod.segments.length
        if self.points is None:
            return closed_form(angle, rate, lengths)
        return by_quadrature(angle, rate, lengths, self.points)

    def inertia(self, angle: ArrayLike) -> Array:
        """J, block-tridiagonal, (3 nodes, 3 nodes).  [hirai2020 (14), (16)]"""
        given = checks.vector("SaddleRod", "angle", angle, "rad", self.rod.nodes)
        return self._inertia(self.integrals(given, np.zeros_like(given)))

    def _inertia(self, parts: Integrals) -> Array:
        n, segments = self.rod.nodes, self.rod.segments
        J = np.zeros((3 * n, 3 * n))
        for k in range(n - 1):
            x, y, turns = 3 * k, 3 * k + 1, [3 * k + 2, 3 * k + 5]
            mass = segments.density[k]
            J[x, x] += mass * segments.length[k]
            J[y, y] += mass * segments.length[k]
            for i, th in enumerate(turns):
                J[x, th] -= mass * parts.Gbar[k, i].imag
                J[y, th] += mass * parts.Gbar[k, i].real
                J[th, x], J[th, y] = J[x, th], J[y, th]
            J[np.ix_(turns, turns)] += mass * parts.Q[k]
        mass, inertia = self.rod.tip
        J[[-3, -2, -1], [-3, -2, -1]] += mass, mass, inertia
        return J

    def _forces(self, parts: Integrals, angle: Array, rate: Array, phase: Phase, t: float) -> Array:
        """b + f_p + f_e: turning, gravity, bending, torque at the base, loads."""
        n, segments = self.rod.nodes, self.rod.segments
        rho, hs = segments.density, segments.length
        g = complex(*self.rod.gravity)
        b = np.zeros((n, 3))
        push = rho * (parts.Ebar + hs * g)
        b[:-1, 0], b[:-1, 1] = push.real, push.imag
        both = rho[:, None] * (parts.turn + (np.conj(1j * parts.Gbar) * g).real)
        when, bends = phase.bends(segments.rest_curvature)
        kappa = np.array([np.interp(t, when, column) for column in bends.T])
        moment = (segments.elasticity * (np.diff(angle) - hs * kappa) + segments.viscosity * np.diff(rate)) / hs
        b[:-1, 2] += both[:, 0] + moment
        b[1:, 2] += both[:, 1] - moment
        b[0, 2] += phase.torque
        b[-1, :2] += self.rod.tip[0] * np.array(self.rod.gravity)
        for segment, q, fx, fy, torque in self.rod.points(phase.loads):
            k = int(segment)
            b[k, :2] += fx, fy
            # The arm of node i is int N_i exp(i theta) up to the part q of the segment.
            arms = up_to(np.array([q]), angle[k : k + 2], hs[k : k + 1], self.points or 40)[0][0, 0]
            for i, shape in enumerate((1.0 - q, q)):
                b[k + i, 2] += (np.conj(1j * arms[i]) * complex(fx, fy)).real + shape * torque
        return b.ravel()

    def _constraints(
        self, parts: Integrals, q: Array, rate: Array, held: Sequence[bool], anchor: Array
    ) -> tuple[Array, Array]:
        """Gradients (3 n, constraints) and c: X_k and Y_k of every segment, then what holds the base."""
        n, al = self.rod.nodes, self.stabilisation
        A = np.zeros((3 * n, 2 * (n - 1)))
        for k in range(n - 1):
            for row, part in ((2 * k, 0), (2 * k + 1, 1)):
                A[3 * k + part, row], A[3 * k + 3 + part, row] = -1.0, 1.0
            for i in (0, 1):
                A[3 * (k + i) + 2, 2 * k] = parts.G[k, i].imag
                A[3 * (k + i) + 2, 2 * k + 1] = -parts.G[k, i].real
        off = gaps(q, parts.chord)
        kinks = np.stack([parts.E.real, parts.E.imag], axis=1).ravel()
        c = kinks + 2.0 * al * (A.T @ rate) + al**2 * off
        rows = np.flatnonzero(held)
        Ae = np.zeros((3 * n, rows.size))
        Ae[rows, np.arange(rows.size)] = 1.0
        ce = 2.0 * al * rate[rows] + al**2 * (q[rows] - anchor[rows])
        return np.hstack([A, Ae]), np.concatenate([c, ce])

    def solve(self, q: Array, rate: Array, phase: Phase, t: float = 0.0, anchor: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """q'' and the multipliers.

        Args:
            q: x, y [m] and angle [rad] of node after node.
            rate: of q.
            phase: base, torque, loads, curvature; a base that is moved is refused.
            t: time [s].
            anchor: x, y [m] and angle [rad] at which the base is held.
        """
        if phase.motion is not None:
            checks.refuse("SaddleRod", "motion is given.", "The reference holds its base at rest; take PlanarRod.")
        angle, turn = q[2::3], rate[2::3]
        parts = self.integrals(angle, turn)
        A, c = self._constraints(parts, q, rate, BASES[phase.base], np.asarray(anchor, dtype=np.float64))
        size, rows = A.shape
        whole = np.zeros((size + rows, size + rows))
        whole[:size, :size] = self._inertia(parts)
        whole[:size, size:], whole[size:, :size] = -A, -A.T
        return np.linalg.solve(whole, np.concatenate([self._forces(parts, angle, turn, phase, t), c]))

    # ------------------------------------------------------------ use

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
        """Angular accelerations of the nodes [rad/s²] at an instant; arguments as for `PlanarRod.accelerations`."""
        th = checks.vector("SaddleRod", "angle", angle, "rad", self.rod.nodes)
        turn = checks.vector("SaddleRod", "angle_rate", angle_rate, "rad/s", self.rod.nodes)
        phase = Phase(until=1.0, torque=torque, base=base, loads=loads)
        held = BASES[base]
        # What is held rests: a rate it does not have would be read as an error to be stabilised away.
        base_velocity = tuple(checks.vector("SaddleRod", "base_velocity", base_velocity, "m/s", 2).tolist())
        if (held[0] and any(base_velocity)) or (held[2] and turn[0] != 0.0):
            problem = f"a {base} base that moves by base_velocity={base_velocity}."
            checks.refuse("SaddleRod", problem, "Give it the rate 0.")
        q, rate = self.state(th, turn, (0.0, 0.0), base_velocity)
        return self.solve(q, rate, phase, anchor=q[:3])[2 : 3 * self.rod.nodes : 3]

    def state(
        self, angle: Array, rate: Array, base: tuple[float, float], velocity: tuple[float, float]
    ) -> tuple[Array, Array]:
        """q and q' that keep every constraint."""
        parts = self.integrals(angle, rate)
        steps = 1j * (parts.G[:, 0] * rate[:-1] + parts.G[:, 1] * rate[1:])
        places = np.concatenate([[complex(*base)], complex(*base) + np.cumsum(parts.chord)])
        speeds = np.concatenate([[complex(*velocity)], complex(*velocity) + np.cumsum(steps)])
        q = np.stack([places.real, places.imag, angle], axis=1).ravel()
        return q, np.stack([speeds.real, speeds.imag, rate], axis=1).ravel()

    def run(
        self, phases: Sequence[Phase], *, times: ArrayLike, rtol: float = 1e-6, atol: float = 1e-6, method: str = "RK45"
    ) -> Result:
        """Integrate from straight along +x at rest, with scipy's `solve_ivp`; slow.

        Args:
            phases: one after the other, the first from time 0.
            times: when to record [s], increasing.
            rtol: relative tolerance [-].
            atol: absolute tolerance [rad, m, rad/s, m/s].
            method: of `solve_ivp`.

        Returns:
            `angle` [rad] and `angle_rate` (time, node), `position` [m] (time, node, axis), `drift` [m].
        """
        from scipy.integrate import solve_ivp

        wanted = checks.values("SaddleRod", "times", times, "s", "Give increasing times.", 0.0)
        size, n = 3 * self.rod.nodes, self.rod.nodes
        z = np.concatenate(self.state(np.zeros(n), np.zeros(n), (0.0, 0.0), (0.0, 0.0)))
        t, rows = 0.0, [np.tile(z, (int((wanted == 0.0).sum()), 1))]
        for phase in phases:
            anchor = z[:3].copy()

            def rate(now: float, z: Array, phase: Phase = phase, anchor: Array = anchor) -> Array:
                return np.concatenate([z[size:], self.solve(z[:size], z[size:], phase, now, anchor)[:size]])

            inside = wanted[(wanted > t) & (wanted <= phase.until)]
            stops = np.union1d(inside, phase.until)
            run = solve_ivp(rate, (t, phase.until), z, method=method, t_eval=stops, rtol=rtol, atol=atol)
            if not run.success:
                reached = run.t[-1] if run.t.size else t
                raise RodError(f"SaddleRod: it stopped at t={reached:.6g} s: {run.message}", None)
            rows.append(run.y.T[: inside.size])
            t, z = phase.until, run.y[:, -1]
        return self._result(wanted, np.concatenate(rows), {"rtol": rtol, "atol": atol, "method": method})

    def _result(self, times: Array, rows: Array, about: dict[str, Any]) -> Result:
        size = 3 * self.rod.nodes
        q, rate = rows[:, :size], rows[:, size:]
        places = np.stack([q[:, 0::3], q[:, 1::3]], axis=2)
        chords = [self.integrals(row[2::3], np.zeros(self.rod.nodes)).chord for row in q]
        drift = np.array([np.abs(gaps(row, chord)).max() for row, chord in zip(q, chords, strict=True)])
        variables = {
            "time": Variable(("time",), times[: q.shape[0]], "s", "time"),
            "angle": Variable(("time", "node"), q[:, 2::3].copy(), "rad", "of the tangent, never wrapped"),
            "angle_rate": Variable(("time", "node"), rate[:, 2::3].copy(), "rad/s", "of the tangent"),
            "position": Variable(("time", "node", "axis"), places, "m", "of the nodes"),
            "drift": Variable(("time",), drift, "m", "largest error of a constraint"),
        }
        return Result(variables, title="SaddleRod", about=about | {"stabilisation": self.stabilisation})


def gaps(q: Array, chord: Complex) -> Array:
    """X_1, Y_1, X_2, Y_2, ...: how far each node is from where its segment ends [m].  [hirai2020 (11), (12)]"""
    places = q[0::3] + 1j * q[1::3]
    off = np.diff(places) - chord
    return np.stack([off.real, off.imag], axis=1).ravel()
