"""Identification of rods: elasticity and viscosity from a recorded motion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting.assessing import CONFIDENCE, FEWEST, LOUD, lingering
from tegotae.fitting.fits import Fit
from tegotae.fitting.identify import Progress, register
from tegotae.fitting.judging import WIDEST, no_noise
from tegotae.fitting.progress import reporter
from tegotae.rod.many import run_many, variations
from tegotae.rod.phases import Phase
from tegotae.rod.planar import PlanarRod, RodError
from tegotae.rod.records import Shape

UNITS = {"elasticity": "N·m²", "viscosity": "N·m²·s"}
STEP = 1e-3  # of the logarithms, for central differences: well above the integrator's error
BEGINNINGS = 5  # of the scan, polished


@dataclass(frozen=True, kw_only=True, eq=False)
class RodRecord:
    """A recorded motion of a rod, as `fit` takes it.

    Args:
        phases: what happened to it, as `PlanarRod.run` takes it.
        times: when it was looked at [s], increasing.
        angle: of the nodes looked at [rad], (times, nodes looked at); or
        position: of them [m], (times, nodes looked at, 2).
        nodes: which nodes were looked at, by their numbers from 0 at the base; all unless given.
        initial: how it began; straight along +x at rest unless given.

    Example:
        >>> import numpy as np
        >>> from tegotae.fitting import RodRecord
        >>> from tegotae.rod import Phase
        >>> phases = [Phase(until=1.0, torque=2.0, base="pinned")]
        >>> RodRecord(phases=phases, times=np.linspace(0.1, 1.0, 10), angle=np.zeros((10, 1)), nodes=[4]).count
        10
    """

    phases: Sequence[Phase]
    times: ArrayLike
    angle: ArrayLike | None = None
    position: ArrayLike | None = None
    nodes: Sequence[int] | None = None
    initial: Shape | None = None

    def __post_init__(self) -> None:
        checks.several("RodRecord", "phases", self.phases, Phase, "Give a list of Phase(...).")
        if self.nodes is not None:
            # From the tip they are negative.
            numbers = checks.values("RodRecord", "nodes", self.nodes, "", "Give whole numbers of nodes.", -math.inf)
            if (numbers != np.round(numbers)).any():
                checks.refuse("RodRecord", f"nodes={checks.shown(self.nodes)}.", "Give whole numbers of nodes.")
        if self.initial is not None:
            checks.instance("RodRecord", "initial", self.initial, Shape, "Give a Shape(...), or None.")
        object.__setattr__(
            self, "times", checks.values("RodRecord", "times", self.times, "s", "Give increasing times.")
        )
        if (self.angle is None) == (self.position is None):
            got = "both angle and position" if self.angle is not None else "neither angle nor position"
            checks.refuse("RodRecord", f"it got {got}.", "Give one of them.")
        name, unit = ("angle", "rad") if self.angle is not None else ("position", "m")
        values = checks.array("RodRecord", name, getattr(self, name), unit)
        wanted = 2 if name == "angle" else 3
        if values.ndim != wanted or values.shape[0] != self.count or (wanted == 3 and values.shape[2] != 2):
            shape = f"({self.count}, nodes)" if wanted == 2 else f"({self.count}, nodes, 2)"
            checks.refuse("RodRecord", f"{name} has shape {values.shape}.", f"Give shape {shape}, in {unit}.")
        checks.finite("RodRecord", name, values, unit)
        object.__setattr__(self, name, values)

    @property
    def count(self) -> int:
        """How many times it was looked at."""
        return int(np.size(self.times))

    steps = "one time to the next"

    @property
    def extent(self) -> str:
        """How much of it there is, in words."""
        return f"{self.count} times"

    @property
    def response(self) -> str:
        """What was recorded: "angle" or "position"."""
        return "angle" if self.angle is not None else "position"

    @property
    def measured(self) -> Array:
        """What was recorded, (times, nodes looked at) or (times, nodes looked at, 2)."""
        return np.asarray(self.angle if self.angle is not None else self.position)


class _Motion:
    """Residuals of the rod's motion as a function of the logarithms of its free parameters."""

    def __init__(self, rod: PlanarRod, record: RodRecord, known: Mapping[str, float]):
        self.record, self.known = record, dict(known)
        self.rod = variations(rod, {name: [value] for name, value in self.known.items()})[0] if known else rod
        self.names = [name for name in UNITS if name not in self.known]
        self.nodes = list(range(rod.nodes)) if record.nodes is None else list(record.nodes)
        if any(not isinstance(k, (int, np.integer)) or not -rod.nodes <= k < rod.nodes for k in self.nodes):
            checks.refuse("fit", f"nodes={self.nodes}.", f"The rod has nodes 0 to {rod.nodes - 1}.")
        if record.measured.shape[1] != len(self.nodes):
            problem = f"{record.response} has {record.measured.shape[1]} columns for {len(self.nodes)} nodes."
            checks.refuse("fit", problem, "Name the nodes that were looked at: RodRecord(nodes=[…]).")

    def residuals(self, places: Array, tolerance: float) -> Array:
        """Model minus measurement for each row of logarithms; inf where the rod cannot be run."""
        varied = {name: np.exp(places[:, i]).tolist() for i, name in enumerate(self.names)}
        rods, record = variations(self.rod, varied), self.record
        try:
            run = run_many(
                rods,
                record.phases,
                times=record.times,
                rtol=tolerance,
                atol=tolerance,
                method="implicit",  # a trial may be far stiffer than the rod
                initial=record.initial,
            )
        except RodError as stopped:
            if stopped.partial is None:
                raise
            run = stopped.partial
        seen = run[record.response][:, :, self.nodes]
        return np.nan_to_num((seen - record.measured).reshape(len(rods), -1), nan=np.inf)

    def slopes(self, place: Array, tolerance: float) -> Array:
        """The derivatives of the residual by the logarithms, by central differences, all runs at once."""
        steps = STEP * np.eye(place.size)
        both = self.residuals(np.concatenate([place + steps, place - steps]), tolerance)
        return np.asarray((both[: place.size] - both[place.size :]).T / (2.0 * STEP))

    def beginnings(self) -> list[Array]:
        """The best places of a wide scan: bending that takes from far less to far more than the record's length."""
        segments = self.rod.segments
        span = float(np.asarray(self.record.times)[-1])
        scale = float(segments.density.mean()) * self.rod.length**4 / span**2
        stiff = np.log(scale) + np.log(10.0) * np.arange(-4.0, 4.01, 1.0 / 3.0)
        if "elasticity" in self.known:
            stiff = np.array([math.log(max(float(segments.elasticity.mean()), 1e-300))])
        if "viscosity" in self.known:
            grid = stiff[:, None]
        else:  # from hardly felt to far overdamped
            shares = np.log([1e-3, 1e-2, 0.1, 1.0, 10.0])
            pairs = np.array([(k, k + math.log(span) + f) for k, f in itertools.product(stiff, shares)])
            grid = pairs[:, -len(self.names) :]
        costs = (self.residuals(grid, 1e-4) ** 2).sum(axis=1)
        return [grid[i] for i in np.argsort(costs)[:BEGINNINGS] if np.isfinite(costs[i])]


