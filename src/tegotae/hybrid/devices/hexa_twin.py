"""The six-arm table as a device: its twin, with a probe that meets a fixed surface."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tegotae import checks
from tegotae.errors import TegotaeError
from tegotae.hybrid.devices.device import DeviceReading, Twin, checked_order
from tegotae.hybrid.safety.poses import seven
from tegotae.rotations import matrix_of
from tegotae.table import HexaPlant
from tegotae.table.limits import limit_values
from tegotae.table.live import plate_pose

SMOOTHING = 8e-3  # s, time constant of the twist that is read


class HexaTwin(Twin):
    """The simulated table behind the interface of a real one; poses are those of its probe's tip.

    Args:
        plant: with a surface.
        start: pose of the tip: position [m] and quaternion.

    Example:
        >>> import dataclasses
        >>> from tegotae.hybrid.devices.hexa_twin import HexaTwin
        >>> from tegotae.table import HexaPlant, ProbedSurface
        >>> surface = ProbedSurface(height=-0.42, stiffness=1e5, damping=100.0, probe=(0.0, 0.0, 0.05))
        >>> twin = HexaTwin(
        ...     dataclasses.replace(HexaPlant.default(), surface=surface), start=(0.0, 0.0, -0.43, 1.0, 0.0, 0.0, 0.0)
        ... )
        >>> twin.step()
        >>> round(twin.read().pose[2], 5)
        -0.43
    """

    def __init__(self, plant: HexaPlant, *, start: Sequence[float]) -> None:
        checks.instance("HexaTwin", "plant", plant, HexaPlant, "Give a HexaPlant(...).")
        start = seven("HexaTwin", "start", start)
        if plant.surface is None:
            checks.refuse("HexaTwin", "the plant has no surface.", "Give HexaPlant(..., surface=ProbedSurface(...)).")
        self.plant, self.period = plant, float(plant.servo.period)
        self._probe = tuple(plant.surface.tip.tolist())
        x, y, z, *turn = plate_pose(start, self._probe)
        self._live = plant.start(initial={"command_position": (x, y, z), "command_rotation": matrix_of(turn)})
        self._fault = ""
        self._reading = DeviceReading(pose=self._live.tip())
        # Encoders count: the difference of two poses a tick apart is wrong by most of a slow contact's velocity.
        self._share = -math.expm1(-self.period / SMOOTHING)
        self._twist: Sequence[float] = (0.0,) * 6

    def command(self, pose: Sequence[float], twist: Sequence[float], *, label: float) -> None:
        """Where the tip is to be at the end of the next period; the servo takes the rate of its reference, no twist."""
        if self._obeys and not self._fault:
            wanted, self._label = checked_order("HexaTwin", pose, twist, label)
            self._live.drive(plate_pose(wanted, self._probe))

    def stop(self) -> None:
        """Hold where it was told to be: its servo brakes there already, and a reference that jumps would shake it.

        Pushed against something it holds where the encoders say that it is, and lets go.
        """
        self._obeys = False
        if not self._fault and math.hypot(*self._live.read().wrench[:3]) > self.plant.servo.contact_threshold:
            self._live.stop()

    def margins(self, pose: Sequence[float]) -> tuple[float, float]:
        """What is left to the arms' range [rad] and to the nearest singularity [-]; negative past it."""
        table = self.plant.table
        x, y, z, *turn = plate_pose(tuple(pose), self._probe)
        arms, plate, low, high, _ = limit_values(table, np.array([x, y, z]), matrix_of(turn)).tolist()
        if math.isnan(arms):
            return -math.inf, -math.inf
        return min(low - table.arm_range[0], table.arm_range[1] - high), min(arms, plate)

    def step(self) -> None:
        """One period passes."""
        if self._fault:
            return
        try:
            reading = self._live.step()
        except TegotaeError as error:
            self._fault = str(error).splitlines()[0]
            self._reading = self._reading._replace(twist=(0.0,) * 6, fault=self._fault)
            return
        share = self._share
        self._twist = tuple(a + share * (b - a) for a, b in zip(self._twist, self._live.tip_twist(), strict=True))
        self._reading = DeviceReading(self._live.tip(), self._twist, tuple(reading.signal.tolist()), self._label)
