"""The plainest blocks: a mass (force in, motion out); a spring with a damper, and a wall (motion in, force out)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Impedance, Kernels, by_dimension
from tegotae.contact import Restitution, check_depths
from tegotae.declared_layout import declared_layout
from tegotae.kernels import elements as k
from tegotae.layout import AXIS, Layouts, Part
from tegotae.parameters import Dimension, Parameter
from tegotae.state import State

FORCE = Part("force", "N", "force on the mover", AXIS, "f")
PLACED = (Part("position", "m", "of the mover", AXIS, "x", placed=True), FORCE)
FACE = (
    Part("surface", "m", "where it is along the normal", letter="c"),
    Part("normal", "-", "out of the wall", AXIS, "n"),
)
IMPACT = (
    Part("met", "m/s", "speed at which the surface was met", letter="u", recorded=False),
    Part("approach", "m/s", "largest speed of approach since", letter="m", recorded=False),
    Part("inside", "s", "see `kernels.elements`", letter="when", recorded=False),
)

NEARLY = 0.99  # of its restitution a wall has to reach
QUICK = 1e-3  # of its time scale: a period shorter than that loses nothing

Stiffness = Annotated[float, Parameter("K [N/m], >= 0")]
Damping = Annotated[float, Parameter("B [N·s/m], >= 0")]
MovingMass = Annotated[
    float,
    Parameter("M [kg], > 0, or a moment of inertia, with torques and angles throughout", "Give the moving mass."),
]


@dataclass(frozen=True, kw_only=True)
class Mass(Admittance):
    """A free mass: force in, motion out.

    Runs record `velocity` [m/s] and `position` [m].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.Mass(mass=2.0).run(np.full(1000, 4.0), period=1e-3).velocity[-1]), 9)
        2.0
    """

    mass: MovingMass
    dimension: Dimension = 1

    layout = declared_layout(
        Part("velocity", "m/s", "velocity at the end of the tick", AXIS, "v"),
        Part("position", "m", "position at the end of the tick", AXIS, "x"),
    )

    kernels = by_dimension(  # backward Euler
        (k.mass_answer, k.mass_advance), (k.mass_answer_vector, k.mass_advance_vector)
    )

    def least_reluctance(self, period: float) -> float:
        """M/T [N·s/m]."""
        return self.mass / period


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Impedance):
    """A spring and a damper side by side: motion in, force out. A hand, a servo, a bumper that may pull.

    Runs record `stretch` [m] and `force` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> round(float(tg.SpringDamper(stiffness=100.0).run(np.full(10, 1.0), period=1e-3).force[-1]), 9)
        -1.0
    """

    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    dimension: Dimension = 1

    layout = declared_layout(Part("stretch", "m", "how far it has been moved from rest", AXIS, "x"), FORCE)

    kernels = by_dimension(  # backward Euler
        (k.spring_answer, k.spring_advance), (k.spring_answer_vector, k.spring_advance_vector)
    )


def _thrown_back(K: float, B: float, T: float) -> float:
    """Speed of parting over speed of approach of a unit mass at a spring and damper, by backward Euler, the least of
    several moments of the tick at which it may meet them.
    """
    T = max(T, QUICK / math.sqrt(K)) if K > 0.0 else T
    least = 1.0
    for share in (0.0, 0.25, 0.5, 0.75) if K > 0.0 else ():
        depth, rate = -share * T, 1.0
        while True:
            before = max(depth, 0.0)
            # Inside at the end: f = K e1 + B (e1 - before)/T, if that pushes; else it flies on.
            new = (rate - T * K * depth - B * (depth - before)) / (1.0 + T * T * K + T * B)
            push = K * (depth + T * new) + B * (depth - before + T * new) / T
            rate = new if push > 0.0 and depth + T * new > 0.0 else rate
            depth += T * rate
            if rate <= 0.0 and (depth <= 0.0 or push <= 0.0):
                break
            if T * T * K > 1e12:  # it stands still
                rate = 0.0
                break
        least = min(least, -rate)
    return least if K > 0.0 else 0.0


def _below(number: float) -> str:
    """In three digits, rounded down."""
    step = 10.0 ** (math.floor(math.log10(number)) - 2)
    return f"{math.floor(number / step) * step:.3g}"


@dataclass(frozen=True, kw_only=True)
class VirtualWall(Impedance):
    """A wall that pushes and never pulls: motion in, force out. What a haptic device shows first.

    f = K e + B e' along the normal, with e how deep the mover is inside, and 0 where that would pull. The step is
    implicit, so a stiff wall holds at any period, and the wall never gives back more energy than it took.
    It is smooth; `ImpedanceSum` adds friction.

    With a `restitution` e, what meets it at a speed u leaves at e u, whatever its mass, as long as the spring would
    throw it out faster: the wall pushes with its spring, never more, until the mover is fast enough. What presses on
    the mover is made up for to first order in the period: where it presses hard and the spring is quick, less is left.
    One that turns round before it is out stays in, and settles where the spring carries what presses: on its
    way out it is then held back. One that is not thrown out at all still creeps out, at 1/200 of u. Of backward Euler
    what is quick beside the period loses energy, so a spring may be too stiff to reach e: a circuit refuses that of
    what has a `mass` (what else is linked to it is left out); of other movers ask `longest_period`.

    The mover is at 0 unless positions are given, or `initial={"position": ...}`; in a circuit, where its admittance
    starts. Runs record `position` [m] and `force` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> wall = tg.VirtualWall(stiffness=2000.0, damping=5.0, point=0.01, normal=-1.0)
        >>> run = wall.run(position=[0.008, 0.012, 0.012, 0.008], period=1e-3)
        >>> (-run.force).round(9).tolist()  # in, held, and out again: it does not pull
        [0.0, 14.0, 4.0, 0.0]
    """

    stiffness: Stiffness
    damping: Damping = 0.0
    point: Annotated[ArrayLike, Parameter("[m], of its surface, one number for each direction", accept=checks.numbers)]
    normal: Annotated[
        ArrayLike,
        Parameter(
            "[-], out of the wall, to where the mover is free; of any length but 0. On a line -1.0 stops a mover that "
            "goes to +, 1.0 one that goes to -",
            accept=checks.numbers,
        ),
    ]
    restitution: Restitution = None
    dimension: Dimension = 1

    _smooth = declared_layout(*PLACED, derived=FACE)
    _bouncing = declared_layout(*PLACED, *IMPACT, derived=(*FACE, Part("restitution", "-", "of an impact", letter="r")))

    @property
    def layout(self) -> Layouts:
        """Where the mover is, and the force; with a restitution what is remembered of the impact."""
        return self._smooth if self.restitution is None else self._bouncing  # type: ignore[no-any-return]

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, n, assign = self.name, self.dimension, object.__setattr__
        for name, unit in (("point", "m"), ("normal", "")):
            given = np.asarray(getattr(self, name))
            if given.shape != (n,):
                checks.refuse(owner, f"{name} has shape {given.shape}.", f"Give {n} number(s), as dimension={n} says.")
            checks.finite(owner, name, given, unit)
            assign(self, name, tuple(given.tolist()))
        direction = np.asarray(self.normal)
        largest = np.abs(direction).max()
        if largest == 0.0:
            checks.refuse(owner, "normal is 0.", "Give the direction out of the wall, such as -1.0 on a line.")
        scaled = direction / largest  # so that no square overflows
        assign(self, "normal", tuple((scaled / np.linalg.norm(scaled)).tolist()))

    @property
    def surface(self) -> float:
        """Where the surface is along the normal [m]."""
        return float(np.dot(self.normal, self.point))

    _smooth_kernels = by_dimension(  # backward Euler
        (k.wall_answer, k.wall_advance), (k.wall_answer_vector, k.wall_advance_vector)
    )
    _bouncing_kernels = by_dimension(
        (k.bounce_answer, k.bounce_advance), (k.bounce_answer_vector, k.bounce_advance_vector)
    )

    @property
    def kernels(self) -> Kernels:
        """Those of a wall with or without a restitution."""
        return self._smooth_kernels if self.restitution is None else self._bouncing_kernels  # type: ignore[no-any-return]

    def reached(self, mass: float, period: float) -> float:
        """Speed of parting over speed of approach that spring and damper alone would reach at a period [-].

        Args:
            mass: of what meets it [kg].
            period: T [s].

        Example:
            >>> round(VirtualWall(stiffness=1e3, point=0.0, normal=1.0).reached(mass=1.0, period=1e-3), 2)
            0.95
        """
        mass = checks.positive(self.name, "mass", mass, "kg", "Give the mass of what meets it.")
        return _thrown_back(self.stiffness / mass, self.damping / mass, checks.period_of(self.name, period))

    def longest_period(self, mass: float) -> float:
        """The longest period at which it reaches its restitution [s]: infinite without one, 0 where none is short
        enough, because its damper takes too much.

        Args:
            mass: of what meets it [kg].

        Example:
            >>> wall = VirtualWall(stiffness=1e3, restitution=0.8, point=0.0, normal=1.0)
            >>> round(wall.longest_period(mass=1.0), 5)
            0.00468
        """
        mass = checks.positive(self.name, "mass", mass, "kg", "Give the mass of what meets it.")
        if not self.restitution:
            return math.inf
        K, B, asked = self.stiffness / mass, self.damping / mass, NEARLY * self.restitution
        if K == 0.0:
            return 0.0
        short, long = QUICK / math.sqrt(K), 100.0 / math.sqrt(K)
        if _thrown_back(K, B, short) < asked:
            return 0.0
        while long - short > 1e-4 * short:
            middle = math.sqrt(short * long)
            short, long = (middle, long) if _thrown_back(K, B, middle) >= asked else (short, middle)
        return short

    def check_mover(self, mass: float, period: float) -> None:
        """Refuse a mass that the spring cannot throw back as fast as the restitution asks."""
        if not self.restitution or self.reached(mass, period) >= NEARLY * self.restitution:
            return
        reached, longest = self.reached(mass, period), self.longest_period(mass)
        problem = f"restitution={self.restitution:g} is more than the {reached:.3g} that its spring reaches with"
        remedy = "Give it a smaller restitution, or a damping far below this one."
        if longest > 0.0:
            remedy = f"Use a period of at most {_below(longest)} s, or a smaller restitution."
            if self.damping == 0.0:
                softer = self.stiffness * (longest / period) ** 2
                remedy = f"Use a period of at most {_below(longest)} s, or a stiffness of at most {_below(softer)} N/m."
        checks.refuse(self.name, f"{problem} {mass:.3g} kg at a period of {period:g} s.", remedy)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Outside: what starts inside would be thrown out with energy from nowhere."""
        state = super().initial_state(period, initial)
        here = state.part("position")
        gap = float(np.dot(self.normal, here)) - self.surface
        remedy = "Move the wall, start outside (initial={'position': ...}), or turn its normal around."
        check_depths(self.name, ["the mover"], [gap], [0.0], remedy)
        return state
