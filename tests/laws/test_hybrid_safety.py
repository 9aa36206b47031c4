"""Whatever comes in, a table is told to move within its limits, comes to rest in time, and stays until re-armed."""

import math
import random
import re
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.hybrid import Command, NodeState
from tegotae.hybrid.bus.messages import TROUBLES
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy, Motion
from tegotae.hybrid.safety.poses import angle_between, difference, moved
from tegotae.hybrid.safety.safety import Safety
from tegotae.hybrid.safety.sensing import NOTHING_FELT
from tegotae.rotations import quaternion_about

T = 2e-3  # s
LEVEL = (1.0, 0.0, 0.0, 0.0)
HOME = (0.0, 0.0, 0.0, *LEVEL)
REST = (0.0,) * 6
LIMITS = Limits()
BITS = 1e-12  # rounding, of positions and of velocities


class Reading(NamedTuple):
    pose: tuple = HOME
    twist: tuple = REST
    emergency: bool = False
    fault: str = ""
    late: bool = False
    fresh: bool = True


def along(axis, value):
    return tuple(value if i == axis else 0.0 for i in range(6))


def pushing(*wrench):
    return NOTHING_FELT._replace(wrench=wrench)


class Table:
    """A table that obeys exactly; every order it got is kept, and held against the limits."""

    def __init__(self, limits=LIMITS, start=HOME, **options):
        self.limits = limits
        self.safety = Safety(limits=limits, period=T, start=start, **options)
        self.pose, self.velocity, self.events = start, REST, []
        self.order = None

    def tick(self, command=None, age=0.0, reading=None, felt=NOTHING_FELT, **asked):
        if command is None:
            age = math.inf
        reading = Reading(pose=self.pose) if reading is None else reading
        order = self.safety.step(age=age, command=command, reading=reading, felt=felt, **asked)
        self.check(order)
        self.order, self.pose = order, order.pose
        self.events += order.events
        return order

    def check(self, order):
        own = self.limits
        assert all(map(math.isfinite, (*order.pose, *order.twist, order.label)))
        assert all(
            low - BITS <= x <= high + BITS for low, x, high in zip(own.lower, order.pose, own.upper, strict=False)
        )
        assert angle_between(own.level, order.pose[3:]) <= own.tilt + 1e-7  # half the digits are lost in the cosine
        assert math.hypot(*order.pose[3:]) == pytest.approx(1.0, abs=1e-14)
        velocity = tuple(x / T for x in difference(self.pose, order.pose))
        change = [now - before for now, before in zip(velocity, self.velocity, strict=True)]
        error = 1e-9  # rounding of a position, over T
        for part, fastest, hardest in (
            (slice(0, 3), own.velocity, own.acceleration),
            (slice(3, 6), own.angular_velocity, own.angular_acceleration),
        ):
            assert math.hypot(*velocity[part]) <= fastest + error
            assert math.hypot(*change[part]) <= hardest * T + error
            assert math.hypot(*order.twist[part]) <= fastest + error
            apart = [a - b for a, b in zip(order.twist[part], velocity[part], strict=True)]
            assert math.hypot(*apart) <= 0.5 * hardest * T + error
        self.velocity = velocity

    def run(self, seconds, velocity):
        """Commands of constant velocity, from where the table is; the last one."""
        start = self.pose
        for k in range(1, round(seconds / T) + 1):
            command = Command(label=k * T, pose=moved(start, velocity, k * T), twist=velocity)
            self.tick(command)
        return command

    def until_held(self, command=None, age=math.inf, most=100, **asked):
        """Ticks until it is held and latched."""
        for k in range(1, most + 1):
            if NodeState.HELD | NodeState.LATCHED in self.tick(command, age=age + k * T, **asked).state:
                return k
        raise AssertionError(f"not held after {most} ticks")

    def said(self, level):
        return [text for one, text, _ in self.events if one == level]


# ---------------------------------------------------------------- following


