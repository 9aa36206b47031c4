"""From a force sensor's raw signals to the wrench at the contact: calibration, tare, overload, contact."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.hybrid.links.packets import ORIGIN, NodeState
from tegotae.hybrid.safety import calibrations
from tegotae.hybrid.safety.poses import STILL, Pose, Step

_AXES = ("x", "y", "z", "about x", "about y", "about z")
_UNITS = ("N", "N", "N", "N·m", "N·m", "N·m")
_NOTHING, _CONTACT = NodeState(0), NodeState.CONTACT
_UNREADY = (0.0,) * 6


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


class Sensing:
    """Makes wrenches of a sensor's signals: `wrench = calibration (signal - tare)`, carried to the contact point.

    The tare is the mean of the first readings, taken only if they are quiet and the table rests. Overload is judged
    by the tared wrench, on the sensor's own axes.

    Args:
        calibration: 6 x 6, from signals to force [N] and torque [N·m] in the sensor's axes, on the moving part: a
            sensor that feels the opposite has a negative one. None takes signals for wrenches.
        axes: orientation of the sensor's axes in the world, a unit quaternion (w, x, y, z) [-].
        origin: where the sensor's own torques are about [m], in the table's world; the contact point moves, and
            torques are carried to it. None if they are about the contact point already.
        offset: constant way from there to the contact point [m], world axes, instead of `origin`: for a sensor that
            moves with the contact point.
        readings: how many the tare is made of, >= 1.
        quiet: how far the wrench may spread in them: six numbers [N, N·m].
        slow: how fast the table may move meanwhile [m/s and rad/s].
        overload: largest wrench on each axis: six numbers [N, N·m]; None for no such limits.
        frozen: readings without any change that make a fault; None for a sensor without noise.
        contact: force at which contact begins [N].
        release: force below which it ends [N].

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

    def __init__(
        self,
        *,
        calibration: ArrayLike | None = None,
        axes: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        origin: Sequence[float] | None = None,
        offset: Sequence[float] | None = None,
        readings: int = 100,
        quiet: Sequence[float] = (0.5, 0.5, 0.5, 0.05, 0.05, 0.05),
        slow: float = 1e-3,
        overload: Sequence[float] | None = None,
        frozen: int | None = None,
        contact: float = 0.2,
        release: float = 0.1,
    ) -> None:
        owner = "Sensing"
        matrix = np.eye(6) if calibration is None else calibrations.checked(owner, calibration)
        if origin is not None and offset is not None:
            checks.refuse(owner, "both origin and offset are given.", "Give the one that says where the sensor is.")
        self._rows = calibrations.rows(matrix)
        turned = np.kron(np.eye(2), calibrations.rotation(owner, axes)) @ matrix
        if offset is not None:
            turned = calibrations.carrying(owner, offset) @ turned
        self._plain = bool(np.array_equal(turned, np.eye(6)))
        self._turned = calibrations.rows(turned)
        self._origin = None if origin is None else calibrations.listed(owner, "origin", origin, 3, "m")
        self._count = checks.whole(owner, "readings", readings, 1, "Give how many readings the tare is made of.")
        self._quiet = calibrations.bounds(owner, "quiet", quiet)
        self._slow = checks.positive(owner, "slow", slow, "m/s", "Give a velocity that counts as rest, such as 1e-3.")
        self._overload = None if overload is None else calibrations.bounds(owner, "overload", overload)
        self._same_axes = bool(np.array_equal(turned, matrix))
        if frozen is not None:
            checks.whole(owner, "frozen", frozen, 2, "Give a number of readings, or None.")
        self._frozen, self._repeats = frozen, 0
        self._on = checks.positive(owner, "contact", contact, "N", "Give a force above the sensor's noise.")
        self._off = checks.positive(owner, "release", release, "N", "Give a force above the sensor's noise.")
        if self._off > self._on:
            checks.refuse(owner, f"release={release} N is above contact={contact} N.", "Contact must begin above it.")
        self._touching, self._onset = False, ORIGIN
        self._last: tuple[float, ...] = ()
        self._trouble = ""
        self.tare: tuple[float, ...] = _UNREADY
        self.retare()

    @property
    def ready(self) -> bool:
        """Whether the tare is taken."""
        return self._left == 0

    def retare(self) -> None:
        """Take the tare again, from the next readings on; nothing is felt meanwhile."""
        self._left, self._refused = self._count, False
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
        if self._frozen is not None and self._stuck(tuple(signal), fresh):
            return self._broken(at, f"the sensor repeats the same signals for {self._repeats} readings: it is frozen")
        if self._left:
            return Felt(STILL, at, _NOTHING, False, "", self._take((a, b, c, d, e, f), twist) if fresh else ())
        p, q, r, s, t, u = self.tare
        a, b, c, d, e, f = a - p, b - q, c - r, d - s, e - t, f - u
        wrench = (a, b, c, d, e, f) if self._plain else _times(self._turned, a, b, c, d, e, f)
        x, y, z, i, j, k = wrench
        if self._origin is not None:  # the torque about P is that about S, less (P - S) x force
            sx, sy, sz = self._origin
            rx, ry, rz = pose[0] - sx, pose[1] - sy, pose[2] - sz
            i, j, k = i - (ry * z - rz * y), j - (rz * x - rx * z), k - (rx * y - ry * x)
        force = hypot(x, y, z)
        if self._touching:
            self._touching = force >= self._off
        elif force >= self._on:
            self._touching, self._onset = True, at
        state, onset = (_CONTACT, self._onset) if self._touching else (_NOTHING, at)
        events: list[tuple[str, str]] = []
        trouble = ""
        if self._overload is not None:
            trouble = self._beyond(wrench if self._same_axes else _times(self._rows, a, b, c, d, e, f))
            if trouble:
                state |= NodeState.OVERLOAD
        self._tell(trouble, events)
        return Felt((x, y, z, i, j, k), onset, state, True, trouble, events)

    def _beyond(self, wrench: Step) -> str:
        """The first axis that is overloaded, in words."""
        for felt, most, axis, unit in zip(wrench, self._overload or (), _AXES, _UNITS, strict=True):
            if not -most <= felt <= most:
                return f"overload: the sensor feels {felt:.4g} {unit} {axis}, it may feel {most:g} {unit}"
        return ""

    def _stuck(self, signal: tuple[float, ...], fresh: bool) -> bool:
        if fresh:
            self._repeats = self._repeats + 1 if signal == self._last else 1
            self._last = signal
        return self._frozen is not None and self._repeats > self._frozen

    def _broken(self, at: Pose, trouble: str) -> Felt:
        events: list[tuple[str, str]] = []
        self._tell(trouble.split(" for ")[0], events)
        touching = _CONTACT if self._touching else _NOTHING
        return Felt(
            STILL, self._onset if self._touching else at, touching | NodeState.FAULT, self.ready, trouble, events
        )

    def _tell(self, trouble: str, events: list[tuple[str, str]]) -> None:
        """Each trouble when it begins; numbers inside it may change."""
        kind = trouble[:20]
        if kind and kind != self._trouble:
            events.append(("warning", trouble))
        self._trouble = kind

    # ---------------------------------------------------------------- tare

    def _take(self, signal: tuple[float, ...], twist: Sequence[float]) -> list[tuple[str, str]]:
        self._taken.append(signal)
        self._left -= 1
        vx, vy, vz, wx, wy, wz = twist
        speed = max(hypot(vx, vy, vz), hypot(wx, wy, wz))
        if not speed <= self._slow:
            return self._again(f"the table moves at {speed:.3g} m/s or rad/s, {self._slow:g} counts as rest")
        if self._left:
            return []
        taken = np.array(self._taken)
        mean = taken.mean(axis=0)
        spread = np.ptp((taken - mean) @ np.array(self._rows).T, axis=0)
        if (spread > self._quiet).any():
            worst = int(np.argmax(spread / self._quiet))
            unit = _UNITS[worst]
            return self._again(
                f"the signals spread over {spread[worst]:.3g} {unit} {_AXES[worst]}, {self._quiet[worst]:g} {unit} "
                "are allowed; is something touching, or moving?"
            )
        self.tare = tuple(mean.tolist())
        self._taken = []
        return [("info", f"sensor tared with {self._count} readings")]

    def _again(self, why: str) -> list[tuple[str, str]]:
        told, self._refused = self._refused, True
        self._left, self._taken = self._count, []
        return [] if told else [("warning", f"tare refused, trying again: {why}")]


def _times(rows: tuple[Step, ...], a: float, b: float, c: float, d: float, e: float, f: float) -> Step:
    (
        (c0, c1, c2, c3, c4, c5),
        (d0, d1, d2, d3, d4, d5),
        (e0, e1, e2, e3, e4, e5),
        (f0, f1, f2, f3, f4, f5),
        (g0, g1, g2, g3, g4, g5),
        (h0, h1, h2, h3, h4, h5),
    ) = rows
    return (
        c0 * a + c1 * b + c2 * c + c3 * d + c4 * e + c5 * f,
        d0 * a + d1 * b + d2 * c + d3 * d + d4 * e + d5 * f,
        e0 * a + e1 * b + e2 * c + e3 * d + e4 * e + e5 * f,
        f0 * a + f1 * b + f2 * c + f3 * d + f4 * e + f5 * f,
        g0 * a + g1 * b + g2 * c + g3 * d + g4 * e + g5 * f,
        h0 * a + h1 * b + h2 * c + h3 * d + h4 * e + h5 * f,
    )
