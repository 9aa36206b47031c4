"""Soft rods: bendable, inextensible, in closed form and O(n).  [hirai2020]"""

from tegotae.rod.gaits import travelling_wave
from tegotae.rod.ground import Ground, GroundedRod, Peg, Wall
from tegotae.rod.phases import Load, Phase
from tegotae.rod.planar import Payload, PlanarRod, RodError
from tegotae.rod.records import Shape

__all__ = [
    "Ground",
    "GroundedRod",
    "Load",
    "Payload",
    "Peg",
    "Phase",
    "PlanarRod",
    "RodError",
    "Shape",
    "Wall",
    "travelling_wave",
]
