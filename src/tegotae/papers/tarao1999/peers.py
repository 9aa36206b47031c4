"""The same machines in Pinocchio and MuJoCo, where these are installed. Imported only when a claim needs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tegotae.multibody import Body, Fixed, Free, Prismatic, Revolute
from tegotae.papers.measuring import in_turn
from tegotae.papers.tarao1999.oracles import AXES, Array, G

# Word, file of the package example-robot-data, whether its base flies.
ROBOTS = (
    ("UR5 arm", "ur_description/urdf/ur5_robot.urdf", False),
    ("Panda arm", "panda_description/urdf/panda.urdf", False),
    ("Allegro hand", "allegro_hand_description/urdf/allegro_right_hand.urdf", False),
    ("Solo quadruped", "solo_description/robots/solo12.urdf", True),
    ("Talos humanoid", "talos_data/robots/talos_full_v2.urdf", True),
)


def robot_file(name: str) -> Path:
    """A URDF of example-robot-data, which lies beside Pinocchio in the same prefix."""
    import pinocchio

    for parent in Path(pinocchio.__file__).parents:
        found = parent / "share" / "example-robot-data" / "robots" / name
        if found.is_file():
            return found
    raise FileNotFoundError(f"example-robot-data has no {name} beside {pinocchio.__file__}.")


def pinocchio_tree(bodies: Sequence[Body]) -> Any:
    """Its model, joint by joint; about x and y by its quicker joints of these axes alone."""
    import pinocchio as pin

    about = {(1.0, 0.0, 0.0): pin.JointModelRX, (0.0, 1.0, 0.0): pin.JointModelRY}
    model = pin.Model()
    carried: dict[str | None, tuple[int, Any]] = {None: (0, pin.SE3.Identity())}
    for body in bodies:
        parent, at = carried[body.parent]
        place, joint = at * pin.SE3(np.asarray(body.rotation), np.asarray(body.position)), body.joint
        if not isinstance(joint, Fixed):
            if isinstance(joint, Free):
                kind, place = pin.JointModelFreeFlyer(), pin.SE3.Identity()
            elif isinstance(joint, Revolute):
                axis = tuple(np.asarray(joint.axis).tolist())
                kind = about[axis]() if axis in about else pin.JointModelRevoluteUnaligned(np.asarray(joint.axis))
            elif isinstance(joint, Prismatic):
                kind = pin.JointModelPrismaticUnaligned(np.asarray(joint.axis))
            else:
                raise NotImplementedError(f"{body.name}: the peer's tree has no {type(joint).__name__}.")
            parent, place = model.addJoint(parent, kind, place, body.name), pin.SE3.Identity()
        carried[body.name] = (parent, place)
        matter = pin.Inertia(body.mass, np.asarray(body.center), np.asarray(body.inertia))
        model.appendBodyToJoint(parent, matter, place)
    return model


def pinocchio_file(path: Path, *, free: bool) -> Any:
    """Its model of a URDF, as it reads it."""
    import pinocchio as pin

    return pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))


def accelerations(model: Any, joints: Sequence[str], q: Array, v: Array, torque: Array, *, free: bool) -> Array:
    """Pinocchio's, as `Tree.forward_dynamics` counts them: the base in world axes, where it has its own axes."""
    import pinocchio as pin

    there, R = pin.neutral(model), np.eye(3)
    B = np.zeros((model.nv, model.nv))  # v there = B v here
    first = 0
    if free:
        w, x, y, z = q[3:7]
        there[:7] = [*q[:3], x, y, z, w]
        R, first = pin.Quaternion(w, x, y, z).toRotationMatrix(), 1
        B[:3, :3] = B[3:6, 3:6] = R.T
    for i, name in enumerate(joints):
        joint = model.joints[model.getJointId(name)]
        angle = q[7 * first + i]
        there[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        B[joint.idx_v, 6 * first + i] = 1.0
    found = B.T @ pin.aba(model, model.createData(), there, B @ v, B @ torque)
    if free:
        found[:3] += np.cross(v[3:6], v[:3])  # its axes turn with the base
    return np.asarray(found)


def articulated(model: Any, q: Array, v: Array, torque: Array) -> Callable[[int], Array]:
    """So many evaluations of Pinocchio's articulated bodies, called from Python, and the accelerations of the last."""
    import pinocchio as pin

    data = model.createData()

    def play(calls: int) -> Array:
        for _ in range(calls):
            a = pin.aba(model, data, q, v, torque)
        return np.array(a)

    return play


def cost(model: Any) -> float:
    """Seconds of such an evaluation; best of several rounds."""
    play = articulated(model, np.zeros(model.nq), np.ones(model.nv), np.zeros(model.nv))
    many = max(20, 2000 // model.nv)
    return float(in_turn({"aba": lambda: play(many)}, rounds=9, clock=time.process_time)["aba"] / many)


def in_mujoco(xml: str) -> tuple[Any, Any, Any]:
    """MuJoCo itself, a model of it, and the model's data."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    return mujoco, model, mujoco.MjData(model)


def track(xml: str, *, q: Array | None = None, push: Array | None = None, duration: float) -> Array:
    """MuJoCo's coordinates, a row each of its default periods of 2 ms, under constant forces; all else by default."""
    mujoco, model, data = in_mujoco(xml)
    if q is not None:
        data.qpos[:] = q
    if push is not None:
        data.qfrc_applied[:] = push
    rows = [data.qpos.copy()]
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)
        rows.append(data.qpos.copy())
    return np.array(rows)


def chain_xml(links: int, *, mass: float, inertia: tuple[float, ...], length: float, friction: float = 0.0) -> str:
    """The chain of `oracles.chain`, its dry friction [N·m] as MuJoCo's frictionloss."""
    bodies = "".join(
        f'<body pos="0 0 {length if k else 0.0}">'
        f'<joint type="hinge" axis="{_row(AXES[k % 2])}" frictionloss="{friction}"/>'
        f'<inertial pos="0 0 {length / 2.0}" mass="{mass}" diaginertia="{_row(inertia)}"/>'
        for k in range(links)
    )
    option = f'<option gravity="0 0 {-G}"><flag contact="disable"/></option><size memory="64M"/>'
    return f"<mujoco>{option}<worldbody>{bodies}{'</body>' * links}</worldbody></mujoco>"


def world_xml(contents: str, gravity: Sequence[float] = (0.0, 0.0, -G), options: str = "") -> str:
    """A scene of what is in it; all but the options by default."""
    return f'<mujoco><option gravity="{_row(gravity)}" {options}/><worldbody>{contents}</worldbody></mujoco>'


def cubes_xml(friction: float, half: float, *heights: float) -> str:
    """Cubes of 1 kg with their centres at these heights [m]."""
    geom = f'<geom type="box" size="{half} {half} {half}" mass="1" friction="{friction} 0 0"/>'
    return "".join(f'<body pos="0 0 {height}"><freejoint/>{geom}</body>' for height in heights)


def floor_xml(friction: float) -> str:
    """A plane."""
    return f'<geom type="plane" size="0 0 1" friction="{friction} 0 0"/>'


def grasp_xml(friction: float, mass: float, finger: float) -> str:
    """A thing between two balls on slides."""
    rough = f'friction="{friction} 0 0"'
    fingers = "".join(
        f'<body pos="{0.07 * side} 0 0"><joint type="slide" axis="{-side} 0 0"/>'
        f'<geom type="sphere" size="0.02" mass="{finger}" {rough}/></body>'
        for side in (-1, 1)
    )
    return f'<body><freejoint/><geom type="box" size="0.05 0.05 0.5" mass="{mass}" {rough}/></body>{fingers}'


def _row(numbers: Sequence[float]) -> str:
    return " ".join(f"{x:.17g}" for x in numbers)
