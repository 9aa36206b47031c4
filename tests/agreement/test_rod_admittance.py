"""A rod as a block: the contract, the adaptive run of the same rod, and circuits with springs and friction."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.rod import GroundedRod, Load, Payload, Phase, PlanarRod, Shape
from tegotae.rod.integrals import by_quadrature
from tegotae.rod.kernels.simd_rows import C_MORE, CALM, K_MORE
from tegotae.rod.phases import BASES
from tegotae.rod.planar import PureRod
from tegotae.running.probe import Probe
from tegotae.running.source import module_of

ROD = PlanarRod(
    length=1.0,
    nodes=5,
    density=[0.1, 0.2, 0.1, 0.15],
    elasticity=1.0,
    viscosity=0.05,
    rest_curvature=0.3,
    gravity=(0.5, -9.81),
    payload=Payload(mass=0.05, inertia=1e-3),
)
T = 1e-3
PORTS = [("tip", "free"), ("tip", "pinned"), ("tip", "fixed"), ("base", "free"), ("base", "pinned")]
SEVERAL = [
    (("base", "tip"), "free"),
    (("tip", "base"), "pinned"),
    (("tip", 2, 3), "fixed"),
    ((1, "tip", "base"), "free"),
]


def moving(block, rng):
    """In the midst of a motion; what is held is at rest."""
    angle, rate, base = np.cumsum(0.5 * rng.normal(size=5)), rng.normal(size=5), rng.normal(size=2)
    if block.base != "free":
        base[:] = 0.0
    if block.base == "fixed":
        rate[0] = 0.0
    return Probe(block, T, {"angle": angle, "angle_rate": rate, "base_velocity": base, "curvature": np.full(4, 0.5)})


def placed(state, name):
    """All numbers of a part that may have labels."""
    return state.real[slice(*state.space.span(name))]


WAYS = [*((*port, along) for port in PORTS for along in (None, (0.3, 0.8, -0.5))), *((*port, None) for port in SEVERAL)]


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize(("at", "base", "along"), WAYS)
def test_answer_is_pure_its_slope_a_derivative_and_advance_commits_it(at, base, along, method):
    block = GroundedRod(rod=ROD, at=at, base=base, along=along, method=method)
    rng, d = np.random.default_rng(3), block.dimension
    for _ in range(5):
        probe = moving(block, rng)
        h, before = rng.normal(size=d), probe.state.copy()
        motion, slope = probe.answer(h)
        for c in range(d):
            step = np.zeros(d)
            step[c] = 1.0
            change = probe.answer(h + step)[0] - probe.answer(h - step)[0]
            # The answer is linear in h, so a wide difference is exact but for rounding.
            np.testing.assert_allclose(0.5 * change, slope[:, c], rtol=1e-9, atol=1e-12)
        assert np.linalg.eigvalsh(0.5 * (slope + slope.T))[0] >= -1e-12
        np.testing.assert_allclose(slope, slope.T, rtol=1e-8, atol=1e-12)
        assert probe.state == before
        probe.advance(h, motion)
        # By the midpoint from the middle of the tick to the next; what is kept is the place half a tick before that.
        mean = 0.5 * (placed(before, "velocity") + motion) if method == "midpoint" else motion
        wanted = placed(before, "position") + T * mean
        np.testing.assert_allclose(placed(probe.state, "position"), wanted, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("along", [None, (0.3, 0.8, -0.5)])
def test_a_state_is_all_that_the_next_tick_needs(along):
    """A checkpoint goes on as if nothing had been in between; what is fed since then counts from the next tick on."""
    block = GroundedRod(rod=ROD, at="tip", base="pinned", along=along)
    pushes = 0.3 * np.sin(0.1 * np.arange(60)[:, None] + np.arange(block.dimension))
    live = block.start(period=T, initial={"curvature": np.full(4, 0.5)})
    for h in pushes:
        live.step(h)
    kept = live.state
    onward = [live.step(h) for h in pushes]
    live["torque"] = 1.0
    turned = live.step(pushes[0])
    live.state = kept
    np.testing.assert_array_equal([live.step(h) for h in pushes], onward)
    assert live["torque"] == 0.0
    assert not np.array_equal(live.step(pushes[0]), turned)


def test_rods_of_any_size_share_one_compiled_loop():
    long = PlanarRod(length=1.0, nodes=30, density=0.1, elasticity=1.0)
    assert module_of(GroundedRod(rod=long, at="tip")) is module_of(GroundedRod(rod=ROD, at="base"))


@pytest.mark.parametrize(("at", "base"), PORTS)
@pytest.mark.parametrize(("method", "order"), [("midpoint", 2.0), ("euler", 1.0)])
def test_a_port_moves_as_the_rod_does_to_its_order_in_the_period(at, base, method, order):
    force, torque = (0.3, 0.8), 0.1
    load = Load(at=-0.0 if at == "tip" else 0.0, force=force, torque=torque)
    exact = ROD.run([Phase(until=0.2, base=base, loads=[load])], times=[0.2], rtol=1e-10, atol=1e-10)
    errors = []
    for period in (1e-4, 5e-5) if order > 1.0 else (1e-3, 5e-4):
        block = GroundedRod(rod=ROD, at=at, base=base, method=method)
        run = block.run(np.tile([*force, torque], (round(0.2 / period), 1)), period=period)
        node = -1 if at == "tip" else 0
        end = [*exact.position[-1, node], exact.angle[-1, node]]
        place = run[f"position.{at}"][-1]
        errors.append([np.abs(run.angle[-1] - exact.angle[-1]).max(), np.abs(place - end).max()])
    errors = np.array(errors)
    assert errors[0].max() < 0.02
    if at == "base" and base == "pinned":
        errors = errors[:, :1]
    slopes = np.log2(errors[0] / errors[1])
    assert slopes[0] == pytest.approx(order, abs=0.15)
    # By the midpoint a free tip's place has most of its error from the first tick, in which all is suddenly let go.
    assert slopes.min() > order - 0.15
    if method == "euler":
        assert slopes.max() < order + 0.15


def test_the_port_never_drifts_from_the_rod():
    """Ten turns of a pinned rod: the sum of the tip's motions stays where the angles say the tip is."""
    light = PlanarRod(length=1.0, nodes=4, density=0.1, elasticity=2.0, viscosity=0.1)
    block = GroundedRod(rod=light, at="tip", base="pinned")
    run = block.run(np.zeros((10_000, 3)), period=T, initial={"angle_rate": np.full(4, 6.0)})
    assert run.angle[-1, -1] > 50.0
    state = block.initial_state(T, {"angle": run.angle[-1]})
    np.testing.assert_allclose(run["position.tip"][-1], state["position"], rtol=0.0, atol=1e-6)


