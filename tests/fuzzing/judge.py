"""What a call with a bad value may end in: a sound result, a documented warning, an error of ours with a way out."""

from __future__ import annotations

import dataclasses
import re
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from harvest import Call
from values import NEVER, Theirs

import tegotae
from tegotae.errors import TegotaeError

ROOT = str(Path(tegotae.__file__).parent)
_NUMBER = re.compile(r"\b(float|int|ArrayLike|Array|NDArray|Numbers)\b")
_UNKNOWN = re.compile(r"\b(Any|object|Callable|Mapping|dict|Iterable)\b")
# A point of SymPy, a path, an own type: what else than a number may stand there is judged by its owner.
_WORD = re.compile(r"\b(str|Path|PathLike|bytes)\b")


def belongs(annotation: str) -> str:
    """What belongs in an argument: "number", "flag", "text" or "" for what only its owner can judge."""
    if _UNKNOWN.search(annotation) or not annotation:
        return ""
    if annotation in ("bool", "bool | None"):
        return "flag"
    if annotation in ("str", "str | None"):
        return "text"
    if _NUMBER.search(annotation) and not _WORD.search(annotation) and "bool" not in annotation:
        return "number"
    return ""


def wrongly_accepted(kind: str, annotation: str, word: str, value: Any) -> bool:
    """Whether a value of this kind must never be taken there."""
    if value is None:
        return bool(kind) and "None" not in annotation
    if kind == "number":
        return word in NEVER
    if kind == "flag":
        return not isinstance(value, bool | np.bool_)
    if kind == "text":
        return not isinstance(value, str)
    return False


def raw(error: BaseException) -> str | None:
    """Where an error that is not ours left the package; None for those that may pass."""
    if isinstance(error, Theirs):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(ROOT) or f.filename.startswith("<tegotae")]
    if isinstance(error, TegotaeError):
        return None if "\n" in str(error) else f"{place(own)} says no way out: {error}"
    if isinstance(error, KeyError) and "it recorded" in str(error):
        return None  # the protocol of a Mapping, in our words
    if isinstance(error, TypeError) and not own and re.search(r"argument|keyword", str(error)):
        return None  # Python's own: too many arguments, or a keyword that nobody knows
    return f"{place(own)} {type(error).__name__}: {str(error)[:120]}"


def place(own: list[traceback.FrameSummary]) -> str:
    """The last line of ours."""
    if not own:
        return "outside"
    return f"{own[-1].filename.removeprefix(ROOT + '/')}:{own[-1].lineno}"


# A state may say that its mover was seen nowhere yet; elsewhere nan is refused where the state is assigned.
NAN_TOO = {"tegotae.state.State.__setitem__"}
_NAN = {"nan", "nan alone", "nan in single"}


def may_be_nan(call: Call, word: str) -> bool:
    """Whether such a value is one that may stand there."""
    return call.name in NAN_TOO and word in _NAN


# What stands for an argument in a message, where the machine has a better word for it.
_KNOWN_AS = {
    "signal": ("force", "velocity"),
    "variations": ("stiffness", "batch"),
    "path": ("Cannot", "suffix", "XML"),
    "frequency": ("wave",),
    "function": ("law",),
    "limits": ("limit",),
    "wrenches": ("body",),
    "varied": ("elasticity",),
    "velocity": ("motion", "force"),
    "slip_angle": ("lateral_force",),
    "rows": ("row", "symbol"),
    "parameters": ("symbol", "mass matrix"),
    "atol": ("motion",),
    "span": ("stopped",),
    "inputs": ("row", "diverged", "symbol"),
    "initial": ("starts", "state"),
    "value": ("state", "deflection"),
    "name": ("field",),
    "log": ("path", "Cannot"),
    "steer": ("slip_angle",),
    "force": ("hand_torque",),
    "lateral_force": ("peak",),
    "q": ("diverged",),
    "v": ("diverged", "speed"),
    "torque": ("diverged", "trail"),
    "targets": ("diverged",),
    "there": ("faults",),
    "back": ("faults",),
    "start": ("rotation",),
    "first": ("closed",),
    "about": ("Cannot",),
    "interval": ("Cannot",),
    "changes": ("--set",),
    "positions": ("ticks", "command"),
    "rotations": ("ticks",),
    "twist": ("ticks", "pushed"),
    "wrench": ("pushed",),
    "position": ("along",),
    "event": ("log",),
    "kp": ("servo",),
    "times": ("angle",),
    "period": ("band",),
    "pose": ("_position",),
    "guess": ("position", "rotation"),
    "friction": ("CustomLaw",),
}  # fmt: skip


def names(error: TegotaeError, argument: str) -> bool:
    """Whether the message names the argument."""
    said = str(error).replace("_", " ")
    if "at home" in said:  # of a table: its lengths and its servo only mean something together
        return True
    return any(word.replace("_", " ") in said for word in (argument, *_KNOWN_AS.get(argument, ())))


# Documented to be infinite where nothing limits it, and not a number where there is no such thing.
ENDLESS = {"largest_period", "stuck", "seen", "gap", "cutoff", "limit"}


def not_finite(thing: Any, depth: int = 3) -> str:
    """Where something that came back is not finite; empty if all is."""
    if isinstance(thing, bool | str | bytes | type(None)):
        return ""
    if isinstance(thing, float | np.floating):
        return "" if np.isfinite(thing) else str(thing)
    if isinstance(thing, np.ndarray):
        if thing.dtype.kind != "f" or thing.size > 10**7:
            return ""
        return "" if np.isfinite(thing).all() else f"array with {thing.ravel()[~np.isfinite(thing.ravel())][0]}"
    if depth == 0:
        return ""
    inside: list[tuple[Any, Any]] = []
    if isinstance(thing, tegotae.Result):
        inside = [(name, thing[name]) for name in thing.variables]
    elif isinstance(thing, Mapping):
        inside = list(thing.items())
    elif isinstance(thing, list | tuple):
        inside = list(enumerate(thing[:50]))
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        inside = [(f.name, getattr(thing, f.name, None)) for f in dataclasses.fields(thing)]
    for name, value in inside:
        if name in ENDLESS:
            continue
        told = not_finite(value, depth - 1)
        if told:
            return f"{name}: {told}"
    return ""


def kinds(call: Call) -> dict[str, str]:
    """Argument -> what belongs there."""
    return {name: belongs(annotation) for name, annotation in call.annotations.items()}
