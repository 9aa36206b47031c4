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
from tegotae.block import Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.circuit import Circuit
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
            checks.refuse("Through", f"circuit={circuit!r} is no circuit along a line.", "Give a tg.Circuit(...).")
        if through not in circuit.bases:
            told = ", ".join(circuit.bases) or "none"
            checks.refuse("Through", f"{through!r} has no other end to be moved by.", f"Bases of the circuit: {told}.")
        self.circuit = circuit
        self.through = through

    def __repr__(self) -> str:
        return f"Through({self.circuit!r}, {self.through!r})"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The force, then all of the circuit."""
        inner = [dataclasses.replace(f, name=_seen_from_outside(f.name)) for f in self.circuit.fields]
        return (Field("force", "N", "force on the mover"), *inner)

    @property
    def parameters(self) -> Array:
        """The circuit's."""
        return self.circuit.parameters

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        circuit, block = self.circuit, self.circuit.impedances[self.through]
        group = next(g for g in circuit._groups if self.through in g.names)
        place, count = group.names.index(self.through), len(group.names)
        words: dict[str, Any] = {
            "base": circuit.slices()[f"{self.through}.base_velocity"].start,
            "ratio": repr(circuit.ratios[self.through]),
            "p_e": _column("p", group.parameters_at, group.parameters_each, count, place),
            "s_e": _column("inner", group.state_at, group.state_each, count, place),
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
        for name in initial or {}:
            if name not in own:
                checks.refuse("Through", f"initial[{name!r}] is not part of its state.", f"It has {', '.join(own)}.")
        given = {own[name]: value for name, value in (initial or {}).items()}
        return np.concatenate([[0.0], self.circuit.initial_state(period, given)])

    def __getstate__(self) -> dict[str, Any]:
        """Without the compiled module, which another process makes for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "module"}


def _seen_from_outside(name: str) -> str:
    """Motion in and force out are those of the base; the circuit's own velocity has another name."""
    return f"inner_{name}" if name in ("force", "velocity") else name


def _column(vector: str, at: int, each: int, count: int, place: int) -> str:
    """One element's numbers: its group's form a matrix with one column an element."""
    group = f"{vector}[{at} : {at + each * count}]"
    return group if count == 1 else f"{group}.reshape(({each}, {count}))[:, {place}]"
