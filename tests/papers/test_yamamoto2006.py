"""Every claim of yamamoto2006 holds, and fails as soon as its physics is broken on purpose."""

from itertools import pairwise

import broken_steering as broken
import numpy as np
import pytest
from breaks import ledger_tests
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import tegotae as tg
from tegotae.control import PID, PSMC
from tegotae.papers.yamamoto2006 import YamamotoSubject, oracles, paper
from tegotae.steering import Kinematic, SteeringSystem, Uniform
from tegotae.steering.classics.printed import ExplicitSteering, PrintedSteering

LITERAL, PHYSICAL = SteeringSystem.paper, SteeringSystem.physical
UNIFORM = Uniform(load=1400.0 / 21.0)

# Claim -> what is broken -> the parts of the subject that are replaced.
BREAKS = {
    "smooth-hysteresis-parked": {
        "more friction": lambda: {"literal": broken.literal(broken.times(friction=1.1))},
        "no damper": lambda: {"literal": broken.literal(broken.times(damping=0.0))},
        "never slips": lambda: {"literal": broken.literal(broken.times(friction=1e6))},
    },
    "full-slip-comes-earlier-at-speed": {
        "less damping": lambda: {"literal": broken.literal(broken.times(damping=0.9))},
        "more friction": lambda: {"literal": broken.literal(broken.times(friction=1.1))},
        "another share of slip": lambda: {"literal": broken.with_vehicle(LITERAL, Kinematic(slip_share=0.45))},
        "always damped": lambda: {"patch": broken.always(damping=150.0)},
    },
    "slope-grows-with-speed": {
        "less damping": lambda: {"literal": broken.literal(broken.times(damping=0.9))},
        "a shorter arm": lambda: {"literal": broken.literal(broken.times(centre=0.9))},
        "a vehicle that cannot slide": lambda: {"physical": broken.with_vehicle(PHYSICAL, Kinematic())},
    },
    "hand-torque-drops-when-steered": {
        "less inertia": lambda: {"literal": broken.with_column(LITERAL, inertia=0.8)},
        "another gear": lambda: {"literal": broken.with_column(LITERAL, gear=1.1)},
        "less friction": lambda: {"literal": broken.literal(broken.times(friction=0.8))},
    },
    "literal-drop-is-inertia": {
        "hardly any inertia": lambda: {"literal": broken.with_column(LITERAL, inertia=0.1)},
        "a stiff brush": lambda: {"literal": broken.literal(broken.always(stiffness=1e4, damping=0.0))},
    },
    "physical-drop": {
        "damped": lambda: {"patch": broken.always(damping=150.0)},
        "uniform load": lambda: {"patch": broken.always(pressure=UNIFORM)},
        "the literal tyre": lambda: {"physical": LITERAL},
        "more friction on the vehicle": lambda: {"physical": broken.physical(broken.times(friction=1.3))},
    },
    "steady-brush": {
        "stiffer": lambda: {"patch": broken.times(stiffness=1.0001)},
        "more friction": lambda: {"patch": broken.times(friction=1.0001)},
        "the other side of the axis": lambda: {"patch": broken.times(centre=-1.0)},
        "uniform load": lambda: {"patch": broken.always(pressure=UNIFORM)},
        "the full period on entry": lambda: {"patch": broken.full_period()},
        "the sign of the slip": lambda: {"patch": broken.wrong_slip()},
    },
    "parking-torque": {
        "stiffer": lambda: {"patch": broken.times(stiffness=1.0001)},
        "less friction": lambda: {"patch": broken.times(friction=0.9999)},
        "turned about the middle": lambda: {"patch": broken.times(centre=0.0)},
        "damped": lambda: {"patch": broken.always(damping=1.0)},
        "no memory": lambda: {"patch": broken.no_memory()},
        "few bristles": lambda: {"patch": broken.always(bristles=401)},
    },
    "a-millisecond-is-enough-at-70": {
        "the velocity at the end": lambda: {"patch": broken.end_velocity()},
        "the full period on entry": lambda: {"patch": broken.full_period()},
        "another share of slip": lambda: {"patch": broken.times(slip_share=1.01)},
        "few bristles": lambda: {"patch": broken.always(bristles=21)},
    },
    "no-energy-from-nowhere": {
        "friction that drives": lambda: {"literal": broken.literal(broken.pushing())},
        "nothing explicit": lambda: {"explicit": lambda *, system: system},
    },
    "no-divergence": {
        "a tyre that cannot be turned": lambda: {"literal": broken.literal(broken.times(friction=30.0))},
        "nothing explicit": lambda: {"explicit": lambda *, system: system},
    },
    "psmc-recovers-without-overshoot": {
        "hardly any time to recover": lambda: {"psmc": lambda **g: PSMC(**g | {"recovery": 0.01})},
        "slow": lambda: {"psmc": lambda **g: PSMC(**g | {"recovery": 1.0})},
        "no integral": lambda: {"psmc": lambda **g: PSMC(**g | {"integral": 0.0})},
        "a PID that does not wind up": lambda: {"pid": lambda **g: PSMC(**g)},
        "a PID for the PSMC": lambda: {"psmc": lambda recovery, **g: PID(**g)},
    },
    "erratum-drive-train": {
        "printed, but corrected": lambda: {"printed": ExplicitSteering},
        "corrected, but printed": lambda: {"explicit": PrintedSteering},
        "more friction": lambda: {
            "train": lambda law, **g: tg.FrictionImpedance(law=tg.Coulomb(1.01 * law.limit), **g)
        },
        "soft": lambda: {"train": lambda law, **g: tg.FrictionImpedance(stiffness=100.0, law=law)},
    },
    "erratum-load-outside": {
        "negative outside": lambda: {"patch": broken.always(pressure=broken.Unclipped())},
        "uniform load": lambda: {"patch": broken.always(pressure=UNIFORM)},
    },
    "erratum-bound": {
        "bounded by F": lambda: {"patch": broken.always(friction=1.0)},
        "always bounded by mu F": lambda: {"patch": broken.always(friction=0.4)},
    },
    "erratum-places": {
        "one place fewer": lambda: {"patch": broken.always(bristles=20)},
        "a longer patch": lambda: {"patch": broken.always(half_length=0.11)},
        "more friction": lambda: {"patch": broken.always(friction=0.41)},
    },
    "entering-bristles": {
        "the full period on entry": lambda: {"patch": broken.full_period()},
        "kept stretched": lambda: {"patch": broken.kept()},
        "less friction": lambda: {"patch": broken.times(friction=0.999)},
    },
}


