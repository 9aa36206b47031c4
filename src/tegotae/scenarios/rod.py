"""`tegotae run rod`: the paper's soft rod, a snake that crawls, a mass dragged on a leaf spring, a whip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from tegotae import checks
from tegotae.parameters import Declared, Parameter, Period
from tegotae.result import Result
from tegotae.rod import Phase, PlanarRod
from tegotae.rod.demonstrations import SCALES, crawling_snake, dragged_mass, whip
from tegotae.scenarios import FILM, Picture, Quantity, Scenario, refuse_many
from tegotae.toml_settings import Kinds, fields_for

_OWNER = "run rod"
_MOST_NUMBERS = 20_000_000  # recorded: nodes times moments, about 2 GB of all that is recorded of them
_RECORDED = 0.01  # s from one recorded moment to the next on the ground
_ENERGIES = (("work put in", "work"), ("kinetic at the end", "kinetic"), ("elastic at the end", "elastic"),
             ("dissipated by viscosity", "dissipated"), ("taken by the ground", "ground_work"))  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PaperRod(Declared):
    """The rod of hirai2020: turned at a pin, left alone there, released."""

    torque: Annotated[float, Parameter("[N·m], on the pinned base, in the first phase")] = 50.0
    nodes: Annotated[int, Parameter(">= 2, of the rod")] = 5
    length: Annotated[float, Parameter("[m], > 0")] = 10.0
    density: Annotated[float, Parameter("[kg/m], > 0")] = 0.1
    elasticity: Annotated[float, Parameter("[N·m²], >= 0, bending stiffness")] = 1.0
    viscosity: Annotated[float, Parameter("[N·m²·s], >= 0, bending viscosity")] = 2.0
    turned: Annotated[float, Parameter("[s], > 0, when the torque ends")] = 1.0
    released: Annotated[float, Parameter("[s], when the pin lets go, after that")] = 2.0
    until: Annotated[float, Parameter("[s], > 0, end of the run, after that")] = 3.0
    moments: Annotated[int, Parameter(">= 2, recorded")] = 301
    tolerance: Annotated[float, Parameter("[-], > 0, relative and absolute")] = 1e-8

    def run(self) -> Result:
        """Adaptively, in closed form."""
        rod = PlanarRod(**fields_for(PlanarRod, self))
        _refuse_many(self.nodes, self.moments)
        phases = [
            Phase(until=self.turned, torque=self.torque, base="pinned"),
            Phase(until=self.released, base="pinned"),
            Phase(until=self.until),
        ]
        times = np.linspace(0.0, self.until, self.moments)
        result = rod.run(phases, times=times, rtol=self.tolerance, atol=self.tolerance)
        words = f"torque {self.torque:g} N·m, {self.nodes} nodes"
        return _titled(result, "A soft rod, turned, left alone, released", words)


@dataclass(frozen=True, kw_only=True)
class Snake(Declared):
    """1 m and 1 kg that crawls by a travelling wave of curvature on anisotropic ground."""

    frequency: Annotated[float, Parameter("[Hz], of the wave; a negative one sends it backward")] = 1.0
    tangential: Annotated[float, Parameter("[-], >= 0, coefficient of friction along the body")] = 0.1
    normal: Annotated[float, Parameter("[-], >= 0, coefficient of friction across the body")] = 0.5
    nodes: Annotated[int, Parameter(">= 2, of the rod")] = 33
    until: Annotated[float, Parameter("[s], > 0, end of the run")] = 5.0
    period: Period = 0.001

    def run(self) -> Result:
        """At a fixed period."""
        every = _every(self.nodes, self.until, self.period)
        ground = replace(SCALES, tangential=self.tangential, normal=self.normal)
        result = crawling_snake(
            ground=ground, frequency=self.frequency, until=self.until, nodes=self.nodes, period=self.period, every=every
        )
        words = f"friction {self.tangential:g} along, {self.normal:g} across, wave of {self.frequency:g} Hz"
        return _titled(result, "A snake crawls by a wave of curvature", f"{words}, {self.nodes} nodes")


@dataclass(frozen=True, kw_only=True)
class Drag(Declared):
    """A mass of 1 kg dragged over a table on a leaf spring."""

    speed: Annotated[float, Parameter("[m/s], of the clamped base")] = 0.05
    static: Annotated[float, Parameter("[-], >= 1, how many times larger friction is at rest")] = 1.5
    until: Annotated[float, Parameter("[s], > 0, end of the run")] = 10.0
    period: Period = 0.001

    def run(self) -> Result:
        """At a fixed period."""
        every = _every(9, self.until, self.period)
        result = dragged_mass(static=self.static, speed=self.speed, until=self.until, period=self.period, every=every)
        words = f"base at {1e3 * self.speed:g} mm/s, friction at rest {self.static:g} times larger"
        return _titled(result, "A mass dragged on a leaf spring", words)


@dataclass(frozen=True, kw_only=True)
class Whip(Declared):
    """A tapering whip of 1 m, its handle turned and back in half a second."""

    nodes: Annotated[int, Parameter(">= 2, of the rod")] = 31
    period: Annotated[float, Parameter("[s], > 0, of a tick; the tip turns fast, so keep it short")] = 1e-4

    def run(self) -> Result:
        """At a fixed period."""
        _refuse_many(self.nodes, 0.6 / self.period)
        made = whip(nodes=self.nodes, period=self.period, every=max(1, round(1e-3 / self.period)))
        return _titled(made, "A whip", f"1 m, tapering to a tenth, {self.nodes} nodes, {1e3 * self.period:g} ms a tick")


@dataclass(frozen=True, kw_only=True)
class RodRun(Declared):
    """A rod, and what happens to it."""

    rod: Annotated[PaperRod | Snake | Drag | Whip, Kinds(paper=PaperRod(), snake=Snake(), drag=Drag(), whip=Whip())] = (
        PaperRod()
    )


def _titled(result: Result, title: str, words: str) -> Result:
    """With title and parameters, for the head of the figure."""
    return Result(result.variables, title=title, about={**result.about, "block": f"rod({words})"})


def _every(nodes: int, until: float, period: float) -> int:
    """Ticks from one record to the next."""
    _refuse_many(nodes, until / period)
    return max(1, round(_RECORDED / period))


def _refuse_many(nodes: int, moments: float) -> None:
    refuse_many(_OWNER, f"{nodes} nodes at {moments:.3g} moments are too many.", nodes * moments, _MOST_NUMBERS)


def run(parameters: RodRun) -> Result:
    """Let the rod move.

    Example:
        >>> [round(float(angle), 4) for angle in run(RodRun()).angle[100]]  # after the first phase
        [11.9686, 10.4744, 3.3703, 4.6254, 5.5555]
    """
    return parameters.rod.run()


def balance(result: Result) -> checks.Array:
    """What was put in and is nowhere to be found [J], at every recorded moment.

    Example:
        >>> bool(abs(balance(run(RodRun()))).max() < 1e-4)  # of 600 J
        True
    """
    left = np.array(result.work)
    for name in ("kinetic", "elastic", "potential", "dissipated", "ground_work"):
        if name in result.variables:
            left -= result[name] - result[name][0]
    return left


def summary(parameters: RodRun, result: Result) -> Sequence[Quantity]:
    """The numbers that tell how it went.

    Example:
        >>> paper = RodRun()
        >>> [(n.name, round(n.value, 1), n.unit) for n in summary(paper, run(paper))][:2]
        [('work put in', 598.4, 'J'), ('kinetic at the end', 87.4, 'J')]
    """
    about, most = result.about, float(np.abs(result.work).max())
    tip = result.position[-1, -1]
    grounded = "ground_work" in result.variables
    ends = _ENERGIES if grounded and result.ground_work.any() else _ENERGIES[:-1]
    numbers = [Quantity(words, float(result[name][-1]), "J") for words, name in ends]
    off = float(np.abs(balance(result)).max())
    numbers.append(Quantity("largest residual of the work balance", off / most if most else off, "of the work"))
    numbers += [Quantity("tip at the end, x", float(tip[0]), "m"), Quantity("tip at the end, y", float(tip[1]), "m")]
    numbers.append(Quantity("fastest tip", float(np.linalg.norm(result.velocity[:, -1], axis=1).max()), "m/s"))
    if not grounded:
        steps = [("steps", "steps"), ("rejected steps", "rejected_steps"), ("accelerations", "accelerations")]
        return numbers + [Quantity(word, float(about[name]), "") for word, name in steps]
    if result.friction.any():
        move = result.position[-1].mean(axis=0) - result.position[0].mean(axis=0)
        numbers += [Quantity("displacement, x", float(move[0]), "m"), Quantity("displacement, y", float(move[1]), "m")]
        numbers.append(Quantity("nodes that stick", 100.0 * float(np.mean(result.slip_speed == 0.0)), "% in the mean"))
    numbers.append(Quantity("largest turn of a node in a tick", float(about["largest_turn"]), "rad"))
    return [
        *numbers,
        Quantity("steps", float(about["ticks"]), ""),
        Quantity("unsolved steps", float(about["unsolved_steps"]), "steps"),
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
    pictures={"--animation": Picture("the film", FILM, _film)},
)
