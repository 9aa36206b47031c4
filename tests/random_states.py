"""Every block of the package, and states that no user should give it. Run by itself, it gives them all of these.

A crash is what is looked for, so it runs in a process of its own: `python random_states.py SEED TRIALS`.
"""

import dataclasses
import importlib
import math
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import tegotae as tg
from tegotae.block import Block
from tegotae.compile import backend
from tegotae.shipped_machines import classic_blocks, composites, movers

PERIOD = 1e-3
STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)
WALL = tg.VirtualWall(stiffness=100.0, damping=1.0, point=0.1, normal=-1.0)
STACK = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0, 5.0, 9.0])
HOSTILE = [
    np.nan,
    np.inf,
    -np.inf,
    -0.0,
    5e-324,
    1e308,
    -1e308,
    1e8,
    -1.0,
    0.5,
    1.0,
    2.0,
    3.0,
    5.0,
    6.0,
    2.0**53,
    2.0**63,
]
WHOLE = [-(2**63), -(2**53), -7, -1, 0, 1, 2, 3, 5, 6, 10**8, 2**31, 2**53, 2**62, 2**63 - 1]


def plain_blocks() -> Iterator[Block]:
    """Friction, composites, classics, controllers."""
    for dimension in (1, 2, 3):
        yield tg.FrictionImpedance(stiffness=6000.0, damping=20.0, law=STRIBECK, dimension=dimension)
        yield tg.FrictionImpedance(
            stiffness=6000.0, damping=20.0, law=STRIBECK, mass=0.1, lag=0.01, dimension=dimension
        )
        yield tg.FrictionAdmittance(mass=1.0, law=STRIBECK, lag=0.01, dimension=dimension)
    yield tg.FrictionImpedance(stiffness=6000.0, law=tg.Tabulated([0.0, 0.1, 1.0], [3.0, 2.9, 3.1]), damping=20.0)
    yield tg.Mass(mass=1.0, dimension=2)
    yield tg.SpringDamper(stiffness=100.0, damping=1.0)
    yield WALL
    yield tg.VirtualWall(stiffness=100.0, damping=1.0, point=(0.1, 0.0), normal=(-1.0, 0.2), dimension=2)
    yield STACK
    yield tg.ParallelFriction(stiffness=1e4, limits=range(1, 60))
    kinds = {type(block): block for block in classic_blocks()}  # one law is enough
    yield from kinds.values()
    yield from list(composites())[1:4]
    yield tg.ParallelFriction(stiffness=1e4, damping=5.0, mass=0.1, laws=[STRIBECK, tg.Coulomb(1.0)], dimension=2)


def tyres() -> Iterator[Block]:
    """Patches, and vehicles on them."""
    from tegotae.fitting.recipes.steering import FeltSteering
    from tegotae.steering import Bicycle, Carcass, Column, ContactPatch, SteeringSystem, TorsionBar
    from tegotae.steering.patch import PlanarPatch

    yield ContactPatch(bristles=5)
    yield ContactPatch(bristles=5, friction=STRIBECK, carcass=Carcass(stiffness=1e5))
    yield PlanarPatch(bristles=5, rows=2)
    yield Bicycle(mass=1000.0, yaw_inertia=1500.0, front=1.2, rear=1.4).on(ContactPatch(bristles=5))
    yield FeltSteering(system=SteeringSystem.paper(speed=10.0))
    bent = Column(compliance=TorsionBar())
    yield from (Column(), bent, SteeringSystem.paper(speed=10.0), SteeringSystem.physical(speed=5.0, bristles=5))
    yield SteeringSystem(patch=ContactPatch(bristles=5), column=bent, arms=tg.SpringDamper(stiffness=10.0, damping=1.0))
    yield tg.Circuit({"column": Column(gear=7.3)}, {"tyre": tg.Link(ContactPatch(bristles=5), "column.tyre")})
    yield SteeringSystem.paper(speed=10.0).circuit()


def gust(t):
    """An input of a machine [N]."""
    return 3.0 * math.sin(40.0 * t)


