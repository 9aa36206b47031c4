"""The experiment of tarao1999: one free-flying robot drifts against the tip of another."""

from typing import TYPE_CHECKING

from tegotae.on_demand import loaded_on_first_use

__all__ = ["TwoRobots", "free_flying_robot"]

if TYPE_CHECKING:
    from tegotae.papers.two_robots.experiment import TwoRobots
    from tegotae.papers.two_robots.robot import free_flying_robot

# Settings that name the robots need no more of them.
__getattr__, __dir__ = loaded_on_first_use(__name__)
