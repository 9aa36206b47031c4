"""The experiment of tarao1999: one free-flying robot drifts against the tip of another."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Public name -> the module that defines it, loaded on first use: settings that name the robots need no more of them.
_HOME = {"TwoRobots": "experiment", "free_flying_robot": "robot"}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from tegotae.papers.two_robots.experiment import TwoRobots as TwoRobots
    from tegotae.papers.two_robots.robot import free_flying_robot as free_flying_robot


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
