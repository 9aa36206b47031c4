"""Rods: the paper's run, cost over nodes, mixed against pure coordinates, many rods; a chain of hinges in MuJoCo, and
PyElastica.
"""

from __future__ import annotations

import importlib
import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tegotae.bench.contest import Contest, Outcome, Outcomes, in_turn
from tegotae.checks import Array
from tegotae.papers.hirai2020 import HiraiSubject, phases
from tegotae.papers.hirai2020.motion import MINUTES
from tegotae.papers.tarao1999.peers import in_mujoco
from tegotae.result import Result
from tegotae.rod.demonstrations import crawling_snake
from tegotae.rod.many import run_many, variations
from tegotae.rod.planar import Evaluation

PAPER = phases()
# tau = 10 for a second, pinned: where the tip of the continuous rod is then (n -> infinity) [m].
GENTLE = phases(10.0)[:1]
TIP = np.array([5.90659, -0.45101])
AIM = 1e-2  # [m], error of the tip asked of MuJoCo; ours must not be larger than what it reaches


rod_of = HiraiSubject().rod  # with so many nodes


def gentle_run(nodes: int, tolerance: float) -> Callable[[], Result]:
    """A rod's run to t = 1 s, tau = 10, for when it is called."""
    return partial(rod_of(nodes).run, GENTLE, times=[1.0], rtol=tolerance, atol=tolerance)


def tip_error(nodes: int, tolerance: float) -> float:
    """How far the tip is from the continuous rod's at t = 1 s, tau = 10 [m]."""
    return float(np.linalg.norm(gentle_run(nodes, tolerance)().position[-1, -1] - TIP))


# ---------------------------------------------------------------- the paper's run


def paper_run(rounds: int = 30) -> Outcomes:
    """A whole call of `run`, checks and record included, at the loosest tolerance whose angles are right to 1e-5."""
    rod, times = rod_of(5), [1.0, 2.0, 3.0]
    exact = rod.run(PAPER, times=times, rtol=1e-12, atol=1e-12).angle
    for tolerance in (1e-5, 3e-6, 1e-6, 7e-7, 5e-7, 3e-7, 1e-7):
        error = float(np.abs(rod.run(PAPER, times=times, rtol=tolerance, atol=tolerance).angle - exact).max())
        if error <= 1e-5:
            break
    best = in_turn({"run": lambda: rod.run(PAPER, times=times, rtol=tolerance, atol=tolerance)}, rounds=rounds)["run"]
    quicker = MINUTES * 60.0 / best
    text = f"{1e3 * best:.2f} ms, angles within {error:.0e} rad; the paper's 104 min are {quicker:.1e} times as long"
    yield Outcome.asked("paper's run at 1e-5", text, 1e3 * best, "< 3 ms", also=error <= 1e-5)


# ---------------------------------------------------------------- cost over nodes


def evaluation(nodes: int) -> Evaluation:
    """The paper's rod, bent and turning."""
    angle, rate = np.linspace(0.0, 3.0, nodes), np.linspace(1.0, -1.0, nodes)
    return Evaluation(rod_of(nodes), angle, rate, GENTLE[0])


