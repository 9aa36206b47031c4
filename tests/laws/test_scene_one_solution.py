"""A step of a scene has one solution: friction that falls faster than the inertia outweighs is refused.

The step of a hinge: I/T (v1 - v0) = torque + f(v1), f the force of its friction. Where f can rise faster with v1 than
I/T, the two sides meet in more than one speed.
"""

import re

import numpy as np
import pytest

import tegotae as tg
from machines import PERIOD as T
from tegotae.multibody import Body, Lock, Prismatic, Revolute, Scene, Servo, Tree
from tegotae.running.probe import Probe

FALLING = tg.FrictionImpedance(stiffness=1e5, damping=300.0, law=tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01))
NUMBER = r"([-+.\de]+)"


def hinge(inertia, friction=FALLING, *, controllers=(), **joint):
    disc = Body(name="disc", mass=0.0, inertia=(inertia,) * 3, joint=Revolute(friction=friction, **joint))
    return Scene(tree=Tree([disc], gravity=(0, 0, 0)), controllers=dict(controllers))


def speeds(inertia, torque, stretch):
    """After a step from rest: where what is left of the force changes its sign."""
    rub, v = Probe(FALLING, T, initial={"deflection": stretch}), np.linspace(-1e-3, 0.1, 20_001)
    left = [inertia / T * one - torque - rub.answer(one)[0][0] for one in v]
    return v[1:][np.diff(np.sign(left)) != 0]


def test_a_light_hinge_has_two_speeds_after_one_step_and_a_heavy_one_has_one():
    """It rests, held at 4 of 5 N·m: it may go on resting, or else slip on from here."""
    rest = {"torque": 4.0, "stretch": -4.0 / 1e5}
    many = speeds(1e-4, **rest)
    assert len(many) >= 2
    assert abs(many[0]) < 1e-5 < 1e-3 < many[1]
    assert len(speeds(1.01 * T * FALLING.steepest_rise(T), **rest)) == 1


def test_the_error_names_the_smallest_inertia():
    """T times the steepest fall, less what there is; with it, the scene runs."""
    least = T * FALLING.steepest_rise(T)
    with pytest.raises(tg.UniquenessError, match="friction in disc falls faster") as told:
        hinge(1e-4).run(0.01, period=T)
    more = float(re.search(rf"Add {NUMBER} kg·m²", str(told.value))[1])
    assert least - 1e-4 <= more < 1.01 * least
    hinge(1e-4 + more).run(0.01, period=T)
    with pytest.raises(tg.UniquenessError):
        hinge(0.99 * least).check(T)
    with pytest.raises(tg.UniquenessError):
        hinge(1e-4).start(period=T)


def test_dampers_and_servos_count_and_a_lock_holds():
    rise = FALLING.steepest_rise(T)
    hinge(1e-4, damping=rise).check(T)
    hinge(1e-4, controllers={"disc": Servo(gain=0.6 * rise / T, rate_gain=0.5 * rise)}).check(T)
    hinge(1e-4, controllers={"disc": Lock()}).check(T)
    with pytest.raises(tg.UniquenessError):
        hinge(1e-4, damping=0.9 * rise).check(T)
    hinge(1e-4, tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(3.0))).check(T)


def test_what_a_joint_feels_counts_while_all_others_are_free():
    """A slide on a cart: m M/(m + M), whatever the cart weighs at most m."""
    least = T * FALLING.steepest_rise(T)

    def scene(cart, slide):
        bodies = [
            Body(name="cart", mass=cart, joint=Prismatic()),
            Body(name="slide", mass=slide, parent="cart", joint=Prismatic(friction=FALLING)),
        ]
        return Scene(tree=Tree(bodies))

    scene(3 * least, 1.6 * least).check(T)  # 1.04
    with pytest.raises(tg.UniquenessError, match="friction in slide falls"):
        scene(3 * least, 1.4 * least).check(T)  # 0.95
