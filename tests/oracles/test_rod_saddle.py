"""One sweep in O(n) gives what the paper's dense system of places, angles and multipliers gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.errors import InputError
from tegotae.papers.hirai2020 import phases
from tegotae.rod import Load, Payload, Phase, PlanarRod
from tegotae.rod.saddle import SaddleRod, gaps

PAPER = {"length": 10.0, "nodes": 5, "density": 0.1, "elasticity": 1.0, "viscosity": 2.0}


@st.composite
def situations(draw):
    """An uneven rod, a state, a base, loads at any point."""
    nodes = draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hs = rng.uniform(0.3, 2.0, nodes - 1)
    payload = draw(st.sampled_from([None, Payload(mass=0.4), Payload(mass=0.3, inertia=0.2)]))
    rod = PlanarRod(
        length=hs.sum(),
        nodes=nodes,
        spacing=hs,
        density=rng.uniform(0.1, 2.0, nodes - 1),
        elasticity=rng.uniform(0.0, 3.0, nodes - 1),
        viscosity=rng.uniform(0.0, 3.0, nodes - 1),
        rest_curvature=rng.normal(size=nodes - 1),
        gravity=tuple(rng.normal(0.0, 5.0, 2)),
        payload=payload,
    )
    base = draw(st.sampled_from(["free", "pinned", "fixed"]))
    angle, rate = rng.uniform(-3.5, 3.5, nodes), rng.uniform(-10.0, 10.0, nodes)
    if base == "fixed":
        rate[0] = 0.0
    places = [*rng.uniform(0.0, rod.length, draw(st.integers(0, 3))), 0.0, -0.0]
    loads = [Load(at=at, force=tuple(rng.normal(0, 3, 2)), torque=rng.normal()) for at in places]
    return rod, angle, rate, base, loads, rng.normal(0.0, 20.0)


@settings(max_examples=60, deadline=None)
@given(situation=situations())
def test_recursion_is_the_saddle_point(situation):
    rod, angle, rate, base, loads, torque = situation
    ours = rod.accelerations(angle, rate, torque=torque, base=base, loads=loads)
    for points in (None, 40):
        theirs = SaddleRod(rod=rod, points=points).accelerations(angle, rate, torque=torque, base=base, loads=loads)
        assert np.abs(ours - theirs).max() <= 1e-10 * max(np.abs(theirs).max(), (rate**2).max())


def test_inertia_is_symmetric_block_tridiagonal_and_singular():
    angle = np.random.default_rng(1).uniform(-3.5, 3.5, 7)
    J = SaddleRod(rod=PlanarRod(**PAPER | {"nodes": 7})).inertia(angle)
    row, column = np.indices(J.shape) // 3
    assert (J == J.T).all()
    assert (J[np.abs(row - column) > 1] == 0.0).all()
    assert np.linalg.matrix_rank(J) == 3 * 7 - 2  # nothing of the mass hangs on the last place
    assert np.linalg.eigvalsh(J).min() >= -1e-15


def test_kinetic_energy_is_that_of_the_run():
    rod = PlanarRod(**PAPER)
    run = rod.run(phases(), times=[0.7, 1.5, 2.5])
    saddle = SaddleRod(rod=rod, points=40)
    for i in range(3):
        _, speed = saddle.state(run.angle[i], run.angle_rate[i], tuple(run.position[i, 0]), tuple(run.velocity[i, 0]))
        kinetic = 0.5 * speed @ saddle.inertia(run.angle[i]) @ speed
        assert kinetic == pytest.approx(run.kinetic[i], rel=1e-12)


def test_the_slow_integration_meets_the_fast_one():
    rod, times = PlanarRod(**PAPER), [0.5, 1.0, 2.0, 2.5]
    ours = rod.run(phases(), times=times, rtol=1e-9, atol=1e-9)
    theirs = SaddleRod(rod=rod).run(phases(), times=times, rtol=1e-6, atol=1e-6)
    assert np.abs(ours.angle - theirs.angle).max() <= 2e-5
    assert np.abs(ours.position - theirs.position).max() <= 2e-4
    assert theirs.drift.max() <= 2e-5
    assert ours.closure.max() <= 1e-13


def test_stabilisation_pulls_the_constraints_back():
    """X'' + 2 al X' + al^2 X = 0: critically damped, X = X0 (1 + al t) exp(-al t), exactly so on a straight rod."""
    rod = PlanarRod(length=2.0, nodes=3, density=1.0, elasticity=1.0)
    saddle = SaddleRod(rod=rod, stabilisation=10.0)
    q, speed = saddle.state(np.zeros(3), np.zeros(3), (0.0, 0.0), (0.0, 0.0))
    q[-3] += 1e-3
    a = saddle.solve(q, speed, Phase(until=1.0))
    off = gaps(q, saddle.integrals(np.zeros(3), np.zeros(3)).chord)
    assert off == pytest.approx([0.0, 0.0, 1e-3, 0.0], abs=1e-15)
    assert a[6] - a[3] == pytest.approx(-(10.0**2) * 1e-3, rel=1e-10)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda rod: SaddleRod(rod=rod, stabilisation=-1.0), "stabilisation"),
        (lambda rod: SaddleRod(rod=rod, points=0), "points"),
        (lambda rod: SaddleRod(rod=3), "PlanarRod"),
        (lambda rod: SaddleRod(rod=rod).inertia([0.0]), "shape"),
        (lambda rod: SaddleRod(rod=rod).inertia([0.0, np.nan, 0.0, 0.0, 0.0]), "finite"),
        (lambda rod: SaddleRod(rod=rod).accelerations([0.0] * 5, [1.0] * 5, base="fixed"), "moves"),
        (lambda rod: SaddleRod(rod=rod).accelerations([0.0] * 5, [0.0] * 5, base="glued"), "base"),
        (
            lambda rod: SaddleRod(rod=rod).run(
                [Phase(until=1.0, base="pinned", motion=(np.arange(4.0), np.zeros((4, 2))))], times=[1.0]
            ),
            "motion",
        ),
    ],
)
def test_bad_input_is_refused(use, words):
    with pytest.raises(InputError, match=words):
        use(PlanarRod(**PAPER))
