"""Friction models of others, kept to compare with: the package's own elements are one level up.

Each is run like `FrictionImpedance` and couples in circuits in the same way. Where its equation can be solved exactly
for a velocity held over a tick, it is, so that what differs between models is the models.

Example:
    >>> import numpy as np, tegotae as tg
    >>> from tegotae.friction.classics import Dahl, LuGre, Tanh
    >>> velocity = np.full(200, 0.05)
    >>> models = [
    ...     tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)),
    ...     Dahl(stiffness=6000.0, limit=4.0),
    ...     LuGre(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0)),
    ...     Tanh(limit=4.0, velocity=1e-3),
    ... ]
    >>> [round(float(model.run(velocity, period=1e-3).force[-1]), 3) for model in models]
    [-4.0, -4.0, -4.0, -4.0]
"""

from tegotae.friction.classics.bristles import Dahl, Elastoplastic, GeneralisedMaxwellSlip, LuGre, Tanh
from tegotae.friction.classics.sampled import ExplicitlyCoupledFriction, HaywardArmstrong, Karnopp

__all__ = [
    "Dahl",
    "Elastoplastic",
    "ExplicitlyCoupledFriction",
    "GeneralisedMaxwellSlip",
    "HaywardArmstrong",
    "Karnopp",
    "LuGre",
    "Tanh",
]
