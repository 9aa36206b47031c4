"""Steering wheels in both causalities: their simulated twins, and the loops that are closed through them.

    TorqueSensorWheel    torque sensor in, angle out     its servo holds the rim where the model says    `steer`
    ForceFeedbackWheel   encoder in, torque out          a consumer's force-feedback wheel               `feel`

What a driver of a real wheel must offer is `AdmittanceDevice` for the first and `ImpedanceDevice` for the second
(`tegotae.device.interface`), with torques [N·m] and angles [rad], positive to the left, in arrays of shape (1,).
Time passes in `command`, one period a call. Both loops are loops through a device (`tegotae.device.loop`), in torques
and angles, for models that need be no block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.control.servo import PID, PSMC
from tegotae.device.hand import Hand
from tegotae.device.interface import AdmittanceDevice, Clock, DeviceError, ImpedanceDevice
from tegotae.device.loop import DeviceLoop, Watch
from tegotae.device.twins import LiveTwin, rounded
from tegotae.parameters import Declared, Parameter, Seed
from tegotae.result import Result
from tegotae.running.live import LiveAdmittance
from tegotae.steering.hands import Driver, TorqueProfile
from tegotae.steering.kernels.wheel import wheel_pass
from tegotae.steering.rendering import AngleModel, LocalRenderer, Packet, angle_field

Grip = Driver | TorqueProfile | Hand
SUBSTEPS = 10  # of the mechanics in a tick: their own discretisation stays far below that of the loop


@dataclass(frozen=True, kw_only=True)
class _Wheel(Declared):
    """What both wheels are made of."""

    inertia: Annotated[float, Parameter("[kg·m²], > 0, of rim and motor")] = 0.05
    friction: Annotated[float, Parameter("[N·m], >= 0, dry, of the bearings")] = 0.0
    damping: Annotated[float, Parameter("[N·m·s/rad], >= 0, viscous")] = 0.0
    resolution: Annotated[float, Parameter("[rad], >= 0, encoder step")] = 0.0
    torque_limit: Annotated[float, Parameter("[N·m], > 0, the motor's largest torque")]
    latency: Annotated[int, Parameter(">= 0, ticks between a command and the motor's torque")] = 0
    dimension: ClassVar[int] = 1


class _LiveWheel(LiveTwin):
    """A wheel in motion: its mechanics, its encoder and its motor."""

    grips: ClassVar[str] = "Give a Driver, a TorqueProfile or None."
    twin: _Wheel

    def __init__(self, twin: _Wheel, hand: Grip | None, period: float, angle: float):
        start = checks.number(type(twin).__name__, "angle", angle, "rad")
        super().__init__(twin, hand, period, start, twin.latency)  # type: ignore[arg-type]  # `hold` takes every grip
        wheel_pass(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, self.period, SUBSTEPS)  # compiled now

    def hold(self, hand: Grip | None) -> None:
        """Another hand takes the wheel, or none does."""
        super().hold(hand.hand() if isinstance(hand, Driver | TorqueProfile) else hand)

    @property
    def angle(self) -> float:
        """Where the rim truly is [rad], unlike what the encoder says."""
        return float(self._state[0, 0])

    @property
    def velocity(self) -> float:
        """How fast it truly turns [rad/s]."""
        return float(self._state[1, 0])

    @property
    def hand_torque(self) -> float:
        """Torque of the hand on the rim now [N·m]."""
        return self._pull().item()

    def read_angle(self) -> Array:
        """What the encoder says [rad], shape (1,)."""
        return rounded(self._state[0], self.twin.resolution)

    def _moved(self, command: Array, push: Array) -> Array:
        wheel, hand = self.twin, self.hand
        self.motor_torque = min(max(command.item(), -wheel.torque_limit), wheel.torque_limit)
        grip = (hand.stiffness, hand.damping, self._target.item(), self._target_velocity.item())
        body = (wheel.inertia + hand.mass, wheel.damping, wheel.friction)
        torques = (self.motor_torque, push.item())
        return np.array(wheel_pass(self.angle, self.velocity, *torques, *grip, *body, self.period, SUBSTEPS))[:, None]

    def stop(self) -> None:
        """Motor off, at once: the hand has the wheel. Torques still on their way are dropped."""
        super().stop()
        self.motor_torque = 0.0  # that the motor exerts now [N·m]


@dataclass(frozen=True, kw_only=True)
class TorqueSensorWheel(_Wheel):
    """A wheel with a torque sensor and a strong motor: its own servo follows the angle it is told.

    command -> servo (against the encoder) -> latency -> torque limit -> inertia and friction -> encoder.

    Example:
        >>> from tegotae.control import PSMC
        >>> from tegotae.steering.wheels import TorqueSensorWheel
        >>> servo = PSMC(proportional=300.0, integral=1000.0, derivative=6.0, recovery=0.1, limit=8.0)
        >>> wheel = TorqueSensorWheel(servo=servo, torque_limit=8.0, friction=0.05).start(period=1e-3)
        >>> for _ in range(1000):
        ...     wheel.command(0.3)
        >>> round(wheel.angle, 2)
        0.3
    """

    servo: Annotated[PSMC | PID, Parameter("position controller; gains in N·m and rad")]
    noise: Annotated[float, Parameter("[N·m], >= 0, standard deviation of each torque reading")] = 0.0
    seed: Seed = 0

    def start(self, *, period: float, hand: Grip | None = None, angle: float = 0.0) -> LiveTorqueSensorWheel:
        """The wheel at rest at `angle` [rad], motor off, in the hands of `hand` or of nobody."""
        return LiveTorqueSensorWheel(self, hand, period, angle)


class LiveTorqueSensorWheel(_LiveWheel):
    """A `TorqueSensorWheel` in motion; it has the members of an `AdmittanceDevice`.

    Unlike an arm, a stopped wheel does not hold still but lets go: a person steers on with it.
    """

    causality: ClassVar[Literal["admittance"]] = "admittance"
    twin: TorqueSensorWheel

    def __init__(self, twin: TorqueSensorWheel, hand: Grip | None, period: float, angle: float):
        super().__init__(twin, hand, period, angle)
        self._random = np.random.default_rng(twin.seed)

    def read(self) -> Array:
        """What the torque sensor says [N·m], shape (1,)."""
        noise = self.twin.noise * self._random.standard_normal() if self.twin.noise > 0.0 else 0.0
        return np.array([self.hand_torque + noise])

    def command(self, angle: ArrayLike) -> None:
        """Servo towards an angle [rad] for one period."""
        wanted = self._vector("angle", angle, "rad").item()
        self._pass_time(np.array([self._servo.control(wanted, self.read_angle().item())]))

    def stop(self) -> None:
        """Motor off, at once. The servo starts afresh with the next command, without what it had wound up."""
        super().stop()
        self._servo = self.twin.servo.start(period=self.period)


@dataclass(frozen=True, kw_only=True)
class ForceFeedbackWheel(_Wheel):
    """A consumer's wheel: an encoder, a motor, no torque sensor.

    Example:
        >>> from tegotae.steering.wheels import ForceFeedbackWheel
        >>> wheel = ForceFeedbackWheel(inertia=0.05, torque_limit=5.0).start(period=1e-3)
        >>> for _ in range(1000):
        ...     wheel.command(0.1)
        >>> round(wheel.velocity, 9)
        2.0
    """

    def start(self, *, period: float, hand: Grip | None = None, angle: float = 0.0) -> LiveForceFeedbackWheel:
        """The wheel at rest at `angle` [rad], motor off, in the hands of `hand` or of nobody."""
        return LiveForceFeedbackWheel(self, hand, period, angle)


class LiveForceFeedbackWheel(_LiveWheel):
    """A `ForceFeedbackWheel` in motion; it has the members of an `ImpedanceDevice`."""

    causality: ClassVar[Literal["impedance"]] = "impedance"

    def read(self) -> Array:
        """What the encoder says [rad], shape (1,)."""
        return self.read_angle()

    def command(self, torque: ArrayLike) -> None:
        """Exert a torque [N·m] for one period, once the latency has passed."""
        self._pass_time(self._vector("torque", torque, "N·m"))


# ------------------------------------------------------------ loops through a wheel


def steer(
    device: AdmittanceDevice,
    model: LiveAdmittance,
    ticks: int,
    *,
    torque_limit: float | None = None,
    clock: Clock | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Steer a model through a wheel with a torque sensor: torque of the hand in, angle out.

    The result has `hand_torque` [N·m] as read, `wheel_angle` [rad] as commanded, `wheel_velocity` [rad/s], what was
    watched, and with a real clock `slack` and `lateness` [s].

    Args:
        device: torque sensor in, angle out, such as a started `TorqueSensorWheel`.
        model: started, such as a `SteeringSystem` or a `Circuit`; its angle is commanded as it stands.
        ticks: how many.
        torque_limit: [N·m], > 0; a larger reading releases the wheel with an error.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.control import PSMC
        >>> from tegotae.steering.hands import Driver, Ramp
        >>> from tegotae.steering.wheels import TorqueSensorWheel, steer
        >>> servo = PSMC(proportional=300.0, integral=1000.0, derivative=6.0, recovery=0.1, limit=8.0)
        >>> twin = TorqueSensorWheel(servo=servo, torque_limit=8.0)
        >>> wheel = twin.start(period=1e-3, hand=Driver(angle=Ramp(rate=1.0)))
        >>> column = tg.FrictionAdmittance(mass=0.05, law=tg.Coulomb(0.5))
        >>> result = steer(wheel, column.start(period=1e-3), 2000)
        >>> round(float(result.hand_torque[-1]), 2)  # the friction, felt through sensor, model and servo
        0.5
    """
    _check_model("steer", model)
    loop = _WheelLoop("admittance", device, model, ticks, clock, torque_limit, watch)
    field = angle_field("steer", model)

    def tick(k: int) -> tuple[ArrayLike, ...]:
        torque = loop.read(k)
        loop.see_push(k, torque)
        velocity = model.step(torque.item())
        angle = np.atleast_1d(model[field])
        loop.command(k, angle)
        return torque, angle, velocity

    read, commanded, moved = ("N·m", "as read"), ("rad", "as commanded"), ("rad/s", "")
    return loop.run(tick, {"hand_torque": read, "wheel_angle": commanded, "wheel_velocity": moved})


