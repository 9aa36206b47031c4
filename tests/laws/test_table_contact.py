"""A probe on the table against a hard surface: what it may do, and what it must do in numbers."""

import dataclasses
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tegotae import InputError, TegotaeError
from tegotae.rotations import matrix_rows, quaternion_of
from tegotae.table import ArmServo, ForceSensor, HexaPlant, ProbedSurface, rotation_about
from tegotae.table.live import plate_pose, rate_between, tip_pose, tip_twist

HOME = np.array([0.0, 0.0, -0.47])
PROBE = np.array([0.02, -0.03, 0.05])
UP = np.array([0.0, 0.0, 1.0])
T = 2e-3


def table(*, kp=200.0, substeps=8, gravity=0.0, gap=0.0, probe=PROBE, servo=None, **surface):
    """A table with exact encoders; the tip is `gap` below the surface when the plate is at home."""
    plant = HexaPlant.default(kp=kp)
    stop = ProbedSurface(height=HOME[2] + probe[2] + gap, probe=probe, **surface) if surface else None
    held = dataclasses.replace(plant.servo, resolution=0.0, **(servo or {}))
    return dataclasses.replace(plant, servo=held, gravity=gravity, substeps=substeps, surface=stop)


def tips(run, probe=PROBE):
    return run.position + run.rotation @ probe


def at_tip(probe):
    x, y, z = probe
    return np.array([[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0.0]])


def books(plant, twist, ticks, wrench=(0.0,) * 6):
    """Energy of plate and surface less the work of motors and hand, at the start and after each tick [J]; springs' own.

    Torques and the hand's force are held over a tick, so their work is torque times turn and force times way.
    """
    run = plant.run(np.tile(wrench, (ticks, 1)), initial={"twist": twist})
    places, turns = np.vstack([HOME, run.position]), np.concatenate([np.eye(3)[None], run.rotation])
    twists = np.vstack([twist, run.twist])
    energy = [plant.energy(*now)[0] for now in zip(places, turns, twists, strict=True)]
    k, depth = plant.surface.stiffness, max(0.0, (HOME + plant.surface.tip)[2] - plant.surface.height)
    spring = np.concatenate([[0.5 * k * depth**2], 0.5 / k * (run.contact_force**2).sum(axis=1)])
    angles = np.array([plant.table.inverse(*now) for now in zip(places, turns, strict=True)])
    work = (run.torque * np.diff(angles, axis=0)).sum(axis=1) + np.diff(places, axis=0) @ np.array(wrench[:3])
    return energy + spring - np.concatenate([[0.0], np.cumsum(work)]), spring


LOOSE = {"damping": 0.5, "stiffness": 10.0, "feedforward": 0.0}  # motors that hardly hold


def test_an_undamped_bounce_keeps_its_energy():
    total, spring = books(table(gap=2e-4, servo=LOOSE, stiffness=1e5), (0.01, 0.0, 0.05, 0.0, 0.0, 0.0), 60)
    assert 4 <= (spring > 0.0).sum() < 50  # it came and left
    # the kink of the force at touching lies within a step of 0.25 ms; in between, the fourth order leaves nothing
    assert np.abs(total - total[0]).max() < 2e-3 * spring.max()


def test_energy_is_kept_to_the_order_of_the_steps_while_stuck_and_lost_at_letting_go():
    stuck = {"gap": -2e-4, "servo": LOOSE, "stiffness": 1e5, "friction": 50.0}
    shaken, pressed = (5e-3, 3e-3, 1e-2, 0.0, 0.0, 0.0), (0.0, 0.0, 20.0, 0.0, 0.0, 0.0)
    errors = []
    for substeps in (4, 8):
        total, spring = books(table(substeps=substeps, **stuck), shaken, 60, pressed)
        assert spring.min() > 0.0
        errors.append(np.abs(total - total[0]).max() / np.ptp(spring))
    assert errors[1] < 1e-4
    assert errors[0] > 14.0 * errors[1]
    # what the tangential spring holds when the tip lifts off is lost; nothing is ever gained
    bounce = table(gap=2e-4, servo=LOOSE, stiffness=1e5, friction=50.0)
    total, spring = books(bounce, (0.01, 0.0, 0.05, 0.0, 0.0, 0.0), 60)
    assert total[-1] < total[0] - 1e-3 * spring.max()
    assert np.diff(total).max() < 1e-3 * spring.max()