def test_a_steady_command_is_followed_exactly():
    table, speed = Table(), along(2, 0.01)
    last = table.run(0.2, speed)
    assert table.order.state == NodeState.RUNNING
    assert table.pose == pytest.approx(last.pose, abs=1e-15)
    assert table.order.twist == speed
    assert table.order.label == last.label
    assert table.said("warning") == table.said("trip") == []


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_missing_command_is_bridged_at_its_acceleration(missing):
    """p + v t + a t²/2 and v + a t; turning likewise about a fixed axis."""
    table = Table()
    twist, push = (0.0, 0.0, 0.01, 0.02, 0.0, 0.0), (0.0, 0.0, 0.3, -0.5, 0.0, 0.0)
    for k in range(100):
        t = (k - 99) * T
        pose = (0.0, 0.0, 0.01 * t + 0.15 * t * t, *quaternion_about(0.02 * t - 0.25 * t * t, 0.0, 0.0))
        speed = (0.0, 0.0, 0.01 + 0.3 * t, 0.02 - 0.5 * t, 0.0, 0.0)
        last = Command(label=t, pose=pose, twist=speed, acceleration=push)
        table.tick(last)
    for k in range(1, missing + 1):
        table.tick(last, age=k * T)
    t = missing * T
    assert table.order.state == NodeState.RUNNING
    assert table.pose[2] == pytest.approx(0.01 * t + 0.15 * t * t, abs=1e-15)
    assert difference(HOME, table.pose)[3] == pytest.approx(0.02 * t - 0.25 * t * t, abs=1e-14)
    assert table.order.twist == pytest.approx([v + a * t for v, a in zip(twist, push, strict=True)])
    assert table.order.label == pytest.approx(t)


def test_a_far_target_is_reached_in_the_shortest_time_without_overshoot():
    """Bang-bang: 2 sqrt(d/a) while the velocity stays below its limit, then d/v + v/a."""
    for d, shortest in ((2e-3, 2.0 * math.sqrt(2e-3 / 20.0)), (0.05, 0.05 / 0.25 + 0.25 / 20.0)):
        table = Table()
        table.tick(Command(label=0.0))
        ticks, target = 0, Command(label=0.0, pose=(d, 0.0, 0.0, *LEVEL))
        while abs(table.pose[0] - d) > 1e-9 or table.velocity != pytest.approx(REST, abs=1e-9):
            assert table.tick(target).pose[0] <= d + BITS
            ticks += 1
            assert ticks < 1000
        assert shortest - T <= ticks * T <= shortest + 4 * T
        assert table.said("warning") == ["limited: the command asks for more than the table may do"]


@pytest.mark.parametrize("way", [(0.3, 0.2, -0.1), (0.0, 1.0, 1.0)])
def test_a_command_beyond_velocity_and_acceleration_is_limited_and_caught_up(way):
    table = Table()
    table.run(0.02, REST)
    far = Command(label=1.0, pose=(*(0.05 * x for x in way), *quaternion_about(0.1, -0.1, 0.05)), twist=along(0, 9.0))
    assert NodeState.LIMITED in table.tick(far).state
    still = Command(label=1.0, pose=far.pose)
    for _ in range(300):
        table.tick(still)
    assert table.order.state == NodeState.RUNNING
    assert difference(table.pose, still.pose) == pytest.approx(REST, abs=1e-12)


# ---------------------------------------------------------------- missing commands


@pytest.mark.parametrize("speed", [along(2, 0.01), along(0, 0.2), along(3, 0.8), REST, (0.1, 0.1, 0.1, 0.2, 0.0, 0.4)])
def test_without_commands_it_coasts_slows_down_and_latches(speed):
    """Ticks at full speed until the ramp begins, then an even ramp: v (n - 1)/2 ticks more; 34 ms after the last."""
    table = Table(Limits(tilt=1.5).around((0.0, 0.0, 0.0), 10.0))
    last = table.run(0.3, speed)
    seen = []
    for k in range(1, 40):
        seen.append(table.tick(last, age=k * T).state)
    assert seen[:4] == [NodeState.RUNNING] * 4
    assert seen[4:6] == [NodeState.COASTING] * 2
    assert seen[6:15] == [NodeState.RAMPING] * 9
    assert set(seen[15:]) == {NodeState.HELD | NodeState.LATCHED}  # told to stand 32 ms after, there one period later
    way = (6 + (10 - 1) / 2) * T
    assert difference(last.pose, table.pose) == pytest.approx([v * way for v in speed], abs=1e-12)
    assert table.order.twist == REST
    # The label is that of the place: where the table stands, the course would have been so much later.
    assert table.order.label == pytest.approx(last.label + (way if any(speed) else 6 * T))
    assert len(table.said("trip")) == len(table.said("warning")) == 1


@given(
    speed=st.floats(0.0, 0.25),
    late=st.lists(st.floats(0.0, 25e-3), min_size=60, max_size=60),
)
@settings(max_examples=50, deadline=None)
def test_rest_comes_in_time_even_if_ticks_are_late(speed, late):
    """The ramp ends by the clock, or as soon as the acceleration allows: v/a ticks after the first tick beyond it."""
    table = Table(Limits().around((0.0, 0.0, 0.0), 10.0))
    last = table.run(0.04, along(1, speed))
    age, beyond = 0.0, 0
    for more in late:
        age += T + more
        state = table.tick(last, age=age).state
        beyond += age >= 34e-3
        if NodeState.HELD in state:
            break
    assert NodeState.HELD in state
    assert beyond <= math.ceil(0.25 / 20.0 / T) + 1


