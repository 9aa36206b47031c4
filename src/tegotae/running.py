"""Running one block: the generated loop, and the result made of what it recorded."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract
from tegotae.block import INITIAL, Block, Impedance
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.errors import DivergenceWarning
from tegotae.kernels.soundness import sound
from tegotae.result import Result, Variable
from tegotae.unsolved import count_in, places_in, tell

# `take` is the only part that differs: one tick of an impedance or an admittance, in one or in n dimensions.
_TAKE = {
    (True, True): """
@kernel
def take(p, s, x, T, out, slope):
    advance(p, s, x, T)
""",
    (True, False): """
@kernel
def take(p, s, x, T, out, slope):
    advance(p, s, x, T)
""",
    (False, True): """
@kernel
def take(p, s, x, T, out, slope):
    v, _ = answer(p, s, x, T)
    advance(p, s, x, v, T)
""",
    (False, False): """
@kernel
def take(p, s, x, T, out, slope):
    answer(p, s, x, T, out, slope)
    advance(p, s, x, out, T)
""",
}

_LOOPS = """
@entry
def loop(p, s, x, T, every, picks, record):
    out = np.empty({n})
    slope = np.empty(({n}, {n}))
    row = 0
    wait = every
    for k in range(x.shape[0]):
        take(p, s, x[k], T, out, slope)
        wait -= 1
        if wait == 0:
            wait = every
            for j in range(picks.shape[0]):
                record[j, row] = s[picks[j]]
            row += 1


@entry
def batch_loop(P, S, X, T, every, picks, record):
    for b in range(P.shape[0]):
        loop(P[b], S[b], X[b if X.shape[0] > 1 else 0], T, every, picks, record[b])
"""

# One tick of a control loop; it says whether the input was finite, in which case it was taken, and all that the next
# tick depends on is, the answer too: friction at its limit is finite still when its spring is no more. The state of a
# live impedance has its last position behind the block's own numbers: nan as long as it does not know one.
_STEP = {
    (True, True): """
@entry
def step(p, s, x, placed, T):
    last = s.shape[0] - 1
    v = x
    if placed == 1:
        v = 0.0 if np.isnan(s[last]) else (x - s[last]) / T
    if not (np.isfinite(x) and np.isfinite(v)):
        return np.nan
    take(p, s, v, T, p, p)
    s[last] = x if placed == 1 else s[last] + T * v
    return s[{output}] if {sound} and not np.isinf(s[last]) else np.nan
""",
    (True, False): """
@entry
def step(p, s, x, placed, T, out):
    v = np.empty({n})
    last = s[s.shape[0] - {n} :]
    for i in range({n}):
        v[i] = x[i]
        if placed == 1:
            v[i] = 0.0 if np.isnan(last[i]) else (x[i] - last[i]) / T
        if not (np.isfinite(x[i]) and np.isfinite(v[i])):
            return False
    take(p, s, v, T, out, np.empty(({n}, {n})))
    near = True
    for i in range({n}):
        last[i] = x[i] if placed == 1 else last[i] + T * v[i]
        near = near and not np.isinf(last[i])
        out[i] = s[{output} + i]
    return {sound} and near
""",
    (False, True): """
@entry
def step(p, s, x, T):
    if not np.isfinite(x):
        return np.nan
    take(p, s, x, T, p, p)
    return s[{output}] if {sound} else np.nan
""",
    (False, False): """
@entry
def step(p, s, x, T, out):
    for i in range({n}):
        if not np.isfinite(x[i]):
            return False
    take(p, s, x, T, out, np.empty(({n}, {n})))
    for i in range({n}):
        out[i] = s[{output} + i]
    return {sound}
