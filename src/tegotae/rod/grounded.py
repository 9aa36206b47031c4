"""A rod on the ground, between walls and pegs: it sticks, slips and collides, stepped at a fixed period."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance, Kernels
from tegotae.checks import Array
from tegotae.contact import check_depths, weight_of
from tegotae.layout import Layouts
from tegotae.parameters import Parameter, as_given
from tegotae.ports import Port, forces_over_time
from tegotae.result import Result
from tegotae.rod.course import COORDINATES, Course, coordinates_of, observed
from tegotae.rod.ground import Ground, Peg, Wall
from tegotae.rod.grounded_layout import grounded_layout
from tegotae.rod.kernels import ground as gk
from tegotae.rod.kernels import port, stepping
from tegotae.rod.phases import BASES, Base, Phase
from tegotae.rod.planar import PlanarRod, RodError
from tegotae.rod.ports import Along, Place, direction_of, least_reluctance, nodes_of, ports_of
from tegotae.rod.records import AT_REST, Shape, start_of
from tegotae.state import State

Method = Literal["midpoint", "euler"]

_OWNER = "GroundedRod"
_MOST_LOADS = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class GroundedRod(Admittance):
    """A rod on the ground, between walls and pegs, stepped at a fixed period.

    Friction and contact are taken at the end of each tick, and solved together with bending in O(n): nothing is
    regularised, and no stiffness is too large for the period. All else is taken in the middle of the tick: second order
    in the period in smooth motion, while it slides one way or sticks too. What is quick beside the period dies out:
    bends without viscosity lose energy of second order. By `method="euler"` bending is taken at the end, inertia at the
    start, and all is of first order; rods with ports go by it unless asked otherwise, because what they meet counts
    their motion from tick to tick, not from middle to middle. A tick in which a node turns fast, by more than 0.1 rad,
    as in a whip, is taken in several steps; of a rod with ports always in one, so by the midpoint one that has no
    viscosity may gain energy as it turns wildly. Only nodes touch walls and pegs; the rod does not touch itself. On no
    ground a circuit is solved with the rod's own mobility, which is exact within the step, also from one port to
    another.

    `curvature` [1/m] of each segment, `torque` [N·m] on the base, `base_motion` [m/s, m/s, rad/s] of a base where it is
    held, and `load` [N, N, N·m] at each of `loads` may be fed: curvature and motion of the base as they are at the end
    of a tick (by Euler's rule the mean motion in it), the others as they act through it. `held` in its state tells
    where the base is. The port of node 7 is named "node_7".

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.rod import Ground, GroundedRod, Phase, PlanarRod, Shape
        >>> rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.1)
        >>> table = GroundedRod(rod=rod, ground=Ground(tangential=0.1, normal=0.5, stiffness=1e5, damping=500.0))
        >>> run = table.run([Phase(until=2.0)], period=1e-3, initial=Shape(angle=0.0, base_velocity=(0.981, 0.0)))
        >>> round(float(run.position[-1, 0, 0]), 2)  # v²/(2 mu g)
        0.49
        >>> live = table.start(period=1e-3)
        >>> live["torque"] = 0.01
        >>> _ = live.step()
        >>> bool((live["slip_speed"] == 0.0).all())
        True
        >>> beam = PlanarRod(length=1.0, nodes=8, density=0.1, elasticity=1.0, viscosity=0.1)
        >>> pushed = GroundedRod(rod=beam, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
        >>> run = pushed.run(np.full(5000, 0.03), period=1e-3)
        >>> round(float(run["position.tip"][-1]), 4)  # force length^3/(3 elasticity) = 0.01
        0.0099
        >>> held = tg.Circuit(pushed, {"wall": tg.SpringDamper(stiffness=1e6, damping=10.0)})
        >>> round(float(held.run(np.full(5000, 0.03), period=1e-3)["wall.force"][-1]), 4)
        -0.03
    """

    rod: Annotated[PlanarRod, Parameter("its own `gravity` acts in the plane of the ground")]
    ground: Annotated[Ground | None, Parameter("friction under the body; none unless given")] = None
    walls: Annotated[Sequence[Wall], Parameter("straight walls")] = ()
    pegs: Annotated[Sequence[Peg], Parameter("round pegs")] = ()
    base: Annotated[
        Base, Parameter('how the base is held at first: "free", "pinned" or "fixed"; phases of a run say it themselves')
    ] = "free"
    at: Annotated[
        Place | Sequence[Place],
        Parameter('where it is pushed and moves: "base", "tip", numbers of nodes; none unless given', accept=as_given),
    ] = ()
    along: Annotated[
        Along | None,
        Parameter(
            "[-], (x, y, turn), the one direction in which its one port is pushed, then of dimension 1: force along it "
            "[N] in, velocity along it out; (0, 0, 1) takes a torque [N·m]. All three unless given",
            accept=as_given,
        ),
    ] = None
    loads: Annotated[
        Sequence[float],
        Parameter(
            "[m], distances from the base along the rod at which loads may be fed; as in `Load.at`", accept=as_given
        ),
    ] = ()

    method: Annotated[
        Method | None,
        Parameter(
            '"midpoint", of second order in the period where it moves smoothly, or "euler", of first order; "midpoint" '
            'unless given, with ports "euler"'
        ),
    ] = None

    runs_itself = True
    unsolved_remedy = "Use a shorter period, or softer ground, walls and pegs."

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.along is not None:
            direction_of(_OWNER, self.along, self._nodes, self.base)
        object.__setattr__(self, "dimension", sum(port.dimension for port in self.ports))
        if self.method is None:
            object.__setattr__(self, "method", "euler" if self.dimension else "midpoint")
        _ = self._spots
        if self.dimension and any(one.restitution is not None for one in self._things):
            problem = "walls and pegs with a restitution, at a rod with ports: its motion would jump with the force."
            checks.refuse(_OWNER, problem, "Leave out `at`, or give walls and pegs stiffness and damping alone.")

    # ------------------------------------------------------------ the block

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return nodes_of(_OWNER, self.at, self.rod.nodes, self.base)

    @cached_property
    def _spots(self) -> Array:
        """Of each load, its segment and the share of its length."""
        remedy = f"Give a list of distances from the base, up to {self.rod.length:g} m."
        if not checks.is_list(self.loads) or checks.len_of(self.loads) > _MOST_LOADS:
            checks.refuse(_OWNER, f"loads={checks.shown(self.loads)}.", remedy)
        each = [checks.number(_OWNER, f"loads[{i}]", at, "m", remedy) for i, at in enumerate(self.loads)]
        for i, at in enumerate(each):
            if abs(at) > self.rod.length * (1.0 + 1e-12):
                checks.refuse(_OWNER, f"loads[{i}]={at:g} m.", remedy)
        return np.array([self.rod.spot(at) for at in each]).reshape(-1, 2)

    @property
    def _things(self) -> list[Wall | Peg]:
        return [*self.walls, *self.pegs]

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Where it is pushed."""
        return ports_of(self._nodes, self.along)

    @property
    def layout(self) -> Layouts:
        """Segments, ground, walls and pegs; the rod, what grips it, what is fed, and what was done to it."""
        things = len(self._things)
        return grounded_layout(self.rod.nodes, self.ground is not None, things, len(self._spots), self.ports)

    @cached_property
    def _ground(self) -> tuple[Array, Array]:
        """Rows of the bristles of each node: squares of the limits forward, backward and across, k, b; and the law."""
        n, hs = self.rod.nodes, self.rod.segments.length
        bristles, law = np.zeros((5, n)), np.array([0.0, 1.0, 0.0])
        if self.ground is not None:
            ground = self.ground
            share = 0.5 * (np.append(hs, 0.0) + np.append(0.0, hs))
            F = np.multiply.outer(ground.coefficients, ground.loads(self.rod))
            most = F.max(axis=0)
            over = np.divide(share, most**2, out=np.zeros(n), where=most > 0.0)
            bristles[:3], bristles[3], bristles[4] = F**2, ground.stiffness * over, ground.damping * over
            law = np.array([ground.static - 1.0, ground.stribeck_velocity, most.max()])
        law[2] += 1e-6 * max((one.stiffness for one in self._things), default=0.0)  # a micron of a wall
        return bristles, law

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Segments, payload and gravity; ground, walls and pegs; ports and where loads may act."""
        segments, (bristles, law) = self.rod.segments, self._ground
        things = [one.row() for one in self._things]
        return {
            **{name: getattr(segments, name) for name in ("length", "density", "elasticity", "viscosity")},
            "gravity": self.rod.gravity,
            "middle": 0.5 if self.method == "midpoint" else 0.0,
            "tip": self.rod.tip,
            "bristles": bristles,
            "law": law,
            "walls": len(self.walls),
            "things": np.reshape(things, (-1, gk.THING)),
            "bouncing": sum(one.restitution is not None for one in self._things),
            "node": list(self._nodes.values()),
            "along": np.ones(3) if self.along is None else self.along,
            "spot": self._spots[:, 0],
            "share": self._spots[:, 1],
        }

    @property
    def kernels(self) -> Kernels:
        """Newton through the rod's own elimination."""
        if not self.dimension:
            return Kernels(stepping.alone_kernels)
        if self.along is None:
            return Kernels.of(port.port_answer, port.port_advance, port.port_prepare, stepping.restore)
        return Kernels.of(port.along_answer, port.along_advance, port.port_prepare, stepping.restore)

    def start_values(self, initial: Shape | Mapping[str, ArrayLike] | None) -> Mapping[str, ArrayLike]:  # type: ignore[override]
        """Fields of the state, also those of a `Shape`."""
        if isinstance(initial, Shape):
            n, z = self.rod.nodes, start_of(self.rod, initial)
            return dict(zip(COORDINATES, np.split(z[:-2], [2, n + 2, n + 4]), strict=True))
        return super().start_values(initial)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Straight along +x at rest, or as the fields in `initial` say; it sticks where it lies."""
        given = dict(checks.mapping(_OWNER, "initial", initial, INITIAL))
        for name in given:
            if str(name).split(".")[0] in ("position", "velocity") and name in self.parts:
                checks.refuse(_OWNER, f"initial[{name!r}] cannot be set.", "It follows from angle, base and rates.")
        usual: dict[str, ArrayLike] = {"curvature": self.rod.segments.rest_curvature}
        usual["held"] = np.array(BASES[self.base], dtype=np.int64)
        usual["sigma"] = np.full(self.rod.nodes, self.ground.static if self.ground else 1.0)
        state = super().initial_state(period, usual | given)
        self._hold(state, given)
        if "curvature_before" not in given:
            state["curvature_before"] = state["curvature"]
        places, speeds, *_ = observed(self, state, state.part("anchor")[None], coordinates_of(state)[None])
        if "anchor" not in given:
            state["anchor"] = places[0].T
        directions = np.eye(3) if self.along is None else np.array([self.along], dtype=np.float64)
        for name, of, turns in (("position", places, state["angle"]), ("velocity", speeds, state["angle_rate"])):
            if self.dimension:
                found = np.column_stack([of[0], turns])[list(self._nodes.values())]
                state.real[slice(*state.space.span(name))] = (found @ directions.T).ravel()
        if "face" not in given:  # else it is in the midst of a contact
            self._check_depths(places[0])
        return state

    def _hold(self, state: State, given: Mapping[str, Any]) -> None:
        """What is held moves as its hand does; refuse what would be an impact."""
        held, motion = state.part("held").astype(bool), state.part("base_motion")
        for name, mine, axes in (("base_velocity", slice(0, 2), slice(0, 2)), ("angle_rate", slice(0, 1), slice(2, 3))):
            part, which, wanted = state.part(name)[mine], held[axes], motion[axes]
            if name in given and (np.abs(part - wanted)[which] > AT_REST * self.rod.length).any():
                remedy = "It follows from base_motion where the base is held."
                checks.refuse(_OWNER, f"initial[{name!r}] of the base is {checks.shown(part)}.", remedy)
            if name not in given:
                part[which] = wanted[which]

    def _check_depths(self, places: Array) -> None:
        """Refuse a start inside a wall or a peg that is deeper than the rod's own weight would press it."""
        if not self.walls and not self.pegs:
            return
        gaps = [(places - wall.point) @ np.asarray(wall.normal) for wall in self.walls]
        gaps += [np.hypot(*(places - peg.centre).T) - peg.radius for peg in self.pegs]
        mass = float(self.rod.segments.length @ self.rod.segments.density) + self.rod.tip[0]
        weight = weight_of(mass, self.rod.gravity)
        things = [f"wall {i + 1}" for i in range(len(self.walls))] + [f"peg {i + 1}" for i in range(len(self.pegs))]
        check_depths(
            _OWNER,
            [f"node {i} on {thing}" for thing in things for i in range(self.rod.nodes)],
            np.concatenate(gaps),
            np.repeat(weight / np.array([one.stiffness for one in self._things]), self.rod.nodes),
            "Start beside it: initial=Shape(base=..., angle=...), or move the wall or peg.",
        )

    def see_trouble(self, state: State) -> None:
        """Say that a node turned too far in one step."""
        if state["trouble"]:
            problem = f"in tick {state['ticks'] + 1} a node turns by {state['largest_turn']:.3g} rad in one step"
            raise RodError(f"{_OWNER}: {problem}.\n  Use a period far below this one.", None)

    def about_end(self, state: State) -> dict[str, Any]:
        """Counts, the largest turn of a node in one step [rad], and what a picture has to show beside the rod."""
        counts = {name: int(state[name]) for name in ("ticks", "steps", "trials", "shortened_trials")}
        pegs = [number for peg in self.pegs for number in (*peg.centre, peg.radius)]
        walls = [number for wall in self.walls for number in (*wall.point, *wall.normal)]
        things = {"pegs": np.array(pegs), "walls": np.array(walls)}
        around = {"ground": int(self.ground is not None)} | {name: row for name, row in things.items() if row.size}
        return counts | {"largest_turn": float(state["largest_turn"])} | around

    def least_reluctance(self, period: float) -> float:
        """Of all ports together, over all bends of segments up to two turns [N·s/m]; the ground can only add to it."""
        return least_reluctance(self.rod, self._nodes, self.along, period, str(self.method))

    # ------------------------------------------------------------ running

    def run(  # type: ignore[override]  # beside phases a force is an option
        self,
        phases: Sequence[Phase] | float | ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        period: float,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Shape | Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Step through the phases.

        Args:
            phases: one after the other, the first from time 0, each ending on a tick; or for how long [s], or the
                force on its ports over each tick, with the base held as at first.
            period: T, the length of a tick [s].
            force: on its ports over each tick beside phases, as for every admittance; none unless given.
            every: record each so many ticks.
            record: names of what to record; all of it unless given.
            initial: a `Shape` to start from, or fields of the state; straight along +x at rest unless given.
            inputs: field that is fed -> a number, or its values over the ticks; instead of what the phases say.
            progress: called with the share that is done, now and then.

        Returns:
            What `PlanarRod.run` returns, and `friction` and `contact` [N] (time, node, axis), `slip_speed` [m/s]
            (time, node), `base_force` [N] (time, axis) and `base_torque` [N·m] of what holds the base,
            `ground_work` [J] taken by ground, walls and pegs, `ground_elastic` [J] of it in the bristles; of each port
            its force, velocity and place, such as `velocity.tip`.
            Forces are those of the last step of a tick. `about["steps"]` exceeds `about["ticks"]` where ticks were
            taken in several steps; `about["unsolved_steps"]` counts steps whose equation was not met,
            `about["trials"]` all solves; `about["largest_turn"]` is that of a node in one step [rad].
        """
        period = checks.period_of(_OWNER, period)
        stretch: Any = phases
        if self.dimension and (phases is None or _is_force(phases)):
            if phases is not None and force is not None:
                checks.refuse(_OWNER, "run got two forces.", "Give phases and force, or force alone.")
            force = force if phases is None else phases  # type: ignore[assignment]
            if force is None:
                checks.refuse(_OWNER, "run does not know how long to run.", "Give phases, a duration [s], or force.")
            force = forces_over_time(_OWNER, self.ports, force)
            stretch = len(force) * period
        if isinstance(stretch, int | float):
            until = checks.positive(_OWNER, "phases", stretch, "s", "Give [Phase(until=1.0, ...)], or for how long.")
            stretch = [Phase(until=until, base=self.base)]
        return Course(self, stretch, period, every).run(force, initial, inputs, record, progress)


def _is_force(given: Any) -> bool:
    """Whether it is a record of forces: neither phases nor how long they last."""
    return isinstance(given, Mapping) or (np.ndim(given) > 0 and not isinstance(next(iter(given), None), Phase))
