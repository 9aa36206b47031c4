"""The orders of the three methods, fitted against Pinocchio's accelerations integrated by scipy."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

from tegotae.multibody import Body, Free, Revolute, Scene, Tree
from trees import in_pinocchio


def double_pendulum():
    def rod(name, parent, position):
        return Body(
            name=name, mass=1.0, inertia=(0.08, 0.08, 0.002), center=(0, 0, -0.5), parent=parent, position=position,
            joint=Revolute(axis=(0, 1, 0) if parent is None else (0.6, 0.8, 0), damping=0.0),
        )  # fmt: skip

    return Tree([rod("upper", None, (0, 0, 0)), rod("lower", "upper", (0, 0, -1))])


START, SPEED = np.array([1.0, -0.5]), np.array([0.5, 1.0])


def exact(tree, until):
    model = in_pinocchio(tree)
    data = model.createData()

    def rate(t, y):
        return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], np.zeros(2))])

    return solve_ivp(rate, (0, until), np.concatenate([START, SPEED]), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize(
    ("method", "order", "periods"),
    [
        ("rk4", 4, (0.02, 0.01, 0.005)),
        ("symplectic", 1, (1e-3, 5e-4, 2.5e-4)),
        ("euler", 1, (1e-3, 5e-4, 2.5e-4)),
        ("midpoint", 2, (2e-3, 1e-3, 5e-4)),
    ],
)
def test_order_on_a_double_pendulum(method, order, periods):
    tree, until = double_pendulum(), 1.0
    wanted = exact(tree, until)
    errors = []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=START, v=SPEED, method=method)
        errors.append(np.linalg.norm(np.concatenate([run.q[-1], run.v[-1]]) - wanted))
    slope = np.polyfit(np.log(periods), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.1), errors


def test_energy_of_a_double_pendulum_by_rk4_drifts_with_the_fifth_power_or_less():
    tree, drifts = double_pendulum(), []
    for period in (0.01, 0.005):
        run = Scene(tree=tree).run(5.0, period=period, q=START, v=SPEED, method="rk4")
        E = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
        drifts.append(np.abs(E - tree_energy(tree)).max())
    assert drifts[1] < 1e-6
    assert drifts[0] / drifts[1] > 2**3.5


def tree_energy(tree):
    kinetic, potential = tree.energy(START, SPEED)
    return float(kinetic + potential)


def test_symplectic_energy_swings_but_does_not_leave():
    """A pendulum: one degree with a constant inertia, where the method is symplectic indeed."""
    tree = Tree([Body(name="bob", mass=1.0, center=(0, 0, -1.0), joint=Revolute(axis=(0, 1, 0)))])
    run = Scene(tree=tree).run(200.0, period=1e-2, q=[1.0], method="symplectic")
    E = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    whole = 9.81 * (1.0 - np.cos(1.0))
    first, last = E[:2000], E[-2000:]
    assert np.ptp(first) < 0.05 * whole
    assert last.max() == pytest.approx(first.max(), abs=1e-3 * whole)
    assert last.min() == pytest.approx(first.min(), abs=1e-3 * whole)


@pytest.mark.parametrize(
    ("method", "order", "periods"), [("rk4", 4, (0.04, 0.02, 0.01)), ("symplectic", 1, (2e-3, 1e-3))]
)
def test_angular_momentum_of_a_tumbling_body_converges(method, order, periods):
    """Nothing turns it, so what its angular momentum changes is the error of the method."""
    tree = Tree(
        [Body(name="a", mass=1.0, inertia=(0.1, 0.2, 0.25), center=(0.1, 0.2, 0.3), joint=Free())], gravity=(0, 0, 0)
    )
    v = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    _, L0 = tree.momentum(tree.neutral(), v)
    errors = []
    for period in periods:
        run = Scene(tree=tree).run(1.0, period=period, v=v, method=method)
        errors.append(np.linalg.norm(np.asarray(run.angular_momentum[-1]) - L0))
    slope = np.polyfit(np.log(periods), np.log(errors), 1)[0]
    assert slope > order - 0.1, errors
