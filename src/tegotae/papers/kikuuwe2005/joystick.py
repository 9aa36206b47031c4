"""Section 3.2: the joystick of Fig. 4, held and dragged by a hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from tegotae.checks import Array
from tegotae.papers.kikuuwe2005 import B, F, K, KikuuweSubject, T, paper
from tegotae.papers.kikuuwe2005.oracles import lengths
from tegotae.papers.ledger import Finding, Findings
from tegotae.result import Result


@lru_cache(maxsize=2)
def ride(joystick: Callable[[float], Result], mass: float) -> Result:
    """One run, kept: two claims and a figure look at the same two."""
    return joystick(mass)


@paper.claim(source="Fig. 4, position b")
def held_at_b(subject: KikuuweSubject) -> Findings:
    """While the hand pushes with less than F, the joystick is held at one point: the virtual point does not move at
    all, and the tip only as far as the spring gives.

    On a simulated twin of the joystick with encoders of 10 µm.
    """
    for mass in (0.0, 1.0):
        run = ride(subject.joystick, mass)
        at_b = (run.time > run.about["held_from"]) & (run.time <= run.about["held_to"])
        point, push = (run.position + run.deflection)[at_b], lengths(run["hand_force"])[at_b]
        tip = run["tip"][at_b]
        reach = float(np.max(lengths(tip - point[0])))
        word = f"M = {mass:g} kg: "
        yield Finding(word + "largest push of the hand", np.max(push), "<", F, "N")
        yield Finding(word + "largest slip speed", np.max(np.abs(run.slip_velocity[at_b])), "=", 0.0, "m/s")
        yield Finding(word + "wander of the virtual point", np.max(lengths(point - point[0])), "<=", 1e-15, "m")
        # Half an encoder step on each axis, and what the moving tip's own inertia and damping add.
        yield Finding(word + "tip from the virtual point", reach, "<=", 1.05 * np.max(push) / K, "m")
        yield Finding(word + "way slid in the whole run", T * np.sum(lengths(run.slip_velocity)), ">=", 0.3, "m")


@paper.claim(source="(9), Fig. 4 (a) and (b)")
def force_is_friction(subject: KikuuweSubject) -> Findings:
    """Without mass the force on the hand is the friction, f = g; with a mass it also holds the inertia and centrifugal
    force of the virtual point, f = g - M q''.
    """
    # f from the recorded stretch by (18d), so that it is no copy of g.
    none, one = ride(subject.joystick, 0.0), ride(subject.joystick, 1.0)
    inertia = np.diff(one.slip_velocity, axis=0, prepend=np.zeros((1, 2))) / T  # times M = 1 kg
    yield Finding("M = 0: largest |f - g|", np.max(lengths(_spring(none) - none.friction)), "<=", 1e-11, "N")
    yield Finding("M = 0: commanded force, off f", np.max(lengths(none.force - _spring(none))), "<=", 1e-11, "N")
    yield Finding("M = 1 kg: largest |f - g|", np.max(lengths(one.force - one.friction)), ">=", 1.0, "N")
    yield Finding("M = 1 kg: f, off g - M q''", np.max(lengths(one.force - one.friction + inertia)), "<=", 1e-11, "N")
    yield Finding("M = 1 kg: commanded force, off f", np.max(lengths(one.force - _spring(one))), "<=", 1e-11, "N")


def _spring(run: Result) -> Array:
    """(18d): K e_k + B (e_k - e_{k-1})/T."""
    e = run.deflection
    return np.asarray(K * e + B * np.diff(e, axis=0, prepend=np.zeros((1, 2))) / T)
