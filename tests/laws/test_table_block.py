"""The table as a block: wired to others, many at once, from a state that was kept, and when it cannot go on."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import tegotae as tg
from tegotae.block import Admittance
from tegotae.running.batch import Batch
from tegotae.running.probe import Probe
from tegotae.table import ArmServo, ForceSensor, HexaPlant, ProbedSurface
from tegotae.table.limits import WHY

PLANT = HexaPlant.default(kp=200.0)
HOME = np.array([0.0, 0.0, -0.47])
T = PLANT.servo.period
LATE = dataclasses.replace(PLANT, sensor=ForceSensor(noise=1e-6, cutoff=100.0, delay=3, seed=2**60 + 1))
OUT = (0.0, 0.0, -3000.0, 0.0, 0.0, 0.0)


def pushes(ticks, size=3.0, seed=3):
    return np.random.default_rng(seed).normal(size=(ticks, 6)) * size * np.array([1.0, 1.0, 1.0, 0.03, 0.03, 0.03])


def test_the_velocity_is_the_way_and_the_turn_of_a_tick():
    run = PLANT.run(pushes(200, 30.0), initial={"twist": (0.1, 0.2, -0.1, 1.0, -2.0, 0.5)})
    way = np.diff(np.vstack([HOME, run.position]), axis=0)
    turns = Rotation.from_matrix(np.concatenate([np.eye(3)[None], run.rotation]))
    turn = (turns[1:] * turns[:-1].inv()).as_rotvec()
    assert_allclose(run.velocity, np.hstack([way, turn]) / T, rtol=0, atol=1e-12)


def test_a_plate_at_rest_moves_by_half_of_what_a_held_force_leaves_it_with():
    """The slope is T/2 M^-1 to first order in T; what turns and bends with the motion is of higher order."""
    free = dataclasses.replace(PLANT, gravity=0.0, servo=dataclasses.replace(PLANT.servo, resolution=0.0))
    for period in (2e-3, 2e-4):
        plant = dataclasses.replace(free, servo=dataclasses.replace(free.servo, period=period))
        motion, slope = Probe(plant, period).answer(np.zeros(6))
        assert_allclose(motion, 0.0, atol=1e-12)
        wanted = 0.5 * period * np.linalg.inv(plant.mass_matrix(HOME))
        assert_allclose(slope, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())
        assert 1.0 / np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1] >= plant.least_reluctance(period)


def test_reluctance_is_that_of_the_plate_where_arms_weigh_nothing():
    """Otherwise arms and rods add to it, so that what is promised to circuits stays a bound."""
    free = dataclasses.replace(
        PLANT, servo=ArmServo(stiffness=1e-6, damping=1e-7), arm_inertia=1e-9, arm_moment=0.0, rod_mass=0.0
    )
    for plant, least, most in ((free, 1.0 - 1e-3, 1.0 + 1e-6), (PLANT, 0.0, 0.9)):
        _, slope = Probe(plant, T).answer(np.zeros(6))
        highest = np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1]
        assert least <= plant.least_reluctance(T) * highest <= most


def test_a_spring_on_the_plate_shares_its_load_with_the_table():
    plant = dataclasses.replace(PLANT, gravity=0.0, servo=dataclasses.replace(PLANT.servo, resolution=0.0))
    held = tg.Circuit(plant, {"spring": tg.SpringDamper(stiffness=2e3, damping=50.0, dimension=6)})
    F = np.array([2.0, 0.0, 3.0, 0.0, 0.0, 0.0])
    run = held.run(np.tile(F, (1500, 1)), period=T)
    assert run.about["unsolved_steps"] == 0
    moved = np.linalg.solve(plant.impedance(HOME)[2] + 2e3 * np.eye(6), F)
    assert_allclose(run.position[-1] - HOME, moved[:3], rtol=0, atol=1e-3 * np.abs(moved).max())
    # the sensor feels what acts on the plate: the push and the spring
    assert_allclose(run.measured_wrench[-1], F - 2e3 * moved, rtol=0, atol=5e-3)


def test_a_stiff_wall_on_the_plate_is_solved_within_the_tick():
    """So stiff that a force of the tick before would throw the plate back: k T^2/m is 300."""
    wall = tg.SpringDamper(stiffness=1e8, damping=0.0, dimension=6)
    run = tg.Circuit(PLANT, {"wall": wall}).run(pushes(300), period=T)
    assert run.about["unsolved_steps"] == 0
    assert np.abs(run.position - HOME).max() < 1e-5


def test_a_table_at_rest_on_a_spring_has_nothing_to_solve():
    """Its motors carry its weight, of which a circuit sees nothing but the rounding: no step is said to be unsolved."""
    held = tg.Circuit(PLANT, {"spring": tg.SpringDamper(stiffness=1e3, damping=5.0, dimension=6)})
    run = held.run(np.zeros((3000, 6)), period=T)
    assert run.about["unsolved_steps"] == 0
    assert_allclose(run.position[-1], HOME, atol=1e-5)


def test_many_tables_at_once_are_each_by_itself():
    F = pushes(50)
    inertias = [0.02, 0.03]
    many = PLANT.batch(arm_inertia=inertias).run(F, period=T)
    for i, inertia in enumerate(inertias):
        one = dataclasses.replace(PLANT, arm_inertia=inertia).run(F)
        for name in ("position", "rotation", "measured_wrench", "torque"):
            assert_array_equal(many[name][i], one[name])
    path = HOME + 1e-3 * np.sin(0.1 * np.arange(50))[:, None]
    both = Batch([PLANT, LATE]).run(F, period=T, inputs={"command_position": path})
    for i, plant in enumerate((PLANT, LATE)):
        assert_array_equal(both.measured_wrench[i], plant.run(F, inputs={"command_position": path}).measured_wrench)


def test_a_run_goes_on_from_what_a_live_table_was_in():
    F, path = pushes(80), HOME + 2e-3 * np.sin(0.1 * np.arange(80))[:, None] * np.array([1.0, 0.0, 1.0])
    whole = LATE.run(F, inputs={"command_position": path})
    live = LATE.start(initial={"command_position": path[0]})
    for k in range(40):
        live.command(path[k])
        live.step(F[k])
    kept = live.state
    for state in (kept, pickle.loads(pickle.dumps(kept))):
        rest = LATE.run(F[40:], inputs={"command_position": path[40:]}, initial=state)
        for name in ("position", "measured_wrench", "signal", "torque", "velocity"):
            assert_array_equal(rest[name], whole[name][40:], err_msg=name)
    thin = LATE.run(F, inputs={"command_position": path}, every=8, record=["position", "overload"])
    assert_array_equal(thin.position, whole.position[7::8])
    assert set(thin) == {"time", "force", "position", "overload"}
    assert thin.overload.dtype == np.int64
    for _ in range(5):
        live.step()
    live.state = kept
    assert live["ticks"] * live.period == pytest.approx(40 * T)
    assert_array_equal(live.read().true_position, whole.position[39])  # it is read where the state lies
    held = LATE.run(F[40:], initial=kept)  # the command in a state holds
    assert_array_equal(held.command_position, np.tile(path[39], (40, 1)))


def test_a_start_elsewhere_than_the_command_is_one_of_plate_and_encoders():
    start = {"position": HOME + np.array([0.0, 0.0, 0.01]), "command_position": HOME}
    run = PLANT.run(np.zeros((400, 6)), initial=start)
    assert_allclose(run.command_position, np.broadcast_to(HOME, run.position.shape))
    assert run.measured_position[0, 2] == pytest.approx(-0.46, abs=1e-3)
    assert_allclose(run.position[-1], HOME, atol=1e-4)


def test_another_period_is_refused_by_every_way_in():
    circuit = tg.Circuit(PLANT, {"spring": tg.SpringDamper(stiffness=1.0, dimension=6)})
    for way in (
        lambda: PLANT.run(np.zeros((2, 6)), period=1e-3),
        lambda: PLANT.start(period=1e-3),
        lambda: PLANT.batch(gravity=[0.0, 1.0]).run(np.zeros((2, 6)), period=1e-3),
        lambda: circuit.run(np.zeros((2, 6)), period=1e-3),
    ):
        with pytest.raises(tg.InputError, match=r"period=0.001 s, but its servo has 0.002 s"):
            way()
    assert PLANT.start(period=T).period == T


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"inputs": {"torque": 1.0}}, "inputs names 'torque'"),
        ({"inputs": {"command_rotation": 2.0 * np.eye(3)}}, "not a rotation"),
        ({"inputs": {"command_position": (0.0, 0.0, -0.9)}}, "cannot be followed"),
        ({"initial": {"quaternion": (1.0, 1.0, 0.0, 0.0)}}, "another length"),
        ({"initial": {"rotation": np.diag([1.0, 1.0, -1.0])}}, "not a rotation"),
        ({"initial": {"position": (0.0, 0.0, -0.9)}}, "outside the workspace"),
        ({"initial": {"trouble": 6}}, "a whole number from 0 to 5"),
        ({"initial": {"sensor.place": 1}}, "a whole number from 0 to 0"),
    ],
)
def test_runs_that_mean_nothing_are_refused(arguments, says):
    with pytest.raises(tg.InputError, match=says):
        PLANT.run(np.zeros((3, 6)), **arguments)


def test_states_that_are_none_are_refused():
    live = LATE.start()
    for name, place, value in (
        ("quaternion", 0, 1.1),
        ("rotation", 1, 0.1),
        ("measured_rotation", 0, -1.0),
        ("command_rotation", 4, 1e8),
        ("sensor.place", 0, 3),
        ("trouble", 0, 6),
        ("position", 0, np.nan),
    ):
        state = live.state
        state.part(name).ravel()[place] = value
        with pytest.raises(tg.InputError, match=rf"HexaPlant: {name}.* cannot be in its state"):
            live.state = state
    state = live.state
    state["sensor.chance"] = -(2**63)  # any state of the generator is one
    live.state = state
    assert live["sensor.chance"] == -(2**63)
    live.step()


def test_a_tick_that_cannot_be_taken_changes_nothing_but_the_reason_why():
    live = PLANT.start()
    live.step(pushes(1)[0])
    before = live.state
    for _ in range(2):  # it stays where it is until a state is assigned
        with pytest.raises(tg.TegotaeError, match=r"pushed out of the workspace at 0.002 s"):
            live.step((1e9,) * 6)
    with pytest.raises(tg.TegotaeError, match=r"pushed out of the workspace at 0.002 s"):
        live.step()
    for other in (copy.deepcopy(live), pickle.loads(pickle.dumps(live))):
        with pytest.raises(tg.TegotaeError, match="pushed out"):
            other.step()
    state = live.state
    assert state["trouble"] == 1
    state["trouble"] = 0
    assert state == before
    live.state = state
    live.step()
    live.drive((0.0, 0.0, -0.47, 1.0, 1.0, 0.0, 0.0))
    with pytest.raises(tg.TegotaeError, match="the commanded rotation is not a rotation"):
        live.step()
    live.command(HOME)
    live.step()


def test_whoever_runs_a_table_hears_that_it_cannot_go_on():
    F = np.tile(OUT, (2000, 1))
    circuit = tg.Circuit(PLANT, {"spring": tg.SpringDamper(stiffness=1.0, dimension=6)})
    live = circuit.start(period=T)
    batch = PLANT.batch(gravity=[0.0, 9.81])
    lively = batch.start(period=T)

    def steps(step, push):
        for _ in range(2000):
            step(push)

    for way in (
        lambda: PLANT.run(F),
        lambda: batch.run(F, period=T),
        lambda: circuit.run(F, period=T),
        lambda: steps(live.step, np.array(OUT)),
        lambda: steps(lively.step, np.tile(OUT, (2, 1))),
    ):
        with pytest.raises(tg.TegotaeError, match=r"HexaPlant: .* at 0\.\d+ s"):
            way()
    path = np.tile(HOME, (9, 1))
    path[5:] = 0.0, 0.0, -0.9
    with pytest.raises(tg.TegotaeError, match=rf"{WHY[4]} at 0.01 s"):  # as one in a circuit is fed
        Admittance.run(PLANT, np.zeros((9, 6)), period=T, inputs={"command_position": path})
    with pytest.raises(tg.TegotaeError, match="HexaPlant: the command of tick 5 cannot be followed"):
        batch.run(np.zeros((9, 6)), inputs={"command_position": path})


def test_a_surface_is_felt_by_trials_as_by_ticks():
    """Pressed against it the plate moves less for a force, and most of that within a tick if it is stiff."""
    free = dataclasses.replace(PLANT, substeps=16)
    probe = (0.0, 0.0, 0.05)
    pressed = dataclasses.replace(free, surface=ProbedSurface(height=-0.4203, stiffness=1e6, damping=10.0, probe=probe))
    slopes = [Probe(plant, T).answer(np.array([0.0, 0.0, 400.0, 0.0, 0.0, 0.0]))[1][2, 2] for plant in (free, pressed)]
    m = 1.0 / np.linalg.inv(free.mass_matrix(HOME))[2, 2]
    spring = (1.0 - np.cos(np.sqrt(1e6 / m) * T)) / (1e6 * T)  # of an undamped one, by the time
    assert slopes[1] == pytest.approx(spring, rel=0.03)
    assert slopes[0] == pytest.approx(0.5 * T / m, rel=1e-3)
