"""What the elements must do, found without them: records and laws drawn at random, the laws also as plain formulas, the
printed equations, Masing's rule, a solution in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from tegotae.checks import Array
from tegotae.friction import Coulomb, Law, Tabulated
from tegotae.papers.kikuuwe2005 import KikuuweSubject

Formula = Callable[[Any], Any]


def wander(rng: Generator, ticks: int, dimension: int, largest: float) -> Array:
    """A record that starts, turns, rests and bursts: lines between random points, every fifth of them zero."""
    every = 25
    knots = rng.uniform(-1.0, 1.0, size=(ticks // every + 2, dimension))
    knots[rng.random(len(knots)) < 0.2] = 0.0
    at, steps = np.arange(len(knots)), np.arange(ticks) / every
    columns = [np.interp(steps, at, knots[:, i]) for i in range(dimension)]
    record = largest * np.stack(columns, axis=1)
    return np.ascontiguousarray(record[:, 0] if dimension == 1 else record)


def lengths(vectors: Array) -> Array:
    """Of each tick's vector."""
    return np.asarray(np.abs(vectors) if vectors.ndim == 1 else np.sqrt(np.sum(vectors**2, axis=-1)))


def dots(a: Array, b: Array) -> Array:
    """Of each tick's two vectors."""
    return np.asarray(a * b if a.ndim == 1 else np.sum(a * b, axis=-1))


def coulomb(rng: Generator) -> tuple[Law, Formula]:
    """A limit between 0.5 and 20 N."""
    limit = float(rng.uniform(0.5, 20.0))
    return Coulomb(limit), lambda s: np.full_like(s, limit)


def viscous(subject: KikuuweSubject, rng: Generator) -> tuple[Law, Formula]:
    """Rising by 0.1 to 200 N·s/m."""
    limit, b = float(rng.uniform(0.5, 20.0)), float(10.0 ** rng.uniform(-1.0, 2.3))
    return subject.Viscous(limit=limit, viscosity=b), lambda s: limit + b * s


def stribeck(subject: KikuuweSubject, rng: Generator) -> tuple[Law, Formula]:
    """Falling by at most some 20 N·s/m, then rising."""
    Fc, vs, n = float(rng.uniform(1.0, 10.0)), float(rng.uniform(0.05, 0.3)), float(rng.choice([1.0, 1.5, 2.0, 3.0]))
    Fs, b = Fc + float(rng.uniform(0.2, 15.0)) * vs, float(rng.uniform(0.0, 3.0))
    law = subject.Stribeck(kinetic=Fc, static=Fs, velocity=vs, exponent=n, viscosity=b)
    return law, lambda s: Fc + (Fs - Fc) * np.exp(-((s / vs) ** n)) + b * s


def tabulated(rng: Generator) -> tuple[Law, Formula]:
    """Five points that fall and rise by at most some 20 N·s/m."""
    speeds = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 0.3, size=4))])
    forces = 5.0 + rng.uniform(-0.5, 0.5, size=5)
    return Tabulated(speeds.tolist(), forces.tolist()), lambda s: np.interp(s, speeds, forces)


def cases(subject: KikuuweSubject, rng: Generator, each: int) -> list[tuple[Law, Formula, int]]:
    """Laws of every kind with a dimension each: law, its formula, dimension."""
    drawn: list[tuple[Law, Formula, int]] = []
    for _ in range(each):
        drawn += [(*coulomb(rng), 1), (*stribeck(subject, rng), 1), (*coulomb(rng), 2)]
        drawn += [(*tabulated(rng), 2), (*viscous(subject, rng), 3)]
    return drawn


def equation_18(velocity: Array, K: float, B: float, M: float, F: float, T: float) -> tuple[Array, Array]:
    """(18a)-(18d) with Coulomb friction, letter by letter, in any dimension -> f_k, g_k; (19) with sgn(u)."""
    C = M + T * B + T**2 * K
    zero = np.zeros(velocity.shape[1])
    e1 = e2 = v1 = zero  # e_{k-1}, e_{k-2}, v_{k-1}
    forces, frictions = [], []
    for v in velocity:
        u = v - T * K / C * e1 - M / C * (v - v1 - (e1 - e2) / T)
        size = float(np.sqrt(u @ u))
        g = -C * u / T if size <= T * F / C else -u / size * F
        e = e1 - T * v + T * (u + T * g / C)
        forces.append(K * e + B * (e - e1) / T)
        frictions.append(g)
        e2, e1, v1 = e1, e, v
    return np.array(forces), np.array(frictions)


def masing(places: Sequence[float] | Array, virgin: Callable[[float], float]) -> Array:
    """Force at each of the places, visited from rest at 0 along straight lines, by the rules of Madelung and Masing.

    The first loading follows the virgin curve. Each branch after a turning point is that curve at twice the scale.
    A branch that meets the turning point before the last closes a loop, which is then forgotten.
    """
    turns: list[float] = []  # the turning points still remembered
    here, forces = 0.0, []
    for x in places:
        if (x - here) * (here - (turns[-1] if turns else 0.0)) < 0.0:
            turns.append(here)
        while turns and _closes(turns, x):
            del turns[-2:]
        branch = [*turns, x]
        scaled = [2.0 * virgin((b - a) / 2.0) for a, b in pairwise(branch)]
        forces.append(virgin(branch[0]) + sum(scaled))
        here = x
    return np.array(forces)


def _closes(turns: list[float], x: float) -> bool:
    """Whether the way to x meets the turning point before the last; the first branch, its mirror image."""
    before = turns[-2] if len(turns) > 1 else -turns[-1]
    return abs(x - turns[-1]) >= abs(before - turns[-1])


def ten_springs(stiffness: float, limits: Sequence[float]) -> Callable[[float], float]:
    """The virgin curve of springs that slide at their limits: the force on the hand for a first displacement."""

    def virgin(x: float) -> float:
        return -float(np.sign(x)) * sum(min(stiffness * abs(x), limit) for limit in limits)

    return virgin


def in_continuous_time(
    legs: Sequence[tuple[float, int]], period: float, stiffness: float, damping: float, limits: Sequence[float]
) -> Array:
    """Force of massless elements side by side at each tick, exact in continuous time, for legs (velocity, ticks).

    While an element sticks, its stretch follows the motion and f = K e - B v. Once that meets the limit it slides:
    f is the limit and the stretch goes to f/K as exp(-K t/B).
    """
    K, B, F = stiffness, damping, np.asarray(limits, dtype=np.float64)
    e = np.zeros_like(F)
    forces = []
    for v, ticks in legs:
        t = period * np.arange(1, ticks + 1)[:, np.newaxis]
        d = float(np.sign(v))
        starts = np.maximum(0.0, (F + d * (K * e - B * v)) / (K * abs(v))) if v else np.full_like(F, np.inf)
        slides = t > starts
        forces.append(np.where(slides, -d * F, K * (e - v * t) - B * v).sum(axis=1))
        end = t[-1, 0]
        at_start = e - v * np.minimum(starts, end)
        relaxed = -d * F / K + (at_start + d * F / K) * np.exp(-K * np.maximum(0.0, end - starts) / B)
        e = np.where(end > starts, relaxed, e - v * end)
    return np.concatenate(forces)