@pytest.mark.parametrize("loss", [0.05, 0.3])
def test_losing_packets_trips_nothing(loss):
    """At 30 % five in a row are lost about once a second; 17 would be needed to hold: once in 8 days."""
    table, chance, last, came = Table(), random.Random(1), None, 0
    for k in range(5_000):
        t = k * T
        if last is None or chance.random() >= loss:
            pose = (0.0, 0.0, 0.01 * math.sin(5.0 * t), *LEVEL)
            twist, push = along(2, 0.05 * math.cos(5.0 * t)), along(2, -0.25 * math.sin(5.0 * t))
            last, came = Command(label=t, pose=pose, twist=twist, acceleration=push), k
        order = table.tick(last, age=(k - came) * T)
        assert NodeState.LATCHED not in order.state
        assert order.pose[2] == pytest.approx(0.01 * math.sin(5.0 * t), abs=1e-4)
    assert table.said("trip") == []
    assert bool(table.said("warning")) == (loss == 0.3)  # it did coast


def test_commands_that_return_while_it_slows_down_are_followed():
    table, speed = Table(), along(0, 0.05)
    last = table.run(0.1, speed)
    for k in range(1, 12):
        table.tick(last, age=k * T)
    assert table.order.state == NodeState.RAMPING
    start = moved(last.pose, speed, 11 * T)
    for k in range(1, 100):
        table.tick(Command(label=k * T, pose=moved(start, speed, k * T), twist=speed))
    assert table.order.state == NodeState.RUNNING
    assert table.pose[0] == pytest.approx(start[0] + 0.05 * 99 * T)
    assert table.said("info")[-1] == "commands come in again: following"


# ---------------------------------------------------------------- trips

FAR = (0.02, 0.0, 0.0, *LEVEL)
TRIPS = {
    "stop": ({"stop": "enough"}, "stop: enough", NodeState(0)),
    "stop without words": ({"stop": ""}, "stop", NodeState(0)),
    "emergency": ({"reading": Reading(emergency=True)}, "emergency stop pressed", NodeState.EMERGENCY),
    "device": ({"reading": Reading(fault="drive 3 is hot")}, "device: drive 3 is hot", NodeState.FAULT),
    "nan pose": ({"reading": Reading(pose=(math.nan, *HOME[1:]))}, "not finite", NodeState.FAULT),
    "inf twist": ({"reading": Reading(twist=along(4, math.inf))}, "not finite", NodeState.FAULT),
    "cancelling": ({"reading": Reading(twist=(math.inf, -math.inf, *REST[2:]))}, "not finite", NodeState.FAULT),
    "no quaternion": ({"reading": Reading(pose=(0.0,) * 7)}, "not of length 1", NodeState.FAULT),
    "jump": ({"reading": Reading(pose=FAR)}, "jumps by 18.. mm", NodeState.FAULT),
    "turn": ({"reading": Reading(pose=(0.0, 0.0, 0.0, *quaternion_about(0.1, 0, 0)))}, "0.1 rad", NodeState.FAULT),
    "too fast": ({"reading": Reading(twist=along(0, 0.4))}, "moves at 0.4 m/s", NodeState(0)),
    "spinning": ({"reading": Reading(twist=along(5, 1.6))}, "1.6 rad/s", NodeState(0)),
    "force": ({"felt": pushing(0.0, 40.0, -40.0, 0.0, 0.0, 0.0)}, "overload: 56.57 N", NodeState.OVERLOAD),
    "torque": ({"felt": pushing(0.0, 0.0, 0.0, 0.0, -5.1, 0.0)}, "overload: 0 N, 5.1 N·m", NodeState.OVERLOAD),
    "nan wrench": ({"felt": pushing(math.nan, 0.0, 0.0, 0.0, 0.0, 0.0)}, "wrench is not finite", NodeState.FAULT),
    "sensor": ({"felt": NOTHING_FELT._replace(state=NodeState.FAULT, trouble="frozen")}, "frozen", NodeState.FAULT),
    "axis": ({"felt": NOTHING_FELT._replace(state=NodeState.OVERLOAD, trouble="x")}, "x", NodeState.OVERLOAD),
    "clock": ({"age": -0.1}, "a clock went wrong", NodeState.FAULT),
    "no clock": ({"age": math.nan}, "a clock went wrong", NodeState.FAULT),
}


