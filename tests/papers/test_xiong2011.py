"""Every claim of xiong2011 holds, and fails as soon as its physics is broken on purpose."""

import math

import broken_inclusion as broken
import numpy as np
import pytest
from breaks import ledger_tests
from scipy.integrate import solve_ivp

from tegotae.inclusion import Inclusion, examples
from tegotae.papers.xiong2011 import XiongSubject, paper
from tegotae.papers.xiong2011.machine import press, rigid_height, stick_slip_period
from tegotae.papers.xiong2011.one_element import restitution_without_alpha

FLOOR, BELT, TWO = examples.floor, examples.belt, examples.two_bodies
ODE, STEPPER, EVENTS = Inclusion.to_ode, Inclusion.to_stepper, Inclusion.to_events

# Claim -> what is broken -> the parts of the subject that are replaced.
BREAKS = {
    "smoothed-friction-creeps-or-chatters": {
        "a ramp": {"smoothed": lambda v, F, vs: min(max(F * v / vs, -F), F)},
        "never steep": {"smoothed": lambda v, F, vs: F * math.tanh(v / max(vs, 1e-2))},
        "twice the limit": {"smoothed": lambda v, F, vs: 2.0 * F * math.tanh(v / vs)},
    },
    "compiled-friction-holds": {
        "no memory": {"to_ode": broken.without_memory},
        "tanh for sat": {"to_ode": broken.tanh_for_sat},
        "half the friction": {"floor": broken.times(FLOOR, mu=0.5)},
        "softer": {"to_ode": broken.softer(ODE, 0.99)},
    },
    "spring-damper-pulls": {
        "no damper": {"spring_damper": lambda p, v, K, B: -K * p if p < 0.0 else 0.0},
        "never below zero": {"spring_damper": lambda p, v, K, B: max(0.0, -K * p - B * v) if p < 0.0 else 0.0},
    },
    "compiled-contact-never-pulls": {
        "without max": {"to_ode": broken.without_max},
        "the wrong sign": {"to_ode": broken.wrong_sign},
    },
    "all-integrators-agree": {
        "Euler for Heun": {"to_ode": broken.euler_for_heun},
        "a weight of RK4": {"to_ode": broken.rk4_weights},
    },
    "slides-stops-and-stays": {
        "more friction": {"floor": broken.times(FLOOR, mu=1.01)},
        "twice the limit": {"to_ode": broken.double_limit},
        "no memory": {"to_ode": broken.without_memory},
    },
    "nothing-moves-in-an-hour": {
        "no memory": {"to_ode": broken.without_memory},
        "half the friction": {"floor": broken.times(FLOOR, mu=0.5)},
        "softer": {"to_stepper": broken.softer(STEPPER, 0.99)},
    },
    "two-bodies-by-every-integrator": {
        "no friction between": {"two_bodies": broken.times(TWO, mu2=0.0)},
        "a heavier body": {"two_bodies": broken.times(TWO, M2=1.1)},
        "much softer": {"to_ode": broken.softer(ODE, 0.1)},
    },
    "two-bodies-meet-the-rigid-solution": {
        "no friction at the wall": {"two_bodies": broken.times(TWO, mu1=0.0)},
        "more friction at the belt": {"two_bodies": broken.times(TWO, mu3=1.02)},
        "softer": {"to_ode": broken.softer(ODE, 0.5)},
        "less damped": {"to_ode": broken.less_damped(ODE, 0.2)},
    },
    "implicit-route": {
        "twice the period": {"to_stepper": broken.slower_stepper},
        "no friction between": {"two_bodies": broken.times(TWO, mu2=0.0)},
        "much softer": {"to_stepper": broken.softer(STEPPER, 1e-5)},
    },
    "restitution-as-asked": {
        "more damping": {"tune_contact": broken.tuned_damper(1.1)},
        "less damping": {"tune_contact": broken.tuned_damper(0.9)},
        "without max": {"to_ode": broken.without_max},
        "alpha >= beta": {"to_ode": broken.other_contact(alpha=lambda contact: 1.2 * contact.beta)},
    },
    "stick-slip-period": {
        "a larger static limit": {"belt": broken.times(BELT, Fs=1.01)},
        "no jump": {"belt": broken.no_jump},
        "heavier": {"belt": broken.times(BELT, m=1.001)},
    },
    "restitution-is-one-thing": {
        "an ODE that is not told": {"to_ode": broken.bouncing(ODE, None)},
        "a stepper that is not told": {"to_stepper": broken.bouncing(STEPPER, None)},
        "a stepper that gives back a little less": {"to_stepper": broken.bouncing(STEPPER, 0.999)},
        "events that give back a little less": {"to_events": broken.bouncing(EVENTS, 0.999)},
    },
    "oblique-impacts-obey-one-law": {
        "less friction in events": {"to_events": broken.mistaken(EVENTS, mu=0.99)},
        "less friction in the ODE": {"to_ode": broken.mistaken(ODE, mu=0.99)},
        "less friction in the stepper": {"to_stepper": broken.mistaken(STEPPER, mu=0.99)},
        "a stepper that is not told": {"to_stepper": broken.bouncing(STEPPER, None)},
    },
    "woodpecker-pecks-alike": {
        "a livelier beak in the stepper": {"to_stepper": broken.bouncing(STEPPER, 1.1)},
        "a duller beak in the ODE": {"to_ode": broken.bouncing(ODE, 0.8)},
        "an ODE that is not told": {"to_ode": broken.bouncing(ODE, None)},
        "a soft stepper": {"to_stepper": broken.softer(STEPPER, 1e-4)},
    },
    "impacts-gain-no-energy": {
        "lighter to turn in events": {"to_events": broken.mistaken(EVENTS, J=0.8)},
        "lighter to turn in the ODE": {"to_ode": broken.mistaken(ODE, J=0.8)},
        "a stepper that gives back nothing": {"to_stepper": broken.bouncing(STEPPER, 0.0)},
    },
    "erratum-floor": {
        "as printed": {"floor": broken.printed_floor},
        "more friction": {"floor": broken.times(FLOOR, mu=1.01)},
        "other gravity": {"floor": broken.times(FLOOR, g=1.01)},
    },
    "erratum-first-row": {"as printed": {"two_bodies": broken.printed_two_bodies}},
    "erratum-backward-euler": {
        "no friction": {"floor": broken.times(FLOOR, mu=0.0)},
        "more friction": {"floor": broken.times(FLOOR, mu=1.01)},
    },
    "erratum-no-alpha": {
        "always an alpha": {"to_ode": broken.other_contact(alpha=lambda contact: 0.1 * contact.beta)},
        "the stepper less damped": {"to_stepper": broken.less_damped(STEPPER, 0.9)},
        "a heavier ball": {"floor": broken.times(FLOOR, m=1.1)},
    },
}


