"""The two contracts. An impedance takes motion and gives force; an admittance takes force and gives motion.

A block is immutable: it has parameters `p`. Whoever runs it owns its state `s`, all that a tick needs of the past, and
its workspace `w`, which may be lost between two ticks. A `Layout` names the parts of each, and kernels find them by
those names. So the same block can be run twice, copied, batched, checkpointed and replayed.

Kernels come in halves, so that anything couples implicitly to anything:

- ``answer`` is pure: what would this block give for a trial input, and how fast does that change (the slope)?
- ``advance`` commits what really happened.

and, for blocks that work in `w`, two more:

- ``prepare`` works out what all trials of a tick have in common, once its inputs are known.
- ``restore`` makes anew what `w` keeps from tick to tick; it is called where `w` may have been lost.

*Motion* is the mean generalised velocity over the tick. In one dimension the kernels are

    impedance    answer(p, s, w, v, T) -> force, slope       advance(p, s, w, v, T)
    admittance   answer(p, s, w, h, T) -> motion, slope      advance(p, s, w, h, v, T)
    either       prepare(p, s, w, T)                         restore(p, s, w)

and in n dimensions `answer` takes two more arrays to fill: (n,) for its first value, (n, n) for the slope.

A block meets others at its `ports`. Its dimension is that of all of them together: one vector holds what comes in, port
after port, another what goes out, and the slope is that across all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract
from tegotae.layout import Layouts, Memory, Part, Space
from tegotae.naming import Named, made_of
from tegotae.on_demand import service
from tegotae.parameters import Declared
from tegotae.ports import Port, force_unit, forces_over_time
from tegotae.result import Result
from tegotae.state import Fault, State, set_initial

if TYPE_CHECKING:
    from tegotae.running.batch import Batch
    from tegotae.running.live import LiveAdmittance, LiveImpedance

INITIAL = 'Name fields of the state and their values, such as initial={"velocity": 1.0}.'

MODULE = "_generated_module"  # under which a block keeps what was generated for it

Style = Literal["views", "values", "memory"]


class Halves(NamedTuple):
    """The kernels of a block. `tick`, of an admittance, is `answer` and `advance` in one, where that saves work."""

    answer: Callable[..., Any]
    advance: Callable[..., Any]
    prepare: Callable[..., Any] | None = None
    restore: Callable[..., Any] | None = None
    tick: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Kernels:
    """How to make a block's compiled halves.

    Args:
        make: an importable function that gives `Halves`, or (answer, advance), for the functions below.
        functions: what the halves are made for, such as the kernels of a friction law.
        style: how they find their numbers. "views": every part by its letter; single parameters are numbers, all else
            arrays. "values", for small blocks of one dimension: parts of the state are numbers too, and `advance` gives
            the new ones, in order; many such blocks in a row are worked on several at a time. "memory": p, s and w as
            they lie, for generated kernels that know the places.
    """

    make: Callable[..., Any]
    functions: tuple[Callable[..., Any], ...] = ()
    style: Style = "views"

    @classmethod
    def of(cls, *halves: Callable[..., Any], style: Style = "views") -> Kernels:
        """Of halves as they stand, made for nothing else: answer, advance and what else `Halves` names, in order."""
        return cls(as_they_stand, halves, style)

    def halves(self) -> Halves:
        """Compiled on their first call."""
        return Halves(*self.make(*self.functions))

    def imports(self, suffix: str = "") -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Alias -> function, as a generated module imports them."""
        laws = ((f"law{suffix}_{i}", f) for i, f in enumerate(self.functions))
        return (("make" + suffix, self.make), *laws)

    def source(self, suffix: str = "") -> str:
        """The line of a generated module that makes the halves."""
        laws = ", ".join(f"law{suffix}_{i}" for i in range(len(self.functions)))
        names = [name + suffix for name, half in zip(Halves._fields, self.halves(), strict=True) if half is not None]
        places = [i for i, half in enumerate(self.halves()) if half is not None]
        made = ", ".join(f"made{suffix}[{i}]" for i in places)
        return f"made{suffix} = make{suffix}({laws})\n{', '.join(names)} = {made}\n"


