"""What settings say of the machine that is simulated: its kind, and how it is made.

Kinds are known by name alone, so that this package knows no robots: `KINDS` says where each is at home.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from tegotae import checks
from tegotae.parameters import Parameter
from tegotae.toml_settings import SettingsGroup, table

if TYPE_CHECKING:
    from tegotae.hybrid.machines.guarded import Machine
    from tegotae.hybrid.view.drawers import Drawer

OWN = "hybrid settings"
KINDS = {
    "two-robots": "tegotae.papers.two_robots.settings:RobotsSettings",
    "urdf": "tegotae.hybrid.machines.urdf_model:UrdfModel",
    "own": "tegotae.hybrid.machines.model_settings:OwnModel",
}


def kind_of(name: str) -> type[ModelSettings]:
    """The settings of a kind of model.

    Args:
        name: one of `KINDS`.

    Example:
        >>> kind_of("own").__name__
        'OwnModel'
    """
    module, _, kind = KINDS[checks.choice(OWN, "model.kind", name, tuple(KINDS))].partition(":")
    found: type[ModelSettings] = getattr(import_module(module), kind)
    return found


def code_of(field: str, factory: str) -> Any:
    """What settings name as "module:function".

    Args:
        field: that names it, for messages.
        factory: its name.
    """
    module, colon, name = factory.partition(":")
    if not (module and colon and name):
        checks.refuse(OWN, f"{field}={factory!r}.", "Name a function as 'module:function'.")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        told = "Name it as 'module:function', without '.py'; its folder must be on PYTHONPATH."
        return checks.refuse(OWN, f"{field}={factory!r} cannot be found ({error}).", told)


@dataclass(frozen=True, kw_only=True)
class ModelSettings(SettingsGroup):
    """What every kind of model answers."""

    def machine(self, period: float) -> Machine:
        """The block that is simulated, and where it starts.

        Args:
            period: of a tick [s].
        """
        raise NotImplementedError

    def start(self, period: float) -> tuple[float, ...]:
        """Pose of the moving part at the start, in the surface's axes: position [m] and quaternion.

        Args:
            period: of a tick [s].
        """
        made = self.machine(period)
        state = made.block.initial_state(period, made.initial)
        if "place" in state and "quaternion" in state:
            return (*state.part("place").tolist(), *state.part("quaternion").tolist())
        return tuple(made.pose)

    def gained_by_steps(self, *, period: float, stiffness: float) -> float | None:
        """Share of its kinetic energy that a bounce gains by the steps of the integrator alone [-]; None if unknown.

        Args:
            period: of a tick [s].
            stiffness: of the contact [N/m].
        """
        return None

    def drawer(self) -> Drawer | None:
        """Who draws it; None for plain bodies."""
        return None


@dataclass(frozen=True, kw_only=True)
class OwnModel(ModelSettings):
    """A machine of the user's own: any admittance with a six-dimensional port."""

    factory: Annotated[str, Parameter("module:function that returns the block, or Machine(block, initial, pose)")] = ""
    options: Annotated[dict[str, Any], Parameter("for the function, as they are", accept=table)] = field(
        default_factory=dict
    )

    def machine(self, period: float) -> Machine:
        """What the function makes."""
        from tegotae.block import Admittance
        from tegotae.hybrid.machines.guarded import Machine

        made = code_of("model.factory", self.factory)(**self.options)
        if isinstance(made, Machine):
            return made
        told = "Return an admittance with a six-dimensional port, or Machine(block, initial, pose)."
        return Machine(checks.instance(OWN, f"model.factory={self.factory!r} gave", made, Admittance, told))
