"""A rod on the ground, between walls and pegs: it sticks, slips and collides, stepped at a fixed period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.compiling import build
from tegotae.result import Result, Variable
from tegotae.rod.kernels import ground as gk
from tegotae.rod.kernels import stepping
from tegotae.rod.phases import Phase
from tegotae.rod.planar import PlanarRod, RodError, _checked
from tegotae.rod.records import Record

_SOURCE = """
@entry
def march(rod, table, z, t, T, ticks, guide, every, first, change, sums, counts, rows):
    march_ticks(rod, table, z, t, T, ticks, guide, every, first, change, sums, counts, rows)
"""

STANDARD_GRAVITY = 9.81  # m/s²


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """Dry friction under the whole body, with true sticking, different along and across.

    Each node bears its share of the load. While it sticks it is held by a spring to where it stuck; the friction of
    greatest dissipation within an ellipse holds when it slips: along the body alone it is `tangential` times the load,
    across it `normal` times the load, in between  -(F_t² w_t, F_n² w_n)/|(F_t w_t, F_n w_n)|  for the slip velocity w.

    Args:
        tangential: coefficient of friction along the body, moving forward (base to tip), >= 0.
        normal: coefficient across the body, >= 0.
        stiffness: of the sticking ground, in the direction that grips most, for each metre of rod [N/m²], > 0; in
            another direction less, by the square of the ratio of the coefficients.
        backward: coefficient along the body, moving backward; `tangential` unless given.
        damping: like the stiffness, for each metre of rod [N·s/m²], >= 0.
        load: pressing the rod down [N/m], a number or one a segment; the weight under 9.81 m/s² unless given.
        static: how many times larger the friction is at rest, >= 1.
        stribeck_velocity: slip speed [m/s] by which most of that excess is gone, > 0.

    Example:
        >>> from tegotae.rod import Ground
        >>> Ground(tangential=0.1, normal=0.5, stiffness=1e4).static
        1.0
    """

    tangential: float
    normal: float
    stiffness: float
    backward: float | None = None
    damping: float = 0.0
    load: Any = None
    static: float = 1.0
    stribeck_velocity: float = 0.01

    def __post_init__(self) -> None:
        own, set_ = "Ground", object.__setattr__
        for name in ("tangential", "normal", "backward"):
            value = getattr(self, name)
            if value is not None:
                set_(self, name, checks.at_least_zero(own, name, value, "", "Give a coefficient of friction."))
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m²", "Such as 1e4."))
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m²", "Give 0 for none."))
        set_(self, "static", checks.number(own, "static", self.static, ""))
        if self.static < 1.0:
            checks.refuse(own, f"static={self.static:g} is below 1.", "Friction at rest is at least that in motion.")
        velocity = self.stribeck_velocity
        set_(self, "stribeck_velocity", checks.positive(own, "stribeck_velocity", velocity, "m/s", "Such as 0.01."))
        if max(self.coefficients) == 0.0:
            checks.refuse(own, "every coefficient of friction is 0.", "Give GroundedRod no ground at all.")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Of friction: forward, backward, across."""
        return self.tangential, self.tangential if self.backward is None else self.backward, self.normal

    def loads(self, rod: PlanarRod) -> Array:
        """How much presses on each node [N]: half of each segment beside it."""
        hs, rho = rod._segments["hs"], rod._segments["rho"]
        nodes = np.zeros(rod.nodes)
        if self.load is None:
            per_metre = rho * STANDARD_GRAVITY
            nodes[-1] += rod.payload.mass * STANDARD_GRAVITY if rod.payload else 0.0
        else:
            per_metre = checks.array("Ground", "load", self.load, "N/m")
            if per_metre.shape not in ((), hs.shape):
                checks.refuse("Ground", f"load has shape {per_metre.shape}.", f"Give a number, or {hs.size}.")
            checks.finite("Ground", "load", np.atleast_1d(per_metre), "N/m")
            if (per_metre < 0.0).any():
                checks.refuse("Ground", f"load={self.load!r} is negative.", "The ground cannot pull.")
        half = 0.5 * hs * per_metre
        nodes[:-1] += half
        nodes[1:] += half
        return nodes


