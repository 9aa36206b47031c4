"""Three rods that show what a rod on the ground does: a snake, a mass dragged on a leaf spring, a whip."""

from __future__ import annotations

import numpy as np

from tegotae import checks
from tegotae.result import Result
from tegotae.rod.ground import Ground
from tegotae.rod.grounded import GroundedRod, Method
from tegotae.rod.phases import Phase
from tegotae.rod.planar import Payload, PlanarRod
from tegotae.rod.tendon import travelling_wave

SCALES = Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=20.0)


def crawling_snake(
    *,
    ground: Ground = SCALES,
    frequency: float = 1.0,
    until: float = 5.0,
    nodes: int = 33,
    period: float = 1e-3,
    every: int = 10,
    method: Method = "midpoint",
) -> Result:
    """A snake of 1 m and 1 kg that crawls by a travelling wave of curvature.

    It needs friction that is larger across its body than along it; with equal ones it hardly moves.

    Args:
        ground: what it lies on.
        frequency: of the wave [Hz]; a negative one sends it backward.
        until: for how long [s].
        nodes: of the rod.
        period: of a tick [s].
        every: record each so many ticks.
        method: of the steps, as in `GroundedRod`.

    Example:
        >>> from tegotae.rod.demonstrations import crawling_snake
        >>> run = crawling_snake(until=3.0, nodes=17)
        >>> bool(run.position[-1, :, 0].mean() - run.position[0, :, 0].mean() > 0.5)
        True
    """
    snake = PlanarRod(length=1.0, nodes=nodes, density=1.0, elasticity=0.5, viscosity=0.01)
    wave = travelling_wave(snake, amplitude=8.0, wavelength=1.0, frequency=frequency, until=until, ramp=1.0)
    table = GroundedRod(rod=snake, ground=ground, method=method)
    return table.run([Phase(until=until, curvature=wave)], period=period, every=every)


def dragged_mass(
    *,
    static: float = 1.5,
    speed: float = 0.05,
    until: float = 10.0,
    period: float = 1e-3,
    every: int = 1,
    method: Method = "midpoint",
) -> Result:
    """A mass of 1 kg on the tip of a leaf spring, dragged sideways over a table by the clamped base of the spring.

    With friction larger at rest than in motion it sticks and slips; with `static=1` it slides on.

    Args:
        static: how many times larger the friction is at rest [-], >= 1.
        speed: of the base [m/s].
        until: for how long [s].
        period: of a tick [s].
        every: record each so many ticks.
        method: of the steps, as in `GroundedRod`.

    Example:
        >>> from tegotae.rod.demonstrations import dragged_mass
        >>> run = dragged_mass(until=4.0)
        >>> bool((run.slip_speed[1:1000, -1] == 0).all()), bool((run.slip_speed[1000:, -1] > 0).any())
        (True, True)
    """
    leaf = PlanarRod(length=0.5, nodes=9, density=0.05, elasticity=1.0, viscosity=0.005, payload=Payload(mass=1.0))
    table = Ground(tangential=0.3, normal=0.3, stiffness=1e4, damping=20.0, static=static, stribeck_velocity=0.01)
    times = np.linspace(0.0, checks.positive("dragged_mass", "until", until, "s", "Such as 10.0."), 21)
    path = np.stack([0.0 * times, speed * times, 0.0 * times], axis=1)
    drag = Phase(until=until, base="fixed", motion=(times, path))
    return GroundedRod(rod=leaf, ground=table, method=method).run([drag], period=period, every=every)


def whip(*, period: float = 1e-4, nodes: int = 31, every: int = 10, method: Method = "midpoint") -> Result:
    """A tapering whip of 1 m in the air, its handle turned by 1.5 rad and back in half a second.

    Args:
        period: of a tick [s].
        nodes: of the rod.
        every: record each so many ticks.
        method: of the steps, as in `GroundedRod`.

    Example:
        >>> import numpy as np
        >>> from tegotae.rod.demonstrations import whip
        >>> speed = np.linalg.norm(whip().velocity, axis=2).max(axis=0)
        >>> bool(speed[-1] > 5.0 * speed[0])
        True
    """
    nodes = checks.whole("whip", "nodes", nodes, 2, "A rod has at least 2 nodes.")
    thin = 1.0 - 0.9 * (np.arange(nodes - 1) + 0.5) / (nodes - 1)  # radius along it
    rod = PlanarRod(length=1.0, nodes=nodes, density=0.5 * thin**2, elasticity=0.05 * thin**4, viscosity=1e-4 * thin**4)
    times = np.linspace(0.0, 1.0, 21)
    stroke = 1.5 * np.exp(-(((times - 0.3) / 0.1) ** 2)) - 1.5 * np.exp(-9.0)
    hand = Phase(until=0.6, base="fixed", motion=(times, np.stack([0.3 * stroke, 0.0 * times, stroke], axis=1)))
    return GroundedRod(rod=rod, method=method).run([hand], period=period, every=every)
