"""A wall against closed forms: it pushes, never pulls, gives back no more than it took; sums feel all at once."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tegotae as tg

T = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(2.0))
WALL = tg.VirtualWall(stiffness=2000.0, damping=5.0, point=0.01, normal=-1.0)


def rebound(ratio):
    """Speed after over speed before, of m e'' + B e' + K e = 0 left when the force is 0; ratio = B/(2 sqrt(K m))."""
    root = np.sqrt(1.0 - ratio**2)
    angle = np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0)  # where e'' = 0 again
    return -np.exp(-ratio / root * angle) * (np.cos(angle) - ratio / root * np.sin(angle))


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.3])
def test_a_mass_rebounds_as_the_closed_form_says(ratio):
    """To first order in the period: half of it, half the error; Richardson's value is the closed form."""
    mass, stiffness, speed = 0.5, 2000.0, 0.2
    wall = tg.VirtualWall(stiffness=stiffness, damping=2 * ratio * np.sqrt(stiffness * mass), point=0.01, normal=-1.0)
    circuit = tg.Circuit(tg.Mass(mass=mass), {"wall": wall})

    def left(period):
        run = circuit.run(period=period, ticks=int(0.2 / period), initial={"velocity": speed}, every=100)
        return -run.velocity[-1] / speed

    coarse, fine = left(2e-5), left(1e-5)
    assert abs(fine - rebound(ratio)) < 0.01
    assert 2 * fine - coarse == pytest.approx(rebound(ratio), abs=1e-4)


def test_a_mass_leans_on_a_tilted_wall():
    """In the plane: the force along the normal is the weight's share, and nothing acts along the wall."""
    normal = np.array([np.sin(0.3), np.cos(0.3)])
    wall = tg.VirtualWall(stiffness=1e5, damping=400.0, point=[0.0, 0.0], normal=3.0 * normal, dimension=2)
    circuit = tg.Circuit(tg.Mass(mass=2.0, dimension=2), {"wall": wall})
    run = circuit.run(np.tile([0.0, -2.0 * 9.81], (1000, 1)), period=T)
    np.testing.assert_allclose(run["wall.force"][-1], 2.0 * 9.81 * np.cos(0.3) * normal, rtol=1e-9)
    tangent = np.array([normal[1], -normal[0]])
    np.testing.assert_allclose(run.velocity[-1] @ tangent, 9.81 * np.sin(0.3) * 1.0, rtol=1e-9)
    assert run.about["unsolved_steps"] == 0


motions = st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=60)


@given(motions, st.floats(0.0, 1e6), st.floats(0.0, 1e4), st.sampled_from([1e-4, 1e-3, 1e-2]))
def test_it_never_pulls_and_never_gives_back_more_than_it_took(velocity, stiffness, damping, period):
    wall = tg.VirtualWall(stiffness=stiffness, damping=damping, point=1e-3, normal=-1.0)
    run = wall.run(velocity, period=period)
    depth = np.maximum(run.position - 1e-3, 0.0)
    assert (run.force <= 0.0).all()
    assert (run.force[depth == 0.0] == 0.0).all()
    taken = -np.cumsum(run.force * np.array(velocity) * period)
    stored = 0.5 * stiffness * depth**2
    assert (taken >= stored - 1e-9 * np.maximum.accumulate(1e-12 + np.abs(taken))).all()


def test_a_wall_knows_where_the_mover_is():
    """Positions are places: a run, a live element and a circuit's mover all start there, not at 0."""
    ran = WALL.run(position=[0.008, 0.012], period=T).force
    live = WALL.start(period=T)
    stepped = [live.step(position=x) for x in (0.008, 0.012)]
    np.testing.assert_array_equal(stepped, ran)
    assert ran[1] == pytest.approx(-(2000.0 + 5.0 / T) * 0.002)
    felt = tg.ImpedanceSum({"wall": WALL, "brake": BRAKE}).start(period=T)
    felt.step(position=0.008)
    felt.step(position=0.012)
    assert felt["wall.force"] == ran[1]
    started = tg.Circuit(tg.Mass(mass=1.0), {"wall": WALL, "geared": WALL}, ratios={"geared": -2.0})
    run = started.run(np.zeros(1), period=T, initial={"position": 0.008})
    assert (run["wall.position"][0], run["geared.position"][0]) == (0.008, -0.016)


def test_a_base_does_not_place_what_hangs_on_it():
    towed = tg.Circuit(tg.Mass(mass=1.0), {"rope": tg.SpringDamper(stiffness=100.0), "wall": WALL}, bases=["rope"])
    run = towed.run(period=T, bases={"rope": [5.0 / T]})
    assert run["rope.force"][0] > 0.0
    assert run["wall.position"][0] == T * run.velocity[0] < 5.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"stiffness": -1.0}, "stiffness=-1.0 N/m must be >= 0"),
        ({"damping": np.nan}, "damping=nan"),
        ({"normal": 0.0}, "normal is 0"),
        ({"normal": np.inf}, "not finite"),
        ({"normal": [1.0, 0.0]}, r"normal has shape \(2,\)"),
        ({"point": [0.0, 1.0]}, r"point has shape \(2,\).*\n  Give 1 number"),
        ({"point": "here"}, "not made of numbers"),
        ({"dimension": 0}, "dimension=0"),
    ],
)
def test_bad_walls_are_refused(changes, said):
    with pytest.raises(tg.InputError, match=said):
        tg.VirtualWall(**{"stiffness": 1e3, "point": 0.0, "normal": 1.0} | changes)


