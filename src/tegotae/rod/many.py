"""Many rods at once, shared out over the cores."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.compile import build
from tegotae.result import Result, Variable
from tegotae.rod.kernels import many
from tegotae.rod.kernels.extrapolation import DONE
from tegotae.rod.phases import Phase, checked_phases, checked_times
from tegotae.rod.planar import _LEAST_STEP, PlanarRod, RodError, Segments
from tegotae.rod.records import RodRecorder, Shape

_SOURCE = """
@entry_free
def march(some, common, room, own, t0, stops, rows, Z, H, k, tolerances, methods, least, tally, status, record):
    march_some(some, common, room, own, t0, stops, rows, Z, H, k, tolerances, methods, least, tally, status, record)
"""


def variations(rod: PlanarRod, varied: Mapping[str, Sequence[Any]]) -> list[PlanarRod]:
    """The same rod many times with some of its parameters varied, all along together.

    Args:
        rod: what the others are like.
        varied: name of a parameter -> its values, one a rod, in the units of `PlanarRod`.

    Example:
        >>> from tegotae.rod import PlanarRod
        >>> from tegotae.rod.many import variations
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> [one.elasticity for one in variations(rod, {"elasticity": [1.0, 2.0]})]
        [1.0, 2.0]
    """
    checks.instance("variations", "rod", rod, PlanarRod, "Give a PlanarRod(...).")
    way = "Give a dict from the name of a parameter to its values, one a rod."
    if varied is None:
        checks.refuse("variations", "varied=None varies nothing.", way)
    for name, values in checks.mapping("variations", "varied", varied, way).items():
        if not checks.is_list(values):
            checks.refuse("variations", f"varied[{name!r}]={checks.shown(values)} is not a list.", way)
        checks.fits_in_memory("variations", f"varied[{name!r}]", checks.len_of(values), "Give fewer values.")
    known = [f.name for f in dataclasses.fields(rod) if f.init]
    for name in varied:
        if name not in known:
            checks.refuse("PlanarRod", f"varied has {name!r}.", f"It has {', '.join(known)}.")
    lengths = {name: len(values) for name, values in varied.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        checks.refuse("PlanarRod", f"varied has lengths {lengths}.", "Give each as many values, one a rod.")
    count = next(iter(lengths.values()))
    changed: list[dict[str, Any]] = [{name: values[i] for name, values in varied.items()} for i in range(count)]
    return [dataclasses.replace(rod, **changes) for changes in changed]


def run_many(
    rods: Sequence[PlanarRod],
    phases: Sequence[Phase],
    *,
    times: ArrayLike | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    method: Literal["auto", "implicit", "explicit"] = "auto",
    initial: Shape | Sequence[Shape] | None = None,
    threads: int | None = None,
) -> Result:
    """Run many rods through the same phases, on all cores; each to the last bit as by itself.

    Args:
        rods: with equal numbers of nodes; anything else may differ.
        phases: one after the other, the first from time 0.
        times: when to record [s], increasing; 101 of them unless given.
        rtol: relative tolerance [-].
        atol: absolute tolerance [rad, m and their rates].
        method: as in `PlanarRod.run`.
        initial: a `Shape` to start from, or one a rod; straight along +x at rest unless given.
        threads: how many; one a core unless given.

    Returns:
        `angle` [rad] and `angle_rate` (rod, time, node), `position` [m] and `velocity` (rod, time, node, axis),
        `kinetic`, `elastic`, `dissipated` and `work` [J] (rod, time).

    Example:
        >>> from tegotae.rod import Phase, PlanarRod
        >>> from tegotae.rod.many import run_many, variations
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> softer_and_stiffer = variations(rod, {"elasticity": [0.5, 1.0, 2.0]})
        >>> run = run_many(softer_and_stiffer, [Phase(until=1, torque=50, base="pinned")], times=[0.5, 1.0])
        >>> run.angle.shape
        (3, 2, 5)
    """
    batch = _Batch(rods, checked_phases(phases), times, initial)
    for name, value in (("rtol", rtol), ("atol", atol)):
        checks.positive("run_many", name, value, "", "Such as 1e-6.")
    count = len(batch.rods)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(checks.whole("run_many", "threads", threads, 1, "Give at least one."), count)
    pieces = np.array_split(np.arange(count), min(count, 8 * threads))  # small ones, for rods differ in their work
    entry = build(_SOURCE, (("march_some", many.march_some),)).march
    methods = np.array([rod._method(method) for rod in batch.rods])
    t = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for phase in batch.phases:
            given = batch.begin(phase, t)
            arguments = (*given, (float(rtol), float(atol)), methods, _LEAST_STEP, *batch.outcome)
            for done in [pool.submit(entry, piece, *batch.room(phase), *arguments) for piece in pieces]:
                done.result()
            t = phase.until
    return batch.result({"rtol": rtol, "atol": atol, "method": method, "rods": count})


class _Batch:
    """The numbers of all rods, stacked."""

    def __init__(self, rods: Sequence[PlanarRod], phases: list[Phase], times: ArrayLike | None, initial: Any):
        self.rods = list(checks.several("run_many", "rods", rods, PlanarRod, "Give a list of PlanarRod(...)."))
        self.phases = phases
        if not self.rods:
            checks.refuse("run_many", "rods is empty.", "Give at least one.")
        for i, rod in enumerate(self.rods):
            if not isinstance(rod, PlanarRod) or rod.nodes != self.rods[0].nodes:
                checks.refuse(
                    "run_many", f"rods[{i}]={checks.shown(rod)}.", "Give PlanarRods with equal numbers of nodes."
                )
        self.first = RodRecorder(self.rods[0], checked_times(times, phases[-1].until), phases)
        self.times = self.first.times
        starts = initial if isinstance(initial, Sequence) else [initial] * len(self.rods)
        if len(starts) != len(self.rods):
            checks.refuse("run_many", f"initial has {len(starts)} shapes.", f"Give one, or {len(self.rods)}.")
        self.Z = np.stack([self.first.start(shape) for shape in starts])
        self.own = Segments(*(np.stack(each) for each in zip(*(rod.segments for rod in self.rods), strict=True)))
        bodies = [rod.payload for rod in self.rods]
        self.tip = np.array([[body.mass, body.inertia] if body else [0.0, 0.0] for body in bodies])
        gravity = np.array([rod.gravity for rod in self.rods], dtype=np.float64)
        self.fixed = (self.own.length, self.own.density, self.own.elasticity, self.own.viscosity, gravity, self.tip)
        count, n, rows = len(self.rods), self.rods[0].nodes, self.times.size
        self.steps, self.orders = np.zeros(count), np.full(count, 4, dtype=np.int64)
        self.tally, self.status = np.zeros((count, 3), dtype=np.int64), np.full(count, DONE, dtype=np.int64)
        shapes = (self.Z.shape[1:], (n, 2), (n, 2), (), (n - 1,))
        self.record = tuple(np.full((count, rows, *shape), np.nan) for shape in shapes)

    @property
    def outcome(self) -> tuple[Any, ...]:
        """What the kernel fills."""
        return self.tally, self.status, self.record

    def room(self, phase: Phase) -> tuple[Any, ...]:
        """What all rods have in common in a phase, and room for one of them at a time; threads must not share it."""
        return self.rods[0].compiled(phase), self.rods[0]._room()

    def begin(self, phase: Phase, t: float) -> tuple[Any, ...]:
        """A phase as the kernel reads it; bases are held from now on."""
        one = self.rods[0].compiled(phase)
        count = len(self.rods)
        for z, status in zip(self.Z, self.status, strict=True):
            if status == DONE:
                self.first.hold(z, phase, t)
        bends = np.broadcast_to(one.bends, (count, *one.bends.shape)).copy()
        if phase.curvature is None:  # each rod keeps its own
            bends[:] = self.own.rest_curvature[:, None, :]
        points = np.zeros((count, 0, 5))
        if phase.loads:
            points = np.stack([rod.points(phase.loads) for rod in self.rods])
        stops = np.array(list(self.first.stops(t, phase.until, one.when)))
        rows = np.full(stops.size, -1, dtype=np.int64)
        for i, stop in enumerate(stops):
            if self.first.count < self.times.size and self.times[self.first.count] == stop:
                rows[i] = self.first.count
                self.first.count += 1
        self.steps[:] = 1e-3 * max(phase.until - t, 1e-9)
        return (*self.fixed, bends, points), t, stops, rows, self.Z, self.steps, self.orders

    def result(self, about: dict[str, Any]) -> Result:
        """All that was recorded; an error that holds it if a rod could not go on."""
        z, X, U, kinetic, kappa = self.record
        n = self.rods[0].nodes
        angle, rate = z[..., 2 : n + 2].copy(), z[..., n + 4 : 2 * n + 4].copy()
        hs, K = self.own.length[:, None, :], self.own.elasticity[:, None, :]
        bent = np.diff(angle, axis=2) - hs * kappa
        mass, inertia = self.tip[:, :1], self.tip[:, 1:]
        kinetic = kinetic + 0.5 * mass * (U[:, :, -1] ** 2).sum(axis=2) + 0.5 * inertia * rate[:, :, -1] ** 2
        each: tuple[str, ...] = ("rod", "time")
        variables = {
            "time": Variable(("time",), self.times.copy(), "s", "time"),
            "angle": Variable((*each, "node"), angle, "rad", "of the tangent, never wrapped"),
            "angle_rate": Variable((*each, "node"), rate, "rad/s", "of the tangent"),
            "position": Variable((*each, "node", "axis"), X, "m", "of the nodes"),
            "velocity": Variable((*each, "node", "axis"), U, "m/s", "of the nodes"),
            "kinetic": Variable(each, kinetic, "J", "kinetic energy"),
            "elastic": Variable(each, 0.5 * (K * bent**2 / hs).sum(axis=2), "J", "of bending"),
            "dissipated": Variable(each, z[..., 2 * n + 4].copy(), "J", "by viscosity, since the start"),
            "work": Variable(each, z[..., 2 * n + 5].copy(), "J", "of loads, actuation and base, since the start"),
        }
        about |= {"accelerations": int(self.tally[:, 0].sum()), "steps": int(self.tally[:, 1].sum())}
        run = Result(variables, title=f"{len(self.rods)} x PlanarRod", about=about)
        failed = np.flatnonzero(self.status != DONE)
        if failed.size:
            raise RodError(
                f"run_many: {failed.size} of {len(self.rods)} rods stopped, the first is rods[{failed[0]}].\n"
                "  Loosen rtol and atol, add viscosity or nodes, or weaken the load. `.partial` holds all rods, with "
                "NaN where one did not get to; run that one by itself to see why.",
                run,
            )
        return run