@pytest.mark.parametrize("case", TRIPS)
def test_it_trips_stops_as_hard_as_allowed_and_latches(case):
    what, words, flag = TRIPS[case]
    table = Table()
    last = table.run(0.02, along(0, 0.1))
    before = table.pose
    given = {"age": 0.0, "reading": Reading(pose=before)} | what
    if given["reading"].pose == HOME:  # the case is not about where it is
        given["reading"] = given["reading"]._replace(pose=before)
    order = table.tick(last, **given)
    assert order.tripped
    assert NodeState.LATCHED in order.state
    assert NodeState.RAMPING in order.state
    (told,) = table.said("trip")
    assert re.search(words, told)
    ticks = 1 + table.until_held(last, age=0.0)
    assert table.order.state == NodeState.HELD | NodeState.LATCHED | flag
    # sum of T (v - k a T): v²/2a - vT/2 where v is a multiple of aT, or nearer, where it gave way
    brake = 0.1**2 / 40.0
    assert table.pose[0] - before[0] <= brake
    if flag & (NodeState.OVERLOAD | NodeState.EMERGENCY | NodeState.FAULT) == NodeState(0):
        assert table.pose[0] - before[0] == pytest.approx(T * 20.0 * T * (1.5 + 0.5), rel=1e-6)
        assert ticks <= 4
    for _ in range(100):  # and nothing moves it
        table.tick(Command(label=9.0, pose=table.pose, twist=along(0, 0.1)))
    assert NodeState.LATCHED in table.order.state
    assert len(table.said("trip")) == 1


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("speed", [-0.2, -0.01, 0.01, 0.2])
def test_before_a_wall_it_trips_and_rests_inside(axis, speed):
    """The way of v²/2a is kept, and at most two ticks of motion given away."""
    limits = Limits(lower=(-0.03, -0.02, -0.01), upper=(0.015, 0.025, 0.035))
    wall = limits.upper[axis] if speed > 0.0 else limits.lower[axis]
    table, velocity = Table(limits), along(axis, speed)
    for k in range(1, 3000):  # the way out is only in the velocity: the box is met by what lies ahead
        table.tick(Command(label=k * T, pose=moved(HOME, velocity, min(k * T, abs(wall / speed))), twist=velocity))
        if table.order.tripped:
            break
    table.until_held()
    assert 0.0 <= (wall - table.pose[axis]) * math.copysign(1.0, speed) <= 2.0 * abs(speed) * T
    assert re.search(f"the box|{'xyz'[axis]} = ", table.said("trip")[0])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_device_that_leaves_the_box_trips(axis, side):
    """Told to stay inside, it drifts out: a millimetre is overshoot, more is not."""
    table = Table()
    for k in range(1, 120):
        place = moved(HOME, along(axis, side * min(1e-3 * k, 0.1005)))
        assert not table.tick(Command(label=0.0), reading=Reading(pose=place)).tripped
    assert table.tick(Command(label=0.0), reading=Reading(pose=moved(HOME, along(axis, side * 0.1015)))).tripped
    assert "the device is outside of the box, at " in table.said("trip")[0]


def test_a_command_outside_of_the_box_trips_at_once():
    table = Table()
    table.run(0.1, along(0, 0.01))
    place = table.pose
    assert table.tick(Command(label=1.0, pose=(0.0, 0.0, 0.5, *LEVEL))).tripped
    table.until_held()
    assert difference(place, table.pose) == pytest.approx(REST, abs=1e-4)
    assert "z = 0.5 m, the box allows -0.1 to 0.1 m" in table.said("trip")[0]


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -0.6, 0.8)])
def test_before_the_largest_tilt_it_trips_and_rests_inside(axis):
    table = Table(Limits(tilt=0.2, level=quaternion_about(0.05, 0.0, 0.0)))
    velocity = (0.0, 0.0, 0.0, *(0.9 * x for x in axis))
    for k in range(1, 500):
        if table.tick(Command(label=k * T, pose=moved(HOME, velocity, k * T), twist=velocity)).tripped:
            break
    table.until_held()
    assert 0.2 - 3.0 * 0.9 * T <= angle_between(table.limits.level, table.pose[3:]) <= 0.2
    assert "tilt" in table.said("trip")[0]


@pytest.mark.parametrize(
    ("margins", "words"),
    [
        (lambda pose: (0.03 - pose[0], 1.0), "left to a joint's limit"),
        (lambda pose: (1.0, 0.06 - pose[0]), "left to a singular pose"),
        (lambda pose: (math.nan if pose[0] > 0.01 else 1.0, 1.0), "nan left to a joint"),
    ],
)
def test_before_a_margin_is_used_up_it_trips_and_rests(margins, words):
    """Both are used up at x = 0.01 m."""
    table = Table(margins=margins)
    velocity = along(0, 0.15)
    for k in range(1, 100):
        if table.tick(Command(label=k * T, pose=moved(HOME, velocity, k * T), twist=velocity)).tripped:
            break
    table.until_held()
    assert 0.01 - 2.0 * 0.15 * T <= table.pose[0] <= 0.01
    assert words in table.said("trip")[0]


