"""Hirai, "Dynamic modeling of linear soft robots based on mixed coordinates", 2020.

Every claim and figure takes its physics from a `HiraiSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.hirai2020.subject import HiraiSubject, paper

__all__ = ["HiraiSubject", "paper"]

paper.collect(__name__, "equations", "literal", "coordinates", "continuum", "errata", "figures")
