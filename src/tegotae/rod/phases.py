"""What happens to a rod over a stretch of time: how its base is held, what pushes it, how it wants to bend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array

BASES = {"free": (False, False, False), "pinned": (True, True, False), "fixed": (True, True, True)}
Base = Literal["free", "pinned", "fixed"]


@dataclass(frozen=True, kw_only=True)
class Load:
    """A force and a torque at a point of a rod.

    Args:
        at: distance from the base along the rod [m]; negative counts from the tip, -0.0 is the tip itself.
        force: (x, y) [N].
        torque: [N·m], anticlockwise.

    Example:
        >>> from tegotae.rod import Load
        >>> Load(at=2.5, force=(0.0, -1.0)).force
        (0.0, -1.0)
    """

    at: float
    force: tuple[float, float] = (0.0, 0.0)
    torque: float = 0.0

    def __post_init__(self) -> None:
        checks.number("Load", "at", self.at, "m", "Give a distance from the base.")
        force = checks.array("Load", "force", self.force, "N")
        if force.shape != (2,) or not np.isfinite(force).all():
            checks.refuse("Load", f"force={checks.shown(self.force)}.", "Give two finite numbers, (x, y).")
        checks.number("Load", "torque", self.torque, "N·m")
        object.__setattr__(self, "force", (float(force[0]), float(force[1])))


@dataclass(frozen=True, kw_only=True, eq=False)
class Phase:
    """A stretch of time in which nothing changes abruptly.

    Args:
        until: when it ends [s].
        torque: on the base [N·m], anticlockwise.
        base: "free", "pinned" (may turn), or "fixed" (may not).
        loads: forces and torques at points of the rod, constant.
        curvature: natural curvature [1/m]: a number, one a segment, or (times [s], values (times, segments)), linear
            between the times and constant beyond them; the rod's own `rest_curvature` unless given.
        motion: (times [s], places (times, 2) or (times, 3)) along which a held base is moved, smooth (a cubic spline):
            x, y [m] and for a fixed base its angle [rad]. Its times reach over the whole phase. At time 0 it says where
            the base starts and how it moves; later it must begin there.

    Example:
        >>> from tegotae.rod import Phase
        >>> Phase(until=1.0, torque=50.0, base="pinned").base
        'pinned'
    """

    until: float
    torque: float = 0.0
    base: Base = "free"
    loads: Sequence[Load] = ()
    curvature: Any = None
    motion: tuple[ArrayLike, ArrayLike] | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "until", checks.number("Phase", "until", self.until, "s", "Give the time at which it ends."))
        set_(self, "torque", checks.number("Phase", "torque", self.torque, "N·m", "Give a finite torque."))
        if not isinstance(self.base, str) or self.base not in BASES:
            checks.refuse(
                "Phase", f"base={checks.shown(self.base)}.", f"Use one of {', '.join(BASES)}; `motion` moves the base."
            )
        if self.curvature is not None and not isinstance(self.curvature, tuple):
            checks.finite_array("Phase", "curvature", self.curvature, "1/m")
        if not isinstance(self.loads, Sequence):
            checks.refuse("Phase", f"loads={checks.shown(self.loads)}.", "Give a list of Load(...).")
        for load in self.loads:
            if not isinstance(load, Load):
                checks.refuse("Phase", f"loads has {load!r}.", "Give Load(at=..., force=(x, y), torque=...).")
        if self.motion is not None and (not isinstance(self.motion, Sequence) or len(self.motion) != 2):
            checks.refuse("Phase", f"motion={checks.shown(self.motion)} is no pair.", "Give (times, places).")
        if self.motion is not None:
            checks.values("Phase", "motion times", self.motion[0], "s", "Give increasing times.", -np.inf)
            if checks.finite_array("Phase", "motion", self.motion[1], "m").ndim != 2:
                checks.refuse("Phase", "motion has no rows of places.", "Give (times, 2) or (times, 3) places.")
        if self.motion is not None and self.base == "free":
            checks.refuse("Phase", "motion is given for a free base.", 'Use base="pinned" or "fixed".')

    def bends(self, own: Array) -> tuple[Array, Array]:
        """Times and natural curvature over them, (times, segments); `own` is the rod's."""
        if self.curvature is None:
            return np.zeros(1), own[None, :]
        if isinstance(self.curvature, tuple):
            if len(self.curvature) != 2:
                checks.refuse("Phase", "curvature is a tuple.", "Give (times, values), or an array.")
            times = checks.values("Phase", "curvature times", self.curvature[0], "s", "Give increasing times.", -np.inf)
            values = checks.array("Phase", "curvature", self.curvature[1], "1/m")
            if values.ndim == 1:
                values = np.repeat(values[:, None], own.size, axis=1)
            if values.shape != (times.size, own.size) or (np.diff(times) <= 0.0).any() or times.size < 2:
                checks.refuse(
                    "Phase",
                    f"curvature has {times.size} times and values of shape {values.shape}.",
                    f"Give at least 2 increasing times and ({times.size}, {own.size}) values.",
                )
            checks.finite("Phase", "curvature", values.ravel(), "1/m")
            return times, np.ascontiguousarray(values)
        values = checks.array("Phase", "curvature", self.curvature, "1/m")
        if values.shape not in ((), (own.size,)):
            checks.refuse("Phase", f"curvature has shape {values.shape}.", f"Give a number, or {own.size} of them.")
        checks.finite("Phase", "curvature", np.atleast_1d(values), "1/m")
        return np.zeros(1), np.broadcast_to(values, (1, own.size)).copy()

    def swings(self) -> tuple[Array, Array] | None:
        """Times and accelerations of the moved base, (times, 3), linear between the times; None if it rests."""
        if self.motion is None:
            return None
        spline = self.spline()
        times = np.asarray(spline.x, dtype=np.float64)
        second = np.zeros((times.size, 3))
        second[:, : spline.c.shape[2]] = spline(times, 2)
        return times, second

    def spline(self) -> Any:
        """The motion of the base as a cubic spline."""
        from scipy.interpolate import CubicSpline

        assert self.motion is not None
        times = checks.values("Phase", "motion times", self.motion[0], "s", "Give increasing times.", -np.inf)
        places = checks.array("Phase", "motion", self.motion[1], "m")
        wanted = (2, 3) if self.base == "fixed" else (2,)
        fits = places.ndim == 2 and places.shape[0] == times.size and places.shape[1] in wanted
        if not fits or times.size < 4 or (np.diff(times) <= 0.0).any():
            checks.refuse(
                "Phase",
                f"motion has {times.size} times and places of shape {places.shape}.",
                "Give at least 4 increasing times and (times, 2) places; for a fixed base (times, 3) with its angle.",
            )
        checks.finite("Phase", "motion", places.ravel(), "m")
        return CubicSpline(times, places)


def checked_phases(phases: Sequence[Phase]) -> list[Phase]:
    """The phases of a run, if each ends after the one before it."""
    if isinstance(phases, Phase):
        phases = [phases]
    before = 0.0
    phases = checks.several("PlanarRod", "phases", phases, Phase, "Give [Phase(until=1.0, ...)].")
    if not phases:
        checks.refuse("PlanarRod", "run got no phases.", "Give [Phase(until=1.0, ...)].")
    for phase in phases:
        if phase.until <= before:
            checks.refuse(
                "PlanarRod", f"a phase ends at {phase.until:g} s but starts at {before:g} s.", "Let `until` increase."
            )
        before = phase.until
    return list(phases)


def checked_times(times: ArrayLike | None, end: float) -> Array:
    """When to record [s], if that increases and lies within the run; 101 times unless given."""
    if times is None:
        return np.linspace(0.0, end, 101)
    given = checks.values("PlanarRod", "times", times, "s", "Give increasing times.", -np.inf)
    if (np.diff(given) <= 0.0).any() or given[0] < 0.0 or given[-1] > end:
        checks.refuse(
            "PlanarRod", f"times go from {given[0]:g} to {given[-1]:g} s.", f"Let them increase within 0 to {end:g} s."
        )
    return given
