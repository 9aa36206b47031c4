"""What the README and the guide for contributors show works as shown."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_snippets_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace, in an empty folder."""
    document = ROOT / name
    text = document.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks, f"{name} has no python block to try"
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "snippets"}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        # Blank lines in front make the error name the document's own line.
        exec(compile("\n" * line + block[1], str(document), "exec"), namespace)


def test_the_pattern_finds_blocks() -> None:
    assert BLOCK.findall("a\n```python\nx = 1\n```\n```sh\nls\n```\n```python\ny = 2\n```\n") == ["x = 1\n", "y = 2\n"]
