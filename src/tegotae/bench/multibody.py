"""Trees of bodies: forward dynamics against Pinocchio and MuJoCo, the price of stiction, real-time factors."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import tegotae as tg
from tegotae.bench.contest import Contest, Outcome, in_turn
from tegotae.bench.kernels.multibody import many_accelerations
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.multibody import Body, Prismatic, Revolute, Scene, Tree
from tegotae.multibody.joints import model_of
from tegotae.multibody.kernels.kinematics import workspace
from tegotae.multibody.scene import Method
from tegotae.papers.tarao1999.oracles import chain as links_of
from tegotae.papers.two_robots import TwoRobots
from tegotae.result import Result

# A link of every chain here: 2 kg, .4 m long, its centre of mass half way, axes across in turn.
MASS, INERTIA, LENGTH = 2.0, (0.02, 0.02, 0.002), 0.4
SIZES = (4, 50, 100, 500)

_SOURCE = """
@entry
def accelerations(count, model, q, v, tau, slope, wrench, S, a):
    many_accelerations(count, model, q, v, tau, slope, wrench, S, a)
"""


def chain(links: int, friction: tg.FrictionImpedance | None = None, *, gravity: float = 9.81) -> Tree:
    """Links that hang on each other, perhaps with friction in every joint; gravity downwards [m/s²]."""
    bodies = links_of(links, mass=MASS, inertia=INERTIA, length=-LENGTH, friction=friction)
    return Tree(bodies, gravity=(0, 0, -gravity))


def state(links: int) -> tuple[Array, Array, Array]:
    """q, v and torques, all different and none special."""
    rng = np.random.default_rng(links)
    q, v, tau = rng.normal(size=(3, links))
    return 0.5 * q, v, tau


# ---------------------------------------------------------------- forward dynamics


class TegotaeChain:
    """The three passes inside a compiled loop."""

    def __init__(self, links: int):
        tree = chain(links)
        self.model = model_of(tree)
        self.q, self.v, self.tau = state(links)
        self.arrays = np.zeros(links), np.zeros((links, 6)), workspace(links), np.zeros(links)
        self.loop = build(_SOURCE, (("many_accelerations", many_accelerations),)).accelerations
        self.play(1)

    def play(self, calls: int) -> Array:
        """So many evaluations; the accelerations of the last."""
        slope, wrench, S, a = self.arrays
        self.loop(calls, self.model, self.q, self.v.copy(), self.tau, slope, wrench, S, a)
        return a.copy()


class PinocchioChain:
    """Its articulated-body algorithm, called from Python."""

    def __init__(self, links: int):
        import pinocchio

        self.engine: Any = pinocchio
        model = self.engine.Model()
        parent = 0  # 500 links take it 20 s to put together; only `play` is timed
        for k in range(links):
            kind = self.engine.JointModelRY() if k % 2 else self.engine.JointModelRX()
            place = self.engine.SE3(np.eye(3), np.array([0.0, 0.0, -LENGTH if k else 0.0]))
            parent = model.addJoint(parent, kind, place, f"joint{k}")
            inertia = self.engine.Inertia(MASS, np.array([0.0, 0.0, -LENGTH / 2]), np.diag(INERTIA))
            model.appendBodyToJoint(parent, inertia, self.engine.SE3.Identity())
        self.model, self.data, self.state = model, model.createData(), state(links)

    def play(self, calls: int) -> Array:
        """So many evaluations; the accelerations of the last."""
        aba, (q, v, tau) = self.engine.aba, self.state
        for _ in range(calls):
            a = aba(self.model, self.data, q, v, tau)
        return np.array(a)


class MuJoCoChain:
    """`mj_forward`, called from Python."""

    def __init__(self, links: int):
        import mujoco

        self.engine: Any = mujoco
        inner = ""
        for k in range(links - 1, -1, -1):
            axis = "0 1 0" if k % 2 else "1 0 0"
            inner = (
                f'<body pos="0 0 {-LENGTH if k else 0.0}"><inertial pos="0 0 {-LENGTH / 2}" mass="{MASS}" '
                f'diaginertia="{INERTIA[0]} {INERTIA[1]} {INERTIA[2]}"/><joint axis="{axis}"/>{inner}</body>'
            )
        option = '<option><flag contact="disable"/></option><size memory="64M"/>'
        self.model = self.engine.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{inner}</worldbody></mujoco>")
        self.data = self.engine.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = state(links)

    def play(self, calls: int) -> Array:
        """So many evaluations; the accelerations of the last."""
        for _ in range(calls):
            self.engine.mj_forward(self.model, self.data)
        return np.array(self.data.qacc)


def _against(peer: Callable[[int], Any], links: int, rounds: int) -> tuple[float, float]:
    """Seconds of one evaluation: ours, theirs."""
    ours, theirs, calls = TegotaeChain(links), peer(links), max(20, 20_000 // links)
    few = max(10, calls // 10)
    best = in_turn({"ours": lambda: ours.play(calls), "theirs": lambda: theirs.play(few)}, rounds=rounds)
    return best["ours"] / calls, best["theirs"] / few


def against_pinocchio(sizes: tuple[int, ...] = SIZES, rounds: int = 15) -> list[Outcome]:
    """Accelerations of a chain."""
    name = "forward dynamics, times faster than pinocchio.aba"
    if importlib.util.find_spec("pinocchio") is None:
        return [Outcome.skipped(name, "Pinocchio is not installed: `make bench` adds it")]
    outcomes = []
    for links in sizes:
        ours, theirs = _against(PinocchioChain, links, rounds)
        told, least = f"{1e6 * ours:.2f} us against {1e6 * theirs:.2f} us", 2.0 if links >= 50 else 1.0
        ratio = theirs / ours
        outcomes.append(Outcome(f"{name}, {links} links", told, ratio, f">= {least:g}", ratio >= least))
    return outcomes


def against_mj_forward(links: int = 100, rounds: int = 10) -> list[Outcome]:
    """Accelerations of a chain; of one twice as long too, since MuJoCo's cost grows with the cube of its length."""
    name = f"forward dynamics, times faster than mj_forward, {links} links"
    if importlib.util.find_spec("mujoco") is None:
        return [Outcome.skipped(name, "MuJoCo is not installed: `make bench` adds it")]
    ours, theirs = _against(MuJoCoChain, links, rounds)
    longer = _against(MuJoCoChain, 2 * links, rounds)
    told = f"{1e6 * ours:.2f} us against {1e6 * theirs:.2f} us; {2 * links} links {longer[1] / longer[0]:.1f} times"
    return [Outcome(name, told, theirs / ours, ">= 10", theirs / ours >= 10.0)]


