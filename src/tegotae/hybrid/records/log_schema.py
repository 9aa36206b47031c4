"""How rows lie in a log, written into it: name, type, place, unit and meaning of every field, for any reader."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tegotae.errors import FileError
from tegotae.hybrid.bus.rows import FIELDS

RECORDS = "tegotae-records"  # message encoding: packed little-endian records, one after another
DESCRIBED = "tegotae-records-json"  # schema encoding: the text that `described` gives

_LARGEST = 1 << 20  # bytes of a row
_CONFIGURATION = ("<f8", "m, rad, -", "configuration of the model")


def described(kind: str, dtype: np.dtype[Any]) -> bytes:
    """The JSON text that a log carries for rows of this type."""
    fields = []
    for name in dtype.names or ():
        part, place = dtype.fields[name][:2]  # type: ignore[index]
        base, shape = part.subdtype if part.subdtype is not None else (part, ())
        _, unit, meaning = FIELDS.get(name, _CONFIGURATION if name == "q" else ("", "", ""))
        fields.append(
            {
                "name": name,
                "type": base.str,
                "shape": list(shape),
                "offset": place,
                "unit": unit,
                "meaning": meaning,
            }
        )
    about = "A message is a block of records, one after another without gaps, little-endian; types as in NumPy."
    return json.dumps(
        {"kind": kind, "about": about, "record_size": dtype.itemsize, "fields": fields}, ensure_ascii=False, indent=1
    ).encode()


def dtype_of(text: bytes) -> np.dtype[Any]:
    """The type of a row, from the text in the log: a log of another version is read as it was written."""
    try:
        told = json.loads(text)
        fields = told["fields"]
        made = np.dtype(
            {
                "names": [each["name"] for each in fields],
                "formats": [(each["type"], tuple(each["shape"])) if each["shape"] else each["type"] for each in fields],
                "offsets": [each["offset"] for each in fields],
                "itemsize": told["record_size"],
            }
        )
        if not 0 < made.itemsize <= _LARGEST or not made.names:
            raise ValueError(f"a row of {made.itemsize} bytes")
        if strange := [name for name in made.names if made[name].base.kind not in "iuf"]:
            raise ValueError(f"{strange[0]!r} does not hold numbers")
        return made
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise FileError(
            f"LogReader: the description of the rows cannot be understood ({error}).\n  It was not written by tegotae."
        ) from error


JSON_SCHEMA = b'{"type": "object"}'
EVENT_SCHEMA = json.dumps(
    {
        "type": "object",
        "title": "something that happened",
        "properties": {
            "time": {"type": "integer", "description": "ns of the node's own monotonic clock"},
            "node": {"type": "string"},
            "level": {"type": "string", "enum": ["info", "warning", "trip"]},
            "text": {"type": "string"},
            "kind": {"type": "string", "description": "for programs that act on it; empty where none does"},
        },
        "required": ["time", "node", "level", "text"],
    }
).encode()


def plain(value: Any) -> Any:
    """Data that JSON can hold: it has no NaN, so a number that is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.floating):  # the longest of them are their own items
        return plain(float(value))
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
