"""What a wheel without a torque sensor feels: a model asked by angle, and what the device itself makes of late answers.

A torque that comes back late pushes longer than it should: a parked, wound-up wheel, let go, swings for ever. No
passivity control can help, for a limit cycle has no net energy. What helps is to send with the torque the point that
it belongs to and how stiff the model is there; the device then corrects for how far it has moved on meanwhile.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tegotae import checks
from tegotae.block import Impedance
from tegotae.compile import bind
from tegotae.parameters import Declared, Parameter
from tegotae.running.live import Live, LiveAdmittance, LiveImpedance
from tegotae.running.source import module_of


@dataclass(frozen=True, kw_only=True)
class Packet:
    """What a model tells the device about one angle it was asked for.

    Args:
        torque: on the wheel [N·m], at that angle.
        angle: which the torque belongs to [rad].
        velocity: the wheel's there [rad/s].
        load_stiffness: [N·m/rad], >= 0, if the wheel goes on as it went: of what sticks.
        full_stiffness: [N·m/rad], >= 0, if it turns back: all sticks.
        speed: of the vehicle [m/s].
    """

    torque: float
    angle: float
    velocity: float = 0.0
    load_stiffness: float = 0.0
    full_stiffness: float = 0.0
    speed: float = 0.0


class AngleModel(ABC):
    """A live model asked by angle, one tick at a time. Whatever has a `period` and such a `step` will do."""

    def __init__(self, live: Live, speed: float):
        self.live = live
        self.speed = checks.number(type(self).__name__, "speed", speed, "m/s")
        self._last: float | None = None

    @property
    def period(self) -> float:
        """T [s]."""
        return self.live.period

    def step(self, angle: float) -> Packet:
        """One tick: the wheel's angle [rad] in, what it feels there out."""
        angle = checks.number(type(self).__name__, "angle", angle, "rad")
        velocity = 0.0 if self._last is None else (angle - self._last) / self.period
        torque, load, full = self._felt(angle, velocity)
        self._last = angle
        motion = {"angle": angle, "velocity": velocity, "speed": self.speed}
        return Packet(torque=torque, load_stiffness=load, full_stiffness=full, **motion)

    @abstractmethod
    def _felt(self, angle: float, velocity: float) -> tuple[float, float, float]:
        """Torque on the wheel, and the stiffness there if it goes on as it went and if it turns back."""


class GearedImpedance(AngleModel):
    """An impedance at the tyre (a patch, a friction element) behind a gear, asked by the wheel's angle.

    The stiffnesses of its packets are the impedance's own slopes: held a `horizon` long at the present speed, and
    turned back. They suit elements whose force comes from springs; a damper B counts as B / horizon.

    Args:
        live: the started impedance; it moves by angle / gear, its torque acts by 1 / gear.
        gear: N [-], > 0.
        horizon: how far ahead the packet is meant to serve [s], > 0: about the latency.
        speed: of the vehicle [m/s], as told to the device.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.steering.rendering import GearedImpedance
        >>> brake = tg.FrictionImpedance(stiffness=800.0, law=tg.Coulomb(20.0))
        >>> model = GearedImpedance(brake.start(period=1e-3), gear=10.0)
        >>> model.step(0.0).torque, round(model.step(0.1).torque, 12)
        (0.0, -0.8)
        >>> packet = model.step(1.0)  # it slides
        >>> packet.torque, packet.load_stiffness, round(packet.full_stiffness, 9)
        (-2.0, 0.0, 8.0)
    """

    live: LiveImpedance

    def __init__(self, live: LiveImpedance, *, gear: float = 1.0, horizon: float = 0.03, speed: float = 0.0):
        owner = type(self).__name__
        if not isinstance(live, LiveImpedance) or live.block.dimension != 1:
            problem = f"live={checks.shown(live)} is not a started impedance of one axis."
            checks.refuse(owner, problem, "Give block.start(period=…).")
        super().__init__(live, speed)
        self.gear = checks.positive(owner, "gear", gear, "", "Give wheel angle over tyre angle.")
        self.horizon = checks.positive(owner, "horizon", horizon, "s", "Give about the latency.")
        block = live.block
        self._seen, self._trial, self._slope = block.spaces.state.empty(), np.zeros(1), np.zeros((1, 1))
        memories = block.parameters, self._seen, block.spaces.workspace.empty()
        ask = module_of(block).answer_once
        self._ask = bind(ask, *memories, self._trial, self.horizon, np.zeros(1), self._slope)
        self._stiffness(0.0)  # compiled now, not in the loop

    def _felt(self, angle: float, velocity: float) -> tuple[float, float, float]:
        torque = float(self.live.step(position=angle / self.gear)) / self.gear
        return torque, self._stiffness(velocity), self._stiffness(-math.copysign(1e-9, velocity))

    def _stiffness(self, velocity: float) -> float:
        state = self.live.state  # it keeps the last position behind what is the impedance's own
        self._seen.real[:], self._seen.whole[:] = state.real[: self._seen.real.size], state.whole
        self._trial[0] = velocity / self.gear
        self._ask()
        return max(0.0, -self._slope.item()) / self.horizon / self.gear**2


