"""What acts in the joints of a tree, a servo or a lock and friction, and the tree itself, as the kernels take them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from tegotae import checks
from tegotae import friction as laws
from tegotae.block import Impedance
from tegotae.errors import UniquenessError
from tegotae.friction import FrictionImpedance
from tegotae.multibody.bodies import OneDegree
from tegotae.multibody.kernels import joints as joint_laws
from tegotae.multibody.kernels.records import Joints
from tegotae.multibody.own_joints import has_a_law
from tegotae.parameters import Declared, Parameter

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree

_NUMBER = {
    laws.Coulomb: joint_laws.COULOMB,
    laws.Viscous: joint_laws.VISCOUS,
    laws.Stribeck: joint_laws.STRIBECK,
    laws.Tabulated: joint_laws.TABULATED,
}


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


def joints_of(tree: Tree, controllers: Mapping[str, Servo | Lock]) -> tuple[Joints, list[Any]]:
    """Dampers, servos, locks and friction by speed; and the laws of the user's own."""
    nv = tree.nv
    columns = {name: np.zeros(nv) for name in ("damping", "gain", "rate_gain", "stiffness", "viscosity")}
    columns["stiffness"][:] = 1.0
    law, place = np.full(nv, -1, dtype=np.int64), np.zeros(nv, dtype=np.int64)
    numbers: list[float] = []
    customs: list[Any] = []
    carriers = {b.name: b for b in tree.bodies}
    for k, name in enumerate(tree.arrays.names):
        body, o = carriers[name], int(tree.arrays.vi[k])
        if not isinstance(body.joint, OneDegree):
            continue
        joint, control = body.joint, controllers.get(body.joint_name)
        columns["damping"][o] = math.inf if isinstance(control, Lock) else joint.damping
        if isinstance(control, Servo):
            columns["gain"][o], columns["rate_gain"][o] = control.gain, control.rate_gain
        if isinstance(joint.friction, FrictionImpedance) and has_a_law(joint.friction):
            element = joint.friction
            columns["stiffness"][o], columns["viscosity"][o] = element.stiffness, element.damping
            kind = _NUMBER.get(type(element.law))
            if kind is None:
                kind = joint_laws.CUSTOM + len(customs)
                customs.append(element.law)
            law[o], place[o] = kind, len(numbers)
            numbers += [float(x) for x in element.law.parameters]
    return Joints(**columns, law=law, place=place, numbers=np.array(numbers or [0.0])), customs


def check_friction(
    owner: str, rubbing: Mapping[str, Impedance], period: float, least_reluctance: Callable[[float], float] | None
) -> None:
    """Friction in each joint by itself, and with the inertia that it moves where ports need it: one solution a step."""
    for element in rubbing.values():
        element.check(period)
    falling = [name for name, element in rubbing.items() if element.steepest_rise(period) > 0.0]
    if least_reluctance is not None and falling and not least_reluctance(period) > 0.0:
        raise UniquenessError(
            f"{owner}: at period={period:g} s friction in {', '.join(falling)} falls faster with speed than "
            "the inertia there outweighs, so a step can have two solutions.\n"
            "  Give that friction more damping, or use a shorter period."
        )
