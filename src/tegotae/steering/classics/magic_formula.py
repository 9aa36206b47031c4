"""The Magic Formula: lateral force and aligning torque of a tyre that rolls steadily."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Parameter
from tegotae.steering.classics.classic_tyre import ClassicTyre
from tegotae.steering.steady import SteeredPath, only_rolls


@dataclass(frozen=True, kw_only=True)
class MagicFormula(ClassicTyre):
    """Pacejka's Magic Formula, a curve through the steady state.  [pacejka2012]

        Fy = D sin(C atan(B a - E (B a - atan(B a)))),   t = Dt cos(Ct atan(Bt a - Et (Bt a - atan(Bt a))))

    over the slip angle a, without shifts, camber and residual torque; the torque about the steering axis is
    (t + xi_c) Fy. It has no memory and no force at a standstill: a slip angle is the direction of a motion, and at
    V = 0 there is none. By its own definition it then gives nothing, whatever the steer: no parking torque. The
    defaults follow the steady curve of `ContactPatch(stiffness=1e4, damping=0.0)` as `fit` finds them: within 1.1 %
    of the largest force and 6 % of the largest torque (a cosine cannot fall off linearly, as a brush's trail does).

    Example:
        >>> import numpy as np
        >>> from tegotae.steering.classics import MagicFormula
        >>> tyre = MagicFormula()
        >>> angles = np.linspace(0.0, 0.1, 50)
        >>> driving = tyre.run(steer=angles, slip_angle=angles, speed=20.0, period=1e-3)
        >>> bool(driving.lateral_force[-1] > 500.0)
        True
        >>> parked = tyre.run(steer=angles, slip_angle=angles, speed=0.0, period=1e-3)
        >>> float(np.abs(parked.torque).max())
        0.0
    """

    brakes: ClassVar[bool] = False

    stiffness_factor: Annotated[float, Parameter("B [1/rad], > 0; B C D is the cornering stiffness")] = 16.75
    shape: Annotated[float, Parameter("C [-], > 0, <= 2; above 1 the force falls beyond its peak")] = 1.976
    peak: Annotated[float, Parameter("D [N], > 0, the largest lateral force")] = 563.9
    curvature: Annotated[float, Parameter("E [-], <= 1; above it the curve would turn back at large slip")] = 1.0
    trail_stiffness_factor: Annotated[float, Parameter("Bt [1/rad], > 0")] = 14.58
    trail_shape: Annotated[float, Parameter("Ct [-], > 0, <= 2")] = 1.024
    trail: Annotated[
        float, Parameter("Dt [m], >= 0, by which the force acts behind the middle at small slip angles")
    ] = 0.024
    trail_curvature: Annotated[float, Parameter("Et [-], <= 1")] = -50.0
    centre: Annotated[float, Parameter("xi_c [m], where the steering axis meets the road")] = 0.02

    @classmethod
    def fit(
        cls, slip_angle: Sequence[float] | Array, *, lateral_force: ArrayLike, torque: ArrayLike, centre: float = 0.02
    ) -> MagicFormula:
        """The formula closest to a steady curve, by least squares.

        Args:
            slip_angle: alpha [rad], (points,), at least 8.
            lateral_force: on the tyre, to the left [N], (points,).
            torque: tau_r about the steering axis [N·m], (points,).
            centre: xi_c [m], where the steering axis meets the road.

        Example:
            >>> import numpy as np
            >>> from tegotae.steering.classics import MagicFormula
            >>> angles = np.linspace(-0.2, 0.2, 41)
            >>> made = MagicFormula(peak=700.0, shape=1.4, curvature=0.0).steady(slip_angle=angles, speed=10.0)
            >>> found = MagicFormula.fit(angles, lateral_force=made.lateral_force, torque=made.torque)
            >>> round(found.peak, 3), round(found.shape, 3)
            (700.0, 1.4)
        """
        own = "MagicFormula.fit"
        angles = checks.signal(own, "slip_angle", slip_angle, "rad", 1).ravel()
        forces = checks.held(own, "lateral_force", lateral_force, "N", angles.size)
        torques = checks.held(own, "torque", torque, "N·m", angles.size)
        xi_c = checks.number(own, "centre", centre, "m")
        least = min(float(np.abs(one).max()) for one in (angles, forces, torques))
        if angles.size < 8 or not checks.SMALLEST < least < checks.LARGEST:
            told = f"{angles.size} points of slip_angle, lateral_force and torque"
            checks.refuse(own, f"{told} cannot tell 8 coefficients.", "Give a curve from rest to full slip.")
        force = _fit_force(angles, forces)
        trail = _fit_trail(angles, _force(force, angles), torques - xi_c * forces)
        B, C, D, E = force.tolist()
        Bt, Ct, Dt, Et = trail.tolist()
        return cls(
            stiffness_factor=B, shape=C, peak=D, curvature=E, trail_stiffness_factor=Bt, trail_shape=Ct, trail=Dt,
            trail_curvature=Et, centre=xi_c,
        )  # fmt: skip

    def _at(self, slip_angle: Array, speed: Any) -> Array:
        """Fy to the left and tau_r = (t + xi_c) Fy, a row each.

        Backwards the tread slips the other way, and what trails lies in front; at V = 0 there is no slip angle.
        """
        way = np.sign(speed)
        force = np.array([self.stiffness_factor, self.shape, self.peak, self.curvature])
        trail = np.array([self.trail_stiffness_factor, self.trail_shape, self.trail, self.trail_curvature])
        lateral = way * _force(force, slip_angle)
        return np.stack([lateral, (way * _trail(trail, slip_angle) + self.centre) * lateral])

    def _forces(self, path: SteeredPath) -> Array:
        return self._at(path.slip_angle, path.speed)

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        only_rolls("MagicFormula", slip)
        lateral, torque = self._at(slip_angle, V)
        return {"lateral_force": lateral, "torque": torque}


def _bent(B: float, E: float, x: Array) -> Array:
    """atan(B x - E (B x - atan(B x)))  [pacejka2012]"""
    with np.errstate(over="ignore", invalid="ignore"):
        y = B * x
        bent: Array = np.arctan(y - E * (y - np.arctan(y)))
    return bent


def _force(coefficients: Array, alpha: Array) -> Array:
    """Fy = D sin(C ...), for the coefficients B, C, D, E."""
    B, C, D, E = coefficients
    return np.asarray(D * np.sin(C * _bent(B, E, alpha)))


def _trail(coefficients: Array, alpha: Array) -> Array:
    """t = Dt cos(Ct ...), for the coefficients Bt, Ct, Dt, Et."""
    B, C, D, E = coefficients
    return np.asarray(D * np.cos(C * _bent(B, E, alpha)))


# From shape 1 on, `peak` is the largest force; below, coefficients of no meaning fit as well.
_LOW = np.array([1e-6, 1.0, 1e-9, -50.0])
_HIGH = np.array([np.inf, 2.0, np.inf, 1.0])
_STARTS = ((1.3, 0.0), (1.05, -2.0), (1.6, 0.5))  # the formula has valleys: start in several


def _fit_force(angles: Array, forces: Array) -> Array:
    """B, C, D, E of the lateral force, by itself, as is the custom."""
    D = float(np.abs(forces).max())
    near = np.abs(angles) <= np.quantile(np.abs(angles), 0.25)
    slope = abs(float(np.sum(angles[near] * forces[near]) / max(float(np.sum(angles[near] ** 2)), 1e-300)))
    starts = [np.array([max(slope, D) / (C * D), C, D, E]) for C, E in _STARTS]
    return _closest(lambda x: (_force(x, angles) - forces) / D, starts, _LOW)


def _fit_trail(angles: Array, forces: Array, aligning: Array) -> Array:
    """Bt, Ct, Dt, Et of the trail, from the aligning torque that the force just found has to make."""
    size = float(np.abs(aligning).max()) or 1.0
    longest = size / float(np.abs(forces).max())
    width = float(np.abs(angles).max())
    starts = [np.array([5.0 / width, C, 2.0 * longest, E]) for C, E in _STARTS]
    low = np.where(_LOW == 1.0, 0.5, _LOW)
    return _closest(lambda x: (_trail(x, angles) * forces - aligning) / size, starts, low)


def _closest(misfit: Callable[[Array], Array], starts: list[Array], low: Array) -> Array:
    from scipy.optimize import least_squares

    tries = [
        least_squares(misfit, start, bounds=(low, _HIGH), x_scale=np.abs(start) + 0.1, xtol=1e-14, ftol=1e-14)
        for start in starts
    ]
    return np.asarray(min(tries, key=lambda one: float(one.cost)).x)
