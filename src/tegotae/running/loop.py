"""Running one block over a record: what goes into the loop, and the result made of what it recorded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.block import INITIAL, Block
from tegotae.checks import Array
from tegotae.errors import DivergenceWarning
from tegotae.layout import AXIS, Memory, Place
from tegotae.ports import spans
from tegotae.result import Result, Variable
from tegotae.running.contract_check import check_block
from tegotae.running.source import module_of
from tegotae.state import State, set_initial
from tegotae.unsolved import count_in, tell, to_the_user

CHUNK = 20_000  # ticks between two signs of life
INPUTS = "Give a dict from the name of a field to its values."
_NOTHING: Mapping[str, ArrayLike] = {}


class Signal(NamedTuple):
    """What a user gave as the motion or force of a run."""

    name: str
    signal: Array
    unit: str
    meaning: str = "as given"


class Picks(NamedTuple):
    """What a run records: names of parts, and where their real and their whole numbers lie in the state."""

    names: tuple[str, ...]
    real: NDArray[np.int64]
    whole: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many numbers a tick."""
        return self.real.size + self.whole.size


class Fed(NamedTuple):
    """What is set in the state before each tick: a row for each number, and where it lies."""

    rows: Array
    slots: NDArray[np.int64]


NOT_FED = Fed(np.empty((0, 0)), np.empty(0, dtype=np.int64))


