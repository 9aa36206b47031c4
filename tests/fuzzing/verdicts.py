"""Attacks in processes of their own, and their verdicts."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from public import owed

ATTACK = Path(__file__).with_name("attack.py")
# A sound result, a documented warning, an error of ours with a way out.
ALLOWED = {"fine", "warned", "said"}
# Pairs of bad values are drawn: new ones in `make thorough`, and the failure tells which.
SEED = random.randrange(10**6) if os.environ.get("TEGOTAE_EXAMPLES") == "new" else 0
LONG = 3600.0  # s; ends what nothing else ended


def verdicts(packages: list[str], *, every: int = 1, seed: int = 0) -> list[dict[str, Any]]:
    """What came of hostile calls of these packages, one entry a call."""
    command = [sys.executable, str(ATTACK), *packages, "--every", str(every), "--seed", str(seed)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    return [json.loads(line) for line in run.stdout.splitlines()]


def complaints(told: list[dict[str, Any]]) -> str:
    """All that is not allowed, one line a place, with a call that shows it."""
    bad = [one for one in told if one["verdict"] not in ALLOWED]
    spots = {_spot(one): one for one in reversed(bad)}
    count = Counter(map(_spot, bad))
    return "\n".join(
        f"{count[spot]:4} x {one['verdict']}: {one['call']}({one['changed']}) {one['details']}"
        for spot, one in sorted(spots.items())
    )


def _spot(one: dict[str, Any]) -> tuple[str, str]:
    where = (
        one["details"].partition(" ")[0] if one["verdict"] == "raw" else f"{one['call']}.{one['changed']}".split("=")[0]
    )
    return one["verdict"], where


def hold_up(packages: list[str], *, every: int, seed: int = 0) -> None:
    """Fails with every complaint."""
    told = verdicts(packages, every=every, seed=seed)
    missed = set().union(*map(owed, packages)) - {one["call"] for one in told}
    assert not missed, f"no example calls {sorted(missed)}: add one to its docstring, or to wellformed.py"
    found = complaints(told)
    assert not found, f"of {len(told)} hostile calls (seed {seed}):\n{found}"
