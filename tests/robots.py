"""Real robots, from the package example-robot-data, and what Pinocchio says of them in our coordinates."""

from pathlib import Path

import numpy as np
import pinocchio as pin


def folder() -> Path:
    """Where the package keeps its robots: beside Pinocchio, in the same prefix."""
    for parent in Path(pin.__file__).parents:
        found = parent / "share" / "example-robot-data" / "robots"
        if found.is_dir():
            return found
    raise FileNotFoundError("example-robot-data is a test dependency: install it.")


def robot(name: str) -> Path:
    """A URDF file by its path below the folder."""
    return folder() / name


def every_robot() -> list[str]:
    """All URDF files but the one that is empty."""
    names = sorted(str(path.relative_to(folder())) for path in folder().rglob("*.urdf"))
    return [name for name in names if name != "ur_description/urdf/ur3.urdf"]


def pinocchio_model(path: Path, free_base: bool) -> pin.Model:
    """The same file, read by Pinocchio."""
    if free_base:
        return pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(str(path))


def to_pinocchio(model: pin.Model, names: tuple[str, ...], q: np.ndarray, free_base: bool):
    """q as Pinocchio orders it, and B with v_pinocchio = B v: it has the base's velocity in the base's own axes."""
    there, B, k = pin.neutral(model), np.zeros((model.nv, model.nv)), 0
    if free_base:
        w, x, y, z = q[3:7]
        there[:7] = [*q[:3], x, y, z, w]
        R = pin.Quaternion(w, x, y, z).toRotationMatrix()
        B[:3, :3] = B[3:6, 3:6] = R.T
        k = 1
    for i, name in enumerate(names):
        joint = model.joints[model.getJointId(name)]
        angle = q[7 * k + i]
        there[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        B[joint.idx_v, 6 * k + i] = 1.0
    return there, B
