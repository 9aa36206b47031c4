"""What happens to a rod over a stretch of time: how its base is held, what pushes it, how it wants to bend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter

BASES = {"free": (False, False, False), "pinned": (True, True, False), "fixed": (True, True, True)}
Base = Literal["free", "pinned", "fixed"]


def each_segment(owner: str, name: str, value: ArrayLike, unit: str, segments: int) -> Array:
    """A number, or one a segment, as one a segment."""
    given = checks.array(owner, name, value, unit)
    checks.finite(owner, name, given, unit)
    if given.shape not in ((), (segments,)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", f"Give a number, or {segments}, one a segment.")
    return np.broadcast_to(given, (segments,)).copy()


def _curvature(owner: str, name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, tuple):
        checks.finite_array(owner, name, value, "1/m")
    return value


def _motion(owner: str, name: str, value: Any) -> Any:
    if not isinstance(value, Sequence) or len(value) != 2:
        checks.refuse(owner, f"{name}={checks.shown(value)} is not a pair.", "Give (times, places).")
    times = checks.values(owner, f"{name} times", value[0], "s", "Give increasing times.", -np.inf)
    places = checks.finite_array(owner, name, value[1], "m")
    if places.ndim != 2:
        checks.refuse(owner, f"{name} has no rows of places.", "Give (times, 2) or (times, 3) places.")
    return times, places


@dataclass(frozen=True, kw_only=True)
class Load(Declared):
    """A force and a torque at a point of a rod.

    Example:
        >>> from tegotae.rod import Load
        >>> Load(at=2.5, force=(0.0, -1.0)).force
        (0.0, -1.0)
    """

    at: Annotated[
        float, Parameter("[m], distance from the base along the rod; negative counts from the tip, -0.0 is the tip")
    ]
    force: Annotated[tuple[float, float], Parameter("[N], (x, y)")] = (0.0, 0.0)
    torque: Annotated[float, Parameter("[N·m], anticlockwise")] = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Phase(Declared):
    """A stretch of time in which nothing changes abruptly.

    Example:
        >>> from tegotae.rod import Phase
        >>> Phase(until=1.0, torque=50.0, base="pinned").base
        'pinned'
    """

    until: Annotated[float, Parameter("[s], when it ends")]
    torque: Annotated[float, Parameter("[N·m], on the base, anticlockwise")] = 0.0
    base: Annotated[Base, Parameter('"free", "pinned" (may turn), or "fixed" (may not); `motion` moves it')] = "free"
    loads: Annotated[Sequence[Load], Parameter("forces and torques at points of the rod, constant")] = ()
    curvature: Annotated[
        Any,
        Parameter(
            "[1/m], natural: a number, one a segment, or (times [s], values (times, segments)), linear between the "
            "times and constant beyond them; the rod's own `rest_curvature` unless given",
            accept=_curvature,
        ),
    ] = None
    motion: Annotated[
        tuple[ArrayLike, ArrayLike] | None,
        Parameter(
            "(times [s], places (times, 2) or (times, 3)) along which a held base is moved, smooth (a cubic spline): "
            "x, y [m] and for a fixed base its angle [rad]. Its times reach over the whole phase. At time 0 it says "
            "where the base starts and how it moves; later it must begin there",
            accept=_motion,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
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
                problem = f"curvature has {times.size} times and values of shape {values.shape}."
                remedy = f"Give at least 2 increasing times and ({times.size}, {own.size}) values."
                checks.refuse("Phase", problem, remedy)
            checks.finite("Phase", "curvature", values.ravel(), "1/m")
            return times, np.ascontiguousarray(values)
        return np.zeros(1), each_segment("Phase", "curvature", self.curvature, "1/m", own.size)[None]

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
        times, places = map(np.asarray, self.motion)
        wanted = (2, 3) if self.base == "fixed" else (2,)
        fits = places.shape[0] == times.size and places.shape[1] in wanted
        if not fits or times.size < 4 or (np.diff(times) <= 0.0).any():
            remedy = (
                "Give at least 4 increasing times and (times, 2) places; for a fixed base (times, 3) with its angle."
            )
            checks.refuse("Phase", f"motion has {times.size} times and places of shape {places.shape}.", remedy)
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
            problem = f"a phase ends at {phase.until:g} s but starts at {before:g} s."
            checks.refuse("PlanarRod", problem, "Let `until` increase.")
        before = phase.until
    return list(phases)


def checked_times(times: ArrayLike | None, end: float) -> Array:
    """When to record [s], if that increases and lies within the run; 101 times unless given."""
    if times is None:
        return np.linspace(0.0, end, 101)
    given = checks.values("PlanarRod", "times", times, "s", "Give increasing times.", -np.inf)
    if (np.diff(given) <= 0.0).any() or given[0] < 0.0 or given[-1] > end:
        problem = f"times go from {given[0]:g} to {given[-1]:g} s."
        checks.refuse("PlanarRod", problem, f"Let them increase within 0 to {end:g} s.")
    return given
