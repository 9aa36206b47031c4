"""Trees with closed loops against references that share nothing with them: closed forms, published values, dense
constraints in maximal coordinates. `test_mechanism_references.py` says what those are worth.
"""

import numpy as np
import pytest

import planar_linkages
from linkages import Closure, Joint, Link, Mechanism, X, Y, free, matrix_of, quaternion_of, tree_of, turned, unit
from loop_judges import CLOSED, aligned, check_closed, check_second_order, rounded
from maximal import Maximal
from mechanisms import TWO_BALLS_GUESS, TWO_BALLS_SPEEDS, Delta, Stewart, two_balls
from planar_linkages import FourBar, SliderCrank
from tegotae.multibody import Body, Mimic, Revolute, Scene, Servo, Tree


def errors_of(mechanism, q, v, until, periods, **scene):
    """Of the centres and their speeds at the end, by period; and of the tree's own numbers, loops included."""
    reference, tree = Maximal(mechanism), tree_of(mechanism)
    wanted = reference.run(until, q, v, rtol=1e-11)
    last, speeds = reference.coordinates(wanted)
    q, v = reference.coordinates(reference.state(q, v))
    targets, errors = scene.pop("targets", None), []
    for period in periods:
        run = Scene(tree=tree, **scene).run(until, period=period, q=q, v=v, targets=targets)
        got = reference.state(run.q[-1], run.v[-1])
        errors.append(max(np.abs(got.r - wanted.r).max(), np.abs(got.V - wanted.V).max() * until))
        check_closed(reference, run)
    # coordinates of loops follow from the poses: as near as these, but for the length of a link or two
    np.testing.assert_allclose(aligned(mechanism, run.q[-1], last), last, rtol=0, atol=30 * errors[-1])
    np.testing.assert_allclose(run.v[-1], speeds, rtol=0, atol=100 * errors[-1] / until)
    return errors


# ------------------------------------------------------------ closing


@pytest.mark.parametrize("linkage", [FourBar(), FourBar(branch=-1), SliderCrank()], ids=["bars", "crossed", "slider"])
def test_a_held_crank_tells_the_rest(linkage):
    """One degree of freedom: from a guess nearby, everything but the crank goes where the closed form has it."""
    tree = tree_of(linkage.mechanism())
    for crank, w in ((0.3, 2.0), (2.0, -5.0), (4.5, 1.0)):
        wanted, speeds = linkage.coordinates(crank, w)
        q, v = wanted + 0.05 * np.array([0, 1, -1, 1]), speeds + 0.5 * np.array([0, 1, -1, 1])
        q, v = tree.closed(q, v, hold=("crank",))
        np.testing.assert_allclose(q, wanted, rtol=0, atol=1e-12)  # Newton's method ends where numbers end
        np.testing.assert_allclose(v, speeds, rtol=0, atol=1e-11)


def test_what_is_closed_stays_as_it_is():
    reference = Maximal(two_balls())
    q, v = reference.closed(TWO_BALLS_GUESS, TWO_BALLS_SPEEDS)
    q, v = reference.coordinates(reference.state(q, v))
    ours = tree_of(two_balls()).closed(q, v)
    np.testing.assert_allclose(ours[0], q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours[1], v, rtol=0, atol=1e-12)


def test_a_guess_in_space_closes():
    """Nothing held: the configuration closes, and its speeds keep it closed."""
    reference = Maximal(two_balls())
    q, v = tree_of(two_balls()).closed(
        np.concatenate([TWO_BALLS_GUESS, [1.0, 0, 0, 0]]), np.concatenate([TWO_BALLS_SPEEDS, [0.0, 0, 0]])
    )
    state = reference.state(q, v)
    g, J, _ = reference.constraints(state)
    assert np.abs(g).max() < 1e-12
    assert np.abs(J @ np.concatenate([state.V[:-1], state.W[:-1]], axis=1).ravel()).max() < 1e-11
    full, rates = reference.coordinates(state)
    np.testing.assert_allclose(aligned(two_balls(), q, full), full, rtol=0, atol=1e-11)
    np.testing.assert_allclose(v, rates, rtol=0, atol=1e-10)


def test_crank_of_the_ivp_test_set_where_it_is_published():
    """At 15 rad and 150 rad/s; the published rod is longer by 8.4e-6 m of 0.3, so all differ by 1e-5 at most, and
    speeds by what that stretch and its rate, 1.1e-3 m/s, make of them."""
    machine, at, rates = SliderCrank(), planar_linkages.PUBLISHED, planar_linkages.PUBLISHED_RATES
    q, v = machine.coordinates(at["phi1"], rates["phi1"])
    q, v = tree_of(machine.mechanism()).closed(np.add(q, [0, 0.02, 0.01, -0.02]), v, hold=("crank",))
    assert q[0] + q[1] == pytest.approx(at["phi2"], abs=1e-5)
    assert q[2] == pytest.approx(at["x3"], abs=1e-5)
    assert v[0] + v[1] == pytest.approx(rates["phi2"], abs=4e-3)
    assert v[2] == pytest.approx(rates["x3"], abs=2e-3)


