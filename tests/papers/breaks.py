"""What every ledger is tested for: its claims hold, and each fails as soon as its physics is broken on purpose."""

import time
from dataclasses import replace

import pytest


def labour(seconds):
    """Processor time that is spent for nothing."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def cases(breaks, timed):
    """One case a break; the first of each claim always runs, the others with the slow tests."""
    return [
        pytest.param(
            claim, parts, id=f"{claim}: {word}", marks=[*alone(claim in timed), *([pytest.mark.slow] if place else [])]
        )
        for claim, many in breaks.items()
        for place, (word, parts) in enumerate(many.items())
    ]


def alone(timed):
    """The marks of a claim about time."""
    return [pytest.mark.realtime] if timed else []


def ledger_tests(paper, subject, breaks, *, timed=()):
    """The three tests of a ledger.

    breaks: claim -> what is broken -> parts of the subject that are replaced, or a function that makes them.
    timed: claims that measure how long something takes; they are checked while nothing else runs.
    """
    assert set(timed) <= {claim.id for claim in paper.claims}

    @pytest.mark.parametrize(
        "claim", [pytest.param(claim, id=claim.id, marks=alone(claim.id in timed)) for claim in paper.claims]
    )
    def test_claim_holds(claim):
        entry = claim.check(subject)
        assert entry.passed, f"{entry.measured} against {entry.bound}; {entry.note}"

    @pytest.mark.parametrize(("identifier", "parts"), cases(breaks, timed))
    @pytest.mark.filterwarnings("ignore::tegotae.errors.DivergenceWarning")  # broken physics may explode
    def test_claim_fails_on_broken_physics(identifier, parts):
        entry = paper[identifier].check(replace(subject, **(parts() if callable(parts) else parts)))
        assert not entry.passed
        assert entry.findings, f"it must fail by its numbers, not by an error: {entry.note}"

    def test_every_claim_is_broken_somewhere():
        assert set(breaks) == {claim.id for claim in paper.claims}

    return test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere
