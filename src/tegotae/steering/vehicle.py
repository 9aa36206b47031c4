"""What the steered tyre is part of: how the vehicle's motion turns a steer angle into a slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.layout import Layout, Layouts, Nested, Part, layouts
from tegotae.parameters import Declared, Parameter, parts_of
from tegotae.state import Fault, State
from tegotae.steering.kernels import vehicle as k
from tegotae.steering.patch import ContactPatch, phase_fault

_SIZES = ("n", "law", "pressure")


@cache
def _layout(patch: Layout, state: Layout, workspace: Layout, counts: tuple[tuple[str, int], ...]) -> Layouts:
    """Of two axles on such patches, with so many bristles, numbers of the law and of the pressure each."""

    def axles(ahead: Layout, behind: Layout, prefix: str) -> tuple[Nested, Nested]:
        sizes = [tuple((name, f"{which}_{name}") for name in _SIZES) for which in ("front", "rear")]
        return Nested("front", ahead, prefix, sizes[0]), Nested("rear", behind, "rear_", sizes[1])

    ahead, behind = axles(
        state.changed(lambda part: replace(part, fed=part.name == "speed")),
        state.changed(lambda part: replace(part, fed=False, recorded=part.name == "lateral_force")),
        "",
    )
    return layouts(
        parameters=(*parts_of(Bicycle), *axles(patch, patch, "front_")),
        state=(
            ahead,
            Part("vehicle_sideslip", "m/s", "velocity of the centre of mass to the left", letter="vy"),
            Part("vehicle_yaw_rate", "rad/s", "to the left", letter="r"),
            behind,
        ),
        workspace=axles(workspace, workspace, "front_"),
        sizes=dict(counts),
    )


@dataclass(frozen=True, kw_only=True)
class Kinematic(Declared):
    """A vehicle that does not slide: the front tyre's slip angle is a share of the steer angle.  [yamamoto2006 (3)]

    Example:
        >>> from tegotae.steering import ContactPatch, Kinematic
        >>> Kinematic(slip_share=0.5).on(ContactPatch()).slip_share
        0.5
    """

    slip_share: Annotated[float, Parameter("[-], 0 to 1, 1 - lf/l")] = 0.5

    def on(self, patch: ContactPatch) -> Impedance:
        """The tyre as what steers it feels it."""
        checks.instance("Kinematic", "patch", patch, ContactPatch, "Give a ContactPatch(...).")
        return replace(patch, slip_share=self.slip_share)


@dataclass(frozen=True, kw_only=True)
class Bicycle(Declared):
    """A vehicle with sideslip and yaw on two axles: V alpha = V delta - vy - lf r, regular at V = 0.

    Example:
        >>> from tegotae.steering import Bicycle, ContactPatch
        >>> tyre = Bicycle().on(ContactPatch(stiffness=1e4, damping=0.0))
        >>> [name for name in tyre.parts if name.startswith("vehicle")]
        ['vehicle_sideslip', 'vehicle_yaw_rate']
    """

    mass: Annotated[
        float, Parameter("m [kg], > 0; 285 kg load the paper's patch with its 1400 N on each of two axles")
    ] = 285.0
    yaw_inertia: Annotated[float, Parameter("Iz [kg·m²], > 0")] = 450.0
    front: Annotated[float, Parameter("lf [m], > 0, from the centre of mass to the steering axis")] = 1.25
    rear: Annotated[float, Parameter("lr [m], > 0, from the centre of mass to the rear axle")] = 1.25
    rear_patch: Annotated[ContactPatch | None, Parameter("of the rear axle; the front one unless given")] = None

    def on(self, patch: ContactPatch) -> Impedance:
        """The front tyre, its vehicle included, as what steers it feels it."""
        checks.instance("Bicycle", "patch", patch, ContactPatch, "Give a ContactPatch(...).")
        front = replace(patch, slip_share=1.0)
        behind = replace(self.rear_patch or patch, slip_share=0.0, centre=0.0)
        if front.kernels != behind.kernels:
            problem = "rear_patch has another kind of pressure, friction law or carcass than the front."
            checks.refuse("Bicycle", problem, "Use the same kinds, with other numbers.")
        return Vehicle(bicycle=self, front=front, rear=behind)


@dataclass(frozen=True, kw_only=True)
class Vehicle(Impedance):
    """A bicycle on its two patches, as its steered axle: steering rate in, torque out. Made by `Bicycle.on`."""

    bicycle: Bicycle
    front: ContactPatch
    rear: ContactPatch
    dimension: int = field(default=1, init=False)

    ports = ContactPatch.ports
    begins: ClassVar[Mapping[str, float | str]] = {"phase": 0.5, "rear_phase": 0.5}

    @property
    def layout(self) -> Layouts:
        """The vehicle's, with those of both axles inside."""
        patch, axles = self.front.layout, (("front", self.front.layout), ("rear", self.rear.layout))
        counts = tuple((f"{which}_{name}", axle.sizes[name]) for which, axle in axles for name in _SIZES)
        return _layout(patch.parameters, patch.state, patch.workspace, counts)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Of the vehicle, and of both axles."""
        numbers = {part.name: getattr(self.bicycle, part.name) for part in parts_of(Bicycle)}
        axles = (("front", self.front), ("rear", self.rear))
        return numbers | {f"{which}_{name}": value for which, axle in axles for name, value in axle.values.items()}

    @property
    def kernels(self) -> Kernels:
        """The patch's own, with the vehicle around them."""
        make = k.elastic_bicycle_kernels if self.front.carcass else k.bicycle_kernels
        return Kernels(make, self.front.functions)

    def fault(self, state: State) -> Fault | None:
        """Of either axle."""
        return super().fault(state) or phase_fault(state, "phase") or phase_fault(state, "rear_phase")

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Straight on, bristles unstretched; fields named in `initial` set."""
        state = super().initial_state(period, initial)
        b, vy, r = self.bicycle, state["vehicle_sideslip"], state["vehicle_yaw_rate"]
        state["drift"] = state["drift_before"] = -vy - b.front * r
        state["rear_drift"] = state["rear_drift_before"] = b.rear * r - vy
        state["yaw_rate"] = state["rear_yaw_rate"] = r
        state["rear_speed"] = state["speed"]
        return state
