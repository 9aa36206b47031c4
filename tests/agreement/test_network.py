"""Machines joined into networks, against all their equations solved at once by a general solver, and against laws."""

import numpy as np
import pytest
from scipy.optimize import root

import tegotae as tg
from tegotae.running.probe import Probe

T, M1, M2, RATIO = 1e-3, 0.5, 2.0, 3.0
ROPE = {"stiffness": 1e4, "damping": 5.0}
RUB = {"stiffness": 1e5, "damping": 50.0}
LIMIT = 3.0


def towed(turn=None, ratio=RATIO):
    """Two masses, a geared rope between them, friction on the second; `turn`: the rope's way in its own space."""
    rub = tg.FrictionImpedance(**RUB, law=tg.Coulomb(LIMIT))
    machines = {"near": tg.Mass(mass=M1), "far": tg.Mass(mass=M2)}
    rope = tg.Link(tg.SpringDamper(**ROPE), "far", "near", ratio=ratio)
    if turn is not None:
        spring = tg.SpringDamper(**ROPE, dimension=len(turn))
        rope = tg.Link(spring, "far", "near", ratio=RATIO * turn, other_ratio=turn)
    return tg.Circuit(machines, {"rope": rope, "rub": tg.Link(rub, "far")})


def dense(push):
    """The same: all unknowns of a tick at once."""
    ic = RUB["stiffness"] * T + RUB["damping"]
    v = np.zeros(2)
    stretch = deflection = 0.0
    path = []
    for h in push:

        def friction(w, e=deflection):
            return np.clip(RUB["stiffness"] * e - ic * w, -LIMIT, LIMIT)

        def rope(z, x=stretch):
            u = RATIO * z[1] - z[0]
            return -(ROPE["stiffness"] * (x + T * u) + ROPE["damping"] * u)

        def gaps(z, h=h, v=v, rope=rope, friction=friction):
            return [M1 * (z[0] - v[0]) / T - h + rope(z), M2 * (z[1] - v[1]) / T - RATIO * rope(z) - friction(z[1])]

        found = root(gaps, v, tol=1e-13).x
        stretch += T * (RATIO * found[1] - found[0])
        stuck = RUB["stiffness"] * deflection - ic * found[1]
        deflection += T * ((np.clip(stuck, -LIMIT, LIMIT) - stuck) / ic - found[1])
        v = found
        path.append(v)
    return np.array(path)


@pytest.mark.parametrize(
    "wound",
    [{}, {"ratio": [[RATIO]]}, {"turn": np.array([[0.6], [-0.8]])}],
    ids=["numbers", "matrices of one number", "matrices"],
)
def test_two_machines_in_a_chain_are_one_machine(wound):
    push = 5.0 * np.sin(2e-3 * np.arange(400)) + 2.0
    run = towed(**wound).run({"near": push}, period=T)
    both = dense(push)
    assert run.about["unsolved_steps"] == 0
    assert run["near.velocity"] == pytest.approx(both[:, 0], abs=1e-11)
    assert run["far.velocity"] == pytest.approx(both[:, 1], abs=1e-11)
    assert np.abs(run["rub.force"]).max() == LIMIT  # it slips
    assert np.abs(run["rub.force"]).min() < LIMIT  # and sticks


def test_a_machine_with_a_name_moves_as_one_without():
    push = 30.0 * np.sin(0.01 * np.arange(500))
    rub = tg.FrictionImpedance(**RUB, law=tg.Coulomb(LIMIT))
    plain = tg.Circuit(tg.Mass(mass=M1), {"rub": rub}).run(push, period=T)
    named = tg.Circuit({"sled": tg.Mass(mass=M1)}, {"rub": tg.Link(rub, "sled")}).run(push, period=T)
    np.testing.assert_array_equal(named["sled.velocity"], plain.velocity)
    np.testing.assert_array_equal(named["rub.force"], plain["rub.force"])


