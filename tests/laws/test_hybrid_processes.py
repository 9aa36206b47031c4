"""Nodes as separate processes, and what happens when one of them is killed in the middle of a contact."""

import json
import os
import signal
import socket
import time
from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.cli import main
from tegotae.hybrid.bus.messages import ask_rearm
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockReader
from tegotae.hybrid.links.packets import NodeState
from tegotae.hybrid.processes import processes
from tegotae.hybrid.processes.joining import MEETING, ShutdownFlag, bus_of, make_key, with_ports
from tegotae.hybrid.processes.launcher import GO, Listener, Nodes, SupervisedRun
from tegotae.hybrid.processes.processes import run_device, run_dynamics, run_table
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.records.replay import replay
from tegotae.hybrid.settings import read_settings, settings_of

pytestmark = pytest.mark.realtime

# A slow, soft contact: it begins 50 ms after the start, lasts .4 s, presses with 5 N and goes 2.6 mm deep.
SOFT = ["device.kind=spring", "device.stiffness=2000", "model.gap=0.001", "model.speed=0.02"]
PATIENCE = 20.0  # s
ALONE = {"awaited": (), "parent": None, "tell": lambda words: None}  # a node that nobody listens to


def until(what, patience=PATIENCE, meanwhile=lambda: None):
    """Wait until something is true; fails if it never is."""
    end = time.monotonic() + patience
    while not (found := what()):
        assert time.monotonic() < end, "waited in vain"
        meanwhile()
        time.sleep(0.005)
    return found


def minding(bus):
    """Re-arms a table that latched because the machine held somebody up, as `hybrid run` does."""
    listener = Listener(bus)
    return lambda: listener.held_up and ask_rearm(bus, "test", "a process was late")


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
        return NodeState(0) if row is None else NodeState(int(row["state"]))


class Words:
    """What nodes say in words."""

    def __init__(self, bus):
        self.events, self._status = "", {}
        bus.subscribe(f"{bus.session}/events", self._event)
        bus.subscribe(f"{bus.session}/status/**", lambda topic, said: self._status.update({topic: json.loads(said)}))
        self._session = bus.session

    def _event(self, topic, said):
        self.events += f"{json.loads(said)['text']}\n"

    def told(self, node):
        return self._status.get(f"{self._session}/status/{node}", {})

    def status(self, node):
        return " ".join(self.told(node).get("words", ()))


def last_command(rows):
    """The row of the tick in which the newest command came in."""
    return rows[np.flatnonzero(rows["age"] == 0.0)[-1]]


def running(nodes):
    return [node for node in nodes.names if nodes.processes[node].poll() is None]


def held_up(rows, begin, end):
    """How long a loop did not run in this time, without anything being wrong with it [s]: the machine is shared."""
    ticks = rows["time"][(rows["time"] >= begin) & (rows["time"] <= end)]
    return float(np.maximum(1e-9 * np.diff(ticks) - 2e-3, 0.0).sum())


def at_rest(rows, since):
    """When it was held for the first time after that [ns]; the command stands from then on."""
    held = held_rows(rows, since)
    assert np.ptp(held["command"][:5], axis=0).max() == 0.0
    return int(held["time"][0])


def killed_in_contact(path):
    """The log of a run whose dynamics node is killed while the table feels the contact.

    Before that the node was only late: then a simulated table is re-armed, and the simulation goes on.
    """
    told, late, killed = [], [], []

    def kill(listener):
        pid = nodes.processes["dynamics"].pid
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
    with Nodes(settings, out=path, view=False) as nodes:
        outcome = SupervisedRun(nodes, tell=told.append, show=kill).until_end(ShutdownFlag())
        assert running(nodes) == []
    assert not outcome.whole
    assert "dynamics killed by SIGKILL" in outcome.words
    assert any("asked to re-arm, since it is simulated" in each for each in told)
    return LogReader(path)


