"""A rod as a block: forces and torques on its base, its tip or nodes in, their motion out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.checks import Array
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.ports import Port, labels_of
from tegotae.rod.kernels import port, segment
from tegotae.rod.kernels.recursion import BACK
from tegotae.rod.phases import BASES, Base
from tegotae.rod.planar import PlanarRod
from tegotae.rod.ports import Along, Place, direction_of, least_reluctance, nodes_of, ports_of
from tegotae.state import State


@cache
def _layout(dimension: int, nodes: int, ports: tuple[Port, ...]) -> Layouts:
    n, m, coordinates, labels = ("n",), ("m",), ("n2",), labels_of(ports)
    return layouts(
        dimension=dimension,
        sizes={"n": nodes, "m": nodes - 1, "n2": nodes + 2, "ports": len(ports), "d": 3 * len(ports)},
        parameters=(
            Part("node", "", "of each port", ("ports",), whole=True),
            Part("along", "", "direction of the push, if it is of one dimension", (3,)),
            Part("held", "", "1 where the base is: x, y, angle", (3,), whole=True),
            Part("gravity", "m/s²", shape=(2,), letter="g"),
            Part("tip", "kg, kg·m²", "mass and inertia of the payload", (2,)),
            Part("length", "m", "of each segment", m, "hs"),
            Part("density", "kg/m", "of each segment", m, "rho"),
            Part("elasticity", "N·m²", "of each segment", m, "K"),
            Part("viscosity", "N·m²·s", "of each segment", m, "C"),
            Part("rest_curvature", "1/m", "of each segment", m, "kappa"),
        ),
        state=(
            Part("velocity", "m/s", "of a port, mean over the tick (turning in rad/s)", AXIS, labels=labels),
            Part("position", "m", "of a port (its angle in rad)", AXIS, labels=labels),
            Part("torque", "N·m", "on the base", recorded=False, fed=True),
            Part("curvature", "1/m", "natural, added to the rod's own", recorded=False, fed=True),
            Part("place", "m", "of each port, x, y and angle", ("ports", 3), "q", recorded=False),
            Part("base", "m", "place of the base", (2,)),
            Part("angle", "rad", "of every node", n),
            Part("base_velocity", "m/s", "of the base", (2,)),
            Part("angle_rate", "rad/s", "of every node", n),
        ),
        workspace=(
            Part("y", "m, rad", "all coordinates", coordinates),
            Part("v", "m/s, rad/s", "their rates", coordinates),
            Part("a", "m/s², rad/s²", "their accelerations", coordinates),
            Part("free", "m/s, rad/s", "rates after the step for no force", coordinates),
            Part("V", "m/s, rad/s", "rates by each unit of force", ("d", "n2")),
            Part("mean", "m/s", "motion of the ports for no force", ("ports", 3)),
            Part("J", "m/(N·s)", "motion of the ports by each unit of force", ("d", "ports", 3)),
            Part("h", "N", "force and torque on the ports", ("d",)),
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
    """A rod as a block: (force x, force y, torque) on each port in, (velocity x, velocity y, turning) there out.

    A step is linearly implicit and of first order in the period: any stiffness is stable, and a circuit is solved with
    the rod's own mobility, which is exact within the step, also from one port to another.

    Args:
        rod: what is pushed.
        at: where it is pushed and moves: "base", "tip", the number of a node, or several of them. Ports are named so,
            that of node 7 "node_7".
        base: how the base is held: "free", "pinned" or "fixed".
        along: (x, y, turn), the one direction in which its one port is pushed, then of dimension 1: force along it [N]
            in, velocity along it out; (0, 0, 1) takes a torque [N·m]. All three unless given.

    Runs record `velocity` [m/s, m/s, rad/s] and `position` [m, m, rad] of the port, `velocity.tip` and so on if there
    are several; `angle` [rad] and `angle_rate` of all nodes, `base` [m] and `base_velocity`. `torque` on the base [N·m]
    and `curvature` [1/m], added to the rod's own, may be fed.

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
        >>> both = RodAdmittance(rod=rod, at=("base", "tip"))
        >>> run = both.run({"tip": np.tile([0.1, 0.0, 0.0], (1000, 1))}, period=1e-3)
        >>> [round(float(run[f"velocity.{end}"][-1, 0]), 2) for end in ("base", "tip")]  # force time/mass
        [1.0, 1.0]
    """

    rod: PlanarRod
    at: Place | Sequence[Place]
    base: Base = "free"
    along: Along | None = None

    def __post_init__(self) -> None:
        own = "RodAdmittance"
        if not isinstance(self.rod, PlanarRod):
            checks.refuse(own, f"rod={checks.shown(self.rod)}.", "Give a PlanarRod.")
        checks.choice(own, "base", self.base, BASES)
        nodes = nodes_of(own, self.at, self.rod.nodes, self.base)
        if not nodes:
            checks.refuse(own, f"at={checks.shown(self.at)} names no port.", 'Give at least one, such as "tip".')
        if self.along is not None:
            direction_of(own, self.along, nodes, self.base)
        object.__setattr__(self, "dimension", 3 * len(nodes) if self.along is None else 1)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return nodes_of(self.name, self.at, self.rod.nodes, self.base)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Where it is pushed."""
        return ports_of(self._nodes, self.along)

    @property
    def layout(self) -> Layouts:
        """Ports, holds, gravity, payload and segments; the ports, what is fed, and the whole rod."""
        return _layout(self.dimension, self.rod.nodes, self.ports)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Ports, holds, gravity, payload and segments."""
        payload = self.rod.payload
        return {
            "node": list(self._nodes.values()),
            "along": np.ones(3) if self.along is None else self.along,
            "held": BASES[self.base],
            "gravity": self.rod.gravity,
            "tip": (payload.mass, payload.inertia) if payload else (0.0, 0.0),
            **self.rod.segments._asdict(),
        }

    @property
    def kernels(self) -> Kernels:
        """Linearly implicit Euler."""
        return Kernels(port.port_kernels if self.along is None else port.along_kernels)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Straight along +x at rest, or as the fields in `initial` say; where the ports are follows from the shape."""
        given = dict(checks.mapping(self.name, "initial", initial, "Name fields such as 'angle' or 'base'."))
        for name in given:
            if str(name).split(".")[0] in ("position", "place", "velocity"):
                checks.refuse(self.name, f"initial[{name!r}].", "It follows from angle, base and their rates.")
        state = super().initial_state(period, given)
        rates = np.array([*state["base_velocity"], state["angle_rate"][0]])
        if np.abs(rates[np.array(BASES[self.base])]).max(initial=0.0) > 0.0:
            checks.refuse(self.name, f"the base is {self.base} and moves.", "Let what is held begin at rest.")
        places, speeds = self._at_ports(state)
        way = np.eye(3) if self.along is None else np.array([self.along], dtype=np.float64)
        state["place"] = places
        for name, found in (("position", places), ("velocity", speeds)):
            state.real[slice(*state.space.span(name))] = (found @ way.T).ravel()
        return state

    def _at_ports(self, state: State) -> tuple[Array, Array]:
        """Places and velocities of the ports in a state, each (x, y, angle)."""
        n, nodes, hs = self.rod.nodes, list(self._nodes.values()), self.rod.segments.length
        y, v = np.zeros(n + 2), np.zeros(n + 2)
        y[:2], y[2:] = state["base"], state["angle"]
        v[:2], v[2:] = state["base_velocity"], state["angle_rate"]
        re, im, S = segment.room(n - 1)  # type: ignore[no-untyped-call]
        X, U = np.zeros((n, 2)), np.zeros((n, 2))
        segment.all_integrals(y, v, hs, re, im, S)
        segment.places(y, S, X)
        segment.velocities(v, S, U)
        return np.column_stack([X, y[2:]])[nodes], np.column_stack([U, v[2:]])[nodes]

    def least_reluctance(self, period: float) -> float:
        """Of all ports together, over all bends of segments up to two turns [N·s/m]."""
        return least_reluctance(self.rod, self._nodes, self.along, period)
