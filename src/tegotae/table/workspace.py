"""The map of where a table can go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.services import service
from tegotae.table.limits import within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tegotae.table.hexa import Hexa


@dataclass(frozen=True, kw_only=True, eq=False)
class Workspace:
    """Numbers over a box of places (x, y, z), the plate turned the same everywhere.

    Args:
        table: whose workspace it is.
        x: places along x [m].
        y: places along y [m].
        z: places along z [m].
        rotation: of the plate [-].
        seen: of every place: nearness to the arms' and to the plate's singularity [-], least and largest arm angle
            [rad], largest tilt of a rod [rad]; NaN out of reach.

    Example:
        >>> import numpy as np
        >>> from tegotae.table import Hexa
        >>> grid = np.linspace(-0.4, 0.4, 41)
        >>> found = Hexa.default().workspace(x=grid, y=grid, z=np.linspace(-0.7, -0.2, 26))
        >>> round(found.volume, 2)  # m3
        0.09
    """

    table: Hexa
    x: Array
    y: Array
    z: Array
    rotation: Array
    seen: Array

    @property
    def measure(self) -> Array:
        """The measure of singularity at every place [-], NaN where no arms reach."""
        return np.asarray(np.minimum(self.seen[..., 0], self.seen[..., 1]))

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """Where the table can go with all limits kept."""
        return within(self.table, self.seen)

    @property
    def volume(self) -> float:
        """Of the places that can be taken [m3], each standing for its share of the box."""
        cells = [float(np.ptp(a)) / (a.size - 1) if a.size > 1 else 0.0 for a in (self.x, self.y, self.z)]
        return float(self.reachable.sum() * np.prod(cells))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """The map as a figure, a cut across and a cut along; saved if a path is given."""
        figure: Figure = service("figure of a workspace")(self)
        if path is not None:
            service("save a figure")(figure, path)
        return figure
