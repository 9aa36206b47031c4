"""How a rod bends itself to get somewhere: natural curvature over time, for `Phase(curvature=...)`."""

from __future__ import annotations

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.rod.planar import PlanarRod


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
    own = "travelling_wave"
    checks.instance(own, "rod", rod, PlanarRod, "Give a PlanarRod(...).")
    amplitude = checks.number(own, "amplitude", amplitude, "1/m")
    wavelength = checks.positive(own, "wavelength", wavelength, "m", "Such as the rod's length.")
    frequency = checks.number(own, "frequency", frequency, "Hz")
    until = checks.positive(own, "until", until, "s", "Give how long it lasts.")
    ramp = checks.at_least_zero(own, "ramp", ramp, "s", "Give 0 to begin at once.")
    samples = checks.whole(own, "samples", samples, 8, "A wave needs some points.")
    checks.fits_in_memory(
        own, f"until={until:g} s of the wave", until * abs(frequency) * samples * rod.nodes, "Give a shorter one."
    )
    times = np.linspace(0.0, until, max(int(np.ceil(until * abs(frequency) * samples)), 1) + 1)
    hs = rod.segments.length
    middle = np.cumsum(hs) - 0.5 * hs
    phase = 2.0 * np.pi * (middle / wavelength + frequency * times[:, None])
    grown = np.clip(times / ramp, 0.0, 1.0) if ramp > 0.0 else np.ones(times.size)
    return times, amplitude * grown[:, None] * np.sin(phase)
