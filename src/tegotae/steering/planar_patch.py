"""The contact patch with a width: bristles over length and width, friction as a vector, driving and braking too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Kernels
from tegotae.checks import Array
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of
from tegotae.running import loop
from tegotae.steering.kernels.planar_patch import planar_kernels
from tegotae.steering.patch import LAW, PRESSURE, SCALE, BristlePatch
from tegotae.steering.steady import Led, SteeredPath, ends_of


@cache
def _layout(bristles: int, rows: int, law: int, pressure: int) -> Layouts:
    told = "force on the tyre, forwards and to the left, and torque on what steers it"
    return layouts(
        dimension=3,
        sizes={"n": bristles, "m": rows, "law": law, "pressure": pressure},
        parameters=(
            *parts_of(PlanarPatch, "stiffness", "damping", "half_length", "centre"),
            SCALE,
            LAW,
            PRESSURE,
            Part("across", "m", "where each row is, to the left of the middle", ("m",), "eta"),
        ),
        state=(
            Part("force", "N, N, N·m", told, AXIS, "f"),
            Part("stuck", "-", "share of the bristles that stick"),
            Part("rolling_speed", "m/s", "R omega, with which bristles pass", letter="Vr", recorded=False, fed=True),
            Part("slip_rate", "m/s²", "by which slip grows in the tick", letter="S_dot", recorded=False, fed=True),
            Part("drift_rate", "m/s²", "by which V alpha does", letter="Va_dot", recorded=False, fed=True),
            Part("phase", "-", "how far the bristles are on their way to the next place", recorded=False),
            Part("deflection", "m", "forwards, then to the left; row by row", (2, "n", "m"), "e", recorded=False),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class PlanarPatch(BristlePatch):
    """A contact patch of n x m bristles, each held by the road up to a limit on the norm of its force.

    It takes steering, slip angle, and the tread running ahead of the road or behind it (driving, braking), at any
    speed, and gives both forces and the torque. Its bristles are those of `ContactPatch`, spread over the width as
    well; with rows=1 and no longitudinal slip it is that patch. Deflections are kept in the frame of the wheel, and
    that this frame turns by some mrad while a bristle is in the patch is neglected, as in the paper.

    Signs: the root of the bristle at (xi, eta), forward and to the left of the middle, moves over the road with
    (-slip - eta rate, (xi - centre) rate - V alpha), rate being the turn to the left. Bristles pass through the
    patch with the rolling speed R omega = speed + slip: a locked wheel (slip = -speed) drags the same ones along.

    As a block of dimension 3 it answers the motion (-slip, -V alpha, rate) of the tread over the road [m/s, m/s, rad/s]
    with the force and the torque on it [N, N, N·m]. `rolling_speed` [m/s] is part of its state and is fed; so are
    `slip_rate` and `drift_rate` [m/s²], by which slip and V alpha came to what they are at the end of the tick; held,
    unless given.

    Example:
        >>> import numpy as np
        >>> from tegotae.steering.planar_patch import PlanarPatch
        >>> patch = PlanarPatch(stiffness=1e4, damping=0.0, bristles=201, rows=10)
        >>> braking = patch.steady(slip_angle=0.05, speed=20.0, slip=-1.0)
        >>> bool(braking.longitudinal_force < 0.0 < braking.lateral_force)
        True
        >>> parked = patch.run(steer=np.linspace(0.0, 0.2, 200), speed=0.0, period=1e-3)
        >>> bool(parked.torque[-1] > 10.0), bool(parked.stuck[-1] < 1.0)
        (True, True)
    """

    rows: Annotated[int, Parameter(">= 1, across the patch", "Use 1 for a row without width, 10 for a tyre.")] = 1
    half_width: Annotated[float, Parameter("w [m], > 0; with rows=1 all bristles stand in the middle")] = 0.07

    dimension = 3

    # ------------------------------------------------------------ the block

    @property
    def layout(self) -> Layouts:
        """Bristles, geometry, law and pressure; what it gives, what it is fed, and every bristle."""
        return _layout(self.bristles, self.rows, len(self.law.parameters), self.pressure.parameters.size)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Of one bristle of this many; where each row is."""
        across = (np.arange(self.rows) + 0.5) * (2.0 * self.half_width / self.rows) - self.half_width
        return {**self.scaled(self.bristles * self.rows), "across": across}

    @property
    def kernels(self) -> Kernels:
        """Made for the pressure profile and the friction law."""
        return Kernels(planar_kernels, self.functions)

    # ------------------------------------------------------------ use

    def _led(self, path: SteeredPath, initial: Mapping[str, ArrayLike]) -> Led:
        drift, slips = path.drift, np.asarray(path.slip)
        motion = np.stack([-slips, -drift, path.rates(path.steer, path.steer[0])], axis=1)
        inputs = {
            "rolling_speed": path.speed + slips,
            "slip_rate": path.rates(slips, slips[0]),
            "drift_rate": path.rates(drift, drift[0]),
        }
        return loop.Signal("motion", motion, "m/s, m/s, rad/s"), inputs, initial

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        pairs = zip(slip_angle.tolist(), slip.tolist(), strict=True)
        out = np.array([self._at_end(V, alpha, S) for alpha, S in pairs]).reshape(-1, 4)
        return dict(zip(("longitudinal_force", "lateral_force", "torque", "stuck"), out.T, strict=True))

    def _at_end(self, V: float, alpha: float, S: float) -> Array:
        rolling = V + S
        if rolling != 0.0:
            # One place a tick: after n ticks every bristle has entered since the start.
            period, ticks = 2.0 * self.half_length / self.bristles / abs(rolling), self.bristles + 1
        else:
            sliding = float(np.hypot(S, V * alpha))
            if sliding == 0.0:
                checks.refuse(self.name, "speed=0 and slip=0: a parked tyre never settles.", "Use run(..., speed=0.0).")
            # Far beyond what any bristle can bear, in one backward-Euler tick: only the direction remains.
            bound = self.law.at_rest * self.pressure.total(self.half_length)
            period, ticks = 1e9 * (bound / self.stiffness + self.half_length) / sliding, 1
        motion = np.tile([-S, -V * alpha, 0.0], (ticks, 1))
        forwards, left, turn, stuck = ends_of(
            self, motion, {"rolling_speed": rolling}, period, ticks, ("force", "stuck")
        )
        return np.concatenate([forwards, left, -turn, stuck])
