"""Friction laws: how large the friction is at a given slip speed. The direction is always against the slip."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block, Kernels, Style
from tegotae.checks import Array
from tegotae.compile import as_kernel, build, kernel
from tegotae.errors import InputError
from tegotae.friction.kernels import laws as law_kernels
from tegotae.parameters import Declared, Parameter, declared

LawKernels = tuple[Callable[..., Any], Callable[..., Any]]

_OVER_SPEEDS = """
@entry
def magnitudes(p, speeds, forces):
    for i in range(speeds.shape[0]):
        forces[i] = magnitude(p, 0, speeds[i])[0]
"""


class Law(Declared, ABC):
    """A friction law r(s) >= 0 [N] over the slip speed s >= 0 [m/s].

    Calling a law gives the magnitude of the friction force.

    Example:
        >>> from tegotae.friction import Viscous
        >>> float(Viscous(limit=4.0, viscosity=2.0)(0.5))
        5.0
    """

    @property
    @abstractmethod
    def kernels(self) -> LawKernels:
        """The law's `magnitude` and `resolve` (see `kernels.laws`)."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers those kernels read: its fields, unless it says otherwise."""
        return tuple(getattr(self, name) for name in declared(type(self)))

    @property
    @abstractmethod
    def steepest_fall(self) -> float:
        """The largest -dr/ds [N·s/m], 0 for a law that never falls: decides whether a step has one solution."""

    def seen_fall(self, lag: float, period: float) -> float:
        """`steepest_fall` as one step of a period [s] sees it [N·s/m]: a lag [s] hides part of it."""
        return self.steepest_fall * period / (lag + period)

    @property
    def at_rest(self) -> float:
        """r(0+) [N], the largest force the law holds at rest."""
        return float(self(0.0))

    def __call__(self, speed: ArrayLike) -> Array:
        """The magnitude [N] at each slip speed [m/s]."""
        speeds = checks.array(type(self).__name__, "speed", speed, "m/s")
        checks.finite(type(self).__name__, "speed", speeds, "m/s")
        flat, forces = np.abs(speeds).ravel(), np.empty(speeds.size)
        loop = build(_OVER_SPEEDS, (("magnitude", self.kernels[0]),))
        loop.magnitudes(np.asarray(self.parameters, dtype=np.float64), flat, forces)
        return forces.reshape(speeds.shape)


_FORCE = "Give the largest friction force as a positive magnitude."

Limit = Annotated[float, Parameter("F [N], > 0, friction force", _FORCE)]
Viscosity = Annotated[float, Parameter("b [N·s/m], >= 0, rise with speed")]


@dataclass(frozen=True)
class Coulomb(Law):
    """Dry friction of constant magnitude.

    Example:
        >>> import tegotae as tg
        >>> float(tg.Coulomb(4.0)(0.1))
        4.0
    """

    limit: Limit

    kernels = law_kernels.coulomb_magnitude, law_kernels.coulomb_resolve  # closed form
    steepest_fall = 0.0


@dataclass(frozen=True)
class Viscous(Law):
    """Coulomb friction plus viscosity: r = F + b s.

    Example:
        >>> import tegotae as tg
        >>> float(tg.Viscous(limit=4.0, viscosity=2.0)(1.0))
        6.0
    """

    limit: Limit
    viscosity: Viscosity

    kernels = law_kernels.viscous_magnitude, law_kernels.viscous_resolve  # closed form
    steepest_fall = 0.0


@dataclass(frozen=True)
class Stribeck(Law):
    """Friction that falls from a static to a kinetic level: r = Fc + (Fs - Fc) exp(-(s/vs)^n) + b s.

    Example:
        >>> import tegotae as tg
        >>> float(tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)(0.0))
        5.0
    """

    kinetic: Annotated[float, Parameter("Fc [N], > 0, level at speed", _FORCE)]
    static: Annotated[float, Parameter("Fs [N], > 0, level at rest, at least kinetic", _FORCE)]
    velocity: Annotated[float, Parameter("vs [m/s], > 0, the speed over which the friction falls", such_as="0.01")]
    exponent: Annotated[float, Parameter("n [-], >= 1, of the fall; below 1 its slope at rest is infinite")] = 2.0
    viscosity: Viscosity = 0.0

    kernels = law_kernels.stribeck_magnitude, law_kernels.stribeck_resolve  # safeguarded Newton

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.static < self.kinetic:
            problem = f"static={self.static} N is below kinetic={self.kinetic} N."
            remedy = "Use static >= kinetic, or tabulate a law that rises with speed (Tabulated)."
            checks.refuse("Stribeck", problem, remedy)

    @property
    def steepest_fall(self) -> float:
        """Where (s/vs)^n = (n - 1)/n; 0.8578 (Fs - Fc)/vs - b for n = 2."""
        n = self.exponent
        x = (n - 1.0) / n
        peak = n * math.pow(x, x) * math.exp(-x)
        return max(0.0, peak * (self.static - self.kinetic) / self.velocity - self.viscosity)


