"""The contact patch of a tyre: a row of bristles that moves through it as the tyre rolls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Fault, Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.friction.laws import Coulomb, Law, as_law
from tegotae.result import Result, Variable
from tegotae.running import about, first_state, picks_of, report_divergence, time_of, variables_of
from tegotae.steering.kernels import carcass as c
from tegotae.steering.kernels import patch as k
from tegotae.steering.pressure import REFERENCE_COUNT, Parabolic, Pressure
from tegotae.steering.steady import Steady

_LOOPS = """
@entry
def loop(p, s, steer, slip, speed, T, every, picks, record):
    row = 0
    wait = every
    for k in range(steer.shape[0]):
        s[{speed}] = speed[k]
        s[{drift}] = speed[k] * slip[k]
        advance(p, s, (steer[k] - s[{delta}]) / T, T)
        s[{delta}] = steer[k]  # not what rounding makes of it
        wait -= 1
        if wait == 0:
            wait = every
            for j in range(picks.shape[0]):
                record[j, row] = s[picks[j]]
            row += 1


@entry
def settle(p, s, drifts, T, ticks, out):
    for i in range(drifts.shape[0]):
        s[{drift}] = s[{before}] = drifts[i]
        for k in range(ticks):
            advance(p, s, 0.0, T)
        out[i, 0], out[i, 1], out[i, 2] = -s[{force}], s[{lateral}], s[{stuck}]
