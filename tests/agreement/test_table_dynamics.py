"""The table's dynamics in the plate's coordinates against thirteen rigid bodies held together by constraint forces."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tegotae.table import ArmServo, Hexa, HexaPlant, TableBody, rotation_about

TABLE = Hexa.default()
PLANT = HexaPlant(
    table=TABLE,
    servo=ArmServo(stiffness=200.0, damping=4.0, resolution=0.0, compensation=0.0),
    plate=TableBody(
        mass=0.8, inertia=[[5e-3, 1e-4, 0.0], [1e-4, 6e-3, 2e-4], [0.0, 2e-4, 9e-3]], center=(0.01, -0.02, 0.005)
    ),
    payload=TableBody(mass=0.3, inertia=(3e-4, 2e-4, 1e-4), center=(0.03, 0.0, -0.08)),
    arm_inertia=0.02,
    arm_moment=0.06,
    rod_mass=0.12,
)


def cross(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def merged(*loads):
    """One body out of several: mass, centre, inertia about the centre."""
    mass = sum(x.mass for x in loads)
    center = sum(x.mass * np.asarray(x.center) for x in loads) / mass
    inertia = np.zeros((3, 3))
    for x in loads:
        d = np.asarray(x.center) - center
        inertia += x.tensor + x.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, center, inertia


def constrained_acceleration(p, R, V, tau, F):
    """Bodies: plate (6 coordinates at its centre of mass), arms (1 each), rods (6 each); ends of rods are joined.

    Unknown: accelerations and the joints' forces; the equations of rigid bodies and the joints' closure, at once.
    """
    mass, c0, I0 = merged(PLANT.plate, PLANT.payload)
    v, w, g = V[:3], V[3:], np.array([0.0, 0.0, -9.81])
    c = R @ c0
    n_body = 6 + 6 + 36
    M, h, A, b = np.zeros((n_body, n_body)), np.zeros(n_body), np.zeros((36, n_body)), np.zeros(36)
    plate = R @ I0 @ R.T
    M[:3, :3], M[3:6, 3:6] = mass * np.eye(3), plate
    h[:3] = mass * g + F[:3]
    h[3:6] = F[3:] - np.cross(c, F[:3]) - np.cross(w, plate @ w)  # F acts at the joints' centre, -c from here
    m, L2 = PLANT.rod_mass, TABLE.rod_length
    for i, th in enumerate(TABLE.inverse(p, R)):
        row = TABLE.geometry[i]
        u = np.array([row[3], row[4], 0.0])
        down = np.array([0.0, 0.0, -1.0])
        arm, turn = (
            row[8] * (math.cos(th) * u + math.sin(th) * down),
            row[8] * (-math.sin(th) * u + math.cos(th) * down),
        )
        joint = R @ row[5:8]
        n = p + joint - row[:3] - arm
        xd = v + np.cross(w, joint)
        thd = float(n @ xd) / float(n @ turn)
        spin = np.cross(n, xd - turn * thd) / L2**2
        rod = m * L2**2 / 12.0 * (np.eye(3) - np.outer(n, n) / L2**2) + 1e-6 * np.outer(n, n) / L2**2
        k, a = 12 + 6 * i, 6 + i
        M[a, a] = PLANT.arm_inertia
        h[a] = tau[i] + PLANT.arm_moment * 9.81 * math.cos(th)
        M[k : k + 3, k : k + 3], M[k + 3 : k + 6, k + 3 : k + 6] = m * np.eye(3), rod
        h[k : k + 3], h[k + 3 : k + 6] = m * g, -np.cross(spin, rod @ spin)
        for end, side in ((0, -0.5), (1, 0.5)):
            r = slice(6 * i + 3 * end, 6 * i + 3 * end + 3)
            A[r, k : k + 3], A[r, k + 3 : k + 6] = np.eye(3), -cross(side * n)
            b[r] = -np.cross(spin, np.cross(spin, side * n))
            if end == 0:
                A[r, a] = -turn
                b[r] += -arm * thd**2
            else:
                A[r, :3], A[r, 3:6] = -np.eye(3), cross(joint - c)
                b[r] += np.cross(w, np.cross(w, joint - c))
    whole = np.block([[M, A.T], [A, np.zeros((36, 36))]])
    found = np.linalg.solve(whole, np.concatenate([h, b]))[:6]
    alpha = found[3:]
    return np.concatenate([found[:3] - np.cross(alpha, c) - np.cross(w, np.cross(w, c)), alpha])


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_are_those_of_thirteen_bodies(seed):
    rng = np.random.default_rng(seed)
    p, R = np.array([0.0, 0.0, -0.47]) + rng.uniform(-0.06, 0.06, 3), rotation_about(rng.uniform(-0.3, 0.3, 3))
    V = rng.normal(size=6) * np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
    tau, F = rng.normal(size=6), rng.normal(size=6)
    M, h, W = PLANT._terms(p, R, V)
    ours = np.linalg.solve(M, W.T @ tau + F - h)
    wanted = constrained_acceleration(p, R, V, tau, F)
    # both solve linear systems of condition 1e4 or so in double precision
    assert_allclose(ours, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_leaving_out_what_turning_does_would_be_seen():
    """The oracle can fail: without velocity terms the accelerations differ by far more than its digits."""
    p, R, V = np.array([0.02, 0.0, -0.47]), np.eye(3), np.array([0.5, 0.2, 0.0, 1.0, 0.0, 2.0])
    M, h, _ = PLANT._terms(p, R, np.zeros(6))
    still = np.linalg.solve(M, -h)
    assert np.abs(still - constrained_acceleration(p, R, V, np.zeros(6), np.zeros(6))).max() > 0.1
