"""Every paper cited in the code stands in the bibliography."""

import re
from pathlib import Path

import tegotae
from tegotae.papers import PAPERS

ROOT = Path(tegotae.__file__).parent
BIBLIOGRAPHY = Path(__file__).parents[2] / "docs" / "references.bib"


def known() -> set[str]:
    return set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE))


def test_citations_are_known() -> None:
    cited = {
        (key, str(path.relative_to(ROOT)))
        for path in ROOT.rglob("*.py")
        for key in re.findall(r"\[([a-z]+(?:19|20)\d\d)[a-z]?\b", path.read_text(encoding="utf-8"))
    }
    assert cited, "nothing is cited"
    assert [(key, path) for key, path in sorted(cited) if key not in known()] == []


def test_papers_are_known() -> None:
    assert set(PAPERS) <= known()
