"""Several impedances felt at once: motion in, the sum of their forces out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, contract
from tegotae.block import INITIAL, Impedance, Kernels
from tegotae.compile import build
from tegotae.coupling import line, network
from tegotae.coupling.group import Group, Spot, groups_of
from tegotae.coupling.links import End, Wire
from tegotae.coupling.parts import Parts, Seat, add_group, layouts_of, no_parts
from tegotae.errors import CausalityError
from tegotae.layout import AXIS, Layouts, Memory, Part
from tegotae.state import Fault, State

_OWN = "ImpedanceSum"


class ImpedanceSum(Impedance):
    """Impedances that see the same motion; their forces add. It is itself an impedance, and one compiled loop.

    A hand that moves a brake behind which there is a wall feels both.

    Args:
        impedances: name -> what is felt; the name prefixes that block's fields in results ("wall.force").

    Runs record `force` [N], the sum, and every impedance's own fields.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(2.0))
        >>> wall = tg.VirtualWall(stiffness=1000.0, point=0.01, normal=-1.0)
        >>> felt = tg.ImpedanceSum({"brake": brake, "wall": wall})
        >>> run = felt.run(position=np.linspace(0.0, 0.015, 200), period=1e-3)
        >>> round(float(run.force[-1]), 9), round(float(run["wall.force"][-1]), 9)
        (-7.0, -5.0)
    """

    def __init__(self, impedances: Mapping[str, Impedance]):
        self.impedances = _checked(impedances)
        self.dimension = next(iter(self.impedances.values())).dimension

    def __repr__(self) -> str:
        return f"{_OWN}({self.impedances!r})"

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        behind = Spot((0, 0), (self.dimension, 0), (0, 0))
        wires = [Wire(name, block, (End(0, np.asarray(1.0)),), False) for name, block in self.impedances.items()]
        return groups_of(wires, behind, on_line=self.dimension == 1)

    @cached_property
    def _parts(self) -> Parts:
        """The force, then each impedance's parts with its name in front."""
        parts = no_parts()
        parts.state.append(Part("force", "N", "force on the mover, all together", AXIS))
        for group in self._groups:
            add_group(parts, group)
        return parts

    @cached_property
    def layout(self) -> Layouts:
        """The force, then each impedance's parts with its name in front."""
        return layouts_of(self._parts, self.dimension)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Every impedance's parameters, by their names in the sum."""
        return {name: self.spaces.parameters.part(self.parameters, name) for name in self.spaces.parameters.places}

    @cached_property
    def parameters(self) -> Memory:
        """Group by group the impedances' parameters."""
        nothing = np.empty(0, dtype=np.int64)
        return Memory(np.concatenate(self._parts.real), np.concatenate([nothing, *self._parts.whole]))

    @cached_property
    def _seats(self) -> list[Seat]:
        """Its blocks, and where their states lie in its own."""
        named = [({part: f"{n}.{part}" for part in block.parts}, block) for n, block in self.impedances.items()]
        return [Seat(block, names, self.spaces.state) for names, block in named]

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        imports = [each for i, group in enumerate(self._groups) for each in group.kernels.imports(f"_{i}")]
        source = line.source_of_sum(self._groups) if self.dimension == 1 else network.source_of_sum(self._groups)
        return build(source, tuple(imports))

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make, style="memory")

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Every block as it starts, with the parts named in `initial` set ("wall.position", ...)."""
        initial = checks.mapping(_OWN, "initial", initial, INITIAL)
        for name in initial:
            if name not in self.parts:
                known = ", ".join(self.parts)
                checks.refuse(_OWN, f"initial[{name!r}] is not part of its state.", f"It has {known}.")
        state = super().initial_state(period, initial)  # refuses in its own words; then each block sees to its own
        for seat in self._seats:
            own = {part: initial[outer] for part, outer in seat.names.items() if outer in initial}
            seat.put(state, seat.block.initial_state(period, own))
        return state

    def fault(self, state: State) -> Fault | None:
        """Its own, then those that its blocks see in their parts of it."""
        found = super().fault(state)
        for seat in self._seats:
            found = found or seat.fault(state)
        return found

    def check(self, period: float) -> None:
        """Every block by itself."""
        for block in self.impedances.values():
            block.check(period)

    def steepest_rise(self, period: float) -> float:
        """The sum over the impedances [N·s/m]."""
        return sum(block.steepest_rise(period) for block in self.impedances.values())

    @property
    def variable(self) -> tuple[str, ...]:
        """The names of its impedances."""
        return tuple(self.impedances)

    def varied(self, changes: Mapping[str, Any]) -> ImpedanceSum:
        """The same sum with some of its impedances replaced, by name."""
        return ImpedanceSum(self.impedances | dict(changes))


def _checked(impedances: object) -> dict[str, Impedance]:
    """One or more impedances of one dimension, each under a plain name."""
    way = "Give {'brake': ..., 'wall': ...}."
    named = checks.mapping(_OWN, "impedances", impedances, way)
    if not named:
        checks.refuse(_OWN, f"impedances={checks.shown(impedances)} are none.", way)
    first = next(iter(named.values()))
    for name, block in named.items():
        if not name.isidentifier() or name in ("force", "velocity", "time"):
            checks.refuse(_OWN, f"impedances has the name {name!r}.", "Use a plain word of its own, such as 'brake'.")
        if not isinstance(block, Impedance):
            raise CausalityError(
                f"{_OWN}: impedances[{name!r}]={checks.shown(block)} gives no force.\n"
                "  Give impedances; what moves goes into a tg.Circuit."
            )
        contract.check(block)
        if block.dimension != first.dimension:
            checks.refuse(
                _OWN,
                f"impedances[{name!r}] has dimension={block.dimension}, but others have {first.dimension}.",
                "Use one dimension for every block.",
            )
    return dict(named)
