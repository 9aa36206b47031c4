"""Hybrid motion simulation: numerical models that meet at a table's contact, and the nodes that run them.  [tarao1999]

The fast link between nodes knows nothing of robots: `UdpLink` carries `Command`s and `Measurement`s between
processes, `MemoryLink` between virtual nodes, and a `RealClock` or `VirtualClock` gives the ticks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Public name -> the module that defines it. Loaded on first use: a node that only drives a table needs no numba.
_HOME = {
    "NodeClock": "clocks.clock",
    "Deadlines": "clocks.clock",
    "Lockstep": "clocks.virtual",
    "RealClock": "clocks.clock",
    "Timeline": "clocks.virtual",
    "VirtualClock": "clocks.virtual",
    "Latencies": "clocks.latencies",
    "Command": "links.packets",
    "Heartbeat": "links.packets",
    "Measurement": "links.packets",
    "SensorSignals": "links.packets",
    "Packet": "links.packets",
    "Rearm": "links.packets",
    "NodeState": "links.packets",
    "Stop": "links.packets",
    "new_key": "links.datagrams",
    "Faults": "links.faults",
    "NodeLink": "links.link",
    "LinkStatistics": "links.statistics",
    "MemoryLink": "links.memory",
    "UdpLink": "links.udp",
    "Device": "devices.device",
    "DeviceReading": "devices.device",
    "SpringTwin": "devices.device",
    "Twin": "devices.device",
    "HexaTwin": "devices.hexa_twin",
    "RemoteDevice": "devices.remote_device",
    "DeviceNode": "devices.remote_device",
    "TableNode": "nodes.table_node",
    "DynamicsNode": "nodes.dynamics_node",
    "GuardedMachine": "machines.guarded",
    "Machine": "machines.guarded",
    "RelativeAdmittance": "machines.relative_admittance",
    "Limits": "safety.limits",
    "LossOfCommandPolicy": "safety.limits",
    "Safety": "safety.safety",
    "Sensing": "safety.sensing",
    "Bus": "bus.bus",
    "MemoryBus": "bus.bus",
    "ZenohBus": "bus.zenoh_bus",
    "LogReader": "records.log",
    "LogWriter": "records.log",
    "report": "records.report",
    "Settings": "settings",
    "read_settings": "settings",
    "run_virtual": "nodes.virtual_run",
    "VirtualLoop": "nodes.virtual_run",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from tegotae.hybrid.bus.bus import Bus as Bus
    from tegotae.hybrid.bus.bus import MemoryBus as MemoryBus
    from tegotae.hybrid.bus.zenoh_bus import ZenohBus as ZenohBus
    from tegotae.hybrid.clocks.clock import Deadlines as Deadlines
    from tegotae.hybrid.clocks.clock import NodeClock as NodeClock
    from tegotae.hybrid.clocks.clock import RealClock as RealClock
    from tegotae.hybrid.clocks.latencies import Latencies as Latencies
    from tegotae.hybrid.clocks.virtual import Lockstep as Lockstep
    from tegotae.hybrid.clocks.virtual import Timeline as Timeline
    from tegotae.hybrid.clocks.virtual import VirtualClock as VirtualClock
    from tegotae.hybrid.devices.device import Device as Device
    from tegotae.hybrid.devices.device import DeviceReading as DeviceReading
    from tegotae.hybrid.devices.device import SpringTwin as SpringTwin
    from tegotae.hybrid.devices.device import Twin as Twin
    from tegotae.hybrid.devices.hexa_twin import HexaTwin as HexaTwin
    from tegotae.hybrid.devices.remote_device import DeviceNode as DeviceNode
    from tegotae.hybrid.devices.remote_device import RemoteDevice as RemoteDevice
    from tegotae.hybrid.links.datagrams import new_key as new_key
    from tegotae.hybrid.links.faults import Faults as Faults
    from tegotae.hybrid.links.link import NodeLink as NodeLink
    from tegotae.hybrid.links.memory import MemoryLink as MemoryLink
    from tegotae.hybrid.links.packets import Command as Command
    from tegotae.hybrid.links.packets import Heartbeat as Heartbeat
    from tegotae.hybrid.links.packets import Measurement as Measurement
    from tegotae.hybrid.links.packets import NodeState as NodeState
    from tegotae.hybrid.links.packets import Packet as Packet
    from tegotae.hybrid.links.packets import Rearm as Rearm
    from tegotae.hybrid.links.packets import SensorSignals as SensorSignals
    from tegotae.hybrid.links.packets import Stop as Stop
    from tegotae.hybrid.links.statistics import LinkStatistics as LinkStatistics
    from tegotae.hybrid.links.udp import UdpLink as UdpLink
    from tegotae.hybrid.machines.guarded import GuardedMachine as GuardedMachine
    from tegotae.hybrid.machines.guarded import Machine as Machine
    from tegotae.hybrid.machines.relative_admittance import RelativeAdmittance as RelativeAdmittance
    from tegotae.hybrid.nodes.dynamics_node import DynamicsNode as DynamicsNode
    from tegotae.hybrid.nodes.table_node import TableNode as TableNode
    from tegotae.hybrid.nodes.virtual_run import VirtualLoop as VirtualLoop
    from tegotae.hybrid.nodes.virtual_run import run_virtual as run_virtual
    from tegotae.hybrid.records.log import LogReader as LogReader
    from tegotae.hybrid.records.log import LogWriter as LogWriter
    from tegotae.hybrid.records.report import report as report
    from tegotae.hybrid.safety.limits import Limits as Limits
    from tegotae.hybrid.safety.limits import LossOfCommandPolicy as LossOfCommandPolicy
    from tegotae.hybrid.safety.safety import Safety as Safety
    from tegotae.hybrid.safety.sensing import Sensing as Sensing
    from tegotae.hybrid.settings import Settings as Settings
    from tegotae.hybrid.settings import read_settings as read_settings


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
