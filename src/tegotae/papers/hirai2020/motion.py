"""The motion: the paper's run to the letter, its balances and its computing time; many nodes, what they cost in mixed
coordinates and in angles alone, convergence, and the motion that the paper tells.
"""

from __future__ import annotations

import time
from functools import cache, partial
from itertools import pairwise

import numpy as np

from tegotae.papers.hirai2020 import GENTLE, LENGTH, NODES, TORQUE, HiraiSubject, paper, phases, plain, random_states
from tegotae.papers.hirai2020.oracles import Array
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.measuring import apart, in_turn
from tegotae.result import Result
from tegotae.rod import Phase, Shape
from tegotae.rod.grounded import Method

MINUTES = 104.0  # the paper's computing time
TIGHT = 1e-11
PERIODS = (1e-3, 5e-4, 2.5e-4)  # of ticks [s]


@cache
def plain_run() -> Array:
    """(y, v) of the oracle at t = 1, 2, 3 s of the paper's run; some seconds of work, done once."""
    return plain().run([(1.0, TORQUE, 2), (2.0, 0.0, 2), (3.0, 0.0, 0)], rtol=1e-7)


def tight_run(subject: HiraiSubject) -> Result:
    """The paper's run at a tolerance of 1e-11, recorded every 0.1 s."""
    return subject.rod().run(phases(), times=np.linspace(0.0, 3.0, 31), rtol=TIGHT, atol=TIGHT)


@paper.claim(source="section 6, Fig. 2")
def literal_run(subject: HiraiSubject) -> Findings:
    """The paper's run, torque 50 for one second at the pin, let go after two: angles at t = 1, 2 and 3 s and the place
    of the released base to six digits of an independent, automatically differentiated Lagrangian.
    """
    oracle, run = plain_run(), tight_run(subject)
    rows = [10, 20, 30]
    angle = np.abs(run.angle[rows] - oracle[:, 2:7]).max(axis=1)
    for t, off in zip((1, 2, 3), angle, strict=True):
        yield Finding(f"angles at t = {t} s off", off, "<=", 1e-6, "rad")
    base = np.abs(run.position[rows, 0] - oracle[:, :2]).max()
    yield Finding("place of the base off", base, "<=", 2e-6, "m")


@paper.claim(source="section 6, for a loop that runs at a fixed period")
def ticks_of_second_order(subject: HiraiSubject) -> Findings:
    """A rod that swings from a pin in ticks is of second order, though it takes friction at the end of each."""
    rod = subject.Rod(length=1.0, nodes=6, density=1.0, elasticity=1.0, viscosity=0.02, gravity=(0.0, -1.0))
    swing, start = [Phase(until=0.5, base="pinned")], Shape(angle=[-0.5, -0.4, -0.3, -0.2, -0.1, 0.0])
    exact = rod.run(swing, times=[0.5], rtol=TIGHT, atol=TIGHT, initial=start).angle[-1]
    off: dict[Method, list[float]] = {"midpoint": [], "euler": []}
    for method, errors in off.items():
        for period in PERIODS:
            grounded = subject.Grounded(rod=rod, method=method)
            run = grounded.run(swing, period=period, every=round(0.5 / period), initial=start)
            errors.append(float(np.abs(run.angle[-1] - exact).max()))
    order = np.polyfit(np.log(PERIODS), np.log(off["midpoint"]), 1)[0]
    yield Finding("order, fitted, off 2", abs(float(order) - 2.0), "<=", 0.1)
    yield Finding("error at 1 ms", off["midpoint"][0], "<=", 1e-4, "rad")
    yield Finding("at 1 ms, times nearer than Euler's ticks", off["euler"][0] / off["midpoint"][0], ">=", 10.0)


@paper.claim(source="(17), (18): Lagrange's equation of motion")
def energy(subject: HiraiSubject) -> Finding:
    """What the torque puts in is kinetic, elastic or dissipated, at every time."""
    run = tight_run(subject)
    residual = run.work - run.kinetic - run.elastic - run.dissipated
    return Finding("largest residual, relative to the work", np.abs(residual).max() / run.work.max(), "<=", 1e-10)


