"""A machine that is made of a circuit and met at ports of its own. In its generated source,

    p  ratios (m), factors (k); whole: n, k, kept, motions (m), sources (k); then the circuit's
    s  outputs (k), the velocities of the m ports first; forces as given (kept: m of them, or 0); then the circuit's
    w  force (n), motion (n), slope (n, n) of the circuit's motions; then the circuit's

Port i moves ratios[i] times as fast as motion motions[i]; output j is factors[j] times number sources[j] of the
circuit's state. Places are read, not written down: where nothing can be compiled, one text serves all such machines.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Block, Halves
from tegotae.compile import build
from tegotae.compile.modules import put
from tegotae.coupling.addressed_network import is_compiled, warn_of_addresses
from tegotae.coupling.circuit import Circuit
from tegotae.coupling.composite import Composite, Parts, add_block
from tegotae.coupling.group import AROUND, halves_of
from tegotae.errors import InputError
from tegotae.layout import AXIS, Part
from tegotae.ports import Port, labels_of
from tegotae.state import State

_MODULE = """
from tegotae.layout import Memory
made = make_inner()
{names} = {inner}


@kernel
def answer(p, s, w, h, T{filled}):
    {views}
    {gather}
    {ask}
    {give}


@kernel
def advance(p, s, w, h, v, T):
    {views}
    {gather}
    {ask}
    {commit}
    {publish}


@kernel_inside
def tick(p, s, w, h, T{moved}):
    {views}
    {gather}
    {take}
    {publish}
    {give_motion}

"""

_VIEWS = """
n, k, kept = p.whole[0], p.whole[1], p.whole[2]
work = w.real[: 2 * n + n * n]
P = Memory(p.real[{m} + k :], p.whole[3 + {m} + k :])
S = Memory(s.real[k + kept :], s.whole)
W = Memory(w.real[2 * n + n * n :], w.whole)
"""

_PUBLISH = """
for j in range(k):
    s.real[j] = p.real[{m} + j] * S.real[p.whole[3 + {m} + j]]
for i in range(kept):
    s.real[k + i] = {given}
"""

_GATHER = """
for j in range(n):
    work[j] = 0.0
for i in range({m}):
    work[p.whole[3 + i]] += p.real[i] * {given}
"""

_GIVE = """
for i in range({m}):
    v[i] = p.real[i] * work[n + p.whole[3 + i]]
    for j in range({m}):
        slope[i, j] = p.real[i] * p.real[j] * work[2 * n + n * p.whole[3 + i] + p.whole[3 + j]]
"""

_ALONE = {
    "ask": "work[1], work[2] = inner_answer(P, S, W, work[0], T)",
    "commit": "inner_advance(P, S, W, work[0], work[1], T)",
    "take": "inner_tick(P, S, W, work[0], T)",
}
_SEVERAL = {
    "ask": "inner_answer(P, S, W, work[:n], T, work[n : 2 * n], work[2 * n :].reshape((n, n)))",
    "commit": "inner_advance(P, S, W, work[:n], work[n : 2 * n], T)",
    "take": "inner_tick(P, S, W, work[:n], T, work[n : 2 * n])",
}


def source_of_assembly(inner: Halves, motions: int, ports: int) -> str:
    """The module's text: `make` gives the machine as a block's halves, `make_inner` is to give the circuit's."""
    words = {"m": ports, "given": "h" if ports == 1 else "h[i]"}
    having = [name for name, half in zip(Halves._fields, inner, strict=True) if half is not None]
    alone = "return p.real[0] * work[n + p.whole[3]], p.real[0] * p.real[0] * work[2 * n + (n + 1) * p.whole[3]]"
    pieces: dict[str, object] = {
        **(_ALONE if motions == 1 else _SEVERAL),
        "names": ", ".join(f"inner_{name}" for name in having),
        "inner": ", ".join(f"made[{Halves._fields.index(name)}]" for name in having),
        "views": _VIEWS.format(**words),
        "gather": _GATHER.format(**words),
        "publish": _PUBLISH.format(**words),
        "filled": "" if ports == 1 else ", v, slope",
        "moved": "" if ports == 1 else ", v",
        "give": alone if ports == 1 else _GIVE.format(**words),
        "give_motion": "" if ports == 1 else f"for i in range({ports}):\n    v[i] = s.real[i]",
        "prepares": "inner_prepare(P, S, W, T)" if inner.prepare else "",
        "restores": "inner_restore(P, S, W)" if inner.restore else "",
    }
    return put(_MODULE + AROUND, pieces | halves_of([inner], True))


class Gear(NamedTuple):
    """A port that moves `ratio` times as fast as one of the circuit's machines; "" is a lone one."""

    port: Port
    machine: str
    ratio: float

    def source(self, field: str) -> str:
        """The circuit's name of a field of that machine."""
        return f"{self.machine}.{field}" if self.machine else field


class Output(NamedTuple):
    """What users read beside: so many times a single number of the circuit's state."""

    part: Part
    source: str
    factor: float


