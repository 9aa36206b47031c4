"""A device in a process of its own: it holds without commands, and moves evenly however they come in."""

from types import SimpleNamespace

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.hybrid import Command, MemoryLink, NodeState, Rearm, Stop, VirtualClock
from tegotae.hybrid.clocks.clock import Lockstep
from tegotae.hybrid.devices.device import SpringTwin
from tegotae.hybrid.devices.remote_device import DeviceNode, RemoteDevice
from tegotae.hybrid.settings import read_settings
from three_nodes import ThreeNodes

T = 2e-3


class Bench:
    """A device node on virtual time; `here` is the table node's end of its link."""

    def __init__(self, **options):
        self.line, self.said, self.kinds = Lockstep(), [], []
        self.twin = SpringTwin(stiffness=1e4, period=T)
        clock = self.line.add(lambda tick: self.node.step(tick), period=T)
        self.here, there = MemoryLink.pair(clock)
        self.node = DeviceNode(twin=self.twin, link=there, clock=clock, tell=self._hear, **options)
        self.device = RemoteDevice(link=self.here, period=T)
        self.label = 0.0

    def _hear(self, time, level, text, kind):
        self.said.append(text)
        self.kinds.append(kind)

    def command(self, z, speed=0.0):
        twist = (0.0, 0.0, speed, 0.0, 0.0, 0.0)
        self.here.send(Command(label=self.label, pose=(0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0), twist=twist))

    def tick(self, count=1):
        self.line.run(count * T)


@pytest.mark.parametrize("limits", [-1, "fast", np.zeros(3)])
def test_what_are_no_limits_is_refused(limits):
    with pytest.raises(InputError, match=r"DeviceNode: limits=.* is not a Limits"):
        Bench(limits=limits)


def test_without_commands_it_stops_within_50_ms_and_holds():
    bench = Bench()
    bench.command(1e-4)
    bench.tick(25)
    assert bench.node.stopped
    assert NodeState.HELD in bench.node.state
    held = bench.device.read().pose
    bench.command(5e-3)  # too late: a person must look first
    bench.tick(10)
    assert bench.device.read().pose == held
    assert "holds" in bench.device.read().fault
    assert bench.device.read().late
    assert bench.kinds[-1] == "late"
    bench.here.send(Rearm())
    bench.command(2e-4)
    bench.tick(2)
    assert held[2] < bench.device.read().pose[2] < 2e-4  # from where it held, not at once
    bench.tick(3)
    assert bench.device.read().pose[2] == pytest.approx(2e-4)
    assert bench.device.read().fault == ""
    assert not bench.device.read().late


def test_a_stop_stops_at_once():
    bench = Bench()
    bench.command(1e-4)
    bench.tick()
    bench.here.send(Stop(reason="enough"))
    bench.tick()
    assert bench.node.stopped
    assert any("enough" in text for text in bench.said)
    assert bench.kinds[-1] == "stop"
    assert "told to stop" in bench.device.read().fault
    assert not bench.device.read().late  # somebody wanted it
    bench.tick(30)
    assert not bench.device.read().late  # and commands that then stay away do not change that
    bench.here.send(Rearm())
    bench.tick()
    assert bench.device.read().fault == ""


@pytest.mark.parametrize("pattern", [(0, 2), (0, 0, 3), (1, 1), (2, 0, 1, 1, 0, 2)], ids=str)
def test_commands_that_come_unevenly_move_it_evenly(pattern):
    """So many commands a tick, by turns; a table that took them as they come would hit at two or three times that."""
    bench, speed, places, waiting = Bench(), 0.01, [], 0
    for tick in range(240):
        waiting += 1
        for _ in range(pattern[tick % len(pattern)]):
            if waiting:
                waiting -= 1
                bench.label += T
                bench.command(speed * bench.label, speed)
        bench.tick()
        places.append(bench.twin.read().pose[2])
    steps = np.diff(places[60:])
    assert steps.mean() == pytest.approx(speed * T, rel=0.02)
    assert steps.max() < 1.25 * speed * T
    assert steps.min() > 0.75 * speed * T


