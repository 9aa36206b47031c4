"""Physics knows nothing of the front of the house, and importing the package stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tegotae
from tegotae import on_demand

ROOT = Path(tegotae.__file__).parent
FRONT = {"studio", "hybrid", "export", "papers", "cli", "commands", "scenarios", "bench", "__main__"}
FRONT |= {"shipped_machines"}
# What draws and what fits stand on the machines too, but import nothing of the front but each other.
ABOVE = {"figures", "fitting"}
# What every package stands on, and therefore must not lean on any of them.
FOUNDATION = {"errors", "checks", "compile", "result", "block", "layout", "state", "running"}
FOUNDATION |= {"extras", "unsolved", "on_demand", "contract", "elements", "kernels", "coupling", "parameters", "ports"}


def modules() -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    """The first folder or file below the package: `friction`, `block`, ..."""
    return path.parts[0].removesuffix(".py")


def imported_names(path: Path, *, for_types: bool = True) -> set[str]:
    """What a module imports of tegotae anywhere, also inside functions; `for_types`: also for a type checker alone."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names: set[str] = set()
    unseen = set() if for_types else {id(inner) for node in ast.walk(tree) if _for_types(node) for inner in node.body}
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = ("tegotae", *path.parts[: len(path.parts) - node.level])
                base = ".".join(filter(None, [*above, base]))
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("tegotae.")}


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported_parts(path: Path) -> set[str]:
    """Parts of tegotae that a module imports anywhere, also inside functions."""
    return {name.split(".")[1] for name in imported_names(path)}


def knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of what leans on each other in a ring, by whatever way (strongly connected components)."""
    reach = {name: _reached(graph, name) for name in graph}
    found = []
    left = set(graph)
    while left:
        name = left.pop()
        knot = {other for other in reach[name] if name in reach.get(other, ())} | {name}
        left -= knot
        if len(knot) > 1:
            found.append(knot)
    return found


def _reached(graph: dict[str, set[str]], name: str) -> set[str]:
    """Everything that a name leans on, directly or not."""
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        for other in graph.get(ahead.pop(), set()) - seen:
            seen.add(other)
            ahead.append(other)
    return seen


def module_graph() -> dict[str, set[str]]:
    """Which modules lean on which when they run: imports inside functions counted, those for types alone not."""
    paths = {".".join(("tegotae", *p.with_suffix("").parts)).removesuffix(".__init__"): p for p in modules()}
    graph = {}
    for name, path in paths.items():
        found = imported_names(path, for_types=False)
        # `from a.b import c` may mean the module a.b.c or a name in a.b.
        graph[name] = ({n if n in paths else n.rpartition(".")[0] for n in found} & paths.keys()) - {name, "tegotae"}
    return graph


def part_graph() -> dict[str, set[str]]:
    """The same of packages, and of modules that stand beside them."""
    graph: dict[str, set[str]] = {}
    for name, others in module_graph().items():
        part = name.split(".")[1] if "." in name else name
        graph.setdefault(part, set()).update(other.split(".")[1] for other in others)
    return {part: others - {part} for part, others in graph.items()}


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) not in FRONT], ids=str)
def test_physics_imports_nothing_of_the_front(path: Path) -> None:
    above = FRONT if part_of(path) in ABOVE else FRONT | ABOVE
    assert not {name.split(".")[1] for name in imported_names(path, for_types=False)} & above


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) == "hybrid"], ids=str)
def test_the_hybrid_loop_knows_no_paper(path: Path) -> None:
    """Nor its robots: kinds of models are known by name (`machines/model_settings.py`), and loaded when asked for."""
    assert not imported_parts(path) & {"papers", "scenarios", "commands", "cli", "bench", "studio"}
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "papers" not in text or path == Path("hybrid/machines/model_settings.py")


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) in FOUNDATION], ids=str)
def test_the_foundation_leans_on_no_package(path: Path) -> None:
    packages = {p.name for p in ROOT.iterdir() if (p / "__init__.py").is_file()} - FOUNDATION
    assert not imported_parts(path) & packages


def test_the_reader_of_imports_sees_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above must be able to fail: every way to write an import is seen."""
    (tmp_path / "friction").mkdir()
    module = Path("friction/rogue.py")
    (tmp_path / module).write_text(
        "import tegotae.cli\nfrom tegotae import papers\nfrom ..scenarios import friction\n"
        "from .. import bench\ndef late():\n    from tegotae.studio.page import show\n"
    )
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert imported_parts(module) == {"cli", "papers", "scenarios", "bench", "studio"}


