"""What the nodes of a hybrid simulation cost: the whole loop in lockstep, and processes that wait or run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial

from tegotae.bench.contest import Contest, Outcome, in_turn
from tegotae.hybrid.processes.node_processes import Nodes
from tegotae.hybrid.settings import Settings, read_settings

SPEED_UP = 2.0
IDLE = 10.0  # % of a core
_SETTLING = 6.0  # s, for processes to start and find out that nobody speaks to them


def lockstep(duration: float = 1.2, rounds: int = 5) -> list[Outcome]:
    """Dynamics, table and device with their links, signatures, safety and records, as fast as they compute."""
    from tegotae.hybrid.nodes.virtual_run import run_virtual

    told = [f"duration={duration}", "model.gap=0.005"]
    runs = {"six arms": read_settings(changes=told), "a spring": read_settings(changes=[*told, "device.kind=spring"])}
    for settings in runs.values():
        run_virtual(settings)
    best = in_turn({name: partial(run_virtual, settings) for name, settings in runs.items()}, rounds=rounds)
    words = ", ".join(f"{name} {duration / time:.1f}x" for name, time in best.items())
    factor = min(duration / time for time in best.values())
    return [
        Outcome("hybrid, all nodes in lockstep", f"{words} real time", factor, f">= {SPEED_UP:g}", factor >= SPEED_UP)
    ]


def idle_nodes(seconds: float = 5.0) -> list[Outcome]:
    """Processes to whom nobody speaks, and that do not spin: table and device without dynamics, and the reverse."""
    shares: dict[str, float] = {}
    for together in (("log", "device", "table"), ("dynamics",)):
        with Nodes(Settings(), view=False) as nodes:
            started = {node: _started(nodes, node) for node in together}
            try:
                time.sleep(_SETTLING)
                before = {node: _cpu(process.pid) for node, process in started.items()}
                time.sleep(seconds)
                shares |= {node: 100.0 * (_cpu(it.pid) - before[node]) / seconds for node, it in started.items()}
            finally:
                for process in reversed(started.values()):
                    process.terminate()
                    process.wait()
    worst = max(shares.values())
    words = ", ".join(f"{node} {share:.1f} %" for node, share in shares.items())
    return [Outcome("hybrid, CPU of idle nodes [%]", words, worst, f"<= {IDLE:g}", worst <= IDLE)]


def _started(nodes: Nodes, node: str) -> subprocess.Popen[bytes]:
    """As `Nodes` starts them, but waiting for nobody."""
    command = [sys.executable, "-m", "tegotae", "hybrid", node, str(nodes.file)]
    command += ["--out", str(nodes.out)] if node == "log" else []
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _cpu(process: int) -> float:
    """Seconds of a core that a process has used."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


CONTESTS = (Contest("hybrid, lockstep", lockstep), Contest("hybrid, idle nodes", idle_nodes))
