"""A stepper in a control loop, one tick at a time."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import MOST
from tegotae.checks import Array
from tegotae.inclusion.given import named
from tegotae.inclusion.stepper import REMEDY, Stepper
from tegotae.unsolved import Watch


class LiveStepper:
    """A machine in a control loop, one tick at a time. It holds the state; the stepper stays as it was.

    Args:
        stepper: what to run.
        initial: state -> value, in SI units.

    Example:
        >>> from tegotae.inclusion import Contact, Inclusion
        >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 1.0, "g": 9.81})
        >>> live = ball.to_stepper(period=1e-3, contact=Contact(stiffness=1e5, beta=2e-3)).start(initial={"p": 0.01})
        >>> for tick in range(1000):
        ...     states = live.step()
        >>> round(live["floor"], 6), states["v"] < 1e-9
        (9.81, True)
    """

    def __init__(self, stepper: Stepper, initial: Mapping[Any, float]):
        self.stepper = stepper
        self._memory = stepper._memory(initial)
        self._fed: dict[str, float] = {}
        self._into = np.empty(0, dtype=np.int64)
        self._values = np.empty((1, 0))
        self._tick = 0
        self._row = np.empty((1, stepper._width))
        self._places = self._recorded()
        self._watch = Watch("Stepper", REMEDY)
        kept = self.state
        self._advance()  # compiles, so that the first tick in the loop does not; then all is put back
        self.state = kept
        self._memory.room.counts[:] = 0

    def __repr__(self) -> str:
        return f"LiveStepper({self.stepper!r}, time={self.time:g} s)"

    def __reduce__(self) -> Any:
        """Copied and pickled as a stepper, what it was fed, a state and what was counted; the copy compiles itself."""
        return _revive, (self.stepper, self._fed, self.state, self._memory.room.counts.copy())

    def _recorded(self) -> dict[str, int]:
        system = self.stepper.inclusion
        names = [s.name for s in system.states]
        names += [str(force.name).removeprefix("force_") for force in system.forces]
        return {name: i for i, name in enumerate(names)}

    @property
    def time(self) -> float:
        """The end of the last tick [s]."""
        return self._tick * self.stepper.period

    @property
    def unsolved_steps(self) -> int:
        """How many steps so far had no solution that was found."""
        return int(self._memory.room.counts[-1])

    @property
    def state(self) -> Array:
        """A copy of all that the next tick depends on: keep it as a checkpoint, assign it to go back."""
        memory = self._memory
        return np.concatenate([[float(self._tick)], memory.x, memory.s, memory.F])

    @state.setter
    def state(self, value: ArrayLike) -> None:
        given, memory = checks.numbers("Stepper", "state", value), self._memory
        n, m = memory.x.size, memory.F.size
        if given.shape != (1 + n + 2 * m,):
            checks.refuse("Stepper", f"state has shape {given.shape}.", f"Assign one of shape {(1 + n + 2 * m,)}.")
        checks.finite("Stepper", "state", given, "")
        if not 0.0 <= given[0] <= MOST or given[0] != np.floor(given[0]):
            told = "Give how many ticks were taken, or a state that such a machine was in."
            checks.refuse("Stepper", f"state[0]={float(given[0])!r} is no count of ticks.", told)
        self._tick = int(given[0])
        memory.x[:], memory.s[:], memory.F[:] = given[1 : 1 + n], given[1 + n : 1 + n + m], given[1 + n + m :]
        self._row[0, :n], self._row[0, n : n + m] = memory.x, memory.F

    def __getitem__(self, name: str) -> float:
        """A state, or an element's force [N], by name."""
        if not isinstance(name, str) or name not in self._places:
            checks.refuse("Stepper", f"it has no name={checks.shown(name)}.", f"It has {', '.join(self._places)}.")
        return float(self._row[0, self._places[name]])

    def step(self, inputs: Mapping[Any, float] | None = None) -> dict[str, float]:
        """One tick.

        Args:
            inputs: parameter or input function -> value over the tick, in SI units; it holds until given again.

        Returns:
            The states by name.
        """
        if inputs is not None:
            self._feed(named("Stepper", "inputs", inputs, "{'load': 1.0}"))
        stepper, memory = self.stepper, self._memory
        first = self._advance()
        states = dict(zip(self._places, memory.x.tolist(), strict=False))  # their names come first there
        sound = all(map(isfinite, states.values()))
        if first >= 0 or not sound:
            stepper._see_that_it_is_finite(memory, first if sound else self._tick - 1)
            self._watch.see(self.unsolved_steps)
        return states

    def _advance(self) -> int:
        """Take the tick; its number if it has no solution or the states left the numbers, else -1."""
        stepper, memory = self.stepper, self._memory
        first = stepper._module.loop(
            *memory.arrays, self._values, self._into, bool(self._fed), self._tick, *stepper._tail(memory), 1, self._row
        )
        self._tick += 1
        return int(first)

    def _feed(self, inputs: Mapping[Any, float]) -> None:
        for key, value in inputs.items():
            self.stepper._place(key)
            told = "The tick was not taken and the state is as before; repair the input and step again."
            self._fed[str(key)] = checks.number("Stepper", f"inputs[{str(key)!r}]", value, "", told)
        self._into = np.array([self.stepper._place(name) for name in self._fed], dtype=np.int64)
        self._values = np.array([list(self._fed.values())])


def _revive(stepper: Stepper, fed: Mapping[str, float], state: Array, counts: Array) -> LiveStepper:
    live = LiveStepper(stepper, {})
    live._feed(fed)
    live.state = state
    live._memory.room.counts[:] = counts
    return live
