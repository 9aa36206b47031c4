"""The steering column as a block with two ports, against closed forms and against the system that is all of it."""

import numpy as np
import pytest
from scipy.linalg import expm

import tegotae as tg
from tegotae.multibody import AtJoint, Body, Prismatic, Revolute, Scene, Tree
from tegotae.ports import LINEAR, Port
from tegotae.rod import GroundedRod, PlanarRod
from tegotae.running.probe import Probe
from tegotae.steering import Bicycle, Column, ContactPatch, PlanarPatch, SteeringSystem, TorsionBar
from tegotae.steering.hands import Driver, Sine

T = 1e-3
BAR = TorsionBar(stiffness=150.0, damping=0.3, wheel_inertia=0.05)
FREE = {"friction": 1e-12}  # next to none


def slid(column: Column, wheel: float, tyre: float, ticks: int) -> tg.Result:
    return column.run({"wheel": np.full(ticks, wheel), "tyre": np.full(ticks, tyre)}, period=T)


def test_a_rigid_column_is_one_inertia_behind_a_gear() -> None:
    """I a = N tau_wheel + tau_tyre - T_f: backward Euler has the exact velocity, and the wheel is N times as fast."""
    column = Column(inertia=2.0, gear=13.0, friction=3.0, stiffness=1e6, damping=0.0)
    run = slid(column, 1.5, -2.5, 1000)
    acceleration = (13.0 * 1.5 - 2.5 - 3.0) / 2.0
    # Before it slides it stretches its friction by T_f/K_f = 3 um: less than the tenth tick.
    np.testing.assert_allclose(np.diff(run["velocity.tyre"])[10:], acceleration * T, rtol=1e-9)
    np.testing.assert_allclose(run["velocity.wheel"], 13.0 * run["velocity.tyre"], rtol=1e-15)
    np.testing.assert_allclose(run["position.wheel"], 13.0 * run["position.tyre"], rtol=1e-15)
    assert run["train.force"][-1] == pytest.approx(-3.0, rel=1e-12)


def test_below_its_friction_a_column_stands() -> None:
    column = Column(gear=16.0, friction=3.0, stiffness=1e5, damping=100.0)
    run = slid(column, 0.05, 0.6, 3000)  # suddenly: less than half of it, or it would slip before it stands
    assert run["position.tyre"][-1] == pytest.approx(1.4 / 1e5, rel=1e-6)
    assert abs(run["velocity.wheel"][-1]) < 1e-9


@pytest.mark.parametrize(("wheel", "tyre"), [(1.0, 0.0), (0.0, 5.0), (-0.7, 3.0)])
def test_behind_a_torsion_bar_two_inertias_swing(wheel: float, tyre: float) -> None:
    """Backward Euler is exact in the limit: half the period halves the distance from the matrix exponential."""
    column = Column(inertia=2.4, gear=16.0, compliance=BAR, **FREE)
    N, K, B, J, inertia = 16.0, BAR.stiffness, BAR.damping, BAR.wheel_inertia, 2.4
    rate = np.zeros((5, 5))  # of wheel angle, steer angle, their rates, and 1
    rate[0, 2] = rate[1, 3] = 1.0
    twist = np.array([1.0, -N])
    for row, arm, own, push in ((2, 1.0, J, wheel), (3, -N, inertia, tyre)):
        rate[row, :2], rate[row, 2:4], rate[row, 4] = -K * arm * twist / own, -B * arm * twist / own, push / own
    wanted = (expm(0.2 * rate) @ [0.0, 0.0, 0.0, 0.0, 1.0])[:2]
    apart = []
    for period in (1e-4, 5e-5):
        ticks = round(0.2 / period)
        run = column.run({"wheel": np.full(ticks, wheel), "tyre": np.full(ticks, tyre)}, period=period)
        apart.append(np.abs([run["position.wheel"][-1], run["position.tyre"][-1]] - wanted).max())
    assert apart[0] < 5e-3 * np.abs(wanted).max()
    assert apart[1] == pytest.approx(0.5 * apart[0], rel=0.1)


@pytest.mark.parametrize("column", [Column(), Column(compliance=BAR)], ids=["rigid", "bar"])
def test_its_mobility_is_symmetric_and_passive(column: Column) -> None:
    """What torque at one port does at the other, it does back; no torque draws energy from it."""
    probe = Probe(column, T)
    for value in np.random.default_rng(5).normal(size=(50, 2)) * 10.0:
        out, slope = probe.answer(value)
        np.testing.assert_allclose(slope, slope.T, rtol=1e-9)
        assert np.linalg.eigvalsh(0.5 * (slope + slope.T)).min() >= -1e-12 * np.abs(slope).max()
        probe.advance(value, out)


