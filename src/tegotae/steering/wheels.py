"""Simulated twins of steering wheels, in both causalities.

    TorqueSensorWheel    torque sensor in, angle out     its servo holds the rim where the model says
    ForceFeedbackWheel   encoder in, torque out          a consumer's force-feedback wheel

What a driver of a real wheel must offer is `AdmittanceDevice` for the first and `ImpedanceDevice` for the second
(`tegotae.device.interface`), with torques [N·m] and angles [rad], positive to the left, in arrays of shape (1,).
Time passes in `command`, one period a call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.control.servo import PID, PSMC
from tegotae.device.hand import Hand
from tegotae.device.twins import LiveTwin, rounded
from tegotae.parameters import Declared, Parameter, Seed
from tegotae.steering.hands import Driver, TorqueProfile
from tegotae.steering.kernels import wheel as k

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
        k.wheel_pass(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, self.period, SUBSTEPS)  # compiled now

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
        moved = k.wheel_pass(
            self.angle,
            self.velocity,
            self.motor_torque,
            push.item(),
            hand.stiffness,
            hand.damping,
            self._target.item(),
            self._target_velocity.item(),
            wheel.inertia + hand.mass,
            wheel.damping,
            wheel.friction,
            self.period,
            SUBSTEPS,
        )
        return np.array(moved)[:, None]

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
