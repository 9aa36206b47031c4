"""Every claim of kikuuwe2005 holds, and fails as soon as its physics is broken on purpose."""

import broken_friction as broken
import numpy as np
import pytest
from breaks import ledger_tests

import tegotae as tg
from tegotae.friction.classics import Dahl, ExplicitlyCoupledFriction, HaywardArmstrong, Karnopp, LuGre, Tanh
from tegotae.papers.kikuuwe2005 import KikuuweSubject, paper
from tegotae.papers.kikuuwe2005.oracles import in_continuous_time, masing, ten_springs

IMPEDANCE, ADMITTANCE, PARALLEL = tg.FrictionImpedance, tg.FrictionAdmittance, tg.ParallelFriction

# Claim -> what is broken -> the parts of the subject that are replaced.
BREAKS = {
    "friction-opposes-velocity": {
        "friction from the last velocity": {"Admittance": broken.ForwardFriction},
        "friction that pushes": {"Impedance": broken.with_law(IMPEDANCE, broken.Pushing)},
        "smoothed": {"Impedance": broken.with_law(IMPEDANCE, broken.Smoothed)},
    },
    "stops-in-finite-time": {
        "heavier than said": {"Admittance": broken.times(ADMITTANCE, mass=1.05)},
        "smoothed": {"Admittance": broken.with_law(ADMITTANCE, broken.Smoothed)},
    },
    "shortcut-5": {
        "(5) instead of (4b)": {"Viscous": broken.ViscousByFive},
        "friction from the last velocity": {"Admittance": broken.ForwardFriction},
    },
    "holds-for-an-hour": {
        "smoothed impedance": {"Impedance": broken.with_law(IMPEDANCE, broken.Smoothed)},
        "smoothed admittance": {"Admittance": broken.with_law(ADMITTANCE, broken.Smoothed)},
        "Dahl's friction": {"Impedance": broken.dahl_instead},
    },
    "zero-mass": {
        "no damper": {"Impedance": broken.times(IMPEDANCE, damping=0.0)},
        "always some mass": {"Impedance": broken.always(IMPEDANCE, mass=1e-3)},
        "a jump at M = 0": {"Impedance": broken.jumps_at_no_mass},
        "stronger": {"Impedance": broken.with_law(IMPEDANCE, lambda F: tg.Coulomb(1.01 * F))},
    },
    "hayward-armstrong": {
        "always damped": {"Impedance": broken.always(IMPEDANCE, damping=1.0)},
        "always some mass": {"Impedance": broken.always(IMPEDANCE, mass=1e-3)},
        "another limit": {"HaywardArmstrong": broken.times(HaywardArmstrong, limit=1.001)},
    },
    "sample-by-sample": {
        "forgets in the loop": {"Impedance": broken.Forgetful},
        "no inertia": {"Impedance": broken.times(IMPEDANCE, mass=0.0)},
        "no damper": {"Impedance": broken.times(IMPEDANCE, damping=0.0)},
    },
    "any-dimension": {"each axis by itself": {"Impedance": broken.AxisByAxis}},
    "erratum-19": {"sgn(v)": {"Impedance": broken.AlongTheHand}},
    "explicit-coupling-chatters": {
        "(18) for (11)": {"Explicit": broken.calm_instead},
        "(11) for (18)": {"Impedance": broken.explicit_instead},
        "(11) without damper": {"Explicit": broken.times(ExplicitlyCoupledFriction, damping=0.0)},
    },
    "any-law": {
        "(5) instead of (17c)": {"Stribeck": broken.StribeckByFive},
        "no inertia": {"Impedance": broken.times(IMPEDANCE, mass=0.0)},
    },
    "one-sliding-speed": {
        "anything is accepted": {"Impedance": broken.Unchecked},
        "a factor in max(-r')": {"Stribeck": broken.FallUnderrated},
    },
    "lag-loop": {
        "no lag": {"Impedance": broken.times(IMPEDANCE, lag=0.0)},
        "a longer lag": {"Impedance": broken.times(IMPEDANCE, lag=1.1)},
        "always a lag": {"Impedance": broken.always(IMPEDANCE, lag=0.05)},
    },
    "held-at-b": {
        "smoothed": {"joystick": broken.joystick_with(broken.with_law(IMPEDANCE, broken.Smoothed))},
        "half the limit": {"joystick": broken.joystick_with(broken.with_law(IMPEDANCE, lambda F: tg.Coulomb(F / 2)))},
        "half the stiffness": {"joystick": broken.joystick_with(broken.times(IMPEDANCE, stiffness=0.5))},
    },
    "force-is-friction": {
        "always some mass": {"joystick": broken.joystick_with(broken.always(IMPEDANCE, mass=0.1))},
        "no inertia": {"joystick": broken.joystick_with(broken.times(IMPEDANCE, mass=0.0))},
        "no damper": {"joystick": broken.joystick_with(broken.times(IMPEDANCE, damping=0.0))},
    },
    "hysteresis-values": {
        "stiffer": {"Parallel": broken.times(PARALLEL, stiffness=1.01)},
        "stronger": {"Parallel": broken.times(PARALLEL, limits=1.01)},
        "no dampers": {"Parallel": broken.times(PARALLEL, damping=0.0)},
        "one is missing": {"Parallel": broken.always(PARALLEL, limits=range(1, 10))},
    },
    "loops-close": {
        "Dahl's friction": {"Parallel": broken.dahl_instead},
        "no dampers": {"Parallel": broken.times(PARALLEL, damping=0.0)},
        "always damped": {"Parallel": broken.always(PARALLEL, damping=100.0)},
    },
    "linear-before-sliding": {
        "Dahl's friction": {"Impedance": broken.dahl_instead},
        "never sliding": {"Parallel": broken.times(PARALLEL, limits=100.0)},
    },
    "composite-dissipates": {
        "dampers that push": {"Impedance": broken.DamperPushes},
        "pushing together": {"Parallel": broken.PushingTogether},
        "stiffer together": {"Parallel": broken.times(PARALLEL, stiffness=1.01)},
    },
    "others-creep-and-drift": {
        "tanh, smoothed more": {"Tanh": broken.times(Tanh, velocity=1.1)},
        "tanh without creep": {"Tanh": broken.elastic_instead},
        "Dahl, smoothed": {"Dahl": broken.smoothed_instead},
        "LuGre, smoothed": {"LuGre": broken.smoothed_instead},
        "Dahl without drift": {"Dahl": broken.elastic_instead},
        "Dahl, softer": {"Dahl": broken.times(Dahl, stiffness=0.9)},
        "LuGre, softer": {"LuGre": broken.times(LuGre, stiffness=0.9)},
        "ours smoothed": {"Impedance": broken.with_law(IMPEDANCE, broken.Smoothed)},
        "ours by Dahl": {"Impedance": broken.dahl_instead},
    },
    "erratum-20": {
        "as printed": {"Dahl": broken.DahlAsPrinted},
        "stiffer": {"Dahl": broken.times(Dahl, stiffness=1.01)},
    },
    "thresholds-chatter": {
        "no band": {"Karnopp": broken.without_band},
        "a narrower band": {"Karnopp": broken.times(Karnopp, dead_zone=0.3)},
        "friction from the last velocity": {"Admittance": broken.ForwardFriction},
    },
}


