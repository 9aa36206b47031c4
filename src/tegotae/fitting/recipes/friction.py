"""The recipes of `FrictionImpedance` and `FrictionAdmittance`: their own parameters and those of their law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import numpy as np

from tegotae import checks
from tegotae.fitting.engine import quick
from tegotae.fitting.recipe import Rival, Sought, Values, with_known, without
from tegotae.fitting.recipes import elements
from tegotae.fitting.recipes.laws import OFFSET, CoulombRecipe, FrictionRecipe, StribeckRecipe, ViscousRecipe
from tegotae.fitting.record import Record
from tegotae.friction import FrictionAdmittance, FrictionImpedance


class ImpedanceRecipe(FrictionRecipe):
    """One element; mass and lag are 0 unless given, the preload and the sensor's offset unless asked for."""

    machine = FrictionImpedance
    main = (
        Sought.of(
            FrictionImpedance, "stiffness", "reversals, or a start from rest, slow enough for several ticks of sticking"
        ),
        Sought.of(FrictionImpedance, "damping", "faster reversals, so that it sticks at speed"),
    )
    others = (
        Sought("preload", "N", "a start in which it still sticks", signed=True),
        OFFSET,
        Sought.of(FrictionImpedance, "mass"),
        Sought.of(FrictionImpedance, "lag"),
    )

    def initial(self, values: Mapping[str, float]) -> dict[str, float]:
        """The spring carries the preload."""
        return {"deflection": values["preload"] / values["stiffness"]} if values["preload"] else {}

    def inspect(self, record: Record) -> None:
        """It must move, and resist."""
        elements.inspect(record)
        super().inspect(record)

    def scales(self, values: Values, record: Record) -> Values:
        """A damper that relaxes within two ticks makes hardly a difference."""
        push = elements.largest(record)
        sizes = {"damping": 2.0 * record.period * values["stiffness"], "preload": push, "offset": push}
        return sizes | self.law.scales(values, elements.fastest(record))

    def most(self, values: Values, record: Record) -> Mapping[str, tuple[float, str]]:
        """A spring that began slack never carries more than the friction."""
        friction = self.law.level(values) + values.get("viscosity", 0.0) * elements.fastest(record)
        return elements.most(record) | {"preload": (friction, f"the friction lets a spring carry {friction:.3g} N")}

    def starts(self, record: Record) -> Iterable[Values]:
        """Each law begins from a plainer one: bare elements, then a level, then what falls with speed."""
        # A bias would look like friction in one direction; half way between the ends of the range is near it.
        bias = self.known.get("offset", 0.5 * float(np.max(record.force) + np.min(record.force)))
        record = Record(record.velocity, record.force - bias, record.period) if bias else record
        if isinstance(self.law, CoulombRecipe):
            guesses = self._bare(record)
        elif isinstance(self.law, ViscousRecipe):
            guesses = self._level(record)
        else:
            guesses = self._falling(record)
        begun = float(np.mean(record.force[:3]))
        for guess in guesses:
            yield {"preload": begun, "offset": bias, **guess}

    def _bare(self, record: Record) -> Iterable[Values]:
        """Elements of a family, each as stiff as the record would have it."""
        family = elements.family(record, 40)
        stiffnesses, costs = family.stiffnesses(record), family.costs(record)
        for i in np.flatnonzero(np.isfinite(costs)):
            K = float(stiffnesses[i])
            yield {"stiffness": K, "damping": K * family.relaxations[i], "limit": K * family.reaches[i]}

    def _level(self, record: Record) -> Iterable[Values]:
        """The law from the ticks in which the elements that explain most would slide."""
        family = elements.family(record, 40)
        stiffnesses, costs = family.stiffnesses(record), family.costs(record)
        for i in np.argsort(costs)[:40]:
            speeds, forces = elements.sliding(record, float(family.reaches[i]))
            if speeds.size >= 10 and np.isfinite(costs[i]):
                K = float(stiffnesses[i])
                for guess in self.law.guesses(speeds, forces):
                    yield {"stiffness": K, "damping": K * family.relaxations[i], **guess}

    def _falling(self, record: Record) -> Iterable[Values]:
        """The law from the ticks in which the best element without a fall slides."""
        plain = ImpedanceRecipe(ViscousRecipe(), self.known_but_for_the_law())
        found = quick(with_known(plain, {"offset": 0.0}), record)  # a bias is taken off already
        found = {**plain.known, **found}
        block, initial = plain.block(found, record.dimension), plain.initial(found)
        assert isinstance(block, FrictionImpedance)
        run = block.run(record.velocity, period=record.period, record=["slip_velocity"], initial=initial)
        slip = np.asarray(run["slip_velocity"])
        speeds, forces = elements.along(record, slip.reshape(record.ticks, -1))
        if speeds.size < 10:  # it hardly slides: begin there, and let the engine say so
            speeds = elements.fastest(record) * np.linspace(0.1, 1.0, 10)
            forces = np.linspace(1.2, 1.0, 10) * elements.largest(record)
        K, B = found["stiffness"], found["damping"]
        for guess in self.law.guesses(speeds, forces):
            # Enough for one sliding speed at every push.  [kikuuwe2005 (17c)]
            least = max(0.0, 1.1 * self.law.law({**guess, **self.known}).steepest_fall - record.period * K)
            for damping in {B, max(B, least), max(0.5 * B, least)}:
                yield {"stiffness": K, "damping": damping, **guess}

    def rivals(self, values: Values, record: Record) -> Iterable[Rival]:
        """It never slides; it never sticks; its friction does not depend on speed as the law says."""
        far, fast = elements.travel(record), elements.fastest(record)
        if not set(self.law.levels) & set(self.known):
            endless = {**self.known_but_for_the_law(), "limit": 1e6 * elements.largest(record)}
            spring = ImpedanceRecipe(CoulombRecipe(), endless)
            yield Rival(
                spring,
                values,
                tuple(q.name for q in self.law.parameters if q.name not in self.known),
                f"within its {far:.3g} m of travel a spring and a damper explain it as well, so it never slides.",
                f"Record a larger motion: several times {far:.3g} m to and fro.",
            )
        if "stiffness" not in self.known:
            stiff = 1e4 * self.law.level(values) / (fast * record.period)
            gone = {"stiffness": stiff} if "damping" in self.known else {"stiffness": stiff, "damping": 0.0}
            yield without(
                self,
                values,
                gone,
                "sliding alone explains it as well, so it is never seen to stick.",
                "Record slower reversals, so that several ticks fall between a reversal and the next slide.",
            )
        if isinstance(self.law, StribeckRecipe) and not {"kinetic", "static", "velocity"} & set(self.known):
            level = {k: v for k, v in self.known.items() if k != "exponent"}
            yield Rival(
                ImpedanceRecipe(ViscousRecipe(), level),
                {**values, "limit": 0.5 * (values["kinetic"] + values["static"])},
                ("kinetic", "static", "velocity"),
                "a friction that does not fall with speed explains it as well.",
                "Record sliding at speeds both well below and well above the Stribeck velocity, or fit law=tg.Viscous.",
            )


