"""Joints whose friction is any impedance: where it lies in the memory of its tree, and the source that asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tegotae.block import Impedance, Kernels
from tegotae.compile import build
from tegotae.coupling.composite import Seat
from tegotae.friction import FrictionImpedance
from tegotae.layout import AXIS, Layout, Nested, Part, Space
from tegotae.multibody.kernels.lines import NONE, NUMBERS
from tegotae.multibody.tree_arrays import FREE
from tegotae.state import Fault, State

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree

SPEEDS = Part("own_speeds", "", "of joints whose friction is any impedance", ("owned",), "own", whole=True)
LINES = Part("own", "", "see `kernels/lines.py`", ("owned", NUMBERS))


def has_a_law(friction: Impedance) -> bool:
    """Whether the kernels of a tree know it: dry friction by its law, without asking."""
    return isinstance(friction, FrictionImpedance) and friction.mass == 0.0 and friction.lag == 0.0


class OwnJoints:
    """The impedances in the joints of a tree that are asked for their force, each under the name of its joint."""

    def __init__(self, tree: Tree):
        at = tree.arrays
        moving = at.kind != FREE
        places = zip(tree.joints.items(), at.vi[moving].tolist(), at.qi[moving].tolist(), strict=True)
        self.blocks: dict[str, Impedance] = {}
        self.speeds: list[int] = []
        self._coordinates: dict[str, int] = {}
        for (name, joint), speed, coordinate in places:
            if joint.friction is not None and not has_a_law(joint.friction):
                self.blocks[name], self._coordinates[name] = joint.friction, coordinate
                self.speeds.append(speed)

    @cached_property
    def parts(self) -> tuple[tuple[Nested, ...], tuple[Nested, ...], tuple[Nested, ...]]:
        """Their parameters, states and workspaces in those of the tree."""
        inside: list[list[Nested]] = [[], [], []]
        for j, (name, block) in enumerate(self.blocks.items()):
            own = block.layout
            for found, layout in zip(inside, own[:3], strict=True):
                if layout.items:
                    found.append(Nested(f"own{j}", _sized(layout, own.sizes, layout is own.state), f"{name}."))
        parameters, state, workspace = map(tuple, inside)
        return parameters, state, workspace

    @cached_property
    def names(self) -> frozenset[str]:
        """What users call the parts of their states."""
        return frozenset(f"{name}.{part}" for name, block in self.blocks.items() for part in block.parts)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Their parameters, by name."""
        own = {f"{name}.{part}": value for name, block in self.blocks.items() for part, value in block.values.items()}
        return {"own_speeds": self.speeds, **own}

    def kernels(self, make: Callable[..., Any], halves: tuple[Callable[..., Any], ...]) -> Kernels:
        """The tree's, for the laws of the user's own that it also has."""
        if not self.blocks:
            return Kernels(make, (*NONE, *halves))
        blocks = list(self.blocks.values())
        text = "from collections import namedtuple\n"
        text += "".join(block.kernels.source(f"_{j}") + _records(j, block) for j, block in enumerate(blocks))
        lines: dict[str, list[str]] = {"answer": [], "advance": [], "prepare": [], "restore": []}
        for j, block in enumerate(blocks):
            made, given = block.kernels.halves(), _given(j, block)
            lines["answer"].append(f"if j == {j}:\n        return answer_{j}({given}, v, T)")
            lines["advance"].append(f"if j == {j}:\n        {_store(j, block)}advance_{j}({given}, v, T)")
            if made.prepare:
                lines["prepare"].append(f"prepare_{j}({given}, T)")
            if made.restore:
                lines["restore"].append(f"restore_{j}({given})")
        for half, behind, last in (
            ("answer", ", j, v, T", "return 0.0, 0.0"),
            ("advance", ", j, v, T", "return"),
            ("prepare", ", T", "return"),
            ("restore", "", "return"),
        ):
            body = "\n    ".join([*lines[half], last])
            text += f"\n@kernel\ndef {half}_own(p, s, w{behind}):\n    {body}\n"
        laws = [f"own_law_{i}" for i in range(len(halves))]
        text += f"\ndef make():\n    return tree({', '.join([*(f'{half}_own' for half in lines), *laws])})\n"
        functions = [one for j, block in enumerate(blocks) for one in block.kernels.imports(f"_{j}")]
        return Kernels(build(text, (*functions, ("tree", make), *zip(laws, halves, strict=True))).make)

    def start(self, state: State, period: float, given: Mapping[str, ArrayLike], q: Any) -> None:
        """Each as it starts by itself, where its joint is, and as the user says."""
        for name, block in self.blocks.items():
            places = block.spaces.state.places
            own = {part: q[self._coordinates[name]] for part, place in places.items() if place.part.placed}
            own |= {part: given[f"{name}.{part}"] for part in places if f"{name}.{part}" in given}
            self._seat(name, state.space).put(state, block.initial_state(period, own))

    def fault(self, state: State) -> Fault | None:
        """The first thing that cannot be in the state of one of them."""
        for name in self.blocks:
            if found := self._seat(name, state.space).fault(state):
                return found
        return None

    def _seat(self, name: str, around: Space) -> Seat:
        return Seat(self.blocks[name], {part: f"{name}.{part}" for part in self.blocks[name].parts}, around)


def _sized(layout: Layout, sizes: Mapping[str, int], single: bool) -> Layout:
    """The same with its sizes as numbers, whose names the tree does not know; `single`: one direction is one number."""
    items: list[Part | Nested] = []
    for item in layout.items:
        if isinstance(item, Nested):
            items.append(Nested(item.letter, _sized(item.layout, item.inner(sizes), single), item.prefix))
        else:
            shape = tuple(sizes[extent] if isinstance(extent, str) else extent for extent in item.shape)
            shape = () if single and item.shape == AXIS else shape
            items.append(replace(item, letter=item.key, shape=shape, placed=False))
    return Layout(tuple(items))


def _records(j: int, block: Impedance) -> str:
    """Of one that takes its numbers by value."""
    if block.kernels.style != "values":
        return ""
    own = block.layout
    return own.parameters.records(f"Parameters_{j}") + own.state.records(f"State_{j}")


def _numbers(j: int, block: Impedance) -> list[str]:
    """Where the numbers of its state are."""
    return [f"s.own{j}.{item.key}[0]" for item in block.layout.state.items]


def _given(j: int, block: Impedance) -> str:
    """What its kernels take first: p, s and w."""
    own = block.layout
    w = f"w.own{j}" if own.workspace.items else "w"
    if block.kernels.style != "values":
        return f"{f'p.own{j}' if own.parameters.items else 'p'}, s.own{j}, {w}"
    single = [
        f"p.own{j}.{i.key}{'[0]' if isinstance(i, Part) and i.shape == AXIS else ''}" for i in own.parameters.items
    ]
    p = f"Parameters_{j}({', '.join(single)})" if single else "p"
    return f"{p}, State_{j}({', '.join(_numbers(j, block))}), {w}"


def _store(j: int, block: Impedance) -> str:
    """What takes the new state that a kernel gives by value."""
    return ", ".join(_numbers(j, block)) + " = " if block.kernels.style == "values" else ""
