"""A machine in a hybrid loop: any admittance with a six-dimensional port, live, under the energy guard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from tegotae.running.source import module_of
from tegotae.state import State

_OWNER = "GuardedMachine"
_SEEN = ("place", "quaternion", "kinetic_energy", "normal_mobility")  # what a block may tell of itself
_SIX = "an admittance with a six-dimensional port"

# What the block would do by itself tells how much of the wrench the budget allows; then it is asked with that.
_SOURCE = """
@entry
def tick(p, s, w, h, T, B, guarded, motion, slope, spare):
    prepare(p.real, p.whole, s.real, s.whole, w.real, w.whole, T)
    spare[:] = 0.0
    answer(p.real, p.whole, s.real, s.whole, w.real, w.whole, spare, T, motion, slope)
    spare[:] = motion
    counted = cap(h, spare, slope, T, B, guarded)
    answer(p.real, p.whole, s.real, s.whole, w.real, w.whole, h, T, motion, slope)
    correct(h, motion, T, B, counted)
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
    """A block and where it starts.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block.dimension != 6:
            problem = f"block={self.block.name} has dimension {self.block.dimension}."
            checks.refuse("Machine", problem, "Give one whose ports have six together: a wrench in, a twist out.")


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
            remedy = f"Give {_SIX}, or Machine(block, initial, pose)."
            machine = Machine(checks.instance(_OWNER, "machine", machine, Admittance, remedy))
        self._guard = checks.flag(_OWNER, "guard", guard)
        self.block = block = machine.block
        self._live = block.start(period=period, initial=machine.initial)
        self.period = self._live.period
        self._budget, self._wrench = np.zeros(caps.SIZE), np.zeros(6)
        self._motion, self._slope, spare = np.zeros(6), np.zeros((6, 6)), np.zeros(6)
        self._state = self._live._state
        self._pose = np.array(machine.pose)
        parts = block.parts
        seen = {name: self._state.part(name) for name in _SEEN if name in parts}  # where it lies in memory, found once
        self._place, self._turn, self._kinetic, self._mobility = (seen.get(name) for name in _SEEN)
        self._twist = self._state.part("twist" if "twist" in parts else "velocity")
        rest = (self._wrench, self.period, self._budget, self._guard, self._motion, self._slope, spare)
        step, (p, s, w) = _module(module_of(block)).tick, self._live._memories(self._state)
        kept, workspace = self._state.copy(), block.spaces.workspace.empty()
        module_of(block).answer_once(p, s, workspace, np.zeros(6), self.period, np.zeros(6), self._slope)
        step(p, self._live._memory_of(kept), workspace, *rest)  # compiled before the first tick
        self._budget[:] = 0.0
        module_of(block).answer_once(p, s, w, np.zeros(6), self.period, np.zeros(6), self._slope)
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
        made = Machine(self.block, self._live.state, self._pose.tolist())
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
