"""Rods through their phases by adaptive steps: one, or many that are alike in their number of nodes alone."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.rod.kernels import adaptive as ex
from tegotae.rod.kernels.motion import Rod, rod_workspace
from tegotae.rod.phases import Phase
from tegotae.rod.records import Kept, Shape, hold, start_of

if TYPE_CHECKING:
    from tegotae.rod.planar import PlanarRod

_LEAST_STEP = 1e-13  # of the time: below, rounding decides


def _in_one_piece(arrays: Sequence[Array]) -> list[Array]:
    """Copies in memory of their own: threads whose numbers share a line of the cache would wait for each other."""
    room, at, copies = np.zeros(16 + sum(array.size for array in arrays)), 8, []
    for array in arrays:
        copies.append(room[at : at + array.size].view(array.dtype).reshape(array.shape))
        copies[-1][...] = array
        at += array.size
    return copies


class Adaptive:
    """One run: the numbers of all rods, stacked, and what is recorded of them."""

    def __init__(
        self, rods: Sequence[PlanarRod], phases: list[Phase], times: Array, starts: Sequence[Shape | None]
    ) -> None:
        self.rods, self.phases, self.times = rods, phases, times
        self.Z = np.stack([start_of(rod, shape) for rod, shape in zip(rods, starts, strict=True)])
        count, n = len(rods), rods[0].nodes
        self.t, self.steps, self.orders = np.zeros(count), np.zeros(count), np.full(count, 4, dtype=np.int64)
        self.tally, self.status = np.zeros((count, 3), dtype=np.int64), np.full(count, ex.DONE, dtype=np.int64)
        shapes = (self.Z.shape[1:], (n, 2), (n, 2), (), (n - 1,))
        self.kept = Kept(*(np.full((count, times.size, *shape), np.nan) for shape in shapes))

    def run(self, rtol: float, atol: float, method: str, threads: int) -> None:
        """Through all phases; `status` then tells of each rod how it ended."""
        count = len(self.rods)
        pieces = np.array_split(np.arange(count), min(count, 8 * threads))  # small ones, for rods differ in their work
        entry = ex.march if threads == 1 else ex.march_free
        methods, end = np.array([rod.method_of(method) for rod in self.rods]), self.phases[-1].until
        settings = (rtol, atol, _LEAST_STEP)
        t = 0.0
        for phase in self.phases:
            one, rods, stops, rows = self._begin(phase, t)
            where = (np.zeros(count, dtype=np.int64), self.t, self.Z, self.steps, self.orders)
            given = (rods, stops, rows, end, *where, settings, methods, self.tally, self.status, tuple(self.kept))

            def march(piece: NDArray[np.int64], one: dict[str, Any] = one, given: Any = given) -> None:
                # Numbers of each rod take the place of its own; threads must not share it, nor where it is integrated.
                n, size = self.rods[0].nodes, self.Z.shape[1]
                own = {name: one[name].copy() for name in ex.PER_ROD} | rod_workspace(n)  # type: ignore[no-untyped-call]
                arrays = [*own.values(), np.zeros((2 * ex.COLUMNS, size)), np.zeros(n + 2), *np.zeros((3, size))]
                if threads > 1:
                    arrays = _in_one_piece(arrays)
                rod, workspace = Rod(**one | dict(zip(own, arrays, strict=False))), tuple(arrays[len(own) :])
                while entry(piece, rod, workspace, *given):
                    pass

            if threads == 1:  # here, where it can be interrupted
                march(np.arange(count))
            else:
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(march, pieces))
            t = phase.until

    def _begin(self, phase: Phase, t: float) -> tuple[dict[str, Any], tuple[Array, ...], Array, NDArray[np.int64]]:
        """Bases are held from now on -> the numbers of one rod in a phase, what each has of its own, when to stop, and
        the row of each stop.

        Stops are times to be recorded, kinks of the drive, and the end of the phase.
        """
        times, each = self.times, [rod.numbers(phase) for rod in self.rods]
        for rod, z, status in zip(self.rods, self.Z, self.status, strict=True):
            if status == ex.DONE:
                hold(rod, z, phase, t)
        one, when = each[0], each[0]["when"]
        wanted = np.union1d(times, when) if when.size > 1 else times  # a drive of one moment stays as it is
        inside = wanted[(wanted > t) & (wanted < phase.until)]
        stops = np.concatenate([times[:1][times[:1] == t] if t == 0.0 else times[:0], inside, [phase.until]])
        places = np.minimum(np.searchsorted(times, stops), times.size - 1)
        self.steps[:] = 1e-3 * max(phase.until - t, 1e-9)
        rods = tuple(np.array([rod[name] for rod in each]) if len(each) > 1 else one[name][None] for name in ex.PER_ROD)
        return one, rods, stops, np.where(times[places] == stops, places, -1)

    def of_rod(self, i: int) -> Kept:
        """What was recorded of one rod, as far as it came."""
        count = int(np.isfinite(self.kept.z[i, :, 0]).sum())
        return Kept(*(part[i, :count] for part in self.kept))
