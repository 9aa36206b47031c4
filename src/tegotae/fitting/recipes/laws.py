"""How friction laws are identified: their parameters, and guesses from the ticks that seem to slide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.fitting.recipe import Recipe, Sought, Values
from tegotae.fitting.record import Record
from tegotae.friction import Coulomb, Law, Stribeck, Viscous
from tegotae.parameters import declared

_SPEEDS = "sliding at clearly different speeds"
OFFSET = Sought("offset", "N", "sliding both ways", signed=True)


class LawRecipe:
    """The part of a recipe that belongs to a friction law."""

    kind: type[Law]
    parameters: tuple[Sought, ...]
    levels: tuple[str, ...] = ("limit",)  # the parameters that say how large the friction is
    given: Values = {}  # noqa: RUF012 - read only: what is taken as known unless asked for

    def law(self, values: Mapping[str, float]) -> Law:
        """The law with these parameters."""
        return self.kind(**{q.name: values[q.name] for q in self.parameters})

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """From slip speeds [m/s] and friction magnitudes [N] of ticks that seem to slide; none if a grid will do."""
        return []

    def level(self, values: Mapping[str, float]) -> float:
        """The friction at rest [N]."""
        return values[self.levels[-1]]

    def scales(self, values: Mapping[str, float], fastest: float) -> Values:
        """A viscosity that adds less than a quarter of the friction at the fastest motion makes little difference."""
        return {"viscosity": 0.25 * self.level(values) / fastest}


class CoulombRecipe(LawRecipe):
    """One level."""

    kind = Coulomb
    parameters = (Sought.of(Coulomb, "limit", "motion large enough to slide"),)


class ViscousRecipe(LawRecipe):
    """A level and a slope."""

    kind = Viscous
    parameters = tuple(Sought.of(Viscous, name, _SPEEDS) for name in ("limit", "viscosity"))

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """A straight line with both coefficients >= 0."""
        limit, viscosity = nonnegative([np.ones_like(speeds), speeds], forces)
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
        """Refused where it would rise."""
        kinetic, static = values["kinetic"], values["static"]
        if static < kinetic:
            problem = f"the friction of this record rises with the slip speed, from {static:.3g} N to {kinetic:.3g} N."
            checks.refuse("fit", problem, "That is not a Stribeck law; fit law=tg.Viscous.")
        return super().law(values)

    def guesses(self, speeds: Array, forces: Array) -> list[Values]:
        """For each of several speeds, the other three by linear least squares with coefficients >= 0."""
        fastest = float(np.max(speeds))
        slowest = max(float(np.quantile(speeds, 0.02)), 1e-3 * fastest)
        top = float(np.max(np.abs(forces)))
        found = []
        for velocity in np.geomspace(slowest, fastest, 8):
            columns = [np.ones_like(speeds), np.exp(-((speeds / velocity) ** 2)), speeds]
            kinetic, excess, viscosity = nonnegative(columns, forces)
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


class FrictionRecipe(Recipe):
    """A block with one law of friction: its own parameters, the law's, then what is 0 unless given or asked for."""

    machine: type[Block]
    main: tuple[Sought, ...]
    others: tuple[Sought, ...]  # those that the machine declares are 0 unless given

    def __init__(
        self, law: LawRecipe, known: Mapping[str, float], assumed: Iterable[str] = (), asked: Iterable[str] = ()
    ):
        zeros = {q.name: 0.0 for q in self.others if q.name in declared(self.machine)}
        super().__init__({**zeros, **known}, assumed, asked)
        self.law = law
        self.bounded = self.drive == "force" and isinstance(law, StribeckRecipe)  # it asks for enough mass

    @property
    def parameters(self) -> tuple[Sought, ...]:
        """Its own, the law's, then the others."""
        return (*self.main, *self.law.parameters, *self.others)

    def block(self, values: Mapping[str, float], dimension: int) -> Block:
        """The machine with its law."""
        made: Any = self.machine
        fields = {q.name: values[q.name] for q in (*self.main, *self.others) if q.name in declared(made)}
        block: Block = made(**fields, law=self.law.law(values), dimension=dimension)
        return block

    def name_in_block(self, name: str) -> str:
        """Parameters of the law stand under `law.` in the block."""
        return f"law.{name}" if name in {q.name for q in self.law.parameters} else name

    def known_but_for_the_law(self) -> Values:
        """What is given of the machine, for one with another law."""
        mine = {q.name for q in (*self.main, *self.others)}
        return {name: value for name, value in self.known.items() if name in mine}

    def inspect(self, record: Record) -> None:
        """What the sensor adds, and what it begins with, are single numbers."""
        for q in self.others:
            if record.dimension > 1 and q.signed and q.name not in self.known:
                checks.refuse("fit", f"free has {q.name!r} with dimension={record.dimension}.", "Fit one direction.")


def nonnegative(columns: list[Array], target: Array) -> list[float]:
    """Weights >= 0 of the columns that come nearest to the target."""
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
