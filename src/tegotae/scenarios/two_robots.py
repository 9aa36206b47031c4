"""`tegotae run two-robots`: two free-flying robots meet at a contact as stiff as the motion table.  [tarao1999]"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from tegotae.papers.two_robots import TwoRobots
from tegotae.papers.two_robots.settings import RobotsSettings
from tegotae.parameters import Declared, Parameter, Period, parameter_of
from tegotae.result import Result
from tegotae.scenarios import Quantity, Scenario, refuse_length
from tegotae.toml_settings import Kinds

_MOST_TICKS = 2_000_000  # about a GB of record


@dataclass(frozen=True, kw_only=True)
class MotionTable(Declared):
    """A contact as stiff as the plate of the six-arm table along z, at home."""

    kp: Annotated[float, parameter_of(TwoRobots, "kp")] = 200.0


@dataclass(frozen=True, kw_only=True)
class TableSpring(Declared):
    """A contact of any stiffness."""

    stiffness: Annotated[float, Parameter("[N/m], > 0, of the contact")] = 10000.0


@dataclass(frozen=True, kw_only=True)
class TwoRobotsRun(RobotsSettings):
    """Two robots, how robot 1 holds itself, and what they touch through."""

    duration: Annotated[float, Parameter("[s], > 0, the length of the run; the strip of Fig. 16 needs 19")] = 19.0
    period: Period = 2e-4
    method: Annotated[Literal["rk4", "symplectic", "midpoint", "euler"], Parameter("how a tick is taken")] = "rk4"
    table: Annotated[MotionTable | TableSpring, Kinds(hexa=MotionTable(), spring=TableSpring())] = MotionTable()

    def experiment(self) -> TwoRobots:
        """The experiment, as an object of the library."""
        table = self.table
        return self.robots(table.stiffness) if isinstance(table, TableSpring) else replace(self.robots(), kp=table.kp)


def run(parameters: TwoRobotsRun) -> Result:
    """Let them meet."""
    period, duration = parameters.period, parameters.duration
    if duration / period > _MOST_TICKS:
        refuse_length("run two-robots", duration, "period", period, "ticks", f"at most {_MOST_TICKS:,}")
    return parameters.experiment().run(duration=duration, period=period, method=parameters.method)


def summary(parameters: TwoRobotsRun, result: Result) -> Sequence[Quantity]:
    """The numbers of the contact, beside those of theory."""
    report = parameters.experiment().summary(result)
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
        *(Quantity(words, report[key], unit, key) for key, words, unit in rows),
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
)
