"""How friction laws are identified: their parameters, and guesses from the ticks that seem to slide."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.fitting.recipe import Sought, Values
from tegotae.friction import Coulomb, Law, Stribeck, Viscous

_SLIDE = "motion large enough to slide"
_SPEEDS = "sliding at clearly different speeds"


class LawRecipe(ABC):
    """The part of a recipe that belongs to a friction law."""

    kind: type[Law]
    parameters: tuple[Sought, ...]
    levels: tuple[str, ...] = ("limit",)  # the parameters that say how large the friction is
    given: Values = {}  # noqa: RUF012 - read only: what is taken as known unless asked for

    @abstractmethod
    def law(self, values: Mapping[str, float]) -> Law:
        """The law with these parameters."""

    @abstractmethod
    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """From slip speeds [m/s] and friction magnitudes [N] of ticks that seem to slide."""

    def level(self, values: Mapping[str, float]) -> float:
        """The friction at rest [N]."""
        return values[self.levels[-1]]

    def scales(self, values: Mapping[str, float], fastest: float) -> Values:
        """A viscosity that adds less than a quarter of the friction at the fastest motion makes little difference."""
        return {"viscosity": 0.25 * self.level(values) / fastest}


class CoulombRecipe(LawRecipe):
    """One level."""

    kind = Coulomb
    parameters = (Sought.of(Coulomb, "limit", _SLIDE),)

    def law(self, values: Mapping[str, float]) -> Law:
        """Coulomb(limit)."""
        return Coulomb(values["limit"])

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """The mean."""
        return [{"limit": max(float(np.mean(forces)), 1e-3 * float(np.max(np.abs(forces))))}]


class ViscousRecipe(LawRecipe):
    """A level and a slope."""

    kind = Viscous
    parameters = (
        Sought.of(Viscous, "limit", _SPEEDS),
        Sought.of(Viscous, "viscosity", _SPEEDS),
    )

    def law(self, values: Mapping[str, float]) -> Law:
        """Viscous(limit, viscosity)."""
        return Viscous(values["limit"], values["viscosity"])

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """A straight line with both coefficients >= 0."""
        limit, viscosity = _nonnegative([np.ones_like(speeds), speeds], forces)
        least = 0.02 * float(np.max(np.abs(forces)))
        return [{"limit": max(limit, least), "viscosity": viscosity}]


class StribeckRecipe(LawRecipe):
    """Two levels, the speed between them, a slope; the exponent is 2 unless it is asked for."""

    kind = Stribeck
    parameters = (
        Sought.of(Stribeck, "kinetic", "sliding well above the Stribeck velocity"),
        Sought.of(Stribeck, "static", "sliding well below the Stribeck velocity"),
        Sought.of(Stribeck, "velocity", "sliding slowly through the speeds where the friction falls"),
        Sought.of(Stribeck, "viscosity", "sliding at several speeds above the Stribeck velocity"),
        Sought.of(Stribeck, "exponent", "sliding slowly through the speeds where the friction falls"),
    )
    levels = ("kinetic", "static")
    given = {"exponent": 2.0}  # noqa: RUF012

    def law(self, values: Mapping[str, float]) -> Law:
        """Stribeck(kinetic, static, velocity, exponent, viscosity)."""
        kinetic, static = values["kinetic"], values["static"]
        if static < kinetic:
            checks.refuse(
                "fit",
                f"the friction of this record rises with the slip speed, from {static:.3g} N to {kinetic:.3g} N.",
                "That is no Stribeck law; fit law=tg.Viscous.",
            )
        return Stribeck(
            kinetic=kinetic,
            static=static,
            velocity=values["velocity"],
            exponent=values["exponent"],
            viscosity=values["viscosity"],
        )

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """For each of several speeds, the other three by linear least squares with coefficients >= 0."""
        fastest = float(np.max(speeds))
        slowest = max(float(np.quantile(speeds, 0.02)), 1e-3 * fastest)
        top = float(np.max(np.abs(forces)))
        found = []
        for velocity in np.geomspace(slowest, fastest, 8):
            columns = [np.ones_like(speeds), np.exp(-((speeds / velocity) ** 2)), speeds]
            kinetic, excess, viscosity = _nonnegative(columns, forces)
            kinetic = max(kinetic, 0.02 * top)
            found.append(
                {
                    "kinetic": kinetic,
                    "static": kinetic + max(excess, 0.05 * kinetic),
                    "velocity": float(velocity),
                    "viscosity": viscosity,
                    "exponent": 2.0,
                }
            )
        return found


def _nonnegative(columns: list[Array], target: Array) -> list[float]:
    from scipy.optimize import nnls

    matrix = np.stack(columns, axis=1)
    norms = np.linalg.norm(matrix, axis=0)
    norms[norms == 0.0] = 1.0
    # The normal equations are as good for a guess, and as small for a long record as for a short one.
    scaled = matrix / norms
    gram = scaled.T @ scaled + 1e-10 * np.eye(len(columns))
    root = np.linalg.cholesky(gram).T
    weights, _ = nnls(root, np.linalg.solve(root.T, scaled.T @ target))
    return [float(w) for w in weights / norms]


RECIPES: dict[type[Law], LawRecipe] = {r.kind: r for r in (CoulombRecipe(), ViscousRecipe(), StribeckRecipe())}


def recipe_of(law: object) -> LawRecipe:
    """The recipe of a law class."""
    if isinstance(law, Law):
        name = type(law).__name__
        checks.refuse("fit", f"law={checks.shown(law)} is a law with its numbers.", f"Give the class, law=tg.{name}.")
    if not isinstance(law, type) or law not in RECIPES:
        offered = ", ".join(f"tg.{kind.__name__}" for kind in RECIPES)
        checks.refuse("fit", f"law={checks.shown(law)} cannot be identified.", f"Use {offered}.")
    return RECIPES[law]