def machines() -> Iterator[Block]:
    """What has other blocks or whole machines inside."""
    import sympy

    from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio
    from tegotae.multibody import (
        AtJoint,
        AtPoint,
        Between,
        Body,
        Free,
        HalfSpace,
        JointStop,
        Point,
        Revolute,
        Scene,
        Touch,
        Tree,
        TreeAdmittance,
    )
    from tegotae.multibody.joints import Lock, Servo

    yield from movers()
    yield from rods()
    yield from tables()
    yield from meetings()
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(6.0))
    crane = Tree(
        [
            Body(name="hull", mass=5.0, inertia=(0.5, 0.5, 0.5), joint=Free()),
            Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="hull", joint=Revolute(friction=rub)),
            Body(name="hand", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="arm", joint=Revolute()),
            Body(name="tool", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="hand", joint=Revolute()),
        ]
    )
    controllers = {"hand": Lock(), "tool": Servo(gain=10.0)}
    yield TreeAdmittance(tree=crane, at="hand", controllers=controllers)
    ends = {"grip": Between("tool", AtPoint("hull", (0.1, 0.0, 0.0))), "turn": AtJoint("arm")}
    yield TreeAdmittance(tree=crane, at=ends, controllers=controllers)
    floor = {"surface": HalfSpace(), "stiffness": 1e5, "damping": 1e3}
    touches = [Touch(on=name, toucher=Point(position=(0, 0, 0)), friction=0.5, **floor) for name in ("hull", "tool")]
    yield Scene(tree=crane, touches=touches, controllers=controllers, reactions=True)
    yield Scene(tree=crane, touches=touches, controllers=controllers, at=ends)
    yield Scene(tree=crane, touches=touches, controllers=controllers, at=AtPoint("tool", along=(0, 0, 1, 0, 0, 0)))
    bouncing = [dataclasses.replace(touch, restitution=0.5) for touch in touches]
    yield Scene(tree=crane, touches=bouncing, controllers=controllers)
    yield Scene(tree=crane, touches=bouncing, controllers=controllers, at=ends, method="midpoint", reactions=True)
    beside = AtPoint("tool", (0.1, 0.0, 0.0), along=(0, 0, 1, 0, 0, 0))  # at the point itself what is struck is rigid
    yield Scene(tree=crane, touches=bouncing, controllers=controllers, at=beside)
    for restitution, at in ((None, ends), (0.5, None)):
        limits = {"lower": -1.0, "upper": 1.0, "stop": JointStop(stiffness=1e3, restitution=restitution)}
        stopped = [
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, **limits))
            for body in crane.bodies
            if body.name != "hull"
        ]
        tree = Tree([crane.bodies[0], *stopped])
        yield Scene(tree=tree, touches=touches, controllers=controllers, at=at, deepest=10.0)
    heavy = tg.FrictionImpedance(stiffness=6000.0, damping=20.0, law=STRIBECK, mass=0.1)
    yield TreeAdmittance(tree=crane_of(STACK, heavy), at="hand", controllers={"hand": Servo(gain=10.0)})
    many = tg.ParallelFriction(stiffness=1e4, limits=range(1, 60))
    own = crane_of(tg.SpringDamper(stiffness=50.0, damping=1.0), many)
    resting = [Touch(on="hand", toucher=Point(position=(0, 0, 0)), friction=0.5, **floor)]
    yield Scene(tree=own, touches=resting)
    yield Scene(tree=own, touches=resting, at="hand")
    yield Scene(tree=own, touches=[dataclasses.replace(touch, restitution=0.5) for touch in resting], at="hand")
    pendulum = Tree([Body(name="bob", mass=1.0, center=(0.3, 0.0, 0.0), joint=Revolute(axis=(0, 1, 0)))])
    for method in ("symplectic", "rk4"):
        yield Scene(tree=pendulum, method=method, reactions=True)
    yield from mechanisms()
    slider = Inclusion({"p": "v", "v": "(load - coulomb(4, v, 'rub') + dio(p, 'wall'))/2"}, inputs={"load": 0.0})
    given = {"friction": Friction(stiffness=1e5, damping=200.0), "contact": Contact(stiffness=1e5, damping=200.0)}
    yield slider.to_stepper(period=PERIOD, **given).as_admittance(force="load", velocity="v")
    yield slider.to_stepper(period=PERIOD, method="euler", **given).as_admittance(force="load", velocity="v")
    rows = {"p": "v", "v": "(load + wind - coulomb(4, v, 'rub') + dio(p + far, 'wall'))/m"}
    blown = Inclusion(rows, {"m": 2.0, "far": 1.0}, inputs={"load": 0.0, "wind": gust})
    yield blown.to_stepper(period=PERIOD, **given)
    x, z, v, u, load = sympy.symbols("x z v u load")
    floor = dio(z, "floor")
    rx, ry = coulomb(0.3 * floor, (v, u), "rub")
    rows = {"x": "v", "y": "u", "z": "w", "v": load - rx, "u": 5 * sympy.sin(x) - ry, "w": floor - 9.81}
    yield Inclusion(rows, {"load": 0.0}).to_stepper(period=PERIOD, **given)
    rope = tg.SpringDamper(stiffness=100.0, damping=1.0)
    hung = tg.Circuit(tg.Mass(mass=1.0), {"rope": rope, "one": STACK, "two": STACK}, bases=["rope"])
    yield hung
    yield tg.ImpedanceSum({"stack": STACK, "wall": WALL})
    yield reached(tg.Circuit(reached(hung), {"stack": STACK}))
    yield from networks(hung)
    yield reached(tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"rope": tg.SpringDamper(stiffness=9.0, dimension=2)}))


