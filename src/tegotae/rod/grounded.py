"""A rod on the ground, between walls and pegs: it sticks, slips and collides, stepped at a fixed period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.inside import check_depths, weight_of
from tegotae.result import Result, Variable
from tegotae.rod.ground import Ground, Peg, Wall
from tegotae.rod.kernels import ground as gk
from tegotae.rod.kernels import lanes, stepping
from tegotae.rod.phases import Phase
from tegotae.rod.planar import PlanarRod, RodError, _checked
from tegotae.rod.records import Record
from tegotae.unsolved import tell

REMEDY = "Use a shorter period, or softer ground, walls and pegs."

_SOURCE = """
@entry
def march(rod, table, z, t, T, ticks, guide, loaded, every, first, rates, sums, counts, rows):
    return march_ticks(rod, table, z, t, T, ticks, guide, loaded, every, first, rates, sums, counts, rows)
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroundedRod:
    """A rod on the ground, between walls and pegs, stepped at a fixed period.

    Bending, friction and contact are taken at the end of each tick, and solved together in O(n): nothing is
    regularised, and no stiffness is too large for the period. Inertia is taken at the start: a tick in which a node
    turns fast, by more than 0.1 rad, as in a whip, is taken in several steps. First order in the period.
    Only nodes touch walls and pegs; the rod does not touch itself.

    Args:
        rod: the rod; its own `gravity` acts in the plane of the ground.
        ground: friction under the body; none unless given.
        walls: straight walls.
        pegs: round pegs.

    Example:
        >>> from tegotae.rod import Ground, GroundedRod, Phase, PlanarRod, Shape
        >>> rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.1)
        >>> table = GroundedRod(rod=rod, ground=Ground(tangential=0.1, normal=0.5, stiffness=1e5, damping=500.0))
        >>> run = table.run([Phase(until=2.0)], period=1e-3, initial=Shape(angle=0.0, base_velocity=(0.981, 0.0)))
        >>> round(float(run.position[-1, 0, 0]), 2)  # v²/(2 mu g)
        0.49
    """

    rod: PlanarRod
    ground: Ground | None = None
    walls: Sequence[Wall] = ()
    pegs: Sequence[Peg] = ()

    def __post_init__(self) -> None:
        kinds: tuple[tuple[str, Any, type], ...] = (("rod", (self.rod,), PlanarRod),)
        kinds += (("ground", () if self.ground is None else (self.ground,), Ground),)
        kinds += (("walls", self.walls, Wall), ("pegs", self.pegs, Peg))
        for name, given, kind in kinds:
            if not isinstance(given, Sequence):
                checks.refuse(
                    "GroundedRod", f"{name}={checks.shown(given)} is no list.", f"Give [{kind.__name__}(...), ...]."
                )
            for one in given:
                if not isinstance(one, kind):
                    checks.refuse("GroundedRod", f"{name} has {checks.shown(one)}.", f"Give {kind.__name__}(...).")

    def run(self, phases: Sequence[Phase], *, period: float, every: int = 1, initial: Any = None) -> Result:
        """Step through the phases.

        Args:
            phases: one after the other, the first from time 0; each ends on a tick.
            period: T, the length of a tick [s].
            every: record each so many ticks.
            initial: a `Shape` to start from; straight along +x at rest unless given.

        Returns:
            What `PlanarRod.run` returns, and `friction` and `contact` [N] (time, node, axis), `slip_speed` [m/s]
            (time, node), `base_force` [N] (time, axis) and `base_torque` [N·m] of what holds the base,
            `ground_work` [J] taken by ground, walls and pegs, `ground_elastic` [J] of it in the bristles.
            Forces are those of the last step of a tick. `about["steps"]` exceeds `about["ticks"]` where ticks were
            taken in several steps; `about["unsolved_steps"]` counts steps whose equation was not met,
            `about["trials"]` all solves; `about["largest_turn"]` is that of a node in one step [rad].
        """
        stretch = _checked(phases)
        T = checks.period_of("GroundedRod", period)
        every = checks.whole("GroundedRod", "every", every, 1, "Record every tick with 1.")
        ends = [_ticks(phase.until, T) for phase in stretch]
        book = _Book(self.rod, stretch, ends[-1] // every + 1, every * T, self._surroundings())
        z, table = book.record.start(initial), self._table()
        rates = np.zeros((4, self.rod.nodes + 2))
        done = 0
        kappa: Array | None = None
        for phase, end in zip(stretch, ends, strict=True):
            rod, going = self.rod.compiled(phase), end - done
            book.record.hold(z, phase, done * T)
            if done == 0:
                self._check_start(rod, z)
            # From one phase to the next a jump of the curvature is work of what bends it.
            rod.kappa[:] = [np.interp(0.0, rod.when, bend) for bend in rod.bends.T] if kappa is None else kappa
            went = self._module.march(
                rod, table, z, done * T, T, going, _guide(phase, done, end, T), bool(phase.loads or rod.loads.any()),
                every, done, rates, book.totals, book.counts, book.rows,
            )  # fmt: skip
            if went < going:
                turn = f"a node turns by {book.totals[6]:.3g} rad in one step"
                raise RodError(
                    f"GroundedRod: at t={(done + went + 1) * T:.6g} s {turn}.\n"
                    f"  Use a period far below {T:g} s. What was computed is in `.partial`.",
                    book.result((done + went) // every + 1, T),
                )
            done, kappa = end, rod.kappa
        tell("GroundedRod", int(book.counts[3]), int(book.counts[0]), REMEDY)
        return book.result(book.record.times.size, T)

    def _check_start(self, rod: Any, z: Array) -> None:
        """Refuse a start inside a wall or a peg that is deeper than the rod's own weight would press it."""
        if not self.walls and not self.pegs:
            return
        X = np.zeros((self.rod.nodes, 2))
        self.rod._module.observe(rod, 0.0, z, X, np.zeros_like(X))
        gaps = [(X - wall.point) @ np.asarray(wall.normal) for wall in self.walls]
        gaps += [np.hypot(*(X - peg.centre).T) - peg.radius for peg in self.pegs]
        own, tip = self.rod._segments, self.rod.payload
        mass = float(own["hs"] @ own["rho"]) + (tip.mass if tip else 0.0)
        weight = weight_of(mass, self.rod.gravity)
        things = [f"wall {i + 1}" for i in range(len(self.walls))] + [f"peg {i + 1}" for i in range(len(self.pegs))]
        hard = [wall.stiffness for wall in self.walls] + [peg.stiffness for peg in self.pegs]
        check_depths(
            "GroundedRod",
            [f"node {i} on {thing}" for thing in things for i in range(self.rod.nodes)],
            np.concatenate(gaps),
            np.repeat(weight / np.array(hard), self.rod.nodes),
            "Start beside it: initial=Shape(base=..., angle=...), or move the wall or peg.",
        )

    def _surroundings(self) -> dict[str, Any]:
        """What a picture of a run has to show beside the rod."""
        pegs = [number for peg in self.pegs for number in (*peg.centre, peg.radius)]
        walls = [number for wall in self.walls for number in (*wall.point, *wall.normal)]
        told = {"pegs": np.array(pegs), "walls": np.array(walls)}
        return {"ground": int(self.ground is not None)} | {name: row for name, row in told.items() if row.size}

    @property
    def _module(self) -> ModuleType:
        return build(_SOURCE, (("march_ticks", stepping.march_ticks),))

    def _table(self) -> gk.Table:
        n, own = self.rod.nodes, self.rod._segments
        rows = [wall.row() for wall in self.walls] + [peg.row() for peg in self.pegs]
        things = np.array(rows, dtype=np.float64).reshape(-1, gk.THING)
        law, hs = np.array([0.0, 1.0, 0.0]), own["hs"]
        given = {lanes.LENGTH: hs, lanes.RHO: own["rho"], lanes.KH: own["K"] / hs, lanes.CH: own["C"] / hs}
        given[lanes.SIGMA] = np.ones(n)
        if self.ground is not None:
            ground = self.ground
            share = 0.5 * (np.append(hs, 0.0) + np.append(0.0, hs))
            F = np.multiply.outer(ground.loads(self.rod), ground.coefficients)
            most = F.max(axis=1)
            over = np.divide(share, most**2, out=np.zeros(n), where=most > 0.0)
            given |= {lanes.A_FORWARD: F[:, 0] ** 2, lanes.A_BACKWARD: F[:, 1] ** 2, lanes.A_ACROSS: F[:, 2] ** 2}
            given |= {lanes.K: ground.stiffness * over, lanes.B: ground.damping * over}
            law = np.array([ground.static - 1.0, ground.stribeck_velocity, most.max()])
            given[lanes.SIGMA] = np.full(n, ground.static)
        law[2] += 1e-6 * things[:, 5].max(initial=0.0)  # a micron of a wall
        return gk.Table(w=_side_by_side(n, given), law=law, things=things, near=np.zeros((n, len(things), gk.NEAR)))


class _Book:
    """What a run counts, sums and records; rows in the order in which the kernels fill them."""

    def __init__(self, rod: PlanarRod, phases: list[Phase], count: int, between: float, surroundings: dict[str, Any]):
        n = rod.nodes
        self.surroundings = surroundings
        self.record = Record(rod, np.arange(count, dtype=np.float64) * np.float64(between), phases)
        self.friction, self.push, self.slip = np.zeros((count, n, 2)), np.zeros((count, n, 2)), np.zeros((count, n))
        self.sums, self.stored = np.zeros((count, stepping.SUMS)), np.zeros(count)
        self.totals, self.counts = np.zeros(stepping.SUMS), np.zeros(stepping.COUNTS, dtype=np.int64)
        own = self.record
        moved: tuple[Array, ...] = (own.z, own.X, own.U, self.friction, self.push, self.slip)
        self.rows = (*moved, own.kinetic, own.kappa, self.sums, self.stored)

    def result(self, count: int, T: float) -> Result:
        """The first so many rows."""
        steps, trials, shortened, unsolved, more = (int(number) for number in self.counts)
        about: dict[str, Any] = {"period": T, "ticks": steps - more, "steps": steps, "trials": trials}
        about["shortened_trials"] = shortened
        about |= {"unsolved_steps": unsolved, "largest_turn": float(self.sums[count - 1, 6]), **self.surroundings}
        self.record.count = count
        plain = self.record.result(about)
        plane, sums = ("time", "node", "axis"), self.sums[:count]
        extra = {
            "friction": Variable(plane, self.friction[:count], "N", "of the ground on the nodes"),
            "contact": Variable(plane, self.push[:count], "N", "of walls and pegs on the nodes"),
            "slip_speed": Variable(("time", "node"), self.slip[:count], "m/s", "exactly 0 while a node sticks"),
            "base_force": Variable(("time", "axis"), sums[:, 3:5].copy(), "N", "of what holds the base"),
            "base_torque": Variable(("time",), sums[:, 5].copy(), "N·m", "of what holds the base"),
            "ground_work": Variable(("time",), sums[:, 2].copy(), "J", "taken by ground, walls and pegs"),
            "ground_elastic": Variable(("time",), self.stored[:count], "J", "of it in the bristles of the ground"),
        }
        return Result({**plain.variables, **extra}, title="GroundedRod", about=plain.about)


def _side_by_side(n: int, given: dict[int, Array]) -> Array:
    """The rows of the kernels for n nodes, all 0 but the given ones."""
    blocks = np.zeros((-(-n // lanes.LANES), lanes.FIELDS, lanes.LANES))
    for row, values in given.items():
        whole = np.zeros(blocks.shape[0] * lanes.LANES)
        whole[: values.size] = values
        blocks[:, row // lanes.LANES] = whole.reshape(-1, lanes.LANES)
    return blocks.ravel()


def _ticks(until: float, T: float) -> int:
    ticks = round(until / T)
    if ticks < 1 or abs(ticks * T - until) > 1e-6 * T:
        checks.refuse(
            "GroundedRod",
            f"a phase ends at {until:g} s, between two ticks of {T:g} s.",
            f"End it at {max(ticks, 1) * T:g} s, or change the period.",
        )
    return ticks


def _guide(phase: Phase, done: int, end: int, T: float) -> Array:
    """Mean velocity of a held base over each tick: it ends every tick where `motion` says."""
    guide = np.zeros((end - done, 3))
    if phase.motion is not None:
        places = phase.spline()(np.arange(done, end + 1) * T)
        guide[:, : places.shape[1]] = np.diff(places, axis=0) / T
    return guide
