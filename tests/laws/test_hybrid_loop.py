"""The loop as a whole, in lockstep: it waits, runs, feels, stops and goes on; the same inputs give the same numbers."""

import json

import numpy as np
import pytest

from tegotae import Mass
from tegotae.hybrid import GuardedMachine, Machine, Measurement, NodeState, RelativeAdmittance
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.messages import DONE
from tegotae.hybrid.nodes.assembly import core_of
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
from tegotae.hybrid.nodes.virtual_run import VirtualLoop, run_virtual
from tegotae.hybrid.settings import read_settings
from tegotae.multibody import Body, Free, Tree, TreeAdmittance

SHORT = ["device.kind=spring", "model.gap=0.001", "duration=0.35"]
T = 2e-3


def settings(*changes):
    return read_settings(changes=[*SHORT, *changes])


def test_an_undelayed_contact_is_the_half_sine_of_theory():
    told = run_virtual(settings()).dynamics
    force = -told["wrench"][:, 2]
    assert force.max() == pytest.approx(0.01 * np.sqrt(45292.0 * 33.75), rel=1e-3)
    assert T * (force > 0.0).sum() == pytest.approx(np.pi * np.sqrt(33.75 / 45292.0), abs=1.5 * T)
    assert -told["twist"][-1, 2] == pytest.approx(0.01, rel=2e-4)


@pytest.mark.parametrize("damping", [0.0, 200.0])
def test_compensation_brings_back_the_undelayed_contact(damping):
    truth, late = (
        -run_virtual(settings(f"device.damping={damping}", f"link.delay={delay}")).dynamics["wrench"][:, 2]
        for delay in (0.0, 0.01)
    )
    assert late.max() == pytest.approx(truth.max(), rel=0.01)
    assert (late > 0.0).sum() == pytest.approx((truth > 0.0).sum(), abs=1)


def test_it_is_the_same_bit_for_bit_every_time():
    one, two = (run_virtual(settings("link.loss=0.2", "link.jitter=0.004", "link.delay=0.006")) for _ in range(2))
    assert one.dynamics.tobytes() == two.dynamics.tobytes()
    assert one.table.tobytes() == two.table.tobytes()


def test_recorded_measurements_replayed_give_the_same_numbers():
    own = settings("link.loss=0.2", "link.delay=0.006")
    rows = run_virtual(own).dynamics
    core = core_of(own)
    for row in rows:
        felt = None
        if row["fresh"]:
            parts = [tuple(row[f"felt_{name}"].tolist()) for name in ("pose", "twist", "wrench", "onset")]
            felt = Measurement.of(float(row["label"]), (*(x for part in parts for x in part), int(row["felt_state"])))
        core.tick(steps=int(row["steps"]), measurement=felt)
        assert core.machine.motion[0] == row["pose"].tolist()
        assert core.applied == row["wrench"].tolist()


def test_the_simulation_waits_for_the_table_and_goes_on_after_a_re_arm():
    bus, events = MemoryBus("two-robots"), []
    bus.subscribe("two-robots/events", lambda topic, payload: events.append(payload.decode()))
    loop = VirtualLoop(settings(), bus=bus)
    loop.run(0.05)
    assert loop.dynamics.simulated == 0.0, "the sensor is not tared yet"
    loop.run(0.15)
    before = loop.dynamics.simulated
    assert before > 0.05
    loop.table.request_stop("a person pressed it")
    loop.run(0.1)
    stood = loop.dynamics.simulated
    assert stood < before + 0.03
    loop.run(0.1)
    assert loop.dynamics.simulated == stood, "it waits"
    assert NodeState.LATCHED in loop.table.state
    loop.table.request_rearm()
    loop.run(0.3)
    assert loop.dynamics.simulated > stood + 0.2
    assert any("a person pressed it" in event for event in events)
    assert any("re-armed" in event for event in events)