def test_the_rule_for_substeps_is_true():
    """At the bound a bounce keeps its energy to 0.6 %, whenever in a step it begins; 12 times past it, it does not."""
    probe = np.zeros(3)
    m = 1.0 / np.linalg.inv(table().mass_matrix(HOME))[2, 2]
    worst = {}
    for stretch in (0.999, 12.0):
        stiff = m * (0.25 * stretch / (T / 4)) ** 2
        found = []
        for phase in np.linspace(0.0, 1.0, 9):
            plant = table(servo=LOOSE, probe=probe, gap=0.05 * T * (1.0 + 0.25 * phase), substeps=4, stiffness=1e3)
            object.__setattr__(plant, "surface", dataclasses.replace(plant.surface, stiffness=stiff))  # past the guard
            total, spring = books(plant, (0.0, 0.0, 0.05, 0.0, 0.0, 0.0), 14)
            found.append(abs(total[-1] / total[0] - 1.0))
            assert stretch > 1.0 or (spring.max() > 1e-3 and spring[-1] == 0.0)  # it bounced and left
        worst[stretch] = max(found)
    assert 1e-4 < worst[0.999] < 7e-3
    assert worst[12.0] > 0.3
    with pytest.raises(InputError, match=r"stiffness=3e\+06 N/m .*too quick for substeps=8 .*\n.*substeps >= 10"):
        table(probe=probe, stiffness=3e6)
    with pytest.raises(InputError, match=r"damping=10000 N.s/m .*too quick"):
        table(probe=probe, stiffness=1e5, damping=1e4)
    table(probe=probe, stiffness=3e6, substeps=10)
    table(probe=(0.0, 0.0, 0.3), stiffness=5e5, substeps=8)
    with pytest.raises(InputError, match="too quick"):  # friction also shakes the light end of a long probe
        table(probe=(0.0, 0.0, 0.3), stiffness=5e5, substeps=8, friction=0.1)


def test_motion_in_contact_converges_with_fourth_order():
    def end(substeps):
        loose = {"period": 0.004, "damping": 1.0, "stiffness": 20.0}
        plant = table(substeps=substeps, gap=-1e-3, servo=loose, stiffness=1e4, damping=20.0, friction=50.0)
        run = plant.run(np.zeros((2, 6)), initial={"twist": (0.02, -0.01, 0.02, 0.3, 0.2, -0.1)})
        assert (run.contact_force[:, 2] < 0.0).all()
        return np.concatenate([run.position[-1], run.rotation[-1].ravel(), run.twist[-1]])

    exact = end(128)
    counts = np.array([6, 8, 12, 16])
    errors = [np.abs(end(int(n)) - exact).max() for n in counts]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(slope - 4.0) < 0.15, (slope, errors)


@pytest.mark.parametrize(("kp", "k"), [(200.0, 3e4), (200.0, 1e6), (800.0, 1e5)])
def test_a_slow_push_feels_table_and_surface_in_series(kp, k):
    plant = table(kp=kp, gravity=9.81, stiffness=k, damping=100.0)
    K = plant.impedance(HOME)[2] + plant.weight_stiffness(HOME)
    J = at_tip(PROBE)[2]
    series = 1.0 / (J @ np.linalg.solve(K, J) + 1.0 / k)
    depth = np.concatenate([np.linspace(0.0, 5e-4, 500), np.full(100, 5e-4)])
    run = plant.run(inputs={"command_position": HOME + depth[:, None] * UP})
    assert run.measured_wrench[-1, 2] == pytest.approx(-series * 5e-4, rel=5e-3)
    assert_allclose(run.measured_wrench[-1, 3:], 0.0, atol=1e-12)  # a point carries no torque about itself
    assert_allclose(run.measured_wrench[:, :3], run.contact_force, atol=1e-9)


def test_the_surface_never_pulls_and_lets_go():
    plant = table(gap=2e-4, substeps=16, stiffness=1e5, damping=2000.0, friction=0.4)
    back = np.concatenate([np.linspace(0.0, 1.5e-3, 150), np.linspace(1.5e-3, -5e-3, 20), np.full(50, -5e-3)])
    run = plant.run(inputs={"command_position": HOME + back[:, None] * UP})
    tip = tips(run)
    rate = run.twist @ at_tip(PROBE)[2]  # the plate hardly turns
    depth = tip[:, 2] - plant.surface.height
    wanted = 1e5 * depth + 2000.0 * rate
    assert ((wanted < 0.0) & (depth > 0.0)).any()  # a damper that could pull would have
    assert (run.contact_force[:, 2] <= 0.0).all()
    assert (run.contact_force[depth <= 0.0] == 0.0).all()
    pressed = (depth > 0.0) & (wanted > 0.0)
    assert_allclose(-run.contact_force[pressed, 2], wanted[pressed], rtol=2e-3, atol=1e-3)
    assert run.contact_force[-1, 2] == 0.0


