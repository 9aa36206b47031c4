"""Friction as a function of the velocity (tanh), or of the velocity and bristles: one (Dahl, LuGre, elastoplastic), or
elements that stick as springs and slip towards a common law (generalised Maxwell slip).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.declared_layout import LAW, declared_layout
from tegotae.elements import FORCE
from tegotae.friction.kernels import classics as k
from tegotae.friction.laws import Law, Limit, Tabulated, as_law, for_law
from tegotae.kernels.elements import step_kernels
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of
from tegotae.running.loop import stacked
from tegotae.running.source import module_of

SPEEDS = np.concatenate([[0.0], np.geomspace(1e-7, 1e2, 500)])

_SWEEP = """
@entry
def sweep(p, s, w, speeds, T):
    rise = 0.0
    for i in range(s.real.shape[0]):
        for j in range(speeds.shape[0]):
            for v in (speeds[j], -speeds[j]):
                _, slope = answer(p.real, p.whole, s.real[i], s.whole[i], w.real, w.whole, v, T)
                rise = max(rise, slope)
    return rise
"""


def sampled_rise(
    block: Impedance, states: Sequence[Mapping[str, ArrayLike]], period: float, speeds: Array = SPEEDS
) -> float:
    """The largest slope of the force by the velocity [N·s/m] of a block on a line that prepares nothing."""
    rows = stacked([block.initial_state(period, state).memory for state in states])
    module = build(_SWEEP, (("answer", module_of(block).flat_answer),))
    return float(module.sweep(block.parameters, rows, block.spaces.workspace.empty(), speeds, period))


def least_magnitude(owner: str, law: Law) -> float:
    """The smallest friction [N] of a law over all speeds; refused unless it is > 0, for a bristle relaxes to it."""
    speeds = np.concatenate([SPEEDS, law.speeds]) if isinstance(law, Tabulated) else SPEEDS
    forces = law(speeds)
    where = int(np.argmin(forces))
    if not forces[where] > 0.0:
        remedy = "This model divides by its law: use one that stays > 0 at every speed."
        checks.refuse(owner, f"law gives {forces[where]:g} N at {speeds[where]:g} m/s.", remedy)
    return float(forces[where])


STIFFNESS = "Give the stiffness felt while it sticks, such as 6000."

Viscosity = Annotated[float, Parameter("s2 [N·s/m], >= 0")]
SteadyLaw = Annotated[
    Law,
    Parameter("steady friction [N] over speed: `Coulomb`, `Stribeck`, … or a function; > 0 everywhere", accept=as_law),
]

DEFLECTION = Part("deflection", "m", "deflection of the bristle, against the motion", AXIS, "e")


@dataclass(frozen=True, kw_only=True)
class Tanh(Impedance):
    """Friction as a smooth function of the velocity, f = -F tanh(v/vs). It cannot hold: under any load it creeps.

    Runs record `force` [N].

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import Tanh
        >>> float(Tanh(limit=4.0, velocity=1e-3).run(np.full(3, 1.0), period=1e-3).force[-1])
        -4.0
    """

    limit: Limit
    velocity: Annotated[float, Parameter("vs [m/s], > 0, the speed over which the sign is smoothed", such_as="1e-3")]

    dimension = 1
    layout = declared_layout(FORCE)  # it remembers nothing else
    kernels = Kernels.of(k.tanh_answer, k.tanh_advance)


@dataclass(frozen=True, kw_only=True)
class Dahl(Impedance):
    """Dahl's solid friction: f = K e, e' = -v (1 + sgn(v) K e/F)^i.  [dahl1968; kikuuwe2005 (20), corrected]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Runs record `deflection` [m] and `force` [N].

    Example:
        >>> import math, numpy as np
        >>> from tegotae.friction.classics import Dahl
        >>> run = Dahl(stiffness=1000.0, limit=1.0).run(np.full(100, 0.01), period=1e-3)
        >>> math.isclose(run.force[-1], -(1.0 - math.exp(-1.0)), rel_tol=1e-12)
        True
    """

    stiffness: Annotated[float, Parameter("K [N/m], > 0, at rest", STIFFNESS)]
    limit: Limit
    exponent: Annotated[
        float,
        Parameter(
            "i [-], > 0; below 1 brittle (the limit is reached in a finite distance), from 1 on ductile",
            "Use 1, or fit it to a measured loop; for the limit of 0 use FrictionImpedance.",
        ),
    ] = 1.0

    dimension = 1
    layout = declared_layout(DEFLECTION, FORCE)
    kernels = Kernels(step_kernels, (k.dahl_step,), style="values")  # exact for a velocity held over the tick


@dataclass(frozen=True, kw_only=True)
class BristleFriction(Impedance):
    """What LuGre and the elastoplastic model share: bristles, and a law that they relax to.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.
    """

    stiffness: Annotated[float, Parameter("s0 [N/m], > 0, of the bristles", STIFFNESS)]
    damping: Annotated[float, Parameter("s1 [N·s/m], >= 0, of the bristles")]
    law: SteadyLaw
    viscosity: Viscosity = 0.0

    dimension = 1
    layout = declared_layout(DEFLECTION, FORCE)
    samples: ClassVar[int] = 2  # of the deflection, that tell how steeply the force can rise: at its ends

    def __post_init__(self) -> None:
        super().__post_init__()
        least_magnitude(self.name, self.law)

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], by sampling speeds and deflections."""
        most = self.law.at_rest / self.stiffness
        return sampled_rise(self, [{"deflection": e} for e in np.linspace(-most, most, self.samples)], period)


