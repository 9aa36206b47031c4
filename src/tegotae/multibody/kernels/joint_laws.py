"""Which friction law a joint has, by number, so that one loop serves all."""

from tegotae.compile import kernel
from tegotae.friction.kernels.laws import (
    coulomb_resolve,
    stribeck_magnitude,
    stribeck_resolve,
    tabulated_magnitude,
    tabulated_resolve,
    viscous_magnitude,
    viscous_resolve,
)

COULOMB, VISCOUS, STRIBECK, TABULATED, CUSTOM = 0, 1, 2, 3, 4


@kernel
def at_rest(law, p, j):
    """r(0), the largest force of a joint that sticks."""
    if law == COULOMB:
        return p[j]
    if law == VISCOUS:
        return viscous_magnitude(p, j, 0.0)[0]
    if law == STRIBECK:
        return stribeck_magnitude(p, j, 0.0)[0]
    return tabulated_magnitude(p, j, 0.0)[0]


@kernel
def resolve(law, p, j, c, U):
    """s, r, dr with s + c r(s) = U."""
    if law == COULOMB:
        return coulomb_resolve(p, j, c, U)
    if law == VISCOUS:
        return viscous_resolve(p, j, c, U)
    if law == STRIBECK:
        return stribeck_resolve(p, j, c, U)
    return tabulated_resolve(p, j, c, U)


def with_customs(*halves):
    """(at_rest, resolve) that also know laws of the user's own, numbered from CUSTOM: magnitude and resolve of each."""
    rest_of, resolve_of = at_rest, resolve
    for place in range(len(halves) // 2):
        rest_of, resolve_of = _one_more(rest_of, resolve_of, CUSTOM + place, halves[2 * place], halves[2 * place + 1])
    return rest_of, resolve_of


def _one_more(rest_of, resolve_of, number, own_magnitude, own_resolve):
    @kernel
    def rest_or(law, p, j):
        if law == number:
            return own_magnitude(p, j, 0.0)[0]
        return rest_of(law, p, j)

    @kernel
    def resolve_or(law, p, j, c, U):
        if law == number:
            return own_resolve(p, j, c, U)
        return resolve_of(law, p, j, c, U)

    return rest_or, resolve_or