def test_a_pose_that_the_device_refuses_trips_in_its_words():
    def margins(pose):
        if pose[0] > 0.01:
            raise tg.InputError("Hexa: out of reach.\n  Stay near home.")
        return math.inf, math.inf

    table = Table(margins=margins)
    table.tick(Command(label=0.0))
    for _ in range(100):
        table.tick(Command(label=1.0, pose=(0.02, 0.0, 0.0, *LEVEL)))
    assert "Hexa: out of reach." in table.said("trip")[0]
    assert table.pose[0] <= 0.01


# ---------------------------------------------------------------- in contact


def test_an_overload_is_released_not_pushed():
    """A servo of stiffness K holds with K (told - is): told to be where it is, it lets go."""
    table = Table()
    last = table.run(0.1, along(2, 0.1))
    stands = moved(table.pose, along(2, -3e-3))  # the surface keeps it back
    for back in (1e-3, 2e-3):
        table.tick(last, reading=Reading(pose=moved(table.pose, along(2, -back))))
    order = table.tick(last, reading=Reading(pose=stands), felt=pushing(0.0, 0.0, -60.0, 0.0, 0.0, 0.0))
    assert order.tripped
    ticks = 0
    while NodeState.HELD not in order.state:
        order = table.tick(last, reading=Reading(pose=stands))
        ticks += 1
        assert ticks < 25  # 50 ms
    assert difference(order.pose, stands) == pytest.approx(REST, abs=1e-9)
    assert order.state == NodeState.HELD | NodeState.LATCHED | NodeState.OVERLOAD


def test_an_overload_of_a_table_that_is_held_is_released_once():
    """A sensor that sticks at its overload does not make the table creep after what it reads."""
    table = tripped()
    stands = moved(table.pose, along(2, -1e-3))
    felt = pushing(0.0, 0.0, -60.0, 0.0, 0.0, 0.0)
    for _ in range(100):
        table.tick(reading=Reading(pose=stands), felt=felt)
    assert difference(table.pose, stands) == pytest.approx(REST, abs=1e-9)
    for _ in range(100):
        table.tick(reading=Reading(pose=moved(stands, along(2, -1e-3))), felt=felt)
    assert difference(table.pose, stands) == pytest.approx(REST, abs=1e-9)
    assert table.order.state == NodeState.HELD | NodeState.LATCHED | NodeState.OVERLOAD


def test_an_overload_is_released_though_a_stop_comes_with_it():
    table = Table()
    last = table.run(0.1, along(2, 0.01))
    stands = moved(table.pose, along(2, -1e-3))
    table.tick(last, reading=Reading(pose=stands), felt=pushing(0.0, 0.0, -60.0, 0.0, 0.0, 0.0), stop="enough")
    for _ in range(50):
        table.tick(reading=Reading(pose=stands))
    assert difference(table.pose, stands) == pytest.approx(REST, abs=1e-9)


def test_giving_way_ends_when_readings_are_doubted():
    table = Table()
    table.run(0.02, REST)
    for k in range(1, 20):
        table.tick(reading=Reading(pose=moved(HOME, along(2, -5e-4 * k)), emergency=True))
    assert table.pose[2] < 0.0
    table.tick(reading=Reading(pose=(math.nan,) * 7))
    table.until_held(most=5)
    assert table.pose[2] > -2e-3


@pytest.mark.parametrize("flags", [{"emergency": True}, {"fault": "lost count"}, {}])
def test_a_reading_that_jumped_moves_nothing(flags):
    """Neither what the reading says nor a device that is stopped makes the table go where it perhaps is not."""
    table = Table()
    table.run(0.02, REST)
    for _ in range(100):
        table.tick(Command(label=1.0), reading=Reading(pose=FAR, **flags), felt=pushing(0.0, 0.0, 99.0, 0.0, 0.0, 0.0))
    assert table.pose == HOME


@pytest.mark.parametrize(("ticks", "trips"), [(1, True), (3, False)])
def test_how_far_a_reading_may_lie_counts_from_the_last_fresh_one(ticks, trips):
    """A device that could not speak for a while has moved on meanwhile."""
    table, far = Table(), moved(HOME, along(2, 5.0 * LIMITS.overspeed * LIMITS.velocity * T))
    for _ in range(ticks):
        table.tick(reading=Reading(fresh=False), elapsed=T)
    assert table.tick(reading=Reading(pose=far), elapsed=T).tripped == trips
    assert table.tick(reading=Reading(pose=moved(far, along(2, 0.1))), elapsed=T).tripped != trips  # once is enough


