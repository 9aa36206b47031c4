"""Control: PID and sliding mode servos as blocks, and friction compensation."""

from tegotae.control.compensation import Comparison, FrictionServo, compare, feedforward, law_feedforward
from tegotae.control.pid import PID, LivePID
from tegotae.control.psmc import PSMC, LivePSMC

__all__ = [
    "PID",
    "PSMC",
    "Comparison",
    "FrictionServo",
    "LivePID",
    "LivePSMC",
    "compare",
    "feedforward",
    "law_feedforward",
]
