"""Any machine is identified by naming its parameters: from closed forms and SciPy, not from its own runs."""

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import tegotae as tg
from records import T, multisine
from tegotae.fitting import Record, RodRecord, SteeringRecord, fit
from tegotae.fitting.model import places_in
from tegotae.inclusion import Friction, Inclusion, coulomb
from tegotae.rod import GroundedRod, Phase, PlanarRod
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.steering.hands import Driver, Sine

# ------------------------------------------------------------ a pendulum whose bearing sticks

PENDULUM = {"inertia": 1.0, "weight": 2.0, "viscosity": 0.15, "rub": 0.12}  # kg·m², N·m, N·m·s, N·m


def swing(start, times, inertia, weight, viscosity, rub):
    """Angles from rest: smooth from turn to turn, each integrated by SciPy to 1e-9."""
    angles, t, q = np.empty(times.size), 0.0, start
    while abs(weight * np.sin(q)) > rub:
        way = -np.sign(q)

        def slope(_, y, way=way):
            return [y[1], (-weight * np.sin(y[0]) - viscosity * y[1] - rub * way) / inertia]

        def turns(now, y, way=way, begun=t):
            return way * y[1] if now > begun + 1e-6 else 1.0

        turns.terminal = True
        part = solve_ivp(
            slope, (t, times[-1]), [q, 0.0], events=turns, rtol=1e-9, atol=1e-9, dense_output=True, max_step=0.2
        )
        inside = (times >= t) & (times <= part.t[-1])
        angles[inside] = part.sol(times[inside])[0]
        t, q = float(part.t[-1]), float(part.y[0, -1])
        if t >= times[-1]:
            return angles
    angles[times >= t] = q
    return angles


def bearing(period, **guess):
    rows = {"q": "w", "w": "(torque - weight*sin(q) - viscosity*w - coulomb(rub, w, 'bearing'))/inertia"}
    pendulum = Inclusion(rows, PENDULUM | guess, inputs={"torque": 0.0})
    stepper = pendulum.to_stepper(period=period, friction=Friction(stiffness=1e4, damping=20.0))
    return stepper.as_admittance(force="torque", velocity="w", initial={"q": 1.0})


def test_the_parameters_of_an_inclusion_from_angles():
    period = 4e-3
    times = period * np.arange(1, 2501)
    seen = swing(1.0, times, **PENDULUM) + 1e-3 * np.random.default_rng(1).standard_normal(times.size)
    guess = bearing(period, weight=3.0, viscosity=0.05, rub=0.3)
    found = fit(guess, measured={"q": seen}, period=period, free=["weight", "viscosity", "rub"])
    # The midpoint rule does not damp by itself; backward Euler would, by 0.008 N·m·s.
    assert found.parameters["viscosity"] == pytest.approx(PENDULUM["viscosity"], abs=0.003)
    assert found.parameters["weight"] == pytest.approx(PENDULUM["weight"], rel=2e-3)
    assert found.parameters["rub"] == pytest.approx(PENDULUM["rub"], rel=0.03)
    assert found.noise < 1.5e-3, "the sensor's, and the steps'"
    assert found.block.numbers["rub"] == found.parameters["rub"]
    assert guess.numbers["rub"] == 0.3, "the guess is as it was"
    assert (found.response, found.unit) == ("q", "SI")


# ------------------------------------------------------------ circuits and blocks


def on_a_spring(stiffness, damping):
    return tg.Circuit(tg.Mass(mass=2.0), {"spring": tg.SpringDamper(stiffness=stiffness, damping=damping)})


