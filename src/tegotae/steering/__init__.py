"""Steering: tyre contact patches, the column, the vehicle, the hands and the wheel they hold.

Classic tyres for comparison are in `tegotae.steering.classics`, the paper's own device in `tegotae.steering.arc`.
"""

from tegotae.steering.hands import Driver, Hold, Ramp, Sine, TorqueProfile, Trace, Waypoints
from tegotae.steering.patch import Carcass, ContactPatch, PlanarPatch
from tegotae.steering.pressure import Parabolic, Pressure, TabulatedPressure, Uniform
from tegotae.steering.rendering import GearedImpedance, LocalRenderer, VirtualCoupling
from tegotae.steering.steady import Steady
from tegotae.steering.system import Column, SteeringSystem, TorsionBar
from tegotae.steering.vehicle import Bicycle, Kinematic
from tegotae.steering.wheels import ForceFeedbackWheel, TorqueSensorWheel, feel, steer

__all__ = [
    "Bicycle",
    "Carcass",
    "Column",
    "ContactPatch",
    "Driver",
    "ForceFeedbackWheel",
    "GearedImpedance",
    "Hold",
    "Kinematic",
    "LocalRenderer",
    "Parabolic",
    "PlanarPatch",
    "Pressure",
    "Ramp",
    "Sine",
    "Steady",
    "SteeringSystem",
    "TabulatedPressure",
    "TorqueProfile",
    "TorqueSensorWheel",
    "TorsionBar",
    "Trace",
    "Uniform",
    "VirtualCoupling",
    "Waypoints",
    "feel",
    "steer",
]
