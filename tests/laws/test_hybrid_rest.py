"""What is promised is rest of the table itself: its mechanism is looked at, whoever dies while it flies."""

import dataclasses
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tegotae as tg
from tegotae.hybrid import NodeState
from tegotae.hybrid.devices.hexa_twin import HexaTwin
from tegotae.hybrid.nodes.assembly import limits_of, loss_of_command_of, plant_of, stopping_of
from tegotae.hybrid.processes.joining import ShutdownFlag
from tegotae.hybrid.processes.launcher import Nodes, SupervisedRun
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.safety.limits import CREEP, SLOW, Rest
from tegotae.hybrid.settings import read_settings
from three_nodes import ThreeNodes

FLIGHT = ["model.gap=0.045", "limits.box=[0.05, 0.05, 0.06]"]  # m: half a second away, and room for it


def in_flight(speed, *changes):
    """Three nodes in mid-flight, at this speed [m/s] towards the surface, far from it."""
    settings = read_settings(changes=[*FLIGHT, f"model.speed={speed}", *changes])
    loop = ThreeNodes(settings)
    while loop.dynamics.simulated * speed < 0.01:
        loop.run(settings.period)
    assert NodeState.RUNNING in loop.table.state
    return settings, loop


def left_alone(settings, loop, dying, seconds=0.4):
    """Tick by tick after a death: the mechanism's true position and velocity, and the table's command, along z."""
    loop.kill(dying)
    truth, rows = loop.twin._live.read(), []
    for _ in range(round(seconds / settings.period)):
        rows.append((truth.true_position[2], truth.true_twist[2], loop.table.safety.motion.pose[2]))
        loop.run(settings.period)
    return np.array(rows).T


def resting_speed(settings):
    return max(SLOW * settings.limits.velocity, CREEP)


@pytest.mark.parametrize("dying", ["dynamics", "table"])
@pytest.mark.parametrize(
    ("speed", "changes"),
    [
        (0.09, []),
        (0.02, []),
        (0.09, ["device.kp=800"]),
        (0.05, ["period=0.001"]),
        (0.2, ["limits.velocity=0.25", "limits.ramp=0.015"]),
        (0.09, ["limits.watchdog=2", "limits.coast=0.004", "limits.ramp=0.012"]),
        (0.09, ["device.damping_ratio=0.5", "limits.stopping_time=0.4"]),
    ],
    ids=str,
)
def test_the_mechanism_rests_in_the_time_and_way_that_were_promised(dying, speed, changes):
    settings, loop = in_flight(speed, *changes)
    promise = stopping_of(settings)
    place, velocity, _ = left_alone(settings, loop, dying)
    moving = np.flatnonzero(np.abs(velocity) > resting_speed(settings))[-1] + 1
    assert moving * settings.period <= promise.time
    assert np.abs(place - place[0]).max() <= promise.distance


@pytest.mark.parametrize("dying", ["dynamics", "table"])
@pytest.mark.parametrize(("kp", "speed"), [(200, 0.09), (800, 0.05)])
def test_so_it_does_when_they_die_in_contact(dying, kp, speed):
    settings = read_settings(changes=["model.gap=0.005", f"model.speed={speed}", f"device.kp={kp}"])
    loop, promise = ThreeNodes(settings), stopping_of(settings)
    while NodeState.CONTACT not in loop.table.state:
        loop.run(settings.period)
    loop.run(0.02)
    assert NodeState.CONTACT | NodeState.RUNNING in loop.table.state
    place, velocity, _ = left_alone(settings, loop, dying)
    assert np.abs(velocity[round(promise.time / settings.period) :]).max() <= resting_speed(settings)
    assert np.abs(place - place[0]).max() <= promise.distance


def test_a_device_that_stops_by_itself_brakes_within_the_limits():
    """Its reference must not jump: a table that swings would be struck with 20 m/s² and more."""
    settings, loop = in_flight(0.09)
    _, velocity, _ = left_alone(settings, loop, "table")
    assert loop.device.stopped
    assert np.abs(np.diff(velocity)).max() / settings.period < 0.6 * settings.limits.acceleration


@pytest.mark.parametrize("speed", [0.02, 0.05, 0.09])
def test_a_device_that_dies_is_not_led_on(speed):
    """The command rests as without commands, and stays: where the device was once is no place to go to."""
    settings, loop = in_flight(speed)
    _, _, command = left_alone(settings, loop, "device")
    ticks = round(loss_of_command_of(settings).rest_after(settings.period) / settings.period)
    assert np.ptp(command[ticks + 1 :]) == 0.0
    assert command[-1] - command[0] <= settings.limits.velocity * loss_of_command_of(settings).goes_on(settings.period)
    assert NodeState.LATCHED in loop.table.state, "in the end a person must look"