def test_the_parameters_of_a_circuit_from_its_step_response():
    """v = F/(M w) exp(-d t) sin(w t), with d = B/2M and w² = K/M - d²."""
    K, B, M, F, period = 80.0, 3.0, 2.0, 5.0, 2e-4
    times = period * np.arange(1, 15_001)
    d = B / (2.0 * M)
    w = np.sqrt(K / M - d**2)
    velocity = F / (M * w) * np.exp(-d * times) * np.sin(w * times)
    noisy = velocity + 1e-3 * np.random.default_rng(2).standard_normal(times.size)
    free = ["spring.stiffness", "spring.damping"]
    found = fit(on_a_spring(200.0, 1.0), noisy, np.full(times.size, F), period=period, free=free)
    # Backward Euler damps by itself: stiffness times period, 0.016 N·s/m.
    assert found.parameters["spring.damping"] == pytest.approx(B - 0.016, abs=0.03)
    assert found.parameters["spring.stiffness"] == pytest.approx(K, rel=5e-3)
    assert found.block.impedances["spring"].stiffness == found.parameters["spring.stiffness"]
    assert found.block.admittances[""] == tg.Mass(mass=2.0)
    for name in free:
        low, high = found.intervals[name]
        assert low < found.parameters[name] < high < 1.1 * low
    assert found.doubts == []


def test_a_circuit_is_driven_by_a_force_with_a_bias():
    machine = tg.Circuit(
        tg.Mass(mass=1.0), {"brake": tg.FrictionImpedance(stiffness=1e4, damping=10.0, law=tg.Coulomb(4.0))}
    )
    random = np.random.default_rng(3)
    push = multisine(random, 12.0, 2000)
    velocity = machine.run(push, period=T).velocity
    velocity = velocity + 0.01 * np.abs(velocity).max() * random.standard_normal(push.size)
    guess = machine.varied({"brake.law.limit": 1.5})
    told = fit(guess, velocity, push + 1.0, period=T, free=["brake.law.limit"])
    assert 'free=["offset"]' in str(told)
    found = fit(guess, velocity, push + 1.0, period=T, free=["brake.law.limit", "offset"])
    for name, value in {"brake.law.limit": 4.0, "offset": 1.0}.items():
        low, high = found.intervals[name]
        assert abs(found.parameters[name] - value) < 1.5 * (high - low), name
    assert found.doubts == []


def test_a_block_by_its_own_names():
    """-(K x + B v) is all that a spring and a damper say."""
    velocity = multisine(np.random.default_rng(4), 0.05, 1000)
    force = -(700.0 * T * np.cumsum(velocity) + 9.0 * velocity)
    found = fit(tg.SpringDamper(stiffness=100.0, damping=1.0), velocity, force, period=T, free=["damping", "stiffness"])
    assert found.parameters == pytest.approx({"stiffness": 700.0, "damping": 9.0}, rel=1e-5)
    held = fit(
        tg.SpringDamper(stiffness=100.0, damping=1.0),
        Record(velocity, force, T),
        free=["stiffness"],
        known={"damping": 9.0},
    )
    assert held.block.numbers == pytest.approx({"stiffness": 700.0, "damping": 9.0}, rel=1e-5)


def test_every_number_has_a_name_and_can_be_changed():
    composite = tg.ParallelFriction(stiffness=[8000.0, 3000.0], limits=[2.0, 3.0])
    assert composite.varied({"limits[1]": 7.0}).numbers["limits[1]"] == 7.0
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
    machine = tg.Circuit(tg.FrictionAdmittance(mass=1.0, law=law), {"spring": tg.SpringDamper(stiffness=5.0)})
    changes = {"law.kinetic": 6.0, "law.static": 7.0, "spring.damping": 2.0}  # one after the other they make no law
    assert machine.varied(changes).numbers.items() >= changes.items()
    assert {"mass", "law.velocity", "spring.stiffness"} < machine.numbers.keys()
    assert {"inertia", "weight", "bearing.stiffness"} < bearing(T).numbers.keys()
    assert "torque" not in bearing(T).numbers, "what drives it is not a number of it"


