"""`tegotae run rod`: the paper's soft rod, a snake that crawls, a mass dragged on a leaf spring, a whip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from tegotae import checks
from tegotae.result import Result
from tegotae.rod import Ground, Phase, PlanarRod
from tegotae.rod.demonstrations import SCALES, crawling_snake, dragged_mass, whip
from tegotae.scenarios.scenario import FILM, Number, Picture, Scenario

_OWN = "run rod"
_MOST_NUMBERS = 20_000_000  # recorded: nodes times moments, about 2 GB of all that is recorded of them
_RECORDED = 0.01  # s from one recorded moment to the next on the ground


class _Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Unknown names are errors, not silently ignored."""


class PaperRod(_Group, frozen=True, tag_field="kind", tag="paper"):
    """The rod of hirai2020: turned at a pin, left alone there, released."""

    torque: Annotated[float, Meta(description="on the pinned base, in the first phase [N·m]")] = 50.0
    nodes: Annotated[int, Meta(description="of the rod, at least 2")] = 5
    length: Annotated[float, Meta(description="[m], > 0")] = 10.0
    density: Annotated[float, Meta(description="[kg/m], > 0")] = 0.1
    elasticity: Annotated[float, Meta(description="bending stiffness [N·m²], >= 0")] = 1.0
    viscosity: Annotated[float, Meta(description="bending viscosity [N·m²·s], >= 0")] = 2.0
    turned: Annotated[float, Meta(description="when the torque ends [s], > 0")] = 1.0
    released: Annotated[float, Meta(description="when the pin lets go [s], > turned")] = 2.0
    until: Annotated[float, Meta(description="end of the run [s], > released")] = 3.0
    moments: Annotated[int, Meta(description="recorded, at least 2")] = 301
    tolerance: Annotated[float, Meta(description="relative and absolute [-], > 0")] = 1e-8

    def run(self) -> Result:
        """Adaptively, in closed form."""
        rod = PlanarRod(
            length=self.length,
            nodes=self.nodes,
            density=self.density,
            elasticity=self.elasticity,
            viscosity=self.viscosity,
        )
        moments = checks.whole(_OWN, "rod.moments", self.moments, 2, "Give at least 2.")
        _refuse_many(self.nodes, moments)
        until = checks.positive(_OWN, "rod.until", self.until, "s", "Give the end of the run.")
        phases = [
            Phase(until=self.turned, torque=self.torque, base="pinned"),
            Phase(until=self.released, base="pinned"),
            Phase(until=until),
        ]
        times = np.linspace(0.0, until, moments)
        return rod.run(phases, times=times, rtol=self.tolerance, atol=self.tolerance)

    def words(self) -> tuple[str, str]:
        """Title and parameters, for the head of the figure."""
        return "A soft rod, turned, left alone, released", f"torque {self.torque:g} N·m, {self.nodes} nodes"


class Snake(_Group, frozen=True, tag_field="kind", tag="snake"):
    """1 m and 1 kg that crawls by a travelling wave of curvature on anisotropic ground."""

    frequency: Annotated[float, Meta(description="of the wave [Hz]; a negative one sends it backward")] = 1.0
    tangential: Annotated[float, Meta(description="coefficient of friction along the body [-], >= 0")] = 0.1
    normal: Annotated[float, Meta(description="coefficient of friction across the body [-], >= 0")] = 0.5
    nodes: Annotated[int, Meta(description="of the rod, at least 2")] = 33
    until: Annotated[float, Meta(description="end of the run [s], > 0")] = 5.0
    period: Annotated[float, Meta(description="of a tick [s], > 0")] = 0.001

    def run(self) -> Result:
        """At a fixed period."""
        every = _every(self.nodes, self.until, self.period)
        ground = Ground(
            tangential=self.tangential, normal=self.normal, stiffness=SCALES.stiffness, damping=SCALES.damping
        )
        return crawling_snake(
            ground=ground,
            frequency=self.frequency,
            until=self.until,
            nodes=self.nodes,
            period=self.period,
            every=every,
        )

    def words(self) -> tuple[str, str]:
        """Title and parameters, for the head of the figure."""
        own = f"friction {self.tangential:g} along, {self.normal:g} across, wave of {self.frequency:g} Hz"
        return "A snake crawls by a wave of curvature", f"{own}, {self.nodes} nodes"


class Drag(_Group, frozen=True, tag_field="kind", tag="drag"):
    """A mass of 1 kg dragged over a table on a leaf spring."""

    speed: Annotated[float, Meta(description="of the clamped base [m/s]")] = 0.05
    static: Annotated[float, Meta(description="how many times larger friction is at rest [-], >= 1")] = 1.5
    until: Annotated[float, Meta(description="end of the run [s], > 0")] = 10.0
    period: Annotated[float, Meta(description="of a tick [s], > 0")] = 0.001

    def run(self) -> Result:
        """At a fixed period."""
        every = _every(9, self.until, self.period)
        return dragged_mass(static=self.static, speed=self.speed, until=self.until, period=self.period, every=every)

    def words(self) -> tuple[str, str]:
        """Title and parameters, for the head of the figure."""
        own = f"base at {1e3 * self.speed:g} mm/s, friction at rest {self.static:g} times larger"
        return "A mass dragged on a leaf spring", own


