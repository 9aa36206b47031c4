"""Another way to the same motion: a Lagrangian of the plainest kind, differentiated automatically.

The state is the base's place and the angles alone. Kinetic energy is a Gauss sum of squared velocities along the rod,
velocities are Gauss sums of turning tangents, and every derivative is taken by a complex step: no closed-form integral,
no inertia matrix by hand, no constraint, no recursion. What it shares with the rest of the library is the assumption
that the angle is linear along a segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[Any]
Push = tuple[float, tuple[float, float], float]  # at [m], (x, y) [N], torque [N·m]
_STEP = 1e-40  # of the complex plane: no difference is taken, so nothing cancels


def _gauss(points: int) -> tuple[Array, Array]:
    w, weight = np.polynomial.legendre.leggauss(points)
    return 0.5 * (w + 1.0), 0.5 * weight


@dataclass(frozen=True, kw_only=True)
class Lagrangian:
    """A uniform rod by Lagrange's equation of its energies alone; y: base x, y [m] and angles [rad], v: their rate.

    Example:
        >>> import numpy as np
        >>> from tegotae.papers.hirai2020.oracles import Lagrangian
        >>> stick = Lagrangian(length=1.0, nodes=2, density=3.0, elasticity=0.0, viscosity=0.0)
        >>> still, together = np.zeros(4), np.array([0.0, 0.0, 1.0, 1.0])
        >>> round(float(together @ stick.inertia(still) @ together), 12)  # m L^2/3
        1.0
    """

    length: float  # [m]
    nodes: int  # at least 2
    density: float  # [kg/m]
    elasticity: float  # [N·m²]
    viscosity: float  # [N·m²·s]
    gravity: tuple[float, float] = (0.0, 0.0)  # [m/s²]
    payload: tuple[float, float] = (0.0, 0.0)  # mass [kg] and inertia [kg·m²] on the tip
    points: int = 20  # of the Gauss rule, along a segment and up to each of its points

    def motion(self, y: Array, v: Array) -> tuple[Array, Array, Array]:
        """Places and velocities (..., 2, points) at points along the rod and the mass at each; the last is the tip.

        Both may be complex, and may have leading dimensions.
        """
        inner, weight = _gauss(self.points)
        parts = np.append(inner, 1.0)
        h = self.length / (self.nodes - 1)
        s, ds = np.multiply.outer(parts, inner), h * parts[:, None] * weight
        angle, rate = (q[..., 2:-1, None, None] * (1.0 - s) + q[..., 3:, None, None] * s for q in (y, v))
        c, n = np.cos(angle) * ds, np.sin(angle) * ds
        places = _chained(y[..., :2], c.sum(-1), n.sum(-1))
        speeds = _chained(v[..., :2], -(rate * n).sum(-1), (rate * c).sum(-1))
        mass = np.tile(self.density * h * np.append(weight, 0.0), self.nodes - 1)
        mass[-1] = self.payload[0]
        return places, speeds, mass

    def lagrangian(self, y: Array, v: Array) -> Array:
        """Kinetic energy less that of bending and of gravity [J]; arguments as for `motion`."""
        places, speeds, mass = self.motion(y, v)
        kinetic = 0.5 * (speeds**2).sum(axis=-2) @ mass + 0.5 * self.payload[1] * v[..., -1] ** 2
        bending = 0.5 * self.elasticity * (self.nodes - 1) / self.length * (np.diff(y[..., 2:]) ** 2).sum(axis=-1)
        return np.asarray(kinetic - bending + (places @ mass) @ np.asarray(self.gravity))

    def inertia(self, y: Array) -> Array:
        """Kinetic energy is quadratic in the rates: its matrix, from the products of unit motions."""
        _, speeds, mass = self.motion(y, np.eye(self.nodes + 2))
        M = np.einsum("iap,jap,p->ij", speeds, speeds, mass)
        M[-1, -1] += self.payload[1]
        return np.asarray(M)

    def accelerations(
        self, y: Array, v: Array, *, torque: float = 0.0, held: int = 0, pushes: Sequence[Push] = ()
    ) -> Array:
        """y'' [m/s², rad/s²] by Lagrange's equation: d/dt(dL/dv) = dL/dy + forces, for y [m, rad] and v [m/s, rad/s].

        The torque [N·m] is on the base, of whose x, y and angle so many rest: 0, 2 or 3.
        """
        force = self.lagrangian(y + 1j * _STEP * np.eye(self.nodes + 2), v).imag / _STEP
        force -= self.inertia(y + 1j * _STEP * v).imag @ v / _STEP  # how the momenta M v change while v does not
        bend = self.viscosity * (self.nodes - 1) / self.length * np.diff(v[2:])
        force[2:-1] += bend
        force[3:] -= bend
        force[2] += torque
        for at, push, turn in pushes:
            force += self._push(y, at, np.asarray(push), turn)
        a = np.zeros(self.nodes + 2)
        a[held:] = np.linalg.solve(self.inertia(y)[held:, held:], force[held:])
        return a

    def _push(self, y: Array, at: float, force: Array, torque: float) -> Array:
        """Virtual work: how the point and its tangent move with each coordinate."""
        w, weight = _gauss(60)
        nodes = np.linspace(0.0, self.length, self.nodes)

        def place(y: Array) -> Array:
            total = np.array(y[:2])
            for k, (low, high) in enumerate(pairwise(nodes)):
                end = min(max(at, low), high)
                q = (end - low) * w / (high - low)
                th = y[2 + k] * (1.0 - q) + y[3 + k] * q
                total = total + (end - low) * np.array([np.cos(th) @ weight, np.sin(th) @ weight])
            return total

        size = self.nodes + 2
        lever = np.array([place(y + 1j * _STEP * unit).imag / _STEP for unit in np.eye(size)])
        shape = np.array([0.0, 0.0, *(np.interp(at, nodes, unit) for unit in np.eye(self.nodes))])
        return np.asarray(lever @ force + shape * torque)

    def run(self, phases: Sequence[tuple[float, float, int]], *, rtol: float = 1e-9) -> Array:
        """(y, v) at the end of each phase (until [s], torque [N·m], held), from straight along +x at rest: DOP853."""
        size = self.nodes + 2
        z, t, ends = np.zeros(2 * size), 0.0, []
        for until, torque, held in phases:

            def rate(_: float, z: Array, torque: float = torque, held: int = held) -> Array:
                return np.concatenate([z[size:], self.accelerations(z[:size], z[size:], torque=torque, held=held)])

            z = solve_ivp(rate, (t, until), z, method="DOP853", rtol=rtol, atol=rtol).y[:, -1]
            t = until
            ends.append(z)
        return np.array(ends)


def _chained(start: Array, x: Array, y: Array) -> Array:
    """From (..., segments, parts) since the start of each segment to (..., 2, points) since `start`; each segment's
    last part is its end.
    """
    along = np.stack([x, y], axis=-3)
    ends = np.cumsum(along[..., -1], axis=-1) - along[..., -1]
    whole = along + ends[..., None] + start[..., None, None]
    return np.asarray(whole.reshape((*whole.shape[:-2], -1)))


def beam_frequencies(ends: str, count: int) -> Array:
    """(beta L)^2 of a slender uniform beam, the lowest so many that bend: its frequencies over sqrt(R_ela/rho)/L^2.

    Its base is "free", "pinned" or "fixed"; the tip is free.
    """
    conditions = {
        "free": (lambda b: np.cos(b) - 1.0 / np.cosh(b), 1.5),
        "pinned": (lambda b: np.tan(b) - np.tanh(b), 1.25),
        "fixed": (lambda b: np.cos(b) + 1.0 / np.cosh(b), 0.5),
    }
    condition, first = conditions[ends]
    near = [(first + i) * np.pi for i in range(count)]
    return np.array([brentq(condition, b - 0.4, b + 0.4, xtol=1e-14) ** 2 for b in near])
