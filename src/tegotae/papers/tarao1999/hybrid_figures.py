"""Figs. 12 to 15 with a table in the loop; what a delay does to them, and what is done about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tegotae.figures import AMBER, BLUE, GREEN, INK, QUIET, VERMILION, say
from tegotae.papers.ledger import Panels
from tegotae.papers.tarao1999 import hybrid_oracles
from tegotae.papers.tarao1999.hybrid_contact import CASES, LATE, LOSS, WITHOUT, plate
from tegotae.papers.tarao1999.hybrid_loop import PERIOD, Run, hexa, spring, weighing
from tegotae.papers.tarao1999.oracles import USUAL, reduced
from tegotae.papers.tarao1999.subject import SPEED, TaraoSubject, paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Way = tuple[str, tuple[str, ...], str, float, str]
# Word, settings, colour, size and filling of the marks.
WAYS: tuple[Way, ...] = (
    ("as felt", WITHOUT, VERMILION, 4.5, VERMILION),
    ("guard alone", ("compensation=false",), AMBER, 8.0, "none"),
    ("compensation and guard", (), GREEN, 4.0, GREEN),
)
SPAN = (-12.0, 205.0)  # ms about the touch
LONGEST = 22.5  # ms
ADDED = (0.0, 4e-3, 6e-3, 8e-3, 10e-3, 16e-3, 20e-3)  # s


@paper.figure(sheet=(2, 2, 8.6, 5.4))
def loop_beside_numbers(subject: TaraoSubject, axes: Panels) -> None:
    """Figs. 12 to 15 with the twin of the table in the loop, pose A. Numbers alone: a spring (15) between the two. In
    the loop the probe gives, too, and the servo's damper and the plate's mass answer. Elastic: the servo does not know
    how fast its reference moves in contact; damped: it does, (10). Thin: one mass against plate, sampled servo and
    surface, integrated by itself.
    """
    for i, (place, (case, (kp, masses))) in enumerate(zip(axes.flat, CASES.items(), strict=True)):
        run, told = subject.meeting(kp=kp, masses=masses)
        since = 1e3 * (run.time - told["touched"])
        near = (since > SPAN[0]) & (since < SPAN[1])
        place.plot(since[near], run.force[near], color=QUIET, lw=1.2, ls=(0, (4, 2)), label="numbers alone")
        for name, fed, color in (("in the loop, elastic", 0.0, BLUE), ("in the loop, damped", 1.0, VERMILION)):
            _force(place, subject.loop(*hexa(kp, fed=fed), *weighing(masses)), color, name, lw=1.8)
        for word, fed in (("one mass, plate and servo: (10)", 0.0), ("_", 1.0)):
            time, force = plate(kp, fed=fed).history(reduced(masses), SPEED)
            place.plot(1e3 * time, force, color=INK, lw=0.7, label=word)
        place.set(
            title=f"Fig. {12 + i}: {case.replace('Kp ', 'Kp = ').replace('00', '00 N·m/rad')}",
            xlim=SPAN,
            ylim=(-0.5, 18.5),
        )
        if i % 2 == 0:
            place.set_ylabel("force [N]")
        if i > 1:
            place.set_xlabel("time since the touch [ms]")
    axes[0, 0].legend(loc="upper right")


def _force(place: Axes, run: Run, color: str, word: str, *, lw: float = 1.4) -> None:
    since, force = run.force
    near = (since > 1e-3 * SPAN[0]) & (since < 1e-3 * SPAN[1])
    place.plot(1e3 * since[near], force[near], color=color, label=word, lw=lw)


@paper.figure(sheet=(1, 2, 9.6, 3.9))
def delay(subject: TaraoSubject, axes: Panels) -> None:
    """How fast the two part, over how fast they came, by the delay of the loop; half a period of it because a force is
    held for one. (a) An ideal table as stiff as that of Kp = 200 (squares) and 800 N·m/rad (dots). Lines: exp(pi w
    tau/2), dashed where w tau > 0.4. (b) Kp = 800 with a damper in the contact; line: the truth.
    """
    m, stiff = reduced(USUAL), subject.stiffness(800.0)
    left, right = axes[0]
    for kp, mark in ((800.0, "o"), (200.0, "s")):
        k = subject.stiffness(kp)
        few = min(0.4 / math.sqrt(k / m), 1e-3 * LONGEST)
        for ends, dashes in (((0.0, few), "-"), ((few, 1e-3 * LONGEST), "--")):
            tau = np.linspace(*ends, 50)
            left.plot(1e3 * tau, [hybrid_oracles.late(k, m, t) for t in tau], color=INK, lw=1.0, ls=dashes)
        shown = WAYS if kp == 800.0 else WAYS[:1]
        last = _bounces(left, subject, spring(k), mark, shown)
        say(left, f"Kp = {kp:g}", (21.5, last - 0.12), VERMILION, va="top")
    c = LOSS * math.sqrt(stiff * m)
    right.axhline(hybrid_oracles.damped(stiff, c, m, SPEED).restitution, color=INK, lw=1.0)
    _bounces(right, subject, spring(stiff, damping=c), "o", WAYS)
    say(left, "exp(πωτ/2)", (15.6, 2.75), INK, ha="right")
    say(right, "truth", (24.2, 0.55), INK, ha="right", va="top")
    for place, title in ((left, "(a)  spring"), (right, "(b)  spring and damper")):
        place.axhline(1.0, color=QUIET, lw=0.6, zorder=0)
        place.set(title=title, xlabel="delay of the loop τ [ms]", xlim=(0.0, 25.5), ylim=(0.4, 3.6))
    left.set_ylabel("restitution")
    right.legend(loc="upper left")


def _bounces(place: Axes, subject: TaraoSubject, device: tuple[str, ...], mark: str, ways: Sequence[Way]) -> float:
    """Restitutions over the delay; the last one of the first way is returned."""
    last = []
    for word, chosen, color, size, filled in ways:
        added = ADDED if word == "as felt" else ADDED[::2]
        told = [subject.loop(*device, *chosen, f"link.delay={late}").hardest for late in added]
        taus = [1e3 * (each.delay + 0.5 * PERIOD) for each in told]
        bounced = [each.restitution for each in told]
        place.plot(taus, bounced, mark, color=color, ms=size, mfc=filled, mew=1.4, label=word)
        last.append(bounced[-1])
    return last[0]


@paper.figure(sheet=(1, 2, 9.6, 3.8))
def felt_late(subject: TaraoSubject, axes: Panels) -> None:
    """A contact that is felt 10 ms late, at the stiffness of Kp = 800: (a) on a spring, which gives its energy back,
    (b) with a damper beside it. The guard alone keeps the bounce from growing, not the force from being wrong: on the
    damper it still lets everything back that came in. Compensation brings back both.
    """
    k, m = subject.stiffness(800.0), reduced(USUAL)
    for place, title, loss in zip(axes[0], ("(a)  spring", "(b)  spring and damper"), (0.0, LOSS), strict=True):
        c = loss * math.sqrt(k * m)
        late = (*spring(k, damping=c), f"link.delay={LATE}")
        truth = hybrid_oracles.damped(k, c, m, SPEED)
        for word, chosen, color, _, _ in WAYS:
            run = subject.loop(*late, *chosen)
            _force(place, run, color, f"{word}, e = {run.hardest.restitution:.2f}", lw=1.2 if chosen else 2.2)
        time, force = hybrid_oracles.history(k, c, m, SPEED)
        place.plot(1e3 * time, force, color=INK, lw=1.0, ls=(0, (3, 2)), label=f"truth, e = {truth.restitution:.2f}")
        place.legend(loc="upper right")
        place.set(title=title, xlabel="time since the touch [ms]", xlim=(-4.0, 132.0), ylim=(-0.6, 23.5))
    axes[0, 0].set_ylabel("force on the bodies [N]")
