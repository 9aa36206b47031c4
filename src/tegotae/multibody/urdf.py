"""Robots from URDF files, as they are found: flaws and what is not supported are named in one warning."""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.extras import require
from tegotae.friction import Coulomb, FrictionImpedance
from tegotae.multibody.bodies import SPECK, Body, LooseBody
from tegotae.multibody.joint_kinds import Fixed, Free, Joint, Mimic, Planar, Prismatic, Revolute
from tegotae.multibody.stops import JointStop
from tegotae.multibody.tree import Tree, loop_of
from tegotae.multibody.urdf_file import UrdfFile

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


class UrdfWarning(UserWarning):
    """What of a URDF file is not supported, or is such as no machine has; it was loaded all the same.

    To refuse such files: ``warnings.simplefilter("error", UrdfWarning)``.

    Example:
        >>> from tegotae.multibody import UrdfWarning
        >>> issubclass(UrdfWarning, UserWarning)
        True
    """


def load_urdf(
    path: str | os.PathLike[str],
    *,
    free_base: bool = False,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    friction_stiffness: float = 1e4,
    friction_damping: float = 10.0,
    stop: JointStop | None = None,
) -> Tree:
    """A machine from a URDF file: masses, inertias, joints, limits, damping and friction. Meshes are not looked at.

    Bodies are named as the links, joints of one degree as in the file (`Tree.joint_names`: parents first, otherwise
    in the order of the file's joints). The root link stands in the world, or flies: then q begins with the position of
    its frame [m] and its quaternion (w, x, y, z), v with the velocity of that origin [m/s] and the angular velocity
    [rad/s], in world axes. A `floating` joint is a `Free` body, with the same coordinates, as seen from its parent if
    that can move.

    ``<dynamics friction="F">`` becomes a `FrictionImpedance` with `Coulomb(F)`. A file does not say how far a joint
    gives before it slips: with the stiffness below, a friction of 10 N·m gives way after 1 mrad.

    A joint with ``<mimic>`` follows the other exactly (`Mimic`). A planar joint slides along two axes across its own,
    and turns about it (`Planar`).

    One `UrdfWarning` lists by name what is not supported (transmissions, springs, ...) and what no machine has
    (massless links, impossible inertias); the file is loaded all the same.

    Args:
        path: of the file.
        free_base: whether the root link flies. (A root without mass whose joints are all floating is the world.)
        gravity: acceleration of a falling body [m/s²].
        friction_stiffness: of a joint that sticks [N·m/rad, N/m], > 0.
        friction_damping: of a joint that sticks [N·m·s/rad, N·s/m], >= 0.
        stop: what stops each joint at the limits that the file gives; unless given limits are told to controllers
            only. One and the same for hinges and slides.

    Example:
        >>> import pathlib, tempfile
        >>> from tegotae.multibody import load_urdf
        >>> text = '''<robot name="pendulum"> <link name="base"/>
        ...   <link name="rod"> <inertial> <origin xyz="0 0 -0.5"/> <mass value="2"/>
        ...     <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
        ...   <joint name="hinge" type="continuous"> <parent link="base"/> <child link="rod"/> <axis xyz="0 1 0"/>
        ...     <dynamics damping="0.1" friction="0.5"/> </joint> </robot>'''
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "pendulum.urdf")
        ...     _ = file.write_text(text)
        ...     tree = load_urdf(file)
        >>> tree.joint_names, tree.mass, tree.joints["hinge"].damping
        (('hinge',), 2.0, 0.1)
    """
    K = checks.positive("load_urdf", "friction_stiffness", friction_stiffness, "N·m/rad", "Give about 1e4.")
    B = checks.at_least_zero("load_urdf", "friction_damping", friction_damping, "N·m·s/rad", "Give 0 for none.")
    if stop is not None:
        checks.instance("load_urdf", "stop", stop, JointStop, "Give JointStop(...), or None.")
    file = UrdfFile(path)
    builder = _Builder(file, _parsed(file), K, B, stop)
    try:
        tree = Tree(builder.bodies(checks.flag("load_urdf", "free_base", free_base)), gravity=gravity)
    except InputError as error:
        why = str(error)  # of a joint it names the file already
        raise InputError(why if why.startswith(f"{file.name}: ") else f"{file.name}: {why}") from error
    for body in tree.bodies:
        if tree.frames[body.name][0] < 0:
            continue  # what stands in the world needs no mass
        if body.mass == 0.0:
            file.note("links without mass", body.name)
        elif float(np.abs(body.inertia).max()) <= SPECK**2 * abs(body.mass):
            file.note("links with mass, but without moments of inertia", body.name)
    notes = [f"{what}: {', '.join(names)}" for what, names in file.notes.items()] + list(tree.flaws)
    if notes:
        warnings.warn("\n  ".join([f"{file.name}: loaded, but", *notes]), UrdfWarning, stacklevel=2)
    return tree


