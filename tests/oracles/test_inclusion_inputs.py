"""Inputs as numbers that can be fed, and as records: every route against closed forms."""

import math
import re

import numpy as np
import pytest

from tegotae.errors import TegotaeError
from tegotae.inclusion import Contact, Friction, Inclusion
from tegotae.inclusion.elements.mobility import JammingWarning

FRICTION = Friction(stiffness=1e6, damping=2e3)
ROWS = {"p": "v", "v": "u"}
# A triangle, then a jump down: 0 up to 2 at 1 s, down to -1 at 2 s, which holds.
TIMES, VALUES = [0.5, 1.0, 2.0], [0.0, 2.0, -1.0]


def velocity(t):
    """The integral of the record, held before and after."""
    t = np.asarray(t)
    rising, falling = np.clip(t - 0.5, 0.0, 0.5), np.clip(t - 1.0, 0.0, 1.0)
    return 2.0 * rising**2 + 2.0 * falling - 1.5 * falling**2 - np.clip(t - 2.0, 0.0, None)


def pushed(times=TIMES, values=VALUES):
    return Inclusion(ROWS, inputs={"u": (times, values)})


def test_record_in_every_route():
    asked = np.linspace(0.1, 3.0, 30)
    ode = pushed().to_ode()
    for run, tolerance in [
        (ode.solve((0.0, 3.0), times=asked, method="DOP853", rtol=1e-12, atol=1e-13), 1e-9),
        (ode.solve((0.0, 3.0), times=asked, method="LSODA", rtol=1e-9, atol=1e-11), 1e-7),
        (ode.solve((0.0, 3.0), times=asked, method="RK4", step=0.01), 1e-12),  # knots on steps: exact for quadratics
        (pushed().to_events().solve((0.0, 3.0), times=asked), 1e-10),
    ]:
        assert run.v == pytest.approx(velocity(asked), abs=tolerance)
    run = pushed().to_stepper(period=1e-3).run(ticks=3000)  # by inputs in the middle of each tick
    assert run.v == pytest.approx(velocity(run.time), abs=1e-12)  # and knots are ends of ticks
    run = pushed().to_stepper(period=1e-3, method="euler").run(ticks=3000)
    ends = np.interp(run.time, TIMES, VALUES)  # backward Euler takes the input at the end of each tick
    assert run.v == pytest.approx(np.cumsum(ends) * 1e-3, abs=1e-12)
    assert run.v == pytest.approx(velocity(run.time), abs=2e-3)


@pytest.mark.parametrize("method", ["RK45", "LSODA", "Radau"])
def test_no_short_pulse_is_missed(method):
    """A pulse of 4 ms in a minute of nothing: the momentum it gives is its area."""
    machine = pushed([30.0, 30.002, 30.004], [0.0, 5.0, 0.0])
    run = machine.to_ode().solve((29.0, 31.0), method=method, times=[29.5, 31.0])
    assert run.v == pytest.approx([0.0, 0.01], abs=1e-6)


def test_friction_slips_when_the_record_passes_its_limit():
    """u = t up to 5 s against a limit of 2: it slips at 2 s, in the exact route to rounding."""
    slider = Inclusion({"p": "v", "v": "u - coulomb(2, v, 'rub')"}, inputs={"u": ([0.0, 5.0], [0.0, 5.0])})
    exact = slider.to_events().solve((0.0, 4.0), times=[4.0])
    assert [(e.kind, e.time) for e in exact.events] == [("slip", pytest.approx(2.0, abs=1e-9))]
    assert exact.v == pytest.approx([2.0], abs=1e-9)
    stepped = slider.to_stepper(period=1e-3, friction=FRICTION).run(ticks=4000)
    assert stepped.v[-1] == pytest.approx(2.0, abs=5e-3)
    smooth = slider.to_ode(friction=FRICTION).solve((0.0, 4.0), times=[4.0])
    assert smooth.v[-1] == pytest.approx(2.0, abs=1e-4)


def test_a_number_holds_unless_it_is_fed():
    machine = Inclusion(ROWS, inputs={"u": 3.0})
    stepper = machine.to_stepper(period=0.01)
    assert stepper.run(ticks=100).v[-1] == pytest.approx(3.0)
    assert stepper.run(inputs={"u": np.repeat([1.0, -1.0, 2.0], 10)}).v[-1] == pytest.approx(0.2)
    live = stepper.start()
    assert live.step()["v"] == pytest.approx(0.03)
    assert live.step({"u": -3.0})["v"] == pytest.approx(0.0, abs=1e-15)
    assert machine.to_ode().solve((0.0, 1.0)).v[-1] == pytest.approx(3.0)
    assert machine.to_events().solve((0.0, 1.0)).v[-1] == pytest.approx(3.0)


def test_a_record_can_be_fed_over():
    stepper = pushed().to_stepper(period=0.01)
    assert stepper.run(inputs={"u": [1.0] * 100}).v[-1] == pytest.approx(1.0)