def test_the_end_of_a_simulation_is_no_trouble():
    """The table stops and is held, as after a trip; but nobody is alarmed, and a re-arm is still needed."""
    bus, events = MemoryBus("two-robots"), []
    bus.subscribe("two-robots/events", lambda topic, payload: events.append(json.loads(payload)))
    loop = VirtualLoop(settings(), bus=bus)
    loop.run(0.2)
    loop.table.request_stop(DONE)
    loop.run(0.1)
    assert NodeState.LATCHED in loop.table.state
    assert any(each["kind"] == "stop" and each["level"] == "info" for each in events)
    assert not any(each["level"] == "trip" for each in events)
    assert loop.table.status()["done"]
    loop.table.request_rearm()
    loop.run(0.1)
    assert not loop.table.status()["done"]


def rest_after(rows, killed):
    """From the last command that came in until the commanded pose stands still [s]."""
    after = rows[1e-9 * rows["time"] >= killed - 1e-9]
    moving = np.flatnonzero(np.abs(np.diff(after["command"][:, 2])) > 1e-12)
    return T * (moving[-1] + 2)


def test_without_the_dynamics_the_command_rests_within_50_ms():
    loop = VirtualLoop(settings())
    loop.run(0.25)
    assert NodeState.CONTACT in loop.table.state, "in mid-contact"
    loop.kill("dynamics")
    loop.run(0.2)
    rows = loop.finish().table
    assert 0.01 < rest_after(rows, 0.25) <= 0.05
    assert NodeState.LATCHED in loop.table.state


def test_a_dynamics_that_comes_back_needs_a_re_arm():
    loop = VirtualLoop(settings())
    loop.run(0.15)
    loop.kill("dynamics")
    loop.run(0.1)
    loop.revive("dynamics")
    loop.run(0.1)
    assert NodeState.LATCHED in loop.table.state
    stood = loop.dynamics.simulated
    loop.table.request_rearm()
    loop.run(0.1)
    assert NodeState.RUNNING in loop.table.state
    assert loop.dynamics.simulated > stood


def test_without_the_table_the_simulation_waits():
    loop = VirtualLoop(settings())
    loop.run(0.2)
    loop.kill("table")
    before = loop.dynamics.simulated
    loop.run(0.3)
    assert loop.dynamics.simulated <= before + 0.11
    assert NodeState.HELD in loop.dynamics.state


def test_who_watches_changes_nothing():
    heard = []
    bus = MemoryBus("two-robots")
    bus.subscribe("two-robots/**", lambda topic, payload: heard.append(topic))
    watched, alone = run_virtual(settings(), bus=bus), run_virtual(settings())
    assert heard
    assert watched.dynamics.tobytes() == alone.dynamics.tobytes()


def test_a_label_from_nowhere_is_ignored():
    core = core_of(settings())
    for _ in range(10):
        core.tick(steps=1, measurement=None)
    push = (0.0, 0.0, -500.0, 0.0, 0.0, 0.0)
    for label in (5.0, -3.0):
        core.tick(
            steps=1, measurement=Measurement(label=label, wrench=push, state=NodeState.CONTACT | NodeState.RUNNING)
        )
    assert core.disbelieved == 2
    assert not any(core.applied)


def held_up_for(seconds, *, since):
    """A soft contact at 4 ms of delay, whose dynamics node does nothing for so long [s], in this simulated moment."""
    soft = ("device.stiffness=2000", "link.delay=0.004", "duration=0.8")
    loop = VirtualLoop(settings(*soft))
    while loop.dynamics.simulated < since:
        loop.run(T)
    loop.kill("dynamics")
    loop.run(seconds)
    loop.revive("dynamics")
    delay = loop.dynamics.core.late.delay
    loop.run(2 * T)
    learnt = loop.dynamics.core.late.delay - delay
    loop.run(0.1)
    if NodeState.LATCHED in loop.table.state:
        loop.table.request_rearm()
    while loop.dynamics.simulated < 0.8:
        loop.run(0.1)
    return loop, learnt


