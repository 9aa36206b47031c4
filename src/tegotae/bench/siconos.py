"""Siconos as a peer: it belongs to the system's Python, so a script of ours runs there and answers in JSON.

That Python runs isolated (-I): it sees neither our environment nor, beside the script, the modules of this package.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tegotae.bench.contest import PATIENCE
from tegotae.checks import Array
from tegotae.errors import TegotaeError

SCRIPT = Path(__file__).with_name("siconos_script.py")
INTERPRETERS = ("/usr/bin/python3", "/usr/local/bin/python3")
MISSING = "Siconos is not installed (Debian: python3-siconos)"
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4)  # [s], from coarse to fine


@dataclass(frozen=True)
class Peer:
    """A Python that can import Siconos."""

    interpreter: str

    @classmethod
    def found(cls, interpreters: tuple[str, ...] = INTERPRETERS) -> Peer | None:
        """The first that imports it, if any does."""
        for interpreter in interpreters:
            if not os.access(interpreter, os.X_OK):
                continue
            probe = [interpreter, "-I", "-c", "import siconos.kernel, siconos.numerics"]
            if subprocess.run(probe, capture_output=True, timeout=PATIENCE).returncode == 0:
                return cls(interpreter)
        return None

    def error(self, times: Array, exact: Array, *, step: float, seconds: float) -> float:
        """Largest distance from the exact heights of body 1 [m]."""
        found = self._ask("follow", step, seconds, 1)
        return float(np.max(np.abs(np.interp(times, found["times"], found["heights"]) - exact)))

    def seconds(self, *, step: float, seconds: float, runs: int) -> float:
        """The best time of a run [s], timed inside that process, without building the model."""
        return min(self._ask("time", step, seconds, runs)["seconds"])

    def _ask(self, what: str, step: float, seconds: float, runs: int) -> dict[str, list[float]]:
        command = [self.interpreter, "-I", str(SCRIPT), what, repr(step), repr(seconds), str(runs)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise TegotaeError(f"bench: Siconos failed:\n  {done.stderr.strip()[-500:]}\n  Leave it uninstalled.")
        # It talks on stdout by itself; ours is the last line.
        answer: dict[str, list[float]] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer
