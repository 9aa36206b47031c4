"""A ledger of claims: what a paper says, what we measured, the bound, and whether it holds.

A paper module makes one `Paper` with its *subject*: a frozen dataclass of the classes and functions under test.
Every claim and figure gets its physics through that subject, so that a test can hand it a broken one
(`dataclasses.replace(paper.subject, Impedance=WithoutDamping)`) and see the claim fail.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tegotae import checks
from tegotae.extras import SOURCES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Subject = TypeVar("Subject")

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq
}  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One measured number against its bound. A number that is not finite never passes.

    Args:
        name: what was measured, in a few words.
        value: the measured number [unit].
        comparison: one of <=, >=, <, >, =.
        bound: what it is compared with [unit].
        unit: SI unit, or "" for a bare number.

    Example:
        >>> from tegotae.papers import Finding
        >>> Finding("creep in an hour", 0.0, "<=", 1e-15, "m").passed
        True
        >>> Finding("creep in an hour", float("nan"), "<=", 1e-15, "m").passed
        False
    """

    name: str
    value: float
    comparison: str
    bound: float
    unit: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value) + 0.0)  # -0 reads oddly
        object.__setattr__(self, "bound", float(self.bound))
        if self.comparison not in COMPARISONS:
            checks.refuse("Finding", f"comparison={self.comparison!r}.", f"Use one of {', '.join(COMPARISONS)}.")

    @property
    def passed(self) -> bool:
        """Whether the number keeps its bound."""
        return math.isfinite(self.value) and COMPARISONS[self.comparison](self.value, self.bound)

    @property
    def measured_text(self) -> str:
        """Such as ``creep 0 m``."""
        return f"{self.name} {self.value:.6g} {self.unit}".strip()

    @property
    def bound_text(self) -> str:
        """Such as ``<= 1e-15 m``."""
        return f"{self.comparison} {self.bound:.6g} {self.unit}".strip()

    def as_dict(self) -> dict[str, Any]:
        """Plain values for strict JSON; numbers that are not finite become words."""
        entries = {**asdict(self), "passed": self.passed}
        return {name: str(x) if isinstance(x, float) and not math.isfinite(x) else x for name, x in entries.items()}


Findings = Iterator[Finding]  # of a claim that yields number by number
Measure = Callable[[Any], Finding | Iterable[Finding]]


@dataclass(frozen=True, kw_only=True)
class PaperStatement:
    """What a paper says: a claim, and what became of it."""

    paper: str  # its key
    id: str  # short, stable, in words
    statement: str  # in our own words
    source: str  # equation, figure or section
    as_printed: bool = True  # False where the paper's words do not hold as printed; `statement` is then corrected
    note: str = ""  # what a reader should know: the misprint, for instance, or the error that ended a measurement

    @property
    def said(self) -> dict[str, Any]:
        """All of that by name."""
        return {each.name: getattr(self, each.name) for each in fields(PaperStatement)}


@dataclass(frozen=True, kw_only=True)
class Entry(PaperStatement):
    """A claim that has been measured.

    Args:
        findings: every number measured, with its bound.
        missing: packages without which it could not be measured here.

    Example:
        >>> entry = Entry(paper="p", id="a", statement="It holds.", source="(1)", findings=())
        >>> entry.passed  # nothing measured, nothing shown
        False
    """

    findings: tuple[Finding, ...]
    missing: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether something was measured and every number keeps its bound."""
        return bool(self.findings) and all(finding.passed for finding in self.findings)

    @property
    def status(self) -> str:
        """One of ``passed``, ``failed``, ``not checked``; the last if a package is missing."""
        if self.missing:
            return "not checked"
        return "passed" if self.passed else "failed"

    @property
    def measured(self) -> str:
        """The measured numbers in words."""
        if self.missing:
            extras = dict.fromkeys(SOURCES[name].extra if name in SOURCES else "peers" for name in self.missing)
            return f"not checked here: needs {', '.join(self.missing)} (pip install 'tegotae[{','.join(extras)}]')"
        return "; ".join(f.measured_text for f in self.findings) or "nothing: the measurement ended in an error"

    @property
    def bound(self) -> str:
        """The bounds, in the order of the numbers."""
        return "; ".join(f.bound_text for f in self.findings) or "-"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for strict JSON; numbers that are not finite become words."""
        verdict = {"measured": self.measured, "bound": self.bound, "passed": self.passed, "status": self.status}
        return {**self.said, **verdict, "findings": [finding.as_dict() for finding in self.findings]}