@pytest.mark.parametrize("seed", range(4))
def test_a_table_that_catches_up_after_late_processes_does_not_look_too_fast(seed):
    """Each of the three is held up for 1 to 8 ticks now and then, and the table flies at 90 of the allowed 100 mm/s."""
    settings, loop = in_flight(0.09)
    draw, left, fastest = np.random.default_rng(seed), {}, 0.0
    truth = loop.twin._live.read()
    while loop.dynamics.simulated < 0.35:
        for node in ("dynamics", "table", "device"):
            left[node] = left.get(node, 0) - 1
            if left[node] == 0:
                loop.revive(node)
            elif left[node] < 0 and draw.random() < 0.04:
                left[node] = int(draw.integers(1, 9))
                loop.kill(node)
        loop.run(settings.period)
        fastest = max(fastest, abs(truth.true_twist[2]))
        assert NodeState.LATCHED not in loop.table.state
    assert 1.1 * settings.limits.velocity < fastest < 1.4 * settings.limits.velocity, "it did catch up"


def braked(settings, start, way):
    """The mechanism under a command that coasts and slows down as without commands: how long it moves, and how far."""
    own, T = settings.limits, settings.period
    slowing = np.linspace(1.0, 0.0, round(own.ramp / T) + 1)[1:]
    run_up, full = round(0.08 / T), own.watchdog + round(own.coast / T)
    speeds = np.concatenate([np.linspace(0.0, 1.0, 5), np.ones(run_up + full), slowing, np.zeros(round(0.3 / T))])
    twin = HexaTwin(plant_of(settings.device, T), start=(*start, 1.0, 0.0, 0.0, 0.0))
    truth, rows = twin._live.read(), []
    for place in start + T * own.velocity * np.cumsum(speeds)[:, None] * way / np.linalg.norm(way):
        twin.command((*place, 1.0, 0.0, 0.0, 0.0), (0.0,) * 6, label=0.0)
        twin.step()
        rows.append([*truth.true_position, np.linalg.norm(truth.true_twist[:3])])
    after = np.array(rows)[5 + run_up :]
    moving = np.flatnonzero(after[:, 3] > resting_speed(settings))[-1] + 1
    return moving * T, np.linalg.norm(after[:, :3] - after[0, :3], axis=1).max()


@pytest.mark.parametrize("changes", [[], ["device.kp=800"], ["period=0.001", "limits.velocity=0.05"]], ids=str)
def test_the_promise_holds_elsewhere_in_the_workspace_in_any_direction_and_is_not_idle(changes):
    """Looked at without any node: the plant and a command alone."""
    settings, draw = read_settings(changes=changes), np.random.default_rng(0)
    promise, middle = stopping_of(settings), np.array([0.0, 0.0, settings.device.height - 0.04])
    seen = [braked(settings, middle + draw.uniform(-0.02, 0.02, 3), draw.normal(size=3)) for _ in range(6)]
    time, way = np.max([*seen, braked(settings, middle, np.array([1.0, 0.0, 0.0]))], axis=0)
    assert 0.7 * promise.time < time <= promise.time
    assert 0.7 * promise.distance < way <= promise.distance


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("limits.stopping_time=0.05", r"moves on for 0\.\d+ s and .*limits\.stopping_time=0\.05 s"),
        ("limits.stopping_distance=0.002", r"limits\.stopping_distance=0\.002 m"),
        ("limits.stopping_time=0", r"stopping_time=0\.0 s must be > 0"),
        ("device.lag=1", r"moves on for .*limits\.stopping_time=0\.25 s"),
    ],
)
def test_a_table_that_would_move_on_for_too_long_is_refused(change, says):
    with pytest.raises(tg.InputError, match=says):
        stopping_of(read_settings(changes=["device.kind=spring", change]))


def test_a_table_of_ones_own_promises_what_it_was_declared_to_take():
    settings = read_settings(changes=["device.kind=own", "device.settling=0.03"])
    promise = stopping_of(settings)
    assert promise.time == pytest.approx(0.046 + 0.03)
    assert promise.distance == pytest.approx(0.1 * (0.034 + 0.03))
    slow = read_settings(changes=["device.kind=own", "device.settling=1"])
    with pytest.raises(tg.InputError, match=r"moves on for 1\.05 s"):
        stopping_of(slow)


# ------------------------------------------------------------ processes

FAST = [*FLIGHT, "model.speed=0.09", "duration=20"]


def killed_in_flight(node, flies, folder):
    """The log of a run whose process is killed while the table flies at 90 mm/s, and its settings.

    A busy machine may hold somebody up just before, so that the table rests already, by a trip of its own: then again.
    """
    killed = []

    def kill(listener):
        if listener.simulated > 0.1 and not listener.trip and not killed:
            killed.append(node)
            nodes.processes[node].kill()

    for attempt in range(8):
        killed.clear()
        with Nodes(read_settings(changes=FAST), out=folder / f"{attempt}.mcap", view=False) as nodes:
            outcome = SupervisedRun(nodes, show=kill, patience=4.0).until_end(ShutdownFlag())
        assert not outcome.whole
        if killed and flies(log := LogReader(folder / f"{attempt}.mcap")):
            assert f"{node} killed by SIGKILL" in outcome.words
            return log, nodes.settings
    raise AssertionError("never killed in flight")


