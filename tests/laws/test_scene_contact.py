"""Bodies that touch: they rest, slide, tip, hold and bounce where theory says, on the world and on each other."""

from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.inclusion import Contact, Inclusion
from tegotae.multibody import (
    Ball,
    Body,
    Box,
    Corners,
    Fixed,
    Free,
    HalfSpace,
    Lock,
    Plate,
    Point,
    Prismatic,
    Revolute,
    Scene,
    Sphere,
    Touch,
    Tree,
    join,
)

G = 9.81


def cuboid(name, half, mass=1.0, position=(0, 0, 0)):
    a, b, c = half
    inertia = (mass * (b * b + c * c) / 3.0, mass * (a * a + c * c) / 3.0, mass * (a * a + b * b) / 3.0)
    return Body(name=name, mass=mass, inertia=inertia, joint=Free(), position=position)


def on_a_slope(degrees, mu, *, half=(0.1, 0.1, 0.1), seconds=2.0, period=1e-3, every=1):
    """A box on a floor whose gravity is tilted towards x."""
    angle = np.radians(degrees)
    box = Tree([cuboid("box", half, position=(0, 0, half[2]))], gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    floor = Touch(
        on="box", toucher=Corners(half_sizes=half), surface=HalfSpace(), stiffness=1e6, damping=1e4, friction=mu
    )
    return Scene(tree=box, touches=[floor]).run(seconds, period=period, every=every)


# ---------------------------------------------------------------- slopes


def test_a_box_sticks_below_its_friction_angle_and_slides_above():
    """tan 20 degrees = .36397."""
    held = on_a_slope(20.0, 0.365)
    assert np.abs(np.asarray(held.q[-1]) - held.q[1000]).max() < 1e-12
    slid = on_a_slope(20.0, 0.363)
    expected = G * (np.sin(np.radians(20.0)) - 0.363 * np.cos(np.radians(20.0)))
    speed = np.asarray(slid.v[:, 0])
    assert np.polyfit(slid.time[500:], speed[500:], 1)[0] == pytest.approx(expected, rel=1e-6)
    assert held.about["unsolved_steps"] == slid.about["unsolved_steps"] == 0


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.3])
def test_a_sliding_box_accelerates_by_g_sin_minus_mu_g_cos(mu):
    run = on_a_slope(25.0, mu, seconds=1.0)
    expected = G * (np.sin(np.radians(25.0)) - mu * np.cos(np.radians(25.0)))
    assert np.polyfit(run.time[500:], run.v[500:, 0], 1)[0] == pytest.approx(expected, rel=1e-6)


def test_a_tall_box_tips_where_its_weight_leaves_the_foot():
    """Half width .1, half height .3: at tan = 1/3, 18.43 degrees."""
    for degrees, tips in ((18.0, False), (18.9, True)):
        run = on_a_slope(degrees, 1.0, half=(0.1, 0.1, 0.3), seconds=3.0)
        turned = 2.0 * np.linalg.norm(np.asarray(run.q[-1, 4:7]))
        assert (turned > 0.5) == tips, (degrees, turned)
        assert run.about["unsolved_steps"] == 0


def test_contact_forces_carry_the_weight_and_lie_in_the_cone():
    run = on_a_slope(15.0, 0.4)
    f = np.asarray(run.contact_force[-1])
    angle = np.radians(15.0)
    np.testing.assert_allclose(f.sum(0), [-G * np.sin(angle), 0.0, G * np.cos(angle)], rtol=0, atol=1e-9)
    assert (np.linalg.norm(f[:, :2], axis=1) <= 0.4 * f[:, 2] * (1 + 1e-9)).all()


def test_a_box_below_its_friction_angle_stays_for_an_hour():
    run = on_a_slope(20.0, 0.5, seconds=3600.0, period=1e-2, every=10_000)
    assert np.abs(np.asarray(run.q) - run.q[0])[:, :3].max() <= 1e-14
    assert run.about["unsolved_steps"] == 0


