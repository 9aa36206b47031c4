"""The paper's force-feedback joystick with a hand on it: two axes, held and dragged.  [kikuuwe2005 Figs. 3 and 4]

The paper gives the period and the friction element. The device and the hand are ours: a handle of 0.2 kg with 15 N·s/m
of physical damping (13 are needed for passivity, with any hand; this hand alone would be stable with none), encoders
of 10 µm, motors of 20 N, and a hand of 500 N/m that draws curves with corners and pauses at a point b.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from tegotae.checks import Array
from tegotae.device.hand import Hand, Trajectory, least_jerk
from tegotae.device.loop import Watch, render
from tegotae.device.twins import ImpedanceTwin
from tegotae.friction import Coulomb, FrictionImpedance
from tegotae.result import Result

PERIOD = 1e-3
LIMIT = 4.0
JOYSTICK = ImpedanceTwin(mass=0.2, damping=15.0, resolution=1e-5, force_limit=20.0, dimension=2)

_STIFFNESS, _DAMPING = 500.0, 8.0  # of the hand
_PUSH_AT_B = 0.6 * LIMIT
_WAIT, _RELAX, _TURN = 0.25, 0.25, 0.9  # at b [s]: come to rest, ease off, push around
_SWEEP = np.radians(-170.0)
_END = 0.25

# Cubic curves from corner to corner [mm], and the time that each takes [s].
_BEFORE = (
    (((-52, -18), (-50, 48), (8, 62), (46, 26)), 0.85),
    (((46, 26), (42, 2), (36, -26), (8, -36)), 0.6),
    (((8, -36), (-20, -44), (-34, -24), (-24, 6)), 1.0),
)
_AFTER = (
    (((4, 42), (36, -20), (64, -2)), 0.75),
    (((64, -2), (72, -24), (66, -48), (44, -54)), 0.5),
)


def friction(mass: float) -> FrictionImpedance:
    """The element of the experiment: K = 6000 N/m, B = 10 N·s/m, F = 4 N in the plane, M [kg] = 0 or 1 in the paper."""
    return FrictionImpedance(stiffness=6000.0, damping=10.0, law=Coulomb(LIMIT), mass=mass, dimension=2)


def hand() -> Hand:
    """The hand that draws: curves with corners over about 0.1 m, and a pause at b with 60 % of the friction limit."""
    return Hand(stiffness=_STIFFNESS, damping=_DAMPING, target=_drawing())


def figure4(mass: float) -> Result:
    """One run of the experiment.  [kikuuwe2005 Fig. 4]

    The result has, in the plane, `position` (as the encoders gave it) and `tip` (true) [m], `force` f and `friction` g
    [N], `deflection` [m], `slip_velocity` [m/s], `hand_force` [N] and `target` [m]; `about` has the times `held_from`
    and `held_to` [s] between which the hand pushes around at b with less than the friction limit.

    Args:
        mass: M [kg], >= 0; the paper shows 0 and 1.

    Example:
        >>> from tegotae.device.joystick import figure4
        >>> run = figure4(0.0)
        >>> bool((run.force == run.friction).all())
        True
    """
    device = JOYSTICK.start(hand=hand(), period=PERIOD)
    watch = {
        "tip": Watch(lambda: device.position, "m", "where the tip truly is"),
        "hand_force": Watch(lambda: device.hand_force, "N", "force of the hand on the tip"),
        "target": Watch(lambda: device.target, "m", "where the hand wants to be"),
    }
    run = render(device, friction(mass).start(period=PERIOD), round(duration() / PERIOD), watch=watch)
    begin = sum(time for _, time in _BEFORE) + _WAIT + _RELAX
    held = {"held_from": begin, "held_to": begin + _TURN}
    return Result(run.variables, title=f"Joystick with friction, M = {mass:g} kg", about={**run.about, **held})


def duration() -> float:
    """Length of the experiment [s]."""
    return sum(time for _, time in (*_BEFORE, *_AFTER)) + _WAIT + _RELAX + _TURN + _END


def _drawing() -> Trajectory:
    """The whole path of the hand's target as one function of time."""
    before, after = (
        [(1e-3 * np.array(points, dtype=np.float64), time) for points, time in part] for part in (_BEFORE, _AFTER)
    )
    arrival, approach = before[-1][0][3], before[-1][0][3] - before[-1][0][2]
    approach = approach / np.linalg.norm(approach)
    b = arrival - approach * LIMIT / _STIFFNESS  # where friction lets the tip rest
    reach = _PUSH_AT_B / _STIFFNESS

    def around(x: float) -> Array:
        c, s = np.cos(_SWEEP * x), np.sin(_SWEEP * x)
        return np.asarray(b + reach * np.array([[c, -s], [s, c]]) @ approach)

    after[0] = (np.vstack([around(1.0), after[0][0]]), after[0][1])
    stretches: list[tuple[Trajectory, float]] = [(partial(_curve, points), time) for points, time in before]
    stretches += [(lambda x: arrival, _WAIT), (lambda x: arrival + x * (around(0.0) - arrival), _RELAX)]
    stretches += [(around, _TURN)]
    stretches += [(partial(_curve, points), time) for points, time in after]
    return partial(_one_after_another, stretches, np.cumsum([time for _, time in stretches]))


def _curve(points: Array, x: float) -> Array:
    """The point of a cubic Bézier curve at 0..1."""
    y = 1.0 - x
    weights = np.array([y * y * y, 3.0 * y * y * x, 3.0 * y * x * x, x * x * x])
    return np.asarray(weights @ points)


def _one_after_another(stretches: Sequence[tuple[Trajectory, float]], ends: Array, time: float) -> Array:
    """The point at a time: each stretch from rest to rest with the least jerk; still at the end."""
    index = min(int(np.searchsorted(ends, time, side="right")), len(stretches) - 1)
    path, length = stretches[index]
    x = min(1.0, max(0.0, 1.0 - (ends[index] - time) / length))
    return path(least_jerk(x))
