"""The servo of the table's motors.  [tarao1999, Fig. 11 and (14)]"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter, Period
from tegotae.table.hexa import six
from tegotae.table.plant_layout import SERVO


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmServo(Declared):
    """PD on every arm's angle, sampled: torque = Kp (reference - angle) + Kd (its rate - the angle's rate) + weight.

    Rates are differences of one period, as a controller with encoders takes them; the torque is held over the period.

    Example:
        >>> from tegotae.table import ArmServo
        >>> ArmServo(stiffness=200.0, damping=4.0).kd[0]
        np.float64(4.0)
    """

    stiffness: Annotated[
        ArrayLike, Parameter("[N·m/rad], > 0, Kp of the motors, one or six", accept=partial(six, unit="N·m/rad"))
    ]
    damping: Annotated[
        ArrayLike, Parameter("[N·m·s/rad], >= 0, Kd of the motors, one or six", accept=partial(six, unit="N·m·s/rad"))
    ]
    limit: Annotated[
        ArrayLike, Parameter("[N·m], >= 0, largest torque of the motors, one or six", accept=partial(six, unit="N·m"))
    ] = 60.0
    period: Period = 2e-3
    resolution: Annotated[
        float, Parameter("[rad], >= 0, the step of the encoders; 655360 counts a turn unless given")
    ] = 2.0 * math.pi / 655360.0
    compensation: Annotated[
        float, Parameter("[-], 0 to 1, share of the weight at the commanded pose that is fed forward")
    ] = 1.0
    feedforward: Annotated[
        float,
        Parameter(
            "[-], 0 to 1, share of the reference's rate that the damping knows: 1 is (10) of tarao1999, 0 damps all"
        ),
    ] = 1.0
    feedforward_in_contact: Annotated[
        float | None,
        Parameter(
            "[-], 0 to 1, of the rate while the sensor reads a force beyond `contact_threshold`; as `feedforward` "
            "unless given. With the rate fed forward a stiff contact is felt as K d + D d' of the commanded depth "
            "d, without it as K d: the first takes energy out, the second does not"
        ),
    ] = None
    contact_threshold: Annotated[
        float,
        Parameter("[N], >= 0, force read in the last period, as the sensor tares it, beyond which there is contact"),
    ] = 0.5

    @property
    def kp(self) -> Array:
        """Six stiffnesses [N·m/rad]."""
        return np.asarray(self.stiffness)

    @property
    def kd(self) -> Array:
        """Six dampings [N·m·s/rad]."""
        return np.asarray(self.damping)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SERVO`."""
        own = {part.name: getattr(self, part.name) for part in SERVO.parts()}
        return own if self.feedforward_in_contact is not None else own | {"feedforward_in_contact": self.feedforward}

    def slowest_decay(self, W: Array, M: Array) -> float:
        """Largest magnitude of the eigenvalues of one sampled period about a pose [-]: below 1 it settles.

        W is the inverse Jacobian there [rad/m, rad/rad], M the plate's inertia as felt there [kg, kg·m, kg·m2].
        """
        T, E, none = float(self.period), np.eye(6), np.zeros((6, 6))
        push = -np.linalg.solve(M, W.T * self.kp @ W), -np.linalg.solve(M, W.T * self.kd @ W) / T
        # state: x, v, x one period ago; the torque is held, so the motion within a period is a parabola
        now, before = push[0] + push[1], -push[1]
        step = np.block(
            [
                [E + 0.5 * T * T * now, T * E, 0.5 * T * T * before],
                [T * now, E, T * before],
                [E, none, none],
            ]
        )
        return float(np.abs(np.linalg.eigvals(step)).max())
