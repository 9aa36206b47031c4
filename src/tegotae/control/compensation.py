"""Friction compensation: a servo that is told beforehand what friction will cost.

The plant is a motor mass with friction; a spring and damper (PD control) pull it along a reference. Whatever force
friction takes, the spring must give, so it stretches: that is the tracking error. If a model of the friction is run on
the reference's velocity, its force, reversed, can be added to the command, and the spring has nothing left to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.elements import Mass, SpringDamper
from tegotae.friction.laws import Law
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable


@dataclass(frozen=True, kw_only=True)
class FrictionServo(Declared):
    """A motor with friction under PD position control, its inertia fed forward.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.control import FrictionServo
        >>> drag = tg.FrictionImpedance(stiffness=1e5, damping=50.0, law=tg.Coulomb(5.0))
        >>> servo = FrictionServo(mass=1.0, stiffness=5000.0, damping=100.0, friction=drag)
        >>> run = servo.track(np.linspace(0.0, 0.1, 2000), period=1e-3)
        >>> round(1e3 * float(run.error[-1]), 3)  # mm: friction over stiffness
        -1.0
    """

    mass: Annotated[float, Parameter("M [kg], > 0, of the motor and its load", "Give the moving mass.")]
    stiffness: Annotated[float, Parameter("[N/m], > 0, the proportional gain")]
    damping: Annotated[float, Parameter("[N·s/m], >= 0, derivative gain")]
    friction: Annotated[
        Impedance,
        Parameter("what really resists the motor; coupled implicitly", "Give a block such as ParallelFriction."),
    ]

    @cached_property
    def circuit(self) -> Circuit:
        """The machine: mass, friction, and the servo's spring and damper to the moving reference."""
        spring = SpringDamper(stiffness=self.stiffness, damping=self.damping)
        return Circuit(Mass(mass=self.mass), {"friction": self.friction, "servo": spring}, bases=("servo",))

    def track(self, reference: ArrayLike, *, period: float, compensation: ArrayLike | None = None) -> Result:
        """Follow a reference from rest in one compiled loop.

        The result has the circuit's record, `reference` [m] and `error` [m] (position minus reference).

        Args:
            reference: positions [m] at the end of each tick; it starts from its first.
            period: T [s].
            compensation: force [N] to add to the command at each tick, such as `feedforward` gives; none unless given.
        """
        path, velocity = _motion("FrictionServo", reference, period)
        inertia = self.mass * np.diff(velocity, prepend=0.0) / period
        extra = np.zeros(path.size)
        if compensation is not None:
            extra = checks.signal("FrictionServo", "compensation", compensation, "N", 1).ravel()
        if extra.size != path.size:
            problem = f"{extra.size} compensations for {path.size} ticks."
            checks.refuse("FrictionServo", problem, "Give one force a tick.")
        run = self.circuit.run(
            inertia + extra, period=period, bases={"servo": velocity}, initial={"position": float(path[0])}
        )
        variables = dict(run.variables)
        variables["reference"] = Variable(("time",), path, "m", "where it should be")
        variables["error"] = Variable(("time",), run["position"] - path, "m", "position minus reference")
        return Result(variables, title="Servo with friction", about=run.about)


def feedforward(model: Impedance, reference: ArrayLike, *, period: float) -> Array:
    """Force [N] a tick that a model says friction will take along a reference, to be added to the command.

    Args:
        model: the friction as identified.
        reference: positions [m] at the end of each tick.
        period: T [s].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.control import feedforward
        >>> drag = tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(5.0))
        >>> float(feedforward(drag, np.linspace(0.0, 0.1, 500), period=1e-3)[-1])
        5.0
    """
    checks.instance("feedforward", "model", model, Impedance, "Give a block such as tg.FrictionImpedance(...).")
    _, velocity = _motion("feedforward", reference, period)
    return np.asarray(-model.run(velocity, period=period, record=["force"])["force"])


def law_feedforward(law: Law, reference: ArrayLike, *, period: float) -> Array:
    """The plain way, to compare with: the law's force [N] at the reference's velocity, blind to what precedes sliding.

    Args:
        law: such as `Coulomb` with the level of the friction while it slides.
        reference: positions [m] at the end of each tick.
        period: T [s].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.control import law_feedforward
        >>> law_feedforward(tg.Coulomb(5.0), [0.0, 0.1, 0.1, 0.0], period=1e-3).tolist()
        [0.0, 5.0, 0.0, -5.0]
    """
    checks.instance("law_feedforward", "law", law, Law, "Give a law such as tg.Coulomb(4.0).")
    _, velocity = _motion("law_feedforward", reference, period)
    return np.asarray(np.sign(velocity) * law(velocity))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How well a servo tracks without compensation, with a plain one, and with a composite's.

    Args:
        without: run without compensation.
        plain: run with `law_feedforward`.
        composite: run with `feedforward` of the identified model.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.control import FrictionServo, compare
        >>> drag = tg.FrictionImpedance(stiffness=1e4, damping=20.0, law=tg.Coulomb(5.0))
        >>> servo = FrictionServo(mass=1.0, stiffness=5000.0, damping=100.0, friction=drag)
        >>> path = 0.02 * np.sin(np.arange(3000) / 200.0)
        >>> comparison = compare(servo, path, period=1e-3, model=drag, law=tg.Coulomb(5.0))
        >>> comparison.rms("composite") < 0.1 * comparison.rms("without")
        True
    """

    without: Result
    plain: Result
    composite: Result

    def rms(self, run: str) -> float:
        """Root mean square of the tracking error [m] of the run of that name."""
        result: Result = getattr(self, checks.choice("Comparison", "run", run, ("without", "plain", "composite")))
        return float(np.sqrt(np.mean(result["error"] ** 2)))

    def __str__(self) -> str:
        base = self.rms("without")
        rows = [
            f"  {name:<10} {1e6 * self.rms(name):9.2f} µm   {base / self.rms(name):6.1f} x better"
            for name in ("without", "plain", "composite")
        ]
        return "\n".join(["tracking error, RMS", *rows])


def compare(servo: FrictionServo, reference: ArrayLike, *, period: float, model: Impedance, law: Law) -> Comparison:
    """Track a reference three times: without compensation, with a plain law's, with a model's.

    Args:
        servo: the plant under control, with its true friction.
        reference: positions [m] at the end of each tick.
        period: T [s].
        model: the friction as identified.
        law: the plain law to compare with.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.control import FrictionServo, compare
        >>> drag = tg.FrictionImpedance(stiffness=1e4, damping=20.0, law=tg.Coulomb(5.0))
        >>> servo = FrictionServo(mass=1.0, stiffness=5000.0, damping=100.0, friction=drag)
        >>> path = 0.02 * np.sin(np.arange(1000) / 200.0)
        >>> sorted(vars(compare(servo, path, period=1e-3, model=drag, law=tg.Coulomb(5.0))))
        ['composite', 'plain', 'without']
    """
    checks.instance("compare", "servo", servo, FrictionServo, "Give a FrictionServo(...).")
    return Comparison(
        without=servo.track(reference, period=period),
        plain=servo.track(reference, period=period, compensation=law_feedforward(law, reference, period=period)),
        composite=servo.track(reference, period=period, compensation=feedforward(model, reference, period=period)),
    )


def _motion(owner: str, reference: ArrayLike, period: float) -> tuple[Array, Array]:
    period = checks.period_of(owner, period)
    path = checks.signal(owner, "reference", reference, "m", 1).ravel()
    return path, np.diff(path, prepend=path[:1]) / period
