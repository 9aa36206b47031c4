"""The slides' two-body machine, started in contact, against its exact rigid solution.  [xiong2011]"""

import math

import numpy as np
import pytest
import sympy

from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio

G = 9.81
METHODS = ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA", "CVODE", "Heun"]
PARAMETERS = {"M1": 1.0, "M2": 2.0, "mu1": 0.2, "mu2": 0.3, "mu3": 0.5, "Ks": 200.0, "g": G}


def two_bodies():
    p1x, p1y, p2x, p2y, v1x, v1y, v2x, v2y = sympy.symbols("p1x p1y p2x p2y v1x v1y v2x v2y")
    M1, M2, mu1, mu2, mu3, Ks, g, u = sympy.symbols("M1 M2 mu1 mu2 mu3 Ks g u")
    wall, mutual, floor = dio(p1x, "wall"), dio(p2x - p1x, "mutual"), dio(p2y, "floor")
    one = coulomb(mu1 * wall, v1y, "rub_wall")
    two = coulomb(mu2 * mutual, v1y - v2y, "rub_mutual")
    three = coulomb(mu3 * floor, v2x + u, "rub_floor")
    rows = {p1x: v1x, p1y: v1y, p2x: v2x, p2y: v2y, v1x: (wall - mutual) / M1, v1y: (-one - two - Ks * p1y) / M1}
    rows |= {v2x: (mutual - three) / M2, v2y: (two + floor) / M2 - g}
    return Inclusion(rows, PARAMETERS, inputs={u: 1.0})


def rigid(times, start):
    """Body 1 between wall and body 2, exactly: half swings about centres that friction shifts, then rest."""
    M1, M2, mu1, mu2, mu3, Ks, g = PARAMETERS.values()
    w, p, t, height = math.sqrt(Ks / M1), start, 0.0, np.full(times.shape, np.nan)
    while True:
        way = -math.copysign(1.0, p)  # it starts towards 0
        press = mu3 * M2 * g / (1.0 + way * mu2 * mu3)
        shift = -way * (mu1 + mu2) * press / Ks
        if abs(p) <= abs(shift):
            height[times >= t] = p
            return height
        now = (times >= t) & (times < t + math.pi / w)
        height[now] = shift + (p - shift) * np.cos(w * (times[now] - t))
        p, t = 2 * shift - p, t + math.pi / w


@pytest.fixture(scope="module")
def pair():
    return two_bodies()


def test_two_body_machine_meets_the_rigid_solution(pair):
    errors = []
    for stiffness, step in ((1e4, 1e-4), (1e5, 1e-4), (1e6, 1e-4)):
        ode = pair.to_ode(
            contact=Contact(stiffness=stiffness, damping=stiffness * 2e-3, alpha=2e-4),
            friction=Friction(stiffness=stiffness, damping=stiffness * 2e-3),
        )
        run = ode.solve((0.0, 2.0), {"p1y": 0.2}, method="RK4", step=step)
        errors.append(np.abs(run.p1y - rigid(run.time, 0.2)).max())
    assert errors[2] < 2.5e-4
    assert errors[0] > errors[1] > errors[2]
    # While body 1 slides, down (v < 0) and up, the press between the bodies is the rigid one.
    for low, high, way in ((0.05, 0.2, -1.0), (0.27, 0.42, 1.0)):
        sliding = (run.time > low) & (run.time < high)
        press = 0.5 * 2.0 * G / (1.0 + way * 0.3 * 0.5)
        assert np.sign(run.v1y[sliding]) == pytest.approx(way)
        assert run.mutual[sliding].mean() == pytest.approx(press, rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_two_body_machine_runs_with_every_integrator(pair, method):
    ode = pair.to_ode(
        contact=Contact(stiffness=1e5, damping=200.0, alpha=2e-4), friction=Friction(stiffness=1e5, damping=200.0)
    )
    times = np.linspace(0.0, 0.5, 26)
    fixed = {"step": 5e-5} if method == "Heun" else {}
    run = ode.solve((0.0, 0.5), {"p1y": 0.2}, method=method, rtol=1e-6, times=times, **fixed)
    reference = ode.solve((0.0, 0.5), {"p1y": 0.2}, method="RK4", step=2e-5, times=times)
    np.testing.assert_allclose(run.p1y, reference.p1y, atol=2e-6)
