"""What no rod on the ground may do: gain energy, be held beyond its limit, be pulled by a wall. What a snake does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.errors import InputError
from tegotae.rod import (
    Ground,
    GroundedRod,
    Peg,
    Phase,
    PlanarRod,
    RodError,
    Shape,
    Wall,
    travelling_wave,
)
from tegotae.rod.demonstrations import SCALES, crawling_snake, whip
from tegotae.rod.grounded import Method

SNAKE = PlanarRod(length=1.0, nodes=17, density=1.0, elasticity=0.5, viscosity=0.01)


def energy(run: object) -> np.ndarray:
    """All that is in the rod or has left it, less what was put in."""
    parts = ("kinetic", "elastic", "potential", "dissipated", "ground_work")
    return np.asarray(sum(run[part] for part in parts) - run["work"])  # type: ignore[index]


def power_of_ten(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda x: 10.0**x)


grounds = st.builds(
    Ground,
    tangential=power_of_ten(-2, 0),
    normal=power_of_ten(-2, 0),
    backward=st.none() | power_of_ten(-2, 0),
    stiffness=power_of_ten(3, 7),
    damping=st.just(0.0) | power_of_ten(0, 3),
    static=st.sampled_from([1.0, 1.5]),
)
pegs = st.builds(
    Peg,
    centre=st.tuples(st.floats(0.0, 1.0), st.sampled_from([-0.3, 0.3])),
    radius=st.just(0.15),
    stiffness=power_of_ten(3, 6),
    damping=st.sampled_from([0.0, 50.0]),
    friction=st.sampled_from([0.0, 0.5]),
)


@settings(max_examples=40, deadline=None)
@given(
    ground=grounds,
    pegs=st.lists(pegs, max_size=3),
    wall=st.booleans(),
    amplitude=st.floats(0.0, 8.0),
    frequency=st.floats(-2.0, 2.0),
    velocity=st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)),
)
def test_any_rod_on_any_ground(
    ground: Ground,
    pegs: list[Peg],
    wall: bool,
    amplitude: float,
    frequency: float,
    velocity: tuple[float, float],
) -> None:
    walls = [Wall(point=(0.0, -0.2), normal=(0.0, 1.0), stiffness=1e4, friction=0.3)] if wall else []
    wave = travelling_wave(SNAKE, amplitude=amplitude, wavelength=1.0, frequency=frequency, until=0.3, ramp=0.1)
    run = GroundedRod(rod=SNAKE, ground=ground, pegs=pegs, walls=walls).run(
        [Phase(until=0.3, curvature=wave)], period=2.5e-4, initial=Shape(angle=0.0, base_velocity=velocity)
    )
    assert run.about["unsolved_steps"] == 0
    # Inside the ellipse: along the body backward or forward, across it.
    # Forces of a tick belong to the directions at its middle.
    angle = np.vstack([run.angle[:1], run.angle[:-1] + 0.5 * 2.5e-4 * run.angle_rate[:-1]])
    c, s = np.cos(angle), np.sin(angle)
    fx, fy = run.friction[..., 0], run.friction[..., 1]
    along, across = c * fx + s * fy, c * fy - s * fx
    forward, backward, sideways = ground.coefficients
    loads = ground.loads(SNAKE)
    inside = (along / (np.where(along > 0.0, backward, forward) * loads)) ** 2 + (across / (sideways * loads)) ** 2
    assert inside.max() <= ground.static**2 * (1.0 + 1e-9)
    if wall and not pegs:
        assert (run.contact[..., 1] >= 0.0).all()
    # Energy is kept to the second order in the period: see the next test.
    left = energy(run)
    scale = run.kinetic.max() + np.abs(run.work).max()
    assert (left - left[0]).max() <= 1e-3 * scale + 1e-12


@pytest.mark.parametrize(("method", "ratio"), [("midpoint", 4.0), ("euler", 2.0)])
def test_what_energy_is_gained_vanishes_with_the_period(method: Method, ratio: float) -> None:
    """Thrown backward against its wave, the snake gains 0.15 % at 1 ms by Euler's rule, and half of that at half the
    period; by the midpoint a quarter.
    """
    ground = Ground(tangential=0.1, normal=1.0, stiffness=1e3)
    wave = travelling_wave(SNAKE, amplitude=3.0, wavelength=1.0, frequency=1.0, until=0.3, ramp=0.1)
    start, gained = Shape(angle=0.0, base_velocity=(-1.0, 0.0)), []
    for period in (1e-3, 5e-4, 2.5e-4):
        run = GroundedRod(rod=SNAKE, ground=ground, method=method).run(
            [Phase(until=0.3, curvature=wave)], period=period, initial=start
        )
        gained.append(float((energy(run) - energy(run)[0]).max()))
    assert gained[0] / gained[1] == pytest.approx(ratio, rel=0.05)
    assert gained[1] / gained[2] == pytest.approx(ratio, rel=0.05)


# Through a wave of its own, bent at once, spun.
MOTIONS = {
    "wave": (
        Phase(
            until=1.0,
            curvature=travelling_wave(SNAKE, amplitude=8.0, wavelength=1.0, frequency=1.0, until=1.0, ramp=0.1),
        ),
        Shape(angle=0.0, base_velocity=(0.3, 0.4)),
    ),
    "bent": (Phase(until=1.0, curvature=np.full(16, 6.0)), Shape(angle=0.0)),
    "spun": (Phase(until=1.0), Shape(angle=0.0, angle_rate=5.0)),
}


def test_ground_that_only_gives_keeps_all_that_it_was_given() -> None:
    """Stuck and undamped it is a spring, stiffer across the body than along: also as the body turns, by the torque."""
    rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.0)
    ground = Ground(tangential=20.0, normal=50.0, stiffness=20.0)
    thrown = Shape(angle=0.0, angle_rate=2.0, base_velocity=(0.6, -0.5))

    def missing(period: float) -> float:
        run = GroundedRod(rod=rod, ground=ground).run([Phase(until=0.5)], period=period, initial=thrown)
        assert run.slip_speed.max() == 0.0
        assert run.ground_work.max() > 0.2
        return float(np.abs(run.ground_work - run.ground_elastic).max())

    # Steps of first order; without the torque, or with half of it, a third of the work is missing at any period.
    assert missing(5e-4) < 2e-3
    assert missing(5e-4) / missing(2.5e-4) == pytest.approx(2.0, abs=0.1)


def pressed(run: object, stiffness: float) -> np.ndarray:
    """Energy in the wall and the peg below, by the nodes that stand in them [J]."""
    x, y = np.moveaxis(run.position, -1, 0)  # type: ignore[attr-defined]
    gaps = np.minimum(y + 0.2, 0.0), np.minimum(np.hypot(x - 0.5, y - 0.3) - 0.15, 0.0)
    return np.asarray(sum(0.5 * stiffness * (gap**2).sum(axis=1) for gap in gaps))


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("period", [1e-3, 1e-2])
@pytest.mark.parametrize("stiffness", [1e4, 1e8])
@pytest.mark.parametrize(("static", "damping"), [(1.0, 0.0), (1.5, 100.0)])
def test_the_ground_gives_back_no_more_than_it_was_given(
    motion: str, period: float, stiffness: float, static: float, damping: float
) -> None:
    phase, start = MOTIONS[motion]
    ground = Ground(
        tangential=0.1, backward=0.3, normal=0.5, stiffness=stiffness, damping=damping, static=static
    )  # fmt: skip
    alone = GroundedRod(rod=SNAKE, ground=ground).run([phase], period=period, initial=start)
    rounding = 1e-12 * float(np.abs(alone.ground_work).max())
    assert (alone.ground_elastic <= alone.ground_work + rounding).all()
    # No bristle holds more than its limit stretches it: F²/(2k) each, summed over the nodes.
    share = ground.loads(SNAKE) / (SNAKE.density * 9.81)
    yields = 0.5 * (static * 0.5 * ground.loads(SNAKE)) ** 2 / (stiffness * share)
    assert alone.ground_elastic.max() <= yields.sum() * (1.0 + 1e-9)
    # A node moves along an arc and not along its velocity, so a rigid wall needs a short period to be met on its face.
    hard = 1e8 if period == 1e-3 else 1e4
    wall = Wall(point=(0.0, -0.2), normal=(0.0, 1.0), stiffness=hard, friction=0.3)
    peg = Peg(centre=(0.5, 0.3), radius=0.15, stiffness=hard, friction=0.5)
    among = GroundedRod(rod=SNAKE, ground=ground, walls=[wall], pegs=[peg])
    run = among.run([phase], period=period, initial=start)
    assert (run.ground_elastic + pressed(run, hard) <= run.ground_work + rounding).all()


@pytest.mark.parametrize("motion", MOTIONS)
def test_the_work_of_friction_does_not_depend_on_how_stiff_the_ground_is(motion: str) -> None:
    """Rigid ground is the limit: it takes what softer ground takes, at a period however long."""
    phase, start = MOTIONS[motion]
    taken = [
        float(
            GroundedRod(rod=SNAKE, ground=Ground(tangential=0.1, normal=0.5, stiffness=k))
            .run([phase], period=1e-2, initial=start)
            .ground_work[-1]
        )
        for k in (1e4, 1e8)
    ]
    assert taken[1] == pytest.approx(taken[0], rel=0.02)  # softer bristles give way a little more before they slip


def crawl(ground: Ground, frequency: float, method: Method = "midpoint") -> float:
    """How far the middle of the snake gets along its axis in 5 s."""
    run = crawling_snake(ground=ground, frequency=frequency, nodes=17, method=method)
    assert run.about["unsolved_steps"] == 0
    left = energy(run)
    if method == "euler":
        assert (left <= left[0] + 1e-12).all(), "none is ever gained, since it loses some in each tick"
        assert left[-1] < left[0] - 1e-3 * run.work[-1]
    else:
        assert np.abs(left - left[0]).max() < 1e-4 * run.work[-1], "second order: none is lost to speak of, nor gained"
    return float(run.position[-1, :, 0].mean() - run.position[0, :, 0].mean())


def test_a_snake_crawls_with_its_wave_and_back_with_the_wave_reversed() -> None:
    forward, back = crawl(SCALES, 1.0), crawl(SCALES, -1.0)
    assert crawl(SCALES, 1.0, "euler") == pytest.approx(forward, rel=0.005)
    assert forward > 1.0, "more than its length in 5 s"
    assert back == pytest.approx(-forward, rel=0.02), "but for the start, a mirror image"
    slippery = Ground(tangential=0.3, normal=0.3, stiffness=1e4, damping=20.0)
    assert abs(crawl(slippery, 1.0)) < 0.1 * forward


def test_a_whip_throws_its_tip_faster_than_the_hand() -> None:
    for method, share in (("euler", 0.02), ("midpoint", 0.001)):
        run = whip(method=method)  # type: ignore[arg-type]
        speed = np.hypot(run.velocity[..., 0], run.velocity[..., 1]).max(axis=0)
        assert speed[-1] > 5.0 * speed[0]
        left = energy(run)
        assert abs(left[-1] - left[0]) < share * run.work.max()
        if method == "euler":
            assert (left <= left[0] + 1e-12).all(), "none is ever gained, since it loses some in each tick"
        else:
            assert (left <= left[0] + 1e-4 * run.work.max()).all()
    coarse = whip(period=1e-3, every=1)
    assert coarse.about["steps"] > coarse.about["ticks"] == 600, "where it turns fast a tick takes several steps"
    assert coarse.about["largest_turn"] < 0.3
    assert np.hypot(coarse.velocity[:, -1, 0], coarse.velocity[:, -1, 1]).max() == pytest.approx(speed[-1], rel=0.25)


def test_a_load_beyond_reason_stops_the_run_and_keeps_what_was() -> None:
    with pytest.raises(RodError, match="rad in one step") as caught:
        GroundedRod(rod=SNAKE).run([Phase(until=0.01), Phase(until=0.02, torque=1e6)], period=1e-3)
    assert caught.value.partial is not None
    assert caught.value.partial.time[-1] == pytest.approx(0.01)
    assert np.abs(caught.value.partial.angle).max() == 0.0


def test_a_turn_too_far_in_the_very_last_tick_is_told_too() -> None:
    with pytest.raises(RodError, match=r"at t=0\.002 s") as caught:
        GroundedRod(rod=SNAKE).run([Phase(until=0.001), Phase(until=0.002, torque=1e6)], period=1e-3)
    assert caught.value.partial is not None
    assert caught.value.partial.time[-1] == pytest.approx(0.001)


@pytest.mark.parametrize(("method", "order", "left"), [("midpoint", 2.0, 1e-3), ("euler", 1.0, 0.015)])
def test_a_thrown_rod_only_loses_energy_and_the_balance_closes_as_the_period_falls(
    method: Method, order: float, left: float
) -> None:
    ground = Ground(tangential=0.1, normal=0.4, stiffness=1e4, damping=20.0)
    rod = PlanarRod(length=1.0, nodes=9, density=1.0, elasticity=0.5, viscosity=0.01)
    peg = Peg(centre=(0.8, 0.35), radius=0.2, stiffness=1e3, friction=0.3)
    start = Shape(angle=0.0, angle_rate=2.0, base_velocity=(0.5, 0.5))
    gaps = []
    for T in (1e-3, 5e-4, 2.5e-4):
        run = GroundedRod(rod=rod, ground=ground, pegs=[peg], method=method).run(
            [Phase(until=1.0)], period=T, initial=start
        )
        assert run.contact.any()
        inside = run.kinetic + run.elastic
        assert (inside <= inside[0]).all()
        assert (run.ground_work >= -1e-12).all(), "ground and peg never give more than they took"
        gaps.append(np.abs(energy(run) - inside[0]).max())
    assert gaps[2] < left * inside[0], "backward Euler damps the bounce and the bristles by itself"
    assert np.log2(gaps[0] / gaps[2]) / 2.0 == pytest.approx(order, abs=0.1)


def test_turned_over_the_ground_a_rod_moves_as_before() -> None:
    """The plane has no preferred direction: start turned by an angle, everything turns with it."""
    ground = Ground(tangential=0.1, backward=0.3, normal=0.5, stiffness=1e4, damping=20.0)
    wave = travelling_wave(SNAKE, amplitude=6.0, wavelength=1.0, frequency=1.0, until=0.5, ramp=0.2)
    ends = []
    for turn in (0.0, 1.1):
        run = GroundedRod(rod=SNAKE, ground=ground).run(
            [Phase(until=0.5, curvature=wave)], period=1e-3, initial=Shape(angle=turn), every=500
        )
        back = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        ends.append(run.position[-1] @ back.T)
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)  # each tick is solved to 1e-8 of the largest force


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Ground(tangential=-0.1, normal=0.5, stiffness=1e4), "tangential"),
        (lambda: Ground(tangential=float("nan"), normal=0.5, stiffness=1e4), "tangential"),
        (lambda: Ground(tangential=0.0, normal=0.0, stiffness=1e4), "every coefficient"),
        (lambda: Ground(tangential=0.1, normal=0.5, stiffness=0.0), "stiffness"),
        (lambda: Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=-1.0), "damping"),
        (lambda: Ground(tangential=0.1, normal=0.5, stiffness=1e4, static=0.5), "static"),
        (lambda: Wall(point=(0.0, 0.0), normal=(0.0, 0.0), stiffness=1e4), "no direction"),
        (lambda: Wall(point=(0.0,), normal=(0.0, 1.0), stiffness=1e4), "point"),  # type: ignore[arg-type]
        (lambda: Peg(centre=(0.0, 0.0), radius=0.0, stiffness=1e4), "radius"),
        (lambda: Peg(centre=(0.0, 0.0), radius=1.0, stiffness=float("inf")), "stiffness"),
        (lambda: GroundedRod(rod=SNAKE, pegs=[1]), "pegs"),  # type: ignore[list-item]
        (lambda: GroundedRod(rod=SNAKE).run([Phase(until=0.0105)], period=1e-3), "between two ticks"),
        (lambda: GroundedRod(rod=SNAKE).run([Phase(until=1.0)], period=0.0), "period"),
        (lambda: GroundedRod(rod=SNAKE).run([], period=1e-3), "no phases"),
        (
            lambda: GroundedRod(rod=SNAKE, ground=Ground(tangential=1, normal=1, stiffness=1, load=-1.0)).run(
                [Phase(until=1.0)], period=1e-3
            ),
            "cannot pull",
        ),
        (lambda: travelling_wave(SNAKE, amplitude=1.0, wavelength=0.0, frequency=1.0, until=1.0), "wavelength"),
    ],
)
def test_bad_input_is_named(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]