def test_a_network_inside_a_network_is_a_network():
    """Cars one by one, and the same in two trains of two: what is solved inside is solved together all the same."""
    rub, rope = tg.FrictionImpedance(**RUB, law=tg.Coulomb(LIMIT)), tg.SpringDamper(**ROPE)
    cars = {f"car{i}": tg.Mass(mass=1.0 + i) for i in range(4)}
    rubs = {f"rub{i}": tg.Link(rub, f"car{i}") for i in range(4)}
    ropes = {f"rope{i}": tg.Link(rope, f"car{i}", f"car{i + 1}") for i in range(3)}
    flat = tg.Circuit(cars, rubs | ropes)
    trains = {}
    for name, first in (("front", 0), ("back", 2)):
        own = {k: v for k, v in (rubs | ropes).items() if k in (f"rub{first}", f"rub{first + 1}", f"rope{first}")}
        trains[name] = tg.Circuit({k: cars[k] for k in (f"car{first}", f"car{first + 1}")}, own)
    nested = tg.Circuit(trains, {"rope1": tg.Link(rope, "front.car1", "back.car2")})
    push = 40.0 * np.sin(0.01 * np.arange(600))
    one, two = flat.run({"car0": push}, period=T), nested.run({"front.car0": push}, period=T)
    for i, train in enumerate(("front", "front", "back", "back")):
        np.testing.assert_allclose(two[f"{train}.car{i}.velocity"], one[f"car{i}.velocity"], atol=1e-11)
        np.testing.assert_allclose(two[f"{train}.rub{i}.force"], one[f"rub{i}.force"], atol=1e-8)
    assert one.about["unsolved_steps"] == two.about["unsolved_steps"] == 0


def random_network(random, dimension):
    """Masses in a tangle of springs and friction, some of it to the ground."""
    count = int(random.integers(2, 6))
    machines = {f"m{i}": tg.Mass(mass=10 ** random.uniform(-1, 1), dimension=dimension) for i in range(count)}
    links = {}
    for k in range(2 * count):
        K, B, a, b = 10 ** random.uniform(3, 6), 10 ** random.uniform(0, 2), *random.choice(count, 2, replace=False)
        law = tg.Coulomb(10 ** random.uniform(-1, 1))
        block = tg.SpringDamper(stiffness=K, damping=B, dimension=dimension)
        if k % 2:
            block = tg.FrictionImpedance(stiffness=K, damping=B, law=law, dimension=dimension)
        links[f"l{k}"] = tg.Link(block, f"m{a}", f"m{b}" if k % 3 else None, ratio=float(random.choice([1.0, 2.0])))
    return machines, links


def joined(machines, links):
    """For each link the matrix from all motions to its own."""
    names, n = list(machines), next(iter(machines.values())).dimension
    for name, link in links.items():
        B = np.zeros((n, len(names) * n))
        for port, ratio, sign in ((link.port, link.ratio, 1.0), (link.other, link.other_ratio, -1.0)):
            if port is not None:
                at = n * names.index(port)
                B[:, at : at + n] += sign * (1.0 if ratio is None else ratio) * np.eye(n)
        yield name, link.impedance, B


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_random_networks_balance_in_every_tick(seed, dimension):
    """Every mass changes its momentum by what all links and the push give it: the equations themselves."""
    random = np.random.default_rng(10 * seed + dimension)
    machines, links = random_network(random, dimension)
    size = len(machines) * dimension
    push = 20.0 * np.sin(0.02 * np.arange(500)[:, None] + random.uniform(0, 6, size=size))
    run = tg.Circuit(machines, links).run(push, period=T)
    assert run.about["unsolved_steps"] == 0
    v = np.concatenate([run[f"{name}.velocity"].reshape(500, -1) for name in machines], axis=1)
    mass = np.repeat([block.mass for block in machines.values()], dimension)
    force, felt = push.copy(), 0.0
    for name, _, B in joined(machines, links):
        own = run[f"{name}.force"].reshape(500, -1)
        force += own @ B
        felt = max(felt, np.abs(own).max())
    change = np.diff(v, axis=0, prepend=0.0) * mass / T
    np.testing.assert_allclose(change, force, atol=1e-9 * (felt + 20.0))


