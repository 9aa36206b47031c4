"""Restitution at contacts of scenes: Newton's law and Coulomb's, against closed forms, at any mass and period."""

from itertools import pairwise

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.multibody import (
    AtPoint,
    Ball,
    Body,
    Box,
    Corners,
    Free,
    HalfSpace,
    Point,
    Revolute,
    Scene,
    Sphere,
    Touch,
    Tree,
)

R = 0.1
METHODS = ("midpoint", "euler")


def solid(mass: float, name: str = "ball", **place) -> Body:
    """A solid sphere that flies."""
    moment = 0.4 * mass * R * R
    return Body(name=name, mass=mass, inertia=(moment, moment, moment), joint=Free(), **place)


def dropped(mass=1.0, gravity=9.81, height=1.0, **floor) -> Scene:
    """A solid sphere over a floor."""
    ball = Tree([solid(mass, position=(0, 0, R + height))], gravity=(0, 0, -gravity))
    return Scene(tree=ball, touches=[Touch(on="ball", toucher=Ball(radius=R), surface=HalfSpace(), **floor)])


def flights(height, speed, gravity, period, method):
    """The energy of each tick over the mass; by Euler's ticks the parabola is half a tick behind its speeds."""
    speed = speed if method == "midpoint" else speed - 0.5 * gravity * period
    return 0.5 * speed**2 + gravity * height