@dataclass(frozen=True)
class Tabulated(Law):
    """A measured law: straight lines through (speed, force) points, the last force holding beyond the end.

    Example:
        >>> import tegotae as tg
        >>> float(tg.Tabulated([0.0, 0.1], [5.0, 3.0])(0.05))
        4.0
    """

    speeds: Annotated[Sequence[float], Parameter("[m/s], >= 0, slip speeds, rising from 0")]
    forces: Annotated[
        Sequence[float],
        Parameter("[N], >= 0, friction magnitudes, the first above 0", "A law gives magnitudes; drop the sign."),
    ]

    kernels = law_kernels.tabulated_magnitude, law_kernels.tabulated_resolve  # exact on each segment

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, speeds, forces = "Tabulated", np.array(self.speeds), np.array(self.forces)
        if speeds.shape != forces.shape:
            checks.refuse(owner, f"{speeds.size} speeds but {forces.size} forces.", "Give one force for every speed.")
        if speeds[0] != 0.0:
            problem = f"speeds[0]={speeds[0]} m/s, but a law needs its value at rest."
            checks.refuse(owner, problem, "Start the table at speed 0 with the force that holds at rest.")
        if (np.diff(speeds) <= 0.0).any():
            worst = int(np.argmax(np.diff(speeds) <= 0.0)) + 1
            checks.refuse(owner, f"speeds[{worst}]={speeds[worst]} m/s does not rise.", "Sort the table by speed.")
        checks.positive(owner, "forces[0]", forces[0], "N", "A law without friction at rest cannot stick.")

    @property
    def parameters(self) -> tuple[float, ...]:
        """(count, speeds..., forces...)."""
        return (float(len(self.speeds)), *self.speeds, *self.forces)

    @property
    def steepest_fall(self) -> float:
        """The steepest falling segment."""
        if len(self.speeds) < 2:
            return 0.0
        return max(0.0, float(np.max(-np.diff(self.forces) / np.diff(self.speeds))))


@dataclass(frozen=True)
class CustomLaw(Law):
    """Any function of the slip speed in the subset of Python that can be compiled.

    The function is compiled once in each process. Its steepest fall is found by sampling speeds from 1 µm/s
    to 100 m/s; a law with finer detail than that grid should be given as `Tabulated`.

    Args:
        function: friction magnitude [N] of the slip speed [m/s]; never negative.

    Example:
        >>> import math, tegotae as tg
        >>> law = tg.CustomLaw(lambda s: 3.0 + 2.0 / (1.0 + (s / 0.01) ** 2))
        >>> float(law(0.0))
        5.0
    """

    function: Callable[[float], float]
    _compiled: LawKernels = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        owner, given = "CustomLaw", cast(Any, self.function)
        if isinstance(given, type):
            checks.refuse(owner, f"law={given.__name__} is a class.", "Give it its numbers: Coulomb(4.0).")
        if not callable(given):
            problem = f"law={checks.shown(given)} is not a law."
            checks.refuse(owner, problem, "Give a tegotae law or a function of the speed.")
        raw, compiled = _compile(given)
        object.__setattr__(self, "_compiled", compiled)
        name = getattr(given, "__name__", "law")
        forces = np.array([raw(s) for s in _SAMPLES.tolist()], dtype=np.float64)
        remedy = "A law gives a finite magnitude >= 0; the direction, always against the slip, is added for you."
        for bad, what in ((~np.isfinite(forces), "is not finite"), (forces < 0.0, "is negative")):
            if bad.any():
                k = int(np.argmax(bad))
                checks.refuse(owner, f"{name}({_SAMPLES[k]:g} m/s)={forces[k]} N {what}.", remedy)
        checks.positive(owner, f"{name}(0)", forces[0], "N", "A law without friction at rest cannot stick.")

    @property
    def kernels(self) -> LawKernels:
        """Safeguarded Newton with slopes by differences."""
        return self._compiled

    @property
    def parameters(self) -> tuple[float, ...]:
        """None: the function carries its own numbers."""
        return ()

    @cached_property
    def steepest_fall(self) -> float:
        """By sampling."""
        return float(max(0.0, np.max(-np.diff(self(_SAMPLES)) / np.diff(_SAMPLES))))


_SAMPLES = np.concatenate([[0.0], np.geomspace(1e-6, 1e2, 6000)])


def _compile(function: Callable[[float], float]) -> tuple[Callable[[float], float], LawKernels]:
    try:
        r = as_kernel(function)
        value = r(0.5)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"it gives {value!r}, not a number")
    except Exception as error:  # whatever a compiler, or the function itself, may raise: it is told and kept
        from tegotae.compile import CompilerError

        if isinstance(error, CompilerError):
            raise  # not for the law to mend
        reason = str(error).strip() or type(error).__name__
        raise InputError(
            f"CustomLaw: {getattr(function, '__name__', function)!r} cannot be compiled: {reason}\n"
            "  Use numbers, math functions and branches only, or give the law as Tabulated."
        ) from error

    @kernel
    def magnitude(p, j, s):  # type: ignore[no-untyped-def]
        h = 1e-6 * s + 1e-10
        value = r(s)
        if value < 0.0:  # beyond what could be sampled: no number, so that the run says so
            value = math.nan
        low = max(s - h, 0.0)
        return value, (r(s + h) - r(low)) / (s + h - low)

    newton = law_kernels.newton_kernel(magnitude)

    @kernel
    def resolve(p, j, c, U):  # type: ignore[no-untyped-def]
        return newton(p, j, c, U, U - c * r(U))

    return r, (magnitude, resolve)


def as_law(owner: str, name: str, law: object) -> Law:
    """A law as it is; a bare function as a `CustomLaw`; anything else refused."""
    if isinstance(law, Law):
        return law
    if callable(law):
        return CustomLaw(law)
    remedy = "Use Coulomb, Viscous, Stribeck, Tabulated or a function."
    return checks.refuse(owner, f"{name}={checks.shown(law)} is not a friction law.", remedy)


def for_law(make: Callable[..., Any], style: Style = "views", functions: int = 2) -> Any:
    """What a class writes as its `kernels`: halves made for its law, for the first or both of the law's kernels."""
    return property(lambda block: Kernels(make, block.law.kernels[:functions], style), doc=Block.kernels.__doc__)


FrictionLaw = Annotated[
    Law,
    Parameter(
        "friction force over slip speed: `Coulomb`, `Viscous`, `Stribeck`, `Tabulated` or a function", accept=as_law
    ),
]
