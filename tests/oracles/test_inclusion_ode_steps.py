"""How long a fixed step may be, effective masses, and what the ODE refuses."""

import sys
import warnings

import numpy as np
import pytest
import sympy

import tegotae as tg
from tegotae.errors import TegotaeError
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio
from tegotae.inclusion.elements.mobility import effective_masses, mobility
from tegotae.inclusion.explicit.integration import Wanted, integrate
from tegotae.inclusion.explicit.stability import largest_step

CONTACT, FRICTION = Contact(stiffness=1e5, damping=200.0, alpha=2e-4), Friction(stiffness=1e4, damping=200.0)


@pytest.fixture(scope="module")
def held():
    """1 kg pushed with 80 % of its limit; critically damped in stick: w_f = 100/s, zeta_f = 1."""
    return Inclusion({"x": "v", "v": "4 - coulomb(5, v, 'rub')"}).to_ode(friction=FRICTION)


@pytest.fixture(scope="module")
def ball():
    return Inclusion({"p": "v", "v": "dio(p, 'floor') - 9.81"}).to_ode(contact=CONTACT)


@pytest.mark.parametrize(("method", "reach"), [("RK4", 2.785293563), ("Heun", 2.0)])
def test_the_largest_step_of_critically_damped_stick_is_the_reach_of_the_method(held, method, reach):
    """Both eigenvalues are -w_f; on the real axis |R| = 1 at the classical -2.785 (RK4) and -2 (Heun)."""
    safe, name = largest_step(held.inclusion, held.chosen, np.zeros(2), 0.0, method=method)
    assert name == "rub"
    assert 100.0 * safe == pytest.approx(reach, rel=1e-6)


def test_too_long_a_step_would_lose_friction_and_is_refused(held):
    safe, _ = largest_step(held.inclusion, held.chosen, np.zeros(2), 0.0, method="RK4")
    run = held.solve((0.0, 20.0), method="RK4", step=0.98 * safe)
    half = run.time.size // 2  # near the limit the start rings and slips a little; then it holds
    assert run.x[-1] == pytest.approx(run.x[half], abs=1e-9)
    with pytest.raises(tg.InputError, match=r"'rub'.*effective mass 1 kg.*silently.*\n.*step <= 0\.0278"):
        held.solve((0.0, 20.0), method="RK4", step=1.2 * safe)
    # What the refusal saves from: the same loop, unguarded, slides away without a single inf.
    wanted = Wanted(
        start=0.0, end=20.0, method="RK4", rtol=1e-6, atol=np.full(3, 1e-9), step=1.2 * safe, times=None, dense=False
    )
    path = integrate(held.compiled, held.start(), wanted)
    assert np.isfinite(path.states).all()
    assert path.states[-1, 0] > 1e-2


def test_contacts_need_about_2_8_alpha(ball):
    """inclusion.md: RK4's limit was T = 2.80 alpha for zeta from .1 to 1."""
    for stiffness in (1e4, 1e5, 1e6):
        chosen = {"floor": Contact(stiffness=stiffness, damping=stiffness * 2e-3, alpha=2e-4)}
        safe, _ = largest_step(ball.inclusion, chosen, np.zeros(2), 0.0, method="RK4")
        assert safe / 2e-4 == pytest.approx(2.8, abs=0.1)


def test_elements_that_share_a_body_count_together():
    """Three equal frictions on one mass: w_f grows by sqrt(3) and its damping with it."""
    one = Inclusion({"x": "v", "v": "-coulomb(5, v, 'a')"})
    three = Inclusion({"x": "v", "v": "-coulomb(5, v, 'a') - coulomb(6, v, 'b') - coulomb(7, v, 'c')"})
    K, beta = 1e4, 1e-3
    safe, _ = largest_step(
        three, dict.fromkeys("abc", Friction(stiffness=K, damping=K * beta)), np.zeros(2), 0.0, method="RK4"
    )
    same, _ = largest_step(one, {"a": Friction(stiffness=3 * K, damping=3 * K * beta)}, np.zeros(2), 0.0, method="RK4")
    assert safe == pytest.approx(same, rel=1e-9)


