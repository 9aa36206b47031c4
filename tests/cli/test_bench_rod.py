"""The contests of rods at a tiny size: what they measure is right; how fast, `tegotae bench` tells."""

import importlib.util

import numpy as np
import pytest

from tegotae.bench import rod


def test_the_paper_s_run_is_timed_at_the_error_asked() -> None:
    (outcome,) = rod.paper_run(rounds=1)
    assert outcome.value > 0.0
    error = float(outcome.measured.split("within ")[1].split()[0])
    assert error <= 1e-5


def test_the_continuous_rod_is_approached_with_the_square_of_the_segments() -> None:
    """TIP, the aim of the contest with MuJoCo, is where refinement leads to."""
    errors = [rod.tip_error(nodes, 1e-6) for nodes in (33, 65, 129)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_costs_and_ratios_are_positive_numbers() -> None:
    for outcomes in (rod.linear(nodes=(5, 50), rounds=1), rod.mixed_against_pure(nodes=(2, 5), rounds=1)):
        assert all(np.isfinite(outcome.value) and outcome.value > 0.0 for outcome in outcomes)
    (many,) = rod.many_rods(count=4, rounds=1)
    assert many.value > 0.0
    assert many.measured.startswith("4 rods")


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="MuJoCo comes with the bench extra")
def test_the_chain_of_hinges_is_the_same_rod() -> None:
    """An independent engine: with links half as long the tip comes four times as near."""
    errors = []
    for links in (16, 32):
        play = rod.hinge_chain(links, 5e-4)
        errors.append(float(np.linalg.norm(play() - rod.TIP)))
    assert errors[1] < 0.04
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_a_peer_that_is_not_installed_is_skipped_and_says_so() -> None:
    if importlib.util.find_spec("elastica") is None:
        (outcome,) = rod.CONTESTS[-1].outcomes()
        assert not outcome.played
        assert "not installed" in outcome.measured


def test_the_snake_is_timed_and_every_step_was_solved() -> None:
    (outcome,) = rod.snake(seconds=0.1, rounds=1)
    assert outcome.value > 0.0
    assert "0 unsolved" in outcome.measured
