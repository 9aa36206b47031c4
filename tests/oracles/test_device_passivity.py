"""The passivity bound against its published inequality, the poles of sampled loops, and energy in simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import cont2discrete

import tegotae as tg
from tegotae.device import Hand, ImpedanceTwin, Watch, for_block, hold, loop_radius, passivity, render

T = 1e-3


def colgate(K, B, T, d, theta):
    """The inequality as published, H(z) = (K + B (z - 1)/(T z)) z^-d; its right side at each angle."""
    z = np.exp(1j * theta)
    H = (K + B * (z - 1.0) / (T * z)) * z**-d
    return T / 2.0 / (1.0 - np.cos(theta)) * np.real((1.0 - 1.0 / z) * H)


def held(K, B):
    """A friction element that never slides is the spring-damper of the theorem."""
    return tg.FrictionImpedance(stiffness=K, damping=B, law=tg.Coulomb(1e30))


def radius(K, B, T, m, b, k):
    """Largest |pole| of mass m, damping b, spring k under the sampled spring-damper, by scipy's zero-order hold."""
    A, G, *_ = cont2discrete(
        (np.array([[0.0, 1.0], [-k / m, -b / m]]), np.array([[0.0], [1.0 / m]]), np.eye(2), np.zeros((2, 1))), T
    )
    loop = np.zeros((3, 3))
    loop[:2, :2] = A
    loop[:2] += G @ np.array([[-(K + B / T), 0.0, B / T]])
    loop[2, 0] = 1.0
    return np.abs(np.linalg.eigvals(loop)).max()


