"""A table of one's own, as processes: it is read before anything is ordered, and the first order is where it stands."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

import tegotae as tg
from tegotae.hybrid.bus.messages import ask_rearm
from tegotae.hybrid.devices.device import DeviceReading, SpringTwin
from tegotae.hybrid.nodes import assembly
from tegotae.hybrid.processes import processes
from tegotae.hybrid.processes.joining import ShutdownFlag, bus_of
from tegotae.hybrid.processes.launcher import Nodes, SupervisedRun
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.safety.sensing import NOTHING_FELT
from tegotae.hybrid.settings import read_settings

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def controller(height):
    """The example's pretended controller, a process of its own; its port."""
    command = [sys.executable, str(EXAMPLES / "04_attach_a_table.py"), "--serve", "0", "--height", str(height)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.terminate()


def own(port, *changes):
    return read_settings(
        EXAMPLES / "own_table.toml",
        [f'device.options={{host="127.0.0.1", port={port}}}', "model.gap=0.01", "model.speed=0.03", *changes],
    )


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(EXAMPLES), os.environ.get("PYTHONPATH", "")]))


def watched_run(settings, path):
    """A run whose table a person re-arms, should this busy machine hold somebody up."""
    with Nodes(settings, out=path, view=False) as nodes:
        asked = [0.0]

        def look(listener):
            if listener.trip and time.monotonic() > asked[0] + 1.0:
                asked[0] = time.monotonic()
                bus = bus_of(nodes.settings, None)
                bus.wait_for(["table"], 5.0)
                ask_rearm(bus, "test", "a person has looked")
                bus.close()

        return SupervisedRun(nodes, show=look).until_end(ShutdownFlag())


@pytest.mark.realtime
@pytest.mark.parametrize("height", [-0.42])
def test_the_example_runs_as_a_process_and_is_first_ordered_to_where_it_stands(height, tmp_path):
    with controller(height) as port:
        outcome = watched_run(own(port, f"device.height={height}", "duration=0.7"), tmp_path / "run.mcap")
    assert outcome.whole, outcome.words
    rows = LogReader(tmp_path / "run.mcap").table
    assert rows["command"][0].tolist() == pytest.approx([0.0, 0.0, height - 0.01, 1.0, 0.0, 0.0, 0.0], abs=1e-12)
    assert rows["wrench"][:, 2].min() < -1.0, "it met its surface"


@pytest.mark.realtime
def test_a_table_that_stands_outside_of_its_box_is_refused_where_it_was_measured(tmp_path):
    with controller(0.3) as port, pytest.raises(tg.InputError, match=r"starts at 0, 0, 0\.29 m, where it must not be"):
        watched_run(own(port, "device.height=-0.42"), tmp_path / "run.mcap")


class SlowTable(SpringTwin):
    """It says where it stands only when it was asked so often; what it is told is kept."""

    def __init__(self, silent, period=2e-3):
        super().__init__(stiffness=1e4, period=period, start=(0.0, 0.0, -0.43, 1.0, 0.0, 0.0, 0.0))
        self.silent, self.told = silent, []

    def read(self):
        self.silent -= 1
        return DeviceReading(fault="not referenced yet") if self.silent >= 0 else super().read()

    def command(self, pose, twist, *, label):
        self.told.append(tuple(pose))
        super().command(pose, twist, label=label)


@pytest.fixture
def slow(monkeypatch):
    """Settings for one that is silent for so many readings."""
    monkeypatch.setitem(sys.modules, "slow_table", SimpleNamespace(SlowTable=SlowTable))
    changes = ["device.kind=own", "device.factory=slow_table:SlowTable", "device.height=-0.42"]
    return lambda silent, *more: read_settings(changes=[*changes, f"device.options={{silent={silent}}}", *more])


def test_nothing_is_ordered_before_a_table_has_said_where_it_stands(slow):
    settings = slow(20)
    table = processes._device(settings, None, ShutdownFlag())
    assert table.silent < 0
    assert table.told == []
    safety = assembly.safety_of(settings, table)
    order = safety.step(age=float("inf"), command=None, reading=table.read(), felt=NOTHING_FELT)
    assert order.pose == table.read().pose


def test_a_table_that_never_says_where_it_stands_is_refused_in_its_own_words(slow, monkeypatch):
    monkeypatch.setattr(processes, "_ANSWERS", 0.05)
    with pytest.raises(tg.InputError, match=r"has not said where it stands; it says: not referenced yet") as refused:
        processes._device(slow(10**9), None, ShutdownFlag())
    assert "z = 0" not in str(refused.value)


def test_an_unread_table_is_nowhere(slow):
    with pytest.raises(tg.InputError, match=r"start\[0\]=nan .*is not finite"):
        assembly.safety_of(slow(2), SlowTable(10**9))


def test_a_table_of_another_period_is_refused(slow):
    with pytest.raises(tg.InputError, match=r"period=0\.001 s, but the device keeps 0\.002 s"):
        processes._device(slow(0, "period=0.001"), None, ShutdownFlag())
