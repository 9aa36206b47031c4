"""The force/torque sensor: strain gauges, a calibration matrix, a tare, a filter, noise, delay, limits."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.layout import Cursor, Space, no_numbers, single_numbers
from tegotae.result import Result, Variable
from tegotae.table.plant_layout import SENSOR, SENSOR_STATE

_SOURCE = """
from collections import namedtuple
{records}
@entry
def read(p, s, F, T, signal, out, over):
    size_delay = p.whole[0]
    P = {parameters}
    S = {state}
    read_record(P, S, F, T, signal, out, over)
"""


@cache
def _module() -> ModuleType:
    from tegotae.table.kernels import sensor

    sizes = {"delay": "size_delay"}
    source = _SOURCE.format(
        records=SENSOR.records("Sensor") + SENSOR_STATE.records("Kept"),
        parameters=SENSOR.view("Sensor", "p", sizes, single_numbers, Cursor(0, 1)),
        state=SENSOR_STATE.view("Kept", "s", sizes, no_numbers),
    )
    return build(source, (("read_record", sensor.read),))


def ideal_calibration() -> Array:
    """A thousandth of strain at 100 N and at 10 N·m, axes apart.

    Example:
        >>> ideal_calibration().diagonal()
        array([100000., 100000., 100000.,  10000.,  10000.,  10000.])
    """
    return np.diag([1e5, 1e5, 1e5, 1e4, 1e4, 1e4])


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceSensor:
    """A six-axis sensor that reads strain: wrench = calibration (strain - tare).

    What it reads is filtered by a low pass of first order, then late by whole samples. A load beyond a limit is cut off
    there and counted as an overload.

    Args:
        calibration: 6 x 6, from strain to force [N] and torque [N·m].
        sensitivity: 6 x 6, the strain [-] that a unit of force and torque truly makes; the inverse of the calibration
            unless given, so that a calibration in error can be studied.
        tare: the six strains [-] taken for zero.
        load: wrench [N, N·m] that always weighs on it, such as the part that it carries.
        cutoff: of the low pass [Hz]; infinite for none.
        noise: standard deviation of each strain a sample [-], before the filter; one number or six.
        delay: samples.
        limit: largest force [N] (three axes) and torque [N·m] (three axes); infinite for none.
        seed: of the noise.

    Example:
        >>> from tegotae.table import ForceSensor
        >>> sensor = ForceSensor(delay=2)
        >>> sensor.read([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]] * 4, period=2e-3).wrench[:, 0]
        array([0., 0., 1., 1.])
    """

    calibration: ArrayLike = dataclasses.field(default_factory=ideal_calibration)
    sensitivity: ArrayLike | None = None
    tare: ArrayLike = 0.0
    load: ArrayLike = 0.0
    cutoff: float = math.inf
    noise: ArrayLike = 0.0
    delay: int = 0
    limit: ArrayLike = math.inf
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "ForceSensor"
        matrix = _square("calibration", self.calibration)
        if not np.isfinite(np.linalg.cond(matrix)) or np.linalg.cond(matrix) > 1e12:
            checks.refuse(
                owner,
                f"calibration is singular: its condition number is {np.linalg.cond(matrix):.3g}.",
                "Give a matrix measured with loads along all six axes.",
            )
        if self.sensitivity is not None:
            _square("sensitivity", self.sensitivity)
        for name, unit in (("tare", "strain"), ("load", "N or N·m")):
            checks.finite(owner, name, _six(name, getattr(self, name)), unit)
        noise = _six("noise", self.noise)
        checks.finite(owner, "noise", noise, "strain")
        if (noise < 0.0).any():
            checks.refuse(
                owner, f"noise={checks.shown(self.noise)} must be >= 0.", "Give standard deviations of strain."
            )
        limit = _six("limit", self.limit)
        if not (limit > 0.0).all():
            checks.refuse(
                owner,
                f"limit={checks.shown(self.limit)} must be > 0.",
                "Give the largest force and torque, or math.inf.",
            )
        if not (checks.is_real(self.cutoff) and self.cutoff > 0.0):
            checks.refuse(
                owner, f"cutoff={checks.shown(self.cutoff)} Hz must be > 0.", "Give a frequency in Hz, or math.inf."
            )
        checks.whole(owner, "delay", self.delay, 0, "Give the delay in samples.")
        checks.whole(owner, "seed", self.seed, 0, "Give a whole number.")

    @cached_property
    def matrix(self) -> Array:
        """The calibration as an array."""
        return _square("calibration", self.calibration)

    @cached_property
    def strain_of_wrench(self) -> Array:
        """6 x 6, the strains of unit wrenches."""
        if self.sensitivity is not None:
            return _square("sensitivity", self.sensitivity)
        return np.asarray(np.linalg.inv(self.matrix))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SENSOR`."""
        own = {name: _six(name, getattr(self, name)) for name in ("tare", "noise", "load", "limit")}
        return {"sensitivity": self.strain_of_wrench, "calibration": self.matrix, **own, "cutoff": self.cutoff}

    @property
    def settled(self) -> Array:
        """Strains under its load alone [-]."""
        limit = _six("limit", self.limit)
        return np.asarray(self.strain_of_wrench @ np.clip(_six("load", self.load), -limit, limit))

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
        sizes = {"delay": int(self.delay)}
        p = Space(SENSOR, sizes, (sizes["delay"],)).pack(self.values)
        s = Space(SENSOR_STATE, sizes).pack(self.rest)
        _module().read(p, s, F, T, signal, out, over)
        return Result(
            {
                "time": Variable(("time",), T * np.arange(1, F.shape[0] + 1), "s", "of each sample"),
                "wrench": Variable(("time", "axis"), out, "N, N·m", "as read"),
                "signal": Variable(("time", "axis"), signal, "", "strains, before tare and calibration"),
                "overload": Variable(("time",), over, "", "axes beyond their limit"),
            },
            title="ForceSensor",
        )


def _square(name: str, value: ArrayLike) -> Array:
    matrix = checks.array("ForceSensor", name, value, "", "Give a 6 x 6 matrix.")
    if matrix.shape != (6, 6):
        checks.refuse("ForceSensor", f"{name} has shape {matrix.shape}.", "Give a 6 x 6 matrix.")
    checks.finite("ForceSensor", name, matrix, "")
    return matrix


def _six(name: str, value: ArrayLike) -> Array:
    given = checks.numbers("ForceSensor", name, value)
    if given.shape not in ((1,), (6,)):
        checks.refuse("ForceSensor", f"{name} has shape {given.shape}.", "Give one number, or six.")
    return np.broadcast_to(given, (6,)).copy()