# ------------------------------------------------------------ a ball on a floor


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize(("mass", "stiffness"), [(1e-3, 1e8), (1.0, 1e5), (1e3, 1e3), (1e3, 1e8)])
@pytest.mark.parametrize("period", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("gravity", [9.81, 50.0])
def test_apexes_of_a_dropped_ball(method, restitution, mass, stiffness, period, gravity):
    """Each flight has restitution² times the height of the one before."""
    scene = dropped(mass, gravity, stiffness=stiffness, restitution=restitution)
    run = scene.run(1.0, period=period, method=method)
    energy = flights(run.q[:, 2] - R, run.v[:, 2], gravity, period, method)
    start = energy[0]
    bounces = np.flatnonzero(np.diff(energy) < -1e-11 * start) + 1 if restitution < 1.0 else []
    expected, last = start, 0
    assert restitution == 1.0 or len(bounces) > 0
    for tick in bounces:
        fast = restitution * np.sqrt(2.0 * expected)
        if 2.0 * fast / gravity < 4.0 * period:
            break
        np.testing.assert_allclose(energy[last:tick], expected, rtol=1e-6)
        expected, last = expected * restitution**2, tick
    else:
        np.testing.assert_allclose(energy[last:], expected, rtol=1e-6)
    assert run.about.get("unsolved_steps", 0) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mass", [1e-3, 1e3])
def test_a_ball_without_weight_leaves_at_once(method, restitution, mass):
    """Where nothing falls, places are those of an impact at its moment."""
    period, speed, height = 1e-3, 2.0, 0.0123
    scene = dropped(mass, 0.0, height, stiffness=1e4, restitution=restitution)
    run = scene.run(0.02, period=period, v=(0, 0, -speed, 0, 0, 0), method=method)
    after = run.time > height / speed
    np.testing.assert_allclose(run.v[after, 2], restitution * speed, rtol=1e-6, atol=1e-8)
    expected = R + restitution * speed * (run.time[after] - height / speed)
    np.testing.assert_allclose(run.q[after, 2], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.contact_force[:, 0, 2].sum() * period, mass * speed * (1.0 + restitution), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("stiffness", "restitution"), [(1e4, 0.5), (1e7, 0.5), (1e5, 0.8), (1e5, 0.0)])
def test_a_ball_comes_to_rest_and_stays(method, stiffness, restitution):
    """The flights add up to a geometric series; then it lies where its weight presses it."""
    gravity, height, period = 9.81, 0.2, 1e-3
    scene = dropped(stiffness=stiffness, restitution=restitution, height=height, friction=0.5)
    run = scene.run(4.0, period=period, method=method)
    first = np.sqrt(2.0 * height / gravity)
    ends = first * (1.0 + restitution) / (1.0 - restitution)
    touching = run.contact_force[:, 0, 2] > 0.0
    lasting = run.time[len(touching) - np.argmin(touching[::-1])]
    # Bounces shorter than a tick are rest: the last ones, 2 e u/g < T, are left out, T e/(1 - e) in all.
    assert ends - 5.0 * period * (1.0 + 1.0 / (1.0 - restitution)) < lasting < ends + 5.0 * period
    np.testing.assert_allclose(run.q[-1, 2] - R, -gravity / stiffness, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(run.contact_force[-1, 0, 2], gravity, rtol=1e-6)
    rests = run.time > lasting + 1.0
    assert np.ptp(run.q[rests, 2]) < 1e-9
    assert np.ptp(run.q[rests, :2]) == 0.0


def test_it_answers_neither_mass_nor_period_nor_stiffness():
    """One and the same flight for all of them; a spring and damper alone would tell them apart."""
    found = []
    for mass in (1e-3, 1e3):
        for stiffness in (1e3, 1e8):
            for period in (2e-4, 5e-3):
                run = dropped(mass, restitution=0.7, stiffness=stiffness).run(0.8, period=period)
                found.append(run.q[-1, 2])
    fall = np.sqrt(2.0 / 9.81)
    expected = R + 0.7 * 9.81 * fall * (0.8 - fall) - 0.5 * 9.81 * (0.8 - fall) ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ------------------------------------------------------------ two bodies


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("apart", "period", "close"), [(0.0, 5e-3, 1e-7), (0.05, 1e-5, 1e-5)])
def test_two_balls_in_space(method, restitution, apart, period, close):
    """Momentum is kept, and the difference of speeds obeys the law; off center as well as a tick knows the normal."""
    light, heavy = 0.3, 2.0
    tree = Tree(
        [solid(light, "light"), solid(heavy, "heavy", position=(0.5, apart, 0))],
        gravity=(0, 0, 0),
    )
    touch = Touch(
        on="light", toucher=Ball(radius=R), surface=Sphere(radius=R), of="heavy", stiffness=1e6, restitution=restitution
    )
    scene = Scene(tree=tree, touches=[touch])
    run = scene.run(0.3, period=period, every=10, v=(1, 0, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0), method=method)
    v1, v2 = run.v[-1, :3], run.v[-1, 6:9]
    np.testing.assert_allclose(light * v1 + heavy * v2, [light - 0.5 * heavy, 0, 0], atol=1e-12)
    across = apart / (2.0 * R)
    normal = np.array([-np.sqrt(1.0 - across**2), -across, 0.0])
    before = np.array([1.5, 0.0, 0.0]) @ normal
    np.testing.assert_allclose((v1 - v2) @ normal, -restitution * before, rtol=close, atol=close)
    np.testing.assert_allclose(run.v[-1, 3:6], 0.0, atol=1e-12)


def test_newtons_law_of_two_pairs_at_once():
    """Two balls that hit the floor in the same tick at different moments, each with a restitution of its own."""
    period, gravity = 1e-2, 9.81
    heights = (0.5, 0.5 - 0.3 * period * np.sqrt(2.0 * gravity * 0.5))
    balls = [solid(1.0, "a", position=(0, 0, R + heights[0])), solid(5.0, "b", position=(1, 0, R + heights[1]))]
    touches = [
        Touch(on=name, toucher=Ball(radius=R), surface=HalfSpace(), restitution=e)
        for name, e in (("a", 0.9), ("b", 0.6))
    ]
    run = Scene(tree=Tree(balls), touches=touches).run(0.5, period=period)
    hit = np.argmax(run.contact_force[:, :, 2] > 0.0, axis=0)
    assert hit[0] == hit[1]
    for i, (height, e) in enumerate(zip(heights, (0.9, 0.6), strict=True)):
        fall = np.sqrt(2.0 * height / gravity)
        left = run.time[-1] - fall
        np.testing.assert_allclose(
            run.q[-1, 7 * i + 2] - R, e * gravity * fall * left - 0.5 * gravity * left**2, rtol=1e-6
        )


@pytest.mark.parametrize("method", METHODS)
def test_balls_in_a_row_pass_it_on(method):
    """Three alike, 1 mm apart: the first two stop, the last goes on with the speed of the first."""
    names = ("a", "b", "c")
    balls = [solid(1.0, name, position=((2.0 * R + 1e-3) * i, 0, 0)) for i, name in enumerate(names)]
    touches = [
        Touch(on=a, toucher=Ball(radius=R), surface=Sphere(radius=R), of=b, restitution=1.0, stiffness=1e7)
        for a, b in pairwise(names)
    ]
    scene = Scene(tree=Tree(balls, gravity=(0, 0, 0)), touches=touches)
    run = scene.run(0.1, period=1e-3, v=(0.3, *[0] * 17), method=method)
    np.testing.assert_allclose(run.v[-1, ::6], [0, 0, 0.3], atol=1e-6)


# ------------------------------------------------------------ friction


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("friction", "slide", "spin"), [(0.1, 3.0, 0.0), (0.8, 1.0, 0.0), (0.8, 1.0, -20.0), (0.1, 3.0, 40.0)]
)
def test_a_sphere_that_strikes_obliquely(method, friction, slide, spin):
    """It slides on, less mu (1 + e) of its normal speed, or grips: then it rolls off, with 2/7 of its slip taken."""
    e, down = 0.6, 2.0
    scene = dropped(0.5, 0.0, 0.0204, restitution=e, friction=friction, stiffness=1e6)
    run = scene.run(0.03, period=1e-3, v=(slide, 0, -down, 0, spin, 0), method=method)
    slip = slide - R * spin
    lost = np.sign(slip) * min(friction * (1.0 + e) * down, 2.0 / 7.0 * abs(slip))
    moved = (slide - lost, 0.0, e * down, 0.0, spin + lost / (0.4 * R), 0.0)
    np.testing.assert_allclose(run.v[-1], moved, rtol=1e-6, atol=1e-6)
    met = 0.0204 / down
    np.testing.assert_allclose(run.q[-1, 0], slide * met + moved[0] * (run.time[-1] - met), rtol=1e-6)


