"""Every figure that the package can make, in one folder and on one page to look at: `make figures`.

What a figure must say is asserted in tests/cli; whether it is worth showing, only an eye can tell.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tegotae as tg
from tegotae import figures
from tegotae.multibody import Ball, Body, Corners, Free, HalfSpace, Revolute, Scene, Touch, Tree
from tegotae.result import Result
from tegotae.scenarios import load_scenario
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.steering.hands import Driver, Sine

T = 1e-3
TIME = T * np.arange(2000)
WAVE = 0.05 * np.sin(6.0 * TIME)
BOTH = np.stack([WAVE, 0.05 * np.cos(9.0 * TIME)], axis=1)
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
SLIDER = tg.FrictionAdmittance(mass=1.0, law=tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01, viscosity=2.0))
WALL = tg.VirtualWall(stiffness=2000.0, damping=5.0, point=0.01, normal=-1.0)


def crate() -> Result:
    """A crate thrown onto a floor."""
    tree = Tree([Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.3))])
    floor = Touch(
        on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=HalfSpace(), stiffness=1e6, friction=0.5
    )
    return Scene(tree=tree, touches=[floor]).run(1.0, period=T, v=[1.0, 0, 0, 0, 0, 0])


def arm() -> Result:
    """A pendulum of two links whose joints rub."""
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(0.5))
    links = [
        Body(
            name=name,
            mass=2.0,
            inertia=(0.03, 0.03, 0.002),
            center=(0, 0, -0.2),
            parent=parent,
            position=(0, 0, -0.4 if parent else 0),
            joint=Revolute(axis=(0, 1, 0), friction=rub),
        )
        for name, parent in (("upper", None), ("lower", "upper"))
    ]
    return Scene(tree=Tree(links)).run(3.0, period=T, q=[1.0, 0.5])


def bouncing() -> Result:
    """A ball dropped onto a floor."""
    tree = Tree([Body(name="ball", mass=1.0, inertia=(0.004, 0.004, 0.004), joint=Free(), position=(0, 0, 0.5))])
    floor = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace(), stiffness=1e5, friction=0.5)
    return Scene(tree=tree, touches=[floor]).run(1.5, period=T)


def finger() -> Result:
    """A rod pulled by a tendon around a peg, without a ground."""
    from tegotae.rod import GroundedRod, Peg, Phase, PlanarRod
    from tegotae.rod.tendon import Tendon

    rod = PlanarRod(length=0.1, nodes=13, density=0.05, elasticity=1e-3, viscosity=2e-4)
    pull = Tendon(offset=5e-3, tension=([0.0, 1.0], [0.0, 6.0])).curvature(rod)
    peg = Peg(centre=(0.06, 0.03), radius=0.015, stiffness=1e4, damping=1.0)
    return GroundedRod(rod=rod, pegs=[peg]).run([Phase(until=1.5, base="fixed", curvature=pull)], period=T, every=5)


def students() -> Result:
    """An inclusion with states of the student's own."""
    from tegotae.inclusion import Inclusion

    puck = Inclusion({"x": "v", "v": "4*sin(5*t) - coulomb(2, v, 'rub')"})
    return puck.to_events().solve((0.0, 3.0), {})


def falling_ball(route: str) -> Result:
    """The bouncing ball of the examples, by one route."""
    from tegotae.inclusion import examples

    ball, start = examples.bouncing_ball()
    if route == "events":
        return ball.to_events(restitution=0.5).solve((0.0, 1.5), start)
    return ball.to_ode(auto=True, period=T, restitution=0.5).solve((0.0, 1.5), start)


