"""More nodes, shorter steps: how fast a rod nears the continuous one, and where that is by another chain."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tegotae.rod import Phase, PlanarRod

TORQUE, LENGTH, DENSITY, ELASTICITY, VISCOSITY = 10.0, 10.0, 0.1, 1.0, 2.0


def tip(nodes, torque=TORQUE, tolerance=1e-8):
    rod = PlanarRod(length=LENGTH, nodes=nodes, density=DENSITY, elasticity=ELASTICITY, viscosity=VISCOSITY)
    run = rod.run([Phase(until=1.0, torque=torque, base="pinned")], times=[1.0], rtol=tolerance, atol=tolerance)
    return run.position[-1, -1]


def hinges(links, torque=TORQUE):
    """The tip of a chain of rigid links with springs and dampers in its hinges: another discretisation altogether.

    Angles t_i of the links; sum_j c_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) = moments.
    """
    h = LENGTH / links
    later = np.maximum.outer(np.arange(links), np.arange(links))
    c = DENSITY * h**3 * (links - 1 - later + np.where(np.eye(links) > 0, 1.0 / 3.0, 0.5))

    def rate(_, z):
        angle, speed = z[:links], z[links:]
        apart = np.subtract.outer(angle, angle)
        moment = (ELASTICITY * np.diff(angle) + VISCOSITY * np.diff(speed)) / h
        force = np.append(moment, 0.0) - np.append(0.0, moment) - (c * np.sin(apart)) @ speed**2
        force[0] += torque
        return np.concatenate([speed, np.linalg.solve(c * np.cos(apart), force)])

    z = solve_ivp(rate, (0.0, 1.0), np.zeros(2 * links), method="LSODA", rtol=1e-7, atol=1e-8).y[:links, -1]
    return h * np.array([np.cos(z).sum(), np.sin(z).sum()])


@pytest.mark.parametrize("torque", [5.0, 10.0])
def test_second_order_in_the_length_of_a_segment(torque):
    tips = [tip(nodes, torque) for nodes in (17, 33, 65, 129)]
    steps = [np.linalg.norm(b - a) for a, b in itertools.pairwise(tips)]
    orders = np.log2(np.divide(steps[:-1], steps[1:]))
    assert orders == pytest.approx([2.0, 2.0], abs=0.1)


def test_the_limit_is_that_of_a_chain_of_hinges():
    ours = [tip(nodes) for nodes in (65, 129)]
    theirs = [hinges(links) for links in (40, 80)]
    limit, other = (fine + (fine - coarse) / 3.0 for coarse, fine in (ours, theirs))
    gap = np.linalg.norm(theirs[1] - theirs[0])
    # Richardson leaves the chain an error of fourth order: a small part of what its last doubling changed.
    assert np.linalg.norm(limit - other) <= 0.02 * gap
    assert gap <= 0.02


def test_a_tolerance_is_worth_its_digits():
    """The error stays within fifty times what is asked for, by explicit and by implicit steps."""
    for nodes in (5, 17):
        exact = tip(nodes, tolerance=1e-11)
        for tolerance in (1e-4, 1e-6, 1e-8):
            assert np.linalg.norm(tip(nodes, tolerance=tolerance) - exact) <= 50.0 * tolerance


def test_more_nodes_take_no_more_steps():
    """Bending stiffens with the fourth power of the nodes; implicit steps follow the motion, which stays the same."""
    steps = {}
    for nodes in (33, 257):
        rod = PlanarRod(length=LENGTH, nodes=nodes, density=DENSITY, elasticity=ELASTICITY, viscosity=VISCOSITY)
        run = rod.run([Phase(until=1.0, torque=TORQUE, base="pinned")], times=[1.0], rtol=1e-5, atol=1e-5)
        steps[nodes] = run.about["steps"] + run.about["rejected_steps"]
    assert steps[257] <= 1.3 * steps[33]
