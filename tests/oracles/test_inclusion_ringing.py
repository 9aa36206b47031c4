"""A closed contact is a linear system of third order: M s^2 (1 + alpha s) + K (1 + beta s) = 0."""

import numpy as np
import pytest

from tegotae.inclusion import Contact, examples

K, BETA, M = 1e7, 1e-2, 1.0
BORDER = M / (4.0 * BETA * K)  # beyond it the contact rings


def poles(alpha):
    """Of the compiled ODE itself, at rest on the floor."""
    machine, _ = examples.bouncing_ball(mass=M)
    ode = machine.to_ode(contact=Contact(stiffness=K, damping=K * BETA, alpha=alpha))
    return np.linalg.eigvals(ode.jacobian(0.0, [-1e-6, 0.0, 1e-6]))


@pytest.mark.parametrize("part", [0.3, 0.9, 1.1, 4.0])
def test_poles_of_a_closed_contact(part):
    alpha = part * BORDER
    wanted = np.roots([M * alpha, M, K * BETA, K])
    assert np.sort_complex(poles(alpha)) == pytest.approx(np.sort_complex(wanted), rel=1e-6)


def test_a_contact_rings_beyond_the_border_only():
    assert np.abs(poles(0.9 * BORDER).imag).max() == 0.0
    ringing = poles(4.0 * BORDER)
    assert np.abs(ringing.imag).max() == pytest.approx(np.sqrt(K * BETA / (4.0 * BORDER * M)), rel=0.2)
