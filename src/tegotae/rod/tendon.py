"""What bends a rod from inside, as `Phase(curvature=...)` takes it: tendons beside it, and waves along it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter, as_given
from tegotae.rod.phases import each_segment
from tegotae.rod.planar import PlanarRod


@dataclass(frozen=True, kw_only=True, eq=False)
class Tendon(Declared):
    """A string guided beside the rod, from its base to where it is tied, without friction.

    By how much it shortens when the rod bends is the offset times the bend, so its tension acts as a moment, tension
    times offset, on every segment that it passes: exactly that, however far the rod has bent. To the rod it is the
    same as a change of its natural curvature by moment/elasticity. (`work` of a run is then what changing the natural
    curvature takes; the tension's own work is `-tension` times the change of `length`.)

    Example:
        >>> from tegotae.rod import Phase, PlanarRod
        >>> from tegotae.rod.tendon import Tendon
        >>> finger = PlanarRod(length=0.1, nodes=6, density=0.05, elasticity=1e-3, viscosity=2e-4)
        >>> pulled = Phase(until=2.0, base="fixed", curvature=Tendon(offset=5e-3, tension=2.0).curvature(finger))
        >>> end = finger.run([pulled], times=[2.0]).angle[-1]
        >>> round(float(end[-1] - end[0]), 4)  # tension offset length/elasticity
        1.0
    """

    offset: Annotated[
        ArrayLike,
        Parameter(
            "[m], distance to the left of the rod, a number or one a segment; negative is to its right",
            accept=partial(checks.finite_array, unit="m"),
        ),
    ]
    tension: Annotated[
        Any, Parameter("[N], >= 0, a number, or (times [s], values), linear in between", accept=as_given)
    ]
    end: Annotated[
        float | None, Parameter("[m], > 0, where it is tied, by the distance from the base; the tip unless given")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.tension, tuple) and len(self.tension) != 2:
            checks.refuse("Tendon", "tension is a tuple.", "Give a number, or (times, values).")
        times, values = self._tensions()
        if (np.diff(times) <= 0.0).any() or times.size != values.size or (values.size < 2 and self._varies):
            problem = f"tension has {times.size} times and {values.size} values."
            checks.refuse("Tendon", problem, "Give 2 or more, increasing.")

    @property
    def _varies(self) -> bool:
        return isinstance(self.tension, tuple)

    def _tensions(self) -> tuple[Array, Array]:
        remedy = "A string can only pull: give 0 or more."
        if not self._varies:
            return np.zeros(1), checks.values("Tendon", "tension", self.tension, "N", remedy)
        times = checks.values("Tendon", "tension times", self.tension[0], "s", "Give increasing times.", -np.inf)
        return times, checks.values("Tendon", "tension", self.tension[1], "N", remedy)

    def arms(self, rod: PlanarRod) -> Array:
        """The moment on each segment for a tension of 1 N [m]; a segment passed in part counts for that part.

        Args:
            rod: what it bends.
        """
        hs = checks.instance("Tendon", "rod", rod, PlanarRod, "Give a PlanarRod(...).").segments.length
        offset = each_segment("Tendon", "offset", self.offset, "m", hs.size)
        end = rod.length if self.end is None else self.end
        if end > rod.length * (1.0 + 1e-12):
            checks.refuse("Tendon", f"end={end:g} m.", f"The rod is {rod.length:g} m long.")
        starts = np.concatenate([[0.0], np.cumsum(hs)[:-1]])
        return np.asarray(offset * np.clip((end - starts) / hs, 0.0, 1.0))

    def length(self, rod: PlanarRod, angle: ArrayLike) -> Array:
        """How long it is beside the rod [m], for angles (..., node) [rad]: the rod's, less offset times bend.

        Args:
            rod: what it bends.
            angle: of every node [rad].
        """
        arms, end = self.arms(rod), rod.length if self.end is None else self.end
        bend = np.diff(checks.finite_array("Tendon", "angle", angle, "rad", last=rod.nodes), axis=-1)
        return np.asarray(end - (arms * bend).sum(axis=-1))

    def curvature(self, rod: PlanarRod) -> Any:
        """What `Phase` takes as `curvature`: the rod's own, and that of this tendon [1/m].

        Args:
            rod: what it bends; its elasticity must be > 0 wherever the tendon passes.
        """
        return together([self], rod)


def together(tendons: list[Tendon], rod: PlanarRod) -> Any:
    """What `Phase` takes as `curvature` for several tendons of one rod [1/m].

    Args:
        tendons: all that bend it.
        rod: what they bend.

    Example:
        >>> from tegotae.rod import PlanarRod
        >>> from tegotae.rod.tendon import Tendon, together
        >>> rod = PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=2.0)
        >>> left, right = Tendon(offset=0.1, tension=5.0), Tendon(offset=-0.1, tension=1.0, end=0.5)
        >>> together([left, right], rod).tolist()
        [0.2, 0.25]
    """
    checks.several("together", "tendons", tendons, Tendon, "Give a list of Tendon(...).")
    _, _, elasticity, _, rest = checks.instance("Tendon", "rod", rod, PlanarRod, "Give a PlanarRod(...).").segments
    grids = [tendon._tensions()[0] for tendon in tendons if tendon._varies]
    when = np.unique(np.concatenate(grids)) if grids else np.zeros(1)
    moment = np.zeros((when.size, rest.size))
    for tendon in tendons:
        times, values = tendon._tensions()
        moment += np.multiply.outer(np.interp(when, times, values), tendon.arms(rod))
    bent = (moment != 0.0).any(axis=0)
    if (elasticity[bent] <= 0.0).any():
        checks.refuse("Tendon", "it passes a segment with elasticity=0.", "Give it some; nothing else holds the bend.")
    curvature = rest + np.divide(moment, elasticity, out=np.zeros_like(moment), where=moment != 0.0)
    return (when, curvature) if grids else curvature[0]


def travelling_wave(
    rod: PlanarRod,
    *,
    amplitude: float,
    wavelength: float,
    frequency: float,
    until: float,
    ramp: float = 0.0,
    samples: int = 64,
) -> tuple[Array, Array]:
    """Curvature  amplitude sin(2 pi (s/wavelength + frequency t)): a wave that runs from tip to base.

    The base is the tail and the tip the head of a snake that crawls forward with it; a negative frequency sends the
    wave the other way, and the snake back.

    Args:
        rod: what is to bend; the curvature of a segment is that of its middle.
        amplitude: largest curvature [1/m].
        wavelength: [m], > 0.
        frequency: [Hz].
        until: for how long [s], > 0.
        ramp: time in which the amplitude grows from 0 [s], >= 0.
        samples: of the table in a period of the wave, at least 8.

    Returns:
        Times [s] and curvatures (times, segments) [1/m].

    Example:
        >>> from tegotae.rod import PlanarRod, travelling_wave
        >>> rod = PlanarRod(length=1.0, nodes=33, density=1.0, elasticity=1.0)
        >>> times, bends = travelling_wave(rod, amplitude=8.0, wavelength=1.0, frequency=1.0, until=2.0)
        >>> bends.shape
        (129, 32)
    """
    owner = "travelling_wave"
    checks.instance(owner, "rod", rod, PlanarRod, "Give a PlanarRod(...).")
    amplitude = checks.number(owner, "amplitude", amplitude, "1/m")
    wavelength = checks.positive(owner, "wavelength", wavelength, "m", "Such as the rod's length.")
    frequency = checks.number(owner, "frequency", frequency, "Hz")
    until = checks.positive(owner, "until", until, "s", "Give how long it lasts.")
    ramp = checks.at_least_zero(owner, "ramp", ramp, "s", "Give 0 to begin at once.")
    samples = checks.whole(owner, "samples", samples, 8, "A wave needs some points.")
    checks.fits_in_memory(
        owner, f"until={until:g} s of the wave", until * abs(frequency) * samples * rod.nodes, "Give a shorter one."
    )
    times = np.linspace(0.0, until, max(int(np.ceil(until * abs(frequency) * samples)), 1) + 1)
    hs = rod.segments.length
    middle = np.cumsum(hs) - 0.5 * hs
    phase = 2.0 * np.pi * (middle / wavelength + frequency * times[:, None])
    grown = np.clip(times / ramp, 0.0, 1.0) if ramp > 0.0 else np.ones(times.size)
    return times, amplitude * grown[:, None] * np.sin(phase)
