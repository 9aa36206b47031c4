"""The fixed-period rod nears the adaptive one, and closed forms of friction, as the square of the period; by Euler's
rule as the period.
"""

import numpy as np
import pytest

from tegotae.rod import Ground, GroundedRod, Load, Payload, Phase, PlanarRod, Shape
from tegotae.rod.grounded import Method
from tegotae.rod.kernels.simd_rows import C_LAST, C_MORE, K_LAST, K_MORE

PERIODS = np.array([1e-3, 5e-4, 2.5e-4])
ORDERS = {"midpoint": 2.0, "euler": 1.0}
G = 9.81

LIGHT = PlanarRod(length=1.0, nodes=6, density=1.0, elasticity=1.0, viscosity=0.02, gravity=(0.0, -1.0))
BEARER = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.05, payload=Payload(mass=0.2))
TIMES = np.linspace(0.0, 0.5, 11)
SWING = np.stack([0.3 * np.sin(3.0 * TIMES) ** 2, 0.2 * TIMES**2], axis=1)
BENT = Shape(angle=[-0.5, -0.4, -0.3, -0.2, -0.1, 0.0])
RISING = (np.array([0.0, 0.5]), np.array([0.0, 2.0]))

MACHINES = {
    "swinging": (LIGHT, [Phase(until=0.5, base="pinned")], BENT),
    "pinned, then free": (
        LIGHT,
        [Phase(until=0.3, torque=0.3, base="pinned"), Phase(until=0.5, base="free")],
        None,
    ),
    "bent by itself, carrying, loaded": (
        BEARER,
        [Phase(until=0.5, base="fixed", curvature=RISING, loads=[Load(at=0.55, force=(0.0, 0.3), torque=0.05)])],
        None,
    ),
    "bent all at once": (BEARER, [Phase(until=0.2, base="fixed"), Phase(until=0.5, base="fixed", curvature=2.0)], None),
    "moved at its base": (BEARER, [Phase(until=0.5, base="pinned", motion=(TIMES, SWING))], None),
}


def order_of(errors: list[float]) -> float:
    return float(np.polyfit(np.log(PERIODS), np.log(errors), 1)[0])


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("name", MACHINES)
def test_order_towards_the_adaptive_rod(name: str, method: Method) -> None:
    rod, phases, start = MACHINES[name]
    until = phases[-1].until
    wanted = rod.run(phases, times=[until], rtol=1e-11, atol=1e-11, method="explicit", initial=start)
    errors = {"angle": [], "angle_rate": [], "work": [], "position": []}  # type: dict[str, list[float]]
    for T in PERIODS:
        run = GroundedRod(rod=rod, method=method).run(phases, period=float(T), every=round(until / T), initial=start)
        for quantity, found in errors.items():
            found.append(float(np.abs(run[quantity][-1] - wanted[quantity][-1]).max()))
        assert run.about["steps"] == run.about["ticks"]
        if method == "euler":
            assert run.about["trials"] == run.about["ticks"], "nothing grips: one solve a tick"
        else:
            assert run.about["trials"] <= 1.01 * run.about["ticks"], "again only where all is suddenly let go"
    if name == "swinging":  # nothing is put in
        assert max(errors.pop("work")) == 0.0
    if (
        name == "bent all at once"
    ):  # K/2 curvature² length, which the adaptive rod leaves out; twice that by Euler's rule
        assert errors.pop("work") == pytest.approx(
            [1.0 if method == "midpoint" else 2.0] * 3, rel=1e-9 if method == "midpoint" else 1e-3
        )
    if name == "pinned, then free" and method == "midpoint":
        # The first tick, from rest under a torque, leaves an error of third order in where the rod drifts off to.
        assert order_of(errors.pop("position")) > 1.9
    for quantity, found in errors.items():
        assert order_of(found) == pytest.approx(ORDERS[method], abs=0.1), (quantity, found)


@pytest.mark.parametrize("method", ORDERS)
def test_order_of_a_rod_that_slides_one_way(method: Method) -> None:
    """A pendulum on an inclined table. Where the slip turns round on the body, the direction of friction, which is that
    of the end of the tick, is of first order.
    """
    table = Ground(tangential=0.2, normal=0.5, stiffness=1e7)
    pendulum = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=50.0, viscosity=1.0, gravity=(0.0, -G))
    start, periods = Shape(angle=0.3, angle_rate=-2.0), 10.0 * PERIODS

    def end(T: float) -> np.ndarray:
        run = GroundedRod(rod=pendulum, ground=table, base="pinned", method=method).run(
            [Phase(until=0.3, base="pinned")], period=T, every=round(0.3 / T), initial=start
        )
        assert (run.slip_speed[1:, 1:] > 0.1).all()
        return np.concatenate([run.angle[-1], run.angle_rate[-1]])

    finest = end(periods[-1] / 32.0)
    found = [float(np.abs(end(float(T)) - finest).max()) for T in periods]
    assert order_of(found) == pytest.approx(ORDERS[method], abs=0.1), found
    assert method == "euler" or found[0] < 3e-4  # by Euler's rule 1e-2


