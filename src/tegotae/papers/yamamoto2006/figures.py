"""Figs. 8 to 10 redrawn, and pictures of what the patch is measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.figures import AMBER, BLUE, GREEN, INK, PLUM, QUIET, VERMILION, say
from tegotae.figures.colours import HAIR
from tegotae.papers.yamamoto2006 import STIFF, T, YamamotoSubject, cycle, paper, tyre
from tegotae.papers.yamamoto2006.coupling import GAINS, PlainPID, torn_away
from tegotae.papers.yamamoto2006.loops import DRIVING, FAR, PARKED, first_full_slip, loop
from tegotae.papers.yamamoto2006.oracles import brush, parked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CIRCLE: dict[str, Any] = {"ls": "none", "marker": "o", "color": "white", "mec": INK, "mew": 0.8, "ms": 3.8}
COUNTS = np.array([21, 51, 101, 201, 401, 801, 1601])  # bristles
_DASHED: dict[str, Any] = {"color": QUIET, "lw": 0.8, "ls": (0, (4, 3))}


@paper.figure(sheet=(1, 3, 9.6, 3.5))
def loops(subject: YamamotoSubject, *axes: Axes) -> None:
    """Figs. 8 to 10: torque of the hand over the angle of the wheel, with the numbers of Table 1 and a driver who
    swings it at 0.25 Hz. Thick while some bristle sticks, thin while the whole tyre slips. Parked, a smooth hysteresis
    loop; driving, full slip from 0.42 rad on at 20 m/s, from 0.12 rad on at 70 m/s, and a steeper middle.
    """
    for panel, letter, V, amplitude in zip(axes, "abc", (0.0, 20.0, 70.0), (PARKED, *2 * [DRIVING]), strict=True):
        run, second = loop(subject.literal(speed=V), amplitude), cycle(0.25)
        angle, torque = (np.append(x[second], x[second.start]) for x in (run.wheel_angle, run.hand_torque))
        sticks = np.append(run.stuck[second], run.stuck[second.start]) > 0.0
        # Thick where it sticks, thin where it does not; the two touch.
        panel.plot(angle, np.where(sticks, np.nan, torque), color=VERMILION, lw=1.0)
        panel.plot(angle, np.where(sticks, torque, np.nan), color=BLUE, lw=2.4)
        panel.axhline(0.0, color=HAIR, lw=0.8, zorder=0)
        panel.axvline(0.0, color=HAIR, lw=0.8, zorder=0)
        panel.set(title=f"({letter})  {V:g} m/s" + ("  parked" if V == 0.0 else ""), xlabel="wheel angle [rad]")
        if V == 0.0:
            say(panel, f"{np.trapezoid(torque, angle):.1f} J\na cycle", (0.3, 0.0), QUIET, ha="center", boxed=True)
            panel.set(xlim=(-9.2, 9.2), ylim=(-0.95, 0.95), xticks=(-8, -4, 0, 4, 8))
            continue
        panel.set(ylim=(-0.95, 0.95))
        slips = first_full_slip(run)
        panel.plot([slips, slips], [-0.95, 0.55], **_DASHED)
        say(panel, f"full slip\nfrom {slips:.2f} rad", (slips + 0.05, -0.6), QUIET)
    axes[0].set_ylabel("torque of the hand [N·m]")
    say(axes[1], "some bristles stick", (-1.1, 0.4), BLUE)
    say(axes[1], "the whole tyre slips", (1.13, 0.84), VERMILION, ha="right")


@paper.figure(sheet=(1, 3, 9.6, 3.5))
def drop(subject: YamamotoSubject, left: Axes, middle: Axes, right: Axes) -> None:
    """The drop of torque at full slip. (a) Rolling steadily at 20 m/s, tyre alone: the paper's numbers rise to the
    limit and stay; a stiff brush without damper (K = 1e4 N/m) peaks before and falls by 18 %. (b) Turned by a driver at
    0.25 Hz, 20 m/s, divided by the gear: with the paper's numbers the hand's torque (thin) falls by the inertia of the
    column, the tyre's own (thick) does not. (c) The stiff brush on a vehicle that slides and yaws.
    """
    alpha = np.linspace(0.0, 0.1, 161)
    literal, stiff = subject.literal(bristles=201).patch, subject.brush(bristles=401)
    left.plot(alpha, np.asarray(literal.steady(slip_angle=alpha, speed=20.0).torque), color=BLUE, lw=2.2)
    left.plot(alpha, np.asarray(stiff.steady(slip_angle=alpha, speed=20.0).torque), color=VERMILION, lw=2.2)
    left.plot(alpha[8::16], brush(alpha[8::16], K=STIFF)[1], **_CIRCLE)
    left.axhline(11.2, **_DASHED)
    say(left, "Table 1", (0.0185, 10.2), BLUE)
    say(left, "stiff brush", (0.047, 13.2), VERMILION)
    say(left, "circles: closed form", (0.099, 12.2), ha="right")
    say(left, "mu Fz xi_c", (0.099, 10.5), QUIET, ha="right")
    left.set(title="(a)  rolling steadily", xlabel="slip angle [rad]", ylabel="torque at the tyre [N·m]", ylim=(0, 15))
    for panel, letter, preset, amplitude, color, word in (
        (middle, "b", subject.literal, DRIVING, BLUE, "Table 1"),
        (right, "c", subject.physical, FAR, VERMILION, "stiff brush, bicycle"),
    ):
        run = loop(preset(speed=20.0, bristles=101), amplitude)
        swung = slice(60, int(np.argmax(run.wheel_angle[:1200])))  # from after the jolt of the start
        panel.plot(run.wheel_angle[swung], run.tyre_torque[swung] / 16.0, color=color, lw=2.8)
        panel.plot(run.wheel_angle[swung], run.hand_torque[swung], color=INK, lw=1.0)
        panel.plot([first_full_slip(run)] * 2, [0.0, 0.64], **_DASHED)
        say(panel, "full slip", (first_full_slip(run) + 0.02 * amplitude, 0.12), QUIET)
        end = float(run.wheel_angle[swung].max())
        panel.set(title=f"({letter})  steered, {word}", xlabel="wheel angle [rad]", xlim=(0, 1.02 * end), ylim=(0, 1))
        say(panel, "tyre, over the gear", (end, 0.76), color, ha="right")
        say(panel, "hand", (end, 0.63), INK, ha="right")
    middle.set_ylabel("torque at the wheel [N·m]")


@paper.figure(sheet=(1, 2, 8.6, 3.7))
def maps(subject: YamamotoSubject, left: Axes, right: Axes) -> None:
    """What the tyre of Table 1 gives when it rolls steadily, over slip angle and speed: (a) lateral force; (b) torque
    about the middle of the patch, Mz. Dashed: alpha = mu F_max/(B V), beyond which the damper alone exceeds every
    bristle's limit and the whole tyre slips. Below walking speed the springs take over.
    """
    alpha, speeds = np.linspace(0.0, 0.06, 121), np.geomspace(1.0, 100.0, 61)
    patch = subject.literal(bristles=101).patch
    held = [patch.steady(slip_angle=alpha, speed=float(V)) for V in speeds]
    force = np.array([np.asarray(h.lateral_force) for h in held])
    aligning = np.array([np.asarray(h.torque) for h in held]) - 0.02 * force
    kinds = (
        (left, "(a)  lateral force Fy [N]", force, np.linspace(0.0, 600.0, 16), "Blues"),
        (right, "(b)  aligning torque Mz [N·m]", aligning, np.linspace(0.0, 1.4, 15), "Oranges"),
    )
    for panel, title, values, levels, colours in kinds:
        filled = panel.contourf(alpha, speeds, values, levels=levels, cmap=colours)
        panel.contour(alpha, speeds, values, levels=levels[2:-2:2], colors="white", linewidths=0.5)
        ink = "white" if colours == "Blues" else INK
        panel.plot(40.0 / (150.0 * speeds), speeds, color=ink, lw=1.1, ls=(0, (4, 3)))
        bar = panel.figure.colorbar(filled, ax=panel, pad=0.02, aspect=28)
        bar.outline.set_visible(False)  # type: ignore[operator]
        panel.set(title=title, xlabel="slip angle [rad]", yscale="log", xlim=(0, 0.06), ylim=(1, 100))
        panel.set_yticks([1, 2, 5, 10, 20, 50, 100], labels=["1", "2", "5", "10", "20", "50", "100"])
        panel.minorticks_off()
        panel.grid(False)
    left.set_ylabel("speed [m/s]")
    say(left, "the whole tyre slips", (0.058, 60.0), "white", ha="right")
    say(right, "the whole tyre slips: Mz = 0", (0.058, 60.0), INK, ha="right")


@paper.figure("brush", sheet=(1, 3, 9.6, 3.4))
def brush_oracle(subject: YamamotoSubject, left: Axes, middle: Axes, right: Axes) -> None:
    """Rolling steadily, the bristles meet the closed form of the brush model (circles) in lateral force and torque (a,
    b), and the difference falls about as 1/n² with the number of bristles (c).
    """
    alpha = np.linspace(-0.12, 0.12, 241)
    held = subject.brush(bristles=1601).steady(slip_angle=alpha, speed=20.0)
    force, torque = brush(alpha, K=STIFF)
    for panel, ours, exact, color in ((left, held.lateral_force, force, BLUE), (middle, held.torque, torque, PLUM)):
        panel.plot(alpha, np.asarray(ours), color=color, lw=2.0)
        panel.plot(alpha[::15], exact[::15], **_CIRCLE)
        panel.axhline(0.0, color=HAIR, lw=0.8, zorder=0)
        panel.set_xlabel("slip angle [rad]")
    left.set(title="(a)  lateral force", ylabel="Fy [N]")
    middle.set(title="(b)  torque about the steering axis", ylabel="tau [N·m]")
    few = np.linspace(0.003, 0.12, 79)
    exact_few, errors = np.array(brush(few, K=STIFF)), []
    for n in COUNTS.tolist():
        h = subject.brush(bristles=n).steady(slip_angle=few, speed=20.0)
        off = np.abs(np.array([h.lateral_force, h.torque]) - exact_few).max(axis=1)
        errors.append(off / exact_few.max(axis=1))
    for name, row, color in (("Fy", 0, BLUE), ("tau", 1, PLUM)):
        values = [error[row] for error in errors]
        right.loglog(COUNTS, values, color=color, marker="o", ms=4)
        say(right, name, (130.0, 2.2 * values[2]) if row else (75.0, 0.4 * values[2]), color)
    right.loglog(COUNTS, 0.4 / COUNTS**2.0, **_DASHED)
    say(right, "1/n²", (24, 1.8e-4), QUIET)
    right.set(title="(c)  largest difference, of the peak", xlabel="bristles n", xlim=(18, 2200))


@paper.figure(sheet=(1, 2, 8.6, 3.7))
def parking(subject: YamamotoSubject, left: Axes, right: Axes) -> None:
    """Parked, K = 1e4 N/m, no damper. (a) Torque over steer angle, 1601 bristles (lines) on the exact virgin curve and
    Masing's rule after each reversal (circles); small loops lie inside large ones. (b) The difference over the number
    of bristles.
    """
    for amplitude, color, every in ((0.1, BLUE, 40), (0.04, GREEN, 50), (0.015, AMBER, 100)):
        steer = tyre.to_and_fro(amplitude, 200)
        torque = tyre.parked_patch(subject, steer, 1601)
        left.plot(np.append(0.0, steer), np.append(0.0, torque), color=color, lw=1.8)
        left.plot(steer[every - 1 :: every], parked(steer, K=STIFF)[every - 1 :: every], **_CIRCLE)
    left.axhline(0.0, color=HAIR, lw=0.8, zorder=0)
    say(left, "virgin curve", (0.046, 13.6), INK)
    say(left, "circles: exact, with Masing's rule", (0.1, -19.5), INK, ha="right")
    left.set(title="(a)  torque over steer angle", xlabel="steer angle [rad]", ylabel="torque [N·m]")
    left.set(xticks=[-0.1, -0.05, 0.0, 0.05, 0.1])
    steer = tyre.to_and_fro(0.1, 200)
    exact = parked(steer, K=STIFF)
    errors = [np.abs(tyre.parked_patch(subject, steer, n) - exact).max() for n in COUNTS.tolist()]
    right.loglog(COUNTS, errors, color=BLUE, marker="o", ms=4)
    right.loglog(COUNTS, 100.0 / COUNTS**2.0, **_DASHED)
    right.axhline(1e-4, color=VERMILION, lw=0.8)
    say(right, "0.0001 N·m", (20, 1.25e-4), VERMILION, va="bottom")
    say(right, "1/n²", (150, 8e-3), QUIET)
    right.set(title="(b)  largest difference", xlabel="bristles n", ylabel="[N·m]", xlim=(18, 2200))


@paper.figure(sheet=(1, 2, 8.6, 3.5))
def entering(subject: YamamotoSubject, left: Axes, right: Axes) -> None:
    """How a bristle comes round matters. (a) Error of the lateral force over speed at alpha = 0.04 rad, T = 1 ms: kept
    stretched, as (4) to (6) leave it; unstretched but given the whole tick; unstretched and given the time it has been
    inside (ours). (b) At 70 m/s, steered by a 3 Hz sine: error of the torque over the period. One millisecond, in which
    a third of the patch is renewed, keeps 0.0001 of the peak.
    """
    speeds = np.array([2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0])
    exact = float(brush(0.04, K=STIFF)[0])
    for words, rule, color, at in (
        ("kept stretched", "kept", VERMILION, (38.0, 10.2)),
        ("given the whole tick", "full period", AMBER, (70.0, 7.6)),
    ):
        errors = [100.0 * tyre.entry_error(rule, alpha=0.04, V=float(V)) for V in speeds]
        left.plot(speeds, errors, color=color, marker="o", ms=4)
        say(left, words, at, color, ha="right")
    # The slowest needs 100 ticks to fill its patch.
    ours = [tyre.ours_entering(subject, alpha=0.04, V=float(V), bristles=401)[120:].mean() / exact for V in speeds]
    left.plot(speeds, 100.0 * (np.array(ours) - 1.0), color=BLUE, marker="o", ms=4)
    say(left, "given the time inside: ours", (70.0, 0.75), BLUE, ha="right")
    left.set(title="(a)  error of the lateral force", xlabel="speed [m/s]", ylabel="[%]", xlim=(0, 72))
    divisions, ticks = np.array([1, 2, 4, 10]), np.arange(60, 400, 20)
    reference = tyre.rolling_exactly(ticks, amplitude=0.2, fine=1000)
    peak = np.abs(reference).max()
    errors = [
        np.abs(tyre.rolling(subject, amplitude=0.2, period=T / d, bristles=1601)[ticks] - reference).max() / peak
        for d in divisions.tolist()
    ]
    right.loglog(1e3 * T / divisions, errors, color=BLUE, marker="o", ms=4)
    right.loglog(1e3 * T / divisions, 4e-5 / divisions**2.0, **_DASHED)
    right.axhline(1e-4, color=VERMILION, lw=0.8)
    say(right, "0.0001 of the peak", (0.1, 1.15e-4), VERMILION, va="bottom")
    say(right, "T²", (0.28, 1.6e-6), QUIET)
    right.set(title="(b)  error of the torque, steered at 70 m/s", xlabel="period [ms]")
    right.set(xlim=(0.09, 1.1), ylim=(2e-7, 3e-4))
    right.set_xticks([0.1, 0.2, 0.5, 1.0], labels=["0.1", "0.2", "0.5", "1"])
    right.minorticks_off()


@paper.figure(sheet=(1, 1, 7.2, 3.4))
def servo(subject: YamamotoSubject, axes: Axes) -> None:
    """A wheel (0.05 kg·m², 8 N·m at most) is held at 0, pulled 1 rad away and let go. Proxy-based sliding mode control
    brings it back as exp(-t/H), H = 0.1 s; a PID of the same gains that holds its integral at the limit is thrown past,
    a plain one winds up and never comes back.
    """
    time = T * np.arange(6000)
    held = subject.pid(**GAINS).start(period=T)
    proxy = subject.psmc(**GAINS, recovery=0.1).start(period=T)
    axes.axhline(0.0, color=HAIR, lw=0.8, zorder=0)
    axes.plot(time, torn_away(PlainPID()), color=VERMILION, lw=1.2)
    axes.plot(time, torn_away(held), color=AMBER, lw=1.6)
    axes.plot(time, torn_away(proxy), color=BLUE, lw=2.2)
    axes.axvspan(0.0, 1.0, color=HAIR, alpha=0.5, lw=0, zorder=0)
    say(axes, "pulled away", (0.98, -1.2), QUIET, ha="right")
    say(axes, "PID, plain", (1.19, -1.2), VERMILION)
    say(axes, "PID, integral held", (1.25, -0.36), AMBER)
    say(axes, "PSMC", (1.13, 0.62), BLUE)
    axes.set(xlabel="time [s]", ylabel="angle of the wheel [rad]", xlim=(0, 2.5), ylim=(-1.5, 1.5))
