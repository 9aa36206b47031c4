"""Nodes as separate processes, and what happens when one of them is killed in the middle of a contact."""

import json
import os
import signal
import socket
import time

import numpy as np
import pytest

import tegotae as tg
from tegotae.cli import main
from tegotae.hybrid.bus.blocks import BlockReader
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
from tegotae.hybrid.links.packets import State
from tegotae.hybrid.processes.joining import bus_of, make_key, with_ports
from tegotae.hybrid.processes.launcher import Run
from tegotae.hybrid.processes.node_processes import GO, Nodes
from tegotae.hybrid.processes.process_life import Ending
from tegotae.hybrid.processes.processes import run_device, run_dynamics, run_table
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.records.replay import replay
from tegotae.hybrid.settings import read_settings, settings_of

# A slow, soft contact: it begins 50 ms after the start, lasts .4 s, presses with 5 N and goes 2.6 mm deep.
SOFT = ["device.kind=spring", "device.stiffness=2000", "model.gap=0.001", "model.speed=0.02"]
PATIENCE = 20.0  # s


def until(what, patience=PATIENCE):
    """Wait until something is true; fails if it never is."""
    end = time.monotonic() + patience
    while not (found := what()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
    return found


class Heard:
    """All rows that nodes publish while we listen."""

    def __init__(self, bus):
        self._blocks = {"dynamics": [], "table": [], "device": []}
        for node, dtype in (("dynamics", DYNAMICS), ("table", TABLE), ("device", TABLE)):
            take = self._blocks[node].append
            bus.subscribe(
                f"{bus.session}/rows/{node}", BlockReader(dtype, lambda block, take=take: take(block.rows.copy()))
            )

    def last(self, node):
        return self._blocks[node][-1][-1] if self._blocks[node] else None

    def rows(self, node):
        return np.concatenate(self._blocks[node])

    def state(self, node):
        row = self.last(node)
        return State(0) if row is None else State(int(row["state"]))


def last_command(rows):
    """The row of the tick in which the newest command came in."""
    return rows[np.flatnonzero(rows["age"] == 0.0)[-1]]


def held_up(rows, begin, end):
    """How long a loop did not run in this time, without anything being wrong with it [s]: the machine is shared."""
    ticks = rows["time"][(rows["time"] >= begin) & (rows["time"] <= end)]
    return float(np.maximum(1e-9 * np.diff(ticks) - 2e-3, 0.0).sum())


def at_rest(rows):
    """When the command had changed for the last time [ns]."""
    moves = np.flatnonzero(np.abs(np.diff(rows["command"][:, :3], axis=0)).max(axis=1) > 0.0)
    return int(rows["time"][moves[-1] + 1])


def test_killed_dynamics_leaves_a_table_that_rests_within_50_ms(tmp_path):
    """`kill -9` in mid contact; the run ends with words, the log is whole and replays.

    Before that the node was only late: then a simulated table is re-armed, and the simulation goes on.
    """
    told, late, killed = [], [], []

    def kill(listener):
        pid = nodes.process("dynamics").pid
        if listener.simulated > 0.0 and not late:
            late.append(listener.simulated)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.2)
            os.kill(pid, signal.SIGCONT)
        again = late and not listener.trip and listener.simulated > late[0] + 0.2
        if again and listener.force > 0.5 and not killed:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    settings = read_settings(changes=[*SOFT, "device.stiffness=200", "duration=5"])
    with Nodes(settings, out=tmp_path / "run.mcap", view=False) as nodes:
        outcome = Run(nodes, tell=told.append, show=kill).until_end(Ending())
        assert nodes.running == []
    assert not outcome.whole
    assert "dynamics killed by SIGKILL" in outcome.words
    assert any("re-armed, since it is simulated" in each for each in told)
    log = LogReader(tmp_path / "run.mcap")
    assert log.whole
    last, rest = last_command(log.table), at_rest(log.table)
    assert State.CONTACT in State(int(last["state"]))
    assert last["time"] < rest
    assert 1e-9 * (rest - int(last["time"])) <= 0.050 + held_up(log.table, last["time"], rest)
    assert State.LATCHED in State(int(log.table["state"][-1]))
    assert any(each["node"] == "table" and each["level"] == "trip" for each in log.events)
    assert replay(log).same


def test_stop_rearm_and_the_deaths_of_viewer_log_and_table(tmp_path, capsys):
    """One session: stopped and re-armed by command, then its viewer is killed, then its log, then its table node."""
    settings = read_settings(changes=[*SOFT, "model.speed=0.0005", "duration=60", "view.address=127.0.0.1:0"])
    with Nodes(settings, out=tmp_path / "run.mcap") as nodes:
        for node in nodes.names:
            nodes.start(node)
        bus = bus_of(nodes.settings, None)
        try:
            heard = Heard(bus)
            assert bus.meet(nodes.names, 60.0) == []
            bus.declare(GO, {})
            until(lambda: State.RUNNING in heard.state("dynamics"))
            for node in ("dynamics", "table", "device"):
                assert (
                    settings_of(json.loads(bus.ask(f"{bus.session}/parameters/{node}", timeout=5.0))) == nodes.settings
                )
            stop_and_rearm(nodes, heard, capsys)
            the_viewer_dies(nodes, heard)
            the_log_dies(nodes, heard, tmp_path / "run.mcap")
            the_table_dies(nodes, heard)
        finally:
            bus.close()