@dataclass(frozen=True, kw_only=True)
class Claim(PaperStatement, Generic[Subject]):
    """What a paper says, and how we measure it.

    Args:
        needs: packages beyond those of the core, by the name of their module or distribution; where one is missing the
            claim is reported as not checked, neither passed nor failed.
        measure: takes the subject, gives one or more findings.

    Example:
        >>> one = lambda subject: Finding("one", subject, "=", 1)
        >>> claim = Claim(paper="p", id="a", statement="1 is 1.", source="(1)", measure=one)
        >>> claim.check(1.0).passed, claim.check(2.0).passed
        (True, False)
    """

    needs: tuple[str, ...] = ()
    measure: Callable[[Subject], Finding | Iterable[Finding]]

    def check(self, subject: Subject) -> Entry:
        """Measure on this subject. A measurement that raises is a failed claim with the error in its note."""
        note = self.note
        findings: tuple[Finding, ...] = ()
        missing = tuple(name for name in self.needs if not installed(name))
        if not missing:
            try:
                found = self.measure(subject)
                findings = (found,) if isinstance(found, Finding) else tuple(found)
            except Exception as error:
                note = " ".join(filter(None, [note, f"{type(error).__name__}: {error}"]))
        return Entry(**self.said | {"note": note}, findings=findings, missing=missing)


def installed(name: str) -> bool:
    """Whether a module can be imported, or a distribution of that name (one without modules, perhaps) is there."""
    if find_spec(name) is not None:
        return True
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


@dataclass(frozen=True)
class Declined:
    """What a paper proposes and we do not do: listed, not counted.

    Args:
        what: the proposal.
        source: where it stands.
        reason: why not.
    """

    what: str
    source: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PaperFigure(Generic[Subject]):
    """A figure of a paper, redrawn when asked."""

    name: str  # of its file, in words with dashes
    caption: str
    draw: Callable[[Subject], Figure]