def test_killed_dynamics_leaves_a_command_that_rests_within_50_ms(tmp_path):
    """`kill -9` in mid contact; the run ends with words, the log is whole and replays."""
    for attempt in range(3):
        log = killed_in_contact(tmp_path / f"{attempt}.mcap")
        last = last_command(log.table)
        if NodeState.RUNNING in NodeState(int(last["state"])):
            break  # else the machine held somebody up just before, and it rested already
    assert NodeState.RUNNING | NodeState.CONTACT in NodeState(int(last["state"]))
    assert log.whole
    rest = at_rest(log.table, last["time"])
    assert 1e-9 * (rest - int(last["time"])) <= 0.050 + held_up(log.table, last["time"], rest)
    assert NodeState.LATCHED in NodeState(int(log.table["state"][-1]))
    assert [each["kind"] for each in log.events if each["node"] == "table" and each["level"] == "trip"][-1] == "late"
    assert replay(log) is None


def test_stop_rearm_and_the_deaths_of_viewer_log_and_table(tmp_path, capsys):
    """One session: stopped and re-armed by command, then its viewer is killed, then its log, then its table node."""
    settings = read_settings(changes=[*SOFT, "model.speed=0.0005", "duration=60", "view.address=127.0.0.1:0"])
    with Nodes(settings, out=tmp_path / "run.mcap") as nodes:
        for node in nodes.names:
            nodes.start(node)
        bus = bus_of(nodes.settings, None)
        try:
            heard, words, mind = Heard(bus), Words(bus), minding(bus)
            assert bus.wait_for(nodes.names, MEETING) == []
            bus.declare(GO, {})
            until(lambda: NodeState.RUNNING in heard.state("dynamics"), meanwhile=mind)
            for node in ("dynamics", "table", "device"):
                told = bus.ask(f"{bus.session}/parameters/{node}", timeout=PATIENCE)
                assert settings_of(json.loads(told)) == nodes.settings
            stop_and_rearm(nodes, heard, mind, capsys)
            the_viewer_dies(nodes, heard, mind)
            the_log_dies(nodes, heard, words, mind, tmp_path / "run.mcap")
            the_table_dies(nodes, heard, mind)
        finally:
            bus.close()


def stop_and_rearm(nodes, heard, mind, capsys):
    assert main(["hybrid", "stop", str(nodes.file)]) == 0
    assert "stop: command line" in capsys.readouterr().out
    until(lambda: NodeState.LATCHED in heard.state("table"), meanwhile=mind)
    until(lambda: NodeState.HELD in heard.state("dynamics"), meanwhile=mind)
    mind()
    at = heard.last("dynamics")["simulated"]
    assert NodeState.LATCHED in heard.state("table"), "only who is late is re-armed unasked"
    until(lambda: main(["hybrid", "rearm", str(nodes.file)]) == 0)  # refused while the machine holds somebody up
    assert "re-armed" in capsys.readouterr().out
    until(lambda: heard.last("dynamics")["simulated"] > at + 0.1, meanwhile=mind)


def the_viewer_dies(nodes, heard, mind):
    at = heard.last("dynamics")["simulated"]
    nodes.processes["view"].kill()
    nodes.processes["view"].wait()
    until(lambda: heard.last("dynamics")["simulated"] > at + 0.2, meanwhile=mind)
    assert sorted(running(nodes)) == ["device", "dynamics", "log", "table"]


def the_log_dies(nodes, heard, words, mind, path):
    def flushed():
        """Rows that were in the file when the log last spoke; it does so twice a second, after a flush."""
        return words.told("log").get("written", {}).get("rows/dynamics", 0)

    before = flushed()
    until(lambda: flushed() > before + 100, meanwhile=mind)
    at, rows = heard.last("dynamics")["simulated"], flushed()
    nodes.processes["log"].kill()
    nodes.processes["log"].wait()
    until(lambda: heard.last("dynamics")["simulated"] > at + 0.2, meanwhile=mind)
    assert sorted(running(nodes)) == ["device", "dynamics", "table"]
    log = LogReader(path)
    assert not log.whole
    assert "read to its last flush" in log.words[0]
    assert log.dynamics.size >= rows
    assert replay(log) is None


