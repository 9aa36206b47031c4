"""PyElastica as a peer: the rod of tau = 10 as a thin Cosserat rod. (It is no dependency: `pip install pyelastica`.)"""

from __future__ import annotations

import importlib
import importlib.util
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tegotae.checks import Array

MISSING = "PyElastica is not installed (pip install pyelastica)"


def installed() -> bool:
    """Whether it can be imported."""
    return importlib.util.find_spec("elastica") is not None


@dataclass(frozen=True)
class CosseratRod:
    """The rod in PyElastica: 3-D, so it also stretches and shears; the thinner, the less, and the shorter its steps.

    Args:
        elements: how many.
        radius: of its section [m]; the moduli follow from the bending stiffness.
        step: time step [s], bound by the bending viscosity on the small inertia of a thin section.
    """

    elements: int
    radius: float
    step: float

    def run(self, seconds: float = 1.0) -> tuple[Array, float]:
        """Where the tip is after so many seconds under tau = 10 [m], and how long that took [s] without building."""
        machine, rod, stepper = self._built()
        count, now = round(seconds / self.step), 0.0
        start = time.perf_counter()
        for _ in range(count):
            now = stepper.step(machine, now, self.step)
        return np.array(rod.position_collection[:2, -1]), time.perf_counter() - start

    def _built(self) -> tuple[Any, Any, Any]:
        ea: Any = importlib.import_module("elastica")
        area, second = np.pi * self.radius**2, 0.25 * np.pi * self.radius**4
        machine = type("Machine", (ea.BaseSystemCollection, ea.Constraints, ea.Forcing), {})()
        rod = ea.CosseratRod.straight_rod(
            self.elements,
            np.zeros(3),
            np.array([1.0, 0.0, 0.0]),
            np.array([0.0, 0.0, 1.0]),
            10.0,
            self.radius,
            0.1 / area,
            youngs_modulus=1.0 / second,
            shear_modulus=0.5 / second,
        )
        machine.append(rod)
        machine.constrain(rod).using(_pin(ea), constrained_position_idx=(0,))
        machine.add_forcing_to(rod).using(_drive(ea, 2.0 * self.elements / 10.0))
        machine.finalize()
        return machine, rod, ea.PositionVerlet()


def _pin(ea: Any) -> Any:
    """Holds the first node where it is."""

    def begin(own: Any, place: Any, **known: Any) -> None:
        ea.ConstraintBase.__init__(own, **known)
        own.place = np.array(place)

    def values(own: Any, system: Any, time: float) -> None:
        system.position_collection[..., 0] = own.place

    def rates(own: Any, system: Any, time: float) -> None:
        system.velocity_collection[..., 0] = 0.0

    return type("Pin", (ea.ConstraintBase,), {"__init__": begin, "constrain_values": values, "constrain_rates": rates})


def _drive(ea: Any, viscosity: float) -> Any:
    """tau = 10 on the first element, and bending viscosity between elements [N·m·s], which PyElastica does not have."""

    def torques(own: Any, system: Any, time: float = 0.0) -> None:
        # The first axis of a section is the normal of the plane.
        couple = viscosity * np.diff(system.omega_collection[0])
        turning = system.external_torques[0]
        turning[:-1] += couple
        turning[1:] -= couple
        turning[0] += 10.0

    return type("Drive", (ea.NoForces,), {"apply_torques": torques})