@pytest.mark.parametrize("normal", [1e-300, 1e300, 2.0])
def test_a_normal_of_any_length_is_a_direction(normal):
    assert tg.VirtualWall(stiffness=1.0, point=0.0, normal=normal).normal == (1.0,)


def test_nothing_starts_inside_a_wall():
    for ask in (
        lambda: WALL.run(np.zeros(1), period=T, initial={"position": 0.02}),
        lambda: WALL.run(position=[0.02], period=T),
        lambda: WALL.start(period=T).step(position=0.02),
        lambda: tg.Circuit(tg.Mass(mass=1.0), {"wall": WALL}).run(np.zeros(1), period=T, initial={"position": 0.02}),
        lambda: tg.ImpedanceSum({"wall": WALL}).run(position=[0.02], period=T),
    ):
        with pytest.raises(tg.InputError, match=r"'the mover' starts 0\.01 m inside.*\n  Move the wall"):
            ask()
    assert WALL.run(position=[0.01], period=T).force[0] == 0.0  # on it is not inside


# ------------------------------------------------------------ sums


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_sum_is_the_sum(dimension):
    """Of its parts by themselves, also where several share their kernels and where sums are inside."""
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(2.0), dimension=dimension)
    walls = [
        tg.VirtualWall(stiffness=1e4, damping=5.0, point=[x] * dimension, normal=[n] * dimension, dimension=dimension)
        for x, n in ((1e-3, -1.0), (-2e-3, 1.0))
    ]
    parts = {"brake": brake, "right": walls[0], "left": walls[1]}
    velocity = 0.2 * np.sin(0.05 * np.arange(500)[:, None] + np.arange(dimension))
    velocity = velocity[:, 0].copy() if dimension == 1 else velocity
    wanted = sum(part.run(velocity, period=T).force for part in parts.values())
    nested = tg.ImpedanceSum({"walls": tg.ImpedanceSum({"a": walls[0], "b": walls[1]}), "brake": brake})
    for felt in (tg.ImpedanceSum(parts), nested, pickle.loads(pickle.dumps(tg.ImpedanceSum(parts)))):
        run = felt.run(velocity, period=T)
        np.testing.assert_allclose(run.force, wanted, rtol=0, atol=1e-12)
    assert run["right.force"].shape == velocity.shape


def test_a_circuit_feels_a_sum_as_it_feels_its_parts():
    """The mover slides on the brake into the wall and is held there; one loop, solved together."""
    apart = tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE, "wall": WALL})
    joined = tg.Circuit(tg.Mass(mass=1.0), {"felt": tg.ImpedanceSum({"brake": BRAKE, "wall": WALL})})
    push = np.full(3000, 8.0)
    one, other = apart.run(push, period=T), joined.run(push, period=T)
    np.testing.assert_allclose(one.position, other.position, rtol=0, atol=1e-15)
    assert abs(one.velocity[-1]) < 1e-9
    assert -one["wall.force"][-1] == pytest.approx(8.0, abs=2.0)  # the brake carries at most its limit
    assert other["felt.wall.force"][-1] + other["felt.brake.force"][-1] == pytest.approx(-8.0, abs=1e-9)
    assert one.about["unsolved_steps"] == other.about["unsolved_steps"] == 0


def test_a_sum_is_batched_by_the_names_of_its_parts():
    sums = tg.ImpedanceSum({"brake": BRAKE, "wall": WALL})
    stiffer = tg.VirtualWall(stiffness=4000.0, damping=5.0, point=0.01, normal=-1.0)
    velocity = np.full(20, 1.0)
    together = sums.batch(wall=[WALL, stiffer]).run(velocity, period=T)
    np.testing.assert_array_equal(together.force[0], sums.run(velocity, period=T).force)
    assert together.force[1, -1] < together.force[0, -1] < 0.0
    with pytest.raises(
        tg.InputError, match=r"batch has 'walls'\.\n  It has brake, wall; and what is in them, such as brake"
    ):
        sums.batch(walls=[WALL])


def test_bad_sums_are_refused():
    with pytest.raises(tg.InputError, match=r"impedances is empty"):
        tg.ImpedanceSum({})
    with pytest.raises(tg.InputError, match="is not a dict"):
        tg.ImpedanceSum([BRAKE, WALL])
    with pytest.raises(tg.InputError, match="impedances has the name 'a b'"):
        tg.ImpedanceSum({"a b": BRAKE})
    with pytest.raises(tg.CausalityError, match="gives no force"):
        tg.ImpedanceSum({"mass": tg.Mass(mass=1.0)})
    with pytest.raises(tg.InputError, match=r"impedances\['planar'\] has dimension=2, but others have 1"):
        tg.ImpedanceSum({"brake": BRAKE, "planar": tg.SpringDamper(stiffness=1.0, dimension=2)})
    with pytest.raises(tg.InputError, match=r"initial\['wall'\] is not part.*\n.*wall\.position"):
        tg.ImpedanceSum({"wall": WALL}).start(period=T, initial={"wall": 1.0})
    falling = tg.FrictionImpedance(
        stiffness=1e4, damping=100.0, law=tg.Stribeck(kinetic=1.0, static=9.0, velocity=1e-3), mass=1.0
    )
    assert tg.ImpedanceSum({"a": falling, "b": falling}).steepest_rise(T) == 2 * falling.steepest_rise(T)
