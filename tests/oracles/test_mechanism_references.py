"""References of mechanisms with loops, before anything is set against them: published values, energies, each other."""

import numpy as np
import pytest

import planar_linkages
import squeezer
from linkages import matrix_of, quaternion_of, turned, unit
from maximal import Maximal
from mechanisms import TWO_BALLS_GUESS, TWO_BALLS_SPEEDS, Delta, Stewart, two_balls
from planar_linkages import FourBar, SliderCrank

MAXIMAL = 1e-11  # of the integrator in maximal coordinates, per step; energies of these runs are a few J


def rounded(angles):
    """Less whole turns."""
    return angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi))


# ------------------------------------------------------------ Andrews' squeezer


def test_squeezer_meets_the_published_reference_and_keeps_its_energy():
    lost = []

    def watch(t, p, v):
        work = squeezer.TORQUE * (p[0] - squeezer.START[0])
        stored = squeezer.spring_energy(p[2]) - squeezer.spring_energy(squeezer.START[2])
        lost.append(squeezer.kinetic_energy(p, v) + stored - work)

    p, v = squeezer.solved(seen=watch)
    assert np.abs(lost).max() < 1e-12  # of 1.5 J at the end
    # The published numbers come from the index 3 equations at a tolerance of 1e-14. They lose 2.2e-10 J, and their
    # speeds part the joints at 1e-9 m/s; all seven angles are what ours are 1.0e-12 s later, which is 1.5e-9 rad.
    np.testing.assert_allclose(p, squeezer.PUBLISHED, rtol=0, atol=2e-9)
    late = (p - squeezer.PUBLISHED) / squeezer.PUBLISHED_SPEEDS
    assert np.ptp(late) < 1e-14
    np.testing.assert_allclose(v, squeezer.PUBLISHED_SPEEDS, rtol=1e-7)
    a, pushes = squeezer.solved_once(p, v)
    np.testing.assert_allclose(a, squeezer.PUBLISHED_ACCELERATIONS, rtol=2e-6)
    np.testing.assert_allclose(pushes, squeezer.PUBLISHED_MULTIPLIERS, rtol=2e-6)


