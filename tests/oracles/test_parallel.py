"""The composite: Fig. 6, the reversal stack against the element loop, Masing's rule."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from machines import PERIOD

POINTS = np.array([0, 1.5, -1.5, 1, -0.5, 0.6, -0.2, 0.6, -0.5, 1, -1.5, 1.5]) * 1e-3


def through(points, ticks_between=50):
    legs = [np.linspace(a, b, ticks_between + 1)[1:] for a, b in itertools.pairwise(points)]
    return np.concatenate([points[:1], *legs])


def virgin(stretch, K, F):
    """The force of N elastoplastic elements on first loading."""
    return float(np.minimum(K * abs(stretch), F).sum() * np.sign(stretch))


def test_figure_6_without_damping_at_every_reversal():
    """Turning points by hand from Masing's rule: a branch is the virgin curve doubled, from its turning point."""
    K, F = np.full(10, 1e4), np.arange(1.0, 11.0)
    run = tg.ParallelFriction(stiffness=1e4, limits=range(1, 11)).run(position=through(POINTS), period=PERIOD)
    expected, force = [0.0, virgin(POINTS[1], K, F)], virgin(POINTS[1], K, F)
    for a, b in itertools.pairwise(POINTS[1:7]):  # the shrinking half: every branch starts fresh
        force += 2 * virgin((b - a) / 2, K, F)
        expected.append(force)
    expected += expected[5:0:-1]  # the growing half returns through the same points
    np.testing.assert_allclose(-run.force[::50], expected, atol=1e-10)
    assert -run.force[::50][:4] == pytest.approx([0.0, 55.0, -55.0, 55.0])


class ByElements(tg.ParallelFriction):
    """Every element for itself, where there could be a stack."""

    by_stack = _even = False


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 40),
    scale=st.sampled_from([1e-3, 1e-2, 0.1, 1.0]),
    ties=st.booleans(),
)
def test_stack_equals_element_loop(seed, count, scale, ties):
    """To 1e-12 of the total limit, over random elements (ties included) and random motion with pauses."""
    rng = np.random.default_rng(seed)
    K, F = rng.uniform(1e3, 1e5, count), rng.uniform(0.1, 10.0, count)
    if ties:
        K, F = np.full(count, 1e4), rng.integers(1, 4, count).astype(float)
    velocity = rng.normal(size=2000) * scale * rng.choice([0.0, 0.01, 0.1, 1.0], 2000)
    composite = tg.ParallelFriction(stiffness=K, limits=F)
    assert composite.by_stack
    loop = ByElements(stiffness=K, limits=F).run(velocity, period=PERIOD).force
    run = composite.run(velocity, period=PERIOD)
    np.testing.assert_allclose(run.force, loop, atol=1e-12 * F.sum(), rtol=0)
    np.testing.assert_allclose(run.deflection, run.force / K.sum(), atol=1e-15)


def test_stack_keeps_its_digits_far_from_home():
    """After sliding a kilometre the loop near the end is as sharp as at the start."""
    K, F = np.full(10, 1e4), np.arange(1.0, 11.0)
    far = np.concatenate([np.full(1000, 1000.0), np.zeros(1)])
    near = np.diff(through(POINTS), prepend=0.0) / PERIOD
    composite = tg.ParallelFriction(stiffness=K, limits=F)
    after = composite.run(np.concatenate([far, near]), period=PERIOD).force[1001:]
    saturated = composite.run(np.concatenate([np.full(1, 1000.0), near]), period=PERIOD).force[1:]
    np.testing.assert_allclose(after, saturated, atol=1e-11)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("kind", ["plain", "even", "one law", "mixed laws"])
def test_composite_is_the_sum_of_its_elements(dimension, kind):
    laws = {
        "plain": [tg.Coulomb(1.0), tg.Coulomb(2.0), tg.Coulomb(3.0)],
        "even": [tg.Coulomb(1.0), tg.Coulomb(2.0), tg.Coulomb(3.0)],
        "one law": [tg.Stribeck(2.0, 2.1, 0.5), tg.Stribeck(1.0, 1.2, 0.5), tg.Stribeck(2.0, 2.0, 0.1)],
        "mixed laws": [tg.Tabulated([0.0, 1.0], [2.0, 3.0]), tg.Stribeck(1.0, 1.2, 0.5), tg.Viscous(1.0, 3.0)],
    }[kind]
    rich = kind not in ("plain", "even")
    composite = tg.ParallelFriction(
        stiffness=1e4 if kind == "even" else [1e4, 2e4, 3e3],
        damping=10.0 if kind == "even" else [10.0, 5.0, 1.0],
        mass=[0.0, 0.1, 0.2] if rich else 0.0,
        lag=[0.0, 0.01, 0.0] if rich else 0.0,
        laws=laws,
        dimension=dimension,
    )
    velocity = 0.1 * np.sin(0.02 * np.arange(1500)[:, None] + np.arange(dimension))
    velocity = velocity[:, 0] if dimension == 1 else velocity
    run = composite.run(velocity, period=PERIOD)
    parts = [element.run(velocity, period=PERIOD) for element in composite.elements()]
    np.testing.assert_allclose(run.force, sum(part.force for part in parts), atol=1e-12)
    weights = composite.stiffness / composite.stiffness.sum()
    mean = sum(w * part.deflection for w, part in zip(weights, parts, strict=True))
    np.testing.assert_allclose(run.deflection, mean, atol=1e-15)


@pytest.mark.parametrize("damping", [1.0, np.linspace(1.0, 2.0, 50)], ids=["even", "plain"])
def test_elements_that_stick_do_not_creep(damping):
    """Not by a bit: held in place, each element keeps its stretch, whatever order its sums are taken in."""
    composite = tg.ParallelFriction(stiffness=1e4 / 3.0, damping=damping, limits=np.linspace(1.0, 10.0, 50) / 7.0)
    moved, held = 0.03 * np.cos(0.1 * np.arange(100)), np.zeros(1000)
    run = composite.run(np.concatenate([moved, held]), period=PERIOD)
    after = slice(moved.size + 1, None)  # those that slid come to rest in the first tick
    assert np.ptp(run.force[after]) == 0.0
    assert np.ptp(run.deflection[after]) == 0.0


def test_loops_close_without_damping_and_open_with_it():
    """Out and back around a small loop: closed exactly if B = 0; returning faster leaves it open if B > 0."""
    slow = np.concatenate([through([0, 0.6e-3], 600), through([0.6e-3, 0.3e-3], 300)[1:]])
    fast_back = np.concatenate([slow, through([0.3e-3, 0.6e-3], 30)[1:]])
    top = 600  # not all elements slide there, or every loop would close at the total limit
    for damping, closed in ((0.0, True), (100.0, False)):
        force = (
            tg.ParallelFriction(stiffness=1e4, damping=damping, limits=range(1, 11))
            .run(position=fast_back, period=PERIOD)
            .force
        )
        gap = abs(force[-1] - force[top])
        assert (gap < 1e-11) if closed else (gap > 0.1)