def test_contact_is_passed_on():
    table = Table()
    felt = NOTHING_FELT._replace(state=NodeState.CONTACT)
    assert table.tick(Command(label=0.0), felt=felt).state == NodeState.RUNNING | NodeState.CONTACT


def test_a_device_that_falls_while_stopped_is_not_made_to_jump_back():
    table = Table()
    last = table.run(0.1, along(0, 0.01))
    where = table.pose
    for k in range(400):  # it sinks while its drives are off, and is then told to be where it is
        where = moved(where, along(2, -0.05), T if k < 100 else 0.0)
        table.tick(last, reading=Reading(pose=where, emergency=True))
    assert difference(where, table.pose) == pytest.approx(REST, abs=1e-3)
    assert NodeState.HELD | NodeState.LATCHED | NodeState.EMERGENCY in table.order.state
    assert table.said("trip") == ["emergency stop pressed"]


# ---------------------------------------------------------------- beginning, and beginning again


def tripped(**asked):
    table = Table()
    table.run(0.1, along(0, 0.05))
    table.tick(Command(label=0.2, pose=table.pose), stop="enough", **asked)
    table.until_held()
    return table


def test_rearmed_it_goes_slowly_to_a_near_command():
    table = tripped()
    command = Command(label=5.0, pose=moved(table.pose, (0.0, 0.004, 0.0, 0.0, 0.04, 0.0)))
    assert table.tick(command).state == NodeState.HELD | NodeState.LATCHED
    order = table.tick(command, rearm=True)
    assert order.rearm
    assert NodeState.RUNNING in order.state
    for _ in range(200):
        assert math.hypot(*table.velocity[:3]) <= 0.02 + 1e-9
        assert math.hypot(*table.velocity[3:]) <= 0.2 + 1e-9
        table.tick(command)
    assert table.order.state == NodeState.RUNNING
    assert difference(table.pose, command.pose) == pytest.approx(REST, abs=1e-9)
    last = table.run(0.2, along(0, 0.2))  # and then as fast as ever
    assert difference(table.pose, last.pose) == pytest.approx(REST, abs=1e-9)


REFUSALS = {
    "far": ({"command": Command(label=0.0, pose=(0.02, 0.0, 0.0, *LEVEL))}, "mm and 0 rad from where the table stands"),
    "turned": (
        {"command": Command(label=0.0, pose=(5e-3, 0.0, 0.0, *quaternion_about(0.1, 0.0, 0.0)))},
        "and 0.1 rad",
    ),
    "no command": ({"command": None}, "no fresh commands"),
    "old": ({"age": 5 * T}, "no fresh commands"),
    "emergency": ({"reading": Reading(emergency=True)}, "emergency stop pressed"),
    "fault": ({"reading": Reading(fault="hot")}, "device: hot"),
    "overload": ({"felt": pushing(99.0, 0.0, 0.0, 0.0, 0.0, 0.0)}, "overload"),
    "stop": ({"stop": "no"}, "stop: no"),
    "untared": ({"felt": NOTHING_FELT._replace(ready=False)}, "not tared"),
}


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"reading": Reading(fault="hot")}, "fault"),
        ({"reading": Reading(fault="holds", late=True)}, "late"),
        ({"reading": Reading(emergency=True)}, "emergency"),
        ({"stop": "no"}, "stop"),
        ({"felt": pushing(99.0, 0.0, 0.0, 0.0, 0.0, 0.0)}, "overload"),
        ({"reading": Reading(twist=along(0, 3.0))}, "speed"),
        ({"reading": Reading(pose=(0.05, 0.0, 0.0, *LEVEL))}, "jump"),
    ],
)
def test_a_trip_names_its_kind(given, kind):
    table = Table()
    table.tick(**({"reading": Reading(), "command": Command(label=0.0), "age": 0.0} | given))
    ((level, _, told),) = [each for each in table.events if each.level == "trip"]
    assert (level, told) == ("trip", kind)
    assert kind in TROUBLES


def test_commands_that_stay_away_are_lateness():
    table = Table()
    last = table.run(0.1, along(0, 0.01))
    for k in range(1, 40):
        table.tick(last, age=k * T)
    assert [each.kind for each in table.events if each.level == "trip"] == ["late"]


def test_a_rearm_that_is_asked_for_again_is_refused_in_words_only_the_last_time():
    table = tripped()
    for k in reversed(range(5)):
        assert not any("refused" in words for words in table.said("warning"))
        table.tick(None, age=math.inf, rearm=True, insists=k > 0)
    assert sum("re-arm refused" in words for words in table.said("warning")) == 1


