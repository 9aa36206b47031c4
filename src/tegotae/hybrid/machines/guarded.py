"""A machine in a hybrid loop: any admittance with a six-dimensional port, live, under the energy guard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance
from tegotae.checks import Array
from tegotae.compile import bind, build
from tegotae.errors import TegotaeError
from tegotae.hybrid.kernels import guard as caps
from tegotae.hybrid.links.packets import ORIGIN, reals, sound_pose
from tegotae.hybrid.safety.poses import moved
from tegotae.kernels.soundness import sound
from tegotae.parameters import Declared, Parameter
from tegotae.ports import spans
from tegotae.running.source import module_of
from tegotae.state import State

_OWNER = "GuardedMachine"
_SEEN = ("kinetic_energy", "place", "quaternion", "twist", "normal_mobility")  # what a block may tell of itself
_SIX = "an admittance with a six-dimensional port"

# What the block would do by itself tells how much of the wrench the budget allows; then it is asked with that.
_SOURCE = """
@entry
def tick(p, s, w, h, T, B, guarded, motion, slope, spare, at):
    prepare(p.real, p.whole, s.real, s.whole, w.real, w.whole, T)
    spare[:] = 0.0
    answer(p.real, p.whole, s.real, s.whole, w.real, w.whole, spare, T, motion, slope)
    spare[:] = motion
    S = np.empty((6, 6))
    for i in range(6):
        for j in range(6):
            S[i, j] = slope[at + i, at + j]
    counted = cap(h[at : at + 6], spare[at : at + 6], S, T, B, guarded)
    answer(p.real, p.whole, s.real, s.whole, w.real, w.whole, h, T, motion, slope)
    correct(h[at : at + 6], motion[at : at + 6], T, B, counted)
    advance(p.real, p.whole, s.real, s.whole, w.real, w.whole, h, motion, T)
    return sound(s.real, 0, s.real.shape[0])
