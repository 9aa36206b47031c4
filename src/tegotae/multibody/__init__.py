"""Machines of rigid bodies: trees of any size, in time that grows with their size.  [tarao1999]"""

from tegotae.multibody.admittance import TreeAdmittance
from tegotae.multibody.attachments import AtJoint, AtPoint, Between
from tegotae.multibody.bodies import Body, LooseBody
from tegotae.multibody.contact import Touch
from tegotae.multibody.joint_kinds import (
    Cylindrical,
    Fixed,
    Free,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from tegotae.multibody.joints import Lock, Servo
from tegotae.multibody.live_scene import LiveScene
from tegotae.multibody.loops import Loop
from tegotae.multibody.scene import Scene
from tegotae.multibody.shapes import Ball, Box, Corners, HalfSpace, Nearest, Plate, Point, Sphere
from tegotae.multibody.springs import Spring
from tegotae.multibody.stops import JointStop
from tegotae.multibody.tree import Tree, join
from tegotae.multibody.urdf import UrdfWarning, load_urdf

__all__ = [
    "AtJoint",
    "AtPoint",
    "Ball",
    "Between",
    "Body",
    "Box",
    "Corners",
    "Cylindrical",
    "Fixed",
    "Free",
    "HalfSpace",
    "JointStop",
    "LiveScene",
    "Lock",
    "Loop",
    "LooseBody",
    "Mimic",
    "Nearest",
    "Planar",
    "Plate",
    "Point",
    "Prismatic",
    "Revolute",
    "Scene",
    "Servo",
    "Sphere",
    "Spherical",
    "Spring",
    "Touch",
    "Tree",
    "TreeAdmittance",
    "Universal",
    "UrdfWarning",
    "join",
    "load_urdf",
]
