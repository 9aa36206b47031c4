"""Simulated twins of haptic devices: what a driver does to real hardware, done to a model with a hand on it.

Between two samples a twin is linear: its command is held, the hand's push is held and the hand's target moves at a
constant speed. So each tick is one exact matrix step, whatever the stiffness; nothing is integrated approximately.
Time passes in `command`, one period a call.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

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
        return LiveImpedanceTwin(self, hand, checks.period_of(type(self).__name__, period), position)

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


class _LiveTwin:
    """What both twins share: a plant of [x, v] an axis, moved by a hand, and the time."""

    def __init__(self, dimension: int, hand: Hand | None, period: float, position: ArrayLike | None, owner: str):
        self.dimension = dimension
        self.period = period
        if hand is not None:
            checks.instance(owner, "hand", hand, Hand, "Give a Hand(...), or None for nobody.")
        self.hand = hand or Hand(stiffness=0.0, damping=0.0, target=hold(np.zeros(dimension)))
        self.stopped = True
        self._tick = 0
        self._target = self._aim(owner, "target", self.hand.target(0.0))
        self._target_velocity = np.zeros(dimension)
        start = self._target if position is None else self._aim(owner, "position", position)
        self._state = np.array([start, np.zeros(dimension)])

    def _aim(self, owner: str, name: str, point: ArrayLike) -> Array:
        given = checks.numbers(owner, name, point)
        checks.finite(owner, name, given, "")
        if given.shape != (self.dimension,):
            checks.refuse(
                owner, f"{name} has shape {given.shape} for {self.dimension} axes.", "Give one number an axis."
            )
        return given

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._tick * self.period

    @property
    def position(self) -> Array:
        """Where the handle truly is [m], unlike what an encoder says."""
        here: Array = self._state[0].copy()
        return here

    @property
    def velocity(self) -> Array:
        """How fast it truly moves [m/s]."""
        speed: Array = self._state[1].copy()
        return speed

    @property
    def target(self) -> Array:
        """Where the hand wants to be now [m]."""
        return self._target.copy()

    @property
    def hand_force(self) -> Array:
        """Force of the hand on the handle now [N]."""
        return self.hand.force(
            self.time, position=self._state[0], velocity=self._state[1], target_velocity=self._target_velocity
        )

    def _pass_time(self, command: Array, step: Array, drive: Array) -> None:
        """One tick: the drive matrix takes [command, target, target speed]."""
        ahead = self.hand.aim((self._tick + 1) * self.period, self.dimension)
        self._target_velocity = (ahead - self._target) / self.period
        inputs = np.array([command, self._target, self._target_velocity])
        self._state = step @ self._state + drive @ inputs
        self._target = ahead
        self._tick += 1

    def _push(self) -> Array | float:
        return self.hand.pushing(self.time, self.dimension)


class LiveImpedanceTwin(_LiveTwin):
    """An `ImpedanceTwin` in motion; it has the members of an `ImpedanceDevice`."""

    causality: ClassVar[Literal["impedance"]] = "impedance"

    def __init__(self, twin: ImpedanceTwin, hand: Hand | None, period: float, position: ArrayLike | None):
        super().__init__(twin.dimension, hand, period, position, type(twin).__name__)
        self.twin = twin
        self.force = np.zeros(twin.dimension)  # that the motors exert now [N]
        self._waiting = deque([np.zeros(twin.dimension)] * twin.delay)
        self._step, self._drive = twin.transition(hand, period)

    def read(self) -> Array:
        """What the encoders say [m]."""
        grain = self.twin.resolution
        return np.round(self.position / grain) * grain if grain > 0.0 else self.position

    def command(self, force: ArrayLike) -> None:
        """Exert a force [N] for one period."""
        self.stopped = False
        self._waiting.append(self._aim("ImpedanceTwin", "force", force))
        limit = self.twin.force_limit
        wanted = self._waiting.popleft()
        self.force = wanted if limit is None else np.clip(wanted, -limit, limit)
        self._pass_time(self.force + self._push(), self._step, self._drive)

    def stop(self) -> None:
        """Motors off; commands still on their way are dropped."""
        self.stopped = True
        self.force = np.zeros(self.dimension)
        self._waiting = deque([np.zeros(self.dimension)] * self.twin.delay)


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
        return LiveAdmittanceTwin(self, hand, checks.period_of(type(self).__name__, period), position)

    def transition(self, period: float) -> tuple[Array, Array]:
        """Exact step of [x, v] under the held command: matrices (2, 2) and (2, 1)."""
        w = 2.0 * np.pi * self.bandwidth
        rate = np.array([[0.0, 1.0, 0.0], [-w * w, -2.0 * w, w * w], [0.0, 0.0, 0.0]])
        step: Array = expm(rate * period)
        return step[:2, :2], step[:2, 2:]


class LiveAdmittanceTwin(_LiveTwin):
    """An `AdmittanceTwin` in motion; it has the members of an `AdmittanceDevice`."""

    causality: ClassVar[Literal["admittance"]] = "admittance"

    def __init__(self, twin: AdmittanceTwin, hand: Hand | None, period: float, position: ArrayLike | None):
        super().__init__(twin.dimension, hand, period, position, type(twin).__name__)
        self.twin = twin
        self._random = np.random.default_rng(twin.seed)
        self._step, drive = twin.transition(period)
        self._drive = np.hstack([drive, np.zeros((2, 2))])  # the hand moves the sensor's reading, not the servo
        self._goal = self._state[0].copy()

    def read(self) -> Array:
        """What the force sensor says [N]."""
        noise = self.twin.noise * self._random.standard_normal(self.dimension) if self.twin.noise > 0.0 else 0.0
        reading: Array = self.hand_force + np.asarray(self.twin.bias) + noise
        return reading

    def command(self, position: ArrayLike) -> None:
        """Servo towards a position [m] for one period."""
        self.stopped = False
        self._goal = self._aim("AdmittanceTwin", "position", position)
        self._pass_time(self._goal, self._step, self._drive)

    def stop(self) -> None:
        """Stand still here."""
        self.stopped = True
        self._goal = self._state[0].copy()
        self._state[1] = 0.0
