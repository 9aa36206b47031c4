"""What a rolling tyre gives once it has settled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, kw_only=True)
class Steady:
    """A rolling tyre once it has settled; numbers, or arrays with one entry for each slip that was asked for.

    Args:
        slip_angle: alpha [rad].
        lateral_force: on the tyre, to the left [N]; has the sign of the slip angle when rolling forwards.
        torque: tau_r [N·m], with which it resists steering to the left about the steering axis.
        stuck: share of the bristles that stick [-]; not a number for models without bristles.
        slip: R omega - V [m/s], driving positive.
        longitudinal_force: on the tyre, forwards [N].

    Example:
        >>> from tegotae.steering import ContactPatch
        >>> ContactPatch(stiffness=1e4, damping=0.0).steady(slip_angle=0.1, speed=20.0).stuck
        0.0
    """

    slip_angle: Any
    lateral_force: Any
    torque: Any
    stuck: Any = math.nan
    slip: Any = 0.0
    longitudinal_force: Any = 0.0

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> Steady:
        """From columns by name: arrays of this shape, or plain numbers where it has none.

        Args:
            columns: field -> its values, one after the other.
            shape: of the slips that were asked for.
        """
        arrays = {name: np.array(values, dtype=np.float64).reshape(shape) for name, values in columns.items()}
        return cls(**{name: array if shape else float(array) for name, array in arrays.items()})
