"""The arrays of one run of a scene: what the kernels read, remember and work in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import friction as laws
from tegotae.checks import Array
from tegotae.compile import bind, build
from tegotae.multibody.bodies import OneDegree
from tegotae.multibody.controllers import Lock, Servo
from tegotae.multibody.kernels import dual, joint_laws, kinematics, motion, stepping
from tegotae.multibody.kernels.records import PLACES, TOUCHING, Dual, Friction, Joints, Model, Tape, Work

if TYPE_CHECKING:
    from tegotae.multibody.kernels.records import Drive, Touches
    from tegotae.multibody.tree import Tree

_NUMBER = {
    laws.Coulomb: joint_laws.COULOMB,
    laws.Viscous: joint_laws.VISCOUS,
    laws.Stribeck: joint_laws.STRIBECK,
    laws.Tabulated: joint_laws.TABULATED,
}

_BOTH = ("row_of", "record", "reposition")

# Ticks span[0] to span[1], a row of the tape every span[2], whose first row is number span[3].
_BEGIN = """
@entry
def begin(model, touches, places, work, q, v):
    prepare_world(work.S, model.g)
    reposition(model, touches, places, work, q, v)
"""

_SOURCE = """
at_rest, resolve = with_customs({halves})
step = implicit_kernels(at_rest, resolve)
{begin}

