"""A stepper as a block: what is fed, held, batched and copied is what single runs give."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
import sympy

import tegotae as tg
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb
from tegotae.running.batch import Batch

T = 1e-3
PARTS = {"contact": Contact(stiffness=1e5, damping=200.0), "friction": Friction(stiffness=1e5, damping=200.0)}
# At rest in 0 it would be 1 m inside.
ROWS = {"p": "v", "v": "(push + wind + dio(p - 1, 'floor') - coulomb(2, v, 'rub'))/m - 9.81"}
START = {"p": 1.01, "v": 0.2}


def wind(t):
    return 3.0 * math.sin(50.0 * t)


def thrown(m=1.0, **options):
    machine = Inclusion(ROWS, {"m": m}, inputs={"push": 0.0, "wind": wind})
    return machine.to_stepper(period=T, **PARTS | options)


def states(live, count, inputs=None):
    return np.array([list(live.step(inputs).values()) for _ in range(count)])


def test_methods_differ_and_a_batch_keeps_each_its_own():
    own = [thrown(), thrown(method="euler"), thrown(m=2.0, method="euler")]
    assert dataclasses.replace(own[0], method="euler").varied({"m": 2.0}).method == "euler"
    many, alone = Batch(own).run(period=T, ticks=300, initial=START), [one.run(ticks=300, initial=START) for one in own]
    for i, run in enumerate(alone):
        np.testing.assert_array_equal(many.p[i], run.p)
    assert 0.0 < np.abs(alone[0].p - alone[1].p).max() < 1e-2


def test_a_batch_is_its_machines_one_by_one():
    push, masses, stiffnesses = 5.0 * np.sin(0.1 * np.arange(300)), [1.0, 2.0, 0.5], [1e4, 1e5, 1e6]
    batch = thrown().batch(m=masses, **{"floor.stiffness": stiffnesses})
    assert len(batch.groups()) == 1  # one compiled loop
    many = batch.run(period=T, ticks=300, initial=START, inputs={"push": push})
    live = batch.start(period=T, initial=START)
    for _ in range(10):
        live.step()
    for i, (m, K) in enumerate(zip(masses, stiffnesses, strict=True)):
        stepper = thrown(m=m, contact=Contact(stiffness=K, damping=200.0))
        one = stepper.run(inputs={"push": push}, initial=START)
        assert one.floor_touches.any()
        for name in ("p", "v", "floor", "rub_deflection"):
            np.testing.assert_array_equal(many[name][i], one[name])
        assert live.states[i]["v"] == stepper.run(ticks=10, initial=START).v[-1]
    with pytest.raises(
        tg.InputError, match=r"batch has 'k'.*\n.*It has floor, m, push, rub; and what is in them, such as fl"
    ):
        thrown().batch(k=[1.0, 2.0])
    softer = thrown().varied({"floor": Contact(stiffness=1e4, damping=200.0), "rub.damping": 7.0})
    assert softer.numbers == thrown().varied({"floor.stiffness": 1e4, "rub.damping": 7.0}).numbers
    with pytest.raises(tg.InputError, match="floor"):
        thrown().varied({"floor": 3.0})
    assert Batch([thrown(), thrown(m=2.0)]).run(period=T, ticks=5, initial=START).p.shape == (2, 5)


def test_a_function_acts_until_it_is_fed_and_then_what_was_fed_holds():
    stepper = thrown()
    blown = stepper.run(ticks=40, initial=START, record=["v", "wind"])
    assert blown.wind == pytest.approx([wind(t) for t in blown.time], abs=1e-15)
    live = stepper.start(initial=START)
    np.testing.assert_array_equal(states(live, 40)[:, 1], blown.v)
    kept = live.state
    ways = []
    for feed in (lambda: live.step({"wind": 1.5}), lambda: live.step({sympy.Symbol("wind"): 1.5})):
        live.state = kept
        ways.append([feed()["v"], *states(live, 5)[:, 1]])
    live.state = kept
    live["wind"] = 1.5
    ways.append(states(live, 6)[:, 1])
    live.state = kept
    assert live.step()["v"] != ways[0][0]
    np.testing.assert_array_equal(ways[0], ways[1])
    np.testing.assert_array_equal(ways[0], ways[2])
    live.state = kept  # with what was fed then: nothing
    assert live["held.wind"] == 0
    wanted = stepper.run(ticks=50, initial=START).v[40:]
    np.testing.assert_array_equal(states(live, 10)[:, 1], wanted)
    held = stepper.run(ticks=50, initial=START, inputs={"wind": 1.5})
    fed = stepper.run(initial=START, inputs={"wind": np.full(50, 1.5)})
    np.testing.assert_array_equal(held.v, fed.v)
    np.testing.assert_array_equal(held.wind, fed.wind)


def test_copies_go_on_also_where_they_could_not_start():
    live = thrown().start(initial=START)
    states(live, 20, {"push": 3.0})
    others = copy.copy(live), copy.deepcopy(live), pickle.loads(pickle.dumps(live))
    wanted = states(live, 20)
    for other in others:
        assert (other.time, other["push"]) == (pytest.approx(0.02), 3.0)
        np.testing.assert_array_equal(states(other, 20), wanted)


def test_a_period_is_its_own_or_refused():
    stepper = thrown()
    np.testing.assert_array_equal(
        stepper.run(ticks=5, initial=START, period=T).p, stepper.run(ticks=5, initial=START).p
    )
    for way in (lambda: stepper.run(ticks=5, initial=START, period=2e-3), lambda: stepper.start(period=2e-3)):
        with pytest.raises(tg.InputError, match=r"period=0\.002 s, but it was made for 0\.001 s"):
            way()


def test_a_step_that_is_refused_feeds_nothing():
    live = thrown().start(initial=START)
    live["push"] = 2.0
    before = live.state
    assert (before["push"], "elsewhere" in before) == (2.0, False)
    for bad in ({"push": 1.0, "m": np.nan}, {"push": 1.0, "gale": 2.0}, {"push": 1.0, "m": "heavy"}):
        with pytest.raises(tg.InputError):
            live.step(bad)
        assert live.state == before
    for name in ("v", "floor", "ticks", "held.wind"):
        with pytest.raises(tg.InputError, match="cannot be fed"):
            live[name] = 1.0


def test_names_that_elements_have_too_can_be_fed():
    """A parameter called as an element or a count is: users feed it by its name, the state calls it otherwise."""
    machine = Inclusion({"p": "v", "v": "ticks - coulomb(rub, v, 'rub')"}, {"rub": 2.0, "ticks": 5.0})
    stepper = machine.to_stepper(period=T, friction=PARTS["friction"])
    assert stepper.run(ticks=1000).v[-1] == pytest.approx(3.0, rel=1e-2)
    run = stepper.run(ticks=1000, inputs={"rub": 4.0})
    assert run.v[-1] == pytest.approx(1.0, rel=1e-2)
    assert run.rub[-1] == pytest.approx(4.0)
    live = stepper.start(initial={"rub": 1e-6})
    assert live["rub_deflection"] == 1e-6
    live.step({"ticks": 0.0})
    assert (live["given.ticks"], live["ticks"]) == (0.0, 1)
    for name in ("ticks", "unsolved"):
        with pytest.raises(tg.InputError, match=f"called '{name}'"):
            Inclusion({name: "v", "v": "1"}).to_stepper(period=T)


def test_components_of_a_friction_in_space_are_told_by_name():
    x, y, u, v, push = sympy.symbols("x y u v push")
    rx, ry = coulomb(4, (u, v), "rub")
    machine = Inclusion({x: u, y: v, u: push - rx, v: 2 - ry}, {push: 3.0})
    stepper = machine.to_stepper(period=T, friction=PARTS["friction"])
    run, live = stepper.run(ticks=50), stepper.start()
    states(live, 50)
    assert run.variables["rub"].dims == ("time", "axis")
    assert [live["rub_0"], live["rub_1"]] == live["rub"].tolist() == run.rub[-1].tolist()
    deflected = stepper.run(ticks=50, initial={"rub_deflection": [1e-6, 0.0]})
    assert deflected.rub_deflection.shape == (50, 2)
    with pytest.raises(tg.InputError, match="initial names 'rub'"):
        stepper.run(ticks=1, initial={"rub": 1e-6})


def breaks(t):
    return 1.0 if t < 0.0302 else math.inf  # first met in the middle of a tick


@pytest.mark.parametrize("every", [1, 7])
def test_a_run_that_diverges_says_when_and_why(every):
    free = Inclusion({"p": "v", "v": "load**3 + u"}, inputs={"load": 0.0, "u": breaks}).to_stepper(period=T)
    with pytest.raises(tg.InputError, match=r"input 'u' returns inf at t=0\.0305 s"):
        free.run(ticks=100, every=every)
    loads = np.where(np.arange(100) < 50, 0.0, 1e140)
    when = "at t=0.051 s" if every == 1 else "before t=0.056 s"
    with pytest.raises(tg.TegotaeError, match=f"it diverged {when}"), np.errstate(over="ignore"):
        free.run(inputs={"load": loads, "u": 1.0}, every=every)
    live = free.start()
    states(live, 30)
    with pytest.raises(tg.InputError, match=r"input 'u' returns inf at t=0\.0305 s"):
        live.step()


def test_the_ways_of_solving_are_counted():
    stepper = thrown()
    run = stepper.run(ticks=500, initial=START)
    ways = ("newton", "sweeps", "every_mode", "path")
    assert sum(run.about[f"steps_by_{way}"] for way in ways) == 500
    assert (run.about["unsolved_steps"], run.about["first_unsolved_step"]) == (0, -1)
    live = stepper.start(initial=START)
    states(live, 500)
    assert [live[f"steps.{way}"] for way in ways] == [run.about[f"steps_by_{way}"] for way in ways]
    through = stepper.as_admittance(force="push", velocity="v", initial=START).run(np.zeros(500), period=T)
    assert through.about["steps_by_newton"] == run.about["steps_by_newton"]
