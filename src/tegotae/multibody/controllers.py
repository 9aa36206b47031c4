"""What drives a joint inside the loop: a servo, or a lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tegotae import checks
from tegotae.parameters import Declared, Parameter

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Servo(Declared):
    """A joint that is driven to a target: torque = gain (target - q) - rate_gain v.

    Without a target it holds where it started. In an implicit run it answers the motion of the tick itself, so no gain
    is too stiff for the period.

    Example:
        >>> from tegotae.multibody import Servo
        >>> Servo(gain=200.0, rate_gain=5.0).gain
        200.0
    """

    gain: Annotated[float, Parameter("Kp [N·m/rad or N/m], >= 0")]
    rate_gain: Annotated[float, Parameter("Kd [N·m·s/rad or N·s/m], >= 0")] = 0.0


@dataclass(frozen=True, kw_only=True)
class Lock:
    """A joint that does not move at all: exact, with no stiffness to choose."""


def checked_controllers(owner: str, tree: Tree, controllers: Mapping[str, Servo | Lock]) -> dict[str, Servo | Lock]:
    """What drives the joints of a tree; refused are unknown joints, and what is neither servo nor lock."""
    remedy = "Give a dict of Servo(...) or Lock() by joint."
    given = dict(checks.mapping(owner, "controllers", controllers, remedy))
    for name, control in given.items():
        if name not in tree.joint_names:
            known = ", ".join(tree.joint_names[:12]) or "none"
            checks.refuse(owner, f"controllers[{name!r}]: there is no such joint.", f"It has {known}.")
        if not isinstance(control, (Servo, Lock)):
            checks.refuse(owner, f"controllers[{name!r}]={checks.shown(control)}.", "Give Servo(...) or Lock().")
    return given
