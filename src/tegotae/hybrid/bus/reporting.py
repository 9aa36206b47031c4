"""What a node says beside its fast link: rows by the block, configurations, events, its status twice a second."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.bus.blocks import BlockWriter
from tegotae.hybrid.bus.bus import Bus

if TYPE_CHECKING:
    from tegotae.hybrid.clocks.clock import NodeClock
    from tegotae.hybrid.links.link import NodeLink
    from tegotae.hybrid.links.packets import NodeState

DONE = "the simulation has finished"  # why a dynamics node stops the table at its end
_STATUS = 500_000_000  # ns between two


def standing(clock: NodeClock, link: NodeLink, state: NodeState) -> dict[str, Any]:
    """What every node tells of itself: deadlines, link, state, and what is wrong in words."""
    return {
        "deadlines": clock.deadlines.summary(),
        "link": link.statistics.summary(),
        "state": int(state),
        "words": [*clock.deadlines.troubles(), *link.statistics.troubles()],
    }


class Reporter:
    """Publishes for one node; its birth, see `BlockWriter`, is 0 for runs that must be the same bit for bit."""

    def __init__(self, bus: Bus, node: str, dtype: np.dtype[Any], *, birth: int | None = None) -> None:
        self._bus, self._node = bus, node
        self._writer = BlockWriter(bus, f"{bus.session}/rows/{node}", dtype, node=node, birth=birth)
        self._next = 0
        self.row = self._writer.put

    def configuration(self, simulated: float, q: Array) -> None:
        """Publish the model's configuration q at a simulated time [s], for viewers."""
        numbers = np.concatenate([[simulated], q]).astype("<f8")
        self._bus.publish(f"{self._bus.session}/configuration", numbers.tobytes())

    def event(self, time: int, level: str, text: str, kind: str = "") -> None:
        """Something that happened, at a time of the node's clock [ns]; level, words and kind as in `NodeEvent`."""
        told = {"time": time, "node": self._node, "level": level, "text": text, "kind": kind}
        self._bus.publish(f"{self._bus.session}/events", json.dumps(told).encode())

    def due(self, time: int) -> bool:
        """Whether it is time for a status."""
        return time >= self._next

    def status(self, time: int, told: Mapping[str, Any]) -> None:
        """Publish what the node says of itself."""
        self._next = time + _STATUS
        told = {"time": time, "node": self._node, **told}
        if others := self._bus.versions():
            told["words"] = [*told.get("words", ()), *others]
        said = json.dumps(told)
        self._bus.publish(f"{self._bus.session}/status/{self._node}", said.encode())

    def finish(self, time: int, told: Mapping[str, Any]) -> None:
        """The last rows and the last status, which says that it ended as it should."""
        self._writer.flush()
        self.status(time, {**told, "ended": True})
