"""A rod on the ground through its phases: what they feed it tick by tick, and the result of what it recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL
from tegotae.checks import Array
from tegotae.ports import forces_over_time, spans
from tegotae.result import Result, Variable
from tegotae.rod.kernels import stepping
from tegotae.rod.phases import BASES, Phase, checked_phases
from tegotae.rod.planar import RodError
from tegotae.rod.records import INTEGRALS, Kept, Shape, hold, rod_result, start_of
from tegotae.running import loop
from tegotae.running.loop import Fed, Picks
from tegotae.running.source import module_of
from tegotae.state import State
from tegotae.unsolved import tell

if TYPE_CHECKING:
    from tegotae.rod.grounded import GroundedRod

_OWNER = "GroundedRod"
COORDINATES = ("base", "angle", "base_velocity", "angle_rate")
_SUMS = ("dissipated", "work")
# What results show of the state beside what follows from it.
_SHOWN = ("friction", "slip_speed", "base_force", "base_torque", "ground_work")
_KEPT = (*COORDINATES, "curvature", *_SUMS, "largest_turn", "anchor")

_PART = 1000  # ticks at a time: what they are fed and what they record stay in the processor's cache


def coordinates_of(state: State) -> Array:
    """All coordinates and their rates in a state, one after the other: a view."""
    places = state.space.places
    return state.real[places[COORDINATES[0]].start : places[COORDINATES[-1]].stop]


def observed(block: GroundedRod, state: State, anchors: Array, Z: Array) -> tuple[Array, Array, Array, Array]:
    """Places and velocities of the nodes, kinetic energy without a payload's, energy in the bristles; for anchors of
    the bristles (times, 2, nodes), coordinates and rates Z (times, 2 nodes + 4), and any one state of the block.
    """
    n, space = block.rod.nodes, block.spaces.workspace
    workspace, p = space.empty(), block.parameters
    module_of(block).restore_all(p, state.memory, workspace)
    rows, re, im = (space.part(workspace, name) for name in ("rows", "re", "im"))
    law, g = (block.spaces.parameters.part(p, name) for name in ("law", "gravity"))
    X, U = np.zeros((len(Z), n, 2)), np.zeros((len(Z), n, 2))
    kinetic, elastic = np.zeros(len(Z)), np.zeros(len(Z))
    Z, anchors = np.ascontiguousarray(Z).reshape(-1, 2, n + 2), np.ascontiguousarray(anchors)
    stepping.observe(rows, n, law, g, re, im, Z, anchors, X, U, kinetic, elastic)
    return X, U, kinetic, elastic


class Course:
    """One run of a rod through phases."""

    def __init__(self, block: GroundedRod, phases: Sequence[Phase], period: float, every: int):
        self.phases, self.T = checked_phases(phases), period
        self.every = checks.whole(_OWNER, "every", every, 1, "Record every tick with 1.")
        self.bends = {phase: phase.bends(block.rod.segments.rest_curvature) for phase in self.phases}
        self.ends = [_ticks(phase.until, period) for phase in self.phases]
        self.ticks = self.ends[-1]
        loop.check_every(_OWNER, self.every, self.ticks)
        pushed = [load.at for phase in self.phases for load in phase.loads]
        if pushed and block.loads:
            remedy = "Give loads in phases, or feed them where `loads` says."
            checks.refuse(_OWNER, "both its phases and it itself have loads.", remedy)
        self.block = replace(block, loads=pushed) if pushed else block
        count, what = self.ticks // self.every + 1, f"the record of {self.ticks} ticks (phases)"
        checks.fits_in_memory(_OWNER, what, 15.0 * block.rod.nodes * count, "Use every=, or shorter phases.")
        self.times = np.arange(count, dtype=np.float64) * np.float64(self.every * period)

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None,
        initial: Shape | Mapping[str, ArrayLike] | None,
        inputs: Mapping[str, ArrayLike] | None,
        record: Sequence[str] | None,
        progress: Callable[[float], None] | None,
    ) -> Result:
        """From the first tick to the last; see `GroundedRod.run`."""
        block, T = self.block, self.T
        if progress is not None:
            checks.function(_OWNER, "progress", progress, "Give a function of the share that is done, or None.")
        wanted = None if record is None else checks.texts(_OWNER, "record", record, "Name variables of its result.")
        pushes = self._pushes(force)
        user_fed, first, held = loop.fed_of(block, inputs, self.ticks)
        state = self._start(initial, {**first, **held})
        fixed = {*first, *held}  # what the user feeds, phases do not
        shown = [name for name in block.parts if name.split(".")[0] in ("velocity", "position")]
        if block.walls or block.pegs:
            shown.append("contact")
        parts = [name for name in wanted or () if name in block.parts]
        picks = loop.picks_of(block, list(dict.fromkeys((*_KEPT, *_SHOWN, *shown, *parts))))
        table = np.empty((picks.size, self.times.size))
        table[:, 0] = np.concatenate([state.real[picks.real], state.whole[picks.whole]])
        memories = block.parameters, state.memory, block.spaces.workspace.empty()
        fresh = 1
        for phase, a, b in self._stretches():
            if a in (0, *self.ends):
                self._begin(phase, a, state, fixed)
                fresh = 1
            base = a - a % self.every  # so that rows begin with it
            fed = self._fed(phase, user_fed, fixed, base, a, b)
            rows = np.empty((picks.size, (b - base) // self.every))
            at = a - base, b - base
            x = np.zeros((at[1], *pushes.shape[1:]))
            x[at[0] :] = pushes[a:b]
            module_of(block).loop(*memories, x, *fed, T, self.every, picks.real, picks.whole, fresh, *at, rows)
            table[:, base // self.every + 1 :][:, : rows.shape[1]] = rows
            fresh = 0
            if state["trouble"]:
                self._stop(table, picks, pushes, state)
            if progress is not None:
                progress(b / self.ticks)
        tell(_OWNER, int(state["unsolved"]), int(state["steps"]), block.unsolved_remedy)
        whole = self._result(table, picks, pushes, state, wanted is None or not set(wanted).isdisjoint(INTEGRALS))
        energies = np.array([whole["kinetic"], whole["elastic"]])  # of all that moves and bends
        loop.report_divergence(_OWNER, energies[:, 1:], self.every, T)
        if wanted is None:
            return whole
        known = dict.fromkeys([*whole.variables, *INTEGRALS, *block.parts])
        for name in wanted:
            if name not in known:
                checks.refuse(_OWNER, f"record has {name!r}.", f"It can record {', '.join(known)}.")
        found = loop.variables_of(block, picks, table, flat=block.dimension == 1) | whole.variables
        chosen = {name: found[name] for name in known if name in ("time", *wanted)}
        return Result(chosen, title=_OWNER, about=whole.about)

    # ------------------------------------------------------------ what goes in

    def _pushes(self, force: ArrayLike | Mapping[str, ArrayLike] | None) -> Array:
        ports, n = self.block.ports, self.block.dimension
        if force is None:
            return np.zeros((self.ticks, n) if n != 1 else self.ticks)
        if not n:
            checks.refuse(_OWNER, "force is given, but it has no ports.", 'Give it some: at="tip".')
        pushes = forces_over_time(_OWNER, ports, force)
        if len(pushes) != self.ticks:
            checks.refuse(_OWNER, f"force has {len(pushes)} rows.", f"Give {self.ticks}, one a tick.")
        return pushes.ravel() if n == 1 else pushes

    def _start(self, initial: Shape | Mapping[str, ArrayLike] | None, fed: Mapping[str, ArrayLike]) -> State:
        """Where the first phase begins."""
        if isinstance(initial, State):
            return loop.first_state(self.block, self.T, initial, fed)
        n, first = self.block.rod.nodes, self.phases[0]
        more: dict[str, ArrayLike] = {}
        if initial is not None and not isinstance(initial, Shape):
            more = dict(checks.mapping(_OWNER, "initial", initial, f"Give Shape(angle=..., ...). {INITIAL}"))
            moved = {name: more.pop(name) for name in COORDINATES if name in more}
            initial = Shape(**{"angle": np.zeros(n), **moved}) if moved else None  # type: ignore[arg-type]
        z = start_of(self.block.rod, initial)
        begun = {"curvature": self._bends(first, -1, 1)[:, 0], **fed, **more}
        if "base_motion" in fed:  # the state itself says how it is held
            begun["held"] = np.array(BASES[first.base], dtype=np.int64)
            names = COORDINATES if initial is not None else COORDINATES[:2]
        else:
            hold(self.block.rod, z, first, 0.0)
            begun["held"], names = (0, 0, 0), COORDINATES
        parts = np.split(z[:-2], [2, n + 2, n + 4])
        begun |= {name: part for name, part in zip(COORDINATES, parts, strict=True) if name in names}
        return loop.first_state(self.block, self.T, begun)

    def _stretches(self) -> Iterator[tuple[Phase, int, int]]:
        """Phases and the ticks that belong to them, in parts."""
        a = 0
        for phase, end in zip(self.phases, self.ends, strict=True):
            while a < end:
                b = min(end, a + _PART)
                yield phase, a, b
                a = b

    def _begin(self, phase: Phase, tick: int, state: State, fixed: set[str]) -> None:
        """How the base is held from now on, and what is constant; a jump of the curvature is work of what bends it."""
        if tick and "base_motion" not in fixed:
            hold(self.block.rod, coordinates_of(state), phase, tick * self.T)
        state["held"] = np.array(BASES[phase.base], dtype=np.int64)
        if "torque" not in fixed:
            state["torque"] = phase.torque
        if "base_motion" not in fixed:
            state["base_motion"] = np.zeros(3)
        if "load" not in fixed:
            loads = state.part("load")
            loads[:] = 0.0
            behind = sum(len(other.loads) for other in self.phases[: self.phases.index(phase)])
            for row, load in zip(loads[behind:], phase.loads, strict=False):
                row[:] = *load.force, load.torque
        when, bends = self.bends[phase]
        if "curvature" in fixed:
            return
        if tick and self.block.method == "midpoint":  # by Euler's rule it jumps in the first tick
            self._jump(state, self._bends(phase, tick - 1, 1)[:, 0])
        if when.size == 1:
            state["curvature"] = bends[0]

    def _jump(self, state: State, bends: Array) -> None:
        """Another natural curvature all at once, between two ticks."""
        segments = self.block.rod.segments
        h, K, before = segments.length, segments.elasticity, state.part("curvature_before")
        bent = np.diff(state.part("angle")) - 0.5 * h * (before + bends)
        state["work"] -= float((K * bent * (bends - before)).sum())
        state["curvature_before"] = bends

    def _bends(self, phase: Phase, first: int, ticks: int) -> Array:
        """Natural curvature at the end of each tick, (segments, ticks)."""
        when, bends = self.bends[phase]
        row = np.empty((bends.shape[1], ticks))
        stepping.over_ticks(when, bends, first, self.T, row)
        return row

    def _fed(self, phase: Phase, user_fed: Fed, fixed: set[str], base: int, a: int, b: int) -> Fed:
        """What changes from tick to tick, from a to b, in rows that begin with the tick `base`."""
        given: dict[str, Array] = {}
        if self.bends[phase][0].size > 1 and "curvature" not in fixed:
            given["curvature"] = self._bends(phase, base, b - base)
        if phase.motion is not None and "base_motion" not in fixed:
            when, spline = np.arange(a, b + 1) * self.T, phase.spline()
            # By Euler's rule it ends every tick where `motion` says.
            late = self.block.method == "euler"
            rates = np.diff(spline(when), axis=0) / self.T if late else spline(when[1:], 1)
            given["base_motion"] = np.zeros((3, b - base))
            given["base_motion"][: rates.shape[1], a - base :] = rates.T
        places = [self.block.spaces.state.places[name] for name in given]
        slots = [user_fed.slots, *(np.arange(place.start, place.stop) for place in places)]
        if len(given) == 1 and not user_fed.slots.size:  # as it is: a copy would take longer than making it
            return Fed(next(iter(given.values())), slots[1])
        rows = user_fed.rows.reshape(-1, self.ticks)[:, base:b]
        return Fed(np.concatenate([rows, *given.values()]), np.concatenate(slots))

    # ------------------------------------------------------------ what comes out

    def _stop(self, table: Array, picks: Picks, pushes: Array, state: State) -> None:
        done = int(state["ticks"])
        turn = f"a node turns by {state['largest_turn']:.3g} rad in one step"
        raise RodError(
            f"{_OWNER}: at t={(done + 1) * self.T:.6g} s {turn}.\n"
            f"  Use a period far below {self.T:g} s. What was computed is in `.partial`.",
            self._result(table[:, : done // self.every + 1], picks, pushes, state),
        )

    @np.errstate(over="ignore", invalid="ignore")  # the run tells that it diverged
    def _result(self, table: Array, picks: Picks, pushes: Array, state: State, integrals: bool = True) -> Result:
        """What `PlanarRod.run` tells of the recorded moments, and what the ground and the ports did."""
        block, count = self.block, table.shape[1]
        seen = loop.variables_of(block, picks, table, flat=block.dimension == 1)
        recorded = {name: variable.values for name, variable in seen.items()}
        n = block.rod.nodes
        Z = np.concatenate([recorded[name] for name in COORDINATES], axis=1)
        sums = np.stack([recorded[name] for name in _SUMS], axis=1)
        X, U, kinetic, elastic = observed(block, state, recorded["anchor"], Z)
        kept = Kept(np.concatenate([Z, sums], axis=1), X, U, kinetic, recorded["curvature"].reshape(count, n - 1))
        about = {"period": self.T, **block.about_end(state), "unsolved_steps": int(state["unsolved"])}
        about["largest_turn"] = float(recorded["largest_turn"][-1])
        plain = rod_result(block.rod, self.phases, self.times[:count], kept, about, integrals)
        variables = dict(plain.variables)
        axes = {3: ("time", "node", "axis"), 1: ("time",)}
        for name in ("contact", *_SHOWN):
            part = block.parts[name]
            values = recorded[name] if name in recorded else np.zeros((count, n, 2))  # nothing stands beside it
            values = np.array(values, order="C")  # a view would keep all of the table
            dims = axes.get(values.ndim, ("time", "node" if name == "slip_speed" else "axis"))
            variables[name] = Variable(dims, values, part.unit, part.meaning)
        variables["ground_elastic"] = Variable(("time",), elastic, "J", "of it in the bristles of the ground")
        return Result({**variables, **self._at_ports(recorded, pushes, count)}, title=_OWNER, about=plain.about)

    def _at_ports(self, recorded: Mapping[str, Array], pushes: Array, count: int) -> dict[str, Variable]:
        """Force, velocity and place of each port; at time 0 no force acts yet."""
        found: dict[str, Variable] = {}
        rows = pushes.reshape(self.ticks, self.block.dimension)[self.every - 1 :: self.every][: count - 1]
        for port, place in zip(self.block.ports, spans(self.block.ports).values(), strict=True):
            axes = ("time", f"{port.name}_axis") if port.dimension > 1 else ("time",)
            for name, unit in (("velocity", port.motion), ("position", port.motion.replace("/s", ""))):
                full = name if name in recorded else f"{name}.{port.name}"
                found[f"{name}.{port.name}"] = Variable(axes, recorded[full], unit, self.block.parts[full].meaning)
            given = np.concatenate([np.zeros((1, port.dimension)), rows[:, place]]).reshape(recorded[full].shape)
            found[f"force.{port.name}"] = Variable(axes, given, port.force, "as given")
        return found


def _ticks(until: float, T: float) -> int:
    ticks = round(until / T)
    if ticks < 1 or abs(ticks * T - until) > 1e-6 * T:
        problem = f"a phase ends at {until:g} s, between two ticks of {T:g} s."
        checks.refuse(_OWNER, problem, f"End it at {max(ticks, 1) * T:g} s, or change the period.")
    return ticks
