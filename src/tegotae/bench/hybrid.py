"""The fast link between two processes of this machine: how long a command and its answer take."""

from __future__ import annotations

import subprocess
import sys
import time

from tegotae.bench.contest import Contest, Outcome
from tegotae.hybrid import Command, Latencies, Measurement, Stop, UdpLink, new_key

P50 = 100.0  # us
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
                link.meet(_PATIENCE)
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


def fast_link(count: int = 300, rounds: int = 15) -> list[Outcome]:
    """Nodes that spin for a moment, as their clocks do where punctuality counts; beside it, nodes that sleep."""
    awake, asleep = (round_trips(count=count, rounds=rounds, spin=spin) for spin in (SPIN, 0.0))
    p50, lost = 1e6 * awake.percentile(50.0), 2 * count - awake.count - asleep.count
    told = f"{_told(awake)}; asleep between packets {_told(asleep)}"
    told += f"; {lost} without an answer" if lost else ""
    return [Outcome("fast link, round trip between processes [us]", told, p50, f"<= {P50:g}", 0.0 < p50 <= P50)]


def _told(seen: Latencies) -> str:
    return f"p50 {1e6 * seen.percentile(50.0):.0f} us, p99 {1e6 * seen.percentile(99.0):.0f} us"


CONTESTS = (Contest("hybrid, fast link", fast_link),)