def test_what_it_echoes_is_the_label_of_where_it_is():
    bench, speed = Bench(), 0.01
    for _ in range(50):
        bench.label += T
        bench.command(speed * bench.label, speed)
        bench.tick()
        reading = bench.device.read()
        assert reading.pose[2] == pytest.approx(speed * reading.label, abs=1e-12)


def test_standing_it_does_not_run_ahead_of_a_simulation_that_waits():
    bench = Bench()
    for _ in range(50):
        bench.command(1e-3)
        bench.tick()
    assert bench.device.read().label == 0.0
    bench.label = T
    bench.command(1e-3 + 0.05 * T, 0.05)
    bench.tick()
    assert bench.twin.read().pose[2] == pytest.approx(1e-3 + 0.05 * T, abs=0.05 * T)


def test_a_late_process_makes_up_for_the_time_that_passed():
    bench = Bench()
    for tick in (0, 1, 5):
        bench.label += T
        bench.command(0.01 * bench.label, 0.01)
        before = bench.twin.read().pose[2]
        bench.node.step(tick)
    assert bench.twin.read().pose[2] - before > 0.02 * T


@pytest.mark.parametrize("speed", [0.001, 0.01, 0.05, 0.1])
def test_what_a_late_process_makes_up_for_is_no_jump(speed):
    """At most 0.1 m/s, or as told and a little more: a table node must not take it for a device that jumps."""
    bench, places = Bench(), []
    for tick in (*range(10), *range(30, 80)):
        bench.label = T * tick
        bench.command(speed * bench.label, speed)
        bench.node.step(tick)
        places.append(bench.twin.read().pose[2])
    steps = np.diff(places)
    assert steps.max() <= T * max(0.1, 1.2 * speed + 0.02) + 1e-15
    assert places[-1] == pytest.approx(speed * bench.label, abs=T * speed)  # and it does catch up
    if speed == 0.01:
        assert steps[9:12].min() > 2.0 * T * speed


def test_what_is_only_repeated_is_not_fresh():
    bench = Bench()
    bench.command(0.0)
    bench.tick()
    assert [bench.device.read().fresh for _ in range(3)] == [True, False, False]
    bench.tick()
    assert bench.device.read().fresh


def test_silence_of_the_process_is_a_fault():
    bench = Bench()
    bench.command(0.0)
    bench.tick()
    assert bench.device.read().fault == ""
    bench.line = None  # its process is gone
    faults = [bench.device.read().fault for _ in range(100)]
    assert faults[20] == ""
    assert "nothing from the device" in faults[-1]
    assert bench.device.read().late


@pytest.mark.parametrize("seconds", [0.02, 0.06])
def test_a_device_that_was_held_up_in_contact_leaves_the_contact_as_it_is(seconds):
    """Its table says the same again meanwhile; taken for news, that is a loop whose delay grows without end."""
    soft = ["device.kind=spring", "device.stiffness=2000", "model.gap=0.001", "model.speed=0.02"]
    loop, delays = ThreeNodes(read_settings(changes=soft)), []
    while loop.dynamics.simulated < 0.3:
        loop.run(T)
    loop.kill("device")
    loop.run(seconds)
    loop.revive("device")
    while loop.dynamics.simulated < 0.6:
        loop.run(T)
        delays.append(loop.dynamics.core.late.delay)
    force = -loop.finish().dynamics["wrench"][:, 2]
    assert max(delays) < 1.5 * T
    assert force.max() == pytest.approx(0.02 * np.sqrt(2000.0 * 33.75), rel=5e-3)
    assert -loop.dynamics.core.machine.motion[1][2] == pytest.approx(0.02, rel=1e-3)


@pytest.mark.parametrize("word", ["command", "read", "step", "stop", "rearm"])
def test_a_device_that_lacks_a_method_is_refused_before_anything_moves(word):
    """Asked for in mid-flight only, `stop` would end the process when the watchdog calls it."""
    twin = SimpleNamespace(**{each: print for each in ("command", "read", "step", "stop", "rearm") if each != word})
    clock = VirtualClock(T)
    with pytest.raises(InputError, match=rf"twin=.* has no {word}\(\)\.\n  Give a Twin, such as SpringTwin"):
        DeviceNode(twin=twin, link=MemoryLink.pair(clock)[1], clock=clock)
