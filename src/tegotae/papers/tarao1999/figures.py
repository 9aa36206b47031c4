"""Figs. 12 to 16, in numbers alone and with a table in the loop; what holding and a delay do; what stands still."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.figures import AMBER, BLUE, GREEN, INK, QUIET, VERMILION, say
from tegotae.figures.two_robots import MOMENTS
from tegotae.figures.two_robots import force_histories as histories
from tegotae.figures.two_robots import strip as draw
from tegotae.papers.ledger import installed
from tegotae.papers.tarao1999 import CHANGED, GAINS, SPEED, TaraoSubject, oracles, paper, peers
from tegotae.papers.tarao1999.contact import CASES, HOLDS
from tegotae.papers.tarao1999.dynamics import SIZES, chain, costs
from tegotae.papers.tarao1999.hybrid_contact import LATE, LOSS, WITHOUT, plate
from tegotae.papers.tarao1999.hybrid_loop import hexa, spring, weighing
from tegotae.papers.tarao1999.oracles import PERIOD, USUAL, Array, G, reduced
from tegotae.papers.tarao1999.stiction import boxes, grasp, moved_since_settled, standing, standing_in_mujoco

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@paper.figure()
def force_histories(subject: TaraoSubject) -> Figure:
    """Figs. 12 to 15, the numerical models: the force of the contact in pose A for Kp = 200, 400, 800 N·m/rad and for
    Kp = 800 with the changed masses. Dashed: the half sine of the reduced mass on the spring (15).
    """
    words = [f"Fig. {12 + i}: Kp = {kp:g} N·m/rad" for i, kp in enumerate(GAINS)]
    runs = {word: subject.meeting(kp=kp)[0] for word, kp in zip(words, GAINS, strict=True)}
    runs["Fig. 15: Kp = 800 N·m/rad, masses changed"] = subject.meeting(kp=800.0, masses=CHANGED)[0]
    return histories(runs)


@paper.figure(sheet=(1, 6, 10.4, 3.4))
def strip(subject: TaraoSubject, *axes: Axes) -> None:
    """Fig. 16: Kp = 200 N·m/rad, pose B, joints of robot 1 locked. Time counts from the first touch; the last three
    moments are the paper's. Light: where they were at first.
    """
    draw(axes, subject.TwoRobots(kp=200.0, pose="B").run(duration=19.0, period=1e-3), np.array(MOMENTS))


@paper.figure(sheet=(1, 1, 6.4, 3.2))
def holding(subject: TaraoSubject, place: Axes) -> None:
    """Pose B, Kp = 200 N·m/rad: the same meeting with the joints of robot 1 free, held by servos (1000 N·m/rad with 100
    N·m·s/rad; 1e5 with 1000), and locked.
    """
    for (word, held), color in zip(HOLDS.items(), (GREEN, BLUE, AMBER, VERMILION), strict=True):
        run, summary = subject.meeting(kp=200.0, pose="B", joints=held)
        since, words = run.time - summary["touched"], f"{word}, {summary['peak_force']:.3g} N"
        _force(place, since, run.force, (-20.0, 220.0), color=color, label=words)
    place.legend(loc="upper right", title="joints of robot 1", alignment="left")
    place.set(xlabel="time since the first touch [ms]", ylabel="force [N]", xlim=(-20.0, 220.0))


@paper.figure(sheet=(1, 1, 6.4, 3.2))
def cost(subject: TaraoSubject, place: Axes) -> None:
    """Accelerations of chains: time a body and evaluation, by the three passes in one compiled loop; and by Pinocchio's
    articulated bodies, called from Python, where it is installed. On the machine that wrote this.
    """
    shown = [("three passes", costs(subject), BLUE)]
    if installed("pinocchio"):
        # To set up the workspace of 500 links takes it ten seconds.
        theirs = {n: peers.cost(peers.pinocchio_tree(chain(subject, n).bodies)) / n for n in SIZES if n <= 250}
        shown.append(("Pinocchio, from Python", theirs, VERMILION))
    for word, found, color in shown:
        values = 1e6 * np.array(list(found.values()))
        place.semilogx(list(found), values, "o-", color=color)
        say(place, word, (list(found)[-1], values[-1] - 0.02), color, ha="right", va="top")
    place.set_xticks(SIZES, labels=[str(n) for n in SIZES])
    place.minorticks_off()
    place.set(xlabel="links", ylabel="time a body [µs]")
    place.set_ylim(bottom=0.0)


@paper.figure(sheet=(1, 3, 10.4, 3.0))
def standing_still(subject: TaraoSubject, *axes: Axes) -> None:
    """Three machines that friction should hold: an arm with rubbing joints, a box on 20 degrees with friction 0.5, a
    thing gripped twice as hard as needed. Here (blue) and in MuJoCo with its default settings (red). Zero is one second
    after the start.
    """
    theirs = standing_in_mujoco() if installed("mujoco") else {}
    titles = ("arm: largest joint motion [rad]", "box: way down the slope [mm]", "thing: way down [mm]")
    for place, title, (word, rows) in zip(axes, titles, standing(subject).items(), strict=True):
        scale = 1.0 if word == "arm" else 1e3
        shown = [(theirs[word], VERMILION, "MuJoCo, default settings")] if theirs else []
        for each, color, who in (*shown, (rows, BLUE, "tegotae: 0")):
            away = scale * moved_since_settled(each)
            place.plot(np.linspace(0.0, 10.0, len(away)), away, color=color, label=who, lw=1.8)
        place.set(title=title, xlabel="time [s]", xlim=(0.0, 10.0))
        if not theirs:
            place.set_ylim(-1.0, 1.0)
    axes[0].legend(loc="upper left")
    if not theirs:
        say(axes[1], "MuJoCo is not installed here", (5.0, 0.5), QUIET, ha="center")


@paper.figure(sheet=(1, 2, 8.6, 3.1))
def limits(subject: TaraoSubject, left: Axes, right: Axes) -> None:
    """Where they give way. (a) Acceleration of the box down a slope over the slope's steepness. (b) Acceleration of the
    thing down between the fingers over their grip. Lines: theory. Dots: measured.
    """
    mu, shares = 0.4, np.array([0.7, 0.85, 0.95, 0.99, 1.01, 1.05, 1.15, 1.3])
    angles = np.arctan(shares * mu)
    slid = [_speeding(boxes(subject, float(a), mu).run(2.0, period=1e-3).v[:, 0], 1e-3) for a in angles]
    fell = [_speeding(-grasp(subject, float(s)).v[:, 2], 2e-3) for s in shares]
    fine = np.linspace(0.65, 1.35, 200)
    steep = np.arctan(fine * mu)
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


Mode = tuple[str, tuple[str, ...], str, float, str]
# Word, settings, colour, size and filling of the marks.
MODES: tuple[Mode, ...] = (
    ("as felt", WITHOUT, VERMILION, 4.5, VERMILION),
    ("guard alone", ("compensation=false",), AMBER, 8.0, "none"),
    ("compensation and guard", (), GREEN, 4.0, GREEN),
)
SPAN = (-12.0, 205.0)  # ms about the touch
LONGEST = 22.5  # ms
ADDED = (0.0, 4e-3, 6e-3, 8e-3, 10e-3, 16e-3, 20e-3)  # s


@paper.figure(sheet=(2, 2, 8.6, 5.4))
def loop_beside_numbers(subject: TaraoSubject, *axes: Axes) -> None:
    """Figs. 12 to 15 with the twin of the table in the loop, pose A. Numbers alone: a spring (15) between the two. In
    the loop the probe gives, too, and the servo's damper and the plate's mass answer. Elastic: the servo does not know
    how fast its reference moves in contact; damped: it does, (10). Thin: one mass against plate, sampled servo and
    surface, integrated by itself.
    """
    for i, (place, (case, (kp, masses))) in enumerate(zip(axes, CASES.items(), strict=True)):
        run, summary = subject.meeting(kp=kp, masses=masses)
        since, dashes = run.time - summary["touched"], (0, (4, 2))
        _force(place, since, run.force, color=QUIET, lw=1.2, ls=dashes, label="numbers alone")
        for name, fed, color in (("in the loop, elastic", 0.0, BLUE), ("in the loop, damped", 1.0, VERMILION)):
            _force(place, *subject.loop(*hexa(kp, fed=fed), *weighing(masses)).force, color=color, label=name, lw=1.8)
        for word, fed in (("one mass, plate and servo: (10)", 0.0), ("_", 1.0)):
            time, force = plate(kp, fed=fed).history(reduced(masses), SPEED)
            place.plot(1e3 * time, force, color=INK, lw=0.7, label=word)
        title = f"Fig. {12 + i}: {case.replace('Kp ', 'Kp = ').replace('00', '00 N·m/rad')}"
        place.set(title=title, xlim=SPAN, ylim=(-0.5, 18.5))
    for place in axes[::2]:
        place.set_ylabel("force [N]")
    for place in axes[2:]:
        place.set_xlabel("time since the touch [ms]")
    axes[0].legend(loc="upper right")


def _force(place: Axes, since: Array, force: Array, span: tuple[float, float] = SPAN, **line: Any) -> None:
    """Over the time since the touch [s], within a span of it [ms]."""
    near = (since > 1e-3 * span[0]) & (since < 1e-3 * span[1])
    place.plot(1e3 * since[near], force[near], **line)


@paper.figure(sheet=(1, 2, 9.6, 3.9))
def delay(subject: TaraoSubject, left: Axes, right: Axes) -> None:
    """How fast the two part, over how fast they came, by the delay of the loop; half a period of it because a force is
    held for one. (a) An ideal table as stiff as that of Kp = 200 (squares) and 800 N·m/rad (dots). Lines: exp(pi w
    tau/2), dashed where w tau > 0.4. (b) Kp = 800 with a damper in the contact; line: the truth.
    """
    m, stiff = reduced(USUAL), subject.stiffness(800.0)
    for kp, mark in ((800.0, "o"), (200.0, "s")):
        k = subject.stiffness(kp)
        few = min(0.4 / math.sqrt(k / m), 1e-3 * LONGEST)
        for ends, dashes in (((0.0, few), "-"), ((few, 1e-3 * LONGEST), "--")):
            tau = np.linspace(*ends, 50)
            left.plot(1e3 * tau, [oracles.late(k, m, t) for t in tau], color=INK, lw=1.0, ls=dashes)
        shown = MODES if kp == 800.0 else MODES[:1]
        last = _bounces(left, subject, spring(k), mark, shown)
        say(left, f"Kp = {kp:g}", (21.5, last - 0.12), VERMILION, va="top")
    c = LOSS * math.sqrt(stiff * m)
    right.axhline(oracles.damped(stiff, c, m, SPEED).restitution, color=INK, lw=1.0)
    _bounces(right, subject, spring(stiff, damping=c), "o", MODES)
    say(left, "exp(πωτ/2)", (15.6, 2.75), INK, ha="right")
    say(right, "truth", (24.2, 0.55), INK, ha="right", va="top")
    for place, title in ((left, "(a)  spring"), (right, "(b)  spring and damper")):
        place.axhline(1.0, color=QUIET, lw=0.6, zorder=0)
        place.set(title=title, xlabel="delay of the loop τ [ms]", xlim=(0.0, 25.5), ylim=(0.4, 3.6))
    left.set_ylabel("restitution")
    right.legend(loc="upper left")


def _bounces(place: Axes, subject: TaraoSubject, device: tuple[str, ...], mark: str, modes: Sequence[Mode]) -> float:
    """Restitutions over the delay; the last one of the first mode is returned."""
    last = []
    for word, chosen, color, size, filled in modes:
        added = ADDED if word == "as felt" else ADDED[::2]
        contacts = [subject.loop(*device, *chosen, f"link.delay={late}").hardest for late in added]
        taus = [1e3 * (each.delay + 0.5 * PERIOD) for each in contacts]
        bounced = [each.restitution for each in contacts]
        place.plot(taus, bounced, mark, color=color, ms=size, mfc=filled, mew=1.4, label=word)
        last.append(bounced[-1])
    return last[0]


@paper.figure(sheet=(1, 2, 9.6, 3.8))
def felt_late(subject: TaraoSubject, *axes: Axes) -> None:
    """A contact that is felt 10 ms late, at the stiffness of Kp = 800: (a) on a spring, which gives its energy back,
    (b) with a damper beside it. The guard alone keeps the bounce from growing, not the force from being wrong: on the
    damper it still lets everything back that came in. Compensation brings back both.
    """
    k, m = subject.stiffness(800.0), reduced(USUAL)
    for place, title, loss in zip(axes, ("(a)  spring", "(b)  spring and damper"), (0.0, LOSS), strict=True):
        c = loss * math.sqrt(k * m)
        late = (*spring(k, damping=c), f"link.delay={LATE}")
        truth = oracles.damped(k, c, m, SPEED)
        for word, chosen, color, _, _ in MODES:
            run = subject.loop(*late, *chosen)
            words, width = f"{word}, e = {run.hardest.restitution:.2f}", 1.2 if chosen else 2.2
            _force(place, *run.force, color=color, label=words, lw=width)
        time, force = oracles.history(k, c, m, SPEED)
        place.plot(1e3 * time, force, color=INK, lw=1.0, ls=(0, (3, 2)), label=f"truth, e = {truth.restitution:.2f}")
        place.legend(loc="upper right")
        place.set(title=title, xlabel="time since the touch [ms]", xlim=(-4.0, 132.0), ylim=(-0.6, 23.5))
    axes[0].set_ylabel("force on the bodies [N]")
