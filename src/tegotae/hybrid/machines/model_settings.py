"""What settings say of the machine that is simulated: its kind, and how it is made.

Kinds are known by name alone, so that this package knows no robots: `KINDS` says where each is at home.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tegotae import checks
from tegotae.parameters import Parameter
from tegotae.toml_settings import SettingsGroup, table

if TYPE_CHECKING:
    from tegotae.hybrid.machines.guarded import Machine
    from tegotae.hybrid.view.drawers import Drawer
    from tegotae.multibody import Lock, Servo

OWN = "hybrid settings"
KINDS = {
    "two-robots": "tegotae.papers.two_robots.settings:RobotsSettings",
    "urdf": "tegotae.hybrid.machines.urdf_model:UrdfModel",
    "own": "tegotae.hybrid.machines.model_settings:OwnModel",
}


def kind_of(name: str) -> type[ModelSettings]:
    """The settings of a kind of model."""
    module, _, kind = KINDS[checks.choice(OWN, "model.kind", name, tuple(KINDS))].partition(":")
    found: type[ModelSettings] = getattr(import_module(module), kind)
    return found


@dataclass(frozen=True, kw_only=True)
class OwnCode(SettingsGroup):
    """Something of the user's own, which a function makes."""

    factory: Annotated[str, Parameter("module:function that returns it; it is given `options`")] = ""
    options: Annotated[dict[str, Any], Parameter("for the function, as they are", accept=table)] = field(
        default_factory=dict
    )

    def made(self, group: str) -> Any:
        """What the function of a group of settings returns."""
        named = f"{group}.factory={self.factory!r}"
        module, colon, name = self.factory.partition(":")
        if not (module and colon and name):
            checks.refuse(OWN, f"{named}.", "Name a function as 'module:function'.")
        try:
            factory = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            told = "Name it as 'module:function', without '.py'; its folder must be on PYTHONPATH."
            checks.refuse(OWN, f"{named} cannot be found ({error}).", told)
        return factory(**self.options)


@dataclass(frozen=True, kw_only=True)
class ModelSettings(SettingsGroup):
    """What every kind of model answers."""

    def machine(self, period: float) -> Machine:
        """The block that is simulated, and where it starts, for ticks of a period [s]."""
        raise NotImplementedError

    def start(self, period: float) -> tuple[float, ...]:
        """Pose of the moving part at the start, in the surface's axes: position [m] and quaternion."""
        made = self.machine(period)
        state = made.block.initial_state(period, made.initial)
        if "place" in state and "quaternion" in state:
            return (*state.part("place").tolist(), *state.part("quaternion").tolist())
        return tuple(made.pose)

    def gained_by_steps(self, *, period: float, stiffness: float) -> float | None:
        """Share of its kinetic energy that a bounce off a stiffness [N/m] gains by steps alone [-]; None if unknown."""
        return None

    def drawer(self) -> Drawer | None:
        """Who draws it; None for plain bodies."""
        return None


@dataclass(frozen=True, kw_only=True)
class HeldJoints(SettingsGroup):
    """What holds the joints of a robot."""

    joints: Annotated[Literal["locked", "servo", "free"], Parameter("what holds its joints")] = "locked"
    gain: Annotated[float, Parameter("[N·m/rad, N/m], >= 0, of a joint's servo; counts if joints = servo")] = 1000.0
    rate_gain: Annotated[float, Parameter("[N·m·s/rad, N·s/m], >= 0, of a joint's servo; counts if joints = servo")] = (
        100.0
    )

    @property
    def holder(self) -> Lock | Servo | None:
        """What holds each joint; None for free ones."""
        from tegotae.multibody import Lock, Servo

        servo = Servo(gain=self.gain, rate_gain=self.rate_gain)
        return Lock() if self.joints == "locked" else servo if self.joints == "servo" else None


@dataclass(frozen=True, kw_only=True)
class OwnModel(ModelSettings, OwnCode):
    """A machine of the user's own: any admittance with a six-dimensional port, or Machine(block, initial, pose)."""

    def machine(self, period: float) -> Machine:
        """What the function makes."""
        from tegotae.block import Admittance
        from tegotae.hybrid.machines.guarded import Machine

        made = self.made("model")
        if isinstance(made, Machine):
            return made
        told = "Return an admittance with a six-dimensional port, or Machine(block, initial, pose)."
        return Machine(checks.instance(OWN, f"model.factory={self.factory!r} gave", made, Admittance, told))
