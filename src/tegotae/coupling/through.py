"""A machine felt through one of its own springs: so that machines couple in chains, wheel to column to tyre."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.compile import build
from tegotae.compile.templates import put
from tegotae.coupling import signatures
from tegotae.coupling.addressed import COLUMN, OWN
from tegotae.coupling.circuit import Circuit
from tegotae.coupling.group import Group, Inside
from tegotae.coupling.line import HEAD
from tegotae.coupling.parts import Seat
from tegotae.layout import Layout, Layouts, Memory, Part
from tegotae.running.source import module_of
from tegotae.state import Fault, State

# The base moves by v; the circuit answers with its own motion m, and the element between them with a force f(r m - v).
# By the implicit function, dm/dv = -slope r f', with slope = dm/dh of the circuit. For a trial the velocity of the base
# stands where a run would put it, and is taken away again: `advance` puts what really happened.
_SOURCE = """
@kernel
def felt(p, s, w, v, T):
    {reads}
    kept = s.real[{base}]
    s.real[{base}] = v
    m, slope = {move}0.0, T)
    {resist}
    s.real[{base}] = kept
    return m, f, d * (1.0 + {ratio} * {ratio} * slope * d)


@kernel
def answer(p, s, w, v, T):
    _, f, d = felt(p, Memory(s.real[1:], s.whole), w, v, T)
    return -f, d


@kernel
def advance(p, s, w, v, T):
    {reads}
    outer, s = s, Memory(s.real[1:], s.whole)
    m, f, d = felt(p, s, w, v, T)
    s.real[{base}] = v
    {keep}0.0, m, T)
    outer.real[0] = -f


@kernel
def prepare(p, s, w, T):
    {reads}
    s = Memory(s.real[1:], s.whole)
    {prepare}
    return


@kernel
def restore(p, s, w):
    {reads}
    s = Memory(s.real[1:], s.whole)
    {restore}
    return


def make():
    return {halves}
"""
# The same for any circuit that is reached by address: what differs stands behind its parameters.
_REALS = ("move_at", "keep_at", "ready_at", "again_at", "resist_at", "ratio")
_SIZES = ("wide", "wide_whole", "deep", "deep_whole", "room", "room_whole")
_STARTS = ("p_at", "p_whole_at", "s_at", "s_whole_at", "w_at", "w_whole_at")
_WHOLES = ("base", "own", "own_whole", "columns", "count", "i", *_SIZES, *_STARTS)
_READS = "\n".join(
    [f"end, end_whole = p.real.shape[0] - {len(_REALS)}, p.whole.shape[0] - {len(_WHOLES)}"]
    + [f"{name} = p.real[end + {place}]" for place, name in enumerate(_REALS)]
    + [f"{name} = p.whole[end_whole + {place}]" for place, name in enumerate(_WHOLES)]
)
_RESIST = f"""
if columns == 0:
    f, d = LINE_RESIST(resist_at, {OWN}, ratio * m - v, T)
else:
    P = p.real[p_at : p_at + count * wide].reshape((wide, count))
    S = s.real[s_at : s_at + count * deep].reshape((deep, count))
    f, d = COLUMN_RESIST(resist_at, {COLUMN}, ratio * m - v, T)
