"""Roots: of one equation whose left side rises, inside a bracket; and how far Newton's step for many equations goes.

One is solved in a bracket that tightens, by Newton or without slopes. Of many, whoever steps eliminates in its own way:
a rod by its recursion, a tree by its passes, a network by its matrix. Where the step looks for the least of a convex
function, one that overshoots goes as far as the function falls, which its slope along the step tells: it rises from the
start on, and vanishes once. Where it solves equations that are not known to be the slopes of one, it is halved until
less is left of them.
"""

from functools import cache

from tegotae.compile import kernel_inside

EPSILON = 2.220446049250313e-16
PARTS = 60  # tried at most
ENOUGH = 0.1  # of the slope at the start


@kernel_inside
def nearer(x, gap, step, low, high):
    """From x, where the left side is `gap` and Newton would go to x - step -> the next x, the bracket, whether to stop.

    A step out of the bracket becomes a bisection; stop where no number lies between. Whether `gap` is rounding has to
    be tested before, or rounding would throw x across the bracket.
    """
    if gap > 0.0:
        high = x
    else:
        low = x
    trial = x - step
    if not low < trial < high:
        trial = 0.5 * (low + high)
    return trial, low, high, trial in (x, low, high)


@kernel_inside
def between(x, gap, low, at_low, high, at_high, side):
    """From x inside a bracket, where the left side is `gap` -> the next x, both ends with what is left there, the side.

    False position; an end that stays twice counts half (Illinois). The side is 0 at first, then that which moved last.
    """
    if gap > 0.0:
        high, at_high = x, gap
        at_low *= 0.5 if side == 1 else 1.0
        side = 1
    else:
        low, at_low = x, gap
        at_high *= 0.5 if side == -1 else 1.0
        side = -1
    return (low * at_high - high * at_low) / (at_high - at_low), low, at_low, high, at_high, side


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
        slope, width = ahead, 2.0
        for _ in range(PARTS):
            part, low, at_low, high, at_high, side = between(part, slope, low, at_low, high, at_high, side)
            if high - low > 0.5 * width:  # false position creeps towards a steep kink
                part = 0.5 * (low + high)
            width = high - low
            slope = slope_at(c, part)
            if abs(slope) <= -ENOUGH * start:
                break
        return part

    return part_of


@kernel_inside
def lessens(left, part, before):
    """Whether a part of a step lessens what is left of the equations.

    Strictly: of a tiny part the factor rounds to 1, and standing still would be called better for ever.
    """
    return left < (1.0 - 1e-9 * part) * before


def lessening_part(left_at):
    """`part_of(c, before, found, tries)`, for `left_at(c, part)`: what is left of the equations at a part of the step,
    and what else was found there. c is handed on; so is `found`, which is of the start, in case nothing is tried.
    """

    @kernel_inside
    def part_of(c, before, found, tries):
        """The part of a step by which less is left than at its start, 0 for none; and what the last try found."""
        part, left = 2.0, before
        for _ in range(tries):
            part *= 0.5
            left, found = left_at(c, part)
            if lessens(left, part, before):
                return part, left, found
        return 0.0, left, found

    return part_of