@dataclass(frozen=True, kw_only=True)
class Paper(Generic[Subject]):
    """A paper's claims, figures and what we decline, registered by decorators.

    Args:
        key: as in docs/references.bib.
        title: of the paper.
        authors: and year, as printed under the title.
        subject: the classes and functions under test.

    Example:
        >>> from tegotae.papers import Finding, Paper
        >>> paper = Paper(key="galilei1638", title="Two New Sciences", authors="G. Galilei", subject=9.81)
        >>> @paper.claim(source="third day")
        ... def falls(gravity):
        ...     "Bodies fall."
        ...     return Finding("gravity", gravity, ">", 0.0, "m/s²")
        >>> [entry.passed for entry in paper.check()]
        [True]
        >>> paper["falls"].check(-9.81).passed
        False
    """

    key: str
    title: str
    authors: str
    subject: Subject
    claims: list[Claim[Subject]] = field(default_factory=list)
    figures: list[PaperFigure[Subject]] = field(default_factory=list)
    declined: list[Declined] = field(default_factory=list)

    def claim(
        self,
        identifier: str = "",
        *,
        source: str,
        statement: str = "",
        as_printed: bool = True,
        note: str = "",
        needs: tuple[str, ...] = (),
    ) -> Callable[[Measure], Measure]:
        """Register the function below as the measurement of a claim, whose id is its name with dashes unless given.

        Its docstring is the statement, unless given, and below an empty line the note.
        """
        self._refuse_twice("claim", identifier)

        def register(measure: Measure) -> Measure:
            name = identifier or _dashed(measure)
            self._refuse_twice("claim", name)
            text, more = (statement, "") if statement else _paragraphs(measure)
            if not text:
                checks.refuse(self.key, f"claim {name!r} says nothing.", "Write its statement as its docstring.")
            data: dict[str, Any] = {"statement": text, "source": source, "as_printed": as_printed, "note": note or more}
            self.claims.append(Claim(paper=self.key, id=name, **data, needs=needs, measure=measure))
            return measure

        return register

    def figure(
        self, name: str = "", *, caption: str = "", sheet: tuple[int, int, float, float] | None = None
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register the function below as the drawing of a figure.

        Args:
            name: of its file, in words with dashes; that of the function unless given.
            caption: one or two sentences; the function's docstring unless given.
            sheet: rows and columns of panels, width and height [inch]: the function takes the axes of each, row by row,
                after the subject, and draws on them. Without it, it takes the subject alone and gives the whole figure.
        """
        self._refuse_twice("figure", name)

        def register(draw: Callable[..., Any]) -> Callable[..., Any]:
            label = name or _dashed(draw)
            self._refuse_twice("figure", label)
            drawn = draw if sheet is None else partial(_on_sheet, draw, sheet)
            self.figures.append(PaperFigure(name=label, caption=caption or _paragraphs(draw)[0], draw=drawn))
            return draw

        return register

    def _refuse_twice(self, what: str, name: str) -> None:
        if name in ([one.id for one in self.claims] if what == "claim" else [one.name for one in self.figures]):
            checks.refuse(self.key, f"the {what} {name!r} is there twice.", f"Give each {what} a name of its own.")

    def decline(self, what: str, *, source: str, reason: str) -> None:
        """List what the paper proposes and we do not do."""
        self.declined.append(Declined(what, source, reason))

    def collect(self, package: str, *modules: str) -> None:
        """Import modules of a package: their claims and figures register themselves, in the order of the table."""
        for name in modules:
            import_module(f"{package}.{name}")

    def __getitem__(self, identifier: str) -> Claim[Subject]:
        """A claim by its id."""
        known = {claim.id: claim for claim in self.claims}
        if identifier not in known:
            checks.refuse(self.key, f"there is no claim {identifier!r}.", f"It has {', '.join(known)}.")
        return known[identifier]

    def check(self, *, on_claim: Callable[[Claim[Subject]], None] | None = None) -> list[Entry]:
        """Measure every claim on the real subject; `on_claim` hears of each before it is measured."""
        entries = []
        for claim in self.claims:
            if on_claim is not None:
                on_claim(claim)
            entries.append(claim.check(self.subject))
        return entries


def as_json(papers: Iterable[Paper[Any]], entries: Iterable[Entry]) -> dict[str, Any]:
    """The ledger as plain values: `claims` measured, those `not_checked` for want of a package, what was declined."""
    entries = list(entries)
    return {
        "claims": [entry.as_dict() for entry in entries if not entry.missing],
        "not_checked": [entry.as_dict() for entry in entries if entry.missing],
        "declined": [{"paper": paper.key, **asdict(one)} for paper in papers for one in paper.declined],
    }


def _dashed(function: Callable[..., Any]) -> str:
    return function.__name__.replace("_", "-")


def _paragraphs(function: Callable[..., Any]) -> tuple[str, str]:
    """The first of its docstring and the others, each on one line."""
    first, _, others = (function.__doc__ or "").partition("\n\n")
    return " ".join(first.split()), " ".join(others.split())


def _on_sheet(draw: Callable[..., None], sheet: tuple[int, int, float, float], subject: Any) -> Figure:
    """A figure with panels, and what a function draws of a subject on them."""
    from tegotae import figures

    rows, columns, width, height = sheet
    with figures.style():
        figure, axes = figures.sheet(rows, columns, width=width, height=height)
        draw(subject, *axes.flat)
    return figure
