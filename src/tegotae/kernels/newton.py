"""How far a step of Newton's method goes that looks for the least of a convex function.

Whoever steps eliminates in its own way: a rod by its recursion, a tree by its passes. A step that overshoots goes as
far as the function falls, which its slope along the step tells: it rises from the start on, and vanishes once.
"""

from functools import cache

from tegotae.compile import kernel_inside
from tegotae.kernels.roots import between

PARTS = 40  # tried at most
ENOUGH = 0.1  # of the slope at the start


@cache
def falling_part(slope_at):
    """`part_of(c, start, ahead)`, for `slope_at(c, part)`, the slope along the step at a part of it.

    What `slope_at` leaves behind is of the part that comes back, or of the whole step. c is handed on.
    """

    @kernel_inside
    def part_of(c, start, ahead):
        """The part of a step at which the function stops falling, nearly; 1 if it falls all the way.

        Its slopes are `start` and `ahead` at both ends; nan if it is not known how it starts.
        """
        if not (start < 0.0 and ahead > -ENOUGH * start):
            return 1.0
        part, low, at_low, high, at_high, side = 1.0, 0.0, start, 1.0, ahead, 0
        slope = ahead
        for _ in range(PARTS):
            part, low, at_low, high, at_high, side = between(part, slope, low, at_low, high, at_high, side)
            slope = slope_at(c, part)
            if abs(slope) <= -ENOUGH * start:
                break
        return part

    return part_of