class Whip(_Group, frozen=True, tag_field="kind", tag="whip"):
    """A tapering whip of 1 m, its handle turned and back in half a second."""

    nodes: Annotated[int, Meta(description="of the rod, at least 2")] = 31
    period: Annotated[float, Meta(description="of a tick [s], > 0; the tip turns fast, so keep it short")] = 1e-4

    def run(self) -> Result:
        """At a fixed period."""
        period = checks.period_of(_OWN, self.period)
        _refuse_many(self.nodes, 0.6 / period)
        return whip(nodes=self.nodes, period=period, every=max(1, round(1e-3 / period)))

    def words(self) -> tuple[str, str]:
        """Title and parameters, for the head of the figure."""
        return "A whip", f"1 m, tapering to a tenth, {self.nodes} nodes, {1e3 * self.period:g} ms a tick"


class RodRun(_Group, frozen=True):
    """A rod, and what happens to it."""

    rod: PaperRod | Snake | Drag | Whip = PaperRod()


def _every(nodes: int, until: float, period: float) -> int:
    """Ticks from one record to the next."""
    length = checks.positive(_OWN, "rod.until", until, "s", "Give the end of the run.")
    tick = checks.period_of(_OWN, period)
    _refuse_many(nodes, length / tick)
    return max(1, round(_RECORDED / tick))


def _refuse_many(nodes: int, moments: float) -> None:
    if nodes * moments > _MOST_NUMBERS:
        checks.refuse(
            _OWN,
            f"{nodes} nodes at {moments:.3g} moments are too many.",
            f"Choose them so that their product stays below {_MOST_NUMBERS:,}.",
        )


def run(parameters: RodRun) -> Result:
    """Let the rod move.

    Args:
        parameters: of the scenario, with their units in `RodRun`.

    Example:
        >>> [round(float(angle), 4) for angle in run(RodRun()).angle[100]]  # after the first phase
        [11.9686, 10.4744, 3.3703, 4.6254, 5.5555]
    """
    result = parameters.rod.run()
    title, words = parameters.rod.words()
    return Result(result.variables, title=title, about={**result.about, "block": f"rod({words})"})


def balance(result: Result) -> checks.Array:
    """What was put in and is nowhere to be found [J], at every recorded moment.

    Args:
        result: of a rod.

    Example:
        >>> bool(abs(balance(run(RodRun()))).max() < 1e-4)  # of 600 J
        True
    """
    left = np.array(result.work)
    for name in ("kinetic", "elastic", "potential", "dissipated", "ground_work"):
        if name in result.variables:
            left -= result[name] - result[name][0]
    return left


def summary(parameters: RodRun, result: Result) -> Sequence[Number]:
    """The numbers that tell how it went.

    Args:
        parameters: of the scenario.
        result: of its run.

    Example:
        >>> paper = RodRun()
        >>> [(n.name, round(n.value, 1), n.unit) for n in summary(paper, run(paper))][:2]
        [('work put in', 598.4, 'J'), ('kinetic at the end', 87.4, 'J')]
    """
    about, most = result.about, float(np.abs(result.work).max())
    tip = result.position[-1, -1]
    numbers = [
        Number("work put in", float(result.work[-1]), "J"),
        Number("kinetic at the end", float(result.kinetic[-1]), "J"),
        Number("elastic at the end", float(result.elastic[-1]), "J"),
        Number("dissipated by viscosity", float(result.dissipated[-1]), "J"),
    ]
    grounded = "ground_work" in result.variables
    if grounded and result.ground_work.any():
        numbers.append(Number("taken by the ground", float(result.ground_work[-1]), "J"))
    off = float(np.abs(balance(result)).max())
    numbers.append(Number("largest residual of the work balance", off / most if most else off, "of the work"))
    numbers += [Number("tip at the end, x", float(tip[0]), "m"), Number("tip at the end, y", float(tip[1]), "m")]
    numbers.append(Number("fastest tip", float(np.linalg.norm(result.velocity[:, -1], axis=1).max()), "m/s"))
    if not grounded:
        steps = [("steps", "steps"), ("rejected steps", "rejected_steps"), ("accelerations", "accelerations")]
        return numbers + [Number(word, float(about[name]), "") for word, name in steps]
    if result.friction.any():
        way = result.position[-1].mean(axis=0) - result.position[0].mean(axis=0)
        numbers += [Number("displacement, x", float(way[0]), "m"), Number("displacement, y", float(way[1]), "m")]
        numbers.append(Number("nodes that stick", 100.0 * float(np.mean(result.slip_speed == 0.0)), "% in the mean"))
    numbers.append(Number("largest turn of a node in a tick", float(about["largest_turn"]), "rad"))
    return [
        *numbers,
        Number("steps", float(about["ticks"]), ""),
        Number("unsolved steps", float(about["unsolved_steps"]), "steps"),
    ]


def _film(parameters: RodRun, result: Result, path: Path) -> None:
    from tegotae import figures

    figures.animate_rod(result, path)


scenario = Scenario(
    name="rod",
    purpose="a soft rod: that of hirai2020, a crawling snake, a mass dragged on a leaf spring, a whip",
    parameters=RodRun,
    run=run,
    summary=summary,
    shortcuts={"MACHINE": "rod.kind", "--speed": "rod.speed", "--until": "rod.until"},
    pictures={"--animation": Picture("the film", FILM, _film)},
)
