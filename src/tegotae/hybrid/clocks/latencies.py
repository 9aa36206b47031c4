"""How late things were: a histogram of fixed size, so that recording allocates nothing and never ends."""

from __future__ import annotations

from array import array

from tegotae import checks

_FINE = 7  # bits kept of a number: parts of 1/128 to 1/64
_PARTS = 1 << (_FINE - 1)
_BUCKETS = _PARTS * (64 - _FINE) + 2 * _PARTS
_MOST = (1 << 63) - 1


def _top(bucket: int) -> int:
    """The largest number that falls into a bucket."""
    coarse = bucket // _PARTS - 1
    if coarse <= 0:
        return bucket
    return ((bucket - coarse * _PARTS + 1) << coarse) - 1


class Latencies:
    """Counts of times in buckets 1/64 wide at most; the largest is kept exactly.

    Example:
        >>> from tegotae.hybrid import Latencies
        >>> seen = Latencies()
        >>> for microseconds in range(1, 101):
        ...     seen.add(1000 * microseconds)
        >>> seen.count, seen.largest
        (100, 0.0001)
        >>> 50e-6 <= seen.percentile(50.0) <= 50e-6 * (1 + 1 / 64)
        True
    """

    __slots__ = ("_counts", "_largest", "_total", "count")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * _BUCKETS))
        self._largest = 0
        self._total = 0
        self.count = 0

    def add(self, nanoseconds: int) -> None:
        """Count one more. What is below zero counts as zero, what a 63-bit number cannot hold as its largest."""
        if type(nanoseconds) is not int:
            nanoseconds = checks.whole("Latencies", "nanoseconds", nanoseconds, -checks.MOST, "Give whole nanoseconds.")
        value = nanoseconds if 0 <= nanoseconds <= _MOST else 0 if nanoseconds < 0 else _MOST
        coarse = value.bit_length() - _FINE
        self._counts[value if coarse <= 0 else coarse * _PARTS + (value >> coarse)] += 1
        self.count += 1
        self._total += value
        if value > self._largest:
            self._largest = value

    @property
    def largest(self) -> float:
        """The largest of all [s], 0 if there is none."""
        return 1e-9 * self._largest

    @property
    def mean(self) -> float:
        """The mean of all [s], 0 if there is none."""
        return 1e-9 * self._total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """A time [s] that so many percent did not exceed, at most 1/64 above the truth; 0 if there is none."""
        percent = checks.number("Latencies", "percent", percent, "%", "Give 0 to 100.")
        wanted, seen = self.count * min(max(percent, 0.0), 100.0) / 100.0, 0
        for bucket, count in enumerate(self._counts):
            seen += count
            if count and seen >= wanted:
                return 1e-9 * min(_top(bucket), self._largest)
        return 0.0

    def spread(self, name: str) -> dict[str, float]:
        """Half, nearly all and the largest [s], as name_p50, _p99 and _max."""
        return {
            f"{name}_p50": self.percentile(50.0), f"{name}_p99": self.percentile(99.0), f"{name}_max": self.largest,
        }  # fmt: skip

    def summary(self) -> dict[str, float]:
        """count, and p50, p99, max, mean [s]."""
        return {
            "count": self.count,
            "p50": self.percentile(50.0),
            "p99": self.percentile(99.0),
            "max": self.largest,
            "mean": self.mean,
        }