@entry
def run_implicit(model, joints, friction, touches, touching, places, dual, work, zero, drive, q, v, T, span, tape):
    prepare_world(work.S, model.g)
    reposition(model, touches, places, work, q, v)
    unsolved = 0
    for tick in range(span[0], span[1]):
        tau = row_of(drive.tau, tick)
        apply_wrenches(model, drive, work, tau, tick)
        joints.target[:] = row_of(drive.target, tick)
        if not step(model, joints, friction, touches, touching, places, dual, work, zero, q, v, tau, T):
            unsolved += 1
        v[:] = work.v1
        move(model, q, v, T, q)
        reposition(model, touches, places, work, q, v)
        if (tick + 1) % span[2] == 0:
            record(friction, touches, touching, places, work, q, v, tape, (tick + 1) // span[2] - span[3])
    return unsolved


@entry
def tick_implicit(
    model, joints, friction, touches, touching, places, dual, work, zero, drive, q, v, T, span, tape, centers, Q, V
):
    for i in range(drive.tau.shape[1]):
        if not np.isfinite(drive.tau[0, i]):
            return -1
    unsolved = run_implicit(
        model, joints, friction, touches, touching, places, dual, work, zero, drive, q, v, T, span, tape
    )
    look_outside(model, centers, q, v, Q, V)
    for i in range(len(v)):
        if not np.isfinite(v[i]):
            return -2
    for i in range(len(q)):
        if not np.isfinite(q[i]):
            return -2
    return unsolved
"""
# What `tick_implicit` gives besides how many steps were not solved.
NOT_FINITE, DIVERGED = -1, -2

_EXPLICIT = """
@entry
def run_explicit(model, joints, friction, touches, touching, places, work, drive, q, v, T, span, tape, stages, rk4):
    prepare_world(work.S, model.g)
    for tick in range(span[0], span[1]):
        joints.target[:] = row_of(drive.target, tick)
        if rk4:
            step_rk4(model, joints, touches, touching, places, work, drive, tick, q, v, T, stages)
        else:
            step_symplectic(model, joints, touches, touching, places, work, drive, tick, q, v, T)
        if (tick + 1) % span[2] == 0:
            see(model, touches, touching, places, work, q, v)
            record(friction, touches, touching, places, work, q, v, tape, (tick + 1) // span[2] - span[3])
"""


def implicit_module(customs: Sequence[Any]) -> ModuleType:
    """The compiled implicit loop; the user's own laws are compiled into it."""
    halves = tuple(half for law in customs for half in law.kernels)
    names = [f"half_{i}" for i in range(len(halves))]
    functions = (
        ("with_customs", joint_laws.with_customs),
        ("prepare_world", kinematics.prepare_world),
        ("move", motion.move),
        ("look_outside", motion.look_outside),
        *((name, getattr(stepping, name)) for name in ("implicit_kernels", "apply_wrenches", *_BOTH)),
        *zip(names, halves, strict=True),
    )
    return build(_SOURCE.format(halves=", ".join(names), begin=_BEGIN), functions)


@cache
def explicit_module() -> ModuleType:
    """The compiled explicit loops."""
    own = ("step_rk4", "step_symplectic", "see", *_BOTH)
    functions = [("prepare_world", kinematics.prepare_world), *((name, getattr(stepping, name)) for name in own)]
    return build(_BEGIN + _EXPLICIT, tuple(functions))


def model_of(tree: Tree) -> Model:
    """The tree as the kernels take it."""
    at = tree.layout
    return Model(at.parent, at.kind, at.qi, at.vi, at.C, np.array(tree.gravity, dtype=np.float64))


def joints_of(tree: Tree, controllers: Mapping[str, Servo | Lock]) -> tuple[Joints, list[Any]]:
    """Dampers, servos, locks and friction by speed; and the laws of the user's own."""
    nv = tree.nv
    columns = {name: np.zeros(nv) for name in ("damping", "gain", "rate_gain", "target", "stiffness", "viscosity")}
    columns["stiffness"][:] = 1.0
    law, place = np.full(nv, -1, dtype=np.int64), np.zeros(nv, dtype=np.int64)
    numbers: list[float] = []
    customs: list[Any] = []
    carriers = {b.name: b for b in tree.bodies}
    for k, name in enumerate(tree.layout.names):
        body, o = carriers[name], int(tree.layout.vi[k])
        if not isinstance(body.joint, OneDegree):
            continue
        joint, control = body.joint, controllers.get(body.joint_name)
        columns["damping"][o] = math.inf if isinstance(control, Lock) else joint.damping
        if isinstance(control, Servo):
            columns["gain"][o], columns["rate_gain"][o] = control.gain, control.rate_gain
        if joint.friction is not None:
            element = joint.friction
            columns["stiffness"][o], columns["viscosity"][o] = element.stiffness, element.damping
            kind = _NUMBER.get(type(element.law))
            if kind is None:
                kind = joint_laws.CUSTOM + len(customs)
                customs.append(element.law)
            law[o], place[o] = kind, len(numbers)
            numbers += [float(x) for x in element.law.parameters]
    c = columns
    table = np.array(numbers or [0.0])
    joints = Joints(
        c["damping"], c["gain"], c["rate_gain"], c["target"], law, place, table, c["stiffness"], c["viscosity"]
    )
    return joints, customs


class Memory:
    """Everything a run changes, allocated once."""

    def __init__(self, tree: Tree, touches: Touches, rubbing: int, q: Array, v: Array):
        n, nv, pairs = len(tree.layout.parent), tree.nv, len(touches.which)
        self.q, self.v = q, v
        self.zero = np.zeros(3)
        self.friction = Friction(
            np.zeros(nv), np.zeros(nv, dtype=np.int64), np.zeros(nv), np.zeros(nv), np.zeros(nv), np.zeros(nv)
        )
        self.touching, self.places = np.zeros((pairs, TOUCHING)), np.zeros((pairs + 1, PLACES))
        tau, slope, a = np.zeros((2, nv)), np.zeros((2, nv)), np.zeros((4, nv))
        self.work = Work(
            S=kinematics.workspace(n), free_tau=tau[0], free_slope=slope[0], tau=tau[1], slope=slope[1],
            a=a[0], v1=a[1], wrench=np.zeros((n, 6)), grad=a[2], first=a[3], trial=np.zeros(3 * nv),
        )  # fmt: skip
        # Scenes that never touch need no dual; it is quadratic in its rows.
        rows = int(3 * pairs + rubbing) if pairs else 1
        blocks = pairs + rubbing + 1
        self.dual = Dual(
            np.zeros((rows, rows)), np.zeros((3, rows)), np.zeros((3, blocks), dtype=np.int64), np.zeros(blocks),
            np.zeros(pairs, dtype=np.int64), np.zeros((dual.work_rows(rows), rows)), np.zeros((rows, 12)),
            tree.layout.root, np.zeros(nv),
        )  # fmt: skip
        self.stages = np.zeros((5, tree.nq + nv))

    def tape(self, rows: int) -> Tape:
        """Room for so many recorded ticks."""
        pairs, nv = len(self.touching), self.v.size
        return Tape(
            np.zeros((rows, self.q.size)), np.zeros((rows, nv)), np.zeros((rows, nv)), np.zeros((rows, pairs, 4))
        )


def look(method: str, customs: Sequence[Any], model: Model, touches: Touches, memory: Memory) -> Array:
    """Where the pairs are at the start, a row each: see `PLACES`."""
    module = implicit_module(tuple(customs)) if method == "implicit" else explicit_module()
    module.begin(model, touches, memory.places, memory.work, memory.q, memory.v)
    return np.array(memory.places[: len(touches.which)])


def live_tick(
    customs: Sequence[Any], model: Model, joints: Joints, touches: Touches, memory: Memory,
    drive: Drive, period: float, tape: Tape, centers: Array, seen: tuple[Array, Array],
) -> Callable[[], int]:  # fmt: skip
    """One implicit tick, bound to its arrays: q and v as users count them in `seen`, and how it went."""
    m, span = memory, np.array([0, 1, 1, 1])
    return bind(
        implicit_module(tuple(customs)).tick_implicit,
        model, joints, m.friction, touches, m.touching, m.places, m.dual, m.work, m.zero, drive, m.q, m.v,
        period, span, tape, centers, *seen,
    )  # fmt: skip


def advance(
    method: str, customs: Sequence[Any], model: Model, joints: Joints, touches: Touches, memory: Memory,
    drive: Drive, period: float, span: Array, tape: Tape,
) -> int:  # fmt: skip
    """Take the ticks of `span`; how many had no solution."""
    m = memory
    if method == "implicit":
        return int(
            implicit_module(tuple(customs)).run_implicit(
                model, joints, m.friction, touches, m.touching, m.places, m.dual, m.work, m.zero, drive, m.q, m.v,
                period, span, tape,
            )
        )  # fmt: skip
    explicit_module().run_explicit(
        model, joints, m.friction, touches, m.touching, m.places, m.work, drive, m.q, m.v, period, span, tape, m.stages,
        method == "rk4",
    )  # fmt: skip
    return 0
