"""A machine felt through one of its own springs: so that machines couple in chains, wheel to column to tyre."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Fault, Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.circuit import Circuit
from tegotae.circuit_sources import signatures
from tegotae.circuit_sources.group import Group
from tegotae.compile import build

# The base moves by v; the circuit answers with its own motion w, and the element between them with a force f(r w - v).
# By the implicit function, dw/dv = -slope r f', with slope = dw/dh of the circuit.
_SOURCE = """
@kernel
def answer(p, s, v, T):
    inner = s[1:]
    inner[{base}] = v  # where a run would put it; `advance` puts what really happened
    w, slope = answer_c(p, inner, 0.0, T)
    f, d = answer_e({p_e}, {s_e}, {ratio} * w - v, T)
    return -f, d * (1.0 + {ratio} * {ratio} * slope * d)


@kernel
def advance(p, s, v, T):
    inner = s[1:]
    inner[{base}] = v
    w, slope = answer_c(p, inner, 0.0, T)
    f, d = answer_e({p_e}, {s_e}, {ratio} * w - v, T)
    advance_c(p, inner, 0.0, w, T)
    s[0] = -f


def make():
    return answer, advance
"""


# The same for any circuit that is reached by address: what differs stands behind its parameters.
_REALS = ("move_at", "keep_at", "resist_at", "ratio")
_WHOLES = ("base", "own", "p_at", "wide", "s_at", "deep", "columns", "place")
_READS = "\n    ".join(
    [f"{name} = p[end + {place}]" for place, name in enumerate(_REALS)]
    + [f"{name} = int(p[end + {place}])" for place, name in enumerate(_WHOLES, len(_REALS))]
)
_FELT = f"""
end = p.shape[0] - {len(_REALS + _WHOLES)}
    {_READS}
    circuit, inner = p[:own], s[1:]
    inner[base] = v
    w, slope = LINE_MOVE(move_at, circuit, inner, 0.0, T)
    if columns == 0:
        f, d = LINE_RESIST(resist_at, p[p_at : p_at + wide], inner[s_at : s_at + deep], ratio * w - v, T)
    else:
        P = p[p_at : p_at + wide * columns].reshape((wide, columns))
        S = inner[s_at : s_at + deep * columns].reshape((deep, columns))
        f, d = COLUMN_RESIST(resist_at, P[:, place], S[:, place], ratio * w - v, T)
"""
_BY_ADDRESS = f"""
from tegotae.circuit_sources.signatures import COLUMN_RESIST, LINE_KEEP, LINE_MOVE, LINE_RESIST


@kernel
def answer(p, s, v, T):
    {_FELT.strip()}
    return -f, d * (1.0 + ratio * ratio * slope * d)


@kernel
def advance(p, s, v, T):
    {_FELT.strip()}
    LINE_KEEP(keep_at, circuit, inner, 0.0, w, T)
    s[0] = -f


def make():
    return answer, advance
"""


class Through(Impedance):
    """A circuit felt through one of its impedances: motion of that one's other end in, force out.

    Args:
        circuit: a machine along one coordinate, built with `bases=[..., through]`.
        through: the name of that impedance.

    Its fields are those of the circuit, behind `force` [N], the force on what moves it.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.through import Through
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
    def fields(self) -> tuple[Field, ...]:
        """The force, then all of the circuit."""
        # What the circuit carries is placed by its own mover, not by the base that is moved here.
        inner = [dataclasses.replace(f, name=_seen_from_outside(f.name), placed=False) for f in self.circuit.fields]
        return (Field("force", "N", "force on the mover"), *inner)

    @property
    def parameters(self) -> Array:
        """The circuit's."""
        own = self.circuit.parameters
        return own if self._table is None else np.concatenate([own, self._table])

    @cached_property
    def _table(self) -> Array | None:
        """How a circuit that is reached by address is felt; None if it, or what it is felt through, has none."""
        circuit, group = self.circuit, self._group
        if circuit.module is circuit._own_module:
            return None
        (move, keep), resist = circuit.kernels.halves(), self._block.kernels.halves()[0]
        felt = signatures.COLUMN_RESIST if group.in_columns else signatures.LINE_RESIST
        found = signatures.LINE_MOVE.address_of(move), signatures.LINE_KEEP.address_of(keep), felt.address_of(resist)
        if None in found:
            return None
        place = group.names.index(self.through)
        wide, deep = group.parameters_each, group.state_each
        layout = (group.parameters_at, wide, group.state_at, deep, len(group.names), place)
        if not group.in_columns:
            layout = (group.parameters_at + place * wide, wide, group.state_at + place * deep, deep, 0, 0)
        numbers = (circuit.ratios[self.through], self._base, circuit.parameters.size, *layout)
        return np.array([*found, *numbers], dtype=np.float64)

    @property
    def _block(self) -> Impedance:
        return self.circuit.impedances[self.through]

    @property
    def _group(self) -> Group:
        return next(group for group in self.circuit._groups if self.through in group.names)

    @property
    def _base(self) -> int:
        """Where the velocity of the other end stands in the circuit's state."""
        return int(self.circuit.slices()[f"{self.through}.base_velocity"].start)

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        if self._table is not None:
            return build(_BY_ADDRESS, ())
        circuit, block, group = self.circuit, self._block, self._group
        place = group.names.index(self.through)
        words: dict[str, Any] = {
            "base": self._base,
            "ratio": repr(circuit.ratios[self.through]),
            "p_e": _numbers("p", group.parameters_at, group.parameters_each, group, place),
            "s_e": _numbers("inner", group.state_at, group.state_each, group, place),
        }
        source = circuit.kernels.source("_c") + block.kernels.source("_e") + _SOURCE.format(**words)
        return build(source, (*circuit.kernels.imports("_c"), *block.kernels.imports("_e")))

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make)

    def check(self, period: float) -> None:
        """The circuit by itself."""
        self.circuit.check(period)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """The circuit as it starts, with the fields named in `initial` set."""
        own = {_seen_from_outside(name): name for name in self.circuit.slices()}
        initial = checks.mapping("Through", "initial", initial, 'Give a dict, such as {"inner_velocity": 1.0}.')
        for name in initial:
            if name not in own:
                checks.refuse("Through", f"initial[{name!r}] is not part of its state.", f"It has {', '.join(own)}.")
        given = {own[name]: value for name, value in initial.items()}
        return np.concatenate([[0.0], self.circuit.initial_state(period, given)])

    def fault(self, state: Array) -> Fault | None:
        """The circuit's, behind the force."""
        inside = self.circuit.fault(state[1:])
        return super().fault(state) or (inside and inside._replace(place=inside.place + 1))

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; how it runs, every process finds for itself."""
        return {"circuit": self.circuit, "through": self.through}


def _seen_from_outside(name: str) -> str:
    """Motion in and force out are those of the base; the circuit's own velocity has another name."""
    return f"inner_{name}" if name in ("force", "velocity") else name


def _numbers(vector: str, at: int, each: int, group: Group, place: int) -> str:
    """One element's numbers in its group."""
    if not group.in_columns:
        return f"{vector}[{at + place * each} : {at + (place + 1) * each}]"
    count = len(group.names)
    return f"{vector}[{at} : {at + each * count}].reshape(({each}, {count}))[:, {place}]"