@pytest.mark.parametrize("bar", [None, BAR], ids=["rigid", "bar"])
@pytest.mark.parametrize("vehicle", ["kinematic", "bicycle"])
def test_wired_by_hand_it_is_the_steering_system(bar: TorsionBar | None, vehicle: str) -> None:
    """Another formulation: a network of the column, the tyre at one port and the driver's arms at the other."""
    system = SteeringSystem.paper(speed=10.0) if vehicle == "kinematic" else SteeringSystem.physical(speed=10.0)
    column, driver = Column(compliance=bar), Driver(angle=Sine(amplitude=1.5, frequency=1.0))
    tyre = system.vehicle.on(system.patch)
    arms = tg.SpringDamper(stiffness=driver.stiffness, damping=driver.damping)
    links = {"tyre": tg.Link(tyre, "column.tyre"), "hand": tg.Link(arms, "column.wheel", base=True)}
    by_hand = tg.Circuit({"column": column}, links)
    _, rates = driver.angles(T, 1500)
    wired = by_hand.run(bases={"hand": rates}, inputs={"tyre.speed": 10.0}, period=T)
    whole = SteeringSystem(patch=system.patch, vehicle=system.vehicle, column=column, speed=10.0).run(
        hand=driver, duration=1.5, period=T
    )
    # Either solve ends within rounding of what is at stake, which the stiff friction of the train carries on.
    for name, own in (("wheel_angle", "column.position.wheel"), ("steer", "column.position.tyre")):
        np.testing.assert_allclose(wired[own], whole[name], atol=1e-9)
    np.testing.assert_allclose(-wired["tyre.force"], whole.tyre_torque, atol=1e-6)
    np.testing.assert_allclose(wired["hand.force"], whole.hand_torque, atol=1e-7)


def test_a_bar_starts_unwound_whichever_end_is_told() -> None:
    column = Column(compliance=BAR)
    for told in ({"position.wheel": 0.8}, {"position.tyre": 0.05}):
        run = column.run({"wheel": np.zeros(5)}, period=T, initial=told)
        np.testing.assert_allclose(run["position.wheel"], 0.8, rtol=1e-12)
        np.testing.assert_allclose(run["position.tyre"], 0.05, rtol=1e-12)
    system = SteeringSystem(column=column, patch=ContactPatch(bristles=5), vehicle=Bicycle())
    for told in ({"wheel_angle": 0.8}, {"steer": 0.05}):
        run = system.run(np.zeros(5), period=T, initial=told)
        np.testing.assert_allclose(run.wheel_angle, 0.8, rtol=1e-12)
        np.testing.assert_allclose(run.hand_torque, 0.0)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Column().run({"rim": np.zeros(3)}, period=T), "no such port.*\n.*wheel, tyre"),
        (lambda: Column().run(np.zeros(3), period=T), "Column: force"),
        (lambda: Column().run({"wheel": [0.0, np.nan]}, period=T), "force.'wheel'.*not finite"),
        (lambda: Column(gear=0.0), "gear=0"),
        (lambda: Column(inertia=np.inf), "inertia=inf"),
        (lambda: Column(compliance=3.0), "compliance=3"),
        (lambda: Column().start(period=T).step({"rim": 1.0}), "no such port"),
        (lambda: SteeringSystem().run([], period=T), "force"),
        (lambda: SteeringSystem().run(np.zeros((3, 2)), period=T), "force"),
        (lambda: SteeringSystem().run(np.zeros(3), duration=1.0, period=T), "duration=1"),
        (lambda: SteeringSystem().run(np.zeros(3), period=T, inputs={"gust": 1.0}), "inputs names 'gust'.*\n.*speed"),
        (lambda: SteeringSystem().run(np.zeros(3), period=T, inputs=3.0), "inputs=3"),
        (lambda: SteeringSystem().run(np.zeros(3), period=T, record=["bark"]), "record has 'bark'"),
        (
            lambda: SteeringSystem().run(np.zeros(3), period=T, initial={"wheel_angle": 1.0, "steer": 1.0}),
            "wheel_angle.*=1 contradicts.*\n.*follows from steer",
        ),
        (lambda: SteeringSystem().run(np.zeros(3), period=T, initial={"steer": np.nan}), "steer"),
        (lambda: SteeringSystem(arms=4.0), "arms=4"),
        (lambda: tg.Circuit({"c": Column()}, {"t": tg.Link(ContactPatch(), "c.rim")}), "no such port.*\n.*c.tyre"),
    ],
)
def test_bad_input_is_named(made, message: str) -> None:
    with pytest.raises(tg.InputError, match=message):
        made()


