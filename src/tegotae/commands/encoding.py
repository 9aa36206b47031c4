"""Words for terminals and files that cannot hold every letter: stand-ins instead of a traceback."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Mapping
from functools import partial

_STAND_INS = {
    "·": "*", "²": "^2", "³": "^3", "µ": "u", "μ": "u", "°": "deg", "±": "+-", "−": "-", "–": "-", "—": "-", "…": "...",
    "→": "->", "←": "<-", "≥": ">=", "≤": "<=", "≈": "~", "×": "x", "‖": "||", "π": "pi", "Δ": "d", "●": "*", "─": "-",
    "“": '"', "”": '"', "’": "'", "‘": "'",
}  # fmt: skip
_PLAIN, _ESCAPED = "tegotae-plain", "tegotae-escaped"


def _escaped(letter: str) -> str:
    """As TOML and JSON read it back."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _replaced(error: UnicodeError, stand_ins: Mapping[str, str]) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    return "".join(stand_ins.get(letter) or _escaped(letter) for letter in letters), error.end


codecs.register_error(_PLAIN, partial(_replaced, stand_ins=_STAND_INS))
codecs.register_error(_ESCAPED, partial(_replaced, stand_ins={}))


def write_anything() -> None:
    """From now on what stdout and stderr cannot write is replaced: `->` for an arrow, else its number."""
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", "") == "strict" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_PLAIN)


def writable(text: str) -> str:
    """TOML or JSON as stdout can write it: read back it is the same."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _ESCAPED).decode(encoding)