@pytest.mark.parametrize("since", [0.05, 0.2], ids=["in free flight", "in contact"])
@pytest.mark.parametrize("seconds", [0.02, 0.1], ids="for {} s".format)
def test_a_dynamics_that_was_held_up_takes_the_labels_ahead_of_it_for_what_they_are(seconds, since):
    """The table went on by itself, up to 34 ms: its labels are of a future that the simulation reaches later.

    They must neither be disbelieved nor be taken for a loop without delay; and in the end the contact is the same.
    """
    loop, learnt = held_up_for(seconds, since=since)
    assert loop.dynamics.core.disbelieved == 0
    assert abs(learnt) < 5e-4
    force, core = -loop.finish().dynamics["wrench"][:, 2], loop.dynamics.core
    assert force.max() == pytest.approx(0.01 * np.sqrt(2000.0 * 33.75), rel=2e-3)
    assert -core.machine.motion[1][2] == pytest.approx(0.01, rel=1e-3)
    assert core.late.contact.stiffness == pytest.approx(2000.0, rel=0.02)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda r: r._replace(pose=(float("nan"), *r.pose[1:])), "not finite"),
        (lambda r: r._replace(signal=(float("inf"),) * 6), "not finite"),
        (lambda r: r._replace(pose=(r.pose[0] + 0.03, *r.pose[1:])), "jump"),
        (lambda r: r._replace(emergency=True), "emergency"),
        (lambda r: r._replace(fault="a drive has tripped"), "a drive has tripped"),
        (lambda r: r._replace(signal=(0.0, 0.0, -500.0, 0.0, 0.0, 0.0)), "N"),
    ],
    ids=["nan pose", "nan force", "jump", "emergency stop", "fault", "overload"],
)
def test_a_device_that_goes_wrong_is_made_safe(spoil, words):
    bus, events = MemoryBus("two-robots"), []
    bus.subscribe("two-robots/events", lambda topic, payload: events.append(payload.decode()))
    loop = VirtualLoop(settings(), bus=bus)
    loop.run(0.16)
    sound = loop.twin.read
    loop.twin.read = lambda: spoil(sound())
    loop.run(0.1)
    stood = loop.dynamics.simulated
    assert NodeState.LATCHED in loop.table.state
    assert any('"trip"' in event and words in event for event in events), events
    loop.run(0.1)
    assert loop.dynamics.simulated == stood, "the simulation waits for the table"
    rows = loop.finish().table
    assert np.isfinite(rows["command"]).all()
    assert np.ptp(rows["command"][-20:, 2]) == 0.0, "it rests"


@pytest.mark.parametrize("held_up", ["before", "after"])
@pytest.mark.parametrize(("seconds", "trips"), [(0.05, False), (0.0, True)])
def test_a_table_node_that_is_held_up_while_it_reads_does_not_take_that_for_a_jump(held_up, seconds, trips):
    """Between its look at the clock and the reading, or after it, 1 mm passes; in no time that is a jump."""
    loop = VirtualLoop(settings())
    loop.run(0.16)
    sound, way = loop.twin.read, [0.0]

    def read():
        shift = way[0]
        if way[0] == 0.0:
            way[0] = 1e-3
            loop.line.timeline.nanoseconds += round(1e9 * seconds)
            shift = 1e-3 if held_up == "before" else 0.0
        reading = sound()
        return reading._replace(pose=(reading.pose[0] + shift, *reading.pose[1:]))

    loop.twin.read = read
    loop.table.step(80)
    loop.table.step(81)
    assert (NodeState.FAULT in loop.table.state) is trips


def test_a_table_pressed_against_the_surface_is_where_it_can_be():
    """Its tip stays behind its command by push over stiffness; without a push so far behind it is not there."""
    core = core_of(settings())
    give = 1.5e-3
    place = (*core.command.pose[:2], core.command.pose[2] - give, *core.command.pose[3:])
    pushed = (0.0, 0.0, -45292.0 * give, 0.0, 0.0, 0.0)
    state = NodeState.RUNNING | NodeState.CONTACT
    assert core.ready(Measurement(label=0.0, pose=place, wrench=pushed, state=state))
    assert not core.ready(Measurement(label=0.0, pose=place, state=state))
    assert not core.ready(Measurement(label=0.0, pose=place, wrench=pushed, state=state | NodeState.LATCHED))
    assert not core.ready(Measurement(label=0.0, pose=place, wrench=pushed, state=state | NodeState.LIMITED))