test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere = ledger_tests(
    paper, YamamotoSubject(), BREAKS
)


def test_what_is_not_as_printed_says_what_is_printed():
    corrected = {claim.id: claim for claim in paper.claims if not claim.as_printed}
    assert set(corrected) == {
        "literal-drop-is-inertia",
        "erratum-drive-train",
        "erratum-load-outside",
        "erratum-bound",
        "erratum-places",
        "entering-bristles",
    }
    assert all("Printed" in claim.note for claim in corrected.values())


# ------------------------------------------------------------ the oracles themselves


def test_brush_has_the_numbers_of_its_closed_form():
    force, torque = oracles.brush([0.02, 0.08, 0.2], K=1e4)
    assert force == pytest.approx([323.75, 560.0, 560.0], rel=1e-12)
    assert torque == pytest.approx([12.38125, 11.2, 11.2], rel=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_brush_is_the_integral_of_its_bristles(alpha):
    """A bristle is stretched by alpha (a - xi) or as far as friction lets it; quadrature instead of the closed form."""

    def force(xi):
        return 21.0 / 0.2 * min(1e4 * alpha * (0.1 - xi), 0.4 * 1e4 * (0.01 - xi * xi))

    bend = [min(0.1, 2.5 * alpha - 0.1)]
    total = quad(force, -0.1, 0.1, points=bend)[0]
    torque = quad(lambda xi: -(xi - 0.02) * force(xi), -0.1, 0.1, points=bend)[0]
    assert oracles.brush(alpha, K=1e4) == pytest.approx((total, torque), rel=1e-9)


@pytest.mark.parametrize("delta", [1e-4, 0.02, 0.3])
def test_virgin_curve_is_the_integral_of_its_bristles(delta):
    def torque(xi):
        arm = abs(xi - 0.02)
        return 21.0 / 0.2 * arm * min(1e4 * arm * delta, 0.4 * 1e4 * (0.01 - xi * xi))

    ends = [-0.1, 0.02, 0.1]
    for end in (-0.1, 0.1):  # where sticking turns into slipping: a corner that quadrature has to be told
        ends.append(brentq(lambda xi: abs(xi - 0.02) * delta - 0.4 * (0.01 - xi * xi), 0.02, end))
    exact = sum(quad(torque, low, high)[0] for low, high in pairwise(sorted(ends)))
    assert oracles.virgin([delta, -delta], K=1e4) == pytest.approx([exact, -exact], rel=1e-7)


def test_masing_closes_the_loop():
    """Back at the first reversal the torque is what it was there, and the loop is its own mirror image."""
    up, down = np.linspace(0.0, 0.05, 101)[1:], np.linspace(0.05, -0.05, 201)[1:]
    torque = oracles.parked(np.concatenate([up, down, -down]), K=1e4)
    assert torque[-1] == pytest.approx(torque[99], rel=1e-12)
    assert torque[300:] == pytest.approx(-torque[100:300], rel=1e-9, abs=1e-12)


def test_characteristics_hold_still_is_the_steady_brush():
    """So slow a sine that alpha hardly changes while a bristle passes: the closed form at the crest."""
    torque = oracles.rolled(
        np.array([250.0]), amplitude=0.06, frequency=1e-3, share=0.5, V=70.0, K=1e4, places=800, steps=800
    )
    assert torque[0] == pytest.approx(float(oracles.brush(0.03, K=1e4)[1]), rel=1e-4)


def test_characteristics_without_slip_solve_the_transport_equation():
    """Far below the limit all stick but at the very ends: e' = u along the way, integrated by scipy."""
    amplitude, w, V, now = 1e-5, 6.0 * np.pi, 70.0, 0.1

    def stretch(xi):
        enters = now - (0.1 - xi) / V
        run = solve_ivp(
            lambda t, _: [
                (xi + V * (now - t) - 0.02) * amplitude * w * np.cos(w * t) - V * 0.5 * amplitude * np.sin(w * t)
            ],
            (enters, now),
            [0.0],
            rtol=1e-10,
            atol=1e-16,
        )
        return run.y[0, -1]

    places = 0.1 * ((2.0 * np.arange(200) + 1.0) / 200 - 1.0)
    exact = sum(1e4 * stretch(xi) * (xi - 0.02) for xi in places) * 21.0 / 200
    torque = oracles.rolled(
        np.array([now]), amplitude=amplitude, frequency=3.0, share=0.5, V=V, K=1e4, places=200, steps=200
    )
    assert torque[0] == pytest.approx(exact, rel=1e-3)