@pytest.mark.parametrize("mu", [0.5, 0.03])
def test_a_ball_rolls_down_a_slope_or_slips_if_friction_is_too_weak(mu):
    """Rolling takes 2/7 tan of the slope: 5/7 g sin; below that it slips, and friction alone turns it."""
    R, angle = 0.1, 0.2
    inertia = 0.4 * R * R
    gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    ball = Body(name="ball", mass=1.0, inertia=(inertia,) * 3, joint=Free(), position=(0, 0, R))
    floor = Touch(on="ball", toucher=Ball(radius=R), surface=HalfSpace(), stiffness=1e6, damping=1e4, friction=mu)
    run = Scene(tree=Tree([ball], gravity=gravity), touches=[floor]).run(1.0, period=1e-3)
    rolls = mu > 2.0 / 7.0 * np.tan(angle)
    forward = 5.0 / 7.0 * G * np.sin(angle) if rolls else G * (np.sin(angle) - mu * np.cos(angle))
    turning = forward / R if rolls else mu * G * np.cos(angle) * R / inertia
    assert np.polyfit(run.time[300:], run.v[300:, 0], 1)[0] == pytest.approx(forward, rel=1e-6)
    assert np.polyfit(run.time[300:], run.v[300:, 4], 1)[0] == pytest.approx(turning, rel=1e-6)


# ---------------------------------------------------------------- stacks and grasps


def stack(masses, *, half=0.1, stiffness=1e6):
    size = (half,) * 3
    bodies = [cuboid(f"b{k}", size, mass=m, position=(0, 0, half * (2 * k + 1))) for k, m in enumerate(masses)]
    touches = []
    for k in range(len(masses)):
        surface = Box(half_sizes=size) if k else HalfSpace()
        # slightly narrower, so that corners stand on faces and not on edges
        corners = Corners(half_sizes=(0.95 * half, 0.95 * half, half))
        touches.append(
            Touch(
                on=f"b{k}", toucher=corners, surface=surface, of=f"b{k - 1}" if k else None, stiffness=stiffness,
                damping=5e-3 * stiffness, friction=0.5,
            )
        )  # fmt: skip
    return Scene(tree=Tree(bodies), touches=touches)


@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0), (1.0, 10.0, 1.0, 1.0)])
def test_a_stack_stands_and_every_layer_carries_what_is_above(masses):
    run = stack(masses).run(3.0, period=1e-3)
    force = np.asarray(run.contact_force[-1]).reshape(len(masses), 8, 3).sum(1)
    above = np.cumsum(np.array(masses)[::-1])[::-1] * G
    np.testing.assert_allclose(force[:, 2], above, rtol=1e-6)
    assert np.abs(np.asarray(run.q[-1]) - run.q[2000]).max() < 1e-9
    assert run.about["unsolved_steps"] == 0


def grasp(press, *, seconds=2.0):
    """A box of 1 kg between two fingers, each pressed on it by a force; mu = .5."""
    half = (0.05, 0.05, 0.05)
    finger = {
        side: Body(
            name=side, mass=0.3, inertia=(1e-3,) * 3, joint=Prismatic(axis=(-sign, 0, 0)), position=(sign * 0.05, 0, 0)
        )
        for side, sign in (("left", -1), ("right", 1))
    }
    tree = Tree([finger["left"], finger["right"], cuboid("box", half)])
    corners = Corners(half_sizes=half)
    touches = [
        Touch(
            on="box", toucher=corners, surface=Plate(half_sizes=(0.3, 0.3), normal=(-sign, 0, 0)), of=side,
            stiffness=1e6, damping=1e4, friction=0.5,
        )
        for side, sign in (("left", -1), ("right", 1))
    ]  # fmt: skip
    # Pressed before it is let go: gravity is on from the start, so it sags by the springs only.
    torque = np.zeros(tree.nv)
    torque[:2] = press
    return Scene(tree=tree, touches=touches).run(seconds, period=1e-3, torque=torque)


def test_a_grasp_holds_above_half_the_weight_over_mu_and_slides_below():
    """m g/(2 mu) = 9.81 N."""
    held = grasp(9.9)
    z = np.asarray(held.q[:, 4])
    assert abs(z[-1]) < 1e-3
    assert abs(z[-1] - z[1000]) < 1e-12
    slid = grasp(9.7)
    rate = np.polyfit(slid.time[200:1000], slid.v[200:1000, 4], 1)[0]
    assert rate == pytest.approx(-(G - 2 * 0.5 * 9.7), rel=1e-3)
    assert held.about["unsolved_steps"] == slid.about["unsolved_steps"] == 0


