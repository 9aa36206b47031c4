"""Every claim of kikuuwe2005 holds, and fails as soon as its physics is broken on purpose."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from tegotae.checks import Array
from tegotae.friction import FrictionAdmittance, FrictionImpedance
from tegotae.papers.kikuuwe2005 import Subject, paper
from tegotae.result import Result, Variable


def changed(result: Result, name: str, factor: float) -> Result:
    """The same result with one quantity multiplied."""
    old = result.variables[name]
    return Result({**result.variables, name: Variable(old.dims, factor * old.values, old.unit)}, title="broken")


@dataclass(frozen=True, kw_only=True)
class FrictionPushes(FrictionAdmittance):
    """A sign: friction along the velocity."""

    def run(self, *args: Any, **options: Any) -> Result:
        return changed(super().run(*args, **options), "friction", -1.0)


@dataclass(frozen=True, kw_only=True)
class HeavierThanSaid(FrictionAdmittance):
    """A factor: 5 % more mass than the parameter says."""

    @property
    def parameters(self) -> Array:
        return super().parameters * np.array([1.05, 1.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class WithoutDamping(FrictionImpedance):
    """A missing term: B = 0 whatever the parameter says."""

    @property
    def parameters(self) -> Array:
        return super().parameters * np.array([1.0, 0.0, 1.0, 1.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class WithMass(FrictionImpedance):
    """An extra term: the virtual point weighs something."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mass", 0.1)


real = Subject()
# Claim -> subjects on which it must fail.
BREAKS = {
    "friction-opposes-velocity": [replace(real, Admittance=FrictionPushes)],
    "stops-in-finite-time": [replace(real, Admittance=HeavierThanSaid)],
    "zero-mass": [replace(real, Impedance=WithoutDamping), replace(real, Impedance=WithMass)],
}


@pytest.mark.parametrize("claim", paper.claims, ids=lambda claim: claim.id)
def test_claim_holds(claim: Any) -> None:
    entry = claim.check(real)
    assert entry.passed, f"{entry.measured} against {entry.bound}; {entry.note}"


@pytest.mark.parametrize(
    ("identifier", "subject"),
    [pytest.param(i, s, id=f"{i}-{n}") for i, many in BREAKS.items() for n, s in enumerate(many)],
)
def test_claim_fails_on_broken_physics(identifier: str, subject: Subject) -> None:
    entry = paper[identifier].check(subject)
    assert not entry.passed
    assert entry.findings, f"it must fail by its numbers, not by an error: {entry.note}"


def test_every_claim_is_broken_somewhere() -> None:
    assert set(BREAKS) == {claim.id for claim in paper.claims}
