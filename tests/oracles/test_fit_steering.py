"""A steering system identified from a log of its wheel: known truth comes out, and what a log does not show is said."""

from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.fitting.recipes.steering import FeltSteering
from tegotae.steering import Bicycle, ContactPatch, SteeringSystem
from tegotae.steering.hands import Driver
from tegotae.steering.system import Column, TorsionBar

T, TICKS = 2e-3, 4000
TIMES = T * np.arange(TICKS)
PAPER = SteeringSystem.paper()


def truth_of(seed: int) -> tuple[SteeringSystem, dict[str, float]]:
    random = np.random.default_rng([11, seed])
    K = float(np.exp(random.uniform(np.log(500.0), np.log(1e4))))
    values = {
        "patch.stiffness": K,
        "patch.damping": K * float(random.uniform(2e-3, 0.2)),
        "patch.friction": float(random.uniform(0.3, 0.9)),
        "column.friction": float(random.uniform(0.3, 0.8)),
        "column.inertia": float(random.uniform(1.0, 4.0)),
    }
    patch = ContactPatch(stiffness=K, damping=values["patch.damping"], friction=values["patch.friction"])
    column = Column(inertia=values["column.inertia"], friction=values["column.friction"])
    return SteeringSystem(patch=patch, column=column), values


def parked_then_driving(amplitude: float = 6.0):
    """Half of it parked at large angles, half driving off up to 20 m/s, weaving."""
    half = TIMES[TICKS // 2]
    parked = amplitude * np.sin(2.0 * np.pi * 0.5 * TIMES)
    weaving = np.sin(2.0 * np.pi * 0.5 * TIMES) + 0.2 * np.sin(2.0 * np.pi * 3.0 * TIMES)
    return np.where(half > TIMES, parked, weaving), np.clip((TIMES - half) * 10.0, 0.0, 20.0)


def logged(system, wish, speed, *, noise=0.0, seed=0):
    run = system.run(hand=Driver(angle=wish), duration=TICKS * T, speed=speed, period=T)
    torque = run.hand_torque + noise * np.random.default_rng([12, seed]).standard_normal(TICKS)
    return {"wheel_angle": run.wheel_angle, "hand_torque": torque, "speed": speed, "period": T}


@pytest.mark.parametrize("vehicle", [PAPER.vehicle, Bicycle()], ids=["kinematic", "bicycle"])
def test_led_along_its_own_angle_it_asks_for_the_torque_that_made_it(vehicle):
    """The same tick in both causalities: torque in, angle out; angle in, torque out."""
    system = replace(truth_of(0)[0], vehicle=vehicle)
    wish, speed = parked_then_driving()
    log = logged(system, wish, speed)
    angles = np.concatenate([[0.0], log["wheel_angle"]])
    felt = FeltSteering(system=system)
    live = felt.start(period=T)
    torques = []
    for rate, V in zip(np.diff(angles)[:1500] / T, np.asarray(speed)[:1500], strict=True):
        live.step(np.array([rate, V]))
        torques.append(float(live["hand_torque"]))
    # An angle is known to its last digit; twice differenced, times I/N^2/T^2, that is 1e-10 N·m.
    assert torques == pytest.approx(log["hand_torque"][:1500], abs=1e-8)


def test_intervals_cover_the_truth():
    inside = total = 0
    for seed in range(5):
        system, truth = truth_of(seed)
        wish, speed = parked_then_driving()
        found = tg.fit(PAPER, **logged(system, wish, speed, noise=0.02, seed=seed))
        for name, value in truth.items():
            low, high = found.intervals[name]
            inside += low <= value <= high
            total += 1
            assert found.parameters[name] == pytest.approx(value, rel=0.05), (seed, name)
        assert found.noise == pytest.approx(0.02, rel=0.045)
        assert found.block.system.patch.stiffness == found.parameters["patch.stiffness"]
    # 25 intervals of 95 %: fewer than 21 inside has a chance below 1 %.
    assert inside >= 21, f"{inside} of {total}"


def test_without_noise_the_truth_itself():
    system, truth = truth_of(3)
    # A system with other numbers to begin from: only gear, geometry and vehicle are taken from it.
    found = tg.fit(PAPER, **logged(system, *parked_then_driving()))
    assert found.parameters == pytest.approx(truth, rel=1e-4)


def test_what_is_known_is_kept_and_a_finer_patch_is_fitted_as_well():
    system, truth = truth_of(1)
    fine = replace(PAPER, patch=replace(PAPER.patch, bristles=40), vehicle=Bicycle())
    own = replace(system, patch=replace(system.patch, bristles=40), vehicle=Bicycle())
    known = {"column.inertia": truth["column.inertia"], "column.friction": truth["column.friction"]}
    found = tg.fit(fine, **logged(own, *parked_then_driving(), noise=0.01), known=known)
    assert set(found.parameters) == {"patch.stiffness", "patch.damping", "patch.friction"}
    for name, value in found.parameters.items():
        assert value == pytest.approx(truth[name], rel=0.03)
    assert "N·m" in repr(found)
    assert found.block.system.column.inertia == truth["column.inertia"]


def test_a_wheel_that_hardly_turns_shows_no_friction_of_the_tyre():
    system = replace(PAPER, patch=ContactPatch(stiffness=700.0, damping=110.0, friction=0.5))
    with pytest.raises(ValueError, match=r"does not show patch\.friction.*no bristle"):
        tg.fit(PAPER, **logged(system, 0.05 * np.sin(np.pi * TIMES), 0.0, noise=0.02))


def test_fast_driving_alone_shows_no_stiffness():
    """At 70 m/s a bristle stays for 3 ms, against the 0.16 s of its B/K: only the damper is felt."""
    system = replace(PAPER, patch=ContactPatch(stiffness=700.0, damping=110.0, friction=0.5))
    log = logged(system, 0.05 * np.sin(0.5 * np.pi * TIMES), 70.0, noise=0.02)
    with pytest.raises(ValueError, match=r"does not show patch\.stiffness"):
        tg.fit(PAPER, **log)


def test_slow_steering_shows_no_inertia():
    wish = 1.0 * np.sin(2.0 * np.pi * 0.25 * TIMES) * np.minimum(TIMES, 1.0) ** 2
    system = replace(PAPER, column=Column(inertia=0.01, friction=0.5))
    with pytest.raises(ValueError, match=r"column\.inertia"):
        tg.fit(PAPER, **logged(system, wish, 5.0, noise=0.05))


LOG = {"wheel_angle": np.sin(TIMES), "hand_torque": np.cos(TIMES), "speed": 0.0, "period": T}


@pytest.mark.parametrize(
    ("system", "changes", "told"),
    [
        (SteeringSystem, {}, "is a class"),
        (PAPER, {"wheel_angle": None}, "wheel_angle is missing"),
        (PAPER, {"period": None}, "period is missing"),
        (PAPER, {"wheel_angle": np.zeros(TICKS)}, "never changes"),
        (PAPER, {"hand_torque": np.zeros(TICKS)}, "0 throughout"),
        (PAPER, {"hand_torque": -np.cos(TIMES)}, "brakes the wheel"),
        (PAPER, {"hand_torque": np.zeros(7)}, "4000 ticks of wheel_angle but 7"),
        (PAPER, {"hand_torque": np.full(TICKS, np.nan)}, "hand_torque"),
        (PAPER, {"speed": np.zeros(3)}, "speed"),
        (PAPER, {"velocity": np.zeros(TICKS)}, "velocity for a SteeringSystem"),
        (PAPER, {"known": {"mass": 1.0}}, "known has 'mass'"),
        (PAPER, {"known": {"patch.friction": -1.0}}, "patch.friction"),
        (replace(PAPER, patch=ContactPatch(friction=tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5))), {}, "mu is"),
        (replace(PAPER, column=Column(compliance=TorsionBar())), {}, "compliance"),
        (tg.FrictionImpedance, {}, "wheel_angle without a steering system"),
    ],
)
def test_bad_input_is_named(system, changes, told):
    with pytest.raises(ValueError, match=told):
        tg.fit(system, **(LOG | changes))


def test_its_portrait_can_be_drawn(tmp_path):
    system, _ = truth_of(2)
    found = tg.fit(PAPER, **logged(system, *parked_then_driving(), noise=0.02))
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000
