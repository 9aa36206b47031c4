"""Wiring: admittances joined by impedances, coupled implicitly and compiled into one loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Block, Impedance
from tegotae.checks import Array
from tegotae.coupling import addressed, addressed_network, chain, line, network
from tegotae.coupling.addressed_network import is_compiled, module_by_address, warn_of_addresses
from tegotae.coupling.composite import Composite, Parts, add_block, add_group
from tegotae.coupling.group import Group, Mover, Spot, groups_of, size_of
from tegotae.coupling.links import (
    Link,
    admittances_of,
    links_of,
    mass_of,
    outweighed,
    ports_of,
    refuse_period,
    wires_of,
)
from tegotae.layout import AXIS, Memory, Part
from tegotae.ports import Port, force_unit, forces_over_time, labels_of
from tegotae.result import Result
from tegotae.running import loop
from tegotae.state import State
from tegotae.unsolved import count_in


class Circuit(Composite, Admittance):
    """Machines that move, joined by impedances, each step solved for all of them together.

    The forces of the impedances at the end of the tick act on the admittances during it, so a stiff, dry or massless
    element neither chatters nor delays. A circuit is itself an admittance: forces on all ports in, their motion out.

    Args:
        admittance: what moves; or name -> what moves, for several machines. The name prefixes that machine's fields in
            results ("arm.velocity") and its ports ("arm.hand", or "arm" if it has one).
        impedances: name -> what it moves, or a `Link` that says between which ports; the name prefixes that block's
            fields in results ("brake.force").
        ratios: name -> transmission r [-], for an impedance that moves r times as fast (its force acts r-fold).
        bases: names of impedances whose other end moves too, by a velocity given to `run`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
        >>> block_on_slope = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
        >>> result = block_on_slope.run(np.full(2000, 4.0), period=1e-3)
        >>> round(float(result["brake.force"][-1]), 9), abs(float(result.velocity[-1])) < 1e-15
        (-4.0, True)

        A block on a sled on the ground, where each rubs on what is under it:

        >>> machines = {"sled": tg.Mass(mass=4.0), "block": tg.Mass(mass=1.0)}
        >>> both = tg.Circuit(machines, {"brake": tg.Link(brake, "block", "sled"), "ground": tg.Link(brake, "sled")})
        >>> run = both.run({"sled": np.full(2000, 10.0)}, period=1e-3)
        >>> [round(float(run[f"{name}.velocity"][-1]), 2) for name in machines]  # they stick: 5 N on 5 kg for 2 s
        [2.0, 2.0]
    """

    def __init__(
        self,
        admittance: Admittance | Mapping[str, Admittance],
        impedances: Mapping[str, Impedance | Link],
        *,
        ratios: Mapping[str, float] | None = None,
        bases: Sequence[str] = (),
    ):
        self.admittances = admittances_of(admittance)
        self.links = links_of(self.admittances, impedances, ratios, bases)
        self.wires = wires_of(self.links, self.admittances)
        self.dimension = sum(block.dimension for block in self.admittances.values())

    def __repr__(self) -> str:
        return f"Circuit({self.admittances.get('', self.admittances)!r}, {self.links!r})"

    @property
    def impedances(self) -> dict[str, Impedance]:
        """Name -> what it moves."""
        return {wire.name: wire.block for wire in self.wires}

    @property
    def bases(self) -> tuple[str, ...]:
        """The impedances whose other end is moved from outside."""
        return tuple(wire.name for wire in self.wires if wire.based)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Those of its machines."""
        return ports_of(self.admittances)

    def named_parts(self) -> Mapping[str, Any]:
        """Its admittances, then its links: impedances, and how they are geared."""
        return {**self.admittances, **self.links}

    def changed(self, blocks: Mapping[str, Block | Link]) -> Circuit:
        """The same circuit with other blocks or links under some names; "" is that of a lone admittance."""
        movers = {name: blocks.get(name, block) for name, block in self.admittances.items()}
        links = dict(self.links)
        for name in blocks.keys() & links.keys():
            new: Any = blocks[name]
            links[name] = new if isinstance(new, Link) else dataclasses.replace(links[name], impedance=new)
        return Circuit(cast(Any, movers.get("", movers)), links)

    # ------------------------------------------------------------ layout

    @property
    def _alone(self) -> Admittance | None:
        return self.admittances.get("")

    @cached_property
    def _on_line(self) -> bool:
        """Whether each of its machines moves along one coordinate: then all is written out number by number."""
        plain = all(wire.block.dimension == 1 and not wire.through for wire in self.wires)
        return plain and all(block.dimension == 1 for block in self.admittances.values())

    @cached_property
    def _movers(self) -> tuple[Mover, ...]:
        ahead = self.dimension if self._alone is None else 0  # motions of all ports come first
        at, row, movers = Spot((0, 0), (ahead, 0), (0, 0)), 0, []
        for block in self.admittances.values():
            movers.append(Mover(block, at, row))
            at, row = at.beyond(size_of(block)), row + block.dimension
        return tuple(movers)

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        """Links with the same kernels."""
        last = self._movers[-1]
        return groups_of(self.wires, last.at.beyond(size_of(last.block)), on_line=self._on_line)

    @cached_property
    def _parts(self) -> Parts:
        """The admittances' parts, then each impedance's with its name in front, then its own."""
        known = self._table  # which may lay it out in another way
        parts = self._made_of()
        if known is not None:  # where its blocks lie if its loop does not know them
            for whole, given, table in zip((False, True), (parts.real, parts.whole), known, strict=True):
                name = "places" if whole else "addresses"
                parts.parameters.append(Part(name, "", "of blocks", (table.size,), whole=whole))
                given.append(table)
        return parts

    def _made_of(self) -> Parts:
        """All of it but for the table by which blocks may be reached."""
        parts, alone = Parts(), self._alone is not None
        if not alone:
            meaning = "of all ports, mean over the tick"
            parts.state.append(Part("velocity", "m/s or rad/s", meaning, AXIS, labels=labels_of(self.ports)))
        for name, block in self.admittances.items():
            add_block(parts, block, name, _seen_from_outside if alone else str, flat=alone)
        for group in self._groups:
            add_group(parts, group, flat=alone and group.dimension == self.dimension)
        parts.state.append(Part("unsolved", "-", "steps that did not converge", whole=True, recorded=False))
        if not self._on_line:
            sizes = [mover.block.dimension for mover in self._movers]
            _, size = network.scratch_of(sizes, self._groups)
            parts.workspace.append(Part("solve", "", "where a solve works", (size,)))
        return parts

    def inner_blocks(self) -> Iterable[tuple[str, Block]]:
        """Its admittances, then its impedances."""
        return (*self.admittances.items(), *self.impedances.items())

    def part_name(self, name: str, part: str) -> str:
        """What a part of the block of this name is called here."""
        return super().part_name(name, part if name else _seen_from_outside(part))

    def _start_blocks(self, state: State, period: float, given: Mapping[str, ArrayLike]) -> None:
        """Admittances first: impedances that ask where the mover is start where those start."""
        movers, others = self._seats[: len(self._movers)], self._seats[len(self._movers) :]
        for name in given:
            if self._alone is None and name.split(".")[0] == "velocity":
                label = name.removeprefix("velocity").removeprefix(".") or next(iter(self.admittances))
                machine, _, port = label.partition(".")
                source = self.part_name(machine, f"velocity.{port}" if port else "velocity")
                checks.refuse("Circuit", f"initial[{name!r}] cannot be set.", f"It follows from {source}.")
        for seat in movers:
            seat.start(state, period, given)
        placed = {**self._placed(state), **given}
        for seat in others:
            seat.start(state, period, placed)
        if self._alone is None:
            first, last = self.spaces.state.span("velocity")
            state.real[first:last] = np.concatenate([seat.numbers(state, "velocity") for seat in movers])

    def _placed(self, state: State) -> dict[str, ArrayLike]:
        """Impedances that ask where the mover is start where the admittances start, seen through their ratios."""
        asking = [(one, name) for one in self.wires for name, part in one.block.parts.items() if part.placed]
        seats = self._seats[: len(self._movers)]
        if not asking or not all("position" in {name.split(".")[0] for name in seat.block.parts} for seat in seats):
            return {}
        here = np.concatenate([seat.numbers(state, "position") for seat in seats])
        return {f"{one.name}.{name}": one.map(self.dimension) @ here for one, name in asking}

    # ------------------------------------------------------------ running

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        return self._own_module if self._table is None else module_by_address(self.dimension)

    @cached_property
    def _own_module(self) -> ModuleType:
        """Made for its blocks, which its text names."""
        keeps, (velocity, unsolved, _) = self._alone is None, self._places
        if not self._on_line:
            return network.module_of_network(self._movers, self._groups, *self._places, keeps)
        if self.dimension > 1:
            return chain.module_of_chain(self._movers, self._groups, velocity, unsolved)
        return line.module_on_line(self._movers[0], self._groups, velocity, unsolved, keeps)

    @cached_property
    def _places(self) -> tuple[int, int, int]:
        """Where a solve finds the velocity, the count of unsolved steps, and its workspace."""
        last = self._movers[-1]
        end = self._groups[-1].end if self._groups else last.at.beyond(size_of(last.block))
        velocity = 0 if self._alone is None else self._alone.spaces.state.span("velocity")[0]
        return velocity, end.s[1], end.w[0]

    @cached_property
    def _table(self) -> Memory | None:
        """How the loop that ships reaches the blocks, where no loop of its own can be compiled; else None."""
        if is_compiled(self._own_module, self._made_of().layouts(self.dimension), self.dimension, self.gives):
            return None
        reached = self._laid_out_for_addresses()
        table = reached._addresses()
        if table is not None:
            self.__dict__ |= {name: getattr(reached, name) for name in ("_on_line", "_movers", "_groups", "_places")}
            warn_of_addresses()
        return table

    def _laid_out_for_addresses(self) -> Circuit:
        """The same with numbers where the loop that ships looks for them."""
        circuit = self.changed({})
        circuit.__dict__["_on_line"] = self._on_line and self.dimension == 1
        return circuit

    def _addresses(self) -> Memory | None:
        """Where the kernels of its blocks lie; None where one has no address."""
        if self.dimension > 1:
            return addressed_network.table_of(self._movers, self._groups, *self._places, self._alone is None)
        if self._alone is None or not self._on_line:
            return None
        return addressed.table_of(self._alone, self._groups, *self._places)

    def by_address(self) -> Circuit:
        """The same, run by a loop that ships and learns of its blocks by their addresses; slower.

        Where there is neither a compiler nor numba, circuits of the package's own blocks run like this by themselves.

        Example:
            >>> import numpy as np, tegotae as tg
            >>> brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
            >>> sled = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
            >>> round(float(sled.by_address().run(np.full(100, 7.0), period=1e-3).velocity[-1]), 2)
            0.2
        """
        circuit = self._laid_out_for_addresses()
        table = circuit._addresses()
        if table is None:
            problem = "one of its blocks has no address: it does not ship with tegotae, or kernels do not run as C."
            remedy = "Install a compiler of C, or pip install 'tegotae[compiler]'; unset TEGOTAE_BACKEND."
            checks.refuse("Circuit", problem, remedy)
        circuit.__dict__["_table"] = table
        return circuit

    def check(self, period: float) -> None:
        """Every block by itself, then the coupled step: it has one solution if the mass outweighs falling friction."""
        super().check(period)
        if not self.least_reluctance(period) > 0.0:
            refuse_period(self.admittances, self.wires, period)
        masses = [getattr(block, "mass", None) for block in self.admittances.values() for _ in range(block.dimension)]
        for wire in self.wires:
            if (felt := mass_of(wire, masses)) is not None:
                wire.block.check_mover(felt, period)

    def least_reluctance(self, period: float) -> float:
        """The admittances', less what falling friction takes away [N·s/m]."""
        if any(wire.block.steepest_rise(period) > 0.0 for wire in self.wires):
            return float(np.linalg.eigvalsh(outweighed(self.admittances, self.wires, period)[1])[0])
        return float(np.min([block.least_reluctance(period) for block in self.admittances.values()]))

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        period: float,
        ticks: int | None = None,
        bases: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run the whole machine in one compiled loop.

        Args:
            force: external force over each tick [N or N·m] on all ports, or port -> force; none if left out.
            period: T [s].
            ticks: how long to run when no force and no base motion says so.
            bases: name -> velocity of that impedance's other end over each tick [m/s].
            inputs: field that a block is fed, such as "tyre.speed" -> a number or its values over the ticks, in its
                own unit.
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields to start from instead of rest, such as {"velocity": 1.0, "brake.deflection": 0.0}.
            progress: called with the share that is done, now and then.
        """
        period = checks.period_of(self.name, period)
        fed = dict(checks.mapping("Circuit", "inputs", inputs, loop.INPUTS))
        motions = self._base_motions(bases, fed)
        signal = self._force_of(force, motions, ticks)
        given = loop.Signal("force", signal, force_unit(self.ports), "external force, as given")
        fed |= motions
        return loop.run(self, given, period, every=every, record=record, initial=initial, inputs=fed, progress=progress)

    def unsolved(self, state: State) -> int:
        """How many steps that led to this state did not converge, circuits inside included."""
        return count_in(state) or 0

    def _base_motions(self, bases: Mapping[str, ArrayLike] | None, fed: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """The velocities of all bases that are not fed by name, as what they feed."""
        given = checks.mapping("Circuit", "bases", bases, "Give a dict of velocities by name.")
        beside = [name for name in self.bases if f"{name}.base_velocity" in fed]
        if set(given) != {*self.bases} - {*beside}:
            found = f"run got base motion for {sorted(given)}, and inputs for {beside}"
            remedy = 'Name each of them once: in bases, or as "<name>.base_velocity" in inputs.'
            checks.refuse("Circuit", f"{found}; it has bases={sorted(self.bases)}.", remedy)
        blocks = self.impedances
        motions = {n: checks.signal("Circuit", f"bases[{n!r}]", given[n], "m/s", blocks[n].dimension) for n in given}
        lengths = [len(record) for record in motions.values()]
        if len(set(lengths)) > 1:
            checks.refuse("Circuit", f"bases have lengths {lengths}.", "Give them equal lengths.")
        return {f"{name}.base_velocity": record.reshape(len(record), -1) for name, record in motions.items()}

    def _force_of(
        self, force: ArrayLike | Mapping[str, ArrayLike] | None, motions: Mapping[str, Array], ticks: int | None
    ) -> Array:
        """Force over the ticks; what else says how many there are must agree."""
        length = len(next(iter(motions.values()))) if motions else None
        if ticks is not None:
            ticks = checks.whole("Circuit", "ticks", ticks, 1, "Give at least one tick.")
        if force is not None:
            signal = forces_over_time("Circuit", self.ports, force)
        elif (count := ticks if length is None else length) is not None:
            signal = np.zeros((count, self.dimension))
        else:
            checks.refuse("Circuit", "run does not know how long to run.", "Give force, bases or ticks.")
        for other in (length, ticks):
            if other is not None and other != len(signal):
                checks.refuse("Circuit", f"force has {len(signal)} ticks, but {other} are given.", "Make them equal.")
        return signal.ravel() if self.dimension == 1 else signal


def _seen_from_outside(name: str) -> str:
    """A circuit inside keeps its own count of unsolved steps and its own places, under other names."""
    taken = ("unsolved", "solve", "addresses", "places")
    return f"inner_{name}" if name in taken or name.startswith("inner_") else name