# ---------------------------------------------------------------- bounces


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize(("K", "beta"), [(1e5, 1e-6), (1e5, 2e-3), (1e7, 1e-3), (1e4, 1e-2)])
def test_a_ball_bounces_tick_for_tick_as_the_inclusion_does(K, beta, method):
    """The same elements through another route of this library, which was proved against closed forms."""
    T, m = 1e-3, 0.7
    machine = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": m, "g": G})
    contact = Contact(stiffness=K, damping=K * beta)
    other = machine.to_stepper(period=T, contact=contact, method=method).run(ticks=1500, initial={"p": 0.3})
    ball = Tree([Body(name="ball", mass=m, inertia=(0.01,) * 3, joint=Free(), position=(0, 0, 0.35))])
    floor = Touch(on="ball", toucher=Ball(radius=0.05), surface=HalfSpace(), stiffness=K, damping=K * beta)
    run = Scene(tree=ball, touches=[floor]).run(1.5, period=T, method=method)
    np.testing.assert_allclose(run.q[:, 2] - 0.05, other.p, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.v[:, 2], other.v, rtol=0, atol=1e-9)


def test_a_damped_bounce_gives_back_what_the_damped_oscillator_does():
    """Without gravity, short ticks: leaves when the force is 0, at t with tan(w t) known; integrated by scipy."""
    from scipy.integrate import solve_ivp

    K, beta, m, v0 = 1e5, 4e-3, 1.0, -1.0

    def leaves(t, y):
        return -K * (y[0] + beta * y[1]) if t > 1e-6 else 1.0

    leaves.terminal, leaves.direction = True, -1.0
    exact = solve_ivp(
        lambda t, y: [y[1], -K * (y[0] + beta * y[1]) / m], (0, 1), [0.0, v0], rtol=1e-11, atol=1e-13, events=leaves
    )
    ball = Tree([Body(name="ball", mass=m, inertia=(0.01,) * 3, joint=Free())], gravity=(0, 0, 0))
    floor = Touch(on="ball", toucher=Point(), surface=HalfSpace(), stiffness=K, damping=K * beta)
    errors = []
    for T in (1e-5, 5e-6):
        run = Scene(tree=ball, touches=[floor]).run(0.05, period=T, v=[0, 0, v0, 0, 0, 0], every=1000)
        errors.append(abs(float(run.v[-1, 2]) - exact.y[1, -1]))
    assert errors[0] < 2e-3
    assert errors[1] < 0.6 * errors[0]


def test_a_ball_rolls_off_a_sphere_where_the_closed_form_says():
    """Frictionless, from rest near the top: it leaves at cos = 2/3 of where it started."""
    R, r = 1.0, 0.1
    start = 0.1
    ball = Tree([
        Body(name="ball", mass=1.0, inertia=(0.004,) * 3, joint=Free(),
             position=((R + r) * np.sin(start), 0, (R + r) * np.cos(start)))
    ])  # fmt: skip
    dome = Touch(on="ball", toucher=Ball(radius=r), surface=Sphere(radius=R), stiffness=1e6, damping=1e4)
    run = Scene(tree=ball, touches=[dome]).run(2.0, period=1e-4)
    touching = np.flatnonzero(np.linalg.norm(run.contact_force[:, 0], axis=1) > 0.0)
    x = np.asarray(run.q[touching[-1], :3])
    assert x[2] / np.linalg.norm(x) == pytest.approx(2.0 / 3.0 * np.cos(start), abs=2e-3)


def test_a_ball_falls_over_the_edge_of_a_plate_and_the_forces_are_normal():
    """It lands half way over the edge, is thrown outwards and falls past; the force has pushed it up and out only."""
    ball = Tree([Body(name="ball", mass=1.0, inertia=(0.004,) * 3, joint=Free(), position=(0.23, 0, 0.3))])
    plate = Touch(
        on="ball", toucher=Ball(radius=0.1), surface=Plate(half_sizes=(0.2, 0.2), axis=(1, 0, 0)), stiffness=1e5
    )
    run = Scene(tree=ball, touches=[plate]).run(1.0, period=1e-4)
    force = np.asarray(run.contact_force[:, 0])
    felt = np.linalg.norm(force, axis=1) > 0
    assert felt.any()
    assert (force[felt] @ [0, 0, 1] > 0).all()
    assert (force[felt] @ [1, 0, 0] > 0).all()
    assert float(run.q[-1, 2]) < -1.0
    assert np.abs(force[:, 1]).max() == 0.0


# ---------------------------------------------------------------- two machines


