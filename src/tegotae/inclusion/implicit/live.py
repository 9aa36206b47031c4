"""A stepper in a control loop, one tick at a time."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.inclusion.implicit.layouts import HELD, INPUTS
from tegotae.inclusion.language.arguments import check_values, named
from tegotae.running.live import AGAIN, Live

if TYPE_CHECKING:
    from tegotae.inclusion.implicit.stepper import Stepper


class LiveStepper(Live):
    """A machine in a control loop, one tick at a time. Made by `Stepper.start`.

    `live["p"]` is a state, `live["floor"]` an element's force [N], `live["rub_0"]` a component of one in space;
    `live["load"] = 2.0` feeds as `step` does.

    Example:
        >>> from tegotae.inclusion import Contact, Inclusion
        >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 1.0, "g": 9.81})
        >>> stepper = ball.to_stepper(period=1e-3, contact=Contact(stiffness=1e5, damping=200.0))
        >>> live = stepper.start(initial={"p": 0.01})
        >>> for tick in range(1000):
        ...     states = live.step()
        >>> round(live["floor"], 6), states["v"] < 1e-9
        (9.81, True)
    """

    block: Stepper

    def __init__(self, block: Stepper, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        system, places = block.inclusion, self._state.space.places
        self._names = [s.name for s in system.states]
        first = places[self._names[0]].start
        self._x = self._state.real[first : first + len(self._names)]
        # Where the numbers of each parameter and input lie, and where it says that an input is fed.
        self._slots: dict[Any, tuple[int, int | None]] = {}
        for symbol, name in block.fed_names.items():
            flag = places[f"{HELD}.{name}"].start if symbol in system.callables else None
            self._slots[symbol] = self._slots[symbol.name] = places[name].start, flag
        self._components = {
            f"{friction.name}_{i}": places[friction.name].start + i
            for friction in system.frictions
            for i in range(len(friction.forces))
            if len(friction.forces) > 1
        }

    @property
    def time(self) -> float:
        """The end of the last tick [s]."""
        return float(self._state["ticks"] * self.period)

    @property
    def unsolved_steps(self) -> int:
        """How many steps so far had no solution that was found."""
        return int(self._state["unsolved"])

    def __getitem__(self, field: str) -> Any:
        """A state, an element's force [N] or any other part of its state, by name."""
        if isinstance(field, str) and field in self._components and field not in self._state:
            return self._state.real.item(self._components[field])
        return super().__getitem__(field)

    def __setitem__(self, field: str, value: ArrayLike) -> None:
        """Feed a parameter or an input; it holds."""
        super().__setitem__(field, value)
        if f"{HELD}.{field}" in self._state:
            self._state[f"{HELD}.{field}"] = 1

    def step(self, inputs: Mapping[Any, float] | None = None) -> dict[str, float]:
        """One tick.

        Args:
            inputs: parameter or input function -> value over the tick, in SI units; it holds until given again.

        Returns:
            The states by name.
        """
        if inputs is not None:
            found = []  # all of them are fed, or none if one is refused
            for key, value in named("Stepper", "inputs", inputs, "{'load': 1.0}").items():
                if key not in self._slots:
                    self.block.fed_name(key)  # refuses it
                if not (isinstance(value, float) and isfinite(value)):
                    value = checks.number("Stepper", f"inputs[{str(key)!r}]", value, "", AGAIN)
                found.append((*self._slots[key], value))
            for place, flag, value in found:
                self._state.real[place] = value
                if flag is not None:
                    self._state.whole[flag] = 1
        if not self._step():
            # An input's function gave no number, or the states have left the range of numbers.
            workspace, times = self.block.spaces.workspace, self.block.input_times(int(self._state["ticks"]) - 1)
            for part, t in zip(INPUTS[self.block.method], times, strict=True):
                u = workspace.part(self._workspace, part)
                check_values(self.block.name, self.block.inclusion.callables, u, t)
            self.block.diverged(self.time)
        return dict(zip(self._names, self._x.tolist(), strict=True))
