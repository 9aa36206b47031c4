"""Parts that a scene has for its ports: where they are, what is seen of them, and where a trial works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae.layout import AXIS, Part
from tegotae.multibody.tree_parts import labelled
from tegotae.ports import labels_of, spans

if TYPE_CHECKING:
    from tegotae.multibody.attachments import Wired

_PORTS, _TAPS = ("ports",), ("taps",)
PORTS = (
    Part("row", "", "where the force of each port begins among those of all", _PORTS, whole=True),
    Part("rows", "", "of each port: 1 or 6", _PORTS, whole=True),
    Part("along", "", "direction of force and moment of ports of one row", ("ports", 6)),
    Part("joint", "", "body whose joint is pushed; -1 for points", _PORTS, whole=True),
    Part("first", "", "tap that is pushed", _PORTS, whole=True),
    Part("second", "", "tap that is pushed the other way; -1 for none", _PORTS, whole=True),
    Part("tapped", "", "body of each tap", _TAPS, whole=True),
    Part("point", "m", "of each tap, in its body's internal frame", ("taps", 3)),
    Part("frame", "", "rotation of the body's own frame in its internal one", ("taps", 9)),
)


def port_values(ports: Sequence[Wired]) -> dict[str, ArrayLike]:
    """What `PORTS` are for the ports of a tree."""
    taps = [tap for port in ports for tap in port.taps]
    counts = [len(port.taps) for port in ports]
    first = np.cumsum([0, *counts[:-1]])
    return {
        "row": [place.start for place in spans([port.port for port in ports]).values()],
        "rows": [port.port.dimension for port in ports],
        "along": np.array([port.rows[0] for port in ports]),
        "joint": [port.joint for port in ports],
        "first": first,
        "second": np.where(np.array(counts) > 1, first + 1, -1),
        "tapped": [tap.k for tap in taps],
        "point": [tap.inside for tap in taps],
        "frame": [tap.turn for tap in taps],
    }


_MOTION = (
    Part("velocity", "m/s or rad/s", "where it is pushed, mean over the tick", AXIS),
    Part("position", "m or rad", "where it is pushed; turns added up", AXIS),
)
_PLACE = (
    Part("", "m", "of the point that is pushed", ("taps", 3), "z"),
    Part("", "-", "w, x, y, z of the frame of the body that is pushed", ("taps", 4), "quaternion"),
)
_PATH = Part("path", "m", "of each tap: its motions added up", ("taps", 3), "x", recorded=False)
TRIALS = (
    Part("settled", "", "1 if the step is, under the forces that are held", whole=True),
    Part("held", "N", "forces", AXIS),
    Part("moved", "m/s", "the motion that they give", AXIS),
    Part("unpushed", "N·m or N", "torque in each pushed joint without them", _PORTS),
    Part("beside", "N", "wrench on each tapped body without them", ("taps", 6)),
    Part("way", "m", "from the centre of mass of each tap's body to the tap", ("taps", 3)),
    Part("unit", "N", "a wrench", (6,)),
    Part("tap_motion", "m/s", "of each tap", ("taps", 6)),
    Part("given", "N", "a force, where it is one number", AXIS),
    Part("known", "", "which slope of this tick is known, see `kernels/port_stepping.py`", whole=True),
    Part("slopes", "m/s/N", "that one", ("axis", "axis")),
    Part("resisted", "", "how joints resisted there", ("speeds",)),
    Part("felt", "m/s", "rows of the dual by a unit of force in each direction", ("rows", "axis")),
    Part("shift", "N", "their forces by that", ("rows", "axis")),
    Part("rises", "", "of the friction of joints that slip, by block of the dual", ("blocks",)),
)


def port_state(ports: Sequence[Wired]) -> tuple[Part, ...]:
    """What is remembered of these ports, by their names."""
    labels, taps = labels_of([port.port for port in ports]), [tap.label for port in ports for tap in port.taps]
    places = [[f"{name}{tap}" for tap in taps for _ in range(n)] for name, n in (("place", 3), ("quaternion", 4))]
    return (*labelled(_MOTION, labels, labels), *labelled(_PLACE, *places), _PATH)