test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere = ledger_tests(
    paper, KikuuweSubject(), BREAKS
)


def test_what_is_not_as_printed_says_what_is_printed():
    corrected = {claim.id: claim for claim in paper.claims if not claim.as_printed}
    assert set(corrected) == {"shortcut-5", "erratum-19", "erratum-20", "one-sliding-speed", "loops-close"}
    assert all("(" in claim.note or "paper says" in claim.note for claim in corrected.values())


def test_what_needs_people_or_hardware_is_declined():
    assert [d.source for d in paper.declined] == ["section 4, last paragraph", "Fig. 3, section 3.2"]


# ------------------------------------------------------------ the oracles themselves


def test_masing_is_right_where_it_can_be_told_by_hand():
    # One spring of 1 N/m that slides at 1 N: up to 3 m it holds -1 N, back to 2.5 m it gives 0.5 N of it back, at
    # 1 m it slides the other way, and on the way up again it must be moved by 2 m before it slides.
    force = masing([3.0, 2.5, 1.0, 0.0, 0.5, 2.0, 2.5], ten_springs(1.0, [1.0]))
    assert force.tolist() == [-1.0, -0.5, 1.0, 1.0, 0.5, -1.0, -1.0]


def test_masing_forgets_a_closed_loop():
    curve = ten_springs(1.0, [0.5, 1.0, 2.0])
    with_loop = masing([1.5, -0.2, 0.4, -0.2, -1.0], curve)
    without = masing([1.5, -0.2, -1.0], curve)
    assert with_loop[[0, 1, 4]] == pytest.approx(without, abs=1e-14)
    assert with_loop[3] == pytest.approx(with_loop[1], abs=1e-14)


def test_the_solution_in_continuous_time_solves_its_equation():
    # K e + B e' = f in the slip phase and f = -F; integrated finely by an unrelated scheme.
    K, B, F, v = 1e4, 100.0, 3.0, 4e-3
    period, ticks = 1e-3, 600
    exact = in_continuous_time([(v, ticks), (-v, ticks)], period, K, B, [F])
    e, forces, fine = 0.0, [], 200
    for k in range(2 * ticks):
        speed = v if k < ticks else -v
        for _ in range(fine):
            f = np.clip(K * e - B * speed, -F, F)
            e += period / fine * (f - K * e) / B  # w - v; -v while it sticks
        forces.append(np.clip(K * e - B * speed, -F, F))
    assert exact == pytest.approx(np.array(forces), abs=2e-3)