def test_a_cantilever_in_a_circuit_bends_as_beams_do():
    """Tip between its own stiffness 3 EI/L^3 and a spring: the load is shared in their ratio."""
    beam = PlanarRod(length=1.0, nodes=41, density=0.1, elasticity=1.0, viscosity=0.2)
    block = GroundedRod(rod=beam, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    machine = tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=6.0)})
    load = 9e-3
    run = machine.run(np.full(6000, load), period=T)
    # 41 nodes: the bend of n segments is short of the beam's by 1/n^2; a deflection of 1e-3 is linear to 1e-6.
    assert run["spring.force"][-1] == pytest.approx(-load * 6.0 / 9.0, rel=2e-3)
    assert run.position[-1] == pytest.approx(load / 9.0, rel=2e-3)


def test_a_tip_held_by_friction_sticks():
    """Below its limit a friction element holds the tip of a rod in both directions; above it the tip slides."""
    rod = PlanarRod(length=0.5, nodes=6, density=0.2, elasticity=0.5, viscosity=0.02)
    block = GroundedRod(rod=rod, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(1.0))
    machine = tg.Circuit(block, {"brake": brake})
    stuck = machine.run(np.full(3000, 0.9), period=T)
    assert abs(stuck.position[-1] - stuck.position[1500]) < 1e-12
    assert machine.run(np.full(3000, 1.3), period=T).position[-1] > 0.01


def test_no_part_of_a_rod_is_lighter_than_the_segments_beside_its_ports():
    """Nor a rod of one segment with a port at each end, nor one that is pushed along a line and turns away from it."""
    rng = np.random.default_rng(8)
    lone = PlanarRod(length=0.3, nodes=2, density=0.2, elasticity=0.1)
    blocks = [GroundedRod(rod=ROD, at=at, base=base) for at, base in PORTS + SEVERAL]
    blocks += [GroundedRod(rod=ROD, at=at, along=way) for at in ("tip", 2) for way in ((1.0, 0, 0), (0.3, 0.8, -0.5))]
    blocks += [GroundedRod(rod=lone, at=at) for at in ("tip", ("base", "tip"))]
    for block in blocks:
        least, n = block.least_reluctance(T), block.rod.nodes
        seen = []
        for _ in range(50):
            angle = rng.uniform(-3.0, 3.0) + np.cumsum(rng.uniform(-2.0, 2.0, n))
            slope = Probe(block, T, {"angle": angle}).answer(np.zeros(block.dimension))[1]
            seen.append(np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1])
        assert 0.0 < least <= 1.0 / max(seen)
    straight = GroundedRod(rod=lone, at=("base", "tip"))
    lightest = 1.0 / np.linalg.eigvalsh(Probe(straight, T).answer(np.zeros(6))[1])[-1]
    assert straight.least_reluctance(T) > 0.05 * lightest  # and it is not far below


