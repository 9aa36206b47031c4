"""What a hybrid simulation costs: a command and its answer on the fast link, the whole loop in lockstep, idle nodes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial

from tegotae.bench.contest import Contest, Outcome, Outcomes, in_turn
from tegotae.hybrid import Command, Latencies, Measurement, Stop, UdpLink, new_key
from tegotae.hybrid.processes.launcher import Nodes
from tegotae.hybrid.settings import Settings, read_settings

SPIN = 2e-4  # s
_PATIENCE = 30.0  # s, for a process to start or end


def answer() -> None:
    """The other process: answers every command with a measurement until a Stop comes or all is silent."""
    key = bytes.fromhex(sys.stdin.readline())  # not as an argument: those are for everyone to see
    spin = float(sys.stdin.readline())
    with UdpLink(key=key, max_age=_PATIENCE) as link:
        print(link.address[1], flush=True)
        while link.wait(_PATIENCE, spin=spin):
            packet = link.receive()
            if isinstance(packet, Command):
                link.send(Measurement(label=packet.label, pose=packet.pose, twist=packet.twist))
            elif packet is not None:
                break


def round_trips(*, count: int = 300, rounds: int = 15, spin: float = 0.0) -> Latencies:
    """Times from sending a command to having its answer, signatures and checks of both included: the best round.

    Either process asks for a packet for `spin` [s] before it sleeps.
    """
    key, program = new_key(), [sys.executable, "-c", "from tegotae.bench.hybrid import answer; answer()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdin is not None
            assert other.stdout is not None
            print(key.hex(), spin, sep="\n", file=other.stdin, flush=True)
            place = ("127.0.0.1", int(other.stdout.readline()))
            with UdpLink(key=key, remote=place, max_age=_PATIENCE) as link:
                link.connect(_PATIENCE)
                played = [_round(link, count, spin) for _ in range(rounds)]
                link.send(Stop(reason="measured"))
            other.wait(_PATIENCE)
        finally:
            other.kill()
    return min(played, key=lambda seen: seen.percentile(50.0))


def _round(link: UdpLink, count: int, spin: float) -> Latencies:
    seen = Latencies()
    for k in range(count):
        start = time.monotonic_ns()
        link.send(Command(label=float(k)))
        while link.wait(1.0, spin=spin):
            packet = link.receive()
            if packet is not None and packet.label == k:
                seen.add(time.monotonic_ns() - start)
                break
    return seen


def fast_link(count: int = 300, rounds: int = 15) -> Outcomes:
    """Nodes that spin for a moment, as their clocks do where punctuality counts; beside it, nodes that sleep."""
    awake, asleep = (round_trips(count=count, rounds=rounds, spin=spin) for spin in (SPIN, 0.0))
    p50, lost = 1e6 * awake.percentile(50.0), 2 * count - awake.count - asleep.count
    measured = f"{_percentiles(awake)}; asleep between packets {_percentiles(asleep)}"
    measured += f"; {lost} without an answer" if lost else ""
    yield Outcome.asked("fast link, round trip between processes [us]", measured, p50, "<= 100", also=p50 > 0.0)


def _percentiles(seen: Latencies) -> str:
    return f"p50 {1e6 * seen.percentile(50.0):.0f} us, p99 {1e6 * seen.percentile(99.0):.0f} us"


_SETTLING = 6.0  # s, for processes to start and find out that nobody speaks to them


def lockstep(duration: float = 1.2, rounds: int = 5) -> Outcomes:
    """Dynamics, table and device with their links, signatures, safety and records, as fast as they compute."""
    from tegotae.hybrid.nodes.virtual_run import run_virtual

    base = [f"duration={duration}", "model.gap=0.005"]
    runs = {"six arms": read_settings(changes=base), "a spring": read_settings(changes=[*base, "device.kind=spring"])}
    best = in_turn({name: partial(run_virtual, settings) for name, settings in runs.items()}, rounds=rounds)
    measured = ", ".join(f"{name} {duration / time:.1f}x" for name, time in best.items())
    factor = min(duration / time for time in best.values())
    yield Outcome.asked("hybrid, all nodes in lockstep", f"{measured} real time", factor, ">= 2")


def idle_nodes(seconds: float = 5.0) -> Outcomes:
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
    yield Outcome.asked("hybrid, CPU of idle nodes [%]", words, worst, "<= 10")


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


CONTESTS = (
    Contest("hybrid, fast link", fast_link),
    Contest("hybrid, lockstep", lockstep),
    Contest("hybrid, idle nodes", idle_nodes),
)
