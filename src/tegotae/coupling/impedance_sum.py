"""Several impedances felt at once: motion in, the sum of their forces out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import ModuleType
from typing import cast

import numpy as np

from tegotae import checks
from tegotae.block import Block, Impedance
from tegotae.coupling import line, network
from tegotae.coupling.composite import Composite, Parts, add_group
from tegotae.coupling.group import Group, Spot, groups_of
from tegotae.coupling.links import End, Wire
from tegotae.errors import CausalityError
from tegotae.layout import AXIS, Part
from tegotae.ports import EITHER, Port
from tegotae.running.contract_check import check_block

_OWNER = "ImpedanceSum"


class ImpedanceSum(Composite, Impedance):
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
        return f"{_OWNER}({self.impedances!r})"

    @property
    def ports(self) -> tuple[Port, ...]:
        """One, in the units of the first impedance that declares its own."""
        return max((block.ports for block in self.impedances.values()), key=lambda ports: ports[0][2:4] != EITHER)

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        behind = Spot((0, 0), (self.dimension, 0), (0, 0))
        wires = [Wire(name, block, (End(0, np.asarray(1.0)),), False) for name, block in self.impedances.items()]
        return groups_of(wires, behind, on_line=self.dimension == 1)

    @cached_property
    def _parts(self) -> Parts:
        """The force, then each impedance's parts with its name in front."""
        parts = Parts()
        parts.state.append(Part("force", "N", "force on the mover, all together", AXIS))
        for group in self._groups:
            add_group(parts, group)
        return parts

    def inner_blocks(self) -> Iterable[tuple[str, Block]]:
        """Its impedances."""
        return self.impedances.items()

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        return line.module_of_sum(self._groups) if self.dimension == 1 else network.module_of_sum(self._groups)

    def steepest_rise(self, period: float) -> float:
        """The sum over the impedances [N·s/m]."""
        return sum(block.steepest_rise(period) for block in self.impedances.values())

    def check_mover(self, mass: float, period: float) -> None:
        """Each of its impedances."""
        for block in self.impedances.values():
            block.check_mover(mass, period)

    def changed(self, blocks: Mapping[str, Block]) -> ImpedanceSum:
        """The same sum with some of its impedances replaced, by name."""
        return ImpedanceSum(self.impedances | cast(dict[str, Impedance], dict(blocks)))


def _checked(impedances: object) -> dict[str, Impedance]:
    """One or more impedances of one dimension, each under a plain name."""
    remedy = "Give {'brake': ..., 'wall': ...}."
    named = checks.mapping(_OWNER, "impedances", impedances, remedy)
    if not named:
        checks.refuse(_OWNER, "impedances is empty.", remedy)
    first = next(iter(named.values()))
    for name, block in named.items():
        if not name.isidentifier() or name in ("force", "velocity", "time"):
            checks.refuse(_OWNER, f"impedances has the name {name!r}.", "Use a plain word of its own, such as 'brake'.")
        if not isinstance(block, Impedance):
            raise CausalityError(
                f"{_OWNER}: impedances[{name!r}]={checks.shown(block)} gives no force.\n"
                "  Give impedances; what moves goes into a tg.Circuit."
            )
        check_block(block)
        if block.dimension != first.dimension:
            problem = f"impedances[{name!r}] has dimension={block.dimension}, but others have {first.dimension}."
            checks.refuse(_OWNER, problem, "Use one dimension for every block.")
    return dict(named)
