"""The twins against scipy's integration of their equations, closed forms, and friction felt through them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tegotae as tg
from tegotae.device import (
    AdmittanceTwin,
    Hand,
    ImpedanceTwin,
    Watch,
    glide,
    hold,
    render,
    render_motion,
    steps,
    waypoints,
)
from tegotae.device.joystick import JOYSTICK, PERIOD, figure4, friction, hand
from tegotae.device.passivity import for_block, loop_radius
from tegotae.papers import load_paper

T = 1e-3


def integrate(rhs, state, time):
    return solve_ivp(lambda t, y: rhs(y, t), (0.0, time), state, rtol=1e-11, atol=1e-14, method="DOP853").y[:, -1]


def test_impedance_twin_is_its_differential_equation_between_samples():
    """Held force, hand of spring, damper and mass, target of straight lines: one tick is exact whatever its length."""
    grip = Hand(stiffness=400.0, damping=6.0, mass=0.05, target=waypoints([0.0, 0.02, 0.04], [0.0, 0.03, -0.01]))
    period = 0.02
    twin = ImpedanceTwin(mass=0.15, damping=2.0).start(hand=grip, period=period)
    state = np.zeros(2)
    for force, r0, r1 in ((3.0, 0.0, 0.03), (-5.0, 0.03, -0.01)):
        twin.command(force)

        def rhs(y, t, force=force, r0=r0, slope=(r1 - r0) / period):
            r = r0 + slope * t
            return [y[1], (force - 2.0 * y[1] + 400.0 * (r - y[0]) + 6.0 * (slope - y[1])) / 0.2]

        state = integrate(rhs, state, period)
        np.testing.assert_allclose([twin.position[0], twin.velocity[0]], state, rtol=1e-9, atol=1e-12)
    expected = 400.0 * (-0.01 - state[0]) + 6.0 * (-2.0 - state[1])
    assert twin.hand_force[0] == pytest.approx(expected, rel=1e-8)


def test_a_pushed_free_handle_follows_its_closed_form():
    """m v' = F - b v from rest: v = F/b (1 - exp(-b t/m))."""
    push = Hand(stiffness=0.0, damping=0.0, target=hold(0.0), push=steps([0.0], [2.0]))
    twin = ImpedanceTwin(mass=0.2, damping=4.0).start(hand=push, period=T)
    for _ in range(150):
        twin.command(0.0)
    assert twin.velocity[0] == pytest.approx(0.5 * (1.0 - np.exp(-4.0 * 0.15 / 0.2)), rel=1e-12)


def test_encoder_saturation_and_delay():
    twin = ImpedanceTwin(mass=1.0, damping=0.0, resolution=1e-4, force_limit=5.0, delay=2).start(period=T)
    seen = []
    for force in (50.0, -50.0, 1.0, 0.0, 0.0):
        twin.command(force)
        seen.append(float(twin.force[0]))
        assert twin.read()[0] / 1e-4 == pytest.approx(round(twin.read()[0] / 1e-4), abs=1e-9)
        assert abs(twin.read()[0] - twin.position[0]) <= 0.5e-4 * (1 + 1e-9)
    assert seen == [0.0, 0.0, 5.0, -5.0, 1.0]
    twin.command(3.0)
    twin.stop()
    assert twin.stopped
    twin.command(0.0)
    assert twin.force[0] == 0.0  # what was on its way at the stop is dropped


def test_admittance_twin_servo_is_critically_damped():
    """Step of the command: x = 1 - (1 + w t) exp(-w t)."""
    twin = AdmittanceTwin(bandwidth=20.0).start(period=T)
    for k in range(1, 60):
        twin.command(1.0)
        wt = 2.0 * np.pi * 20.0 * k * T
        assert twin.position[0] == pytest.approx(1.0 - (1.0 + wt) * np.exp(-wt), abs=1e-12)


def test_force_sensor_has_its_bias_and_its_noise_and_repeats():
    grip = Hand(stiffness=100.0, damping=0.0, target=hold([0.01, 0.0]))
    twin = AdmittanceTwin(bandwidth=50.0, noise=0.2, bias=(0.5, -0.5), seed=7, dimension=2)
    first = twin.start(hand=grip, period=T, position=[0.0, 0.0])
    readings = np.array([first.read() for _ in range(4000)])
    again = twin.start(hand=grip, period=T, position=[0.0, 0.0])
    np.testing.assert_array_equal(readings[:10], [again.read() for _ in range(10)])
    # 4000 samples: the mean is known to 0.2/sqrt(4000) = 0.003, the deviation to 1.1 %; five of each
    np.testing.assert_allclose(readings.mean(axis=0), [1.5, -0.5], atol=0.016)
    np.testing.assert_allclose(readings.std(axis=0), 0.2, rtol=0.06)


def test_reaching_hand_has_the_least_jerk():
    reach = glide([0.0, 2.0], [[0.0, 1.0], [0.3, -1.0]])
    t = np.linspace(0.0, 2.0, 2001)
    path = np.array([reach(x) for x in t])
    # the minimiser of the squared jerk from rest to rest has a sixth derivative of zero: a quintic, fitted exactly
    for column, ends in ((0, (0.0, 0.3)), (1, (1.0, -1.0))):
        quintic = np.polynomial.Polynomial.fit(t, path[:, column], 5)
        assert np.abs(quintic(t) - path[:, column]).max() < 1e-13
        assert [quintic(0.0), quintic(2.0)] == pytest.approx(ends, abs=1e-12)
        for order in (1, 2):
            assert [quintic.deriv(order)(0.0), quintic.deriv(order)(2.0)] == pytest.approx([0.0, 0.0], abs=1e-10)


