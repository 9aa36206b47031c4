"""What a node says beside its fast link: rows by the block, configurations, events, its status twice a second."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tegotae.checks import Array
from tegotae.hybrid.bus.blocks import BlockWriter
from tegotae.hybrid.bus.bus import Bus

if TYPE_CHECKING:
    import numpy as np

FINISHED = "finished"  # how the last event of a dynamics node begins that came to its end
DONE = "the simulation has finished"  # why it then stops the table
_STATUS = 500_000_000  # ns between two


class Reporter:
    """Publishes for one node.

    Args:
        bus: to publish on.
        node: its name.
        dtype: of its rows.
        birth: see `BlockWriter`; 0 for runs that must be the same bit for bit.

    Example:
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> from tegotae.hybrid.bus.rows import TABLE
        >>> bus, heard = MemoryBus("demo"), []
        >>> bus.subscribe("demo/events", lambda topic, payload: heard.append(payload))
        >>> Reporter(bus, "table", TABLE).event(5, "info", "here")
        >>> heard
        [b'{"time": 5, "node": "table", "level": "info", "text": "here"}']
    """

    def __init__(self, bus: Bus, node: str, dtype: np.dtype[Any], *, birth: int | None = None) -> None:
        self._bus, self._node = bus, node
        self._writer = BlockWriter(bus, f"{bus.session}/rows/{node}", dtype, node=node, birth=birth)
        self._next = 0
        self.row = self._writer.put

    def configuration(self, simulated: float, q: Array) -> None:
        """Where everything is, for viewers.

        Args:
            simulated: when [s].
            q: of the model.
        """
        import numpy as np

        numbers = np.concatenate([[simulated], q]).astype("<f8")
        self._bus.publish(f"{self._bus.session}/configuration", numbers.tobytes())

    def event(self, time: int, level: str, text: str) -> None:
        """Something that happened.

        Args:
            time: by the node's clock [ns].
            level: "info", "warning" or "trip".
            text: in words.
        """
        told = {"time": time, "node": self._node, "level": level, "text": text}
        self._bus.publish(f"{self._bus.session}/events", json.dumps(told).encode())

    def due(self, time: int) -> bool:
        """Whether it is time for a status.

        Args:
            time: by the node's clock [ns].
        """
        return time >= self._next

    def status(self, time: int, told: Mapping[str, Any]) -> None:
        """How the node is.

        Args:
            time: by the node's clock [ns].
            told: plain values.
        """
        self._next = time + _STATUS
        said = json.dumps({"time": time, "node": self._node, **told})
        self._bus.publish(f"{self._bus.session}/status/{self._node}", said.encode())

    def finish(self, time: int, told: Mapping[str, Any]) -> None:
        """The last rows and the last status.

        Args:
            time: by the node's clock [ns].
            told: plain values.
        """
        self._writer.flush()
        self.status(time, told)