def feel(
    device: ImpedanceDevice,
    model: AngleModel,
    ticks: int,
    *,
    latency: int = 0,
    renderer: LocalRenderer | None = None,
    torque_limit: float | None = None,
    clock: Clock | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Feel a model through a wheel without a torque sensor: angle in, torque back.

    The result has `wheel_angle` [rad] as read, `wheel_torque` [N·m] as commanded, `model_torque` [N·m] as the model
    answered, what was watched, and with a real clock `slack` and `lateness` [s]; `about` counts the limited ticks.

    Args:
        device: encoder in, torque out, such as a started `ForceFeedbackWheel`.
        model: asked by angle: a `GearedImpedance`, or a `VirtualCoupling` to anything that moves.
        ticks: how many.
        latency: whole ticks >= 0 that each answer of the model is kept back, to try a link; 0 for a real one.
        renderer: what the device itself makes of late answers; as they come unless given.
        torque_limit: [N·m], > 0; a larger torque is cut to it and counted. None leaves that to the device.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.steering.hands import Driver, Ramp
        >>> from tegotae.steering.rendering import GearedImpedance
        >>> from tegotae.steering.wheels import ForceFeedbackWheel, feel
        >>> wheel = ForceFeedbackWheel(torque_limit=5.0).start(period=1e-3, hand=Driver(angle=Ramp(rate=1.0)))
        >>> tyre = tg.FrictionImpedance(stiffness=800.0, law=tg.Coulomb(20.0))
        >>> result = feel(wheel, GearedImpedance(tyre.start(period=1e-3), gear=16.0), 2000)
        >>> float(result.wheel_torque[-1])
        -1.25
    """
    _check_model("feel", model)
    loop = _WheelLoop("impedance", device, model, ticks, clock, torque_limit, watch)
    latency = checks.whole("feel", "latency", latency, 0, "Give whole ticks; 0 for none.")
    if renderer is not None:
        checks.instance("feel", "renderer", renderer, LocalRenderer, "Give a LocalRenderer(...), or None.")
    local = renderer.start(period=model.period) if renderer is not None else None
    link: deque[Packet] = deque()

    def tick(k: int) -> tuple[ArrayLike, ...]:
        angle = loop.read(k).item()
        answer = model.step(angle)
        if k == 0:
            link.extend([Packet(torque=0.0, angle=angle)] * latency)  # nothing has come yet
        link.append(answer)
        packet = link.popleft()
        wanted = packet.torque if local is None else local.render(packet, angle)
        torque = loop.shortened(np.array([wanted]))
        loop.command(k, torque)
        return angle, torque, answer.torque

    read, commanded, asked = ("rad", "as read"), ("N·m", "as commanded"), ("N·m", "as asked")
    return loop.run(tick, {"wheel_angle": read, "wheel_torque": commanded, "model_torque": asked})


def _check_model(owner: str, model: Any) -> None:
    """Refuse what is not started, and so does not step."""
    remedy = "Give a started model, such as block.start(period=…)."
    checks.function(owner, "model", getattr(model, "step", None), remedy)
    checks.period_of(owner, getattr(model, "period", None))


class _WheelLoop(DeviceLoop):
    """A loop through a wheel; it tells of whatever a driver raises when its device has gone."""

    word: ClassVar[str] = "wheel"
    stopped: ClassVar[str] = "released"
    motion: ClassVar[tuple[str, str]] = ("angle", "rad")
    push: ClassVar[tuple[str, str]] = ("torque", "N·m")
    loops: ClassVar[Mapping[str, str]] = {"impedance": "feel", "admittance": "steer"}

    def read(self, k: int) -> Array:
        """What the wheel says."""
        try:
            return super().read(k)
        except DeviceError:
            raise
        except Exception as error:
            raise DeviceError(
                f"{self.owner}: the wheel gave no {self._input[0]} at tick {k} ({error!r}).\n"
                "  It was released. Check its cable, then start again: the model stands where it was."
            ) from error

    def _send(self, k: int, value: Array) -> None:
        name, unit = self._output
        try:
            super()._send(k, value)
        except Exception as error:
            raise DeviceError(
                f"{self.owner}: the wheel did not take {name}={value.item():g} {unit} at tick {k} ({error!r}).\n"
                "  It was released. Check its cable, then start again."
            ) from error
