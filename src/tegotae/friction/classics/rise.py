"""What can only be told of a model by sampling: where its law is least, and how fast its force can rise."""

from __future__ import annotations

import numpy as np

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.friction.laws import Law, Tabulated

SPEEDS = np.concatenate([[0.0], np.geomspace(1e-7, 1e2, 500)])

_SWEEP = """
@entry
def sweep(p, states, speeds, T):
    rise = 0.0
    for i in range(states.shape[0]):
        for j in range(speeds.shape[0]):
            rise = max(rise, answer(p, states[i], speeds[j], T)[1], answer(p, states[i], -speeds[j], T)[1])
    return rise
"""


def sampled_rise(block: Impedance, states: Array, period: float, speeds: Array = SPEEDS) -> float:
    """The largest slope of the force by the velocity [N·s/m] over sampled speeds and the given states."""
    module = build(block.kernels.source() + _SWEEP, block.kernels.imports())
    return float(module.sweep(block.parameters, states, speeds, period))


def least_magnitude(owner: str, law: Law) -> float:
    """The smallest friction [N] of a law over all speeds; refused where it is none, for a bristle relaxes to it."""
    speeds = np.concatenate([SPEEDS, law.speeds]) if isinstance(law, Tabulated) else SPEEDS
    forces = law(speeds)
    where = int(np.argmin(forces))
    if not forces[where] > 0.0:
        checks.refuse(
            owner,
            f"law gives {forces[where]:g} N at {speeds[where]:g} m/s.",
            "This model divides by its law: use one that stays > 0 at every speed.",
        )
    return float(forces[where])
