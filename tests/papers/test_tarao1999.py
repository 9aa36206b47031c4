"""Every claim of tarao1999 holds, and fails as soon as its physics is broken on purpose."""

import broken_hybrid as hybrid
import broken_tree as broken
import numpy as np
import pytest
from breaks import ledger_tests

from tegotae import figures
from tegotae.multibody import Servo
from tegotae.papers.tarao1999 import TaraoSubject, paper, peers
from tegotae.papers.two_robots.settings import RobotsSettings

# Claim -> what is broken -> the parts of the subject that are replaced.
BREAKS = {
    "equations-of-kane": {
        "heavier": {"Tree": broken.Heavier},
        "a joint beside its place": {"Tree": broken.Bent},
        "without gyroscopic terms": {"Tree": broken.WithoutGyroscopes},
        "without wrenches": {"Tree": broken.WithoutWrenches},
        "other gravity": {"Tree": broken.pushed(z=1e-8)},
    },
    "equals-pinocchio": {
        "heavier": {"Tree": broken.Heavier},
        "a joint beside its place": {"Tree": broken.Bent},
        "without gyroscopic terms": {"Tree": broken.WithoutGyroscopes},
    },
    "equals-pinocchio-on-real-robots": {
        "heavier": {"load_urdf": broken.heavier_file},
        "a joint beside its place": {"load_urdf": broken.bent_file},
    },
    "ticks-of-second-order": {
        "of first order": {"Scene": broken.FirstOrder},
        "heavier": {"Tree": broken.pushed(z=-1e-3)},
    },
    "energy-at-any-period": {"of first order": {"Scene": broken.FirstOrder}},
    "momentum-adrift": {"in a thin gas": {"Scene": broken.Leaking}},
    "restitution-as-asked": {
        "a thousandth less": {"Touch": broken.touch(restitution=0.999)},
        "not told": {"Touch": broken.deaf},
    },
    "impacts-gain-nothing": {
        "not told": {"Touch": broken.deaf},
        "a little less": {"Touch": broken.touch(restitution=0.98)},
        "of first order": {"Scene": broken.FirstOrder},
    },
    "loops-stay-closed": {
        "of first order": {"Scene": broken.FirstOrder},
        "a joint beside its place": {"Tree": broken.loosely_joined},
        "other gravity": {"Tree": broken.pushed(y=-1e-2)},
    },
    "friction-in-loops-is-exact": {
        "creeping": {"Scene": broken.Creeping},
        "a third of the friction": {"Friction": broken.weak_friction},
        "none where a loop is closed": {"Tree": broken.open_loops_rub_less},
    },
    "ball-joints-have-no-pole": {
        "of first order": {"Scene": broken.FirstOrder},
        "other gravity": {"Tree": broken.pushed(z=-0.1)},
    },
    "joints-stop-as-asked": {
        "not told": {"Tree": broken.dead_stops},
    },
    "joints-tell-what-they-carry": {
        "of first order": {"Scene": broken.FirstOrder},
        "a thousandth left out": {"Scene": broken.LightHanded},
        "other gravity": {"Tree": broken.pushed(z=-1e-2)},
    },
    "springs-between-any-points": {
        "of first order": {"Scene": broken.FirstOrder},
        "in a thin gas": {"Scene": broken.Leaking},
    },
    "cost-per-body": {"quadratic": {"Tree": broken.Quadratic}},
    "real-time": {"slow": {"TwoRobots": broken.Slow}},
    "table-round-trip": {
        "longer arms": {"Hexa": broken.LongArms},
        "a way back that ends elsewhere": {"Hexa": broken.Astray},
    },
    "table-jacobian": {"moments about another point": {"Hexa": broken.Twisted}},
    "erratum-virtual-work": {"moments about another point": {"Hexa": broken.Twisted}},
    "table-stiffness": {
        "without the transpose": {"Hexa": broken.Untransposed},
        "moments about another point": {"Hexa": broken.Twisted},
        "not in proportion": {"Hexa": broken.Saturating},
    },
    "table-impedance": {
        "softer motors": {"Plant": broken.soft_motors},
        "without the transpose": {"Hexa": broken.Untransposed},
        "a weaker damper": {"Plant": broken.weak_damper},
    },
    "momentum": {
        "a pull from outside": {"TwoRobots": broken.Attracted},
        "action without reaction": {"TwoRobots": broken.OneSided},
    },
    "reduced-mass": {
        "a softer spring": {"TwoRobots": broken.soft_contact},
        "masses never changed": {"TwoRobots": broken.robots(masses=(50.0, 10.0, 50.0, 1.0))},
        "faster": {"TwoRobots": broken.robots(speed=0.01002)},
        "bent": {"TwoRobots": broken.robots(pose="B")},
        "an implicit rule at 2 ms": {"TwoRobots": broken.Coarse},
        "another table": {"Hexa": broken.Saturating},
    },
    "stiffer-table": {
        "always as stiff": {"TwoRobots": broken.robots(kp=200.0)},
        "softer with higher gains": {"TwoRobots": broken.inverse_contact},
    },
    "changed-masses": {"never changed": {"TwoRobots": broken.robots(masses=(50.0, 10.0, 50.0, 1.0))}},
    "how-joints-are-held": {
        "locks forgotten": {"TwoRobots": broken.loose_lock},
        "never held": {"TwoRobots": broken.robots(joints=None)},
        "always by a servo": {"TwoRobots": broken.robots(joints=Servo(gain=500.0, rate_gain=50.0))},
        "in line": {"TwoRobots": broken.robots(pose="A")},
    },
    "explicit-euler-gains-energy": {"braked": {"TwoRobots": broken.Braked}},
    "parked-arm": {
        "a third of the friction": {"Friction": broken.weak_friction},
        "too much friction": {"Friction": broken.strong_friction},
        "creeping": {"Scene": broken.Creeping},
        "steps not solved": {"Scene": broken.Unsolved},
    },
    "box-at-rest": {
        "creeping": {"Scene": broken.Creeping},
        "smooth": {"Touch": broken.touch(friction=0.0)},
        "other gravity": {"Tree": broken.pushed(z=1e-6)},
        "steps not solved": {"Scene": broken.Unsolved},
    },
    "box-slides-and-tips": {
        "less friction": {"Touch": broken.touch(friction=0.985)},
        "more friction": {"Touch": broken.touch(friction=1.015)},
        "leaning": {"Tree": broken.pushed(x=0.05)},
        "leaning back": {"Tree": broken.pushed(x=-0.05)},
    },
    "two-finger-grasp": {
        "less friction": {"Touch": broken.touch(friction=0.985)},
        "more friction": {"Touch": broken.touch(friction=1.015)},
        "heavier": {"Tree": broken.pushed(z=-0.15)},
        "creeping": {"Scene": broken.Creeping},
    },
    "mujoco-creeps": {
        "ours creeps": {"Scene": broken.Creeping},
        "smooth": {"Touch": broken.touch(friction=0.0)},
        "a third of the friction": {"Friction": broken.weak_friction},
    },
    "loop-beside-numbers": {
        "softer motors": {"Loop": hybrid.changed(device={"kp": 0.85})},
        "a stiffer probe": {"Loop": hybrid.changed(device={"stiffness": 2.0})},
        "half the servo's damper": {"Loop": hybrid.changed(device={"damping_ratio": 0.5})},
        "masses never changed": {"Loop": hybrid.changed(model=RobotsSettings(gap=0.002))},
        "numbers alone that give as much": {"TwoRobots": hybrid.soft_numbers},
    },
    "delay-gains-energy": {
        "the guard left on": {"Loop": hybrid.changed(guard=True)},
        "a contact that damps": {"Loop": hybrid.damped_spring},
        "half the delay told": {"Loop": hybrid.Flattering},
    },
    "guard-lets-nothing-in": {
        "a microjoule a tick": {"Loop": hybrid.Generous},
        "no guard": {"Loop": hybrid.changed(guard=False)},
    },
    "compensation-brings-back-the-truth": {
        "half the delay known": {"Loop": hybrid.Flattering},
        "no compensation": {"Loop": hybrid.changed(compensation=False)},
        "the table not sent ahead": {"Loop": hybrid.Unled},
        "the wrong sign": {"Loop": hybrid.WrongSign},
    },
    "missed-deadlines-are-told": {
        "long ticks not counted": {"RealClock": hybrid.Forgiving},
        "skipped ticks not counted": {"RealClock": hybrid.Skipping},
    },
    "table-rests-without-dynamics": {
        "a watchdog that is slow": {"Loop": hybrid.changed(limits={"watchdog": 4})},
        "it leaves its latch by itself": {"Loop": hybrid.Restless},
        "it comes to rest slowly": {"Loop": hybrid.changed(limits={"ramp": 4.0})},
    },
    "device-holds-without-table": {
        "a watchdog that sleeps": {"DeviceNode": hybrid.sleeping_dog},
        "a watchdog that is slow": {"DeviceNode": hybrid.slow_dog},
        "it obeys without being re-armed": {"DeviceNode": hybrid.Obedient},
    },
    "watchers-change-nothing": {"whoever is watched does something else": {"Loop": hybrid.Distracted}},
}