@dataclass(frozen=True, kw_only=True)
class LuGre(BristleFriction):
    """The LuGre model: z' = v - s0 |v|/g(v) z, f = -(s0 z + s1 z' + s2 v).  [canudas1995]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import LuGre
        >>> law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
        >>> bearing = LuGre(stiffness=1e4, damping=30.0, law=law, viscosity=2.0)
        >>> round(float(bearing.run(np.full(500, 0.5), period=1e-3).force[-1]), 9)
        -4.0
    """

    kernels = for_law(k.lugre_kernels, "values", 1)  # exact for a velocity held over the tick


@dataclass(frozen=True, kw_only=True)
class Elastoplastic(BristleFriction):
    """The elastoplastic single-state model: z' = v (1 - A(z, v) z/z_ss(v)), f as LuGre's.  [dupont2002]

    A is 0 up to breakaway (and whenever the motion unloads the bristle), 1 from z_ss on, with a sine between. So
    below breakaway it is a plain spring and does not drift. Solved to rounding for the velocity of each tick.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import Elastoplastic
        >>> joint = Elastoplastic(stiffness=1e4, damping=0.0, law=tg.Coulomb(4.0), breakaway=3.0)
        >>> float(joint.run(np.array([0.25, -0.25]), period=1e-3).force[-1])
        0.0
    """

    breakaway: Annotated[
        float,
        Parameter(
            "Fb [N], > 0, the force up to which the bristles are elastic; below the law",
            "Give the force up to which the bristles are elastic; for none use LuGre.",
        ),
    ]

    kernels = for_law(k.elastoplastic_kernels, "values", 1)  # linear pieces, and a Taylor series between them
    samples = 33  # between the ends, too: there is a blend

    def __post_init__(self) -> None:
        super().__post_init__()
        least = least_magnitude(self.name, self.law)
        if self.breakaway >= least:
            problem = f"breakaway={self.breakaway} N is not below the law, which falls to {least:g} N."
            remedy = f"Use breakaway < {least:g}; for purely elastic sticking up to the limit use FrictionImpedance."
            checks.refuse(self.name, problem, remedy)


@cache
def _layout(count: int, law: int) -> Layouts:
    numbers = range(1, count + 1)
    forces, slips = (tuple(f"{name}_{i}" for i in numbers) for name in ("force", "slip"))
    force, slip = "friction in this element, along the motion", "direction that this element slips in, or 0"
    return layouts(
        sizes={"count": count, "law": law},
        parameters=(
            *parts_of(GeneralisedMaxwellSlip),
            *(replace(part, shape=("count",)) for part in parts_of(GeneralisedMaxwellSlip, "stiffness", "fractions")),
            LAW,
        ),
        state=(
            FORCE,
            Part("", "N", force, ("count",), "F", recorded=False, labels=forces),
            Part("", "", slip, ("count",), "m", whole=True, least=-1, most=1, recorded=False, labels=slips),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class GeneralisedMaxwellSlip(Impedance):
    """N elements side by side, each a spring that breaks loose at its share of a law.  [lampaert2003]

    An element sticks, F' = k v, until F = a s(v); it then slips, F' = sgn(v) C (a - F/s(v)), until the velocity goes
    through zero. C is the rate at which a slipping element is drawn to the law: with a law that varies, it is the
    frictional lag. Solved exactly for the velocity of each tick. At v = 0 the force of a slipping element jumps.

    Runs record `force` [N]; the elements' `force_1`, … [N] and `slip_1`, … (direction of slip, 0 while it sticks)
    are recorded when asked for.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import GeneralisedMaxwellSlip
        >>> model = GeneralisedMaxwellSlip(
        ...     stiffness=1e4, fractions=[0.2, 0.3, 0.5], law=tg.Coulomb(10.0), attraction=100.0
        ... )
        >>> run = model.run(np.full(4, 0.1), period=1e-3)
        >>> run.force.round(9).tolist()
        [-3.0, -6.0, -8.0, -9.0]
    """

    stiffness: Annotated[float | Sequence[float], Parameter("k [N/m], > 0, of each element; one for all, or one each")]
    fractions: Annotated[
        Sequence[float], Parameter("a [-], > 0, share of the law that each element carries; together 1")
    ]
    law: SteadyLaw
    attraction: Annotated[
        float, Parameter("C [N/s], > 0, the rate at which slipping elements approach the law", such_as="100")
    ]
    viscosity: Viscosity = 0.0

    dimension = 1
    kernels = for_law(k.maxwell_kernels, functions=1)  # exact for a velocity held over the tick

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, fractions, stiffness = self.name, np.array(self.fractions), np.array(self.stiffness)
        if abs(fractions.sum() - 1.0) > 1e-9:
            checks.refuse(owner, f"fractions add up to {fractions.sum():g}.", "Scale them so that they add up to 1.")
        if stiffness.size not in (1, fractions.size):
            problem = f"{stiffness.size} values of stiffness but {fractions.size} fractions."
            checks.refuse(owner, problem, "Give one stiffness for all, or one for every fraction.")
        object.__setattr__(self, "stiffness", tuple(np.broadcast_to(stiffness, fractions.shape).tolist()))
        least_magnitude(owner, self.law)

    @property
    def layout(self) -> Layouts:
        """Elements and law; the force on the mover, then each element's friction and direction of slip."""
        return _layout(len(self.fractions), len(self.law.parameters))

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], from above.

        An element that breaks loose within the tick follows the law's fall; one that slips from a level r(0) may
        follow it faster, as its approach quickens while the law falls.
        """
        g, rest = self.law(SPEEDS), self.law.at_rest
        y = self.attraction * period / g
        slipping = -np.expm1(-y) + y * np.exp(-y) * (rest / g - 1.0)
        return max(0.0, self.law.steepest_fall * max(1.0, float(slipping.max())) - self.viscosity)