def held_up(rows, begin, end, period):
    """How long a loop did not run in this time, without anything being wrong with it [s]: the machine is shared."""
    ticks = rows["time"][(rows["time"] >= begin) & (rows["time"] <= end)]
    return float(np.maximum(1e-9 * np.diff(ticks) - period, 0.0).sum())


def last_command(rows):
    """The row in which the newest command came in."""
    return rows[np.flatnonzero(rows["age"] == 0.0)[-1]]


def last_word(rows):
    """The number of the table's row with the newest word of its device."""
    return int(np.flatnonzero(np.abs(np.diff(rows["pose"], axis=0)).max(axis=1) > 0.0)[-1]) + 1


def moving(row):
    return NodeState.RUNNING in NodeState(int(row["state"])) and abs(row["twist"][2]) > 0.05


@pytest.mark.realtime
@pytest.mark.parametrize("node", ["dynamics", "table"])
def test_killed_processes_leave_a_mechanism_that_rests_as_promised(node, tmp_path):
    """`kill -9` at 90 mm/s in free flight; looked at is what the device's process saw of its mechanism."""
    heard = "table" if node == "dynamics" else "device"  # who no longer hears
    log, settings = killed_in_flight(node, lambda log: moving(last_command(getattr(log, heard))), tmp_path)
    promise, T, last = log.status["table"][-1]["stopping"], settings.period, last_command(getattr(log, heard))
    assert promise == dataclasses.asdict(stopping_of(settings))
    seen = log.device[log.device["time"] >= last["time"]]
    rest = Rest(limits_of(settings), T)
    for pose in seen["pose"]:
        rest.step(tuple(pose.tolist()))
    ticks = round(rest.time / T)  # of the device: load makes none of them longer
    late = held_up(log.device, last["time"], seen["time"][min(ticks, seen.size - 1)], T)
    if node == "dynamics":  # whose commands are late, too, if the table's process is
        late += held_up(log.table, last["time"], last["time"] + 10**9, T)
    assert seen.size > ticks + 20, "it was looked at for long enough"
    assert ticks * T <= promise["time"] + late
    assert rest.distance <= promise["distance"] + settings.limits.velocity * late


@pytest.mark.realtime
def test_a_killed_device_is_not_led_on(tmp_path):
    """The table's command rests in as many of its own ticks as promised, and does not go anywhere afterwards."""
    log, settings = killed_in_flight("device", lambda log: moving(log.table[last_word(log.table)]), tmp_path)
    rows = log.table[last_word(log.table) :]
    ticks = round(loss_of_command_of(settings).rest_after(settings.period) / settings.period)
    assert rows.size > 3 * ticks
    assert np.diff(rows["command"][:5, 2]).min() > 0.0, "in flight"
    assert np.ptp(rows["command"][ticks + 1 :, 2]) == 0.0
    assert NodeState.LATCHED in NodeState(int(rows["state"][-1]))


DIES = """
import os, pathlib, signal, sys
from tegotae.hybrid.processes.launcher import SupervisedRun
from tegotae.hybrid.processes.launcher import Nodes
from tegotae.hybrid.processes.joining import ShutdownFlag
from tegotae.hybrid.settings import read_settings

def die(listener):
    if listener.simulated > 0.1:
        print(*[nodes.processes[node].pid for node in nodes.names], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

with Nodes(read_settings(changes=sys.argv[2:]), out=pathlib.Path(sys.argv[1]), view=False) as nodes:
    SupervisedRun(nodes, show=die).until_end(ShutdownFlag())
"""


def runs(pid):
    """Whether a process that is not ours runs; one that ended may still be listed."""
    place = Path(f"/proc/{pid}/stat")
    return place.exists() and place.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.realtime
def test_a_launcher_that_is_killed_leaves_a_mechanism_at_rest(tmp_path, monkeypatch):
    """All nodes end by themselves; the log, which ends last, has seen the mechanism rest."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # the private folder, which nobody is left to delete
    out = tmp_path / "run.mcap"
    done = subprocess.run([sys.executable, "-c", DIES, str(out), *FAST], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    end = time.monotonic() + 30.0
    while any(runs(pid) for pid in done.stdout.split()):
        assert time.monotonic() < end, "nodes go on"
        time.sleep(0.05)
    log = LogReader(out)
    assert log.whole
    assert NodeState.HELD in NodeState(int(log.device["state"][-1]))
    assert np.ptp(log.device["pose"][-8:, 2]) < 1e-4
    assert np.abs(log.device["twist"][-8:, 2]).max() < 0.005
