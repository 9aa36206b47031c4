"""A rod on the ground as a block: its ports against loads and the linear step, what it is fed against phases."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.rod import (
    Ground,
    GroundedRod,
    Load,
    Payload,
    Peg,
    Phase,
    PlanarRod,
    RodError,
    Shape,
    Wall,
    travelling_wave,
)
from tegotae.rod.integrals import closed_form
from tegotae.rod.planar import Evaluation

T = 1e-3
ROD = PlanarRod(
    length=1.0,
    nodes=9,
    density=0.5,
    elasticity=0.5,
    viscosity=0.02,
    rest_curvature=0.3,
    gravity=(0.2, -0.5),
    payload=Payload(mass=0.05, inertia=1e-3),
)
SCALES = Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=20.0)
THINGS = {
    "walls": [Wall(point=(0.0, -0.05), normal=(0.0, 1.0), stiffness=1e4, damping=5.0, friction=0.3)],
    "pegs": [Peg(centre=(0.5, 0.4), radius=0.1, stiffness=1e4)],
}


def pushes(ticks, dimension):
    """Gentle enough that no tick is taken in several steps."""
    return (
        0.2
        * np.sin(0.02 * np.arange(ticks)[:, None] + np.arange(dimension))
        * np.array([1, 1, 0.05] * (dimension // 3))
    )


def linear_steps(at, base, force):
    """Angles, and motion and place of the ports, (ticks, 3 ports): segment by segment, and by the paper's integrals."""
    nodes = [{"base": 0, "tip": 8}.get(place, place) for place in (at if isinstance(at, tuple) else (at,))]
    y, v, q = np.zeros(11), np.zeros(11), np.array([[node / 8, 0.0, 0.0] for node in nodes])
    angles, motions, places = [], [], []
    for row in force.reshape(len(force), -1, 3):
        loads = [Load(at=node / 8, force=h[:2], torque=h[2]) for node, h in zip(nodes, row, strict=True)]
        now = Evaluation(ROD, y[2:], v[2:], Phase(until=1.0, base=base, loads=loads))
        parts, v = closed_form(y[2:], v[2:], ROD.segments.length), v + T * now.mixed(step=T)
        turning = 1j * (parts.G[:, 0] * v[2:-1] + parts.G[:, 1] * v[3:]) - 0.5 * T * parts.E
        ways = np.concatenate([[0.0], np.cumsum(turning + parts.chord / T)])[nodes] + complex(*(v[:2] + y[:2] / T))
        motion = np.stack([ways.real, ways.imag, v[2:][nodes] + y[2:][nodes] / T], axis=1) - q / T
        y, q = y + T * v, q + T * motion
        for kept, one in ((angles, y[2:]), (motions, motion), (places, q)):
            kept.append(one.ravel())
    return np.array(angles), np.array(motions), np.array(places)


