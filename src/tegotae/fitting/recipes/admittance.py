"""The recipe of `FrictionAdmittance`: its mass and the parameters of its law, from force in and velocity out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import numpy as np

from tegotae import checks
from tegotae.fitting.engine import quick
from tegotae.fitting.recipe import Rival, Sought, Values, without
from tegotae.fitting.recipes import elements
from tegotae.fitting.recipes.laws import OFFSET, FrictionRecipe, StribeckRecipe, ViscousRecipe
from tegotae.fitting.record import Record
from tegotae.friction import FrictionAdmittance


class AdmittanceRecipe(FrictionRecipe):
    """A mass with friction; the lag is 0 unless given, the offset of the force unless asked for."""

    drive = "force"
    response = "velocity"
    rugged = True  # it forgets its past at each stop, and by when it stops: a matter of ticks
    machine = FrictionAdmittance
    own = (Sought.of(FrictionAdmittance, "mass", "forces that change quickly enough to speed it up and slow it down"),)
    others = (OFFSET, Sought.of(FrictionAdmittance, "lag"))

    def inspect(self, record: Record) -> None:
        """It must be driven, and move."""
        super().inspect(record)
        if not record.force.any():
            checks.refuse("fit", "force is 0 throughout, so nothing drives it.", "Record a force that moves it.")
        if not record.velocity.any():
            checks.refuse(
                "fit",
                "velocity is 0 throughout: the force never exceeds the friction.",
                "Record larger forces, until it slides to and fro.",
            )
        if float(np.sum(record.force * record.velocity)) < 0.0:
            checks.refuse(
                "fit",
                "the force brakes the motion instead of driving it.",
                "Give the force that drives the mass, without the friction. Try -force.",
            )

    def scales(self, values: Values, record: Record) -> Values:
        """As the law has it; an offset below the largest force may be anything."""
        return {"offset": elements.largest(record)} | self.law.scales(values, elements.fastest(record))

    def most(self, values: Values, record: Record) -> Mapping[str, tuple[float, str]]:
        """What the largest force could bring to the largest speed within the record."""
        heaviest = elements.largest(record) * record.duration / elements.fastest(record)
        return elements.most(record) | {"mass": (heaviest, f"in this time these forces move {heaviest:.3g} kg so fast")}

    def starts(self, record: Record) -> Iterable[Values]:
        """A grid over mass and level; a law that falls begins from the best one that does not."""
        bias = self.known.get("offset", record.off_centre)
        record = Record(record.velocity, record.force - bias, record.period) if bias else record
        for guess in self._unbiased(record):
            yield {"offset": bias, **guess}

    def _unbiased(self, record: Record) -> Iterable[Values]:
        if isinstance(self.law, StribeckRecipe):
            yield from self._falling(record)
            return
        push, fast = elements.largest(record), elements.fastest(record)
        masses = np.geomspace(0.3 * push * record.period / fast, push * record.duration / fast, 28)
        viscosities = (push / fast) * np.array([0.0, 0.1, 0.4]) if isinstance(self.law, ViscousRecipe) else np.zeros(1)
        for mass, level, b in product(masses.tolist(), np.linspace(0.04, 0.96, 14), viscosities.tolist()):
            yield {"mass": mass, "limit": float(level) * push, "viscosity": b}

    def _falling(self, record: Record) -> Iterable[Values]:
        """What the force leaves after the inertia of the best mass without a fall."""
        # A bias is taken off already.
        plain = AdmittanceRecipe(ViscousRecipe(), {**self.known_but_for_the_law(), "offset": 0.0})
        found = {**plain.known, **quick(plain, record)}
        slider = plain.block(found, record.dimension)
        assert isinstance(slider, FrictionAdmittance)
        run = slider.run(record.force, period=record.period)
        velocity = np.asarray(run["velocity"]).reshape(record.ticks, -1)
        inertia = found["mass"] * np.diff(velocity, axis=0, prepend=0.0) / record.period
        left = (inertia - record.force.reshape(record.ticks, -1)).reshape(record.velocity.shape)
        speeds, forces = elements.along(Record(record.velocity, left, record.period), velocity)
        if speeds.size < 10:
            return
        for guess in self.law.guesses(speeds, forces):
            fall = self.law.law({**guess, **self.known}).steepest_fall
            yield {"mass": max(found["mass"], 1.1 * record.period * fall), **guess}

    def rivals(self, values: Values, record: Record) -> Iterable[Rival]:
        """It has no friction; its friction does not fall."""
        if "limit" in self.law.levels and "limit" not in self.known:
            yield without(
                self,
                values,
                {"limit": 1e-9 * elements.largest(record)},
                "a mass without dry friction explains it as well.",
                "Record smaller forces too, so that it comes to rest and breaks away again.",
            )
        if isinstance(self.law, StribeckRecipe) and not {"kinetic", "static", "velocity"} & set(self.known):
            yield Rival(
                AdmittanceRecipe(ViscousRecipe(), self.known_but_for_the_law()),
                {**values, "limit": values["kinetic"]},
                ("kinetic", "static", "velocity"),
                "a friction that does not fall with speed explains it as well.",
                "Record slow and fast sliding around the Stribeck velocity, or fit law=tg.Viscous.",
            )