@paper.claim(source="section 6")
def angular_momentum(subject: HiraiSubject) -> Findings:
    """The pin has no lever about itself: angular momentum about it is the impulse of the torque, 50 t up to t = 1 s,
    and 50 N·m·s from then on, also after the release.
    """
    run = tight_run(subject)
    impulse = TORQUE * np.minimum(run.time, 1.0)
    half = int(np.argmin(np.abs(run.time - 0.5)))
    yield Finding("off the impulse", np.abs(run.angular_momentum - impulse).max() / TORQUE, "<=", 1e-9)
    yield Finding("at t = 0.5 s, off 25", abs(run.angular_momentum[half] - 25.0), "<=", 1e-7, "N·m·s")


@paper.claim(source="section 6, time [2, 3]")
def linear_momentum(subject: HiraiSubject) -> Findings:
    """After the release nothing pushes the rod: its momentum stays, and its centre goes on in a straight line. Before
    it, the pin pushes.
    """
    run = tight_run(subject)
    free = run.momentum[run.time >= 2.0 - 1e-9]
    swing = np.ptp(run.momentum[run.time <= 2.0], axis=0).max()
    yield Finding("change after the release", np.abs(free - free[0]).max(), "<=", 1e-9, "N·s")
    yield Finding("change while pinned", swing, ">=", 10.0, "N·s")


@paper.claim(source="section 6: about 104 minutes in Matlab R2019b on a 2 GHz notebook")
def computing_time(subject: HiraiSubject) -> Findings:
    """The same run to an error of 1e-5 takes milliseconds, compiled, on one thread.

    Processor time, and the bound leaves room for a slow machine; `tegotae bench` measures.
    """
    play = partial(subject.rod().run, phases(), times=[1.0, 2.0, 3.0], rtol=1e-7, atol=1e-7)
    off = np.abs(play().angle - tight_run(subject).angle[[10, 20, 30]]).max()
    best = in_turn({"run": play}, rounds=5, clock=time.process_time)["run"]
    yield Finding("largest error of an angle", off, "<=", 1e-5, "rad")
    yield Finding("times faster than 104 minutes", 60.0 * MINUTES / best, ">=", 5e4)