def two_cubes():
    """Free cubes without gravity that meet off centre; equal inertia about all axes, so ticks conserve spin exactly."""
    half = (0.1, 0.1, 0.1)
    tree = join(
        {
            "a": Tree([cuboid("cube", half, mass=1.0)], gravity=(0, 0, 0)),
            "b": Tree([cuboid("cube", half, mass=2.5, position=(0.05, 0.03, 0.25))], gravity=(0, 0, 0)),
        }
    )
    touch = Touch(
        on="b.cube", toucher=Corners(half_sizes=half), surface=Box(half_sizes=half), of="a.cube", stiffness=1e5,
        damping=100.0, friction=0.4,
    )  # fmt: skip
    return Scene(tree=tree, touches=[touch])


def test_momentum_of_two_free_machines_is_exact_over_their_contact():
    v = np.zeros(12)
    v[8], v[3:6], v[9:12] = -1.0, (0.3, -0.2, 0.1), (0.1, 0.5, -0.4)
    run = two_cubes().run(1.0, period=1e-3, v=v)
    assert np.linalg.norm(run.contact_force, axis=2).max() > 1.0
    p, L = np.asarray(run.momentum), np.asarray(run.angular_momentum)
    np.testing.assert_allclose(p, np.broadcast_to([0, 0, -2.5], p.shape), rtol=0, atol=1e-12)
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), rtol=0, atol=1e-12)
    E = np.asarray(run.kinetic_energy)
    assert E[-1] < E[0]
    assert run.about["unsolved_steps"] == 0


def test_contact_forces_are_told_in_world_axes_however_the_surface_has_turned():
    """Newton's law for the cube that touches: its momentum changes by the forces on it, and by nothing else."""
    T, v = 1e-3, np.zeros(12)
    v[8], v[3:6], v[9:12] = -1.0, (0.3, -2.0, 1.0), (0.1, 0.5, -0.4)  # the cube below has turned when they meet
    run = two_cubes().run(1.0, period=T, v=v)
    force = np.asarray(run.contact_force).sum(axis=1)[1:]
    felt = np.linalg.norm(force, axis=1) > 1.0
    assert felt.sum() > 5
    assert np.abs(force[felt, 0]).max() > 0.1 * np.abs(force[felt]).max()
    np.testing.assert_allclose(force, 2.5 * np.diff(run.v[:, 6:9], axis=0) / T, rtol=0, atol=1e-9)


def test_what_touches_and_what_is_touched_may_swap():
    """Smooth balls: which carries the toucher and which the surface is a matter of words."""

    def scene(first, second):
        trees = {
            n: Tree([Body(name="ball", mass=m, inertia=(0.01,) * 3, joint=Free(), position=p)], gravity=(0, 0, 0))
            for n, m, p in (("a", 1.0, (0, 0, 0)), ("b", 3.0, (0.05, 0, 0.3)))
        }
        touch = Touch(on=f"{first}.ball", toucher=Ball(radius=0.1), surface=Sphere(radius=0.1), of=f"{second}.ball")
        return Scene(tree=join(trees), touches=[touch])

    v = np.zeros(12)
    v[2] = 2.0
    one, other = (scene(*pair).run(0.5, period=1e-3, v=v) for pair in (("a", "b"), ("b", "a")))
    assert np.linalg.norm(one.contact_force, axis=2).max() > 1.0
    np.testing.assert_allclose(one.v, other.v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.contact_force, -np.asarray(other.contact_force), rtol=0, atol=1e-6)


# ---------------------------------------------------------------- joints and contacts in one problem