def stop_and_rearm(nodes, heard, capsys):
    assert main(["hybrid", "stop", str(nodes.file)]) == 0
    assert "stop: command line" in capsys.readouterr().out
    until(lambda: State.LATCHED in heard.state("table"))
    until(lambda: State.HELD in heard.state("dynamics"))
    at = heard.last("dynamics")["simulated"]
    assert main(["hybrid", "rearm", str(nodes.file)]) == 0
    assert "re-armed" in capsys.readouterr().out
    until(lambda: heard.last("dynamics")["simulated"] > at + 0.1)


def the_viewer_dies(nodes, heard):
    at = heard.last("dynamics")["simulated"]
    nodes.process("view").kill()
    nodes.process("view").wait()
    until(lambda: heard.last("dynamics")["simulated"] > at + 0.2)
    assert sorted(nodes.running) == ["device", "dynamics", "log", "table"]


def the_log_dies(nodes, heard, path):
    time.sleep(0.6)  # it flushes twice a second
    at = heard.last("dynamics")
    nodes.process("log").kill()
    nodes.process("log").wait()
    until(lambda: heard.last("dynamics")["simulated"] > at["simulated"] + 0.2)
    assert sorted(nodes.running) == ["device", "dynamics", "table"]
    log = LogReader(path)
    assert not log.whole
    assert "read to its last flush" in log.words[0]
    assert log.dynamics["time"][-1] > at["time"] - 1_500_000_000
    assert replay(log).same


def the_table_dies(nodes, heard):
    until(lambda: State.RUNNING in heard.state("device"))
    before = time.monotonic_ns()
    nodes.process("table").kill()
    nodes.process("table").wait()
    until(lambda: State.HELD in heard.state("device"))
    time.sleep(0.1)
    rows = heard.rows("device")
    last = int(last_command(rows)["time"])
    assert before - 100_000_000 < last < before + 100_000_000
    after = rows[rows["time"] > last]
    held = int(after["time"][(after["state"] & int(State.HELD)) != 0][0])
    assert 1e-9 * (held - last) <= 0.050 + held_up(rows, last, held)
    assert np.ptp(after["pose"][after["time"] > held], axis=0).max() == 0.0
    until(lambda: State.HELD in heard.state("dynamics"))  # without a table nothing is simulated


def test_a_run_of_separate_processes_from_the_command_line(tmp_path, capfd):
    path = tmp_path / "run.mcap"
    example = tmp_path / "soft.toml"
    example.write_text(read_settings(changes=SOFT).toml())
    assert main(["hybrid", "run", str(example), "--no-view", "--duration", "0.7", "--out", str(path)]) == 0
    said = capfd.readouterr()
    assert "of 0.700 s simulated" in said.out
    assert "running" in said.err
    log = LogReader(path)
    assert log.whole
    assert log.lost == {"dynamics": 0, "table": 0, "device": 0}
    assert log.dynamics["simulated"][-1] == pytest.approx(0.7, abs=0.01)
    assert log.events[-1]["node"] in ("table", "device")
    assert {"log", "device", "table", "dynamics"} <= set(log.status)
    assert log.status["dynamics"][-1]["simulated"] == log.dynamics["simulated"][-1]
    assert main(["hybrid", "report", str(path), "--json", str(tmp_path / "told.json")]) == 0
    assert main(["hybrid", "replay", str(path)]) == 0


# ------------------------------------------------------------ without starting anything


def test_a_process_ends_with_its_parent_or_by_a_signal():
    assert not Ending(parent=os.getppid())
    assert Ending(parent=os.getpid())  # we are not our own parent
    with Ending() as ending:
        assert not ending
        os.kill(os.getpid(), signal.SIGTERM)
        until(lambda: bool(ending), 1.0)


@pytest.mark.parametrize(("run", "place"), [(run_dynamics, "dynamics"), (run_table, "table"), (run_device, "device")])
def test_a_port_in_use_is_refused_with_words(run, place, tmp_path):
    key = make_key(tmp_path / "key")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        changes = ["device.kind=spring", f"link.key={key}", f"link.{place}=127.0.0.1:{port}"]
        with pytest.raises(tg.InputError, match=f"port {port} .*in use"):
            run(with_ports(read_settings(changes=changes)))


def test_an_address_that_is_not_ours_is_refused(tmp_path):
    with pytest.raises(tg.InputError, match=r"192\.0\.2\.1 is no address of this computer"):
        Nodes(read_settings(changes=["link.table=192.0.2.1:0"]))