# ---------------------------------------------------------------- stiction


def dry(limit: float) -> tg.FrictionImpedance:
    """Friction of a joint with this limit [N·m]."""
    return tg.FrictionImpedance(stiffness=1e6, damping=10.0, law=tg.Coulomb(limit))


def price_of_stiction(links: int = 7, ticks: int = 20_000, rounds: int = 15) -> list[Outcome]:
    """A step with friction in every joint over one without, all joints sticking, and all slipping."""
    q, _, _ = state(links)
    held, slipping, smooth = chain(links, dry(1e4)), chain(links, dry(1e-3), gravity=0.0), chain(links)

    def ready(tree: Tree, period: float, v: float) -> Callable[[], Any]:
        scene, speed = Scene(tree=tree), np.full(links, v)
        scene.run(period, period=period, q=q)
        return lambda: scene.run(ticks * period, period=period, q=q, v=speed, every=ticks)

    # Ticks so short that no joint turns back while it is timed.
    rivals = {
        "smooth": ready(smooth, 1e-3, 0.0), "sticking": ready(held, 1e-3, 0.0), "slipping": ready(slipping, 1e-7, 1.0)
    }  # fmt: skip
    best = in_turn(rivals, rounds=rounds)
    outcomes = []
    for kind in ("sticking", "slipping"):
        ratio = best[kind] / best["smooth"]
        told = f"{1e6 * best[kind] / ticks:.2f} us a step against {1e6 * best['smooth'] / ticks:.2f} us"
        outcomes.append(
            Outcome(f"friction in {links} joints, all {kind}, over none", told, ratio, "<= 1.3", ratio <= 1.3)
        )
    return outcomes


