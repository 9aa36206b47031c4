"""Simulated twins of steering wheels, in both causalities.

    TorqueSensorWheel    torque sensor in, angle out     its servo holds the rim where the model says
    ForceFeedbackWheel   encoder in, torque out          a consumer's force-feedback wheel

What a driver of a real wheel must offer is `AdmittanceDevice` for the first and `ImpedanceDevice` for the second
(`tegotae.device.interface`), with torques [N·m] and angles [rad], positive to the left, in arrays of shape (1,).
Time passes in `command`, one period a call.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.control.pid import PID, LivePID
from tegotae.control.psmc import PSMC, LivePSMC
from tegotae.device.hand import Hand, hold
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


class _LiveWheel:
    """A wheel in motion: its mechanics, its encoder, its motor, the hand on it, and the time."""

    dimension: ClassVar[int] = 1

    def __init__(self, twin: _Wheel, hand: Grip | None, period: float, angle: float):
        own = type(twin).__name__
        self.period = checks.period_of(own, period)
        self.motor_torque = 0.0
        """What the motor exerts now [N·m]."""
        self.stopped = True
        self._wheel = twin
        self._tick = 0
        self._q, self._v = checks.number(own, "angle", angle, "rad"), 0.0
        self._waiting: deque[float] = deque([0.0] * twin.latency)
        self.hold(hand)
        k.wheel_pass(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, self.period, SUBSTEPS)  # compiled now

    def hold(self, hand: Grip | None) -> None:
        """Another hand takes the wheel, or none does."""
        if hand is not None and not isinstance(hand, Driver | TorqueProfile | Hand):
            checks.refuse(
                type(self._wheel).__name__, f"hand={checks.shown(hand)}.", "Give a Driver, a TorqueProfile or None."
            )
        if hand is None:
            hand = Hand(stiffness=0.0, damping=0.0, target=hold(0.0))
        self._hand = hand if isinstance(hand, Hand) else hand.hand()
        self._wanted = self._target(self._tick)
        self._wanted_rate = (self._target(self._tick + 1) - self._wanted) / self.period

    def let_go(self) -> None:
        """Nobody holds the wheel from now on."""
        self.hold(None)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._tick * self.period

    @property
    def angle(self) -> float:
        """Where the rim truly is [rad], unlike what the encoder says."""
        return self._q

    @property
    def velocity(self) -> float:
        """How fast it truly turns [rad/s]."""
        return self._v

    @property
    def hand_torque(self) -> float:
        """Torque of the hand on the rim now [N·m]."""
        hand = self._hand
        pull = hand.stiffness * (self._wanted - self._q) + hand.damping * (self._wanted_rate - self._v)
        return pull + self._push()

    def read_angle(self) -> Array:
        """What the encoder says [rad], shape (1,)."""
        grain = self._wheel.resolution
        return np.array([np.round(self._q / grain) * grain if grain > 0.0 else self._q])

    def _target(self, tick: int) -> float:
        return self._hand.aim(tick * self.period, 1).item()

    def _push(self) -> float:
        return float(np.sum(self._hand.pushing(self.time, 1)))

    def _exert(self, torque: float) -> None:
        """One tick with a motor torque [N·m] commanded now, which acts after the latency and within the limit."""
        wheel, hand = self._wheel, self._hand
        ahead, push = self._target(self._tick + 1), self._push()  # refused before anything moves
        self.stopped = False
        self._waiting.append(torque)
        self.motor_torque = float(np.clip(self._waiting.popleft(), -wheel.torque_limit, wheel.torque_limit))
        self._wanted_rate = (ahead - self._wanted) / self.period
        self._q, self._v = k.wheel_pass(
            self._q,
            self._v,
            self.motor_torque,
            push,
            hand.stiffness,
            hand.damping,
            self._wanted,
            self._wanted_rate,
            wheel.inertia + hand.mass,
            wheel.damping,
            wheel.friction,
            self.period,
            SUBSTEPS,
        )
        self._wanted = ahead
        self._tick += 1

    def stop(self) -> None:
        """Motor off, at once: the hand has the wheel. Torques still on their way are dropped."""
        self.stopped = True
        self.motor_torque = 0.0
        self._waiting = deque([0.0] * self._wheel.latency)


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

    Args:
        twin: the wheel.
        hand: who holds it.
        period: T [s].
        angle: where it starts [rad].

    Example:
        >>> from tegotae.control import PSMC
        >>> from tegotae.device import AdmittanceDevice
        >>> from tegotae.steering.hands import Driver
        >>> from tegotae.steering.wheels import TorqueSensorWheel
        >>> twin = TorqueSensorWheel(servo=PSMC(proportional=300.0, derivative=6.0, limit=8.0), torque_limit=8.0)
        >>> wheel = twin.start(period=1e-3, hand=Driver(angle=0.2))
        >>> isinstance(wheel, AdmittanceDevice), wheel.read().tolist()
        (True, [2.0])
    """

    causality: ClassVar[Literal["admittance"]] = "admittance"

    def __init__(self, twin: TorqueSensorWheel, hand: Grip | None, period: float, angle: float):
        super().__init__(twin, hand, period, angle)
        self.twin = twin
        self._random = np.random.default_rng(twin.seed)
        self._servo: LivePSMC | LivePID = twin.servo.start(period=self.period)

    def read(self) -> Array:
        """What the torque sensor says [N·m], shape (1,)."""
        noise = self.twin.noise * self._random.standard_normal() if self.twin.noise > 0.0 else 0.0
        return np.array([self.hand_torque + noise])

    def command(self, angle: ArrayLike) -> None:
        """Servo towards an angle [rad] for one period."""
        wanted = float(checks.vector("TorqueSensorWheel", "angle", angle, "rad", 1)[0])
        self._exert(self._servo.control(wanted, float(self.read_angle()[0])))

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
    """A `ForceFeedbackWheel` in motion; it has the members of an `ImpedanceDevice`.

    Args:
        twin: the wheel.
        hand: who holds it.
        period: T [s].
        angle: where it starts [rad].

    Example:
        >>> from tegotae.device import ImpedanceDevice
        >>> from tegotae.steering.wheels import ForceFeedbackWheel
        >>> wheel = ForceFeedbackWheel(resolution=0.01, torque_limit=5.0).start(period=1e-3, angle=0.123)
        >>> isinstance(wheel, ImpedanceDevice), wheel.read().tolist()
        (True, [0.12])
    """

    causality: ClassVar[Literal["impedance"]] = "impedance"

    def __init__(self, twin: ForceFeedbackWheel, hand: Grip | None, period: float, angle: float):
        super().__init__(twin, hand, period, angle)
        self.twin = twin

    def read(self) -> Array:
        """What the encoder says [rad], shape (1,)."""
        return self.read_angle()

    def command(self, torque: ArrayLike) -> None:
        """Exert a torque [N·m] for one period, once the latency has passed."""
        self._exert(float(checks.vector("ForceFeedbackWheel", "torque", torque, "N·m", 1)[0]))
