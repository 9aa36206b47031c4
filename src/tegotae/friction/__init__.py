"""Friction elements that truly stick, and the classics to compare them with."""

from tegotae.friction.element import FrictionAdmittance, FrictionImpedance
from tegotae.friction.laws import Coulomb, CustomLaw, Law, Stribeck, Tabulated, Viscous
from tegotae.friction.parallel import ParallelFriction

__all__ = [
    "Coulomb",
    "CustomLaw",
    "FrictionAdmittance",
    "FrictionImpedance",
    "Law",
    "ParallelFriction",
    "Stribeck",
    "Tabulated",
    "Viscous",
]
