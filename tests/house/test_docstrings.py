"""Every public name says what it is, in which units, and shows itself in use."""

import dataclasses
import importlib
import inspect
import re
from pathlib import Path

import pytest

import tegotae

ROOT = Path(tegotae.__file__).parent
NUMERIC = re.compile(r"\b(float|ArrayLike|Array|NDArray)\b")
UNITLESS = re.compile(r"\b(Mapping|Callable|dict|bool_)\b")
UNIT = re.compile(r"\[[^\]\s][^\]]*\]|\bunits?\b")  # [N/m], or words such as "in the same unit"


def packages() -> list[str]:
    return ["tegotae", *sorted(f"tegotae.{p.parent.relative_to(ROOT)}".replace("/", ".") for p in package_files())]


def package_files() -> list[Path]:
    return [p for p in ROOT.rglob("__init__.py") if p.parent != ROOT and p.parent.name != "kernels"]


def public_names() -> list[tuple[str, str]]:
    found = []
    for package in packages():
        module = importlib.import_module(package)
        found += [(package, name) for name in getattr(module, "__all__", []) if not name.startswith("__")]
    return found


def documented_arguments(doc: str) -> dict[str, str]:
    """Name -> text of each entry below `Args:`."""
    body = inspect.cleandoc(doc).partition("Args:\n")[2]
    entries: dict[str, str] = {}
    name = ""
    for line in body.splitlines():
        if line and not line.startswith(" "):
            break
        if match := re.match(r"    (\w+): (.*)", line):
            name = match[1]
            entries[name] = match[2]
        elif name:
            entries[name] += " " + line.strip()
    return entries


def numeric_arguments(thing: object) -> set[str]:
    """Arguments whose annotation speaks of real numbers; counts, groups and functions have no unit of their own."""
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return set()
    return {
        name
        for name, parameter in signature.parameters.items()
        if NUMERIC.search(str(parameter.annotation)) and not UNITLESS.search(str(parameter.annotation))
    }


def without_unit(thing: object) -> list[str]:
    entries = documented_arguments(inspect.getdoc(thing) or "")
    return [name for name in numeric_arguments(thing) if name in entries and not UNIT.search(entries[name])]


def is_plain(thing: object) -> bool:
    """An error, or a record that does nothing: these need no example."""
    if not inspect.isclass(thing):
        return False
    own = [name for name, member in vars(thing).items() if callable(member) and not name.startswith("__")]
    return issubclass(thing, Exception) or (dataclasses.is_dataclass(thing) and not own)


@pytest.mark.parametrize(("package", "name"), public_names(), ids=lambda v: v.removeprefix("tegotae."))
def test_public_name_is_documented(package: str, name: str) -> None:
    thing = getattr(importlib.import_module(package), name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return  # a constant; its module says what it is
    doc = thing.__doc__ or ""
    assert doc.strip(), f"{name} has no docstring"
    assert ">>>" in doc or is_plain(thing), f"{name} shows no example"
    assert without_unit(thing) == [], f"{name} documents numbers without a [unit]"
    undocumented = numeric_arguments(thing) - set(documented_arguments(doc))
    assert not undocumented, f"{name} takes numbers that its docstring does not name"


@pytest.mark.parametrize(("package", "name"), public_names(), ids=lambda v: v.removeprefix("tegotae."))
def test_public_methods_are_documented(package: str, name: str) -> None:
    thing = getattr(importlib.import_module(package), name)
    if not inspect.isclass(thing):
        return
    for own, member in vars(thing).items():
        if not own.startswith("_") and (inspect.isfunction(member) or isinstance(member, property | classmethod)):
            assert (inspect.getdoc(member) or "").strip(), f"{name}.{own} has no docstring"
            assert without_unit(member) == [], f"{name}.{own} documents numbers without a [unit]"


def test_a_missing_unit_is_seen() -> None:
    def bad(stiffness: float, mass: float) -> None:
        """Do.

        Args:
            stiffness: K [N/m], which
                goes on.
            mass: M, > 0.
        """

    assert documented_arguments(bad.__doc__ or "")["stiffness"] == "K [N/m], which goes on."
    assert without_unit(bad) == ["mass"]
