"""What an inclusion and its routes are given wrongly is refused in words of our own; what they are is told shortly."""

import numpy as np
import pytest
import sympy

from tegotae.errors import InputError
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio

CONTACT, FRICTION = Contact(stiffness=1e5, damping=200.0, alpha=2e-4), Friction(stiffness=1e5, damping=200.0)


@pytest.fixture(scope="module")
def ball():
    return Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})


@pytest.mark.parametrize("span", [5.0, None, "01", (0.0, 1.0, 2.0), {0.0, 1.0}])
def test_a_span_that_is_no_pair_is_refused(ball, span):
    for route in (ball.to_ode(contact=CONTACT), ball.to_events()):
        with pytest.raises(InputError, match=r"span=.* is not a pair"):
            route.solve(span, {})


def test_initial_values_without_names_are_refused(ball):
    with pytest.raises(InputError, match=r"initial=\[1, 2\] gives no names.*\n.*initial=\{'p'"):
        ball.to_ode(contact=CONTACT).solve((0, 1), [1, 2])
    with pytest.raises(InputError, match="initial="):
        ball.to_events().solve((0, 1), [1, 2])
    with pytest.raises(InputError, match="initial="):
        ball.to_ode(auto=True, period=1e-3, restitution=0.5, initial=[1, 2])


@pytest.mark.parametrize("given", [{"rows": ["p", "v"]}, {"parameters": [1.0]}, {"inputs": 3.0}])
def test_rows_parameters_and_inputs_without_names_are_refused(given):
    (name,) = given
    with pytest.raises(InputError, match=f"{name}=.* gives no names"):
        Inclusion(**({"rows": {"p": "v", "v": "0"}} | given))


# ------------------------------------------------------------ a static limit below the kinetic one


def test_a_static_limit_below_the_kinetic_one_is_refused_at_once():
    p, v, N, mu = sympy.symbols("p v N mu")
    with pytest.raises(InputError, match=r"'f' has static=3\S* below its limit 5"):
        Inclusion({p: v, v: -coulomb(5.0, v, "f", static=3.0)})
    with pytest.raises(InputError, match="below its limit"):
        Inclusion({p: v, v: -coulomb(mu * N, v, "f", static=0.2 * N)}, {mu: 0.3, N: 10.0})
    with pytest.raises(InputError, match="below its limit"):  # of whatever presses
        Inclusion({p: v, v: -coulomb(0.3 * dio(p, "floor"), v, "f", static=0.2 * dio(p))})
    Inclusion({p: v, v: -coulomb(5.0, v, "f", static=5.0)})
    Inclusion({p: v, v: -coulomb(0.3 * dio(p, "floor"), v, "f", static=0.4 * dio(p))})
    Inclusion({p: v, v: -coulomb(3.0 + 10.0 * abs(v), v, "f", static=5.0)})  # above it only at speed


def test_a_static_limit_that_falls_below_the_kinetic_one_is_refused_when_it_does():
    p, v, t = sympy.symbols("p v t")
    block = Inclusion({p: v, v: -coulomb(3.0, v, "f", static=sympy.Max(0.0, 5.0 - t))})
    with pytest.raises(InputError, match=r"'f' has static=.* N below its limit 3 N of sliding at t=2\.\d+ s"):
        block.to_events().solve((0.0, 4.0), {})
    assert block.to_events().solve((0.0, 1.9), {}).v[-1] == 0.0


# ------------------------------------------------------------ short words


def test_machines_and_routes_tell_what_they_are(ball):
    assert repr(ball) == "Inclusion(p, v; floor)"
    assert repr(Inclusion({"x": "-x"})) == "Inclusion(x)"
    assert repr(ball.to_ode(contact=CONTACT)) == "Ode(p, v, e_floor)"
    assert repr(ball.to_events(restitution=0.5)) == "Exact(Inclusion(p, v; floor), restitution={'floor': 0.5})"
    assert repr(ball.to_stepper(period=1e-3, contact=CONTACT)) == "Stepper(Inclusion(p, v; floor), period=0.001 s)"
    euler = ball.to_stepper(period=1e-3, contact=CONTACT, method="euler")
    assert repr(euler) == "Stepper(Inclusion(p, v; floor), period=0.001 s, method='euler')"
    for wrong in ("heun", None, 2):
        with pytest.raises(InputError, match=r"Stepper: method=.* is not known(.|\n)*'midpoint', 'euler'"):
            ball.to_stepper(period=1e-3, contact=CONTACT, method=wrong)


def test_live_blocks_tell_what_they_are():
    import tegotae as tg

    brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
    assert repr(brake.batch(stiffness=[1e3, 1e4])) == "Batch(2 x FrictionImpedance)"
    assert repr(brake.start(period=1e-3)) == f"LiveImpedance({brake!r}, period=0.001 s)"
    assert (
        repr(brake.batch(stiffness=[1e3, 1e4]).start(period=1e-3)) == "LiveBatch(2 x FrictionImpedance, period=0.001 s)"
    )


def test_a_record_that_would_be_empty_is_refused():
    import tegotae as tg

    brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
    with pytest.raises(InputError, match=r"every=11 is more than the 10 ticks"):
        brake.run(np.zeros(10), period=1e-3, every=11)
    with pytest.raises(InputError, match=r"every=11 is more than the 10 ticks"):
        brake.batch(stiffness=[1e3, 1e4]).run(np.zeros(10), period=1e-3, every=11)
    with pytest.raises(InputError, match=r"every=11 is more than the 10 ticks"):
        tg.Circuit(tg.Mass(mass=1.0), {"brake": brake}).run(np.zeros(10), period=1e-3, every=11)
    assert brake.run(np.zeros(10), period=1e-3, every=10).time.size == 1


def test_a_wrong_name_of_a_result_is_answered_with_the_right_ones():
    import tegotae as tg

    result = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).run(np.zeros(10), period=1e-3)
    with pytest.raises(KeyError, match=r"no 'forse'; it recorded time, .*force"):
        result["forse"]
    assert "forse" not in result
    assert result.get("forse") is None


def test_a_wrong_count_of_limits_is_told_as_limits():
    import tegotae as tg

    with pytest.raises(InputError, match="3 stiffness, 2 limits"):
        tg.ParallelFriction(stiffness=[1.0, 2.0, 3.0], limits=[1.0, 2.0])
    with pytest.raises(InputError, match="3 stiffness, 2 laws"):
        tg.ParallelFriction(stiffness=[1.0, 2.0, 3.0], laws=[tg.Coulomb(1.0), tg.Coulomb(2.0)])
