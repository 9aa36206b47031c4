"""Rods that are wrong on purpose: a factor, a missing term, a force nobody ordered, an integral cut short."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from breaks import labour

from tegotae.rod import GroundedRod, PlanarRod
from tegotae.rod.planar import Evaluation
from tegotae.rod.saddle import SaddleRod

# ------------------------------------------------------------ rods that are not what they were said to be


def times(**factors):
    """A factor on some of its numbers."""

    def make(**given):
        return PlanarRod(**given | {name: given[name] * factor for name, factor in factors.items() if name in given})

    return make


def softer_with_fewer_nodes(**given):
    """An error of first order in the segment."""
    return PlanarRod(**given | {"elasticity": given["elasticity"] * (1.0 + 3.0 / given["nodes"])})


def first_order(*, method, **given):
    """By Euler's rule, whatever is asked for."""
    return GroundedRod(**given, method="euler")


def grounded_heavier(*, rod, **given):
    """Stepped with a density that its rod does not have."""
    return GroundedRod(rod=rod.varied({"density": 1.001 * np.asarray(rod.density)}), **given)


def with_gravity(**given):
    return PlanarRod(**given | {"gravity": (0.0, -1e-3)})


# ------------------------------------------------------------ rods that feel something else


class Edited(PlanarRod):
    """What the kernels read is not what the rod says."""

    def edit(self, rod, phase):
        return {}

    def numbers(self, phase):
        rod = SimpleNamespace(**super().numbers(phase))
        return vars(rod) | self.edit(rod, phase)


class Heavier(Edited):
    def edit(self, rod, phase):
        return {"rho": 1.001 * rod.rho}


class Stiffer(Edited):
    def edit(self, rod, phase):
        return {"K": 1.01 * rod.K}


class WithoutPayload(Edited):
    def edit(self, rod, phase):
        return {"tip": 0.0 * rod.tip}


class WeakerTorque(Edited):
    def edit(self, rod, phase):
        return {"loads": 0.999 * rod.loads}


class PushedTip(Edited):
    """A force on the tip that is in nobody's books."""

    def edit(self, rod, phase):
        loads = rod.loads.copy()
        loads[:, -1, 0] += 1e-3
        return {"loads": loads}


class NeverReleased(Edited):
    def edit(self, rod, phase):
        return {"held": np.array([True, True, False])}


class Clamped(Edited):
    def edit(self, rod, phase):
        return {"held": np.array([True, True, True])} if phase.base == "pinned" else {}


class UnevenBending(Edited):
    """Each half of the rod bends differently: no beam with one stiffness."""

    def edit(self, rod, phase):
        K = rod.K.copy()
        K[: K.size // 2] *= 0.9
        return {"K": K}


# ------------------------------------------------------------ rods that are moved badly


class Loose(PlanarRod):
    """Whatever tolerance is asked for, it takes a loose one."""

    def run(self, phases, *, rtol=1e-6, atol=1e-6, **options):
        return super().run(phases, rtol=max(rtol, 1e-3), atol=max(atol, 1e-3), **options)


class NeverPinned(PlanarRod):
    def run(self, phases, **options):
        return super().run([replace(phase, base="free") for phase in phases], **options)


class Slow(PlanarRod):
    def run(self, phases, **options):
        labour(0.15)
        return super().run(phases, **options)


class Torn(PlanarRod):
    """Its segments do not quite meet."""

    def run(self, phases, **options):
        run = super().run(phases, **options)
        run.closure[:] += 1e-9
        return run


# ------------------------------------------------------------ the dense system


class Altered(SaddleRod):
    """The closed forms, with one of them altered."""

    name, factor = "Q", 1.0 + 1e-12

    def integrals(self, angle, rate):
        parts = super().integrals(angle, rate)
        return parts._replace(**{self.name: self.factor * getattr(parts, self.name)}) if self.points is None else parts


class AlteredPlaces(Altered):
    name = "Gbar"


class FewPoints(SaddleRod):
    """Quadrature of too low an order for segments that bend by 7 rad."""

    def __post_init__(self):
        super().__post_init__()
        if self.points is not None:
            object.__setattr__(self, "points", 6)


class Full(SaddleRod):
    """A matrix that couples everything, as angles alone have it."""

    def _inertia(self, parts):
        J = super()._inertia(parts)
        return J + 1e-12 * np.abs(J).max()


class NoTurning(SaddleRod):
    """Without what turning does to the angles."""

    def integrals(self, angle, rate):
        return super().integrals(angle, rate)._replace(turn=np.zeros((angle.size - 1, 2)))


class NoCurl(SaddleRod):
    """Constraints differentiated without E: nodes leave their circles."""

    def integrals(self, angle, rate):
        parts = super().integrals(angle, rate)
        return parts._replace(E=0.0 * parts.E)


class Unstabilised(SaddleRod):
    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "stabilisation", 0.0)


class AlwaysStabilised(SaddleRod):
    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "stabilisation", 10.0)


class PrintedTangent(SaddleRod):
    """int cos(u) du: the same chord for every shape."""

    def integrals(self, angle, rate):
        h = self.rod.length / (angle.size - 1)
        ends = h * np.arange(angle.size)
        chord = np.diff(np.sin(ends) - 1j * np.cos(ends))
        return super().integrals(angle, rate)._replace(chord=chord)


class IgnoredConstraints(SaddleRod):
    """What the multipliers do is left out."""

    def solve(self, q, rate, phase, t=0.0, anchor=(0.0, 0.0, 0.0)):
        return 1.001 * super().solve(q, rate, phase, t, anchor)


class LetGo(SaddleRod):
    """A pin that holds nothing."""

    def _constraints(self, parts, q, rate, held, anchor):
        return super()._constraints(parts, q, rate, (False, False, False), anchor)


class PinnedForGood(SaddleRod):
    def _constraints(self, parts, q, rate, held, anchor):
        return super()._constraints(parts, q, rate, (True, True, False), anchor)


# ------------------------------------------------------------ the race


class SlowMixed(Evaluation):
    """Mixed coordinates at the price of angles alone."""

    def mixed(self, times=1, step=0.0):
        self.pure(2 * times, step)
        return super().mixed(1, step)


class OtherMixed(Evaluation):
    def mixed(self, times=1, step=0.0):
        return (1.0 + 1e-8) * super().mixed(times, step)


class QuickPure(Evaluation):
    """Angles alone as cheap as mixed coordinates."""

    def pure(self, times=1, step=0.0):
        super().mixed(max(times - 1, 0), step)
        return super().pure(1, step)
