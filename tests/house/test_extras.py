"""A plain install is small and runs the physics; what needs more names the extra that brings it, before any work."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tegotae as tg
from tegotae.extras import SOURCES, require

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OURS = {"all", "test", "peers", "bench"}  # made of others, or for those who work on tegotae


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def plain_install() -> set[str]:
    """What `pip install tegotae` brings beside itself, by the metadata of what is installed here."""
    found: set[str] = set()
    waiting = list(PROJECT["dependencies"])
    while waiting:
        wanted = Requirement(waiting.pop())
        name = canonicalize_name(wanted.name)
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += metadata.requires(name) or []
    return found


# ------------------------------------------------------------ what stands in pyproject.toml and in the locks


def test_the_core_depends_on_these_alone():
    assert names(PROJECT["dependencies"]) == {"numpy", "scipy", "typer", "rich", "msgspec", "platformdirs"}


def test_a_plain_install_is_small():
    packages = plain_install()
    assert len(packages) + 1 <= 15, sorted(packages)  # and tegotae itself
    files = [file for name in packages for file in metadata.files(name) or []]
    size = sum(os.stat(file.locate()).st_size for file in files if os.path.exists(file.locate()))
    assert size < 240e6  # bytes; 250e6 with tegotae itself


def test_errors_and_pyproject_name_the_same_extras():
    optional = {name: names(packages) for name, packages in EXTRAS.items() if name not in OURS}
    core = names(PROJECT["dependencies"])
    told: dict[str, set[str]] = {}
    for source in SOURCES.values():
        told.setdefault(source.extra, set()).add(source.package)
    assert told == {name: packages - core for name, packages in optional.items() if packages - core}


def test_all_is_all():
    (everything,) = (Requirement(one) for one in EXTRAS["all"])
    assert everything.name == "tegotae"
    # cvode has no wheels for some machines; most have a compiler of their own
    assert everything.extras == set(EXTRAS) - OURS - {"cvode", "compiler"}


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - OURS | {"all"}))
def test_the_readme_tells_every_extra(extra):
    assert f"| `{extra}` |" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("lock", ["run", "test", "bench"])
def test_locks_hold_all_extras_and_no_address(lock):
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    locked = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    wanted = [one for name, packages in EXTRAS.items() if name not in OURS | {"cvode", "compiler"} for one in packages]
    wanted += [*PROJECT["dependencies"], *EXTRAS.get(lock, [])]
    assert names(wanted) <= locked
    assert not re.search(r"://|^-|@ ", text, re.MULTILINE)


# ------------------------------------------------------------ the sentence


def test_the_error_names_what_is_asked_the_package_and_the_extra(monkeypatch):
    for module in ("zenoh", "mcap", "polars", "xarray"):
        monkeypatch.setitem(sys.modules, module, None)  # as if it were not there
    with pytest.raises(tg.MissingExtraError) as caught:
        require("This", "polars")
    assert str(caught.value) == "This needs polars, which is not installed.\n  pip install 'tegotae[parquet]'"
    with pytest.raises(ImportError, match=r"needs eclipse-zenoh and mcap, which are .*\n.*'tegotae\[hybrid\]'$"):
        require("This", "zenoh", "mcap")
    with pytest.raises(
        tg.TegotaeError, match=r"needs xarray, polars and mcap, .*\n.*\[netcdf,parquet,hybrid\]', or wait\.$"
    ):
        require("This", "xarray", "numpy", "polars", "mcap", instead="wait")
    require("This", "sympy")


# ------------------------------------------------------------ a plain install, at work


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Environment of a process that sees the core's packages alone, as after `pip install tegotae`."""
    site = tmp_path_factory.mktemp("site")
    for name in plain_install():
        files = metadata.files(name) or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (site / top).symlink_to(metadata.distribution(name).locate_file(top))
    own = {name: word for name, word in os.environ.items() if name != "TEGOTAE_BACKEND"}  # numba is no part of it
    return {**own, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT / "src")])}


def at_work(plain, folder, *arguments):
    """Without the site: nothing but what `plain` has is found."""
    command = [sys.executable, "-S", *arguments]
    return subprocess.run(command, env=plain, cwd=folder, capture_output=True, text=True, timeout=600)


def test_a_plain_install_has_no_extra(plain, tmp_path):
    code = f"from importlib.util import find_spec; print(*[m for m in {[*SOURCES]!r} if find_spec(m)])"
    done = at_work(plain, tmp_path, "-c", code)
    assert done.stdout.split() == [], done.stderr