@pytest.mark.parametrize("dimension", [1, 3])
def test_what_is_only_joined_to_each_other_keeps_its_momentum(dimension):
    rub = tg.FrictionImpedance(**RUB, law=tg.Coulomb(LIMIT), dimension=dimension)
    rope = tg.SpringDamper(**ROPE, dimension=dimension)
    machines = {f"m{i}": tg.Mass(mass=1.0 + i, dimension=dimension) for i in range(3)}
    links = {"rub": tg.Link(rub, "m0", "m1"), "rope": tg.Link(rope, "m1", "m2"), "other": tg.Link(rope, "m0", "m2")}
    start = {f"m{i}.velocity": np.arange(dimension) - 0.7 * i for i in range(3)}
    run = tg.Circuit(machines, links).run(ticks=3000, period=T, initial=start)
    momentum = sum(block.mass * run[f"{name}.velocity"] for name, block in machines.items())
    begun = sum(block.mass * np.asarray(start[f"{name}.velocity"]) for name, block in machines.items())
    np.testing.assert_allclose(
        momentum, np.broadcast_to(begun if dimension > 1 else begun[0], momentum.shape), atol=1e-12
    )
    apart = np.ptp([run[f"m{i}.velocity"][-1] for i in range(3)], axis=0)
    assert np.max(apart) < 1.0  # they rub until they go together


def test_gears_between_unlike_machines():
    """A drum of inertia I and radius R winds a mass m against gravity: a = (tau/R - m g)/(m + I/R^2)."""
    inertia, radius, mass, torque, weight = 0.02, 0.1, 3.0, 4.0, 3.0 * 9.81
    rope = tg.SpringDamper(stiffness=1e7, damping=1e3)
    machine = tg.Circuit(
        {"drum": tg.Mass(mass=inertia), "load": tg.Mass(mass=mass)},
        {"rope": tg.Link(rope, "load", "drum", other_ratio=radius)},
    )
    run = machine.run({"drum": np.full(1000, torque), "load": np.full(1000, -weight)}, period=T)
    expected = (torque / radius - weight) / (mass + inertia / radius**2)
    assert run["load.velocity"][-1] == pytest.approx(expected * 1.0, rel=1e-4)  # the rope gives way by 4 um
    assert run["rope.force"][-1] == pytest.approx(weight + mass * expected, rel=1e-4)


def test_a_link_along_one_direction_pulls_along_it_alone():
    ball = tg.Mass(mass=2.0, dimension=3)
    along = np.array([[2.0, -1.0, 2.0]]) / 3.0
    spring = tg.SpringDamper(stiffness=100.0)
    machine = tg.Circuit({"ball": ball}, {"spring": tg.Link(spring, "ball", ratio=along)})
    start = np.array([0.3, -0.2, 0.5])
    run = machine.run(ticks=2000, period=1e-4, initial={"ball.velocity": start})
    away = run["ball.velocity"] - start
    np.testing.assert_allclose(away - np.outer(away @ along[0], along[0]), 0.0, atol=1e-14)
    spun = np.sqrt(100.0 / 2.0)
    swing = along[0] @ start * np.cos(spun * run.time)
    np.testing.assert_allclose(run["ball.velocity"] @ along[0], swing, atol=3e-3)  # of first order in the period