""",
}


def module_of(block: Block) -> ModuleType:
    """The generated module of a block: `loop`, `batch_loop` and `step`."""
    impedance, scalar = isinstance(block, Impedance), block.dimension == 1
    output = block.slices()["force" if impedance else "velocity"].start
    template = _TAKE[impedance, scalar] + _LOOPS + _STEP[impedance, scalar]
    looks = " and ".join(f"sound(s, {start}, {stop})" for start, stop in block.spans())
    source = block.kernels.source() + template.format(n=block.dimension, output=output, sound=looks)
    return build(source, (*block.kernels.imports(), ("sound", sound)))


def first_state(block: Block, period: float, initial: Mapping[str, ArrayLike] | None) -> Array:
    """Where a run starts, seen to be a state that the block can be in."""
    contract.check(block)
    state = block.initial_state(period, initial)
    block.check_state(state)
    return state


def motion_of(
    owner: str, velocity: ArrayLike | None, position: ArrayLike | None, period: float, dimension: int
) -> Array:
    """Velocities as given, or from positions by differences, starting at rest."""
    if (velocity is None) == (position is None):
        got = "both velocity and position" if velocity is not None else "neither velocity nor position"
        checks.refuse(owner, f"run got {got}.", "Give one of them.")
    if velocity is not None:
        return checks.signal(owner, "velocity", velocity, "m/s", dimension)
    places = checks.signal(owner, "position", position, "m", dimension)  # type: ignore[arg-type]
    with np.errstate(over="ignore"):  # said below, as what it is
        motion = np.diff(places, axis=0, prepend=places[:1])
        motion /= period
    checks.finite(owner, "velocity (from position)", motion, "m/s")
    return motion


def placed(block: Block, position: ArrayLike) -> dict[str, ArrayLike]:
    """The fields that say where the mover is, once its first position is known."""
    return {field.name: position for field in block.fields if field.placed}


def started(block: Block, position: ArrayLike, initial: Mapping[str, ArrayLike] | None) -> dict[str, ArrayLike]:
    """What a run over positions starts from: the first of them, and what `initial` says beside."""
    here, initial = placed(block, position), checks.mapping(block.name, "initial", initial, INITIAL)
    for name in here:
        if name in initial:
            checks.refuse(block.name, f"position and initial[{name!r}] both say where it starts.", "Give one of them.")
    return here | dict(initial)


def picks_of(block: Block, record: Sequence[str] | None) -> tuple[list[str], NDArray[np.int64]]:
    """The fields to record, and where their numbers lie in the state."""
    places = block.slices()
    way = f"It can record {', '.join(places)}."
    given = () if record is None else checks.texts(block.name, "record", record, way)
    names = [f.name for f in block.fields if f.recorded] if record is None else list(given)
    for name in names:
        if name not in places:
            checks.refuse(block.name, f"record has {name!r}.", way)
    spots = [np.arange(places[name].start, places[name].stop) for name in names]
    return names, np.concatenate([*spots, np.empty(0, dtype=np.int64)]).astype(np.int64)


def run(
    block: Block,
    signal: Array,
    signal_name: str,
    signal_unit: str,
    period: float,
    every: int,
    record: Sequence[str] | None,
    initial: Mapping[str, ArrayLike] | None,
) -> Result:
    """One block over a whole record."""
    every = checks.whole(block.name, "every", every, 1, "Use every=1 to record each tick.")
    block.check(period)
    names, picks = picks_of(block, record)
    state = first_state(block, period, initial)
    ticks = signal.shape[0]
    check_every(block.name, every, ticks)
    checks.room(block.name, f"the record of {ticks} ticks", picks.size * (ticks // every), "Use every= or record=.")
    table = np.empty((picks.size, ticks // every))
    columns = signal.ravel() if block.dimension == 1 else signal
    module_of(block).loop(block.parameters, state, columns, period, every, picks, table)
    report_divergence(block.name, table, every, period)
    variables = {"time": time_of(ticks, every, period)}
    flat = signal.ndim == 1
    own_dims = ("time",) if flat else ("time", "axis")
    thinned = signal[every - 1 :: every]
    variables[signal_name] = Variable(own_dims, thinned, signal_unit, "as given")
    variables |= variables_of(block, names, table, flat=flat)
    counted = unsolved_steps(block.name, [(block, state)], ticks)
    return Result(variables, title=block.name, about=about(block, period) | counted)


def check_every(owner: str, every: int, ticks: int) -> None:
    """Refuse a record that would hold nothing."""
    if every > ticks:
        checks.refuse(owner, f"every={every} is more than the {ticks} ticks: nothing would be recorded.", "Use less.")


def report_divergence(owner: str, table: Array, every: int, period: float) -> None:
    """Say when a run left the range of numbers: too large an input, or a model that is unstable at this period."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(table.sum()) or np.isfinite(table).all():
            return
    first = int(np.argwhere(~np.isfinite(table).all(axis=tuple(range(table.ndim - 1))))[0, 0])
    warnings.warn(
        f"{owner}: what it recorded is not finite from {(first + 1) * every * period:g} s on: "
        "the input is too large, or the model is unstable at this period.",
        DivergenceWarning,
        stacklevel=4,
    )


def unsolved_steps(owner: str, ended: Sequence[tuple[Block, Array]], ticks: int) -> dict[str, int]:
    """Tell of steps that did not converge, and count them for `about`; nothing of blocks that solve nothing.

    Args:
        owner: whose steps.
        ended: blocks and the states in which they ended.
        ticks: that each of them took.
    """
    counts = [count_in(state, places) for block, state in ended if (places := places_in(block))]
    if not counts:
        return {}
    tell(owner, sum(counts), ticks * len(ended), ended[0][0].unsolved_remedy)
    return {"unsolved_steps": sum(counts)}


def time_of(ticks: int, every: int, period: float) -> Variable:
    """The end of each recorded tick."""
    time = np.arange(every, ticks + 1, every, dtype=np.float64)
    time *= period
    return Variable(("time",), time, "s", "end of the tick")


def variables_of(
    block: Block,
    names: Sequence[str],
    table: Array,
    *,
    flat: bool,
    prefix: str = "",
    lead: tuple[str, ...] = (),
) -> dict[str, Variable]:
    """Rows of a record table (..., row, time) as named variables with their units."""
    fields = {f.name: f for f in block.fields}
    variables, row = {}, 0
    for name in names:
        count = fields[name].length(block.dimension)
        values = table[..., row : row + count, :].swapaxes(-2, -1)
        scalar = not fields[name].size and (not fields[name].vector or flat)
        last = f"{name}_index" if fields[name].size else "axis"
        dims = (*lead, "time") if scalar else (*lead, "time", last)
        variables[prefix + name] = Variable(
            dims, values[..., 0] if scalar else values, fields[name].unit, fields[name].meaning
        )
        row += count
    return variables


def about(block: Block, period: float) -> dict[str, Any]:
    """What a result remembers of how it was made."""
    return {"block": repr(block), "period": period}