"""
_CIRCUIT = "p.real[:own], p.whole[:own_whole], s.real, s.whole, w.real, w.whole"
_BY_ADDRESS = {
    "reads": _READS,
    "base": "base",
    "ratio": "ratio",
    "move": f"LINE_MOVE(move_at, {_CIRCUIT}, ",
    "keep": f"LINE_KEEP(keep_at, {_CIRCUIT}, ",
    "resist": _RESIST,
    "prepare": f"LINE_PREPARE(ready_at, {_CIRCUIT}, T)",
    "restore": f"LINE_RESTORE(again_at, {_CIRCUIT})",
    "halves": "answer, advance, prepare, restore",
}
_IMPORTS = """
from tegotae.coupling.signatures import COLUMN_RESIST, LINE_KEEP, LINE_MOVE, LINE_RESIST
from tegotae.coupling.signatures import LINE_PREPARE, LINE_RESTORE
from tegotae.layout import Memory
"""


class Through(Impedance):
    """A circuit felt through one of its impedances: motion of that one's other end in, force out.

    Args:
        circuit: a machine along one coordinate, built with `bases=[..., through]`.
        through: the name of that impedance.

    Its fields are those of the circuit, behind `force` [N], the force on what moves it.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.coupling.through import Through
        >>> rope = tg.SpringDamper(stiffness=1e4, damping=50.0)
        >>> towed = tg.Circuit(tg.Mass(mass=2.0), {"rope": rope}, bases=["rope"])
        >>> run = Through(towed, "rope").run(np.minimum(np.arange(2000) * 1e-3, 1.0), period=1e-3)
        >>> round(float(run.force[900]), 2), round(float(run.inner_velocity[-1]), 3)
        (-2.0, 1.0)
    """

    dimension = 1

    def __init__(self, circuit: Circuit, through: str):
        if not isinstance(circuit, Circuit) or circuit.dimension != 1:
            checks.refuse(
                "Through", f"circuit={checks.shown(circuit)} is no circuit along a line.", "Give a tg.Circuit(...)."
            )
        if not isinstance(through, str) or through not in circuit.bases:
            told = ", ".join(circuit.bases) or "none"
            checks.refuse(
                "Through",
                f"through={checks.shown(through)} has no other end to be moved by.",
                f"Bases of the circuit: {told}.",
            )
        self.circuit = circuit
        self.through = through

    def __repr__(self) -> str:
        return f"Through({self.circuit!r}, {self.through!r})"

    @cached_property
    def layout(self) -> Layouts:
        """The force, then all of the circuit."""
        own = self.circuit.layout
        # What the circuit carries is placed by its own mover, not by the base that is moved here.
        inner = own.state.changed(lambda part: replace(part, name=_seen_from_outside(part.name), placed=False))
        state = Layout((Part("force", "N", "force on the mover", letter="f"), *inner.items))
        parameters = own.parameters
        if self._table is not None:
            sizes = (self._table.real.size,), (self._table.whole.size,)
            places = Part("felt_by", "", "addresses", sizes[0]), Part("felt_at", "", "places", sizes[1], whole=True)
            parameters = Layout((*parameters.items, *places))
        return Layouts(parameters, state, own.workspace, own.sizes)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """The circuit's."""
        return {name: self.spaces.parameters.part(self.parameters, name) for name in self.spaces.parameters.places}

    @cached_property
    def parameters(self) -> Memory:
        """The circuit's; behind them, how it is felt if it is reached by address."""
        own = self.circuit.parameters
        if self._table is None:
            return own
        return Memory(*(np.concatenate(pair) for pair in zip(own, self._table, strict=True)))

    @cached_property
    def _table(self) -> Memory | None:
        """How a circuit that is reached by address is felt; None if it, or what it is felt through, has none."""
        circuit, group = self.circuit, self._group
        if circuit.module is circuit._own_module:
            return None
        whole, part = module_of(circuit), module_of(self._block)
        felt = signatures.COLUMN_RESIST if group.in_columns else signatures.LINE_RESIST
        addresses = (
            signatures.LINE_MOVE.address_of(whole.flat_answer),
            signatures.LINE_KEEP.address_of(whole.flat_advance),
            signatures.LINE_PREPARE.address_of(whole.flat_prepare),
            signatures.LINE_RESTORE.address_of(whole.flat_restore),
            felt.address_of(part.flat_answer),
        )
        if None in addresses:
            return None
        sizes = [number for pair in group.each for number in pair]
        starts = [number for pair in group.at for number in pair]
        own = (circuit.parameters.real.size, circuit.parameters.whole.size)
        place = (int(group.in_columns), len(group.names), group.names.index(self.through))
        numbers = (self._base, *own, *place, *sizes, *starts)
        return Memory(np.array([*addresses, circuit.ratios[self.through]]), np.array(numbers, dtype=np.int64))

    @property
    def _block(self) -> Impedance:
        return self.circuit.impedances[self.through]

    @property
    def _group(self) -> Group:
        return next(group for group in self.circuit._groups if self.through in group.names)

    @property
    def _base(self) -> int:
        """Where the velocity of the other end stands in the circuit's state."""
        return int(self.circuit.spaces.state.places[f"{self.through}.base_velocity"].start)

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        if self._table is not None:
            return build(_IMPORTS + put(_SOURCE, _BY_ADDRESS), ())
        circuit, group = self.circuit, self._group
        halves = circuit.kernels.halves()
        inside = Inside(self._block, "_e")
        ratio = repr(circuit.ratios[self.through])
        pieces: dict[str, object] = {
            "reads": "",
            "base": self._base,
            "ratio": ratio,
            "move": "answer_c(p, s, w, ",
            "keep": "advance_c(p, s, w, ",
            "resist": f"f, d = answer_e({group.one(inside, self.through)}, {ratio} * m - v, T)",
            "prepare": "prepare_c(p, s, w, T)" if halves.prepare else "",
            "restore": "restore_c(p, s, w)" if halves.restore else "",
            "halves": f"answer, advance, {'prepare' if halves.prepare else None}, "
            f"{'restore' if halves.restore else None}",
        }
        source = HEAD + circuit.kernels.source("_c") + inside.head + put(_SOURCE, pieces)
        return build(source, (*circuit.kernels.imports("_c"), *self._block.kernels.imports("_e")))

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make, style="memory")

    def check(self, period: float) -> None:
        """The circuit by itself."""
        self.circuit.check(period)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """The circuit as it starts, with the parts named in `initial` set."""
        initial = checks.mapping("Through", "initial", initial, 'Give a dict, such as {"inner_velocity": 1.0}.')
        names = self._seat.names
        for name in initial:
            if name not in names.values():
                known = ", ".join(names.values())
                checks.refuse("Through", f"initial[{name!r}] is not part of its state.", f"It has {known}.")
        given = {own: initial[name] for own, name in names.items() if name in initial}
        state = State("Through", self.spaces.state)
        self._seat.put(state, self.circuit.initial_state(period, given))
        return state

    @cached_property
    def _seat(self) -> Seat:
        """Where the circuit's state lies."""
        names = {name: _seen_from_outside(name) for name in self.circuit.parts}
        return Seat(self.circuit, names, self.spaces.state)

    def fault(self, state: State) -> Fault | None:
        """The circuit's, behind the force."""
        return super().fault(state) or self._seat.fault(state)


def _seen_from_outside(name: str) -> str:
    """Motion in and force out are those of the base; the circuit's own velocity has another name."""
    return f"inner_{name}" if name in ("force", "velocity") else name