def test_below_the_limit_it_holds_above_it_slides_at_the_closed_form_speed():
    """A push rising gently (a sudden one overshoots) to 3.9 N is held at 3.9/K; 5 N slides towards (5 - F)/b."""
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    push = Hand(stiffness=0.0, damping=0.0, target=hold(0.0), push=glide([0.0, 0.3, 0.5, 0.51], [0.0, 3.9, 3.9, 5.0]))
    twin = ImpedanceTwin(mass=0.2, damping=15.0).start(hand=push, period=T)
    watch = {"tip": Watch(lambda: twin.position, "m"), "speed": Watch(lambda: twin.velocity, "m/s")}
    result = render(twin, brake.start(period=T), 1000, watch=watch)
    assert (result.slip_velocity[:500] == 0.0).all()
    assert result.tip[499] == pytest.approx(3.9 / 6000.0, rel=1e-6)
    assert result.speed[-1] == pytest.approx(1.0 / 15.0, rel=1e-6)
    assert result.force[-1] == -4.0


def test_admittance_device_carries_a_mass_with_friction():
    """Constant push p > F on the virtual mass: v = (p - F) t/M at every tick; the tip follows 2/w behind."""
    slider = tg.FrictionAdmittance(mass=2.0, law=tg.Coulomb(4.0))
    push = Hand(stiffness=0.0, damping=0.0, target=hold(0.0), push=steps([0.0, 0.3], [3.99, 6.0]))
    twin = AdmittanceTwin(bandwidth=40.0).start(hand=push, period=T)
    watch = {"tip": Watch(lambda: twin.position, "m"), "speed": Watch(lambda: twin.velocity, "m/s")}
    result = render_motion(twin, slider.start(period=T), 1000, watch=watch)
    np.testing.assert_array_equal(result.position[:300], 0.0)
    np.testing.assert_allclose(result.velocity[300:], 0.5 * 2.0 * T * np.arange(1, 701), rtol=1e-9)
    # a ramp of the command is followed 2/w late; its acceleration of 1 m/s² adds 3/w² of speed-independent error
    lag = result.position[-1] - result.tip[-1]
    w = 2.0 * np.pi * 40.0
    assert lag == pytest.approx(result.velocity[-1] * (2.0 / w - 0.5 * T), abs=4.0 / w**2 + T * T)


@pytest.fixture(scope="module", params=[0.0, 1.0])
def drawing(request):
    return request.param, figure4(request.param)


def test_joystick_is_held_at_b(drawing):
    """[kikuuwe2005 Fig. 4 b]: pushed with less than F, q stands exactly still and the tip stays within h/K of it."""
    _, run = drawing
    held = (run.time >= run.about["held_from"]) & (run.time <= run.about["held_to"])
    push = np.linalg.norm(run.hand_force[held], axis=1)
    assert 1.0 < push.min() < push.max() < 4.0
    angle = np.unwrap(np.arctan2(run.hand_force[held, 1], run.hand_force[held, 0]))
    assert abs(angle[-1] - angle[0]) > np.radians(100.0)  # it is pushed around, not just in one direction
    assert not run.slip_velocity[held].any()
    q = run.position[held] + run.deflection[held]
    assert np.ptp(q, axis=0).max() < 1e-15
    # the encoders see the tip to half a step an axis; the slow push leaves its damping and inertia out by ~0.01 N
    reach = np.linalg.norm(run.tip[held] - q, axis=1)
    assert (reach <= push / 6000.0 + JOYSTICK.resolution / np.sqrt(2.0) + 0.02 / 6000.0).all()


def test_joystick_force_is_friction_without_mass_and_more_with_it(drawing):
    """[kikuuwe2005 (9)]: f = g at M = 0; at M = 1 the difference is the inertia of the virtual point."""
    mass, run = drawing
    acceleration = np.diff(run.slip_velocity, axis=0, prepend=np.zeros((1, 2))) / PERIOD
    np.testing.assert_allclose(run.friction - run.force, mass * acceleration, atol=1e-9)
    if mass == 0.0:
        np.testing.assert_array_equal(run.force, run.friction)
    else:
        assert np.linalg.norm(run.force - run.friction, axis=1).max() > 1.0
    moving = run.slip_velocity.any(axis=1)
    assert moving.mean() > 0.4
    speed = np.linalg.norm(run.slip_velocity[moving], axis=1, keepdims=True)
    np.testing.assert_allclose(run.friction[moving], -4.0 * run.slip_velocity[moving] / speed, atol=1e-9)
    assert np.linalg.norm(run.friction, axis=1).max() <= 4.0 * (1 + 1e-12)
    assert 0.08 < np.ptp(run.tip[:, 0]) < 0.14


def test_joystick_is_passive_as_documented():
    assert for_block(friction(0.0), period=PERIOD, device=JOYSTICK).needed_damping == pytest.approx(13.0, rel=1e-12)
    assert for_block(friction(1.0), period=PERIOD, device=JOYSTICK).passive
    undamped = ImpedanceTwin(mass=0.2, damping=0.0)
    assert loop_radius(friction(0.0), period=PERIOD, device=undamped, hand=hand()) < 1.0


def test_figure4_shows_both_masses():
    paper = load_paper("kikuuwe2005")
    (drawing,) = [one for one in paper.figures if one.name == "joystick"]
    figure = drawing.draw(paper.subject)
    assert [axes.get_title(loc="left")[5:10] for axes in figure.axes] == ["M = 0", "M = 1"]
    assert all("b" in [t.get_text() for t in axes.texts] for axes in figure.axes)