def fit_rod(
    rod: PlanarRod, record: RodRecord, known: Mapping[str, float], free: Sequence[str], progress: Progress
) -> Fit:
    """Elasticity and viscosity, equal along the rod, from a recorded motion; the rod's other parameters are taken as
    they are, and so is one of these two that `free` does not name where it names the other. From no initial guess:
    the rod's own numbers of what is sought do not matter.
    """
    from scipy.optimize import least_squares

    for label, names in (("known", known), ("free", free)):
        for name in names:
            if name not in UNITS:
                checks.refuse("fit", f"{label} has {name!r}.", f"For a rod it may have {', '.join(UNITS)}.")
    held: dict[str, Any] = {name: getattr(rod, name) for name in UNITS if free and name not in free}
    known = {**held, **known}
    if len(known) == len(UNITS):
        checks.refuse("fit", "every parameter is given in known=….", "Leave out those to identify.")
    motion = _Motion(rod, record, known)
    if record.measured.size < FEWEST * len(motion.names):
        checks.refuse("fit", f"a record of {record.measured.size} numbers is too short.", "Look at the rod more often.")
    with reporter(progress) as tell:
        tell("looking for beginnings", 0.0)
        ends: list[tuple[float, Array]] = []
        beginnings = motion.beginnings()
        for i, begin in enumerate(beginnings):
            tell("least squares", 0.3 + 0.6 * i / len(beginnings))
            done = least_squares(
                lambda x: np.clip(motion.residuals(x[None], 1e-7)[0], -1e60, 1e60),
                begin,
                jac=lambda x: np.nan_to_num(motion.slopes(x, 1e-7), nan=0.0, posinf=1e60, neginf=-1e60),
                bounds=(begin - 5.0, begin + 5.0),
                xtol=1e-9,
                ftol=1e-10,
                gtol=1e-14,
                max_nfev=12 if ends else 40,
            )
            ends.append((2.0 * done.cost, done.x))
        if not ends:
            checks.refuse("fit", "no rod like this one could be run through these phases.", "Check rod and phases.")
        tell("confidence", 0.95)
        _, best = min(ends, key=lambda end: end[0])
    return _assess(motion, best)


