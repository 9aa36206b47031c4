"""Tarao, Inohira, Uchiyama, "Hybrid motion simulation using high-speed parallel link robot", 1999.

Every claim and figure takes its physics from a `TaraoSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.tarao1999.subject import TaraoSubject, paper

# isort: split
from tegotae.papers.tarao1999 import dynamics as dynamics

# isort: split
from tegotae.papers.tarao1999 import table as table

# isort: split
from tegotae.papers.tarao1999 import contact as contact

# isort: split
from tegotae.papers.tarao1999 import stiction as stiction

# isort: split
from tegotae.papers.tarao1999 import hybrid_contact as hybrid_contact

# isort: split
from tegotae.papers.tarao1999 import hybrid_nodes as hybrid_nodes

# isort: split
from tegotae.papers.tarao1999 import figures as figures

# isort: split
from tegotae.papers.tarao1999 import hybrid_figures as hybrid_figures

__all__ = ["TaraoSubject", "paper"]
