"""Rods whose motion or rest can be written down: beams, circles, pendulums, spinning and falling sticks."""

import math

import numpy as np
import pytest

from tegotae.papers.hirai2020.oracles import beam_frequencies
from tegotae.rod import Load, Payload, Phase, PlanarRod, Shape

LENGTH, DENSITY, ELASTICITY = 2.0, 0.3, 1.7


def squares(rod, base):
    """Squared frequencies about the straight rod at rest, rising."""
    small, still = 1e-6, np.zeros(rod.nodes)
    columns = [rod.accelerations(small * unit, still, base=base) / small for unit in np.eye(rod.nodes)]
    return np.sort(-np.linalg.eigvals(np.stack(columns, axis=1)).real)


@pytest.mark.parametrize(("base", "rigid"), [("free", 1), ("pinned", 1), ("fixed", 1)])
def test_frequencies_are_a_slender_beams_to_second_order(base, rigid):
    """`rigid` modes do not bend: turning, which a fixed base has as the row of its own angle."""
    exact = beam_frequencies(base, 3) * math.sqrt(ELASTICITY / DENSITY) / LENGTH**2
    errors = []
    for nodes in (9, 17, 33):
        rod = PlanarRod(length=LENGTH, nodes=nodes, density=DENSITY, elasticity=ELASTICITY)
        found = squares(rod, base)
        assert np.abs(found[:rigid]).max() <= 1e-3
        errors.append(np.abs(np.sqrt(found[rigid : rigid + 3]) / exact - 1.0))
    assert np.log2(errors[0] / errors[1]) == pytest.approx([2.0] * 3, abs=0.12)
    assert np.log2(errors[1] / errors[2]) == pytest.approx([2.0] * 3, abs=0.1)
    assert errors[2].max() <= 5e-3


def test_known_numbers_of_beams():
    """cos cosh = 1, tan = tanh, cos cosh = -1: beta L as in any handbook."""
    assert np.sqrt(beam_frequencies("free", 3)) == pytest.approx([4.73004074, 7.85320462, 10.99560784], abs=1e-8)
    assert np.sqrt(beam_frequencies("pinned", 3)) == pytest.approx([3.92660231, 7.06858275, 10.21017612], abs=1e-8)
    assert np.sqrt(beam_frequencies("fixed", 3)) == pytest.approx([1.87510407, 4.69409113, 7.85475744], abs=1e-8)


def test_a_beam_swings_in_its_lowest_mode():
    """In time, not only by its matrix: a fixed rod bent a little returns after one period."""
    rod = PlanarRod(length=LENGTH, nodes=9, density=DENSITY, elasticity=ELASTICITY)
    beta = math.sqrt(beam_frequencies("fixed", 1)[0]) / LENGTH
    s = np.linspace(0.0, LENGTH, 9)
    k = (math.cos(beta * LENGTH) + math.cosh(beta * LENGTH)) / (math.sin(beta * LENGTH) + math.sinh(beta * LENGTH))
    slope = np.sinh(beta * s) + np.sin(beta * s) - k * (np.cosh(beta * s) - np.cos(beta * s))
    bent = 1e-3 * slope / slope[-1]
    period = 2.0 * math.pi / (beta**2 * math.sqrt(ELASTICITY / DENSITY))
    run = rod.run(
        [Phase(until=period, base="fixed")],
        times=[period / 2.0, period],
        initial=Shape(angle=bent),
        rtol=1e-7,
        atol=1e-9,
    )
    # 0.3 % of a period early with 8 segments, but the cosine is flat there; the mode is off by the same order.
    assert run.angle[0, -1] == pytest.approx(-1e-3, rel=2e-2)
    assert run.angle[1, -1] == pytest.approx(1e-3, rel=2e-2)


@pytest.mark.parametrize("turns", [0.1, 1.0, 3.0])
def test_a_torque_at_the_tip_bends_a_circle(turns):
    """Pure bending: curvature M/R_ela everywhere. Exact for any number of nodes: the angle is linear."""
    rod = PlanarRod(length=LENGTH, nodes=4, density=DENSITY, elasticity=ELASTICITY, viscosity=1.0)
    curvature = turns * 2.0 * math.pi / LENGTH
    angle = np.linspace(0.0, curvature * LENGTH, 4)
    tip = [Load(at=-0.0, torque=ELASTICITY * curvature)]
    rest = rod.accelerations(angle, np.zeros(4), base="fixed", loads=tip)
    bare = rod.accelerations(angle, np.zeros(4), base="fixed")
    assert np.abs(rest).max() <= 1e-10 * np.abs(bare).max()