def _assess(motion: _Motion, x: Array) -> Fit:
    """Noise, covariance and intervals at the optimum."""
    from scipy.stats import t as student

    record = motion.record
    residual = motion.residuals(x[None], 1e-8)[0]
    J = motion.slopes(x, 1e-8)
    freedom = residual.size - x.size
    square = float(residual @ residual)
    noise = max(math.sqrt(square / freedom), 1e-9 * float(np.sqrt(np.mean(record.measured**2))))
    correlation, colour = lingering(residual.reshape(record.count, -1).T, x.size)
    spread = noise**2 * colour * np.linalg.pinv(J.T @ J)
    reach = float(student.ppf(0.5 + CONFIDENCE / 2.0, freedom)) * np.sqrt(np.diag(spread))
    values, low, high = np.exp(x), np.exp(x - reach), np.exp(np.minimum(x + reach, 700.0))
    for i, name in enumerate(motion.names):
        if not reach[i] <= WIDEST or np.linalg.norm(J[:, i]) == 0.0:
            known = f', or give what you know: known={{"{name}": …}}'  # else nothing would be left to identify
            raise InputError(
                f"fit: this record does not show {name}: it could be anything from {low[i]:.3g} to {high[i]:.3g} "
                f"{UNITS[name]}.\n  Record more bending motion{known if len(motion.names) > 1 else ''}."
            )
    found = dict(zip(motion.names, values.tolist(), strict=True))
    rod = variations(motion.rod, {name: [value] for name, value in found.items()})[0]
    return Fit(
        block=rod,  # type: ignore[arg-type]
        parameters=found,
        intervals={name: (float(low[i]), float(high[i])) for i, name in enumerate(motion.names)},
        units={name: UNITS[name] for name in motion.names},
        noise=noise,
        residual=-residual.reshape(record.measured.shape),
        correlation=correlation,
        covariance=spread * np.outer(values, values),
        result=rod.run(record.phases, times=record.times, initial=record.initial),
        record=record,  # type: ignore[arg-type]
        response=record.response,
        unit="rad" if record.response == "angle" else "m",
        doubts=[no_noise(correlation)] if correlation > LOUD else [],
    )


register(PlanarRod, RodRecord, fit_rod)
