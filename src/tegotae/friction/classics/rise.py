"""What can only be told of a model by sampling: where its law is least, and how fast its force can rise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.friction.laws import Law, Tabulated
from tegotae.running.loop import stacked
from tegotae.running.source import module_of

SPEEDS = np.concatenate([[0.0], np.geomspace(1e-7, 1e2, 500)])

_SWEEP = """
@entry
def sweep(p, s, w, speeds, T):
    rise = 0.0
    for i in range(s.real.shape[0]):
        for j in range(speeds.shape[0]):
            for v in (speeds[j], -speeds[j]):
                _, slope = answer(p.real, p.whole, s.real[i], s.whole[i], w.real, w.whole, v, T)
                rise = max(rise, slope)
    return rise
"""


def sampled_rise(
    block: Impedance, states: Sequence[Mapping[str, ArrayLike]], period: float, speeds: Array = SPEEDS
) -> float:
    """The largest slope of the force by the velocity [N·s/m] of a block on a line that prepares nothing."""
    rows = stacked([block.initial_state(period, own).memory for own in states])
    module = build(_SWEEP, (("answer", module_of(block).flat_answer),))
    return float(module.sweep(block.parameters, rows, block.spaces.workspace.empty(), speeds, period))


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
