"""Kikuuwe and Fujimoto, "Impedance-Type Discrete-Time Friction Model", 2005: its claims and its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tegotae import figures
from tegotae.friction import Coulomb, FrictionAdmittance, FrictionImpedance
from tegotae.papers.ledger import Finding, Paper

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEY = "kikuuwe2005"
TITLE = "Impedance-Type Discrete-Time Friction Model"

# Section 3.2: the joystick.
T, F, K, B = 1e-3, 4.0, 6000.0, 10.0


@dataclass(frozen=True)
class Subject:
    """The physics under test; a test replaces a part by a broken one.

    Args:
        Impedance: stands for `FrictionImpedance`.
        Admittance: stands for `FrictionAdmittance`.
    """

    Impedance: type[FrictionImpedance] = FrictionImpedance
    Admittance: type[FrictionAdmittance] = FrictionAdmittance


paper = Paper(key=KEY, title=TITLE, authors="Ryo Kikuuwe and Hideo Fujimoto, 2005", subject=Subject())

paper.decline(
    "A psychophysical study of how presliding hysteresis changes what people feel",
    source="section 4, future work",
    reason="it needs people and an ethics board; the element and the device interface for it are here",
)


@paper.claim(
    "friction-opposes-velocity",
    statement="The friction on the mass never points along its velocity, whatever force acts on it.",
    source="section 2, after (7)",
)
def opposes(subject: Subject) -> list[Finding]:
    """On a force made of five sines that starts, reverses and stops the mass."""
    time = T * np.arange(20_000)
    force = sum(2.0 * np.sin(2.0 * np.pi * f * time) for f in (0.3, 0.71, 1.3, 2.9, 7.1))
    run = subject.Admittance(mass=0.5, law=Coulomb(F)).run(force, period=T)
    reversals = int(np.count_nonzero(np.diff(np.sign(run.velocity))))
    return [
        Finding("largest f v", np.max(run.friction * run.velocity), "<=", 0.0, "W"),
        Finding("changes between forward, rest and backward", reversals, ">=", 20),
    ]


@paper.claim(
    "stops-in-finite-time",
    statement="Without outer force a sliding mass stops after M v / (T F) ticks, rounded up, and stays at exactly 0.",
    source="section 2, after (7)",
)
def stops(subject: Subject) -> list[Finding]:
    """Against the closed form of the stopping time."""
    M, v0 = 1.0, 0.3217
    run = subject.Admittance(mass=M, law=Coulomb(F)).run(np.zeros(200), period=T, initial={"velocity": v0})
    moving = np.flatnonzero(run.velocity)
    return [
        Finding("ticks until it stands", moving[-1] + 2 if moving.size else 0, "=", np.ceil(M * v0 / (T * F))),
        Finding("speed from then on", np.max(np.abs(run.velocity[81:])), "=", 0.0, "m/s"),
    ]


@paper.claim(
    "zero-mass",
    statement="With M = 0 the element answers with the friction itself: the limit while it slides, the spring and "
    "damper while it sticks.",
    source="(18), (9)",
)
def zero_mass(subject: Subject) -> list[Finding]:
    """Against the closed form of a steady slip, and of the first tick."""
    v = 0.05
    run = subject.Impedance(stiffness=K, damping=B, law=Coulomb(F), mass=0.0).run(np.full(300, v), period=T)
    settled = np.max(np.abs(run.force[100:] + F))
    return [
        Finding("first tick, off -(K T + B) v", abs(run.force[0] + (K * T + B) * v), "<=", 1e-12, "N"),
        Finding("sliding force, off the limit", settled, "<=", 1e-12, "N"),
        Finding("deflection, off -F/K", abs(run.deflection[-1] + F / K), "<=", 1e-9, "m"),
        Finding("largest |f - g|", np.max(np.abs(run.force - run.friction)), "<=", 1e-12, "N"),
    ]


@paper.figure(
    "stopping",
    caption="A mass that slides, stops in finite time and stands exactly still: section 2, with M = 1 kg, F = 4 N.",
)
def stopping(subject: Subject) -> Figure:
    """Three starting speeds."""
    with figures.style():
        figure, axes = figures.sheet(height=2.9)
        for v0, color in zip((0.1, 0.2, 0.3), figures.PALETTE, strict=False):
            run = subject.Admittance(mass=1.0, law=Coulomb(F)).run(np.zeros(100), period=T, initial={"velocity": v0})
            axes[0, 0].plot(1e3 * run.time, run.velocity, color=color)
            axes[0, 0].annotate(
                f"{v0:g} m/s", (1.0, v0), xytext=(8, 3), textcoords="offset points", color=color, fontsize=8
            )
        axes[0, 0].set(xlabel="time [ms]", ylabel="velocity [m/s]", xlim=(0, 100))
    return figure
