"""The 2-D LuGre tyre in its averaged form: one bristle deflection a direction, and one more for the torque."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.compile import build
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.running.loop import report_divergence, time_of
from tegotae.steering.kernels import lugre
from tegotae.steering.pressure import REFERENCE_COUNT
from tegotae.steering.steady import Steady

_LOOP = """
@entry
def loop(p, steer, slip_angle, speed, slip, T, every, record):
    march(p, steer, slip_angle, speed, slip, T, every, record)
"""
_OUTPUTS = (
    ("longitudinal_force", "N", "on the tyre, forwards"),
    ("lateral_force", "N", "on the tyre, to the left"),
    ("torque", "N·m", "resists steering to the left"),
)


@dataclass(frozen=True, kw_only=True)
class LuGreTyre(Declared):
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

    @cached_property
    def _module(self) -> ModuleType:
        return build(_LOOP, (("march", lugre.lugre_march),))

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
            steer: delta at the end of each tick [rad], (ticks,).
            slip_angle: alpha over each tick [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards.
            slip: R omega - V over each tick [m/s], a number or (ticks,): positive drives, negative brakes.
            period: T [s].
            every: record every so many ticks.

        Returns:
            `longitudinal_force` [N] (on the tyre, forwards), `lateral_force` [N] (on the tyre, to the left) and
            `torque` [N·m] (resists steering to the left).
        """
        own = "LuGreTyre"
        period = checks.period_of(own, period)
        every = checks.whole(own, "every", every, 1, "Use every=1 to record each tick.")
        steers = checks.signal(own, "steer", steer, "rad", 1).ravel()
        ticks = steers.size
        angles = checks.held(own, "slip_angle", slip_angle, "rad", ticks)
        speeds = checks.held(own, "speed", speed, "m/s", ticks)
        slips = checks.held(own, "slip", slip, "m/s", ticks)
        table = np.empty((len(_OUTPUTS), ticks // every))
        self._module.loop(self.parameters, steers, angles, speeds, slips, period, every, table)
        report_divergence(own, table, every, period)
        variables = {"time": time_of(ticks, every, period)}
        given = (("steer", steers, "rad"), ("slip_angle", angles, "rad"), ("speed", speeds, "m/s"))
        for name, values, unit in (*given, ("slip", slips, "m/s")):
            variables[name] = Variable(("time",), values[every - 1 :: every].copy(), unit, "as given")
        for row, (name, unit, meaning) in enumerate(_OUTPUTS):
            variables[name] = Variable(("time",), table[row], unit, meaning)
        return Result(variables, title=own, about={"block": repr(self), "period": period})

    def steady(self, *, slip_angle: ArrayLike, speed: float, slip: ArrayLike = 0.0) -> Steady:
        """Run it at each slip until it has settled.

        Args:
            slip_angle: alpha [rad], a number or an array.
            speed: V [m/s]; negative rolls backwards. The rolling speed, speed + slip, must not be 0.
            slip: R omega - V [m/s], a number or an array that goes with slip_angle.
        """
        own = "LuGreTyre"
        V = checks.number(own, "speed", speed, "m/s", "Give one speed.")
        angles = checks.finite_array(own, "slip_angle", slip_angle, "rad")
        slips = checks.finite_array(own, "slip", slip, "m/s")
        try:
            angles, slips = (np.array(x) for x in np.broadcast_arrays(angles, slips))
        except ValueError:
            shapes = f"slip_angle has shape {angles.shape}, slip {slips.shape}."
            checks.refuse(own, shapes, "Give one number, or arrays of one shape.")
        rolling = np.abs(V + slips)
        if (rolling == 0.0).any():
            checks.refuse(own, "speed + slip = 0: a tyre that does not roll never settles.", "Use run(...).")
        out = np.empty((angles.size, len(_OUTPUTS)))
        for i, (alpha, S) in enumerate(zip(angles.ravel(), slips.ravel(), strict=True)):
            # Deflections decay at least with c/L and are taken exactly: four ticks of 40 lengths leave exp(-40).
            held = [np.full(4, x) for x in (0.0, alpha, V, S)]
            table = np.empty((len(_OUTPUTS), 1))
            period = 80.0 * self.half_length / float(abs(V + S))
            self._module.loop(self.parameters, *held, period, 4, table)
            out[i] = table[:, 0]
        columns = dict(zip(("longitudinal_force", "lateral_force", "torque"), out.T, strict=True))
        return Steady.of({"slip_angle": angles, "slip": slips, **columns}, angles.shape)
