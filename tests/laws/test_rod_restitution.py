"""Walls and pegs with a restitution: Newton's law of impact, whatever the rod, the stiffness and the period."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.errors import InputError
from tegotae.rod import Ground, GroundedRod, Peg, Phase, PlanarRod, Shape, Wall
from tegotae.rod.grounded import Method

STILL = Shape(angle=0.0, base_velocity=(0.0, 0.0))
METHODS: list[Method] = ["midpoint", "euler"]


def floor(restitution: float | None, stiffness: float = 1e4, height: float = 0.0, friction: float = 0.0) -> Wall:
    return Wall(point=(0.0, height), normal=(0.0, 1.0), stiffness=stiffness, restitution=restitution, friction=friction)


def short_rod(density: float = 2.0, nodes: int = 5, gravity: tuple[float, float] = (0.0, 0.0)) -> PlanarRod:
    """So stiff that it does not bend."""
    return PlanarRod(length=0.1, nodes=nodes, density=density, elasticity=100.0, viscosity=0.1, gravity=gravity)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize(("period", "stiffness"), [(1e-4, 1e2), (1e-3, 1e7), (1e-2, 1e4)])
@pytest.mark.parametrize("density", [0.02, 50.0])
def test_a_rod_that_meets_a_wall_broadside_leaves_with_the_restitution(
    method: Method, restitution: float, period: float, stiffness: float, density: float
) -> None:
    """All nodes, at e times the speed, from the moment at which they met it; momentum is that of the wall's push."""
    rod, ticks, away = short_rod(density), 200, 0.0503
    speed = 1.003 * away / (100 * period)
    wall = floor(restitution, stiffness, -away)
    run = GroundedRod(rod=rod, walls=[wall], method=method).run(
        [Phase(until=ticks * period)], period=period, initial=Shape(angle=0.0, base_velocity=(0.3, -speed))
    )
    assert run.about["unsolved_steps"] == 0
    np.testing.assert_allclose(run.velocity[-1, :, 1], restitution * speed, rtol=0, atol=1e-6 * speed)
    flown = restitution * speed * (ticks * period - away / speed)
    np.testing.assert_allclose(run.position[-1, :, 1] + away, flown, rtol=0, atol=1e-6 * away)
    impulse = run.contact[1:].sum(axis=(0, 1)) * period
    mass = 0.1 * density
    np.testing.assert_allclose(impulse, [0.0, (1.0 + restitution) * mass * speed], rtol=1e-6, atol=1e-6 * mass * speed)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("nodes", [2, 3])
def test_a_rod_that_strikes_with_one_end_turns_as_the_wall_pushes(
    method: Method, restitution: float, nodes: int
) -> None:
    """The node leaves at e times its speed; momentum and turning change by the push of the wall; nothing is gained."""
    period, speed = 1e-5, 1.0
    rod = short_rod(nodes=nodes)
    run = GroundedRod(rod=rod, walls=[floor(restitution)], method=method).run(
        [Phase(until=0.002)],
        period=period,
        initial=Shape(angle=0.5, base=(0.0, 0.000503), base_velocity=(0.0, -speed)),
    )
    assert run.about["unsolved_steps"] == 0
    struck = np.flatnonzero(run.contact[:, :, 1].sum(axis=1) > 0.0)
    first = int(struck[0])
    assert np.flatnonzero(run.contact[first, :, 1]).tolist() == [0]
    assert run.velocity[first - 1, 0, 1] == pytest.approx(-speed, rel=1e-9)
    assert run.velocity[first, 0, 1] == pytest.approx(restitution * speed, abs=1e-6)
    push = period * np.cumsum(run.contact, axis=0)
    # To first order in the period: the step of an impact takes all directions at one place, and they turn meanwhile.
    off = np.abs(run.momentum - run.momentum[0] - push.sum(axis=1)).max()
    rate = np.abs(run.angle_rate).max()
    assert off < 0.1 * 2.0 * rod.length * rate * (period * rate) < 0.01 * 0.2 * speed
    # About the origin, with the arm at the moment of the impact, when the node is on the wall: of its x alone.
    arm = run.position[first, 0, 0]
    change = run.angular_momentum[first + 1] - run.angular_momentum[0]
    assert change == pytest.approx(arm * push[first, 0, 1], abs=1e-3 * abs(rod.length * push[first, 0, 1]))
    total = run.kinetic + run.elastic
    assert total.max() <= total[0] * (1.0 + 1e-12)
    # What is told at the ends of steps ripples with the bends, by the square of the period.
    assert (np.diff(total) <= (1e-5 if method == "midpoint" else 1e-12) * total[0]).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.5, 0.9])
@pytest.mark.parametrize("period", [1e-3, 7e-3])
def test_a_rod_that_falls_rises_to_e_squared_of_its_height(method: Method, restitution: float, period: float) -> None:
    """The moment of an impact inside its tick is kept: to second order by the midpoint, else to first."""
    height = 0.5
    rod = short_rod(gravity=(0.0, -9.81))
    run = GroundedRod(rod=rod, walls=[floor(restitution, 1e5, -height)], method=method).run(
        [Phase(until=140 * 7e-3)], period=period, initial=STILL
    )
    above = (run.position[:, 0, 1] + 0.5 * run.velocity[:, 0, 1] ** 2 / 9.81) / height + 1.0
    first = int(np.flatnonzero(above < 0.5 * (1.0 + restitution**2))[0])
    # A step's place is g T²/8 off the parabola by the midpoint, and its speed taken half a tick aside by Euler's rule.
    bound = 9.81 * period**2 / 8 / height if method == "midpoint" else period * np.sqrt(9.81 / height)
    assert above[first + 1] == pytest.approx(restitution**2, abs=bound)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 0.95])
