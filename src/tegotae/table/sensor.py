"""The force/torque sensor: strain gauges, a calibration matrix, a tare, a filter, noise, delay, limits."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter, Seed
from tegotae.result import Result, Variable
from tegotae.table.kernels import sensor as kernels
from tegotae.table.plant_layout import SENSOR, SENSOR_STATE, numbers_of, room_of


def ideal_calibration() -> Array:
    """A thousandth of strain at 100 N and at 10 N·m, axes apart.

    Example:
        >>> ideal_calibration().diagonal()
        array([100000., 100000., 100000.,  10000.,  10000.,  10000.])
    """
    return np.diag([1e5, 1e5, 1e5, 1e4, 1e4, 1e4])


def _square(owner: str, name: str, value: ArrayLike) -> Array:
    matrix = checks.array(owner, name, value, "", "Give a 6 x 6 matrix.")
    if matrix.shape != (6, 6):
        checks.refuse(owner, f"{name} has shape {matrix.shape}.", "Give a 6 x 6 matrix.")
    checks.finite(owner, name, matrix, "")
    return matrix


def _invertible(owner: str, name: str, value: ArrayLike) -> Array:
    matrix = _square(owner, name, value)
    condition = np.linalg.cond(matrix)
    if not condition <= 1e12:
        told = f"{name} is singular: its condition number is {condition:.3g}."
        checks.refuse(owner, told, "Give a matrix measured with loads along all six axes.")
    return matrix


def _six(owner: str, name: str, value: ArrayLike, finite: bool = True) -> Array:
    given = checks.numbers(owner, name, value)
    if given.shape not in ((1,), (6,)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", "Give one number, or six.")
    if finite:
        checks.finite(owner, name, given, "")
    return np.broadcast_to(given, (6,)).copy()


def _cutoff(owner: str, name: str, value: float) -> float:
    if not (checks.is_real(value) and value > 0.0):
        told = "Give a frequency in Hz, or math.inf."
        checks.refuse(owner, f"{name}={checks.shown(value)} Hz must be > 0.", told)
    return float(value)


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceSensor(Declared):
    """A six-axis sensor that reads strain: wrench = calibration (strain - tare).

    What it reads is filtered by a low pass of first order, then late by whole samples. A load beyond a limit is cut off
    there and counted as an overload.

    Example:
        >>> from tegotae.table import ForceSensor
        >>> sensor = ForceSensor(delay=2)
        >>> sensor.read([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]] * 4, period=2e-3).wrench[:, 0]
        array([0., 0., 1., 1.])
    """

    calibration: Annotated[
        ArrayLike, Parameter("[N, N·m], from strain to force and torque, 6 x 6", accept=_invertible)
    ] = dataclasses.field(default_factory=ideal_calibration)
    sensitivity: Annotated[
        ArrayLike | None,
        Parameter(
            "[-], the strain, 6 x 6, that a unit of force and torque truly makes; the inverse of the calibration "
            "unless given, so that a calibration in error can be studied",
            accept=_square,
        ),
    ] = None
    tare: Annotated[ArrayLike, Parameter("[-], the six strains taken for zero", accept=_six)] = 0.0
    load: Annotated[
        ArrayLike, Parameter("[N, N·m], wrench that always weighs on it, such as the part that it carries", accept=_six)
    ] = 0.0
    cutoff: Annotated[float, Parameter("[Hz], > 0, of the low pass; infinite for none", accept=_cutoff)] = math.inf
    noise: Annotated[
        ArrayLike,
        Parameter(
            "[-], >= 0, standard deviation of each strain a sample, before the filter; one number or six", accept=_six
        ),
    ] = 0.0
    delay: Annotated[int, Parameter(">= 0, the delay in samples")] = 0
    limit: Annotated[
        ArrayLike,
        Parameter(
            "[N, N·m], > 0, largest force (three axes) and torque (three axes); infinite for none",
            accept=partial(_six, finite=False),
        ),
    ] = math.inf
    seed: Seed = 0

    @property
    def matrix(self) -> Array:
        """The calibration as an array."""
        return np.asarray(self.calibration)

    @cached_property
    def strain_of_wrench(self) -> Array:
        """6 x 6, the strains of unit wrenches."""
        return np.asarray(np.linalg.inv(self.matrix) if self.sensitivity is None else self.sensitivity)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SENSOR`."""
        own = {name: getattr(self, name) for name in ("calibration", "tare", "noise", "load", "limit", "cutoff")}
        return {"sensitivity": self.strain_of_wrench, **own}

    @property
    def settled(self) -> Array:
        """Strains under its load alone [-]."""
        limit = np.asarray(self.limit)
        return np.asarray(self.strain_of_wrench @ np.clip(np.asarray(self.load), -limit, limit))

    @property
    def rest(self) -> dict[str, ArrayLike]:
        """What it remembers when it has settled, by the names of `plant_layout.SENSOR_STATE`."""
        strain = self.settled
        return {"strain": strain, "late": np.tile(strain, (self.delay, 1)), "place": 0, "chance": self.seed}

    def tared(self) -> ForceSensor:
        """The same sensor, its present load taken for zero.

        Example:
            >>> sensor = ForceSensor(load=(0.0, 0.0, -2.83, 0.0, 0.0, 0.0)).tared()
            >>> abs(sensor.read([[0.0] * 6], period=2e-3).wrench).max() < 1e-12
            np.True_
        """
        return dataclasses.replace(self, tare=tuple(self.settled))

    def read(self, wrenches: ArrayLike, *, period: float) -> Result:
        """What the sensor says of a whole record.

        Args:
            wrenches: force [N] and torque [N·m] at every sample, shape (ticks, 6).
            period: between samples [s].

        Example:
            >>> ForceSensor(limit=(5.0,) * 6).read([[9.0, 0.0, 0.0, 0.0, 0.0, 0.0]], period=2e-3).overload
            array([1])
        """
        T = checks.period_of("ForceSensor", period)
        F = checks.signal("ForceSensor", "wrenches", wrenches, "N, N·m", 6)
        signal, out, over = np.zeros_like(F), np.zeros_like(F), np.zeros(F.shape[0], dtype=np.int64)
        p, s = numbers_of(SENSOR, self.values), room_of(SENSOR_STATE, self.rest, int(self.delay))
        kernels.read(p, s, F, T, signal, out, over)
        return Result(
            {
                "time": Variable(("time",), T * np.arange(1, F.shape[0] + 1), "s", "of each sample"),
                "wrench": Variable(("time", "axis"), out, "N, N·m", "as read"),
                "signal": Variable(("time", "axis"), signal, "", "strains, before tare and calibration"),
                "overload": Variable(("time",), over, "", "axes beyond their limit"),
            },
            title="ForceSensor",
        )
