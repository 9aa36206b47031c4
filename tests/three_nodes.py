"""Dynamics, table and device on one virtual timeline, with the device as in a process of its own."""

from tegotae.hybrid import MemoryLink
from tegotae.hybrid.devices.remote_device import DeviceNode, RemoteDevice
from tegotae.hybrid.nodes.assembly import limits_of
from tegotae.hybrid.nodes.virtual_run import VirtualLoop


class ThreeNodes(VirtualLoop):
    """All three nodes in lockstep, with the device as in a process of its own."""

    def __init__(self, settings):
        super().__init__(settings)
        clock, self._ticks = self.table.clock, 0
        here, there = MemoryLink.pair(clock)
        self.device = DeviceNode(twin=self.twin, link=there, clock=clock, limits=limits_of(settings))
        self.table.device = RemoteDevice(link=here, period=settings.period)

    def _tick(self, node, tick):
        if node != "device":
            super()._tick(node, tick)
            return
        self._ticks += 1
        if node not in self.silent:
            self.device.step(self._ticks)
