"""Hirai, "Dynamic modeling of linear soft robots based on mixed coordinates", 2020."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tegotae.papers.hirai2020.oracles import Array, Lagrangian
from tegotae.papers.ledger import Paper
from tegotae.rod import GroundedRod, Phase, PlanarRod
from tegotae.rod.planar import Evaluation
from tegotae.rod.saddle import SaddleRod

__all__ = ["HiraiSubject", "paper"]

LENGTH, TORQUE, NODES = 10.0, 50.0, 5  # of the paper's rod [m], its torque [N·m] and its nodes
ROD: dict[str, Any] = {"length": LENGTH, "density": 0.1, "elasticity": 1.0, "viscosity": 2.0}  # rho, R_ela, R_vis in SI
GENTLE = 10.0  # a torque [N·m] for which few nodes are near the continuum


@dataclass(frozen=True)
class HiraiSubject:
    """The physics under test; a test replaces a part by a broken one.

    Example:
        >>> from dataclasses import replace
        >>> from tegotae.papers.hirai2020 import HiraiSubject, paper
        >>> from tegotae.rod import PlanarRod
        >>> light = lambda **given: PlanarRod(**given | {"density": 0.09})
        >>> paper["equations-of-motion"].check(replace(HiraiSubject(), Rod=light)).passed
        False
    """

    Rod: Callable[..., PlanarRod] = PlanarRod  # the rod in closed form and O(n)
    Saddle: Callable[..., SaddleRod] = SaddleRod  # the paper's dense equations
    Grounded: Callable[..., GroundedRod] = GroundedRod  # the rod at a fixed period
    Instant: Callable[..., Evaluation] = Evaluation  # accelerations by mixed coordinates and by angles alone

    def rod(self, nodes: int = NODES) -> PlanarRod:
        """The paper's rod with so many nodes."""
        return self.Rod(**ROD, nodes=nodes)


def phases(torque: float = TORQUE) -> list[Phase]:
    """The paper's three: turned at the pin, left alone at the pin, released; torque [N·m]."""
    return [
        Phase(until=1.0, torque=torque, base="pinned"),
        Phase(until=2.0, base="pinned"),
        Phase(until=3.0, base="free"),
    ]


def plain(nodes: int = NODES) -> Lagrangian:
    """The paper's rod as a plain Lagrangian, the oracle."""
    return Lagrangian(**ROD, nodes=nodes, points=14)  # 1e-13 for the 7 rad by which a segment bends


def random_states(nodes: int, count: int, seed: int = 1) -> list[tuple[Array, Array]]:
    """Angles [rad] and their rates [rad/s], bent as far as the paper's run bends."""
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-3.5, 3.5, nodes), rng.uniform(-10.0, 10.0, nodes)) for _ in range(count)]


paper = Paper(
    key="hirai2020",
    title="Dynamic modeling of linear soft robots based on mixed coordinates",
    authors="Shinichi Hirai, 2020 (in Japanese)",
    subject=HiraiSubject(),
)

paper.collect(__name__, "equations", "motion", "figures")
