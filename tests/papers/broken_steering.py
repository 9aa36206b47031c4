"""Steering that is wrong on purpose: a factor, a sign, a missing term, a bristle that enters wrongly."""

from dataclasses import dataclass, fields, replace
from functools import cache

from tegotae.block import Halves, Kernels
from tegotae.compile import kernel
from tegotae.steering import ContactPatch, Parabolic, SteeringSystem
from tegotae.steering.kernels import patch

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
        answer, right, prepare = patch.patch_kernels(load)[:3]

        @kernel
        def advance(p, s, w, v, T):
            left = s.e[0]
            right(p, s, w, v, T)
            spoil(p, s, v, T, left)

        return Halves(answer, advance, prepare)

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
    V, h = s.V[0], 2.0 * p.a / s.e.shape[0]
    for j in range(s.e.shape[0]):
        inside = (p.a - ((j + s.phase[0]) * h - p.a)) / V if V > 0.0 else T
        s.e[j] *= T / min(inside, T)


@kernel
def _kept(p, s, v, T, left):
    s.e[s.e.shape[0] - 1] += left


@kernel
def _end_velocity(p, s, v, T, left):
    for j in range(s.e.shape[0]):
        s.e[j] -= 0.5 * T * T * s.V[0] * (1.0 + p.share) * v


@kernel
def _no_memory(p, s, v, T, left):
    s.e[:] = 0.0


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
    right, move, prepare = patch.patch_kernels(load)[:3]

    @kernel
    def answer(p, s, w, v, T):
        f, slope = right(p, s, w, v, T)
        return -f, -slope

    @kernel
    def advance(p, s, w, v, T):
        move(p, s, w, v, T)
        s.force[0] = -s.force[0]

    return Halves(answer, advance, prepare)


@cache
def pushing():
    """Friction that drives."""
    return made_by(_pushing_kernels)


@cache
def _mirrored_kernels(load):
    answer, advance = patch.patch_kernels(load)[:2]
    fill = patch.fill_kernel(load)

    @kernel
    def prepare(p, s, w, T):
        fill(p, s, w, s.V[0], -s.q[0], (s.q0[0] - s.q[0]) / T, s.r[0], T)

    return Halves(answer, advance, prepare)


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
