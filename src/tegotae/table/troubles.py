"""What a tick of the table cannot do, and how that is told."""

from __future__ import annotations

from typing import NoReturn

from tegotae.errors import TegotaeError
from tegotae.table.kernels.plant import BAD_COMMAND, NO_POSE, NO_ROTATION, OUT_OF_REACH, PAST_RANGE

# By the kernel's number.
WHY = {
    OUT_OF_REACH: "the plate was pushed out of the workspace",
    PAST_RANGE: "an arm was pushed past its range",
    NO_POSE: "no pose of the plate fits the encoders",
    BAD_COMMAND: "the commanded pose is out of reach",
    NO_ROTATION: "the commanded rotation is no rotation",
}
COMMANDED = (BAD_COMMAND, NO_ROTATION)  # by whoever commands, who may repair it


def refuse_to_go_on(why: int, time: float) -> NoReturn:
    """Say why a tick could not be taken.

    Args:
        why: a number of `WHY`.
        time: when it began [s].
    """
    remedy = "Push less, hold stiffer, or stay farther from the workspace's edge."
    if why in COMMANDED:
        remedy = "Command a pose that `Hexa.inverse` takes."
    raise TegotaeError(f"HexaPlant: {WHY[why]} at {time:.6g} s.\n  {remedy}")