def test_hitting_the_surface_is_the_textbook_mass_on_a_spring():
    """Another formulation: one mass in z, the servo's force held over a tick, the surface by an adaptive integrator."""
    probe = np.array([0.0, 0.0, 0.05])
    plant = table(gap=5e-4, probe=probe, stiffness=3e5, damping=300.0, servo={"feedforward_in_contact": 0.0})
    m, D, K = (part[2, 2] for part in plant.impedance(HOME))
    commands = 0.01 * T * np.arange(100)
    run = plant.run(inputs={"command_position": HOME + commands[:, None] * UP})

    def push(x, v):
        depth = x - 5e-4
        return max(0.0, 3e5 * depth + 300.0 * v) if depth > 0.0 else 0.0

    x, v, before, last, felt, forces, heights = 0.0, 0.0, 0.0, 0.0, 0.0, [], []
    for command in commands:
        share = 0.0 if felt > 0.5 else 1.0
        servo = K * (command - x) + D / T * (share * (command - last) - (x - before))
        last, before = command, x
        found = solve_ivp(
            lambda _, y, servo=servo: [y[1], (servo - push(*y)) / m], (0.0, T), [x, v], rtol=1e-8, atol=1e-13,
            max_step=2e-4,
        )  # fmt: skip
        x, v = found.y[:, -1]
        felt = push(x, v)
        forces.append(felt)
        heights.append(x)
    assert max(forces) > 6.0  # a true impact: v sqrt(k m) = 8.3 N without damping
    # the table's K and m at home change by some parts in a thousand over the stroke
    assert_allclose(-run.measured_wrench[:, 2], forces, rtol=0, atol=0.01 * max(forces))
    assert_allclose(run.position[:, 2] - HOME[2], heights, rtol=0, atol=2e-6)


def test_friction_sticks_without_creep_below_its_limit():
    """A sideways load near the limit while the normal force shakes: 3500 ticks later the anchor is where it was."""
    plant = table(stiffness=1e5, friction=0.5)
    ticks = 4000
    ramp = np.minimum(1.0, np.arange(ticks) / 300)
    F = np.zeros((ticks, 6))
    F[:, 0] = 5.0 * np.clip((np.arange(ticks) - 300) / 100, 0.0, 1.0)
    F[:, 2] = 1.0 * np.sin(0.3 * np.arange(ticks)) * (ramp == 1.0)
    run = plant.run(F, inputs={"command_position": HOME + 1.5e-3 * ramp[:, None] * UP})
    force = run.contact_force[500:]
    share = np.hypot(*force[:, :2].T) / -force[:, 2]
    assert 0.35 < share.max() < 0.5
    assert np.ptp(force[:, 2]) > 1.0
    anchor = tips(run)[500:, :2] + force[:, :2] / 1e5
    assert_allclose(anchor, np.broadcast_to(anchor[0], anchor.shape), rtol=0, atol=1e-15)


@pytest.mark.parametrize("damping", [0.0, 200.0])
def test_friction_slides_at_its_limit_against_the_motion(damping):
    plant = table(gap=-1e-3, stiffness=1e5, damping=damping, friction=0.3)
    way = np.interp(np.arange(700), [0, 500, 700], [0.0, 1.0, 0.6])[:, None] * np.array([8e-3, -6e-3, 0.0])
    run = plant.run(inputs={"command_position": HOME + way})
    limit = np.hypot(*run.contact_force[:, :2].T)
    there, back = slice(200, 500), slice(600, 700)
    for part, sign in ((there, 1.0), (back, -1.0)):
        assert_allclose(limit[part], -0.3 * run.contact_force[part, 2], rtol=1e-9)
        along = run.contact_force[part, :2] / limit[part, None]
        assert_allclose(along, np.broadcast_to([-0.8 * sign, 0.6 * sign], along.shape), atol=0.03)
    # the force turns round over 2 mu N/k of the tip's way, not over the way that it slid
    ahead = np.array([0.8, -0.6])
    place, force = tips(run)[:, :2] @ ahead, run.contact_force[:, :2] @ ahead
    turn = 500 + int(np.flatnonzero(force[500:] > 0.9 * limit[500:])[0])
    # seen once a tick, which is a third of it; the damper helps to turn the force
    assert 0.4 < (place.max() - place[turn]) / (2.0 * limit[there].mean() / 1e5) < 1.6