@pytest.mark.parametrize("named", [False, True])
def test_two_springs_at_right_angles_are_one_twice_as_stiff(named):
    """A machine of one coordinate that a matrix joins to a space: each direction pulls it back alike."""
    push, mass, ports = np.sin(0.02 * np.arange(500)), tg.Mass(mass=M1), ("port",) if named else ()
    both = tg.SpringDamper(stiffness=100.0, damping=1.0, dimension=2)
    one = tg.Circuit(mass, {"one": tg.SpringDamper(stiffness=200.0, damping=2.0)}).run(push, period=T)
    two = tg.Circuit(mass, {"two": tg.Link(both, *ports, ratio=[[1.0], [1.0]])})
    run, live, train = two.run(push, period=T), two.start(period=T), tg.Circuit({"train": two, "other": mass}, {})
    np.testing.assert_allclose(run.velocity, one.velocity, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal([live.step(h) for h in push], run.velocity)
    inside = train.run({"train": push}, period=T)["train.velocity"]
    np.testing.assert_allclose(inside, run.velocity, rtol=1e-12, atol=1e-14)
    name = "sled.port" if named else "sled"
    sled = tg.Circuit({"sled": mass}, {"two": tg.Link(both, name, ratio=[[1.0], [1.0]])})
    np.testing.assert_array_equal(sled.run(push, period=T)["sled.velocity"], run.velocity)
    plain = tg.Circuit(mass, {"a": tg.Link(tg.SpringDamper(stiffness=200.0, damping=2.0), *ports, ratio=[[1.0]])})
    np.testing.assert_array_equal(plain.run(push, period=T).velocity, one.velocity)  # a matrix of one number is that


def test_a_start_is_said_of_the_machine_that_moves():
    """What a network keeps of all ports follows from its machines, and is refused rather than passed over."""
    push = {"ticks": 3, "period": T}
    pair = tg.Circuit({"arm": tg.Mass(mass=1.0), "cars": towed()}, {})
    alone = tg.Circuit({"sled": tg.Mass(mass=1.0)}, {})
    for machine, name, source in (
        (towed(), "velocity.near", "near.velocity"),
        (alone, "velocity", "sled.velocity"),
        (pair, "velocity.cars.near", "cars.velocity.near"),
        (pair, "cars.velocity.near", "near.velocity"),
    ):
        with pytest.raises(
            tg.InputError, match=rf"initial\['[a-z.]*'\] cannot be set\.\n  It follows from {source}\.$"
        ):
            machine.run(**push, initial={name: 1.0})
    assert towed().run(**push, initial={"near.velocity": 1.0})["near.velocity"][0] > 0.5


def test_forces_and_motions_by_the_names_of_ports():
    live = towed().start(period=T)
    moved = live.step({"near": 5.0})
    assert set(moved) == {"near", "far"}
    assert moved["near"] == live["near.velocity"]
    again = towed().start(period=T)
    np.testing.assert_array_equal(again.step([5.0, 0.0]), list(moved.values()))
    with pytest.raises(tg.InputError, match=r"'middle'(.|\n)*near, far"):
        live.step({"middle": 1.0})


def test_an_end_that_is_moved_from_outside():
    """A towed pair follows its base; the rope carries what it takes to speed both up."""
    rope = tg.SpringDamper(**ROPE)
    machines = {"first": tg.Mass(mass=1.0), "second": tg.Mass(mass=2.0)}
    links = {"hook": tg.Link(rope, "first", base=True), "rope": tg.Link(rope, "first", "second")}
    machine = tg.Circuit(machines, links)
    run = machine.run(period=T, bases={"hook": 2.0 * T * np.arange(4000)})
    assert run["hook.force"][-1] == pytest.approx(2.0 * 3.0, rel=1e-2)
    with pytest.raises(tg.InputError, match=r"bases=\['hook'\]"):
        machine.run(ticks=10, period=T)
    fed = machine.run(ticks=4000, period=T, inputs={"hook.base_velocity": 2.0 * T * np.arange(4000)})
    np.testing.assert_array_equal(fed["hook.force"], run["hook.force"])


def test_a_machine_is_felt_through_a_spring():
    """Motion of a hand in, force out, tick by tick: what a device needs of a machine that moves."""
    towed = tg.Circuit(tg.Mass(mass=2.0), {"rope": tg.SpringDamper(stiffness=1e4, damping=50.0)}, bases=["rope"])
    live, felt = towed.start(period=T), []
    for velocity in np.minimum(np.arange(900) * 1e-3, 1.0):
        live["rope.base_velocity"] = velocity
        live.step(0.0)
        felt.append(live["rope.force"])
    assert felt[-1] == pytest.approx(2.0 * 1.0, rel=1e-3)  # 2 kg sped up by 1 m/s^2


def test_parameters_vary_by_the_names_of_blocks():
    machine = towed()
    sweep = machine.batch(**{"far.mass": [1.0, 2.0], "rub.stiffness": [1e4, 1e5]})
    run = sweep.run(np.tile([5.0, 0.0], (100, 1)), period=T)
    np.testing.assert_array_equal(
        run["near.velocity"][1], machine.run({"near": np.full(100, 5.0)}, period=T)["near.velocity"]
    )
    heavy = machine.varied({"far": tg.Mass(mass=9.0)})
    assert heavy.admittances["far"].mass == 9.0
    lone = tg.Circuit(tg.Mass(mass=1.0), {"rub": tg.SpringDamper(stiffness=1.0)})
    assert lone.batch(mass=[1.0, 2.0]).blocks[1].admittances[""].mass == 2.0


def test_a_batch_takes_forces_by_the_names_of_ports():
    """One record for all, one for each, and tick by tick: as each machine moves by itself."""
    machine, shared, own = towed(), np.full(50, 5.0), np.outer([1.0, 2.0], np.ones(50))
    sweep = machine.batch(**{"far.mass": [1.0, 2.0]})
    run = sweep.run({"near": shared, "far": own}, period=T)
    assert run["force.far"].shape == (2, 50)
    live = sweep.start(period=T)
    ticked = [live.step({"near": [5.0, 5.0], "far": own[:, 0]}) for _ in range(50)]
    for i, one in enumerate(sweep.blocks):
        alone = one.run({"near": shared, "far": own[i]}, period=T)
        for port in ("near", "far"):
            np.testing.assert_array_equal(run[f"{port}.velocity"][i], alone[f"{port}.velocity"])
            np.testing.assert_array_equal([tick[port][i] for tick in ticked], alone[f"{port}.velocity"])
    for given, said in (
        ({"middle": shared}, r"'middle'(.|\n)*near, far"),
        ({"near": shared, "far": np.ones(9)}, "lengths"),
        ({}, "at least one port"),
    ):
        with pytest.raises(tg.InputError, match=said):
            sweep.run(given, period=T)
    with pytest.raises(tg.InputError, match=r"force\['near'\] has shape \(3,\)"):
        live.step({"near": [1.0, 2.0, 3.0]})
    felt = tg.SpringDamper(stiffness=1.0).batch(stiffness=[1.0, 2.0])
    with pytest.raises(tg.InputError, match="velocity is given by ports"):
        felt.run({"port": shared}, period=T)


def test_blocks_inside_of_blocks_vary_by_name():
    inner = tg.ImpedanceSum(
        {"wall": tg.VirtualWall(stiffness=10.0, point=0.0, normal=-1.0), "rope": tg.SpringDamper(stiffness=2.0)}
    )
    machine = tg.Circuit(tg.Mass(mass=1.0), {"felt": inner})
    assert "felt.wall.stiffness" in machine.variable
    stiff = machine.varied({"felt.wall.stiffness": 30.0, "mass": 4.0})
    assert stiff.impedances["felt"].impedances["wall"].stiffness == 30.0
    assert stiff.admittances[""].mass == 4.0


def test_parts_of_any_machine_vary_by_name():
    """Fields of fields and entries of lists, in a batch as in a copy."""
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
    brake = tg.FrictionImpedance(stiffness=1e4, damping=500.0, law=law)
    sweep = brake.batch(**{"law.kinetic": [3.0, 4.5], "law.static": [5.0, 6.0]})
    assert [one.law.kinetic for one in sweep.blocks] == [3.0, 4.5]
    assert brake.unit_of("law.static") == "N"
    stack = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0])
    assert [one.limits[1] for one in stack.batch(**{"limits[1]": [5.0, 6.0]}).blocks] == [5.0, 6.0]
    with pytest.raises(tg.InputError, match=r"no 'low\.limit' to change(.|\n)*stiffness, damping, law"):
        brake.varied({"low.limit": 1.0})


