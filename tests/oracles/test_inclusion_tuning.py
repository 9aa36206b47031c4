"""Parameters chosen by tegotae give the restitution asked for: xiong2011's equation, integrated by scipy, says so."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tegotae import InputError
from tegotae.inclusion import Contact, Inclusion, automatic, restitution_of, tune_contact, tune_friction

T = 1e-3


def impact_speed(contact, mass, speed=1.0):
    """Speed after one impact: xiong2011's replacement of dio(p), written down again and integrated tightly."""
    K, beta, alpha = contact.stiffness, contact.beta, contact.alpha

    def rate(t, y):
        p, v, e = y
        return [v, K * max(0.0, e - beta * (p + e) / alpha) / mass, max(-e / beta, -(p + e) / alpha)]

    def parted(t, y):
        return y[2] - beta * (y[0] + y[2]) / alpha + 1e-15 * (t == 0.0)

    parted.terminal, parted.direction = True, -1.0
    end = 20.0 * math.pi * math.sqrt(mass / K) + 20.0 * beta
    run = solve_ivp(
        rate,
        (0.0, end),
        [0.0, -speed, 0.0],
        method="DOP853",
        rtol=1e-11,
        atol=1e-16,
        events=parted,
        first_step=1e-3 * alpha,
    )
    assert run.t_events[0].size == 1
    return run.y_events[0][0][1] / speed


@pytest.mark.parametrize("restitution", [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize(("mass", "period"), [(1.0, 1e-3), (0.02, 1e-5), (300.0, 1e-2)])
def test_the_restitution_asked_is_obtained(restitution, mass, period):
    contact = tune_contact(mass=mass, restitution=restitution, period=period)
    assert impact_speed(contact, mass) == pytest.approx(restitution, abs=1e-6)  # the claim is 0.005


@pytest.mark.parametrize("beta", [0.5e-3, 2e-3, 20e-3])
@pytest.mark.parametrize("ratio", [0.005, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
def test_the_closed_form_of_an_impact_is_the_integrated_one(beta, ratio, stiffness):
    contact = Contact(stiffness=stiffness, damping=stiffness * beta, alpha=ratio * beta)
    assert restitution_of(contact, mass=1.0) == pytest.approx(impact_speed(contact, 1.0), abs=1e-7)


@pytest.mark.parametrize(("restitution", "zeta"), [(0.8, 0.08351), (0.5, 0.29540), (0.3, 0.61296)])
def test_the_falling_branch_at_ratio_a_tenth(restitution, zeta):
    """Damping ratios found by an independent inversion, at alpha = beta/10."""
    beta = 2e-3
    contact = Contact(stiffness=(2.0 * zeta / beta) ** 2, damping=(2.0 * zeta / beta) ** 2 * beta, alpha=0.1 * beta)
    assert restitution_of(contact, mass=1.0) == pytest.approx(restitution, abs=2e-5)


@pytest.mark.parametrize("zeta", [0.05, 0.2, 0.5, 0.8])
def test_a_quick_follower_is_a_spring_and_damper_that_never_pulls(zeta):
    """As alpha -> 0 the restitution has a closed form: a damped half swing, cut where the force would pull."""
    root = math.sqrt(1.0 - zeta * zeta)
    exact = math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta)))
    errors = [
        restitution_of(Contact(stiffness=4.0 * zeta**2, damping=4.0 * zeta**2, alpha=alpha), mass=1.0) - exact
        for alpha in (2e-3, 1e-3)
    ]
    assert abs(errors[1]) < 5e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)  # first order in alpha


def rk4_impact(contact, mass, period, phase):
    """The same impact by RK4 with a fixed step, touching `phase` of a step after a tick."""
    K, beta, alpha = contact.stiffness, contact.beta, contact.alpha

    def rate(y):
        p, v, e = y
        return np.array([v, K * max(0.0, e - beta * (p + e) / alpha) / mass, max(-e / beta, -(p + e) / alpha)])

    y = np.array([phase * period, -1.0, 0.0])
    for _ in range(int(8.0 * math.sqrt(mass / K) / period + 4.0 * beta / period) + 10):
        k1 = rate(y)
        k2 = rate(y + 0.5 * period * k1)
        k3 = rate(y + 0.5 * period * k2)
        k4 = rate(y + period * k3)
        y = y + period * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
    return y[1]