def test_a_box_that_falls_flat_bounces_straight():
    """Its four corners share the impact."""
    half = 0.1
    body = Body(name="box", mass=3.0, inertia=(0.02, 0.02, 0.02), joint=Free(), position=(0, 0, half + 0.5))
    for friction in (0.0, 0.5):
        corners = Corners(half_sizes=(half, half, half))
        floor = Touch(on="box", toucher=corners, surface=HalfSpace(), restitution=0.5, friction=friction)
        run = Scene(tree=Tree([body]), touches=[floor]).run(0.6, period=1e-3)
        np.testing.assert_allclose(
            flights(run.q[-1, 2] - half, run.v[-1, 2], 9.81, 1e-3, "midpoint"), 0.25 * 9.81 * 0.5, rtol=1e-6
        )
        np.testing.assert_allclose(run.v[-1, 3:], 0.0, atol=1e-8)


@pytest.mark.parametrize(
    ("angle", "slide", "moment", "friction", "spin"),
    [
        (0.611, -1.144, 0.03, 1.0, 2.563),
        (1.343, -1.333, 0.01, 2.0, 0.517),
        (1.075, -1.837, 0.01, 2.0, -0.823),
        (0.332, -0.324, 0.08, 0.5, -0.161),
    ],
)
def test_newtons_law_is_lessened_where_it_would_gain(angle, slide, moment, friction, spin):
    """A rod that lands on one end, where Newton's law with friction would make energy: none is made, nor lost."""
    half, period = 0.5, 1e-5
    body = Body(name="rod", mass=1.0, inertia=(moment, moment, 0.001), joint=Free())
    end = Point(position=(half, 0, 0))
    floor = Touch(on="rod", toucher=end, surface=HalfSpace(), restitution=1.0, friction=friction)
    scene = Scene(tree=Tree([body], gravity=(0, 0, 0)), touches=[floor])
    q = (0, 0, half * np.sin(angle) + 1e-5, np.cos(0.5 * angle), 0, np.sin(0.5 * angle), 0)
    run = scene.run(20 * period, period=period, q=q, v=(slide, 0, -1.0, 0, spin, 0))
    kinetic = 0.5 * (run.v[:, :3] ** 2).sum(axis=1) + 0.5 * moment * run.v[:, 4] ** 2
    approach = 1.0 + half * np.cos(angle) * spin
    hit = int(np.argmax(run.contact_force[:, 0, 2] > 0.0))
    parting = run.v[hit, 2] - half * np.cos(angle) * run.v[hit, 4]
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-9)
    assert 0.0 < parting < 0.95 * approach


