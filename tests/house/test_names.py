"""One name, one thing: whoever reads a class's name anywhere in the package knows which class is meant."""

import ast
from collections import defaultdict
from pathlib import Path

import tegotae

ROOT = Path(tegotae.__file__).parent


def classes(root: Path) -> dict[str, list[str]]:
    """Where each name of a class stands, private and inner ones too."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(root)}:{node.lineno}")
    return found


def shared(root: Path) -> dict[str, list[str]]:
    return {name: places for name, places in classes(root).items() if len(places) > 1}


def test_no_two_classes_share_a_name() -> None:
    assert len(classes(ROOT)) > 300
    assert shared(ROOT) == {}


def test_a_name_that_two_classes_share_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Servo: ...\ndef f():\n    class _Inner: ...\n")
    (tmp_path / "b.py").write_text("class Outer:\n    class _Inner: ...\nclass Load: ...\n")
    assert shared(tmp_path) == {"_Inner": ["a.py:3", "b.py:2"]}


def test_modules_of_a_name_lie_in_folders_that_tell_them_apart() -> None:
    """A scene is a scene of bodies, a planar rod is no planar patch: such names stand once outside `kernels/`."""
    for name in ("scene.py", "planar.py", "style.py", "result_figures.py"):
        places = [path for path in ROOT.rglob(name) if path.parent.name != "kernels"]
        assert len(places) <= 1, places
