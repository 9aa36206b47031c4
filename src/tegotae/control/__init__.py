"""Control: a PID servo as a block, and friction compensation."""

from tegotae.control.compensation import Comparison, FrictionServo, compare, feedforward, law_feedforward
from tegotae.control.pid import PID, LivePID

__all__ = [
    "PID",
    "Comparison",
    "FrictionServo",
    "LivePID",
    "compare",
    "feedforward",
    "law_feedforward",
]
