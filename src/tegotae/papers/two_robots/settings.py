"""The two robots as a kind of model that a hybrid loop simulates: `[model] kind = "two-robots"`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from tegotae.hybrid.machines.model_settings import HeldJoints, ModelSettings
from tegotae.parameters import Parameter
from tegotae.toml_settings import fields_for

if TYPE_CHECKING:
    from tegotae.hybrid.machines.guarded import Machine
    from tegotae.hybrid.view.drawers import Drawer
    from tegotae.papers.two_robots.experiment import TwoRobots


@dataclass(frozen=True, kw_only=True)
class RobotsSettings(ModelSettings, HeldJoints):
    """The two free-flying robots of tarao1999; robot 1 holds its joints, those of robot 2 are free."""

    joints: Annotated[Literal["locked", "servo", "free"], Parameter("of robot 1; those of robot 2 are free")] = "locked"
    pose: Annotated[Literal["A", "B"], Parameter("A: both in line through their centres of mass; B: both bent")] = "A"
    masses: Annotated[
        tuple[float, float, float, float],
        Parameter("[kg], > 0, base and links of robot 1, base and links of robot 2"),
    ] = (50.0, 10.0, 50.0, 1.0)
    speed: Annotated[float, Parameter("[m/s], > 0, of robot 2 as it comes")] = 0.01
    gap: Annotated[float, Parameter("[m], > 0, between the two at the start")] = 0.01

    def robots(self, stiffness: float | None = None) -> TwoRobots:
        """As numbers have them; the contact is as stiff as given [N/m], or as the table."""
        from tegotae.papers.two_robots.experiment import TwoRobots

        return TwoRobots(**fields_for(TwoRobots, self) | {"joints": self.holder, "stiffness": stiffness})

    def machine(self, period: float) -> Machine:
        """Both as a block."""
        return self.robots().machine(period=period)

    def start(self, period: float) -> tuple[float, ...]:
        """Before the plate, level."""
        return (0.0, 0.0, -self.gap, 1.0, 0.0, 0.0, 0.0)

    def gained_by_steps(self, *, period: float, stiffness: float) -> float | None:
        """Share of their kinetic energy that a bounce gains by the steps of the integrator alone [-]."""
        return self.robots(stiffness).gained_by_steps(period=period)

    def drawer(self) -> Drawer | None:
        """Draws both robots."""
        from tegotae.papers.two_robots.drawing import TwoRobotsDrawer

        return TwoRobotsDrawer(model=self.robots())
