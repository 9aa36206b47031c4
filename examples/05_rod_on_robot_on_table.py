"""Machines joined into one: a soft rod in a robot's hand, the robot standing on the plate of a motion table.

A wheel whose column rubs turns the robot's elbow through a shaft. No module of tegotae knows this machine: a tree of
bodies, a rod, a table and a mass are joined by impedances between their ports, and all of them are solved together in
each tick.

    python examples/05_rod_on_robot_on_table.py
    python examples/05_rod_on_robot_on_table.py --torque 0.1 --plot joined.png
"""

import argparse

import numpy as np

import tegotae as tg
from tegotae.multibody import AtJoint, AtPoint, Body, Free, Revolute, Tree, TreeAdmittance
from tegotae.rod import GroundedRod, PlanarRod
from tegotae.table import HexaPlant

PERIOD = 2e-3  # that of the table's servo
HAND = (0.0, 0.0, 0.1)
# The rod lies in the robot's x-z plane: it sees x, z, and the turn from x towards z, which is about -y.
INTO_PLANE = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, -1, 0]], dtype=float)
# A turn of 1 rad counts as 50 mm: so soft are the feet against tipping.
FEET = np.diag([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])


def robot(gravity: float = 9.81) -> Tree:
    """Two links on a foot that nothing holds."""
    swing = {"joint": Revolute(axis=(0, 1, 0), damping=0.02)}
    foot = Body(name="foot", mass=0.8, inertia=(2e-3, 2e-3, 2e-3), joint=Free())
    upper = Body(name="shoulder", mass=0.3, center=(0, 0, 0.1), inertia=(1e-3, 1e-3, 2e-4), parent="foot", **swing)
    hand = {"mass": 0.2, "center": (0, 0, 0.05), "inertia": (4e-4, 4e-4, 1e-4), "position": (0, 0, 0.2)}
    return Tree([foot, upper, Body(name="elbow", parent="shoulder", **hand, **swing)], gravity=(0, 0, -gravity))


def machine(plate: tg.Admittance, gravity: float = 9.81) -> tg.Circuit:
    """All of it, on something that has one port in space."""
    places = {"foot": "foot", "hand": AtPoint("elbow", HAND), "elbow": AtJoint("elbow")}
    beam = PlanarRod(length=0.3, nodes=9, density=0.1, elasticity=4e-3, viscosity=1e-4, gravity=(0.0, -gravity))
    machines = {
        "table": plate,
        "arm": TreeAdmittance(tree=robot(gravity), at=places),
        "rod": GroundedRod(rod=beam, at=("base", "tip")),
        "wheel": tg.Mass(mass=0.01),
    }
    links = {
        "feet": tg.Link(
            tg.SpringDamper(stiffness=2e4, damping=60.0, dimension=6), "arm.foot", "table", ratio=FEET, other_ratio=FEET
        ),
        "grip": tg.Link(
            tg.SpringDamper(stiffness=2e3, damping=5.0, dimension=3), "arm.hand", "rod.base", ratio=INTO_PLANE
        ),
        "shaft": tg.Link(tg.SpringDamper(stiffness=50.0, damping=0.05), "wheel", "arm.elbow"),
        "column": tg.Link(tg.FrictionImpedance(stiffness=200.0, damping=0.05, law=tg.Coulomb(0.05)), "wheel"),
    }
    return tg.Circuit(machines, links)


def draw(run: tg.Result, path: str) -> None:
    from tegotae import figures

    with figures.style():
        figure, axes = figures.sheet(3, 1, height=6.0)
        axes[0, 0].plot(run.time, run["force.wheel"], color=figures.QUIET, label="torque on the wheel")
        axes[0, 0].plot(run.time, run["column.force"], color=figures.AMBER, label="friction of its column")
        axes[0, 0].set(
            ylabel="[N·m]",
            title="A rod in the hand of a robot that stands on a motion table",
        )
        axes[1, 0].plot(run.time, run["arm.position.elbow"], color=figures.BLUE, label="elbow [rad]")
        axes[1, 0].plot(run.time, 10.0 * run["rod.position.tip"][:, 1], color=figures.GREEN, label="tip, up [dm]")
        axes[2, 0].plot(run.time, 1e3 * run["table.velocity"][:, 0], color=figures.BLUE, label="plate, sideways")
        axes[2, 0].set(xlabel="time [s]", ylabel="[mm/s]")
        for row in axes[:, 0]:
            low, high = row.get_ylim()
            row.set_ylim(low, high + 0.3 * (high - low))  # room for the key above the curves
            row.legend(ncols=2, loc="upper right")
    print(f"wrote {figures.save(figure, path)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=1500, help="of 2 ms each (default 1500)")
    parser.add_argument("--torque", type=float, default=0.2, help="on the wheel, to and fro [N·m] (default 0.2)")
    parser.add_argument("--plot", metavar="FILE", help="draw it into this file")
    given = parser.parse_args()
    torque = given.torque * np.sin(2 * np.pi * PERIOD * np.arange(given.ticks))
    run = machine(HexaPlant.default()).run({"wheel": torque}, period=PERIOD)
    turned, carried = run["arm.position.elbow"], np.abs(run["column.force"]).max()
    print(f"{given.ticks} ticks, {run.about['unsolved_steps']} of them unsolved")
    print(f"the elbow turns by {np.ptp(turned):.3f} rad, the column rubs with up to {carried:.3f} N·m")
    print(f"the plate moves by up to {1e3 * np.abs(run['table.velocity'][:, :3]).max():.1f} mm/s under the robot")
    if given.plot:
        draw(run, given.plot)


if __name__ == "__main__":
    main()
