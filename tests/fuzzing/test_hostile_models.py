"""Whatever is given to what is public here: a sound result, a documented warning, or an error that says the way out."""

import pytest
from verdicts import SEED, hold_up

PACKAGES = ["tegotae.inclusion", "tegotae.hybrid", "tegotae.papers.two_robots"]


@pytest.mark.parametrize("package", PACKAGES)
def test_bad_values_meet_words(package):
    hold_up([package], every=60)


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_every_bad_value_meets_words(package):
    hold_up([package], every=1, seed=SEED)