# ------------------------------------------------------------ trees


def arm(links: int, **options) -> Tree:
    """Links that hang one from another."""
    bodies = []
    for i in range(links):
        place = {"parent": f"link{i - 1}", "position": (0, 0, -0.3)} if i else {"position": (0, 0, 1.0)}
        bodies.append(
            Body(
                name=f"link{i}",
                mass=1.0,
                inertia=(0.01, 0.01, 0.001),
                center=(0, 0, -0.15),
                joint=Revolute(axis=(0, 1, 0)),
                **place,
            )
        )
    return Tree(bodies, **options)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_pendulum_meets_a_stop(method, restitution):
    """Its end leaves with the part of its speed, and swings back as high as that takes it."""
    wall = HalfSpace(point=(0.0, 0, 0), normal=(1, 0, 0))
    stop = Touch(on="link0", toucher=Point(position=(0, 0, -0.3)), surface=wall, restitution=restitution)
    run = Scene(tree=arm(1), touches=[stop]).run(0.7, period=1e-4, q=[-0.6], method=method)
    hit = int(np.argmax(run.contact_force[:, 0, 0] > 0.0))
    ratio = run.v[hit + 1, 0] / run.v[hit - 2, 0]
    np.testing.assert_allclose(ratio, -restitution, atol=1e-5)


@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_a_triple_pendulum_on_a_floor(restitution):
    """With restitution 1 it keeps its energy over many impacts, else it only loses."""
    tree = arm(3)
    floor = HalfSpace(point=(0, 0, 0.45))
    touches = [
        Touch(on=f"link{i}", toucher=Point(position=(0, 0, -0.3)), surface=floor, restitution=restitution)
        for i in range(3)
    ]
    scene = Scene(tree=tree, touches=touches)
    run = scene.run(20.0, period=5e-4, q=[2.0, 0.3, -0.4])
    energy = run.kinetic_energy + run.potential_energy
    bottom = 1.0 * 9.81 * (0.45 * 3)
    size = energy[0] - bottom
    hits = int((np.diff((run.contact_force[:, :, 2] > 0.0).astype(int), axis=0) > 0).sum())
    assert hits > 20
    most = run.kinetic_energy.max()
    assert energy.max() - energy[0] < 2e-3 * most
    assert run.about.get("unsolved_steps", 0) == 0
    if restitution == 1.0:
        assert np.abs(energy - energy[0]).mean() < 1e-3 * size
        np.testing.assert_allclose(energy[-1], energy[0], rtol=0, atol=3e-3 * size)
    else:
        assert energy[-1] < energy[0] - 0.3 * size
        assert np.diff(energy[::10]).max() < 2e-3 * most


# ------------------------------------------------------------ ports, words


@pytest.mark.parametrize("method", METHODS)
def test_with_a_port(method):
    """A ball that is pushed down bounces as one that falls."""
    period, force = 1e-3, 9.81
    ball = Tree([solid(1.0, position=(0, 0, R + 1.0))], gravity=(0, 0, 0))
    floor = Touch(on="ball", toucher=Ball(radius=R), surface=HalfSpace(), restitution=0.5)
    scene = Scene(tree=ball, touches=[floor], at=AtPoint("ball", along=(0, 0, -1, 0, 0, 0)), method=method)
    run = scene.run(force=np.full(800, force), period=period)
    energy = flights(run.q[:, 2] - R, run.v[:, 2], force, period, method)
    np.testing.assert_allclose(energy[600] / energy[0], 0.25, rtol=1e-5)


