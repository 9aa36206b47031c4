"""A rod on a table against closed forms, and against scipy's integration of a rigid rod with the same friction."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tegotae.rod import Ground, GroundedRod, Load, Payload, Peg, Phase, PlanarRod, Shape, Wall
from tegotae.rod.demonstrations import dragged_mass

G = 9.81
ALONG, ACROSS = 0.2, 0.5
TABLE = Ground(tangential=ALONG, normal=ACROSS, stiffness=1e5, damping=500.0)


def stiff(nodes: int = 9, **more: object) -> PlanarRod:
    """1 m, 1 kg, hardly bendable."""
    return PlanarRod(length=1.0, nodes=nodes, density=1.0, elasticity=200.0, viscosity=2.0, **more)  # type: ignore[arg-type]


def test_a_rod_sliding_along_itself_slows_at_mu_g_and_stops() -> None:
    T = 1e-3
    run = GroundedRod(rod=stiff(), ground=TABLE).run(
        [Phase(until=2.0)], period=T, initial=Shape(angle=0.0, base_velocity=(0.981, 0.0))
    )
    speed = run.velocity[:, 0, 0]
    sliding = slice(50, 450)  # it gives elastically for some ticks before, and stops at 0.5 s
    assert np.diff(speed)[sliding] / T == pytest.approx(-ALONG * G, rel=1e-9)
    assert (run.slip_speed[600:] == 0.0).all(), "it stops: no slip at all"
    assert abs(speed[-1]) < 1e-12
    # v²/(2 mu g), later by what the bristles give; they pull it back when it stands.
    assert run.position[-1, 0, 0] == pytest.approx(0.981**2 / (2.0 * ALONG * G), abs=2e-3)
    assert run.about["unsolved_steps"] == 0


def test_across_it_slows_by_the_other_coefficient() -> None:
    T = 1e-3
    run = GroundedRod(rod=stiff(), ground=TABLE).run(
        [Phase(until=1.0)], period=T, initial=Shape(angle=0.0, base_velocity=(0.0, 0.981))
    )
    speed = run.momentum[:, 1]  # of 1 kg
    assert np.diff(speed)[50:190] / T == pytest.approx(-ACROSS * G, rel=1e-7)
    assert (run.slip_speed[400:] == 0.0).all()


def test_friction_brakes_a_turning_rod_by_mu_W_L_over_4() -> None:
    """Torque  int mu w |s| ds = mu W L/4; with a node in the middle the sum over the nodes is the integral."""
    T, spin = 2.5e-4, 6.0
    run = GroundedRod(rod=stiff(), ground=TABLE).run(
        [Phase(until=0.3)],
        period=T,
        initial=Shape(angle=0.0, angle_rate=spin, base=(-0.5, 0.0), base_velocity=(0.0, -0.5 * spin)),
    )
    braking = np.polyfit(run.time[200:], run.angle_rate[200:].mean(axis=1), 1)[0]
    assert braking == pytest.approx(-(ACROSS * G / 4.0) / (1.0 / 12.0), rel=1e-4)
    lever = run.position - run.position[:, [4]]
    torque = (lever[..., 0] * run.friction[..., 1] - lever[..., 1] * run.friction[..., 0]).sum(axis=1)
    # Force at the end, place at the start of a tick: they differ by the turn of one tick.
    assert torque[200:] == pytest.approx(-ACROSS * G / 4.0, rel=1e-5)


def rigid(nodes: int, velocity: tuple[float, float], spin: float, until: float) -> np.ndarray:
    """Middle, angle and their rates of a rigid rod with the friction of greatest dissipation at its nodes."""
    s = np.linspace(-0.5, 0.5, nodes)
    N = np.full(nodes, G / (nodes - 1))
    N[[0, -1]] /= 2.0

    def rate(_: float, q: np.ndarray) -> list[float]:
        _, _, th, vx, vy, w = q
        tx, ty = np.cos(th), np.sin(th)
        ux, uy = vx - w * s * ty, vy + w * s * tx
        along, across = ux * tx + uy * ty, -ux * ty + uy * tx
        size = np.hypot(ALONG * along, ACROSS * across)
        ft, fn = -N * ALONG**2 * along / size, -N * ACROSS**2 * across / size
        return [vx, vy, w, (ft * tx - fn * ty).sum(), (ft * ty + fn * tx).sum(), 12.0 * (s * fn).sum()]

    start = [0.0, 0.0, 0.0, *velocity, spin]
    return np.asarray(solve_ivp(rate, (0.0, until), start, rtol=1e-9, atol=1e-10, method="Radau").y[:, -1])


def test_sliding_and_turning_at_once_as_a_rigid_rod() -> None:
    """Error falls as the period: at half the period half of it."""
    wanted = rigid(9, (1.5, 1.0), 5.0, 0.25)
    table = GroundedRod(rod=stiff(), ground=Ground(tangential=ALONG, normal=ACROSS, stiffness=1e6, damping=500.0))
    start = Shape(angle=0.0, angle_rate=5.0, base=(-0.5, 0.0), base_velocity=(1.5, 1.0 - 2.5))
    ends = []
    for T in (1e-3, 5e-4, 2.5e-4):
        run = table.run([Phase(until=0.25)], period=T, initial=start)
        ends.append([*run.position[-1, 4], run.angle[-1].mean(), *run.velocity[-1, 4], run.angle_rate[-1].mean()])
        assert run.about["unsolved_steps"] == 0
    errors = np.abs(np.array(ends) - wanted).max(axis=1)
    assert errors[-1] < 4e-3
    # What remains as T -> 0 is what bristles and bending give: 1/1e6 and 1/200.
    first_order = 2.0 * np.array(ends[2]) - np.array(ends[1])
    assert np.abs(first_order - wanted).max() < 3e-4


@pytest.mark.parametrize("base", ["pinned", "fixed"])
def test_dragged_along_its_axis_it_pulls_with_mu_N(base: str) -> None:
    times = np.linspace(0.0, 0.5, 6)
    run = GroundedRod(rod=stiff(5), ground=TABLE).run(
        [Phase(until=0.5, base=base, motion=(times, np.stack([-0.1 * times, 0.0 * times], axis=1)))],  # type: ignore[arg-type]
        period=1e-3,
    )
    # Places rounded to 1e-17 m, differentiated twice in 1 ms: 1e-11 N.
    assert run.base_force[-100:, 0] == pytest.approx(-ALONG * G, rel=1e-10)
    assert run.base_force[-100:, 1] == pytest.approx(0.0, abs=1e-10)
    assert run.position[-1, 0, 0] == pytest.approx(-0.05, abs=1e-15), "the base is where the motion says"


def test_forward_and_backward_differ() -> None:
    scales = Ground(tangential=0.1, backward=0.4, normal=0.5, stiffness=1e5, damping=500.0)
    for way, coefficient in ((1.0, 0.1), (-1.0, 0.4)):
        run = GroundedRod(rod=stiff(5), ground=scales).run(
            [Phase(until=0.1)], period=1e-3, initial=Shape(angle=0.0, base_velocity=(2.0 * way, 0.0))
        )
        assert np.diff(run.velocity[:, 0, 0])[40:] / 1e-3 == pytest.approx(-way * coefficient * G, rel=1e-9)


def pushed(share: float, direction: tuple[float, float], coefficient: float) -> list[Load]:
    """The same part of its friction limit on every node of 5."""
    weights = np.array([0.5, 1.0, 1.0, 1.0, 0.5]) / 4.0 * share * coefficient * G
    return [
        Load(at=s, force=(w * direction[0], w * direction[1]))
        for s, w in zip(np.linspace(0.0, 1.0, 5), weights, strict=True)
    ]


@pytest.mark.parametrize(("direction", "coefficient"), [((1.0, 0.0), ALONG), ((0.0, 1.0), ACROSS)])
def test_below_the_limit_it_gives_elastically_and_then_creeps_0_in_an_hour(
    direction: tuple[float, float], coefficient: float
) -> None:
    # Overdamped: a sudden load must not carry it beyond the limit.
    calm = Ground(tangential=ALONG, normal=ACROSS, stiffness=1e5, damping=5e3)
    table = GroundedRod(rod=stiff(5), ground=calm)
    run = table.run([Phase(until=3600.0, loads=pushed(0.99, direction, coefficient))], period=0.02, every=9000)
    stiffness = calm.stiffness * (coefficient / ACROSS) ** 2
    axis = 0 if direction[0] else 1
    gave = run.position - run.position[0]
    assert gave[1:, :, axis] == pytest.approx(0.99 * coefficient * G / stiffness, rel=1e-9)
    assert np.abs(gave[-1] - gave[1]).max() < 5e-16, "creep in an hour: none but the rounding of 1 m"
    assert (run.slip_speed == 0.0).all()


def test_above_the_limit_it_slides_away() -> None:
    run = GroundedRod(rod=stiff(5), ground=TABLE).run(
        [Phase(until=2.0, loads=pushed(1.1, (1.0, 0.0), ALONG))], period=1e-3
    )
    assert np.diff(run.velocity[-200:, 0, 0]) / 1e-3 == pytest.approx(0.1 * ALONG * G, rel=1e-6)


@pytest.mark.parametrize(
    "things",
    [
        {"walls": [Wall(point=(1.0, 0.0), normal=(-1.0, 0.0), stiffness=1e4, damping=50.0)]},
        {"pegs": [Peg(centre=(1.1, 0.0), radius=0.1, stiffness=1e4, damping=50.0)]},
    ],
    ids=["wall", "peg"],
)
def test_pressed_against_something_it_rests_F_over_K_inside(things: dict[str, list[Wall | Peg]]) -> None:
    run = GroundedRod(rod=stiff(5), **things).run(  # type: ignore[arg-type]
        [Phase(until=1.0, loads=[Load(at=0.0, force=(3.0, 0.0))])], period=1e-3
    )
    assert run.contact[-1, -1] == pytest.approx([-3.0, 0.0], abs=1e-9)
    assert run.position[-1, -1, 0] - 1.0 == pytest.approx(3.0 / 1e4, rel=1e-9)
    assert (run.contact[..., 0] <= 0.0).all(), "it never pulls"
    assert (run.contact[:, :-1] == 0.0).all()


def test_a_bounce_on_an_elastic_wall_lasts_half_a_period_and_turns_the_velocity() -> None:
    wall, speeds = Wall(point=(1.01, 0.0), normal=(-1.0, 0.0), stiffness=1e4), []
    for T in (5e-4, 2.5e-4):
        run = GroundedRod(rod=stiff(3), walls=[wall]).run(
            [Phase(until=0.06)], period=T, initial=Shape(angle=0.0, base_velocity=(1.0, 0.0))
        )
        touching = T * np.count_nonzero(run.contact[:, -1, 0])
        assert touching == pytest.approx(np.pi * np.sqrt(1.0 / 1e4), abs=2.0 * T)
        speeds.append(run.velocity[-1, 0, 0])
    # Backward Euler loses in proportion to T: extrapolated to T = 0 nothing is lost.
    assert 2.0 * speeds[1] - speeds[0] == pytest.approx(-1.0, abs=3e-3)


def test_on_a_rough_floor_it_slows_at_mu_g() -> None:
    floor = Wall(point=(0.0, 0.0), normal=(0.0, 1.0), stiffness=1e5, damping=200.0, friction=0.3)
    run = GroundedRod(rod=stiff(5, gravity=(0.0, -G)), walls=[floor]).run(
        [Phase(until=0.8)], period=1e-3, initial=Shape(angle=0.0, base_velocity=(1.0, 0.0))
    )
    assert np.diff(run.velocity[100:300, 0, 0]) / 1e-3 == pytest.approx(-0.3 * G, rel=1e-3)
    assert run.contact[-1].sum(axis=0) == pytest.approx([0.0, G], abs=1e-6)
    assert abs(run.velocity[-1, 0, 0]) < 1e-9


def test_while_the_tip_sticks_the_base_feels_a_leaf_spring() -> None:
    """3 EI/L³, in series with the ground: 1e5 N/m² under the last half segment."""
    leaf = PlanarRod(length=0.5, nodes=9, density=0.005, elasticity=1.0, viscosity=0.005, payload=Payload(mass=1.0))
    # Free along the body: an inextensible rod between two places that stick would be stretched.
    ground = Ground(tangential=0.0, normal=0.3, stiffness=1e5, damping=500.0)
    times = np.linspace(0.0, 0.5, 21)
    way = np.stack([0.0 * times, 0.05 * times, 0.0 * times], axis=1)
    run = GroundedRod(rod=leaf, ground=ground).run([Phase(until=0.5, base="fixed", motion=(times, way))], period=1e-3)
    rise = np.polyfit(run.time[100:], run.base_force[100:, 1], 1)[0]
    assert rise == pytest.approx(0.05 / (0.5**3 / 3.0 + 1.0 / (1e5 * 0.03125)), rel=0.01)
    assert (run.slip_speed[:, -1] == 0.0).all()


def test_a_mass_dragged_on_a_leaf_spring_sticks_and_slips() -> None:
    loads = np.full(9, 0.05 * 0.0625 * G)  # 0.05 kg/m, segments of 62.5 mm
    loads[[0, -1]] /= 2.0
    loads[-1] += G
    switches, drops, smooth = {}, {}, 0.0
    for static in (1.0, 1.5):
        run = dragged_mass(static=static)
        assert run.about["unsolved_steps"] == 0
        grip = np.hypot(run.friction[..., 0], run.friction[..., 1])
        assert (grip <= static * 0.3 * loads * (1.0 + 1e-12)).all(), "no node is held by more than its limit"
        force = run.base_force[3000:, 1]
        assert force.max() <= 1.01 * static * 0.3 * loads.sum(), "slow enough that inertia adds hardly anything"
        stuck = run.slip_speed[3000:, -1] == 0.0
        switches[static] = int(np.abs(np.diff(stuck.astype(int))).sum())
        drops[static] = force.max() - force.min()
        smooth = force[-1] if static == 1.0 else smooth
    assert switches[1.5] >= 6
    assert drops[1.5] > 1.0
    assert switches[1.0] == 0, "with one coefficient it slides on"
    assert drops[1.0] < 0.5
    assert smooth == pytest.approx(0.3 * loads.sum(), rel=1e-5), "it trails behind, all in one direction"