@pytest.mark.parametrize("case", REFUSALS)
def test_a_rearm_is_refused_in_words(case):
    what, words = REFUSALS[case]
    table = tripped()
    given = {"command": Command(label=0.0, pose=table.pose), "age": 0.0, "reading": Reading()} | what
    given["reading"] = given["reading"]._replace(pose=table.pose)
    place = table.pose
    order = table.tick(rearm=True, **given)
    assert NodeState.LATCHED in order.state
    assert order.rearm == (case != "emergency")  # the device may clear a fault of its own
    assert re.search(f"re-arm refused: .*{words}", table.said("warning")[-1])
    for _ in range(20):
        table.tick(Command(label=0.0, pose=place), reading=Reading(pose=place))
    assert table.pose == place
    assert NodeState.LATCHED in table.order.state
    assert NodeState.RUNNING in table.tick(Command(label=0.0, pose=place), rearm=True).state


@pytest.mark.parametrize("case", TRIPS)
def test_after_any_trip_it_can_be_rearmed_and_runs_as_before(case):
    what, _, _ = TRIPS[case]
    table = Table()
    command = Command(label=0.0)
    table.tick(command)
    table.tick(command, **what)
    for _ in range(100):
        table.tick(command, reading=Reading())
    table.tick(command, reading=Reading(), rearm=True)
    for _ in range(100):
        table.tick(command)
    assert table.order.state == NodeState.RUNNING
    assert table.pose == pytest.approx(HOME, abs=1e-12)


def test_a_rearm_while_it_still_moves_is_refused():
    table = Table()
    last = table.run(0.1, along(0, 0.2))
    table.tick(last, stop="")
    table.tick(last, rearm=True)
    assert table.said("warning") == ["re-arm refused: the table still comes to rest; ask again"]


def test_a_device_that_stands_elsewhere_is_told_to_be_there_before_it_is_rearmed():
    table = tripped()
    place = table.pose
    for k in range(10):
        there = moved(place, along(1, 1e-3 * k))
        table.tick(Command(label=0.0, pose=there), reading=Reading(pose=there))
    assert (
        NodeState.LATCHED in table.tick(Command(label=0.0, pose=there), reading=Reading(pose=there), rearm=True).state
    )
    for _ in range(300):
        table.tick(Command(label=0.0, pose=there), reading=Reading(pose=there))
    assert table.pose == pytest.approx(there, abs=1e-9)
    assert NodeState.RUNNING in table.tick(Command(label=0.0, pose=there), rearm=True).state


def test_it_waits_for_a_first_command_that_is_near_and_for_the_tare():
    table, near, far = Table(), Command(label=1.0, pose=(1e-3, 0.0, 0.0, *LEVEL)), Command(label=1.0, pose=FAR)
    for _ in range(100):
        assert table.tick().state == NodeState.HELD
    for _ in range(30):
        assert table.tick(far).state == NodeState.HELD
        assert table.tick(near, felt=NOTHING_FELT._replace(ready=False)).state == NodeState.HELD
        assert table.tick(near, age=0.1).state == NodeState.HELD
    assert len(table.said("warning")) == 1
    assert NodeState.RUNNING in table.tick(near).state


def test_what_lasts_is_said_once_and_what_comes_back_is_said_again():
    table = tripped()
    for k in range(300):
        table.tick(reading=Reading(pose=table.pose, emergency=k < 100 or k >= 200))
    assert table.said("warning") == ["while latched: emergency stop pressed"] * 2
    assert len(table.said("trip")) == 1


# ---------------------------------------------------------------- anything at all

wild = st.one_of(st.floats(-1.0, 1.0), st.floats(-1e-3, 1e-3), st.sampled_from([0.0, 1e300, -1e12, 5.0]))
numbers = st.one_of(st.floats(-0.11, 0.11), st.floats(-3e-3, 3e-3))
turns = st.tuples(*[st.one_of(st.floats(-0.4, 0.4), st.just(0.0))] * 3)
poses = st.builds(lambda p, r: (*p, *quaternion_about(*r)), st.tuples(numbers, numbers, numbers), turns)
commands = st.builds(
    lambda pose, twist, push: Command(label=0.0, pose=pose, twist=twist, acceleration=push),
    poses,
    st.tuples(*[wild] * 6),
    st.tuples(*[wild] * 6),
)
broken = st.sampled_from(
    [
        {},
        {},
        {"rearm": True},
        {"rearm": True},
        {"stop": "x"},
        {"age": -1.0},
        {"reading": Reading(pose=(math.nan,) * 7)},
        {"reading": Reading(twist=(math.inf,) * 6)},
        {"reading": Reading(pose=(1e308,) * 7)},
        {"reading": Reading(pose=(9.0, 9.0, 9.0, *LEVEL), emergency=True)},
        {"reading": Reading(pose=(0.09, 0.0, 0.0, *quaternion_about(2.0, 0.0, 0.0)), fault="x")},
        {"felt": pushing(1e3, 0.0, 0.0, 0.0, 0.0, 0.0)},
        {"sinks": 1e-3},
        {"felt": pushing(*(math.nan,) * 6)},
    ]
)
ticks = st.lists(
    st.tuples(st.one_of(st.none(), commands), st.integers(1, 25), broken, st.booleans()), min_size=1, max_size=12
)


