"""Loads, motions and laws drawn at random, the laws also as plain NumPy formulas of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from tegotae.checks import Array
from tegotae.friction import Coulomb, Law, Tabulated
from tegotae.papers.kikuuwe2005.subject import KikuuweSubject

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
    size: Array = np.abs(vectors) if vectors.ndim == 1 else np.sqrt(np.sum(vectors**2, axis=-1))
    return size


def dots(a: Array, b: Array) -> Array:
    """Of each tick's two vectors."""
    product: Array = a * b if a.ndim == 1 else np.sum(a * b, axis=-1)
    return product


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
        drawn.append((*coulomb(rng), 1))
        drawn.append((*stribeck(subject, rng), 1))
        drawn.append((*coulomb(rng), 2))
        drawn.append((*tabulated(rng), 2))
        drawn.append((*viscous(subject, rng), 3))
    return drawn