@pytest.mark.parametrize(("at", "base"), [(("base", "tip"), "free"), (("tip", 3), "pinned"), ("tip", "fixed")])
def test_on_no_ground_it_is_the_linear_step(at, base):
    """Two eliminations that share no loop: side by side, and segment by segment. By Euler's rule, for which there is
    the other one; the midpoint has the dense equations and the adaptive rod.
    """
    block = GroundedRod(rod=ROD, at=at, base=base, method="euler")
    force = pushes(300, block.dimension)
    angles, motions, places = linear_steps(at, base, force)
    found = block.run(force, period=T)
    np.testing.assert_allclose(found.angle[1:], angles, rtol=0.0, atol=1e-11)
    for i, port in enumerate(block.ports):
        for name, wanted in (("velocity", motions), ("position", places)):
            own = wanted[:, 3 * i : 3 * i + 3]
            np.testing.assert_allclose(found[f"{name}.{port.name}"][1:], own, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_force_on_a_port_is_a_load_on_its_node(method):
    """On the ground, between a wall and a peg; each tick is solved to 1e-8 of the largest force.

    By the midpoint one without ports may solve a tick twice, so both have them.
    """
    force = {"tip": np.tile([0.8, 4.0, 0.02], (400, 1)), "node_4": np.tile([-0.5, 3.0, 0.0], (400, 1))}
    loads = [Load(at=-0.0, force=(0.8, 4.0), torque=0.02), Load(at=0.5, force=(-0.5, 3.0))]
    pushed = GroundedRod(rod=ROD, ground=SCALES, **THINGS, at=("tip", 4), method=method).run(force, period=T)
    table = GroundedRod(rod=ROD, ground=SCALES, **THINGS, at="tip" if method == "midpoint" else (), method=method)
    loaded = table.run([Phase(until=0.4, loads=loads)], period=T)
    assert loaded.contact.any()
    assert pushed.about["steps"] == loaded.about["steps"] == 400
    for name in ("angle", "position", "friction", "contact", "work", "ground_work", "dissipated"):
        scale = np.abs(loaded[name]).max()
        np.testing.assert_allclose(pushed[name], loaded[name], rtol=0.0, atol=1e-5 * scale, err_msg=name)
    np.testing.assert_allclose(pushed["position.tip"][:, :2], pushed.position[:, -1], rtol=0.0, atol=1e-5)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_energy_of_a_rod_that_is_pushed_over_the_ground_balances(method):
    """What the ports put in is kinetic, elastic, potential, lost in bending or taken by the ground."""
    gaps = []
    for period in (1e-3, 5e-4):
        force = {"base": np.tile([0.6, 0.4, 0.0], (round(0.3 / period), 1))}
        run = GroundedRod(rod=ROD, ground=SCALES, at=("base", "tip"), method=method).run(force, period=period)
        inside = run.kinetic + run.elastic + run.potential
        gaps.append(float(np.abs(inside - inside[0] + run.dissipated + run.ground_work - run.work).max()))
        assert run.work[-1] > 0.02
        moved = run["velocity.base"][1:]
        felt = period * float((moved[:, 0] * 0.6 + moved[:, 1] * 0.4).sum())
        assert felt == pytest.approx(run.work[-1], rel=0.02)  # the port's own motion tells the same
    assert gaps[0] < 0.02 * run.work[-1]
    if method == "euler":
        assert gaps[1] == pytest.approx(0.5 * gaps[0], rel=0.15)
    else:  # as it slips and sticks again and again there is no rate to fit
        assert max(gaps) < 5e-4 * run.work[-1]


def test_in_a_circuit_its_tip_is_held_by_a_spring_and_its_body_by_the_ground():
    """A spring that pulls with less than dry friction holds moves nothing; one that pulls with more drags it along."""
    rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=5.0, viscosity=0.1)
    hand = tg.SpringDamper(stiffness=100.0, damping=5.0, dimension=3)
    machine = tg.Circuit(GroundedRod(rod=rod, ground=SCALES, at="tip"), {"hand": hand}, bases=["hand"])
    path = np.zeros((2000, 3))
    path[:1000, 0] = 0.005  # 5 mm/s for a second, then it rests; friction would take 0.981 N
    held = machine.run(period=T, bases={"hand": path})
    along = 1e4 * (0.1 / 0.5) ** 2  # the bristles' own stiffness in that direction
    assert held["hand.force"][-1, 0] == pytest.approx(0.005 / (1.0 / 100.0 + 1.0 / along), rel=0.01)
    assert (held["slip_speed"][-1] == 0.0).all()
    path[:, 0] = 0.05
    dragged = machine.run(period=T, bases={"hand": path})
    assert dragged["hand.force"][-1, 0] == pytest.approx(0.1 * 9.81, rel=1e-2)
    assert dragged["velocity"][-1, 0] == pytest.approx(0.05, rel=1e-2)


def test_phases_are_what_is_fed():
    """The same curvature, torque, load and motion of the base, tick by tick: to the last bit."""
    times = np.linspace(0.0, 0.2, 9)
    wave = travelling_wave(ROD, amplitude=3.0, wavelength=1.0, frequency=5.0, until=0.2)
    way = np.stack([0.05 * np.sin(9.0 * times), 0.1 * times**2], axis=1)
    load = Load(at=0.3, force=(0.1, -0.2), torque=0.01)
    phase = Phase(until=0.2, base="pinned", torque=0.02, curvature=wave, motion=(times, way), loads=[load])
    wanted = GroundedRod(rod=ROD, ground=SCALES).run([phase], period=T)
    ticks = T * np.arange(201)
    spline = phase.spline()
    fed = {
        "curvature": np.array([np.interp(ticks[1:], wave[0], column) for column in wave[1].T]).T,
        "torque": 0.02,
        "load": [0.1, -0.2, 0.01],
        "base_motion": np.column_stack([spline(ticks[1:], 1), np.zeros(200)]),
    }
    block = GroundedRod(rod=ROD, ground=SCALES, base="pinned", loads=[0.3])
    start = {"base_velocity": spline(0.0, 1), "curvature_before": wave[1][0]}
    live = block.start(period=T, initial={"base_motion": [*spline(0.0, 1), 0.0], **start})
    for k in range(200):
        for name, value in fed.items():
            live[name] = value[k] if np.shape(value)[:1] == (200,) else value
        live.step()
    np.testing.assert_allclose(live["angle"], wanted.angle[-1], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(live["friction"], wanted.friction[-1], rtol=0.0, atol=1e-6)
    assert live["work"] == pytest.approx(wanted.work[-1], rel=1e-6)
    again = block.run(0.2, period=T, inputs=fed)  # it starts as the hand moves in the first tick, not before it
    np.testing.assert_allclose(again.angle[-1], wanted.angle[-1], rtol=0.0, atol=1e-3)


def test_phases_and_pieces_do_not_show(monkeypatch):
    """One phase, the same in three, and in pieces between signs of life, thinned or not."""
    whole = GroundedRod(rod=ROD, ground=SCALES).run([Phase(until=0.1, torque=0.05)], period=T)
    monkeypatch.setattr("tegotae.running.loop.CHUNK", 7)
    shares = []
    parts = [Phase(until=end, torque=0.05) for end in (0.032, 0.05, 0.1)]
    for every in (1, 3, 40):
        thin = GroundedRod(rod=ROD, ground=SCALES).run(parts, period=T, every=every, progress=shares.append)
        for name in ("time", "angle", "angle_rate", "position", "friction", "slip_speed", "work", "ground_work"):
            np.testing.assert_array_equal(thin[name], whole[name][::every], err_msg=name)
        assert list(thin) == list(whole)
    assert shares[-1] == 1.0
    some = GroundedRod(rod=ROD, ground=SCALES).run(parts, period=T, record=["position", "work"])
    assert list(some) == ["time", "position", "work"]


def test_a_base_is_held_and_let_go_in_the_state():
    """Released in mid-air, the whole rod keeps its momentum but for gravity: none here."""
    rod = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=1.0, viscosity=0.1)
    live = GroundedRod(rod=rod, base="pinned").start(period=T)
    live["torque"] = 0.5
    for _ in range(300):
        live.step()
    assert np.abs(live["base"]).max() < 1e-12
    live["torque"] = 0.0
    state = live.state
    state["held"] = [0, 0, 0]
    live.state = state

    def momentum():
        here = Shape(**{name: live[name] for name in ("angle", "angle_rate", "base", "base_velocity")})
        return rod.run([Phase(until=1e-9)], times=[0.0], initial=here).momentum[0]

    before = momentum()
    for _ in range(100):
        live.step()
    assert np.linalg.norm(before) > 0.1
    np.testing.assert_allclose(momentum(), before, atol=2e-3)  # first order in the period