def test_words():
    """Explicit methods have none; what is out of range is refused with the way out."""
    with pytest.raises(InputError, match="method='midpoint' or 'euler'"):
        dropped(restitution=0.5).run(0.1, period=1e-3, method="rk4")
    with pytest.raises(InputError, match="0 to 1"):
        dropped(restitution=1.5)


def test_what_has_none_bounces_as_it_did():
    """A pair without a restitution beside one that has it."""

    def scene(**others):
        balls = [solid(1.0, "a", position=(0, 0, R + 0.2)), solid(1.0, "b", position=(1, 0, R + 0.3))]
        surface = HalfSpace()
        touches = [
            Touch(on="a", toucher=Ball(radius=R), surface=surface, damping=100.0, friction=0.3),
            Touch(on="b", toucher=Ball(radius=R), surface=surface, friction=0.3, **others),
        ]
        return Scene(tree=Tree(balls), touches=touches).run(1.0, period=1e-3)

    plain, bouncing = scene(), scene(restitution=0.5)
    np.testing.assert_allclose(bouncing.q[:, :7], plain.q[:, :7], rtol=0, atol=1e-12)


def test_a_batch_varies_it():
    """By name, as other numbers of a contact."""
    scene = dropped(restitution=0.5)
    many = scene.batch(**{"touches[0].restitution": [0.3, 0.7]}).run(0.8, period=1e-3)
    for one, e in zip(np.asarray(many.q), (0.3, 0.7), strict=True):
        np.testing.assert_array_equal(one, dropped(restitution=e).run(0.8, period=1e-3).q)


@pytest.mark.parametrize("method", METHODS)
def test_a_hammer_on_a_box_that_lies_there(method):
    """The box, pressed between the two, stays; the hammer bounces as off the floor itself."""
    half, height, e = 0.1, 0.2, 0.8
    box = Body(name="box", mass=3.0, inertia=(0.02, 0.02, 0.02), joint=Free(), position=(0, 0, half))
    hammer = solid(1.0, "hammer", position=(0, 0, 2.0 * half + R + height))
    sizes = (half, half, half)
    touches = [
        Touch(on="box", toucher=Corners(half_sizes=sizes), surface=HalfSpace(), restitution=0.5, stiffness=1e8),
        Touch(on="hammer", toucher=Ball(radius=R), surface=Box(half_sizes=sizes), of="box", restitution=e),
    ]
    run = Scene(tree=Tree([box, hammer]), touches=touches).run(0.4, period=1e-3, method=method)
    energy = flights(run.q[:, 9] - 2.0 * half - R, run.v[:, 8], 9.81, 1e-3, method)
    np.testing.assert_allclose(energy[-1], e**2 * energy[0], rtol=1e-4)
    assert np.abs(run.q[:, 2] - half).max() < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_boxes_that_fall_onto_each_other_come_to_rest(method):
    """Three that fall one behind the other; at the end all are at rest one upon the other, and none was thrown."""
    half = 0.1
    sizes, wide = (half, half, half), Box(half_sizes=(3.0 * half, 3.0 * half, half))
    boxes = [
        Body(name=f"box{i}", mass=1.0 + i, inertia=(0.01, 0.01, 0.01), joint=Free(), position=(0, 0, half + 0.25 * i))
        for i in range(3)
    ]
    touches = [
        Touch(
            on=f"box{i}",
            toucher=Corners(half_sizes=sizes),
            surface=wide if i else HalfSpace(),
            of=f"box{i - 1}" if i else None,
            restitution=0.3,
            friction=0.5,
            stiffness=1e6,
        )
        for i in range(3)
    ]
    run = Scene(tree=Tree(boxes), touches=touches).run(2.0, period=1e-3, method=method)
    energy = run.kinetic_energy + run.potential_energy
    assert (energy - np.minimum.accumulate(energy)).max() < 2e-3 * energy[0]
    np.testing.assert_allclose(run.q[-1, 2::7], half * np.array([1, 3, 5]), atol=1e-4)
    assert np.abs(run.v[-1]).max() < 1e-9