RESULTS: dict[str, Callable[[], Result]] = {
    "impedance": lambda: BRAKE.run(WAVE, period=T),
    "impedance-plane": lambda: PLANE.run(BOTH, period=T),
    "wall": lambda: WALL.run(0.8 * WAVE, period=T),
    "sum": lambda: tg.ImpedanceSum({"brake": BRAKE, "wall": WALL}).run(WAVE, period=T),
    "hysteresis": lambda: tg.ParallelFriction(stiffness=1e4, damping=100.0, limits=range(1, 11)).run(
        position=1e-3 * np.sin(0.01 * np.arange(2000)), period=T
    ),
    "admittance": lambda: SLIDER.run(120.0 * WAVE, period=T),
    "admittance-plane": lambda: tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(2.0), dimension=2).run(
        80.0 * BOTH, period=T
    ),
    "circuit": lambda: tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE, "wall": WALL}).run(150.0 * WAVE, period=T),
    "family": lambda: BRAKE.batch(stiffness=[1e3, 3e3, 1e4]).run(WAVE, period=T),
    "family-admittance": lambda: SLIDER.batch(mass=[1.0, 2.0, 3.0]).run(120.0 * WAVE, period=T),
    "family-plane": lambda: PLANE.batch(stiffness=[1e3, 1e4]).run(BOTH, period=T),
    "scene-crate": crate,
    "scene-arm": arm,
    "scene-ball": bouncing,
    "finger": finger,
    "students": students,
    "ball-events": lambda: falling_ball("events"),
    "ball-ode": lambda: falling_ball("ode"),
    "patch": lambda: ContactPatch().run(steer=0.1 * np.cos(3.0 * TIME), speed=10.0, period=T),
    "parked": lambda: SteeringSystem.paper(speed=0.0).run(
        hand=Driver(angle=Sine(amplitude=8.0)), duration=8.0, period=T
    ),
    "braking": lambda: SteeringSystem.physical().run(
        hand=Driver(angle=Sine(amplitude=1.5)), duration=6.0, period=T, inputs={"speed": np.linspace(10.0, -4.0, 6000)}
    ),
}
MACHINES = ("bouncing_ball", "floor", "slope", "belt", "two_bodies", "pendulum_on_table", "woodpecker")
SCENARIOS = {
    "friction": (),
    "friction-stribeck": ("law.kind=stribeck", "law.static=5", "motion.amplitude=0.05"),
    "friction-plane": ("dimension=2", "motion.kind=circle"),
    **{f"inclusion-{m}": (f"machine.kind={m}",) for m in MACHINES},
    **{f"rod-{m}": (f"rod.kind={m}",) for m in ("paper", "snake", "drag", "whip")},
    "steering": (),
    "steering-5": ("drive.speed=5",),
    "two-robots": (),
}


def draw(folder: Path) -> None:
    """All of them, one after the other, and those of the papers."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs: dict[str, Callable[[], object]] = {
        f"result-{name}": lambda run=run, name=name: run().plot(folder / f"result-{name}.png")  # type: ignore[misc]
        for name, run in RESULTS.items()
    }
    for name, changes in SCENARIOS.items():
        jobs[f"run-{name}"] = lambda name=name, changes=changes: scene(name, changes, folder)  # type: ignore[misc]
    jobs["tyre"] = lambda: maps(folder)
    jobs["fit"] = lambda: fitted(folder)
    jobs["hybrid"] = lambda: hybrid(folder)
    jobs["papers"] = lambda: papers(folder)
    for name, job in jobs.items():
        print(name, flush=True)
        job()


def scene(name: str, changes: tuple[str, ...], folder: Path) -> None:
    """What `tegotae run NAME --plot` draws."""
    kind = "two-robots" if name == "two-robots" else name.partition("-")[0]
    scenario = load_scenario(kind)
    scenario.run(scenario.read(settings=list(changes))).plot(folder / f"run-{name}.png")


def maps(folder: Path) -> None:
    """What `tegotae run steering --maps` draws, for both presets."""
    for preset in ("paper", "physical"):
        scenario = load_scenario("steering")
        parameters = scenario.read(settings=[f"preset={preset}", "duration=0.1"])
        ((picture, path),) = scenario.drawings({"--maps": folder / f"tyre-{preset}.png"})
        picture.draw(parameters, scenario.run(parameters), path)


def fitted(folder: Path) -> None:
    """The figure of a fit."""
    rng = np.random.default_rng(1)
    velocity = 0.02 * np.sin(0.02 * np.arange(4000)) + 0.01 * np.sin(0.071 * np.arange(4000))
    force = BRAKE.run(velocity, period=T).force + rng.normal(0.0, 0.05, 4000)
    figures.save(tg.fit(tg.FrictionImpedance, velocity, force, period=T).plot(), folder / "fit.png")


def hybrid(folder: Path) -> None:
    """The page of a hybrid run."""
    from tegotae.cli import main

    settings = str(Path(__file__).parents[1] / "examples" / "two_robots.toml")
    quick = ["--set", "clock=virtual", "--set", "duration=0.3", "--set", "model.gap=0.001"]
    log = str(folder / "run.mcap")
    assert main(["hybrid", "run", settings, *quick, "--out", log, "--overwrite"]) == 0
    assert main(["hybrid", "report", log, "--page", str(folder / "hybrid.html")]) == 0


def papers(folder: Path) -> None:
    """What `tegotae papers --figures` draws."""
    from tegotae.cli import main

    assert main(["papers", "--no-report", "--figures", str(folder)]) == 0


def page(folder: Path) -> Path:
    """All pictures of the folder side by side, with their names."""
    pictures = sorted(folder.glob("*.png"))
    cells = "".join(f'<figure><img src="{p.name}"><figcaption>{p.stem}</figcaption></figure>' for p in pictures)
    style = "body{display:grid;grid-template-columns:repeat(3,1fr);gap:1em;font:14px sans-serif}img{width:100%}"
    sheet = folder / "index.html"
    sheet.write_text(f"<!doctype html><title>Figures</title><style>{style}</style>{cells}", encoding="utf-8")
    return sheet


if __name__ == "__main__":
    place = Path(sys.argv[1])
    draw(place)
    print(f"wrote {page(place)}")
