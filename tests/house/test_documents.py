"""What the README and the guide for contributors show works as shown."""

import linecache
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(name: str) -> list[Any]:
    """Every python block of a document, behind blank lines so that an error names the document's own line."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = [(text.count("\n", 0, block.start(1)), block[1]) for block in BLOCK.finditer(text)]
    assert found, f"{name} has no python block to try"
    return [pytest.param(f"<{name}:{line + 1}>", "\n" * line + body, id=f"{name}:{line + 1}") for line, body in found]


@pytest.mark.parametrize(("cell", "source"), [*blocks_of("README.md"), *blocks_of("CONTRIBUTING.md")])
def test_a_block_runs_by_itself(cell: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever copies it into a new file would: nothing came before it, and the folder is empty."""
    monkeypatch.chdir(tmp_path)
    # Kernels find their text as in a notebook.
    monkeypatch.setitem(linecache.cache, cell, (len(source), None, source.splitlines(keepends=True), cell))
    exec(compile(source, cell, "exec"), {"__name__": "__main__"})


def test_the_pattern_finds_blocks() -> None:
    assert BLOCK.findall("a\n```python\nx = 1\n```\n```sh\nls\n```\n```python\ny = 2\n```\n") == ["x = 1\n", "y = 2\n"]


def test_the_tree_of_the_package_is_told_in_full() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([\w/.]+)`", table))
    parts = [part for part in (ROOT / "src" / "tegotae").iterdir() if not part.name.startswith(("_", "."))]
    there = {f"{part.name}/" if part.is_dir() else part.name for part in parts if part.name != "py.typed"}
    assert there - told == set()


def test_the_first_friction_that_the_readme_runs_shows_its_law() -> None:
    """Stribeck friction must fall from its static to about its kinetic level within the motion."""
    from tegotae.scenarios import load_scenario

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = next(line for line in text.splitlines() if "tegotae run friction" in line)
    friction = load_scenario("friction")
    parameters = friction.read(settings=re.findall(r"--set (\S+)", command))
    run, law = friction.run(parameters), parameters.law
    slipping = abs(run.force[run.slip_velocity != 0.0])
    assert slipping.max() > law.kinetic + 0.95 * (law.static - law.kinetic)
    assert slipping.min() < law.kinetic + 0.15 * (law.static - law.kinetic)


def test_nothing_that_was_compiled_is_kept() -> None:
    """Loops that kernels become belong to a cache, never to the project."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert "pyproject.toml" in listed
    assert [name for name in listed if name.endswith((".c", ".h", ".o", ".so", ".pyc"))] == []
