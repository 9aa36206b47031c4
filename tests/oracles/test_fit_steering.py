"""A steering system identified from a log of its wheel: known truth comes out, and what a log does not show is said."""

from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.fitting import SteeringRecord
from tegotae.fitting.recipes.steering import FeltSteering
from tegotae.fitting.steering_log import log_of, steering_doubts, step_of
from tegotae.steering import Bicycle, ContactPatch, SteeringSystem
from tegotae.steering.hands import Driver, Sine
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


def fitted(system, log, known=None):
    """A fit to a log, of whose fields some are what `fit` takes beside it."""
    beside = {name: log[name] for name in ("known", "position") if name in log}
    record = SteeringRecord(**{name: value for name, value in log.items() if name not in beside})
    return tg.fit(system, record, **({"known": known} | beside))


def logged(system, wish, speed, *, noise=0.0, seed=0):
    run = system.run(hand=Driver(angle=wish), duration=TICKS * T, inputs={"speed": speed}, period=T)
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
        live["tyre.speed"] = float(V)
        live.step(rate)
        torques.append(float(live["hand_torque"]))
    # An angle is known to its last digit; twice differenced, times I/N^2/T^2, that is 1e-10 N·m.
    assert torques == pytest.approx(log["hand_torque"][:1500], abs=1e-8)


def test_intervals_cover_the_truth():
    inside = total = 0
    for seed in range(5):
        system, truth = truth_of(seed)
        wish, speed = parked_then_driving()
        found = fitted(PAPER, logged(system, wish, speed, noise=0.02, seed=seed))
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
    found = fitted(PAPER, logged(system, *parked_then_driving()))
    assert found.parameters == pytest.approx(truth, rel=1e-4)


def test_what_is_known_is_kept_and_a_finer_patch_is_fitted_as_well():
    system, truth = truth_of(1)
    fine = replace(PAPER, patch=replace(PAPER.patch, bristles=40), vehicle=Bicycle())
    own = replace(system, patch=replace(system.patch, bristles=40), vehicle=Bicycle())
    known = {"column.inertia": truth["column.inertia"], "column.friction": truth["column.friction"]}
    found = fitted(fine, logged(own, *parked_then_driving(), noise=0.01), known=known)
    assert set(found.parameters) == {"patch.stiffness", "patch.damping", "patch.friction"}
    for name, value in found.parameters.items():
        assert value == pytest.approx(truth[name], rel=0.03)
    assert "N·m" in repr(found)
    assert found.block.system.column.inertia == truth["column.inertia"]


def test_a_wheel_that_hardly_turns_shows_no_friction_of_the_tyre():
    system = replace(PAPER, patch=ContactPatch(stiffness=700.0, damping=110.0, friction=0.5))
    with pytest.raises(ValueError, match=r"does not show patch\.friction.*no bristle"):
        fitted(PAPER, logged(system, 0.05 * np.sin(np.pi * TIMES), 0.0, noise=0.02))


def test_fast_driving_alone_shows_no_stiffness():
    """At 70 m/s a bristle stays for 3 ms, against the 0.16 s of its B/K: only the damper is felt."""
    system = replace(PAPER, patch=ContactPatch(stiffness=700.0, damping=110.0, friction=0.5))
    log = logged(system, 0.05 * np.sin(0.5 * np.pi * TIMES), 70.0, noise=0.02)
    with pytest.raises(ValueError, match=r"does not show patch\.stiffness"):
        fitted(PAPER, log)


def test_slow_steering_shows_no_inertia():
    wish = 1.0 * np.sin(2.0 * np.pi * 0.25 * TIMES) * np.minimum(TIMES, 1.0) ** 2
    system = replace(PAPER, column=Column(inertia=0.01, friction=0.5))
    with pytest.raises(ValueError, match=r"column\.inertia"):
        fitted(PAPER, logged(system, wish, 5.0, noise=0.05))


# ------------------------------------------------------------ logs as they come

PAPERS_OWN = {
    "patch.stiffness": 500.0,
    "patch.damping": 150.0,
    "patch.friction": 0.4,
    "column.friction": 0.3,
    "column.inertia": 2.4,
}


def driving_off(cut: int = 0, step: float = 0.0):
    """The paper's own system, driving off, from its first tick or cut; its angle as it is or from an encoder."""
    speed = np.clip(np.linspace(-2.0, 15.0, TICKS), 0.0, 15.0)
    run = PAPER.run(
        hand=Driver(angle=Sine(amplitude=3.0, frequency=0.6)), duration=TICKS * T, inputs={"speed": speed}, period=T
    )
    angle = np.round(run.wheel_angle / step) * step if step else run.wheel_angle
    return {"wheel_angle": angle[cut:], "hand_torque": run.hand_torque[cut:], "speed": speed[cut:], "period": T}


def test_how_the_wheel_came_to_its_first_angle_is_not_asked():
    """The hand jerks it from rest within the first tick, of which a log shows the end alone."""
    found = fitted(PAPER, driving_off())
    assert found.parameters == pytest.approx(PAPERS_OWN, rel=1e-3)
    assert found.doubts == []
    assert not found.residual[:2].any()


