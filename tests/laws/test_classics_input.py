"""Bad input to the classics gets an error that names the argument, the value and the way out."""

import math
import re

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction.classics import (
    Dahl,
    Elastoplastic,
    ExplicitlyCoupledFriction,
    GeneralisedMaxwellSlip,
    HaywardArmstrong,
    Karnopp,
    LuGre,
    Tanh,
)

LAW = tg.Coulomb(4.0)
STRIBECK = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
GOOD = {
    Tanh: {"limit": 4.0, "velocity": 1e-3},
    Dahl: {"stiffness": 6000.0, "limit": 4.0, "exponent": 1.0},
    LuGre: {"stiffness": 1e4, "damping": 30.0, "law": LAW, "viscosity": 0.0},
    Elastoplastic: {"stiffness": 1e4, "damping": 30.0, "law": LAW, "breakaway": 2.0, "viscosity": 0.0},
    GeneralisedMaxwellSlip: {"stiffness": 1e4, "fractions": [0.5, 0.5], "law": LAW, "attraction": 1.0, "viscosity": 0},
    HaywardArmstrong: {"stiffness": 6000.0, "limit": 4.0, "dimension": 2},
    Karnopp: {"mass": 1.0, "limit": 3.0, "static": 4.0, "dead_zone": 0.01},
    ExplicitlyCoupledFriction: {"stiffness": 6000.0, "damping": 10.0, "law": LAW, "mass": 0.01},
}
ZERO_ALLOWED = {"damping", "viscosity"}
CASES = [
    (kind, name, bad)
    for kind, good in GOOD.items()
    for name in good
    for bad in (-1.0, 0.0, math.nan, math.inf, "much", None)
    if not (name in ZERO_ALLOWED and bad == 0.0)
]


@pytest.mark.parametrize(("kind", "name", "bad"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_every_bad_parameter_is_refused_by_name(kind, name, bad):
    with pytest.raises(tg.InputError, match=name) as caught:
        kind(**{**GOOD[kind], name: bad})
    problem, remedy = str(caught.value).split("\n")
    assert problem.startswith(kind.__name__)
    assert remedy.strip()


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        (Elastoplastic, {"breakaway": 4.0}, "breakaway=4.0 N is not below the law"),
        (Elastoplastic, {"law": STRIBECK, "breakaway": 3.5}, "Use breakaway < 3;"),
        (Karnopp, {"static": 2.0}, "static=2.0 N is below limit=3.0 N"),
        (GeneralisedMaxwellSlip, {"fractions": [0.5, 0.6]}, "fractions add up to 1.1"),
        (GeneralisedMaxwellSlip, {"stiffness": [1.0, 2.0, 3.0]}, "3 values of stiffness but 2 fractions"),
        (GeneralisedMaxwellSlip, {"fractions": []}, "fractions"),
        (LuGre, {"law": tg.Tabulated([0.0, 0.1, 0.2], [4.0, 0.0, 3.0])}, "law gives 0 N at 0.1 m/s"),
    ],
)
def test_parameters_that_do_not_fit_together(kind, change, says):
    with pytest.raises(tg.InputError, match=re.escape(says)):
        kind(**{**GOOD[kind], **change})


@pytest.mark.parametrize("kind", GOOD, ids=lambda kind: kind.__name__)
def test_bad_records(kind):
    block = kind(**GOOD[kind])
    for bad in ([], [0.0, math.nan], np.zeros((3, 5)), "fast"):
        with pytest.raises(tg.InputError):
            block.run(bad, period=1e-3)
    for period in (0.0, -1.0, math.nan):
        with pytest.raises(tg.InputError, match="period"):
            block.run(np.zeros((3, block.dimension)), period=period)


def test_explicit_coupling_refuses_two_sliding_speeds():
    block = ExplicitlyCoupledFriction(stiffness=6000.0, law=STRIBECK, mass=0.01)
    with pytest.raises(tg.UniquenessError, match=r"mass >= 0\.17"):
        block.run(np.zeros(3), period=1e-3)
