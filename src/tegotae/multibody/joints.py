"""What acts in the joints of a tree: a servo or a lock, dry friction by its law, and any impedance, which is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae import friction as laws
from tegotae.block import Impedance, Kernels
from tegotae.compile import build
from tegotae.coupling.composite import Seat
from tegotae.errors import UniquenessError
from tegotae.friction import FrictionImpedance
from tegotae.layout import AXIS, Layout, Nested, Part, Space
from tegotae.multibody.joint_kinds import Turn
from tegotae.multibody.kernels import joints as joint_laws
from tegotae.multibody.kernels.kinematics import FREE
from tegotae.multibody.kernels.lines import NONE, NUMBERS
from tegotae.multibody.kernels.records import Joints
from tegotae.parameters import Declared, Parameter
from tegotae.state import Fault, State

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
    given = dict(checks.mapping(owner, "controllers", controllers, "Give a dict of Servo(...) or Lock() by joint."))
    for name, control in given.items():
        if name not in tree.joint_names:
            known = ", ".join(tree.joint_names[:12]) or "none"
            checks.refuse(owner, f"controllers[{name!r}]: there is no such joint.", f"It has {known}.")
        if not isinstance(control, (Servo, Lock)):
            checks.refuse(owner, f"controllers[{name!r}]={checks.shown(control)}.", "Give Servo(...) or Lock().")
        if isinstance(control, Servo) and isinstance(tree.joints[name], Turn):
            problem = f"controllers[{name!r}]: it is one direction of a ball joint, which has no angle of its own."
            checks.refuse(owner, problem, "Feed it torques, lock it, or use a Universal joint.")
    return given


def joints_of(tree: Tree, controllers: Mapping[str, Servo | Lock]) -> tuple[Joints, list[Any]]:
    """Dampers, servos, locks and friction by speed; and the laws of the user's own."""
    nv = tree.nv
    columns = {name: np.zeros(nv) for name in ("damping", "gain", "rate_gain", "stiffness", "viscosity")}
    columns["stiffness"][:] = 1.0
    law, place = np.full(nv, -1, dtype=np.int64), np.zeros(nv, dtype=np.int64)
    numbers: list[float] = []
    customs: list[Any] = []
    speeds = tree.arrays.vi[tree.arrays.kind != FREE].tolist()
    for (name, joint), o in zip(tree.joints.items(), speeds, strict=True):
        control = controllers.get(name)
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
    owner: str, rubbing: Mapping[str, Impedance], period: float, lacking: Callable[[float], float]
) -> None:
    """Friction in each joint by itself, and with the inertia there: `lacking` tells what is missing of it, or inf."""
    for element in rubbing.values():
        element.check(period)
    falling = [name for name, element in rubbing.items() if element.steepest_rise(period) > 0.0]
    if falling and (missing := lacking(period)) >= 0.0:
        more = checks.just_above(missing + 1e-9 * period * max(rubbing[n].steepest_rise(period) for n in falling), 3)
        raise UniquenessError(
            f"{owner}: at period={period:g} s friction in {', '.join(falling)} falls faster with speed than "
            "the inertia there outweighs, so a step can have two solutions.\n"
            f"  {f'Add {more} kg·m² (of a slide: kg) there, give' * math.isfinite(missing) or 'Give'} that friction "
            "more damping, or use a shorter period."
        )


# ------------------------------------------------------------ joints whose friction is any impedance


SPEEDS = Part("own_speeds", "", "of joints whose friction is any impedance", ("owned",), "own", whole=True)
LINES = Part("own", "", "see `kernels/lines.py`", ("owned", NUMBERS))


def has_a_law(friction: Impedance) -> bool:
    """Whether the kernels of a tree know it: dry friction by its law, without asking."""
    return isinstance(friction, FrictionImpedance) and friction.mass == 0.0 and friction.lag == 0.0


