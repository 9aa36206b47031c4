"""Blocks of one's own: what the contract asks of them, seen to before their kernels are trusted with memory."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import checks
from tegotae.errors import TegotaeError
from tegotae.layout import AXIS, Layout, Layouts, Memory, Part

if TYPE_CHECKING:
    from tegotae.block import Block
    from tegotae.checks import Array

_BEYOND = 1024  # numbers behind what a kernel is given: those that it must not touch
_SEEN = "_contract_kept"


def check(block: Block) -> None:
    """Refuse a block from outside the package whose layout, values or kernels are not what they must be."""
    if _is_ours(block) or block.__dict__.get(_SEEN):
        return
    _check_values(block)
    _check_kernels(block)
    block.__dict__[_SEEN] = True


def check_layout(block: Block) -> None:
    """Refuse a block from outside the package whose dimension or layout is not what it must be."""
    if _is_ours(block):
        return
    name, own = block.name, block.layout
    checks.whole(name, "dimension", block.dimension, 1, "Give in how many directions it moves.")
    if not isinstance(own, Layouts):
        checks.refuse(name, f"layout={checks.shown(own)}.", "Give layouts(parameters=(...), state=(...)).")
    if own.sizes.get("axis") != block.dimension:
        told = f"Give layouts(dimension={block.dimension}, ...)."
        checks.refuse(name, f"layout is made for dimension={own.sizes.get('axis')}.", told)
    for label, layout in zip(("parameters", "state", "workspace"), own[:3], strict=True):
        _check_parts(name, label, layout, own)
    gives = block.gives
    part = next((part for part in own.state.parts() if part.name == gives), None)
    if part is None or part.whole or part.shape not in (AXIS, (block.dimension,), () if block.dimension == 1 else AXIS):
        told = f"Give it a Part({gives!r}, ..., shape=AXIS), one number a direction: what it answers is read there."
        checks.refuse(name, f"its state has no {gives} of {block.dimension} real numbers.", told)


def _check_parts(name: str, label: str, layout: Layout, own: Layouts) -> None:
    """Parts with names, of known and sensible sizes."""
    if not all(isinstance(item, Part) and isinstance(item.name, str) for item in layout.items):
        checks.refuse(name, f"{label} of its layout={checks.shown(layout.items)}.", "Give a tuple of Part(name, ...).")
    parts = list(layout.parts())
    for kind, names in (("names", [p.name for p in parts]), ("letters", [p.key for p in parts])):
        if len(set(names)) != len(names):
            told = f"{label} of its layout has {kind} twice: {', '.join(names)}."
            checks.refuse(name, told, "Give each part one of its own.")
    for part in parts:
        if not part.key.isidentifier() or part.key.startswith("_"):
            told = "Give it a letter=... that kernels can write."
            checks.refuse(name, f"kernels cannot call a part {part.key!r}.", told)
        for extent in part.shape:
            told = f"Give whole numbers, AXIS, or names of sizes; it has {', '.join(own.sizes)}."
            if isinstance(extent, str) and extent not in own.sizes:
                checks.refuse(name, f"part {part.name!r} has the unknown size {extent!r}.", told)
            count = own.sizes[extent] if isinstance(extent, str) else extent
            checks.whole(name, f"shape of part {part.name!r}", count, 0, told)
        if part.labels is not None:
            count = math.prod(own.sizes[extent] if isinstance(extent, str) else extent for extent in part.shape)
            if len(part.shape) != 1 or len(part.labels) != count or _comes_again(part):
                told = "Give a vector as many different labels as it has numbers, or labels=None."
                checks.refuse(name, f"part {part.name!r} of shape {part.shape} has labels={part.labels}.", told)
    ends = [place.stop for place in layout.places(own.sizes).values()]
    checks.fits_in_memory(name, f"its {label}", max(ends, default=0), "Give smaller parts.")


def _comes_again(part: Part) -> bool:
    """Whether one label stands in two places; directions of one port are neighbours, and share theirs."""
    labels = part.labels or ()
    runs = [label for label, _ in groupby(labels)] if part.shape == AXIS else list(labels)
    return len(set(runs)) != len(runs)


def _is_ours(block: Block) -> bool:
    """Those are tested here; so is what a class of one's own takes over from them."""
    kind = type(block)
    if kind.__module__.startswith("tegotae."):
        return True
    trusted = ("dimension", "layout", "values", "kernels", "initial_state")
    homes = (next((c for c in kind.__mro__ if name in vars(c)), None) for name in trusted)
    return all(home is None or home.__module__.startswith("tegotae.") for home in homes)


def _check_values(block: Block) -> None:
    """A finite value of the right size for each parameter."""
    way = "Give values={...}, one for each parameter of its layout."
    given = checks.mapping(block.name, "values", block.values, way)
    places = block.spaces.parameters.places
    for name, place in places.items():
        if name not in given:
            checks.refuse(block.name, f"values has no {name!r}.", way)
        own = checks.array(block.name, f"values[{name!r}]", given[name], place.part.unit)
        if own.size != place.stop - place.start:
            told = f"Give {place.stop - place.start} number(s), as its layout says."
            checks.refuse(block.name, f"values[{name!r}] has shape {own.shape}.", told)
        checks.finite(block.name, f"values[{name!r}]", own, place.part.unit)


def _check_kernels(block: Block) -> None:
    """One tick, twice: what lies behind its numbers may neither change nor matter."""
    from tegotae.block import Kernels

    kernels: Any = block.kernels
    checks.instance(block.name, "kernels", kernels, Kernels, "Give Kernels(make).")
    try:
        one, other = (_tick(block, behind) for behind in (0, 1))
    except TegotaeError:
        raise
    except Exception as error:  # whatever its own functions raise
        told = f"Give Kernels(make), where make() gives its two kernels, answer and advance ({error!r})."
        checks.refuse(block.name, "kernels did not take a tick.", told)
    if not np.array_equal(one, other, equal_nan=True):
        told = "Give as many as they use, or repair their indices."
        checks.refuse(block.name, "its kernels reach beyond their parts.", told)


def _tick(block: Block, behind: int) -> Array:
    """What a tick makes of memory that goes on behind every vector; what lies there counted from `behind`."""
    from tegotae.running.source import module_of

    n, period = block.dimension, 1e-3
    memories = [block.parameters, block.initial_state(period).memory, block.spaces.workspace.empty()]
    longer = [Memory(*(np.append(own, np.full(_BEYOND, behind, own.dtype)) for own in memory)) for memory in memories]
    cut = [
        Memory(*(vector[: own.size] for vector, own in zip(long, memory, strict=True)))
        for long, memory in zip(longer, memories, strict=True)
    ]
    given, out, slope = np.full(n, 0.1), np.zeros(n), np.zeros((n, n))
    module = module_of(block)
    module.answer_once(*cut, given, period, out, slope)
    module.advance_once(*cut, given, out, period)
    for long in longer:
        for vector in long:
            vector[-_BEYOND:] -= behind
    return np.concatenate([*(vector.astype(np.float64) for long in longer for vector in long), out])