@given(story=ticks, near=st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_story_makes_it_break_a_limit(story, near):
    """Commands, silence, nonsense, stops and re-arms in any order; `Table` checks every tick; then it comes to rest."""
    table = Table(loss_of_command=LossOfCommandPolicy(jump=1.0, turn=3.0, approach=1.0, swing=9.0) if near else None)
    for command, count, bad, once in story:
        for k in range(count):
            asked = {"age": k * T} | (bad if k == 0 or not once else {})
            if "sinks" in asked:  # a device that is stopped and gives in
                asked["reading"] = Reading(pose=moved(table.pose, along(2, -asked.pop("sinks"))), emergency=True)
            table.tick(command, **asked)
    # silence: at rest 34 ms after the last command; giving way to where a device is takes 1 mm or more at 20 mm/s
    most = 200 if NodeState.LATCHED in table.order.state else 17
    for k in range(most):
        table.tick(command, age=(25 + k) * T)
    assert NodeState.HELD in table.order.state


# ---------------------------------------------------------------- parameters

BAD = {
    "box": (lambda: Limits(lower=(0.0, 0.0, 0.2)), "along z lower=0.2 m"),
    "box nan": (lambda: Limits(upper=(0.1, math.nan, 0.1)), r"upper\[1\]=nan"),
    "box short": (lambda: Limits(upper=(0.1, 0.1)), r"upper has shape \(2,\)"),
    "box number": (lambda: Limits(upper=0.1), r"upper has shape \(1,\)"),
    "tilt": (lambda: Limits(tilt=2.0), "tilt=2.0 rad must be <= 1.5"),
    "tilt zero": (lambda: Limits(tilt=0.0), "tilt=0.0 rad"),
    "level": (lambda: Limits(level=(1.0, 1.0, 0.0, 0.0)), "not of length 1"),
    "velocity": (lambda: Limits(velocity=-1.0), "velocity=-1.0 m/s"),
    "acceleration": (lambda: Limits(acceleration=math.inf), "acceleration=inf"),
    "force": (lambda: Limits(force="much"), "force='much'"),
    "singularity": (lambda: Limits(singularity=-0.1), "singularity=-0.1"),
    "overspeed": (lambda: Limits(overspeed=0.5), "overspeed=0.5"),
    "reach": (lambda: Limits().around((0.0, 0.0, 0.0), 0.0), "reach=0.0 m"),
    "watchdog": (lambda: LossOfCommandPolicy(watchdog=0), "watchdog=0"),
    "extrapolation": (lambda: LossOfCommandPolicy(extrapolation=1.5), "extrapolation=1.5"),
    "coast": (lambda: LossOfCommandPolicy(coast=-1.0), "coast=-1.0 s"),
    "ramp": (lambda: LossOfCommandPolicy(ramp=0.0), "ramp=0.0 s"),
    "jump": (lambda: LossOfCommandPolicy(jump=math.nan), "jump=nan"),
    "too fast to stop": (lambda: Table(Limits(velocity=1.0)), "needs 0.05 s to rest"),
    "too quick to stop": (lambda: Table(Limits(angular_velocity=5.0)), "needs 0.05 s to rest"),
    "start outside": (lambda: Table(start=(0.0, 0.2, 0.0, *LEVEL)), "starts at 0, 0.2, 0 m, where it must not be"),
    "start tilted": (lambda: Table(start=(0.0, 0.0, 0.0, *quaternion_about(0.5, 0.0, 0.0))), "tilt 0.5 rad"),
    "start singular": (lambda: Table(margins=lambda pose: (1.0, 0.0)), "left to a singular pose"),
    "start nan": (lambda: Table(start=(math.nan, *HOME[1:])), r"start\[0\]=nan m, - is not finite"),
    "start short": (lambda: Table(start=(0.0, 0.0)), r"start has shape \(2,\)"),
    "period": (lambda: Motion(LIMITS, 0.0, HOME), "period=0.0 s"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_refused(case):
    make, message = BAD[case]
    with pytest.raises(tg.InputError, match=message) as refused:
        make()
    assert "\n  " in str(refused.value), "the second line is the way out"