def test_slopes_across_ports_are_what_differences_give():
    probe, random = Probe(towed(), T), np.random.default_rng(0)
    for _ in range(50):
        h, eps = 5.0 * random.normal(size=2), 1e-6
        _, slope = probe.answer(h)
        for c in range(2):
            up, down = (probe.answer(h + d * np.eye(2)[c])[0] for d in (eps, -eps))
            np.testing.assert_allclose(slope[:, c], (up - down) / (2.0 * eps), rtol=1e-5, atol=1e-9)
        probe.advance(h, probe.answer(h)[0])


MACHINES = {"near": tg.Mass(mass=1.0), "far": tg.Mass(mass=1.0, dimension=2)}
SPRING = tg.SpringDamper(stiffness=1.0)


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ({"rope": SPRING}, r"'rope' is left hanging(.|\n)*near, far"),
        ({"rope": tg.Link(SPRING)}, "'rope' is left hanging"),
        (
            {"rope": tg.Link(SPRING, "near", ratio=0.0)},
            "rope.ratio=0 leaves 'rope' hanging: it would neither feel nor push 'near'",
        ),
        (
            {"rope": tg.Link(tg.SpringDamper(stiffness=1.0, dimension=2), "near", "far", [[1.0], [0.0]], 0.0)},
            "rope.other_ratio=0 leaves 'rope' hanging",
        ),
        ({"rope": tg.Link(SPRING, "nearer")}, r"rope.port='nearer': there is no such port(.|\n)*near, far"),
        ({"rope": tg.Link(SPRING, "near", "near")}, "joins 'near' to itself"),
        (
            {"rope": tg.Link(SPRING, "near", "far")},
            r"'rope' has dimension=1, but 'far' moves in 2(.|\n)*matrix of shape",
        ),
        ({"rope": tg.Link(SPRING, "near", "far", other_ratio=[1.0, 2.0])}, r"rope.other_ratio has shape \(2,\)"),
        ({"rope": tg.Link(SPRING, "near", "far", base=True)}, "at a moving base"),
        ({"rope": tg.Mass(mass=1.0)}, "which gives motion, and so does"),
        ({"rope": "rope"}, "is not a block"),
        ({"near": tg.Link(SPRING, "near")}, "'near' is already a name"),
        ({"velocity": tg.Link(SPRING, "near")}, "'velocity' is already a name"),
        ({"force": tg.Link(SPRING, "near")}, "'force' is already a name"),
        ({"a rope": tg.Link(SPRING, "near")}, "plain word"),
    ],
)
def test_what_cannot_be_joined_is_refused_by_name(links, said):
    with pytest.raises(tg.TegotaeError, match=said):
        tg.Circuit(MACHINES, links)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((tg.Mass(mass=1.0), "near"), "it gives motion"),
        (("rope", "near"), "is not a block"),
        ((SPRING, 3), "port=3"),
        ((SPRING, "near", 3), "other=3"),
        ((SPRING, "near", None, np.nan), "ratio"),
        ((SPRING, "near", None, 1.0, "fast"), "other_ratio"),
        ((SPRING, "near", None, 1.0, 1.0, 2), "base=2"),
        ((SPRING, None, "far"), r"other='far', but port= names no port(.|\n)*leave other= out"),
        ((SPRING, None, "far", 1.0, None, True), "other='far', but port= names no port"),
        ((SPRING, None, None, 1.0, 2.0), "other_ratio=2.0, but other= names no port"),
        ((SPRING, "near", None, 1.0, 1.0), "other_ratio=1.0, but other= names no port"),
        ((SPRING, "near", None, 1.0, 2.0, True), "other_ratio=2.0, but other= names no port"),
    ],
)
def test_a_link_that_is_none_is_refused_where_it_is_made(given, said):
    with pytest.raises(tg.TegotaeError, match=said):
        tg.Link(*given)


