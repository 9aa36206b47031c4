"""Fig. 2 redrawn, for the torque that fits its text and for the printed one; convergence; balances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tegotae.figures import AMBER, BLUE, GREEN, INK, PLUM, QUIET, VERMILION, say
from tegotae.figures.rod_strip import strip as draw
from tegotae.papers.hirai2020 import GENTLE, NODES, TORQUE, HiraiSubject, paper, phases
from tegotae.papers.hirai2020.equations import frequencies
from tegotae.papers.hirai2020.motion import race, tip
from tegotae.papers.hirai2020.oracles import Array, beam_frequencies
from tegotae.rod.phases import Base

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = ("0 to 1 s: turned at the pin", "1 to 2 s: left alone at the pin", "2 to 3 s: released")


def strip(axes: Sequence[Axes], subject: HiraiSubject, torque: float, nodes: int) -> None:
    """Three panels of shapes, from light at the start of a phase to dark at its end."""
    run = subject.rod(nodes).run(phases(torque), times=np.linspace(0.0, 3.0, 181), rtol=1e-7, atol=1e-7)
    draw(axes, run, np.array([1.0, 2.0, 3.0]), words=WORDS)


@paper.figure(sheet=(1, 3, 10.4, 3.1))
def shapes(subject: HiraiSubject, *axes: Axes) -> None:
    """Fig. 2 as the text tells it, torque 10 N·m, 65 nodes; a shape every sixth of a second, light to dark, the tip
    marked, its way thin. The rod bends near the pin first; its right side then travels left and the bend spreads;
    released, it leaves to the left.
    """
    strip(axes, subject, GENTLE, 65)


@paper.figure(sheet=(1, 3, 10.4, 3.9))
def shapes_as_printed(subject: HiraiSubject, *axes: Axes) -> None:
    """The paper's run to the letter, torque 50 N·m, five nodes (dots), equal to an automatically differentiated
    Lagrangian to six digits. One segment bends by 7 rad: five nodes are too few for this torque.
    """
    strip(axes, subject, TORQUE, NODES)


@paper.figure(sheet=(1, 2, 8.2, 3.4))
def convergence(subject: HiraiSubject, left: Axes, right: Axes) -> None:
    """Second order in the length of a segment. (a) Error of the tip at t = 1 s, torque 10 N·m, against the extrapolated
    limit. (b) Error of the lowest frequencies against a slender beam, free (filled) and pinned (open).
    """
    segments = np.array([4, 8, 16, 32, 64, 128])
    tips = np.array([tip(subject, int(n) + 1) for n in segments])
    limit = tips[-1] + (tips[-1] - tips[-2]) / 3.0
    off = np.linalg.norm(tips - limit, axis=1)[:-1]
    left.loglog(segments[:-1], off, "o-", color=BLUE)
    _slope(left, segments[1:-1], 0.45 * off[1] * (segments[1] / segments[1:-1]) ** 2.0)
    left.set(title="(a)  tip at t = 1 s", ylabel="error [m]")
    counts = np.array([8, 16, 32, 64])
    kinds: tuple[tuple[Base, str], ...] = (("free", "o"), ("pinned", "s"))
    for base, mark in kinds:
        ours = np.array([frequencies(subject, base, int(n) + 1) for n in counts])
        errors = ours / beam_frequencies(base, 3) - 1.0
        for mode, color in enumerate((BLUE, GREEN, AMBER)):
            fill = color if base == "free" else "white"
            right.loglog(counts, errors[:, mode], mark + "-", color=color, mfc=fill, ms=5.0, lw=1.0)
    for word, height, color in zip(("lowest", "second", "third"), errors[-1], (BLUE, GREEN, AMBER), strict=True):
        say(right, word, (68.0, height), color)
    _slope(right, counts, 0.35 * errors[0, 0] * (counts[0] / counts) ** 2.0)
    right.set(title="(b)  frequencies that bend", ylabel="relative error", xlim=(7.0, 110.0))
    for place, ticks in ((left, segments[:-1]), (right, counts)):
        place.set_xticks(ticks, labels=[str(n) for n in ticks])
        place.minorticks_off()
        place.set(xlabel="segments")


def _slope(axes: Axes, x: Array, y: Array) -> None:
    axes.loglog(x, y, color=INK, lw=0.8, ls=(0, (4, 3)))
    say(axes, "slope -2", (x[1], 0.55 * y[1]), ha="right")


@paper.figure(sheet=(1, 2, 9.4, 3.6))
def balances(subject: HiraiSubject, left: Axes, right: Axes) -> None:
    """The paper's run. (a) What the torque has put in (line) is kinetic, elastic or dissipated, to 1e-11. (b) Angular
    momentum about the pin is the impulse of the torque; momentum stays from the release on.
    """
    times = np.linspace(0.0, 3.0, 301)
    run = subject.rod().run(phases(), times=times, rtol=1e-9, atol=1e-9)
    parts = (run.dissipated, run.elastic, run.kinetic)
    left.stackplot(times, *parts, colors=(AMBER, GREEN, BLUE), alpha=0.75, lw=0)
    left.plot(times, run.work, color=INK)
    last = [part[-1] for part in parts]
    for word, height in (("dissipated", 0.5 * last[0]), ("kinetic", last[0] + last[1] + 0.5 * last[2])):
        left.text(2.2, height, word, color="white", ha="center", va="center", weight="bold")
    thin = run.dissipated[150] + 0.5 * run.elastic[150]
    left.plot([1.5, 1.5], [thin, 430.0], color="white", lw=0.8)
    left.text(1.5, 415.0, "elastic", color="white", ha="center", va="center", weight="bold")
    say(left, "work of the torque", (1.1, 1.04 * run.work[-1]), INK, va="bottom")
    left.set(title="(a)  energy", xlabel="time [s]", ylabel="[J]", xlim=(0, 3), ylim=(0, 1.18 * run.work[-1]))
    right.plot(times, run.angular_momentum, color=PLUM, lw=2.0)
    right.plot(times, run.momentum[:, 0], color=BLUE)
    right.plot(times, run.momentum[:, 1], color=VERMILION)
    say(right, "angular momentum [N·m·s]", (1.1, 52.5), PLUM, va="bottom")
    say(right, "along x [N·s]", (2.95, run.momentum[-1, 0] - 3.5), BLUE, ha="right")
    say(right, "along y [N·s]", (2.95, run.momentum[-1, 1] + 3.5), VERMILION, ha="right")
    right.axvline(2.0, color=QUIET, lw=0.8, ls=(0, (4, 3)))
    say(right, "release", (2.04, 25.0), QUIET)
    right.set(title="(b)  momenta", xlabel="time [s]", xlim=(0, 3), ylim=(-24, 62))


@paper.figure(sheet=(1, 1, 5.6, 3.2))
def coordinates(subject: HiraiSubject, place: Axes) -> None:
    """What mixing coordinates saves: time for one evaluation of the accelerations in angles alone (full inertia matrix,
    the same closed forms) over that in mixed coordinates (one sweep), measured when this figure was drawn.
    """
    nodes = np.array([2, 3, 5, 9, 17, 33, 65, 129, 257])
    place.loglog(nodes, [race(subject, int(n))[1] for n in nodes], "o-", color=BLUE)
    place.axhline(1.0, color=QUIET, lw=0.8, ls=(0, (4, 3)))
    say(place, "equal", (180.0, 1.08), QUIET, va="bottom")
    place.set_xticks(nodes, labels=[str(n) for n in nodes])
    place.set_yticks([1, 2, 5, 10, 20], labels=["1", "2", "5", "10", "20"])
    place.minorticks_off()
    place.set(xlabel="nodes", ylabel="angles alone / mixed", title="time of an evaluation")