def slider(*axes, joint=Prismatic):
    """A body on sliders one after the other, met at each."""
    names = [f"s{i}" for i in range(len(axes))]
    bodies = [
        Body(name=name, mass=1.0, inertia=(0.1,) * 3, parent=before, joint=joint(axis=axis))
        for name, before, axis in zip(names, [None, *names], axes, strict=False)
    ]
    return Scene(tree=Tree(bodies), at={name: AtJoint(name) for name in names})


CART, WHEEL, SPACE = slider((1, 0, 0)), slider((0, 0, 1), joint=Revolute), slider((1, 0, 0), (0, 1, 0), (0, 0, 1))
PATCH = ContactPatch(bristles=5)


@pytest.mark.parametrize("tyre", [PATCH, Bicycle().on(PATCH), tg.ImpedanceSum({"s": tg.SpringDamper(), "t": PATCH})])
def test_a_tyre_turns_and_is_no_spring_on_a_slider(tyre: tg.Impedance) -> None:
    said = rf"'t' joins its {tyre.name} \[rad/s\] and .* \[m/s\](.|\n)*ratio="
    for joined in (lambda: tg.Circuit({"a": CART}, {"t": tg.Link(tyre, "a")}), lambda: tg.Circuit(CART, {"t": tyre})):
        with pytest.raises(tg.InputError, match=said):
            joined()
    with pytest.raises(tg.InputError, match=said):  # the end that is not geared must fit
        tg.Circuit({"a": CART, "b": WHEEL}, {"t": tg.Link(tyre, "b", "a", ratio=2.0)})
    tg.Circuit({"a": CART}, {"t": tg.Link(tyre, "a", ratio=1.0)})  # 1 rad/s for each m/s
    tg.Circuit(CART, {"t": tyre}, ratios={"t": 1.0})
    for machine in (WHEEL, tg.Mass(mass=1.0)):
        tg.Circuit(machine, {"t": tyre})
        tg.Circuit({"a": machine}, {"t": tg.Link(tyre, "a")})


def test_a_plain_mass_has_the_unit_of_what_it_is_joined_to() -> None:
    """Without a ratio a mass on a joint turns, and so does all that hangs on it, in whatever order it is wired."""
    spring, machines = tg.SpringDamper(stiffness=1.0), {"arm": WHEEL, "a": tg.Mass(mass=1.0), "cart": CART}
    machines |= {"b": tg.Mass(mass=1.0), "c": tg.Circuit(tg.Mass(mass=1.0), {"s": spring})}
    ends = {"x": ("arm", "a"), "y": ("a", "b"), "z": ("b", "c"), "w": ("c", "cart")}
    joined = {name: tg.Link(spring, *pair) for name, pair in ends.items()}
    for order, said in (
        ("xyzw", r"'w' joins 'c' \[rad/s through 'z'\] and 'cart' \[m/s\]"),
        ("wzyx", r"'x' joins 'arm' \[rad/s\] and 'a' \[m/s through 'y'\]"),
        ("yzxw", r"'w' joins 'c' \[rad/s through 'x'\] and 'cart' \[m/s\]"),
        ("xwyz", r"'z' joins 'b' \[rad/s through 'y'\] and 'c' \[m/s through 'w'\]"),
    ):
        with pytest.raises(tg.InputError, match=rf"{said}(.|\n)*ratio="):
            tg.Circuit(machines, {name: joined[name] for name in order})
    for name, pair in ends.items():  # geared anywhere on the way, it is a machine that turns and one that slides
        tg.Circuit(machines, joined | {name: tg.Link(spring, *pair, other_ratio=0.3)})
    with pytest.raises(tg.InputError, match=r"'y' joins 'a' \[rad/s through 't'\] and 'cart' \[m/s\](.|\n)*ratio="):
        tg.Circuit(machines, {"t": tg.Link(PATCH, "a"), "y": tg.Link(spring, "a", "cart")})


def test_units_are_compared_direction_by_direction() -> None:
    class Ball(tg.Mass):
        ports = (Port("port", 3, *LINEAR),)

    patch, rope = PlanarPatch(bristles=3), tg.SpringDamper(stiffness=1.0, dimension=3)
    rod = GroundedRod(rod=PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=1.0, viscosity=0.1), at="tip")
    machines = {"a": tg.Mass(mass=1.0, dimension=3), "ball": Ball(mass=1.0, dimension=3), "rod": rod}
    links = {"t": tg.Link(patch, "a"), "s": tg.Link(rope, "a", "rod")}
    tg.Circuit(machines, links)
    with pytest.raises(tg.InputError, match=r"'r' joins 'a' \[m/s, m/s, rad/s through 't'\] and 'ball' \[m/s\]"):
        tg.Circuit(machines, links | {"r": tg.Link(rope, "a", "ball")})


