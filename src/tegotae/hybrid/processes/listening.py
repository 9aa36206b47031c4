"""Follows a run from outside: simulated time, force, states and events."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tegotae.hybrid.bus.blocks import BlockReader, RowBlock
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import Judge, event_of, keep_status, object_of
from tegotae.hybrid.bus.reporting import DONE
from tegotae.hybrid.bus.rows import DYNAMICS
from tegotae.hybrid.events import FINISHED, LATE, REARM, REARMED, TROUBLES
from tegotae.hybrid.links.packets import NodeState

_DOING = {  # the first that holds is said
    NodeState.EMERGENCY: "emergency stop",
    NodeState.FAULT: "fault",
    NodeState.OVERLOAD: "overload",
    NodeState.LATCHED: "latched",
    NodeState.HELD: "waiting",
    NodeState.RAMPING: "ramping down",
    NodeState.COASTING: "coasting",
    NodeState.CONTACT: "in contact",
    NodeState.RUNNING: "running",
}


def doing(state: int) -> str:
    """What a node is doing, in words."""
    return next((words for flag, words in _DOING.items() if state & flag), "starting")


class Listener:
    """The newest of a session."""

    def __init__(self, bus: Bus) -> None:
        self.simulated, self.force, self.peak = 0.0, 0.0, 0.0  # s; N on the moving part along the normal, and so far
        self.states: dict[str, int] = {}
        self.finished = False
        self.trip = ""  # why the table is latched, in words; "" if it is not
        self._why = ""  # the kind of that; of several one that is not mere lateness
        self._said: deque[str] = deque()
        self._status: dict[str, dict[str, Any]] = {}
        self._rows, self._judge = BlockReader(DYNAMICS, self._row), Judge()
        bus.subscribe(f"{bus.session}/rows/dynamics", self._rows)
        self._judge.subscribe(bus, "events", self._event)
        self._judge.subscribe(bus, "status/**", self._state)

    def _row(self, block: RowBlock) -> None:
        last = block.rows[-1]
        self.simulated, self.force = float(last["simulated"]), abs(float(last["wrench"][2]))
        self.peak = max(self.peak, float(np.nan_to_num(abs(block.rows["wrench"][:, 2])).max()))
        self.states["dynamics"] = int(last["state"])

    def _event(self, topic: str, payload: bytes) -> None:
        told = event_of(object_of("event", payload))
        if told["node"] == "dynamics" and told["kind"] == FINISHED:
            self.finished = True  # that all come to rest afterwards is no news
        if told["node"] == "table":
            self._of_the_table(told["level"], told["text"], told["kind"])
        if told["level"] != "info" and not self.finished and DONE not in told["text"]:
            self._said.append(f"{told['node']}: {told['text']}")

    def _of_the_table(self, level: str, text: str, kind: str) -> None:
        if kind == REARMED or (kind == REARM and level == "info"):  # or it is not latched at all
            self.trip = self._why = ""
        elif level == "trip":
            self.trip, self._why = text, kind
        elif self.trip and self._why == LATE and level == "warning" and kind in TROUBLES:
            self._why = kind

    def _state(self, topic: str, payload: bytes) -> None:
        node = keep_status(self._status, topic, payload)
        if "state" in self._status[node] and node != "dynamics":
            self.states[node] = int(self._status[node]["state"])

    @property
    def held_up(self) -> bool:
        """Whether the table is latched for no other reason than that a process was late."""
        return self._why == LATE

    def events(self) -> list[str]:
        """What happened since the last call, in words; what is in order is not told."""
        return [self._said.popleft() for _ in range(len(self._said))]

    def words(self) -> list[str]:
        """What the nodes said of themselves last, and what of it all was not understood."""
        told = [f"{node}: {each}" for node, told in self._status.items() for each in told.get("words", ())]
        return told + self._rows.problems() + self._judge.problems()