@settings(max_examples=60, deadline=None)
@given(K=st.floats(1.0, 1e5), B=st.floats(0.0, 50.0), T=st.floats(1e-4, 1e-2), d=st.integers(0, 4))
def test_needed_damping_is_the_supremum_of_the_published_inequality(K, B, T, d):
    theta = np.linspace(1e-3, np.pi, 40_000)
    needed = passivity(K, B, T, 1.0, delay=d).needed_damping
    bound = colgate(K, B, T, d, theta).max()
    assert bound <= needed * (1 + 1e-9)
    assert needed == pytest.approx(bound, rel=1e-4)  # of the grid
    if d == 0:
        assert needed == pytest.approx(K * T / 2.0 + B, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(K=st.floats(1.0, 1e5), B=st.floats(0.0, 20.0), b=st.floats(0.1, 100.0), d=st.integers(0, 3))
def test_largest_stiffness_and_period_are_the_edge(K, B, b, d):
    report = passivity(K, B, T, b, delay=d)
    if b <= B:
        assert not report.passive
        assert report.largest_stiffness == report.largest_period == 0.0
        return
    assert report.passive == (report.largest_stiffness > K)
    for stiffness, period in ((report.largest_stiffness, T), (K, report.largest_period)):
        assert passivity(stiffness * (1 - 1e-6), B, period, b, delay=d).passive
        assert not passivity(stiffness * (1 + 1e-6), B, period, b, delay=d).passive


def lossless_hands():
    """Masses and springs over the whole band: the hardest hands, for they dissipate nothing themselves."""
    for m in (0.05, 1.0, 30.0, 300.0):
        for wT in np.linspace(0.02, np.pi, 30):
            yield m, m * (wT / T) ** 2


@pytest.mark.parametrize(("K", "B"), [(6000.0, 0.0), (6000.0, 10.0), (1000.0, 30.0)])
def test_no_lossless_hand_shakes_a_passive_device(K, B):
    b = passivity(K, B, T, 0.0).needed_damping
    for m, k in lossless_hands():
        assert radius(K, B, T, m, b, k) < 1.0


def test_half_a_period_of_spring_is_tight():
    """Without virtual damping a slow heavy hand finds the bound: it diverges at 0.99 of K T/2 and not at 1.01."""
    K, m = 6000.0, 300.0
    needed = K * T / 2.0
    k = m * (0.1 / T) ** 2
    assert radius(K, 0.0, T, m, 0.99 * needed, k) > 1.0
    assert radius(K, 0.0, T, m, 1.01 * needed, k) < 1.0


def test_a_hand_that_resonates_at_half_the_sampling_rate_finds_8_over_pi_squared_of_the_bound():
    """At the Nyquist frequency the images w_N, -w_N of a single resonance make up 8/pi^2 of all images' 1/w^2."""
    K, B, m = 6000.0, 10.0, 1e5
    k = m * (np.pi / T) ** 2
    edge = 8.0 / np.pi**2 * (K * T / 2.0 + B)
    assert radius(K, B, T, m, 0.98 * edge, k) > 1.0
    assert radius(K, B, T, m, 1.02 * edge, k) < 1.0


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_loop_radius_is_the_growth_of_the_simulated_loop(delay):
    """The time simulation of twin and live element grows by the predicted factor a tick."""
    K, B = 6000.0, 4.0
    grip = Hand(stiffness=4e4, damping=0.0, target=hold(0.0))
    device = ImpedanceTwin(mass=0.5, damping=0.2, delay=delay)
    predicted = loop_radius(held(K, B), period=T, device=device, hand=grip)
    if delay == 0:
        assert predicted == pytest.approx(radius(K, B, T, 0.5, 0.2, 4e4), rel=1e-12)
    twin = device.start(hand=grip, period=T, position=1e-6)
    live = held(K, B).start(period=T)
    live.step(position=0.0)  # the virtual spring rests at 0, the handle starts off it
    result = render(twin, live, 3000, watch={"tip": Watch(lambda: twin.position, "m")})
    size = np.abs(result.tip)
    early, late = size[500:1000].max(), size[2500:3000].max()
    assert (late / early) ** (1.0 / 2000.0) == pytest.approx(predicted, abs=6e-5)  # a peak is seen to a tenth
    assert (predicted > 1.0) == (delay > 0)  # b + B > K T/2, but a tick of delay asks for three times as much


def generated(b, K, B):
    """Share of energy that hand and handle, swinging at half the sampling rate, have gained after 2 s."""
    m = 20.0
    grip = Hand(stiffness=m * (np.pi / T) ** 2, damping=0.0, mass=m - 0.1, target=hold(0.0))
    twin = ImpedanceTwin(mass=0.1, damping=b).start(hand=grip, period=T, position=1e-4)
    live = held(K, B).start(period=T)
    live.step(position=0.0)

    def energy():
        x, v = twin.position[0], twin.velocity[0]
        return 0.5 * m * v * v + 0.5 * grip.stiffness * x * x

    start = energy()
    render(twin, live, 2000)
    return (energy() - start) / start


def test_energy_appears_beyond_the_bound_and_not_within_it():
    """The hand's and handle's own energy can only change through the damper and the rendered element."""
    K, B = 6000.0, 10.0
    needed = passivity(K, B, T, 0.0).needed_damping
    assert generated(1.01 * needed, K, B) < 0.0
    assert generated(0.6 * needed, K, B) > 0.05


def test_for_block_takes_devices_and_numbers_and_refuses_others():
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    assert for_block(brake, period=T, device=13.1).passive
    assert not for_block(brake, period=T, device=12.9).passive
    late = ImpedanceTwin(mass=0.2, damping=13.1, delay=1)
    assert not for_block(brake, period=T, device=late).passive
    with pytest.raises(tg.InputError, match="spring and damper"):
        for_block(tg.Mass(mass=1.0), period=T, device=1.0)
    for bad in ((-1.0, 0.0, T, 1.0), (1.0, np.nan, T, 1.0), (1.0, 0.0, 0.0, 1.0), (1.0, 0.0, T, -1.0)):
        with pytest.raises(tg.InputError):
            passivity(*bad)
    with pytest.raises(tg.InputError):
        passivity(1.0, 0.0, T, 1.0, delay=-1)
    assert passivity(0.0, 0.0, T, 1.0).largest_period == np.inf
    assert "no stiffness" in str(passivity(100.0, 5.0, T, 1.0))