def test_a_log_that_begins_in_mid_motion_is_judged_from_where_that_is_forgotten():
    found = fitted(PAPER, driving_off(cut=900))
    assert found.parameters == pytest.approx(PAPERS_OWN, rel=0.01)


def test_a_log_that_never_forgets_its_beginning_is_told_to_begin_at_rest():
    parked = logged(PAPER, 3.0 * np.sin(2.0 * np.pi * 0.03 * TIMES), 0.0)
    cut = {name: value[200:] if np.ndim(value) else value for name, value in parked.items()}
    with pytest.raises(ValueError, match=r"begins in mid-motion.*\n.*at rest"):
        fitted(PAPER, cut)


def test_the_steps_of_an_encoder_are_smoothed_and_said():
    """Twice differenced, 16 bits are as loud as the torque: inertia and friction came out wrong, unsaid."""
    found = fitted(PAPER, driving_off(step=2.0 * np.pi / 65536))
    assert found.parameters == pytest.approx(PAPERS_OWN, rel=0.02)
    assert "steps of 9.6e-05 rad" in found.doubts[0]


def test_steps_are_told_from_an_angle_that_has_none():
    wave = np.sin(TIMES)
    assert step_of(wave) == 0.0
    assert step_of(0.01 * np.round(wave / 0.01)) == pytest.approx(0.01)
    assert step_of(np.zeros(9)) == 0.0
    fine = log_of(wave, wave, 0.0 * wave, T, 0.2, False)
    assert (fine.window, fine.step) == (1, 0.0)


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ("white", None),
        ("nothing", None),
        ("jump", "misses the torque"),
        ("to and fro", "noisy angle"),
        ("slow", "hardly the noise"),
    ],
)
def test_what_no_noise_can_leave_is_doubted(left, told):
    """The numbers of a fit are believed only where a sensor's noise can have left what it leaves."""
    white = np.random.default_rng(5).standard_normal(TICKS)
    log = log_of(np.sin(TIMES), np.cos(TIMES), 0.0 * TIMES, T, 0.2, False)
    residual = {
        "white": 0.01 * white,
        "nothing": 1e-9 * np.cumsum(white),
        "jump": 0.01 * white + np.where(np.arange(TICKS) == 700, 0.5, 0.0),
        "to and fro": 0.01 * np.diff(white, n=2, prepend=[0.0, 0.0]),
        "slow": 0.01 * np.sin(TIMES),
    }[left]
    judged = residual[log.judged]
    noise, square = float(np.sqrt(np.mean(judged**2))), float(judged @ judged)
    doubts = steering_doubts(log, residual, noise, float(judged[1:] @ judged[:-1]) / square)
    assert doubts == [] if told is None else any(told in doubt for doubt in doubts)
    if left == "jump":
        assert "1.4 s" in doubts[0]


def test_what_can_be_fitted_is_listed_with_steering_systems():
    with pytest.raises(ValueError, match="SteeringSystem"):
        tg.fit(tg.Mass, np.zeros(99), np.zeros(99), period=T)


def test_a_steering_system_is_fitted_to_its_own_record():
    with pytest.raises(ValueError, match="a SteeringSystem without a SteeringRecord"):
        tg.fit(PAPER, np.zeros(99), np.zeros(99), period=T)


LOG = {"wheel_angle": np.sin(TIMES), "hand_torque": np.cos(TIMES), "speed": 0.0, "period": T}


@pytest.mark.parametrize(
    ("system", "changes", "told"),
    [
        (SteeringSystem, {}, "is a class"),
        (PAPER, {"wheel_angle": None}, "wheel_angle"),
        (PAPER, {"period": None}, "period"),
        (PAPER, {"wheel_angle": np.zeros(TICKS)}, "never changes"),
        (PAPER, {"hand_torque": np.zeros(TICKS)}, "0 throughout"),
        (PAPER, {"hand_torque": -np.cos(TIMES)}, "brakes the wheel"),
        (PAPER, {"hand_torque": np.zeros(7)}, "4000 ticks of wheel_angle but 7"),
        (PAPER, {"hand_torque": np.full(TICKS, np.nan)}, "hand_torque"),
        (PAPER, {"speed": np.zeros(3)}, "speed"),
        (PAPER, {"wheel_angle": [0.0, 1.0], "hand_torque": [0.0, 1.0]}, "a log of 2 ticks"),
        (PAPER, {"position": np.zeros(TICKS)}, "position for a SteeringSystem"),
        (PAPER, {"known": {"mass": 1.0}}, "known has 'mass'"),
        (PAPER, {"known": {"patch.friction": -1.0}}, "patch.friction"),
        (replace(PAPER, patch=ContactPatch(friction=tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5))), {}, "mu is"),
        (replace(PAPER, column=Column(compliance=TorsionBar())), {}, "compliance"),
        (tg.FrictionImpedance, {}, "a SteeringRecord without a SteeringSystem"),
    ],
)
def test_bad_input_is_named(system, changes, told):
    with pytest.raises(ValueError, match=told):
        fitted(system, LOG | changes)


def test_its_figure_can_be_drawn(tmp_path):
    system, _ = truth_of(2)
    found = fitted(PAPER, logged(system, *parked_then_driving(), noise=0.02))
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000