def test_feeding_the_rate_forward_in_contact_adds_damping_and_nothing_before():
    """A ramp at speed v: K d + D v with the rate fed forward, less D v k/(K + k) without."""
    v, k, probe = 0.004, 1e5, np.array([0.0, 0.0, 0.05])
    path = HOME + v * T * np.arange(300)[:, None] * UP
    runs = []
    for share in (None, 1.0, 0.0):
        plant = table(gap=4e-4, probe=probe, stiffness=k, damping=200.0, servo={"feedforward_in_contact": share})
        runs.append(-plant.run(inputs={"command_position": path}).measured_wrench[:, 2])
    _, D, K = (part[2, 2] for part in plant.impedance(HOME))
    usual, full, none = runs
    assert np.array_equal(usual, full)
    first = int(np.flatnonzero(usual > 0.5)[0])
    assert np.array_equal(full[: first + 1], none[: first + 1])
    assert full[-1] - none[-1] == pytest.approx(D * v * k / (K + k), rel=0.02)
    never = table(
        gap=4e-4, probe=probe, stiffness=k, damping=200.0,
        servo={"feedforward_in_contact": 0.0, "contact_threshold": 1e3},
    )  # fmt: skip
    assert np.array_equal(-never.run(inputs={"command_position": path}).measured_wrench[:, 2], full)


def test_the_sensor_reads_about_the_tip_and_its_strains_are_told():
    mixed = np.diag([1e5] * 3 + [1e4] * 3) + 500.0 * np.random.default_rng(0).normal(size=(6, 6))
    sensor = ForceSensor(calibration=mixed, load=(0.0, 0.0, -2.8, 0.01, 0.0, 0.0), delay=1, cutoff=200.0).tared()
    F = np.tile([3.0, -2.0, 1.0, 0.1, 0.2, -0.3], (400, 1))
    turn = rotation_about((0.1, -0.2, 0.3))
    near = dataclasses.replace(table(gap=1.0, stiffness=1e5), sensor=sensor)
    run = near.run(F, inputs={"command_position": HOME, "command_rotation": turn})
    arm = run.rotation[-2] @ PROBE  # a sample late
    wanted = np.concatenate([F[0, :3], F[0, 3:] - np.cross(arm, F[0, :3])])
    assert_allclose(run.measured_wrench[-1], wanted, rtol=0, atol=1e-6)
    assert_allclose((run.signal - np.asarray(sensor.tare)) @ mixed.T, run.measured_wrench, rtol=0, atol=1e-11)
    none = dataclasses.replace(near, surface=None).run(F, inputs={"command_position": HOME, "command_rotation": turn})
    assert_allclose(none.measured_wrench[-1], F[0], rtol=0, atol=1e-6)
    # a surface far away changes nothing of the motion
    assert np.array_equal(none.position, run.position)
    assert np.array_equal(none.torque, run.torque)


def test_a_live_table_in_contact_is_the_run_tick_by_tick_however_it_is_commanded():
    plant = table(gap=2e-4, stiffness=1e5, damping=100.0, friction=0.3, servo={"feedforward_in_contact": 0.0})
    turns = [Rotation.from_rotvec([0.0, 0.01 * math.sin(0.1 * k), 0.02 * math.sin(0.05 * k)]) for k in range(60)]
    path = HOME + 2e-3 * np.sin(0.05 * np.arange(60))[:, None] * np.array([1.0, 0.0, 1.0])
    run = plant.run(
        inputs={"command_position": path, "command_rotation": np.array([turn.as_matrix() for turn in turns])}
    )
    assert (run.contact_force[:, 2] < 0.0).any()
    start = {"command_position": path[0], "command_rotation": turns[0].as_matrix()}
    checked, quick = plant.start(initial=start), plant.start(initial=start)
    for k in range(60):
        pose = (*path[k], *np.roll(turns[k].as_quat(), 1))
        checked.command(pose[:3], pose[3:])
        quick.drive(plate_pose(tip_pose(pose, PROBE), PROBE))
        for reading in (checked.step(), quick.step()):
            assert_allclose(reading.true_position, run.position[k], rtol=0, atol=1e-12)
            assert_allclose(reading.contact_force, run.contact_force[k], rtol=0, atol=1e-6)
            assert_allclose(reading.signal, run.signal[k], rtol=0, atol=1e-11)
        assert_allclose(quick.tip()[:3], tips(run)[k], rtol=0, atol=1e-9)
        assert_allclose(quick.tip()[3:], np.roll(Rotation.from_matrix(run.rotation[k]).as_quat(), 1), atol=1e-9)
    moved = (tips(run)[-1] - tips(run)[-2]) / T
    assert_allclose(quick.tip_twist()[:3], moved, rtol=0, atol=1e-5)
    quick.drive((0.0, 0.0, -0.9, 1.0, 0.0, 0.0, 0.0))
    kept = quick.read().copy()
    with pytest.raises(TegotaeError, match=r"commanded pose is out of reach at 0.12 s"):
        quick.step()
    assert np.array_equal(quick.read().true_position, kept.true_position)
    quick.drive((*path[-1], *np.roll(turns[-1].as_quat(), 1)))
    assert quick.step().contact_force[2] < 0.0


