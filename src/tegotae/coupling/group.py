"""Blocks inside another one: where they lie in its memory, and the source that hands their numbers to their kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

from tegotae.block import Admittance, Block, Halves, Impedance
from tegotae.compile import build
from tegotae.compile.modules import put
from tegotae.coupling.links import Wire
from tegotae.layout import AXIS
from tegotae.running.source import HEAD, Inside

EPSILON = 2.220446049250313e-16
SMALL = 16  # numbers: blocks of at most so many are worked on several at a time


class Spot(NamedTuple):
    """How many real and whole numbers of p, s and w; or where they begin there."""

    p: tuple[int, int]
    s: tuple[int, int]
    w: tuple[int, int]

    def beyond(self, each: Spot, count: int = 1) -> Spot:
        """Behind so many blocks of this size."""
        return Spot(*((a + count * c, b + count * d) for (a, b), (c, d) in zip(self, each, strict=True)))

    @property
    def numbers(self) -> tuple[int, ...]:
        """All six, one after the other."""
        return (*self.p, *self.s, *self.w)


def size_of(block: Block) -> Spot:
    """How much memory a block takes."""
    return Spot(*(space.length for space in block.spaces))


@dataclass(frozen=True)
class Group:
    """Links whose impedances share their kernels, one after the other, or their real numbers as columns of a matrix.

    Args:
        wires: the links.
        at: where their numbers begin.
        on_line: whether all moves along one coordinate: then small ones lie in columns.
    """

    wires: tuple[Wire, ...]
    at: Spot
    on_line: bool

    @property
    def block(self) -> Impedance:
        """One of them."""
        return self.wires[0].block

    @property
    def dimension(self) -> int:
        """Of each of them."""
        return self.block.dimension

    @property
    def based(self) -> bool:
        """Whether their other end is moved from outside."""
        return self.wires[0].based

    def geared(self, end: int = 0) -> bool:
        """Whether the ratio of one is not 1, at the first end or another."""
        return any((wire.ends[end].ratio != 1.0).any() for wire in self.wires)

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the ratio of each end."""
        return [end.ratio.shape for end in self.wires[0].ends]

    @cached_property
    def each(self) -> Spot:
        """How much memory one of them takes."""
        return size_of(self.block)

    @cached_property
    def by_columns(self) -> bool:
        """Whether they are small and along a line: as columns, many of them are worked on several at a time."""
        small = max(self.each.p[0], self.each.s[0]) <= SMALL and self.each.s[1] == 0 and self.each.w == (0, 0)
        plain = all(not part.whole for part in self.block.layout.parameters.parts())
        return self.dimension == 1 and self.block.kernels.style == "values" and small and plain

    @property
    def in_columns(self) -> bool:
        """Whether they lie as columns of a matrix."""
        return self.on_line and self.by_columns

    @property
    def ratios_at(self) -> int:
        """Ratios follow the real parameters, those of the other end behind them."""
        return self.at.p[0] + len(self.wires) * self.each.p[0]

    @property
    def others_at(self) -> int:
        """Ratios of the other end."""
        return self.ratios_at + len(self.wires) * math.prod(self.shapes[0])

    @property
    def bases_at(self) -> int:
        """Base velocities follow the real states."""
        return self.at.s[0] + len(self.wires) * self.each.s[0]

    @property
    def end(self) -> Spot:
        """Where the next group starts."""
        count, behind = len(self.wires), self.at.beyond(self.each, len(self.wires))
        moved = self.dimension * count if self.based else 0
        ratios = count * sum(math.prod(shape) for shape in self.shapes)
        return behind._replace(p=(behind.p[0] + ratios, behind.p[1]), s=(behind.s[0] + moved, behind.s[1]))

    def _each_at(self) -> list[tuple[int | str, int | str]]:
        """Where the i-th begins in p, s and w; said plainly if it is alone, so that long loops inside vectorise."""
        alone = len(self.wires) == 1
        pairs = (zip(start, count, strict=True) for start, count in zip(self.at, self.each, strict=True))
        ats = [[start if alone else f"{start} + i * {count}" for start, count in pair] for pair in pairs]
        return [(real, whole) for real, whole in ats]

    def slices(self, inside: Inside) -> str:
        """What the kernels of the i-th are given first: p, s and w."""
        p, s, w = self._each_at()
        return f"{inside.p(p)}, {inside.s(s)}, {inside.w(w)}"

    def by_value(self, suffix: str, parameters: Sequence[str], state: Sequence[str]) -> str:
        """The same from single numbers: arrays among the parameters become tuples."""
        layouts, numbers, row = self.block.layout, [], 0
        for place in layouts.parameters.places(layouts.sizes).values():
            read = parameters[row : row + place.stop - place.start]
            single = not place.shape or place.part.shape == AXIS
            numbers.append(read[0] if single else f"({', '.join(read or ['0.0'])},)")  # a law may have no numbers
            row += len(read)
        return f"Parameters{suffix}({', '.join(numbers)}), State{suffix}({', '.join(state)}), w"

    def store(self, inside: Inside) -> str:
        """Where the new state of the i-th goes; see `Inside.store`."""
        return inside.store(self._each_at()[1])