# What each part of inclusion may lean on; the three routes know nothing of each other, but share what an impact is.
INCLUSION = {
    "language": set(),
    "elements": {"language"},
    "impacts": {"language", "elements"},
    "explicit": {"language", "elements", "impacts"},
    "implicit": {"language", "elements"},
    "exact": {"language", "elements", "impacts"},
}


@pytest.mark.parametrize("path", [p for p in modules() if p.parts[0] == "inclusion" and len(p.parts) > 2], ids=str)
def test_the_routes_of_an_inclusion_lean_on_its_language_alone(path: Path) -> None:
    own = path.parts[1]
    within = {name.split(".")[2] for name in imported_names(path) if name.startswith("tegotae.inclusion.")}
    assert within <= INCLUSION[own] | {own}


# Modules that may lean on each other in a ring; nothing else may. A kernel calls kernels: to translate one is to
# translate those it calls, by the same walk, and what is compiled for numba or called by its address is told apart
# inside that walk.
TIED = "tegotae.compile."


def test_no_packages_lean_on_each_other() -> None:
    graph = part_graph()
    assert len(graph) > 30
    assert any(graph.values())
    assert knots(graph) == []


def test_modules_that_lean_on_each_other_are_known() -> None:
    found = [sorted(knot) for knot in knots(module_graph())]
    assert [knot for knot in found if not all(name.startswith(TIED) for name in knot)] == []
    assert len(found) <= 1


def test_a_service_is_provided_by_the_package_itself_alone() -> None:
    """Else a name would hide an import that the tests above count."""
    for path in modules():
        text = (ROOT / path).read_text(encoding="utf-8")
        assert "provide(" not in text or path in (Path("__init__.py"), Path("on_demand.py")), path


def test_a_service_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live blocks ask for theirs whenever they start, so what was found is kept, until it is provided anew."""
    monkeypatch.setattr(on_demand, "_HOMES", {})
    asked = []
    monkeypatch.setattr(on_demand, "resolve_name", lambda home: asked.append(home) or home.upper())
    for home in ("a:b", "c:d"):
        on_demand.provide("test of services", home)
        assert [on_demand.service("test of services") for _ in range(3)] == [home.upper()] * 3
    assert asked == ["a:b", "c:d"]
    on_demand.service.cache_clear()


def test_a_knot_is_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}, "e": {"f"}, "f": {"g"}, "g": {"e", "a"}}
    assert sorted(map(sorted, knots(graph))) == [["b", "c"], ["e", "f", "g"]]


LOADS = {
    "import tegotae": set(),
    "from tegotae.errors import InputError": set(),
    "from tegotae.extras import require": set(),
    "import tegotae.checks, tegotae.result": {"numpy"},
    "import tegotae.cli": {"typer", "annotated_doc", "shellingham"},  # and rich, when it prints: no numpy either
}


@pytest.mark.parametrize("statement", LOADS)
def test_importing_loads_nothing_heavy(statement: str) -> None:
    """Everything that is loaded beside the standard library is named above."""
    code = (
        f"import sys; before = set(sys.modules); {statement}; after = set(sys.modules) - before\n"
        "print(*{name.partition('.')[0] for name in after} - set(sys.stdlib_module_names))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(found) - {"tegotae"} <= LOADS[statement]


PARTS = ["control", "device", "fitting", "friction", "hybrid", "inclusion", "multibody", "rod", "steering", "table"]


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_there_without_an_import_of_their_own(part: str) -> None:
    """In a fresh process: nothing else has imported them before."""
    code = f"import tegotae as tg; print(tg.{part}.__name__)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == f"tegotae.{part}\n"


def test_dir_shows_what_there_is_and_nothing_else() -> None:
    shown = dir(tegotae)
    assert {*PARTS, "fit", "load", "Circuit", "VirtualWall", "InputError"} <= set(shown)
    assert set(shown) == {*tegotae.__all__, *PARTS}
    assert all(hasattr(tegotae, name) for name in shown)


def test_what_is_not_there_is_named_with_what_is() -> None:
    with pytest.raises(AttributeError, match=r"tegotae has no 'rods'; it offers .*ImpedanceSum.* rod, steering"):
        _ = tegotae.rods


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) != "compile"], ids=str)
def test_only_compile_knows_a_compiler(path: Path) -> None:
    """Physics sees `kernel`, `build` and `bind`; the front may say how kernels run."""
    text = (ROOT / path).read_text(encoding="utf-8")
    assert not re.search(r"^\s*(import|from) (numba|llvmlite|ctypes\.util)\b", text, re.MULTILINE)
    inside = {"toolchain", "translate", "native", "with_numba", "cache", "shipped"}
    assert not re.search(rf"tegotae\.compile\.({'|'.join(inside)})\b", text)