"""


@cache
def _module(kernels: ModuleType) -> ModuleType:
    halves = (("answer", kernels.flat_answer), ("advance", kernels.flat_advance), ("prepare", kernels.flat_prepare))
    return build(_SOURCE, (*halves, ("cap", caps.cap), ("correct", caps.correct), ("sound", sound)))


def _initial(owner: str, name: str, value: Any) -> Mapping[str, ArrayLike]:
    return value if isinstance(value, State) else checks.mapping(owner, name, value, INITIAL)


@dataclass(frozen=True)
class Machine(Declared):
    """A block, where it starts, and at which of its ports it is met; at the others no force acts.

    Example:
        >>> from tegotae import Mass
        >>> from tegotae.hybrid import Machine
        >>> Machine(Mass(mass=8.0, dimension=6), {"velocity": (0, 0, 0.01, 0, 0, 0)}, (0, 0, -0.01, 1, 0, 0, 0)).pose[2]
        -0.01
    """

    block: Annotated[
        Admittance,
        Parameter("with a six-dimensional port: wrench on the moving part in, its motion out", f"Give {_SIX}."),
    ]
    initial: Annotated[
        Mapping[str, ArrayLike] | None, Parameter("fields of its state to start from", accept=_initial)
    ] = None
    pose: Annotated[
        Sequence[float],
        Parameter("[m, -], of the moving part at the start, for a block that tells none", accept=sound_pose),
    ] = ORIGIN
    port: Annotated[str | None, Parameter("six-dimensional, that the contact is at; None if there is one alone")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.met

    @property
    def met(self) -> slice:
        """Where the wrench of the contact stands among the forces at all ports."""
        ports, asked = self.block.ports, self.port
        six = [port.name for port in ports if port.dimension == 6 and asked in (None, port.name, *port.also)]
        if len(six) != 1:
            found = f"block={self.block.name}, port={asked!r}: {'several ports' if six else 'no such port'}"
            known = ", ".join(f"{port.name!r} of dimension {port.dimension}" for port in ports) or "none"
            remedy = f"Give {_SIX}, and name it if there are several; there are {known}."
            checks.refuse("Machine", f"{found} with six dimensions.", remedy)
        return spans(ports)[six[0]]


class GuardedMachine:
    """A block in a hybrid loop: wrench in, pose and twist out. The guard keeps out energy that the contact never took.

    Poses are those of the part that the table moves, in the axes of the part that is fixed on it: position [m] and
    quaternion (w, x, y, z); z points into the fixed part, which is met at z = 0. A block tells them in its state as
    `place` and `quaternion`, and `twist` at the end of a tick; for one that does not, its motions are added up. A
    wrench is held over a tick. Under the guard it never does more work on the block than it took from it before.

    Args:
        machine: the block and where it starts, or the block alone.
        period: of a tick [s].
        guard: whether the guard is on.

    Example:
        >>> from tegotae import Mass
        >>> from tegotae.hybrid import GuardedMachine, Machine
        >>> speed, away = (0, 0, 0.01, 0, 0, 0), (0, 0, -0.01, 1, 0, 0, 0)
        >>> coming = Machine(Mass(mass=8.0, dimension=6), {"velocity": speed}, away)
        >>> live = GuardedMachine(coming, period=2e-3)
        >>> acted = live.advance((0.0,) * 6)
        >>> round(live.motion[0][2], 6), live.motion[1][2], round(live.mass, 6)
        (-0.00998, 0.01, 8.0)
        >>> live.advance((0.0, 0.0, 30.0, 0.0, 0.0, 0.0))[2]  # it took nothing before
        0.0
    """

    def __init__(self, machine: Machine | Admittance, *, period: float, guard: bool = True) -> None:
        if not isinstance(machine, Machine):
            remedy = f"Give {_SIX}, or Machine(block, initial, pose, port)."
            machine = Machine(checks.instance(_OWNER, "machine", machine, Admittance, remedy))
        self._guard = checks.flag(_OWNER, "guard", guard)
        self.block = block = machine.block
        self._live = block.start(period=period, initial=machine.initial)
        self.period = self._live.period
        self._machine, self._budget, n, met = machine, np.zeros(caps.SIZE), block.dimension, machine.met
        forces, motion, slope, still = np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros(n)
        self._wrench, self._motion, self._slope = forces[met], motion[met], slope[met, met]
        self._state = self._live._state
        self._pose = np.array(machine.pose)
        wanted = _SEEN if n == 6 else _SEEN[:1]  # of several ports nobody knows which one a place is of
        seen = {name: self._state.part(name) for name in wanted if name in block.parts}  # where it lies, found once
        self._kinetic, self._place, self._turn, twist, self._mobility = (seen.get(name) for name in _SEEN)
        velocity = self._state.memory.real[slice(*block.spaces.state.span("velocity"))]  # its parts by their ports
        self._twist = velocity[met] if twist is None else twist
        rest = (forces, self.period, self._budget, self._guard, motion, slope, np.zeros(n), met.start)
        step, (p, s, w) = _module(module_of(block)).tick, self._live._memories(self._state)
        kept, workspace = self._state.copy(), block.spaces.workspace.empty()
        module_of(block).answer_once(p, s, workspace, still, self.period, motion, slope)
        step(p, self._live._memory_of(kept), workspace, *rest)  # compiled before the first tick
        self._budget[:] = 0.0
        module_of(block).answer_once(p, s, w, still, self.period, np.zeros(n), slope)
        self._step = bind(step, p, s, w, *rest)

    def advance(self, wrench: Sequence[float]) -> list[float]:
        """One period under a wrench on the moving part; the wrench that really acted.

        Args:
            wrench: force [N] and torque [N·m] about the point that touches, in the surface's axes.
        """
        self._wrench[:] = reals(_OWNER, "wrench", wrench, 6, "N, N·m")
        if not self._step():
            raise TegotaeError(
                f"{_OWNER}: {self.block.name} diverged: wrench={list(wrench)} N, N·m was finite, its state is not.\n"
                "  It is unstable at this period: use a shorter one, or more substeps."
            )
        if self._place is None or self._turn is None:
            self._pose[:] = moved(self._pose.tolist(), self._motion.tolist(), self.period)
        acted: list[float] = self._wrench.tolist()
        return acted

    def forget(self) -> None:
        """A contact is over: what it took and did not give back is lost, not saved for the next one."""
        self._budget[:2] = 0.0

    @property
    def motion(self) -> tuple[list[float], list[float]]:
        """Pose (position [m], quaternion) and twist [m/s, rad/s] of the moving part now."""
        if self._place is None or self._turn is None:
            return self._pose.tolist(), self._twist.tolist()
        return [*self._place.tolist(), *self._turn.tolist()], self._twist.tolist()

    @property
    def energy(self) -> float:
        """Kinetic [J], where the block tells it; else the work done on it."""
        return self.work if self._kinetic is None else float(self._kinetic[0])

    @property
    def mass(self) -> float:
        """That the contact felt along its normal at the start of the last tick [kg]."""
        mobility = self._slope[2, 2] / self.period if self._mobility is None else self._mobility[0]
        return float(1.0 / mobility) if mobility > 0.0 else math.inf

    @property
    def budget(self) -> float:
        """What the contact may still give back [J]."""
        return float(self._budget[0] + self._budget[1])

    @property
    def refused(self) -> tuple[float, float]:
        """Energy [J] and normal impulse [N·s] that the guard has refused so far."""
        return float(self._budget[2]), float(self._budget[3])

    @property
    def work(self) -> float:
        """Of all wrenches on the machine so far [J]."""
        return float(self._budget[4])

    @property
    def configuration(self) -> Array:
        """Where everything is, for viewers and logs: q of a tree; else the pose."""
        return np.array(self._state["q"] if "q" in self._state else self.motion[0], dtype=np.float64)

    @property
    def state(self) -> tuple[State, Array, Array]:
        """A copy of the block's state, of the guard's numbers and of the pose: keep it, assign it to go back."""
        return self._live.state, self._budget.copy(), self._pose.copy()

    @state.setter
    def state(self, kept: tuple[State, Array, Array]) -> None:
        self._live.state, self._budget[:], self._pose[:] = kept

    def __reduce__(self) -> Any:
        made = replace(self._machine, initial=self._live.state, pose=self._pose.tolist())
        return partial(GuardedMachine, made, period=self.period, guard=self._guard), (), self.state

    def __setstate__(self, kept: tuple[State, Array, Array]) -> None:
        self.state = kept


def gained_by_steps(machine: Machine, *, stiffness: float, period: float, ticks: int) -> float:
    """Share of its kinetic energy that a machine gains in a bounce by the steps of its integrator alone [-].

    It comes from nearby and meets an ideal spring of a stiffness [N/m], felt at once, and must have parted again after
    so many ticks: what it then has beyond its work, as the guard counts it, no contact gave it and no guard takes away.
    """
    live = GuardedMachine(machine, period=period, guard=False)
    before, met = live.energy, False
    for _ in range(ticks):
        deep = live.motion[0][2]
        if met and deep <= 0.0:
            break
        met = met or deep > 0.0
        live.advance((0.0, 0.0, -stiffness * max(deep, 0.0), 0.0, 0.0, 0.0))
    return (live.energy - before - live.work) / before
