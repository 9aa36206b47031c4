"""The servo of the table's motors.  [tarao1999, Fig. 11 and (14)]"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.table.hexa import six


@dataclass(frozen=True, kw_only=True, eq=False)
class Servo:
    """PD on every arm's angle, sampled: torque = Kp (reference - angle) + Kd (its rate - the angle's rate) + weight.

    Rates are differences of one period, as a controller with encoders takes them; the torque is held over the period.

    Args:
        stiffness: Kp of the motors, one number or six [N·m/rad].
        damping: Kd of the motors, one number or six [N·m·s/rad].
        limit: largest torque of the motors, one number or six [N·m].
        period: T [s].
        resolution: smallest step of the encoders [rad], 0 for none; 655360 counts a turn unless given.
        compensation: share of the weight of arms, rods and plate at the commanded pose that is fed forward [-], 0 to 1.
        feedforward: share of the reference's rate that the damping knows of [-]: 1 is (10) of tarao1999, 0 damps all
            motion.
        feedforward_in_contact: the same while the sensor reads a force beyond `contact_threshold` [-]; as `feedforward`
            unless given. With the rate fed forward a stiff contact is felt as K d + D d' of the commanded depth d,
            without it as K d: the first takes energy out, the second does not.
        contact_threshold: magnitude of the force read at the end of the last period, as calibrated and tared by the
            sensor itself, beyond which there is contact [N].

    Example:
        >>> from tegotae.table import Servo
        >>> Servo(stiffness=200.0, damping=4.0).period
        0.002
    """

    stiffness: ArrayLike
    damping: ArrayLike
    limit: ArrayLike = 60.0
    period: float = 2e-3
    resolution: float = 2.0 * math.pi / 655360.0
    compensation: float = 1.0
    feedforward: float = 1.0
    feedforward_in_contact: float | None = None
    contact_threshold: float = 0.5

    def __post_init__(self) -> None:
        for name, unit in (("stiffness", "N·m/rad"), ("damping", "N·m·s/rad"), ("limit", "N·m")):
            six("Servo", name, getattr(self, name), unit)
        if not (six("Servo", "stiffness", self.stiffness, "N·m/rad") > 0.0).all():
            checks.refuse(
                "Servo", f"stiffness={checks.shown(self.stiffness)} N·m/rad must be > 0.", "An arm must be held."
            )
        checks.period_of("Servo", self.period)
        checks.at_least_zero("Servo", "resolution", self.resolution, "rad", "Give the step of the encoder, 0 for none.")
        checks.at_least_zero("Servo", "contact_threshold", self.contact_threshold, "N", "Give a force >= 0.")
        for name in ("compensation", "feedforward", "feedforward_in_contact"):
            if getattr(self, name) is None and name == "feedforward_in_contact":
                continue
            share = checks.at_least_zero("Servo", name, getattr(self, name), "", "Give a share from 0 to 1.")
            if share > 1.0:
                checks.refuse("Servo", f"{name}={share} must be <= 1.", "Give a share from 0 to 1.")

    @property
    def kp(self) -> Array:
        """Six stiffnesses [N·m/rad]."""
        return six("Servo", "stiffness", self.stiffness, "N·m/rad")

    @property
    def kd(self) -> Array:
        """Six dampings [N·m·s/rad]."""
        return six("Servo", "damping", self.damping, "N·m·s/rad")

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SERVO`."""
        touching = self.feedforward if self.feedforward_in_contact is None else self.feedforward_in_contact
        return {
            "stiffness": self.kp,
            "damping": self.kd,
            "limit": six("Servo", "limit", self.limit, "N·m"),
            "resolution": self.resolution,
            "compensation": self.compensation,
            "feedforward": self.feedforward,
            "feedforward_in_contact": touching,
            "contact_threshold": self.contact_threshold,
        }

    def slowest_decay(self, W: Array, M: Array) -> float:
        """Largest magnitude of the eigenvalues of one sampled period about a pose [-]: below 1 it settles.

        Args:
            W: inverse Jacobian there [rad/m, rad/rad].
            M: inertia of the plate as felt there [kg, kg·m, kg·m2].
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