def crane_of(shoulder: tg.Impedance, elbow: tg.Impedance) -> Any:
    """Two links with impedances in their joints."""
    from tegotae.multibody import Body, Revolute, Tree

    link = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1), "center": (0.2, 0.0, 0.0)}
    first, second = (Revolute(axis=(0, 1, 0), friction=one) for one in (shoulder, elbow))
    arm = Body(name="arm", joint=first, **link)
    return Tree([arm, Body(name="hand", parent="arm", position=(0.4, 0.0, 0.0), joint=second, **link)])


def networks(hung: tg.Circuit) -> Iterator[Block]:
    """Several machines: along a line, geared, one a circuit whose end moves; in space, joined through matrices."""
    rope = tg.SpringDamper(stiffness=100.0, damping=1.0)
    brake = tg.FrictionImpedance(stiffness=1e4, damping=5.0, law=tg.Coulomb(3.0))
    machines = {"near": tg.Mass(mass=1.0), "far": tg.Mass(mass=0.5), "hung": hung}
    links = {
        "rope": tg.Link(rope, "near", "far", ratio=2.0),
        "other": tg.Link(rope, "far", "hung", ratio=-1.0, other_ratio=0.5),
        "brake": tg.Link(brake, "near", "far"),
        "ground": tg.Link(brake, "far"),
        "towed": tg.Link(rope, "near", base=True),
    }
    yield tg.Circuit(machines, links)
    plane = tg.FrictionImpedance(stiffness=1e4, damping=5.0, law=tg.Coulomb(3.0), dimension=2)
    moved = {"sled": tg.Mass(mass=2.0, dimension=2), "ball": tg.Mass(mass=1.0, dimension=3), "drum": tg.Mass(mass=0.1)}
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
    yield tg.Circuit(
        moved,
        {
            "rub": tg.Link(plane, "sled", "ball", other_ratio=across),
            "rub_too": tg.Link(plane, "sled"),
            "wound": tg.Link(rope, "ball", "drum", ratio=[[0.0, 0.0, 1.0]], other_ratio=0.1),
            "stack": tg.Link(STACK, "drum"),
        },
    )
    alone = tg.Circuit(tg.Mass(mass=2.0, dimension=2), {"along": tg.Link(STACK, "port", ratio=[[0.6, 0.8]])})
    yield alone


def mechanisms() -> Iterator[Block]:
    """Loops, joints that follow others, springs between points, ball joints: alone, with ports, with friction."""
    from tegotae.multibody import (
        AtJoint,
        AtPoint,
        Body,
        Loop,
        Mimic,
        Prismatic,
        Revolute,
        Scene,
        Spherical,
        Spring,
        Tree,
        Universal,
    )

    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(0.5))
    bar = {"mass": 1.0, "inertia": (0.01, 0.02, 0.02), "center": (0.25, 0.0, 0.0)}
    for friction in (None, rub):
        hinge = Revolute(axis=(0, 1, 0), friction=friction)
        bodies = [
            Body(name="crank", joint=hinge, **bar),
            Body(name="rod", joint=hinge, parent="crank", position=(0.5, 0.0, 0.0), **bar),
            Body(name="rocker", joint=hinge, position=(0.6, 0.0, 0.0), **bar),
            Body(name="bob", joint=Spherical(damping=0.1), parent="rod", position=(0.25, 0.0, 0.0), **bar),
            Body(name="slide", joint=Prismatic(mimic=Mimic("crank", ratio=0.1)), **bar),
        ]
        pin = {"body": "rod", "place": (0.5, 0.0, 0.0), "parent": "rocker", "position": (0.5, 0.0, 0.0)}
        tree = Tree(bodies, loops=[Loop(name="pin", joint=hinge, **pin)])
        springs = [Spring(first=AtPoint("bob", (0.5, 0.0, 0.0)), second=(0.0, 0.0, 1.0), stiffness=100.0, damping=1.0)]
        yield Scene(tree=tree, springs=springs)
        yield Scene(tree=tree, springs=springs, at={"tip": AtPoint("bob", (0.5, 0.0, 0.0)), "turn": AtJoint("crank")})
        yield Scene(tree=tree, at=AtJoint("crank"), method="midpoint")
    hung = Tree([Body(name="bob", joint=Universal(), **bar), Body(name="end", parent="bob", joint=Spherical(), **bar)])
    yield Scene(
        tree=hung, springs=[Spring(first="bob", second=AtPoint("end", (0.1, 0.0, 0.0)), stiffness=50.0)], at="end"
    )


