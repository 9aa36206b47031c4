"""Friction and contact written with sgn and dio, compiled into something any integrator can run.  [xiong2011]"""

# ruff: noqa: E402  # every module here stands on SymPy, so it is looked for before the first of them
from tegotae.extras import require

require("tegotae.inclusion", "sympy")

from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.explicit.tuning import automatic, restitution_of, tune_contact, tune_friction
from tegotae.inclusion.inclusion import Inclusion
from tegotae.inclusion.language.symbols import coulomb, dio, sgn
from tegotae.inclusion.mechanics import from_mechanics

__all__ = [
    "Contact",
    "Friction",
    "Inclusion",
    "automatic",
    "coulomb",
    "dio",
    "from_mechanics",
    "restitution_of",
    "sgn",
    "tune_contact",
    "tune_friction",
]
