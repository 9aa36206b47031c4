"""Roots of one equation whose left side rises: inside a bracket that tightens, by Newton or without slopes."""

from tegotae.compile import kernel_inside

EPSILON = 2.220446049250313e-16


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
