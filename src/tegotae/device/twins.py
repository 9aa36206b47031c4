"""Simulated twins of haptic devices: what a driver does to real hardware, done to a model with a hand on it.

Between two samples a twin is linear: its command is held, the hand's push is held and the hand's target moves at a
constant speed. So each tick is one exact matrix step, whatever the stiffness; nothing is integrated approximately.
Time passes in `command`, one period a call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.hand import Hand, hold
from tegotae.parameters import Declared, Parameter, Seed

Axes = Annotated[int, Parameter(">= 1, number of axes", "Give the number of axes, 1 to 3.")]


@dataclass(frozen=True, kw_only=True)
class ImpedanceTwin(Declared):
    """A light backdrivable arm: encoders in, motor force out, no force sensor.

    Example:
        >>> from tegotae.device import Hand, ImpedanceTwin, glide
        >>> twin = ImpedanceTwin(mass=0.2, damping=15.0, resolution=1e-5)
        >>> device = twin.start(hand=Hand(target=glide([0.0, 1.0], [0.0, 0.1])), period=1e-3)
        >>> for _ in range(2000):
        ...     device.command(0.0)
        >>> device.read().tolist()
        [0.1]
    """

    mass: Annotated[float, Parameter("m [kg], > 0, the inertia felt at the tip")]
    damping: Annotated[float, Parameter("b [N·s/m], >= 0, physical: it alone dissipates what sampling generates")]
    resolution: Annotated[float, Parameter("[m], >= 0, encoder step; positions are rounded to it")] = 0.0
    force_limit: Annotated[float | None, Parameter("[N], > 0, the motor's largest force; none unless given")] = None
    delay: Annotated[
        int, Parameter(">= 0, ticks between a command and its force; 1 for a loop that computes a whole tick long")
    ] = 0
    dimension: Axes = 1

    def start(self, *, hand: Hand | None = None, period: float, position: ArrayLike | None = None) -> LiveImpedanceTwin:
        """The device at rest at `position` [m] (the hand's target unless given), held by `hand` or by none."""
        return LiveImpedanceTwin(self, hand, period, position, self.delay)

    def transition(self, hand: Hand | None, period: float) -> tuple[Array, Array]:
        """Exact step of [x, v] under [motor + push, target, target speed]: matrices (2, 2) and (2, 3)."""
        if hand is not None:
            checks.instance(type(self).__name__, "hand", hand, Hand, "Give a Hand(...), or None for nobody.")
        k, c, m = (hand.stiffness, hand.damping, hand.mass) if hand else (0.0, 0.0, 0.0)
        m += self.mass
        rate = np.zeros((5, 5))
        rate[0, 1] = 1.0
        rate[1] = [-k / m, -(self.damping + c) / m, 1.0 / m, k / m, c / m]
        rate[3, 4] = 1.0  # the target moves on at its own speed within the tick
        step: Array = expm(rate * period)
        return step[:2, :2], step[:2, 2:]


class LiveTwin(ABC):
    """A twin in motion: its handle, the hand on it, commands on their way, and the time."""

    grips: ClassVar[str] = "Give a Hand(...), or None for nobody."

    def __init__(self, twin: Any, hand: Hand | None, period: float, position: ArrayLike | None, delay: int = 0):
        self.twin, self.dimension = twin, twin.dimension
        self._owner = type(twin).__name__
        self.period = checks.period_of(self._owner, period)
        self._tick, self._delay = 0, delay
        self.hold(hand)
        self._state = np.zeros((2, self.dimension))
        self._state[0] = self._target if position is None else self._vector("position", position, "m")
        self.stop()

    def hold(self, hand: Hand | None) -> None:
        """Another hand takes it, or none does."""
        if hand is not None:
            checks.instance(self._owner, "hand", hand, Hand, self.grips)
        self.hand = hand or Hand(stiffness=0.0, damping=0.0, target=hold(0.0))
        self._target = self._aim(self._tick)
        self._target_velocity = (self._aim(self._tick + 1) - self._target) / self.period

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._tick * self.period

    def _aim(self, tick: int) -> Array:
        return np.zeros(self.dimension) + self.hand.aim(tick * self.period, self.dimension)

    def _vector(self, name: str, value: ArrayLike, unit: str) -> Array:
        return checks.vector(self._owner, name, value, unit, self.dimension)

    def _pull(self) -> Array:
        """Of the hand on the handle now."""
        here, speed = self._state
        return self.hand.force(self.time, position=here, velocity=speed, target_velocity=self._target_velocity)

    def _pass_time(self, command: Array) -> None:
        """One tick with a command, which acts after the delay."""
        ahead = self._aim(self._tick + 1)  # refused before anything moves
        push = np.zeros(self.dimension) + self.hand.pushing(self.time, self.dimension)
        self.stopped = False
        self._waiting.append(command)
        self._target_velocity = (ahead - self._target) / self.period
        self._state = self._moved(self._waiting.popleft(), push)
        self._target = ahead
        self._tick += 1

    @abstractmethod
    def _moved(self, command: Array, push: Array) -> Array:
        """Position and velocity after a tick of a command and of a push of the hand."""

    def stop(self) -> None:
        """No force from now on; commands still on their way are dropped."""
        self.stopped = True
        self._waiting = deque([np.zeros(self.dimension)] * self._delay)


class _LiveArm(LiveTwin):
    """What both arms show of themselves."""

    @property
    def position(self) -> Array:
        """Where the handle truly is [m], unlike what an encoder says."""
        return np.array(self._state[0])

    @property
    def velocity(self) -> Array:
        """How fast it truly moves [m/s]."""
        return np.array(self._state[1])

    @property
    def target(self) -> Array:
        """Where the hand wants to be now [m]."""
        return self._target.copy()

    @property
    def hand_force(self) -> Array:
        """Force of the hand on the handle now [N]."""
        return self._pull()


class LiveImpedanceTwin(_LiveArm):
    """An `ImpedanceTwin` in motion; it has the members of an `ImpedanceDevice`."""

    causality: ClassVar[Literal["impedance"]] = "impedance"
    twin: ImpedanceTwin

    def hold(self, hand: Hand | None) -> None:
        """Another hand takes it, or none does."""
        super().hold(hand)
        self._step, self._drive = self.twin.transition(self.hand, self.period)

    def read(self) -> Array:
        """What the encoders say [m]."""
        return rounded(self._state[0], self.twin.resolution)

    def command(self, force: ArrayLike) -> None:
        """Exert a force [N] for one period."""
        self._pass_time(self._vector("force", force, "N"))

    def _moved(self, command: Array, push: Array) -> Array:
        limit = self.twin.force_limit
        self.force = command if limit is None else np.clip(command, -limit, limit)
        drive = np.array([self.force + push, self._target, self._target_velocity])
        return np.asarray(self._step @ self._state + self._drive @ drive)

    def stop(self) -> None:
        """Motors off; commands still on their way are dropped."""
        super().stop()
        self.force = np.zeros(self.dimension)  # that the motors exert now [N]


def rounded(place: Array, resolution: float) -> Array:
    """What an encoder of this resolution says of a place; as it is where that is 0."""
    return np.round(place / resolution) * resolution if resolution > 0.0 else place.copy()


@dataclass(frozen=True, kw_only=True)
class AdmittanceTwin(Declared):
    """A stiff arm with a force sensor, whose servo follows position commands and does not give way.

    The servo is critically damped: it reaches a commanded point without overshoot, later for a lower bandwidth.

    Example:
        >>> from tegotae.device import AdmittanceTwin, Hand, hold
        >>> hand = Hand(stiffness=300.0, damping=5.0, target=hold(0.01))
        >>> device = AdmittanceTwin(bandwidth=50.0).start(hand=hand, period=1e-3, position=0.0)
        >>> device.read().tolist()
        [3.0]
    """

    bandwidth: Annotated[
        float, Parameter("[Hz], > 0, how fast the servo follows: its poles lie at 2 pi times it", such_as="50")
    ]
    noise: Annotated[float, Parameter("[N], >= 0, standard deviation of each force reading")] = 0.0
    bias: Annotated[float | tuple[float, ...], Parameter("[N], what the sensor shows too much; one or one an axis")] = (
        0.0
    )
    seed: Seed = 0
    dimension: Axes = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        bias = np.atleast_1d(self.bias)
        if bias.size not in (1, self.dimension):
            checks.refuse(type(self).__name__, f"bias has {bias.size} numbers.", f"Give 1 or {self.dimension}.")

    def start(
        self, *, hand: Hand | None = None, period: float, position: ArrayLike | None = None
    ) -> LiveAdmittanceTwin:
        """The device at rest at `position` [m] (the hand's target unless given), pushed by `hand` or by none."""
        return LiveAdmittanceTwin(self, hand, period, position)

    def transition(self, period: float) -> tuple[Array, Array]:
        """Exact step of [x, v] under the held command: matrices (2, 2) and (2, 1)."""
        w = 2.0 * np.pi * self.bandwidth
        rate = np.array([[0.0, 1.0, 0.0], [-w * w, -2.0 * w, w * w], [0.0, 0.0, 0.0]])
        step: Array = expm(rate * period)
        return step[:2, :2], step[:2, 2:]


class LiveAdmittanceTwin(_LiveArm):
    """An `AdmittanceTwin` in motion; it has the members of an `AdmittanceDevice`."""

    causality: ClassVar[Literal["admittance"]] = "admittance"
    twin: AdmittanceTwin

    def __init__(self, twin: AdmittanceTwin, hand: Hand | None, period: float, position: ArrayLike | None):
        super().__init__(twin, hand, period, position)
        self._random = np.random.default_rng(twin.seed)
        self._step, self._drive = twin.transition(self.period)

    def read(self) -> Array:
        """What the force sensor says [N]."""
        noise = self.twin.noise * self._random.standard_normal(self.dimension) if self.twin.noise > 0.0 else 0.0
        return np.asarray(self.hand_force + np.asarray(self.twin.bias) + noise)

    def command(self, position: ArrayLike) -> None:
        """Servo towards a position [m] for one period."""
        self._pass_time(self._vector("position", position, "m"))

    def _moved(self, command: Array, push: Array) -> Array:
        """The hand moves the sensor's reading, not the servo."""
        return np.asarray(self._step @ self._state + self._drive @ command[None])

    def stop(self) -> None:
        """Stand still here."""
        super().stop()
        self._state[1] = 0.0
