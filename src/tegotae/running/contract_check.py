"""A block from outside the package, tried once before its kernels are trusted with memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tegotae import checks
from tegotae.block import Block, Kernels
from tegotae.checks import Array
from tegotae.contract import is_ours
from tegotae.errors import TegotaeError
from tegotae.layout import Memory
from tegotae.running.source import module_of

_BEYOND = 1024  # numbers behind what a kernel is given: those that it must not touch
_SEEN = "_contract_kept"


def check_block(block: Block) -> None:
    """Refuse a block from outside the package whose values or kernels are not what they must be."""
    if is_ours(block) or block.__dict__.get(_SEEN):
        return
    _check_values(block)
    _check_kernels(block)
    block.__dict__[_SEEN] = True


def _check_values(block: Block) -> None:
    """A finite value of the right size for each parameter."""
    remedy = "Give values={...}, one for each parameter of its layout."
    given = checks.mapping(block.name, "values", block.values, remedy)
    places = block.spaces.parameters.places
    for name, place in places.items():
        if name not in given:
            checks.refuse(block.name, f"values has no {name!r}.", remedy)
        numbers = checks.array(block.name, f"values[{name!r}]", given[name], place.part.unit)
        if numbers.size != place.stop - place.start:
            remedy = f"Give {place.stop - place.start} number(s), as its layout says."
            checks.refuse(block.name, f"values[{name!r}] has shape {numbers.shape}.", remedy)
        checks.finite(block.name, f"values[{name!r}]", numbers, place.part.unit)


def _check_kernels(block: Block) -> None:
    """One tick, twice: what lies behind its numbers may neither change nor matter."""
    kernels: Any = block.kernels
    checks.instance(block.name, "kernels", kernels, Kernels, "Give Kernels(make).")
    try:
        one, other = (_tick(block, behind) for behind in (0, 1))
    except TegotaeError:
        raise
    except Exception as error:  # whatever its own functions raise
        remedy = f"Give Kernels(make), where make() gives its two kernels, answer and advance ({error!r})."
        checks.refuse(block.name, "kernels did not take a tick.", remedy)
    if not np.array_equal(one, other, equal_nan=True):
        remedy = "Give as many as they use, or repair their indices."
        checks.refuse(block.name, "its kernels reach beyond their parts.", remedy)


def _tick(block: Block, behind: int) -> Array:
    """What a tick makes of memory that goes on behind every vector; what lies there counted from `behind`."""
    n, period = block.dimension, 1e-3
    memories = [block.parameters, block.initial_state(period).memory, block.spaces.workspace.empty()]
    longer = [Memory(*(np.append(v, np.full(_BEYOND, behind, v.dtype)) for v in memory)) for memory in memories]
    cut = [
        Memory(*(vector[: original.size] for vector, original in zip(long, memory, strict=True)))
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
