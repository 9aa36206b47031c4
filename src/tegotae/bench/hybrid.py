"""The fast link between two processes of this machine: how long a command and its answer take."""

from __future__ import annotations

import subprocess
import sys
import time

from tegotae.bench.contest import Contest, Outcome
from tegotae.hybrid import Command, Latencies, Measurement, Stop, UdpLink, new_key

P50 = 100.0  # us
_PATIENCE = 30.0  # s, for a process to start or end


def answer() -> None:
    """The other process: answers every command with a measurement until a Stop comes or all is silent.

    Example:
        >>> answer.__name__  # runs in a process of its own, which `round_trips` starts
        'answer'
    """
    key = bytes.fromhex(sys.stdin.readline())  # not as an argument: those are for everyone to see
    with UdpLink(key=key) as link:
        print(link.address[1], flush=True)
        while link.wait(_PATIENCE):
            packet = link.receive()
            if isinstance(packet, Command):
                link.send(Measurement(label=packet.label, pose=packet.pose, twist=packet.twist))
            elif packet is not None:
                break


def round_trips(count: int = 5000) -> Latencies:
    """Times from sending a command to having its answer, checks and signatures of both included.

    Args:
        count: how many.

    Example:
        >>> from tegotae.bench.hybrid import round_trips
        >>> round_trips.__defaults__  # starts another process: `tegotae bench`
        (5000,)
    """
    key, program = new_key(), [sys.executable, "-c", "from tegotae.bench.hybrid import answer; answer()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdin is not None
            assert other.stdout is not None
            print(key.hex(), file=other.stdin, flush=True)
            with UdpLink(key=key, remote=("127.0.0.1", int(other.stdout.readline()))) as link:
                link.meet(_PATIENCE)
                seen = _played(link, count)
                link.send(Stop(reason="measured"))
            other.wait(_PATIENCE)
        finally:
            other.kill()
    return seen


def _played(link: UdpLink, count: int) -> Latencies:
    seen = Latencies()
    for k in range(count):
        start = time.monotonic_ns()
        link.send(Command(label=float(k)))
        while link.wait(1.0):
            packet = link.receive()
            if packet is not None and packet.label == k:
                seen.add(time.monotonic_ns() - start)
                break
    return seen


def fast_link(count: int = 5000) -> list[Outcome]:
    """Both processes sleep until something arrives."""
    seen = round_trips(count).summary()
    told = f"p50 {1e6 * seen['p50']:.0f} us, p99 {1e6 * seen['p99']:.0f} us, max {1e6 * seen['max']:.0f} us"
    lost = count - int(seen["count"])
    told += f", {lost} of {count} without an answer" if lost else ""
    p50 = 1e6 * seen["p50"]
    return [Outcome("fast link, round trip between processes [us]", told, p50, f"<= {P50:g}", 0.0 < p50 <= P50)]


CONTESTS = (Contest("hybrid, fast link", fast_link),)
