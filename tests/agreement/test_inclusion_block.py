"""A stepped machine as a block: the same motion as the plain blocks, and as the whole machine in one inclusion."""

import dataclasses
import re

import numpy as np
import pytest
import sympy

import tegotae as tg
from tegotae.compile import c_source
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio
from tegotae.running.probe import Probe
from tegotae.running.source import module_of

T = 1e-3
STIFF = {"contact": Contact(stiffness=1e6, damping=2e3), "friction": Friction(stiffness=1e6, damping=2e3)}
PUSH = 8.0 * np.sin(0.011 * np.arange(1500)) + 3.0

TWO_MASSES = {
    "p1": "v1",
    "p2": "v2",
    "v1": "(load + k*(p2 - p1) - coulomb(1.5, v1, 'rub1') {joined})/m1",
    "v2": "(k*(p1 - p2) - coulomb(0.3*dio(stop - p2, 'wall') + 0.5, v2, 'rub2') - dio(stop - p2))/m2",
}
VALUES = {"m1": 1.0, "m2": 0.5, "k": 400.0, "stop": 0.01}


def two_masses(joined=""):
    rows = {name: row.format(joined=joined) for name, row in TWO_MASSES.items()}
    return Inclusion(rows, VALUES, inputs={"load": 0.0})


@pytest.fixture(scope="module")
def block():
    return two_masses().to_stepper(period=T, **STIFF).as_admittance(force="load", velocity="v1")


def test_a_plain_mass_is_a_mass():
    own = Inclusion({"p": "v", "v": "load/m"}, {"m": 2.0}, inputs={"load": 0.0})
    own = own.to_stepper(period=T).as_admittance(force="load", velocity="v")
    assert own.least_reluctance(T) == pytest.approx(tg.Mass(mass=2.0).least_reluctance(T), rel=1e-12)
    brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
    circuits = [tg.Circuit(a, {"brake": brake}) for a in (own, tg.Mass(mass=2.0))]
    ours, plain = (circuit.run(PUSH, period=T, initial={"velocity": 0.1}) for circuit in circuits)
    assert ours.velocity == pytest.approx(plain.velocity, abs=1e-12)
    # A plain mass goes by its velocity at the end of a tick, as ours does where it is half a tick ahead.
    assert ours.p + 0.5 * T * (ours.velocity - 0.1) == pytest.approx(plain.position, abs=1e-12)
    assert np.abs(plain.velocity).min() < 1e-3
    assert np.abs(plain.velocity).max() > 0.1


def test_joined_by_a_circuit_is_written_in_one_inclusion(block):
    """Backward Euler of a spring and a damper, as they come as blocks, is the same equation inside and outside."""
    spring, dry = tg.SpringDamper(stiffness=300.0, damping=2.0), tg.Coulomb(2.5)
    brake = tg.FrictionImpedance(stiffness=1e6, damping=2e3, law=dry)  # damping = stiffness beta
    block = dataclasses.replace(block, stepper=dataclasses.replace(block.stepper, method="euler"))
    apart = tg.Circuit(block, {"spring": spring, "brake": brake}).run(PUSH, period=T)
    whole = two_masses("- 300*p1 - 2*v1 - coulomb(2.5, v1, 'brake')").to_stepper(period=T, method="euler", **STIFF)
    whole = whole.run(inputs={"load": PUSH})
    assert whole.wall_touches.any()
    assert not whole.wall_touches.all()
    assert whole.rub1_sticks.any()
    assert not whole.rub1_sticks.all()
    for name in ("p1", "p2", "v1", "v2"):
        assert apart[name] == pytest.approx(whole[name], abs=1e-9 * np.abs(whole[name]).max())
    assert apart["brake.force"] == pytest.approx(-whole.brake, abs=1e-6)
    assert apart["spring.force"] == pytest.approx(-300.0 * whole.p1 - 2.0 * whole.v1, abs=1e-7)
    assert apart.about["unsolved_steps"] == 0


def test_a_friction_joined_by_a_circuit_is_one_written_inside(block):
    """It moves by the velocity at the end of a tick, inside and outside, whatever the method."""
    brake = tg.FrictionImpedance(stiffness=1e6, damping=2e3, law=tg.Coulomb(2.5))
    apart = tg.Circuit(block, {"brake": brake}).run(PUSH, period=T)
    whole = two_masses("- coulomb(2.5, v1, 'brake')").to_stepper(period=T, **STIFF).run(inputs={"load": PUSH})
    assert whole.wall_touches.any()
    assert whole.brake_sticks.any()
    assert not whole.brake_sticks.all()
    for name in ("p1", "p2", "v1", "v2"):
        assert apart[name] == pytest.approx(whole[name], abs=1e-9 * np.abs(whole[name]).max())
    assert apart["brake.force"] == pytest.approx(-whole.brake, abs=1e-6)


