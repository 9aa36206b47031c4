"""What every single bristle of a patch did, from the record of a run: its place, stretch, force, and whether it stuck.

A run keeps no forces of single bristles, because a loop at 1 kHz has no use for them. Two successive ticks of the
state tell them all: how far a bristle was stretched, and how the tread moved over the road meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.result import Result
from tegotae.steering.patch import ContactPatch
from tegotae.steering.system import SteeringSystem
from tegotae.steering.vehicle import Vehicle

_FIELDS = ("stuck", "steer", "speed", "yaw_rate", "drift_before", "phase", "carcass_velocity", "deflection")
_OWNER = "Bristles"


def bristle_fields(machine: ContactPatch | SteeringSystem) -> list[str]:
    """What a run has to record, each tick, for its bristles to be seen afterwards."""
    if isinstance(machine, SteeringSystem):
        return [machine.part_name("", f"tyre.{name}") for name in _FIELDS]
    return list(_FIELDS)


@dataclass(frozen=True, eq=False)
class Bristles:
    """Every bristle at some ticks of a run; arrays of shape (ticks, bristles), from the rear of the patch to its front.

    Args:
        time: end of each tick [s].
        place: xi [m], forward of the middle of the patch.
        deflection: e [m], by which the tread is to the left of the point that the bristle touches on the road.
        force: of each bristle on the tyre, to the left [N].
        limit: what it can bear at rest [N].
        sticks: whether it stuck during the tick.

    Example:
        >>> import numpy as np
        >>> from tegotae.steering import ContactPatch
        >>> patch = ContactPatch(stiffness=1e4, damping=0.0, bristles=101)
        >>> run = patch.run(steer=np.zeros(50), slip_angle=0.02, speed=20.0, period=1e-3, record=bristle_fields(patch))
        >>> seen = Bristles.of(run, patch, ticks=[49])
        >>> bool(abs(seen.force.sum() - patch.steady(slip_angle=0.02, speed=20.0).lateral_force) < 1.0)
        True
    """

    time: Array
    place: Array
    deflection: Array
    force: Array
    limit: Array
    sticks: NDArray[np.bool_]

    @classmethod
    def of(cls, run: Result, machine: ContactPatch | SteeringSystem, *, ticks: Sequence[int] | None = None) -> Bristles:
        """From a run that recorded `bristle_fields(machine)` at every tick.

        Args:
            run: of the machine.
            machine: the patch or the steering system that ran.
            ticks: which, from 1 on (a tick is seen against the one before); all but the first unless given.
        """
        patch = tyre_of(machine)
        now = np.arange(1, run.time.size) if ticks is None else np.asarray(ticks, dtype=np.int64)
        names, T = _recorded(run, machine, now), float(run.about["period"])

        def column(name: str, at: NDArray[np.int64]) -> Array:
            return np.asarray(run[names[name]])[at].reshape(now.size, -1)

        # Two successive ticks, in the letters of `kernels.patch`: how the tread moved over the road meanwhile.
        V, phase, e, w = (column(name, now) for name in ("speed", "phase", "deflection", "carcass_velocity"))
        before, steer = column("deflection", now - 1), column("steer", now)
        v = (steer - column("steer", now - 1)) / T
        q, q_before = column("drift_before", now), column("drift_before", now - 1)
        if isinstance(machine, SteeringSystem):  # its vehicle sets the drift after a tick, for the whole of the next
            q = q_before
        rate = v + column("yaw_rate", now - 1)  # the vehicle's turns it in the tick after
        Va = patch.slip_share * V * steer + q - w
        Va_dot = patch.slip_share * V * v + (q - q_before) / T
        # Each bristle's own motion during the tick, and what it bore.
        n, a, scale = patch.bristles, patch.half_length, 21.0 / patch.bristles
        K, B = patch.stiffness * scale, patch.damping * scale
        j = np.arange(n)
        xi = (j + phase) * (2.0 * a / n) - a
        moved = column("phase", now - 1) - V * T * n / (2.0 * a)
        shift = np.rint(phase - moved).astype(np.int64)
        held = (j + shift >= 0) & (j + shift < n)
        e0 = np.where(held, np.take_along_axis(before, np.clip(j + shift, 0, n - 1), axis=1), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.minimum(T, np.where(V > 0.0, a - xi, a + xi) / np.abs(V))
            Ti = np.where(held, T, inside)
            grew = np.where(Ti > 0.0, (e - e0) / Ti, 0.0)
        ue = (xi - patch.centre) * rate - Va
        um = ue + 0.5 * Ti * (V * rate + Va_dot)
        f = K * e + B * (grew + ue - um)
        limit = patch.law.at_rest * patch.pressure(xi, half_length=a, bristles=n)
        # Stuck, it stretched as far as the tread moved; the stretch is known to rounding of its own size.
        slack = 1e-9 * (np.abs(um) + np.abs(grew)) + 1e-15 / np.maximum(Ti, 1e-12)
        return cls(run.time[now], xi, e, -f, limit, np.abs(um - grew) <= slack)


def _recorded(run: Result, machine: ContactPatch | SteeringSystem, now: NDArray[np.int64]) -> dict[str, str]:
    """What the run calls each field; refused unless it recorded all of them, at these ticks and before them."""
    names = dict(zip(_FIELDS, bristle_fields(machine), strict=True))
    missing = [name for name in names.values() if name not in run.variables]
    if missing:
        checks.refuse(_OWNER, f"the run did not record {', '.join(missing)}.", "Run with record=bristle_fields(...).")
    T = float(run.about["period"])
    if run.time.size < 2 or abs(run.time[1] - run.time[0] - T) > 1e-6 * T:
        checks.refuse(_OWNER, "the run did not record each of at least 2 ticks.", "Run with every=1, and longer.")
    if now.size == 0 or now.min() < 1 or now.max() >= run.time.size:
        checks.refuse(_OWNER, f"ticks reach beyond 1 to {run.time.size - 1}.", "Each needs the one before it.")
    return names


def tyre_of(machine: ContactPatch | SteeringSystem) -> ContactPatch:
    """The steered tyre's patch as it runs, with the slip that its vehicle gives it."""
    if isinstance(machine, ContactPatch):
        return machine
    tyre = machine.vehicle.on(machine.patch)
    if isinstance(tyre, Vehicle):
        return tyre.front
    assert isinstance(tyre, ContactPatch)
    return tyre
