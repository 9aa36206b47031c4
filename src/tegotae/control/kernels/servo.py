"""A servo on a line as an impedance, whose step gives the new state, the force last, and the slope of that."""

from functools import cache

from tegotae.compile import kernel


@cache
def servo_kernels(step):
    """For a step(p, s, v, T) -> the four numbers of its state, df/dv."""

    @kernel
    def answer(p, s, w, v, T):
        """Force and slope for a trial velocity; changes nothing."""
        _, _, _, f, slope = step(p, s, v, T)
        return f, slope

    @kernel
    def advance(p, s, w, v, T):
        """The state after the velocity that really happened."""
        return step(p, s, v, T)[:4]

    return answer, advance
