"""Whether a sampled virtual spring-damper can feed energy into the hand that holds it.  [colgate1997]

A spring and damper that a computer renders from sampled positions acts late: on average by half a tick, and by a
whole one for its damper. Late springs push more on the way out than they resisted on the way in. A device with
physical damping b eats that surplus for every hand, however clever, if and only if at every angle
0 <= theta <= pi (frequency times period)

    b > T / (2 (1 - cos theta)) Re[(1 - exp(-j theta)) H(exp(j theta))],    H = (K + B (z - 1)/(T z)) z^-d

which for a loop without delay (d = 0) is b > K T/2 - B cos(theta), hence b > K T/2 + B.
A friction element is at most its spring-damper, held: stuck is the worst it can be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.hand import Hand
from tegotae.device.twins import ImpedanceTwin
from tegotae.elements import SpringDamper
from tegotae.friction.element import FrictionImpedance


@dataclass(frozen=True, kw_only=True)
class Passivity:
    """The answer of `passivity`.

    Args:
        passive: no passive hand can make the loop unstable.
        needed_damping: physical damping [N·s/m] that the device must exceed.
        device_damping: what it has [N·s/m].
        largest_stiffness: K [N/m] below which it is passive with this damping and period; 0 if there is none.
        largest_period: T [s] below which it is passive with this stiffness and damping; 0 if there is none.

    Example:
        >>> from tegotae.device import passivity
        >>> print(passivity(stiffness=6000.0, damping=10.0, period=1e-3, device_damping=15.0))
        passive: the device has 15 N·s/m of the 13 N·s/m needed (up to K = 10000 N/m, or T = 0.00167 s)
    """

    passive: bool
    needed_damping: float
    device_damping: float
    largest_stiffness: float
    largest_period: float

    def __str__(self) -> str:
        verdict = "passive" if self.passive else "not passive"
        bound = f"up to K = {self.largest_stiffness:.0f} N/m, or T = {self.largest_period:.3g} s"
        if self.largest_stiffness == 0.0:
            bound = "no stiffness would do: the virtual damping alone is too much"
        share = f"the device has {self.device_damping:g} N·s/m of the {self.needed_damping:.4g} N·s/m needed"
        return f"{verdict}: {share} ({bound})"


def passivity(stiffness: float, damping: float, period: float, device_damping: float, *, delay: int = 0) -> Passivity:
    """Whether a virtual spring-damper stays passive on a device, and how far it could go.  [colgate1997]

    Args:
        stiffness: K [N/m], >= 0, virtual.
        damping: B [N·s/m], >= 0, virtual, from differences of sampled positions.
        period: T [s].
        device_damping: b [N·s/m], >= 0, physical.
        delay: whole ticks >= 0 that the computer needs.

    Example:
        >>> from tegotae.device import passivity
        >>> passivity(6000.0, 10.0, 1e-3, 15.0).needed_damping
        13.0
        >>> passivity(6000.0, 0.0, 1e-3, 15.0, delay=1).needed_damping
        9.0
    """
    owner, none = "passivity", "Give a magnitude, or 0 for none."
    stiffness = checks.at_least_zero(owner, "stiffness", stiffness, "N/m", none)
    damping = checks.at_least_zero(owner, "damping", damping, "N·s/m", none)
    period = checks.period_of(owner, period)
    device_damping = checks.at_least_zero(owner, "device_damping", device_damping, "N·s/m", none)
    delay = checks.whole(owner, "delay", delay, 0, "Give whole ticks; 0 for none.")
    needed = _needed(stiffness * period, damping, delay)
    largest = _largest_push(damping, device_damping, delay)  # of K T, the only way in which either matters
    return Passivity(
        passive=device_damping > needed,
        needed_damping=needed,
        device_damping=device_damping,
        largest_stiffness=largest / period,
        largest_period=largest / stiffness if stiffness > 0.0 else (np.inf if largest > 0.0 else 0.0),
    )


def for_block(block: FrictionImpedance | SpringDamper, *, period: float, device: ImpedanceTwin | float) -> Passivity:
    """`passivity` for a block on a device.

    Args:
        block: what is rendered; a friction element counts as its spring-damper, held.
        period: T [s].
        device: the twin, or just its physical damping [N·s/m].

    Example:
        >>> import tegotae as tg
        >>> from tegotae.device import ImpedanceTwin, for_block
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> for_block(brake, period=1e-3, device=2.0).passive
        False
        >>> for_block(brake, period=1e-3, device=ImpedanceTwin(mass=0.2, damping=15.0)).passive
        True
    """
    _check_block("for_block", block)
    if not isinstance(device, ImpedanceTwin):
        device = checks.at_least_zero("for_block", "device", device, "N·s/m", "Give the twin, or its damping.")
    b, delay = (device.damping, device.delay) if isinstance(device, ImpedanceTwin) else (device, 0)
    return passivity(block.stiffness, block.damping, period, b, delay=delay)


def loop_radius(
    block: FrictionImpedance | SpringDamper, *, period: float, device: ImpedanceTwin, hand: Hand | None = None
) -> float:
    """Largest |pole| of the loop with one given hand while the block is stuck: below 1 it is stable with that hand.

    Passivity asks for every hand and so for more; a loop may be stable with this hand and not passive.

    Args:
        block: what is rendered, held at its spring-damper.
        period: T [s].
        device: the twin, its delay included; its encoder and its force limit are left out.
        hand: who holds it; nobody unless given.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.device import ImpedanceTwin, for_block, loop_radius
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> twin = ImpedanceTwin(mass=0.2, damping=2.0)
        >>> loop_radius(brake, period=1e-3, device=twin) < 1.0, for_block(brake, period=1e-3, device=twin).passive
        (True, False)
    """
    _check_block("loop_radius", block)
    checks.instance("loop_radius", "device", device, ImpedanceTwin, "Give an ImpedanceTwin(...).")
    K, B, T, d = block.stiffness, block.damping, checks.period_of("loop_radius", period), device.delay
    step, drive = device.transition(hand, T)
    # [x, v, last x, waiting forces]: a force is made of x and the last x, waits d ticks, then acts for one.
    size = 3 + d
    loop = np.zeros((size, size))
    force = np.zeros(size)
    force[0], force[2] = -(K + B / T), B / T
    waiting = np.eye(size)[3:]
    acting = waiting[0] if d else force
    loop[:2, :2] = step
    loop[:2] += np.outer(drive[:, 0], acting)
    loop[2, 0] = 1.0
    for i in range(d):
        loop[3 + i] = waiting[i + 1] if i + 1 < d else force
    return float(np.abs(np.linalg.eigvals(loop)).max())


def _check_block(owner: str, block: object) -> None:
    if not isinstance(block, FrictionImpedance | SpringDamper):
        problem = f"block={checks.shown(block)} has no spring and damper."
        checks.refuse(owner, problem, "Give a FrictionImpedance or a SpringDamper.")


def _needed(push: float, damping: float, delay: int) -> float:
    """The largest value over theta of (K T/2) sin((d + 1/2) theta)/sin(theta/2) - B cos((d + 1) theta), exactly.

    In c = cos(theta) that is a Chebyshev series: K T/2 (1 + 2 T_1 + ... + 2 T_d) - B T_(d+1).
    """
    series: Array = np.full(delay + 2, push)
    series[0] = push / 2.0
    series[-1] = -damping
    # A damper that is nothing beside the spring leaves the maximum at theta = 0 (and would overflow the roots).
    curved = delay > 0 and damping > 1e-12 * push
    inner = chebyshev.chebroots(chebyshev.chebder(series)) if curved else np.empty(0)
    real = inner[np.abs(inner.imag) < 1e-9].real if inner.size else np.empty(0)
    points = np.concatenate([[-1.0, 1.0], real[np.abs(real) <= 1.0]])
    return float(chebyshev.chebval(points, series).max())


def _largest_push(damping: float, device_damping: float, delay: int) -> float:
    """The largest K T with `_needed` < b. It is convex in K T and starts at B, so there is one crossing or none."""
    if device_damping <= damping:
        return 0.0
    if delay == 0:
        return 2.0 * (device_damping - damping)
    low, high = 0.0, 4.0 * (device_damping + damping)  # at theta = 0 the need is (d + 1/2) K T - B
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if _needed(middle, damping, delay) < device_damping else (low, middle)
    return low
