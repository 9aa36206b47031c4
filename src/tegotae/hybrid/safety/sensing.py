"""From a force sensor's raw signals to the wrench at the contact: calibration, tare, overload, contact."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, isfinite
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError
from tegotae.hybrid.links.packets import ORIGIN, NodeState
from tegotae.hybrid.safety.poses import LEVEL, STILL, Pose, Step, lengths, unit_quaternion
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import Quaternion, Vector, cross_matrix, matrix_of
from tegotae.toml_settings import read_toml

_AXES = ("x", "y", "z", "about x", "about y", "about z")
_UNITS = ("N", "N", "N", "N·m", "N·m", "N·m")
_NOTHING, _CONTACT = NodeState(0), NodeState.CONTACT
_ILL = 1e10  # condition number: beyond it digits of the wrench would be made of nothing
_MOST = 1 << 20  # bytes of a file with 36 numbers
_SIX = "Give six rows of six numbers."


def read_calibration(path: str | os.PathLike[str]) -> tuple[Step, ...]:
    """The 6 x 6 calibration in a file: TOML with `calibration`, a list of six lists, or CSV with six rows."""
    place = checks.path_of("read_calibration", path)
    if place.suffix == ".toml":
        given = read_toml(place, "sensor.calibration")
        if "calibration" not in given:
            raise FileError(f"Cannot read {place}: it has no `calibration`.\n  Write calibration = [[...], ...].")
        return rows(checked(str(place), "calibration", given["calibration"]))
    if place.suffix != ".csv":
        raise FileError(f"Cannot read {place}: its name ends in neither .toml nor .csv.\n  Rename it.")
    try:
        text = checks.read_bounded(place, _MOST, _SIX).decode("utf-8-sig")
        cells = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines())]
        numbers = [[float(cell) for cell in line] for line in cells if any(line)]
    except FileError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(f"Cannot read {place}: {error}.\n  {_SIX}") from error
    return rows(checked(str(place), "calibration", numbers))


def checked(owner: str, name: str, value: ArrayLike) -> Array:
    """A calibration that tells all parts of a wrench."""
    matrix = checks.array(owner, name, value, "N, N·m per signal", _SIX)
    if matrix.shape != (6, 6):
        checks.refuse(owner, f"{name} has shape {matrix.shape}.", _SIX)
    checks.finite(owner, name, matrix, "")
    scale = np.abs(matrix).max(axis=1, keepdims=True)  # N and N·m, strains and volts: rows may differ in size
    if not scale.all() or np.linalg.cond(matrix / scale) > _ILL:
        checks.refuse(owner, f"{name} is singular.", "Six signals must tell all of a wrench: calibrate again.")
    return matrix


def rows(matrix: Array) -> tuple[Step, ...]:
    """A 6 x 6 matrix as plain numbers."""
    return tuple(tuple(row) for row in matrix.tolist())


class Felt(NamedTuple):
    """What a sensor feels in this tick."""

    # on the moving part: force [N], torque about the contact point [N·m], world axes; zero while not ready
    wrench: Step
    onset: Pose  # pose at which the contact began, until it ends; out of contact the newest pose
    state: NodeState  # of `NodeState`, CONTACT, OVERLOAD and FAULT
    ready: bool  # whether the sensor is tared
    trouble: str  # why there is an overload or a fault, in words
    events: Sequence[tuple[str, str]]  # (level, text) of what happened


NOTHING_FELT = Felt(STILL, ORIGIN, _NOTHING, True, "", ())


@dataclass(kw_only=True, eq=False)
class Sensing(Declared):
    """Makes wrenches of a sensor's signals: `wrench = calibration (signal - tare)`, carried to the contact point.

    The tare is the mean of the first readings, taken only if they are quiet and the table rests. Overload is judged
    by the tared wrench, on the sensor's own axes.

    Example:
        >>> from tegotae.hybrid import NodeState
        >>> from tegotae.hybrid.safety.sensing import Sensing
        >>> sensing = Sensing(calibration=[[2.0 * (i == j) for j in range(6)] for i in range(6)], readings=2)
        >>> pose, rest = (0.0,) * 3 + (1.0, 0.0, 0.0, 0.0), (0.0,) * 6
        >>> for push in (1.0, 1.0, 4.0):
        ...     felt = sensing.step((0.0, 0.0, push, 0.0, 0.0, 0.0), pose, rest)
        >>> felt.wrench[2], felt.state
        (6.0, <NodeState.CONTACT: 2>)
    """

    calibration: Annotated[
        ArrayLike | None,
        Parameter(
            "from signals to force [N] and torque [N·m] in the sensor's axes, 6 x 6, on the moving part: a sensor "
            "that feels the opposite has a negative one; None takes signals for wrenches",
            accept=checked,
        ),
    ] = None
    axes: Annotated[
        Quaternion, Parameter("[-], of the sensor in the world, a unit quaternion (w, x, y, z)", accept=unit_quaternion)
    ] = LEVEL
    origin: Annotated[
        Vector | None,
        Parameter(
            "[m], where the sensor's own torques are about, in the table's world; the contact point moves, and torques "
            "are carried to it; None if they are about the contact point already"
        ),
    ] = None
    offset: Annotated[
        Vector | None,
        Parameter(
            "[m], constant way from there to the contact point, world axes, instead of `origin`: for a sensor that "
            "moves with the contact point"
        ),
    ] = None
    readings: Annotated[int, Parameter(">= 1, how many the tare is made of")] = 100
    quiet: Annotated[Step, Parameter("[N, N·m], > 0, how far the wrench may spread in them, on each axis")] = (
        0.5, 0.5, 0.5, 0.05, 0.05, 0.05,
    )  # fmt: skip
    slow: Annotated[float, Parameter("[m/s and rad/s], > 0, how fast the table may move meanwhile")] = 1e-3
    overload: Annotated[Step | None, Parameter("[N, N·m], > 0, the largest wrench on each axis; None for any")] = None
    frozen: Annotated[
        int | None, Parameter(">= 2, readings without any change that make a fault; None for a sensor without noise")
    ] = None
    contact: Annotated[float, Parameter("[N], > 0, the force at which contact begins, above the sensor's noise")] = 0.2
    release: Annotated[float, Parameter("[N], > 0, the force below which it ends, above the sensor's noise")] = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "Sensing"
        if self.origin is not None and self.offset is not None:
            checks.refuse(owner, "both origin and offset are given.", "Give the one that says where the sensor is.")
        if self.release > self.contact:
            what = f"release={self.release} N is above contact={self.contact} N."
            checks.refuse(owner, what, "Contact must begin above it.")
        matrix = np.eye(6) if self.calibration is None else np.asarray(self.calibration)
        turned = np.kron(np.eye(2), matrix_of(self.axes)) @ matrix
        if self.offset is not None:
            carry = np.eye(6)
            carry[3:, :3] = -cross_matrix(self.offset)  # the torque becomes less by offset x force
            turned = carry @ turned
        self._rows, self._turned = rows(matrix), rows(turned)
        self._plain = bool(np.array_equal(turned, np.eye(6)))
        self._same_axes = bool(np.array_equal(turned, matrix))
        self._touching, self._onset = False, ORIGIN
        self._last: tuple[float, ...] = ()
        self._trouble, self._repeats = "", 0
        self.tare: tuple[float, ...] = STILL
        self.retare()

    @property
    def ready(self) -> bool:
        """Whether the tare is taken."""
        return self._left == 0

    def retare(self) -> None:
        """Take the tare again, from the next readings on; nothing is felt meanwhile."""
        self._left, self._refused = self.readings, False
        self._taken: list[tuple[float, ...]] = []

    def step(
        self, signal: Sequence[float], pose: Sequence[float], twist: Sequence[float], *, fresh: bool = True
    ) -> Felt:
        """What is felt with these signals, at this pose and twist [m/s, rad/s] of the contact point.

        Signals that are not fresh, that is only repeated since no others came in, count neither for the tare nor as
        those of a frozen sensor.
        """
        at: Pose = tuple(pose)  # type: ignore[assignment]
        a, b, c, d, e, f = signal
        if not isfinite(a + b + c + d + e + f):
            return self._broken(at, "the sensor's signals are not finite")
        if self.frozen is not None and fresh:
            now = a, b, c, d, e, f
            self._repeats, self._last = self._repeats + 1 if now == self._last else 1, now
        if self.frozen is not None and self._repeats > self.frozen:
            return self._broken(at, f"the sensor repeats the same signals for {self._repeats} readings: it is frozen")
        if self._left:
            return Felt(STILL, at, _NOTHING, False, "", self._take((a, b, c, d, e, f), twist) if fresh else ())
        p, q, r, s, t, u = self.tare
        a, b, c, d, e, f = a - p, b - q, c - r, d - s, e - t, f - u
        wrench = (a, b, c, d, e, f) if self._plain else _times(self._turned, a, b, c, d, e, f)
        x, y, z, i, j, k = wrench
        if self.origin is not None:  # the torque about P is that about S, less (P - S) x force
            sx, sy, sz = self.origin
            rx, ry, rz = pose[0] - sx, pose[1] - sy, pose[2] - sz
            i, j, k = i - (ry * z - rz * y), j - (rz * x - rx * z), k - (rx * y - ry * x)
        force = hypot(x, y, z)
        if self._touching:
            self._touching = force >= self.release
        elif force >= self.contact:
            self._touching, self._onset = True, at
        state, onset = (_CONTACT, self._onset) if self._touching else (_NOTHING, at)
        trouble = ""
        if self.overload is not None:
            sensed = wrench if self._same_axes else _times(self._rows, a, b, c, d, e, f)
            for pressed, most, axis, unit in zip(sensed, self.overload, _AXES, _UNITS, strict=True):
                if not -most <= pressed <= most:
                    trouble = f"overload: the sensor feels {pressed:.4g} {unit} {axis}, it may feel {most:g} {unit}"
                    state |= NodeState.OVERLOAD
                    break
        return Felt((x, y, z, i, j, k), onset, state, True, trouble, self._told(trouble))

    def _broken(self, at: Pose, trouble: str) -> Felt:
        onset, touching = (self._onset, _CONTACT) if self._touching else (at, _NOTHING)
        events = self._told(trouble.split(" for ")[0])
        return Felt(STILL, onset, touching | NodeState.FAULT, self.ready, trouble, events)

    def _told(self, trouble: str) -> list[tuple[str, str]]:
        """Each trouble when it begins; numbers inside it may change."""
        before, self._trouble = self._trouble, trouble[:20]
        return [("warning", trouble)] if self._trouble not in ("", before) else []

    def _take(self, signal: tuple[float, ...], twist: Sequence[float]) -> list[tuple[str, str]]:
        self._taken.append(signal)
        self._left -= 1
        speed = max(lengths(twist))
        if not speed <= self.slow:
            return self._again(f"the table moves at {speed:.3g} m/s or rad/s, {self.slow:g} counts as rest")
        if self._left:
            return []
        taken = np.array(self._taken)
        mean = taken.mean(axis=0)
        spread = np.ptp((taken - mean) @ np.array(self._rows).T, axis=0)
        if (spread > self.quiet).any():
            worst = int(np.argmax(spread / self.quiet))
            unit = _UNITS[worst]
            return self._again(
                f"the signals spread over {spread[worst]:.3g} {unit} {_AXES[worst]}, {self.quiet[worst]:g} {unit} "
                "are allowed; is something touching, or moving?"
            )
        self.tare = tuple(mean.tolist())
        self._taken = []
        return [("info", f"sensor tared with {self.readings} readings")]

    def _again(self, why: str) -> list[tuple[str, str]]:
        already, self._refused = self._refused, True
        self._left, self._taken = self.readings, []
        return [] if already else [("warning", f"tare refused, trying again: {why}")]


def _times(rows: tuple[Step, ...], a: float, b: float, c: float, d: float, e: float, f: float) -> Step:
    g, h, i, j, k, m = (p * a + q * b + r * c + s * d + t * e + u * f for p, q, r, s, t, u in rows)
    return g, h, i, j, k, m
