"""What the writer of a log and its reader share: how rows lie in it, and the clock on which all times are told.

Name, type, place, unit and meaning of every field are written into it, for any reader. The table's times are told on
the dynamics node's clock, by the offsets that its rows tell.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.errors import FileError
from tegotae.hybrid.bus.rows import FIELDS, Rows

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
        told = {"name": name, "type": base.str, "shape": list(shape), "offset": place, "unit": unit, "meaning": meaning}
        fields.append(told)
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


Times = NDArray[np.int64]

BESIDE_THE_TABLE = ("table", "device")  # nodes on the computer of the table, whose clock they share
_SMOOTH = 255  # rows: what jitters in the offset between two clocks, whose drift is slow


def offsets_of(rows: Rows) -> Array:
    """The table's clock minus the dynamics' own [s] at each row; NaN where it was not known."""
    names = rows.dtype.names or ()
    return rows["offset"].astype(np.float64) if "offset" in names else np.full(rows.size, np.nan)


def translation(dynamics: Rows) -> Callable[[Times], Times]:
    """From the table's clock to the dynamics' own, both [ns]: piecewise linear, the same offset beyond."""
    ours, offsets = dynamics["time"], offsets_of(dynamics)
    known = np.isfinite(offsets)
    if not known.any():
        return lambda theirs: theirs
    ours = ours[known]
    smooth = np.round(1e9 * _median(offsets[known])).astype(np.int64)
    zero, base = int(ours[0]), int(smooth[0])
    shown = np.maximum.accumulate((ours - zero) + (smooth - base)).astype(np.float64)  # what the table's clock showed

    def to_ours(theirs: Times) -> Times:
        local = theirs - (zero + base)  # small numbers: exact as floats
        shift = np.interp(local.astype(np.float64), shown, (smooth - base).astype(np.float64))
        return local - np.round(shift).astype(np.int64) + zero

    return to_ours


def _median(values: Array) -> Array:
    """Of each value and its neighbours: an offset that a late packet spoils for a moment moves no time."""
    if np.ptp(values) == 0.0:
        return values
    from scipy.ndimage import median_filter

    return np.asarray(median_filter(values, size=min(_SMOOTH, values.size), mode="reflect"), dtype=np.float64)