def test_natural_curvature_is_rest():
    rod = PlanarRod(length=LENGTH, nodes=6, density=DENSITY, elasticity=ELASTICITY, rest_curvature=0.8)
    assert np.abs(rod.accelerations(np.linspace(1.0, 1.0 + 0.8 * LENGTH, 6), np.zeros(6))).max() <= 1e-10


@pytest.mark.parametrize("payload", [None, Payload(mass=0.5), Payload(mass=0.5, inertia=0.3)])
def test_a_stiff_rod_is_a_pendulum(payload):
    """th'' = -(rho L^2/2 + m L) g sin th/(rho L^3/3 + m L^2 + I), with a bend of order g rho L^3/R_ela beside it."""
    m, inertia = (payload.mass, payload.inertia) if payload else (0.0, 0.0)
    lever = 0.5 * DENSITY * LENGTH**2 + m * LENGTH
    total = DENSITY * LENGTH**3 / 3.0 + m * LENGTH**2 + inertia
    # Gravity along +x: straight along +x hangs.
    hanging = PlanarRod(
        length=LENGTH, nodes=5, density=DENSITY, elasticity=1e6, viscosity=1e4, gravity=(9.81, 0.0), payload=payload
    )
    assert squares(hanging, "pinned")[0] == pytest.approx(lever * 9.81 / total, rel=1e-4)
    period = 2.0 * math.pi / math.sqrt(lever * 9.81 / total)
    start = Shape(angle=[1e-3] * 5)
    run = hanging.run([Phase(until=period, base="pinned")], times=[period], initial=start, rtol=1e-8, atol=1e-10)
    assert run.angle[-1] == pytest.approx([1e-3] * 5, rel=1e-3)


def test_a_free_rod_falls_as_a_body():
    """Whatever its shape: the centre of mass falls with g, and nothing turns or bends by gravity alone."""
    shape = np.array([0.3, -1.0, 2.0, 0.5])
    rate = np.array([1.0, -2.0, 0.5, 3.0])
    falling = PlanarRod(length=3.0, nodes=4, density=0.7, elasticity=1.0, gravity=(1.0, -9.81))
    floating = PlanarRod(length=3.0, nodes=4, density=0.7, elasticity=1.0)
    assert falling.accelerations(shape, rate) == pytest.approx(floating.accelerations(shape, rate), rel=1e-10)


def test_a_spinning_straight_rod_keeps_its_spin():
    """No bend, one rate: every node turns uniformly, for inertia pulls along the rod alone."""
    rod = PlanarRod(length=3.0, nodes=6, density=0.7, elasticity=1.0, viscosity=1.0)
    for base in ("free", "pinned"):
        assert np.abs(rod.accelerations(np.full(6, 0.7), np.full(6, 5.0), base=base)).max() <= 1e-11


def test_a_swung_base_is_a_swung_frame():
    """A pinned rod whose pin accelerates with a feels gravity -a."""
    t = np.linspace(0.0, 1.0, 9)
    a = np.array([2.0, -3.0])
    rod = PlanarRod(length=2.0, nodes=4, density=0.5, elasticity=3.0, viscosity=0.2)
    heavy = PlanarRod(length=2.0, nodes=4, density=0.5, elasticity=3.0, viscosity=0.2, gravity=tuple(-a))
    swung = rod.run(
        [Phase(until=1.0, base="pinned", motion=(t, 0.5 * t[:, None] ** 2 * a))], times=[0.5, 1.0], rtol=1e-9, atol=1e-9
    )
    held = heavy.run([Phase(until=1.0, base="pinned")], times=[0.5, 1.0], rtol=1e-9, atol=1e-9)
    assert np.abs(swung.angle - held.angle).max() <= 1e-7
    assert swung.position[:, 0] == pytest.approx(0.5 * np.array([[0.25], [1.0]]) * a, abs=1e-9)