class AdmittanceRecipe(FrictionRecipe):
    """A mass with friction; the lag is 0 unless given, the offset of the force unless asked for."""

    drive = "force"
    response = "velocity"
    rugged = True  # it forgets its past at each stop, and by when it stops: a matter of ticks
    machine = FrictionAdmittance
    main = (Sought.of(FrictionAdmittance, "mass", "forces that change quickly enough to speed it up and slow it down"),)
    others = (OFFSET, Sought.of(FrictionAdmittance, "lag"))

    def inspect(self, record: Record) -> None:
        """It must be driven, and move."""
        super().inspect(record)
        if not record.force.any():
            checks.refuse("fit", "force is 0 throughout, so nothing drives it.", "Record a force that moves it.")
        if not record.velocity.any():
            problem = "velocity is 0 throughout: the force never exceeds the friction."
            checks.refuse("fit", problem, "Record larger forces, until it slides to and fro.")
        if float(np.sum(record.force * record.velocity)) < 0.0:
            problem = "the force brakes the motion instead of driving it."
            checks.refuse("fit", problem, "Give the force that drives the mass, without the friction. Try -force.")

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
        guesses = self._falling(record) if isinstance(self.law, StribeckRecipe) else self._grid(record)
        for guess in guesses:
            yield {"offset": bias, **guess}

    def _grid(self, record: Record) -> Iterable[Values]:
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