@pytest.mark.parametrize("stiffness", [1e3, 1e6])
def test_a_rod_that_falls_on_a_floor_comes_to_rest(method: Method, restitution: float, stiffness: float) -> None:
    """Also tilted. Its weight is carried by the springs, as deep as they say: then they act as without restitution."""
    rod = short_rod(gravity=(0.0, -9.81))
    run = GroundedRod(rod=rod, walls=[floor(restitution, stiffness)], method=method).run(
        [Phase(until=20.0)], period=1e-3, initial=Shape(angle=0.1, base=(0.0, 0.1))
    )
    assert run.about["unsolved_steps"] == 0
    # It rattles, and never rises above what it fell from: the middle by 0.1 m and half of its tilt.
    assert run.position[:, 2, 1].max() <= 0.1 + 0.11 * 0.5 * float(rod.length)
    assert np.abs(run.velocity[-1, :, 1]).max() < 1e-6
    weight = 9.81 * 0.2
    assert run.contact[-1, :, 1].sum() == pytest.approx(weight, rel=1e-6)
    np.testing.assert_allclose(run.contact[-1, :, 1], -stiffness * run.position[-1, :, 1].clip(None, 0.0), rtol=1e-3)


@settings(max_examples=30, deadline=None)
@given(
    restitution=st.floats(0.0, 1.0),
    other=st.none() | st.floats(0.0, 1.0),
    nodes=st.integers(2, 12),
    elasticity=st.floats(-2.0, 2.0).map(lambda x: 10.0**x),
    velocity=st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0)),
    spin=st.floats(-10.0, 10.0),
    period=st.sampled_from([1e-4, 1e-3]),
    friction=st.sampled_from([0.0, 0.5]),
    ground=st.none() | st.just(Ground(tangential=0.1, normal=0.5, stiffness=1e4)),
    method=st.sampled_from(METHODS),
)
def test_no_impact_makes_energy(
    restitution: float,
    other: float | None,
    nodes: int,
    elasticity: float,
    velocity: tuple[float, float],
    spin: float,
    period: float,
    friction: float,
    ground: Ground | None,
    method: Method,
) -> None:
    """In a corner with a peg, bending, spinning, with friction: what is in the rod never rises."""
    rod = PlanarRod(length=0.3, nodes=nodes, density=1.0, elasticity=elasticity, viscosity=1e-3 * elasticity)
    things = [
        Wall(point=(0.0, -0.05), normal=(0.1, 1.0), stiffness=1e5, restitution=restitution, friction=friction),
        Wall(point=(-0.05, 0.0), normal=(1.0, 0.0), stiffness=1e5, restitution=other, friction=friction),
    ]
    peg = Peg(centre=(0.2, 0.25), radius=0.2, stiffness=1e5, restitution=restitution, friction=friction)
    run = GroundedRod(rod=rod, walls=things, pegs=[peg], ground=ground, method=method).run(
        [Phase(until=0.2)],
        period=period,
        initial=Shape(angle=0.0, base_velocity=velocity, angle_rate=np.full(nodes, spin)),
    )
    assert run.about["unsolved_steps"] == 0
    total = run.kinetic + run.elastic + run.ground_elastic
    # What smooth motion gains by the period, as without any wall (`test_rod_ground_laws`), is allowed.
    assert total.max() <= total[0] * (1.0 + 1e-2) + 1e-9


def test_what_already_carries_takes_part_in_an_impact() -> None:
    """Its other end leans on a post with a restitution that holds firm: so the rod turns about that end, as rigidly as
    it can, and the node that struck still leaves with its e."""
    rod = short_rod(nodes=3, gravity=(0.0, -9.81))
    run = GroundedRod(rod=rod, walls=[floor(0.5)], method="euler").run(
        [Phase(until=0.15)], period=1e-4, initial=Shape(angle=0.3)
    )
    struck = int(np.flatnonzero(run.contact[:, -1, 1] > 0.0)[0])
    speed = -run.velocity[struck - 1, -1, 1]
    assert run.velocity[struck, -1, 1] == pytest.approx(0.5 * speed, rel=1e-2)
    assert run.velocity[struck, 0, 1] >= -1e-6


def test_friction_of_an_impact_acts_in_the_step_after_it() -> None:
    """Thrown at a slant, the rod loses mu (1 + e) of its speed of approach along the wall, as Coulomb's law says."""
    rod, mu, e, u = short_rod(), 0.2, 0.5, 1.0
    run = GroundedRod(rod=rod, walls=[floor(e, 1e7, -0.0503, mu)]).run(
        [Phase(until=0.1)], period=1e-4, initial=Shape(angle=0.0, base_velocity=(3.0, -u))
    )
    assert run.momentum[-1, 0] / 0.2 == pytest.approx(3.0 - mu * (1.0 + e) * u, rel=1e-3)


def test_rods_with_ports_refuse_it() -> None:
    with pytest.raises(InputError, match=r"restitution.*ports.*\n  Leave out `at`"):
        GroundedRod(rod=short_rod(), walls=[floor(0.5)], at="tip")
    assert GroundedRod(rod=short_rod(), walls=[floor(None)], at="tip").dimension == 3


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, "much"])
def test_bad_restitutions_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match="restitution"):
        floor(bad)
    with pytest.raises(InputError, match="restitution"):
        Peg(centre=(0.0, 0.0), radius=0.1, stiffness=1e4, restitution=bad)
