"""What a person sees on a terminal of a hybrid run, and of nodes that are started one by one."""

import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tegotae.hybrid import NodeState
from tegotae.hybrid.processes.joining import make_key, with_ports
from tegotae.hybrid.settings import read_settings
from tegotae.hybrid.view.panels import BAD, node_table

SOFT = ["device.kind=spring", "device.stiffness=2000", "model.gap=0.001", "model.speed=0.02"]
RED = re.compile(r"\x1b\[[\d;]*\b(?:31|91|38;5;(?:1|9|160|161|196|197|198))m")


def on_a_terminal(*arguments):
    """Run a command on a terminal: its code, and all that it wrote."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "150", "LINES": "40"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "tegotae", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        said = b""
        try:
            while more := os.read(ours, 65536):
                said += more
        except OSError:  # the terminal of a process that has ended
            pass
        finally:
            os.close(ours)
        return process.wait(), said.decode()


@pytest.mark.realtime
def test_a_run_that_ends_well_does_not_end_in_red(tmp_path):
    (tmp_path / "soft.toml").write_text(read_settings(changes=SOFT).toml())
    code, said = on_a_terminal("hybrid", "run", str(tmp_path / "soft.toml"), "--no-view", "--duration", "0.3")
    assert code == 0, said
    assert "\x1b[" in said, "it has colours"
    assert not RED.search(said), said[-2000:]
    assert re.search(r"promised: at rest without commands within\W.*ms", said)


@pytest.mark.realtime
def test_nodes_that_are_started_by_hand_say_that_they_started_and_that_they_ended(tmp_path):
    key = make_key(tmp_path / "key")
    file = tmp_path / "session.toml"
    file.write_text(with_ports(read_settings(changes=[*SOFT, f"link.key={key}"])).toml())
    settings = read_settings(file)
    expected = {
        "log": r"log: started, writing .*run\.mcap",
        "device": f"device: started, waiting for the table node at {re.escape(settings.link.device)}",
        "table": f"table: started, waiting for commands at {re.escape(settings.link.table)}; without any, at rest",
    }
    with ExitStack() as held:
        nodes = {}
        for node, words in expected.items():
            command = [sys.executable, "-m", "tegotae", "hybrid", node, str(file)]
            command += ["--out", str(tmp_path / "run.mcap")] if node == "log" else []
            nodes[node] = held.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
            held.callback(nodes[node].kill)
            assert re.search(f"{words}.*; Ctrl-C ends it", nodes[node].stderr.readline())
        for node in ("table", "device", "log"):
            nodes[node].send_signal(signal.SIGINT)
            said = nodes[node].communicate(timeout=60)[1]
            assert said.splitlines()[-1] == f"{node}: ended"
            assert nodes[node].returncode == 0


def test_nodes_that_ended_as_they_should_are_not_shown_in_red():
    latched = int(NodeState.HELD | NodeState.LATCHED)
    told = {"dynamics": {"state": 1, "ended": True}, "table": {"state": latched, "done": True}}
    assert BAD not in node_table({"table": {}}, told)
    assert BAD in node_table({"table": {}}, {"dynamics": {"state": 1}}), "one that died is"
    assert BAD in node_table({"table": {}}, {"table": {"state": latched}}), "and one that is latched"
