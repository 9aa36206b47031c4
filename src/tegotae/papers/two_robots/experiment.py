"""The experiment of tarao1999 in numbers: one free-flying robot drifts against the tip of another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.hybrid.records.audit import first_contact
from tegotae.multibody import Lock, Plate, Point, Scene, Servo, Touch, Tree, join
from tegotae.multibody.scene import Method
from tegotae.papers.two_robots.robot import HALF, LINK_INERTIA, LINKS, TIP, free_flying_robot
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.table import Hexa

if TYPE_CHECKING:
    from tegotae.hybrid.machines.guarded import Machine

OWNER = "TwoRobots"
PLATE = 0.25  # m, half the side of robot 2's plate
DEEPEST = 0.2  # m, how far its contact reaches into it
FEWEST = 20  # ticks in a contact
# Degrees; the paper shows its poses in a figure only.
POSES = {
    "A": ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
    "B": ((40.0, -30.0, -30.0, 20.0), (90.0, -30.0, -30.0, -30.0)),
}
LAST, BASE = f"robot1.link{LINKS}", "robot2.base"  # what touches, and what is touched
PLATE_AT = (-HALF, 0.0, 0.0)  # m, in the frame of robot 2's base
UPWARD = (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)  # quaternion that turns x to the world's z
LOCKED = Lock()
SEEN = 0.1  # s from one recorded outline to the next
AFTER = 1.0  # s recorded after the contact unless asked otherwise


def _pose(owner: str, name: str, value: object) -> str:
    if not isinstance(value, str) or value not in POSES:
        checks.refuse(owner, f"{name}={checks.shown(value)} is unknown.", "Use 'A' (in line) or 'B' (bent).")
    return value


def _masses(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    remedy = "Give four masses: base of robot 1, link of robot 1, base of robot 2, link of robot 2."
    given = checks.array(owner, name, value, "kg", remedy)
    if given.shape != (4,):
        checks.refuse(owner, f"{name} has shape {given.shape}.", remedy)
    return tuple(checks.positive(owner, f"{name}[{i}]", mass, "kg", remedy) for i, mass in enumerate(given))


@dataclass(frozen=True, kw_only=True)
class TwoRobots(Declared):
    """Two free-flying robots of a base and four links; robot 2 drifts along z against the tip of robot 1.

    Robot 1 rests and holds its joints; robot 2, whose joints are free, comes down on it, a plate before its base. No
    gravity, no friction; between the two a spring as stiff as the motion table, felt by both with opposite signs.
    All joints turn about y. The angles of a pose count from a robot in line; a robot's base has its arm on x, which
    points up along the world's z.

    Example:
        >>> from tegotae.papers.two_robots import TwoRobots
        >>> two = TwoRobots(kp=400.0)
        >>> told = two.summary(two.run())
        >>> round(told["peak_force"], 3), round(told["duration"], 4), round(told["restitution"], 5)
        (8.742, 0.1213, 1.0)
    """

    kp: Annotated[
        float, Parameter("[N·m/rad], > 0, stiffness of each servo of the table", "The paper has 200, 400 and 800.")
    ] = 200.0
    stiffness: Annotated[
        float | None, Parameter("[N/m], > 0, of the contact; that of the table along z at home, (15), unless given")
    ] = None
    pose: Annotated[
        Literal["A", "B"], Parameter('"A": both in line, through the centres of mass; "B": both bent', accept=_pose)
    ] = "A"
    masses: Annotated[
        tuple[float, ...],
        Parameter(
            "[kg], > 0, robot 1's base and each of its links, robot 2's base and each of its links", accept=_masses
        ),
    ] = (50.0, 10.0, 50.0, 1.0)
    joints: Annotated[Lock | Servo | None, Parameter("of robot 1: Lock(), a Servo, or None for free ones")] = LOCKED
    speed: Annotated[float, Parameter("[m/s], > 0, of robot 2 as it comes", "The paper has 0.01.")] = 0.01
    gap: Annotated[float, Parameter("[m], > 0, between the two at the start", such_as="0.01")] = 0.01

    @classmethod
    def heavier(cls) -> TwoRobots:
        """With the changed masses of Fig. 15, at 800 N·m/rad: links of robot 1 of 20 kg, base of robot 2 of 100 kg.

        Example:
            >>> round(TwoRobots.heavier().reduced_mass, 2)
            57.78
        """
        return cls(kp=800.0, masses=(50.0, 20.0, 100.0, 1.0))

    # ------------------------------------------------------------ the machine

    @cached_property
    def robots(self) -> tuple[Tree, Tree]:
        """Robot 1 and robot 2, each alone."""
        m = self.masses
        return free_flying_robot(base=m[0], link=m[1]), free_flying_robot(base=m[2], link=m[3])

    @cached_property
    def tree(self) -> Tree:
        """Both, as "robot1.base", "robot1.link1" … "robot2.link4"."""
        return join(dict(zip(("robot1", "robot2"), self.robots, strict=True)))

    @cached_property
    def scene(self) -> Scene:
        """Both, with the contact between them and what holds the joints of robot 1."""
        sizes = (PLATE, PLATE)
        plate = Plate(half_sizes=sizes, center=PLATE_AT, normal=(-1.0, 0.0, 0.0), thickness=DEEPEST)
        touch = Touch(
            on=LAST, toucher=Point(position=TIP), surface=plate, of=BASE, stiffness=self.contact_stiffness, damping=0.0
        )
        return Scene(tree=self.tree, touches=[touch], controllers=self._held)

    @property
    def _held(self) -> dict[str, Lock | Servo]:
        return {} if self.joints is None else {f"robot1.link{k}": self.joints for k in range(1, LINKS + 1)}

    def start(self, *, gap: float | None = None) -> tuple[Array, Array]:
        """q and v at the start, with a gap between the two [m]; its own unless given.

        Example:
            >>> q, v = TwoRobots().start()
            >>> float(v[12])  # robot 2 comes down
            -0.01
        """
        if gap is not None:
            gap = checks.number(OWNER, "gap", gap, "m", "Give the distance between the two.")
        first, second = (np.radians(angles) for angles in POSES[self.pose])
        q1 = np.array([0.0, 0.0, 0.0, *UPWARD, *first])
        at, turn = self.robots[0].pose(q1, "link4")
        tip = at + turn @ np.asarray(TIP)
        above = tip + np.array([0.0, 0.0, HALF + (self.gap if gap is None else gap)])
        v = np.zeros(self.tree.nv)
        v[self.robots[0].nv + 2] = -self.speed
        return np.array([*q1, *above, *UPWARD, *second]), v

    def machine(self, *, period: float, substeps: int | None = None) -> Machine:
        """Both as a block, for a contact that is felt elsewhere: on a motion table.

        Args:
            period: of a tick [s].
            substeps: of the motion in a period; 1 unless servos hold the joints, then as many as they need.

        Example:
            >>> both = TwoRobots(pose="B").machine(period=2e-3)
            >>> (both.block.start(period=2e-3, initial=both.initial)["place"].round(9) + 0.0).tolist()  # m
            [0.0, 0.0, -0.01]
        """
        from tegotae.hybrid.machines.guarded import Machine
        from tegotae.hybrid.machines.relative_admittance import RelativeAdmittance

        period = checks.period_of(OWNER, period)
        q, v = self.start()
        if substeps is None and isinstance(self.joints, Servo):
            # So many that the fastest swing of a servo on the lightest inertia turns a fifth of a radian in a step.
            fastest = max(math.sqrt(self.joints.gain / LINK_INERTIA[1]), self.joints.rate_gain / LINK_INERTIA[1])
            substeps = max(1, math.ceil(5.0 * period * fastest))
        # The surface's z points into the plate, along the base's x; at the start its axes are the world's.
        axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
        block = RelativeAdmittance(
            tree=self.tree, at=LAST, point=TIP, of=BASE, origin=PLATE_AT, axes=axes, controllers=self._held,
            substeps=1 if substeps is None else substeps,
        )  # fmt: skip
        return Machine(block.aligned(q), {"q": q, "v": v})

    def gained_by_steps(self, *, period: float) -> float | None:
        """Share of their kinetic energy that a bounce gains by steps of a period [s] alone [-]; None where servos work.

        Example:
            >>> two = TwoRobots(pose="B", joints=None, speed=0.1)
            >>> [round(1e4 * two.gained_by_steps(period=T), 1) for T in (1e-2, 5e-3)]
            [3.0, 0.6]
        """
        from tegotae.hybrid.machines.guarded import gained_by_steps

        period = checks.period_of(OWNER, period)
        if isinstance(self.joints, Servo):
            return None
        near = replace(self, gap=self.speed * period)
        ticks = 3 + math.ceil(2.0 * near.theory_duration / period)
        return gained_by_steps(
            near.machine(period=period), stiffness=self.contact_stiffness, period=period, ticks=ticks
        )

    # ------------------------------------------------------------ theory

    @cached_property
    def contact_stiffness(self) -> float:
        """Of the contact along its normal [N/m]: as given, or Kz of the table at home.  [tarao1999 (15)]"""
        if self.stiffness is not None:
            return self.stiffness
        table = Hexa.default()
        return float(table.stiffness(*table.home, self.kp)[2, 2])

    def parting(self, q: Array) -> Array:
        """How fast the gap opens by each speed of v in a configuration q [m, rad]: its row of the Jacobian.

        Example:
            >>> q, v = TwoRobots(pose="B").start()
            >>> round(float(TwoRobots(pose="B").parting(q) @ v), 12)
            -0.01
        """
        at, turn = self.tree.pose(q, LAST)
        tip = at + turn @ np.asarray(TIP)
        base, upright = self.tree.pose(q, BASE)
        normal = -upright[:, 0]
        slide = self.tree.jacobian(q, LAST, TIP)[:3] - self.tree.jacobian(q, BASE, upright.T @ (tip - base))[:3]
        return np.asarray(normal @ slide)

    @cached_property
    def reduced_mass(self) -> float:
        """What the contact feels of both robots along its normal as they touch [kg]: 1/(n G n).

        In pose A it is m1 m2/(m1 + m2). A servo counts as a lock: that it gives way shows as a lower peak.
        """
        q, _ = self.start(gap=0.0)
        moves = np.ones(self.tree.nv, dtype=bool)
        moves[6 : 6 + LINKS] = self.joints is None
        J = self.parting(q)[moves]
        return float(1.0 / (J @ np.linalg.solve(self.tree.mass_matrix(q)[np.ix_(moves, moves)], J)))

    @property
    def theory_peak(self) -> float:
        """Largest force of the reduced mass on the spring, v sqrt(k m) [N]."""
        return self.speed * math.sqrt(self.contact_stiffness * self.reduced_mass)

    @property
    def theory_duration(self) -> float:
        """Half a swing of the reduced mass on the spring, pi sqrt(m/k) [s]."""
        return math.pi * math.sqrt(self.reduced_mass / self.contact_stiffness)

    @property
    def _theory(self) -> dict[str, float]:
        values = {name: getattr(self, name) for name in ("reduced_mass", "theory_peak", "theory_duration")}
        return {"stiffness": self.contact_stiffness, **values}

    # ------------------------------------------------------------ runs

    def run(self, *, duration: float | None = None, period: float = 2e-4, method: Method = "rk4") -> Result:
        """Let them meet.

        Args:
            duration: of the run [s]; until a second after the contact unless given.
            period: of a tick [s]; at least 20 must fall into the contact.
            method: "rk4"; "symplectic", off by the square of the period; or "midpoint" or "euler", whose contacts
                are taken at the end of a tick, which takes energy from them (at 2 ms some 10 % of the speed of
                parting, at 0.2 ms 1 %).

        Example:
            >>> run = TwoRobots(kp=800.0).run(period=1e-3)
            >>> round(float(run.force.max()), 1)
            12.4
        """
        T = checks.period_of(OWNER, period)
        if self.theory_duration < FEWEST * T:
            checks.refuse(
                OWNER,
                f"period={T:g} s puts {self.theory_duration / T:.3g} ticks into a contact of "
                f"{self.theory_duration:.3g} s.",
                f"Use period <= {checks.just_below(self.theory_duration / FEWEST)} s.",
            )
        depth = self.speed * math.sqrt(self.reduced_mass / self.contact_stiffness)
        if depth > DEEPEST:
            checks.refuse(
                OWNER,
                f"speed={self.speed:g} m/s presses the tip {depth:.3g} m into a plate that is {DEEPEST:g} m thick.",
                f"Use speed <= {checks.just_below(self.speed * DEEPEST / depth)} m/s, or a stiffer contact.",
            )
        whole = self.gap / self.speed + self.theory_duration + AFTER if duration is None else duration
        whole = checks.positive(OWNER, "duration", whole, "s", "Give how long to run.")
        q, v = self.start()
        return self._result(self.scene.run(max(1, round(whole / T)) * T, period=T, q=q, v=v, method=method))

    def _result(self, run: Result) -> Result:
        gap = run.gap[:, 0]
        push = run.contact_force[:, 0]
        kept = ("time", "q", "v", "kinetic_energy", "momentum", "angular_momentum")
        moments = np.unique(np.linspace(0, gap.size - 1, max(2, 1 + round(run.time[-1] / SEEN))).astype(np.int64))
        variables = {name: run.variables[name] for name in kept} | {
            "force": Variable(("time",), np.linalg.norm(push, axis=1), "N", "of the contact"),
            "contact_force": Variable(
                ("time", "axis"), push, "N", "on robot 1, in world axes; robot 2 feels the opposite"
            ),
            "gap": Variable(("time",), gap, "m", "between tip and plate, negative where they overlap"),
            "elastic_energy": Variable(
                ("time",), 0.5 * self.contact_stiffness * np.minimum(gap, 0.0) ** 2, "J", "in the contact's spring"
            ),
            "moment": Variable(("moment",), run.time[moments], "s", "of the outlines"),
            "outline": Variable(
                ("moment", "robot", "node", "axis"), self.outlines(run.q[moments]), "m", "base, joints and tip"
            ),
        }
        held = "free" if self.joints is None else "locked" if isinstance(self.joints, Lock) else "on servos"
        tick = f"{1e3 * run.about['period']:g} ms a tick"
        words = f"pose {self.pose}, {self.contact_stiffness:.5g} N/m, robot 1 {held}, {tick}"
        about = {
            **run.about,
            **self._theory,
            "block": f"two-robots({words})",
            "figure": "two robots",
            "theory": "theory, if locked" if isinstance(self.joints, Servo) else "theory",
        }
        if (found := first_contact(run.time, gap, variables["force"].values)) is not None:
            about |= {"touched": found.touched, "released": found.released}
        return Result(variables, title="Two robots meet", about=about)

    def outlines(self, q: Array) -> Array:
        """Base, joints and tip of both robots in the world [m], (moment, robot, node, axis), for rows of q [m, rad].

        Example:
            >>> two = TwoRobots()
            >>> float(two.outlines(two.start()[0][None])[0, 0, -1, 2].round(12))  # the tip of robot 1
            4.5
        """
        places = []
        for robot in ("robot1", "robot2"):
            nodes = [self.tree.pose(q, f"{robot}.base")[0]]
            nodes += [self.tree.pose(q, f"{robot}.link{k}")[0] for k in range(1, LINKS + 1)]
            at, turn = self.tree.pose(q, f"{robot}.link{LINKS}")
            places.append(np.stack([*nodes, at + turn @ np.asarray(TIP)], axis=1))
        return np.stack(places, axis=1)

    def summary(self, result: Result) -> dict[str, float]:
        """The numbers of the first contact and what theory says of them.

        Args:
            result: of `run`.

        Returns:
            peak_force [N], duration [s], restitution [-] (speed of parting over speed of approach at the contact),
            impulse [N·s], touched [s], contacts (how often they met), and of theory reduced_mass [kg], theory_peak [N],
            theory_duration [s].

        Example:
            >>> two = TwoRobots.heavier()
            >>> told = two.summary(two.run())
            >>> round(told["peak_force"], 3), round(told["theory_peak"], 3)
            (16.177, 16.177)
        """
        checks.instance(OWNER, "result", result, Result, "Give what `run` returned.")
        for name in ("time", "gap", "force", "q", "v"):
            if name not in result:
                checks.refuse(OWNER, f"result has no {name!r}.", "Give what `run` returned.")
        found = first_contact(result.time, result.gap, result.force)
        if found is None:
            until = self.gap / self.speed + 2.0 * self.theory_duration
            problem = f"they did not meet and part again within {result.time[-1]:g} s."
            checks.refuse(OWNER, problem, f"Run for duration={checks.just_above(until)} s.")
        before, after = (float(self.parting(result.q[i]) @ result.v[i]) for i in (found.before, found.after))
        overlap = result.gap < 0.0
        part = slice(found.before, found.after + 1)
        return {
            "peak_force": found.peak,
            "duration": found.duration,
            "restitution": -after / before,
            "impulse": float(np.trapezoid(result.force[part], result.time[part])),
            "touched": found.touched,
            "contacts": float(np.count_nonzero(~overlap[:-1] & overlap[1:])),
            **self._theory,
        }
