"""The contact patch of a tyre: bristles that move through it as the tyre rolls, in a row or over its width as well."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.checks import Array
from tegotae.declared_layout import declared_layout
from tegotae.friction.laws import Coulomb, Law, as_law
from tegotae.layout import AXIS, Part
from tegotae.parameters import Declared, Parameter, declared, parts_of
from tegotae.ports import ANGULAR, LINEAR, Port, port_of
from tegotae.result import Result
from tegotae.running import loop
from tegotae.state import Fault, State
from tegotae.steering.kernels.patch import carcass_kernels, patch_kernels
from tegotae.steering.kernels.planar_patch import planar_kernels
from tegotae.steering.pressure import REFERENCE_COUNT, Parabolic, Pressure
from tegotae.steering.steady import Led, SteeredPath, Tyre, ends_of, fed_with

_PRESSURE = Part("pressure", "", "numbers of the pressure profile", ("pressure",))
_SCALE = Part("scale", "-", "of the load of one bristle")
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
    Part("load", "N", "on each; where friction is constant, times mu", ("n",)),
    Part("inside", "s", "how long each has been in the patch during the tick", ("n",), "Ti"),
    Part("before", "m", "deflection before the tick, of those that were in the patch", ("n",), "e0"),
)


def _friction(owner: str, name: str, value: object) -> Law | float:
    """mu, or a law."""
    if callable(value):
        return as_law(owner, name, value)
    return checks.positive(owner, name, value, "", "Give mu, such as 0.4, a law, or a function of the slip speed.")


@dataclass(frozen=True, kw_only=True)
class BristlePatch(Tyre, Impedance):
    """What contact patches share, with or without a width."""

    stiffness: Annotated[
        float, Parameter("K [N/m], > 0, of one bristle of 21; scaled, so that the number of bristles is a resolution")
    ] = 500.0
    damping: Annotated[float, Parameter("B [N·s/m], >= 0, of one bristle of 21")] = 150.0
    friction: Annotated[
        Law | Callable[[float], float] | float,
        Parameter(
            "mu [-], > 0, or a law over the slip speed [m/s], such as "
            "`tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5)` or a function of it that can be compiled",
            accept=_friction,
        ),
    ] = 0.4
    bristles: Annotated[int, Parameter(">= 1, along the patch", "Use 21 or more; 101 for feel.")] = REFERENCE_COUNT
    half_length: Annotated[float, Parameter("a [m], > 0; the patch reaches from -a to a")] = 0.1
    centre: Annotated[float, Parameter("xi_c [m], where the steering axis meets the road")] = 0.02
    pressure: Annotated[
        Pressure, Parameter("load over the length of the patch", "Give Parabolic(), Uniform(load=...), ...")
    ] = field(default_factory=Parabolic)

    begins: ClassVar[Mapping[str, float | str]] = {"phase": 0.5}  # at the centres of their cells

    @property
    def law(self) -> Law:
        """Friction over slip speed, for a load of 1 N."""
        return self.friction if isinstance(self.friction, Law) else Coulomb(cast(float, self.friction))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What its kernels are made for: the pressure profile, and the friction law unless that is constant."""
        law = () if isinstance(self.law, Coulomb) else self.law.kernels
        return (self.pressure.kernel, *law)

    def scaled(self, count: int) -> dict[str, ArrayLike]:
        """Its numbers, with stiffness, damping and load of one bristle of so many."""
        scale = REFERENCE_COUNT / count
        return {
            **{part.name: getattr(self, part.name) for part in parts_of(type(self))},
            "stiffness": self.stiffness * scale,
            "damping": self.damping * scale,
            "scale": scale,
            "law": self.law.parameters,
            "pressure": self.pressure.parameters,
        }

    def fault(self, state: State) -> Fault | None:
        """Bristles are on their way to the next place."""
        return super().fault(state) or phase_fault(state, "phase")

    def run(
        self,
        velocity: ArrayLike | None = None,
        *,
        position: ArrayLike | None = None,
        steer: ArrayLike | None = None,
        slip_angle: ArrayLike = 0.0,
        speed: ArrayLike | None = None,
        slip: ArrayLike = 0.0,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Steer it along a record, compiled. It starts at rest in the first steer angle, bristles unstretched.

        Args:
            velocity: its motion as that of every impedance, or `position`, instead of `steer` and what goes with it.
            steer: delta at the end of each tick [rad], (ticks,).
            slip_angle: alpha at the end of each tick, beyond slip_share times steer [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards. Bristles pass with
                speed + slip, both as given for the tick.
            slip: R omega - V at the end of each tick [m/s], a number or (ticks,): positive drives, negative brakes,
                -V is a locked wheel. A velocity, not a ratio, so that it has a meaning at V = 0. A `PlanarPatch`
                takes it, a `ContactPatch` only rolls.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from, such as the deflections.
            inputs: what is fed beside: with velocities also the speed.
            progress: called with the share that is done, now and then.

        Returns:
            `torque` [N·m] (tau_r: resists steering to the left), `lateral_force` [N] (on the tyre, to the left), of a
            `PlanarPatch` `longitudinal_force` [N] (on the tyre, forwards), `stuck` [-], beside what was given.
        """
        options: dict[str, Any] = {"record": record, "progress": progress}
        if steer is None and speed is None:
            options |= {"every": every, "initial": initial, "inputs": inputs}
            return super().run(velocity, position=position, period=period, **options)
        if steer is None or speed is None or velocity is not None or position is not None:
            motions = {"velocity": velocity, "position": position, "steer": steer, "speed": speed}
            problem = f"run got {', '.join(name for name, value in motions.items() if value is not None)}."
            checks.refuse(self.name, problem, "Give steer= and speed=, or velocity= or position= alone.")
        path = self._path(steer, slip_angle, speed, slip, period, every)
        given = checks.mapping(self.name, "initial", initial, 'Such as {"steer": 0.1}.')
        if isinstance(given, State):
            given = {name: given.part(name) for name in self.parts}
        motion, led, begun = self._led(path, given)
        beside = checks.mapping(self.name, "inputs", inputs, loop.INPUTS)
        if twice := sorted(set(led) & set(beside)):
            checks.refuse(self.name, f"inputs names {twice[0]!r}.", "Steering and speed give it.")
        more = fed_with(self, led, path.steer.size)
        run = loop.run(self, motion, path.period, every=path.every, initial=begun, inputs=beside, more=more, **options)
        forces = run.force.T.reshape(self.dimension, -1) if "force" in run else np.empty((0, 0))
        if forces.size:  # recorded for nobody else: changed where it lies, to end with tau_r
            np.negative(forces[-1], out=forces[-1])
        variables = path.variables(forces)
        hidden = {*variables, motion.name, "force"}
        variables |= {name: one for name, one in run.variables.items() if name not in hidden}
        return Result(variables, title=run.title, about=run.about)

    @abstractmethod
    def _led(self, path: SteeredPath, initial: Mapping[str, ArrayLike]) -> Led:
        """How it moves along a path, what it is fed meanwhile, and where it begins."""


def phase_fault(state: State, name: str) -> Fault | None:
    """Where bristles cannot be between two places."""
    if 0.0 <= state[name] < 1.0:
        return None
    return Fault(name, 0, "a share of the way to the next place, 0 <= phase < 1")


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
class ContactPatch(BristlePatch):
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

    slip_share: Annotated[
        float, Parameter("share [-], slip angle for each steer angle, 1 - lf/l by (3); 0 if the slip is fed")
    ] = 0.0
    carcass: Annotated[Carcass | None, Parameter("how the tread gives way sideways; None for a rigid one")] = None

    dimension = 1
    ports = (Port("port", dimension, *ANGULAR),)
    brakes = False
    begins: ClassVar[Mapping[str, float | str]] = {**BristlePatch.begins, "drift_before": "drift"}

    # ------------------------------------------------------------ the block

    layout = declared_layout(
        *_STATE,
        derived=(_SCALE, *(replace(part, name=f"carcass_{part.name}") for part in parts_of(Carcass)), _PRESSURE),
        workspace=_WORKSPACE,
        sizes=lambda patch: {"n": patch.bristles, "pressure": patch.pressure.parameters.size},
    )

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Of one bristle of this many; of the carcass."""
        give = {f"carcass_{name}": getattr(self.carcass, name, 0.0) for name in declared(Carcass)}
        return {**self.scaled(self.bristles), **give}

    @property
    def kernels(self) -> Kernels:
        """Made for the pressure profile, the friction law and the carcass."""
        return Kernels(carcass_kernels if self.carcass else patch_kernels, self.functions)

    # ------------------------------------------------------------ use

    def _led(self, path: SteeredPath, initial: Mapping[str, ArrayLike]) -> Led:
        drift, first = path.drift, path.steer[0]
        if "steer" in initial:
            first = self.initial_state(path.period, {"steer": initial["steer"]})["steer"]
        rates = loop.Signal("steer_rate", path.rates(path.steer, first), "rad/s")
        return rates, {"speed": path.speed, "drift": drift}, {"steer": first, "drift": drift[0], **initial}

    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        if abs(V) < checks.SMALLEST:
            checks.refuse(self.name, "speed=0: a parked tyre never settles.", "Use run(steer=..., speed=0.0, ...).")
        if self.carcass:  # settled, it does not move: what it does on the way is of no interest here
            return replace(self, carcass=None)._settled(V, slip_angle, slip)
        # One place a tick: after n ticks every bristle has entered since the start.
        T = 2.0 * self.half_length / self.bristles / abs(V)
        ticks = self.bristles + 1
        inputs: dict[str, ArrayLike] = {"speed": V, "drift": np.repeat(V * slip_angle, ticks)}
        names = ("force", "lateral_force", "stuck")
        against, left, stuck = ends_of(self, np.zeros(slip_angle.size * ticks), inputs, T, ticks, names)
        return {"torque": -against, "lateral_force": left, "stuck": stuck}


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
        >>> from tegotae.steering import PlanarPatch
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
    ports = (port_of("port", [LINEAR, LINEAR, ANGULAR]),)

    # ------------------------------------------------------------ the block

    layout = declared_layout(
        Part("force", "N, N, N·m", "on the tyre, forwards and to the left, and torque on what steers it", AXIS, "f"),
        Part("stuck", "-", "share of the bristles that stick"),
        Part("rolling_speed", "m/s", "R omega, with which bristles pass", letter="Vr", recorded=False, fed=True),
        Part("slip_rate", "m/s²", "by which slip grows in the tick", letter="S_dot", recorded=False, fed=True),
        Part("drift_rate", "m/s²", "by which V alpha does", letter="Va_dot", recorded=False, fed=True),
        Part("phase", "-", "how far the bristles are on their way to the next place", recorded=False),
        Part("deflection", "m", "forwards, then to the left; row by row", (2, "n", "m"), "e", recorded=False),
        derived=(_SCALE, _PRESSURE, Part("across", "m", "of each row, to the left of the middle", ("m",), "eta")),
        sizes=lambda patch: {"n": patch.bristles, "m": patch.rows, "pressure": patch.pressure.parameters.size},
    )

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