class OwnJoints:
    """The impedances in the joints of a tree that are asked for their force, each under the name of its joint."""

    def __init__(self, tree: Tree):
        at = tree.arrays
        moving = at.kind != FREE
        places = zip(tree.joints.items(), at.vi[moving].tolist(), at.qi[moving].tolist(), strict=True)
        self.blocks: dict[str, Impedance] = {}
        self.speeds: list[int] = []
        self._coordinates: dict[str, int | None] = {}  # None: a direction of a ball, which counts its own way
        for (name, joint), speed, coordinate in places:
            if joint.friction is not None and not has_a_law(joint.friction):
                self.blocks[name] = joint.friction
                self._coordinates[name] = None if isinstance(joint, Turn) else coordinate
                self.speeds.append(speed)

    @cached_property
    def parts(self) -> tuple[tuple[Nested, ...], tuple[Nested, ...], tuple[Nested, ...]]:
        """Their parameters, states and workspaces in those of the tree."""
        inside: list[list[Nested]] = [[], [], []]
        for j, (name, block) in enumerate(self.blocks.items()):
            layouts = block.layout
            for found, layout in zip(inside, layouts[:3], strict=True):
                if layout.items:
                    found.append(Nested(f"own{j}", _sized(layout, layouts.sizes, layout is layouts.state), f"{name}."))
        parameters, state, workspace = map(tuple, inside)
        return parameters, state, workspace

    @cached_property
    def names(self) -> frozenset[str]:
        """What users call the parts of their states."""
        return frozenset(f"{name}.{part}" for name, block in self.blocks.items() for part in block.parts)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Their parameters, by name."""
        found = {f"{name}.{part}": value for name, block in self.blocks.items() for part, value in block.values.items()}
        return {"own_speeds": self.speeds, **found}

    def kernels(self, make: Callable[..., Any], halves: tuple[Callable[..., Any], ...]) -> Kernels:
        """The tree's, for the laws of the user's own that it also has."""
        if not self.blocks:
            return Kernels(make, (*NONE, *halves))
        blocks = list(self.blocks.values())
        text = "from collections import namedtuple\n"
        text += "".join(block.kernels.source(f"_{j}") + _records(j, block) for j, block in enumerate(blocks))
        lines: dict[str, list[str]] = {"answer": [], "advance": [], "prepare": [], "restore": []}
        for j, block in enumerate(blocks):
            made, given = block.kernels.halves(), _given(j, block)
            lines["answer"].append(f"if j == {j}:\n        return answer_{j}({given}, v, T)")
            new = ", ".join(_numbers(j, block)) + " = " if block.kernels.style == "values" else ""
            lines["advance"].append(f"if j == {j}:\n        {new}advance_{j}({given}, v, T)")
            if made.prepare:
                lines["prepare"].append(f"prepare_{j}({given}, T)")
            if made.restore:
                lines["restore"].append(f"restore_{j}({given})")
        for half, behind, last in (
            ("answer", ", j, v, T", "return 0.0, 0.0"),
            ("advance", ", j, v, T", "return"),
            ("prepare", ", T", "return"),
            ("restore", "", "return"),
        ):
            body = "\n    ".join([*lines[half], last])
            text += f"\n@kernel\ndef {half}_own(p, s, w{behind}):\n    {body}\n"
        laws = [f"own_law_{i}" for i in range(len(halves))]
        text += f"\ndef make():\n    return tree({', '.join([*(f'{half}_own' for half in lines), *laws])})\n"
        functions = [one for j, block in enumerate(blocks) for one in block.kernels.imports(f"_{j}")]
        return Kernels(build(text, (*functions, ("tree", make), *zip(laws, halves, strict=True))).make)

    def start(self, state: State, period: float, given: Mapping[str, ArrayLike], q: Any) -> None:
        """Each as it starts by itself, where its joint is, and as the user says."""
        for name, block in self.blocks.items():
            places, coordinate = block.spaces.state.places, self._coordinates[name]
            start = 0.0 if coordinate is None else q[coordinate]
            initial = {part: start for part, place in places.items() if place.part.placed}
            initial |= {part: given[f"{name}.{part}"] for part in places if f"{name}.{part}" in given}
            self._seat(name, state.space).put(state, block.initial_state(period, initial))

    def fault(self, state: State) -> Fault | None:
        """The first thing that cannot be in the state of one of them."""
        for name in self.blocks:
            if found := self._seat(name, state.space).fault(state):
                return found
        return None

    def _seat(self, name: str, around: Space) -> Seat:
        return Seat(self.blocks[name], {part: f"{name}.{part}" for part in self.blocks[name].parts}, around)


def _sized(layout: Layout, sizes: Mapping[str, int], single: bool) -> Layout:
    """The same with its sizes as numbers, whose names the tree does not know; `single`: one direction is one number."""
    items: list[Part | Nested] = []
    for item in layout.items:
        if isinstance(item, Nested):
            items.append(Nested(item.letter, _sized(item.layout, item.inner(sizes), single), item.prefix))
        else:
            shape = tuple(sizes[extent] if isinstance(extent, str) else extent for extent in item.shape)
            shape = () if single and item.shape == AXIS else shape
            items.append(replace(item, letter=item.key, shape=shape, placed=False))
    return Layout(tuple(items))


def _records(j: int, block: Impedance) -> str:
    """Of one that takes its numbers by value."""
    if block.kernels.style != "values":
        return ""
    layouts = block.layout
    return layouts.parameters.records(f"Parameters_{j}") + layouts.state.records(f"State_{j}")


def _numbers(j: int, block: Impedance) -> list[str]:
    """Where the numbers of its state are."""
    return [f"s.own{j}.{item.key}[0]" for item in block.layout.state.items]


def _given(j: int, block: Impedance) -> str:
    """What its kernels take first: p, s and w."""
    layouts = block.layout
    w = f"w.own{j}" if layouts.workspace.items else "w"
    if block.kernels.style != "values":
        return f"{f'p.own{j}' if layouts.parameters.items else 'p'}, s.own{j}, {w}"
    single = [
        f"p.own{j}.{i.key}{'[0]' if isinstance(i, Part) and i.shape == AXIS else ''}" for i in layouts.parameters.items
    ]
    p = f"Parameters_{j}({', '.join(single)})" if single else "p"
    return f"{p}, State_{j}({', '.join(_numbers(j, block))}), {w}"
