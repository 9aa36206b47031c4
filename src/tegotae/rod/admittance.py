"""A rod as a block: force and torque on one of its ends in, the motion of that end out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Field, Kernels
from tegotae.checks import Array
from tegotae.rod.kernels import port
from tegotae.rod.phases import BASES, Base
from tegotae.rod.planar import PlanarRod

End = Literal["base", "tip"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RodAdmittance(Admittance):
    """One end of a rod as a block: (force x, force y, torque) in, (velocity x, velocity y, turning) out.

    A step is linearly implicit and of first order in the period: any stiffness is stable, and a circuit is solved with
    the rod's own mobility, which is exact within the step.

    Args:
        rod: what is pushed.
        at: the end that is pushed and moves: "tip" or "base".
        base: how the base is held: "free", "pinned" or "fixed".
        along: (x, y, turn), the one direction in which it is pushed, then of dimension 1: force along it [N] in,
            velocity along it out; (0, 0, 1) takes a torque [N·m]. All three unless given.

    Runs record `velocity` [m/s, m/s, rad/s] and `position` [m, m, rad] of that end, `angle` [rad] and `angle_rate` of
    all nodes, `base` [m] and `base_velocity`. `torque` on the base [N·m] and `curvature` [1/m], added to the rod's own,
    may be fed.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.rod import PlanarRod
        >>> from tegotae.rod.admittance import RodAdmittance
        >>> rod = PlanarRod(length=1.0, nodes=8, density=0.1, elasticity=1.0, viscosity=0.1)
        >>> beam = RodAdmittance(rod=rod, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
        >>> run = beam.run(np.full(5000, 0.03), period=1e-3)
        >>> round(float(run.position[-1]), 4)  # force length^3/(3 elasticity) = 0.01
        0.0099
        >>> held = tg.Circuit(beam, {"wall": tg.SpringDamper(stiffness=1e6, damping=10.0)})
        >>> round(float(held.run(np.full(5000, 0.03), period=1e-3)["wall.force"][-1]), 4)
        -0.03
    """

    rod: PlanarRod
    at: End
    base: Base = "free"
    along: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        own = "RodAdmittance"
        if not isinstance(self.rod, PlanarRod):
            checks.refuse(own, f"rod={checks.shown(self.rod)}.", "Give a PlanarRod.")
        checks.choice(own, "at", self.at, ("base", "tip"))
        checks.choice(own, "base", self.base, BASES)
        if self.at == "base" and self.base == "fixed":
            checks.refuse(own, "a fixed base is pushed.", 'It never moves: use at="tip", or base="pinned".')
        way = np.ones(3)
        if self.along is not None:
            way = checks.numbers(own, "along", self.along)
            if way.shape != (3,) or not np.isfinite(way).all() or not way.any():
                checks.refuse(own, f"along={checks.shown(self.along)}.", "Give (x, y, turn), such as (0.0, 1.0, 0.0).")
            if self.at == "base" and not (way[~np.array(BASES[self.base])]).any():
                checks.refuse(
                    own,
                    f"along={checks.shown(self.along)} of a {self.base} base.",
                    "Choose a way in which it can move.",
                )
        object.__setattr__(self, "dimension", 3 if self.along is None else 1)
        rod, segments = self.rod, self.rod._segments
        tip = (rod.payload.mass, rod.payload.inertia) if rod.payload else (0.0, 0.0)
        node = 0 if self.at == "base" else rod.nodes - 1
        head = np.array([rod.nodes, node, *way, *BASES[self.base], *rod.gravity, *tip], dtype=np.float64)
        numbers = np.concatenate([head, *(segments[name] for name in ("hs", "rho", "K", "C", "kappa"))])
        object.__setattr__(self, "_numbers", numbers)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The state: the pushed end, what is fed, and the whole rod."""
        n = self.rod.nodes
        return (
            Field("velocity", "m/s", "of the pushed end, mean over the tick (turning in rad/s)"),
            Field("position", "m", "of the pushed end (its angle in rad)"),
            Field("torque", "N·m", "on the base", vector=False, recorded=False, fed=True),
            Field("curvature", "1/m", "natural, added to the rod's own", vector=False, recorded=False, fed=True),
            Field("place", "m", "of the pushed end, x, y and angle", size=3, recorded=False),
            Field("base", "m", "place of the base", size=2),
            Field("angle", "rad", "of every node", size=n),
            Field("base_velocity", "m/s", "of the base", size=2),
            Field("angle_rate", "rad/s", "of every node", size=n),
            Field("scratch", "", "where a step works", size=port.scratch_size(n), recorded=False),  # type: ignore[no-untyped-call]
        )

    @property
    def parameters(self) -> Array:
        """Nodes, port, direction, holds, gravity, payload, then the segments."""
        return np.asarray(self._numbers)  # type: ignore[attr-defined]

    @property
    def kernels(self) -> Kernels:
        """Linearly implicit Euler."""
        return Kernels(port.port_kernels if self.dimension == 3 else port.along_kernels)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """Straight along +x at rest, or as the fields in `initial` say; the pushed end follows from the shape."""
        given = dict(checks.mapping(self.name, "initial", initial, "Name fields such as 'angle' or 'base'."))
        for name in ("position", "place", "velocity", "scratch"):
            if name in given:
                checks.refuse(self.name, f"initial[{name!r}].", "It follows from angle, base and their rates.")
        state = super().initial_state(period, given)
        at = self.slices()
        held = BASES[self.base]
        rates = np.concatenate([state[at["base_velocity"]], state[at["angle_rate"]]])
        if np.abs(rates[:3][np.array(held)]).max(initial=0.0) > 0.0:
            checks.refuse(self.name, f"the base is {self.base} and moves.", "Let what is held begin at rest.")
        place, speed = self._end(state)
        state[at["place"]] = place
        way = np.eye(3) if self.along is None else np.array([self.along], dtype=np.float64)
        state[at["position"]] = way @ place
        state[at["velocity"]] = way @ speed
        return state

    def _end(self, state: Array) -> tuple[Array, Array]:
        """Place and velocity of the pushed end in a state, each (x, y, angle)."""
        from tegotae.rod.kernels import segment

        at, n, hs = self.slices(), self.rod.nodes, self.rod._segments["hs"]
        y = np.concatenate([state[at["base"]], state[at["angle"]]])
        v = np.concatenate([state[at["base_velocity"]], state[at["angle_rate"]]])
        re, im, S = segment.room(n - 1)  # type: ignore[no-untyped-call]
        X, U = np.zeros((n, 2)), np.zeros((n, 2))
        segment.all_integrals(y, v, hs, re, im, S)
        segment.places(y, S, X)
        segment.velocities(v, S, U)
        node = int(self.parameters[1])
        return np.array([*X[node], y[2 + node]]), np.array([*U[node], v[2 + node]])

    def least_reluctance(self, period: float) -> float:
        """Of the end segment cut free, over all its bends [N·s/m]: the rest of the rod can only add to it."""
        rod, which = self.rod, 0 if self.at == "base" else -1
        own = {name: float(values[which]) for name, values in rod._segments.items()}
        lone = PlanarRod(
            length=own["hs"],
            nodes=2,
            density=own["rho"],
            elasticity=own["K"],
            viscosity=own["C"],
            payload=rod.payload if self.at == "tip" else None,
        )
        block = RodAdmittance(rod=lone, at=self.at, along=self.along)
        answer, _ = block.kernels.halves()
        highest = 0.0
        for bend in np.linspace(0.0, 4.0 * np.pi, 65):
            state = block.initial_state(period, {"angle": [0.0, bend]})
            highest = max(highest, _mobility(block, answer, state, period))
        return 1.0 / highest


def _mobility(block: RodAdmittance, answer: Any, state: Array, period: float) -> float:
    """The largest velocity that a unit force gives within a tick."""
    if block.dimension == 1:
        return float(answer(block.parameters, state, 0.0, period)[1])
    motion, slope = np.zeros(3), np.zeros((3, 3))
    answer(block.parameters, state, np.zeros(3), period, motion, slope)
    return float(np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1])
