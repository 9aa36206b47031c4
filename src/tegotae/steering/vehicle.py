"""What the steered tyre is part of: how the vehicle's motion turns a steer angle into a slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Fault, Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.friction.laws import Coulomb
from tegotae.steering.kernels import vehicle as k
from tegotae.steering.patch import ContactPatch


@dataclass(frozen=True, kw_only=True)
class Kinematic:
    """A vehicle that does not slide: the front tyre's slip angle is a share of the steer angle.  [yamamoto2006 (3)]

    Args:
        slip_share: 1 - lf/l [-], 0 to 1.

    Example:
        >>> from tegotae.steering import ContactPatch, Kinematic
        >>> Kinematic(slip_share=0.5).on(ContactPatch()).slip_share
        0.5
    """

    slip_share: float = 0.5

    def __post_init__(self) -> None:
        share = checks.number("Kinematic", "slip_share", self.slip_share, "", "Give 1 - lf/l, such as 0.5.")
        if not 0.0 <= share <= 1.0:
            checks.refuse("Kinematic", f"slip_share={share}.", "Give 1 - lf/l, between 0 and 1.")
        object.__setattr__(self, "slip_share", share)

    def on(self, patch: ContactPatch) -> Impedance:
        """The tyre as what steers it feels it."""
        checks.instance("Kinematic", "patch", patch, ContactPatch, "Give a ContactPatch(...).")
        return replace(patch, slip_share=self.slip_share)


@dataclass(frozen=True, kw_only=True)
class Bicycle:
    """A vehicle with sideslip and yaw on two axles: V alpha = V delta - vy - lf r, regular at V = 0.

    Args:
        mass: m [kg], > 0; 285 kg load the paper's patch with its 1400 N on each of two axles.
        yaw_inertia: Iz [kg·m²], > 0.
        front: lf [m], > 0, from the centre of mass to the steering axis.
        rear: lr [m], > 0, from the centre of mass to the rear axle.
        rear_patch: the rear axle's patch; the front one unless given.

    Example:
        >>> from tegotae.steering import Bicycle, ContactPatch
        >>> tyre = Bicycle().on(ContactPatch(stiffness=1e4, damping=0.0))
        >>> [f.name for f in tyre.fields if f.name.startswith("vehicle")]
        ['vehicle_sideslip', 'vehicle_yaw_rate']
    """

    mass: float = 285.0
    yaw_inertia: float = 450.0
    front: float = 1.25
    rear: float = 1.25
    rear_patch: ContactPatch | None = None

    def __post_init__(self) -> None:
        for name, unit, such in (
            ("mass", "kg", "285"),
            ("yaw_inertia", "kg·m²", "450"),
            ("front", "m", "1.25"),
            ("rear", "m", "1.25"),
        ):
            value = checks.positive("Bicycle", name, getattr(self, name), unit, f"Such as {such}.")
            object.__setattr__(self, name, value)
        if not isinstance(self.rear_patch, ContactPatch | None):
            checks.refuse(
                "Bicycle",
                f"rear_patch={checks.shown(self.rear_patch)} is none.",
                "Give ContactPatch(…), or None for one as in front.",
            )

    def on(self, patch: ContactPatch) -> Impedance:
        """The front tyre, its vehicle included, as what steers it feels it."""
        checks.instance("Bicycle", "patch", patch, ContactPatch, "Give a ContactPatch(...).")
        behind = self.rear_patch if self.rear_patch is not None else patch
        own = replace(patch, slip_share=1.0)
        behind = replace(behind, slip_share=0.0, centre=0.0)
        if own.kernels != behind.kernels:
            checks.refuse(
                "Bicycle",
                "rear_patch has another kind of pressure, friction law or carcass than the front.",
                "Use the same kinds, with other numbers.",
            )
        return Vehicle(bicycle=self, front=own, rear=behind)


@dataclass(frozen=True, kw_only=True)
class Vehicle(Impedance):
    """A bicycle on its two patches, as its steered axle: steering rate in, torque out. Made by `Bicycle.on`."""

    bicycle: Bicycle
    front: ContactPatch
    rear: ContactPatch
    dimension: int = field(default=1, init=False)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The front axle's, then the vehicle's, then the rear axle's."""
        vehicle = (
            Field("vehicle_sideslip", "m/s", "velocity of the centre of mass to the left"),
            Field("vehicle_yaw_rate", "rad/s", "to the left"),
        )
        front = tuple(replace(f, fed=f.name == "speed") for f in self.front.fields)
        behind = tuple(
            replace(f, name=f"rear_{f.name}", fed=False, recorded=f.name == "lateral_force") for f in self.rear.fields
        )
        return (*front, *vehicle, *behind)

    @property
    def parameters(self) -> Array:
        """[m, Iz, lf, lr, size, front..., rear...]."""
        b, ahead = self.bicycle, self.front.parameters
        return np.concatenate([[b.mass, b.yaw_inertia, b.front, b.rear, ahead.size], ahead, self.rear.parameters])

    @property
    def kernels(self) -> Kernels:
        """The patch's own, with the vehicle around them."""
        coulomb, elastic = isinstance(self.front.law, Coulomb), self.front.carcass is not None
        make = {
            (True, False): k.coulomb_bicycle_kernels,
            (False, False): k.bicycle_kernels,
            (True, True): k.coulomb_elastic_bicycle_kernels,
            (False, True): k.elastic_bicycle_kernels,
        }[coulomb, elastic]
        return Kernels(make, self.front.kernels.functions)

    def fault(self, state: Array) -> Fault | None:
        """Of either axle."""
        behind = self.slices()["rear_force"].start
        found = super().fault(state) or self.front.fault(state[: behind - 2])
        rear = None if found else self.rear.fault(state[behind:])
        return rear._replace(place=rear.place + behind) if rear else found

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """Straight on, bristles unstretched; fields named in `initial` set."""
        given = {"phase": 0.5, "rear_phase": 0.5} | dict(initial or {})
        state = super().initial_state(period, given)
        places = self.slices()
        b = self.bicycle
        vy, r = (float(state[places[f"vehicle_{name}"]][0]) for name in ("sideslip", "yaw_rate"))
        state[places["drift"]] = state[places["drift_before"]] = -vy - b.front * r
        state[places["yaw_rate"]] = r
        state[places["rear_drift"]] = state[places["rear_drift_before"]] = b.rear * r - vy
        state[places["rear_yaw_rate"]] = r
        return state