@pytest.mark.parametrize("method", ORDERS)
def test_a_rod_that_slides_along_itself_is_where_it_should_be(method: Method) -> None:
    """Constant friction: the place of the midpoint rule is exact, that of Euler's rule is late by mu g T t/2."""
    table = Ground(tangential=0.2, normal=0.5, stiffness=1e5, damping=500.0)
    rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=50.0, viscosity=1.0)
    for T in PERIODS:
        run = GroundedRod(rod=rod, ground=table, method=method).run(
            [Phase(until=0.2)], period=float(T), initial=Shape(angle=0.0, base_velocity=(2.0, 0.0))
        )
        off = run.position[:, 0, 0] - (2.0 * run.time - 0.5 * 0.2 * G * run.time**2)
        late = 0.0 if method == "midpoint" else -0.5 * 0.2 * G * T * 0.2
        assert off[-1] == pytest.approx(late, abs=1e-13)


@pytest.mark.parametrize("method", ORDERS)
def test_order_of_a_rod_that_sticks_and_bends(method: Method) -> None:
    """Its first nodes stick, the rest of it hangs over the edge of the table and swings."""
    table = Ground(tangential=0.0, normal=1.0, stiffness=1e7, load=[200.0, 0.0, 0.0, 0.0])
    rod = PlanarRod(length=1.0, nodes=5, density=0.2, elasticity=1.0, viscosity=0.02)
    start, periods = Shape(angle=0.0, angle_rate=[0.0, 0.0, 0.2, 0.4, 0.6]), 4.0 * PERIODS

    def end(T: float) -> np.ndarray:
        run = GroundedRod(rod=rod, ground=table, method=method).run(
            [Phase(until=0.2)], period=T, every=round(0.2 / T), initial=start
        )
        assert (run.slip_speed[:, :2] == 0.0).all()
        return np.asarray(run.angle[-1])

    finest = end(periods[-1] / 32.0)
    found = [float(np.abs(end(float(T)) - finest).max()) for T in periods]
    assert order_of(found) == pytest.approx(ORDERS[method], abs=0.1), found


@pytest.mark.parametrize("viscosity", [0.0, 1e-3, 0.02])
@pytest.mark.parametrize("nodes", [5, 17, 65])
def test_energy_of_a_rod_that_nobody_drives_hardly_rises(nodes: int, viscosity: float) -> None:
    """Bent and turning wildly, with bends far quicker than the period; by no more than 0.2 %, and where the rod has
    viscosity by less than 1e-4.
    """
    rod = PlanarRod(length=1.0, nodes=nodes, density=1.0, elasticity=0.5, viscosity=viscosity)
    along = np.linspace(0.0, 1.0, nodes)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        angle = rng.normal() * along + 0.7 * rng.normal() * np.sin(3 * along) + 0.3 * rng.normal() * np.sin(9 * along)
        rate = 2.0 * rng.normal() + 2.0 * rng.normal() * np.cos(5 * along)
        if seed >= 2:
            angle, rate = angle + 0.05 * rng.normal(size=nodes), rate + 2.0 * rng.normal(size=nodes)
        for T in (5e-4, 2e-3, 1e-2):
            run = GroundedRod(rod=rod).run([Phase(until=1.0)], period=T, initial=Shape(angle=angle, angle_rate=rate))
            energy = run.kinetic + run.elastic
            assert energy.max() <= energy[0] * (1.0 + (1e-4 if viscosity else 2e-3)), (seed, T)


def test_bends_that_are_quick_beside_the_period_die_out_and_none_grows() -> None:
    """Roots of a bend in a step for all stiffness k T²/m and viscosity c T/m, counted from middle to middle."""
    powers = [0.0, *10.0 ** np.arange(-6.0, 9.0, 0.5)]
    a, b = (K_MORE, -K_MORE + K_LAST, -K_LAST), (C_MORE, 1.0 - C_MORE - C_LAST, C_LAST)

    def largest(k: float, c: float) -> float:
        moves = np.array([1.0, -2.0, 1.0, 0.0])
        moves[1] += k
        moves += k * np.polymul([1.0, -1.0], a) + c * np.polymul([1.0, -1.0], b)
        return float(np.abs(np.roots(moves)).max())

    assert max(largest(k, c) for k in powers for c in powers) <= 1.0 + 1e-7
    assert largest(1e12, 0.0) == pytest.approx(0.5, abs=1e-3)
    assert np.abs(np.roots(b)) == pytest.approx([1.0 / 3.0] * 2, abs=1e-6)