def _parsed(file: UrdfFile) -> Any:
    """The `yourdfpy.Robot` of what the file says of links and joints; no geometry, no meshes."""
    require("load_urdf", "yourdfpy")
    import yourdfpy  # type: ignore[import-untyped]  # takes most of a second, and only files need it

    text = io.BytesIO(ElementTree.tostring(file.root))
    return yourdfpy.URDF.load(
        text, mesh_dir="", build_scene_graph=False, load_meshes=False, build_collision_scene_graph=False
    ).robot


class _Builder:
    """Bodies from links and joints."""

    def __init__(self, file: UrdfFile, robot: Any, stiffness: float, damping: float, stop: JointStop | None) -> None:
        self.file, self.stiffness, self.damping, self.stop = file, stiffness, damping, stop
        self.links: Mapping[str, Any] = {link.name: link for link in robot.links}
        self.joints: list[Any] = robot.joints
        self.above: dict[str, Any] = {}  # each link but the root by the joint that carries it
        self._check_names(robot)
        self.root = self._root()

    def bodies(self, free_base: bool) -> list[Body]:
        """The root, then each link in the order of the joints that carry them."""
        below = [joint for joint in self.joints if joint.parent == self.root]
        link = self.links[self.root]
        bare = link.inertial is None or link.inertial.mass in (None, 0.0)
        the_world = bool(below) and bare and all(joint.type == "floating" for joint in below)
        self.flies = free_base and not the_world
        root = self._body(self.root, None, Free() if self.flies else Fixed(), np.eye(4))
        return [root, *(self._carried(joint) for joint in self.joints)]

    def _carried(self, joint: Any) -> Body:
        made = self._joint(joint)
        moves = self.flies or any(one.type != "fixed" for one in self._up_from(joint.parent))
        if isinstance(made, Free) and not moves:
            return self._body(joint.child, None, made, self._placed(joint.child))
        return self._body(joint.child, joint.parent, made, _origin(joint))

    def _body(self, name: str, parent: str | None, joint: Joint, origin: Array) -> Body:
        inertial = self.links[name].inertial
        mass, inertia, at = 0.0, np.zeros((3, 3)), np.eye(4)
        if inertial is not None:
            at = _origin(inertial)
            mass = inertial.mass or 0.0
            inertia = inertia if inertial.inertia is None else inertial.inertia
        turned = at[:3, :3] @ inertia @ at[:3, :3].T
        return LooseBody(
            name=name,
            mass=mass,
            inertia=(turned + turned.T) / 2.0,
            center=at[:3, 3],
            parent=parent,
            joint=joint,
            position=origin[:3, 3],
            rotation=origin[:3, :3],
        )

    def _joint(self, joint: Any) -> Joint:
        if joint.type == "fixed":
            return Fixed()
        if joint.type == "planar":
            return Planar(axis=joint.axis, name=joint.name)
        if joint.type == "floating":
            return Free()
        limits, (damping, friction) = self._limits(joint), self._resistance(joint)
        if any(math.isfinite(limits.get(side, math.inf)) for side in ("lower", "upper")):
            limits["stop"] = self.stop
        kind: type[Revolute | Prismatic] = Prismatic if joint.type == "prismatic" else Revolute
        try:
            mimic = self._followed(joint)
            return kind(axis=joint.axis, name=joint.name, damping=damping, friction=friction, mimic=mimic, **limits)
        except InputError as error:
            raise InputError(f"{self.file.name}: joint {joint.name!r}: {error}") from error

    def _followed(self, joint: Any) -> Mimic | None:
        """The joint that it follows; one that has no degree to follow is noted."""
        if joint.mimic is None:
            return None
        one_degree = [one.name for one in self.joints if one.type in ("revolute", "continuous", "prismatic")]
        if joint.mimic.joint not in one_degree or joint.mimic.joint == joint.name:
            self.file.note("mimic of what is no other joint of one degree, these joints move on their own", joint.name)
            return None
        given = joint.mimic.multiplier, joint.mimic.offset
        ratio, offset = (
            default if value is None else float(value) for value, default in zip(given, (1.0, 0.0), strict=True)
        )
        return Mimic(joint.mimic.joint, ratio=ratio, offset=offset)

    def _limits(self, joint: Any) -> dict[str, Any]:
        """By the names of the fields of a joint; what the file does not give, or what cannot be, is left out."""
        limit, note = joint.limit, self.file.note
        found: dict[str, Any] = {name: getattr(limit, name, None) for name in ("lower", "upper", "effort", "velocity")}
        if joint.type == "continuous":
            found["lower"] = found["upper"] = None
        elif None in (found["lower"], found["upper"]):
            note("limits are missing, none are set", joint.name)
        elif found["lower"] > found["upper"]:
            note("lower limits above the upper, none are set", joint.name)
            found["lower"] = found["upper"] = None
        for name in ("effort", "velocity"):
            if (found[name] or 0.0) < 0.0:
                note(f"limits of {name} below 0, none are set", joint.name)
                found[name] = None
        found["speed"] = found.pop("velocity")
        return {name: value for name, value in found.items() if value is not None}

    def _resistance(self, joint: Any) -> tuple[float, FrictionImpedance | None]:
        """Viscous damping and dry friction; yourdfpy leaves them as texts."""
        given = joint.dynamics
        damping = 0.0 if given is None else float(given.damping or 0.0)
        limit = 0.0 if given is None else float(given.friction or 0.0)
        if damping < 0.0 or limit < 0.0:
            self.file.note("damping or friction below 0, taken as 0", joint.name)
        if limit <= 0.0:
            return max(damping, 0.0), None
        law = Coulomb(limit)
        return max(damping, 0.0), FrictionImpedance(stiffness=self.stiffness, damping=self.damping, law=law)

    def _up_from(self, link: str) -> Iterator[Any]:
        """The joints that carry a link, down to the root."""
        while link in self.above:
            yield self.above[link]
            link = self.above[link].parent

    def _placed(self, link: str) -> Array:
        """Where a link is in the world while every joint is at 0."""
        place = np.eye(4)
        for joint in self._up_from(link):
            place = _origin(joint) @ place
        return place

    def _check_names(self, robot: Any) -> None:
        file = self.file
        for what, things in (("links", robot.links), ("joints", robot.joints)):
            names = [thing.name for thing in things]
            twice = [name for i, name in enumerate(names) if name in names[:i]]
            if twice:
                file.refuse(f"two {what} are named {twice[0]!r}.", "Give each a name of its own.")
        for joint in robot.joints:
            if joint.type not in TYPES:
                problem = f"joint {joint.name!r} has type={checks.shown(joint.type)}."
                file.refuse(problem, f"Known are {', '.join(TYPES)}.")
            for end, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in self.links:
                    file.refuse(f"joint {joint.name!r} has {end} {link!r}, and no link is named so.", "Add the link.")
            if other := self.above.get(joint.child):
                ends = f"joints {other.name!r} and {joint.name!r} both carry link {joint.child!r}: a loop."
                file.refuse(ends, "Loops are not supported: leave one of them out.")
            self.above[joint.child] = joint

    def _root(self) -> str:
        roots = [name for name in self.links if name not in self.above]
        if not self.links:
            self.file.refuse("there are no links.", "Give at least one <link>.")
        if len(roots) > 1:
            listed = ", ".join(repr(name) for name in roots)
            self.file.refuse(f"links {listed} are carried by no joint.", "One may be: join the others to it.")
        if ring := loop_of({name: self.above[name].parent if name in self.above else None for name in self.links}):
            loop = " on ".join(repr(one) for one in ring)
            self.file.refuse(f"links hang in a loop: {loop}.", "Open it: leave one of the joints out.")
        return roots[0]


def _origin(thing: Any) -> Array:
    return np.eye(4) if thing.origin is None else np.asarray(thing.origin, dtype=np.float64)