def linear(nodes: tuple[int, ...] = (5, 10, 33, 100, 330, 1000), rounds: int = 15) -> Outcomes:
    """Time of an evaluation of all accelerations, and the power of n with which it grows."""
    calls = {n: max(1, 20_000 // n) for n in nodes}
    best = in_turn({str(n): partial(evaluation(n).mixed, calls[n]) for n in nodes}, rounds=rounds)
    each = np.array([best[str(n)] / calls[n] for n in nodes])
    power = float(np.polyfit(np.log(np.array(nodes) - 1.0), np.log(each), 1)[0])
    measured = ", ".join(f"n = {n} {1e9 * s / (n - 1):.0f} ns" for n, s in zip(nodes, each, strict=True))
    name = "cost of an evaluation grows with n to the power"
    yield Outcome.asked(name, f"a segment: {measured}", power, "<= 1.05")


def mixed_against_pure(nodes: tuple[int, ...] = (2, 5, 10, 33, 65, 129), rounds: int = 15) -> Outcomes:
    """The paper's point: one evaluation in mixed coordinates, O(n), against one in pure ones, both compiled."""
    ratios = {}
    for n in nodes:
        now = evaluation(n)
        calls = {"mixed": max(1, 20_000 // n), "pure": max(20, 20_000 // n**2)}  # so that the call itself hardly counts
        rivals = {"mixed": partial(now.mixed, calls["mixed"]), "pure": partial(now.pure, calls["pure"])}
        best = in_turn(rivals, rounds=rounds)
        ratios[n] = best["pure"] / calls["pure"] / (best["mixed"] / calls["mixed"])
    text = ", ".join(f"n = {n} {ratio:.1f}" for n, ratio in ratios.items())
    yield Outcome.asked("pure over mixed coordinates, times as long", text, min(ratios.values()), ">= 1 for every n")


def many_nodes(rounds: int = 5) -> Outcomes:
    """1025 nodes, tau = 10: a whole call of `run` against the second that it simulates."""
    tolerance, error = next((tol, error) for tol in (1e-4, 3e-5, 1e-5) if (error := tip_error(1025, tol)) <= 5e-4)
    best = in_turn({"run": gentle_run(1025, tolerance)}, rounds=rounds)["run"]
    measured = f"{1e3 * best:.0f} ms for 1 s, the tip within {error:.1e} m"
    yield Outcome.asked("1025 nodes, times real time at 5e-4", measured, 1.0 / best, ">= 15", also=error <= 5e-4)


def many_rods(count: int = 1000, rounds: int = 2) -> Outcomes:
    """Rods of different elasticity through the paper's run, on all cores."""
    rods = variations(rod_of(5), {"elasticity": np.linspace(0.5, 2.0, count).tolist()})
    play = partial(run_many, rods, PAPER, times=[1.0, 2.0, 3.0], rtol=1e-5, atol=1e-5)
    best = in_turn({"all": play}, rounds=rounds)["all"]
    ratio = 3.0 * count / best
    measured = f"{count} rods, 3 s each, rtol 1e-5, in {best:.2f} s"
    yield Outcome.asked("many rods of 5 nodes, times real time", measured, ratio, ">= 2000 on two cores")


def snake(seconds: float = 5.0, rounds: int = 5) -> Outcomes:
    """A snake of 33 nodes on the ground at 1 kHz, a whole call with its record every 10 ms."""
    found: list[Result] = []
    best = in_turn({"snake": lambda: found.append(crawling_snake(until=seconds))}, rounds=rounds)["snake"]
    ratio, unsolved = seconds / best, found[-1].about["unsolved_steps"]
    measured = f"{1e6 * best / (1e3 * seconds):.1f} us a tick, {unsolved} unsolved steps"
    yield Outcome.asked("crawling snake, 33 nodes, times real time", measured, ratio, ">= 100")


# ---------------------------------------------------------------- peers


def hinge_chain(links: int, step: float) -> Callable[[], Array]:
    """The rod as rigid links on hinges with springs and dampers, in MuJoCo, at a time step [s]: a second of tau = 10.

    It tells where the tip is [m], which converges with the square of a link.
    """
    h = 10.0 / links
    inertia = 0.1 * h**3 / 12.0
    inner = f'<site name="tip" pos="{h!r} 0 0"/>'
    for i in range(links - 1, -1, -1):
        spring = f'stiffness="{1.0 / h!r}" damping="{2.0 / h!r}"' if i else ""
        inner = (
            f'<body pos="{h if i else 0.0!r} 0 0"><inertial pos="{h / 2!r} 0 0" mass="{0.1 * h!r}" '
            f'diaginertia="{inertia!r} {inertia!r} {inertia!r}"/><joint axis="0 0 1" {spring}/>{inner}</body>'
        )
    option = f'<option timestep="{step!r}" gravity="0 0 0"><flag contact="disable"/></option>'
    engine, model, data = in_mujoco(f"<mujoco>{option}<worldbody>{inner}</worldbody></mujoco>")

    def play() -> Array:
        engine.mj_resetData(model, data)
        data.qfrc_applied[0] = 10.0
        engine.mj_step(model, data, round(1.0 / step))  # one call into the engine, so no Python is timed
        engine.mj_kinematics(model, data)
        return np.array(data.site_xpos[0, :2])

    return play


def cosserat_rod(elements: int, radius: float, step: float, seconds: float = 1.0) -> tuple[Array, float]:
    """The rod in PyElastica under tau = 10: where its tip ends [m], and how long that took without building [s].

    It is 3-D, so it also stretches and shears; the thinner its section [m], the less. Its moduli follow from the
    bending stiffness; its time step [s] is bound by the bending viscosity on the small inertia of a thin section.
    """
    ea: Any = importlib.import_module("elastica")
    area, second = np.pi * radius**2, 0.25 * np.pi * radius**4
    machine = type("Machine", (ea.BaseSystemCollection, ea.Constraints, ea.Forcing), {})()
    start, along, normal = np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    moduli = {"youngs_modulus": 1.0 / second, "shear_modulus": 0.5 / second}
    rod = ea.CosseratRod.straight_rod(elements, start, along, normal, 10.0, radius, 0.1 / area, **moduli)
    machine.append(rod)
    machine.constrain(rod).using(_pin(ea), constrained_position_idx=(0,))
    machine.add_forcing_to(rod).using(_drive(ea, 2.0 * elements / 10.0))
    machine.finalize()
    stepper, now = ea.PositionVerlet(), 0.0
    begun = time.perf_counter()
    for _ in range(round(seconds / step)):
        now = stepper.step(machine, now, step)
    return np.array(rod.position_collection[:2, -1]), time.perf_counter() - begun


def _pin(ea: Any) -> Any:
    """Holds the first node where it is."""

    def begin(this: Any, place: Any, **known: Any) -> None:
        ea.ConstraintBase.__init__(this, **known)
        this.place = np.array(place)

    def values(this: Any, system: Any, time: float) -> None:
        system.position_collection[..., 0] = this.place

    def rates(this: Any, system: Any, time: float) -> None:
        system.velocity_collection[..., 0] = 0.0

    return type("Pin", (ea.ConstraintBase,), {"__init__": begin, "constrain_values": values, "constrain_rates": rates})


def _drive(ea: Any, viscosity: float) -> Any:
    """tau = 10 on the first element, and bending viscosity between elements [N·m·s], which PyElastica does not have."""

    def torques(this: Any, system: Any, time: float = 0.0) -> None:
        # The first axis of a section is the normal of the plane.
        couple = viscosity * np.diff(system.omega_collection[0])
        turning = system.external_torques[0]
        turning[:-1] += couple
        turning[1:] -= couple
        turning[0] += 10.0

    return type("Drive", (ea.NoForces,), {"apply_torques": torques})


def against_mujoco(rounds: int = 5) -> Outcomes:
    """tau = 10: the quickest chain whose tip is within the aim, and ours with no larger error."""
    name = "tau = 10, times faster than MuJoCo's hinge chain"
    fits = []
    for links, step in itertools.product((48, 64, 96), (2e-3, 1e-3, 5e-4)):
        play = hinge_chain(links, step)
        theirs = float(np.linalg.norm(play() - TIP))
        if theirs <= AIM:
            fits.append((in_turn({"chain": play}, rounds=1)["chain"], links, step, theirs, play))
    if not fits:
        yield Outcome.skipped(name, f"no chain came within {AIM:g} m")
        return
    _, links, step, theirs, play = min(fits, key=lambda one: one[0])
    nodes, tolerance, ours = next(
        (n, tol, error) for n in (33, 49, 65, 97) for tol in (1e-3, 1e-4) if (error := tip_error(n, tol)) <= theirs
    )
    best = in_turn({"ours": gentle_run(nodes, tolerance), "mujoco": play}, rounds=rounds)
    measured = (
        f"{1e3 * best['ours']:.1f} ms at {ours:.1e} m (n = {nodes}) against {1e3 * best['mujoco']:.0f} ms at "
        f"{theirs:.1e} m ({links} links, {1e3 * step:g} ms)"
    )
    yield Outcome.asked(name, measured, best["mujoco"] / best["ours"], ">= 10")


def against_pyelastica() -> Outcomes:
    """tau = 10: as near as PyElastica comes in about ten seconds of work; ours with no larger error."""
    cosserat_rod(16, 0.05, 4e-6, 1e-4)  # compiles
    tip, seconds = cosserat_rod(16, 0.05, 4e-6)
    theirs = float(np.linalg.norm(tip - TIP))
    nodes, ours = next((n, error) for n in (9, 17, 33, 65) if (error := tip_error(n, 1e-3)) <= theirs)
    best = in_turn({"ours": gentle_run(nodes, 1e-3)})["ours"]
    text = f"{1e3 * best:.2f} ms at {ours:.2f} m (n = {nodes}) against {seconds:.1f} s at {theirs:.2f} m (16 elements)"
    yield Outcome.asked("tau = 10, times faster than PyElastica", text, seconds / best, ">= 500")


CONTESTS = (
    Contest("rod, paper's run", paper_run),
    Contest("rod, cost over nodes", linear),
    Contest("rod, mixed against pure coordinates", mixed_against_pure),
    Contest("rod, 1025 nodes", many_nodes),
    Contest("rod, many rods", many_rods),
    Contest("rod, snake", snake),
    Contest("rod, MuJoCo", against_mujoco, yardsticks=("chain", "mujoco"), needs="mujoco"),
    Contest("rod, PyElastica", against_pyelastica, needs="elastica"),
)