@pytest.mark.parametrize("late", [1, 5])
@pytest.mark.parametrize(("kind", "period"), [("body", 2e-3), ("tree", 5e-4), ("mass", 5e-4)])
def test_any_machine_can_be_simulated(kind, period, late):
    """Against a spring that answers late: the half sine of the mass, its speed given back.

    Of a body before the world, of one that a tree moves, and of a plain mass, whose motions the loop adds up. The last
    two step implicitly, of first order: a shorter period.
    """
    k, m = 2e4, 8.0
    away = (0.0, 0.0, -1e-3, 1.0, 0.0, 0.0, 0.0)  # 0.1 s: the delay is learnt in flight
    coming = np.array([0.0, 0.0, 0.01, 0.0, 0.0, 0.0])
    machine = Machine(Mass(mass=m, dimension=6), {"velocity": coming}, away)
    if kind != "mass":
        tree = Tree([Body(name="ball", mass=m, inertia=(1.0, 1.0, 1.0), joint=Free())], gravity=(0.0, 0.0, 0.0))
        block = TreeAdmittance(tree=tree, at="ball") if kind == "tree" else RelativeAdmittance(tree=tree, at="ball")
        machine = Machine(block, {"q": away, "v": coming})
    core = DynamicsCore(machine=GuardedMachine(machine, period=period, guard=False), stiffness=k)
    told, push = [], []
    for _ in range(round((0.1 + np.pi * np.sqrt(m / k)) / period) + 10):
        felt = None
        if len(told) >= late:
            command = told[-late]
            depth = command.pose[2]
            state = NodeState.RUNNING | (NodeState.CONTACT if depth > 0.0 else NodeState(0))
            force = (0.0, 0.0, -k * max(depth, 0.0), 0.0, 0.0, 0.0)
            felt = Measurement(label=command.label, pose=command.pose, twist=command.twist, wrench=force, state=state)
        told.append(core.tick(steps=1, measurement=felt))
        push.append(-core.applied[2])
    assert max(push) == pytest.approx(0.01 * np.sqrt(k * m), rel=0.02)
    assert core.machine.motion[1][2] == pytest.approx(-0.01, rel=0.02)


def test_a_contact_begins_no_earlier_than_where_nothing_was_felt(monkeypatch):
    """A damper pushes at once: taken for depth, its push would put the surface before the last free place."""
    core, begun = core_of(settings()), []
    monkeypatch.setattr(core.late.contact, "begin", lambda *, onset: begun.append(onset))
    for push in (0.0, 0.0, 0.0, 4.0):
        last_free = core.felt.depth if core.felt else None
        command = core.command
        force, state = (
            (0.0, 0.0, -push, 0.0, 0.0, 0.0),
            NodeState.RUNNING | (NodeState.CONTACT if push else NodeState(0)),
        )
        felt = Measurement(label=command.label, pose=command.pose, twist=command.twist, wrench=force, state=state)
        core.tick(steps=1, measurement=felt)
    assert core.felt.depth - 4.0 / 45292.0 < last_free, "the push is more than the way since"
    assert begun == [last_free]


def test_what_a_contact_did_not_give_back_is_gone_when_it_is_over():
    rows = run_virtual(settings("device.damping=400", "duration=0.4")).dynamics
    assert rows["budget"].max() > 1e-4
    over = np.flatnonzero(rows["wrench"][:, 2])[-1]
    assert rows["budget"][over + 1] > 1e-4, "the damper kept some"
    assert rows["budget"][-1] == 0.0


def test_where_the_surface_is_in_the_tables_world_does_not_matter():
    here, there = (run_virtual(settings(f"device.height={height}")) for height in (0.0, -0.3))
    np.testing.assert_allclose(there.dynamics["wrench"], here.dynamics["wrench"], atol=1e-6)
    np.testing.assert_allclose(there.dynamics["felt_pose"], here.dynamics["felt_pose"], atol=1e-12)
    np.testing.assert_allclose(there.table["pose"][:, 2] + 0.3, here.table["pose"][:, 2], atol=1e-12)