def reached(circuit: tg.Circuit) -> tg.Circuit:
    """By the addresses of its blocks, where those are compiled to C."""
    return circuit.by_address() if backend.name() == "c" else circuit


def rods() -> Iterator[Block]:
    """Rods that are pushed at several places, on the ground too, between walls and pegs."""
    from tegotae.rod import Ground, GroundedRod, Peg, PlanarRod, Wall

    rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.01, gravity=(0.0, -9.81))
    yield GroundedRod(rod=rod, at=("base", "tip"))
    yield GroundedRod(rod=rod, at=("tip", 2), base="pinned")
    scales = Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=20.0, static=1.3)
    things = {"walls": [Wall(point=(0.0, -0.01), normal=(0.0, 1.0), stiffness=1e4, damping=5.0, friction=0.3)]}
    things["pegs"] = [Peg(centre=(0.5, 0.3), radius=0.2, stiffness=1e4)]
    yield GroundedRod(rod=rod, ground=scales, **things, loads=[0.3])
    yield GroundedRod(rod=rod, base="fixed")
    yield GroundedRod(rod=rod, ground=scales, **things, at=("tip", "base"))
    yield GroundedRod(rod=rod, ground=scales, at="tip", base="pinned")


def tables() -> Iterator[Block]:
    """A motion table by itself; one whose probe rubs on a surface and whose sensor is late and noisy, and is a port."""
    from tegotae.table import ForceSensor, HexaPlant, ProbedSurface

    plain = HexaPlant.default(kp=800.0)
    quick = dataclasses.replace(plain, servo=dataclasses.replace(plain.servo, period=PERIOD))
    yield quick
    surface = ProbedSurface(height=-0.4201, stiffness=1e5, damping=100.0, probe=(0.02, -0.03, 0.05), friction=0.3)
    sensor = ForceSensor(noise=1e-6, cutoff=100.0, delay=2, seed=7)
    yield dataclasses.replace(quick, surface=surface, sensor=sensor, substeps=4)
    yield dataclasses.replace(quick, surface=surface, sensor=sensor, substeps=4, at=("plate", "sensor"))


def meetings() -> Iterator[Block]:
    """Two bodies of one tree, and one before the world: free, locked and on a servo."""
    from tegotae.hybrid import RelativeAdmittance
    from tegotae.multibody import Body, Free, Lock, Revolute, Servo, Tree

    links = [Body(name="hull", mass=5.0, inertia=(0.5, 0.5, 0.5), center=(0.1, 0.0, 0.2), joint=Free())]
    for name, parent in (("arm", "hull"), ("hand", "arm"), ("tool", "hand")):
        turns = Revolute(axis=(0.0, 1.0, 0.0), damping=0.1)
        place = {"position": (0.5, 0.0, 0.0), "center": (0.2, 0.0, 0.0)}
        links.append(Body(name=name, mass=1.0, inertia=(0.1, 0.1, 0.1), parent=parent, joint=turns, **place))
    held = {"hand": Lock(), "tool": Servo(gain=10.0, rate_gain=1.0)}
    turned = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
    tip = {"at": "tool", "point": (0.3, 0.0, 0.1)}
    yield RelativeAdmittance(tree=Tree(links), **tip, of="hull", axes=turned, controllers=held, substeps=2)
    yield RelativeAdmittance(tree=Tree(links), **tip, origin=(0.0, 0.0, 1.0))
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(6.0))
    rubbing = [
        links[0],
        *(dataclasses.replace(link, joint=dataclasses.replace(turns, friction=rub)) for link in links[1:]),
    ]
    yield RelativeAdmittance(tree=Tree(rubbing), **tip, of="hull", axes=turned, controllers=held, substeps=2)