@dataclass(frozen=True, kw_only=True)
class Wall:
    """A straight wall that pushes nodes back, never pulls.

    Args:
        point: a point of its face, (x, y) [m].
        normal: away from the wall, (x, y), of any length.
        stiffness: [N/m] for each node that touches, > 0.
        damping: [N·s/m], >= 0.
        friction: coefficient along the face, >= 0, acting on the pressure of the tick before.

    Example:
        >>> from tegotae.rod import Wall
        >>> Wall(point=(0.0, -0.1), normal=(0.0, 2.0), stiffness=1e4).normal
        (0.0, 1.0)
    """

    point: tuple[float, float]
    normal: tuple[float, float]
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _pair("Wall", "point", self.point, "m"))
        x, y = _pair("Wall", "normal", self.normal, "")
        if x == y == 0.0:
            checks.refuse("Wall", "normal=(0, 0) has no direction.", "Let it point away from the wall.")
        object.__setattr__(self, "normal", (x / float(np.hypot(x, y)), y / float(np.hypot(x, y))))
        _firm("Wall", self)

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [gk.WALL, *self.point, *self.normal, self.stiffness, self.damping, self.friction]


@dataclass(frozen=True, kw_only=True)
class Peg:
    """A round peg that pushes nodes away, never pulls.

    It meets nodes, not what lies between them: let it be wider than a segment is long.

    Args:
        centre: (x, y) [m].
        radius: [m], > 0.
        stiffness: [N/m] for each node that touches, > 0.
        damping: [N·s/m], >= 0.
        friction: coefficient along its face, >= 0, acting on the pressure of the tick before.

    Example:
        >>> from tegotae.rod import Peg
        >>> Peg(centre=(0.5, 0.2), radius=0.1, stiffness=1e4).friction
        0.0
    """

    centre: tuple[float, float]
    radius: float
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _pair("Peg", "centre", self.centre, "m"))
        object.__setattr__(self, "radius", checks.positive("Peg", "radius", self.radius, "m", "Such as 0.05."))
        _firm("Peg", self)

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [gk.PEG, *self.centre, self.radius, 0.0, self.stiffness, self.damping, self.friction]


