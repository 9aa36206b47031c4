"""Where a block's compiled parameters hold its numbers."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tegotae.block import Block


def places_in(block: Block, name: str) -> NDArray[np.int64]:
    """Where the real parameters p of a block hold a number of its, by its name; nowhere if no part of them is that."""
    real = {n: np.arange(p.start, p.stop) for n, p in block.spaces.parameters.places.items() if not p.whole}
    if name in real:
        return real[name]
    stem = re.sub(r"(\.\w+|\[\d+\])$", "", name)  # a law, or a column: its numbers stand there in their order
    single = [spot for n, spot in real.items() if n == stem or re.fullmatch(rf"{re.escape(stem)}_\d+", n)]
    inside = [n for n in block.numbers if n.startswith((f"{stem}.", f"{stem}["))]
    spots = np.concatenate([np.empty(0, dtype=np.int64), *single])
    return spots[[inside.index(name)]] if name in inside and len(inside) == spots.size else spots[:0]
