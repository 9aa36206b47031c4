"""The paper's run, to the letter: its motion, its balances, its computing time."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from tegotae.papers.hirai2020 import MINUTES, TORQUE, HiraiSubject, paper, phases, plain_run
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.timing import in_turn
from tegotae.result import Result

TIGHT = 1e-11


def tight_run(subject: HiraiSubject, torque: float = TORQUE) -> Result:
    """The paper's run at a tolerance of 1e-11, recorded every 0.1 s."""
    return subject.rod().run(phases(torque), times=np.linspace(0.0, 3.0, 31), rtol=TIGHT, atol=TIGHT)


@paper.claim(source="section 6, Fig. 2")
def literal_run(subject: HiraiSubject) -> Findings:
    """The paper's run, torque 50 for one second at the pin, let go after two: angles at t = 1, 2 and 3 s and the place
    of the released base to six digits of an independent, automatically differentiated Lagrangian.
    """
    # Five nodes; the oracle integrated by scipy's DOP853.
    oracle, run = plain_run(), tight_run(subject)
    rows = [10, 20, 30]
    angle = np.abs(run.angle[rows] - oracle[:, 2:7]).max(axis=1)
    for t, off in zip((1, 2, 3), angle, strict=True):
        yield Finding(f"angles at t = {t} s off", off, "<=", 1e-6, "rad")
    base = np.abs(run.position[rows, 0] - oracle[:, :2]).max()
    yield Finding("place of the base off", base, "<=", 2e-6, "m")


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