# ------------------------------------------------------------ every kind of joint may close a loop


ALONE = {  # numbers of q, speeds
    "revolute": ([0.4], [2.0]),
    "prismatic": ([0.1], [0.7]),
    "spherical": (quaternion_of(turned(unit((1, 2, 3)), 0.6)), [1.0, -2.0, 1.5]),
    "universal": ([0.3, -0.5], [2.0, 1.0]),
    "cylindrical": ([0.1, 0.4], [0.3, 2.0]),
    "planar": ([0.1, -0.2, 0.4], [0.3, 0.5, 2.0]),
}


@pytest.mark.parametrize("kind", ALONE)
def test_a_free_body_in_a_loop_moves_as_one_on_that_joint(kind):
    """To the world: the same machine as a tree without loops, whose motion is known in maximal coordinates."""
    axes = {"spherical": (), "universal": (tuple(X), tuple(Y))}.get(kind, (tuple(unit((1.0, 2.0, 2.0))),))
    joint, position = Joint(kind=kind, axes=axes), (0.2, -0.1, 0.3)
    rotation, turn = (tuple(map(tuple, turned(unit(a), b))) for a, b in (((1, 1, 0), 0.5), ((0, 1, 2), -0.8)))
    place, about = np.array([0.05, 0.1, -0.1]), np.asarray(turn)
    matter = {"mass": 1.3, "inertia": (0.05, 0.06, 0.03), "center": (0.1, 0.05, -0.2)}
    # On the joint, the body's frame is the joint's: turn and place tell where that lies in the body of the loop.
    inertia = about.T @ np.diag(matter["inertia"]) @ about
    on = Mechanism(
        links=(
            Link(name="body", mass=1.3, inertia=tuple(map(tuple, inertia)), position=position, rotation=rotation,
                 center=tuple(about.T @ (np.array(matter["center"]) - place)), joint=joint),
        )
    )  # fmt: skip
    loop = Mechanism(
        links=(Link(name="body", joint=free(), **matter),),
        closures=(
            Closure(name="loop", body="body", joint=joint, position=position, rotation=rotation, place=tuple(place),
                    turn=turn),
        ),
    )  # fmt: skip
    single, until = Maximal(on), 0.3
    start = single.state(*ALONE[kind])
    R = start.R[0] @ about.T
    origin = start.r[0] - R @ matter["center"]
    speed = start.V[0] + np.cross(start.W[0], origin - start.r[0])
    q = np.concatenate([origin, quaternion_of(R), ALONE[kind][0]])
    v = np.concatenate([speed, start.W[0], ALONE[kind][1]])
    wanted = single.run(until, *ALONE[kind])
    last, rates = single.coordinates(wanted)
    tree, periods, errors = tree_of(loop), (4e-3, 2e-3, 1e-3), []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=q, v=v)
        at, _ = tree.pose(run.q[-1], "body")
        turned_to = matrix_of(run.q[-1, 3:7])
        errors.append(np.abs(at + turned_to @ matter["center"] - wanted.r[0]).max())
        own = aligned(on, run.q[-1, 7:], last)
        errors[-1] = max(errors[-1], np.abs(own - last).max(), np.abs(run.v[-1, 6:] - rates).max() * until)
        check_closed(Maximal(loop), run)
    if max(errors) < 1e-9:  # a slide alone falls by a parabola, which ticks of second order have exactly
        assert kind == "prismatic"
        return
    check_second_order(periods, errors)


# ------------------------------------------------------------ in space


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_two_hinges_and_two_balls(damping):
    mechanism = two_balls(damping)
    q, v = Maximal(mechanism).closed(TWO_BALLS_GUESS, TWO_BALLS_SPEEDS, hold=("crank",))
    periods = (4e-3, 2e-3, 1e-3)
    check_second_order(periods, errors_of(mechanism, q, v, 0.4, periods))


def tilted(machine):
    """A Stewart platform that moves in all six ways: what it is, and q and v that close."""
    pose = np.array([0.03, -0.02, 0.72, *quaternion_of(turned(unit((1, 2, 3)), 0.15))])
    speeds = np.array([0.2, 0.1, -0.1, 0.5, -0.3, 0.8] + [0.0] * 18)
    mechanism = machine.mechanism()
    return mechanism, *Maximal(mechanism).closed(machine.coordinates(pose), speeds, hold=("plate",))


