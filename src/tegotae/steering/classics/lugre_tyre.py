"""The 2-D LuGre tyre in its averaged form: one bristle deflection a direction, and one more for the torque."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Parameter
from tegotae.steering.classics.classic_tyre import ClassicTyre
from tegotae.steering.kernels import lugre
from tegotae.steering.pressure import REFERENCE_COUNT
from tegotae.steering.steady import FORCES, SteeredPath


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
            checks.refuse(
                "LuGreTyre", f"static={self.static} is below kinetic={self.kinetic}.", "Use static >= kinetic."
            )

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
        own = {"load": Fz, "half_length": half_length, "centre": centre}
        return cls(stiffness=K * scale, damping=B * scale, kinetic=friction, static=friction, **own)

    @property
    def parameters(self) -> lugre.LuGreParameters:
        """In the letters of its kernels."""
        bristle = (self.stiffness, self.damping, self.viscosity)
        level = (self.kinetic, self.static, self.velocity, self.exponent)
        return lugre.LuGreParameters(*bristle, *level, self.load, 2.0 * self.half_length, self.centre)

    def _forces(self, path: SteeredPath) -> Array:
        table = np.empty((len(FORCES), path.steer.size))
        lugre.lugre_march(self.parameters, *path[:5], table)
        return table

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        if (V + slip == 0.0).any():
            told = "speed + slip = 0: a tyre that does not roll never settles."
            checks.refuse("LuGreTyre", told, "Use run(...).")
        ends = np.empty((len(FORCES), slip_angle.size))
        for i, (alpha, S) in enumerate(zip(slip_angle.tolist(), slip.tolist(), strict=True)):
            # Deflections decay at least with c/L and are taken exactly: four ticks of 40 lengths leave exp(-40).
            held = [np.full(4, x) for x in (0.0, alpha, V, S)]
            table = np.empty((len(FORCES), 4))
            lugre.lugre_march(self.parameters, *held, 80.0 * self.half_length / abs(V + S), table)
            ends[:, i] = table[:, -1]
        return {name: values for (name, _, _), values in zip(FORCES, ends, strict=True)}
