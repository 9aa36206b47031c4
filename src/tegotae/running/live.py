"""A block in a control loop, one tick at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isinf, isnan, nan
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.compile import bind, frees_sums
from tegotae.errors import TegotaeError
from tegotae.kernels.soundness import first_unsound
from tegotae.layout import AXIS, MOST, Layout, Memory, Part, Space
from tegotae.ports import by_port, force_unit, forces_now
from tegotae.running import loop
from tegotae.running.source import module_of
from tegotae.state import State
from tegotae.unsolved import Watched

AGAIN = "The tick was not taken and the state is as before; repair the input and step again."


class Live:
    """A block in a loop, one tick at a time. It holds the state; the block stays as it was."""

    _beside: tuple[Part, ...] = ()  # what it keeps behind the block's own numbers
    _modes: tuple[tuple[int, ...], ...] = ((),)  # of those in which a tick may be given, what tells them apart

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        self.block = block
        self._period = checks.period_of(block.name, period)
        block.check(self._period)
        self._n = block.dimension
        space = block.spaces.state
        self._size, self._count = space.length
        self._state = State(block.name, Space(Layout((*space.layout.items, *self._beside)), space.sizes))
        if isinstance(initial, State):  # a copy goes on from there: at rest it might be inside of something
            self._take_over(initial)
        else:
            first = loop.first_state(block, self._period, initial)
            self._state.real[: self._size], self._state.whole[: self._count] = first.real, first.whole
            self._state.real[self._size :] = np.nan
        self._workspace = block.spaces.workspace.empty()
        self._in, self._out = np.zeros(self._n), np.zeros(self._n)
        self._watched = Watched(block.name, [(block, self._state)])
        # Compiled now, with a step on a copy, so that the first tick is not a compile.
        self._restore = bind(module_of(block).restore_all, *self._memories(self._state))
        self._step, *self._others = (self._bound(*mode) for mode in self._modes)
        self._restore()

    @property
    def period(self) -> float:
        """T [s], fixed at the start."""
        return self._period

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.block!r}, period={self._period:g} s)"

    def __reduce__(self) -> Any:
        """Copied and pickled as a block, a period and a state; the copy compiles for itself."""
        return type(self), (self.block, self._period, self.state)

    def _memories(self, state: State) -> tuple[Memory, Memory, Memory]:
        return self.block.parameters, self._memory_of(state), self._workspace

    def _memory_of(self, state: State) -> Memory:
        return Memory(state.real[: self._size], state.whole[: self._count])

    def _bound(self, *mode: int) -> Callable[..., Any]:
        """The compiled tick: takes a float in one dimension; reads `_in` and fills `_out` in more."""
        module = module_of(self.block)
        if frees_sums(module.loop):
            return self._watched.around(self._bound_loop(*mode))
        trial, given = (0.0, float) if self._n == 1 else (self._in, self._in)

        def arguments(state: State, first: Any) -> tuple[Any, ...]:
            seen = (state.real[self._size :],) if self._beside else ()
            behind = () if self._n == 1 else (self._out,)
            return (*self._memories(state), first, *mode, self._period, *seen, *behind)

        self._restore()
        module.step(*arguments(self._state.copy(), trial))
        return self._watched.around(bind(module.step, *arguments(self._state, given)))

    def _bound_loop(self, *mode: int) -> Callable[..., Any]:
        """The loop of its runs, over a single tick: sums in free order come out alike in no other."""
        given, found, T = np.zeros(self._n), self._out, self._period
        picks, unfed = loop.answer_picks(self.block), loop.NOT_FED
        record = given if self._n == 1 else given[None]
        rest = (record, *unfed, T, 1, picks.real, picks.whole, 0, 0, 1, found[:, None])
        entry = module_of(self.block).loop
        self._restore()
        entry(*self._memories(self._state.copy()), *rest)
        tick = bind(entry, *self._memories(self._state), *rest)
        find_unsound = bind(first_unsound, self._state.real[None, : self._size])
        seen, to_place = self._state.real[self._size :], mode == (1,)

        def step() -> bool:
            new = motion = self._in
            if to_place:
                motion = 0.0 * new if np.isnan(seen).any() else (new - seen) / T
            if not (np.isfinite(new).all() and np.isfinite(motion).all()):
                return False
            given[:] = motion
            tick()
            if mode:
                seen[:] = new if to_place else seen + T * motion
            return find_unsound() < 0 and not np.isinf(seen).any()

        def step_of_one(number: float) -> float:  # the same by plain numbers: NumPy would take longer than the tick
            new = motion = float(number)
            last = seen.item() if mode else 0.0
            if to_place:
                motion = 0.0 if isnan(last) else (new - last) / T
            if not (isfinite(new) and isfinite(motion)):
                return nan
            given[0] = motion
            tick()
            if mode:
                seen[0] = last = new if to_place else last + T * motion
            return found.item() if find_unsound() < 0 and not isinf(last) else nan

        return step_of_one if self._n == 1 else step

    @property
    def state(self) -> State:
        """A copy of the state: keep it as a checkpoint, assign it to go back."""
        return self._state.copy()

    @state.setter
    def state(self, value: State) -> None:
        self._take_over(value)
        self._watched.again()
        self._restore()

    def _take_over(self, value: State) -> None:
        """The numbers of another state, if the block can be in it."""
        own = State(self.block.name, self.block.spaces.state)
        if isinstance(value, State) and value.shapes() == own.shapes():  # of a batch, which sees no positions
            unseen = np.full(self._state.real.size - self._size, np.nan)
            value = State(value.owner, self._state.space, Memory(np.append(value.real, unseen), value.whole))
        given = self._state.matching(value)
        self._check_state(given)
        self._state.take(given)

    def _check_state(self, state: State) -> None:
        self.block.check_state(State(self.block.name, self.block.spaces.state, self._memory_of(state)))

    def __getitem__(self, field: str) -> Any:
        """A field of the state by name, such as live["deflection"]."""
        value = self._state[field]
        return value if isinstance(value, (int, float)) else value.copy()

    def __setitem__(self, field: str, value: ArrayLike) -> None:
        """Feed an input that is neither motion nor force, such as live["speed"] = 20.0; it holds."""
        fed = {name: part for name, part in self.block.parts.items() if part.fed}
        if not isinstance(field, str) or field not in fed:
            remedy = f"It takes {', '.join(fed)}." if fed else "It takes motion or force alone."
            checks.refuse(self.block.name, f"field={checks.shown(field)} cannot be fed.", remedy)
        numbers, unit = self._state.part(field), fed[field].unit
        if numbers.size > 1:
            numbers[:] = checks.vector(self.block.name, field, value, unit, numbers.size).reshape(numbers.shape)
            return
        remedy = "Give one finite number as its value; the last one still holds."
        numbers[:] = checks.number(self.block.name, field, value, unit, remedy)

    def _vector(self, name: str, value: ArrayLike, unit: str) -> Array:
        given = checks.numbers(self.block.name, name, value)
        if given.shape != (self._n,):
            checks.refuse(self.block.name, f"{name} has shape {given.shape}.", f"Give {self._n} numbers, in {unit}.")
        return given

    def _number(self, name: str, value: Any, unit: str) -> float:
        """A number that was not given as a float."""
        if type(value) is int and -MOST <= value <= MOST:
            return float(value)
        return float(self._vector(name, value, unit)[0])

    def _refuse(self, name: str, value: Any, unit: str) -> NoReturn:
        if np.isfinite(value).all():
            say_that_it_diverged(f"{self.block.name}: it", f"{name}={value} {unit}")
        checks.refuse(self.block.name, f"{name}={value} {unit} is not finite.", AGAIN)

    def _take(self, step: Callable[..., Any], name: str, value: Any, unit: str) -> Any:
        if self._n == 1:
            number = value if isinstance(value, float) else self._number(name, value, unit)
            output = step(number)
            if output != output:
                self._refuse(name, number, unit)
            return output
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.shape != self._in.shape:
            value = self._vector(name, value, unit)
        self._in[:] = value
        if not step():
            self._refuse(name, value, unit)
        return self._out.copy()


class LiveImpedance(Live):
    """An impedance in a control loop: `force = live.step(velocity)`."""

    _beside: tuple[Part, ...] = (Part("seen_position", "m", "where the mover was seen last; nan if nowhere yet", AXIS),)
    _modes = ((0,), (1,))  # by a velocity, or to a position

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        (self._step_to,) = self._others
        self._placed = [self._state.part(name) for name in loop.placed(block, 0.0)]

    def step(self, velocity: ArrayLike | None = None, *, position: ArrayLike | None = None) -> Any:
        """One tick: mean velocity [m/s] (or the new position [m]) in, force [N] out."""
        if position is None:
            if velocity is None:
                checks.refuse(self.block.name, "step got neither velocity nor position.", "Give one of them.")
            return self._take(self._step, "velocity", velocity, "m/s")
        if velocity is not None:
            checks.refuse(self.block.name, "step got both velocity and position.", "Give one of them.")
        if self._placed and np.isnan(self._state.real[-1]):
            self._begin(position)
        return self._take(self._step_to, "position", position, "m")

    def _begin(self, position: ArrayLike) -> None:
        """The first position says where the mover is; refused where the block cannot start there."""
        here = self._vector("position", position, "m")
        if np.isfinite(here).all():  # else the tick is refused
            self.block.initial_state(self._period, loop.placed(self.block, here))
            for part in self._placed:
                part[:] = here

    def _check_state(self, state: State) -> None:
        super()._check_state(state)
        last = state.part("seen_position")
        if np.isinf(last).any() or np.isnan(last).any() != np.isnan(last).all():
            remedy = "Give where it was last, or nan in all directions for nowhere yet."
            checks.refuse(self.block.name, f"seen_position={last} m cannot be in its state.", remedy)

    def _refuse(self, name: str, value: Any, unit: str) -> NoReturn:
        if name == "position" and np.isfinite(value).all():
            with np.errstate(over="ignore"):  # said below, as what it is
                motion = (np.atleast_1d(value) - self._state.part("seen_position")) / self._period
            if np.isinf(motion).any():  # and then the tick was not taken
                name, value, unit = "velocity (from position)", motion, "m/s"
        super()._refuse(name, value, unit)


class LiveAdmittance(Live):
    """An admittance in a control loop: `velocity = live.step(force)`."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        self._unit = force_unit(block.ports)
        super().__init__(block, period, initial)

    def step(self, force: ArrayLike | Mapping[str, ArrayLike] | None = None) -> Any:
        """One tick: force [N] in, velocity [m/s] out; or port -> force in, port -> velocity out; none without ports."""
        if force is None:
            if self._n:
                checks.refuse(self.block.name, "step got no force.", "Give it, 0 for none.")
            force = self._in
        if type(force) is dict:
            ports, given = self.block.ports, np.empty(self._n)
            forces_now(self.block.name, ports, force, given)
            return by_port(ports, np.atleast_1d(self._take(self._step, "force", given, self._unit)))
        return self._take(self._step, "force", force, self._unit)


def say_that_it_diverged(who: str, given: str) -> NoReturn:
    """An error about a block whose numbers left their range in a tick."""
    raise TegotaeError(
        f"{who} diverged: {given} was finite, its answer or its state is not.\n"
        "  Start again with a smaller input if this one is absurd; else the model is unstable at this period: "
        "use a shorter one."
    )