def test_many_at_once():
    block = GroundedRod(rod=ROD, ground=SCALES)
    grounds = [SCALES, Ground(tangential=0.5, normal=0.5, stiffness=1e4)]
    many = block.batch(ground=grounds).run(0.05, period=T, inputs={"torque": 0.3})
    for i, ground in enumerate(grounds):
        one = GroundedRod(rod=ROD, ground=ground).run(0.05, period=T, inputs={"torque": 0.3})
        assert list(one) == list(many)
        np.testing.assert_array_equal(many.position[i], one.position)
        np.testing.assert_array_equal(many.ground_elastic[i], one.ground_elastic)


def test_a_turn_too_far_is_told_live_and_a_state_before_it_goes_on():
    live = GroundedRod(rod=ROD).start(period=T)
    live.step()
    kept = live.state
    live["torque"] = 1e6
    with pytest.raises(RodError, match="in tick 2 a node turns"):
        live.step()
    live.state = kept
    live.step()
    assert live["ticks"] == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: GroundedRod(rod=ROD, base="glued"), "base="),
        (lambda: GroundedRod(rod=ROD, at="middle"), "at="),
        (lambda: GroundedRod(rod=ROD, at="base", base="fixed"), "fixed base"),
        (lambda: GroundedRod(rod=ROD, loads=[2.0]), "up to 1 m"),
        (lambda: GroundedRod(rod=ROD, loads=0.5), "loads="),
        (lambda: GroundedRod(rod=ROD).run(0.01, period=T, force=np.zeros((10, 3))), "no ports"),
        (lambda: GroundedRod(rod=ROD, at="tip").run(0.01, period=T, force=np.zeros((9, 3))), "9 rows"),
        (lambda: GroundedRod(rod=ROD, at="tip").run({"base": np.zeros((9, 3))}, period=T), "no such port"),
        (lambda: GroundedRod(rod=ROD).run(0.01, period=T, record=["colour"]), "record has 'colour'"),
        (lambda: GroundedRod(rod=ROD).run(0.01, period=T, inputs={"angle": 1.0}), "inputs names 'angle'"),
        (lambda: GroundedRod(rod=ROD).run(0.01, period=T, every=11), "every=11"),
        (
            lambda: GroundedRod(rod=ROD, loads=[0.1]).run([Phase(until=0.01, loads=[Load(at=0.2)])], period=T),
            "both its phases",
        ),
        (
            lambda: GroundedRod(rod=ROD, base="pinned").start(period=T, initial={"base_velocity": [1.0, 0.0]}),
            "follows from base_motion",
        ),
        (lambda: GroundedRod(rod=ROD, at="tip").start(period=T, initial={"velocity": [1.0, 0.0, 0.0]}), "follows from"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(tg.InputError, match=says):
        make()


def test_a_rod_without_ports_is_told_how_a_rod_gets_them():
    with pytest.raises(tg.CausalityError, match=r"no ports, so(.|\n)*such as GroundedRod\(\.\.\., at="):
        tg.Circuit({"rod": GroundedRod(rod=ROD), "cart": tg.Mass(mass=1.0)}, {})