@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_rk4_at_the_period_gives_it_too_wherever_the_touch_falls(restitution):
    contact = tune_contact(mass=1.0, restitution=restitution, period=T)
    found = [rk4_impact(contact, 1.0, T, phase) for phase in np.linspace(0.0, 1.0, 11)]
    assert np.abs(np.array(found) - restitution).max() < 0.005


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.9])
def test_a_load_at_rest_sinks_in_as_asked_and_the_restitution_stays(restitution):
    contact = tune_contact(mass=2.0, restitution=restitution, period=T, penetration=5e-4, load=30.0)
    assert 30.0 / contact.stiffness == pytest.approx(5e-4)
    assert contact.alpha >= 0.5 * T
    assert impact_speed(contact, 2.0) == pytest.approx(restitution, abs=1e-6)


def test_without_a_load_the_weight_is_meant():
    contact = tune_contact(mass=2.0, restitution=0.5, period=T, penetration=2e-4)
    assert contact.stiffness == pytest.approx(2.0 * 9.81 / 2e-4)


def remedy(error, word):
    """The number behind `word` in the advice of an error."""
    return float(str(error.value).split(word)[-1].split()[0].rstrip(".,"))


def test_too_small_a_penetration_is_refused_and_both_ways_out_work():
    asked = {"mass": 1.0, "restitution": 0.5, "load": 10.0}
    with pytest.raises(InputError, match=r"penetration=1e-07 m under 10 N needs stiffness 1e\+08") as error:
        tune_contact(period=T, penetration=1e-7, **asked)
    assert tune_contact(period=T, penetration=1.001 * remedy(error, "penetration >= "), **asked)
    assert tune_contact(period=0.999 * remedy(error, "period <= "), penetration=1e-7, **asked)


@pytest.mark.parametrize("restitution", [0.001, 0.99999])
def test_a_restitution_that_no_choice_gives_is_refused(restitution):
    with pytest.raises(InputError, match=r"beyond what the contact can do, 0\.0072 to 0\.9998"):
        tune_contact(mass=1.0, restitution=restitution, period=T)


def test_the_floor_of_the_restitution_is_real():
    """Below its floor no stiffness helps: at alpha = beta/10 nothing restitutes less than 0.2247."""
    found = [
        restitution_of(Contact(stiffness=4.0 * z * z, damping=4.0 * z * z, alpha=0.1), mass=1.0)
        for z in np.geomspace(0.05, 20.0, 60)
    ]
    assert min(found) == pytest.approx(0.2247, abs=2e-3)
    assert np.argmin(found) not in (0, 59)


