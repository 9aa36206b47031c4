"""Hybrid motion simulation: numerical models that meet at a table's contact, and the nodes that run them.  [tarao1999]

The fast link between nodes knows nothing of robots: `UdpLink` carries `Command`s and `Measurement`s between
processes, `MemoryLink` between virtual nodes, and a `RealClock` or `VirtualClock` gives the ticks.
"""

from typing import TYPE_CHECKING

from tegotae.on_demand import loaded_on_first_use

__all__ = [
    "Bus", "Command", "Deadlines", "Device", "DeviceNode", "DeviceReading", "DynamicsNode", "Faults",
    "GuardedMachine", "Heartbeat", "HexaTwin", "Latencies", "Limits", "LinkStatistics", "Lockstep", "LogReader",
    "LogWriter", "LossOfCommandPolicy", "Machine", "Measurement", "MemoryBus", "MemoryLink", "NodeClock",
    "NodeLink", "NodeState", "Packet", "RealClock", "Rearm", "RelativeAdmittance", "RemoteDevice", "Safety",
    "Sensing", "SensorSignals", "Settings", "SpringTwin", "Stop", "TableNode", "Timeline", "Twin", "UdpLink",
    "VirtualClock", "VirtualLoop", "ZenohBus", "new_key", "read_settings", "report", "run_virtual",
]  # fmt: skip

if TYPE_CHECKING:
    from tegotae.hybrid.bus.bus import Bus, MemoryBus
    from tegotae.hybrid.bus.statistics import Deadlines, Latencies, LinkStatistics
    from tegotae.hybrid.bus.zenoh_bus import ZenohBus
    from tegotae.hybrid.clocks.clock import Lockstep, NodeClock, RealClock, Timeline, VirtualClock
    from tegotae.hybrid.devices.device import Device, DeviceReading, SpringTwin, Twin
    from tegotae.hybrid.devices.hexa_twin import HexaTwin
    from tegotae.hybrid.devices.remote_device import DeviceNode, RemoteDevice
    from tegotae.hybrid.links.datagrams import Faults, new_key
    from tegotae.hybrid.links.kinds import MemoryLink, UdpLink
    from tegotae.hybrid.links.link import NodeLink
    from tegotae.hybrid.links.packets import (
        Command,
        Heartbeat,
        Measurement,
        NodeState,
        Packet,
        Rearm,
        SensorSignals,
        Stop,
    )
    from tegotae.hybrid.machines.guarded import GuardedMachine, Machine
    from tegotae.hybrid.machines.relative_admittance import RelativeAdmittance
    from tegotae.hybrid.nodes.dynamics_node import DynamicsNode
    from tegotae.hybrid.nodes.table_node import TableNode
    from tegotae.hybrid.nodes.virtual_run import VirtualLoop, run_virtual
    from tegotae.hybrid.records.log import LogReader, LogWriter
    from tegotae.hybrid.records.report import report
    from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy
    from tegotae.hybrid.safety.safety import Safety
    from tegotae.hybrid.safety.sensing import Sensing
    from tegotae.hybrid.settings import Settings, read_settings

# A node that only drives a table loads no simulated machine.
__getattr__, __dir__ = loaded_on_first_use(__name__)
