"""Tyres of others, run like a `ContactPatch`: the Magic Formula, a curve, and the LuGre tyre in its averaged form."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter, declared
from tegotae.result import Result
from tegotae.running.loop import report_divergence
from tegotae.steering.kernels import lugre
from tegotae.steering.pressure import REFERENCE_COUNT
from tegotae.steering.steady import FORCES, SteeredPath, Tyre


class ClassicTyre(Tyre, Declared):
    """A tyre model of others, run like a `ContactPatch`."""

    def run(
        self,
        *,
        steer: ArrayLike,
        slip_angle: ArrayLike = 0.0,
        speed: ArrayLike,
        slip: ArrayLike = 0.0,
        period: float,
        every: int = 1,
    ) -> Result:
        """Steer, drive and brake it along a record, compiled. It starts at rest in the first steer angle.

        Args:
            steer: delta at the end of each tick [rad], (ticks,); to a `MagicFormula` it does nothing.
            slip_angle: alpha over each tick [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards. To a `MagicFormula` its sign
                alone counts, and whether it is 0.
            slip: R omega - V over each tick [m/s], a number or (ticks,): positive drives, negative brakes. A
                `LuGreTyre` takes it, a `MagicFormula` only rolls.
            period: T [s].
            every: record every so many ticks.

        Returns:
            `lateral_force` [N] (on the tyre, to the left), `torque` [N·m] (resists steering to the left), and of a
            `LuGreTyre` `longitudinal_force` [N] (on the tyre, forwards).
        """
        name = type(self).__name__
        path = self._path(steer, slip_angle, speed, slip, period, every)
        forces = self._forces(path)[:, path.every - 1 :: path.every]
        report_divergence(name, forces, path.every, path.period)
        return Result(path.variables(forces), title=name, about={"block": repr(self), "period": path.period})

    @abstractmethod
    def _forces(self, path: SteeredPath) -> Array:
        """The last of `FORCES`, a row each, at every tick."""


@dataclass(frozen=True, kw_only=True)
class LuGreTyre(ClassicTyre):
    """The LuGre tyre for motion in the plane, averaged over a uniformly loaded patch.  [velenis2002]

    Where `ContactPatch` has many bristles that stick or slip, this one has three numbers: the mean deflection in
    both directions and the first moment of the lateral one. Its steady state is exactly that of the distributed
    LuGre tyre. It knows one slip velocity for the whole patch: steering on the spot is resisted only through the
    arm of the steering axis, not by the spin of the patch. Like every LuGre model it creeps under a load that
    vibrates below the limit of static friction. The defaults are those of `comparable()`.

    Example:
        >>> import numpy as np
        >>> from tegotae.steering.classics import LuGreTyre
        >>> tyre = LuGreTyre.comparable(stiffness=1e4, damping=0.0)
        >>> run = tyre.run(steer=np.zeros(300), slip_angle=0.2, speed=20.0, period=1e-3)
        >>> round(float(run.lateral_force[-1]), 1), round(tyre.steady(slip_angle=0.2, speed=20.0).lateral_force, 1)
        (522.7, 522.7)
    """

    stiffness: Annotated[float, Parameter("sigma0 [1/m], > 0, of all bristles for a load of 1 N")] = 150.0
    damping: Annotated[float, Parameter("sigma1 [s/m], >= 0")] = 0.0
    viscosity: Annotated[float, Parameter("sigma2 [s/m], >= 0")] = 0.0
    kinetic: Annotated[float, Parameter("mu_k [-], > 0")] = 0.4
    static: Annotated[float, Parameter("mu_s [-], > 0, at least kinetic")] = 0.4
    velocity: Annotated[float, Parameter("v_s [m/s], > 0, over which the friction falls from static to kinetic")] = 6.57
    exponent: Annotated[float, Parameter("gamma [-], > 0; 0.5 is usual for tyres")] = 0.5
    load: Annotated[float, Parameter("Fz [N], > 0")] = 1400.0
    half_length: Annotated[float, Parameter("a [m], > 0; the patch reaches from -a to a")] = 0.1
    centre: Annotated[float, Parameter("xi_c [m], where the steering axis meets the road")] = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.static < self.kinetic:
            problem = f"static={self.static} is below kinetic={self.kinetic}."
            checks.refuse("LuGreTyre", problem, "Use static >= kinetic.")

    @classmethod
    def comparable(
        cls,
        *,
        stiffness: float = 1e4,
        damping: float = 0.0,
        friction: float = 0.4,
        load: float = 1400.0,
        half_length: float = 0.1,
        centre: float = 0.02,
    ) -> LuGreTyre:
        """The LuGre tyre with the stiffness, damping and friction of a `ContactPatch`.

        Args:
            stiffness: K [N/m] of one bristle of 21, > 0.
            damping: B [N·s/m] of one bristle of 21, >= 0.
            friction: mu [-], > 0, static and kinetic alike.
            load: Fz [N] on the whole patch.
            half_length: a [m].
            centre: xi_c [m].

        Example:
            >>> from tegotae.steering.classics import LuGreTyre
            >>> LuGreTyre.comparable(stiffness=1e4).stiffness
            150.0
        """
        friction = checks.positive("LuGreTyre", "friction", friction, "", "Give mu, such as 0.4.")
        Fz = checks.positive("LuGreTyre", "load", load, "N", "Give the load of the whole patch.")
        K = checks.positive("LuGreTyre", "stiffness", stiffness, "N/m", "Such as 1e4, of one bristle of 21.")
        B = checks.at_least_zero("LuGreTyre", "damping", damping, "N·s/m", "Give a magnitude, or 0 for none.")
        scale = REFERENCE_COUNT / Fz
        patch = {"load": Fz, "half_length": half_length, "centre": centre}
        return cls(stiffness=K * scale, damping=B * scale, kinetic=friction, static=friction, **patch)

    @property
    def parameters(self) -> lugre.LuGreParameters:
        """In the letters of its kernels."""
        return lugre.LuGreParameters(*(getattr(self, name) for name in declared(LuGreTyre)))

    def _forces(self, path: SteeredPath) -> Array:
        table = np.empty((len(FORCES), path.steer.size))
        lugre.lugre_march(self.parameters, *path[:5], table)
        return table

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        if (V + slip == 0.0).any():
            problem = "speed + slip = 0: a tyre that does not roll never settles."
            checks.refuse("LuGreTyre", problem, "Use run(...).")
        ends = np.empty((len(FORCES), slip_angle.size))
        for i, (alpha, S) in enumerate(zip(slip_angle.tolist(), slip.tolist(), strict=True)):
            # Deflections decay at least with c/L and are taken exactly: four ticks of 40 lengths leave exp(-40).
            held = [np.full(4, x) for x in (0.0, alpha, V, S)]
            table = np.empty((len(FORCES), 4))
            lugre.lugre_march(self.parameters, *held, 80.0 * self.half_length / abs(V + S), table)
            ends[:, i] = table[:, -1]
        return {name: values for (name, _, _), values in zip(FORCES, ends, strict=True)}


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

    brakes = False

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
        owner = "MagicFormula.fit"
        angles = checks.signal(owner, "slip_angle", slip_angle, "rad", 1).ravel()
        forces = checks.held(owner, "lateral_force", lateral_force, "N", angles.size)
        torques = checks.held(owner, "torque", torque, "N·m", angles.size)
        xi_c = checks.number(owner, "centre", centre, "m")
        least = min(float(np.abs(one).max()) for one in (angles, forces, torques))
        if angles.size < 8 or not checks.SMALLEST < least < checks.LARGEST:
            points = f"{angles.size} points of slip_angle, lateral_force and torque"
            checks.refuse(owner, f"{points} cannot tell 8 coefficients.", "Give a curve from rest to full slip.")
        force = _fit_force(angles, forces)
        trail = _fit_trail(angles, _force(force, angles), torques - xi_c * forces)
        return cls(**dict(zip(declared(cls), [*force.tolist(), *trail.tolist(), xi_c], strict=True)))

    def _at(self, slip_angle: Array, speed: Any) -> Array:
        """Fy to the left and tau_r = (t + xi_c) Fy, a row each.

        Backwards the tread slips the other way, and what trails lies in front; at V = 0 there is no slip angle.
        """
        direction = np.sign(speed)
        force, trail = np.array([getattr(self, name) for name in declared(MagicFormula)])[:-1].reshape(2, 4)
        lateral = direction * _force(force, slip_angle)
        return np.stack([lateral, (direction * _trail(trail, slip_angle) + self.centre) * lateral])

    def _forces(self, path: SteeredPath) -> Array:
        return self._at(path.slip_angle, path.speed)

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        lateral, torque = self._at(slip_angle, V)
        return {"lateral_force": lateral, "torque": torque}


def _curve(wave: Callable[[Any], Any], coefficients: Array, alpha: Array) -> Array:
    """D wave(C atan(B a - E (B a - atan(B a)))), for the coefficients B, C, D, E.  [pacejka2012]"""
    B, C, D, E = coefficients
    with np.errstate(over="ignore", invalid="ignore"):
        y = B * alpha
        return np.asarray(D * wave(C * np.arctan(y - E * (y - np.arctan(y)))))


_force, _trail = partial(_curve, np.sin), partial(_curve, np.cos)


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
