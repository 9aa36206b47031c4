"""Blocks of one's own: what the contract asks of their layouts; of their kernels, see `running/contract_check.py`."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from tegotae import checks
from tegotae.layout import AXIS, Layout, Layouts, Part

if TYPE_CHECKING:
    from tegotae.block import Block


def check_layout(block: Block) -> None:
    """Refuse a block from outside the package whose dimension or layout is not what it must be."""
    if is_ours(block):
        return
    name, layouts = block.name, block.layout
    checks.whole(name, "dimension", block.dimension, 1, "Give in how many directions it moves.")
    if not isinstance(layouts, Layouts):
        checks.refuse(name, f"layout={checks.shown(layouts)}.", "Give layouts(parameters=(...), state=(...)).")
    if layouts.sizes.get("axis") != block.dimension:
        remedy = f"Give layouts(dimension={block.dimension}, ...)."
        checks.refuse(name, f"layout is made for dimension={layouts.sizes.get('axis')}.", remedy)
    for label, layout in zip(("parameters", "state", "workspace"), layouts[:3], strict=True):
        _check_parts(name, label, layout, layouts)
    gives = block.gives
    part = next((part for part in layouts.state.parts() if part.name == gives), None)
    if part is None or part.whole or part.shape not in (AXIS, (block.dimension,), () if block.dimension == 1 else AXIS):
        remedy = f"Give it a Part({gives!r}, ..., shape=AXIS), one number a direction: what it answers is read there."
        checks.refuse(name, f"its state has no {gives} of {block.dimension} real numbers.", remedy)


def _check_parts(name: str, label: str, layout: Layout, layouts: Layouts) -> None:
    """Parts with names, of known and sensible sizes."""
    if not all(isinstance(item, Part) and isinstance(item.name, str) for item in layout.items):
        checks.refuse(name, f"{label} of its layout={checks.shown(layout.items)}.", "Give a tuple of Part(name, ...).")
    parts = list(layout.parts())
    for kind, names in (("names", [p.name for p in parts]), ("letters", [p.key for p in parts])):
        if len(set(names)) != len(names):
            problem = f"{label} of its layout has {kind} twice: {', '.join(names)}."
            checks.refuse(name, problem, "Give each part one of its own.")
    for part in parts:
        if not part.key.isidentifier() or part.key.startswith("_"):
            remedy = "Give it a letter=... that kernels can write."
            checks.refuse(name, f"kernels cannot call a part {part.key!r}.", remedy)
        for extent in part.shape:
            remedy = f"Give whole numbers, AXIS, or names of sizes; it has {', '.join(layouts.sizes)}."
            if isinstance(extent, str) and extent not in layouts.sizes:
                checks.refuse(name, f"part {part.name!r} has the unknown size {extent!r}.", remedy)
            count = layouts.sizes[extent] if isinstance(extent, str) else extent
            checks.whole(name, f"shape of part {part.name!r}", count, 0, remedy)
        if part.labels is not None:
            count = math.prod(layouts.sizes[extent] if isinstance(extent, str) else extent for extent in part.shape)
            # Directions of one port are neighbours, and share their label.
            runs = [label for label, _ in groupby(part.labels)] if part.shape == AXIS else list(part.labels)
            if len(part.shape) != 1 or len(part.labels) != count or len(set(runs)) != len(runs):
                remedy = "Give a vector as many different labels as it has numbers, or labels=None."
                checks.refuse(name, f"part {part.name!r} of shape {part.shape} has labels={part.labels}.", remedy)
    ends = [place.stop for place in layout.places(layouts.sizes).values()]
    checks.fits_in_memory(name, f"its {label}", max(ends, default=0), "Give smaller parts.")


def is_ours(block: Block) -> bool:
    """Whether all that is checked comes from this package, whose tests check it: then nothing is left to check."""
    kind = type(block)
    if kind.__module__.startswith("tegotae."):
        return True
    trusted = ("dimension", "layout", "values", "kernels", "initial_state")
    homes = (next((c for c in kind.__mro__ if name in vars(c)), None) for name in trusted)
    return all(home is None or home.__module__.startswith("tegotae.") for home in homes)
