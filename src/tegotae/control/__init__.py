"""Control: PID and sliding mode servos as blocks, and friction compensation."""

from tegotae.control.compensation import Comparison, FrictionServo, compare, feedforward, law_feedforward
from tegotae.control.servo import PID, PSMC, LiveServo

__all__ = ["PID", "PSMC", "Comparison", "FrictionServo", "LiveServo", "compare", "feedforward", "law_feedforward"]
