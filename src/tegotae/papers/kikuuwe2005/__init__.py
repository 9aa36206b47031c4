"""Kikuuwe and Fujimoto, "Impedance-Type Discrete-Time Friction Model", 2005: its claims and its figures.

Every claim and figure takes its physics from a `KikuuweSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.kikuuwe2005.subject import KikuuweSubject, paper

# isort: split
from tegotae.papers.kikuuwe2005 import admittance as admittance

# isort: split
from tegotae.papers.kikuuwe2005 import impedance as impedance

# isort: split
from tegotae.papers.kikuuwe2005 import laws as laws

# isort: split
from tegotae.papers.kikuuwe2005 import joystick as joystick

# isort: split
from tegotae.papers.kikuuwe2005 import composite as composite

# isort: split
from tegotae.papers.kikuuwe2005 import others as others

# isort: split
from tegotae.papers.kikuuwe2005 import figures as figures

__all__ = ["KikuuweSubject", "paper"]