def test_stewart_platform_sinks_on_its_dampers():
    mechanism, q, v = tilted(Stewart())
    mechanism = mechanism.with_damping(**{f"leg{k}": 10.0 + k for k in range(6)})
    periods = (4e-3, 2e-3, 1e-3)
    check_second_order(periods, errors_of(mechanism, q, v, 0.1, periods))


def test_stewart_platform_on_six_servos():
    machine = Stewart(gain=3e3, rate_gain=30.0)
    mechanism, q, v = tilted(machine)
    legs = [f"leg{k}" for k in range(6)]
    servos = {leg: Servo(gain=machine.gain, rate_gain=machine.rate_gain) for leg in legs}
    targets = dict(zip(legs, machine.lengths(machine.home), strict=True))
    errors = errors_of(mechanism, q, v, 0.1, (1e-3, 5e-4, 2.5e-4), controllers=servos, targets=targets)
    # Servos bring terms of T³ against those of T² (the plate turns on them at 150 rad/s: 0.15 rad a tick), so errors
    # fall by less than four times at first; more than three already tells that nothing is of first order.
    assert errors[0] < 2e-4
    assert errors[0] / errors[1] > 3.0
    assert errors[1] / errors[2] > 3.0


def test_legs_of_a_stewart_platform_are_as_long_as_its_inverse_kinematics_says():
    machine = Stewart(gain=3e3, rate_gain=30.0)
    mechanism, q, _ = tilted(machine)
    reference, legs, tree = Maximal(mechanism), [f"leg{k}" for k in range(6)], tree_of(mechanism)
    q, _ = reference.coordinates(reference.state(q))
    servos = {leg: Servo(gain=machine.gain, rate_gain=machine.rate_gain) for leg in legs}
    run = Scene(tree=tree, controllers=servos).run(
        1.0, period=1e-3, q=q, targets=dict(zip(legs, machine.lengths(machine.home), strict=True))
    )
    for q in np.asarray(run.q)[::50]:
        np.testing.assert_allclose(q[9:25:3], machine.lengths(q[:7]), rtol=0, atol=CLOSED)


def test_delta_robot():
    """Its plate stays level, and its arms are where the inverse kinematics has them."""
    machine, place = Delta(), np.array([0.03, -0.04, -0.42])
    mechanism, start = machine.mechanism(damping=0.05), np.zeros(21)
    start[:3] = 0.5, -0.3, 0.2
    q, v = Maximal(mechanism).closed(machine.coordinates(place), start, hold=("arm0", "arm1", "arm2"))
    periods = (4e-3, 2e-3, 1e-3)
    check_second_order(periods, errors_of(mechanism, q, v, 0.12, periods))
    reference = Maximal(mechanism)
    q, v = reference.coordinates(reference.state(q, v))
    run = Scene(tree=tree_of(mechanism)).run(0.12, period=1e-3, q=q, v=v)
    for q in np.asarray(run.q)[::10]:
        np.testing.assert_allclose(q[:3], machine.angles(q[15:18]), rtol=0, atol=10 * CLOSED)
        np.testing.assert_allclose(matrix_of(q[18:22]), np.eye(3), rtol=0, atol=10 * CLOSED)


# ------------------------------------------------------------ gears


def wheels(ratio, offset):
    return [
        Body(name="first", mass=1.0, inertia=(0.3, 0.3, 0.3), joint=Revolute()),
        Body(name="second", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0, 0),
             joint=Revolute(mimic=Mimic("first", ratio=ratio, offset=offset))),
    ]  # fmt: skip


def test_a_geared_wheel_follows_and_its_inertia_counts_by_the_square_of_the_ratio():
    """Under a constant torque the first turns by half t² torque/(I1 + r² I2), which second order has exactly."""
    ratio, offset, torque = -2.5, 0.1, 0.4
    tree = Tree(wheels(ratio, offset))
    q = tree.closed([0.3, 0.0], hold=("first",))
    run = Scene(tree=tree).run(1.0, period=1e-3, q=q, inputs={"torque.first": torque})
    wanted = 0.3 + 0.5 * torque / (0.3 + ratio**2 * 0.1)
    first, second = (np.arctan2(R[1, 0], R[0, 0]) for _, R in (tree.pose(run.q[-1], n) for n in ("first", "second")))
    assert first == pytest.approx(wanted, abs=1e-10)
    assert rounded(second - (ratio * wanted + offset)) == pytest.approx(0.0, abs=1e-9)
