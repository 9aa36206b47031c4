"""What happens, as nodes tell it: a level, words for people, and a kind for programs that act on it."""

from __future__ import annotations

from typing import NamedTuple

LATE = "late"  # a table came to rest because somebody was late, and for no other reason
REARMED = "re-armed"  # a table left its latch
REARM = "re-arm"  # it was asked to; at level "warning" it did not, and the words say why
STOP = "stop"  # it was told to stop
FINISHED = "finished"  # a dynamics node came to its end; so its last words begin, too
TROUBLES = frozenset(  # what brings a table to rest, or is told of one that rests; all but LATE need a person's look
    {
        LATE, STOP, "emergency", "fault", "age", "command", "reading", "jump", "speed", "outside", "sensor", "overload",
        "wall",
    }
)  # fmt: skip


class NodeEvent(NamedTuple):
    """Something that happened."""

    level: str  # "info", "warning" or "trip"
    text: str  # in words
    kind: str = ""  # of it, in a word; "" where no program acts on it
