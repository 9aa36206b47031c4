"""`tegotae run two-robots`: two free-flying robots meet at a contact as stiff as the motion table.  [tarao1999]"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tegotae import checks
from tegotae.hybrid import TwoRobots
from tegotae.multibody import Lock, Servo
from tegotae.result import Result
from tegotae.scenarios.scenario import Number, Scenario

_OWN = "run two-robots"
_MOST_TICKS = 2_000_000  # about a GB of record


class _Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Unknown names are errors, not silently ignored."""


class MotionTable(_Group, frozen=True, tag_field="kind", tag="hexa"):
    """A contact as stiff as the plate of the six-arm table along z, at home."""

    kp: Annotated[float, Meta(description="stiffness of each servo of the table [N·m/rad], > 0")] = 200.0


class Spring(_Group, frozen=True, tag_field="kind", tag="spring"):
    """A contact of any stiffness."""

    stiffness: Annotated[float, Meta(description="of the contact [N/m], > 0")] = 10000.0


class JointServo(_Group, frozen=True):
    """What holds the joints of robot 1 if they are servos."""

    gain: Annotated[float, Meta(description="torque by angle [N·m/rad], >= 0; counts if joints = servo")] = 1000.0
    rate_gain: Annotated[float, Meta(description="torque by rate [N·m·s/rad], >= 0; counts if joints = servo")] = 100.0


class Masses(_Group, frozen=True):
    """Of the bodies; Fig. 15 has link_1 = 20 and base_2 = 100."""

    base_1: Annotated[float, Meta(description="base of robot 1 [kg], > 0")] = 50.0
    link_1: Annotated[float, Meta(description="each link of robot 1 [kg], > 0")] = 10.0
    base_2: Annotated[float, Meta(description="base of robot 2 [kg], > 0")] = 50.0
    link_2: Annotated[float, Meta(description="each link of robot 2 [kg], > 0")] = 1.0


class TwoRobotsRun(_Group, frozen=True):
    """Two robots, how robot 1 holds itself, and what they touch through."""

    pose: Annotated[
        Literal["A", "B"], Meta(description="A: both in line through their centres of mass; B: both bent")
    ] = "A"
    joints: Annotated[Literal["locked", "servo", "free"], Meta(description="of robot 1; those of robot 2 are free")] = (
        "locked"
    )
    speed: Annotated[float, Meta(description="of robot 2 as it comes [m/s], > 0")] = 0.01
    gap: Annotated[float, Meta(description="between the two at the start [m], > 0")] = 0.01
    duration: Annotated[float, Meta(description="of the run [s], > 0; the strip of Fig. 16 needs 19")] = 19.0
    period: Annotated[float, Meta(description="of a tick [s], > 0")] = 2e-4
    method: Annotated[Literal["rk4", "symplectic", "implicit"], Meta(description="how a tick is taken")] = "rk4"
    table: MotionTable | Spring = MotionTable()
    servo: JointServo = JointServo()
    masses: Masses = Masses()

    def robots(self) -> TwoRobots:
        """The experiment, as an object of the library."""
        held: dict[str, Lock | Servo | None] = {
            "locked": Lock(),
            "servo": Servo(gain=self.servo.gain, rate_gain=self.servo.rate_gain),
            "free": None,
        }
        m = self.masses
        table, spring = (self.table, None) if isinstance(self.table, MotionTable) else (MotionTable(), self.table)
        return TwoRobots(
            kp=table.kp,
            stiffness=None if spring is None else spring.stiffness,
            pose=self.pose,
            masses=(m.base_1, m.link_1, m.base_2, m.link_2),
            joints=held[self.joints],
            speed=self.speed,
            gap=self.gap,
        )


def run(parameters: TwoRobotsRun) -> Result:
    """Let them meet.

    Args:
        parameters: of the scenario, with their units in `TwoRobotsRun`.

    Example:
        >>> round(float(run(TwoRobotsRun(duration=1.3)).force.max()), 2)
        6.18
    """
    period = checks.period_of(_OWN, parameters.period)
    duration = checks.positive(_OWN, "duration", parameters.duration, "s", "Give the length of the run.")
    if duration / period > _MOST_TICKS:
        checks.refuse(
            _OWN,
            f"duration={duration:g} s at period={period:g} s is {duration / period:.3g} ticks.",
            f"Choose them so that there are at most {_MOST_TICKS:,}.",
        )
    return parameters.robots().run(duration=duration, period=period, method=parameters.method)


def summary(parameters: TwoRobotsRun, result: Result) -> Sequence[Number]:
    """The numbers of the contact, beside those of theory.

    Args:
        parameters: of the scenario.
        result: of its run.

    Example:
        >>> brief = TwoRobotsRun(duration=1.3)
        >>> [(n.name, round(n.value, 3), n.unit) for n in summary(brief, run(brief))][:2]
        [('peak force', 6.182, 'N'), ('duration of the contact', 0.172, 's')]
    """
    told = parameters.robots().summary(result)
    total = result.kinetic_energy + result.elastic_energy
    drift = [float(abs(result[name] - result[name][0]).max()) for name in ("momentum", "angular_momentum")]
    rows = [
        ("peak_force", "peak force", "N"),
        ("duration", "duration of the contact", "s"),
        ("restitution", "restitution", ""),
        ("theory_peak", "peak force, in theory", "N"),
        ("theory_duration", "duration, in theory", "s"),
        ("reduced_mass", "reduced mass at the contact", "kg"),
        ("stiffness", "stiffness of the contact", "N/m"),
        ("impulse", "impulse", "N·s"),
        ("touched", "first touch, at", "s"),
        ("contacts", "times they met", ""),
    ]
    return [
        *(Number(words, told[key], unit, key) for key, words, unit in rows),
        Number("energy left at the end", float(total[-1] / total[0]), "of the first", "energy_left"),
        Number("momentum lost", drift[0], "kg·m/s", "momentum_lost"),
        Number("angular momentum lost", drift[1], "kg·m²/s", "angular_momentum_lost"),
    ]


scenario = Scenario(
    name="two-robots",
    purpose="two free-flying robots meet at a contact as stiff as the motion table",
    parameters=TwoRobotsRun,
    run=run,
    summary=summary,
    shortcuts={"--method": "method", "--speed": "speed", "--until": "duration"},
)
