"""The library that ships: what it holds, that it is met by its own kernels alone, and that it needs no compiler."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tegotae as tg
from tegotae.compile import backend, recording, shipped, shipping

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(backend.name() != "c", reason="other backends have no library")

# Machines of every system, small; none may need a compiler.
MACHINES = """
import numpy as np, tegotae as tg
from tegotae.multibody import Body, Corners, Free, HalfSpace, Revolute, Scene, Touch, Tree
from tegotae.rod import Phase, PlanarRod
from tegotae.steering import SteeringSystem
from tegotae.table import HexaPlant

brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
assert brake.run(np.full(100, 0.1), period=1e-3).force[-1] == -4.0
assert brake.start(period=1e-3).step(0.1) < 0.0
kept = np.full(100, 0.1)
kept.flags.writeable = False
assert brake.run(kept, period=1e-3).force[-1] == -4.0
crate = Tree([Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.1))])
floor = Touch(on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=HalfSpace(), stiffness=1e6, friction=0.5)
rests = Scene(tree=crate, touches=[floor]).run(0.5, period=1e-3)
assert abs(rests.v[-1]).max() < 1e-6 and rests.about["unsolved_steps"] == 0
rod = PlanarRod(length=10.0, nodes=9, density=0.1, elasticity=1.0, viscosity=2.0)
turned = rod.run([Phase(until=1.0, torque=10.0, base="pinned")])
assert abs(turned.angular_momentum[-1] - 10.0) < 1e-2
SteeringSystem.paper(speed=10.0).run(np.full(10, 0.5), period=1e-3)
HexaPlant.default().run(np.zeros((5, 6)))
print("all ran")
"""


def run_without_compiler(python, folder, **more):
    """In an empty folder, with a cache of its own and no compiler to be found; what it printed."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    environment = {**kept, "PATH": str(folder / "empty"), "TEGOTAE_CACHE": str(folder / "cache"), **more}
    done = subprocess.run([python, "-c", MACHINES], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not list((folder / "cache").glob("*.so")) if (folder / "cache").exists() else True
    return done.stdout + done.stderr


def test_the_installed_library_runs_machines_of_every_system_without_a_compiler(tmp_path):
    assert run_without_compiler(sys.executable, tmp_path, PYTHONPATH=str(ROOT / "src")) == "all ran\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A library of one brake, and how it is called."""
    folder = tmp_path_factory.mktemp("library")
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    told = []
    with recording.recorded() as calls:
        brake.run(np.full(2, 0.1), period=1e-3)
    assert shipping.make(calls, folder, told.append) == 1
    assert any("compiling" in words for words in told), "installing shows what it does"
    return folder, brake


@pytest.fixture
def only_small(small, monkeypatch):
    monkeypatch.setattr(shipped, "folders", lambda: (small[0],))
    shipped._manifests.cache_clear()
    yield small
    monkeypatch.undo()
    shipped._manifests.cache_clear()


def test_recording_compiles_nothing_and_computes_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("TEGOTAE_CACHE", str(tmp_path))
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    with recording.recorded() as calls:
        plain = brake.run(np.full(5, 0.1), period=1e-3).force
    assert [kernel.__name__ for kernel, *_ in calls] == ["loop"]
    assert not list(tmp_path.iterdir())
    assert np.array_equal(plain, brake.run(np.full(5, 0.1), period=1e-3).force)


def test_an_entry_is_found_by_what_it_is(only_small):
    folder, _ = only_small
    (key,) = json.loads((folder / shipped.MANIFEST).read_text())["entries"]
    assert shipped.find(key)[0] == folder / shipped.LIBRARY
    assert shipped.find("another") is None
    assert shipped.count() == 1


@pytest.mark.usefixtures("only_small")
def test_a_library_for_another_machine_is_told_and_left_alone(monkeypatch):
    monkeypatch.setattr(shipped, "machine", lambda: "moon-z80")
    with pytest.warns(UserWarning, match="compiled anew"):
        assert shipped.count() == 0


def test_the_wheel_holds_the_library_and_runs_without_a_compiler(tmp_path):
    """Installed into an empty environment, beside the core's packages alone."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith(f"-py3-none-{sys.platform}_{os.uname().machine}.whl")
    names = zipfile.ZipFile(wheel).namelist()
    own = sorted(Path(name).name for name in names if "/compile/library/" in name)
    assert own == sorted([shipped.MANIFEST, shipped.LIBRARY, *(one.library for one in shipped.variants())])
    assert not [name for name in names if name.endswith((".o", ".c"))]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    python = str(tmp_path / "env" / "bin" / "python")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", str(wheel)], check=True)
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    for package in ("numpy", "numpy.libs", "scipy", "scipy.libs", "msgspec", "platformdirs"):
        (site / package).symlink_to(Path(np.__file__).parents[1] / package)
    assert run_without_compiler(python, tmp_path) == "all ran\n"


def test_the_best_library_for_the_processor_is_taken(monkeypatch, tmp_path):
    """Loops with free sums by the best variant that it can run; all others by the one for every processor."""
    monkeypatch.setattr(shipped, "_usable", lambda library: True)
    monkeypatch.setattr(shipped, "_manifests", lambda: ((tmp_path, {"sums": ("a", True), "strict": ("b", False)}),))
    for has, best in (
        ("avx avx2 fma", shipped.LIBRARY),
        ("avx2 fma bmi1 bmi2 movbe f16c", "kernels-v3.so"),
        ("avx2 fma bmi1 bmi2 movbe f16c avx512f avx512dq avx512bw avx512vl avx512cd", "kernels-v4.so"),
    ):
        monkeypatch.setattr(shipped, "variants", lambda: shipped.VARIANTS["x86_64"])
        monkeypatch.setattr(Path, "read_text", lambda *_, has=has, **__: f"model : x\nflags : {has}\n")
        shipped._best.cache_clear()
        assert shipped.find("sums")[0].name == best
        assert shipped.find("strict")[0].name == shipped.LIBRARY
    shipped._best.cache_clear()
