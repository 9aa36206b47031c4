"""What a hybrid loop simulates, by its settings: URDF files, code of the user's own; or a machine given in Python."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tegotae import Mass
from tegotae.errors import InputError, TegotaeError
from tegotae.hybrid import LogReader, Machine, VirtualLoop, read_settings, run_virtual
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.machines.model_settings import KINDS, OwnModel, UrdfModel, UrdfRobot
from tegotae.hybrid.processes.processes import about_of
from tegotae.hybrid.records.log_node import LogNode
from tegotae.hybrid.records.replay import replay
from tegotae.hybrid.settings import Settings
from tegotae.papers.two_robots.settings import RobotsSettings

ROOT = Path(__file__).parents[2]
PAIR = ROOT / "examples" / "urdf_pair.toml"
K, M, V = 2e4, 40.0, 0.01  # of the example: spring, target, speed
PEAK, LONG = V * math.sqrt(K * M), math.pi * math.sqrt(M / K)


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def bounced(told, tolerance=2e-3):
    """The half sine of a mass on a spring, and its speed given back."""
    force = -told.dynamics["wrench"][:, 2]
    assert force.max() == pytest.approx(PEAK, rel=tolerance)
    assert 2e-3 * np.count_nonzero(force) == pytest.approx(LONG, abs=4e-3)
    assert told.dynamics["twist"][-1, 2] == pytest.approx(-V, rel=tolerance)


def pair(*changes):
    return read_settings(PAIR, ["clock=virtual", "model.robot.joints=locked", *changes])


def test_a_target_meets_a_locked_arm_as_a_mass_meets_a_spring():
    bounced(run_virtual(pair()))


def test_a_robot_may_stand_anywhere_and_turned():
    """Everything turned about an axis, and moved: the same contact."""
    plain, turned = (run_virtual(one).dynamics for one in (pair(), _turned(pair())))
    np.testing.assert_allclose(turned["wrench"][:, 2], plain["wrench"][:, 2], atol=1e-6)


def _turned(settings):
    """Lying on its side, target and all: the arm's z becomes the world's x."""
    model, side = settings.model, (0.0, 0.5 * math.pi, 0.0)
    arm = replace(model.robot, turn=side, place=(1.0, 2.0, 3.0))
    far = 1.0 + model.other.place[2]
    target = replace(model.other, turn=side, place=(far, 2.0, 3.0), velocity=(-V, 0.0, 0.0))
    return replace(settings, model=replace(model, robot=arm, other=target))


def test_one_robot_meets_the_world():
    flying = UrdfRobot(
        file="examples/docking_target.urdf", body="hull", point=(0.0, 0.0, 0.2), free=True, place=(0.0, 0.0, 0.795),
        velocity=(0.0, 0.0, V),
    )  # fmt: skip
    wall = UrdfRobot(point=(0.0, 0.0, 1.0))
    model = UrdfModel(robot=flying, other=wall, gravity=(0.0, 0.0, 0.0))
    bounced(run_virtual(replace(pair(), model=model)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("model.robot.file=", "Name the URDF file"),
        ("model.robot.file=nowhere.urdf", "nowhere.urdf"),
        ("model.robot.body=hand", "model.robot.body='hand' is not in examples/docking_arm.urdf"),
        ("model.other.body=", "model.other.body='' is not in"),
        ("model.robot.angles.wrist=1.0", "model.robot.angles has 'wrist'"),
        ("model.into=[0.0, 0.0, 0.0]", "has no direction"),
        ("model.robot.speed=1.0", "speed"),
        ("model.substeps=0", "substeps"),
    ],
)
def test_what_cannot_be_is_refused(change, words):
    with pytest.raises(TegotaeError, match=words):
        run_virtual(pair(change))


def test_every_kind_is_written_and_read_back(tmp_path):
    models = {"two-robots": RobotsSettings(pose="B"), "urdf": pair().model, "own": OwnModel(factory="a:b")}
    assert models.keys() == KINDS.keys()
    for name, model in models.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(Settings(model=model).toml())
        assert read_settings(file).model == model


# ------------------------------------------------------------ machines of the user's own

CODE = """
from tegotae import Circuit, Link, Mass, SpringDamper
from tegotae.hybrid import Machine

