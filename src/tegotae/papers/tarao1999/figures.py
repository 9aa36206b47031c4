"""Figs. 12 to 16 in numbers alone; what holding does; what a body costs; what stands still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tegotae import figures
from tegotae.figures import AMBER, BLUE, GREEN, INK, QUIET, VERMILION, say
from tegotae.figures.two_robots import force_histories as histories
from tegotae.figures.two_robots import strip as draw
from tegotae.papers.ledger import Panels, installed
from tegotae.papers.tarao1999 import peers
from tegotae.papers.tarao1999.contact import HOLDS
from tegotae.papers.tarao1999.dynamics import SIZES, chain, costs
from tegotae.papers.tarao1999.oracles import Array, G
from tegotae.papers.tarao1999.stiction import grasp, moved_since_settled, slope, standing, standing_in_mujoco
from tegotae.papers.tarao1999.subject import CHANGED, GAINS, TaraoSubject, paper

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOMENTS = np.array([-1.0, 0.0, 0.1, 0.2, 8.8, 17.8])  # s since the first touch, the last three as in Fig. 16


@paper.figure()
def force_histories(subject: TaraoSubject) -> Figure:
    """Figs. 12 to 15, the numerical models: the force of the contact in pose A for Kp = 200, 400, 800 N·m/rad and for
    Kp = 800 with the changed masses. Dashed: the half sine of the reduced mass on the spring (15).
    """
    words = [f"Fig. {12 + i}: Kp = {kp:g} N·m/rad" for i, kp in enumerate(GAINS)]
    runs = {word: subject.meeting(kp=kp)[0] for word, kp in zip(words, GAINS, strict=True)}
    runs["Fig. 15: Kp = 800 N·m/rad, masses changed"] = subject.meeting(kp=800.0, masses=CHANGED)[0]
    return histories(runs)


@paper.figure()
def strip(subject: TaraoSubject) -> Figure:
    """Fig. 16: Kp = 200 N·m/rad, pose B, joints of robot 1 locked. Time counts from the first touch; the last three
    moments are the paper's. Light: where they were at first.
    """
    run = subject.TwoRobots(kp=200.0, pose="B").run(duration=19.0, period=1e-3)
    with figures.style():
        figure, axes = figures.sheet(1, len(MOMENTS), width=10.4, height=3.4)
        draw(list(axes[0]), run, MOMENTS)
    return figure


@paper.figure(sheet=(1, 1, 6.4, 3.2))
def holding(subject: TaraoSubject, axes: Panels) -> None:
    """Pose B, Kp = 200 N·m/rad: the same meeting with the joints of robot 1 free, held by servos (1000 N·m/rad with 100
    N·m·s/rad; 1e5 with 1000), and locked.
    """
    place = axes[0, 0]
    for (word, held), color in zip(HOLDS.items(), (GREEN, BLUE, AMBER, VERMILION), strict=True):
        run, told = subject.meeting(kp=200.0, pose="B", joints=held)
        since = 1e3 * (run.time - told["touched"])
        near = (since > -20.0) & (since < 220.0)
        place.plot(since[near], run.force[near], color=color, label=f"{word}, {told['peak_force']:.3g} N")
    place.legend(loc="upper right", title="joints of robot 1", alignment="left")
    place.set(xlabel="time since the first touch [ms]", ylabel="force [N]", xlim=(-20.0, 220.0))


@paper.figure(sheet=(1, 1, 6.4, 3.2))
def cost(subject: TaraoSubject, axes: Panels) -> None:
    """Accelerations of chains: time a body and evaluation, by the three passes in one compiled loop; and by Pinocchio's
    articulated bodies, called from Python, where it is installed. On the machine that wrote this.
    """
    shown = [("three passes", costs(subject), BLUE)]
    if installed("pinocchio"):
        # To set up the workspace of 500 links takes it ten seconds.
        theirs = {n: peers.PinocchioTree.of_bodies(chain(subject, n).bodies).cost() / n for n in SIZES if n <= 250}
        shown.append(("Pinocchio, from Python", theirs, VERMILION))
    place = axes[0, 0]
    for word, found, color in shown:
        values = 1e6 * np.array(list(found.values()))
        place.semilogx(list(found), values, "o-", color=color)
        say(place, word, (list(found)[-1], values[-1] - 0.02), color, ha="right", va="top")
    place.set_xticks(SIZES, labels=[str(n) for n in SIZES])
    place.minorticks_off()
    place.set(xlabel="links", ylabel="time a body [µs]")
    place.set_ylim(bottom=0.0)


@paper.figure(sheet=(1, 3, 10.4, 3.0))
def standing_still(subject: TaraoSubject, axes: Panels) -> None:
    """Three machines that friction should hold: an arm with rubbing joints, a box on 20 degrees with friction 0.5, a
    thing gripped twice as hard as needed. Here (blue) and in MuJoCo with its default settings (red). Zero is one second
    after the start.
    """
    theirs = standing_in_mujoco() if installed("mujoco") else {}
    titles = ("arm: largest joint motion [rad]", "box: way down the slope [mm]", "thing: way down [mm]")
    for place, title, (word, rows) in zip(axes[0], titles, standing(subject).items(), strict=True):
        scale = 1.0 if word == "arm" else 1e3
        shown = [(theirs[word], VERMILION, "MuJoCo, default settings")] if theirs else []
        for each, color, who in (*shown, (rows, BLUE, "tegotae: 0")):
            away = scale * moved_since_settled(each)
            place.plot(np.linspace(0.0, 10.0, len(away)), away, color=color, label=who, lw=1.8)
        place.set(title=title, xlabel="time [s]", xlim=(0.0, 10.0))
        if not theirs:
            place.set_ylim(-1.0, 1.0)
    axes[0, 0].legend(loc="upper left")
    if not theirs:
        say(axes[0, 1], "MuJoCo is not installed here", (5.0, 0.5), QUIET, ha="center")


@paper.figure(sheet=(1, 2, 8.6, 3.1))
def limits(subject: TaraoSubject, axes: Panels) -> None:
    """Where they give way. (a) Acceleration of the box down a slope over the slope's steepness. (b) Acceleration of the
    thing down between the fingers over their grip. Lines: theory. Dots: measured.
    """
    mu, shares = 0.4, np.array([0.7, 0.85, 0.95, 0.99, 1.01, 1.05, 1.15, 1.3])
    angles = np.arctan(shares * mu)
    slid = [_speeding(slope(subject, float(a), mu, duration=2.0, period=1e-3).v[:, 0], 1e-3) for a in angles]
    fell = [_speeding(-grasp(subject, float(s)).v[:, 2], 2e-3) for s in shares]
    fine = np.linspace(0.65, 1.35, 200)
    steep = np.arctan(fine * mu)
    left, right = axes[0]
    left.plot(fine, np.maximum(G * (np.sin(steep) - mu * np.cos(steep)), 0.0), color=INK, lw=1.0)
    left.plot(shares, slid, "o", color=BLUE)
    left.set(title="(a)  box on a slope", xlabel="tan(angle)/mu", ylabel="acceleration [m/s²]")
    right.plot(fine, np.maximum(G * (1.0 - fine), 0.0), color=INK, lw=1.0)
    right.plot(shares, fell, "o", color=BLUE)
    right.set(title="(b)  thing between two fingers", xlabel="grip/(m g/(2 mu))", ylabel="acceleration [m/s²]")


def _speeding(speed: Array, period: float) -> float:
    """Mean acceleration from 0.4 to 0.45 s: settled, and not yet fallen out of the fingers."""
    first, last = round(0.4 / period), round(0.45 / period)
    return float((speed[last] - speed[first]) / ((last - first) * period))
