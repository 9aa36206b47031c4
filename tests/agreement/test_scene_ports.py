"""A scene with contacts as a block: slopes in stick, slip and separation, and circuits against forces that are fed."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import (
    AtJoint,
    AtPoint,
    Between,
    Body,
    Corners,
    Free,
    HalfSpace,
    Point,
    Prismatic,
    Revolute,
    Scene,
    Touch,
    Tree,
)
from tegotae.running.probe import Probe

T = 1e-3
HALF, MASS, MU = 0.1, 5.0, 0.5


def crate(at, friction=MU, damping=200.0, **more):
    """A box on the floor, on its four lower corners."""
    tree = Tree([Body(name="crate", mass=MASS, inertia=(0.05, 0.04, 0.06), joint=Free(), position=(0, 0, HALF))])
    feet = Touch(
        on="crate",
        toucher=Corners(half_sizes=(HALF, HALF, HALF)),
        surface=HalfSpace(),
        stiffness=1e5,
        damping=damping,
        friction=friction,
    )
    return Scene(tree=tree, touches=[feet], at=at, **more)


def rested(block, ticks=400, **inputs):
    """Its state after it has come to rest."""
    live = block.start(period=T)
    for _ in range(ticks):
        live.step(**inputs)
    return live.state


def differences(probe, h, size):
    """How the answer changes with each force, by central differences."""
    steps = size * np.eye(len(h))
    return np.array([(probe.answer(h + d)[0] - probe.answer(h - d)[0]) / (2 * size) for d in steps]).T


# ------------------------------------------------------------ slopes

PUSHES = {  # on the crate at rest, above its middle: force and moment
    "rests": ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "stick"),
    "sticks": ([8.0, 3.0, -2.0, 0.1, 0.2, 0.3], "stick"),
    "slips": ([60.0, 20.0, 0.0, 0.0, 0.0, 0.0], "slip"),
    "slips and turns": ([40.0, -30.0, 5.0, 0.0, 0.0, 6.0], "mixed"),
    "tips": ([2.0, 0.0, 30.0, 0.0, 2.0, 0.0], "mixed"),
    "is lifted": ([3.0, 1.0, 4000.0, 0.0, 0.0, 0.0], "free"),
}


@pytest.mark.parametrize("name", PUSHES)
@pytest.mark.parametrize("friction", [0.0, MU])
def test_the_slope_in_touch_is_a_derivative(name, friction):
    """Of six directions on a crate that sticks, slips, tips or parts from the floor; and of it in every second tick."""
    h, mode = np.array(PUSHES[name][0]), PUSHES[name][1]
    block = crate(AtPoint("crate", (0.02, -0.01, 0.03)), friction)
    probe = Probe(block, T)
    probe.state = rested(block)
    for _ in range(6):
        motion, slope = probe.answer(h)
        numeric = differences(probe, h, 1e-4)
        np.testing.assert_allclose(slope, numeric, atol=2e-6 * np.abs(numeric).max())
        free = Probe(Scene(tree=block.tree, at=block.at), T, {"q": probe.state.part("q").copy()}).answer(h)[1]
        probe.advance(h, motion)
    pressed = probe.state.part("contact_force")
    carried = np.linalg.norm(pressed[:, :2], axis=1) - friction * pressed[:, 2]
    if mode == "free":
        assert not pressed.any()
    elif friction:
        assert (carried < -1e-6).any() == (mode != "slip")
    eased = np.linalg.eigvalsh(0.5 * (slope + slope.T))
    if friction == 0.0 or mode in ("stick", "free"):  # what touches can only hold it back
        np.testing.assert_allclose(slope, slope.T, atol=1e-9 * np.abs(slope).max())
        assert np.linalg.eigvalsh(free - slope)[0] > -1e-12
        assert eased[0] > -1e-12


def gripper(law):
    """Two fingers, one on a joint that rubs, that press a loose block onto a plate that slides: ports of every kind."""
    rub = tg.FrictionImpedance(stiffness=1e5, damping=20.0, law=law)
    small = {"mass": 0.5, "inertia": (0.01, 0.01, 0.01)}
    tree = Tree(
        [
            Body(name="table", joint=Prismatic(axis=(1, 0, 0), damping=2.0), **small),
            Body(name="arm", joint=Revolute(axis=(0, 1, 0), friction=rub), position=(-0.5, 0, 0.1), **small),
            Body(name="finger", joint=Prismatic(axis=(0, 0, -1)), parent="arm", position=(0.5, 0, 0.05), **small),
            Body(name="coin", joint=Free(), position=(0, 0, 0.02), **small),
        ]
    )
    hard = {"stiffness": 2e4, "damping": 40.0, "friction": 0.4}
    touches = [
        Touch(on="coin", toucher=Corners(half_sizes=(0.05, 0.05, 0.02)), surface=HalfSpace(), of="table", **hard),
        Touch(on="finger", toucher=Point(position=(0, 0, -0.11)), surface=HalfSpace(), **hard),
    ]
    at = {
        "finger": AtJoint("finger"),
        "arm": AtJoint("arm"),
        "grip": Between("finger", "coin"),
        "table": AtPoint("table", along=(1, 0, 0, 0, 0, 0)),
    }
    return Scene(tree=tree, touches=touches, at=at)


@pytest.mark.parametrize(
    "law", [tg.Coulomb(0.3), tg.Stribeck(kinetic=0.2, static=0.4, velocity=0.5, viscosity=0.3)], ids=["dry", "falling"]
)
def test_the_slope_goes_through_contacts_joints_and_ports_together(law):
    """Also where a joint slips whose friction changes with its speed."""
    block, rng = gripper(law), np.random.default_rng(1)
    probe = Probe(block, T)
    probe.state = rested(block, 30)
    checked, slipping = 0, set()
    for _ in range(120):
        h = rng.normal(size=block.dimension) * rng.choice([0.1, 1.0, 5.0])
        motion, slope = probe.answer(h)
        size = 1e-5
        ends = [probe.answer(h + sign * size * d)[1] for d in np.eye(len(h)) for sign in (1.0, -1.0)]
        if all(np.allclose(end, slope, rtol=1e-3, atol=1e-4 * np.abs(slope).max()) for end in ends):
            np.testing.assert_allclose(slope, differences(probe, h, size), atol=1e-5 * np.abs(slope).max())
            checked += 1
            slipping.add(int(probe.state.part("mode")[1]))
        probe.advance(h, motion)
    assert checked > 60
    assert len(slipping) > 1  # the arm's joint has stuck and slipped


# ------------------------------------------------------------ circuits


def pulled(element, ticks, load, friction=MU):
    """The crate in a circuit with an element at its middle along x, under a load; and what the element did."""
    block = crate(AtPoint("crate", along=(1, 0, 0, 0, 0, 0)), friction)
    machine = tg.Circuit(block, {"pull": element})
    return block, machine.run(np.full(ticks, load), period=T)


@pytest.mark.parametrize(
    "element",
    [
        tg.SpringDamper(stiffness=400.0, damping=5.0),
        tg.FrictionImpedance(stiffness=2e4, damping=20.0, law=tg.Coulomb(6.0)),
    ],
    ids=["spring", "friction"],
)
@pytest.mark.parametrize("load", [20.0, 45.0])
def test_a_crate_in_a_circuit_is_a_crate_under_the_same_forces(element, load):
    """It sticks under 20 N and slides under 45 N: fed with the force that the circuit found, it goes the same way."""
    block, run = pulled(element, 600, load)
    assert run.about["unsolved_steps"] == 0
    force = np.zeros((600, 6))
    force[:, 0] = load + run["pull.force"]
    plain = Scene(tree=block.tree, touches=block.touches, method="euler")  # as with ports
    fed = plain.run(0.6, period=T, wrenches={"crate": force})
    np.testing.assert_allclose(run.q, fed.q, atol=1e-10)
    np.testing.assert_allclose(run.contact_force, fed.contact_force, atol=1e-6)
    moved = run.position[-1] - run.position[0]
    assert (moved > 5e-3) == (load == 45.0)
    if isinstance(element, tg.SpringDamper):
        np.testing.assert_allclose(run["pull.force"], -400.0 * run.position - 5.0 * run.velocity, atol=1e-9)
    single = block.run(force=force[:, 0], period=T)
    np.testing.assert_allclose(single.q, run.q, atol=1e-10)


def test_a_sliding_crate_stops_where_spring_and_friction_say():
    """Released from a stretched spring it rests within mu m g/k of the spring's end, and no energy is gained."""
    stiffness, stretch = 400.0, 0.25
    spring = tg.SpringDamper(stiffness=stiffness)
    block = crate(AtPoint("crate", along=(1, 0, 0, 0, 0, 0)))
    start = block.tree.neutral()
    start[0] = stretch
    names = ["q", "v", "position", "velocity", "touching", "spring.force"]
    run = tg.Circuit(block, {"spring": spring}).run(
        np.zeros(3000), period=T, initial={"q": start, "spring.stretch": stretch}, record=names
    )
    np.testing.assert_allclose(run["spring.force"], -stiffness * run.position, atol=1e-8)
    kinetic, potential = block.tree.energy(run.q, run.v)
    held = 0.5 * 1e5 * (run.touching[:, :, :4] ** 2).sum(axis=(1, 2))  # in the springs of its feet
    total = kinetic + potential + 0.5 * stiffness * run.position**2 + held
    assert (np.diff(total) < 1e-9).all()
    assert abs(run.velocity[-1]) < 1e-9
    assert abs(run.position[-1]) <= MU * MASS * 9.81 / stiffness
    # Half a swing about where friction and spring balance; the implicit spring takes its share in each tick.
    middle, turn = MU * MASS * 9.81 / stiffness, T * np.sqrt(stiffness / MASS)
    swing = (stretch - middle) * (1.0 + turn**2) ** (-0.5 * np.pi / turn)
    assert run.position.min() == pytest.approx(middle - swing, abs=2e-4)


