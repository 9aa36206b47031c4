"""Four bars, a slider crank and Andrews' squeezer: loops in a plane against closed forms and published values."""

import numpy as np
import pytest

import squeezer
from linkages import tree_of
from loop_judges import check_closed, check_second_order, rounded
from maximal import Maximal
from planar_linkages import FourBar, SliderCrank
from tegotae.multibody import Scene


@pytest.mark.parametrize(
    ("linkage", "crank", "w", "until", "periods"),
    [
        (FourBar(), 0.7, 3.0, 0.4, (4e-3, 2e-3, 1e-3)),
        (FourBar(branch=-1), 0.7, -2.0, 0.4, (4e-3, 2e-3, 1e-3)),
        # Its error is 1e-7 rad only, so terms of T³ are felt longer.
        (FourBar(gravity=0.0), 0.7, 6.0, 0.4, (1e-3, 5e-4, 2.5e-4)),
        (FourBar(damping=((1, 0, 0.05), (2, -1, 0.02))), 0.7, 3.0, 0.4, (4e-3, 2e-3, 1e-3)),
        (FourBar(damping=((1, 2, 0.05),)), 0.7, 3.0, 0.4, (2e-3, 1e-3, 5e-4)),
        (SliderCrank(gravity=9.81), 0.3, 20.0, 0.2, (2e-3, 1e-3, 5e-4)),
    ],
    ids=["bars", "crossed", "no weight", "dampers", "damper in the pin", "slider"],
)
def test_linkages_of_one_degree(linkage, crank, w, until, periods):
    """Against one ordinary equation for the crank, in closed form, integrated to 1e-12."""
    end, speed, _ = linkage.run([until], crank, w)[:, -1]
    wanted, speeds = linkage.coordinates(end, speed)
    q, v = linkage.coordinates(crank, w)
    tree, reference, errors = tree_of(linkage.mechanism()), Maximal(linkage.mechanism()), []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=q, v=v)
        gaps = rounded(run.q[-1] - wanted)
        errors.append(max(np.abs(gaps).max(), np.abs(run.v[-1] - speeds).max() * until))
        check_closed(reference, run)
    check_second_order(periods, errors)


def test_dry_friction_in_the_pin_of_a_loop_while_it_slides():
    """And in the rocker's hinge; every joint keeps the sense of its motion."""
    linkage, until = FourBar(friction=((1, 2, 0.3), (2, -1, 0.2))), 0.15
    crank, speed, _ = linkage.run(np.linspace(0, until, 31), 1.5, 5.0)
    v = np.array([linkage.coordinates(*one)[1] for one in zip(crank, speed, strict=True)])
    assert (np.sign(v) == np.sign(v[0])).all()
    wanted, speeds = linkage.coordinates(crank[-1], speed[-1])
    q, v = linkage.coordinates(1.5, 5.0)
    tree, periods, errors = tree_of(linkage.mechanism()), (2e-3, 1e-3, 5e-4), []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=q, v=v)
        errors.append(max(np.abs(rounded(run.q[-1] - wanted)).max(), np.abs(run.v[-1] - speeds).max() * until))
    check_second_order(periods, errors)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_dry_friction_in_the_pin_holds_what_it_can(share):
    """A linkage at rest under its weight: it stands if the pin's torque, by the pin's turn per turn of the crank, is
    more than the weight asks of the crank; else it falls as the closed form says."""
    crank, until = 0.7, 0.2
    one = FourBar(friction=((1, 2, 1.0),))
    limit = share * abs(one.weight(crank)) / one.rubbing(crank)
    linkage = FourBar(friction=((1, 2, limit),))
    q, _ = linkage.coordinates(crank)
    run = Scene(tree=tree_of(linkage.mechanism())).run(until, period=1e-3, q=q)
    if share > 1.0:  # what is left is the give of a spring of 1e6 times the limit a radian, by a turn per turn of ~1
        np.testing.assert_allclose(run.q[-1], q, rtol=0, atol=1e-5)
        return
    down = -1e-9 * np.sign(linkage.weight(crank))  # tells friction which way it slides
    wanted = linkage.run([until], crank, down)[0, -1]
    # The friction's spring gives way by 1e-6 rad first; else ticks of second order, (T/until)² = 2.5e-5.
    assert run.q[-1, 0] - crank == pytest.approx(wanted - crank, rel=1e-3)


