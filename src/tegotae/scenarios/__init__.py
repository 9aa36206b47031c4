"""Ready-made runs for the command line: parameters in, a result with its figure and a few telling numbers out."""

from __future__ import annotations

from importlib import import_module

from tegotae import checks
from tegotae.scenarios.scenario import Scenario

__all__ = ["SCENARIOS", "Scenario", "load_scenario"]

# Name -> the module that defines it as `scenario`.
SCENARIOS = {
    name: f"tegotae.scenarios.{name.replace('-', '_')}"
    for name in ("friction", "inclusion", "rod", "steering", "two-robots")
}


def load_scenario(name: str) -> Scenario:
    """The scenario of a name.

    Args:
        name: as in `SCENARIOS`.

    Example:
        >>> from tegotae.scenarios import load_scenario
        >>> load_scenario("friction").name
        'friction'
    """
    if name not in SCENARIOS:
        checks.refuse("run", f"there is no scenario {name!r}.", f"Choose one of {', '.join(SCENARIOS)}.")
    scenario = import_module(SCENARIOS[name]).scenario
    assert isinstance(scenario, Scenario)
    return scenario
