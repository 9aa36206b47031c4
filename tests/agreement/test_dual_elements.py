"""A mass over a frictional floor by the dual and its elements, and by the stepper of `tegotae.inclusion`."""

import math

import numpy as np
import pytest

from duals import CONE, Problem
from tegotae.inclusion import Contact, Friction, examples
from tegotae.kernels import contact as touching

K, BETA, K_T, BETA_T = 1e5, 2e-3, 3e4, 1e-3
MASS, GRAVITY = 2.0, 9.81
normal_offset, normal_stretch = touching.normal_offset.py_func, touching.normal_stretch.py_func
tangent_offset, compliance = touching.tangent_offset.py_func, touching.compliance.py_func
tangent_stretch, tangent_stretches = touching.tangent_stretch.py_func, touching.tangent_stretches


def thrown(
    *, T: float, ticks: int, mu: float = 0.0, push: float = 0.0, speed: float = 0.0, height: float = 0.0,
    gravity: float = GRAVITY, fall: float = 0.0,
) -> np.ndarray:  # fmt: skip
    """Rows of px, py, vx, vy. The push and the speed lie in the direction (.6, .8) of the floor."""
    v = np.array([-fall, 0.6 * speed, 0.8 * speed])  # normal, and both tangents
    p, x, e, a, f = height, 0.0, 0.0, (0.0, 0.0), np.zeros(3)
    load = np.array([-MASS * gravity, 0.6 * push, 0.8 * push])
    C = np.array([compliance(K, BETA, T), *2 * [compliance(K_T, BETA_T, T)]])
    rows = []
    for _ in range(ticks):
        free = v + T * load / MASS
        wanted = [normal_offset(p, e, BETA, T), tangent_offset(a[0], BETA_T, T), tangent_offset(a[1], BETA_T, T)]
        one = Problem(T / MASS * np.eye(3), C, free - wanted, np.array([CONE]), np.array([0]), np.array([mu]))
        f, _, flag = one.solve(f)
        assert flag == 0
        v = free + T * f / MASS
        p += T * v[0]
        x += T * (0.6 * v[1] + 0.8 * v[2])
        e = normal_stretch(f[0], e, K, BETA, T)
        by_force = [tangent_stretch(f[1 + k], a[k], K_T, BETA_T, T) for k in range(2)]
        a = tangent_stretches(f[0], f[1], f[2], v[1], v[2], a[0], a[1], mu, K_T, BETA_T, T)
        assert a == pytest.approx(by_force, abs=1e-15)  # where it sticks, force and motion say the same
        rows.append([x, p, 0.6 * v[1] + 0.8 * v[2], v[0]])
    return np.array(rows)


@pytest.mark.parametrize(
    ("mu", "push", "speed", "height"),
    [(0.5, 0.0, 1.0, 0.01), (0.5, 5.0, 0.5, 0.0), (0.5, 12.0, 0.0, 0.0)],  # bounces and stops; held; slides off
)
def test_the_dual_and_the_stepper_are_one_model(mu: float, push: float, speed: float, height: float) -> None:
    T, ticks = 1e-3, 400
    machine, start = examples.floor(mass=MASS, friction=mu, push=push, speed=speed, height=height)
    contact, friction = Contact(stiffness=K, damping=K * BETA), Friction(stiffness=K_T, damping=K_T * BETA_T)
    stepper = machine.to_stepper(period=T, contact=contact, friction=friction, method="euler")  # as written out above
    run = stepper.run(ticks=ticks, initial=start)
    ours = thrown(T=T, ticks=ticks, mu=mu, push=push, speed=speed, height=height)
    theirs = np.column_stack([run.px, run.py, run.vx, run.vy])
    assert ours == pytest.approx(theirs[-ticks:], abs=1e-11)  # each tick is solved to rounding; 400 of them add up


def test_a_bounce_gives_back_what_theory_says() -> None:
    """As the period falls, restitution exp(-zeta/sqrt(1 - zeta^2) (pi - phase)), released where the force vanishes."""
    zeta = 0.5 * BETA * math.sqrt(K / MASS)
    root = math.sqrt(1 - zeta**2)
    theory = math.exp(-zeta / root * (math.pi - math.atan2(2 * zeta * root, 1 - 2 * zeta**2)))
    errors = []
    for T in (4e-5, 2e-5):
        rows = thrown(T=T, ticks=round(0.03 / T), height=1e-3, gravity=0.0, fall=1.0)
        errors.append(rows[-1, 3] - theory)
    assert abs(errors[1]) < 0.01
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.1)  # backward Euler loses in proportion to the period


def test_a_mass_held_by_friction_does_not_creep() -> None:
    rows = thrown(T=1e-3, ticks=10000, mu=0.5, push=4.9, height=-MASS * GRAVITY / K)  # swings to at most 9.8 of 9.81 N
    assert rows[-1, 0] == pytest.approx(4.9 / K_T, abs=1e-15)  # the anchor has not moved
    assert np.ptp(rows[-5000:, 0]) < 1e-18
