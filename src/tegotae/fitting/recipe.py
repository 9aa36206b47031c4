"""What the generic engine asks of each kind of block: its parameters, where to begin, what a record must show."""

from __future__ import annotations

import copy
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tegotae.block import Block
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting.record import Record
from tegotae.parameters import declared

Values = dict[str, float]


@dataclass(frozen=True)
class Sought:
    """One number to identify.

    Args:
        name: as in `Fit.parameters`.
        unit: SI unit.
        motion: what a record must contain to show it; ends an error message.
        may_be_zero: sought on a linear scale with 0 allowed, instead of by its logarithm.
        signed: sought on a linear scale, and may be negative.
        least: smallest value allowed.
    """

    name: str
    unit: str
    motion: str
    may_be_zero: bool = False
    signed: bool = False
    least: float = 0.0

    @classmethod
    def of(cls, owner: type, name: str, motion: str = "") -> Sought:
        """A parameter as a class declares it; `name` may have an index behind, or the names of parts in front."""
        parameter = declared(owner)[re.sub(r"\[\d+\]$", "", name.rpartition(".")[2])].parameter
        return cls(name, parameter.unit, motion, may_be_zero=parameter.least == 0.0, least=parameter.least or 0.0)

    @property
    def linear(self) -> bool:
        """Whether it is sought on a linear scale."""
        return self.may_be_zero or self.signed

    @property
    def lowest(self) -> float:
        """The smallest value allowed."""
        return -math.inf if self.signed else self.least


@dataclass(frozen=True)
class Rival:
    """A simpler model. If it explains the record as well, the parameters it lacks were not seen."""

    recipe: Recipe
    values: Values
    unseen: tuple[str, ...]
    complaint: str
    remedy: str


class Recipe(ABC):
    """How one kind of block is identified.

    Args:
        known: parameters that are given, not sought.
        assumed: names among these that nobody gave: they have their usual value, and a hint may advise to free them.
        asked: names that are sought because somebody freed them.
    """

    drive = "velocity"  # what goes in; the other one of the record is compared with what comes out
    response = "force"
    # Whether the response has kinks finer than the noise, so that slopes at a point say little; None: to be looked at.
    rugged: bool | None = False
    bounded = False  # whether some positive numbers make no block
    begins: Mapping[str, ArrayLike] = {}

    def __init__(self, known: Mapping[str, float], assumed: Iterable[str] = (), asked: Iterable[str] = ()):
        self.known = dict(known)
        self.assumed, self.asked = frozenset(assumed), frozenset(asked)

    @property
    @abstractmethod
    def parameters(self) -> tuple[Sought, ...]:
        """All parameters, those given in `known` included."""

    @property
    def free(self) -> tuple[Sought, ...]:
        """The parameters to identify."""
        return tuple(q for q in self.parameters if q.name not in self.known)

    @abstractmethod
    def block(self, values: Mapping[str, float], dimension: int) -> Block:
        """The block with these parameters."""

    @abstractmethod
    def starts(self, record: Record) -> Iterable[Values]:
        """Where to begin, from the data alone; the engine ranks them."""

    @abstractmethod
    def scales(self, values: Values, record: Record) -> Values:
        """For each parameter that may be 0: the size below which it makes no difference to this record."""

    def name_in_block(self, name: str) -> str:
        """How the block calls this parameter among its own."""
        return name

    def trial(self) -> Values:
        """Some values of all that is sought, of which a block can be made; none of them 0."""
        return {q.name: 1.0 + math.sqrt(2.0 + i) / 7.0 for i, q in enumerate(self.free)}

    def inputs(self, record: Record) -> dict[str, Array]:
        """What the block is fed beside motion or force: field -> its values over the ticks of a record."""
        return {}

    def initial(self, values: Mapping[str, float]) -> dict[str, float]:
        """Fields of the state that follow from the parameters."""
        return {}

    def offset(self, values: Mapping[str, float]) -> float:
        """What the sensor of the force, or its amplifier, adds to it [N]."""
        return values.get("offset", 0.0)

    def exists(self, values: Mapping[str, float], record: Record) -> bool:
        """Whether these numbers make a block that runs at the period of a record."""
        try:
            if self.bounded:
                self.block({**self.known, **values}, record.dimension).check(record.period)
        except InputError:
            return False
        return True

    def most(self, values: Values, record: Record) -> Mapping[str, tuple[float, str]]:
        """For some parameters, how large they can be in a machine that made this record, and why.

        A number well beyond is doubted: least squares puts there what the model cannot explain.
        """
        return {}

    def inspect(self, record: Record) -> None:  # noqa: B027 - a recipe may have nothing to say before the fit
        """Refuse a record that cannot work, before any computing."""

    def rivals(self, values: Values, record: Record) -> Iterable[Rival]:
        """Simpler models that the record must speak against."""
        return ()

    def ordered(self, values: Values) -> Values:
        """The same model with its parts in their canonical order."""
        return values


def with_known(recipe: Recipe, more: Mapping[str, float]) -> Recipe:
    """The same recipe with more parameters given."""
    other = copy.copy(recipe)
    other.known = {**recipe.known, **more}
    return other


def with_free(recipe: Recipe, name: str) -> Recipe:
    """The same recipe with one more parameter sought that was assumed."""
    other = copy.copy(recipe)
    other.known = {k: v for k, v in recipe.known.items() if k != name}
    other.assumed = recipe.assumed - {name}
    return other


def without(recipe: Recipe, values: Values, gone: Mapping[str, float], complaint: str, remedy: str) -> Rival:
    """A rival that is the same recipe with some parameters put out of play at fixed values."""
    return Rival(with_known(recipe, gone), values, tuple(gone), complaint, remedy)
