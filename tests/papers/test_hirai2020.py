"""Every claim of hirai2020 holds, and fails as soon as its physics is broken on purpose."""

import broken_rod as broken
import pytest
from breaks import ledger_tests

from tegotae import figures
from tegotae.papers.hirai2020 import HiraiSubject, paper

# Claim -> what is broken -> the parts of the subject that are replaced.
BREAKS = {
    "inertia-matrix": {
        "an angle's inertia": {"Saddle": broken.Altered},
        "a coupling to the places": {"Saddle": broken.AlteredPlaces},
        "too few points": {"Saddle": broken.FewPoints},
        "full": {"Saddle": broken.Full},
    },
    "equations-of-motion": {
        "heavier": {"Rod": broken.Heavier},
        "stiffer": {"Rod": broken.Stiffer},
        "without the payload": {"Rod": broken.WithoutPayload},
        "a weaker torque": {"Rod": broken.WeakerTorque},
    },
    "recursion-equals-saddle-point": {
        "heavier": {"Rod": broken.Heavier},
        "a clamp for a pin": {"Rod": broken.Clamped},
        "nothing turns": {"Saddle": broken.NoTurning},
        "too few points": {"Saddle": broken.FewPoints},
    },
    "constraint-drift": {
        "never stabilised": {"Saddle": broken.Unstabilised},
        "always stabilised": {"Saddle": broken.AlwaysStabilised},
        "torn": {"Rod": broken.Torn},
    },
    "bending-matrix": {
        "stiffer": {"Rod": broken.Stiffer},
        "uneven": {"Rod": broken.UnevenBending},
        "an error of first order": {"Rod": broken.softer_with_fewer_nodes},
    },
    "literal-run": {
        "heavier": {"Rod": broken.Heavier},
        "a loose tolerance": {"Rod": broken.Loose},
        "never released": {"Rod": broken.NeverReleased},
        "less viscous": {"Rod": broken.times(viscosity=0.9999)},
    },
    "ticks-of-second-order": {
        "of first order": {"Grounded": broken.first_order},
        "heavier in ticks": {"Grounded": broken.grounded_heavier},
    },
    "energy": {
        "a loose tolerance": {"Rod": broken.Loose},
        "gravity": {"Rod": broken.with_gravity},
        "stiffer than it says": {"Rod": broken.Stiffer},
    },
    "angular-momentum": {
        "a weaker torque": {"Rod": broken.WeakerTorque},
        "gravity": {"Rod": broken.with_gravity},
        "a push on the tip": {"Rod": broken.PushedTip},
        "a clamp for a pin": {"Rod": broken.Clamped},
    },
    "linear-momentum": {
        "gravity": {"Rod": broken.with_gravity},
        "never released": {"Rod": broken.NeverReleased},
        "never pinned": {"Rod": broken.NeverPinned},
        "a push on the tip": {"Rod": broken.PushedTip},
    },
    "computing-time": {
        "slow": {"Rod": broken.Slow},
        "a loose tolerance": {"Rod": broken.Loose},
    },
    "mixed-coordinates-are-cheaper": {
        "slow": {"Instant": broken.SlowMixed},
        "angles alone as quick": {"Instant": broken.QuickPure},
        "another motion": {"Instant": broken.OtherMixed},
    },
    "second-order-in-n": {
        "an error of first order": {"Rod": broken.softer_with_fewer_nodes},
    },
    "narrated-motion": {
        "hardly viscous": {"Rod": broken.times(viscosity=0.01)},
        "stiff": {"Rod": broken.times(elasticity=1000.0)},
        "never released": {"Rod": broken.NeverReleased},
        "never pinned": {"Rod": broken.NeverPinned},
    },
    "erratum-constraint": {"as printed": {"Saddle": broken.PrintedTangent}},
    "erratum-zero-block": {
        "constraints ignored": {"Saddle": broken.IgnoredConstraints},
    },
    "erratum-pin": {
        "lets go": {"Saddle": broken.LetGo},
        "pinned for good": {"Saddle": broken.PinnedForGood},
    },
    "erratum-released-base": {
        "pinned for good": {"Saddle": broken.PinnedForGood},
        "nodes leave their circles": {"Saddle": broken.NoCurl},
    },
}


test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere = ledger_tests(
    paper, HiraiSubject(), BREAKS, timed=("computing-time", "mixed-coordinates-are-cheaper")
)


def test_what_is_not_as_printed_says_what_is_printed():
    corrected = {claim.id: claim for claim in paper.claims if not claim.as_printed}
    assert set(corrected) == {
        "narrated-motion",
        "erratum-constraint",
        "erratum-zero-block",
        "erratum-pin",
        "erratum-released-base",
    }
    assert all(claim.note.startswith("Printed:") for claim in corrected.values())


@pytest.mark.parametrize("plate", paper.figures, ids=lambda plate: plate.name)
def test_figures_are_drawn(plate, tmp_path):
    with figures.style():
        plate.draw(HiraiSubject()).savefig(tmp_path / "figure.png", dpi=40)
    assert (tmp_path / "figure.png").stat().st_size > 2000
