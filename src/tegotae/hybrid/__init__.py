"""Hybrid motion simulation: numerical models that meet at a table's contact, and the nodes that run them.  [tarao1999]

The fast link between nodes knows nothing of robots: `UdpLink` carries `Command`s and `Measurement`s between
processes, `MemoryLink` between virtual nodes, and a `RealClock` or `VirtualClock` gives the ticks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Public name -> the module that defines it. Loaded on first use: a node that only drives a table needs no numba.
_HOME = {
    "TwoRobots": "two_robots",
    "free_flyer": "flyer",
    "Clock": "clock",
    "Deadlines": "clock",
    "Lockstep": "virtual",
    "RealClock": "clock",
    "Timeline": "virtual",
    "VirtualClock": "virtual",
    "Latencies": "latencies",
    "Command": "packets",
    "Heartbeat": "packets",
    "Measurement": "packets",
    "Packet": "packets",
    "Rearm": "packets",
    "State": "packets",
    "Stop": "packets",
    "new_key": "datagrams",
    "Faults": "faults",
    "Link": "link",
    "LinkStatistics": "statistics",
    "MemoryLink": "memory",
    "UdpLink": "udp",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from tegotae.hybrid.clock import Clock as Clock
    from tegotae.hybrid.clock import Deadlines as Deadlines
    from tegotae.hybrid.clock import RealClock as RealClock
    from tegotae.hybrid.datagrams import new_key as new_key
    from tegotae.hybrid.faults import Faults as Faults
    from tegotae.hybrid.flyer import free_flyer as free_flyer
    from tegotae.hybrid.latencies import Latencies as Latencies
    from tegotae.hybrid.link import Link as Link
    from tegotae.hybrid.memory import MemoryLink as MemoryLink
    from tegotae.hybrid.packets import Command as Command
    from tegotae.hybrid.packets import Heartbeat as Heartbeat
    from tegotae.hybrid.packets import Measurement as Measurement
    from tegotae.hybrid.packets import Packet as Packet
    from tegotae.hybrid.packets import Rearm as Rearm
    from tegotae.hybrid.packets import State as State
    from tegotae.hybrid.packets import Stop as Stop
    from tegotae.hybrid.statistics import LinkStatistics as LinkStatistics
    from tegotae.hybrid.two_robots import TwoRobots as TwoRobots
    from tegotae.hybrid.udp import UdpLink as UdpLink
    from tegotae.hybrid.virtual import Lockstep as Lockstep
    from tegotae.hybrid.virtual import Timeline as Timeline
    from tegotae.hybrid.virtual import VirtualClock as VirtualClock


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
