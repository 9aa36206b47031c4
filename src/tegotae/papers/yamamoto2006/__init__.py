"""Yamamoto, Kikuuwe and Fujimoto, "Steering Reaction Force Simulator Using Parallel Visco-elastoplastic Model", 2006.

Every claim and figure takes its physics from a `YamamotoSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.yamamoto2006.subject import YamamotoSubject, paper

__all__ = ["YamamotoSubject", "paper"]

paper.collect(__name__, "loops", "drop", "tyre", "coupling", "errata", "figures")
