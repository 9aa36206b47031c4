"""The recipe of `FrictionImpedance`: stiffness, damping and the parameters of its law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tegotae.fitting.engine import quick
from tegotae.fitting.recipe import Rival, Sought, Values, with_known, without
from tegotae.fitting.recipes import elements
from tegotae.fitting.recipes.laws import OFFSET, CoulombRecipe, FrictionRecipe, StribeckRecipe, ViscousRecipe
from tegotae.fitting.record import Record
from tegotae.friction import FrictionImpedance


class ImpedanceRecipe(FrictionRecipe):
    """One element; mass and lag are 0 unless given, the preload and the sensor's offset unless asked for."""

    machine = FrictionImpedance
    own = (
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
        own = {"damping": 2.0 * record.period * values["stiffness"], "preload": elements.largest(record)}
        own["offset"] = own["preload"]
        return own | self.law.scales(values, elements.fastest(record))

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
        far, fast = elements.extent(record), elements.fastest(record)
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
