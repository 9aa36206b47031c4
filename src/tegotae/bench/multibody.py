"""Trees of bodies: forward dynamics against Pinocchio and MuJoCo, the price of stiction, real-time factors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import tegotae as tg
from tegotae.bench.contest import Contest, Outcome, Outcomes, in_turn
from tegotae.bench.kernels.multibody import many_accelerations
from tegotae.checks import Array
from tegotae.multibody import Prismatic, Revolute, Scene, Tree
from tegotae.multibody.kernels.kinematics import workspace
from tegotae.papers.tarao1999.oracles import chain as links_of
from tegotae.papers.tarao1999.oracles import random_bodies
from tegotae.papers.tarao1999.peers import articulated, chain_xml, in_mujoco, pinocchio_tree
from tegotae.papers.two_robots import TwoRobots

# A link of every chain here: its centre of mass is half way down, its axis across that before.
LINK: dict[str, Any] = {"mass": 2.0, "inertia": (0.02, 0.02, 0.002), "length": -0.4}
SIZES = (4, 50, 100, 500)


def chain(links: int, friction: tg.FrictionImpedance | None = None, *, gravity: float = 9.81) -> Tree:
    """Links that hang on each other, perhaps with friction in every joint; gravity downwards [m/s²]."""
    return Tree(links_of(links, **LINK, friction=friction), gravity=(0, 0, -gravity))


def state(links: int) -> tuple[Array, Array, Array]:
    """q, v and torques, all different and none special."""
    rng = np.random.default_rng(links)
    q, v, tau = rng.normal(size=(3, links))
    return 0.5 * q, v, tau


# ---------------------------------------------------------------- forward dynamics


Play = Callable[[int], Array]  # so many evaluations; the accelerations of the last


def compiled(links: int) -> Play:
    """The three passes inside a compiled loop."""
    model, (q, v, tau) = chain(links)._model, state(links)
    slope, wrench, S, a = np.zeros(links), np.zeros((links, 6)), workspace(links), np.zeros(links)

    def play(calls: int) -> Array:
        many_accelerations(calls, model, q, v.copy(), tau, slope, wrench, S, a)
        return a.copy()

    return play


def in_pinocchio(links: int) -> Play:
    """Its articulated-body algorithm, called from Python; 500 links take it 20 s to put together."""
    return articulated(pinocchio_tree(chain(links).bodies), *state(links))


def forward_in_mujoco(links: int) -> Play:
    """`mj_forward`, called from Python."""
    engine, model, data = in_mujoco(chain_xml(links, **LINK))
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = state(links)

    def play(calls: int) -> Array:
        for _ in range(calls):
            engine.mj_forward(model, data)
        return np.array(data.qacc)

    return play


def _against(peer: Callable[[int], Play], links: int, rounds: int) -> tuple[float, float]:
    """Seconds of one evaluation: ours, theirs."""
    ours, theirs, calls = compiled(links), peer(links), max(20, 20_000 // links)
    few = max(10, calls // 10)
    best = in_turn({"ours": lambda: ours(calls), "theirs": lambda: theirs(few)}, rounds=rounds)
    return best["ours"] / calls, best["theirs"] / few


def against_pinocchio(sizes: tuple[int, ...] = SIZES, rounds: int = 15) -> Outcomes:
    """Accelerations of a chain."""
    for links in sizes:
        ours, theirs = _against(in_pinocchio, links, rounds)
        measured, bound = f"{1e6 * ours:.2f} us against {1e6 * theirs:.2f} us", ">= 2" if links >= 50 else ">= 1"
        name = f"forward dynamics, times faster than pinocchio.aba, {links} links"
        yield Outcome.asked(name, measured, theirs / ours, bound)


def against_mj_forward(links: int = 100, rounds: int = 10) -> Outcomes:
    """Accelerations of a chain; of one twice as long too, since MuJoCo's cost grows with the cube of its length."""
    name = f"forward dynamics, times faster than mj_forward, {links} links"
    ours, theirs = _against(forward_in_mujoco, links, rounds)
    longer = _against(forward_in_mujoco, 2 * links, rounds)
    measured = f"{1e6 * ours:.2f} us against {1e6 * theirs:.2f} us; {2 * links} links {longer[1] / longer[0]:.1f} times"
    yield Outcome.asked(name, measured, theirs / ours, ">= 10")


# ---------------------------------------------------------------- stiction


def dry(limit: float) -> tg.FrictionImpedance:
    """Friction of a joint with this limit [N·m]."""
    return tg.FrictionImpedance(stiffness=1e6, damping=10.0, law=tg.Coulomb(limit))


def price_of_stiction(links: int = 7, ticks: int = 20_000, rounds: int = 15) -> Outcomes:
    """A step with friction in every joint over one without, all joints sticking, and all slipping."""
    q, _, _ = state(links)
    held, slipping, smooth = chain(links, dry(1e4)), chain(links, dry(1e-3), gravity=0.0), chain(links)

    def ready(tree: Tree, period: float, v: float) -> Callable[[], Any]:
        return partial(Scene(tree=tree).run, ticks * period, period=period, q=q, v=np.full(links, v), every=ticks)

    # Ticks so short that no joint turns back while it is timed.
    rivals = {
        "smooth": ready(smooth, 1e-3, 0.0), "sticking": ready(held, 1e-3, 0.0), "slipping": ready(slipping, 1e-7, 1.0)
    }  # fmt: skip
    best = in_turn(rivals, rounds=rounds)
    for kind in ("sticking", "slipping"):
        ratio = best[kind] / best["smooth"]
        measured = f"{1e6 * best[kind] / ticks:.2f} us a step against {1e6 * best['smooth'] / ticks:.2f} us"
        yield Outcome.asked(f"friction in {links} joints, all {kind}, over none", measured, ratio, "<= 1.3")


