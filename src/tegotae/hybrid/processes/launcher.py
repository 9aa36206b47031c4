"""All nodes of a session here, as separate processes: started, watched, and ended in an order that loses nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.requests import ask_rearm
from tegotae.hybrid.processes.joining import bus_of
from tegotae.hybrid.processes.listening import Listener
from tegotae.hybrid.processes.node_processes import GO, ORDER, Nodes
from tegotae.hybrid.processes.process_life import MEETING, ShutdownFlag
from tegotae.hybrid.settings import OwnDevice

OWN = "hybrid run"
NEEDED = ("dynamics", "table", "device")  # without these a run is over
_SOON = 10.0  # s after which a slow start is explained, and a viewer is not waited for any longer
_PATIENCE = 30.0  # s in which nothing is simulated, after which a run is given up
_ASKING = 0.5  # s between two attempts to re-arm
_LAST_ROWS = 0.4  # s, for what follows a node's death to be logged: the table's rest
_LOOK = 0.05  # s


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended."""

    simulated: float  # [s]
    whole: bool  # whether it came to its end
    words: tuple[str, ...]  # what went wrong


class SupervisedRun:
    """A run of all nodes, from their start to the end of the simulation, or to a patience [s] without progress.

    What happens is told in words, and what is heard of the nodes shown some ten times a second. A table that latched
    because a process was late is re-armed, unless told not to; only one that is simulated: it can hurt nobody. Each
    time is told and logged.
    """

    def __init__(
        self,
        nodes: Nodes,
        *,
        tell: Callable[[str], None] = lambda words: None,
        show: Callable[[Listener], None] = lambda listener: None,
        patience: float = _PATIENCE,
        rearm: bool = True,
    ) -> None:
        self._nodes, self._tell, self._show = nodes, tell, show
        self._patience = checks.positive(OWN, "patience", patience, "s", "30 s are usual.")
        self._rearm = rearm and not isinstance(nodes.settings.device, OwnDevice)
        self._asked = 0.0  # when a re-arm was asked for last [s]
        self._words: list[str] = []
        self._whole = False

    def until_end(self, ending: ShutdownFlag) -> RunOutcome:
        """Start, watch, end; all processes have ended afterwards."""
        nodes = self._nodes
        for node in nodes.names:
            nodes.start(node)
        bus, simulated = bus_of(nodes.settings, None), 0.0
        try:
            listener = Listener(bus)
            if self._gather(bus, ending):
                self._watch(bus, listener, ending)
                simulated = listener.simulated
                self._say([*listener.events(), *([] if self._whole or ending else listener.words())])
        finally:
            for node in ORDER:
                if words := nodes.end(node):
                    self._note(words)
            bus.close()
        return RunOutcome(simulated, self._whole, tuple(self._words))

    def _note(self, words: str) -> None:
        self._words.append(words)
        self._tell(words)

    def _say(self, words: list[str]) -> None:
        for each in words:
            self._tell(each)

    # ------------------------------------------------------------ before

    def _gather(self, bus: Bus, ending: ShutdownFlag) -> bool:
        """Until all are there; whether they are. Then the loops are let go."""
        began, explained = time.monotonic(), False
        while not ending:
            self._refuse_failed_start()
            here = bus.nodes()
            missing = [node for node in self._nodes.names if node not in here and node not in self._nodes.ended]
            waited = time.monotonic() - began
            if not missing or (missing == ["view"] and waited > _SOON):
                bus.declare(GO, {"pid": os.getpid()})
                if "view" in here:
                    self._tell(f"viewer: {here['view'].get('page')}")
                return True
            if waited > _SOON and not explained:
                explained = True
                self._tell(
                    f"still waiting for {', '.join(missing)}: kernels are compiled once, for half a minute or so"
                )
            if waited > MEETING:
                why = "; ".join(bus.meet(missing, 0.0))
                self._note(f"not started: {why} after {MEETING:g} s")
                return False
            time.sleep(_LOOK)
        return False

    def _refuse_failed_start(self) -> None:
        """A node that cannot start has said why; a run without viewer is still a run."""
        for node in self._nodes.died():
            words = self._nodes.final_message(node)
            if node != "view":
                raise InputError(words)
            self._tell(f"{words}\n  The run goes on without a viewer.")

    # ------------------------------------------------------------ while

    def _watch(self, bus: Bus, listener: Listener, ending: ShutdownFlag) -> None:
        moved, before = time.monotonic(), -1.0
        while not ending:
            self._say(listener.events())
            self._show(listener)
            if self._over(listener):
                return
            now = time.monotonic()
            if self._rearm and listener.held_up and now - self._asked > _ASKING:
                self._asked = now
                self._say(listener.events())
                self._tell("a process was late, and the table latched: asked to re-arm, since it is simulated")
                ask_rearm(bus, GO, "a process was late", timeout=_ASKING)  # not heard: asked again
            if listener.simulated != before:
                moved, before = now, listener.simulated
            elif now - moved > self._patience:
                self._note(f"given up at {before:.3f} s: nothing was simulated for {self._patience:g} s")
                return
            time.sleep(_LOOK)

    def _over(self, listener: Listener) -> bool:
        """Whether the run is over: the dynamics is done, or a node that the run needs has died."""
        nodes = self._nodes
        for node in nodes.died():
            if node == "dynamics" and nodes.process(node).returncode == 0:
                time.sleep(_LOOK)  # its last rows are on their way
                self._whole = True
                return True
            self._note(nodes.final_message(node))
            if node in NEEDED:
                time.sleep(_LAST_ROWS)
                return True
            self._tell(f"the run goes on without {node}")
        return False
