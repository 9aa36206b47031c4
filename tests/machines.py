"""Hypothesis strategies for friction elements and the motions they see."""

import numpy as np
from hypothesis import strategies as st

import tegotae as tg

PERIOD = 1e-3


def between(low, high):
    """Floats whose logarithm is spread evenly."""
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))


@st.composite
def laws(draw):
    """Any law; falls gentle enough to have one sliding speed with the elements below."""
    kind = draw(st.sampled_from(["coulomb", "viscous", "stribeck", "tabulated"]))
    limit = draw(between(0.1, 20.0))
    if kind == "coulomb":
        return tg.Coulomb(limit)
    if kind == "viscous":
        return tg.Viscous(limit, draw(between(0.01, 100.0)))
    if kind == "stribeck":
        speed = draw(between(0.01, 1.0))
        drop = draw(st.floats(0.0, 1.0)) * min(limit, speed)  # falls by at most about 1 N·s/m
        return tg.Stribeck(limit, limit + drop, speed, draw(st.floats(1.0, 3.0)), draw(st.floats(0.0, 5.0)))
    speeds = np.concatenate([[0.0], np.cumsum(draw(st.lists(between(0.01, 0.5), min_size=1, max_size=4)))])
    forces = limit + np.cumsum([draw(st.floats(-0.5, 2.0)) * 0.01 for _ in speeds])
    return tg.Tabulated(speeds.tolist(), np.maximum(forces, 0.05).tolist())


@st.composite
def elements(draw, masses=(0.0, 0.001, 1.0), dimensions=(1, 2, 3), lags=(0.0, 0.01)):
    """Friction impedances with one sliding speed at PERIOD."""
    return tg.FrictionImpedance(
        stiffness=draw(between(1e2, 1e6)),
        damping=5.0 + draw(st.floats(0.0, 100.0)),
        law=draw(laws()),
        mass=draw(st.sampled_from(masses)),
        lag=draw(st.sampled_from(lags)),
        dimension=draw(st.sampled_from(dimensions)),
    )


@st.composite
def motions(draw, dimension, ticks=300):
    """Velocities with reversals, pauses and bursts, from a drawn seed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    knots = rng.normal(size=(ticks // 20 + 2, dimension)) * draw(between(1e-3, 1.0))
    knots[rng.random(len(knots)) < 0.2] = 0.0
    steps = np.arange(ticks) / 20
    columns = [np.interp(steps, np.arange(len(knots)), knots[:, i]) for i in range(dimension)]
    velocity = np.stack(columns, axis=1)
    return velocity[:, 0].copy() if dimension == 1 else np.ascontiguousarray(velocity)
