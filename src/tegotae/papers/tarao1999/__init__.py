"""Tarao, Inohira, Uchiyama, "Hybrid motion simulation using high-speed parallel link robot", 1999.

Every claim and figure takes its physics from a `TaraoSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.tarao1999.subject import TaraoSubject, paper

__all__ = ["TaraoSubject", "paper"]

paper.collect(
    __name__, "dynamics", "table", "contact", "stiction", "hybrid_contact", "hybrid_nodes", "figures", "hybrid_figures"
)
