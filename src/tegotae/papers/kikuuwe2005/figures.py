"""The paper's figures, redrawn, and pictures of what its sentences claim."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.coupling.circuit import Circuit
from tegotae.device.joystick import LIMIT
from tegotae.elements import Mass
from tegotae.figures import AMBER, BLUE, FORCE, GREEN, INK, MOTION, PLUM, QUIET, VERMILION, say
from tegotae.friction import Coulomb
from tegotae.papers.kikuuwe2005 import F, KikuuweSubject, T, paper
from tegotae.papers.kikuuwe2005.composite import FAST, SPEED, TURNS, drift, led, legs, loads, models, velocities
from tegotae.papers.kikuuwe2005.laws import falling, swinging
from tegotae.papers.kikuuwe2005.one_element import CRITICAL, dragged, ride, ripple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tegotae.result import Result


@paper.figure(sheet=(1, 2, 8.6, 4.2))
def joystick(subject: KikuuweSubject, left: Axes, right: Axes) -> None:
    """Fig. 4, on a simulated twin: the path of the joystick's tip and the force on it. (a) Without mass the force is
    friction alone, against the motion. (b) A mass of 1 kg adds inertia and, in the bends, centrifugal force. At b the
    hand pushes around with less than F and the joystick stays where it is.
    """
    _tip(left, ride(subject.joystick, 0.0), "(a)  M = 0 kg: the force is friction alone")
    _tip(right, ride(subject.joystick, 1.0), "(b)  M = 1 kg: friction, inertia, centrifugal force")
    right.set_ylabel("")
    right.tick_params(labelleft=False)


def _tip(axes: Axes, run: Result, title: str) -> None:
    """The path, and the force every 10 ms."""
    from matplotlib.collections import LineCollection

    scale = 3.0  # mm of drawn line for each newton
    tip, force = 1e3 * run["tip"], run["force"]
    every = slice(9, None, 10)
    lines = np.stack([tip[every], tip[every] + scale * force[every]], axis=1)
    axes.plot(tip[:, 0], tip[:, 1], color=MOTION, lw=2.0, zorder=3)
    axes.add_collection(LineCollection(list(lines), colors=FORCE, linewidths=0.6, alpha=0.8, zorder=2))
    held = tip[np.searchsorted(run["time"], run.about["held_from"])]
    axes.plot(*held, "o", color="white", mec=INK, mew=1.3, ms=6, zorder=5)
    beside = partial(axes.annotate, textcoords="offset points")
    beside("b", held, (-12, 4), fontsize=11, fontweight="bold", ha="right")
    beside("held: the hand\npushes less than F", held, (14, -12), fontsize=7.5, va="top")
    for place, word in ((0, "start"), (-1, "end")):
        axes.plot(*tip[place], "o", color=MOTION, ms=5, zorder=4)
        beside(word, tip[place], (-7, -3), fontsize=8, ha="right", va="top", color=MOTION)
    corner = np.array([-66.0, -60.0])
    axes.plot([corner[0], corner[0] + scale * LIMIT], [corner[1], corner[1]], color=FORCE, lw=1.2)
    beside("4 N, every 10 ms", (corner[0] + scale * LIMIT, corner[1]), (5, 0), va="center", fontsize=8)
    axes.set(title=title, xlabel="x [mm]", ylabel="y [mm]", xlim=(-72, 78), ylim=(-68, 58), aspect="equal")


@paper.figure(sheet=(1, 3, 9.2, 3.3))
def hysteresis(subject: KikuuweSubject, left: Axes, middle: Axes, right: Axes) -> None:
    """Fig. 6: ten elements side by side, K = 10 N/mm, B = 0.1 N·s/mm, F = 1 to 10 N. (a) Position given, at 2 mm/s. (b)
    Their force: smooth hysteresis, five loops inside each other, all closed. (c) The innermost loop again, its way back
    ten times faster: the dampers leave it open, as they must; without them it closes.
    """
    motion = velocities(legs(SPEED))
    place = 1e3 * np.cumsum(motion) * T
    left.plot(T * np.arange(1, motion.size + 1), place, color=MOTION)
    corners = np.concatenate([[0.0], np.cumsum([T * ticks for _, ticks in legs(SPEED)])])
    left.plot(corners, 1e3 * TURNS, "o", color="white", mec=MOTION, mew=1.1, ms=4, zorder=3, clip_on=False)
    left.set(title="(a)  position", xlabel="time [s]", ylabel="position [mm]")
    middle.plot(place, subject.ten().run(motion, period=T).force, color=FORCE, lw=1.1)
    middle.set(title="(b)  force over position", xlabel="position [mm]", ylabel="force [N]")
    _open_loop(right, subject)


def _open_loop(axes: Axes, subject: KikuuweSubject) -> None:
    """The innermost loop, out slowly and back fast, with and without dampers."""
    ways = legs([SPEED] * 6 + [FAST] + [SPEED] * 4)[:7]
    place = 1e3 * np.cumsum(velocities(ways)) * T
    first = sum(ticks for _, ticks in ways[:5]) - 1  # the loop starts here
    turn = first + ways[5][1]
    out, back = slice(first, turn + 1), slice(turn, None)
    axes.plot(place[first:], led(subject, ways, damping=0.0)[first:], color=QUIET, label="B = 0, either speed")
    force = led(subject, ways)
    axes.plot(place[out], force[out], color=FORCE, label="out, 2 mm/s")
    axes.plot(place[back], force[back], color=FORCE, ls=(0, (4, 2)), label="back, 20 mm/s")
    ends = [force[first], force[-1]]
    axes.plot([place[first]] * 2, ends, color=INK, lw=0.9, marker="o", ms=3.5, zorder=4)
    say(axes, f"open by\n{abs(ends[1] - ends[0]):.2g} N", (place[first] + 0.03, float(np.mean(ends))))
    axes.legend(loc="upper right", handlelength=1.8)
    axes.set(title="(c)  one loop, back in haste", xlabel="position [mm]", xlim=(-0.25, 0.85))


@paper.figure(sheet=(1, 1, 8.2, 3.5))
def hold(subject: KikuuweSubject, axes: Axes) -> None:
    """A mass under a load that vibrates between 25 and 75 % of the friction limit. Smoothed friction creeps; Dahl's and
    LuGre's drift on with every cycle; the element of (18) stays and only bends its spring.
    """
    _, vibrating = loads()
    gone = {name: np.abs(np.diff(drift(model, vibrating)[2:])).cumsum() for name, model in models(subject).items()}
    seconds = np.arange(4, 21)
    for name, more, color, marker, lift in (
        ("tanh", "", VERMILION, "o", 0),
        ("LuGre", "", AMBER, "s", 5),
        ("Dahl", ", the same", PLUM, ".", -5),
        ("this element", ":\n10⁻¹⁸ or less", BLUE, "D", 0),
    ):
        crept = np.maximum(gone[name], 1e-18)
        axes.semilogy(seconds, crept, color=color, marker=marker, ms=3.5, lw=2.6 if name == "LuGre" else 1.1)
        spot: dict[str, Any] = {"xytext": (8, lift), "textcoords": "offset points", "fontsize": 8.5}
        axes.annotate(name + more, (20.0, crept[-1]), color=color, va="center", annotation_clip=False, **spot)
    axes.axhline(1e-10, color=QUIET, lw=0.8, ls=(0, (4, 3)))
    say(axes, "an atom", (4.0, 2.5e-10), QUIET, va="bottom")
    axes.set(xlabel="time [s]", ylabel="way crept since 3 s [m]", xlim=(3.6, 20.2), ylim=(1e-19, 3e-1))
    axes.set_xticks(range(4, 21, 2))


@paper.figure(sheet=(1, 2, 8.2, 3.2))
def stopping(subject: KikuuweSubject, left: Axes, right: Axes) -> None:
    """Section 2: a free mass of 1 kg slowed by F = 4 N. It stands after M v/(T F) ticks, exactly; smoothed friction
    only comes ever closer to rest, and explicit friction hops about it.
    """
    slider = subject.Admittance(mass=1.0, law=Coulomb(F))
    for v0, color in zip((0.1, 0.2, 0.3), (GREEN, PLUM, BLUE), strict=True):
        run = slider.run(np.zeros(100), period=T, initial={"velocity": v0})
        left.plot(np.concatenate([[0.0], 1e3 * run.time]), np.concatenate([[v0], run.velocity]), color=color)
        left.plot(1e3 * v0 / F, 0.0, "o", color="white", mec=color, mew=1.3, ms=5.5, zorder=3)
        say(left, f"{1e3 * v0 / F:.0f} ticks", (1e3 * v0 / F + 1.5, 0.014), color)
    left.set(xlabel="time [ms]", ylabel="velocity [m/s]", xlim=(0, 100), title="circles: M v/(T F), the closed form")
    _near_rest(right, subject)


def _near_rest(axes: Axes, subject: KikuuweSubject) -> None:
    """Speed of three frictions around the end of one stop."""
    ticks, start = 60, {"velocity": 0.0985}
    free = np.zeros(ticks)
    smooth = Circuit(Mass(mass=1.0), {"f": subject.Tanh(limit=F, velocity=1e-3)}).run(free, period=T, initial=start)
    hopping, v = [], start["velocity"]
    for _ in range(ticks):
        v -= T * F * np.sign(v)  # friction from the last velocity
        hopping.append(abs(v))
    ours = subject.Admittance(mass=1.0, law=Coulomb(F)).run(free, period=T, initial=start).velocity
    time = np.arange(1, ticks + 1)
    axes.semilogy(time, hopping, color=AMBER, marker="o", ms=2.2, lw=0.9)
    axes.semilogy(time, np.abs(smooth.velocity), color=VERMILION)
    moving = np.flatnonzero(ours)
    axes.semilogy(time[moving], np.abs(ours[moving]), color=BLUE, marker="o", ms=2.2, lw=1.2)
    last = moving[-1]
    axes.plot([time[last], time[last] + 1], [ours[last], 1e-15], color=BLUE, lw=1.2, ls=(0, (1, 1.5)))
    say(axes, "explicit: hops for ever", (31.0, 1.2e-2), AMBER)
    say(axes, "tanh: ever closer", (34.5, 1e-8), VERMILION)
    say(axes, "(7): exactly 0\nfrom tick 25 on", (time[last] - 1.0, 1e-12), BLUE, ha="right")
    axes.set(xlabel="tick", ylabel="speed [m/s]", xlim=(0, 60), ylim=(1e-15, 0.3), title="near rest")


@paper.figure(sheet=(1, 2, 8.2, 3.2))
def explicit_coupling(subject: KikuuweSubject, left: Axes, right: Axes) -> None:
    """The element dragged at 0.1 m/s. Coupled explicitly, (11), it chatters below the critical mass of 6.5 g: the force
    is not F and never settles. The proposed element (18) slides calmly at every mass, and without any.
    """
    rough = dragged(subject.Explicit, 5e-3, 60)
    left.plot(1e3 * rough.time, rough.force, color=AMBER, marker="o", ms=2.2, lw=0.8)
    for mass, color in ((5e-3, BLUE), (0.0, GREEN)):
        calm = dragged(subject.Impedance, mass, 60)
        left.plot(1e3 * calm.time, calm.force, color=color, lw=1.6 if mass else 1.0)
    say(left, "(11), 5 g", (12.0, -2.15), AMBER)
    for word, color, spot in (("(18), no mass", GREEN, (22.0, -3.6)), ("(18), 5 g", BLUE, (22.0, -4.4))):
        say(left, word, spot, color, boxed=True)
    left.set(title="force while it is dragged", xlabel="time [ms]", ylabel="force [N]", xlim=(0, 60))
    masses = CRITICAL * np.geomspace(0.3, 30.0, 161)
    for block, color in ((subject.Explicit, AMBER), (subject.Impedance, BLUE)):
        left_over = [ripple(block, float(mass)) for mass in masses]
        right.loglog(1e3 * masses, np.maximum(left_over, 1e-15), color=color)
    right.axvline(1e3 * CRITICAL, color=INK, lw=0.8, ls=(0, (4, 3)))
    say(right, "(11)", (2.2, 0.6), AMBER)
    say(right, "(18)", (2.2, 5e-15), BLUE, va="bottom")
    say(right, "critical mass,\n(T² K + 2 T B)/4", (1.15e3 * CRITICAL, 1e-6))
    right.set(title="what is left of it after 4 s", xlabel="mass [g]", ylabel="ripple of the force [N]")
    right.set_xticks([2, 5, 10, 20, 50, 100], labels=["2", "5", "10", "20", "50", "100"])
    right.set_xticks([], minor=True)


@paper.figure(sheet=(1, 1, 8.2, 3.8))
def lag(subject: KikuuweSubject, axes: Axes) -> None:
    """Friction over slip speed, sliding at 20 ± 15 mm/s once a second under a Stribeck law. The model as published runs
    up and down the law (grey). With a frictional lag it runs around a loop, higher while it gains speed; dots: the
    closed form of a first-order lag.
    """
    last = slice(2999, 4000)
    speeds = np.linspace(0.0, 0.038, 200)
    axes.plot(1e3 * speeds, falling(speeds), color=QUIET, lw=3.0, alpha=0.35)
    for tau, color in ((0.0, QUIET), (0.05, BLUE), (0.15, PLUM)):
        run, exact = swinging(subject, tau)
        axes.plot(1e3 * run.slip_velocity[last], -run.friction[last], color=color, lw=1.3)
        if tau:
            axes.plot(1e3 * run.velocity[last][::50], exact[last][::50], ".", color=color, ms=4)
    axes.set(xlabel="slip speed [mm/s]", ylabel="friction [N]", xlim=(0, 38))
    for word, color, spot in (
        ("no lag: the law itself", QUIET, (3.3, 4.93)),
        ("lag of 50 ms", BLUE, (8.4, 4.35)),
        ("lag of 150 ms", PLUM, (16.3, 3.7)),
    ):
        say(axes, word, spot, color)
    for word, tail, head in (("gains speed", (22.0, 3.95), (27.0, 3.6)), ("slows down", (17.0, 2.9), (10.0, 2.9))):
        axes.annotate("", head, tail, arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 0.9})
        say(axes, word, (tail[0] + 0.3, tail[1]), va="bottom" if tail[1] > 3.5 else "center")