class Mover(NamedTuple):
    """An admittance inside a circuit: where its numbers lie, and the first of its rows among all motions."""

    block: Admittance
    at: Spot
    row: int


def _lines_of_movers(movers: Sequence[Mover], inner: Sequence[Inside], taken: Callable[[Mover], str]) -> dict[str, str]:
    """Lines that name the numbers of what moves, that move it by what it is given, and that prepare and restore it."""
    lines = dict.fromkeys(("views", "keeps", "prepares", "restores"), "")
    for i, (mover, one) in enumerate(zip(movers, inner, strict=True)):
        p, s, w = mover.at
        lines["views"] += f"pa{i} = {one.p(p)}\nsa{i} = {one.s(s)}\nwa{i} = {one.w(w)}\n"
        lines["keeps"] += f"{one.store(s)}advance_a{i}(pa{i}, sa{i}, wa{i}, {taken(mover)}, T)\n"
        lines["prepares"] += f"prepare_a{i}(pa{i}, sa{i}, wa{i}, T)\n" if one.halves.prepare else ""
        lines["restores"] += f"restore_a{i}(pa{i}, sa{i}, wa{i})\n" if one.halves.restore else ""
    return lines


PREPARES = """
for i in range({count}):
    {prepare}{block}, T)
"""

RESTORES = """
for i in range({count}):
    {restore}{block})
"""


Fill = Callable[[str, int, Group, Inside], str]


def _lines_of_groups(
    groups: Sequence[Group], insides: Sequence[Inside], templates: Mapping[str, str], fill: Fill
) -> dict[str, str]:
    """Lines that go over all groups, by name; those that prepare and restore over the groups that do."""
    pairs = list(zip(groups, insides, strict=True))
    texts = {"views": ""}
    for name, template in templates.items():
        texts[name] = "".join(fill(template, i, *pair) for i, pair in enumerate(pairs))
    for name, half, template in (("prepares", "prepare", PREPARES), ("restores", "restore", RESTORES)):
        having = [(i, pair) for i, pair in enumerate(pairs) if getattr(pair[1].halves, half)]
        texts[name] = "".join(fill(template, i, *pair) for i, pair in having)
    return texts


# What circuits and sums have alike.
AROUND = """
@{around}
def prepare(p, s, w, T):
    {views}
    {prepares}
    return


@kernel
def restore(p, s, w):
    {views}
    {restores}
    return


def make():
    return {halves}
"""


def halves_of(blocks: Sequence[Halves], ticks: bool) -> dict[str, object]:
    """What `make` gives: a circuit prepares and restores if one of its blocks does."""
    prepares = any(one.prepare for one in blocks)
    restores = any(one.restore for one in blocks)
    named = f"{'prepare' if prepares else None}, {'restore' if restores else None}, {'tick' if ticks else None}"
    return {"halves": f"answer, advance, {named}", "around": "kernel"}


def module_around(
    template: str,
    movers: Sequence[Mover],
    groups: Sequence[Group],
    lines: tuple[Mapping[str, str], Fill],
    pieces: Mapping[str, object],
    *,
    taken: Callable[[Mover], str] = str,
    head: str = "",
    solve: str = "",
) -> ModuleType:
    """A generated module: `make` gives what moves, and what acts on it, as the halves of one block.

    Args:
        template: of its kernels; those that prepare and restore follow.
        movers: what moves; none of a sum.
        groups: what acts on it.
        lines: templates that are filled for every group, by name, and how.
        pieces: what else stands in `template`.
        taken: force and motion as an admittance is given them at the end of a tick.
        head: what comes before the kernels.
        solve: the template of a piece of `template` in which all others may stand.
    """
    acting = [Inside(group.block.kernels, group.block.layout, f"_{i}") for i, group in enumerate(groups)]
    inner = [Inside(mover.block.kernels, mover.block.layout, f"_a{i}") for i, mover in enumerate(movers)]
    blocks, over = (*inner, *acting), _lines_of_groups(groups, acting, *lines)
    texts = {name: text + over.pop(name, "") for name, text in _lines_of_movers(movers, inner, taken).items()}
    known: dict[str, object] = {**texts, **over, **halves_of([one.halves for one in blocks], bool(movers)), **pieces}
    known["solve"] = put(solve, known)
    heads = HEAD + "".join(one.head for one in blocks) + head
    imports = [each for one in blocks for each in one.kernels.imports(one.suffix)]
    return build(heads + put(template + AROUND, known), tuple(imports))


def groups_of(wires: Sequence[Wire], at: Spot, *, on_line: bool = False) -> tuple[Group, ...]:
    """Links with the same kernels, run by one loop: the source stays short for hundreds of them.

    On lines, those that join the same machines: what they give adds up in plain numbers.
    """
    kinds: dict[Any, list[Wire]] = {}
    for wire in wires:
        layouts = wire.block.layout
        ends = tuple(end.row for end in wire.ends) if on_line else ()
        key = (wire.block.kernels, *layouts[:3], tuple(layouts.sizes.items()), wire.kind(), ends)
        kinds.setdefault(key, []).append(wire)
    groups = []
    for alike in kinds.values():
        group = Group(tuple(alike), at, on_line)
        at = group.end
        groups.append(group)
    return tuple(groups)
