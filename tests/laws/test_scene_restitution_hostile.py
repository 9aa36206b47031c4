"""What once went wrong in impacts of scenes: starts at a surface, corners, and light balls between heavy ones."""

import numpy as np
import pytest

from tegotae.contact import restitutions
from tegotae.errors import InputError, UnsolvedWarning
from tegotae.multibody import Ball, Body, Free, HalfSpace, Revolute, Scene, Sphere, Touch, Tree

R, T = 0.1, 5e-4


def ball(name, mass, place):
    inertia = (0.4 * mass * R * R,) * 3
    return Body(name=name, mass=mass, inertia=inertia, joint=Free(), position=place)


def stack(masses, restitution, gravity=0.0, apart=0.0, stiffness=6e5, method="midpoint"):
    """Balls on each other, on a floor."""
    bodies = [ball(f"b{i}", m, (0, 0, R + 2 * R * i + apart * (i + 1))) for i, m in enumerate(masses)]
    kind = {"toucher": Ball(radius=R), "stiffness": stiffness, "restitution": restitution}
    touches = [Touch(on="b0", surface=HalfSpace(), **kind)]
    touches += [Touch(on=f"b{i}", of=f"b{i - 1}", surface=Sphere(radius=R), **kind) for i in range(1, len(masses))]
    return Scene(tree=Tree(bodies, gravity=(0, 0, -gravity)), touches=touches, method=method)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rounding", [0.0, -1e-16, 1e-16, -1e-9, -9e-7])
def test_what_starts_at_its_surface_and_moves_in_leaves_at_once(method, restitution, rounding):
    """It is where it would be had it been struck at the very start; its spring is not in it."""
    scene = stack([1.0], restitution, method=method)
    run = scene.run(20 * T, period=T, q=[0, 0, R + rounding, 1, 0, 0, 0], v=[0, 0, -0.8, 0, 0, 0])
    assert run.v[:, 2] == pytest.approx(np.full(20, 0.8 * restitution), abs=1e-7)
    assert run.gap[:, 0] == pytest.approx(0.8 * restitution * run.time, abs=1e-9 + 2.0 * abs(rounding))


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_light_ball_struck_between_two_that_touch_it_at_the_start(method):
    """The one below bears it all, and the one on top leaves as if it had met a wall."""
    v = np.zeros(18)
    v[14] = -0.8
    run = stack([0.01, 1.0, 0.01], 0.96, method=method).run(10 * T, period=T, v=v)
    assert run.v[-1, 14] == pytest.approx(0.96 * 0.8, abs=1e-6)
    assert run.gap[:, 2] == pytest.approx(0.96 * 0.8 * run.time, abs=1e-8)


@pytest.mark.parametrize("numbers", [29, 53, 85, 116])
def test_a_ball_that_rests_on_the_floor_and_along_a_wall_does_not_sink(numbers):
    """Rounding drove it against the wall in every tick, and what the floor gave was taken for an impact."""
    rng = np.random.default_rng(numbers)
    kind = {"toucher": Ball(radius=R), "stiffness": 67742.0, "friction": 0.2, "restitution": 0.0}
    corner = [HalfSpace(), HalfSpace(point=(1, 0, 0), normal=(-1, 0, 0))]
    place = (0.9 - rng.uniform(0, 0.1), -0.21, R + rng.uniform(0, 0.2))
    scene = Scene(tree=Tree([ball("b", 7.05, place)]), touches=[Touch(on="b", surface=s, **kind) for s in corner])
    v = [abs(rng.normal()) * 3.0, *(rng.normal(size=2) * 2.0), *(rng.normal(size=3) * 15.0)]
    run = scene.run(4.0, period=5e-3, v=v)
    assert run.gap.min() > -3.0 * 7.05 * 9.81 / 67742.0
    energy = run.kinetic_energy + run.potential_energy
    assert energy.max() - energy[0] < 1e-3 * run.kinetic_energy.max()


# What rattles through a gap in less than a tick is told, and yet must not throw anything.
RATTLES = pytest.mark.filterwarnings("ignore::tegotae.errors.UnsolvedWarning")


