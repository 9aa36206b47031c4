"""Steering: tyre contact patches, the column, the vehicle, and what the hand feels."""

from tegotae.steering.patch import Carcass, ContactPatch, Steady
from tegotae.steering.pressure import Parabolic, Pressure, Tabulated, Uniform
from tegotae.steering.system import SteeringSystem
from tegotae.steering.vehicle import Bicycle, Kinematic

__all__ = [
    "Bicycle",
    "Carcass",
    "ContactPatch",
    "Kinematic",
    "Parabolic",
    "Pressure",
    "Steady",
    "SteeringSystem",
    "Tabulated",
    "Uniform",
]
