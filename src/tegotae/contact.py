"""The words of contact: whatever touches is told its stiffness, damping and friction alike, wherever it touches."""

from __future__ import annotations

from typing import Annotated

from tegotae.parameters import Parameter

ContactStiffness = Annotated[float, Parameter("K [N/m], > 0, along the normal", such_as="1e5")]
ContactDamping = Annotated[float, Parameter("c [N·s/m], >= 0, along the normal, while they touch")]
FrictionCoefficient = Annotated[float, Parameter("mu [-], >= 0, of dry friction; 0 for a smooth face", such_as="0.5")]
