"""The contact patch with a width: bristles over length and width, friction as a vector, driving and braking too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.checks import Array
from tegotae.friction.laws import Coulomb, Law
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of
from tegotae.result import Result, Variable
from tegotae.running import loop
from tegotae.state import Fault, State
from tegotae.steering.kernels import planar_patch as k
from tegotae.steering.patch import (
    LAW,
    PRESSURE,
    SCALE,
    Bristles,
    Centre,
    Damping,
    Friction,
    HalfLength,
    Profile,
    Stiffness,
    phase_fault,
)
from tegotae.steering.pressure import REFERENCE_COUNT, Parabolic
from tegotae.steering.steady import Steady, ends_of, fed_with, rates_of

_FORCES = (
    ("longitudinal_force", "N", "on the tyre, forwards"),
    ("lateral_force", "N", "on the tyre, to the left"),
    ("torque", "N·m", "resists steering to the left"),
)


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
class PlanarPatch(Impedance):
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

    stiffness: Stiffness = 500.0
    damping: Damping = 150.0
    friction: Friction = 0.4
    bristles: Bristles = REFERENCE_COUNT
    rows: Annotated[int, Parameter(">= 1, across the patch", "Use 1 for a row without width, 10 for a tyre.")] = 1
    half_length: HalfLength = 0.1
    half_width: Annotated[float, Parameter("w [m], > 0; with rows=1 all bristles stand in the middle")] = 0.07
    centre: Centre = 0.02
    pressure: Profile = field(default_factory=Parabolic)

    dimension = 3

    # ------------------------------------------------------------ the block

    @property
    def layout(self) -> Layouts:
        """Bristles, geometry, law and pressure; what it gives, what it is fed, and every bristle."""
        return _layout(self.bristles, self.rows, len(self.law.parameters), self.pressure.parameters.size)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Bristles at the centres of their cells, unstretched; fields named in `initial` set."""
        given = checks.mapping(self.name, "initial", initial, "Name its fields.")
        state = super().initial_state(period, given)
        if "phase" not in given:
            state["phase"] = 0.5
        return state

    def fault(self, state: State) -> Fault | None:
        """Bristles are on their way to the next place."""
        return super().fault(state) or phase_fault(state, "phase")

    @property
    def law(self) -> Law:
        """Friction over slip speed, for a load of 1 N."""
        return self.friction if isinstance(self.friction, Law) else Coulomb(cast(float, self.friction))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Stiffness, damping and load of one bristle of this many; where each row is."""
        scale = REFERENCE_COUNT / (self.bristles * self.rows)
        return {
            "stiffness": self.stiffness * scale,
            "damping": self.damping * scale,
            "half_length": self.half_length,
            "centre": self.centre,
            "scale": scale,
            "law": self.law.parameters,
            "pressure": self.pressure.parameters,
            "across": (np.arange(self.rows) + 0.5) * (2.0 * self.half_width / self.rows) - self.half_width,
        }

    @property
    def kernels(self) -> Kernels:
        """Made for the pressure profile and the friction law."""
        if isinstance(self.law, Coulomb):
            return Kernels(k.coulomb_planar_kernels, (self.pressure.kernel,))
        return Kernels(k.planar_kernels, (self.pressure.kernel, *self.law.kernels))

    # ------------------------------------------------------------ use

    def run(  # type: ignore[override]
        self,
        *,
        steer: ArrayLike,
        slip_angle: ArrayLike = 0.0,
        speed: ArrayLike,
        slip: ArrayLike = 0.0,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Steer, drive and brake it along a record, compiled. It starts at rest in the first steer angle.

        Args:
            steer: delta at the end of each tick [rad], (ticks,).
            slip_angle: alpha at the end of each tick [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards. Bristles pass with
                speed + slip, both as given for the tick.
            slip: R omega - V at the end of each tick [m/s], a number or (ticks,): positive drives, negative brakes,
                -V is a locked wheel. A velocity, not a ratio, so that it has a meaning at V = 0.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from, such as the deflections.
            progress: called with the share that is done, now and then.

        Returns:
            `longitudinal_force` [N] (on the tyre, forwards), `lateral_force` [N] (on the tyre, to the left),
            `torque` [N·m] (tau_r: resists steering to the left), `stuck` [-], beside what was given.
        """
        period = checks.period_of(self.name, period)
        every = checks.whole(self.name, "every", every, 1, "Use every=1 to record each tick.")
        angles = checks.signal(self.name, "steer", steer, "rad", 1).ravel()
        ticks = angles.size
        slip_angles = checks.held(self.name, "slip_angle", slip_angle, "rad", ticks)
        speeds = checks.held(self.name, "speed", speed, "m/s", ticks)
        slips = checks.held(self.name, "slip", slip, "m/s", ticks)
        with np.errstate(over="ignore", invalid="ignore"):  # the run tells that it diverged
            drifts = speeds * slip_angles
            motion = np.empty((ticks, 3))
            motion[:, 0], motion[:, 1], motion[:, 2] = -slips, -drifts, rates_of(angles, angles[0], period)
            inputs = {
                "rolling_speed": speeds + slips,
                "slip_rate": rates_of(slips, slips[0], period),
                "drift_rate": rates_of(drifts, drifts[0], period),
            }
        run = loop.run(
            self,
            loop.Signal("motion", motion, "m/s, m/s, rad/s"),
            period,
            every=every,
            record=record,
            initial=initial,
            progress=progress,
            more=fed_with(self, inputs, ticks),
        )
        variables = {"time": run.variables["time"]}
        given = (("steer", angles, "rad"), ("slip_angle", slip_angles, "rad"), ("speed", speeds, "m/s"))
        for name, values, unit in (*given, ("slip", slips, "m/s")):
            variables[name] = Variable(("time",), values[every - 1 :: every].copy(), unit, "as given")
        if "force" in run:
            for values, (name, unit, meaning) in zip(run.force.T, _FORCES, strict=True):
                variables[name] = Variable(("time",), -values if name == "torque" else values.copy(), unit, meaning)
        variables |= {name: run.variables[name] for name in run if name not in ("time", "motion", "force")}
        return Result(variables, title=run.title, about=run.about)

    def steady(self, *, slip_angle: ArrayLike, speed: float, slip: ArrayLike = 0.0) -> Steady:
        """Roll straight on at each slip until every bristle has passed through the patch; a locked wheel slides.

        Args:
            slip_angle: alpha [rad], a number or an array.
            speed: V [m/s]; negative rolls backwards.
            slip: R omega - V [m/s], a number or an array that goes with slip_angle.
        """
        V = checks.number(self.name, "speed", speed, "m/s", "Give one speed.")
        angles = checks.array(self.name, "slip_angle", slip_angle, "rad")
        slips = checks.array(self.name, "slip", slip, "m/s")
        checks.finite(self.name, "slip_angle", angles, "rad")
        checks.finite(self.name, "slip", slips, "m/s")
        try:
            angles, slips = (np.array(x) for x in np.broadcast_arrays(angles, slips))
        except ValueError:
            shapes = f"slip_angle has shape {angles.shape}, slip {slips.shape}."
            checks.refuse(self.name, shapes, "Give one number, or arrays of one shape.")
        pairs = zip(angles.ravel(), slips.ravel(), strict=True)
        out = np.array([self._settled(V, float(alpha), float(S)) for alpha, S in pairs]).reshape(-1, 4)
        columns = dict(zip(("longitudinal_force", "lateral_force", "torque", "stuck"), out.T, strict=True))
        return Steady.of({"slip_angle": angles, "slip": slips, **columns}, angles.shape)

    def _settled(self, V: float, alpha: float, S: float) -> Array:
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
