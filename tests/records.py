"""Random records for the tests of identification, and how often their intervals hold the truth."""

import numpy as np

T = 1e-3
SEEDS = range(20)
LEAST_COVERED = 17  # of 20; a true 95 % interval falls below that in 1.6 % of such lists


def multisine(random, fastest, ticks=4000):
    """Five sines of random frequency (0.3 to 4 Hz) and phase; velocity [m/s]."""
    time = T * np.arange(ticks)
    frequencies = np.exp(random.uniform(np.log(0.3), np.log(4.0), 5))[:, None]
    motion = np.sin(2.0 * np.pi * frequencies * time + random.uniform(0.0, 2.0 * np.pi, (5, 1))).sum(axis=0)
    return fastest * motion / np.abs(motion).max()


def covered(truths, fits):
    """Name -> how many intervals hold the truth."""
    counts = {}
    for truth, found in zip(truths, fits, strict=True):
        assert list(found.intervals) == list(found.parameters)
        for name, value in truth.items():
            low, high = found.intervals[name]
            assert low <= found.parameters[name] <= high
            counts[name] = counts.get(name, 0) + int(low <= value <= high)
    return counts
