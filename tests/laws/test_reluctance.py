"""What an admittance says it resists at least: circuits rely on it when they promise that a step has one solution."""

import numpy as np
import pytest

from random_states import every_block
from tegotae.block import Admittance
from tegotae.running.probe import Probe

T = 1e-3
MOVERS = [block for block in every_block() if isinstance(block, Admittance) and block.dimension]


@pytest.mark.parametrize("block", MOVERS, ids=lambda block: f"{block.name}-{block.dimension}")
def test_no_force_moves_it_more_than_its_reluctance_allows(block):
    """1/reluctance bounds the symmetric part of the slope, in whatever state and under whatever force."""
    period = float(block.servo.period) if hasattr(block, "servo") else T
    probe, rng = Probe(block, period), np.random.default_rng(5)
    least, highest = block.least_reluctance(period), 0.0
    for _ in range(60):
        force = rng.normal(size=block.dimension) * rng.choice([0.0, 0.1, 3.0, 10.0])
        motion, slope = probe.answer(force)
        highest = max(highest, float(np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1]))
        probe.advance(force, motion)
    assert highest > 0.0
    # A slope by differences errs by 1e-7 of it.
    assert least * highest <= 1.0 + 1e-6