class VirtualCoupling(AngleModel):
    """A spring and a damper between a wheel that is only asked for its angle and a model that wants a torque.

    The model moves in the tick under the coupling's torque at its start, so keep stiffness T² well below its inertia.

    Args:
        model: the started admittance, such as a `SteeringSystem` or a `Circuit`.
        stiffness: K [N·m/rad], > 0.
        damping: B [N·m·s/rad], >= 0.
        speed: of the vehicle [m/s], as told to the device.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.steering.rendering import VirtualCoupling
        >>> column = tg.FrictionAdmittance(mass=0.01, law=tg.Coulomb(0.3))
        >>> feel = VirtualCoupling(column.start(period=1e-3), stiffness=50.0, damping=0.5)
        >>> torques = [feel.step(0.001 * k).torque for k in range(1000)]
        >>> round(torques[-1], 3)  # turned at 1 rad/s it resists by its friction
        -0.3
    """

    live: LiveAdmittance

    def __init__(self, model: LiveAdmittance, *, stiffness: float, damping: float = 0.0, speed: float = 0.0):
        owner = type(self).__name__
        super().__init__(model, speed)
        self.stiffness = checks.positive(owner, "stiffness", stiffness, "N·m/rad", "Give that of the coupling.")
        self.damping = checks.at_least_zero(owner, "damping", damping, "N·m·s/rad", "Give 0 for none.")
        self._field = angle_field(owner, model)
        self._model_velocity = 0.0

    def _felt(self, angle: float, velocity: float) -> tuple[float, float, float]:
        stretch = angle - float(self.live[self._field]) - self.period * self._model_velocity
        torque = self.stiffness * stretch + self.damping * (velocity - self._model_velocity)
        self._model_velocity = float(self.live.step(torque))
        return -torque, self.stiffness, self.stiffness


@dataclass(frozen=True, kw_only=True)
class LocalRenderer(Declared):
    """What runs in the device, each tick and without delay, on packets that are late.

    Adds -k (q - q_l) for how far the wheel is from where the packet belongs: k is the stiffness in loading while it
    has gone on as it went, that of all bristles once it has turned back. On top a little saturated damping, and the
    drive train's friction, which then must not be in the model. Correction and damping hide a true shimmy: they fade
    out with the speed of the vehicle.

    Example:
        >>> from tegotae.steering.rendering import LocalRenderer, Packet
        >>> device = LocalRenderer(damping_torque=0.0).start(period=1e-3)
        >>> late = Packet(torque=-1.0, angle=0.5, velocity=0.1, load_stiffness=1.0, full_stiffness=4.0)
        >>> round(device.render(late, 0.6), 9), round(device.render(late, 0.4), 9)
        (-1.1, -0.6)
    """

    friction: Annotated[
        Impedance | None, Parameter("of the drive train, at the wheel, run in the device", "Give a FrictionImpedance.")
    ] = None
    damping_torque: Annotated[float, Parameter("[N·m], >= 0, largest torque of the damping")] = 0.02
    damping_velocity: Annotated[float, Parameter("[rad/s], > 0, at which it is reached")] = 0.1
    fade_speed: Annotated[
        float, Parameter("[m/s], > 0, of the vehicle, beyond which only packet and friction are left")
    ] = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.friction is not None and self.friction.dimension != 1:
            problem = f"friction={checks.shown(self.friction)} is not an impedance of one axis."
            checks.refuse(type(self).__name__, problem, "Give a FrictionImpedance.")

    def start(self, *, period: float) -> LiveRenderer:
        """The renderer in a device's loop."""
        return LiveRenderer(self, period)


class LiveRenderer:
    """A `LocalRenderer` in a device's loop. `LocalRenderer.start` makes it."""

    def __init__(self, renderer: LocalRenderer, period: float):
        self.renderer = renderer
        self.period = checks.period_of("LocalRenderer", period)
        self._friction = renderer.friction.start(period=self.period) if renderer.friction else None
        self._last: float | None = None

    def render(self, packet: Packet, angle: float) -> float:
        """One tick: the newest packet and the angle read now [rad] in, torque for the motor [N·m] out."""
        remedy = "The tick was not taken; hold the last torque, and render again once the encoder reads."
        angle = checks.number("LocalRenderer", "angle", angle, "rad", remedy)
        checks.instance("LocalRenderer", "packet", packet, Packet, "Give a Packet(...).")
        velocity = 0.0 if self._last is None else (angle - self._last) / self.period
        self._last = angle
        moved = angle - packet.angle
        stiffness = packet.load_stiffness if moved * packet.velocity >= 0.0 else packet.full_stiffness
        damping = self.renderer.damping_torque * float(np.clip(velocity / self.renderer.damping_velocity, -1.0, 1.0))
        share = max(0.0, 1.0 - abs(packet.speed) / self.renderer.fade_speed)
        friction = float(self._friction.step(position=angle)) if self._friction else 0.0
        torque = packet.torque - share * (stiffness * moved + damping) + friction
        if not math.isfinite(torque):
            remedy = "A model that diverged sends such: stop the motor, and start the model again."
            checks.refuse("LocalRenderer", f"{packet} makes a torque of {torque} N·m.", remedy)
        return torque


def angle_field(owner: str, model: LiveAdmittance) -> str:
    """The name under which a live model keeps the angle of its wheel."""
    known = [name for name in ("wheel_angle", "position") if isinstance(model, Live) and name in model.block.parts]
    if not known:
        problem = f"model={checks.shown(model)} has neither wheel_angle nor position."
        checks.refuse(owner, problem, "Give a model that keeps its angle.")
    return known[0]
