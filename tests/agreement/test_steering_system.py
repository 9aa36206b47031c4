"""The steering circuit against another formulation: the step as it is written down, in plain NumPy, bracketed."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.optimize import brentq

from tegotae.block import Impedance
from tegotae.errors import InputError
from tegotae.running.probe import Probe
from tegotae.steering import Bicycle, Carcass, ContactPatch, Kinematic, SteeringSystem, Uniform
from tegotae.steering.hands import Driver, Sine
from tegotae.steering.system import Column, TorsionBar

T = 1e-3
Array = np.ndarray


@dataclass
class Plain:
    """One step of yamamoto2006 with its errata; every bristle keeps its own name and wraps around by itself."""

    patch: ContactPatch
    column: Column
    share: float
    delta: float = 0.0
    rate: float = 0.0
    friction_stretch: float = 0.0
    xi: Array = field(init=False)
    e: Array = field(init=False)

    def __post_init__(self) -> None:
        n, L = self.patch.bristles, 2 * self.patch.half_length
        self.xi = -self.patch.half_length + (np.arange(n) + 0.5) * L / n
        self.e = np.zeros(n)

    def roll(self, V: float) -> tuple[Array, Array, Array]:
        """Places after the tick, stretches of those that stayed, and how long each was inside."""
        a, L = self.patch.half_length, 2 * self.patch.half_length
        xi, e, inside = self.xi - V * T, self.e.copy(), np.full(self.e.size, T)
        for i in range(xi.size):
            left = False
            while xi[i] < -a:
                xi[i], left = xi[i] + L, True
            while xi[i] >= a:
                xi[i], left = xi[i] - L, True
            if left:
                e[i] = 0.0
                inside[i] = min(T, ((a - xi[i]) if V > 0 else (a + xi[i])) / abs(V))
        return xi, e, inside

    def step(self, hand_torque: float, V: float) -> tuple[float, float]:
        """Hand torque in; wheel angle and lateral force out."""
        p, c, scale = self.patch, self.column, 21 / self.patch.bristles
        K, B = p.stiffness * scale, p.damping * scale
        xi, e, Ti = self.roll(V)
        arm = xi - p.centre
        bound = p.friction * np.maximum(0.0, 1e4 * (p.half_length**2 - xi**2)) * scale

        def patch(x: float) -> tuple[Array, Array]:
            v = (x - self.delta) / T
            alpha, alpha_dot = self.share * x, self.share * v
            ue = arm * v - V * alpha
            um = (arm + V * Ti / 2) * v - V * (alpha - alpha_dot * Ti / 2)
            trial = K * (e + Ti * um) + B * ue
            f = np.clip(trial, -bound, bound)
            slipped = (B * e + Ti * f + Ti * B * (um - ue)) / (B + Ti * K)
            return f, np.where(np.abs(trial) <= bound, e + Ti * um, slipped)

        def train(x: float) -> float:
            v = (x - self.delta) / T
            trial = c.stiffness * (self.friction_stretch + T * v) + c.damping * v
            return float(np.clip(trial, -c.friction, c.friction))

        def gap(x: float) -> float:
            inertia = c.inertia * ((x - self.delta) / T - self.rate) / T
            return inertia + float(arm @ patch(x)[0]) + train(x) - c.gear * hand_torque

        middle = self.delta + T * self.rate
        x = brentq(gap, middle - 1.0, middle + 1.0, xtol=1e-15, rtol=1e-14)
        f, self.e = patch(x)
        held = train(x)
        self.friction_stretch = (c.damping * self.friction_stretch + T * held) / (c.damping + T * c.stiffness)
        self.xi, self.rate, self.delta = xi, (x - self.delta) / T, x
        return c.gear * x, -float(f.sum())


TIME = T * np.arange(1, 401)
SPEEDS = {
    "parked": np.zeros(400),
    "20 m/s": np.full(400, 20.0),
    "70 m/s": np.full(400, 70.0),
    "backwards": np.full(400, -5.0),
    "through 0": 4.0 - 20.0 * TIME,
    "longer than the patch": np.full(400, 777.0),
}


@pytest.mark.parametrize("speed", SPEEDS.values(), ids=SPEEDS)
@pytest.mark.parametrize("patch", [ContactPatch(), ContactPatch(stiffness=1e4, damping=0.0)], ids=["paper", "brush"])
def test_the_circuit_is_the_step_as_written(patch: ContactPatch, speed: Array) -> None:
    torque = 2.5 * np.sin(25 * TIME) + 0.4 * np.sin(90 * TIME)
    system = SteeringSystem(patch=patch, vehicle=Kinematic(slip_share=0.5))
    plain = Plain(patch, system.column, 0.5)
    expected = np.array([plain.step(h, V) for h, V in zip(torque, speed, strict=True)])
    run = system.run(torque, inputs={"speed": speed}, period=T)
    assert run.about["unsolved_steps"] == 0
    assert np.abs(run.wheel_angle).max() > 0.05
    # brentq ends within 1e-15 rad of steer; a stiff brush forgets such differences.
    np.testing.assert_allclose(run.wheel_angle, expected[:, 0], atol=1e-10)
    np.testing.assert_allclose(run.lateral_force, expected[:, 1], atol=1e-6)


# ------------------------------------------------------------ slopes

TYRES: dict[str, Impedance] = {
    "paper": ContactPatch(slip_share=0.5),
    "brush": ContactPatch(stiffness=1e4, damping=0.0, bristles=40),
    "carcass": ContactPatch(
        stiffness=1e4, damping=5.0, slip_share=0.3, carcass=Carcass(stiffness=1e5, damping=20.0, mass=1.0)
    ),
    "carcass without mass": ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5)),
    "bicycle": Bicycle().on(ContactPatch(stiffness=1e4, damping=0.0)),
    "bicycle with carcass": Bicycle().on(ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5))),
}


@pytest.mark.parametrize("tyre", TYRES.values(), ids=TYRES)
@pytest.mark.parametrize("speed", [0.0, 3.0, -8.0, 70.0, 900.0])
def test_the_slope_is_the_derivative_of_the_answer(tyre: Impedance, speed: float) -> None:
    probe = Probe(tyre, T, {"speed": speed})
    draw = np.random.default_rng(7)
    checked = 0
    for rate in np.repeat(draw.normal(0.0, 1.5, 12), 8):
        probe.advance([rate])
        trial = rate + draw.normal(0.0, 0.3)
        before = probe.state.copy()
        h = 1e-6
        left, torque, right = (float(probe.answer([trial + side])[0][0]) for side in (-h, 0.0, h))
        slope = float(probe.answer([trial])[1][0, 0])
        assert probe.state == before
        ahead, behind = (right - torque) / h, (torque - left) / h
        # Where a bristle begins to slip between the three there is no derivative.
        if abs(ahead - behind) > 1e-5 * (abs(slope) + 1.0):
            continue
        assert slope == pytest.approx(0.5 * (ahead + behind), rel=2e-5, abs=2e-5)
        checked += 1
    assert checked > 60


@pytest.mark.parametrize("tyre", TYRES.values(), ids=TYRES)
def test_what_is_answered_is_what_is_done(tyre: Impedance) -> None:
    probe = Probe(tyre, T, {"speed": 12.0})
    for rate in np.sin(np.arange(60)):
        torque, _ = probe.answer([rate])
        probe.advance([rate])
        assert probe.state["force"] == pytest.approx(torque[0], rel=1e-12, abs=1e-12)  # sums in another order


# ------------------------------------------------------------ the vehicle

LINEAR = ContactPatch(stiffness=2e4, damping=0.0, bristles=201, pressure=Uniform(load=60.0))


def turning(bicycle: Bicycle, patch: ContactPatch, V: float, delta: float) -> tuple[float, float]:
    """Sideslip and yaw rate in a steady turn, all bristles sticking: two linear equations.

    A bristle at xi has been stretched since it entered by e = phi ((a^2 - xi^2)/2 - xi_c (a - xi)) - alpha (a - xi),
    phi = r/V; force and moment are its integrals over the patch.
    """
    a, cp, lf, lr, m = patch.half_length, patch.stiffness * 21 / (2 * patch.half_length), *_lengths(bicycle)
    C = 2 * cp * a**2

    def axle(alpha: float, phi: float, centre: float) -> tuple[float, float]:
        force = C * (alpha - phi * (a / 3 - centre))
        return force, C * a / 3 * (alpha + phi * centre) + centre * force

    def balance(vy: float, r: float, steer: float) -> Array:
        front, turn_front = axle(steer - (vy + lf * r) / V, r / V, patch.centre)
        rear, turn_rear = axle((lr * r - vy) / V, r / V, 0.0)
        return np.array([front + rear - m * V * r, lf * front - lr * rear - turn_front - turn_rear])

    matrix = np.stack([balance(1, 0, 0), balance(0, 1, 0)], axis=1)
    vy, r = np.linalg.solve(matrix, -balance(0, 0, delta))
    return float(vy), float(r)


def _lengths(bicycle: Bicycle) -> tuple[float, float, float]:
    return bicycle.front, bicycle.rear, bicycle.mass


@pytest.mark.parametrize("V", [3.0, 15.0, 30.0])
def test_a_bicycle_settles_into_the_turn_of_its_linear_equations(V: float) -> None:
    bicycle, delta = Bicycle(front=1.0, rear=1.5), 1e-4
    run = bicycle.on(LINEAR).run(np.zeros(20_000), period=T, initial={"speed": V, "steer": delta})
    vy, r = turning(bicycle, LINEAR, V, delta)
    # Midpoint sums over 201 cells against integrals.
    assert run.vehicle_yaw_rate[-1] == pytest.approx(r, rel=1e-4)
    assert run.vehicle_sideslip[-1] == pytest.approx(vy, rel=1e-3, abs=1e-3 * V * delta)


@pytest.mark.parametrize(("front", "rear"), [(1.0, 1.5), (1.3, 1.2)], ids=["understeer", "oversteer"])
def test_short_patches_turn_as_textbooks_say(front: float, rear: float) -> None:
    """r = V delta/(l + K_us V^2), K_us = m/l (lr/Cf - lf/Cr), for tyres that touch the road in a point."""
    a, V, delta, length, m = 0.002, 12.0, 1e-4, front + rear, 285.0
    point = ContactPatch(
        stiffness=1e6, damping=0.0, half_length=a, centre=0.0, bristles=41, pressure=Uniform(load=60.0)
    )
    run = (
        Bicycle(front=front, rear=rear)
        .on(point)
        .run(np.zeros(30_000), period=2e-4, initial={"speed": V, "steer": delta})
    )
    C = point.stiffness * 21 * a
    K_us = m / length * (rear / C - front / C)
    assert np.sign(K_us) * K_us * V**2 / length > 0.01
    assert run.vehicle_yaw_rate[-1] == pytest.approx(V * delta / (length + K_us * V**2), rel=2e-3)


def weaving(system: SteeringSystem, V: float, period: float) -> Array:
    """Twenty seconds of a gentle hand that exerts a torque."""
    time = period * np.arange(1, round(20.0 / period) + 1)
    run = system.run(0.5 * np.sin(1.57 * time), inputs={"speed": V}, period=period)
    assert run.about["unsolved_steps"] == 0
    return np.asarray(run.wheel_angle)


PHYSICAL = SteeringSystem.physical()


def test_a_vehicle_at_speed_is_converged_at_a_millisecond() -> None:
    """With the vehicle a tick behind its largest angle was 1.4 % off."""
    fine, plain = (np.abs(weaving(PHYSICAL, 70.0, period)).max() for period in (2.5e-4, 1e-3))
    assert plain == pytest.approx(fine, rel=3e-3)


@pytest.mark.parametrize("V", [0.0, 20.0, 70.0, 100.0])
def test_a_vehicle_does_not_diverge_by_whatever_period(V: float) -> None:
    """Long ticks damp it; they never drive it."""
    converged = np.abs(weaving(PHYSICAL, V, 1e-3)).max()
    for period in (5e-3, 0.02, 0.03, 0.1, 0.4):
        assert np.abs(weaving(PHYSICAL, V, period)).max() < 1.03 * converged, period


# ------------------------------------------------------------ energy, parked


def ledger(system: SteeringSystem, torque: Array) -> Array:
    """What was dissipated since the start, tick by tick: work of the hand less what is stored [J]."""
    fields = [
        "wheel_angle",
        "steer_rate",
        "tyre.deflection",
        "train.deflection",
        "tyre.carcass_deflection",
        "tyre.carcass_velocity",
    ]
    run = system.run(torque, period=T, record=fields)
    c, p = system.column, system.patch
    work = np.cumsum(torque * np.diff(run.wheel_angle, prepend=0.0))
    stored = 0.5 * c.inertia * run["steer_rate"] ** 2 + 0.5 * c.stiffness * run["train.deflection"] ** 2
    stored += 0.5 * p.stiffness * 21 / p.bristles * (run["tyre.deflection"] ** 2).sum(axis=1)
    if p.carcass:
        stored += 0.5 * p.carcass.stiffness * run["tyre.carcass_deflection"] ** 2
        stored += 0.5 * p.carcass.mass * run["tyre.carcass_velocity"] ** 2
    return work - stored


@pytest.mark.parametrize(
    "patch",
    [
        ContactPatch(),
        ContactPatch(stiffness=1e4, damping=0.0),
        ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5, damping=10.0, mass=1.0)),
    ],
    ids=["paper", "brush", "carcass"],
)
@pytest.mark.parametrize("seed", range(3))
def test_parked_it_only_takes_energy(patch: ContactPatch, seed: int) -> None:
    draw = np.random.default_rng(seed)
    torque = np.repeat(draw.normal(0.0, 2.0, 60), 40)
    dissipated = ledger(SteeringSystem(patch=patch), torque)
    assert dissipated[-1] > 1e-3
    assert np.diff(dissipated, prepend=0.0).min() > -1e-11


@pytest.mark.parametrize("period", [1e-3, 4e-3])
@pytest.mark.parametrize("carcass", [None, Carcass(stiffness=1e5)], ids=["rigid", "elastic"])
def test_a_parked_vehicle_on_its_bristles_swings_and_keeps_its_energy(period: float, carcass: Carcass | None) -> None:
    """Nothing slips, nothing dissipates: masses and springs, by whatever period."""
    patch = ContactPatch(stiffness=1e4, damping=0.0, pressure=Uniform(load=60.0), carcass=carcass)
    bicycle = Bicycle()
    axles = ["deflection", "rear_deflection", "carcass_deflection", "rear_carcass_deflection"]
    motion = ["vehicle_yaw_rate", "vehicle_sideslip"]
    run = bicycle.on(patch).run(
        np.zeros(round(8.0 / period)),
        period=period,
        initial=dict.fromkeys(motion, 1e-3),
        record=["stuck", *motion, *axles],
    )
    assert run.stuck.min() == 1.0
    energy = 0.5 * bicycle.mass * run.vehicle_sideslip**2 + 0.5 * bicycle.yaw_inertia * run.vehicle_yaw_rate**2
    for front_or_rear in axles[:2]:
        energy += 0.5 * patch.stiffness * (run[front_or_rear] ** 2).sum(axis=1)
    if carcass:
        for front_or_rear in axles[2:]:
            energy += 0.5 * carcass.stiffness * run[front_or_rear] ** 2
    early, late = (part.mean() for part in np.array_split(energy, 8)[::7])
    # Within a swing a symplectic step errs by its period times the frequency, 4 % here; from swing to swing by nothing.
    assert late < 1.005 * early
    assert late > 0.995 * early


def test_a_parked_vehicle_let_go_comes_to_rest() -> None:
    torque = np.r_[np.linspace(0.0, 2.0, 800), np.zeros(8000)]
    system = SteeringSystem(patch=ContactPatch(stiffness=1e4, damping=20.0), vehicle=Bicycle())
    run = system.run(torque, period=T)
    rates = np.abs(np.diff(run.wheel_angle)) / T
    assert rates.max() > 1.0
    assert rates[-500:].max() < 1e-3 * rates.max()


# ------------------------------------------------------------ speed that changes

MACHINES: dict[str, Callable[[], SteeringSystem]] = {
    "paper": SteeringSystem.paper,
    "physical": SteeringSystem.physical,
    "torsion bar": lambda: SteeringSystem(column=Column(compliance=TorsionBar())),
    "elastic": lambda: SteeringSystem(
        patch=ContactPatch(stiffness=1e4, damping=0.0, carcass=Carcass(stiffness=1e5, damping=50.0, mass=1.0)),
        vehicle=Bicycle(),
    ),
}


@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES)
def test_it_brakes_through_standstill_and_backs_off(make: Callable[[], SteeringSystem]) -> None:
    speed = np.clip(6.0 - 4.0 * T * np.arange(3000), -4.0, 6.0)
    driver = Driver(angle=Sine(amplitude=2.0, frequency=0.5))
    run = make().run(hand=driver, duration=3.0, period=T, inputs={"speed": speed})
    assert run.about["unsolved_steps"] == 0
    np.testing.assert_array_equal(run.speed, speed)
    assert np.isfinite(run.hand_torque).all()
    # A hand on a wheel of 16:1 moves a mass; nothing in there can kick. After the start, its torque goes smoothly.
    assert np.abs(np.diff(run.hand_torque[100:])).max() < 0.05
    assert np.abs(run.wheel_angle).max() < 2.2


def test_a_stiff_torsion_bar_is_none() -> None:
    torque = 1.5 * np.sin(0.01 * np.arange(1000))
    whole = Column(inertia=2.4 + 16.0**2 * 1e-3)  # the wheel's own inertia, seen through the gear
    rigid = SteeringSystem(column=whole, speed=10.0).run(torque, period=T)
    apart = []
    for stiffness in (300.0, 3e4):
        bar = TorsionBar(stiffness=stiffness, damping=1.0, wheel_inertia=1e-3)
        run = SteeringSystem(column=Column(compliance=bar), speed=10.0).run(torque, period=T)
        assert run.about["unsolved_steps"] == 0
        apart.append(np.abs(run.wheel_angle - rigid.wheel_angle).max())
        # Wound up by the torque that it carries.
        wound = run.wheel_angle - 16.0 * run.steer
        np.testing.assert_allclose(stiffness * wound, run.bar_torque, atol=0.05 * np.abs(run.bar_torque).max())
    assert apart[0] > 1e-3
    assert apart[1] < 0.02 * apart[0]


def test_bad_speeds_are_refused() -> None:
    with pytest.raises(InputError, match="speed"):
        SteeringSystem.paper(speed=np.nan)
    with pytest.raises(InputError, match="speed"):
        SteeringSystem.paper().run(np.zeros(3), inputs={"speed": [0.0, np.nan, 0.0]}, period=T)
    with pytest.raises(InputError, match="speed"):
        SteeringSystem.paper().run(np.zeros(3), inputs={"speed": np.zeros(4)}, period=T)
    with pytest.raises(InputError, match="both"):
        SteeringSystem.paper().run([0.0], hand=Driver(angle=0.0), duration=1.0, period=T)
    with pytest.raises(InputError, match="duration"):
        SteeringSystem.paper().run(hand=Driver(angle=0.0), period=T)


# ------------------------------------------------------------ one tick at a time


@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES)
def test_live_it_is_the_same(make: Callable[[], SteeringSystem]) -> None:
    system = make()
    torque, speed = 1.5 * np.sin(0.03 * np.arange(300)), 5.0 - 0.03 * np.arange(300)
    run = system.run(torque, inputs={"speed": speed}, period=T)
    live = system.start(period=T)
    angles = []
    for h, V in zip(torque, speed, strict=True):
        live["speed"] = V
        live.step(h)
        angles.append(live["wheel_angle"])
    np.testing.assert_allclose(angles, run.wheel_angle, atol=1e-13)


def test_live_it_goes_back_to_a_checkpoint() -> None:
    live = SteeringSystem.physical(speed=15.0, bristles=31).start(period=T)
    for h in np.linspace(0.0, 1.0, 100):
        live.step(h)
    kept = live.state
    first = [live.step(0.5) for _ in range(50)]
    live.state = kept
    assert [live.step(0.5) for _ in range(50)] == first


@pytest.mark.parametrize("again", [copy.deepcopy, lambda live: pickle.loads(pickle.dumps(live))])
def test_a_copy_goes_on_from_where_it_was(again: Callable) -> None:  # type: ignore[type-arg]
    live = SteeringSystem.paper(speed=15.0).start(period=T)
    for h in np.linspace(0.0, 1.0, 100):
        live.step(h)
    twin = again(live)
    assert twin["wheel_angle"] == live["wheel_angle"] != 0.0
    assert twin.step(0.7) == live.step(0.7)
    assert twin["wheel_angle"] == live["wheel_angle"]


def test_live_a_speed_that_is_none_is_refused_and_the_last_one_holds() -> None:
    live = SteeringSystem.paper(speed=15.0).start(period=T)
    with pytest.raises(InputError, match="speed"):
        live["speed"] = np.nan
    assert live["speed"] == 15.0
    with pytest.raises(InputError):
        live.step(np.nan)
    assert np.isfinite(live.step(0.1))
