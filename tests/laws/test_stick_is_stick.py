"""Below the limit nothing moves: not in an hour, not under vibration."""

import numpy as np
import pytest

import tegotae as tg

PERIOD = 1e-3
HOUR = 3_600_000


def loads(kind):
    """80 % of a 5 N limit, steady, or 70 % swinging by 40 % of itself at 10 Hz: below the limit throughout."""
    time = PERIOD * np.arange(HOUR)
    return np.full(HOUR, 4.0) if kind == "constant" else 3.5 * (1.0 + 0.4 * np.sin(2 * np.pi * 10.0 * time))


@pytest.mark.parametrize("kind", ["constant", "vibrating"])
@pytest.mark.parametrize("law", [tg.Coulomb(5.0), tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)])
def test_admittance_does_not_move_at_all_in_an_hour(kind, law):
    run = tg.FrictionAdmittance(mass=1.0, law=law).run(loads(kind), period=PERIOD, every=1000)
    assert (run.position == 0.0).all()
    assert (run.velocity == 0.0).all()


@pytest.mark.parametrize("kind", ["constant", "vibrating"])
def test_mass_on_an_element_gives_elastically_then_stays(kind):
    """The virtual point stands exactly still; the mass returns to the same place in each swing."""
    brake = tg.FrictionImpedance(stiffness=1e6, damping=1e3, law=tg.Coulomb(5.0))
    run = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake}).run(loads(kind), period=PERIOD, every=100)
    assert (run["brake.slip_velocity"] == 0.0).all()
    settled = run.position[10:]  # after one second; every 100 ms is the same phase of the 10 Hz swing
    assert np.ptp(settled) <= 1e-15


def test_just_above_the_limit_it_does_move():
    """The tests above can fail: a hair above the limit the same machine slides away."""
    slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(5.0))
    assert slider.run(np.full(1000, 5.0 * (1 + 1e-9)), period=PERIOD).position[-1] > 0.0
    assert slider.run(np.full(1000, 5.0), period=PERIOD).position[-1] == 0.0
