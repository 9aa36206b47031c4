"""Pressure profiles: how the tyre's load spreads over the length of its contact patch.

A profile gives the load of *one bristle of 21*, the paper's number, so that yamamoto2006 (5) stands as printed; a
patch of n bristles scales it by 21/n, and n is only a resolution.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.parameters import Declared, Parameter, declared
from tegotae.steering.kernels import pressure as pressure_kernels

REFERENCE_COUNT = 21
"""The number of bristles that the paper's stiffness, damping and load are for."""

_OVER_PLACES = """
@entry
def loads(p, a, xi, out):
    for i in range(xi.shape[0]):
        out[i] = load(p, 0, xi[i], a)
"""


class Pressure(Declared, ABC):
    """Load over the length of the patch; places xi [m] count forward from its middle.

    Example:
        >>> from tegotae.steering.pressure import Uniform
        >>> Uniform(load=50.0).total(0.1)
        1050.0
    """

    @property
    @abstractmethod
    def kernel(self) -> Callable[..., Any]:
        """``load(p, offset, xi, a)``: load [N] of one bristle of 21 (see `kernels.pressure`)."""

    @property
    def parameters(self) -> Array:
        """The numbers that kernel reads: its fields, unless it says otherwise."""
        return np.array([getattr(self, name) for name in declared(type(self))])

    @property
    def kinks(self) -> Sequence[float]:
        """Places [m] between which the load is smooth, at most a cubic."""
        return ()

    def total(self, half_length: float) -> float:
        """The load of the whole patch [N], for a patch reaching from -half_length to half_length [m]."""
        a = _half_length(type(self).__name__, half_length)
        knots = np.array([-a, *(place for place in self.kinks if -a < place < a), a])
        middle, half = 0.5 * (knots[1:] + knots[:-1]), 0.5 * np.diff(knots)
        # 21/(2 a) times the integral, by Gauss's rule of two points, which is exact for cubics.
        loads = self(middle + half * np.array([[-1.0], [1.0]]) / np.sqrt(3.0), half_length=a)
        return float(REFERENCE_COUNT / (2.0 * a) * (loads * half).sum())

    def __call__(self, position: ArrayLike, *, half_length: float, bristles: int = REFERENCE_COUNT) -> Array:
        """Load of one bristle [N] at each place [m], if the patch has so many bristles along its length."""
        a = _half_length(type(self).__name__, half_length)
        n = checks.whole(type(self).__name__, "bristles", bristles, 1, "Give how many bristles the patch has.")
        places = checks.finite_array(type(self).__name__, "position", position, "m")
        loads = np.empty(places.size)
        build(_OVER_PLACES, (("load", self.kernel),)).loads(self.parameters, a, places.ravel(), loads)
        return loads.reshape(places.shape) * (REFERENCE_COUNT / n)


@dataclass(frozen=True, kw_only=True)
class Parabolic(Pressure):
    """Load that falls to nothing at both ends: c (a^2 - xi^2), yamamoto2006 (5).

    Example:
        >>> round(Parabolic().total(0.1), 9)
        1400.0
    """

    curvature: Annotated[
        float, Parameter("c [N/m^2], > 0, for one bristle of 21; 1e4 loads a patch of 0.2 m with 1400 N")
    ] = 1e4

    kernel = pressure_kernels.parabolic_load  # exact, with no table

    @classmethod
    def carrying(cls, load: float, *, half_length: float) -> Parabolic:
        """The profile whose whole patch carries `load` [N].

        Example:
            >>> round(Parabolic.carrying(2800.0, half_length=0.1).curvature, 6)
            20000.0
        """
        a = _half_length("Parabolic", half_length)
        return cls(curvature=_load("Parabolic", load) / (REFERENCE_COUNT * 2.0 / 3.0 * a * a))


@dataclass(frozen=True, kw_only=True)
class Uniform(Pressure):
    """The same load everywhere on the patch.

    Example:
        >>> Uniform(load=50.0).total(0.1)
        1050.0
    """

    load: Annotated[float, Parameter("[N], > 0, of one bristle of 21", "Give the load as a positive magnitude.")]

    kernel = pressure_kernels.uniform_load  # a constant inside the patch

    @classmethod
    def carrying(cls, load: float) -> Uniform:
        """The profile whose whole patch carries `load` [N], whatever its length.

        Example:
            >>> Uniform.carrying(1050.0).load
            50.0
        """
        return cls(load=_load("Uniform", load) / REFERENCE_COUNT)


@dataclass(frozen=True, kw_only=True)
class TabulatedPressure(Pressure):
    """A measured profile: straight lines through (place, load) points, nothing beyond the ends.

    Example:
        >>> hat = TabulatedPressure(positions=[-0.1, 0.0, 0.1], loads=[0.0, 100.0, 0.0])
        >>> round(hat.total(0.1), 9), float(hat(0.05, half_length=0.1))
        (1050.0, 50.0)
    """

    positions: Annotated[Sequence[float], Parameter("[m], places xi, rising, negative behind the middle; at least two")]
    loads: Annotated[Sequence[float], Parameter("[N], >= 0, of one bristle of 21 at each, not all 0")]

    kernel = pressure_kernels.tabulated_load  # bisection, then the segment's straight line

    def __post_init__(self) -> None:
        super().__post_init__()
        name, places, loads = "TabulatedPressure", np.array(self.positions), np.array(self.loads)
        if places.shape != loads.shape:
            checks.refuse(name, f"{places.size} positions but {loads.size} loads.", "Give one load for every position.")
        if places.size < 2:
            checks.refuse(name, f"positions has {places.size} value.", "Give at least two points, or use Uniform.")
        if (np.diff(places) <= 0.0).any():
            worst = int(np.argmax(np.diff(places) <= 0.0)) + 1
            checks.refuse(name, f"positions[{worst}]={places[worst]} m does not rise.", "Sort the table by position.")
        if not loads.any():
            checks.refuse(name, "every load is 0 N.", "Give a profile that carries something.")

    @property
    def parameters(self) -> Array:
        """(count, positions..., loads...)."""
        return np.array([float(len(self.positions)), *self.positions, *self.loads])

    @property
    def kinks(self) -> Sequence[float]:
        """Its points."""
        return self.positions


def _half_length(owner: str, half_length: object) -> float:
    return checks.positive(owner, "half_length", half_length, "m", "Give half the length of the patch, such as 0.1.")


def _load(owner: str, load: object) -> float:
    return checks.positive(owner, "load", load, "N", "Give the load as a positive magnitude.")