def test_effective_mass_of_a_rod_pushed_at_its_end():
    """Falling rod, end on the floor at angle q: 1/m_eff = 1/m + (l cos q)^2/I about its centre."""
    y, q, vy, w, m, inertia, length = sympy.symbols("y q vy w m I l")
    push = dio(y - length * sympy.sin(q), "tip")
    rows = {y: vy, q: w, vy: push - 9.81 * m, w: -length * sympy.cos(q) * push}
    rod = Inclusion(rows, {m: 2.0, inertia: 0.3, length: 0.7}, mass_matrix=sympy.diag(1, 1, m, inertia))
    for angle in (0.0, 0.4, 1.5):
        expected = 1.0 / (1 / 2.0 + (0.7 * np.cos(angle)) ** 2 / 0.3)
        assert effective_masses(rod, [1.0, angle, 0.0, 0.0])["tip"] == pytest.approx(expected, rel=1e-12)


def test_effective_mass_in_a_plane_is_that_of_its_lightest_direction():
    vx, vy = sympy.symbols("vx vy")
    rub = coulomb(1, (vx, vy), "rub")
    plane = Inclusion({vx: -rub[0] / 2, vy: -rub[1] / 5})
    assert effective_masses(plane, [0.0, 0.0])["rub"] == pytest.approx(2.0)
    np.testing.assert_allclose(mobility(plane, [0.0, 0.0]), [[-0.5, 0.0], [0.0, -0.2]])


def test_friction_that_drives_is_refused():
    wrong = Inclusion({"x": "v", "v": "coulomb(5, v, 'rub')"})
    with pytest.raises(tg.InputError, match="'rub' drives its own motion on"):
        effective_masses(wrong, [0.0, 0.0])


# ---------------------------------------------------------------- starting


def test_a_body_that_rests_stays(ball):
    sunk = 9.81 / 1e5
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that deep its weight presses it, so nothing is said
        run = ball.solve((0.0, 1.0), {"p": -sunk}, method="RK4", step=1e-4)
        np.testing.assert_allclose(run.p, -sunk, atol=1e-15)
        np.testing.assert_allclose(run.floor, 9.81, rtol=1e-9)
        ball.solve((0.0, 0.01), {"p": -sunk, "e_floor": sunk}, method="RK4", step=1e-4)  # a run continued


def test_a_run_can_be_continued(ball):
    whole = ball.solve((0.0, 0.3), {"p": 0.1}, method="RK4", step=1e-4)
    middle = 1450  # in contact
    first = {s.name: whole[s.name][middle] for s in ball.states}
    rest = ball.solve((whole.time[middle], 0.3), first, method="RK4", step=1e-4)
    np.testing.assert_allclose(rest.p, whole.p[middle:], atol=1e-12)


def test_times_between_fixed_steps_are_interpolated(ball):
    """In free fall the cubic is exact."""
    times = np.array([0.0, 0.01234567, 0.05, 0.0999999])
    run = ball.solve((0.0, 0.1), {"p": 0.1}, method="RK4", step=3e-4, times=times)
    np.testing.assert_allclose(run.p, 0.1 - 9.81 / 2 * times**2, atol=1e-14)


def test_inputs_may_be_functions_of_time():
    def push(t):
        return 3.0 * t

    rows = {"x": "v", "v": "u - coulomb(2, v, 'rub')"}
    as_function = Inclusion(rows, inputs={"u": push}).to_ode(friction=FRICTION)
    as_text = Inclusion(rows, inputs={"u": "3*t"}).to_ode(friction=FRICTION)
    runs = [ode.solve((0.0, 2.0), method="DOP853", rtol=1e-9, times=[2.0]) for ode in (as_function, as_text)]
    assert runs[0].x == pytest.approx(runs[1].x, rel=1e-9)
    # Slides from t = 2/3: v' = 3 t - 2, so x = (t - 2/3)^3/2; the element's stretch adds at most 2 limit/K.
    assert runs[0].x[-1] == pytest.approx((2 - 2 / 3) ** 3 / 2, abs=4e-4 + 0.02 * 0.02)


