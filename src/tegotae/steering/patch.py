"""The contact patch of a tyre: a row of bristles that moves through it as the tyre rolls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.friction.laws import Coulomb, Law, as_law
from tegotae.layout import Layouts, Part, layouts
from tegotae.parameters import Declared, Parameter, declared, parts_of
from tegotae.result import Result, Variable
from tegotae.running import loop
from tegotae.state import Fault, State
from tegotae.steering.kernels import carcass as c
from tegotae.steering.kernels import patch as k
from tegotae.steering.pressure import REFERENCE_COUNT, Parabolic, Pressure
from tegotae.steering.steady import Steady, ends_of, fed_with, rates_of

LAW = Part("law", "", "numbers of the friction law", ("law",))
PRESSURE = Part("pressure", "", "numbers of the pressure profile", ("pressure",))
SCALE = Part("scale", "-", "of the load of one bristle")
_STATE = (
    Part("force", "N·m", "torque on what steers it"),
    Part("lateral_force", "N", "on the tyre, to the left", letter="Fy"),
    Part("stuck", "-", "share of the bristles that stick"),
    Part("steer", "rad", "steer angle of the tyre, to the left", letter="delta"),
    Part("speed", "m/s", "of the vehicle, forwards", letter="V", fed=True),
    Part("drift", "m/s", "sideways velocity that steering does not cause", letter="q", recorded=False, fed=True),
    Part("yaw_rate", "rad/s", "of the vehicle, to the left", letter="r", recorded=False, fed=True),
    Part("drift_before", "m/s", "at the end of the last tick", letter="q0", recorded=False),
    Part("phase", "-", "how far the bristles are on their way to the next place", recorded=False),
    Part("carcass_deflection", "m", "by which the tread gives way, to the left", letter="yc", recorded=False),
    Part("carcass_velocity", "m/s", "of the tread against the rim", letter="wc", recorded=False),
    Part("deflection", "m", "of every bristle, from the rear to the front", ("n",), "e", recorded=False),
)
_WORKSPACE = (
    Part("speed", "m/s", "for which the rows are worked out", letter="V"),
    Part("yaw_rate", "rad/s", "the same", letter="r"),
    Part("slip", "m/s", "V alpha at the end of the tick, not steered further", letter="Va"),
    Part("turning", "m/s²", "by which the tread's velocity changes under a bristle"),
    Part("phase", "-", "after the tick"),
    Part("shift", "", "places by which all bristles move to the rear", whole=True),
    Part("unsteered", "N", "what each would resist with if it stuck, not steered further", ("n",), "f_0"),
    Part("steered", "N·s/rad", "by how much more, the faster it is steered", ("n",), "f_v"),
    Part("load", "N", "on each", ("n",)),
    Part("inside", "s", "how long each has been in the patch during the tick", ("n",), "Ti"),
)


def _friction(owner: str, name: str, value: object) -> Law | float:
    """mu, or a law."""
    if callable(value):
        return as_law(owner, name, value)
    return checks.positive(owner, name, value, "", "Give mu, such as 0.4, a law, or a function of the slip speed.")


# Of patches, with or without a width.
Stiffness = Annotated[
    float, Parameter("K [N/m], > 0, of one bristle of 21; scaled, so that the number of bristles is a resolution")
]
Damping = Annotated[float, Parameter("B [N·s/m], >= 0, of one bristle of 21")]
Friction = Annotated[
    Law | Callable[[float], float] | float,
    Parameter(
        "mu [-], > 0, or a law over the slip speed [m/s], such as `tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5)` "
        "or a function of it that can be compiled",
        accept=_friction,
    ),
]
Bristles = Annotated[int, Parameter(">= 1, along the patch", "Use 21 or more; 101 for feel.")]
HalfLength = Annotated[float, Parameter("a [m], > 0; the patch reaches from -a to a")]
Centre = Annotated[float, Parameter("xi_c [m], where the steering axis meets the road")]
Profile = Annotated[
    Pressure, Parameter("load over the length of the patch", "Give Parabolic(), Uniform(load=...), ...")
]


@cache
def _layout(bristles: int, law: int, pressure: int) -> Layouts:
    sizes = {"n": bristles, "law": law, "pressure": pressure}
    own = parts_of(ContactPatch, "stiffness", "damping", "half_length", "centre", "slip_share")
    give = tuple(replace(part, name=f"carcass_{part.name}") for part in parts_of(Carcass))
    parameters = (*own, SCALE, *give, LAW, PRESSURE)
    return layouts(parameters=parameters, state=_STATE, workspace=_WORKSPACE, sizes=sizes)


@dataclass(frozen=True, kw_only=True)
class Carcass(Declared):
    """How the tread gives way sideways under the rim: the tyre's lateral elasticity and inertia.

    Rolling, the force then builds up over the relaxation length, cornering stiffness over this stiffness.

    Example:
        >>> from tegotae.steering import Carcass, ContactPatch
        >>> soft = ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5))
        >>> sudden = soft.run(steer=[0.0] * 30, slip_angle=0.01, speed=10.0, period=1e-3)
        >>> bool(sudden.lateral_force[5] < 0.6 * sudden.lateral_force[-1])
        True
    """

    stiffness: Annotated[float, Parameter("kc [N/m], > 0", such_as="1e5")]
    damping: Annotated[float, Parameter("bc [N·s/m], >= 0")] = 0.0
    mass: Annotated[float, Parameter("mc [kg], >= 0, of the tread")] = 0.0


@dataclass(frozen=True, kw_only=True)
class ContactPatch(Impedance):
    """The contact patch of a tyre: steering rate in, torque out.  [yamamoto2006 (4)-(8)]

    A row of bristles moves through the patch as the tyre rolls, forwards or backwards or not at all, each a spring
    and a damper that sticks to the road up to its own friction limit. As a block it answers the steering rate
    [rad/s] with the torque on what steers it [N·m], -tau_r; `speed`, `drift` (sideways velocity of the tread that
    steering does not cause) [m/s] and `yaw_rate` [rad/s] are parts of its state that a circuit feeds.

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

    stiffness: Stiffness = 500.0
    damping: Damping = 150.0
    friction: Friction = 0.4
    bristles: Bristles = REFERENCE_COUNT
    half_length: HalfLength = 0.1
    centre: Centre = 0.02
    pressure: Profile = field(default_factory=Parabolic)
    slip_share: Annotated[
        float, Parameter("share [-], slip angle for each steer angle, 1 - lf/l by (3); 0 if the slip is fed")
    ] = 0.0
    carcass: Annotated[Carcass | None, Parameter("how the tread gives way sideways; None for a rigid one")] = None

    dimension = 1

    # ------------------------------------------------------------ the block

    @property
    def layout(self) -> Layouts:
        """Bristles, geometry, law and pressure; what it gives, what it is fed, every bristle; the rows of a tick."""
        return _layout(self.bristles, len(self.law.parameters), self.pressure.parameters.size)

    @property
    def law(self) -> Law:
        """Friction over slip speed, for a load of 1 N."""
        return self.friction if isinstance(self.friction, Law) else Coulomb(cast(float, self.friction))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Stiffness, damping and load of one bristle of this many."""
        scale, give = REFERENCE_COUNT / self.bristles, self.carcass
        return {
            "stiffness": self.stiffness * scale,
            "damping": self.damping * scale,
            "half_length": self.half_length,
            "centre": self.centre,
            "slip_share": self.slip_share,
            "scale": scale,
            **{f"carcass_{name}": getattr(give, name, 0.0) for name in declared(Carcass)},
            "law": self.law.parameters,
            "pressure": self.pressure.parameters,
        }

    @property
    def kernels(self) -> Kernels:
        """Made for the pressure profile, the friction law and the carcass."""
        coulomb, general = (k.coulomb_patch_kernels, k.patch_kernels)
        if self.carcass:
            coulomb, general = (c.coulomb_carcass_kernels, c.carcass_kernels)
        if isinstance(self.law, Coulomb):
            return Kernels(coulomb, (self.pressure.kernel,))
        return Kernels(general, (self.pressure.kernel, *self.law.kernels))

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Bristles at cell centres, unstretched; fields named in `initial` set."""
        state = super().initial_state(period, initial)
        given = initial or {}
        if "phase" not in given:
            state["phase"] = 0.5
        if "drift_before" not in given:
            state["drift_before"] = state["drift"]
        return state

    def fault(self, state: State) -> Fault | None:
        """Bristles are on their way to the next place."""
        return super().fault(state) or phase_fault(state, "phase")

    # ------------------------------------------------------------ use

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
        progress: Callable[[float], None] | None = None,
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
            progress: called with the share that is done, now and then.

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
        given = checks.mapping(self.name, "initial", initial, 'Such as {"steer": 0.1}.')
        at = self.initial_state(period, {"steer": given["steer"]})["steer"] if "steer" in given else angles[0]
        fed = fed_with(self, {"speed": speeds, "drift": slips}, ticks)
        with np.errstate(over="ignore", invalid="ignore"):  # the run tells that it diverged
            fed.rows[1] *= speeds
            rates = rates_of(angles, at, period)
        run = loop.run(
            self,
            loop.Signal("steer_rate", rates, "rad/s"),
            period,
            every=every,
            record=record,
            initial={"steer": at, "drift": fed.rows[1, 0], **given},
            progress=progress,
            more=fed,
        )
        variables = {"time": run.variables["time"]}
        variables["slip_angle"] = Variable(("time",), slips[every - 1 :: every].copy(), "rad", "as given")
        variables |= {name: run.variables[name] for name in run if name not in ("time", "steer_rate", "force")}
        # What was recorded is nobody else's: it is changed where it lies.
        if "steer" in run:  # not what rounding makes of it
            run.steer[:] = angles[every - 1 :: every]
        if "force" in run:
            torque = np.negative(run.force, out=run.force)
            variables["torque"] = Variable(("time",), torque, "N·m", "resists steering to the left")
        return Result(variables, title=run.title, about=run.about)

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
        ticks = self.bristles + 1
        inputs: dict[str, ArrayLike] = {"speed": V, "drift": np.repeat(V * angles.ravel(), ticks)}
        names = ("force", "lateral_force", "stuck")
        against, left, stuck = ends_of(self, np.zeros(angles.size * ticks), inputs, T, ticks, names)
        columns = {"slip_angle": angles, "torque": -against, "lateral_force": left, "stuck": stuck}
        return Steady.of(columns, np.shape(slip_angle))


def phase_fault(state: State, name: str) -> Fault | None:
    """Where bristles cannot be between two places."""
    if 0.0 <= state[name] < 1.0:
        return None
    return Fault(name, 0, "a share of the way to the next place, 0 <= phase < 1")