def test_more_that_is_refused():
    with pytest.raises(tg.CausalityError, match=r"admittance\['spring'\](.|\n)*it gives force"):
        tg.Circuit({"spring": SPRING}, {})
    with pytest.raises(tg.CausalityError, match="nothing that moves"):
        tg.Circuit({}, {})
    with pytest.raises(tg.InputError, match="plain word"):
        tg.Circuit({"no.dots": tg.Mass(mass=1.0)}, {})
    mass = tg.Mass(mass=1.0)
    with pytest.raises(tg.InputError, match=r"admittance name ''(.|\n)*plain word"):
        tg.Circuit({"": mass, "b": mass}, {"rope": tg.Link(SPRING, "b")})
    for taken in ("velocity", "force", "unsolved"):
        with pytest.raises(tg.InputError, match=f"'{taken}' is already a name in the circuit"):
            tg.Circuit({taken: mass, "b": mass}, {})
    with pytest.raises(tg.InputError, match="ratios or bases"):
        tg.Circuit(tg.Mass(mass=1.0), {"rope": tg.Link(SPRING, "port")}, ratios={"rope": 2.0})
    falling = tg.FrictionImpedance(stiffness=1e5, damping=60.0, law=tg.Stribeck(kinetic=1.0, static=3.0, velocity=0.05))
    light = {"a": tg.Mass(mass=0.01), "b": tg.Mass(mass=0.01)}
    with pytest.raises(tg.UniquenessError, match=r"two solutions(.|\n)*each of 'a' and 'b', or give 'rub' a law that"):
        tg.Circuit(light, {"rub": tg.Link(falling, "a", "b")}).check(1e-3)
    other, own = towed().start(period=T), tg.Circuit(light, {"rope": tg.Link(SPRING, "a", "b")}).start(period=T)
    with pytest.raises(tg.InputError, match=r"state is one of Circuit, with velocity.near"):
        own.state = other.state