def random_arm(rng: np.random.Generator, links: int) -> Tree:
    """A tree whose joints all rub, with limits, stiffnesses and dampings over many decades."""
    bodies = []
    for body in random_bodies(links, free=False, seed=int(rng.integers(2**32))):
        friction = tg.FrictionImpedance(
            stiffness=10.0 ** rng.uniform(3.0, 9.0),
            damping=float(rng.choice([0.0, 1.0])) * 10.0 ** rng.uniform(-1.0, 2.0),
            law=tg.Coulomb(10.0 ** rng.uniform(-2.0, 1.5)),
        )
        if isinstance(body.joint, Revolute | Prismatic):
            body = replace(body, joint=replace(body.joint, friction=friction))
        bodies.append(body)
    return Tree(bodies)


def mode_problems(problems: int = 10_000, ticks: int = 10) -> Outcomes:
    """Ticks from random states under random torques: every joint may stick, slip or turn back at once."""
    rng, failed, joints = np.random.default_rng(0), 0, 0
    for _ in range(problems // ticks):
        links = int(rng.choice([2, 4, 7, 12, 30]))
        tree, T = random_arm(rng, links), 10.0 ** rng.uniform(-4.0, -2.0)
        v, tau = rng.normal(size=tree.nv) * 10.0 ** rng.uniform(-4.0, 0.5), rng.normal(size=(ticks, tree.nv))
        tau *= 10.0 ** rng.uniform(-2.0, 2.0)
        run = Scene(tree=tree).run(ticks * T, period=T, q=rng.normal(size=tree.nv), v=v, torque=tau)
        failed, joints = failed + int(run.about["unsolved_steps"]), joints + ticks * tree.nv
    measured = f"{failed} unsolved of {problems // ticks * ticks} ticks, {joints} joints in all"
    yield Outcome("random mode problems, failures", measured, float(failed), "0", failed == 0)


# ---------------------------------------------------------------- real time


def two_robots(seconds: float = 20.0, rounds: int = 7) -> Outcomes:
    """The paper's experiment, both robots and their contact, at its 2 ms; a whole call with its record."""
    run: Callable[..., Any] = partial(TwoRobots(kp=400.0).run, duration=seconds, period=2e-3)
    rivals = {method: partial(run, method=method) for method in ("symplectic", "midpoint", "euler")}
    for method, taken in in_turn(rivals, rounds=rounds).items():
        ratio = seconds / taken
        measured = f"{2e3 / ratio:.2f} us a tick of 2 ms, record included"
        yield Outcome.asked(f"two robots, {method}, times real time", measured, ratio, ">= 100")


def long_chain(links: int = 500, ticks: int = 500, rounds: int = 5) -> Outcomes:
    """A chain at 1 kHz without friction, and with some in every joint: let go bent, so that joints stick and slip."""
    q = 0.1 * state(links)[0]

    trees = {"no friction": chain(links), "friction in every joint": chain(links, dry(5.0))}
    run: dict[str, Any] = {"period": 1e-3, "q": q, "every": ticks}
    rivals = {kind: partial(Scene(tree=tree).run, 1e-3 * ticks, **run) for kind, tree in trees.items()}
    unsolved = {kind: play().about["unsolved_steps"] for kind, play in rivals.items()}
    best = in_turn(rivals, rounds=rounds)
    for kind, seconds in best.items():
        ratio = 1e-3 * ticks / seconds
        measured = f"{1e6 * seconds / ticks:.0f} us a tick of 1 ms, {unsolved[kind]} unsolved"
        yield Outcome.asked(f"{links} links, {kind}, times real time", measured, ratio, ">= 1")


def second_order(links: int = 4, period: float = 1e-3, ticks: int = 500, rounds: int = 15) -> Outcomes:
    """A chain that swings by both implicit methods: what a tick costs, and what the same error costs.

    Errors are those at the end, against the classical method of fourth order at a tenth of the period; that of Euler's
    ticks falls with the period, so as many more of them would be needed.
    """
    scene, q, until = Scene(tree=chain(links)), state(links)[0], period * ticks
    exact = scene.run(until, period=0.1 * period, q=q, every=10 * ticks, method="rk4").q[-1]
    rivals = {
        method: partial(scene.run, until, period=period, q=q, every=ticks, method=method)
        for method in ("midpoint", "euler")
    }
    off = {method: float(np.abs(play().q[-1] - exact).max()) for method, play in rivals.items()}
    best = in_turn(rivals, rounds=rounds)
    tick = best["midpoint"] / best["euler"]
    cheaper = off["euler"] / off["midpoint"] / tick
    measured = f"{1e6 * best['midpoint'] / ticks:.2f} us against {1e6 * best['euler'] / ticks:.2f} us"
    yield Outcome.asked(f"{links} links, a tick of the midpoint over Euler's", measured, tick, "<= 2")
    measured = f"off by {off['midpoint']:.1e} and {off['euler']:.1e} rad after {until:g} s"
    yield Outcome.asked(f"{links} links, times cheaper at equal error", measured, cheaper, ">= 10")


CONTESTS = (
    Contest("trees, Pinocchio", against_pinocchio, yardsticks=("theirs",), needs="pinocchio"),
    Contest("trees, MuJoCo", against_mj_forward, yardsticks=("theirs",), needs="mujoco"),
    Contest("trees, price of stiction", price_of_stiction),
    Contest("trees, random mode problems", mode_problems),
    Contest("trees, two robots", two_robots),
    Contest("trees, second order", second_order),
    Contest("trees, 500 links", long_chain),
)