def random_arm(rng: np.random.Generator, links: int) -> Tree:
    """A tree whose joints all rub, with limits, stiffnesses and dampings over many decades."""
    bodies = []
    for k in range(links):
        points = 0.2 * rng.normal(size=(4, 3))
        mass = float(rng.uniform(0.5, 2.0))
        inertia = mass * sum((x @ x) * np.eye(3) - np.outer(x, x) for x in points)
        friction = tg.FrictionImpedance(
            stiffness=10.0 ** rng.uniform(3.0, 9.0),
            damping=float(rng.choice([0.0, 1.0])) * 10.0 ** rng.uniform(-1.0, 2.0),
            law=tg.Coulomb(10.0 ** rng.uniform(-2.0, 1.5)),
        )
        kind = Revolute if rng.random() < 0.7 else Prismatic
        bodies.append(
            Body(
                name=f"b{k}", mass=mass, inertia=inertia, center=0.1 * rng.normal(size=3),
                parent=f"b{rng.integers(0, k)}" if k else None, position=0.3 * rng.normal(size=3),
                joint=kind(axis=rng.normal(size=3), friction=friction),
            )
        )  # fmt: skip
    return Tree(bodies)


def mode_problems(problems: int = 10_000, ticks: int = 10) -> list[Outcome]:
    """Ticks from random states under random torques: every joint may stick, slip or turn back at once."""
    rng, failed, joints = np.random.default_rng(0), 0, 0
    for _ in range(problems // ticks):
        links = int(rng.choice([2, 4, 7, 12, 30]))
        tree, T = random_arm(rng, links), 10.0 ** rng.uniform(-4.0, -2.0)
        v, tau = rng.normal(size=links) * 10.0 ** rng.uniform(-4.0, 0.5), rng.normal(size=(ticks, links))
        tau *= 10.0 ** rng.uniform(-2.0, 2.0)
        run = Scene(tree=tree).run(ticks * T, period=T, q=rng.normal(size=links), v=v, torque=tau)
        failed, joints = failed + int(run.about["unsolved_steps"]), joints + ticks * links
    told = f"{failed} unsolved of {problems // ticks * ticks} ticks, {joints} joints in all"
    return [Outcome("random mode problems, failures", told, float(failed), "0", failed == 0)]


# ---------------------------------------------------------------- real time


METHODS: tuple[Method, ...] = ("symplectic", "implicit")


def two_robots(seconds: float = 20.0, rounds: int = 7) -> list[Outcome]:
    """The paper's experiment, both robots and their contact, at its 2 ms; a whole call with its record."""
    two = TwoRobots(kp=400.0)

    def ready(method: Method) -> Callable[[], Result]:
        two.run(duration=0.2, period=2e-3, method=method)
        return lambda: two.run(duration=seconds, period=2e-3, method=method)

    best = in_turn({method: ready(method) for method in METHODS}, rounds=rounds)
    outcomes = []
    for method in METHODS:
        ratio = seconds / best[method]
        told = f"{2e3 / ratio:.2f} us a tick of 2 ms, record included"
        outcomes.append(Outcome(f"two robots, {method}, times real time", told, ratio, ">= 100", ratio >= 100.0))
    return outcomes


def long_chain(links: int = 500, ticks: int = 500, rounds: int = 5) -> list[Outcome]:
    """A chain at 1 kHz without friction, and with some in every joint: let go bent, so that joints stick and slip."""
    q = 0.1 * state(links)[0]

    def ready(tree: Tree) -> Callable[[], Result]:
        scene = Scene(tree=tree)
        return lambda: scene.run(1e-3 * ticks, period=1e-3, q=q, every=ticks)

    rivals = {"no friction": ready(chain(links)), "friction in every joint": ready(chain(links, dry(5.0)))}
    unsolved = {kind: play().about["unsolved_steps"] for kind, play in rivals.items()}
    best = in_turn(rivals, rounds=rounds)
    outcomes = []
    for kind, seconds in best.items():
        ratio = 1e-3 * ticks / seconds
        told = f"{1e6 * seconds / ticks:.0f} us a tick of 1 ms, {unsolved[kind]} unsolved"
        outcomes.append(Outcome(f"{links} links, {kind}, times real time", told, ratio, ">= 1", ratio >= 1.0))
    return outcomes


CONTESTS = (
    Contest("trees, Pinocchio", against_pinocchio, yardsticks=("theirs",)),
    Contest("trees, MuJoCo", against_mj_forward, yardsticks=("theirs",)),
    Contest("trees, price of stiction", price_of_stiction),
    Contest("trees, random mode problems", mode_problems),
    Contest("trees, two robots", two_robots),
    Contest("trees, 500 links", long_chain),
)
