"""Steering: tyre contact patches, the column, the vehicle, and what the hand feels."""

from tegotae.steering.patch import Carcass, ContactPatch
from tegotae.steering.planar import PlanarPatch
from tegotae.steering.pressure import Parabolic, Pressure, Tabulated, Uniform
from tegotae.steering.steady import Steady
from tegotae.steering.system import Column, SteeringSystem, TorsionBar
from tegotae.steering.vehicle import Bicycle, Kinematic

__all__ = [
    "Bicycle",
    "Carcass",
    "Column",
    "ContactPatch",
    "Kinematic",
    "Parabolic",
    "PlanarPatch",
    "Pressure",
    "Steady",
    "SteeringSystem",
    "Tabulated",
    "TorsionBar",
    "Uniform",
]
