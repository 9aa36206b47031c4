"""A rod as a block: force and torque on one of its ends in, the motion of that end out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.checks import Array
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.rod.kernels import port, segment
from tegotae.rod.kernels.recursion import BACK
from tegotae.rod.phases import BASES, Base
from tegotae.rod.planar import PlanarRod
from tegotae.running.probe import Probe
from tegotae.state import State

End = Literal["base", "tip"]
_SEGMENTS = {"length": "hs", "density": "rho", "elasticity": "K", "viscosity": "C", "rest_curvature": "kappa"}


@cache
def _layout(dimension: int, nodes: int) -> Layouts:
    n, m, coordinates = ("n",), ("m",), ("n2",)
    units = {"length": "m", "density": "kg/m", "elasticity": "N·m²", "viscosity": "N·m²·s", "rest_curvature": "1/m"}
    return layouts(
        dimension=dimension,
        sizes={"n": nodes, "m": nodes - 1, "n2": nodes + 2},
        parameters=(
            Part("node", "", "that is pushed", letter="port", whole=True),
            Part("along", "", "direction of the push, if it is of one dimension", (3,)),
            Part("held", "", "1 where the base is: x, y, angle", (3,), whole=True),
            Part("gravity", "m/s²", shape=(2,), letter="g"),
            Part("tip", "kg, kg·m²", "mass and inertia of the payload", (2,)),
            *(Part(name, units[name], "of each segment", m, letter) for name, letter in _SEGMENTS.items()),
        ),
        state=(
            Part("velocity", "m/s", "of the pushed end, mean over the tick (turning in rad/s)", AXIS),
            Part("position", "m", "of the pushed end (its angle in rad)", AXIS),
            Part("torque", "N·m", "on the base", recorded=False, fed=True),
            Part("curvature", "1/m", "natural, added to the rod's own", recorded=False, fed=True),
            Part("place", "m", "of the pushed end, x, y and angle", (3,), "q", recorded=False),
            Part("base", "m", "place of the base", (2,)),
            Part("angle", "rad", "of every node", n),
            Part("base_velocity", "m/s", "of the base", (2,)),
            Part("angle_rate", "rad/s", "of every node", n),
        ),
        workspace=(
            Part("y", "m, rad", "all coordinates", coordinates),
            Part("v", "m/s, rad/s", "their rates", coordinates),
            Part("a", "m/s², rad/s²", "their accelerations", coordinates),
            Part("V", "m/s, rad/s", "rates after the step for no force, and by each unit of it", (4, "n2")),
            Part("mean", "m/s", "motion of the port for no force", (3,)),
            Part("J", "m/(N·s)", "motion of the port by each unit of force", (3, 3)),
            # See `recursion.py` and `segment.py`.
            Part("S", shape=("m", segment.WIDTH)),
            Part("re", shape=(6,)),
            Part("im", shape=(6,)),
            Part("R", shape=("m", BACK)),
            Part("P", shape=(3, 3)),
            Part("b", shape=(3,)),
            Part("bend", "N·m", "of each segment", m),
            Part("extra", "kg·m²", "added to the angles' inertia", m),
            Part("side", "N", "between the nodes: none", ("m", 4)),
            Part("load", "N", "on the nodes, and torque", ("n", 3)),
            Part("none", "m/s²", "no gravity", (2,)),
            Part("rest", "m/s²", "of a base that is held", (3,)),
        ),
    )


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

    @property
    def _node(self) -> int:
        return 0 if self.at == "base" else self.rod.nodes - 1

    @property
    def layout(self) -> Layouts:
        """Port, holds, gravity, payload and segments; the pushed end, what is fed, and the whole rod."""
        return _layout(self.dimension, self.rod.nodes)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Port, holds, gravity, payload and segments."""
        payload = self.rod.payload
        return {
            "node": self._node,
            "along": np.ones(3) if self.along is None else self.along,
            "held": BASES[self.base],
            "gravity": self.rod.gravity,
            "tip": (payload.mass, payload.inertia) if payload else (0.0, 0.0),
            **{name: self.rod._segments[letter] for name, letter in _SEGMENTS.items()},
        }

    @property
    def kernels(self) -> Kernels:
        """Linearly implicit Euler."""
        return Kernels(port.port_kernels if self.dimension == 3 else port.along_kernels)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Straight along +x at rest, or as the fields in `initial` say; the pushed end follows from the shape."""
        given = dict(checks.mapping(self.name, "initial", initial, "Name fields such as 'angle' or 'base'."))
        for name in ("position", "place", "velocity"):
            if name in given:
                checks.refuse(self.name, f"initial[{name!r}].", "It follows from angle, base and their rates.")
        state = super().initial_state(period, given)
        rates = np.array([*state["base_velocity"], state["angle_rate"][0]])
        if np.abs(rates[np.array(BASES[self.base])]).max(initial=0.0) > 0.0:
            checks.refuse(self.name, f"the base is {self.base} and moves.", "Let what is held begin at rest.")
        place, speed = self._end(state)
        way = np.eye(3) if self.along is None else np.array([self.along], dtype=np.float64)
        state["place"], state["position"], state["velocity"] = place, way @ place, way @ speed
        return state

    def _end(self, state: State) -> tuple[Array, Array]:
        """Place and velocity of the pushed end in a state, each (x, y, angle)."""
        n, node, hs = self.rod.nodes, self._node, self.rod._segments["hs"]
        y, v = np.zeros(n + 2), np.zeros(n + 2)
        y[:2], y[2:] = state["base"], state["angle"]
        v[:2], v[2:] = state["base_velocity"], state["angle_rate"]
        re, im, S = segment.room(n - 1)  # type: ignore[no-untyped-call]
        X, U = np.zeros((n, 2)), np.zeros((n, 2))
        segment.all_integrals(y, v, hs, re, im, S)
        segment.places(y, S, X)
        segment.velocities(v, S, U)
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
        probe, nothing, slopes = Probe(block, period), np.zeros(block.dimension), []
        for bend in np.linspace(0.0, 4.0 * np.pi, 65):
            probe.state.part("angle")[1] = bend  # the slope does not depend on where the end was before
            slope = probe.answer(nothing)[1]
            slopes.append(0.5 * (slope + slope.T))
        return 1.0 / float(np.linalg.eigvalsh(slopes)[:, -1].max())
