"""Speed, measured side by side: every number is a ratio of two things timed alternately in one run."""

from tegotae.bench.contest import Contest, Outcome

__all__ = ["Contest", "Outcome"]