BAD = {
    "mass": ({"mass": 0.0}, "mass=0.0 kg"),
    "mass nan": ({"mass": math.nan}, "mass=nan"),
    "restitution zero": ({"restitution": 0.0}, "restitution=0.0"),
    "restitution one": ({"restitution": 1.0}, "restitution=1 must be < 1"),
    "period": ({"period": -1e-3}, "period=-0.001 s"),
    "penetration": ({"penetration": 0.0}, "penetration=0.0 m"),
    "load alone": ({"load": 10.0}, "load=10.0 is given without penetration"),
    "load negative": ({"load": -10.0, "penetration": 1e-3}, "load=-10.0 N"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_bad_wishes_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        tune_contact(**{"mass": 1.0, "restitution": 0.5, "period": T, **changes})


# ------------------------------------------------------------ friction


@pytest.mark.parametrize("displacement", [None, 1e-4])
def test_friction_sticks_critically_damped_and_yields_as_asked(displacement):
    friction = tune_friction(mass=3.0, limit=6.0, period=T, displacement=displacement)
    roots = np.roots([3.0, friction.damping, friction.stiffness])
    assert np.ptp(roots.real) == pytest.approx(0.0, abs=1e-4 * abs(roots[0]))
    assert abs(roots).max() * T <= 1.0 + 1e-6
    assert 6.0 / friction.stiffness == pytest.approx(displacement or 6.0 * T * T / 3.0)


def test_too_small_a_presliding_displacement_is_refused_and_both_ways_out_work():
    with pytest.raises(InputError, match="displacement=1e-08 m needs stiffness") as error:
        tune_friction(mass=1.0, limit=5.0, period=T, displacement=1e-8)
    assert tune_friction(mass=1.0, limit=5.0, period=T, displacement=1.001 * remedy(error, "displacement >= "))
    assert tune_friction(mass=1.0, limit=5.0, period=0.999 * remedy(error, "period <= "), displacement=1e-8)
    with pytest.raises(InputError, match=r"limit=0\.0 N"):
        tune_friction(mass=1.0, limit=0.0, period=T)


# ------------------------------------------------------------ a whole machine


def pair(**more):
    """Two bodies that may touch (reduced mass 1.5), and friction of the first on the ground."""
    return Inclusion(
        {"p": "v", "v": "(-dio(q - p, 'touch') - coulomb(3, v, 'rub'))/2", "q": "w", "w": "dio(q - p, 'touch')/6"},
        **more,
    )


def test_each_element_is_tuned_by_the_mass_that_it_feels():
    chosen = automatic(pair(), period=T, restitution=0.6)
    assert chosen["touch"] == tune_contact(mass=1.5, restitution=0.6, period=T)
    assert chosen["rub"].stiffness == pytest.approx(2.0 / T**2)


def test_masses_are_those_of_the_initial_state():
    """The tip of a rod touches with I/(l cos a)^2; a force that never changes its own gap has no mass at all."""
    rod = Inclusion(
        {"a": "w", "w": "(cos(a)*l*dio(l*sin(a) + h, 'table'))/I0"}, parameters={"l": 2.0, "h": 1.0, "I0": 3.0}
    )
    chosen = automatic(rod, period=T, restitution=0.5, initial={"a": math.pi / 3.0})
    assert chosen["table"].stiffness == pytest.approx(tune_contact(mass=3.0, restitution=0.5, period=T).stiffness)
    mute = Inclusion({"p": "v", "v": "-9.81", "w": "dio(p, 'far')"})
    with pytest.raises(InputError, match="'far' moves nothing it can feel"):
        automatic(mute, period=T, restitution=0.5)


def test_an_unknown_initial_state_is_named():
    with pytest.raises(InputError, match="initial names 'r'"):
        automatic(pair(), period=T, restitution=0.5, initial={"r": 1.0})


def test_frictions_that_share_a_body_leave_room_for_each_other():
    """Three brakes on one mass: their common matrix, not one alone, must be safe for RK4."""
    brakes = " - ".join(f"coulomb({i}, v, 'brake_{i}')" for i in (1, 2, 3))
    machine = Inclusion({"p": "v", "v": f"(-{brakes})/2"})
    chosen = automatic(machine, period=T, restitution=0.5).values()
    K, damping = sum(c.stiffness for c in chosen), sum(c.damping for c in chosen)
    alone = tune_friction(mass=2.0, limit=1.0, period=T)
    growth = lambda z: abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))  # noqa: E731
    assert max(growth(z * T) for z in np.roots([2.0, damping, K])) < 0.9
    naive = np.roots([2.0, 3.0 * alone.damping, 3.0 * alone.stiffness])
    assert max(growth(z * T) for z in naive) > 1.0  # so the room was needed


def test_elements_given_by_name_are_left_alone():
    own = Contact(stiffness=1e4, damping=20.0)
    chosen = automatic(pair(), period=T, elements={"touch": own})
    assert chosen["touch"] is own
    assert chosen["rub"].stiffness == pytest.approx(2.0 / T**2)


def test_a_weight_takes_about_g_t_of_the_speed_after_an_impact():
    """The restitution is that of a free mass; what `automatic` says of a weight, at two speeds and two periods."""
    g, asked = 9.81, 0.5
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - g"}, {"g": g})
    for period, speed in ((1e-3, 1.5), (1e-3, 3.0), (5e-4, 1.5)):
        ode = ball.to_ode(elements=automatic(ball, period=period, restitution=asked))
        times = np.linspace(0.0, 20.0 * period, 401)
        run = ode.solve((0.0, times[-1]), {"v": -speed}, method="DOP853", rtol=1e-9, atol=1e-12, times=times)
        after = run.v[np.flatnonzero(run.floor_closed)[-1]]
        assert asked * speed - after == pytest.approx(g * period, rel=0.15)
