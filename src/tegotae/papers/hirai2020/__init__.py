"""Hirai, "Dynamic modeling of linear soft robots based on mixed coordinates", 2020.

Every claim and figure takes its physics from a `HiraiSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.hirai2020.subject import HiraiSubject, paper

# isort: split
from tegotae.papers.hirai2020 import equations as equations

# isort: split
from tegotae.papers.hirai2020 import literal as literal

# isort: split
from tegotae.papers.hirai2020 import coordinates as coordinates

# isort: split
from tegotae.papers.hirai2020 import continuum as continuum

# isort: split
from tegotae.papers.hirai2020 import errata as errata

# isort: split
from tegotae.papers.hirai2020 import figures as figures

__all__ = ["HiraiSubject", "paper"]