def test_what_is_pushed_between_two_machines_in_touch_keeps_their_momentum():
    """Two blocks that float, pressed together and rubbing, and pushed apart by a spring between them."""
    body = {"mass": 1.0, "inertia": (0.01, 0.02, 0.015), "joint": Free()}
    tree = Tree([Body(name="a", **body), Body(name="b", position=(0, 0, 0.1), **body)], gravity=(0, 0, 0))
    touch = Touch(
        on="b",
        toucher=Corners(half_sizes=(0.05, 0.05, 0.05)),
        surface=HalfSpace(point=(0, 0, 0.05)),
        of="a",
        stiffness=1e4,
        damping=10.0,
        friction=0.6,
    )
    scene = Scene(tree=tree, touches=[touch], at=Between("b", "a"))
    spring = tg.SpringDamper(stiffness=50.0, damping=1.0, dimension=6)
    push = np.zeros((500, 6))
    push[:, 2], push[:, 0] = -20.0, 4.0 * np.sin(0.05 * np.arange(500))
    run = tg.Circuit(scene, {"spring": spring}).run(push, period=T)
    assert (run.contact_force[50:, :, 2].max(axis=1) > 0.0).all()
    linear, _ = tree.momentum(run.q, run.v)
    np.testing.assert_allclose(linear, 0.0, atol=1e-12)
    assert np.abs(run.velocity[:, 0]).max() > 1e-3


