"""Xiong, Kikuuwe and Yamamoto, "Friction and contact expressed by ordinary differential equations", 2011.

Every claim and figure takes its physics from a `XiongSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.xiong2011.subject import XiongSubject, paper

# isort: split
from tegotae.papers.xiong2011 import one_element as one_element

# isort: split
from tegotae.papers.xiong2011 import point_mass as point_mass

# isort: split
from tegotae.papers.xiong2011 import machine as machine

# isort: split
from tegotae.papers.xiong2011 import routes as routes

# isort: split
from tegotae.papers.xiong2011 import errata as errata

# isort: split
from tegotae.papers.xiong2011 import figures as figures

__all__ = ["XiongSubject", "paper"]
