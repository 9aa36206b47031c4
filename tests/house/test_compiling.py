"""Generated loops: written to real files, cached, rebuilt when a kernel changes, never half written."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, tegotae as tg
brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
live = brake.start(period=1e-3)
from tegotae import running
step = running.module_of(brake).step
stats = step.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), len(step.signatures))
live.step(0.1)
print(len(step.signatures))
"""


def run(folder):
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"TEGOTAE_CACHE": str(folder)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment)
    return [int(word) for word in done.stdout.split()]


def test_second_process_loads_what_the_first_compiled(tmp_path):
    hits, misses, warm, after = run(tmp_path)
    assert (hits, misses) == (0, 1)
    assert (warm, after) == (1, 1), "start compiled it, the first tick did not"
    files = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.py")}
    hits, misses, _, _ = run(tmp_path)
    assert (hits, misses) == (1, 0)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.py")} == files
    assert not list(tmp_path.glob("*.part"))


TWO_LAWS = """
import sys, tegotae as tg
from numba.core.bytecode import FunctionIdentity

count = FunctionIdentity.from_function
def first_gets_1000(function, seen=[]):
    identity = count(function)
    if function.__name__ == "newton_resolve" and not seen:
        seen.append(function)
        identity.unique_id, identity.unique_name = 1000, function.__qualname__ + "$1000"
    return identity
FunctionIdentity.from_function = first_gets_1000  # what happens by chance in two processes, made sure of

laws = {"falling": tg.Stribeck(kinetic=1.0, static=1.6, velocity=0.05), "rising": tg.CustomLaw(lambda s: 1 + 30 * s**2)}
for name in sys.argv[1:]:
    print(tg.FrictionImpedance(stiffness=3e4, damping=30.0, law=laws[name]).start(period=1e-3).step(0.09))
"""


def test_two_laws_of_one_factory_are_never_taken_for_each_other(tmp_path):
    """Numba counts kernels of one name in each process; a loop read from disk brings the counts of another process."""
    environment = os.environ | {"TEGOTAE_CACHE": str(tmp_path)}
    printed = [
        subprocess.run(
            [sys.executable, "-c", TWO_LAWS, *laws], capture_output=True, text=True, check=True, env=environment
        ).stdout.split()
        for laws in (["falling"], ["rising", "falling"])
    ]
    assert printed[1][1] == printed[0][0] != printed[1][0]


@pytest.mark.parametrize(
    ("edited", "matters"),
    [
        ("tegotae.friction.kernels.sampled", True),  # the kernel's own file
        ("tegotae.friction.kernels.element", True),  # one that it imports
        ("tegotae.compiling", True),  # how kernels are named and compiled: loops of an older way must not be met
        ("tegotae.linking", True),
        ("tegotae.kernels.elements", False),  # one that it never meets
    ],
)
def test_a_changed_kernel_gets_a_new_file_if_it_is_reached(monkeypatch, edited, matters):
    from tegotae import compiling
    from tegotae.friction.classics import Karnopp

    functions = [f for _, f in Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01).kernels.imports()]
    assert {f.__module__ for f in functions} == {"tegotae.friction.kernels.sampled"}
    before, source_of = compiling._fingerprint(functions), compiling._source_of
    monkeypatch.setattr(compiling, "_source_of", lambda home: b"edited" * (home == edited) + source_of(home))
    assert (compiling._fingerprint(functions) != before) == matters


def test_a_cache_path_that_is_a_file_warns(tmp_path, monkeypatch):
    from tegotae import compiling

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TEGOTAE_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="Set TEGOTAE_CACHE"):
        compiling.cache_folder()
