"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
from pathlib import Path

import pytest

import tegotae
from tegotae.compile import backend

ROOT = Path(tegotae.__file__).parent


def modules() -> list[str]:
    names = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        if parts[-1] != "__main__" and "kernels" not in parts:
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend.name() == "numba" and name in ("tegotae.coupling.circuit", "tegotae.compile.addresses"):
        pytest.skip("numba takes no addresses")
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_some_examples_were_found() -> None:
    found = doctest.DocTestFinder().find(importlib.import_module("tegotae.friction.element"))
    assert any(test.examples for test in found)
