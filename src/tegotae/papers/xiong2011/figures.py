"""The slides' machine in motion, and pictures of what its sentences claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tegotae.figures import AMBER, BLUE, GREEN, INK, PLUM, QUIET, VERMILION, say
from tegotae.papers.xiong2011 import K, XiongSubject, paper
from tegotae.papers.xiong2011.machine import ASKED, calm, height_error, obtained, press, rigid_height
from tegotae.papers.xiong2011.one_element import DAMPING, LIMIT, PUSH, impact, resting, smoothed_run, struck

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@paper.figure(sheet=(3, 1, 8.2, 6.2))
def machine(subject: XiongSubject, top: Axes, middle: Axes, bottom: Axes) -> None:
    """The slides' machine, compiled with K = 1e6 N/m and run by RK4 at 0.1 ms. Body 1 swings on its spring, between the
    wall and body 2, which the belt presses against it. Top: its height, on the exact rigid solution (circles). Middle:
    contact forces; dashed, the rigid psi2 = mu3 M2 g/(1 -+ mu2 mu3) sliding down and up. Bottom: where a friction
    sticks. Body 1 stops where its spring can no longer move it.
    """
    built, start = subject.two_bodies()
    run = subject.ode(built, stiffness=1e6).solve((0.0, 1.0), start, method="RK4", step=1e-4)
    top.plot(run.time, 1e3 * run.p1y, color=BLUE)
    times = np.linspace(0.0, 1.0, 41)
    top.plot(times, 1e3 * rigid_height(times), "o", color="white", mec=INK, mew=0.8, ms=3.5)
    top.set(ylabel="height of body 1 [mm]", xlim=(0, 1))
    for name, color in (("floor", GREEN), ("mutual", VERMILION), ("wall", AMBER)):
        middle.plot(run.time, run[name], color=color, lw=1.6 if name == "mutual" else 1.0)
    for direction, word in ((-1.0, "psi2, down"), (1.0, "psi2, up")):
        middle.axhline(press(direction), color=INK, lw=0.8, ls=(0, (4, 3)))
        say(middle, word, (0.995, press(direction) + (1.2 if direction < 0 else -1.2)), ha="right")
    say(middle, "floor", (0.03, 25.5), GREEN)
    say(middle, "between the bodies, and the wall", (0.03, 14.3), VERMILION)
    middle.set(ylabel="contact force [N]", xlim=(0, 1), ylim=(0, 28))
    for low, name in enumerate(("rub_floor", "rub_mutual", "rub_wall")):
        bottom.fill_between(run.time, low + 0.15, low + 0.85, color=QUIET, alpha=0.25, lw=0)
        bottom.fill_between(run.time, low + 0.15, low + 0.85, where=run[f"{name}_sticks"] > 0, color=PLUM, lw=0)
    bottom.set_yticks([0.5, 1.5, 2.5], labels=["at the belt", "between", "at the wall"])
    bottom.set(xlabel="time [s]", xlim=(0, 1), ylim=(0, 3), title="friction: sticks (dark), slips (light)")
    bottom.grid(False)


@paper.figure(sheet=(1, 2, 8.2, 3.4))
def point_mass(subject: XiongSubject, left: Axes, right: Axes) -> None:
    """The slides' point mass, thrown along its floor at 1 m/s and pushed with 61 % of the friction limit. (a) All come
    to rest, it seems. (b) How far they have gone since: smoothed friction (tanh, vs = 1 mm/s) creeps on at vs
    atanh(h/F); the compiled ODE springs back by (F - h)/K, here 0.019 mm, and then moves by nothing, as the set-valued
    equations say.
    """
    built, start = subject.floor(push=PUSH)
    times = np.linspace(0.0, 3.0, 601)
    ode = subject.ode(built).solve((0.0, 3.0), start | resting() | {"vx": 1.0}, method="RK4", step=2e-4, times=times)
    exact = subject.to_events(built).solve((0.0, 3.0), start, times=times)
    when, places, _ = smoothed_run(subject, 1e-3, v0=1.0, push=PUSH, seconds=3.0)
    stop = 1.0 / (LIMIT - PUSH)
    left.plot(when, places, color=VERMILION, lw=3.0, alpha=0.5)
    left.plot(times, ode.px, color=BLUE)
    left.plot(times[::20], exact.px[::20], "o", color="white", mec=INK, mew=0.8, ms=3.5)
    left.axvline(stop, color=QUIET, lw=0.8, ls=(0, (4, 3)))
    say(left, "M v/(F - h)", (stop + 0.05, 0.05), QUIET)
    left.set(title="(a)  position", xlabel="time [s]", ylabel="position [m]", xlim=(0, 3))
    still = stop * stop * (LIMIT - PUSH) / 2.0
    right.plot(when, 1e3 * (places - still), color=VERMILION)
    right.plot(times, 1e3 * (ode.px - still), color=BLUE, lw=2.0)
    right.plot(times[::20], 1e3 * (exact.px[::20] - still), "o", color="white", mec=INK, mew=0.8, ms=3.5)
    say(right, "smoothed: creeps", (1.15, 1.35), VERMILION, ha="left")
    say(right, f"compiled ODE: stays\n({1e3 * abs(ode.px[-1] - still):.2g} mm off)", (1.6, -0.3), BLUE, va="top")
    say(right, "circles: exact", (2.95, 0.2), ha="right")
    right.set(title="(b)  way since the exact stop", xlabel="time [s]", ylabel="[mm]", xlim=(0.4, 3))
    right.set_ylim(-1.0, 2.0)


@paper.figure(sheet=(1, 1, 8.2, 3.4))
def contact_force(subject: XiongSubject, axes: Axes) -> None:
    """1 kg meets a contact at 1 m/s; K = 1e5 N/m, B = 200 N·s/m. Spring and damper pull the body back when it leaves;
    the compiled contact lets go at zero, at any alpha.
    """
    times, _, force = impact(lambda p, v: subject.spring_damper(p, v, K, DAMPING))
    axes.plot(1e3 * times, force, color=VERMILION)
    axes.fill_between(1e3 * times, force, 0.0, where=force < 0.0, color=VERMILION, alpha=0.25, lw=0)
    for alpha, color in ((2e-4, BLUE), (4e-5, GREEN)):
        run = struck(subject, alpha=alpha)
        axes.plot(1e3 * run.time, run.floor, color=color)
    axes.axhline(0.0, color=INK, lw=0.8)
    say(axes, "the pull", (10.6, -45.0), VERMILION)
    say(axes, "spring and damper", (1.2, 288.0), VERMILION, ha="left")
    say(axes, "compiled, alpha = 0.2 ms", (5.0, 225.0), BLUE)
    say(axes, "alpha = 0.04 ms", (0.35, 170.0), GREEN)
    axes.set(xlabel="time since the touch [ms]", ylabel="force on the body [N]", xlim=(0, 14))


@paper.figure(sheet=(1, 2, 8.2, 3.4))
def restitution(subject: XiongSubject, left: Axes, right: Axes) -> None:
    """Restitution asked for and obtained: tune_contact chooses K, beta and alpha, the compiled contact is run by RK4 at
    1 ms, the touch falling at five places between two ticks. Grey: the band of 0.005.
    """
    got = np.array([obtained(subject, asked) for asked in ASKED])
    left.plot([0.25, 0.95], [0.25, 0.95], color=QUIET, lw=0.9)
    left.plot(ASKED, got.mean(axis=1), "o", color="white", mec=BLUE, mew=1.3, ms=5.5)
    left.set(title="(a)  obtained over asked", xlabel="restitution asked", ylabel="restitution obtained")
    right.axhspan(-5.0, 5.0, color=QUIET, alpha=0.15, lw=0)
    right.axhline(0.0, color=QUIET, lw=0.9)
    for asked, each in zip(ASKED, got, strict=True):
        right.plot([asked] * each.size, 1e3 * (each - asked), "o", color=BLUE, ms=3.5, alpha=0.7)
    right.set(title="(b)  difference, each touch", xlabel="restitution asked", ylabel="difference [0.001]")
    right.set(xlim=(0.25, 0.95), ylim=(-8, 8))


@paper.figure(sheet=(1, 1, 6.4, 3.8))
def error_over_stiffness(subject: XiongSubject, axes: Axes) -> None:
    """The two-body machine against its rigid solution: largest error of the height of body 1 over two seconds, beta =
    10 ms. With alpha short enough that no contact rings, alpha < Meff/(4 beta K), the error falls as 1/K; with alpha =
    beta/10 contacts ring where slips reverse, and it falls as 1/sqrt(K) in the end.
    """
    stiffness, beta = np.array([1e5, 1e6, 1e7, 1e8]), 1e-2
    tenth = ("alpha = beta/10", lambda k, beta: 0.1 * beta, AMBER, "s")
    for words, alpha, color, marker in (("alpha = Meff/(8 beta K)", calm, BLUE, "o"), tenth):
        errors = [height_error(subject, stiffness=k, beta=beta, alpha=alpha(k, beta)) for k in stiffness]
        axes.loglog(stiffness, errors, color=color, marker=marker, ms=4.5)
        say(axes, words, (1.25 * stiffness[-1], errors[-1]), color)
    axes.loglog(stiffness, 20.0 / stiffness, color=INK, lw=0.8, ls=(0, (4, 3)))
    say(axes, "1/K", (1.05e5, 1.1e-4))
    axes.set(xlabel="stiffness K of every element [N/m]", ylabel="largest error [m]", xlim=(8e4, 4e9))
