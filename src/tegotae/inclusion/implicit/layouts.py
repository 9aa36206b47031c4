"""How the numbers of a stepped machine lie: what it is and keeps, by the names of its states and elements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike
from sympy import Symbol

from tegotae import checks
from tegotae.block import Block
from tegotae.coupling.kernels.natural_residual import DISC, STOP, work_rows
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.implicit.kernels import stepper as k
from tegotae.inclusion.implicit.kernels import striking
from tegotae.inclusion.language.equations import Equations
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.state import State

if TYPE_CHECKING:
    from tegotae.inclusion.implicit.stepper import Stepper

HOW = ("newton", "sweeps", "every_mode", "path")  # how the forces of a step were found, as the kernels count it
MIDPOINT, EULER = METHODS = ("midpoint", "euler")
INPUTS = {MIDPOINT: ("um", "u", "ua"), EULER: ("u",)}  # in the order of their times
HELD = "held"  # in front of an input's name: whether it is fed, and its function not asked


class Stepped(Block):
    """What a machine at a fixed period is and tells, by itself or behind a port."""

    figure: ClassVar[str] = "inclusion"
    unsolved_remedy: ClassVar[str] = (
        "Rigid friction may have no solution there (Painlevé), or a gap or a limit bends too fast for a tick: "
        "use a shorter period or a smaller stiffness."
    )

    @property
    def machine(self) -> Stepper:
        """The machine at its period: itself, or that behind the port."""
        return cast("Stepper", getattr(self, "stepper", self))

    @cached_property
    def layout(self) -> Layouts:
        """Its elements; its states by their names and what its elements do; what is fed, or what its port gives."""
        return layouts_of(self.machine.inclusion, self.dimension, tuple(self.machine.restitutions))

    def check(self, period: float) -> None:
        """Its own period only."""
        expected = self.machine.period
        if not math.isclose(period, expected, rel_tol=1e-9):
            word = "it" if self is self.machine else "its stepper"
            checks.refuse(
                self.name,
                f"period={period:g} s, but {word} was made for {expected:g} s.",
                f"Use period={expected:g}, or to_stepper(period={period:g}, ...).",
            )

    def about_end(self, state: State) -> dict[str, Any]:
        """How the steps that led to a state were solved."""
        about = {"first_unsolved_step": int(state["first_unsolved_tick"]) - 1}
        return about | {f"steps_by_{how}": int(state[f"steps.{how}"]) for how in HOW}

    def check_names(self, *taken: str) -> None:
        """Refuse states and elements that are called as parts of the block are."""
        system = self.machine.inclusion
        for name in [s.name for s in system.states] + [e.name for e in system.elements]:
            if name in (*taken, "ticks", "unsolved", "first_unsolved_tick"):
                problem = f"a state or element is called {name!r}, as a part of the block is."
                checks.refuse(self.name, problem, "Rename it.")


def layouts_of(system: Equations, dimension: int, bouncing: Sequence[str] = ()) -> Layouts:
    """What the block is, keeps and works in; users know its numbers by the names of states and elements.

    `bouncing` are its contacts that have a restitution.

    Without a port, parameters and inputs are parts of the state, so that they can be fed.
    """
    alone = dimension == 0
    n, m, nc, nf = sizes_of(system)
    touching, rubbing = [c.name for c in system.contacts], [f.name for f in system.frictions]
    forces = tuple(element.name for element in system.elements for _ in element.forces)
    axes = ("axis",) if alone else ()
    numbers = Part("", "SI", "parameter", (len(system.parameters),), "c", labels=_names(system.parameters))
    port = Part("velocity", "m/s", "that the force works on, mean over the tick", AXIS, "v")
    trial = (  # where a force is tried
        Part("x1", "SI", "states at the end of the trial", (n,)),
        Part("F1", "N", "forces of its elements", (m,)),
        Part("e1", "m", "what their springs give way", (m,)),
        Part("h", "N", "force that was tried", AXIS),
        Part("push", "", "rows by that force", (n, "axis")),
        Part("dx", "", "states by that force", (n,)),
        Part("slope", "", "motion by that force", ("axis", "axis")),
        Part("fresh", "", "1 if a trial of this tick stands here", whole=True),
        Part("how", "", "that trial was solved", whole=True),
    )
    return layouts(
        dimension=dimension,
        parameters=(
            *(() if alone else (numbers,)),
            Part("", "N/m", "stiffness of the element", (m,), "K", labels=_with(forces, ".stiffness")),
            Part("", "N·s/m", "damping of the element", (m,), "B", labels=_with(forces, ".damping")),
            Part("", "-", "restitution of the contact", (len(bouncing),), "R", labels=_with(bouncing, ".restitution")),
        ),
        state=(
            *(() if alone else (port,)),
            Part("", "SI", "state", (n,), "x", labels=_names(system.states)),
            Part("", "N", "force of the element", (m,), "F", labels=forces, axes=axes),
            Part("", "m", "what its spring gives way", (m,), "e", labels=_with(forces, "_deflection"), axes=axes),
            _flags("touches", touching),
            _flags("sticks", rubbing),
            *(_fed(system) if alone else ()),
            Part("ticks", "-", "taken so far", whole=True, recorded=False),
            Part("unsolved", "-", "ticks so far that had no solution", whole=True, recorded=not alone),
            Part("first_unsolved_tick", "-", "first of those, from 1 on; 0 for none", (), "first", True, False),
            Part("steps", "-", "solved in that way", (len(HOW),), whole=True, recorded=False, labels=HOW),
        ),
        workspace=(
            Part("beta", "s", "damping of each element over its stiffness", (m,)),
            Part("modes1", "", "1 if it touches or sticks", (nc + nf,)),
            Part("c", "SI", "parameters of the tick", (len(system.parameters),)),
            Part("u", "SI", "inputs of the tick", (len(system.callables),)),
            Part("um", "SI", "inputs at its middle", (len(system.callables),)),
            Part("ua", "SI", "inputs half a tick ahead", (len(system.callables),)),
            *(() if alone else trial),
            *(Part(name, shape=shape) for name, shape in workspace_shapes(n, m, nc, nf, bool(bouncing)).items()),
        ),
    )


def _fed(system: Equations) -> tuple[Part, ...]:
    """Parameters and inputs: what they are unless they are fed, is seen to at the start and in each tick."""
    names = fed_names(system)
    numbers = tuple(names[symbol] for symbol in system.parameters)
    functions = tuple(names[symbol] for symbol in system.callables)
    open_: dict[str, Any] = {"recorded": False, "fed": True}
    return (
        Part("", "SI", "parameter, its own unless fed", (len(numbers),), "c", labels=numbers, **open_),
        Part("", "SI", "input, that of its function unless fed", (len(functions),), "u", labels=functions, **open_),
        Part(HELD, "-", "1 if it is fed", (len(functions),), whole=True, most=1, recorded=False, labels=functions),
    )


def _flags(word: str, names: Sequence[str]) -> Part:
    labels = _with(names, f"_{word}")
    return Part("", "-", f"1 if it {word}", (len(names),), word, whole=True, most=1, labels=labels)


def _names(symbols: Iterable[Symbol]) -> tuple[str, ...]:
    return tuple(symbol.name for symbol in symbols)


def _with(names: Sequence[str], word: str) -> tuple[str, ...]:
    return tuple(name + word for name in names)


def sizes_of(system: Equations) -> tuple[int, int, int, int]:
    """How many states, forces, contacts and frictions."""
    return len(system.states), len(system.forces), len(system.contacts), len(system.frictions)


def words_of(system: Equations) -> dict[str, tuple[str, ...]]:
    """What is told of each element, by its name: force, deflection, and whether it touches or sticks."""
    kinds = {c.name: "touches" for c in system.contacts} | {f.name: "sticks" for f in system.frictions}
    return {name: (name, f"{name}_deflection", f"{name}_{word}") for name, word in kinds.items()}


def fed_names(system: Equations) -> dict[Symbol, str]:
    """What the state calls a parameter or an input: its name, but where an element or a count has that."""
    taken = {"ticks", "unsolved", "first_unsolved_tick"}.union(*words_of(system).values())
    symbols = (*system.parameters, *system.callables)
    return {symbol: f"given.{symbol.name}" if symbol.name in taken else symbol.name for symbol in symbols}


def element_values(machine: Stepper) -> dict[str, ArrayLike]:
    """Stiffness and damping of each element, one for each direction, and restitutions, by the names of the layout."""
    values: dict[str, ArrayLike] = {}
    for element in machine.inclusion.elements:
        chosen, count = machine.elements[element.name], len(element.forces)
        values |= {f"{element.name}.{word}": np.full(count, getattr(chosen, word)) for word in ("stiffness", "damping")}
    return values | {f"{name}.restitution": value for name, value in machine.restitutions.items()}


def workspace_shapes(n: int, m: int, nc: int, nf: int, bouncing: bool = False) -> dict[str, tuple[int, ...]]:
    """The arrays a tick works in, in their order: for n states, m forces, nc contacts and nf frictions.

    `bouncing`: whether any contact has a restitution.
    """
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("d", "free", "shift", "xh", "xm", "f"), (n,))
    shapes |= dict.fromkeys(("S", "M", "A"), (n, n)) | {"inverse": (n, n + m), "G": (n, m), "W": (n, m)}
    shapes |= {"g": (nc,), "gv": (nc,), "Dg": (nc, n), "y": (m - nc,), "Dy": (m - nc, n)}
    shapes |= {"limit": (nc + nf,), "LA": (nf, n), "LB": (nf, nc), "L": (nc + nf, m), "Q": (m, m)}
    shapes |= dict.fromkeys(("b", "C", "F_before", "noise"), (m,)) | {
        "ready": (1,),
        "theta": (1,),
        "stage": (1,),
        "strike": (striking.ROWS, m) if bouncing else (0, m),
        "full": (n if bouncing else 0,),
        "work": (int(work_rows(m)), m),
    }
    return {name: shapes[name] for name in k.Workspace._fields}


def workspace(n: int, m: int, nc: int, nf: int) -> Any:
    """Those arrays, empty."""
    return k.Workspace(*(np.zeros(shape) for shape in workspace_shapes(n, m, nc, nf).values()))


def blocks_of(nc: int, counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Kind and first row of each element, and where the last ends: contacts, then frictions of so many rows."""
    first = list(range(nc + 1))
    for count in counts:
        first.append(first[-1] + count)
    return [STOP] * nc + [DISC] * len(counts), first


def elements(nc: int, counts: Sequence[int], stiffness: Any, beta: Any) -> Any:
    """The elements as the kernels read them."""
    kind, first = (np.array(given, dtype=np.int64) for given in blocks_of(nc, counts))
    # As constants of a generated module are: one type, one compiled solve.
    kind.flags.writeable = first.flags.writeable = False
    numbers = (np.array(given, dtype=np.float64) for given in (stiffness, beta, ()))
    return k.Elements(nc, kind, first, *numbers)
