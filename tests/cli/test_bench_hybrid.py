"""The contest of the fast link at a tiny size: it measures what it says; how fast, `tegotae bench` tells."""

import pytest

from tegotae.bench import hybrid


@pytest.mark.realtime
def test_every_command_is_answered_by_another_process():
    seen = hybrid.round_trips(count=20, rounds=2, spin=1e-4)
    assert seen.count == 20
    assert 0.0 < seen.percentile(50.0) <= seen.largest


@pytest.mark.realtime
def test_the_contest_gives_its_outcome_with_its_bound():
    (outcome,) = hybrid.fast_link(count=10, rounds=1)
    assert outcome.bound == "<= 100"
    assert outcome.value > 0.0
    assert "without an answer" not in outcome.measured


def test_the_loop_is_timed_for_both_devices():
    (outcome,) = hybrid.lockstep(duration=0.1, rounds=1)
    assert "six arms" in outcome.measured
    assert outcome.value > 0.0
