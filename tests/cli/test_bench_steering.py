"""The contests of steering at a tiny size: what they measure is right; how fast, `tegotae bench` tells."""

import numpy as np
import pytest

from tegotae.bench import steering


@pytest.mark.parametrize("speed", [0.0, 20.0, -70.0, -150.0, 321.0])
@pytest.mark.parametrize("bristles", [21, 64])
def test_the_circuit_and_the_loop_fused_by_hand_are_one_machine(speed: float, bristles: int) -> None:
    """Written twice, of other code: the same to what rounding leaves after 3000 implicit steps."""
    circuit, fused = steering.twins(bristles=bristles, ticks=3000, speed=speed)
    (rate, torque), (by_hand, felt) = circuit(), fused()
    assert np.abs(by_hand).max() > 1e-3
    assert np.abs(rate - by_hand).max() < 1e-11 * np.abs(by_hand).max()
    assert np.abs(torque - felt).max() < 1e-10 * np.abs(felt).max()


def test_every_contest_gives_outcomes_with_their_bounds() -> None:
    outcomes = [
        *steering.real_time(ticks=200, rounds=1),
        *steering.four_wheels(ticks=5, rounds=1, bristles=21, rows=2),
        *steering.wired(ticks=200, rounds=1),
        *steering.an_hour(ticks=1000, rounds=1),
    ]
    bounds = [">= 2000", ">= 250", ">= 1", "<= 1.1", "<= 1.1", "<= 5 s", "<= 500 MB"]
    assert [outcome.bound for outcome in outcomes] == bounds
    assert all(outcome.value > 0.0 for outcome in outcomes)


def test_a_drive_reports_its_seconds_and_the_memory_of_its_process() -> None:
    seconds, most = steering.drive(500)
    assert 0.0 < seconds < 60.0
    assert most > 20.0
