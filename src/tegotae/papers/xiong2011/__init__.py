"""Xiong, Kikuuwe and Yamamoto, "Friction and contact expressed by ordinary differential equations", 2011.

Every claim and figure takes its physics from a `XiongSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.xiong2011.subject import XiongSubject, paper

__all__ = ["XiongSubject", "paper"]

paper.collect(__name__, "one_element", "point_mass", "machine", "routes", "errata", "figures")