@dataclass(frozen=True, kw_only=True, eq=False)
class GroundedRod:
    """A rod on the ground, between walls and pegs, stepped at a fixed period.

    Bending, friction and contact are taken at the end of each tick, and solved together in O(n): nothing is
    regularised, and no period is too long to be stable for what is stiff. It is of first order in the period.

    Args:
        rod: the rod; its own `gravity` acts in the plane of the ground.
        ground: friction under the body; none unless given.
        walls: straight walls.
        pegs: round pegs.

    Example:
        >>> from tegotae.rod import Ground, GroundedRod, Phase, PlanarRod, Shape
        >>> rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.1)
        >>> table = GroundedRod(rod=rod, ground=Ground(tangential=0.1, normal=0.5, stiffness=1e4))
        >>> run = table.run([Phase(until=2.0)], period=1e-3, initial=Shape(angle=0.0, base_velocity=(0.981, 0.0)))
        >>> round(float(run.position[-1, 0, 0]), 3)  # v²/(2 mu g)
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
            for one in given:
                if not isinstance(one, kind):
                    checks.refuse("GroundedRod", f"{name} has {one!r}.", f"Give {kind.__name__}(...).")

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
            `about["unsolved_steps"]` counts ticks whose equation was not met; `about["trials"]` solves in all.
        """
        stretch = _checked(phases)
        T = checks.period_of("GroundedRod", period)
        every = checks.whole("GroundedRod", "every", every, 1, "Record every tick with 1.")
        ends = [_ticks(phase.until, T) for phase in stretch]
        n, count = self.rod.nodes, ends[-1] // every + 1
        record = Record(self.rod, np.arange(count) * (every * T), stretch)
        z = record.start(initial)
        table = self._table()
        more = {"friction": np.zeros((count, n, 2)), "push": np.zeros((count, n, 2)), "slip": np.zeros((count, n))}
        more |= {"sums": np.zeros((count, stepping.SUMS)), "stored": np.zeros(count)}
        rows = (record.z, record.X, record.U, more["friction"], more["push"], more["slip"], record.kinetic)
        rows += (record.kappa, more["sums"], more["stored"])
        change, sums = np.zeros((2, n + 2)), np.zeros(stepping.SUMS)
        counts = np.zeros(stepping.COUNTS, dtype=np.int64)
        done = 0
        kappa: Array | None = None
        for phase, end in zip(stretch, ends, strict=True):
            rod = self.rod.compiled(phase)
            record.hold(z, phase, done * T)
            # From one phase to the next a jump of the curvature is work of what bends it.
            rod.kappa[:] = [np.interp(0.0, rod.when, bend) for bend in rod.bends.T] if kappa is None else kappa
            guide = _guide(phase, done, end, T)
            self._module.march(rod, table, z, done * T, T, end - done, guide, every, done, change, sums, counts, rows)
            done, kappa = end, rod.kappa
        record.count = count
        return self._result(record, more, counts, T)

    @property
    def _module(self) -> ModuleType:
        return build(_SOURCE, (("march_ticks", stepping.march_ticks),))

    def _table(self) -> gk.Table:
        n = self.rod.nodes
        things = np.array([one.row() for one in (*self.walls, *self.pegs)], dtype=np.float64).reshape(-1, gk.THING)
        F, k, b, law = np.zeros((n, 3)), np.zeros(n), np.zeros(n), np.array([0.0, 1.0, 0.0])
        room = gk.table_room(n, len(things))  # type: ignore[no-untyped-call]
        if self.ground is not None:
            ground, hs = self.ground, self.rod._segments["hs"]
            share = 0.5 * (np.append(hs, 0.0) + np.append(0.0, hs))
            F = np.multiply.outer(ground.loads(self.rod), ground.coefficients)
            most = F.max(axis=1)
            pressed = most > 0.0
            k[pressed] = ground.stiffness * share[pressed] / most[pressed] ** 2
            b[pressed] = ground.damping * share[pressed] / most[pressed] ** 2
            law = np.array([ground.static - 1.0, ground.stribeck_velocity, most.max()])
            room["sigma"][:] = ground.static
        law[2] += 1e-6 * things[:, 5].max(initial=0.0)  # a micron of a wall
        return gk.Table(F=F, k=k, b=b, law=law, things=things, **room)

    def _result(self, record: Record, more: dict[str, Array], counts: NDArray[np.int64], T: float) -> Result:
        about = {"period": T, "ticks": int(counts[0]), "trials": int(counts[1])}
        about |= {"shortened_trials": int(counts[2]), "unsolved_steps": int(counts[3])}
        if not np.isfinite(record.z).all():
            bad = int(np.argmin(np.isfinite(record.z).all(axis=1)))
            record.count = bad
            raise RodError(
                f"GroundedRod: the motion left the finite numbers before t={record.times[bad]:.6g} s.\n"
                "  Shorten the period, or weaken the load. What was computed is in `.partial`.",
                record.result(about) if bad else None,
            )
        plain = record.result(about)
        plane, sums = ("time", "node", "axis"), more["sums"]
        extra = {
            "friction": Variable(plane, more["friction"], "N", "of the ground on the nodes"),
            "contact": Variable(plane, more["push"], "N", "of walls and pegs on the nodes"),
            "slip_speed": Variable(("time", "node"), more["slip"], "m/s", "exactly 0 while a node sticks"),
            "base_force": Variable(("time", "axis"), sums[:, 3:5].copy(), "N", "of what holds the base"),
            "base_torque": Variable(("time",), sums[:, 5].copy(), "N·m", "of what holds the base"),
            "ground_work": Variable(("time",), sums[:, 2].copy(), "J", "taken by ground, walls and pegs"),
            "ground_elastic": Variable(("time",), more["stored"], "J", "of it in the bristles of the ground"),
        }
        return Result({**plain.variables, **extra}, title="GroundedRod", about=about)


def _pair(owner: str, name: str, given: Any, unit: str) -> tuple[float, float]:
    pair = checks.array(owner, name, given, unit)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        checks.refuse(owner, f"{name}={given!r}.", "Give two finite numbers, (x, y).")
    return float(pair[0]), float(pair[1])


def _firm(owner: str, one: Wall | Peg) -> None:
    """The elastic side of a wall or peg, checked."""
    set_ = object.__setattr__
    set_(one, "stiffness", checks.positive(owner, "stiffness", one.stiffness, "N/m", "Such as 1e4."))
    set_(one, "damping", checks.at_least_zero(owner, "damping", one.damping, "N·s/m", "Give 0 for none."))
    set_(one, "friction", checks.at_least_zero(owner, "friction", one.friction, "", "Give 0 for none."))


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