def test_run_step_and_stepper_are_one(block):
    run = block.run(PUSH, period=T, initial={"p1": 0.002, "velocity": -0.1})
    stepped = block.stepper.run(inputs={"load": PUSH}, initial={"p1": 0.002, "v1": -0.1})
    for name in ("p1", "p2", "v1", "v2", "rub1", "wall", "rub2_deflection", "wall_touches"):
        expected = np.asarray(stepped[name], dtype=float)
        assert run[name] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())  # compiled apart
    live = block.start(period=T, initial={"p1": 0.002, "v1": -0.1})
    first = [live.step(force) for force in PUSH[:700]]
    kept = live.state
    rest = [live.step(force) for force in PUSH[700:]]
    assert np.array([*first, *rest]) == pytest.approx(run.velocity, abs=1e-9)  # compiled apart
    assert live["wall"] == pytest.approx(run.wall[-1], abs=1e-6)
    live.state = kept
    assert np.array_equal([live.step(force) for force in PUSH[700:]], rest)


def memories(block, state):
    """Its numbers as kernels take them; the workspace is garbage."""
    workspace = block.spaces.workspace.empty()
    workspace.real.fill(np.nan)
    workspace.whole.fill(-(2**60))
    return (*block.parameters, *state.memory, *workspace)


def test_an_answer_keeps_nothing(block):
    """Trials of one tick share their workspace, and what one leaves there does not matter to the next."""
    module, state = module_of(block), block.initial_state(T, {"p2": 0.0099, "v2": 0.3})
    before, own = state.copy(), memories(block, state)
    module.flat_restore(*own)
    module.flat_prepare(*own, T)
    told = [module.flat_answer(*own, h, T) for h in (2.0, -7.0, 2.0)]
    assert told[0] == told[2] != told[1]
    assert state == before


def test_a_tick_keeps_what_was_tried_or_tries_again(block):
    """Whether the force was the last that was tried, an earlier one, or none was."""
    module, ends = module_of(block), []
    for tried in ((2.0,), (2.0, -7.0), ()):
        state = block.initial_state(T, {"p2": 0.0099, "v2": 0.3})
        own = memories(block, state)
        module.flat_restore(*own)
        for _ in range(3):
            module.flat_prepare(*own, T)
            for h in tried:
                module.flat_answer(*own, h, T)
            module.flat_advance(*own, 2.0, 0.0, T)
        ends.append(state)
    assert ends[0] == ends[1] == ends[2]
    assert ends[0]["ticks"] == 3
    assert ends[0]["wall_touches"] == 1


def test_a_tick_allocates_nothing(block):
    """Its C has no allocator, and no room but on the stack, of a size that is known."""
    module, own = module_of(block), memories(block, block.initial_state(T))
    for text in (c_source(module.flat_answer, *own, 1.0, T), c_source(module.flat_advance, *own, 3.0, 0.0, T)):
        assert "stdlib.h" not in text
        assert not re.search(r"(malloc|calloc|alloca)\(|\w+ room\[", text)


def bent():
    """A cart with a pendulum that hits a stop: mass matrix, directions and gap change with the states."""
    x, q, v, w, load, m, M, g = sympy.symbols("x q v w load m M g")
    stop = dio(0.4 * sympy.cos(q) + 0.1 * x, "stop")
    rail = coulomb(2 + sympy.exp(-((v / 0.2) ** 2)) + 0.3 * stop, v, "rail")
    rows = {
        x: v,
        q: w,
        v: load * sympy.cos(0.1 * x) - rail + m * w**2 * sympy.sin(q) + 0.1 * stop,
        w: -m * g * sympy.sin(q) - coulomb(0.2, w, "hinge") - 0.4 * sympy.sin(q) * stop,
    }
    matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, M + m, m * sympy.cos(q)], [0, 0, m * sympy.cos(q), m]]
    return Inclusion(rows, {m: 0.7, M: 1.3, g: 9.81}, inputs={load: 0.0}, mass_matrix=matrix), "load", "v"


def plane():
    """A mass on a plane that pushes it, rubbing in two directions, with a limit that falls with the slip."""
    x, y, z, u, v, w, fx, fy = sympy.symbols("x y z u v w fx fy")
    floor = dio(z, "floor")
    rx, ry = coulomb(0.4 * floor * (1 + sympy.exp(-(u**2 + v**2) / 0.01)), (u, v), "rub")
    rows = {x: u, y: v, z: w, u: fx + 0.2 * fy - rx, v: fy + 0.2 * fx - ry - 20 * y, w: floor - 9.81 + 0.1 * u}
    return Inclusion(rows, inputs={fx: 0.0, fy: 0.0}), ("fx", "fy"), ("u", "v")


def stepped(machine, force, velocity, method="midpoint"):
    soft = {"contact": Contact(stiffness=1e4, damping=20.0), "friction": Friction(stiffness=1e4, damping=20.0)}
    return machine.to_stepper(period=T, method=method, **soft).as_admittance(force=force, velocity=velocity)


