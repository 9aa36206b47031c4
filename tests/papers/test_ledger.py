"""The frame: what passes, what fails, what an error does, what JSON and the page hold."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tegotae as tg
from tegotae import figures
from tegotae.commands import papers as papers_command
from tegotae.papers import PAPERS, Finding, Paper, load_paper, report
from tegotae.papers.ledger import Entry, as_json


def small_paper() -> Paper[float]:
    paper = Paper(key="galilei1638", title="Two New Sciences", authors="G. Galilei, 1638", subject=9.81)

    @paper.claim("falls", statement="Bodies fall & do not rise <at all>.", source="third day")
    def falls(gravity: float) -> Finding:
        return Finding("gravity", gravity, ">", 0.0, "m/s²")

    @paper.claim("fast", statement="They fall fast.", source="third day", as_printed=False, note="Not very fast.")
    def fast(gravity: float) -> list[Finding]:
        return [Finding("gravity", gravity, ">=", 100.0), Finding("one", 1, "=", 1)]

    @paper.claim("divides", statement="It divides.", source="(1)")
    def divides(gravity: float) -> Finding:
        return Finding("share", 1 / 0, "<=", 1.0)

    @paper.figure("fall", caption="A fall.")
    def fall(gravity: float) -> object:
        with figures.style():
            figure, axes = figures.sheet()
            axes[0, 0].plot([0, 1, 2], [0, -gravity, -4 * gravity])
        return figure

    @paper.figure("broken", caption="Cannot be drawn.")
    def broken(gravity: float) -> object:
        raise ValueError("no ink")

    paper.decline("Dropping things from towers", source="first day", reason="people walk below")
    return paper


@pytest.mark.parametrize(
    ("value", "comparison", "bound", "passed"),
    [
        (1.0, "<=", 1.0, True),
        (1.1, "<=", 1.0, False),
        (1.0, "<", 1.0, False),
        (1.0, ">=", 1.0, True),
        (1.0, ">", 1.0, False),
        (2.0, "=", 2.0, True),
        (2.0, "=", 2.1, False),
        (float("nan"), "<=", 1.0, False),
        (float("nan"), ">=", 1.0, False),
        (float("-inf"), "<=", 1.0, False),
        (float("inf"), ">=", 1.0, False),
    ],
)
def test_comparisons(value: float, comparison: str, bound: float, passed: bool) -> None:
    assert Finding("x", value, comparison, bound).passed is passed


def test_an_unknown_comparison_is_refused() -> None:
    with pytest.raises(tg.InputError, match="comparison='~'"):
        Finding("x", 1.0, "~", 1.0)


def test_every_number_must_pass_and_errors_fail() -> None:
    falls, fast, divides = small_paper().check()
    assert falls.passed
    assert not fast.passed, "one number of two misses its bound"
    assert not divides.passed
    assert "ZeroDivisionError" in divides.note


def test_a_claim_that_measures_nothing_fails() -> None:
    paper = Paper(key="k", title="t", authors="a", subject=None)
    paper.claim("empty", statement="s", source="(1)")(lambda subject: [])
    assert not paper.check()[0].passed


def test_a_docstring_is_statement_and_note() -> None:
    paper = Paper(key="k", title="t", authors="a", subject=1.0)

    @paper.claim(source="(1)")
    def one_is_one(subject: float) -> Finding:
        """One
        is one.

        It always
        was.
        """
        return Finding("one", subject, "=", 1.0)

    claim = paper["one-is-one"]
    assert (claim.statement, claim.note) == ("One is one.", "It always was.")


@pytest.mark.parametrize("words", [None, "", "  \n\n  A note below nothing."])
def test_a_claim_that_says_nothing_is_refused(words: str | None) -> None:
    paper = Paper(key="k", title="t", authors="a", subject=1.0)

    def one_is_one(subject: float) -> Finding:
        return Finding("one", subject, "=", 1.0)

    one_is_one.__doc__ = words
    with pytest.raises(
        tg.InputError, match=r"k: claim 'one-is-one' says nothing\.\n  Write its statement as its docst"
    ):
        paper.claim(source="(1)")(one_is_one)
    assert paper.claims == []


def test_a_broken_subject_fails_the_claim() -> None:
    paper = small_paper()
    assert paper["falls"].check(9.81).passed
    assert not paper["falls"].check(-9.81).passed


def test_the_same_id_twice_is_refused() -> None:
    paper = small_paper()
    with pytest.raises(tg.InputError, match="'falls' is there twice"):
        paper.claim("falls", statement="s", source="(1)")
    with pytest.raises(tg.InputError, match="'fall' is there twice"):
        paper.figure("fall", caption="c")
    with pytest.raises(tg.InputError, match="no claim 'rises'"):
        paper["rises"]


def test_json_is_strict_and_has_the_promised_names() -> None:
    paper = small_paper()
    nan = Entry(
        paper=paper.key,
        id="nan",
        statement="s",
        source="(2)",
        findings=(Finding("x", float("nan"), "<=", float("inf")),),
        as_printed=True,
    )
    text = json.dumps(as_json([paper], [*paper.check(), nan]), allow_nan=False)
    claims = json.loads(text)["claims"]
    names = {"paper", "id", "statement", "measured", "bound", "passed", "as_printed"}
    assert all(names <= set(claim) for claim in claims)
    assert [claim["passed"] for claim in claims] == [True, False, False, False]
    assert [claim["as_printed"] for claim in claims] == [True, False, True, True]
    assert json.loads(text)["declined"][0]["paper"] == "galilei1638"


def test_a_claim_that_needs_a_missing_package_is_neither_passed_nor_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = Paper(key="k", title="t", authors="a", subject=None)

    @paper.claim("compared", statement="They agree.", source="(1)", needs=("numpy", "nosuchpeer"))
    def compared(subject: None) -> Finding:
        raise AssertionError("never measured")

    @paper.claim("holds", statement="It holds.", source="(2)", needs=("numpy",))
    def holds(subject: None) -> Finding:
        return Finding("one", 1, "=", 1)

    entry, held = paper.check()
    assert (entry.status, held.status) == ("not checked", "passed")
    assert not entry.passed
    assert "not checked here: needs nosuchpeer (pip install 'tegotae[peers]')" in entry.measured
    told = as_json([paper], [entry, held])
    assert [claim["id"] for claim in told["claims"]] == ["holds"]
    assert [(claim["id"], claim["status"]) for claim in told["not_checked"]] == [("compared", "not checked")]
    page = report.page([paper], [entry, held], [])
    assert page.count('aria-label="not checked"') == page.count('aria-label="passed"') == 1
    assert 'aria-label="failed"' not in page
    assert "<b>1</b><span>not checked here</span>" in page

    monkeypatch.setattr("tegotae.commands.papers.load_paper", lambda key: paper)
    code = papers_command.run("k", json=None, figures=None, page=Path("report.html"), no_report=True)
    assert code == 0, "what cannot be checked here does not fail the command"
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 1 claims of k passed; 1 not checked here, without nosuchpeer" in said


def test_packages_without_modules_are_found_by_their_distribution() -> None:
    paper = Paper(key="k", title="t", authors="a", subject=None)
    paper.claim("a", statement="s", source="(1)", needs=("pytest-xdist",))(lambda subject: Finding("one", 1, "=", 1))
    assert paper.check()[0].passed


class _Addresses(HTMLParser):
    """Collects what a page refers to, and whether every element is closed."""

    void = frozenset({"meta", "img", "br", "link", "hr", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "data", "poster")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_refers_to_nothing_outside() -> None:
    paper = small_paper()
    page = report.page([paper], paper.check(), report.draw(paper))
    reader = _Addresses()
    reader.feed(page)
    assert reader.open == []
    assert reader.addresses, "the figure is inside"
    assert all(address.startswith("data:image/") for address in reader.addresses)
    assert not re.search(r"url\(|@import|<script", page)


def test_the_page_tells_all() -> None:
    paper = small_paper()
    page = report.page([paper], paper.check(), report.draw(paper))
    assert "&amp; do not rise &lt;at all&gt;" in page
    assert page.count('aria-label="passed"') == 1
    assert page.count('aria-label="failed"') == 2
    assert page.count('<span class="tag">not as printed</span>') == 1
    assert "people walk below" in page
    assert "Not drawn: ValueError: no ink" in page


def test_the_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(tg.FileError, match="does not exist"):
        report.write(tmp_path / "nowhere" / "report.html", [], [], [])
    path = report.write(tmp_path / "report.html", [], [], [])
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("key", PAPERS)
def test_registered_papers_are_complete(key: str) -> None:
    paper = load_paper(key)
    assert paper.key == key
    assert paper.claims
    assert paper.figures
    for claim in paper.claims:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id)
        assert claim.statement.endswith(".")
        assert claim.source


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(tg.InputError, match="no paper 'newton1687'"):
        load_paper("newton1687")
