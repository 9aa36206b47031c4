"""What the joints of a loop transmit: Newton's law for each body of a linkage, whose motion is known in closed form."""

import numpy as np
import pytest

from linkages import tree_of
from planar_linkages import FourBar
from tegotae.multibody import AtPoint, Body, Free, Loop, Revolute, Scene, Spherical, Spring, Tree

H = 1e-4  # [s] of central differences of the closed form: their error is H² a'', 1e-6 of what they tell


def accelerations(linkage, crank, speed, at):
    """Of the centres of mass of all links at a moment, by differences of where the closed form has them [m/s²]."""
    times = [at - H, at, at + H]
    turned = linkage.run(times, crank, speed)[0]
    places = []
    for angle in turned:
        phi, _, _ = linkage.angles(angle)
        rotate = [np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]]) for x in phi]
        places.append([sum(rotate[j] @ np.asarray(arm) for j, arm in arms) for _, _, _, arms in linkage.matter()])
    back, here, ahead = np.array(places)
    return (ahead - 2.0 * here + back) / H**2


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_every_bar_obeys_newton(method):
    """The coupler is carried by the crank and by the pin that closes the loop; the pin pushes the rocker back."""
    linkage, at, period = FourBar(), 0.1, 1e-4
    q, v = linkage.coordinates(0.7, 3.0)
    scene = Scene(tree=tree_of(linkage.mechanism()), reactions=True, method=method)
    run = scene.run(at + period, period=period, q=q, v=v)
    felt = {
        name: np.asarray(run[f"reaction.{name}"])[-2:, :2].mean(axis=0)
        for name in ("crank", "coupler", "rocker", "pin")
    }
    a = accelerations(linkage, 0.7, 3.0, at)
    masses, up = [mass for mass, *_ in linkage.matter()], np.array([0.0, linkage.gravity])
    wanted = [mass * (one + up) for mass, one in zip(masses, a, strict=True)]
    atol = 1e-4 * np.abs(wanted).max() if method == "midpoint" else 1e-2 * np.abs(wanted).max()  # Euler is late by T
    np.testing.assert_allclose(felt["coupler"] + felt["pin"], wanted[1], rtol=0, atol=atol)
    np.testing.assert_allclose(felt["rocker"] - felt["pin"], wanted[2], rtol=0, atol=atol)
    np.testing.assert_allclose(felt["crank"] - felt["coupler"], wanted[0], rtol=0, atol=atol)


def test_a_hinge_in_a_loop_gives_no_moment_about_its_axis():
    linkage = FourBar(damping=((1, 2, 0.05),))
    q, v = linkage.coordinates(0.7, 3.0)
    run = Scene(tree=tree_of(linkage.mechanism()), reactions=True).run(0.2, period=5e-4, q=q, v=v)
    speed = 0.5 * (np.asarray(run.v)[1:, 3] + np.asarray(run.v)[:-1, 3])
    np.testing.assert_allclose(np.asarray(run["reaction.pin"])[1:, 5], -0.05 * speed, rtol=0, atol=1e-5)  # by T²


def test_a_spring_is_felt_by_what_carries_its_ends():
    """A bar hangs on a ball, held level by a spring to the ceiling: half of its weight each, upwards."""
    bar = Body(name="bar", mass=2.0, inertia=(0.01, 0.05, 0.05), center=(0.3, 0, 0), joint=Spherical(damping=5.0))
    spring = Spring(first=AtPoint("bar", (0.6, 0, 0)), second=(0.6, 0, 1), stiffness=981.0, damping=50.0, length=0.99)
    run = Scene(tree=Tree([bar]), springs=[spring], reactions=True).run(20.0, period=1e-3, every=100)
    np.testing.assert_allclose(run["reaction.bar"][-1], [0, 0, 9.81, 0, 0, 0], rtol=0, atol=1e-6)
    assert run.tension[-1, 0] == pytest.approx(9.81, abs=1e-6)


def test_a_loop_adrift_pushes_nobody():
    """Inside a machine that floats reactions balance: what its joints do to the hull is what changes its momentum."""
    bar = {"mass": 1.0, "inertia": (0.01, 0.02, 0.02), "center": (0.25, 0.0, 0.0)}
    hinge = Revolute(axis=(0, 1, 0))
    bodies = [
        Body(name="hull", mass=3.0, inertia=(0.3, 0.4, 0.5), joint=Free()),
        Body(name="crank", parent="hull", joint=hinge, **bar),
        Body(name="rod", parent="crank", position=(0.5, 0, 0), joint=hinge, **bar),
        Body(name="rocker", parent="hull", position=(0.6, 0, 0), joint=hinge, **bar),
    ]
    pin = Loop(name="pin", body="rod", place=(0.5, 0, 0), parent="rocker", position=(0.5, 0, 0), joint=hinge)
    tree = Tree(bodies, loops=[pin], gravity=(0, 0, 0))
    q = tree.closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, hold=["crank"])
    start = np.zeros(tree.nv)
    start[3:7] = 0.5, 0.3, -0.4, 3.0
    q, v = tree.closed(q, start, hold=["crank"])
    run = Scene(tree=tree, reactions=True).run(0.1, period=1e-4, q=q, v=v)
    on_hull = -np.asarray(run["reaction.crank"])[1:, :3] - np.asarray(run["reaction.rocker"])[1:, :3]
    wanted = 3.0 * np.diff(np.asarray(run.v)[:, :3], axis=0) / 1e-4
    np.testing.assert_allclose(on_hull, wanted, rtol=0, atol=1e-4 * np.abs(wanted).max())
