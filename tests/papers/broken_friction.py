"""Friction that is wrong on purpose: a factor, a missing term, a sign, a smoothed step. Claims must fail on it."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import tegotae as tg
from tegotae.block import Kernels
from tegotae.compile import kernel
from tegotae.device import joystick
from tegotae.friction import Law
from tegotae.friction.classics import Dahl, ExplicitlyCoupledFriction, Tanh
from tegotae.friction.kernels import laws
from tegotae.friction.kernels.element import slip_kernel
from tegotae.result import Result, Variable
from tegotae.running.live import LiveImpedance

# ------------------------------------------------------------ factors and missing terms


def times(block, **factors):
    """A factor: some parameters are not what they were said to be; 0 takes a term away."""

    def make(**given):
        return block(**{k: np.asarray(v) * factors[k] if k in factors else v for k, v in given.items()})

    return make


def always(block, **fixed):
    """An extra term, whatever was asked for."""
    return lambda **given: block(**given | fixed)


# ------------------------------------------------------------ laws


@dataclass(frozen=True)
class Smoothed(Law):
    """No step at rest: r = F min(1, s/vs)."""

    limit: float
    steepest_fall = 0.0

    @property
    def kernels(self):
        return laws.tabulated_magnitude, laws.tabulated_resolve

    @property
    def parameters(self):
        return (2.0, 0.0, 1e-3, 0.0, self.limit)


@dataclass(frozen=True)
class Pushing(Law):
    """The wrong sign: r = -F."""

    limit: float
    steepest_fall = 0.0

    @property
    def kernels(self):
        return laws.coulomb_magnitude, laws.coulomb_resolve

    @property
    def parameters(self):
        return (-self.limit,)


def with_law(block, change):
    """The block with another law in place of the one it was given."""
    return lambda **given: block(**given | {"law": change(given["law"].at_rest)})


def five_kernel(magnitude):
    @kernel
    def by_five(p, j, c, U):
        """[kikuuwe2005 (5)]: the law at u - sgn(u) c r(0), not solved."""
        r, dr = magnitude(p, j, U - c * magnitude(p, j, 0.0)[0])
        return U - c * r, r, dr

    return by_five


viscous_by_five = five_kernel(laws.viscous_magnitude)
stribeck_by_five = five_kernel(laws.stribeck_magnitude)


class ViscousByFive(tg.Viscous):
    @property
    def kernels(self):
        return laws.viscous_magnitude, viscous_by_five


class StribeckByFive(tg.Stribeck):
    @property
    def kernels(self):
        return laws.stribeck_magnitude, stribeck_by_five


class FallUnderrated(tg.Stribeck):
    """A factor in max(-r')."""

    @property
    def steepest_fall(self):
        return 0.9 * super().steepest_fall


# ------------------------------------------------------------ admittances


@kernel
def sign(x):
    """-1, 0 or 1."""
    return (1.0 if x > 0.0 else -1.0) if x != 0.0 else 0.0


def forward_kernels(magnitude, resolve):
    @kernel
    def forward_answer(p, s, w, h, T):
        """Friction from the last velocity, as one would write it first."""
        return s.v + T / p.M * (h - sign(s.v) * magnitude(p.law, 0, abs(s.v))[0]), T / p.M

    @kernel
    def forward_advance(p, s, w, h, v, T):
        return v, s.x + T * v, -sign(s.v) * magnitude(p.law, 0, abs(s.v))[0], s.z

    return forward_answer, forward_advance


class ForwardFriction(tg.FrictionAdmittance):
    """Explicit: it overshoots zero, and then friction points along the velocity."""

    @property
    def kernels(self):
        return Kernels(forward_kernels, self.law.kernels, style="values") if self.dimension == 1 else super().kernels


def without_band(*, mass, limit, static, dead_zone):
    """Karnopp's friction without its band."""
    return tg.FrictionAdmittance(mass=mass, law=tg.Coulomb(limit))


# ------------------------------------------------------------ impedances


def along_the_hand_kernels(magnitude, resolve):
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def along_answer(p, s, w, v, T, force, slope):
        force[:] = 0.0
        slope[:] = 0.0

    @kernel
    def along_advance(p, s, w, v, T):
        """[kikuuwe2005 (19)] as printed: sliding friction along sgn(v), at M = 0."""
        n = v.shape[0]
        K, B = p.K, p.B
        C = T * B + T * T * K
        c = T / C
        uu = vv = 0.0
        for i in range(n):
            uu += (v[i] - c * K * s.e[i]) ** 2
            vv += v[i] ** 2
        U, V = math.sqrt(uu), math.sqrt(vv)
        _, r, _, _ = slip(p.law, 0.0, T, 0.0, c, U)
        for i in range(n):
            u = v[i] - c * K * s.e[i]
            g = -u / c if c * r >= U or V == 0.0 else -r * v[i] / V
            s.w[i] = u + c * g
            s.e[i] += T * (s.w[i] - v[i])
            s.f[i] = g
            s.g[i] = g

    return along_answer, along_advance


class AlongTheHand(tg.FrictionImpedance):
    @property
    def kernels(self):
        return Kernels(along_the_hand_kernels, self.law.kernels)


class AxisByAxis(tg.FrictionImpedance):
    """A box for a disc: each axis has its own friction."""

    def run(self, velocity, *, period):
        if self.dimension == 1:
            return super().run(velocity, period=period)
        line = tg.FrictionImpedance(stiffness=self.stiffness, damping=self.damping, law=self.law, mass=self.mass)
        forces = [line.run(np.ascontiguousarray(v), period=period).force for v in np.asarray(velocity).T]
        return Result({"force": Variable(("time", "axis"), np.stack(forces, axis=1), "N")}, title="broken")


class ForgetfulLive(LiveImpedance):
    def step(self, velocity=None, *, position=None):
        self._state["deflection"] *= 0.999
        return super().step(velocity, position=position)


class Forgetful(tg.FrictionImpedance):
    """In a control loop it loses a little of its stretch at each tick."""

    def start(self, *, period, initial=None):
        return ForgetfulLive(self, period, initial)


class Unchecked(tg.FrictionImpedance):
    """It takes any law at any damping."""

    def check(self, period):
        pass


class DamperPushes(tg.FrictionImpedance):
    """A sign: a fifth of the damping, the wrong way round."""

    @property
    def values(self):
        return {**super().values, "damping": -0.2 * self.damping}


def dahl_instead(*, stiffness, damping=0.0, law=None, limits=(), mass=0.0):
    """Dahl's friction in place of one element, or of many."""
    limits = [law.at_rest] if law else list(limits)
    return Dahl(stiffness=stiffness * len(limits), limit=float(sum(limits)))


def explicit_instead(*, stiffness, damping, law, mass):
    return ExplicitlyCoupledFriction(stiffness=stiffness, damping=damping, law=law, mass=max(mass, 1e-4))


def calm_instead(*, stiffness, damping, law, mass):
    return tg.FrictionImpedance(stiffness=stiffness, damping=damping, law=law, mass=mass)


def elastic_instead(*, limit, stiffness=1e5, velocity=0.0):
    """Friction that neither drifts nor creeps, in place of Dahl's or tanh."""
    return tg.FrictionImpedance(stiffness=stiffness, damping=10.0, law=tg.Coulomb(limit))


def jumps_at_no_mass(*, mass=0.0, **given):
    """However small the mass, a gram comes with it."""
    return tg.FrictionImpedance(mass=mass + 1e-3 if mass else 0.0, **given)


class PushingTogether(tg.ParallelFriction):
    """A sign: the composite's force is along the motion."""

    def run(self, velocity, *, period):
        force = -super().run(velocity, period=period).force
        return Result({"force": Variable(("time",), force, "N")}, title="broken")


def smoothed_instead(*, limit=None, law=None, stiffness=0.0, damping=0.0):
    """Smoothed friction in place of a bristle model."""
    return Tanh(limit=limit or law.at_rest, velocity=1e-3)


# ------------------------------------------------------------ Dahl, and the joystick


def printed_dahl_kernels():
    @kernel
    def printed_answer(p, s, w, v, T):
        """[kikuuwe2005 (20)] as printed: e' = +v (1 + sgn(v) K e/F)."""
        return p.K * (s.e + T * v * (1.0 + sign(v) * p.K * s.e / p.F)), p.K * T

    @kernel
    def printed_advance(p, s, w, v, T):
        e = s.e + T * v * (1.0 + sign(v) * p.K * s.e / p.F)
        return e, p.K * e

    return printed_answer, printed_advance


class DahlAsPrinted(Dahl):
    @property
    def kernels(self):
        return Kernels(printed_dahl_kernels, style="values")


def joystick_with(block):
    """The experiment of Fig. 4 with another element on the joystick."""

    def element(mass):
        return block(stiffness=6000.0, damping=10.0, law=tg.Coulomb(joystick.LIMIT), mass=mass, dimension=2)

    def run(mass):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(joystick, "friction", element)
            return joystick.figure4(mass)

    return run