def test_a_wrench_is_for_one_step():
    live = table().start()
    live.step((0.0, 0.0, 5.0, 0.0, 0.0, 0.0))
    assert live.read().wrench[2] == pytest.approx(5.0)
    assert live.step().wrench[2] == 0.0


def test_plain_numbers_of_poses_are_those_of_rotations():
    rng = np.random.default_rng(4)
    half_turns = [Rotation.from_rotvec(math.pi * axis) for axis in np.eye(3)]
    for turn in [*Rotation.random(40, rng=rng), *half_turns, Rotation.identity()]:
        q = tuple(np.roll(turn.as_quat(), 1))
        assert_allclose(np.reshape(matrix_rows(q), (3, 3)), turn.as_matrix(), rtol=0, atol=1e-15)
        back = np.array(quaternion_of(turn.as_matrix().ravel().tolist()))
        assert_allclose(abs(back @ q), 1.0, rtol=0, atol=1e-14)
        assert back[0] >= 0.0
        place, twist = rng.normal(size=3), rng.normal(size=6)
        tip = tip_pose((*place, *q), PROBE)
        assert_allclose(tip[:3], place + turn.apply(PROBE), rtol=0, atol=1e-14)
        assert_allclose(plate_pose(tip, PROBE), (*place, *q), rtol=0, atol=1e-14)
        moved = np.array(tip_twist((*place, *q), twist, PROBE))
        assert_allclose(moved[:3], twist[:3] + np.cross(twist[3:], turn.apply(PROBE)), rtol=0, atol=1e-14)
        small = Rotation.from_rotvec(1e-5 * twist[3:])
        now = (*(place + 1e-5 * twist[:3]), *(small * turn).as_matrix().ravel())
        rate = rate_between((*place, *turn.as_matrix().ravel()), now, 1e-5)
        assert_allclose(rate, twist, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda: ProbedSurface(height=math.nan, stiffness=1e5), "height=nan"),
        (lambda: ProbedSurface(height=0.0, stiffness=0.0), "stiffness=0.0 N/m"),
        (lambda: ProbedSurface(height=0.0, stiffness=math.inf), "stiffness=inf"),
        (lambda: ProbedSurface(height=0.0, stiffness=1e5, damping=-1.0), "damping=-1.0 N.s/m"),
        (lambda: ProbedSurface(height=0.0, stiffness=1e5, friction=-0.1), "friction=-0.1"),
        (lambda: ProbedSurface(height=0.0, stiffness=1e5, probe=(0.0, 1.0)), "probe has shape"),
        (lambda: ProbedSurface(height=0.0, stiffness=1e5, probe=(0.0, 1.0, math.nan)), "probe"),
        (lambda: dataclasses.replace(HexaPlant.default(), surface=1e5), "surface=100000.0"),
        (lambda: ArmServo(stiffness=1.0, damping=1.0, feedforward_in_contact=1.5), "feedforward_in_contact=1.5"),
        (lambda: ArmServo(stiffness=1.0, damping=1.0, contact_threshold=-1.0), "contact_threshold=-1.0 N"),
        (lambda: table().start().command((0.0, 0.0, -0.47, 1.0)), "position has shape"),
        (lambda: table().start().command((0.0, 0.0, -0.47), (1.0, 0.1, 0.0, 0.0)), "has length 1.00498"),
        (lambda: table().start().command((0.0, 0.0, -0.9), (1.0, 0.0, 0.0, 0.0)), "outside the workspace"),
    ],
)
def test_surfaces_and_commands_that_mean_nothing_are_refused(change, says):
    with pytest.raises(InputError, match=says):
        change()