def test_energy_of_a_four_bar_linkage():
    """As the closed form counts it, it stays: what a tick of second order errs by is 1e-4 of it at this period."""
    linkage = FourBar()
    q, v = linkage.coordinates(0.7, 5.0)
    run = Scene(tree=tree_of(linkage.mechanism())).run(2.0, period=1e-3, q=q, v=v)
    first = sum(linkage.energy(0.7, 5.0))
    assert run.kinetic_energy[-1] + run.potential_energy[-1] == pytest.approx(
        sum(linkage.energy(run.q[-1, 0], run.v[-1, 0])), rel=1e-6
    )
    total = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    kinetic = max(np.asarray(run.kinetic_energy))
    assert np.abs(total - first).max() < 2e-3 * kinetic  # what scenes promise of trees that nothing drives


def test_dampers_take_what_the_closed_form_says():
    linkage, until = FourBar(damping=((1, 0, 0.05), (2, -1, 0.02), (1, 2, 0.03))), 1.0
    q, v = linkage.coordinates(0.7, 3.0)
    run = Scene(tree=tree_of(linkage.mechanism())).run(until, period=5e-4, q=q, v=v)
    _, _, taken = linkage.run([until], 0.7, 3.0)[:, -1]
    left = sum(linkage.energy(0.7, 3.0)) - run.kinetic_energy[-1] - run.potential_energy[-1]
    assert left == pytest.approx(taken, rel=1e-3)  # second order: T² of this run is 1e-5 of its times


def squeezer_run(until, period):
    """Seven bodies, three loops of hinges (of whose conditions nine say nothing new in a plane), a spring, a drive."""
    mechanism = squeezer.mechanism()
    reference = Maximal(mechanism)
    q, _ = reference.coordinates(reference.state(squeezer.START[squeezer.ORDER]))
    scene = Scene(tree=tree_of(mechanism), springs=[squeezer.spring_in_tegotae()])
    run = scene.run(until, period=period, q=q, inputs={"torque.k1": squeezer.TORQUE})
    check_closed(reference, run)
    return run


def test_andrews_squeezer_starts_as_published():
    """Its accelerations in one tick of 1 µs, in which nothing moves by more than 1e-8 rad."""
    wanted, period = squeezer.START_ACCELERATIONS[squeezer.ORDER], 1e-6
    run = squeezer_run(period, period)
    np.testing.assert_allclose(run.v[-1, :7] / period, wanted, rtol=0, atol=1e-6 * wanted.max())


def test_andrews_squeezer_ends_as_published():
    """At 0.03 s, after two and a half turns of the drive: angles, and by their slope that ticks are of second order."""
    periods, errors = (2e-5, 1e-5, 5e-6), []
    for period in periods:
        run = squeezer_run(squeezer.UNTIL, period)
        errors.append(np.abs(rounded(run.q[-1, :7] - squeezer.PUBLISHED[squeezer.ORDER])).max())
    check_second_order(periods, errors)
    assert errors[-1] < 5e-5  # of 15.8 rad at 1140 rad/s: 40 ns late
    # speeds change by 5.7e5 rad/s² there, so they tell little more than when
    late = errors[-1] / squeezer.PUBLISHED_SPEEDS[0]
    bound = 2.0 * late * np.abs(squeezer.PUBLISHED_ACCELERATIONS[squeezer.ORDER]) + 1e-3 * np.abs(run.v[-1, :7])
    assert (np.abs(run.v[-1, :7] - squeezer.PUBLISHED_SPEEDS[squeezer.ORDER]) < bound).all()
    assert run.tension[-1, 0] == pytest.approx(squeezer.spring(squeezer.PUBLISHED[2])[1], rel=1e-4)
