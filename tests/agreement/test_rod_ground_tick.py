"""One tick of a rod that partly sticks, partly slips and meets a wall, against a dense minimisation by scipy; and one
so short that it tells the accelerations, against the saddle-point form.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from tegotae.rod import Ground, GroundedRod, Load, Payload, Phase, PlanarRod, Shape, Wall
from tegotae.rod.grounded import Method
from tegotae.rod.kernels.simd_rows import C_MORE, CALM, K_MORE
from tegotae.rod.planar import PureRod
from tegotae.rod.saddle import SaddleRod

NODES, T = 6, 0.02
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)


def node_places(q: np.ndarray) -> np.ndarray:
    """Of q = (x, y, angles), by Gauss quadrature, as complex numbers."""
    w, h = 0.5 * (POINTS + 1.0), 1.0 / (NODES - 1)
    theta = q[2:-1, None] + np.diff(q[2:])[:, None] * w
    ways = h * (np.exp(1j * theta) * (0.5 * WEIGHTS)).sum(axis=1)
    return np.asarray(q[0] + 1j * q[1] + np.concatenate([[0.0], np.cumsum(ways)]))


def to_velocities(q: np.ndarray) -> np.ndarray:
    """J as complex columns, by central differences (error 1e-10)."""
    step = 1e-5 * np.eye(NODES + 2)
    return np.stack([(node_places(q + d) - node_places(q - d)) / 2e-5 for d in step], axis=1)


def tick(
    rod: PlanarRod, ground: Ground, wall: Wall, angle: np.ndarray, push: dict[int, np.ndarray], method: str
) -> np.ndarray:
    """Rates after one tick from rest: the minimum of inertia, bending, friction and wall as one convex function.

    push: node -> force x, y and torque on it.
    """
    q = np.concatenate([[0.0, 0.0], angle])
    own, h = rod.segments, 1.0 / (NODES - 1)
    D = np.zeros((NODES - 1, NODES + 2))  # bend of each segment
    D[np.arange(NODES - 1), np.arange(2, NODES + 1)], D[np.arange(NODES - 1), np.arange(3, NODES + 2)] = -1.0, 1.0
    K, C = own.elasticity, own.viscosity
    lacks = np.maximum(T * K * np.minimum(1.0, CALM * T * np.sqrt(K / own.density) / h**2) - C, 0.0)
    bends = C + T * K if method == "euler" else C_MORE * C + lacks + T * K_MORE * K
    A = PureRod(rod=rod).inertia(angle) + D.T @ np.diag(T * bends / h) @ D
    b = -T * D.T @ (own.elasticity / h * (D @ q - h * own.rest_curvature))
    J, gap = to_velocities(q), node_places(q).imag - wall.point[1]
    for node, (x, y, torque) in push.items():
        b += T * (J[node].real * x + J[node].imag * y)
        b[2 + node] += T * torque
    forward, _, across = (np.asarray(c) * ground.loads(rod) for c in ground.coefficients)
    share = h * np.r_[0.5, np.ones(NODES - 2), 0.5]
    ic = (ground.stiffness * T + ground.damping) * share / np.maximum(forward, across) ** 2
    stiff = wall.stiffness * T + wall.damping

    def function(v: np.ndarray) -> tuple[float, np.ndarray]:
        u = J @ v
        body = u * np.exp(-1j * angle)
        s = np.hypot(forward * body.real, across * body.imag)
        sticks = ic * s <= 1.0
        friction = np.where(sticks, 0.5 * ic * s**2, s - 0.5 / ic)
        pull = np.where(sticks, ic, 1.0 / np.maximum(s, 1e-300))
        press = np.maximum(-wall.stiffness * gap - stiff * u.imag, 0.0)
        total = 0.5 * v @ A @ v - b @ v + T * (friction.sum() + (press**2).sum() / (2.0 * stiff))
        back = pull * (forward**2 * body.real + 1j * across**2 * body.imag) * np.exp(1j * angle) - 1j * press
        return float(total), A @ v - b + T * (J.conj() * back[:, None]).sum(axis=0).real

    # Scaled by the Cholesky factor of A, else slow; several starts from the last minimum, to rounding.
    L = np.linalg.inv(np.linalg.cholesky(A)).T

    def scaled(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = function(L @ x)
        return value, L.T @ slope

    x = np.zeros(NODES + 2)
    for _ in range(5):
        x = minimize(scaled, x, jac=True, method="BFGS", options={"gtol": 1e-13}).x
    assert np.abs(scaled(x)[1]).max() < 1e-8
    return np.asarray(L @ x)


PUSHES: list[dict[str, list[float]]] = [
    {},
    {"base": [0.4, -0.3, 0.0], "tip": [-0.8, 0.2, 0.01]},
    {"node_3": [0, -2, 0.0]},
]


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize(
    ("method", "curvature"), [("euler", 3.0), ("euler", 6.0), ("euler", 12.0), ("midpoint", 3.0), ("midpoint", 4.0)]
)
def test_a_tick_is_the_minimum_of_a_convex_function(
    method: Method, curvature: float, push: dict[str, list[float]]
) -> None:
    """Also under forces on ports, whose motion is then that of their nodes. With ports also where none is pushed: by
    the midpoint a rod that has none solves so wild a tick again, with what turning does in it.
    """
    bends = curvature * np.array([0.0, 0.0, 0.3, 1.0, 1.0])
    rod = PlanarRod(length=1.0, nodes=NODES, density=1.0, elasticity=0.3, viscosity=0.01, rest_curvature=bends)
    ground = Ground(tangential=0.2, normal=0.6, stiffness=1e3, damping=100.0)
    angle = np.array([0.0, 0.1, -0.1, -0.3, 0.1, 0.2])
    lowest = node_places(np.concatenate([[0.0, 0.0], angle])).imag.min()
    wall = Wall(point=(0.0, float(lowest) + 1e-5), normal=(0.0, 1.0), stiffness=1e3, damping=10.0)
    places = {"base": 0, "tip": NODES - 1, "node_3": 3}
    at = [3 if name == "node_3" else name for name in push or ("tip",)]
    table = GroundedRod(rod=rod, ground=ground, walls=[wall], at=at, method=method)
    force = {name: np.array([h]) for name, h in push.items()} or None
    run = table.run([Phase(until=T)], period=T, initial=Shape(angle=angle), force=force)
    wanted = tick(rod, ground, wall, angle, {places[name]: np.array(h) for name, h in push.items()}, method)
    for name in push:
        u = (to_velocities(np.concatenate([[0.0, 0.0], angle])) @ wanted)[places[name]]
        moved = [u.real, u.imag, wanted[2 + places[name]]]
        assert run[f"velocity.{name}"][1] == pytest.approx(moved, abs=1e-6 * np.abs(wanted).max())
    found = np.concatenate([run.velocity[1, 0], run.angle_rate[1]])
    assert found == pytest.approx(wanted, abs=1e-6 * np.abs(wanted).max())
    slips = run.slip_speed[1] > 0.0
    assert 0 < np.count_nonzero(slips) < NODES, "partly stuck, partly sliding"
    assert run.contact.any()


@pytest.mark.parametrize("nodes", [2, 8, 9, 13, 25])
@pytest.mark.parametrize("bend", [0.5, 4.0])
def test_a_short_tick_accelerates_as_the_saddle_point_form_says(nodes: int, bend: float) -> None:
    """Fewer nodes than are worked on at once, as many, more; bends within the series for small ones and beyond."""
    rng = np.random.default_rng(nodes)
    spacing = rng.uniform(0.5, 1.5, nodes - 1)
    rod = PlanarRod(
        length=1.0,
        nodes=nodes,
        density=rng.uniform(0.5, 2.0, nodes - 1),
        elasticity=0.1,
        viscosity=1e-6,
        spacing=spacing / spacing.sum(),
        rest_curvature=rng.normal(size=nodes - 1),
        gravity=(1.0, -2.0),
        payload=Payload(mass=0.3, inertia=0.02),
    )
    angle, rate = np.cumsum(rng.uniform(-bend, bend, nodes)), rng.uniform(-1.0, 1.0, nodes)
    loads = [Load(at=0.37, force=(0.5, -0.2), torque=0.1), Load(at=0.0, force=(-0.3, 0.4))]
    short = 1e-9
    run = GroundedRod(rod=rod).run(
        [Phase(until=short, torque=0.7, loads=loads)], period=short, initial=Shape(angle=angle, angle_rate=rate)
    )
    wanted = SaddleRod(rod=rod, points=40).accelerations(angle, rate, torque=0.7, loads=loads)
    # Rates rounded to 1e-16 over 1e-9 s; bending is taken a tick later: with so little viscosity that is less.
    assert (run.angle_rate[1] - rate) / short == pytest.approx(wanted, abs=1e-6 * np.abs(wanted).max())
