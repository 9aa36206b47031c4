"""Yamamoto, Kikuuwe and Fujimoto, "Steering Reaction Force Simulator Using Parallel Visco-elastoplastic Model", 2006.

Every claim and figure takes its physics from a `YamamotoSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.yamamoto2006.subject import YamamotoSubject, paper

# isort: split
from tegotae.papers.yamamoto2006 import loops as loops

# isort: split
from tegotae.papers.yamamoto2006 import drop as drop

# isort: split
from tegotae.papers.yamamoto2006 import tyre as tyre

# isort: split
from tegotae.papers.yamamoto2006 import coupling as coupling

# isort: split
from tegotae.papers.yamamoto2006 import errata as errata

# isort: split
from tegotae.papers.yamamoto2006 import figures as figures

__all__ = ["YamamotoSubject", "paper"]