# ------------------------------------------------------------ running


def test_forces_at_ports_are_forces_on_the_bodies():
    """By a record, by name, tick by tick, and as wrenches that are fed."""
    push = 10.0 * np.sin(0.02 * np.arange(300)[:, None] + np.arange(6)) * [1, 1, 1, 0.05, 0.05, 0.05]
    scene = crate({"top": "crate", "side": AtPoint("crate", (HALF, 0, 0), along=(0, 1, 0, 0, 0, 0))})
    run = scene.run(force={"top": push}, period=T)
    fed = crate(None, method="euler").run(0.3, period=T, wrenches={"crate": push})
    for name in ("q", "v", "contact_force", "kinetic_energy"):
        np.testing.assert_allclose(run[name], fed[name], rtol=1e-9, atol=1e-9)
    both = crate("crate").run(force=0.5 * push, period=T, wrenches={"crate": 0.5 * push})
    np.testing.assert_allclose(both.q, fed.q, atol=1e-10)
    live, rows = scene.start(period=T), np.hstack([push, np.zeros((300, 1))])
    for row in rows[:40]:
        moved = live.step(row)
    np.testing.assert_array_equal(live.q, run.q[39])
    np.testing.assert_array_equal(moved[:6], run["velocity.top"][39])
    live = scene.start(period=T)
    for row in push[:40]:
        live.step(force={"top": row})
    np.testing.assert_array_equal(live["velocity.top"], run["velocity.top"][39])
    still = scene.run(0.05, period=T)
    np.testing.assert_allclose(still.q, crate(None, method="euler").run(0.05, period=T).q, atol=1e-13)


def test_what_does_not_fit_is_refused():
    for wrong, told in (
        ({"at": "crate", "method": "rk4"}, "method='rk4' with ports"),
        ({"at": "lid"}, "no body 'lid'"),
        ({"at": {"a b": "crate"}}, "the name 'a b'"),
    ):
        with pytest.raises(tg.InputError, match=told):
            crate(**wrong)
    scene = crate("crate")
    with pytest.raises(tg.InputError, match="how long to run"):
        scene.run(period=T)
    with pytest.raises(tg.InputError, match="force has 5 ticks"):
        scene.run(0.1, force=np.zeros((5, 6)), period=T)
    with pytest.raises(tg.InputError, match="it has no ports"):
        crate(None).run(force=np.zeros((5, 6)), period=T)
    with pytest.raises(tg.InputError, match="it has no ports"):
        crate(None).start(period=T).step(1.0, torque=1.0)
    with pytest.raises(tg.InputError, match="no such port"):
        scene.run(force={"lid": np.zeros((5, 6))}, period=T)
    with pytest.raises(tg.CausalityError, match="Scene has no ports"):
        tg.Circuit(crate(None), {"spring": tg.SpringDamper(stiffness=1.0)})