def cart(mass, gap):
    return Machine(Mass(mass=mass, dimension=6), {"velocity": (0, 0, 0.01, 0, 0, 0)}, (0, 0, -gap, 1, 0, 0, 0))

def resting():
    return Mass(mass=1.0, dimension=6)

def barbell():
    masses = {"near": Mass(mass=1.0, dimension=6), "far": Mass(mass=1.0, dimension=6)}
    return Circuit(masses, {"bar": Link(SpringDamper(stiffness=1e4, damping=10.0, dimension=6), "near", "far")})

def line():
    return Mass(mass=1.0)

def spring():
    return "a spring"
"""
CART = {"mass": M, "gap": 5e-3}


@pytest.fixture
def code(tmp_path, monkeypatch):
    (tmp_path / "own_machines.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("own_machines", None)


def own(name, **options):
    short = ["device.kind=spring", f"device.stiffness={K}", "duration=1.2", "clock=virtual", "period=5e-4"]
    return replace(read_settings(changes=short), model=OwnModel(factory=f"own_machines:{name}", options=options))


def test_code_of_ones_own_is_simulated_logged_and_replayed(code):
    """An implicit mass, of first order: 1 % at this period."""
    settings, path = own("cart", **CART), code / "own.mcap"
    bus = MemoryBus(settings.session)
    with LogNode(bus, settings.session, path, about=about_of(settings)):
        told = run_virtual(settings, bus=bus)
    force = -told.dynamics["wrench"][:, 2]
    assert force.max() == pytest.approx(PEAK, rel=0.01)
    with pytest.raises(InputError, match=r"names code for its model: model.factory='own_machines:cart'"):
        replay(LogReader(path))
    assert replay(LogReader(path), machine=settings.model.machine(settings.period)) is None


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (OwnModel(), "Name a function as 'module:function'"),
        (OwnModel(factory="own_machines"), "Name a function as 'module:function'"),
        (OwnModel(factory="own_machines:nothing"), "cannot be found"),
        (OwnModel(factory="nowhere_at_all:nothing"), "cannot be found"),
        (OwnModel(factory="own_machines:line"), "no such port with six(.|\n)*of dimension 1"),
        (OwnModel(factory="own_machines:spring"), "Return an admittance"),
    ],
)
def test_code_that_gives_no_machine_is_refused(code, model, words):
    with pytest.raises(InputError, match=words):
        run_virtual(replace(own("cart"), model=model))


def test_settings_name_the_port_that_is_met(code):
    model = replace(own("barbell").model, port="far")
    assert model.machine(2e-3).port == "far"
    with pytest.raises(InputError, match="several ports with six"):
        replace(model, port="").machine(2e-3)
    with pytest.raises(InputError, match="port='middle': no such port"):
        replace(own("cart", **CART).model, port="middle").machine(2e-3)


def test_a_block_alone_starts_where_it_touches(code):
    assert own("resting").model.start(2e-3) == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def test_settings_that_name_code_say_so_before_it_is_run(code):
    settings, log = code / "own.toml", code / "own.mcap"
    settings.write_text(replace(own("cart", **CART), duration=0.02).toml())
    tegotae = [sys.executable, "-m", "tegotae", "hybrid"]
    for arguments in (["run", str(settings), "--out", str(log)], ["replay", str(log)]):
        done = subprocess.run(
            [*tegotae, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(code)},
        )
        assert "names code that will be run: model.factory='own_machines:cart'" in done.stderr


def test_a_machine_is_handed_over_in_python():
    """Instead of the model of the settings; the table starts where it is."""
    settings = read_settings(changes=["device.kind=spring", f"device.stiffness={K}", "period=5e-4", "duration=0.8"])
    coming = Machine(Mass(mass=M, dimension=6), {"velocity": (0, 0, V, 0, 0, 0)}, (1e-3, 0, -2e-3, 1, 0, 0, 0))
    loop = VirtualLoop(settings, machine=coming)
    assert loop.twin.read().pose[:3] == (1e-3, 0.0, -2e-3)
    force = -run_virtual(settings, machine=coming).dynamics["wrench"][:, 2]
    assert force.max() == pytest.approx(PEAK, rel=0.01)
    assert np.count_nonzero(force) * 5e-4 == pytest.approx(LONG, rel=0.03)
