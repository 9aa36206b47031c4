"""Steering that is wrong on purpose: a factor, a sign, a missing term, a bristle that enters wrongly."""

from dataclasses import dataclass, fields, replace
from functools import cache

from tegotae.block import Kernels
from tegotae.compile import kernel
from tegotae.steering import ContactPatch, Parabolic, SteeringSystem
from tegotae.steering.kernels import patch
from tegotae.steering.kernels.patch import BRISTLES, DRIFT, FORCE, PHASE, SPEED

DEFAULTS = {f.name: f.default for f in fields(ContactPatch)}

# ------------------------------------------------------------ factors and other parts


def times(make=ContactPatch, **factors):
    """A patch some of whose numbers are not what they were said to be; 0 takes a term away."""

    def broken(**given):
        told = DEFAULTS | given
        return make(**given | {name: told[name] * factor for name, factor in factors.items()})

    return broken


def always(make=ContactPatch, **fixed):
    """A patch that is the same in something, whatever was asked for."""
    return lambda **given: make(**given | fixed)


def with_patch(preset, make):
    """A preset whose patch is made another way."""

    def broken(**given):
        system = preset(**given)
        asked = {f.name: getattr(system.patch, f.name) for f in fields(ContactPatch)}
        return replace(system, patch=make(**asked))

    return broken


def with_column(preset, **factors):
    """A preset some of whose column's numbers have a factor."""

    def broken(**given):
        system = preset(**given)
        column = system.column
        changed = {name: getattr(column, name) * factor for name, factor in factors.items()}
        return replace(system, column=replace(column, **changed))

    return broken


def with_vehicle(preset, vehicle):
    """A preset on another vehicle."""
    return lambda **given: replace(preset(**given), vehicle=vehicle)


def literal(make):
    return with_patch(SteeringSystem.paper, make)


def physical(make):
    return with_patch(SteeringSystem.physical, make)


# ------------------------------------------------------------ bristles that do something else as well


def spoiled(spoil):
    """A patch whose state `spoil(p, s, v, T, left)` changes after every tick; left: the rearmost stretch before it."""

    @cache
    def make(load):
        answer, right = patch.coulomb_patch_kernels(load)

        @kernel
        def advance(p, s, v, T):
            left = s[BRISTLES]
            right(p, s, v, T)
            spoil(p, s, v, T, left)

        return answer, advance

    return made_by(make)


def made_by(make):
    @dataclass(frozen=True, kw_only=True)
    class Broken(ContactPatch):
        @property
        def kernels(self):
            return Kernels(make, (self.pressure.kernel,))

    return Broken


@kernel
def _full_period(p, s, v, T, left):
    V, h = s[SPEED], 2.0 * p[2] / p[6]
    for j in range(int(p[6])):
        inside = (p[2] - ((j + s[PHASE]) * h - p[2])) / V if V > 0.0 else T
        s[BRISTLES + j] *= T / min(inside, T)


@kernel
def _kept(p, s, v, T, left):
    s[BRISTLES + int(p[6]) - 1] += left


@kernel
def _end_velocity(p, s, v, T, left):
    for j in range(int(p[6])):
        s[BRISTLES + j] -= 0.5 * T * T * s[SPEED] * (1.0 + p[4]) * v


@kernel
def _no_memory(p, s, v, T, left):
    s[BRISTLES : BRISTLES + int(p[6])] = 0.0


@cache
def full_period():
    """A bristle that entered during the tick goes on as if it had been stretched for all of it."""
    return spoiled(_full_period)


@cache
def kept():
    """A bristle that enters brings along the stretch of the one that left."""
    return spoiled(_kept)


@cache
def end_velocity():
    """Springs follow the velocity at the end of the tick, not in its middle."""
    return spoiled(_end_velocity)


@cache
def no_memory():
    """Bristles that are unstretched again after every tick."""
    return spoiled(_no_memory)


@cache
def _pushing_kernels(load):
    right, move = patch.coulomb_patch_kernels(load)

    @kernel
    def answer(p, s, v, T):
        f, slope = right(p, s, v, T)
        return -f, -slope

    @kernel
    def advance(p, s, v, T):
        move(p, s, v, T)
        s[FORCE] = -s[FORCE]

    return answer, advance


@cache
def pushing():
    """Friction that drives."""
    return made_by(_pushing_kernels)


@cache
def _mirrored_kernels(load):
    answer, right = patch.coulomb_patch_kernels(load)

    @kernel
    def advance(p, s, v, T):
        s[DRIFT] = -s[DRIFT]
        right(p, s, v, T)
        s[DRIFT] = -s[DRIFT]

    return answer, advance


@cache
def wrong_slip():
    """The sign of V alpha."""
    return made_by(_mirrored_kernels)


# ------------------------------------------------------------ pressure


@kernel
def unclipped_load(p, offset, xi, a):
    return p[offset] * (a * a - xi * xi)


class Unclipped(Parabolic):
    """(5) as printed: negative outside the patch."""

    @property
    def kernel(self):
        return unclipped_load