MACHINES = {
    "friction": """
import tegotae as tg
run = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0)).run([0.05] * 100, period=1e-3)
print(run.force[-1] == -4.0 and run.variables["force"].unit == "N" and "100 time" in repr(run))
""",
    "circuit": """
import tegotae as tg
brake = tg.FrictionImpedance(stiffness=1e6, damping=1e3, law=tg.Coulomb(5.0))
print(tg.Circuit(tg.Mass(mass=1.0), {"brake": brake}).run([3.0] * 100, period=1e-3)["brake.slip_velocity"].max() == 0.0)
""",
    "scene": """
from tegotae.multibody import Body, Corners, Free, HalfSpace, Scene, Touch, Tree
crate = Tree([Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.1))])
ground = HalfSpace(normal=(0, 0, 1), point=(0, 0, -0.01))
floor = Touch(on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=ground, stiffness=1e6, friction=0.5)
print(Scene(tree=crate, touches=[floor]).run(0.1, period=1e-3).about["unsolved_steps"] == 0)
""",
    "rod": """
from tegotae.rod import Phase, PlanarRod
rod = PlanarRod(length=10.0, nodes=9, density=0.1, elasticity=1.0, viscosity=2.0)
print(abs(rod.run([Phase(until=0.1, torque=10.0, base="pinned")]).angular_momentum[-1] - 1.0) < 1e-3)
""",
    "steering": """
from tegotae.steering import SteeringSystem
from tegotae.steering.hands import Driver, Sine
hand = Driver(angle=Sine(amplitude=8.0))
print(SteeringSystem.paper(speed=0.0).run(hand=hand, duration=0.1, period=1e-3).about["unsolved_steps"] == 0)
""",
    "fit": """
import numpy as np, tegotae as tg
t = np.arange(2000)
velocity = 0.02 * np.sin(0.02 * t) + 0.01 * np.sin(0.071 * t)
force = tg.FrictionImpedance(stiffness=5000.0, damping=8.0, law=tg.Coulomb(3.0)).run(velocity, period=1e-3).force
found = tg.fit(tg.FrictionImpedance, velocity, force + np.random.default_rng(1).normal(0.0, 0.05, 2000), period=1e-3)
print(abs(found.parameters["limit"] - 3.0) < 0.05)
""",
}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_plain_install_runs(machine, plain, tmp_path):
    done = at_work(plain, tmp_path, "-c", MACHINES[machine])
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize(
    "arguments", ["--help", "hybrid show", "run friction --json run.json --out run.csv", "run friction --out run.mat"]
)
def test_the_command_line_of_a_plain_install_works(arguments, plain, tmp_path):
    done = at_work(plain, tmp_path, "-m", "tegotae", *arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "run.json" not in arguments or json.loads((tmp_path / "run.json").read_text())["scenario"] == "friction"


ASKED = {
    "run.dataset": "netcdf",
    "run.save('run.nc')": "netcdf",
    "tg.load('empty.nc')": "netcdf",
    "run.save('run.parquet')": "parquet",
    "run.to_pandas()": "pandas",
    "run.plot('file')": "plot",
    "figures.sheet()": "plot",
    "figures.style().__enter__()": "plot",
    "__import__('tegotae.inclusion')": "inclusion",
    "__import__('tegotae.inclusion.language.symbols')": "inclusion",
    "papers.load_paper('xiong2011')": "inclusion",
    "load_urdf('arm.urdf')": "robots",
    "hybrid.LogWriter('file', {})": "hybrid",
    "hybrid.LogReader(__file__)": "hybrid",
    "hybrid.ZenohBus('demo', key=hybrid.new_key())": "hybrid",
    "View(hybrid.MemoryBus('demo'), port=0)": "hybrid",
    "Nodes(hybrid.Settings())": "hybrid",
}
ASKING = """
import json, os, sys
import tegotae as tg
from tegotae import figures, hybrid, papers
from tegotae.hybrid.processes.launcher import Nodes
from tegotae.hybrid.view import View
from tegotae.multibody import load_urdf

run = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).run([0.05] * 100, period=1e-3)
before, told = os.listdir(), {}
for asked in json.loads(sys.argv[1]):
    try:
        told[asked] = f"nothing was said, but {eval(asked)!r} given"
    except tg.MissingExtraError as error:
        told[asked] = str(error)
assert os.listdir() == before
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(plain, tmp_path_factory):
    """What each of the above says in a plain install."""
    folder = tmp_path_factory.mktemp("asking")
    (folder / "asking.py").write_text(ASKING)
    (folder / "empty.nc").touch()
    (folder / "arm.urdf").write_text('<robot name="arm"> <link name="base"/> </robot>')
    done = at_work(plain, folder, "asking.py", json.dumps([*ASKED]))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("asked", ASKED)
def test_a_missing_extra_is_named(asked, told):
    assert re.fullmatch(rf".+ needs .+, which (is|are) not installed\.\n  pip install 'tegotae\[{ASKED[asked]}\]'",
                        told[asked])  # fmt: skip


TYPED = {
    "run friction --out run.nc": "netcdf",
    "run friction --out run.parquet": "parquet",
    "run friction --plot run.png": "plot",
    "run steering --animation run.gif": "plot",
    "run inclusion belt": "inclusion",
    "fit record.csv --plot fit.png": "plot",
    "papers kikuuwe2005": "plot",
    "papers kikuuwe2005 --no-report --figures figures": "plot",
    "papers xiong2011 --no-report": "inclusion",
    "hybrid run lab.toml --set clock=virtual": "hybrid",
    "hybrid run lab.toml --no-view": "hybrid",
    "hybrid device lab.toml": "hybrid",
    "hybrid report run.mcap": "hybrid",
}


@pytest.mark.parametrize("typed", TYPED)
def test_a_command_refuses_before_it_does_anything(typed, plain, tmp_path):
    """As for any input that cannot be used: 2, words on stderr, and neither a result nor a file."""
    for name in ("lab.toml", "run.mcap", "record.csv"):
        (tmp_path / name).touch()
    done = at_work(plain, tmp_path, "-m", "tegotae", *typed.split())
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert re.match(rf"tegotae: .+ needs .+\n  pip install 'tegotae\[{TYPED[typed]}\]'", done.stderr)
    assert {path.name for path in tmp_path.iterdir()} == {"lab.toml", "run.mcap", "record.csv"}
