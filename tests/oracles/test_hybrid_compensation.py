"""Delay and contact identified from what is felt, against closed forms and least squares."""

import math

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.hybrid.nodes.compensation import Compensation, ContactEstimate, plausible

T = 2e-3


def test_the_delay_settles_on_the_mean_of_what_it_hears():
    rng = np.random.default_rng(3)
    late = Compensation(period=T, contact=ContactEstimate(stiffness=1e4))
    for tick in range(2000):
        late.learn_delay(now=T * tick, label=T * tick - 0.01 - rng.uniform(0.0, 0.004))
    assert late.delay == pytest.approx(0.012, abs=1e-3)


@pytest.mark.parametrize("damping", [0.0, 200.0, -100.0])
@pytest.mark.parametrize("wrong", [0.7, 1.0, 1.4])
def test_the_contact_is_found_as_least_squares_find_it(damping, wrong):
    """A half sine of 40 samples with noise, the expected stiffness wrong by 30 or 40 %."""
    rng = np.random.default_rng(1)
    k, onset = 45000.0, 3e-4
    t = T * np.arange(1, 41)
    x = onset + 2.7e-4 * np.sin(36.0 * t)
    v = 2.7e-4 * 36.0 * np.cos(36.0 * t)
    force = k * (x - onset) + damping * v + rng.normal(size=t.size) * 0.05
    felt = ContactEstimate(stiffness=wrong * k)
    felt.begin(onset=onset + 2e-5)
    for f, depth, speed in zip(force, x, v, strict=True):
        felt.hear(force=f, depth=depth, speed=speed)
    A = np.column_stack([x, v, np.ones_like(x)])
    best = np.linalg.lstsq(A, force, rcond=None)[0]
    assert felt.stiffness == pytest.approx(best[0], rel=0.12)  # 1 N of doubt leaves some weight to what was expected
    assert felt.stiffness == pytest.approx(k, rel=0.12)
    assert felt.damping - felt.lag * felt.stiffness == pytest.approx(damping, abs=25.0)
    assert felt.onset == pytest.approx(onset, abs=5e-5)


def test_a_force_is_brought_up_to_date_exactly_where_the_contact_is_linear():
    k, c = 4e4, 150.0
    late = Compensation(period=T, contact=ContactEstimate(stiffness=k, damping=c))
    late.contact.begin(onset=0.0)
    then, speed_then, now, speed = 2e-4, 0.008, 2.6e-4, 0.005
    middle = now + 0.5 * T * speed
    wanted = k * middle + c * speed
    felt = k * then + c * speed_then
    given = {"depth_then": then, "speed_then": speed_then, "rate_then": speed_then, "speed": speed}
    assert late.force(felt, depth=now, **given) == pytest.approx(wanted)
    assert late.force(felt, depth=-1.0, **given) == 0.0, "it never pulls"


def test_a_table_that_answers_late_is_led_not_damped():
    k, lag = 4e4, 5e-3
    late = Compensation(period=T, contact=ContactEstimate(stiffness=k, damping=-k * lag))
    late.contact.begin(onset=0.0)
    assert late.contact.lag == pytest.approx(lag)
    assert late.lead(touching=True) == pytest.approx(lag + 0.5 * T)
    then, speed = 2e-4, 0.01
    felt = k * (then - lag * speed)
    on_time = late.force(felt, depth_then=then, speed_then=speed, rate_then=speed, depth=then, speed=speed)
    assert on_time == pytest.approx(k * (then + 0.5 * T * speed))


@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_the_contact_is_rolled_forward_along_the_swing(damping):
    """x'' = -(k x + c x')/m has a closed form."""
    k, m, delay = 45000.0, 33.75, 0.019
    late = Compensation(period=T, contact=ContactEstimate(stiffness=k, damping=damping))
    late.contact.begin(onset=0.0)
    late.learn_delay(now=delay, label=0.0)
    x, v = 1e-4, 0.009
    depth, speed, pull = late.ahead(x, v, mass=m, touching=True)
    a, t = damping / (2.0 * m), late.lead(touching=True)
    w = math.sqrt(k / m - a * a)
    b = (v + a * x) / w
    wanted = math.exp(-a * t) * (x * math.cos(w * t) + b * math.sin(w * t))
    rate = math.exp(-a * t) * ((b * w - a * x) * math.cos(w * t) - (x * w + a * b) * math.sin(w * t))
    assert depth == pytest.approx(wanted, rel=2e-3)
    assert speed == pytest.approx(rate, abs=3e-5)
    assert pull == pytest.approx(-(k * wanted + damping * rate) / m, rel=0.02)


def test_free_flight_is_straight_and_shows_how_far_the_table_trails():
    late = Compensation(period=T, contact=ContactEstimate(stiffness=1e4))
    for tick in range(200):
        late.sent(label=T * tick, depth=0.01 * T * tick, speed=0.01)
        if tick > 3:
            late.follow(label=T * (tick - 2), depth=0.01 * (T * (tick - 2) - 0.007))
    assert late.servo_lag == pytest.approx(0.007, rel=1e-6)
    late.learn_delay(now=1.0, label=0.996)
    depth, speed, pull = late.ahead(-0.01, 0.01, mass=30.0, touching=False)
    assert (depth, speed, pull) == (pytest.approx(-0.01 + 0.01 * 0.012), 0.01, 0.0)


def test_what_was_commanded_is_remembered_and_gone_on_with():
    late = Compensation(period=T, contact=ContactEstimate(stiffness=1e4))
    for tick in range(300):
        late.sent(label=T * tick, depth=0.01 * T * tick, speed=0.01)
    # A table that hears nothing more goes on as it was told last, up to where it comes to rest.
    for label in (T * 299, T * 250, T * 299 + 0.7 * T, T * 299 + 3.2 * T, T * 320):
        depth, speed = late.commanded(label)
        assert depth == pytest.approx(0.01 * label)
        assert speed == 0.01
    assert late.commanded(T * 100) is None, "long forgotten"
    assert late.commanded(-T) is None, "never sent"
    assert Compensation(period=T, contact=ContactEstimate(stiffness=1e4)).commanded(0.0) is None, "nothing was sent yet"


def test_labels_that_cannot_be_are_not_believed():
    assert plausible(0.99, now=1.0, longest=0.2)
    assert not plausible(0.7, now=1.0, longest=0.2)
    assert not plausible(1.01, now=1.0, longest=0.2)
    assert plausible(1.01, now=1.0, longest=0.2, bridged=0.01)


@pytest.mark.parametrize("bad", [{"stiffness": 0.0}, {"stiffness": math.nan}, {"stiffness": 1.0, "noise": 0.0}])
def test_bad_input_is_refused(bad):
    with pytest.raises(InputError, match="ContactEstimate"):
        ContactEstimate(**bad)


def test_a_damper_felt_how_commanded_places_moved_not_the_speed_that_was_told():
    """Where a contact is first heard of, commands jump back a little: the damper feels the jump."""
    late = Compensation(period=T, contact=ContactEstimate(stiffness=1e4))
    late.sent(label=0.0, depth=1e-3, speed=0.01)
    late.sent(label=T, depth=1.012e-3, speed=0.01)
    assert late.commanded(T)[1] == 0.01
    assert late.rate_told(T) == pytest.approx(0.006)
    assert late.rate_told(0.0) == 0.01, "nothing is known of the time before"
    assert late.rate_told(1.0) == pytest.approx(0.01), "it goes on"
    late.sent(label=2 * T, depth=1.012e-3, speed=0.0)
    assert late.rate_told(2 * T) == late.rate_told(1.0) == 0.0, "told to stand, it does"
