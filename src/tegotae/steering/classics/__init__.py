"""Tyre models of others, kept to compare with: the package's own patches are one level up.

They are run like `ContactPatch`, and answer the same questions: what the tyre does when it is parked, and what it
does below the limit of static friction.

Example:
    >>> import numpy as np
    >>> from tegotae.steering.classics import LuGreTyre, MagicFormula
    >>> turned = dict(steer=np.linspace(0.0, 0.2, 200), speed=0.0, period=1e-3)
    >>> float(MagicFormula().run(**turned).torque[-1])  # no parking torque at all
    0.0
    >>> round(float(LuGreTyre().run(**turned).torque[-1]), 1)  # from the arm of the steering axis alone
    8.7
"""

from tegotae.steering.classics.printed import ExplicitSteering, PrintedSteering
from tegotae.steering.classics.tyres import LuGreTyre, MagicFormula

__all__ = ["ExplicitSteering", "LuGreTyre", "MagicFormula", "PrintedSteering"]
