"""How the numbers of a rod on the ground lie: what it is, what it remembers, and where a tick works."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.ports import Port, labels_of
from tegotae.rod.kernels.ground import BLOW, FACE, NEAR, THING
from tegotae.rod.kernels.simd_rows import FIELDS, SIMD


@cache
def grounded_layout(nodes: int, ground: bool, things: int, points: int, ports: tuple[Port, ...]) -> Layouts:
    """The layout of a rod with so many nodes, walls and pegs, and points where loads act.

    Coordinates (x, y, angles) and their rates lie in one piece for the kernels; users know them apart. What only
    ground, walls and pegs do is recorded where there are any.
    """
    met = ground or things > 0
    sizes = {"n": nodes, "m": nodes - 1, "n2": nodes + 2, "things": things, "points": points, "ports": len(ports)}
    rows = -(-nodes // SIMD) * SIMD * FIELDS
    both = (("base", "angle"), ("base_velocity", "angle_rate"))
    z = tuple(name for base, angle in both for name in [base] * 2 + [angle] * nodes)
    labels = labels_of(ports)
    seen = (
        Part("velocity", "m/s", "of a port, mean over the tick (turning in rad/s)", AXIS, labels=labels),
        Part("position", "m", "of a port (its angle in rad)", AXIS, labels=labels),
    )
    return layouts(
        dimension=sum(port.dimension for port in ports),
        sizes={**sizes, "z": 2 * nodes + 4, "d": 3 * len(ports), "rows": rows},
        parameters=_PARAMETERS,
        state=(
            Part("", "m or rad, or of a second", "of the base; of the tangent at every node", ("z",), "z", labels=z),
            *(seen if ports else ()),
            Part(
                "load", "N or N·m", "at each of its points: x, y, torque", ("points", 3), recorded=False, fed=points > 0
            ),
            *(replace(part, recorded=False) if part.name in _MET and not met else part for part in _STATE),
        ),
        workspace=_WORKSPACE,
    )


_PARAMETERS = (
    Part("length", "m", "of each segment", ("m",), "hs"),
    Part("density", "kg/m", "of each segment", ("m",), "rho"),
    Part("elasticity", "N·m²", "of each segment", ("m",), "K"),
    Part("viscosity", "N·m²·s", "of each segment", ("m",), "C"),
    Part("gravity", "m/s²", "in the plane", (2,), "g"),
    Part(
        "middle",
        "-",
        "share of a step after which it takes everything that it does not solve for",
    ),
    Part("tip", "kg, kg·m²", "mass and inertia of the payload", (2,)),
    Part("bristles", "N²", "squares of the limits forward, backward, across; k and b of `ground`", (5, "n")),
    Part("law", "", "rise and speed of Stribeck's law, force to which rounding is compared", (3,)),
    Part("walls", "", "how many of the things", whole=True),
    Part("things", "", "walls, then pegs", ("things", THING)),
    Part("bouncing", "", "how many of them have a restitution", whole=True),
    Part("node", "", "of each port", ("ports",), whole=True),
    Part("along", "-", "direction of the push, if it is of one dimension", (3,)),
    Part("spot", "", "segment of each load", ("points",), whole=True),
    Part("share", "", "of that segment's length, where the load is", ("points",)),
)
_STATE = (
    Part("torque", "N·m", "on the base", recorded=False, fed=True),
    Part("curvature", "1/m", "natural, of each segment", ("m",), recorded=False, fed=True),
    Part("base_motion", "m/s or rad/s", "of the base where it is held", (3,), recorded=False, fed=True),
    Part("held", "-", "1 where the base is: x, y, angle", (3,), whole=True, most=1, recorded=False),
    Part("friction", "N", "of the ground on the nodes", ("n", 2), axes=("node", "axis")),
    Part("contact", "N", "of walls and pegs on the nodes", ("n", 2), axes=("node", "axis")),
    Part("slip_speed", "m/s", "exactly 0 while a node sticks", ("n",), axes=("node",)),
    Part("base_force", "N", "of what holds the base", (2,), axes=("axis",)),
    Part("base_torque", "N·m", "of what holds the base"),
    Part("dissipated", "J", "by viscosity, since the start"),
    Part("work", "J", "of loads, actuation and base, since the start"),
    Part("ground_work", "J", "taken by ground, walls and pegs"),
    Part("largest_turn", "rad", "of a node in one step, since the start", recorded=False),
    Part("anchor", "m", "where the bristles of each node are fixed", (2, "n"), recorded=False),
    Part("anchor_velocity", "m/s", "at which it follows a node that slips", (2, "n"), recorded=False),
    Part("sigma", "-", "how many times its limit each node grips", ("n",), recorded=False),
    Part("face", "m or N", "at walls and pegs: stretch, limit, 1 if lasting", ("n", "things", FACE), recorded=False),
    Part("curvature_before", "1/m", "at the end of the last tick", ("m",), recorded=False),
    Part("change", "m/s or rad/s", "of the rates in the last two steps", (2, "n2"), recorded=False),
    Part("trouble", "-", "1 if a node turned too far", whole=True, most=1, recorded=False),
    Part(
        "", "-", "so far", (5,), "counts", whole=True, recorded=False,
        labels=("steps", "trials", "shortened_trials", "unsolved", "ticks"),
    ),
)  # fmt: skip
_MET = ("friction", "contact", "slip_speed", "ground_work")
_WORKSPACE = (
    Part("rows", "", "see `simd_rows`", ("rows",)),
    Part("near", "m", "normal and gap of each wall and peg", ("n", "things", NEAR)),
    Part("blows", "", "see `impact`", ("n", "things", BLOW)),
    Part("y", "m or rad", "coordinates where the step takes them", ("n2",)),
    Part("turning", "m/s, rad/s", "rates there", ("n2",)),
    Part("first", "m/s, rad/s", "rates of the first trial", ("n2",)),
    Part("trial", "m/s, rad/s", "rates under the force on the ports", ("n2",)),
    Part("a", "m/s², rad/s²", "accelerations", ("n2",)),
    Part("swing", "m/s²", "of a base that is held", (3,)),
    Part("P", "", "inertia felt at the base", (3, 3)),
    Part("b", "", "force felt there", (3,)),
    Part("re", shape=(6,)),
    Part("im", shape=(6,)),
    Part("grip", "", "inertia felt at the base, as the trial grips", (3, 3)),
    Part("unit", "", "of force", (6,)),
    Part("J", "m/(N·s)", "motion of the ports by each unit of force", ("d", "ports", 3)),
    Part("own", "N, N·m", "load on each port's node beside its force", ("ports", 3)),
    Part("push", "N", "force on the ports, and torque", ("d",)),
    Part("h", "N", "that for which the step is solved", ("d",)),
    Part("speed", "m/s", "of the ports under it", ("d",)),
    Part("place", "m", "of the ports, where the rod says they are", ("d",)),
    Part("solved", "", "1 if it is", whole=True),
    Part("counts", "", "of that solve", (4,), whole=True),
)
