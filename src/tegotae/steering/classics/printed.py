"""The paper's own scheme, step after step as it is printed: kept to compare with the solved one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.friction.laws import Coulomb
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.running.loop import report_divergence, time_of
from tegotae.steering.hands import Driver, TorqueProfile, led_by
from tegotae.steering.kernels import printed as k
from tegotae.steering.system import SteeringSystem
from tegotae.steering.vehicle import Kinematic

_RECORDED = (
    ("steer", "rad", "of the tyre, to the left"),
    ("steer_rate", "rad/s", "of the tyre, to the left"),
    ("hand_torque", "N·m", "of the hand on the wheel"),
    ("tyre_torque", "N·m", "resists steering to the left, at the tyre"),
    ("train_torque", "N·m", "friction of the drive train, at the tyre"),
    ("lateral_force", "N", "on the tyre, to the left"),
    ("stuck", "-", "share of the bristles that stick"),
    ("speed", "m/s", "of the vehicle, forwards"),
)


@dataclass(frozen=True, kw_only=True)
class ExplicitSteering(Declared):
    """A steering system by explicit steps: torques of the last motion move the wheel.  [yamamoto2006 (4)-(11)]

    The paper's torques need the motion they cause; here the motion of the last tick stands in for it, so stiff and
    dry parts act one tick late. A bristle that enters the patch during a tick is given all of it. In (9), the drive
    train's friction, T stands where the paper prints T_f; `PrintedSteering` has it as printed.

    Example:
        >>> import numpy as np
        >>> from tegotae.steering import SteeringSystem
        >>> from tegotae.steering.classics import ExplicitSteering
        >>> push = dict(force=np.full(300, 0.5), period=1e-4)
        >>> solved, explicit = SteeringSystem.paper(), ExplicitSteering(system=SteeringSystem.paper())
        >>> apart = explicit.run(**push).wheel_angle - solved.run(**push).wheel_angle
        >>> bool(abs(apart).max() < 0.02 * abs(solved.run(**push).wheel_angle).max())
        True
    """

    system: Annotated[SteeringSystem, Parameter("constant friction, a rigid carcass and column, a `Kinematic` vehicle")]

    _train: ClassVar[Callable[..., Any]] = k.corrected_train

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, patch = type(self).__name__, self.system.patch
        remedy = "Use SteeringSystem itself, which solves for all of them."
        if not isinstance(patch.law, Coulomb):
            checks.refuse(owner, f"friction={checks.shown(patch.friction)} depends on the slip speed.", remedy)
        if patch.carcass is not None:
            checks.refuse(owner, f"carcass={checks.shown(patch.carcass)} gives way.", remedy)
        if self.system.column.compliance is not None:
            checks.refuse(owner, f"compliance={checks.shown(self.system.column.compliance)} gives way.", remedy)
        if not isinstance(self.system.vehicle, Kinematic):
            checks.refuse(owner, f"vehicle={checks.shown(self.system.vehicle)} slides.", remedy)

    def run(
        self,
        force: ArrayLike | None = None,
        *,
        hand: Driver | TorqueProfile | None = None,
        duration: float | None = None,
        period: float,
        every: int = 1,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Steer, compiled; arguments and what is recorded as in `SteeringSystem.run`.

        Args:
            force: torque of the hand over each tick [N·m], (ticks,).
            hand: a `Driver`, who sees where the wheel was at the end of the last tick, or a `TorqueProfile` instead.
            duration: how long that hand steers [s].
            period: T [s].
            every: record every so many ticks.
            initial: "steer" [rad] and "steer_rate" [rad/s] to start from.
            inputs: {"speed": V}, [m/s], a number or (ticks,); the system's own unless given.
        """
        owner = type(self).__name__
        period = checks.period_of(owner, period)
        every = checks.whole(owner, "every", every, 1, "Use every=1 to record each tick.")
        given, path = led_by(owner, force, hand, duration, period)
        torque = checks.signal(owner, "force", given, "N·m", 1).ravel()
        wanted, rates = path or (np.zeros(torque.size), np.zeros(torque.size))
        arms = k.Arms(hand.stiffness, hand.damping) if isinstance(hand, Driver) else k.Arms(0.0, 0.0)
        fed = {"speed": self.system.speed, **checks.mapping(owner, "inputs", inputs, 'Such as {"speed": 20.0}.')}
        if len(fed) > 1:
            checks.refuse(owner, f"inputs names {', '.join(fed)}.", "It takes speed.")
        speeds = checks.held(owner, "inputs['speed']", fed["speed"], "m/s", torque.size)
        start = self._start(dict(checks.mapping(owner, "initial", initial, 'Such as {"steer": 0.1}.')))
        table = np.empty((len(_RECORDED), torque.size))
        self._loops[0](self._tyre, self._column, arms, *start, torque, wanted, rates, speeds, period, table)
        table = table[:, every - 1 :: every]
        report_divergence(owner, table, every, period)
        variables = {"time": time_of(torque.size, every, period)}
        angle = self.system.column.gear * table[0]
        variables["wheel_angle"] = Variable(("time",), angle, "rad", "of the wheel, to the left")
        for row, (name, unit, meaning) in zip(table, _RECORDED, strict=True):
            variables[name] = Variable(("time",), row.copy(), unit, meaning)
        return Result(variables, title=owner, about={"system": repr(self), "period": period, "figure": "steering"})

    def train_torque(self, *, steer: ArrayLike, period: float) -> Array:
        """What (9) alone gives along a record of steer angles [N·m]; it starts at rest in the first of them.

        Args:
            steer: delta at the end of each tick [rad], (ticks,).
            period: T [s].
        """
        owner = type(self).__name__
        period = checks.period_of(owner, period)
        angles = checks.signal(owner, "steer", steer, "rad", 1).ravel()
        out = np.empty(angles.size)
        self._loops[1](self._column, np.diff(angles, prepend=angles[0]) / period, period, out)
        return out

    @property
    def _tyre(self) -> k.Tyre:
        values = self.system.vehicle.on(self.system.patch).values
        single = ("stiffness", "damping", "half_length", "centre", "slip_share", "scale")
        K, B, a, xi_c, share, scale = (float(cast(float, values[name])) for name in single)
        return k.Tyre(K, B, a, xi_c, share, scale, self.system.patch.law.parameters[0], values["pressure"])

    @property
    def _column(self) -> k.Train:
        c = self.system.column
        return k.Train(c.inertia, c.gear, c.friction, c.stiffness, c.damping)

    @property
    def _loops(self) -> Any:
        train = type(self)._train  # on an instance a kernel would be bound to it, and compiled anew for each
        return k.explicit_kernels(self.system.patch.pressure.kernel, train)

    def _start(self, initial: Mapping[str, ArrayLike]) -> tuple[float, float, Array, Array]:
        """Steer angle and its rate, the places of the bristles (cell centres) and their stretches."""
        owner, patch, found = type(self).__name__, self.system.patch, {"steer": 0.0, "steer_rate": 0.0}
        units = {"steer": "rad", "steer_rate": "rad/s"}
        for name, value in initial.items():
            if name not in found:
                checks.refuse(owner, f"initial[{name!r}] cannot be set.", f"It takes {', '.join(found)}.")
            found[name] = checks.number(owner, f"initial[{name!r}]", value, units[name])
        cells = (np.arange(patch.bristles) + 0.5) / patch.bristles
        places = patch.half_length * (2.0 * cells - 1.0)
        return found["steer"], found["steer_rate"], places, np.zeros(patch.bristles)


@dataclass(frozen=True, kw_only=True)
class PrintedSteering(ExplicitSteering):
    """The same with (9) as printed: T_f, a torque, where T is meant. Its drive train dissipates nothing.

    Example:
        >>> import numpy as np
        >>> from tegotae.steering import SteeringSystem
        >>> from tegotae.steering.classics import ExplicitSteering, PrintedSteering
        >>> steer = 0.1 * np.sin(2.0 * np.pi * 0.25 * np.arange(8001) * 1e-3)
        >>> cycle = np.diff(steer[4000:])
        >>> for scheme in (PrintedSteering, ExplicitSteering):  # [J] a cycle; 4 T_f delta = 0.12 is meant
        ...     torque = scheme(system=SteeringSystem.paper()).train_torque(steer=steer, period=1e-3)
        ...     print(f"{torque[4001:] @ cycle:.3f}")
        -0.000
        0.120
    """

    _train: ClassVar[Callable[..., Any]] = k.printed_train
