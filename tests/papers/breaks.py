"""Physics broken on purpose, as test cases."""

import pytest


def cases(breaks):
    """One case a break; the first of each claim always runs, the others with the slow tests."""
    return [
        pytest.param(claim, parts, id=f"{claim}: {word}", marks=[pytest.mark.slow] if place else [])
        for claim, many in breaks.items()
        for place, (word, parts) in enumerate(many.items())
    ]