test_claim_holds, test_claim_fails_on_broken_physics, test_every_claim_is_broken_somewhere = ledger_tests(
    paper, TaraoSubject(), BREAKS, timed=("cost-per-body", "real-time", "missed-deadlines-are-told")
)


def test_mujoco_is_what_creeps(monkeypatch):
    """That claim is about another engine: one that stood still would fail it, too."""
    monkeypatch.setattr(peers, "track", lambda xml, **options: np.zeros((5501, 8)))
    entry = paper["mujoco-creeps"].check(TaraoSubject())
    assert not entry.passed
    assert sum(finding.passed for finding in entry.findings) == 3


def test_what_other_packages_are_needed_for_is_said():
    assert {claim.id: claim.needs for claim in paper.claims if claim.needs} == {
        "equals-pinocchio": ("pinocchio",),
        "equals-pinocchio-on-real-robots": ("pinocchio", "example-robot-data"),
        "mujoco-creeps": ("mujoco",),
        "missed-deadlines-are-told": ("mcap",),
        "watchers-change-nothing": ("mcap",),
    }


def test_without_other_packages_their_claims_are_not_checked(monkeypatch):
    monkeypatch.setattr("tegotae.papers.ledger.installed", lambda name: False)
    for claim in paper.claims:
        if claim.needs:
            assert claim.check(TaraoSubject()).status == "not checked"


def test_what_is_not_as_printed_says_what_is_printed():
    corrected = {claim.id: claim for claim in paper.claims if not claim.as_printed}
    assert set(corrected) == {"erratum-virtual-work"}
    assert all(claim.note.startswith("Printed:") for claim in corrected.values())


@pytest.mark.parametrize("plate", paper.figures, ids=lambda plate: plate.name)
def test_figures_are_drawn(plate, tmp_path):
    with figures.style():
        plate.draw(TaraoSubject()).savefig(tmp_path / "figure.png", dpi=40)
    assert (tmp_path / "figure.png").stat().st_size > 2000


@pytest.mark.parametrize("name", ["cost", "standing-still"])
def test_figures_are_drawn_without_other_engines(name, tmp_path, monkeypatch):
    monkeypatch.setattr("tegotae.papers.tarao1999.figures.installed", lambda package: False)
    (plate,) = (plate for plate in paper.figures if plate.name == name)
    with figures.style():
        plate.draw(TaraoSubject()).savefig(tmp_path / "figure.png", dpi=40)
    assert (tmp_path / "figure.png").stat().st_size > 2000