"""


@dataclass(frozen=True, kw_only=True)
class Carcass:
    """How the tread gives way sideways under the rim: the tyre's lateral elasticity and inertia.

    Rolling, the force then builds up over the relaxation length, cornering stiffness over this stiffness.

    Args:
        stiffness: kc [N/m], > 0.
        damping: bc [N·s/m], >= 0.
        mass: mc [kg], >= 0, of the tread.

    Example:
        >>> from tegotae.steering import Carcass, ContactPatch
        >>> soft = ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5))
        >>> sudden = soft.run(steer=[0.0] * 30, slip_angle=0.01, speed=10.0, period=1e-3)
        >>> bool(sudden.lateral_force[5] < 0.6 * sudden.lateral_force[-1])
        True
    """

    stiffness: float
    damping: float = 0.0
    mass: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "stiffness", checks.positive("Carcass", "stiffness", self.stiffness, "N/m", "Such as 1e5."))
        set_(self, "damping", checks.at_least_zero("Carcass", "damping", self.damping, "N·s/m", "Give 0 for none."))
        set_(self, "mass", checks.at_least_zero("Carcass", "mass", self.mass, "kg", "Give 0 for none."))


@dataclass(frozen=True, kw_only=True)
class ContactPatch(Impedance):
    """The contact patch of a tyre: steering rate in, torque out.  [yamamoto2006 (4)-(8)]

    A row of bristles moves through the patch as the tyre rolls, forwards or backwards or not at all, each a spring
    and a damper that sticks to the road up to its own friction limit. As a block it answers the steering rate
    [rad/s] with the torque on what steers it [N·m], -tau_r; `speed`, `drift` (sideways velocity of the tread that
    steering does not cause) [m/s] and `yaw_rate` [rad/s] are parts of its state that a circuit feeds.

    Args:
        stiffness: K [N/m] of one bristle of 21; scaled, so that the number of bristles is only a resolution.
        damping: B [N·s/m] of one bristle of 21, >= 0.
        friction: mu [-], > 0, or a law over the slip speed [m/s], such as
            `tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5)`, or a function of it that numba can compile.
        bristles: n, at least 1.
        half_length: a [m], > 0; the patch reaches from -a to a.
        centre: xi_c [m], where the steering axis meets the road.
        pressure: load over the length of the patch.
        slip_share: slip angle for each steer angle [-], 1 - lf/l of a vehicle that does not slide, (3); 0 if the
            slip is fed.
        carcass: how the tread gives way sideways; None for a rigid one, as in the paper.

    Example:
        >>> from tegotae.steering import ContactPatch
        >>> patch = ContactPatch(stiffness=1e4, damping=0.0, friction=0.4, bristles=401)
        >>> held = patch.steady(slip_angle=0.02, speed=20.0)
        >>> round(held.lateral_force, 1), round(held.torque, 2)
        (323.8, 12.38)
        >>> parked = patch.run(steer=[0.0, 0.05, 0.1], slip_angle=0.0, speed=0.0, period=1e-3)
        >>> bool(parked.torque[-1] > 10.0), bool(parked.stuck[-1] < 1.0)
        (True, True)
    """

    stiffness: float = 500.0
    damping: float = 150.0
    friction: Law | Callable[[float], float] | float = 0.4
    bristles: int = REFERENCE_COUNT
    half_length: float = 0.1
    centre: float = 0.02
    pressure: Pressure = field(default_factory=Parabolic)
    slip_share: float = 0.0
    carcass: Carcass | None = None

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = "ContactPatch", object.__setattr__
        set_(
            self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", "Such as 500, of 21 bristles.")
        )
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m", "Give 0 for none."))
        if callable(self.friction):
            set_(self, "friction", as_law(own, self.friction))
        else:
            told = "Give mu, such as 0.4, a law, or a function of the slip speed."
            set_(self, "friction", checks.positive(own, "friction", self.friction, "", told))
        set_(self, "bristles", checks.whole(own, "bristles", self.bristles, 1, "Use 21 or more; 101 for feel."))
        set_(self, "half_length", checks.positive(own, "half_length", self.half_length, "m", "Such as 0.1."))
        set_(self, "centre", checks.number(own, "centre", self.centre, "m", "Such as 0.02."))
        set_(self, "slip_share", checks.number(own, "slip_share", self.slip_share, "", "Such as 0.5, or 0."))
        if not isinstance(self.pressure, Pressure):
            checks.refuse(
                own,
                f"pressure={checks.shown(self.pressure)} is no profile.",
                "Give Parabolic(), Uniform(load=...), ...",
            )
        if not isinstance(self.carcass, Carcass | None):
            checks.refuse(
                own,
                f"carcass={checks.shown(self.carcass)} is none.",
                "Give Carcass(stiffness=...), or None for a rigid one.",
            )

    # ------------------------------------------------------------ the block

    @property
    def fields(self) -> tuple[Field, ...]:
        """The state: what it gives, what it is fed, and every bristle."""
        return (
            Field("force", "N·m", "torque on what steers it"),
            Field("lateral_force", "N", "on the tyre, to the left"),
            Field("stuck", "-", "share of the bristles that stick"),
            Field("steer", "rad", "steer angle of the tyre, to the left"),
            Field("speed", "m/s", "of the vehicle, forwards", fed=True),
            Field("drift", "m/s", "sideways velocity that steering does not cause", recorded=False, fed=True),
            Field("yaw_rate", "rad/s", "of the vehicle, to the left", recorded=False, fed=True),
            Field("drift_before", "m/s", "at the end of the last tick", recorded=False),
            Field("phase", "-", "how far the bristles are on their way to the next place", recorded=False),
            Field("carcass_deflection", "m", "by which the tread gives way, to the left", recorded=False),
            Field("carcass_velocity", "m/s", "of the tread against the rim", recorded=False),
            Field(
                "deflection", "m", "of every bristle, from the rear to the front", recorded=False, size=self.bristles
            ),
            Field("rows", "", "worked out once a tick", recorded=False, size=k.ROWS + k.ROOM * self.bristles),
        )

    @property
    def law(self) -> Law:
        """Friction over slip speed, for a load of 1 N."""
        return self.friction if isinstance(self.friction, Law) else Coulomb(cast(float, self.friction))

    @property
    def parameters(self) -> Array:
        """[K, B, a, xi_c, share, scale, n, pressure at, kc, bc, mc, law..., pressure...]."""
        scale = REFERENCE_COUNT / self.bristles
        law = np.asarray(self.law.parameters, dtype=np.float64)
        head = [self.stiffness * scale, self.damping * scale, self.half_length, self.centre, self.slip_share, scale]
        give = self.carcass
        tread = [give.stiffness, give.damping, give.mass] if give else [0.0, 0.0, 0.0]
        where = [self.bristles, k.FRICTION + law.size]
        return np.concatenate([head, where, tread, law, self.pressure.parameters])

    @property
    def kernels(self) -> Kernels:
        """Made for the pressure profile, the friction law and the carcass."""
        coulomb, general = (k.coulomb_patch_kernels, k.patch_kernels)
        if self.carcass:
            coulomb, general = (c.coulomb_carcass_kernels, c.carcass_kernels)
        if isinstance(self.law, Coulomb):
            return Kernels(coulomb, (self.pressure.kernel,))
        return Kernels(general, (self.pressure.kernel, *self.law.kernels))

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """Bristles at cell centres, unstretched; fields named in `initial` set."""
        given = dict(initial or {})
        given.setdefault("phase", 0.5)
        given.setdefault("drift_before", given.get("drift", 0.0))
        return super().initial_state(period, given)

    def fault(self, state: Array) -> Fault | None:
        """Bristles are on their way to the next place; rows are worked out or not."""
        found = super().fault(state)
        if found is None and not 0.0 <= state[k.PHASE] < 1.0:
            found = Fault(k.PHASE, "a share of the way to the next place, 0 <= phase < 1")
        ready = k.BRISTLES + self.bristles + k.READY
        if found is None and state[ready] not in (0.0, 1.0):
            found = Fault(ready, "1 if the rows are worked out, else 0")
        return found

    # ------------------------------------------------------------ use

    @cached_property
    def _module(self) -> ModuleType:
        names = {"speed": k.SPEED, "drift": k.DRIFT, "before": k.DRIFT_BEFORE, "delta": k.DELTA}
        names |= {"force": k.FORCE, "lateral": k.LATERAL, "stuck": k.STUCK}
        return build(self.kernels.source() + _LOOPS.format(**names), self.kernels.imports())

    def run(  # type: ignore[override]
        self,
        *,
        steer: ArrayLike,
        slip_angle: ArrayLike = 0.0,
        speed: ArrayLike,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Steer it along a record, compiled. It starts at rest in the first steer angle, bristles unstretched.

        Args:
            steer: delta at the end of each tick [rad], (ticks,).
            slip_angle: alpha beyond slip_share times steer [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from.

        Returns:
            `torque` [N·m] (tau_r: resists steering to the left), `lateral_force` [N] (on the tyre, to the left),
            `stuck` [-], beside what was given.
        """
        period = checks.period_of(self.name, period)
        angles = checks.signal(self.name, "steer", steer, "rad", 1).ravel()
        ticks = angles.size
        slips = checks.held(self.name, "slip_angle", slip_angle, "rad", ticks)
        speeds = checks.held(self.name, "speed", speed, "m/s", ticks)
        every = checks.whole(self.name, "every", every, 1, "Use every=1 to record each tick.")
        names, picks = picks_of(self, record)
        start = {
            "steer": angles[0],
            "speed": speeds[0],
            "drift": speeds[0] * slips[0],
            **checks.mapping(self.name, "initial", initial, 'Such as {"steer": 0.1}.'),
        }
        state = first_state(self, period, start)
        table = np.empty((picks.size, ticks // every))
        self._module.loop(self.parameters, state, angles, slips, speeds, period, every, picks, table)
        report_divergence(self.name, table, every, period)
        variables = {"time": time_of(ticks, every, period)}
        variables["slip_angle"] = Variable(("time",), slips[every - 1 :: every].copy(), "rad", "as given")
        variables |= variables_of(self, names, table, flat=True)
        if "force" in variables:
            torque = variables.pop("force")
            variables["torque"] = Variable(torque.dims, -torque.values, "N·m", "resists steering to the left")
        return Result(variables, title=self.name, about=about(self, period))

    def steady(self, *, slip_angle: ArrayLike, speed: float) -> Steady:
        """Roll straight on at each slip angle until every bristle has passed through the patch.

        Args:
            slip_angle: alpha [rad], a number or an array.
            speed: V [m/s], not 0; negative rolls backwards.
        """
        V = checks.number(self.name, "speed", speed, "m/s", "Give one speed.")
        if abs(V) < checks.SMALLEST:
            checks.refuse(self.name, "speed=0: a parked tyre never settles.", "Use run(steer=..., speed=0.0, ...).")
        angles = np.atleast_1d(checks.array(self.name, "slip_angle", slip_angle, "rad"))
        if not np.isfinite(angles).all():
            bad = angles[~np.isfinite(angles)][0]
            checks.refuse(self.name, f"slip_angle={bad} rad is not finite.", "Give angles between -1.5 and 1.5.")
        if self.carcass:  # settled, it does not move: what it does on the way is of no interest here
            return replace(self, carcass=None).steady(slip_angle=slip_angle, speed=speed)
        # One place a tick: after n ticks every bristle has entered since the start.
        T = 2.0 * self.half_length / self.bristles / abs(V)
        state = self.initial_state(T, {"speed": V})
        out = np.empty((angles.size, 3))
        self._module.settle(self.parameters, state, V * angles.ravel(), T, self.bristles + 1, out)
        columns = {"slip_angle": angles, "torque": out[:, 0], "lateral_force": out[:, 1], "stuck": out[:, 2]}
        return Steady.of(columns, np.shape(slip_angle))