@RATTLES
@pytest.mark.parametrize("place", np.linspace(-0.04, 0.04, 9))
def test_a_light_ball_between_two_heavy_ones_gives_them_no_energy(place):
    """It crosses the room between them in less than a tick; what it leaves is held while the other drives it."""
    names, masses, period = ("low", "light", "high"), (100.0, 0.01, 100.0), 2e-3
    places = (0.0, 2 * R + 0.005 + 0.1 * place, 4 * R + 0.01)
    bodies = [ball(name, m, (0, 0, z)) for name, m, z in zip(names, masses, places, strict=True)]
    kind = {"toucher": Ball(radius=R), "surface": Sphere(radius=R), "stiffness": 9e4, "restitution": 0.95}
    touches = [Touch(on="light", of="low", **kind), Touch(on="high", of="light", **kind)]
    scene = Scene(tree=Tree(bodies, gravity=(0, 0, 0)), touches=touches, method="euler")
    v = np.zeros(18)
    v[2], v[8], v[14] = 0.1, 25.0, -0.1
    run = scene.run(1.0, period=period, v=v)
    assert run.kinetic_energy.max() < 1.01 * 0.5 * (0.01 * 25.0**2 + 200.0 * 0.1**2)


@RATTLES
@pytest.mark.parametrize("numbers", range(8))
def test_heavy_balls_on_light_ones_are_not_thrown(numbers):
    """However deep they are driven: 100 to 1, and up to six of them."""
    rng = np.random.default_rng(numbers)
    masses = rng.choice([0.01, 1.0], size=6)
    v = np.zeros(36)
    v[2::6] = -np.abs(rng.normal(size=6))
    run = stack(masses, 0.95, gravity=9.81, apart=1e-3, stiffness=4e6).run(1.0, period=1e-3, v=v)
    energy = run.kinetic_energy + run.potential_energy
    assert energy.max() - energy[0] < 0.05 * run.kinetic_energy.max()


@RATTLES
@pytest.mark.parametrize("numbers", range(24))
def test_an_arm_that_strikes_what_flies_gains_nothing_though_it_turns_far_in_a_tick(numbers):
    """The impact's share of its motion was forgiven of what the very tick had erred by: 390 J came of 348."""
    rng = np.random.default_rng(numbers)
    links = [
        Body(
            name=f"a{i}",
            mass=float(10.0 ** rng.uniform(-0.5, 0.5)),
            inertia=(0.005,) * 3,
            center=(0.1, 0.0, 0.0),
            parent=f"a{i - 1}" if i else None,
            position=(0.2 if i else 0.0, 0.0, 0.0),
            joint=Revolute(axis=(0, 1, 0)),
        )
        for i in range(3)
    ]
    flying = ball("f", 1.0, (0.75, 0.0, 0.0))
    kind = {"toucher": Ball(radius=0.02, position=(0.2, 0.0, 0.0)), "surface": Sphere(radius=R), "stiffness": 3e6}
    touches = [Touch(on=f"a{i}", of="f", restitution=0.8, friction=0.2, **kind) for i in range(3)]
    scene = Scene(tree=Tree([*links, flying]), touches=touches)
    q, v = [*rng.normal(size=3) * 0.5, 0.75, 0, 0, 1, 0, 0, 0], [*rng.normal(size=3) * 30.0, *np.zeros(6)]
    run = scene.run(0.4, period=5e-3, q=q, v=v)
    energy = run.kinetic_energy + run.potential_energy
    gained = energy.max() - sum(scene.tree.energy(q, v))
    assert gained < 0.005 * run.kinetic_energy.max() or run.about["unsolved_steps"] > 0


def test_what_rattles_faster_than_ticks_can_tell_is_told():
    """A heavy ball sinks onto two light ones, which pass impacts up and down ever faster."""
    scene = stack([0.01, 0.01, 1.0], 0.8, gravity=9.81, apart=1e-3, stiffness=2.7e6)
    with pytest.warns(UnsolvedWarning, match="nothing rattles through a gap"):
        scene.run(0.2, period=1e-3)


@pytest.mark.parametrize("wrong", [float("nan"), True, "0.5", 5.0, [0.5]])
def test_a_restitution_that_is_none_is_refused_also_without_contacts(wrong):
    with pytest.raises(InputError, match="restitution"):
        restitutions("to_ode", [], wrong)