def test_counts_are_whole_and_can_be_given_back():
    tyre = tg.Circuit(tg.Mass(mass=1.0), {"tyre": ContactPatch(half_length=1)})
    counts = {name: number for name, number in tyre.numbers.items() if type(number) is not float}
    assert counts == {"tyre.bristles": 21}, "a length of 1 m is none"
    again = tyre.batch(**{name: [number] for name, number in tyre.numbers.items()}).blocks[0]
    assert again.numbers == tyre.numbers
    rod = GroundedRod(rod=PlanarRod(length=1.0, nodes=4, density=1.0, elasticity=1.0, viscosity=0.1), at=(1, 2))
    assert (rod.numbers["rod.nodes"], rod.numbers["at[0]"]) == (4, 1)
    assert rod.varied({"at[0]": 3}).ports[0].name == "node_3"
    assert type(tg.ParallelFriction(stiffness=1e4, limits=[1, 2]).numbers["limits[1]"]) is float


def rubbing_both_ways():
    x, y, u, v, fx, fy, limit = sympy.symbols("x y u v fx fy limit")
    rx, ry = coulomb(limit, (u, v), "rub")
    plate = Inclusion({x: u, y: v, u: fx - rx, v: fy - ry}, {limit: 3.0}, inputs={fx: 0.0, fy: 0.0})
    stepper = plate.to_stepper(period=T, friction=Friction(stiffness=1e4, damping=20.0))
    return stepper.as_admittance(force=("fx", "fy"), velocity=("u", "v"))


STRIBECK = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01, exponent=1.5, viscosity=0.3)
NAMED = {
    "element": tg.FrictionImpedance(stiffness=1e5, damping=400.0, law=STRIBECK, mass=0.2, lag=0.01),
    "composite": tg.ParallelFriction(stiffness=[8000.0, 3000.0], damping=[10.0, 5.0], limits=[2.0, 3.0]),
    "circuit": tg.Circuit(
        tg.FrictionAdmittance(mass=1.0, law=tg.Viscous(4.0, 2.0), lag=0.02),
        {f"brake{i}": tg.FrictionImpedance(stiffness=1e5 + i, damping=400.0, law=STRIBECK) for i in range(3)},
    ),
    "pendulum": bearing(T),
    "plate": rubbing_both_ways(),
}


@pytest.mark.parametrize("name", NAMED)
def test_p_holds_numbers_where_their_names_say(name):
    """Also after any of them has changed."""
    block, found = NAMED[name], 0
    for own, number in block.numbers.items():
        other = block.varied({own: 1.001 * number})
        for each, value in other.numbers.items():
            assert (other.parameters.real[places_in(other, each)] == value).all(), (own, each)
        found += places_in(block, own).size > 0
    assert found == {"element": 9, "composite": 6, "circuit": 31, "pendulum": 6, "plate": 3}[name]


def test_a_steering_system_and_a_rod_hold_what_is_not_named():
    own = SteeringSystem.paper()
    run = own.run(hand=Driver(angle=Sine(amplitude=3.0)), duration=3.0, period=T)
    noise = 0.01 * np.random.default_rng(5).standard_normal(3000)
    log = SteeringRecord(wheel_angle=run.wheel_angle, hand_torque=run.hand_torque + noise, period=T)
    found = fit(own, log, free=["patch.stiffness", "patch.friction"])
    assert list(found.parameters) == ["patch.stiffness", "patch.friction"]
    assert found.block.system.column == own.column
    rod = PlanarRod(length=1.0, nodes=5, density=0.1, elasticity=0.4, viscosity=0.02)
    phases, times = [Phase(until=0.2, torque=0.3, base="pinned"), Phase(until=1.0, base="pinned")], np.linspace(0.1, 1)
    angle = rod.run(phases, times=times, rtol=1e-9, atol=1e-9).angle
    found = fit(rod, RodRecord(phases=phases, times=times, angle=angle), free=["elasticity"], progress=False)
    assert found.parameters == pytest.approx({"elasticity": 0.4}, rel=1e-5)
    with pytest.raises(tg.InputError, match=r"free has 'mass'.*\n.*column\.inertia"):
        fit(own, log, free=["mass"])
    with pytest.raises(tg.InputError, match=r"free has 'mass'.*\n.*elasticity"):
        fit(rod, RodRecord(phases=phases, times=times, angle=angle), free=["mass"])


# ------------------------------------------------------------ what means nothing