test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere = ledger_tests(
    paper, XiongSubject(), BREAKS
)


def test_what_is_not_as_printed_says_what_is_printed():
    corrected = {claim.id: claim for claim in paper.claims if not claim.as_printed}
    assert set(corrected) == {
        "erratum-floor",
        "erratum-first-row",
        "erratum-backward-euler",
        "erratum-no-alpha",
    }
    assert all("Printed" in claim.note or "slides call" in claim.note for claim in corrected.values())


# ------------------------------------------------------------ the oracles themselves


def test_rigid_height_solves_its_equation():
    """M1 p'' = -Ks p - (mu1 + mu2) psi2 sgn(p') over the first swing down, integrated by scipy."""
    times = np.linspace(0.0, 0.2, 21)
    shove = 0.5 * press(-1.0)
    run = solve_ivp(
        lambda t, y: [y[1], -200.0 * y[0] + shove], (0.0, 0.2), [0.2, 0.0], t_eval=times, rtol=1e-10, atol=1e-12
    )
    assert rigid_height(times) == pytest.approx(run.y[0], abs=1e-8)
    # Forces between and under the bodies balance: psi2 = mu3 psi3, psi3 = M2 g + mu2 psi2 while body 1 slides down.
    assert press(-1.0) == pytest.approx(0.5 * (2.0 * 9.81 + 0.3 * press(-1.0)), rel=1e-14)


def test_stick_slip_period_of_the_usual_belt():
    period = stick_slip_period(mass=1.0, stiffness=100.0, static=5.0, kinetic=3.0, speed=0.1)
    assert period == pytest.approx(0.806888787159141, abs=1e-14)


def test_restitution_without_alpha_solves_its_equation():
    """x'' = -(x + 2 zeta x') until that force is 0."""
    for zeta in (0.1, 0.4, 0.8):

        def leaves(_, y, zeta=zeta):
            return y[0] + 2.0 * zeta * y[1]

        leaves.terminal, leaves.direction = True, 1.0
        run = solve_ivp(
            lambda t, y, zeta=zeta: [y[1], -y[0] - 2.0 * zeta * y[1]],
            (0.0, 10.0),
            [0.0, -1.0],
            events=leaves,
            rtol=1e-10,
            atol=1e-12,
        )
        assert restitution_without_alpha(zeta) == pytest.approx(run.y_events[0][0][1], abs=1e-7)


# ------------------------------------------------------------ examples that no claim runs


def test_slope_holds_below_the_angle_of_friction_and_slides_above():
    for angle, speed in ((0.45, 0.0), (0.5, 9.81 * (math.sin(0.5) - 0.5 * math.cos(0.5)))):
        block, start = examples.slope(friction=0.5, angle=angle)
        assert block.to_events().solve((0.0, 1.0), start, times=[1.0]).v[0] == pytest.approx(speed, abs=1e-9)


def test_pendulum_strikes_the_table_and_loses_energy_only_there():
    pendulum, start = examples.pendulum_on_table()
    ode = pendulum.to_ode(auto=True, period=1e-4, restitution=0.3, initial=start)
    run = ode.solve((0.0, 1.0), start, method="RK4", step=1e-4, events=True)
    height = -0.5 * np.cos(run.q1) - 0.4 * np.cos(run.q2)
    kinetic = 0.5 * 1.5 * (0.5 * run.u1) ** 2 + 0.25 * (0.4 * run.u2) ** 2
    kinetic += 0.5 * 0.5 * 0.4 * run.u1 * run.u2 * np.cos(run.q1 - run.q2)
    energy = kinetic + 9.81 * (-1.5 * 0.5 * np.cos(run.q1) - 0.5 * 0.4 * np.cos(run.q2))
    assert height.min() > -0.75 - 5e-3
    first = int(np.searchsorted(run.time, run.events[0].time))
    assert np.ptp(energy[:first]) < 1e-6
    assert energy[-1] < energy[0] - 0.1
