"""What is public, by package, and the well-formed calls of it."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from harvest import Call, calls_in, examples_of, simple_methods
from wellformed import EXAMPLES

import tegotae

ROOT = Path(tegotae.__file__).parent
PACKAGES = (
    "tegotae", "tegotae.friction", "tegotae.inclusion", "tegotae.steering", "tegotae.rod", "tegotae.multibody",
    "tegotae.table", "tegotae.hybrid", "tegotae.papers.two_robots", "tegotae.device", "tegotae.control",
    "tegotae.fitting",
)  # fmt: skip
# The front of the house, and what runs it.
_INNER = {"bench", "papers", "figures", "commands", "scenarios", "compile", "kernels", "view"}
_ALONE = {"cli", "__main__", "shipped_machines", "checks", "errors", "extras"}
# What makes loops of layouts; those of a user's own are looked at where a block is first run (`contract.py`).
_BELOW = {"tegotae.layout", "tegotae.running.loop", "tegotae.running.source", "tegotae.coupling.group"}


# Taken as they are: `drive` says so; nodes call `step` at every tick, with what links and devices have checked, and
# count in `LinkStatistics`. A bus of zenoh opens sessions; its arguments are checked by what `MemoryBus` is checked by.
TRUSTING = (
    "tegotae.table.live.LiveTable.drive",
    "tegotae.hybrid.safety.safety.Safety.step",
    "tegotae.hybrid.safety.sensing.Sensing.step",
    "tegotae.hybrid.bus.statistics.LinkStatistics",
    "tegotae.hybrid.bus.zenoh_bus.ZenohBus",
)


def modules_of(package: str) -> list[str]:
    """Modules whose examples show a package; of tegotae itself, those of no package and what runs blocks."""
    folder = ROOT.joinpath(*package.split(".")[1:])
    own = [path for below in (".", "running", "coupling") for path in folder.joinpath(below).glob("*.py")]
    found = []
    for path in sorted(own if package == "tegotae" else folder.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        if not _INNER & set(path.relative_to(folder).parts) and parts[-1] not in _ALONE:
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return [module for module in found if module not in _BELOW]


def names_of(package: str) -> dict[str, Any]:
    """Qualified name -> class or function, for all that a package and those inside it call public."""
    found = {}
    for module in modules_of(package):
        loaded = importlib.import_module(module)
        for name in getattr(loaded, "__all__", ()):
            thing = getattr(loaded, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return found


def public_calls(packages: list[str]) -> list[Call]:
    """Well-formed calls of what is public in these packages, each once."""
    found: dict[str, Call] = {}
    for package in packages:
        known = names_of(package)
        examples = [(module, *example) for module in modules_of(package) for example in examples_of(module)]
        examples.append((package, f"{package} beside", EXAMPLES.get(package, "")))
        for module, name, source in examples:
            for call in calls_in(module, name, source):
                # What is written for this stands before examples that say as much.
                before = _told(found.get(call.name)) - (source is EXAMPLES.get(package))
                if _is_public(call, known) and _told(call) > before:
                    found[call.name] = call
    for call in list(simple_methods(list(found.values()))):
        found.setdefault(call.name, call)
    return [found[name] for name in sorted(found) if not name.startswith(TRUSTING)]


def _told(call: Call | None) -> int:
    """How much of a call is said: of several examples, the one that says most is taken."""
    return -1 if call is None else sum(value is not None for value in call.arguments.values())


def _is_public(call: Call, known: dict[str, Any]) -> bool:
    """Named in an `__all__`, or a method of an object that public calls gave."""
    if call.name in known or call.name.rpartition(".")[0] in known:
        return True
    # Nodes have many objects inside that no user holds; elsewhere what a public call gives is public too.
    return call.owner is not None and not inspect.isclass(call.owner) and not call.name.startswith("tegotae.hybrid")


# What runs, starts and sensors give; links and nodes, which are made with sockets; and settings, read from files.
GIVEN = {
    "Comparison", "Deadlines", "DeviceReading", "DynamicsNode", "Fit", "LiveScene", "LiveServo",
    "LiveTable", "Margins", "MemoryLink", "Nearest", "NodeLink", "NodeState", "Passivity", "Reading", "Settings",
    "State", "Steady", "TableImpedance", "TableNode", "UdpLink", "Workspace",
}  # fmt: skip


def owed(package: str) -> set[str]:
    """What hostile hands must have called: every class that a user makes, and every function, if it takes arguments."""
    own = modules_of(package)
    found = {name for name, thing in names_of(package).items() if thing.__module__ in own and _takes_arguments(thing)}
    return {name for name in found if name.rpartition(".")[2] not in GIVEN and not name.startswith(TRUSTING)}


def _takes_arguments(thing: Any) -> bool:
    if inspect.isclass(thing) and (inspect.isabstract(thing) or issubclass(thing, Exception)):
        return False
    if getattr(thing, "_is_protocol", False):
        return False
    try:
        return bool(inspect.signature(thing).parameters)
    except ValueError:
        return False