GOOD = np.sin(0.01 * np.arange(500.0))
SPRING = tg.SpringDamper(stiffness=100.0, damping=1.0)
SLED = on_a_spring(100.0, 1.0)
PATCH = ContactPatch()


@pytest.mark.parametrize(
    ("machine", "changes", "says"),
    [
        (SPRING, {}, r"no recipe of its own.*\n.*stiffness, damping"),
        (SPRING, {"free": ["mass"]}, r"free has 'mass'.*\n.*stiffness, damping"),
        (SPRING, {"free": "stiffness"}, "free='stiffness' is not a list of names"),
        (SPRING, {"free": 5}, "not a list of names"),
        (SPRING, {"free": [1.0]}, "not a name"),
        (SPRING, {"free": ["stiffness"], "known": {"stiffness": 1.0}}, "in known and in free"),
        (SPRING, {"free": ["stiffness"], "known": [1.0]}, "known=.* is not a dict"),
        (SPRING, {"free": ["stiffness"], "known": {"colour": 1.0}}, "known has 'colour'"),
        (SPRING, {"free": ["stiffness"], "known": {"damping": "much"}}, r"known\['damping'\]='much'"),
        (SPRING, {"free": ["stiffness"], "known": {"damping": -1.0}}, "damping"),
        (SPRING, {"free": ["stiffness"], "law": tg.Viscous}, "law or elements"),
        (SPRING, {"free": ["stiffness"], "measured": {"heat": GOOD}}, r"not a field of this SpringDamper.*\n.*stretch"),
        (SPRING, {"free": ["stiffness"], "measured": {"stretch": GOOD, "force": GOOD}}, "one field"),
        (SPRING, {"free": ["stiffness"], "measured": GOOD}, "one field"),
        (SPRING, {"free": ["stiffness"], "measured": {"stretch": GOOD[:7]}}, "500 ticks of motion but 7 of stretch"),
        (SPRING, {"free": ["stiffness"], "measured": {"stretch": np.full(500, np.nan)}}, r"measured\['stretch'\]\[0\]"),
        (SPRING, {"free": ["stiffness"], "initial": {"heat": 1.0}}, r"initial\['heat'\]"),
        (SPRING, {"free": ["stiffness"], "initial": 5}, "initial=5"),
        (SPRING, {"free": ["stiffness"], "velocity": np.stack([GOOD, GOOD], 1)}, "direction|shape"),
        (tg.SpringDamper(stiffness=1.0), {"free": ["damping"]}, r"which is 0.*\n.*first guess"),
        (PATCH, {"free": ["bristles"]}, r"free has 'bristles', which is a whole number.*\n.*batch"),
        (SLED, {"free": ["spring.mass"]}, r"free has 'spring.mass'.*\n.*mass, spring\.stiffness"),
        (SLED, {"free": ["mass"], "velocity": None, "measured": {"velocity": np.zeros(500)}}, "never changes"),
        (SLED, {"free": ["mass"], "measured": {"velocity": GOOD}}, r"velocity beside measured.*\n.*Leave it out"),
        (SPRING, {"free": ["damping"], "measured": {"stretch": GOOD}, "force": GOOD}, "force beside measured"),
        (tg.Circuit(tg.Mass(mass=1.0), {"s": SPRING}, bases=["s"]), {"free": ["mass"]}, "bases"),
        (tg.FrictionImpedance, {"measured": {"force": GOOD}, "force": GOOD}, "measured for a class"),
        (tg.FrictionImpedance, {"initial": {"deflection": 1.0}}, "initial for a class"),
        (PlanarRod, {"free": ["elasticity"]}, "is a class"),
        (Inclusion, {}, r"has no recipe.*\n.*as_admittance"),
        (None, {}, "has no recipe"),
        ("brake", {}, "has no recipe"),
    ],
)
def test_what_means_nothing_is_refused(machine, changes, says):
    arguments = {"velocity": GOOD, "period": T} | ({} if "measured" in changes else {"force": -GOOD}) | changes
    with pytest.raises(tg.InputError, match=says):
        fit(machine, **arguments)
