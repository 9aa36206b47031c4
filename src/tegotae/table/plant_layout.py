"""How the numbers of a table lie: mechanism, servo, sensor and surface, what it remembers, where a tick works."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from functools import cache
from typing import Any

from numpy.typing import ArrayLike

from tegotae.layout import AXIS, Layout, Layouts, Nested, Part, Space, layouts
from tegotae.ports import SPATIAL, Port, labels_of, port_of
from tegotae.table.kernels.hexa import ROW

_SIX, _SQUARE, _TURN, _PLACE = (6,), (6, 6), (3, 3), (3,)

# ------------------------------------------------------------ what it is

MECHANISM = Layout(
    (
        Part("geometry", "m", "one row an arm, see `Hexa.geometry`", (6, 10), "G"),
        Part("mass", "kg", "of plate, payload and the rods' ends", letter="m"),
        Part("first_moment", "kg·m", "of these, in the plate's axes", _PLACE, "mc"),
        Part("inertia", "kg·m2", "of these about the joints' centre, in the plate's axes", _TURN, "I"),
        Part("arm_inertia", "kg·m2", "about the motor's axis, with the rod's end", letter="I_arm"),
        Part("arm_moment", "kg·m", "of an arm with the rod's end", letter="mc_arm"),
        Part("middle_mass", "kg", "of a rod", letter="m_rod"),
        Part("gravity", "m/s2", "along -z", letter="g"),
    )
)
SURFACE = Layout(
    (
        Part("height", "m", "of the plane along z", letter="z"),
        Part("stiffness", "N/m", "0 where there is no surface", letter="k"),
        Part("damping", "N·s/m", letter="c"),
        Part("probe", "m", "its tip from the joints' centre, in the plate's axes", _PLACE, "tip"),
        Part("friction", "-", "coefficient of dry friction", letter="mu"),
    )
)
SERVO = Layout(
    (
        Part("stiffness", "N·m/rad", "of the motors", _SIX, "Kp"),
        Part("damping", "N·m·s/rad", "of the motors", _SIX, "Kd"),
        Part("limit", "N·m", "of the motors", _SIX),
        Part("resolution", "rad", "of the encoders"),
        Part("compensation", "-", "share of the weight that is fed forward"),
        Part("feedforward", "-", "share of the reference's rate"),
        Part("feedforward_in_contact", "-", "the same beyond the threshold"),
        Part("contact_threshold", "N", "of the force that the sensor read"),
    )
)
SENSOR = Layout(
    (
        Part("sensitivity", "1/N, 1/N·m", "strains of unit wrenches", _SQUARE, "E"),
        Part("calibration", "N, N·m", "from strains to the wrench", _SQUARE, "C"),
        Part("tare", "-", "strains taken for zero", _SIX),
        Part("noise", "-", "standard deviation of each strain", _SIX),
        Part("load", "N, N·m", "that always weighs on it", _SIX),
        Part("limit", "N, N·m", "beyond which it is cut off", _SIX),
        Part("cutoff", "Hz", "of the low pass"),
    )
)
_ANY = {"whole": True, "least": -(2**63), "most": 2**63 - 1}
SENSOR_STATE = Layout(
    (
        Part("strain", "-", "filtered", _SIX, recorded=False),
        Part("late", "-", "strains on their way, a ring", ("delay", 6), recorded=False),
        Part("place", "-", "in the ring", whole=True, recorded=False),
        Part("chance", "-", "state of the noise's generator", recorded=False, **_ANY),  # type: ignore[arg-type]
    )
)

# ------------------------------------------------------------ what it remembers

_AXES, _SPACE, _MATRIX = ("axis",), ("space",), ("row", "column")
_BOTH = "m/s, rad/s"
_SEEN = (
    Part("position", "m", "of the plate, true", _PLACE, "p", axes=_SPACE),
    Part("rotation", "-", "of the plate, true", _TURN, "R", axes=_MATRIX),
    Part("twist", _BOTH, "of the plate, true", _SIX, "u", axes=_AXES),
    Part("angle", "rad", "of the arms, as counted", _SIX, "th", axes=_AXES),
    Part("torque", "N·m", "of the motors, held over the tick", _SIX, "tau", axes=_AXES),
    Part("measured_position", "m", "of the plate, from the encoders", _PLACE, "x", axes=_SPACE),
    Part("measured_rotation", "-", "of the plate, from the encoders", _TURN, "X", axes=_MATRIX),
    Part("measured_wrench", "N, N·m", "as the sensor reads it", _SIX, "F", axes=_AXES),
    Part("signal", "-", "strains of the sensor, before tare and calibration", _SIX, axes=_AXES),
    Part("contact_force", "N", "of the surface on the plate, true", _PLACE, "contact", axes=_SPACE),
    Part("command_position", "m", "wanted", _PLACE, "xd", fed=True, axes=_SPACE),
    Part("command_rotation", "-", "wanted", _TURN, "Xd", fed=True, axes=_MATRIX),
    Part("saturated", "-", "motors at their limit", whole=True),
    Part("overload", "-", "axes of the sensor beyond their limit", whole=True),
)
_KEPT = (
    Part("quaternion", "-", "of the plate, (w, x, y, z)", (4,), "q", recorded=False),
    Part("previous_angle", "rad", "of the arms a tick ago, as counted", _SIX, "th0", recorded=False),
    Part("previous_reference", "rad", "of the arms", _SIX, "thd0", recorded=False),
    Part("previous_measured_position", "m", "a tick ago", _PLACE, "x0", recorded=False),
    Part("previous_measured_rotation", "-", "a tick ago", _TURN, "X0", recorded=False),
    Part("anchor", "m", "of the tip's friction, on the surface", (2,), "a", recorded=False),
    Part("deflection", "m", "of the tip from its anchor", (2,), "e", recorded=False),
    Part("ticks", "-", "taken so far", whole=True, recorded=False),
    Part("trouble", "-", "why it cannot go on, see `WHY`; 0 if it can", whole=True, recorded=False, most=5),
)

# ------------------------------------------------------------ where a tick works

# See `kernels/dynamics.py`.
MECHANISM_WORKSPACE = Layout(
    (
        Part("th", "rad", "angles of the arms", _SIX),
        Part("thd", "rad/s", "their rates", _SIX),
        Part("N", "", "what the pose makes of the arms, a row each", (6, ROW)),
        Part("W", "", "J^-1", _SQUARE),
        Part("M", "", "inertia of the plate", _SQUARE),
        Part("h", "", "what acts beside motors and hands", _SIX),
        Part("R", "", "rotation of the plate", _TURN),
        Part("P", "", "its inertia in the world's axes", _TURN),
        Part("J", "", "of the middle of a rod", (3, 6)),
    )
)
_WORK = (
    Nested("o", MECHANISM_WORKSPACE, "mechanism."),
    Part("trouble", "", "why this tick cannot be taken", whole=True),
    Part("saturated", "", "motors at their limit", whole=True),
    Part("thd", "rad", "references of the arms", _SIX),
    Part("tau", "N·m", "of the motors", _SIX),
    Part("th", "rad", "angles as counted at the end", _SIX),
    Part("y", "", "pose and twist as they move on", (13,)),
    Part("at", "", "pose and twist that a stage looks at", (13,)),
    Part("k", "", "stages of a Runge-Kutta step", (4, 13)),
    Part("way", "m", "since the start of the tick", _PLACE),
    Part("turn", "", "since the start of the tick, a quaternion of some length", (4,)),
    Part("tip", "m", "of the probe from the joints' centre, at the start of the tick", _PLACE),
    Part("a", "m", "anchor", (2,)),
    Part("e", "m", "deflection", (2,)),
    Part("push", "N, N·m", "of the surface on the plate, about the joints' centre", _SIX),
    Part("stuck", "m", "deflection as if the tip stuck", (2,)),
    Part("x", "m", "pose that fits the encoders", _PLACE),
    Part("X", "", "its rotation", _TURN),
    Part("Q", "", "workspace for a rotation", _TURN),
    Part("A", "", "workspace for a matrix", _SQUARE),
    Part("f", "", "workspace for a vector", _SIX),
    Part("wrench", "N, N·m", "of all ports, about the joints' centre", _SIX),
    Part("F", "N, N·m", "of a trial", AXIS),
    Part("moved", "", "motion in a trial", AXIS),
)


# ------------------------------------------------------------ as kernels take them from Python


@cache
def _kind(layout: Layout) -> Any:
    return namedtuple("Parts", [item.key for item in layout.items])


def room_of(layout: Layout, values: Mapping[str, ArrayLike] | None = None, delay: int = 0) -> Any:
    """Its parts by letter, as arrays: with these values, or for a kernel to work in."""
    space = Space(layout, {"delay": delay})
    memory = space.empty() if values is None else space.pack(values)
    return _kind(layout)(*(space.part(memory, name) for name in space.places))


def numbers_of(layout: Layout, values: Mapping[str, ArrayLike]) -> Any:
    """Its parts by letter, single numbers as such."""
    return _kind(layout)(*(part.item() if part.size == 1 else part for part in room_of(layout, values)))


# ------------------------------------------------------------ all of it


def ports_at(places: tuple[str, ...]) -> tuple[Port, ...]:
    """Ports of these names, in all directions each."""
    return tuple(port_of(name, SPATIAL) for name in places)


@cache
def plant_layout(delay: int, at: tuple[str, ...]) -> Layouts:
    """The layout of a table whose sensor is so many samples late; one compiled loop serves them all."""
    velocity = Part("velocity", _BOTH, "mean over the tick", AXIS, "v", labels=labels_of(ports_at(at)))
    parameters = (
        Part("plate_row", "", "where the wrench on the plate begins; -1 for nowhere", whole=True, letter="plate"),
        Part("sensor_row", "", "where that on the sensor begins; -1 for nowhere", whole=True, letter="sensor"),
        Part("substeps", "", "of the motion in a tick", whole=True, letter="n"),
        Part("arm_range", "rad", "smallest and largest angle", (2,)),
    )
    parts = (
        ("B", MECHANISM, "mechanism."),
        ("C", SURFACE, "surface."),
        ("V", SERVO, "servo."),
        ("S", SENSOR, "sensor."),
    )
    return layouts(
        dimension=6 * len(at),
        sizes={"delay": delay},
        parameters=(*(Nested(*part) for part in parts), *parameters),
        state=(velocity, *_SEEN, *_KEPT, Nested("sensor", SENSOR_STATE, "sensor.")),
        workspace=_WORK,
    )
