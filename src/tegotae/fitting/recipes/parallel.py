"""The recipe of `ParallelFriction`: the stiffness, damping and limit of each of N elements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from tegotae.block import Block
from tegotae.checks import Array
from tegotae.fitting.recipe import Recipe, Rival, Sought, Values, without
from tegotae.fitting.recipes import elements
from tegotae.fitting.record import Record
from tegotae.friction import ParallelFriction

MOST_CHOICES = 4000  # sets of elements that are tried before the compiled model is asked


class ParallelRecipe(Recipe):
    """N Coulomb elements, in the order in which they begin to slide: by limit over stiffness."""

    def __init__(self, count: int, known: Mapping[str, float]):
        # What is known of all elements, element by element.
        each = {name: [f"{name}[{i}]" for i in range(count)] if name in _COLUMNS else [name] for name in known}
        super().__init__({one: value for name, value in known.items() for one in each[name]})
        self.count = count

    @property
    def parameters(self) -> tuple[Sought, ...]:
        """stiffness[0], damping[0], limits[0], stiffness[1], ..."""
        slow = "motion that first carries, then slides this element, several ticks each"
        found = []
        for i in range(self.count):
            found += [
                Sought.of(ParallelFriction, f"stiffness[{i}]", slow),
                Sought.of(ParallelFriction, f"damping[{i}]", "faster reversals"),
                Sought.of(ParallelFriction, f"limits[{i}]", slow),
            ]
        return tuple(found)

    def block(self, values: Mapping[str, float], dimension: int) -> Block:
        """ParallelFriction."""
        return ParallelFriction(**self._columns(values), dimension=dimension)

    def _columns(self, values: Mapping[str, float]) -> dict[str, Any]:
        return {name: [values[f"{name}[{i}]"] for i in range(self.count)] for name in _COLUMNS}

    def inspect(self, record: Record) -> None:
        """It must move, and resist."""
        elements.inspect(record)

    def scales(self, values: Values, record: Record) -> Values:
        """A damper that relaxes within two ticks of the whole composite's stiffness makes hardly a difference."""
        whole = sum(values[f"stiffness[{i}]"] for i in range(self.count))
        return {f"damping[{i}]": 2.0 * record.period * whole for i in range(self.count)}

    def most(self, values: Values, record: Record) -> Mapping[str, tuple[float, str]]:
        """No element carries more than all of them do."""
        return {f"limits[{i}]": elements.most(record)["limit"] for i in range(self.count)}

    def ordered(self, values: Values) -> Values:
        """By reach, where no element was singled out by what is known of it."""
        if len({tuple(f"{n}[{i}]" in self.known for n in _COLUMNS) for i in range(self.count)}) > 1:
            return values
        full = {**self.known, **values}
        reaches = [full[f"limits[{i}]"] / full[f"stiffness[{i}]"] for i in range(self.count)]
        turn = {f"{n}[{new}]": f"{n}[{old}]" for new, old in enumerate(np.argsort(reaches)) for n in _COLUMNS}
        return {name: values[turn[name]] for name in values}

    def starts(self, record: Record) -> Iterable[Values]:
        """Forces add, and each is proportional to its stiffness: sets of reaches by linear least squares."""
        size = self.count + 1
        while size < 26 and math.comb(size + 1, self.count) <= MOST_CHOICES:
            size += 1
        family = elements.family(record, size)
        sets = np.array(list(combinations(range(size), self.count)))
        target = elements.flattened(record.force)
        found: list[tuple[float, Values]] = []
        for time in np.unique(family.relaxations):
            chosen = family.relaxations == time
            forces, reaches = family.forces[chosen], family.reaches[chosen]
            weights, gains = _weigh(forces @ forces.T, forces @ target, sets)
            for k in np.argsort(-gains)[:40]:
                K = weights[k]
                columns = {"stiffness": K, "damping": K * time, "limits": K * reaches[sets[k]]}
                if np.isfinite(gains[k]):
                    found.append((-gains[k], _by_element(columns)))
        yield from (values for _, values in sorted(found, key=lambda pair: pair[0])[:120])

    def rivals(self, values: Values, record: Record) -> Iterable[Rival]:
        """The last never slides; the first never sticks; two of them are one."""
        last = self.count - 1
        if f"limits[{last}]" not in self.known:
            far = elements.travel(record)
            yield without(
                self,
                values,
                {f"limits[{last}]": 1e6 * elements.largest(record)},
                f"within its {far:.3g} m of travel the last element never slides.",
                f"Record a larger motion: several times {far:.3g} m to and fro.",
            )
        if "stiffness[0]" not in self.known:
            stiff = 1e4 * values["limits[0]"] / (elements.fastest(record) * record.period)
            yield without(
                self,
                values,
                {"stiffness[0]": stiff, "damping[0]": 0.0},
                "sliding alone explains the first element as well, so it is never seen to stick.",
                "Record slower reversals" + (", or ask for fewer elements." if self.count > 1 else "."),
            )
        yield from self._merged(values)

    def _merged(self, values: Values) -> Iterable[Rival]:
        if self.count == 1 or any(n.split("[")[0] != "damping" for n in self.known):
            return
        known = {k: v for k, v in self.known.items() if int(k.split("[")[1][:-1]) < self.count - 1}
        for i in range(self.count - 1):
            columns = self._columns(values)
            for column in columns.values():
                column[i : i + 2] = [column[i] + column[i + 1]]
            yield Rival(
                ParallelRecipe(self.count - 1, known),
                _by_element(columns),
                (f"element {i} apart from element {i + 1}",),
                f"{self.count - 1} elements explain it as well.",
                f"Use elements={self.count - 1}, or record less noise and reversals of many sizes.",
            )


_COLUMNS = ("stiffness", "damping", "limits")


def _weigh(gram: Array, products: Array, sets: Array) -> tuple[Array, Array]:
    """For each set of columns: its least-squares weights, and how much they explain (-inf if one is negative)."""
    tie = 1e-9 * np.trace(gram) / gram.shape[0]
    matrices = gram[sets[:, :, None], sets[:, None, :]] + tie * np.eye(sets.shape[1])
    weights = np.linalg.solve(matrices, products[sets][..., None])[..., 0]
    gains = np.sum(weights * products[sets], axis=1)
    return weights, np.where((weights > 0.0).all(axis=1), gains, -np.inf)


def _by_element(columns: Mapping[str, Iterable[float]]) -> Values:
    return {f"{name}[{i}]": float(number) for name, column in columns.items() for i, number in enumerate(column)}
