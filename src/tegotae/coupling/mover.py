"""An admittance inside a circuit."""

from __future__ import annotations

from typing import NamedTuple

from tegotae.block import Admittance
from tegotae.coupling.group import Spot


class Mover(NamedTuple):
    """Where its numbers lie, and the first of its rows among all motions."""

    block: Admittance
    at: Spot
    row: int
