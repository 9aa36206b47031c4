"""Wiring: one admittance with any number of impedances, coupled implicitly and compiled into one loop."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, running
from tegotae.block import Admittance, Block, Field, Impedance, Kernels, LiveAdmittance
from tegotae.checks import Array
from tegotae.circuit_source import Group, source_of_circuit
from tegotae.compiling import build
from tegotae.errors import CausalityError, UniquenessError
from tegotae.result import Result, Variable


@dataclass(frozen=True)
class _Place:
    """Where one block's numbers lie in the circuit's parameter and state vectors."""

    parameters: slice
    state: slice


class Circuit(Admittance):
    """One admittance that moves any number of impedances, each step solved for all of them together.

    The forces of the impedances at the end of the tick act on the admittance during it, so a stiff, dry or
    massless element neither chatters nor delays. A circuit is itself an admittance: force in, motion out.

    Args:
        admittance: what moves.
        impedances: name -> what it moves; the name prefixes that block's fields in results ("brake.force").
        ratios: name -> transmission r [-], for an impedance that moves r times as fast (its force acts r-fold).
        bases: names of impedances whose other end moves too, by a velocity given to `run`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
        >>> block_on_slope = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
        >>> result = block_on_slope.run(np.full(2000, 4.0), period=1e-3)
        >>> round(float(result["brake.force"][-1]), 9), abs(float(result.velocity[-1])) < 1e-15
        (-4.0, True)
    """

    dimension = 1

    def __init__(
        self,
        admittance: Admittance,
        impedances: Mapping[str, Impedance],
        *,
        ratios: Mapping[str, float] | None = None,
        bases: Sequence[str] = (),
    ):
        self.admittance = admittance
        self.impedances = dict(impedances)
        self.ratios = dict.fromkeys(self.impedances, 1.0) | dict(ratios or {})
        self.bases = tuple(bases)
        _check_causality(admittance, self.impedances)
        self._check_names()

    def __repr__(self) -> str:
        return f"Circuit({self.admittance!r}, {self.impedances!r}, ratios={self.ratios!r}, bases={self.bases!r})"

    def _check_names(self) -> None:
        for name in self.impedances:
            if not isinstance(name, str) or not name.isidentifier():
                checks.refuse("Circuit", f"impedance name {name!r}.", "Use a plain word, such as 'brake'.")
        for label, names in (("ratios", self.ratios), ("bases", self.bases)):
            for name in names:
                if name not in self.impedances:
                    checks.refuse(
                        "Circuit", f"{label} names {name!r}.", f"It has impedances {', '.join(self.impedances)}."
                    )
        for name, ratio in self.ratios.items():
            self.ratios[name] = checks.number("Circuit", f"ratios[{name!r}]", ratio, "")

    # ------------------------------------------------------------ layout

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        """Impedances with the same kernels, run by one loop: the source stays short for hundreds of them."""
        kinds: dict[Any, list[str]] = {}
        for name, block in self.impedances.items():
            geared = self.ratios[name] != 1.0
            key = (block.kernels, block.parameters.size, _length(block), name in self.bases, geared)
            kinds.setdefault(key, []).append(name)
        groups = []
        p, s = self.admittance.parameters.size, _length(self.admittance)
        for (kernels, wide, deep, based, geared), names in kinds.items():
            group = Group(kernels, tuple(names), p, wide, s, deep, based, geared)
            p, s = group.ratios_at + len(names), group.bases_at + (len(names) if based else 0)
            groups.append(group)
        return tuple(groups)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The admittance's fields, then each impedance's with its name in front."""
        fields = list(self.admittance.fields)
        for group in self._groups:
            # Field by field, so that a group's numbers form a matrix with one column an element.
            for own in zip(*(self.impedances[name].fields for name in group.names), strict=True):
                fields += [
                    dataclasses.replace(f, name=f"{name}.{f.name}") for name, f in zip(group.names, own, strict=True)
                ]
            if group.based:
                fields += [Field(f"{n}.base_velocity", "m/s", "of the other end") for n in group.names]
        fields.append(Field("unsolved", "-", "steps that did not converge", vector=False, recorded=False))
        return tuple(fields)

    @property
    def parameters(self) -> Array:
        """The admittance's parameters, then group by group the impedances' parameters and ratios."""
        return self._parameters

    @cached_property
    def _parameters(self) -> Array:
        parts = [self.admittance.parameters]
        for group in self._groups:
            parts.append(np.stack([self.impedances[name].parameters for name in group.names], axis=1).ravel())
            parts.append(np.array([self.ratios[name] for name in group.names]))
        return np.concatenate(parts)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """Every block as it starts, with the fields named in `initial` set ("velocity", "brake.deflection", ...)."""
        state = super().initial_state(period, None)
        places = self.slices()
        for prefix, block in [("", self.admittance), *((f"{n}.", b) for n, b in self.impedances.items())]:
            own = {k[len(prefix) :]: v for k, v in (initial or {}).items() if prefix and k.startswith(prefix)}
            if not prefix:
                own = {k: v for k, v in (initial or {}).items() if "." not in k}
            own_state = block.initial_state(period, own)
            for name, part in block.slices().items():
                state[places[prefix + name]] = own_state[part]
        for name in initial or {}:
            if name not in places:
                checks.refuse("Circuit", f"initial[{name!r}] is not part of its state.", f"It has {', '.join(places)}.")
        return state

    # ------------------------------------------------------------ running

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`, `loop`."""
        imports = list(self.admittance.kernels.imports("_a"))
        for i, group in enumerate(self._groups):
            imports += group.kernels.imports(f"_{i}")
        velocity = self.admittance.slices()["velocity"].start
        unsolved = self.slices()["unsolved"].start
        source = source_of_circuit(self.admittance, self._groups, velocity, unsolved)
        return build(source, tuple(imports))

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make)

    def check(self, period: float) -> None:
        """Every block by itself, then the coupled step: it has one solution if the mass outweighs falling friction."""
        for block in (self.admittance, *self.impedances.values()):
            block.check(period)
        rise = sum(self.ratios[n] ** 2 * b.steepest_rise(period) for n, b in self.impedances.items())
        least = self.admittance.least_reluctance(period)
        if rise >= least:
            raise UniquenessError(
                f"Circuit: at period={period:g} s friction may fall by {rise:.4g} N·s/m, more than the "
                f"{self.admittance.name} outweighs ({least:.4g} N·s/m), so a step can have two solutions.\n"
                f"  Use period < {period * least / rise:.3g} s, a larger mass, or more damping in the falling elements."
            )

    def least_reluctance(self, period: float) -> float:
        """The admittance's, less what falling friction takes away [N·s/m]."""
        rise = sum(self.ratios[n] ** 2 * b.steepest_rise(period) for n, b in self.impedances.items())
        return self.admittance.least_reluctance(period) - rise

    def run(
        self,
        force: ArrayLike | None = None,
        *,
        period: float,
        ticks: int | None = None,
        bases: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Run the whole machine in one compiled loop.

        Args:
            force: external force on the admittance over each tick [N]; none if left out.
            period: T [s].
            ticks: how long to run when no force and no base motion says so.
            bases: name -> velocity of that impedance's other end over each tick [m/s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields to start from instead of rest, such as {"velocity": 1.0, "brake.deflection": 0.0}.
        """
        period = checks.period_of(self.name, period)
        every = checks.whole(self.name, "every", every, 1, "Use every=1 to record each tick.")
        self.check(period)
        motions = self._base_motions(bases or {})
        signal = self._force_of(force, motions, ticks)
        names, picks = running.picks_of(self, record)
        state = self.initial_state(period, initial)
        table = np.empty((picks.size, signal.size // every))
        places = self.slices()
        slots = np.array([places[f"{n}.base_velocity"].start for n in self.bases], dtype=np.int64)
        self.module.loop(self.parameters, state, signal, motions, slots, period, every, picks, table)
        self._report_unsolved(int(state[-1]), signal.size)
        variables = {"time": running.time_of(signal.size, every, period)}
        variables["force"] = Variable(("time",), signal[every - 1 :: every], "N", "external force, as given")
        variables |= running.variables_of(self, names, table, flat=True)
        about = running.about(self, period) | {"unsolved_steps": int(state[-1])}
        return Result(variables, title="Circuit", about=about)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveAdmittance:
        """The machine in a control loop: `velocity = live.step(force)`; bases stand still."""
        return LiveAdmittance(self, period, initial)

    def _base_motions(self, bases: Mapping[str, ArrayLike]) -> Array:
        if set(bases) != set(self.bases):
            checks.refuse(
                "Circuit",
                f"run got base motion for {sorted(bases)}, but it was built with bases={sorted(self.bases)}.",
                "Name the same impedances in both.",
            )
        rows = [checks.signal("Circuit", f"bases[{n!r}]", bases[n], "m/s", 1).ravel() for n in self.bases]
        if len({row.size for row in rows}) > 1:
            checks.refuse("Circuit", f"bases have lengths {[r.size for r in rows]}.", "Give them equal lengths.")
        return np.stack(rows) if rows else np.empty((0, 0))

    def _force_of(self, force: ArrayLike | None, motions: Array, ticks: int | None) -> Array:
        length = motions.shape[1] if motions.size else None
        if ticks is not None:
            ticks = checks.whole("Circuit", "ticks", ticks, 1, "Give at least one tick.")
        if force is None:
            length = length if length is not None else ticks
            if length is None:
                checks.refuse("Circuit", "run does not know how long to run.", "Give force, bases or ticks.")
            signal = np.zeros(length)
        else:
            signal = checks.signal("Circuit", "force", force, "N", 1).ravel()
        for other in (length, ticks):
            if other is not None and other != signal.size:
                checks.refuse("Circuit", f"force has {signal.size} ticks, but {other} are given.", "Make them equal.")
        return signal

    def _report_unsolved(self, unsolved: int, ticks: int) -> None:
        if unsolved:
            warnings.warn(
                f"Circuit: {unsolved} of {ticks} steps did not converge; the result holds their best iterate. "
                "A shorter period or more damping usually helps.",
                stacklevel=3,
            )


def _check_causality(admittance: object, impedances: Mapping[str, object]) -> None:
    """One block gives motion, all others give force; anything else cannot run."""
    if not isinstance(admittance, Admittance):
        gives = "it gives force" if isinstance(admittance, Impedance) else "it is no block"
        raise CausalityError(
            f"Circuit: admittance={admittance!r} cannot move anything: {gives}.\n"
            "  Start a circuit with what moves, such as Mass(mass=...) or FrictionAdmittance(...)."
        )
    for name, block in impedances.items():
        if isinstance(block, Admittance):
            raise CausalityError(
                f"Circuit: {name!r} is a {block.name}, which gives motion, and so does {admittance.name}.\n"
                "  Join two moving parts by an impedance between them, such as a SpringDamper."
            )
        if not isinstance(block, Impedance):
            raise CausalityError(f"Circuit: {name!r}={block!r} is no block.\n  Give an impedance.")
    for part in (admittance, *impedances.values()):
        dimension = getattr(part, "dimension", 1)
        if dimension != 1:
            checks.refuse(
                "Circuit",
                f"{type(part).__name__} has dimension={dimension}.",
                "A circuit moves along one coordinate so far: use blocks of dimension 1.",
            )


def _length(block: Block) -> int:
    return int(max(s.stop for s in block.slices().values()))
