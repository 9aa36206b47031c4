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
    "Device": "devices",
    "DeviceReading": "devices",
    "SpringTwin": "devices",
    "Twin": "devices",
    "HexaTwin": "hexa_twin",
    "RemoteDevice": "remote_device",
    "DeviceNode": "remote_device",
    "TableNode": "table_node",
    "DynamicsNode": "dynamics_node",
    "Meeting": "meeting",
    "Limits": "limits",
    "Reflexes": "limits",
    "Safety": "safety",
    "Sensing": "sensing",
    "Bus": "bus",
    "MemoryBus": "bus",
    "ZenohBus": "zenoh_bus",
    "LogReader": "log",
    "LogWriter": "log",
    "report": "report",
    "Settings": "settings",
    "read_settings": "settings",
    "run_virtual": "virtual_run",
    "VirtualLoop": "virtual_run",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from tegotae.hybrid.bus import Bus as Bus
    from tegotae.hybrid.bus import MemoryBus as MemoryBus
    from tegotae.hybrid.clock import Clock as Clock
    from tegotae.hybrid.clock import Deadlines as Deadlines
    from tegotae.hybrid.clock import RealClock as RealClock
    from tegotae.hybrid.datagrams import new_key as new_key
    from tegotae.hybrid.devices import Device as Device
    from tegotae.hybrid.devices import DeviceReading as DeviceReading
    from tegotae.hybrid.devices import SpringTwin as SpringTwin
    from tegotae.hybrid.devices import Twin as Twin
    from tegotae.hybrid.dynamics_node import DynamicsNode as DynamicsNode
    from tegotae.hybrid.faults import Faults as Faults
    from tegotae.hybrid.flyer import free_flyer as free_flyer
    from tegotae.hybrid.hexa_twin import HexaTwin as HexaTwin
    from tegotae.hybrid.latencies import Latencies as Latencies
    from tegotae.hybrid.limits import Limits as Limits
    from tegotae.hybrid.limits import Reflexes as Reflexes
    from tegotae.hybrid.link import Link as Link
    from tegotae.hybrid.log import LogReader as LogReader
    from tegotae.hybrid.log import LogWriter as LogWriter
    from tegotae.hybrid.meeting import Meeting as Meeting
    from tegotae.hybrid.memory import MemoryLink as MemoryLink
    from tegotae.hybrid.packets import Command as Command
    from tegotae.hybrid.packets import Heartbeat as Heartbeat
    from tegotae.hybrid.packets import Measurement as Measurement
    from tegotae.hybrid.packets import Packet as Packet
    from tegotae.hybrid.packets import Rearm as Rearm
    from tegotae.hybrid.packets import State as State
    from tegotae.hybrid.packets import Stop as Stop
    from tegotae.hybrid.remote_device import DeviceNode as DeviceNode
    from tegotae.hybrid.remote_device import RemoteDevice as RemoteDevice
    from tegotae.hybrid.report import report as report
    from tegotae.hybrid.safety import Safety as Safety
    from tegotae.hybrid.sensing import Sensing as Sensing
    from tegotae.hybrid.settings import Settings as Settings
    from tegotae.hybrid.settings import read_settings as read_settings
    from tegotae.hybrid.statistics import LinkStatistics as LinkStatistics
    from tegotae.hybrid.table_node import TableNode as TableNode
    from tegotae.hybrid.two_robots import TwoRobots as TwoRobots
    from tegotae.hybrid.udp import UdpLink as UdpLink
    from tegotae.hybrid.virtual import Lockstep as Lockstep
    from tegotae.hybrid.virtual import Timeline as Timeline
    from tegotae.hybrid.virtual import VirtualClock as VirtualClock
    from tegotae.hybrid.virtual_run import VirtualLoop as VirtualLoop
    from tegotae.hybrid.virtual_run import run_virtual as run_virtual
    from tegotae.hybrid.zenoh_bus import ZenohBus as ZenohBus


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
