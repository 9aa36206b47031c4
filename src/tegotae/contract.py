"""Blocks of one's own: what the contract asks of them, seen to before their kernels are trusted with memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import checks
from tegotae.errors import TegotaeError

if TYPE_CHECKING:
    from tegotae.block import Block
    from tegotae.checks import Array

_BEYOND = 1024  # numbers behind what a kernel is given: those that it must not touch
_SEEN = "_contract_kept"


def check(block: Block) -> None:
    """Refuse a block from outside the package whose fields, parameters or kernels are not what they must be."""
    if _is_ours(block) or block.__dict__.get(_SEEN):
        return
    check_layout(block)
    given = block.parameters
    if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.ndim != 1:
        checks.refuse(block.name, f"parameters={checks.shown(given)}.", "Give a vector of floats, np.array([...]).")
    _check_kernels(block)
    block.__dict__[_SEEN] = True


def check_layout(block: Block) -> None:
    """Refuse a block from outside the package whose dimension or fields are not what they must be."""
    from tegotae.block import Field, Impedance

    if _is_ours(block):
        return
    name, fields = block.name, block.fields
    checks.whole(name, "dimension", block.dimension, 1, "Give in how many directions it moves.")
    if not isinstance(fields, Sequence) or not all(isinstance(f, Field) and isinstance(f.name, str) for f in fields):
        checks.refuse(name, f"fields={checks.shown(fields)}.", "Give a tuple of Field(name, unit, meaning).")
    names = [f.name for f in fields]
    if len(set(names)) != len(names):
        checks.refuse(name, f"fields has names twice: {', '.join(names)}.", "Give each field a name of its own.")
    for field in fields:
        checks.whole(name, f"size of field {field.name!r}", field.size, 0, "Give how many numbers it has, or 0.")
    checks.room(name, "its state", sum(f.length(block.dimension) for f in fields), "Give smaller fields.")
    out = "force" if isinstance(block, Impedance) else "velocity"
    if out not in names or fields[names.index(out)].length(block.dimension) != block.dimension:
        told = f"Give it a Field({out!r}, ...) with one number a direction: what it answers is read there."
        checks.refuse(name, f"fields has no {out} of {block.dimension} numbers.", told)


def _is_ours(block: Block) -> bool:
    """Those are tested here."""
    return type(block).__module__.startswith("tegotae.")


def _check_kernels(block: Block) -> None:
    """One tick, twice: what lies behind its parameters and its state may neither change nor matter."""
    from tegotae.block import Kernels

    kernels: Any = block.kernels
    checks.instance(block.name, "kernels", kernels, Kernels, "Give Kernels(make).")
    try:
        answer, advance = kernels.halves()
        one, other = (_tick(block, answer, advance, behind) for behind in (0.0, 1.0))
    except TegotaeError:
        raise
    except Exception as error:  # whatever its own functions raise
        told = f"Give Kernels(make), where make() gives its two kernels, answer and advance ({error!r})."
        checks.refuse(block.name, "kernels did not take a tick.", told)
    if not np.array_equal(one, other, equal_nan=True):
        told = "Give as many as they use, or repair their indices."
        checks.refuse(block.name, "its kernels reach beyond its parameters or its fields.", told)


def _tick(block: Block, answer: Any, advance: Any, behind: float) -> Array:
    """What a tick makes of memory that goes on behind parameters and state; what lies there counted from `behind`."""
    from tegotae.block import Impedance

    n, period, state = block.dimension, 1e-3, block.initial_state(1e-3)
    p, s = (np.append(own, np.full(_BEYOND, behind)) for own in (block.parameters, state))
    own_p, own_s = p[: block.parameters.size], s[: state.size]
    given, out, slope = np.full(n, 0.1), np.zeros(n), np.zeros((n, n))
    if n == 1:
        first = (answer(own_p, own_s, 0.1, period)[0],)
        advance(own_p, own_s, 0.1, *(() if isinstance(block, Impedance) else first), period)
    else:
        answer(own_p, own_s, given, period, out, slope)
        advance(own_p, own_s, given, *(() if isinstance(block, Impedance) else (out,)), period)
    p[-_BEYOND:] -= behind
    s[-_BEYOND:] -= behind
    return np.concatenate([p, s])