def test_an_arm_with_friction_pressing_on_a_table_is_in_balance():
    """Two joints that rub and a tip that rubs: at rest all forces together are the weight, by inverse dynamics."""
    friction = tg.FrictionImpedance(stiffness=1e6, damping=10.0, law=tg.Coulomb(0.5))

    def link(name, parent, position):
        return Body(
            name=name, mass=2.0, inertia=(0.02, 0.02, 0.002), center=(0, 0, -0.2), parent=parent, position=position,
            joint=Revolute(axis=(0, 1, 0), friction=friction),
        )  # fmt: skip

    tree = Tree([link("upper", None, (0, 0, 0.6)), link("lower", "upper", (0, 0, -0.4))])
    touch = Touch(
        on="lower", toucher=Point(position=(0, 0, -0.4)), surface=HalfSpace(), stiffness=1e6, damping=1e4, friction=0.8
    )
    q = np.array([0.6, -1.44])  # 3 mm above the table
    run = Scene(tree=tree, touches=[touch]).run(4.0, period=1e-3, q=q, torque=np.array([1.0, -2.0]))
    end, f = np.asarray(run.q[-1]), np.asarray(run.contact_force[-1, 0])
    assert np.abs(run.v[-1]).max() < 1e-12
    assert f[2] > 1.0
    assert np.hypot(f[0], f[1]) <= 0.8 * f[2] * (1 + 1e-9)

    def tip(q):
        place, turn = tree.pose(q, "lower")
        return np.asarray(place) + np.asarray(turn) @ [0, 0, -0.4]

    J = np.column_stack([(tip(end + h) - tip(end - h)) / 2e-6 for h in 1e-6 * np.eye(2)])
    weight = tree.inverse_dynamics(end, np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(np.asarray(run.friction[-1]) + J.T @ f + [1.0, -2.0], weight, rtol=0, atol=1e-6)
    assert (np.abs(run.friction) <= 0.5 * (1 + 1e-9)).all()
    assert run.about["unsolved_steps"] == 0


def test_a_locked_joint_carries_a_contact_as_a_weld_does():
    upper = Body(name="upper", mass=1.0, inertia=(0.1, 0.1, 0.01), center=(0, 0, -0.5), joint=Revolute(axis=(0, 1, 0)))
    lower = Body(
        name="lower", mass=2.0, inertia=(0.2, 0.2, 0.02), center=(0, 0, -0.3), parent="upper", position=(0, 0, -1),
        joint=Revolute(axis=(0, 1, 0)),
    )  # fmt: skip
    turn = np.array([[np.cos(0.7), 0, np.sin(0.7)], [0, 1, 0], [-np.sin(0.7), 0, np.cos(0.7)]])
    touch = Touch(
        on="lower", toucher=Point(position=(0, 0, -0.6)), surface=HalfSpace(point=(0, 0, -1.3)), stiffness=1e6,
        damping=1e4, friction=0.5,
    )  # fmt: skip
    # To rounding of the place, which the floor magnifies: by the midpoint, energies add theirs.
    how = {"touches": [touch], "method": "euler"}
    locked = Scene(tree=Tree([upper, lower]), controllers={"lower": Lock()}, **how)
    welded = Scene(tree=Tree([upper, replace(lower, joint=Fixed(), rotation=turn)]), **how)
    one, other = locked.run(2.0, period=1e-3, q=[-1.0, 0.7]), welded.run(2.0, period=1e-3, q=[-1.0])
    assert np.abs(other.contact_force).max() > 100.0
    np.testing.assert_allclose(one.q[:, 0], other.q[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.contact_force, other.contact_force, rtol=0, atol=1e-6)


# ---------------------------------------------------------------- hard landings


def tumbling(seed, *, stiffness=1e6, period=1e-3, seconds=2.0):
    rng = np.random.default_rng(seed)
    half = (0.1, 0.1, 0.1)
    floor = Touch(on="box", toucher=Corners(half_sizes=half), surface=HalfSpace(), stiffness=stiffness, friction=0.5)
    turn = rng.normal(size=4)
    q = np.concatenate([[0, 0, 0.5], turn / np.linalg.norm(turn)])
    v = np.concatenate([rng.normal(size=3), 5.0 * rng.normal(size=3)])
    return Scene(tree=Tree([cuboid("box", half)]), touches=[floor]).run(seconds, period=period, q=q, v=v)


@pytest.mark.parametrize("seed", range(10))
def test_a_tumbling_box_gains_no_energy_and_leaves_no_step_unsolved(seed):
    run = tumbling(seed)
    E = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    assert E.max() <= E[0] * (1 + 1e-9)
    flying = E[np.linalg.norm(run.contact_force, axis=2).max(1) == 0.0]
    assert (np.diff(flying) <= 1e-9 * E[0]).all()  # whatever happened between two flights took energy
    assert run.about["unsolved_steps"] == 0


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic"])
def test_a_spinning_body_of_uneven_inertia_gains_no_energy(method):
    tree = Tree([cuboid("brick", (0.02, 0.1, 0.3))], gravity=(0, 0, 0))
    run = Scene(tree=tree).run(60.0, period=1e-3, v=[0, 0, 0, 1.0, 2.0, 3.0], every=1000, method=method)
    E = np.asarray(run.kinetic_energy)
    np.testing.assert_allclose(E, E[0], rtol=1e-9)  # the midpoint rule keeps it, and the size of what turns
    L = np.linalg.norm(run.angular_momentum, axis=1)
    np.testing.assert_allclose(L, L[0], rtol=1e-9)