def the_table_dies(nodes, heard, mind):
    until(lambda: NodeState.RUNNING in heard.state("device"), meanwhile=mind)
    before = time.monotonic_ns()
    nodes.processes["table"].kill()
    nodes.processes["table"].wait()
    until(lambda: (held_rows(heard.rows("device"), before)).size > 5)
    rows = heard.rows("device")
    last = int(last_command(rows)["time"])
    near = 100_000_000 + round(1e9 * held_up(rows, before - 10**9, before + 10**9))
    assert before - near < last < before + near
    after = rows[rows["time"] > last]
    held = held_rows(after, last)
    assert 1e-9 * (int(held["time"][0]) - last) <= 0.050 + held_up(rows, last, held["time"][0])
    assert np.ptp(held["pose"], axis=0).max() == 0.0
    until(lambda: NodeState.HELD in heard.state("dynamics"))  # without a table nothing is simulated


def held_rows(rows, since):
    return rows[(rows["time"] > since) & ((rows["state"] & int(NodeState.HELD)) != 0)]


def test_a_dynamics_of_another_key_or_version_is_refused_in_words_on_both_sides(tmp_path, monkeypatch, capsys):
    """A table and its device as processes, ready to obey: whoever is not one of theirs moves nothing."""
    with Nodes(read_settings(changes=SOFT), view=False) as nodes:
        nodes.start("device"), nodes.start("table")
        bus = bus_of(nodes.settings, None)
        try:
            heard, words = Heard(bus), Words(bus)
            bus.declare("log", {}), bus.declare(GO, {})
            assert bus.wait_for(["device", "table"], MEETING) == []
            until(lambda: "sensor tared" in words.events)
            link = replace(nodes.settings.link, key=str(make_key(tmp_path / "other")))
            other = replace(nodes.settings, link=link)
            with monkeypatch.context() as patch:
                patch.setattr(processes, "MEETING", 0.5)
                with pytest.raises(tg.InputError, match=r"'table' is not here.* refuses this node: it has another key"):
                    run_dynamics(other, **ALONE)
            until(lambda: "with another key" in words.status("table"))
            (tmp_path / "other.toml").write_text(other.toml())
            monkeypatch.setattr("tegotae.commands.hybrid._PRESENT", 0.5)
            assert main(["hybrid", "rearm", str(tmp_path / "other.toml")]) == 2
            assert "it has another key" in capsys.readouterr().err
            with monkeypatch.context() as patch:
                patch.setattr(tg, "__version__", "9.9.9")
                with pytest.raises(tg.InputError, match=r"'table' runs tegotae .*, this one 9\.9\.9"):
                    run_dynamics(nodes.settings, **ALONE)
            until(lambda: "'dynamics' runs tegotae 9.9.9" in words.status("table"))
        finally:
            bus.close()
        rows = heard.rows("table")
        assert np.ptp(rows["command"], axis=0).max() == 0.0
        assert not (rows["state"] & int(NodeState.RUNNING | NodeState.COASTING)).any()


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
    assert NodeState.HELD in NodeState(int(log.table["state"][-1])), "it rests, and the log has heard it"
    assert {"log", "device", "table", "dynamics"} <= set(log.status)
    assert log.status["dynamics"][-1]["simulated"] == log.dynamics["simulated"][-1]
    assert main(["hybrid", "report", str(path), "--json", str(tmp_path / "told.json")]) == 0
    assert main(["hybrid", "replay", str(path)]) == 0


# ------------------------------------------------------------ without starting anything


def test_a_process_ends_with_its_parent_or_by_a_signal():
    assert not ShutdownFlag(parent=os.getppid())
    assert ShutdownFlag(parent=os.getpid())  # we are not our own parent
    with ShutdownFlag() as ending:
        assert not ending
        os.kill(os.getpid(), signal.SIGTERM)
        until(lambda: bool(ending))


@pytest.mark.parametrize(("run", "place"), [(run_dynamics, "dynamics"), (run_table, "table"), (run_device, "device")])
def test_a_port_in_use_is_refused_with_words(run, place, tmp_path):
    key = make_key(tmp_path / "key")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        changes = ["device.kind=spring", f"link.key={key}", f"link.{place}=127.0.0.1:{port}"]
        with pytest.raises(tg.InputError, match=f"port {port} .*in use"):
            run(with_ports(read_settings(changes=changes)), **ALONE)


def test_an_address_that_is_not_ours_is_refused(tmp_path):
    with pytest.raises(tg.InputError, match=r"192\.0\.2\.1 is not an address of this computer"):
        Nodes(read_settings(changes=["link.table=192.0.2.1:0"]))