def test_a_fed_number_in_matrices_is_seen():
    """A spring whose stiffness is an input: fed, the matrices that were computed once are computed again."""
    stepper = Inclusion({"p": "v", "v": "-k*p"}, inputs={"k": 100.0}).to_stepper(period=1e-4)
    free = stepper.run(inputs={"k": np.zeros(1000)}, initial={"v": 1.0})
    assert free.p[-1] == pytest.approx(0.1, rel=1e-9)
    assert stepper.run(ticks=1000, initial={"v": 1.0}).p[-1] == pytest.approx(0.1 * np.sin(1.0), rel=1e-2)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (([0.0, 2.0, 1.0], [0.0, 1.0, 2.0]), "goes back in time: 1 s follows 2 s"),
        (([0.0, 0.0], [0.0, 1.0]), "goes back in time"),
        (([0.0, 1.0], [0.0, 1.0, 2.0]), "2 times and 3 values"),
        (([0.0, np.nan], [0.0, 1.0]), r"times of inputs\['u'\]\[1\]=nan"),
        (([0.0, 1.0], [0.0, np.inf]), r"values of inputs\['u'\]\[1\]=inf"),
        (([], []), "shape"),
        (([0.0, 1.0], "ab"), "not made of numbers"),
        (([0.0], [1.0], [2.0]), "3 things"),
        (np.zeros(5), "gives no times"),
        (float("nan"), "not finite"),
    ],
)
def test_a_bad_record_is_refused(record, told):
    with pytest.raises(ValueError, match=told):
        Inclusion(ROWS, inputs={"u": record})


def breaks_at_half(t):
    return 1.0 if t < 0.5 else math.nan


@pytest.mark.parametrize(
    "run",
    [
        lambda machine: machine.to_ode().solve((0.0, 1.0), method="LSODA"),
        lambda machine: machine.to_ode().solve((0.0, 1.0), method="RK45"),
        lambda machine: machine.to_ode().solve((0.0, 1.0), method="RK4", step=0.01),
        lambda machine: machine.to_events().solve((0.0, 1.0)),
        lambda machine: machine.to_stepper(period=0.01).run(ticks=100),
    ],
    ids=["LSODA", "RK45", "RK4", "events", "stepper"],
)
def test_a_function_that_is_no_number_is_named_with_its_time(run):
    machine = Inclusion(ROWS, inputs={"u": breaks_at_half})
    with pytest.raises(ValueError, match=r"input 'u' returns nan at t=(0\.\d+|1) s") as told:
        run(machine)
    assert 0.5 <= float(re.search(r"t=([\d.]+) s", str(told.value))[1]) <= 1.0


def test_states_that_leave_the_numbers_are_told_with_their_time():
    """LSODA goes on where a row has no value, and reports success; the error must say from when."""
    with pytest.raises(TegotaeError, match="the states left the finite numbers") as told:
        Inclusion({"x": "sqrt(1 - 2*t)"}).to_ode().solve((0.0, 1.0), method="LSODA", times=np.linspace(0.0, 1.0, 101))
    assert 0.5 <= float(re.search(r"t=([\d.]+) s", str(told.value))[1]) <= 0.9


# ------------------------------------------------------------ jamming

TWO_BODY = {
    "p1x": "v1x",
    "p1y": "v1y",
    "p2x": "v2x",
    "p2y": "v2y",
    "v1x": "dio(p1x, 'wall') - dio(p2x - p1x, 'mutual')",
    "v1y": "-coulomb(mu1*dio(p1x), v1y, 'rub_wall') - coulomb(mu2*dio(p2x - p1x), v1y - v2y, 'rub_mutual') - 200*p1y",
    "v2x": "(-coulomb(mu3*dio(p2y), v2x + 1, 'rub_floor') + dio(p2x - p1x))/2",
    "v2y": "(coulomb(mu2*dio(p2x - p1x), v1y - v2y, 'rub_mutual') + dio(p2y, 'floor'))/2 - 9.81",
}
START = {"p1y": 0.2}


def routes(mu2, mu3):
    machine = Inclusion(TWO_BODY, {"mu1": 0.2, "mu2": mu2, "mu3": mu3})
    contact, friction = Contact(stiffness=1e5, damping=200.0, alpha=2e-4), Friction(stiffness=1e5, damping=200.0)
    return {
        "ode": lambda: machine.to_ode(contact=contact, friction=friction).solve((0.0, 0.01), START, method="RK45"),
        "stepper": lambda: machine.to_stepper(period=1e-3, contact=contact, friction=friction).run(
            ticks=5, initial=START
        ),
        "events": lambda: machine.to_events().solve((0.0, 0.001), START),
    }


@pytest.mark.parametrize("route", ["ode", "stepper", "events"])
def test_every_route_warns_where_rigid_bodies_would_jam(route):
    """mu2 mu3 >= 1 has no rigid sliding solution; compliant routes stay finite and would hide it."""
    with pytest.warns(JammingWarning, match="jam"):
        routes(1.5, 0.8)[route]()
    routes(0.3, 0.5)[route]()  # a warning would be an error
