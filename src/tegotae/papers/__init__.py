"""One module a paper: its claims, checked, and its figures, redrawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tegotae import checks
from tegotae.papers.ledger import Claim, Declined, Entry, Finding, Paper

__all__ = ["PAPERS", "Claim", "Declined", "Entry", "Finding", "Paper", "load_paper"]

# Key -> the module that registers the paper's claims as `paper`. Keys are those of docs/references.bib.
_KEYS = ("kikuuwe2005", "xiong2011", "yamamoto2006", "hirai2020", "tarao1999")
PAPERS = {key: f"tegotae.papers.{key}" for key in _KEYS}


def load_paper(key: str) -> Paper[Any]:
    """The paper of a key, its claims not yet measured.

    Args:
        key: as in `PAPERS` and docs/references.bib.

    Example:
        >>> from tegotae.papers import load_paper
        >>> load_paper("kikuuwe2005").key
        'kikuuwe2005'
    """
    if key not in PAPERS:
        checks.refuse("papers", f"there is no paper {key!r}.", f"Choose one of {', '.join(PAPERS)}.")
    paper = import_module(PAPERS[key]).paper
    assert isinstance(paper, Paper)
    return paper
