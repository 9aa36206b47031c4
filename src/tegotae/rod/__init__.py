"""Soft rods: bendable, inextensible, in closed form and O(n).  [hirai2020]"""

from tegotae.rod.phases import Load, Phase
from tegotae.rod.planar import Payload, PlanarRod, RodError
from tegotae.rod.records import Shape

__all__ = ["Load", "Payload", "Phase", "PlanarRod", "RodError", "Shape"]