def run(
    block: Block,
    given: Signal,
    period: float,
    *,
    every: int = 1,
    record: Sequence[str] | None = None,
    initial: Mapping[str, ArrayLike] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    progress: Callable[[float], None] | None = None,
    more: Fed = NOT_FED,
) -> Result:
    """One block over a whole record; `more` is what else is fed, by its place in the state."""
    every = checks.whole(block.name, "every", every, 1, "Use every=1 to record each tick.")
    if progress is not None:
        checks.function(block.name, "progress", progress, "Give a function of the share that is done, or None.")
    block.check(period)
    ticks = given.signal.shape[0]
    picks = picks_of(block, record)
    check_every(block.name, every, ticks)
    fed, first, held = fed_of(block, inputs, ticks, more)
    state = first_state(block, period, initial, first, held)
    began = state.copy()
    checks.fits_in_memory(
        block.name, f"the record of {ticks} ticks", picks.size * (ticks // every), "Use every= or record=."
    )
    table = np.empty((picks.size, ticks // every))
    flat = given.signal.ndim == 1
    columns = given.signal.ravel() if block.dimension == 1 else given.signal
    loop, memories = module_of(block).loop, (block.parameters, state.memory, block.spaces.workspace.empty())
    chunk = ticks if progress is None else CHUNK  # in parts if somebody waits for signs of life
    for start in range(0, ticks, chunk):
        stop = min(start + chunk, ticks)
        loop(*memories, columns, *fed, period, every, picks.real, picks.whole, int(start == 0), start, stop, table)
        if progress is not None:
            progress(stop / ticks)
    block.see_trouble(state)
    block.see_divergence(table, every, period, began)
    variables = {"time": time_of(ticks, every, period)}
    variables |= given_variables(block, given, every)
    variables |= variables_of(block, picks, table, flat=flat)
    ended = block.about_end(state)
    since = (ended.get("first_unsolved_step", -1) + 1) * period or None
    counted = unsolved_steps(block.name, [(block, state)], ticks, since)
    return Result(variables, title=block.name, about=about(block, period) | counted | ended)


def first_state(
    block: Block,
    period: float,
    initial: Mapping[Any, Any] | None,
    first: Mapping[str, ArrayLike] = _NOTHING,
    held: Mapping[str, ArrayLike] = _NOTHING,
) -> State:
    """Where a run starts, seen to be a state that the block can be in.

    At rest but for what `initial` says, or the state that this is; `first` is fed in the first tick, `held` always.
    """
    check_block(block)
    begun = block.start_values(initial)
    if isinstance(begun, State):
        state = State(block.name, block.spaces.state).matching(begun).copy()
        set_initial(state, {**first, **held})
    else:
        state = block.initial_state(period, {**first, **begun, **held})
    block.check_state(state)
    return state


def motion_of(
    owner: str, velocity: ArrayLike | None, position: ArrayLike | None, period: float, dimension: int, seen: Any = None
) -> Array:
    """Velocities as given, or from positions by differences, starting where it was seen last, or at rest."""
    if (velocity is None) == (position is None):
        got = "both velocity and position" if velocity is not None else "neither velocity nor position"
        checks.refuse(owner, f"run got {got}.", "Give one of them.")
    if velocity is not None:
        return checks.signal(owner, "velocity", velocity, "m/s", dimension)
    places = checks.signal(owner, "position", position, "m", dimension)  # type: ignore[arg-type]
    with np.errstate(over="ignore"):  # said below, as what it is
        motion = np.diff(places, axis=0, prepend=places[:1] if seen is None else seen.reshape(places[:1].shape))
        motion /= period
    checks.finite(owner, "velocity (from position)", motion, "m/s")
    return motion


def placed(block: Block, position: ArrayLike) -> dict[str, ArrayLike]:
    """The parts that say where the mover is, once its first position is known."""
    return {name: position for name, part in block.parts.items() if part.placed}


def last_seen(initial: object, dimension: int) -> Array | None:
    """Where a live block in that state saw its mover last [m]; None if nowhere."""
    if not isinstance(initial, State) or "seen_position" not in initial:
        return None
    last: Array = initial.part("seen_position")
    return last if last.shape == (dimension,) and np.isfinite(last).all() else None


def started(block: Block, position: ArrayLike, initial: Mapping[str, ArrayLike] | None) -> Mapping[str, ArrayLike]:
    """What a run over positions starts from: the first of them, and what `initial` says beside."""
    here, initial = placed(block, position), checks.mapping(block.name, "initial", initial, INITIAL)
    for name in here:
        if name in initial:
            checks.refuse(block.name, f"position and initial[{name!r}] both say where it starts.", "Give one of them.")
    return here | dict(initial) if here else initial


def fed_of(
    block: Block, inputs: Mapping[str, ArrayLike] | None, ticks: int, more: Fed = NOT_FED
) -> tuple[Fed, dict[str, ArrayLike], dict[str, ArrayLike]]:
    """All that is set before each tick; what that is at first, by name; and what holds throughout."""
    inputs = checks.mapping(block.name, "inputs", inputs, INPUTS)
    if not inputs:
        return more, {}, {}
    open_ = {name: part for name, part in block.parts.items() if part.fed}
    for name in inputs:
        if name not in open_:
            remedy = f"It takes {', '.join(open_)}." if open_ else "Nothing in it is fed."
            checks.refuse(block.name, f"inputs names {name!r}.", remedy)
    rows, slots = [more.rows.reshape(-1, ticks)], [more.slots]
    first: dict[str, ArrayLike] = {}
    held: dict[str, ArrayLike] = {}
    for name, value in inputs.items():
        place = block.spaces.state.places[name]
        given = _fed_record(block.name, name, value, place, ticks)
        if given.ndim == 1:  # it is in the state from the start
            held[name] = given
            continue
        first[name] = given[0]
        rows.append(given.T)
        slots.append(np.arange(place.start, place.stop))
    return Fed(np.concatenate(rows), np.concatenate(slots)), first, held


def _fed_record(owner: str, name: str, value: ArrayLike, place: Place, ticks: int) -> Array:
    """Its numbers, which hold; or a row of them for each tick."""
    count, label, unit = place.stop - place.start, f"inputs[{name!r}]", place.part.unit
    given = checks.array(owner, label, value, unit)
    held = given.ravel() if given.shape == place.shape or given.size == count == 1 else given
    rows = given[:, None] if given.ndim == 1 and count == 1 and given.size != 1 else held
    if rows.shape not in ((count,), (ticks, count)):
        wanted = "one number" if count == 1 else f"{count} numbers"
        checks.refuse(owner, f"{label} has shape {given.shape}.", f"Give {wanted}, or a row for each of {ticks} ticks.")
    checks.finite(owner, label, given, unit)
    return rows


def picks_of(block: Block, record: Sequence[str] | None) -> Picks:
    """The parts to record, and where their numbers lie in the state."""
    places = block.spaces.state.places
    remedy = f"It can record {', '.join(places)}."
    recorded = tuple(name for name, place in places.items() if place.part.recorded)
    names = recorded if record is None else checks.texts(block.name, "record", record, remedy)
    for name in names:
        if name not in places:
            checks.refuse(block.name, f"record has {name!r}.", remedy)
    return Picks(names, *spots_of(places[name] for name in names))


_NOWHERE = np.empty(0, dtype=np.int64)


def spots_of(places: Iterable[Place]) -> Memory:
    """Where each number of these parts lies, among the real and among the whole ones."""
    spots: dict[bool, list[NDArray[np.int64]]] = {False: [_NOWHERE], True: [_NOWHERE]}
    for place in places:
        spots[place.whole].append(np.arange(place.start, place.stop))
    return Memory(np.concatenate(spots[False]), np.concatenate(spots[True]))


def answer_picks(block: Block) -> Picks:
    """Where what a block gives lies in its state; nowhere for a machine without ports."""
    if not block.dimension:
        return Picks((), _NOWHERE, _NOWHERE)
    return Picks((block.gives,), np.arange(*block.spaces.state.span(block.gives)), _NOWHERE)


def check_every(owner: str, every: int, ticks: int) -> None:
    """Refuse a record that would hold nothing."""
    if every > ticks:
        checks.refuse(owner, f"every={every} is more than the {ticks} ticks: nothing would be recorded.", "Use less.")


def report_divergence(owner: str, table: Array, every: int, period: float) -> None:
    """Say when a run left the range of numbers: too large an input, or a model that is unstable at this period."""
    if checks.is_finite(table):
        return
    first = int(np.argwhere(~np.isfinite(table).all(axis=tuple(range(table.ndim - 1))))[0, 0])
    warnings.warn(
        f"{owner}: what it recorded is not finite from {(first + 1) * every * period:g} s on: "
        "the input is too large, or the model is unstable at this period.",
        DivergenceWarning,
        stacklevel=to_the_user(),
    )


def unsolved_steps(
    owner: str, ended: Sequence[tuple[Block, State]], ticks: int, first: float | None = None
) -> dict[str, int]:
    """Tell of steps that did not converge, and count them for `about`; nothing of blocks that solve nothing.

    `ended` are blocks and the states in which they ended, `first` is when the first of those steps did [s].
    """
    counts = [count for _, state in ended if (count := count_in(state)) is not None]
    if not counts:
        return {}
    tell(owner, sum(counts), ticks * len(ended), ended[0][0].unsolved_remedy, first=first)
    return {"unsolved_steps": sum(counts)}


def given_variables(block: Block, given: Signal, every: int, lead: tuple[str, ...] = ()) -> dict[str, Variable]:
    """Motion or force as given, port by port where there are several; `lead` are axes in front of time."""
    if not block.dimension:
        return {}
    before = (slice(None),) * len(lead)
    thinned, dims = given.signal[(*before, slice(every - 1, None, every))], (*lead, "time")
    if every > 1:
        thinned = thinned.copy()  # a view would hold all of the signal
    if len(block.ports) < 2:
        axes = ("axis",) if thinned.ndim > len(dims) else ()
        return {given.name: Variable((*dims, *axes), thinned, given.unit, given.meaning)}
    variables = {}
    for port, place in zip(block.ports, spans(block.ports).values(), strict=True):
        values = thinned[..., place] if port.dimension > 1 else thinned[..., place.start]
        axes = (f"{port.name}_axis",) if port.dimension > 1 else ()
        variables[f"{given.name}.{port.name}"] = Variable((*dims, *axes), values, port.force, given.meaning)
    return variables


def time_of(ticks: int, every: int, period: float) -> Variable:
    """The end of each recorded tick."""
    time = np.arange(every, ticks + 1, every, dtype=np.float64)
    time *= period
    return Variable(("time",), time, "s", "end of the tick")


def variables_of(
    block: Block, picks: Picks, table: Array, *, flat: bool, lead: tuple[str, ...] = ()
) -> dict[str, Variable]:
    """Rows of a record table (..., row, time) as named variables with their units."""
    rows = {False: 0, True: picks.real.size}
    variables = {}
    for name in picks.names:
        place = block.spaces.state.places[name]
        first = rows[place.whole]
        count = place.stop - place.start
        rows[place.whole] += count
        values = table[..., first : first + count, :].swapaxes(-2, -1)
        if place.whole and place.part.most <= 2**53:  # larger ones are rounded in the table
            values = values.astype(np.int64)
        dims, shape = (*lead, "time"), values.shape[:-1]
        if place.part.shape == AXIS:
            dims, shape = (dims, shape) if flat else ((*dims, "axis"), values.shape)
        elif place.shape:
            plain = (f"{name}_index",) if len(place.shape) == 1 else (f"{name}_{i}" for i in range(len(place.shape)))
            dims, shape = (*dims, *(place.part.axes or plain)), (*shape, *place.shape)
        variables[name] = Variable(dims, values.reshape(shape), place.part.unit, place.part.meaning)
    return variables


def about(block: Block, period: float) -> dict[str, Any]:
    """What a result remembers of how it was made."""
    drawn = {"figure": block.figure} if block.figure else {}
    return {"block": repr(block), "period": period} | drawn


def stacked(memories: Sequence[Memory]) -> Memory:
    """Several of one size along a leading axis."""
    return Memory(np.stack([m.real for m in memories]), np.stack([m.whole for m in memories]))