def test_squeezer_starts_as_published():
    a, pushes = squeezer.solved_once(squeezer.START, np.zeros(7))
    assert np.abs(squeezer.constraints(squeezer.START)).max() < 1e-17
    np.testing.assert_allclose(a, squeezer.START_ACCELERATIONS, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(pushes, squeezer.START_MULTIPLIERS, rtol=1e-13, atol=1e-11)


def test_squeezer_of_bodies_moves_as_the_published_equations_say():
    """Seven bodies of six coordinates each: their masses, centres and joints are those of the equations."""
    until, bodies = 0.01, Maximal(squeezer.mechanism())
    p, v = squeezer.solved(until)
    state = bodies.run(until, squeezer.START[squeezer.ORDER], np.zeros(7), rtol=MAXIMAL)
    assert bodies.freedom == 1
    q, w = bodies.coordinates(state)
    np.testing.assert_allclose(rounded(q[:7] - p[squeezer.ORDER]), 0.0, atol=1e-9)
    np.testing.assert_allclose(w[:7], v[squeezer.ORDER], rtol=0, atol=1e-8 * np.abs(v).max())


# ------------------------------------------------------------ slider crank


def test_slider_crank_is_the_published_one_but_for_what_its_rod_gives():
    """The published rod is elastic: q4 longer. With the length that it has at that moment, kinematics give its angle
    and the slider's place to the last digit. From those of a rigid rod they are then -q4 tan(phi2)/l2 (9.6e-6 rad) and
    q4/cos(phi2) (8.8e-6 m) away, and rates and accelerations by what these change with time.
    """
    at, rates, second = (
        planar_linkages.PUBLISHED, planar_linkages.PUBLISHED_RATES, planar_linkages.PUBLISHED_ACCELERATIONS
    )  # fmt: skip
    machine, w = SliderCrank(), rates["phi1"]
    longer = SliderCrank(l2=machine.l2 + at["q4"])
    assert longer.angles(at["phi1"])[0][1] == pytest.approx(at["phi2"], abs=1e-15)
    assert longer.slider(at["phi1"])[0] == pytest.approx(at["x3"], abs=1e-15)

    phi, k, kk = (one[1] for one in machine.angles(at["phi1"]))
    x, v, a = machine.slider(at["phi1"], w)
    stretch, r, p, d, dd = (at["q4"], rates["q4"], at["phi2"], rates["phi2"], second["phi2"])
    sec, tan = 1.0 / np.cos(p), np.tan(p)
    angle = np.array([
        stretch * tan,
        r * tan + stretch * sec**2 * d,
        second["q4"] * tan + 2 * r * sec**2 * d + stretch * sec**2 * (2 * tan * d * d + dd),
    ]) / -machine.l2  # fmt: skip
    place = sec * np.array([
        stretch,
        r + stretch * tan * d,
        second["q4"] + 2 * r * tan * d + stretch * ((tan**2 + sec**2) * d * d + tan * dd),
    ])  # fmt: skip
    # 1e-4: the next term of a small stretch is smaller by q4/l2 = 3e-5, times a few tan(phi2); accelerations are such
    # as solve the published equations to 1e-9 of 6000.
    np.testing.assert_allclose(np.array([p, d, dd]) - [phi, k * w, kk * w * w], angle, rtol=1e-4)
    np.testing.assert_allclose(np.array([at["x3"], rates["x3"], second["x3"]]) - [x, v, a], place, rtol=1e-4)


def test_drive_of_the_slider_crank_is_near_the_published_one():
    """The multiplier of the drive is its torque, less what the vibrating rod asks: 1 % of 25 N·m here."""
    torque = SliderCrank().torque(15.0, 150.0)
    assert torque == pytest.approx(-planar_linkages.PUBLISHED_MULTIPLIERS[2], rel=0.02)


PLANAR = {
    "four bars": (FourBar(), 0.7, 3.0, 1.0),
    "four bars, open the other way": (FourBar(branch=-1), 0.7, -2.0, 0.8),
    "four bars without weight": (FourBar(gravity=0.0), 0.7, 6.0, 1.0),
    "four bars with dampers": (FourBar(damping=((1, 0, 0.05), (2, -1, 0.02), (1, 2, 0.03))), 0.7, 3.0, 1.0),
    "four bars that rub": (FourBar(friction=((1, 2, 0.3), (2, -1, 0.2))), 1.5, 5.0, 0.15),
    "slider crank": (SliderCrank(gravity=9.81), 0.3, 20.0, 0.5),
}


@pytest.mark.parametrize("name", PLANAR)
def test_one_coordinate_and_six_a_body_agree(name):
    linkage, th, w, until = PLANAR[name]
    times = np.linspace(0.0, until, 9)
    crank, speed, taken = linkage.run(times, th, w)
    energy = [sum(linkage.energy(*one)) for one in zip(crank, speed, strict=True)]
    np.testing.assert_allclose(np.array(energy) + taken, energy[0], rtol=0, atol=1e-9)
    if linkage.friction:  # of which bodies there know nothing
        return
    bodies = Maximal(linkage.mechanism())
    q, v = linkage.coordinates(th, w)
    assert sum(bodies.energy(bodies.state(q, v))) == pytest.approx(energy[0], rel=1e-12)
    state = bodies.run(until, q, v, rtol=MAXIMAL)
    assert sum(bodies.energy(state)) + taken[-1] == pytest.approx(energy[0], abs=1e-9)
    got, wanted = bodies.coordinates(state), linkage.coordinates(crank[-1], speed[-1])
    np.testing.assert_allclose(rounded(got[0] - wanted[0]), 0.0, atol=1e-9)
    np.testing.assert_allclose(got[1], wanted[1], rtol=0, atol=1e-8)


# ------------------------------------------------------------ in space


def test_two_balls_keep_their_energy():
    bodies = Maximal(two_balls())
    q, v = bodies.closed(TWO_BALLS_GUESS, TWO_BALLS_SPEEDS, hold=("crank",))
    assert q[0] == TWO_BALLS_GUESS[0]
    assert v[0] == TWO_BALLS_SPEEDS[0]
    kept(bodies, q, v, 0.5, freedom=2)


def kept(bodies, q, v, until, *, freedom, stored=lambda q: 0.0):
    """Runs; energy and constraints stay. The state at the end."""
    first, off = sum(bodies.energy(bodies.state(q, v))) + stored(q), []

    def watch(t, s):
        off.append((abs(sum(bodies.energy(s)) + stored(bodies.coordinates(s)[0]) - first), bodies.constraints(s)[0]))

    state = bodies.run(until, q, v, rtol=MAXIMAL, seen=watch)
    assert bodies.freedom == freedom
    assert max(lost for lost, _ in off) < 1e-9
    assert max(np.abs(gap).max() for _, gap in off) < 1e-14
    return state


def test_stewart_platform_closes_by_its_inverse_kinematics_and_keeps_its_energy():
    machine = Stewart(gain=3e3)
    pose = np.array([0.03, -0.02, 0.72, *quaternion_of(turned(unit((1, 2, 3)), 0.15))])
    bodies, q = Maximal(machine.mechanism()), machine.coordinates(pose)
    assert np.abs(bodies.constraints(bodies.state(q))[0]).max() < 1e-14
    q, v = bodies.closed(q, np.array([0.2, 0.1, -0.1, 0.5, -0.3, 0.8] + [0.0] * 18), hold=("plate",))
    home = machine.lengths(machine.home)
    springs = lambda q: 0.5 * machine.gain * ((q[9:25:3] - home) ** 2).sum()  # noqa: E731
    state = kept(bodies, q, v, 0.1, freedom=6, stored=springs)
    q, _ = bodies.coordinates(state)
    np.testing.assert_allclose(q[9:25:3], machine.lengths(q[:7]), rtol=0, atol=1e-14)


def test_delta_robot_closes_by_its_inverse_kinematics_and_keeps_its_energy():
    machine, place = Delta(), np.array([0.03, -0.04, -0.42])
    bodies, q = Maximal(machine.mechanism()), machine.coordinates(place)
    assert np.abs(bodies.constraints(bodies.state(q))[0]).max() < 1e-14
    start = np.zeros(21)
    start[:3] = 0.5, -0.3, 0.2
    q, v = bodies.closed(q, start, hold=("arm0", "arm1", "arm2"))
    state = kept(bodies, q, v, 0.15, freedom=3)
    q, v = bodies.coordinates(state)
    np.testing.assert_allclose(q[:3], machine.angles(q[15:18]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(matrix_of(q[18:22]), np.eye(3), atol=1e-13)