def test_events_are_kept_with_the_result(ball, tmp_path):
    run = ball.solve((0.0, 0.2), {"p": 0.1}, events=True)
    assert [event.kind for event in run.events] == ["touch", "release"]
    again = tg.load(run.save(tmp_path / "run.nc"))
    assert again.events == run.events
    with pytest.warns(tg.LeftOutWarning, match="event_time, event_element, event_kind did not fit"):
        run.save(tmp_path / "run.parquet")
    none = ball.solve((0.0, 0.1), {"p": 0.1}, events=True)
    assert none.events == tg.load(none.save(tmp_path / "none.nc")).events == []
    for each in (run, none):
        assert tg.load(each.save(tmp_path / "run.mat")).events == each.events
    with pytest.raises(AttributeError, match="events=True"):
        _ = ball.solve((0.0, 0.1), {"p": 0.1}).events


@pytest.mark.parametrize("method", ["RK4", "CVODE", "LSODA"])
def test_events_do_not_depend_on_where_the_result_is_recorded(ball, method):
    step = {"step": 1e-5} if method == "RK4" else {}
    run = ball.solve((0.0, 0.2), {"p": 0.1}, method=method, rtol=1e-9, times=[0.2], events=True, **step)
    assert [event.time for event in run.events] == pytest.approx([0.14278431229, 0.15128692075], abs=1e-6)
    np.testing.assert_array_equal(run.time, [0.2])


# ---------------------------------------------------------------- refusals


def test_a_limit_that_jumps_at_rest_is_refused():
    machine = Inclusion({"x": "v", "v": "-coulomb(3, v, 'rub', 5)"})
    with pytest.raises(tg.InputError, match=r"static=5.*\n.*Stribeck"):
        machine.to_ode(friction=FRICTION)


def test_names_that_would_stand_for_two_things_are_refused():
    with pytest.raises(tg.InputError, match="'e_floor' would stand for two"):
        Inclusion({"p": "v", "v": "dio(p, 'floor')", "e_floor": "0"}).to_ode(contact=CONTACT)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"initial": {"q": 1.0}}, "'q' is not a state"),
        ({"initial": {"p": np.nan}}, r"initial\['p'\]=nan"),
        ({"span": (1.0, 0.0)}, "does not go forward"),
        ({"span": (0.0, np.inf)}, "not finite"),
        ({"span": (0.0,)}, "not a pair"),
        ({"method": "Euler"}, "method='Euler' is not known"),
        ({"method": "RK4"}, "needs a step"),
        ({"method": "Heun", "step": -1.0}, "step=-1.0"),
        ({"rtol": 0.0}, "rtol=0.0"),
        ({"atol": -1.0}, "atol=-1.0"),
        ({"times": []}, "times"),
        ({"times": [0.0, 2.0]}, "do not fit"),
        ({"times": [0.5, 0.2]}, "do not fit"),
    ],
)
def test_bad_input_is_refused(ball, arguments, words):
    given = {"span": (0.0, 1.0), "initial": {"p": 0.1}} | arguments
    with pytest.raises(tg.InputError, match=words):
        ball.solve(given.pop("span"), given.pop("initial"), **given)


def test_a_wrong_number_of_states_is_refused(ball):
    with pytest.raises(tg.InputError, match="p, v, e_floor"):
        ball.rhs(0.0, [1.0, 2.0])


@pytest.mark.parametrize("method", ["RK45", "LSODA", "RK4", "CVODE"])
def test_a_failed_integration_says_so(method):
    """x' = x^2 ends at t = 1."""
    ode = Inclusion({"x": "x**2"}).to_ode()
    step = {"step": 1e-2} if method == "RK4" else {}
    with pytest.raises(TegotaeError, match=rf"{method} stopped at t="):
        ode.solve((0.0, 2.0), {"x": 1.0}, method=method, **step)


def test_cvode_is_optional(ball, monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae", None)
    with pytest.raises(TegotaeError, match="scikit-sundae, which is not installed"):
        ball.solve((0.0, 0.1), {"p": 0.1}, method="CVODE")