def test_a_patch_that_only_turns_a_mass() -> None:
    """What it takes of the momentum is its moment, whether the machine's one port is named or not."""
    patch, push, turn = PlanarPatch(bristles=3), np.full(200, 4.0), [[0.0], [0.0], [1.0]]
    runs = [
        tg.Circuit(tg.Mass(mass=0.5), {"t": tg.Link(patch, *ports, ratio=turn)}).run(push, period=T)
        for ports in ((), ("port",))
    ]
    moment = 0.5 * np.diff(runs[0].velocity, prepend=0.0) / T - push
    np.testing.assert_allclose(runs[0]["t.force"][:, 2], moment, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(runs[0].velocity, runs[1].velocity)
    assert np.abs(moment).max() > 0.1


def test_a_planar_patch_takes_two_ways_and_a_turn() -> None:
    patch = PlanarPatch(bristles=3)
    with pytest.raises(tg.InputError, match=r"PlanarPatch \[m/s, m/s, rad/s\] and Scene \[m/s\]"):
        tg.Circuit(SPACE, {"t": patch})
    rod = GroundedRod(rod=PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=1.0, viscosity=0.1), at="tip")
    for machine in (rod, tg.Mass(mass=1.0, dimension=3)):
        tg.Circuit(machine, {"t": patch})
        tg.Circuit({"a": machine}, {"t": tg.Link(patch, "a")})


def test_a_ratio_that_is_given_says_how_unlike_units_are_geared() -> None:
    spring, machines = tg.SpringDamper(stiffness=1.0), {"a": CART, "b": WHEEL}
    with pytest.raises(tg.InputError, match=r"'t' joins 'a' \[m/s\] and 'b' \[rad/s\](.|\n)*by 1.0: ratio="):
        tg.Circuit(machines, {"t": tg.Link(spring, "a", "b")})
    push = {"b": np.full(20, 3.0)}
    runs = [
        tg.Circuit(machines, {"t": tg.Link(spring, "a", "b", **given)}).run(push, period=T)["t.force"]
        for given in ({"other_ratio": 1.0}, {"ratio": 1.0, "other_ratio": 1.0}, {"other_ratio": [[1.0]]})
    ]
    assert runs[0][-1] > 0.0
    for run in runs[1:]:
        np.testing.assert_allclose(run, runs[0], rtol=1e-12)


def test_the_force_on_a_lone_machine_has_the_unit_of_its_port() -> None:
    for machine, unit in ((WHEEL, "N·m"), (CART, "N"), (tg.Mass(mass=1.0), "N")):
        run = tg.Circuit(machine, {"s": tg.SpringDamper(stiffness=1.0)}).run(np.zeros(3), period=T)
        assert run.variables["force"].unit == unit


def test_a_port_is_known_by_its_full_name_though_it_is_the_only_one() -> None:
    spring = tg.SpringDamper(stiffness=50.0, damping=1.0)
    inner = tg.Circuit({"cart": CART}, {"s": tg.Link(spring, "cart.s0")})
    push = 3.0 * np.ones(20)
    short = tg.Circuit({"in": inner, "b": tg.Mass(mass=1.0)}, {"s": tg.Link(spring, "in", "b")})
    want = short.run({"in": push}, period=T)
    for name in ("in.cart", "in.cart.s0"):
        full = tg.Circuit({"in": inner, "b": tg.Mass(mass=1.0)}, {"s": tg.Link(spring, name, "b.port")})
        np.testing.assert_array_equal(full.run({name: push}, period=T)["in.velocity"], want["in.velocity"])
        live, batch = full.start(period=T), full.batch(**{"s.stiffness": [50.0, 70.0]}).start(period=T)
        assert live.step({name: 3.0})["in"] == batch.step({name: [3.0, 3.0]})["in"][0] == want["in.velocity"][0]
        with pytest.raises(tg.InputError, match="force names a port twice: in"):
            live.step({name: 3.0, "in": 3.0})
        with pytest.raises(tg.InputError, match="force names a port twice: in"):
            full.run({name: push, "in": push}, period=T)
    with pytest.raises(tg.InputError, match=r"no such port(.|\n)*Its ports: in, b"):
        tg.Circuit({"in": inner, "b": tg.Mass(mass=1.0)}, {"s": tg.Link(spring, "in.hand", "b")})
