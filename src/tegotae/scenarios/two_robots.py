"""`tegotae run two-robots`: two free-flying robots meet at a contact as stiff as the motion table.  [tarao1999]"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from tegotae import checks
from tegotae.multibody import Lock, Servo
from tegotae.papers.two_robots import TwoRobots
from tegotae.parameters import Declared, Parameter, Period
from tegotae.result import Result
from tegotae.scenarios.scenario import Quantity, Scenario
from tegotae.toml_settings import Kinds

_OWN = "run two-robots"
_MOST_TICKS = 2_000_000  # about a GB of record


@dataclass(frozen=True, kw_only=True)
class MotionTable(Declared):
    """A contact as stiff as the plate of the six-arm table along z, at home."""

    kp: Annotated[float, Parameter("[N·m/rad], > 0, stiffness of each servo of the table")] = 200.0


@dataclass(frozen=True, kw_only=True)
class Spring(Declared):
    """A contact of any stiffness."""

    stiffness: Annotated[float, Parameter("[N/m], > 0, of the contact")] = 10000.0


@dataclass(frozen=True, kw_only=True)
class JointServo(Declared):
    """What holds the joints of robot 1 if they are servos."""

    gain: Annotated[float, Parameter("[N·m/rad], >= 0, torque by angle; counts if joints = servo")] = 1000.0
    rate_gain: Annotated[float, Parameter("[N·m·s/rad], >= 0, torque by rate; counts if joints = servo")] = 100.0


@dataclass(frozen=True, kw_only=True)
class Masses(Declared):
    """Of the bodies; Fig. 15 has link_1 = 20 and base_2 = 100."""

    base_1: Annotated[float, Parameter("[kg], > 0, base of robot 1")] = 50.0
    link_1: Annotated[float, Parameter("[kg], > 0, each link of robot 1")] = 10.0
    base_2: Annotated[float, Parameter("[kg], > 0, base of robot 2")] = 50.0
    link_2: Annotated[float, Parameter("[kg], > 0, each link of robot 2")] = 1.0


@dataclass(frozen=True, kw_only=True)
class TwoRobotsRun(Declared):
    """Two robots, how robot 1 holds itself, and what they touch through."""

    pose: Annotated[Literal["A", "B"], Parameter("A: both in line through their centres of mass; B: both bent")] = "A"
    joints: Annotated[Literal["locked", "servo", "free"], Parameter("of robot 1; those of robot 2 are free")] = "locked"
    speed: Annotated[float, Parameter("[m/s], > 0, of robot 2 as it comes")] = 0.01
    gap: Annotated[float, Parameter("[m], > 0, between the two at the start")] = 0.01
    duration: Annotated[float, Parameter("[s], > 0, the length of the run; the strip of Fig. 16 needs 19")] = 19.0
    period: Period = 2e-4
    method: Annotated[Literal["rk4", "symplectic", "implicit"], Parameter("how a tick is taken")] = "rk4"
    table: Annotated[MotionTable | Spring, Kinds(hexa=MotionTable(), spring=Spring())] = MotionTable()
    servo: Annotated[JointServo, Kinds(servo=JointServo())] = JointServo()
    masses: Annotated[Masses, Kinds(masses=Masses())] = Masses()

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
    """
    period, duration = parameters.period, parameters.duration
    if duration / period > _MOST_TICKS:
        checks.refuse(
            _OWN,
            f"duration={duration:g} s at period={period:g} s is {duration / period:.3g} ticks.",
            f"Choose them so that there are at most {_MOST_TICKS:,}.",
        )
    return parameters.robots().run(duration=duration, period=period, method=parameters.method)


def summary(parameters: TwoRobotsRun, result: Result) -> Sequence[Quantity]:
    """The numbers of the contact, beside those of theory.

    Args:
        parameters: of the scenario.
        result: of its run.
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
        *(Quantity(words, told[key], unit, key) for key, words, unit in rows),
        Quantity("energy left at the end", float(total[-1] / total[0]), "of the first", "energy_left"),
        Quantity("momentum lost", drift[0], "kg·m/s", "momentum_lost"),
        Quantity("angular momentum lost", drift[1], "kg·m²/s", "angular_momentum_lost"),
    ]


scenario = Scenario(
    name="two-robots",
    purpose="two free-flying robots meet at a contact as stiff as the motion table",
    parameters=TwoRobotsRun,
    run=run,
    summary=summary,
    shortcuts={"--method": "method", "--speed": "speed", "--until": "duration"},
)
