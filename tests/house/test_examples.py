"""Every example runs from the command line, quickly, and says what it found."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"

RUNS = {
    "01_friction_in_a_1khz_loop.py": (["--ticks", "60"], r"60 ticks of 1 ms(.|\n)*deadlines missed +\d+ "),
    "02_admittance_device.py": (["--ticks", "600"], r"pushed with 3 N +moved +0\.000 mm.*exactly still 100 %"),
    "03_friction_compensation.py": (
        ["--ticks", "1500", "--elements", "2"],
        r"composite +\d+\.\d+ µm +\d+\.\d x better",
    ),
    "04_attach_a_table.py": (
        ["--ticks", "60"],
        r"moved (1\.000|0\.9\d\d) mm.*felt \d+\.\d\d N; fault: none\ncontroller gone: the controller has stopped",
    ),
    "05_rod_on_robot_on_table.py": (
        ["--ticks", "300"],
        r"300 ticks, 0 of them unsolved\nthe elbow turns by [01]\.\d+ rad",
    ),
}


def run(name, arguments):
    return subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


def test_every_example_is_run_here():
    assert {path.name for path in FOLDER.glob("*.py")} == set(RUNS)


REAL_TIME = {"01_friction_in_a_1khz_loop.py", "04_attach_a_table.py"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.realtime] if name in REAL_TIME else []) for name in RUNS]
)
def test_example_runs(name):
    arguments, said = RUNS[name]
    done = run(name, arguments)
    assert done.returncode == 0, done.stderr
    assert re.search(said, done.stdout), done.stdout


@pytest.mark.parametrize("name", RUNS)
def test_example_explains_itself(name):
    done = run(name, ["--help"])
    assert done.returncode == 0
    assert f"python examples/{name}" in done.stdout


def test_examples_write_what_they_are_asked_to(tmp_path):
    import tegotae as tg

    file = tmp_path / "run.nc"
    assert run("01_friction_in_a_1khz_loop.py", ["--ticks", "30", "--save", str(file)]).returncode == 0
    assert tg.load(file).slack.shape == (30,)
    picture = tmp_path / "errors.png"
    arguments = ["--ticks", "1500", "--elements", "1", "--plot", str(picture)]
    assert run("03_friction_compensation.py", arguments).returncode == 0
    assert picture.stat().st_size > 10_000
    joined = tmp_path / "joined.png"
    assert run("05_rod_on_robot_on_table.py", ["--ticks", "50", "--plot", str(joined)]).returncode == 0
    assert joined.stat().st_size > 10_000
