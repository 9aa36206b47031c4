"""The explicit route with a restitution: instants by Newton's law, against closed forms and exact events."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.inclusion import Contact, Friction, Inclusion, automatic
from tegotae.inclusion.explicit.integration import FIXED, METHODS

G = 9.81
CONTACT = Contact(stiffness=1e5, damping=200.0)
BALL = {"p": "v", "v": "dio(p, 'floor')/m - g"}


def ball(mass=1.0, g=G):
    return Inclusion(BALL, {"m": mass, "g": g})


def steps(method, step=1e-3):
    """What a method is asked beside its name: fixed steps of a millisecond, or fine tolerances."""
    return {"step": step} if method in FIXED else {"rtol": 1e-10, "atol": 1e-13}


def bouncing(t, h, e, g=G, end=0.0):
    """(height, speed) of a ball let go at h, while bounces last longer than `end`."""
    start = math.sqrt(2.0 * h / g)
    if t < start:
        return h - 0.5 * g * t * t, -g * t
    u, t = g * start, t - start
    while (flight := 2.0 * e * u / g) > end:
        u *= e
        if t < flight:
            return u * t - 0.5 * g * t * t, u - g * t
        t -= flight
    return 0.0, 0.0


def flights(h, e, g=G):
    """When the n-th impact is, and how high the ball rises after it."""
    t, u = math.sqrt(2.0 * h / g), math.sqrt(2.0 * g * h)
    while True:
        yield t, (e * u) ** 2 / (2.0 * g)
        u *= e
        t += 2.0 * u / g


# ------------------------------------------------------------ a ball


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("e", [0.3, 0.8, 1.0])
def test_a_ball_bounces_as_the_closed_form_says_by_every_method(method, e):
    times = np.linspace(0.0, 0.25 if e == 0.3 else 1.2, 241)
    ode = ball().to_ode(auto=True, period=1e-3, restitution=e)
    run = ode.solve((0.0, times[-1]), {"p": 0.1}, method=method, times=times, events=True, **steps(method))
    np.testing.assert_array_equal(run.time, times)
    exact = np.array([bouncing(t, 0.1, e) for t in times])
    np.testing.assert_allclose(run.p, exact[:, 0], atol=1e-7)
    np.testing.assert_allclose(run.v, exact[:, 1], atol=1e-6)
    assert not run.floor.any()  # it never rests here, and an impact is no force
    impacts = [t for t, _ in itertools.takewhile(lambda one: one[0] < times[-1], flights(0.1, e))]
    assert run.about["impacts"] == len(impacts)
    assert [event.kind for event in run.events] == ["touch", "release"] * len(impacts)
    found = [event.time for event in run.events[::2]]
    np.testing.assert_allclose(found, impacts, atol=1e-7)


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("g", [1.62, 9.81, 274.0])
@pytest.mark.parametrize(("method", "step"), [("RK4", 1e-3), ("RK4", 7.3e-3), ("LSODA", None)])
def test_apexes_are_exact_whatever_mass_gravity_and_step(mass, g, method, step):
    e, many = 0.8, 5
    h = 0.05 * g
    known = list(itertools.islice(flights(h, e, g), many + 1))
    apexes = [0.5 * (a[0] + b[0]) for a, b in itertools.pairwise(known)]
    ode = ball(mass, g).to_ode(auto=True, period=step or 1e-3, restitution=e)
    given = {"step": step} if step else {"rtol": 1e-9}
    run = ode.solve((0.0, apexes[-1]), {"p": h}, method=method, times=apexes, **given)
    np.testing.assert_allclose(run.p, [top for _, top in known[:-1]], rtol=1e-6)
    np.testing.assert_allclose(run.v / math.sqrt(g * h), 0.0, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_without_restitution_it_stays_where_it_met_and_sinks_to_rest(method):
    ode = ball(2.0).to_ode(contact=CONTACT, restitution=0.0)
    more = {"step": 5e-5} if method in FIXED else {"rtol": 1e-8}
    met = math.sqrt(0.2 / G)
    run = ode.solve((0.0, 0.5), {"p": 0.1}, method=method, times=[met + 1e-4, 0.5], events=True, **more)
    assert run.about["impacts"] == 1
    assert abs(run.v[0]) < 1.1 * G * 1e-4  # what it fell at 1.4 m/s is gone
    assert run.p[1] == pytest.approx(-2.0 * G / 1e5, rel=1e-6)
    assert run.floor[1] == pytest.approx(2.0 * G, rel=1e-6)
    assert [(event.element, event.kind) for event in run.events] == [("floor", "touch")]
    assert run.events[0].time == pytest.approx(met, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_zenos_bounces_end_at_rest_and_it_stays_there(method):
    e, step = 0.9, 1e-3
    ode = ball().to_ode(auto=True, period=step, restitution=e)
    shortest = max(ode.chosen["floor"].alpha, step if method in FIXED else 0.0)
    u = math.sqrt(2.0 * G * 0.1)
    most = 1 + math.ceil(math.log(shortest * G / (2.0 * u)) / math.log(e))
    over = u / G * (1.0 + e) / (1.0 - e)  # when an infinite series would end
    times = np.concatenate([np.linspace(0.0, 2.0, 101), over + np.array([0.2, 0.5, 2.0])])
    run = ode.solve((0.0, times[-1]), {"p": 0.1}, method=method, times=times, **steps(method, step))
    assert most - 1 <= run.about["impacts"] <= most
    exact = np.array([bouncing(t, 0.1, e)[0] for t in times[:101]])
    np.testing.assert_allclose(run.p[:101], exact, atol=1e-5)
    K = ode.chosen["floor"].stiffness
    np.testing.assert_allclose(run.p[-3:], -G / K, rtol=1e-4)
    assert run.floor_closed[-3:].all()
    np.testing.assert_allclose(run.v[-3:], 0.0, atol=1e-6)


def test_a_bounce_that_the_ode_can_just_tell_is_one_and_one_that_it_cannot_is_rest():
    """The shortest flight is alpha; by fixed steps no shorter than a step."""
    ode = ball().to_ode(contact=CONTACT, restitution=0.5)
    assert CONTACT.alpha == pytest.approx(2e-4)
    for shortest, given in ((2e-4, {"method": "LSODA"}), (1e-3, {"method": "RK4", "step": 1e-3})):
        for part, bounces in ((1.01, True), (0.99, False)):
            u = part * shortest * G  # 2 e u/g is the flight
            if given["method"] == "RK4":
                stiff = Contact(stiffness=1e3, damping=5.0, alpha=5e-4)
                ode = ball().to_ode(contact=stiff, restitution=0.5)
            run = ode.solve((0.0, 5.0 * shortest), {"v": -u}, times=[0.0], **given)
            assert run.v[0] == pytest.approx(0.5 * u if bounces else 0.0, abs=1e-15)


def test_the_grid_of_fixed_steps_stays_as_it_is():
    ode = ball().to_ode(auto=True, period=1e-3, restitution=0.7)
    plain = ball().to_ode(elements=automatic(ball(), period=1e-3, restitution=0.7))
    for end in (0.5, 0.5004):
        wanted = plain.solve((0.0, end), {"p": 0.1}, method="RK4", step=1e-3).time
        for events in (False, True):
            run = ode.solve((0.0, end), {"p": 0.1}, method="RK4", step=1e-3, events=events)
            np.testing.assert_array_equal(run.time, wanted)
            exact = np.array([bouncing(t, 0.1, 0.7)[0] for t in wanted])
            np.testing.assert_allclose(run.p, exact, atol=1e-12)


def test_own_steps_hold_an_impact_on_both_sides():
    run = ball().to_ode(contact=CONTACT, restitution=0.5).solve((0.0, 0.2), {"p": 0.1})
    twice = np.flatnonzero(np.diff(run.time) == 0.0)
    u = math.sqrt(2.0 * G * 0.1)
    assert len(twice) == 1
    np.testing.assert_allclose(run.v[[twice[0], twice[0] + 1]], [-u, 0.5 * u], rtol=1e-6)
    assert (np.diff(run.time) >= 0.0).all()


def test_a_start_on_the_surface_that_closes_is_struck_at_once_and_one_that_rests_is_not():
    ode = ball().to_ode(contact=CONTACT, restitution=0.5)
    for depth in (0.0, -1e-17, -5e-7):
        run = ode.solve((0.0, 0.01), {"p": depth, "v": -1.0}, times=[0.0, 0.01])
        assert run.v[0] == pytest.approx(0.5, rel=1e-12)
        assert run.p[1] == pytest.approx(depth + 0.005 - 0.5 * G * 1e-4, abs=1e-8)
    rests = ode.solve((0.0, 1.0), {"p": -G / 1e5}, times=[0.5, 1.0])
    assert rests.about["impacts"] == 0
    np.testing.assert_allclose(rests.p, -G / 1e5, rtol=1e-9)


def test_a_run_may_go_on_where_another_ended():
    ode = ball().to_ode(contact=CONTACT, restitution=0.6)
    whole = ode.solve((0.0, 2.0), {"p": 0.1}, times=[0.33, 1.0, 2.0], rtol=1e-9)
    for i, middle in ((0, 0.33), (1, 1.0)):
        there = {name: whole[name][i] for name in ("p", "v", "e_floor")}
        rest = ode.solve((middle, 2.0), there, times=[2.0], rtol=1e-9)
        assert rest.p[0] == pytest.approx(whole.p[2], abs=1e-9)


# ------------------------------------------------------------ more bodies, friction


@pytest.mark.parametrize("method", ["RK4", "LSODA", "DOP853", "CVODE"])
@pytest.mark.parametrize(("m1", "m2"), [(1.0, 1.0), (2.0, 5.0), (1e-3, 1e3)])
@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_two_bodies_keep_their_momentum_and_part_by_the_restitution(method, m1, m2, e):
    rows = {"p": "v", "v": "-dio(q - p - r, 'touch')/m", "q": "w", "w": "dio(q - p - r, 'touch')/M"}
    pair = Inclusion(rows, {"m": m1, "M": m2, "r": 0.1})
    ode = pair.to_ode(auto=True, period=1e-3, restitution=e, initial={"q": 1.0})
    v, w = 1.5, -0.5
    run = ode.solve((0.0, 1.0), {"v": v, "q": 1.1, "w": w}, method=method, times=[0.4, 1.0], **steps(method))
    together = (m1 * v + m2 * w) / (m1 + m2)
    after = [together - e * m2 * (v - w) / (m1 + m2), together + e * m1 * (v - w) / (m1 + m2)]
    np.testing.assert_allclose([run.v[1], run.w[1]], after, atol=1e-9)
    np.testing.assert_allclose([run.p[1], run.q[1]], [0.75 + 0.5 * after[0], 0.85 + 0.5 * after[1]], atol=1e-8)
    assert m1 * run.v[1] + m2 * run.w[1] == pytest.approx(m1 * v + m2 * w, rel=1e-12)


def test_of_a_row_of_balls_that_touch_the_impact_is_one_as_by_exact_events():
    """The struck one and the one behind it: rigid, all at once."""
    gaps = ["b - a - 1", "c - b - 1"]
    rows = {"a": "va", "b": "vb", "c": "vc", "va": f"-dio({gaps[0]}, 'A')", "vc": f"dio({gaps[1]}, 'B')"}
    row = Inclusion(rows | {"vb": f"dio({gaps[0]}, 'A') - dio({gaps[1]}, 'B')"})
    start = {"va": 1.0, "b": 1.5, "c": 2.5}
    exact = row.to_events(restitution=0.5).solve((0.0, 1.0), start, times=[1.0])
    for method in ("RK4", "DOP853"):
        ode = row.to_ode(contact=CONTACT, restitution=0.5)
        given = {"step": 1e-4} if method == "RK4" else {"rtol": 1e-10}
        run = ode.solve((0.0, 1.0), start, method=method, times=[1.0], **given)
        np.testing.assert_allclose([run[n][0] for n in start], [exact[n][0] for n in start], atol=1e-9)
        assert sum(run[n][0] for n in ("va", "vb", "vc")) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("route", ["ode", "events"])
def test_an_impact_of_more_bodies_than_can_be_tried_is_refused(route):
    many = 17
    touch = [f"dio(p{i + 1} - p{i}, 'c{i}')" for i in range(many - 1)]
    rows = {f"p{i}": f"v{i}" for i in range(many)}
    rows |= {f"v{i}": " - ".join(["0" if i == 0 else touch[i - 1], *touch[i : i + 1]]) for i in range(many)}
    row = Inclusion(rows)
    start = {"v0": 1.0} | {f"p{i}": 0.1 for i in range(1, many)}
    machine = row.to_ode(contact=CONTACT, restitution=0.5) if route == "ode" else row.to_events(restitution=0.5)
    with pytest.raises(InputError, match="modes to try"):
        machine.solve((0.0, 1.0), start, times=[1.0])


PUCK = {"x": "vx", "y": "vy", "vx": "-coulomb(mu*dio(y, 'floor'), vx, 'rub')/m", "vy": "dio(y, 'floor')/m - g"}


@pytest.mark.parametrize("method", ["RK4", "Heun", "LSODA", "Radau", "CVODE"])
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_an_oblique_impact_slides_by_the_impulse_of_the_floor_or_sticks(method, e):
    mu, u = 0.3, 2.0
    puck = Inclusion(PUCK, {"m": 1.5, "mu": mu, "g": 0.0})
    ode = puck.to_ode(auto=True, period=1e-3, restitution=e)
    stop = mu * (1.0 + e) * u
    for vx, after in ((3.0, 3.0 - stop), (-3.0, -3.0 + stop), (0.9 * stop, 0.0), (-0.5 * stop, 0.0)):
        start = {"y": 0.111, "vy": -u, "vx": vx}
        run = ode.solve((0.0, 0.2), start, method=method, times=[0.2], **steps(method))
        assert run.vx[0] == pytest.approx(after, abs=1e-9)
        assert run.vy[0] == pytest.approx(e * u, abs=1e-9)


def test_friction_in_a_plane_acts_against_the_slip_after_the_impact():
    force = "coulomb(mu*dio(z, 'floor'), (vx, vy), 'rub')"
    rows = {"x": "vx", "y": "vy", "z": "vz", "vx": f"-{force}[0]", "vy": f"-{force}[1]", "vz": "dio(z, 'floor')"}
    puck = Inclusion(rows, {"mu": 0.3})
    ode = puck.to_ode(auto=True, period=1e-3, restitution=0.5)
    run = ode.solve((0.0, 0.2), {"z": 0.1, "vx": 3.0, "vy": -4.0, "vz": -1.0}, method="RK4", step=1e-3, times=[0.2])
    left = 1.0 - 0.3 * 1.5 / 5.0
    np.testing.assert_allclose([run.vx[0], run.vy[0], run.vz[0]], [3.0 * left, -4.0 * left, 0.5], rtol=1e-12)


def _end(side):
    return f"y + {side}*h*sin(a)", f"vx - {side}*h*w*sin(a)"


(LEFT, SLIP_LEFT), (RIGHT, SLIP_RIGHT) = _end(-1), _end(1)
RUB_LEFT = f"coulomb(mu*dio({LEFT}, 'left'), {SLIP_LEFT}, 'rub_left')"
RUB_RIGHT = f"coulomb(mu*dio({RIGHT}, 'right'), {SLIP_RIGHT}, 'rub_right')"
ROD = {
    "x": "vx",
    "y": "vy",
    "a": "w",
    "vx": f"-({RUB_LEFT} + {RUB_RIGHT})/m",
    "vy": f"(dio({LEFT}, 'left') + dio({RIGHT}, 'right'))/m - g",
    "w": f"(h*cos(a)*(dio({RIGHT}, 'right') - dio({LEFT}, 'left')) + h*sin(a)*({RUB_RIGHT} - {RUB_LEFT}))/J",
}


@pytest.fixture(scope="module")
def rod():
    """A slender rod of 1 m and 1 kg over a rough floor, that it meets with its two ends."""
    return Inclusion(ROD, {"m": 1.0, "J": 1.0 / 12.0, "h": 0.5, "mu": 0.3, "g": G})


@pytest.mark.parametrize("method", ["RK4", "Heun", "DOP853", "LSODA", "Radau", "CVODE"])
@pytest.mark.parametrize(("e", "until"), [(0.8, 1.0), (0.5, 0.5)])
def test_a_rod_that_falls_on_its_ends_moves_as_by_exact_events(rod, method, e, until):
    """Alike for as long as impacts are isolated: seven of them."""
    start = {"y": 0.4, "a": 0.3, "vx": 0.5, "w": 0.2}
    times = np.linspace(0.0, until, 101)
    exact = rod.to_events(restitution=e).solve((0.0, until), start, times=times)
    ode = rod.to_ode(auto=True, period=1e-3, restitution=e)
    step = 5e-4 if method == "Heun" else 1e-3  # as long as its contacts allow at rest
    run = ode.solve((0.0, until), start, method=method, times=times, events=True, **steps(method, step))
    for name in ("x", "y", "a", "vx", "vy", "w"):
        np.testing.assert_allclose(run[name], exact[name], atol=1e-6)
    ends = [event for event in exact.events if not event.element.startswith("rub")]
    seen = [event for event in run.events if not event.element.startswith("rub")]
    assert [(x.element, x.kind) for x in seen] == [(x.element, x.kind) for x in ends]
    np.testing.assert_allclose([x.time for x in seen], [x.time for x in ends], atol=1e-7)
    assert run.about["impacts"] == len(ends) / 2


def test_what_already_carries_takes_part_in_an_impact(rod):
    """One end rests on its spring when the other comes down: the floor under both stops what is asked of it."""
    ode = rod.to_ode(auto=True, period=1e-4, restitution={"left": 0.0, "right": 0.5})
    start = {"y": 0.5 * math.sin(0.1), "a": 0.1}
    run = ode.solve((0.0, 0.4), start, method="RK4", step=1e-4, events=True)
    met = next(event.time for event in run.events if event.element == "right")
    i = int(np.searchsorted(run.time, met))
    assert run.left_closed[i - 1] == 1
    gaps = {side: run.vy + sign * 0.5 * run.w * np.cos(run.a) for side, sign in (("left", -1), ("right", 1))}
    before, after = gaps["right"][i - 1], gaps["right"][i]
    assert after / -before == pytest.approx(0.5, abs=1e-2)  # a step before and after, forces act
    assert gaps["left"][i] > -1e-2
    # The exact law: an impulse at the right end alone would push the left end down, so the left floor pushes too.
    exact = rod.to_events(restitution={"right": 0.5}).solve((0.0, 0.4), start, times=run.time[i + 1 : i + 50])
    np.testing.assert_allclose(run.w[i + 1 : i + 50], exact.w, atol=2e-2)


def test_a_table_that_moves_strikes_with_its_own_speed():
    """1 kg at rest, a heavy face coming at 2 m/s: it leaves with (1 + e) 2 m/s, whoever integrates."""
    rows = {"p": "v", "v": "dio(p - 2*t, 'face')"}
    for method in ("RK4", "BDF"):
        ode = Inclusion(rows).to_ode(contact=CONTACT, restitution=0.7)
        given = {"step": 2e-4} if method == "RK4" else {"rtol": 1e-9}
        run = ode.solve((0.0, 1.0), {"p": 0.5}, method=method, times=[0.2, 1.0], **given)
        np.testing.assert_allclose(run.v, [0.0, 3.4], atol=1e-9)


def test_between_two_walls_that_close_work_is_finite():
    """It is struck faster and faster, and ends pressed by both, which the rigid law alone could not follow."""
    rows = {"p": "v", "v": "(dio(p + 1 - t, 'left') - dio(1 - t - p, 'right'))"}
    ode = Inclusion(rows).to_ode(contact=CONTACT, restitution=0.9)
    for given in ({"method": "LSODA"}, {"method": "RK4", "step": 2e-4}):
        run = ode.solve((0.0, 1.001), {"p": 0.1, "v": 0.3}, times=[1.001], **given)
        assert abs(run.p[0]) < 2.0 * math.sqrt(1.0 / 1e5)  # the walls' 2 m/s in one spring, at most
        assert run.about["impacts"] < 1000


# ------------------------------------------------------------ whose law it is


def test_contacts_that_are_not_named_are_left_to_their_springs():
    rows = {"p": "v", "v": "dio(p, 'floor') - dio(1 - p, 'lid')"}
    both = Inclusion(rows)
    ode = both.to_ode(contact=CONTACT, restitution={"floor": 0.5})
    assert ode.restitution == {"floor": 0.5}
    run = ode.solve((0.0, 1.0), {"p": 0.5, "v": 1.0}, method="DOP853", rtol=1e-10, atol=1e-13, times=[0.9], events=True)
    spring = both.to_ode(contact=CONTACT)
    plain = spring.solve((0.0, 1.0), {"p": 0.5, "v": 1.0}, method="DOP853", rtol=1e-10, atol=1e-13, times=[0.9])
    assert run.v[0] == pytest.approx(plain.v[0], abs=1e-8)
    assert -0.9 < run.v[0] < -0.1
    assert run.about["impacts"] == 0
    assert {event.element for event in run.events} == {"lid"}


def test_none_is_as_it_was_and_says_so():
    ode, with_law = ball().to_ode(contact=CONTACT), ball().to_ode(contact=CONTACT, restitution=0.4)
    assert ode.restitution == {}
    run = ode.solve((0.0, 0.5), {"p": 0.1}, method="RK4", step=1e-4)
    assert "impacts" not in run.about
    none = ball().to_ode(contact=CONTACT, restitution=None).solve((0.0, 0.5), {"p": 0.1}, method="RK4", step=1e-4)
    np.testing.assert_array_equal(run.p, none.p)
    y = np.array([-1e-4, -1.0, 0.0])
    np.testing.assert_array_equal(ode.rhs(0.0, y), with_law.rhs(0.0, y))


@pytest.mark.parametrize("remade", [copy.deepcopy, lambda ode: pickle.loads(pickle.dumps(ode))])
def test_copies_follow_the_same_law(remade):
    ode = ball().to_ode(contact=CONTACT, restitution=0.4)
    ode.solve((0.0, 0.2), {"p": 0.1})
    other = remade(ode)
    assert other.restitution == {"floor": 0.4}
    given = {"method": "RK4", "step": 1e-4}
    np.testing.assert_array_equal(
        other.solve((0.0, 0.5), {"p": 0.1}, **given).p, ode.solve((0.0, 0.5), {"p": 0.1}, **given).p
    )


@pytest.mark.parametrize("e", [0.0, 1.0])
def test_auto_allows_all_of_0_to_1_and_chooses_what_comes_to_rest(e):
    ode = ball().to_ode(auto=True, period=1e-3, restitution=e)
    assert ode.chosen == automatic(ball(), period=1e-3, restitution=0.5)


@pytest.mark.parametrize("given", [-0.1, 1.1, math.nan, "much", {"wall": 0.5}])
def test_what_is_no_restitution_is_refused(given):
    with pytest.raises(InputError, match="restitution"):
        ball().to_ode(contact=CONTACT, restitution=given)


def test_an_integrator_of_ones_own_asks_for_the_impact():
    """Steps of free flight, exact for a parabola; at each touch the ODE tells what is left."""
    ode = ball().to_ode(contact=CONTACT, restitution=0.8)
    y, t, tops = np.array([0.1, 0.0, 0.0]), 0.0, []
    for _ in range(5):
        assert ode.gaps(t, y) == {"floor": y[0]}
        fall = (y[1] + math.sqrt(y[1] ** 2 + 2.0 * G * y[0])) / G
        y = np.array([0.0, y[1] - G * fall, 0.0])
        t += fall
        y = ode.impact(t, y, "floor")
        tops.append(y[1] ** 2 / (2.0 * G))
    np.testing.assert_allclose(tops, 0.1 * 0.64 ** np.arange(1, 6), rtol=1e-12)
    assert ode.impact(0.0, [0.0, -1e-4, 0.0], ["floor"]).tolist() == [0.0, 0.0, 0.0]  # back within alpha: rest
    assert ode.impact(0.0, [0.0, 1.0, 0.0], "floor").tolist() == [0.0, 1.0, 0.0]  # it leaves already
    with pytest.raises(InputError, match="'wall' has no restitution"):
        ode.impact(0.0, y, "wall")


def test_an_input_that_is_a_function_of_time_drives_the_flight():
    kicked = Inclusion({"p": "v", "v": "dio(p, 'floor') - u"}, inputs={"u": lambda t: 2.0 + 0.0 * t})
    ode = kicked.to_ode(contact=CONTACT, restitution=0.8)
    for given in ({"method": "RK4", "step": 2e-4}, {"method": "LSODA", "rtol": 1e-9}):
        run = ode.solve((0.0, 3.0), {"p": 0.25}, times=[0.5, 0.9], **given)
        np.testing.assert_allclose(run.p, [0.0, 0.64 * 0.25], atol=1e-7)


def test_strong_friction_gains_nothing_by_this_route_either(rod):
    """Kane's rod: plain Newton's law would add a sixth to its energy."""
    heavy = Inclusion(ROD, {"m": 1.0, "J": 1.0 / 12.0, "h": 0.5, "mu": 2.0, "g": 0.0})
    start = {"y": 0.5 * math.sin(0.925) + 0.1, "a": 0.925, "vx": 0.5, "vy": -1.0}
    ode = heavy.to_ode(auto=True, period=1e-3, restitution=1.0)
    run = ode.solve((0.0, 0.15), start, method="RK4", step=5e-4, times=[0.15])
    after = 0.5 * (run.vx[0] ** 2 + run.vy[0] ** 2 + run.w[0] ** 2 / 12.0)
    assert run.about["impacts"] == 1
    assert after == pytest.approx(0.5 * 1.25, rel=1e-10)
    exact = heavy.to_events(restitution=1.0).solve((0.0, 0.15), start, times=[0.15])
    np.testing.assert_allclose([run.vx[0], run.vy[0], run.w[0]], [exact.vx[0], exact.vy[0], exact.w[0]], atol=1e-9)


def test_friction_stretched_before_an_impact_goes_on_after_it():
    """A friction with a limit of its own has no part in the impact, and keeps its stretch."""
    rows = {"x": "vx", "y": "vy", "vx": "1 - coulomb(5, vx, 'rub')", "vy": "dio(y, 'floor') - 9.81"}
    held = Inclusion(rows).to_ode(contact=CONTACT, friction=Friction(stiffness=1e4, damping=200.0), restitution=0.5)
    run = held.solve((0.0, 0.5), {"y": 0.1}, times=[0.14, 0.15, 0.5], rtol=1e-9)
    np.testing.assert_allclose(run.rub, 1.0, atol=1e-3)
    assert run.rub_sticks.all()


@pytest.mark.parametrize("method", [{"method": "LSODA"}, {"method": "RK4", "step": 1e-4}])
@pytest.mark.parametrize("inside", [0.0, 1e-9, 9e-7])
def test_what_starts_a_hair_inside_and_moves_in_is_struck_also_if_it_does_not_bounce(method, inside):
    """Its spring, which is not pressed yet, would throw it."""
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 9.81"})
    ode = ball.to_ode(contact=Contact(stiffness=1e6, damping=1e3), restitution=0.0)
    run = ode.solve((0.0, 0.05), {"p": -inside, "v": -1.0}, **method)
    assert np.abs(run.v[1:]).max() < 0.05  # it sinks in by its weight, and no more
    assert run.p[-1] == pytest.approx(-9.81e-6, rel=1e-6)