# ------------------------------------------------------------ several ports


def dense(rod, at, angle, method):
    """Inertia with bending and the way from rates to the ports' velocities, by quadrature of the paper's integrals."""
    n, own = rod.nodes, rod.segments
    A = PureRod(rod=rod).inertia(angle)
    D = np.zeros((n - 1, n + 2))
    D[np.arange(n - 1), np.arange(2, n + 1)], D[np.arange(n - 1), np.arange(3, n + 2)] = -1.0, 1.0
    K, C = own.elasticity, own.viscosity
    stiff = T * C + T**2 * K
    if method == "midpoint":  # means of the rule, and what such little viscosity lacks for it to be calm
        quick = np.sqrt(K / own.density) / own.length**2
        lacks = np.maximum(T * K * np.minimum(1.0, CALM * T * quick) - C, 0.0)
        stiff = T * (C_MORE * C + lacks) + T**2 * K_MORE * K
    A += D.T @ np.diag(stiff / own.length) @ D
    parts = by_quadrature(angle, np.zeros(n), own.length)
    rows = []
    for node in at:
        J = np.zeros((3, n + 2))
        J[0, 0] = J[1, 1] = J[2, 2 + node] = 1.0
        for k in range(node):
            for i in (0, 1):
                J[0, 2 + k + i] -= parts.G[k, i].imag
                J[1, 2 + k + i] += parts.G[k, i].real
        rows.append(J)
    push = -D.T @ (own.elasticity / own.length * (D[:, 2:] @ angle - own.length * own.rest_curvature))
    return A, np.concatenate(rows), push


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize(("at", "base"), SEVERAL)
def test_a_tick_of_several_ports_is_that_of_the_dense_equations(at, base, method):
    """From rest nothing turns, so a tick is (J A^-1 J^T) h and what bends; held directions taken out of the system."""
    rod = PlanarRod(
        length=1.0, nodes=5, density=[0.1, 0.2, 0.1, 0.15], elasticity=1.0, viscosity=0.05, rest_curvature=0.3
    )
    block, rng = GroundedRod(rod=rod, at=at, base=base, method=method), np.random.default_rng(4)
    nodes = [{"base": 0, "tip": 4}.get(place, place) for place in at]
    left = np.flatnonzero(~np.r_[np.array(BASES[base]), np.zeros(4, dtype=bool)])
    for _ in range(5):
        angle, h = np.cumsum(rng.normal(size=5)), rng.normal(size=block.dimension)
        A, J, push = dense(rod, nodes, angle, method)
        A, J, push = A[np.ix_(left, left)], J[:, left], push[left]
        motion, slope = Probe(block, T, {"angle": angle}).answer(h)
        np.testing.assert_allclose(slope, T * J @ np.linalg.solve(A, J.T), rtol=1e-9, atol=1e-12)
        wanted = T * J @ np.linalg.solve(A, J.T @ h + push)
        np.testing.assert_allclose(motion, wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max())


def test_forces_on_several_ports_add_up():
    block, rng = GroundedRod(rod=ROD, at=("base", 2, "tip")), np.random.default_rng(5)
    probe = moving(block, rng)
    one, other, none = rng.normal(size=9), rng.normal(size=9), probe.answer(np.zeros(9))[0]
    both = probe.answer(one + other)[0] - none
    np.testing.assert_allclose(both, probe.answer(one)[0] + probe.answer(other)[0] - 2.0 * none, rtol=1e-9, atol=1e-12)


def momenta(rod, run, row):
    """Linear and angular momentum of a recorded tick, by the quadrature of `PlanarRod.run`."""
    base = {"base": run.position[row, 0], "base_velocity": run.velocity[row, 0]}
    here = Shape(angle=run.angle[row], angle_rate=run.angle_rate[row], **base)
    still = rod.run([Phase(until=1e-9)], times=[0.0], initial=here)
    return np.array([*still.momentum[0], still.angular_momentum[0]])


def test_a_rod_pushed_at_both_ends_takes_up_their_momentum():
    """Sum of the forces times the time; angular momentum is that of torques and arms on the way. First order in T."""
    rod = PlanarRod(length=1.0, nodes=9, density=0.3, elasticity=0.5, viscosity=0.02)
    base, tip = np.array([0.4, -0.3, 0.02]), np.array([-0.1, 0.5, -0.01])
    errors = []
    for period in (1e-3, 5e-4):
        ticks = round(0.2 / period)
        block = GroundedRod(rod=rod, at=("base", "tip"))
        run = block.run({"base": np.tile(base, (ticks, 1)), "tip": np.tile(tip, (ticks, 1))}, period=period)
        turned = 0.2 * (base[2] + tip[2])
        for name, h in (("base", base), ("tip", tip)):
            x, y = run[f"position.{name}"][1:, 0], run[f"position.{name}"][1:, 1]
            turned += period * float((x * h[1] - y * h[0]).sum())
        errors.append(momenta(rod, run, -1) - [*(0.2 * (base + tip))[:2], turned])
    np.testing.assert_allclose(errors[0], 0.0, atol=2e-3)
    np.testing.assert_allclose(errors[1], 0.5 * np.array(errors[0]), atol=1e-5)


