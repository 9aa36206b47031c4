"""Hybrid motion simulation: numerical models that meet at a table's contact.  [tarao1999]"""

from tegotae.hybrid.free_flyer import free_flyer
from tegotae.hybrid.two_robots import TwoRobots

__all__ = ["TwoRobots", "free_flyer"]