def every_block() -> Iterator[Block]:
    """At least one of every class, and of every kind that keeps its state in its own way."""
    yield from plain_blocks()
    yield from tyres()
    yield from machines()


def classes_of_blocks() -> set[type]:
    """All classes of blocks that the package has, in whichever module."""
    for module in pkgutil.walk_packages(tg.__path__, "tegotae."):
        if not module.name.endswith("__main__"):  # that runs the command line
            importlib.import_module(module.name)

    def below(kind: type) -> set[type]:
        return {kind}.union(*(below(own) for own in kind.__subclasses__()))

    owned = {kind for kind in below(Block) if kind.__module__.startswith("tegotae.")}
    return {kind for kind in owned if not getattr(kind, "__abstractmethods__", None)}


def hostile(count, rng):
    """Real numbers that hardly any field can take, and wild ones."""
    wild = rng.normal(size=count) * 10.0 ** rng.uniform(-320, 300, count)
    return np.where(rng.random(count) < 0.7, rng.choice(HOSTILE, count), wild)


def spoilt(state, rng):
    """One number, a few or all of them replaced, whole ones by whole ones."""
    bad = state.copy()
    size = bad.real.size + bad.whole.size
    places = rng.choice(size, min(int(rng.choice([1, 2, 3, size])), size), replace=False)
    real, whole = places[places < bad.real.size], places[places >= bad.real.size] - bad.real.size
    bad.real[real] = hostile(real.size, rng)
    wild = rng.integers(-(2**63), 2**63 - 1, whole.size)
    bad.whole[whole] = np.where(rng.random(whole.size) < 0.9, rng.choice(WHOLE, whole.size), wild)
    return bad


def pushed(block, rng):
    """An input; of what has no port a torque in all joints, or what it calls its load."""
    size = rng.choice([0.0, 0.1, 10.0])
    if "load" in block.parts and not block.dimension:
        return None if "held" in block.parts else {"load": size * float(rng.normal())}
    return size * float(rng.normal()) if block.dimension < 2 else size * rng.normal(size=block.dimension)


def stepped(live, value) -> bool:
    """One tick; whether it gave an answer. The only errors that it may end in say that it diverged or cannot go on."""
    try:
        live.step(value)
    except tg.TegotaeError as error:
        if "diverged" not in str(error) and not str(error).startswith(("HexaPlant: ", "GroundedRod: ")):
            raise
        return False
    return True


def tried(block: Block, rng, trials: int) -> dict[str, int]:
    """How many states it refused, ran from, and diverged from."""
    counts = {"refused": 0, "ran": 0, "diverged": 0}
    live = block.start(period=PERIOD)
    sound = live.state
    for trial in range(trials):
        live.state = sound  # every state that it comes to by itself is one that it takes
        if trial % 10 == 0:
            for _ in range(5):
                stepped(live, pushed(block, rng))
            sound = live.state
        try:
            live.state = spoilt(sound, rng)
        except tg.InputError:
            counts["refused"] += 1
            continue
        ended = [stepped(live, pushed(block, rng)) for _ in range(4)]  # on and on, though it has diverged
        counts["ran" if all(ended) else "diverged"] += 1
    return counts


def begun(block: Block, rng, trials: int) -> None:
    """The same as where it starts, field by field."""
    for _ in range(trials):
        name, place = list(block.spaces.state.places.items())[rng.integers(len(block.parts))]
        try:
            live = block.start(period=PERIOD, initial={name: hostile(place.stop - place.start, rng)})
            stepped(live, pushed(block, rng))
        except tg.TegotaeError:
            pass


def main(seed: int, trials: int) -> None:
    """Tell each block before it is tried, so that the last word names the one that crashed."""
    warnings.simplefilter("ignore")
    for block in every_block():
        print(block.name, block.dimension, end=" ", flush=True)
        rng = np.random.default_rng(seed)
        counts = tried(block, rng, trials)
        begun(block, rng, trials // 10)
        print(counts["refused"], counts["ran"], counts["diverged"], flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