@pytest.mark.parametrize(("method", "order"), [("midpoint", 2.0), ("euler", 1.0)])
def test_several_ports_move_as_the_rod_does(method, order):
    pushes = {"base": [0.3, 0.8, 0.1], "node_2": [0.0, -0.4, 0.0], "tip": [-0.2, 0.1, -0.05]}
    loads = [
        Load(at=at, force=tuple(h[:2]), torque=h[2]) for at, h in zip((0.0, 0.5, -0.0), pushes.values(), strict=True)
    ]
    exact = ROD.run([Phase(until=0.2, loads=loads)], times=[0.2], rtol=1e-10, atol=1e-10)
    errors = []
    for period in (1e-3, 5e-4):
        block = GroundedRod(rod=ROD, at=("base", 2, "tip"), method=method)
        run = block.run({name: np.tile(h, (round(0.2 / period), 1)) for name, h in pushes.items()}, period=period)
        ends = [[*exact.position[-1, node], exact.angle[-1, node]] for node in (0, 2, 4)]
        found = [run[f"position.{name}"][-1] for name in pushes]
        errors.append(np.abs(np.array(found) - ends).max())
    assert errors[0] < 0.02
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_ports_have_names_and_units():
    block = GroundedRod(rod=ROD, at=("base", 3, "tip"))
    assert [port.name for port in block.ports] == ["base", "node_3", "tip"]
    assert {port.motion for port in block.ports} == {"m/s, m/s, rad/s"}
    assert GroundedRod(rod=ROD, at="tip", along=(0.0, 0.0, 1.0)).ports[0].force == "N·m"
    live = block.start(period=T)
    moved = live.step({"tip": [1.0, 0.0, 0.0]})
    np.testing.assert_array_equal(moved["tip"], live["velocity.tip"])


def test_bad_ports_are_refused():
    for wrong, told in (
        ({"at": "middle"}, "at="),
        ({"at": 5}, "no such node"),
        ({"at": (), "along": (0.0, 1.0, 0.0)}, "0 ports"),
        ({"at": ("base", 0)}, "twice"),
        ({"at": ("tip", "base"), "base": "fixed"}, "fixed base"),
        ({"at": ("base", "tip"), "along": (0.0, 1.0, 0.0)}, "2 ports"),
        ({"at": "tip", "base": "glued"}, "base="),
        ({"at": "base", "base": "fixed"}, "fixed base"),
        ({"at": "tip", "along": (0.0, 0.0, 0.0)}, "along"),
        ({"at": "tip", "along": (np.nan, 0.0, 1.0)}, "along"),
        ({"at": "base", "base": "pinned", "along": (1.0, 0.0, 0.0)}, "can move"),
    ):
        with pytest.raises(tg.InputError, match=told):
            GroundedRod(rod=ROD, **wrong)
    block = GroundedRod(rod=ROD, at="tip", base="pinned")
    with pytest.raises(tg.InputError, match="follows from base_motion"):
        block.initial_state(T, {"base_velocity": [1.0, 0.0]})
    with pytest.raises(tg.InputError, match="follows from angle"):
        block.initial_state(T, {"position": [1.0, 0.0, 0.0]})


def test_a_rod_held_by_a_spring_in_all_three_directions_weighs_what_it_weighs():
    rod = PlanarRod(length=0.5, nodes=5, density=0.2, elasticity=2.0, viscosity=0.3, gravity=(0.0, -9.81))
    clamp = tg.SpringDamper(stiffness=1e4, damping=20.0, dimension=3)
    machine = tg.Circuit(GroundedRod(rod=rod, at="base"), {"clamp": clamp})
    run = machine.run(np.zeros((6000, 3)), period=T)
    x, y, torque = run["clamp.force"][-1]
    assert abs(x) < 1e-6
    assert y == pytest.approx(0.1 * 9.81, rel=1e-6)
    block = PlanarRod(length=0.5, nodes=5, density=0.2, elasticity=2.0, viscosity=0.3, gravity=(1.0, 0.0))
    still = block.run([Phase(until=1e-9)], times=[0.0], initial=Shape(angle=run.angle[-1], base=run.base[-1]))
    arm = -still.potential[0] / 0.1 - run.base[-1, 0]  # of the centre of mass
    assert torque == pytest.approx(0.1 * 9.81 * arm, rel=1e-6)