def race(subject: HiraiSubject, nodes: int, *, rounds: int = 40) -> tuple[float, float]:
    """How far apart the two accelerations are, relative; and how many times longer angles alone take.

    Both compiled, in turn, best of several short rounds, which a busy machine interrupts least.
    """
    ((angle, rate),) = random_states(nodes, 1)
    instant = subject.Instant(subject.rod(nodes), angle, rate, phases()[0])
    off = apart(instant.pure()[2:], instant.mixed()[2:])
    many = max(5, 2000 // nodes)
    rivals = {"mixed": partial(instant.mixed, many), "pure": partial(instant.pure, many)}
    best = in_turn(rivals, rounds=rounds, clock=time.process_time)
    return off, best["pure"] / best["mixed"]


@paper.claim(source="section 1, and (16) against [2] of the paper")
def mixed_coordinates_are_cheaper(subject: HiraiSubject) -> Findings:
    """With places as extra coordinates the integrals of a segment end at the segment. The same rod in angles alone has
    a full inertia matrix: it moves alike, costs about as much with five nodes, and ever more with more.

    Angles alone are given the same closed forms, and their matrix is filled in O(n²) from sums of places: the best that
    we can do for them.
    """
    races = {nodes: race(subject, nodes) for nodes in (NODES, 33, 129)}
    bounds = {NODES: 0.9, 33: 1.3, 129: 3.0}
    yield Finding("accelerations apart, relative", max(off for off, _ in races.values()), "<=", 1e-10)
    for n in races:
        yield Finding(f"time of angles alone over mixed, {n} nodes", races[n][1], ">=", bounds[n])


def tip(subject: HiraiSubject, nodes: int) -> Array:
    """Where the tip is at t = 1 s [m]."""
    return np.asarray(subject.rod(nodes).run(phases(GENTLE)[:1], times=[1.0], rtol=1e-8, atol=1e-8).position[-1, -1])


@paper.claim(source="(1), (2)")
def second_order_in_n(subject: HiraiSubject) -> Findings:
    """Angles linear between nodes converge to the continuous rod with the square of the segment.

    At a torque of 10: at the paper's 50 the continuum winds up into a coil, which five nodes cannot follow.
    """
    tips = [tip(subject, nodes) for nodes in (17, 33, 65, 129)]
    steps = [float(np.linalg.norm(b - a)) for a, b in pairwise(tips)]
    orders = [np.log2(steps[0] / steps[1]), np.log2(steps[1] / steps[2])]
    before, limit = (b + (b - a) / 3.0 for a, b in pairwise(tips[1:]))  # extrapolated
    settled = float(np.linalg.norm(limit - before))
    yield Finding("order from 16 to 64 segments, off 2", abs(orders[0] - 2.0), "<=", 0.1)
    yield Finding("order from 32 to 128 segments, off 2", abs(orders[1] - 2.0), "<=", 0.1)
    yield Finding("extrapolated tip, from one doubling to the next", settled, "<=", 1e-4, "m")


def recorded_run(subject: HiraiSubject, nodes: int = 65, torque: float = GENTLE) -> Result:
    """The three phases, recorded every 0.25 s."""
    return subject.rod(nodes).run(phases(torque), times=np.linspace(0.0, 3.0, 13), rtol=1e-6, atol=1e-6)


def bending_by_quarter(run: Result) -> Array:
    """Share of the elastic energy in each quarter of the rod, (time, 4), from the first recorded bend on."""
    energy = np.diff(run.angle, axis=1)[1:] ** 2
    quarters = energy.reshape(energy.shape[0], 4, -1).sum(axis=2)
    return np.asarray(quarters / quarters.sum(axis=1, keepdims=True))


@paper.claim(source="section 6, Fig. 2", as_printed=False)
def narrated_motion(subject: HiraiSubject) -> Findings:
    """With a torque of 10 the rod moves as the text tells. While the torque acts it bends only near the pin; in the
    next second its right side travels to the left and the bend spreads along it; released, it leaves to the left, still
    changing its shape.

    Printed: torque 50. With it and five nodes hardly any of the bend is near the pin at t = 1 s, and the tip then goes
    right for half a second.
    """
    run, printed = recorded_run(subject), recorded_run(subject, 5, TORQUE)
    middle, end = run.angle.shape[1] // 2, run.position[:, -1, 0]
    right = np.abs(run.angle[:, -1:] - run.angle[:, middle:]).max(axis=1)
    shape = np.diff(run.angle, axis=1) * (run.angle.shape[1] - 1) / LENGTH
    change = np.sqrt(((shape[12] - shape[8]) ** 2).mean())
    lagging = (run.position[12] - run.position[8])[:, 0].max()
    bent = bending_by_quarter(printed)[3, 0]
    went = np.diff(printed.position[[4, 6], -1, 0])[0]
    yield Finding("[0, 1]: energy of bending in the first quarter", bending_by_quarter(run)[:4, 0].min(), ">=", 0.9)
    yield Finding("[0, 1]: bend of the right half", right[:5].max(), "<=", 0.5, "rad")
    yield Finding("[1, 2]: way of the tip along x", end[8] - end[4], "<=", -5.0, "m")
    yield Finding("[1, 2]: bend of the right half", right[4:9].max(), ">=", 1.5, "rad")
    yield Finding("[2, 3]: way along x of the node that lags most", lagging, "<=", -1.0, "m")
    yield Finding("[2, 3]: change of curvature", change, ">=", 0.1, "1/m")
    yield Finding("printed torque: energy of bending in the first quarter, t = 1 s", bent, "<=", 0.1)
    yield Finding("printed torque: way of the tip along x from t = 1 to 1.5 s", went, ">=", 5.0, "m")
