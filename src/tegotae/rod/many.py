"""Many rods at once, shared out over the cores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.naming import rebuilt
from tegotae.result import Result
from tegotae.rod.adaptive import Adaptive
from tegotae.rod.kernels.adaptive import DONE
from tegotae.rod.phases import Phase, checked_phases, checked_times
from tegotae.rod.planar import PlanarRod, RodError
from tegotae.rod.records import Segments, Shape, motion_variables


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
    remedy = "Give a dict from the name of a parameter to its values, one a rod."
    if varied is None:
        checks.refuse("variations", "varied=None varies nothing.", remedy)
    for name, values in checks.mapping("variations", "varied", varied, remedy).items():
        if not checks.is_list(values):
            checks.refuse("variations", f"varied[{name!r}]={checks.shown(values)} is not a list.", remedy)
        checks.fits_in_memory("variations", f"varied[{name!r}]", checks.len_of(values), "Give fewer values.")
    lengths = {name: len(values) for name, values in varied.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        checks.refuse("PlanarRod", f"varied has lengths {lengths}.", "Give each as many values, one a rod.")
    count = next(iter(lengths.values()))
    return [rebuilt(rod, {name: values[i] for name, values in varied.items()}) for i in range(count)]


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
    stretch = checked_phases(phases)
    alike = checks.several("run_many", "rods", rods, PlanarRod, "Give a list of PlanarRod(...).")
    if len({rod.nodes for rod in alike}) != 1:
        problem = "differ in their numbers of nodes" if alike else "is empty"
        checks.refuse("run_many", f"rods {problem}.", "Give at least one, with equal numbers of nodes.")
    starts = initial if isinstance(initial, Sequence) else [initial] * len(alike)
    if len(starts) != len(alike):
        checks.refuse("run_many", f"initial has {len(starts)} shapes.", f"Give one, or {len(alike)}.")
    rtol = checks.positive("run_many", "rtol", rtol, "", "Such as 1e-6.")
    atol = checks.positive("run_many", "atol", atol, "", "Such as 1e-6.")
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(checks.whole("run_many", "threads", threads, 1, "Give at least one."), len(alike))
    batch = Adaptive(alike, stretch, checked_times(times, stretch[-1].until), starts)
    batch.run(rtol, atol, method, threads)
    segments = Segments(*(np.stack(each)[:, None, :] for each in zip(*(rod.segments for rod in alike), strict=True)))
    tip = np.array([rod.tip for rod in alike]).T[:, :, None]
    about = {"rtol": rtol, "atol": atol, "method": method, "rods": len(alike)}
    about |= {"accelerations": int(batch.tally[:, 0].sum()), "steps": int(batch.tally[:, 1].sum())}
    variables = motion_variables(segments, (tip[0], tip[1]), batch.times, batch.kept, lead=("rod",))
    run = Result(variables, title=f"{len(alike)} x PlanarRod", about=about)
    failed = np.flatnonzero(batch.status != DONE)
    if failed.size:
        raise RodError(
            f"run_many: {failed.size} of {len(alike)} rods stopped, the first is rods[{failed[0]}].\n"
            "  Loosen rtol and atol, add viscosity or nodes, or weaken the load. `.partial` holds all rods, with "
            "NaN where one did not get to; run that one by itself to see why.",
            run,
        )
    return run