class Assembly(Composite, Admittance):
    """A machine made of a circuit whose machines move along one coordinate each, met at geared ports of its own.

    It says what its circuit is, how its ports are geared to it, and under which names users find what is inside.
    """

    motion: ClassVar[tuple[Part, Part]] = (  # of its ports
        Part("velocity", "rad/s", "mean over the tick", AXIS),
        Part("position", "rad", "at the end of the tick", AXIS),
    )
    given: ClassVar[Part | None] = None  # where the forces at its ports are kept, for users to read

    @abstractmethod
    def circuit(self) -> Circuit:
        """What it is made of."""

    @property
    @abstractmethod
    def gears(self) -> tuple[Gear, ...]:
        """Its ports, of one direction each."""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What users read of it beside `velocity` and `position` of its ports."""
        return ()

    @property
    def seen(self) -> Mapping[str, Part]:
        """Part of the circuit's state -> how users know it; others keep their names and are not recorded."""
        return {}

    def begun(self, given: dict[str, Any]) -> None:
        """Add to what is given of a start what follows from it, by the names of its state."""

    # ------------------------------------------------------------ its circuit

    @property
    def ports(self) -> tuple[Port, ...]:
        """Those that are geared to its circuit."""
        return tuple(gear.port for gear in self.gears)

    @cached_property
    def _inside(self) -> Circuit:
        """Its circuit, laid out so that it can run."""
        circuit = self.circuit()
        circuit.__dict__["_table"] = None  # it does not run by itself
        layouts, n = self._parts_around(circuit).layouts(self.dimension), self.dimension
        if is_compiled(self._module_around(circuit), layouts, n, self.gives):
            return circuit
        try:
            reached = self.circuit().by_address()
        except InputError:  # a block without an address: all of it runs as plain Python
            return circuit
        warn_of_addresses()
        return reached

    def inner_blocks(self) -> Iterable[tuple[str, Block]]:
        """Its circuit."""
        return [("", self._inside)]

    # What users name of it are its own fields.
    named_parts, varied = Block.named_parts, Block.varied

    def changed(self, blocks: Mapping[str, Block]) -> Self:
        """The same with other fields."""
        return cast(Self, self.varied(blocks))

    @property
    def module(self) -> ModuleType:
        """The generated module: its circuit behind its ports."""
        return self._module_around(self._inside)

    def _module_around(self, circuit: Circuit) -> ModuleType:
        made = circuit.kernels
        return build(source_of_assembly(made.halves(), circuit.dimension, self.dimension), (("make_inner", made.make),))

    # ------------------------------------------------------------ layout

    @cached_property
    def _parts(self) -> Parts:
        return self._parts_around(self._inside)

    @cached_property
    def _outputs(self) -> tuple[Output, ...]:
        """One number each: velocities of the ports, their positions, the others."""
        plain = [Output(part, gear.source(part.name), gear.ratio) for part in self.motion for gear in self.gears]
        return (*plain, *self.outputs)

    def _parts_around(self, circuit: Circuit) -> Parts:
        parts, m, n, k = Parts(), self.dimension, circuit.dimension, len(self._outputs)
        rows, labels = list(circuit.admittances), labels_of(self.ports)
        parts.parameters.extend(
            [
                Part("ratios", "-", "of its ports", (m,)),
                Part("factors", "", "of what users read", (k,)),
                Part("counts", "", "motions inside, numbers that users read, forces kept", (3,), whole=True),
                Part("motions", "", "inside, at its ports", (m,), whole=True),
                Part("sources", "", "of what users read", (k,), whole=True),
            ]
        )
        parts.real.extend([[gear.ratio for gear in self.gears], [output.factor for output in self._outputs]])
        sources = [circuit.spaces.state.span(output.source)[0] for output in self._outputs]
        kept = m if self.given is not None else 0
        parts.whole.extend([[n, k, kept], [rows.index(gear.machine) for gear in self.gears], sources])
        parts.state.extend(replace(part, labels=labels) for part in self.motion)
        parts.state.extend(output.part for output in self.outputs)
        if self.given is not None:
            parts.state.append(replace(self.given, shape=AXIS, labels=labels))
        parts.workspace.append(Part("of_ports", "", "forces, motions and slopes inside", (2 * n + n * n,)))
        first, seen = len(parts.state), self.seen
        add_block(parts, circuit, "", flat=False)
        for i, part in enumerate(parts.state[first:], first):
            known = seen.get(part.name, Part(self.part_name("", part.name), part.unit, part.meaning, recorded=False))
            parts.state[i] = replace(
                part, name=known.name, unit=known.unit, meaning=known.meaning, recorded=known.recorded
            )
        return parts

    def part_name(self, name: str, part: str) -> str:
        """What users call a part of the circuit; velocity and position are those of its own ports."""
        if (known := self.seen.get(part)) is not None:
            return known.name
        return f"inside.{part}" if part.split(".")[0] in ("velocity", "position") else part

    # ------------------------------------------------------------ state

    def _start_blocks(self, state: State, period: float, given: Mapping[str, ArrayLike]) -> None:
        """The circuit starts from what was given of it, or of what users read of it."""
        start: dict[str, Any] = dict(given)
        names = [name for name, place in self.spaces.state.places.items() if not place.whole]  # theirs come first
        for i, (name, output) in enumerate(zip(names, self._outputs, strict=False)):
            source = self.part_name("", output.source)
            if name not in given:
                continue
            value = float(state.real[i])
            if source in start and abs(value - output.factor * float(np.ravel(start[source])[0])) > 1e-9 * abs(value):
                follows = f"It follows from {source}={checks.shown(start[source])}: give one of them."
                checks.refuse(self.name, f"initial[{name!r}]={value:g} contradicts another.", follows)
            start.setdefault(source, value / output.factor)
        self.begun(start)
        super()._start_blocks(state, period, start)
        inside = self._seats[0].inside(state)
        for i, output in enumerate(self._outputs):
            state.real[i] = output.factor * inside[output.source]

    def least_reluctance(self, period: float) -> float:
        """The circuit's, seen through its gears [N·m·s/rad]."""
        rows = list(self._inside.admittances)
        ratios = np.zeros((self.dimension, len(rows)))
        for i, gear in enumerate(self.gears):
            ratios[i, rows.index(gear.machine)] = gear.ratio
        return float(self._inside.least_reluctance(period) / np.linalg.norm(ratios, 2) ** 2)
