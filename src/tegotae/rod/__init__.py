"""Soft rods: bendable, inextensible, in closed form and O(n).  [hirai2020]"""

from tegotae.rod.ground import Ground, Peg, Wall
from tegotae.rod.grounded import GroundedRod
from tegotae.rod.many import run_many, variations
from tegotae.rod.phases import Load, Phase
from tegotae.rod.planar import Payload, PlanarRod, PureRod, RodError
from tegotae.rod.records import Shape
from tegotae.rod.tendon import Tendon, travelling_wave

__all__ = [
    "Ground",
    "GroundedRod",
    "Load",
    "Payload",
    "Peg",
    "Phase",
    "PlanarRod",
    "PureRod",
    "RodError",
    "Shape",
    "Tendon",
    "Wall",
    "run_many",
    "travelling_wave",
    "variations",
]