@pytest.mark.parametrize("method", ["euler", "midpoint"])
@pytest.mark.parametrize("kind", ["linear", "bent", "plane"])
def test_slope_is_what_differences_give(kind, method):
    made = {"linear": (two_masses(), "load", "v1"), "bent": bent(), "plane": plane()}[kind]
    own = two_masses().to_stepper(period=T, method=method, **STIFF).as_admittance(force="load", velocity="v1")
    own = own if kind == "linear" else stepped(*made, method)
    random, seen, modes = np.random.default_rng(3), 0, set()
    flags = [name for name in own.parts if name.endswith(("_touches", "_sticks"))]
    states = [s.name for s in own.stepper.inclusion.states]
    for _ in range(150):
        start = dict(zip(states, random.normal(0.0, 1.0, len(states)) * 10.0 ** random.uniform(-4, -1), strict=True))
        if kind == "plane":  # on the floor or over it
            start["z"] = random.choice([0.0, abs(start["z"])])
        if kind == "bent":
            start["q"] = 1.5 + 0.05 * random.normal()
            start["x"] = max(start["x"], -4.0 * np.cos(start["q"]))  # outside the stop
        if kind == "linear":
            start["p2"] = min(start["p2"], 0.01)
        probe = Probe(own, T, start)
        h, eps = random.normal(0.0, random.choice([1.0, 10.0]), own.dimension), 1e-4
        _, slope = probe.answer(h)
        for j in range(own.dimension):
            step = eps * np.eye(own.dimension)[j]
            here, up, down = (probe.answer(h + part * step)[0] for part in (0.0, 1.0, -1.0))
            if np.abs(up + down - 2 * here).max() > 1e-3 * np.abs(up - down).max():
                continue  # an edge between two modes lies there
            assert slope[:, j] == pytest.approx((up - down) / (2 * eps), rel=1e-4, abs=1e-6 * np.abs(slope).max())
            seen += 1
        probe.advance(h)
        modes.add(tuple(probe.state[name] for name in flags))
    assert seen > 100
    assert len(modes) >= 3


@pytest.mark.parametrize("method", ["euler", "midpoint"])
def test_slope_of_a_long_tick_is_taken_where_its_rows_are(method):
    """A quarter of a swing in a tick: forces at its middle and at its end are far apart."""
    machine = Inclusion({"q": "w", "w": "load*cos(q) - 30*sin(q)"}, inputs={"load": 0.0})
    own = machine.to_stepper(period=0.1, method=method).as_admittance(force="load", velocity="w")
    probe = Probe(own, 0.1, {"q": 0.3, "w": 4.0})
    (up, _), (down, _), (_, slope) = (probe.answer(2.0 + part) for part in (1e-4, -1e-4, 0.0))
    assert slope[0, 0] == pytest.approx((up[0] - down[0]) / 2e-4, rel=1e-6)


def test_a_machine_in_space_is_a_mass_in_space():
    rows = {"x": "u", "y": "v", "u": "fx/2", "v": "fy/2"}
    own = Inclusion(rows, inputs={"fx": 0.0, "fy": 0.0}).to_stepper(period=T)
    own = own.as_admittance(force=("fx", "fy"), velocity=("u", "v"))
    brake = tg.FrictionImpedance(stiffness=1e5, damping=100.0, law=tg.Coulomb(3.0), dimension=2)
    push = np.stack([PUSH, PUSH[::-1]], axis=1)
    circuits = [tg.Circuit(a, {"brake": brake}) for a in (own, tg.Mass(mass=2.0, dimension=2))]
    ours, plain = (circuit.run(push, period=T) for circuit in circuits)
    assert ours.velocity == pytest.approx(plain.velocity, abs=1e-10)
    assert np.abs(plain.velocity).max() > 0.1


def test_bad_input_is_refused_with_a_remedy(block):
    stepper = block.stepper
    with pytest.raises(ValueError, match=r"period=0.002 s, but its stepper was made for 0.001 s"):
        block.run(PUSH, period=2e-3)
    with pytest.raises(ValueError, match=r"period=0.002"):
        tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=1.0)}).run(PUSH, period=2e-3)
    for force, velocity, told in [
        ("push", "v1", "'push' is neither a parameter"),
        ("load", "v3", "'v3' is not a state"),
        ("stop", "v2", "is in the gap of 'wall'"),
        (("load", "m1"), "v1", "as many forces"),
    ]:
        with pytest.raises(ValueError, match=told):
            stepper.as_admittance(force=force, velocity=velocity)
    against = Inclusion({"p": "v", "v": "-load"}, inputs={"load": 0.0}).to_stepper(period=T)
    with pytest.raises(ValueError, match="does not push"):
        against.as_admittance(force="load", velocity="v")
    named = Inclusion({"p": "velocity", "velocity": "load"}, inputs={"load": 0.0}).to_stepper(period=T)
    with pytest.raises(ValueError, match="called 'velocity'"):
        named.as_admittance(force="load", velocity="velocity")
