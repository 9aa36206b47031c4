"""Rest: how long a table moves on when nobody commands it any more, and how far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tegotae.hybrid.safety.limits import Limits
from tegotae.hybrid.safety.poses import difference, lengths

SLOW = 0.02  # of the velocity that the limits allow: slower is rest
CREEP = 1e-3  # m/s, rad/s: what encoders cannot tell from rest
_WINDOW = 8e-3  # s that a speed is taken over: encoders count


@dataclass(frozen=True)
class Stopping:
    """How a table comes to rest, from the last command that reached it."""

    time: float  # until the table itself is slower than 2 % of the limits' velocity, or than 1 mm/s, for good [s]
    distance: float  # that it moves meanwhile, its swing counted [m]

    @property
    def words(self) -> str:
        """In words."""
        time, distance = math.ceil(1e3 * self.time), 1e3 * self.distance
        return f"at rest within {time:d} ms and {distance:.2g} mm of the last command"


class Rest:
    """Watches poses that come once a period [s], from a moment on: when did they rest, and how far did they go?"""

    def __init__(self, limits: Limits, period: float) -> None:
        self._window = max(1, round(_WINDOW / period))
        time = self._window * period
        self._far = time * max(SLOW * limits.velocity, CREEP)
        self._turned = time * max(SLOW * limits.angular_velocity, CREEP)
        self._period, self._poses, self._moving = period, list[Sequence[float]](), 0
        self.distance = 0.0

    @property
    def time(self) -> float:
        """From the first pose until it was slow for good [s]."""
        return (self._moving + 1) * self._period

    def step(self, pose: Sequence[float]) -> float:
        """The next pose; for how long it has rested [s]."""
        poses = self._poses
        poses.append(pose)
        far, turn = lengths(difference(poses[max(len(poses) - 1 - self._window, 0)], pose))
        if far > self._far or turn > self._turned:
            self._moving = len(poses) - 1
        self.distance = max(self.distance, lengths(difference(poses[0], pose))[0])
        return (len(poses) - 1 - self._moving) * self._period
