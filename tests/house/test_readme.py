"""What the README shows works as shown."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_readme_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace, in an empty folder."""
    text = README.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    if len(text.splitlines()) > 20:
        assert blocks, "the README has no python block to try"
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "readme"}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        # Blank lines in front make the error name the README's own line.
        exec(compile("\n" * line + block[1], str(README), "exec"), namespace)


def test_the_pattern_finds_blocks() -> None:
    assert BLOCK.findall("a\n```python\nx = 1\n```\n```sh\nls\n```\n```python\ny = 2\n```\n") == ["x = 1\n", "y = 2\n"]