def as_they_stand(*halves: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The maker of halves that are made for nothing else."""
    return halves


def by_dimension(line: tuple[Callable[..., Any], ...], directions: tuple[Callable[..., Any], ...]) -> Any:
    """What a class writes as its `kernels`: halves on a line, in the style "values", and halves in more directions."""
    one, many = Kernels.of(*line, style="values"), Kernels.of(*directions)
    return property(lambda block: one if block.dimension == 1 else many, doc=Block.kernels.__doc__)


class Spaces(NamedTuple):
    """Where each part of a block's parameters, state and workspace lies."""

    parameters: Space
    state: Space
    workspace: Space


class Block(Declared, Named, ABC):
    """What impedances and admittances share: parameters, a state and a workspace with named parts, kernels."""

    dimension: int
    gives: ClassVar[Literal["force", "velocity"]]  # what it answers: the part of its state where that stands
    figure: ClassVar[str] = ""  # the name of what draws its results, if that is not as of any block
    bounded: ClassVar[bool] = True  # whether some positive parameters make no block, as fitting asks
    # Parts of its state that do not begin at 0 unless given: a number, or the part that they begin like.
    begins: ClassVar[Mapping[str, float | str]] = {}
    # Whether its `run` tells more than its parts, or takes more than what every run does: batches then ask it of each.
    runs_itself: ClassVar[bool] = False
    # What to advise where a step found no solution: blocks that solve count such steps in a part `unsolved`.
    unsolved_remedy: ClassVar[str] = "A shorter period or more damping usually helps."

    @property
    @abstractmethod
    def layout(self) -> Layouts:
        """Names, units and shapes of its parameters, its state and its workspace."""

    @property
    def values(self) -> Mapping[str, ArrayLike]:
        """What its parameters are, by the names of its layout: its fields of those names, unless it says otherwise."""
        fields = {part.name: getattr(self, part.name) for part in self.layout.parameters.parts()}
        return {name: getattr(value, "parameters", value) for name, value in fields.items()}  # a law's are its numbers

    @property
    @abstractmethod
    def kernels(self) -> Kernels:
        """How its compiled halves are made."""

    @property
    def ports(self) -> tuple[Port, ...]:
        """Where it meets others; none for a machine that only takes what it is fed."""
        return (Port("port", self.dimension),) if self.dimension else ()

    def check(self, period: float) -> None:
        """Refuse what can only be judged once the period is known."""

    @property
    def name(self) -> str:
        """The class's name, for messages and results."""
        return type(self).__name__

    @cached_property
    def spaces(self) -> Spaces:
        """Where everything lies in memory."""
        contract.check_layout(self)
        layout = self.layout
        sizes = tuple(layout.sizes[name] for name in layout.names)
        spaces = (Space(part, layout.sizes) for part in (layout.state, layout.workspace))
        return Spaces(Space(layout.parameters, layout.sizes, sizes), *spaces)

    @cached_property
    def parameters(self) -> Memory:
        """The numbers p that the kernels read."""
        return self.spaces.parameters.pack(self.values)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """The parts of its state, by name."""
        return {name: place.part for name, place in self.spaces.state.places.items()}

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """The state at rest, with the parts named in `initial` set."""
        state = State(self.name, self.spaces.state)
        given = checks.mapping(self.name, "initial", initial, INITIAL)
        set_initial(state, given)
        for name, start in self.begins.items():
            if name not in given:
                state[name] = state[start] if isinstance(start, str) else start
        return state

    def start_values(self, initial: Mapping[Any, Any] | None) -> Mapping[str, ArrayLike]:
        """What a user starts from, by the names of its parts; a whole state stays one."""
        return checks.mapping(self.name, "initial", initial, INITIAL)

    def check_state(self, state: State) -> None:
        """Refuse a state from outside that it could not have come to by itself; see `fault`."""
        fault = self.fault(state)
        if fault is None:
            return
        numbers = state.part(fault.name).ravel()
        spot = fault.name if numbers.size == 1 else f"{fault.name}[{fault.place}]"
        remedy = f"Give {fault.may_be}, or a state that such a block was in."
        checks.refuse(self.name, f"{spot}={numbers[fault.place].item()!r} cannot be in its state.", remedy)

    def fault(self, state: State) -> Fault | None:
        """The first number that cannot be; None for a state that it can run from.

        Kernels trust their state. A block that keeps more than counts and flags in it says here what there may be.
        """
        if not np.isfinite(state.real).all():
            for name, place in state.space.places.items():
                numbers = state.part(name).ravel()
                if not place.whole and not np.isfinite(numbers).all():
                    return Fault(name, int(np.argmin(np.isfinite(numbers))), "a finite number")
        for name, place in state.space.places.items():
            if place.whole:
                numbers, part = state.part(name).ravel(), place.part
                wrong = (numbers < part.least) | (numbers > part.most)
                if wrong.any():
                    return Fault(name, int(np.argmax(wrong)), f"a whole number from {part.least} to {part.most}")
        return None

    def see_divergence(self, table: NDArray[np.float64], every: int, period: float, began: State) -> None:
        """Say when a run left the range of numbers, by what it recorded, a row a number, and where it began."""
        service("loop").report_divergence(self.name, table, every, period)

    def see_trouble(self, state: State) -> None:
        """Say why it cannot go on from a state; blocks that stop tell so in a part `trouble`, 0 as long as they run."""

    def about_end(self, state: State) -> dict[str, Any]:
        """What a result tells of the state that a run ended in; "first_unsolved_step" is -1 where all were solved."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; how that is laid out and run, every process finds for itself."""
        return {name: value for name, value in made_of(self).items() if name != MODULE}

    def batch(self, **variations: Sequence[Any]) -> Batch:
        """The same block many times with some parameters varied, run together along a leading axis.

        Example:
            >>> import numpy as np, tegotae as tg
            >>> brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
            >>> sweep = brake.batch(stiffness=[1e3, 1e4])
            >>> sweep.run(np.full(10, 0.05), period=1e-3).force.shape
            (2, 10)
        """
        return cast("Batch", service("batch").of_variations(self, variations))


class Impedance(Block):
    """Motion in, force out.

    Example:
        >>> import tegotae as tg
        >>> isinstance(tg.SpringDamper(stiffness=100.0), tg.Impedance)
        True
    """

    gives = "force"

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], 0 for a block that only ever resists more."""
        return 0.0

    def run(
        self,
        velocity: ArrayLike | None = None,
        *,
        position: ArrayLike | None = None,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run a whole record from rest, compiled.

        Args:
            velocity: mean velocity over each tick [m/s], shape (ticks,) or (ticks, dimension).
            position: positions instead [m], as an encoder gives them; the first is where it starts, at rest.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from instead of rest, or a state, which knows where it was seen last.
            inputs: field that is fed -> a number, or its values over the ticks, in its own unit.
            progress: called with the share that is done, now and then.
        """
        loop = service("loop")
        period = checks.period_of(self.name, period)
        seen = loop.last_seen(initial, self.dimension)
        motion = loop.motion_of(self.name, velocity, position, period, self.dimension, seen)
        if position is not None and seen is None:
            initial = loop.started(self, np.asarray(position)[0], initial)
        given = loop.Signal("velocity", motion, "m/s")
        shared = {"every": every, "record": record, "initial": initial, "inputs": inputs, "progress": progress}
        return cast("Result", loop.run(self, given, period, **shared))

    def check_mover(self, mass: float, period: float) -> None:
        """Refuse a mass [kg] that cannot be moved as promised at this period [s]; circuits ask where they know it."""

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveImpedance:
        """A live element for a control loop; its kernels are warm when this returns."""
        return cast("LiveImpedance", service("live impedance")(self, period, initial))


class Admittance(Block):
    """Force in, motion out.

    Example:
        >>> import tegotae as tg
        >>> isinstance(tg.Mass(mass=1.0), tg.Admittance)
        True
    """

    gives = "velocity"

    @abstractmethod
    def least_reluctance(self, period: float) -> float:
        """The smallest rise of the needed force with the velocity [N·s/m]; M/T for a plain mass."""

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike],
        *,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run a whole record of forces, compiled.

        Args:
            force: force over each tick [N], shape (ticks,) or (ticks, dimension); or port -> force over each tick
                there, and none at the others.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from instead of rest, such as {"velocity": 1.0}.
            inputs: field that is fed -> a number, or its values over the ticks, in its own unit.
            progress: called with the share that is done, now and then.
        """
        loop = service("loop")
        period = checks.period_of(self.name, period)
        given = loop.Signal("force", forces_over_time(self.name, self.ports, force), force_unit(self.ports))
        shared = {"every": every, "record": record, "initial": initial, "inputs": inputs, "progress": progress}
        return cast("Result", loop.run(self, given, period, **shared))

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveAdmittance:
        """A live element for a control loop; its kernels are warm when this returns."""
        return cast("LiveAdmittance", service("live admittance")(self, period, initial))
